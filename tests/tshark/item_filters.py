#!/usr/bin/env python3
"""Prints display filters on extended items and provider traits, and how many events of a trace the independent
   reader finds for each: every type, every field, and the first values of every field.
   filter <tab> count

    item_filters.py etl_oracle.py FILE
"""
import collections
import importlib.util
import os
import struct
import sys

VALUES_PER_FIELD = 4
TEXTS = ('traits.provider_name', 'ext.schema_tl.event_name', 'ext.schema_tl.field.name', 'ext.container_id')
BYTES = ('traits.custom', 'traits.reserved', 'ext.psm_key', 'ext.data', 'ext.schema_tl.field.type_info')
GROUPS = {4: 'instance_info', 5: 'stack', 6: 'stack', 8: 'pmc_counters', 11: 'schema_tl', 12: 'prov_traits',
          17: 'stack_key', 18: 'stack_key'}


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def data_of(item):
    """the item's bytes, for those types that are shown as bytes"""
    return bytes.fromhex(item.get('hex', '')) or b''.join(struct.pack('<Q', value) for value in item.get('values', ()))


def item_pairs(compare, item):
    """(field, literal) of a filter; literal None: the field is there"""
    yield 'ext.type', str(item['type'])
    yield 'ext.total_size', str(item['size'])
    yield 'ext.size', str(item['datasize'])
    yield 'ext.linkage', str(item['linkage'] & 1)
    yield 'ext.reserved', str(item['linkage'] >> 1)
    yield 'ext.' + GROUPS.get(item['type'], 'item'), None
    for trait in item.get('traits', {}).get('traits', ()):
        yield 'traits.trait', None
    for name, value in compare.item_data_fields(item, data_of(item)):
        if name == 'note':
            yield 'note.' + value.lower(), None
        elif name == 'ext.sid':
            yield name, '"%s"' % item['sid']
        elif name in TEXTS:
            text = bytes.fromhex(value).decode()
            yield name, '"%s"' % text.replace('\\', '\\\\').replace('"', '\\"')
        elif name in BYTES:
            yield name, ':'.join(value[at:at + 2] for at in range(0, len(value), 2))
        elif name != 'ext.stack_key.padding':
            yield name, str(value)


def main():
    compare = load('compare', os.path.join(os.path.dirname(os.path.abspath(__file__)), '../oracle/compare.py'))
    oracle = load('oracle', sys.argv[1])
    with open(sys.argv[2], 'rb') as trace:
        data = trace.read()
    present = collections.Counter()
    equal = collections.defaultdict(collections.Counter)
    for event in oracle.walk(data):
        if event['kind'] == 'event':
            pairs = {pair for item in event.get('ext', ()) for pair in item_pairs(compare, item)}
            present.update({name for name, _ in pairs})
            for name, literal in pairs:
                equal[name][literal] += 1
    for name, count in sorted(present.items()):
        if name not in compare.OPTIONAL: # the reader does not tell 0 from nothing
            print('etl.' + name, count, sep='\t')
        limit = None if name.endswith('.type') else VALUES_PER_FIELD
        for literal in sorted(filter(None, equal[name]))[:limit]:
            # One byte would be taken for a number, and a field of a bit is one.
            if name not in BYTES or ':' in literal:
                print('etl.%s == %s' % (name, literal), equal[name][literal], sep='\t')


if __name__ == '__main__':
    sys.dont_write_bytecode = True
    main()
