#!/usr/bin/env python3
"""Prints how many events of each trace the independent reader finds for the filters that tests use:
   file <tab> filter <tab> count

    oracle_counts.py etl_oracle.py FILE...
"""
import collections
import importlib.util
import os
import sys

THREAD_CLASS = '3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c'


def filters(event):
    """the filters that this event matches"""
    classic_thread = event['type'] in (10, 11, 20, 21) and event.get('guid') == THREAD_CLASS
    flags = event.get('flags', 0) if event['type'] in (18, 19) else 0
    return {
        'etl.hookid == 0x0524': event.get('hookid') == 0x0524 or classic_thread and event['opcode'] == 0x24,
        'etl.hookid.group == 5': event.get('group') == 5 or classic_thread,
        'etl.flags.extended_info == 1': flags & 1,
        'etl.flags.string_only == 1': flags & 4,
        'etl.header_type == 0x0f': event['type'] == 15,
        'etl.tid == 0': event.get('tid') == 0,
        'etl.cpu == 1': event['cpu'] == 1,
    }


def main():
    spec = importlib.util.spec_from_file_location('oracle', sys.argv[1])
    oracle = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(oracle)
    for path in sys.argv[2:]:
        with open(path, 'rb') as trace:
            data = trace.read()
        counts = collections.Counter()
        for event in oracle.walk(data):
            if event['kind'] == 'event':
                counts.update({name: bool(hit) for name, hit in filters(event).items()})
        for name, count in counts.items():
            print(os.path.basename(path), name, count, sep='\t')


if __name__ == '__main__':
    main()
