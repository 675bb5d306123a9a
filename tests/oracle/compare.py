#!/usr/bin/env python3
"""Compares what the core says of each event of real traces with what an independent reader says.

    compare.py --dump PROGRAM --oracle etl_oracle.py [--index INDEX.csv] FILE...

PROGRAM is oracle_dump (dump.c beside this file, which describes its lines). Every field of every header
that design.md's table marks as the event's own, every value in every extended item, sizes, checksums, the
time to 100 ns and the provider's name by the traits of any of its events have to be equal; a field that only
one side has is a mismatch too, and so is a note that the oracle's values do not ask for. --index gives the number of
events that each file is known to have. The exit status is 1 if anything differs.

Where the two may differ, and why:
  * local_time(): performance logs (.blg) carry local times in their classic events. The core takes them to
    UTC by the time zone of the trace, the oracle leaves them. The field etl.timestamp is compared as it is.
  * pointer_size(): messages whose flags name no pointer size get that of the file in the core, none in the
    oracle.
  * OPTIONAL: of the fields of a schema the oracle leaves out those optional parts that are there and zero.
  * header_size(): of a header of unknown kind the core takes 4 bytes, the oracle 8; the rest is payload.
"""
import argparse
import csv
import hashlib
import importlib.util
import multiprocessing
import os
import re
import subprocess
import sys
import time
import zlib

SHOWN = 5                 # mismatches printed for a file
UNKNOWN_KIND_HEADER = 4   # bytes
WNODE_TRACED_GUID = 0x00020000
WNODE_POSSIBLE = 0x003E0200
KERNEL, CLASSIC, MODERN, MESSAGE = 'kernel', 'classic', 'modern', 'message'
FAMILY = {1: KERNEL, 2: KERNEL, 3: KERNEL, 4: KERNEL, 16: KERNEL, 17: KERNEL, 10: CLASSIC, 20: CLASSIC,
          11: CLASSIC, 21: CLASSIC, 18: MODERN, 19: MODERN}
COLUMNS = ('cpu', 'header type', 'size', 'pointer size', 'header size', 'items', 'payload size', 'checksum',
           'local time', 'out of order', 'FILETIME')


def family(e):
    """None: a header of a kind without a layout"""
    return MESSAGE if 'msgflags' in e else FAMILY.get(e['type'])


def hex_utf16(text):
    return text.encode('utf-16-le').hex()


def systemtime(words):
    return b''.join(w.to_bytes(2, 'little') for w in words).hex()


def logfile_fields(lh):
    """TRACE_LOGFILE_HEADER; its two pointers only say how wide they are"""
    major, minor, sub, subminor = lh['Version'].split('.')
    zone = lh['TimeZone']
    return {
        'buffer_size': lh['BufferSize'], 'major_version': major, 'minor_version': minor, 'sub_version': sub,
        'sub_minor_version': subminor, 'provider_version': lh['ProviderVersion'],
        'number_of_processors': lh['NumberOfProcessors'], 'end_time': lh['EndTime'],
        'timer_resolution': lh['TimerResolution'], 'maximum_file_size': lh['MaximumFileSize'],
        'log_file_mode': lh['LogFileMode'], 'buffers_written': lh['BuffersWritten'],
        'start_buffers': lh['StartBuffers'], 'pointer_size': lh['PointerSize'],
        'events_lost': lh['EventsLost'], 'cpu_speed_in_mhz': lh['CpuSpeedInMHz'],
        'logger_name_pointer': lh['LoggerNamePtr'], 'log_file_name_pointer': lh['LogFileNamePtr'],
        'time_zone.bias': zone['Bias'], 'time_zone.standard_name': hex_utf16(zone['StandardName']),
        'time_zone.standard_date': systemtime(zone['StandardDate']),
        'time_zone.standard_bias': zone['StandardBias'],
        'time_zone.daylight_name': hex_utf16(zone['DaylightName']),
        'time_zone.daylight_date': systemtime(zone['DaylightDate']),
        'time_zone.daylight_bias': zone['DaylightBias'], 'boot_time': lh['BootTime'],
        'perf_freq': lh['PerfFreq'], 'start_time': lh['StartTime'], 'reserved_flags': lh['ReservedFlags'],
        'buffers_lost': lh['BuffersLost'], 'logger_name': hex_utf16(lh['LoggerName']),
        'log_file_name': hex_utf16(lh['LogFileName']),
    }


def times(e, f):
    f['timestamp'] = '?%d' % e['ts'] if e['filetime'] is None else e['filetime']
    f['timestamp.raw'] = e['ts']


def ids(e, f):
    f['tid'] = e['tid']
    f['pid'] = e['pid']


def processor_times(e, f):
    """the last 8 bytes of a classic or modern header under all of their names"""
    f['kernel_time'] = e['ktime']
    f['user_time'] = e['utime']
    f['processor_time'] = e['utime'] << 32 | e['ktime']


def kernel_fields(e):
    f = {'header_version': e['verbits'] << 8 | e['version'], 'header_type': e['type'],
         'header_flags': e['markerflags'], 'size': e['size'], 'hookid': e['hookid'],
         'hookid.type': e['opcode'], 'hookid.group': e['group']}
    times(e, f)
    if e['type'] < 16:
        ids(e, f)
    if e['type'] < 3:
        f['kernel_time'] = e['ktime']
        f['user_time'] = e['utime']
    if 'pmc' in e:
        f['pmc.counter'] = ','.join(map(str, e['pmc']))
    if 'pebs' in e:
        f['pebs_index'] = e['pebs']
    for name, value in logfile_fields(e['logfile']).items() if 'logfile' in e else ():
        f['event_trace.' + name] = value
    return f


def classic_fields(e):
    f = {'size': e['size'], 'header_type': e['type'], 'header_flags': e['markerflags'], 'opcode': e['opcode'],
         'level': e['level'], 'version': e['version']}
    times(e, f)
    ids(e, f)
    processor_times(e, f)
    if 'guid' in e:
        f['provider'] = e['guid']
    flags = e['utime']
    if e['type'] in (10, 20) and flags & WNODE_TRACED_GUID and not flags & ~WNODE_POSSIBLE:
        f['wnode.flags'] = flags
    for name, field in (('instance', 'instance_id'), ('parentinstance', 'parent_instance_id'),
                        ('parentguid', 'parent_guid'), ('reghandle', 'reg_handle'),
                        ('parentreghandle', 'parent_reg_handle')):
        if name in e:
            f[field] = e[name]
    return f


def modern_fields(e):
    f = {'size': e['size'], 'header_type': e['type'], 'header_flags': e['markerflags'], 'flags': e['flags'],
         'property': e['property'], 'provider': e['guid'], 'id': e['id'], 'version': e['version'],
         'channel': e['channel'], 'level': e['level'], 'opcode': e['opcode'], 'task': e['task'],
         'keyword': int(e['keyword'], 16), 'activity_id': e['activity']}
    times(e, f)
    ids(e, f)
    processor_times(e, f)
    return f


def message_fields(e):
    f = {'message.marker': int(e['marker'], 16), 'size': e['size'], 'message.reserved': e['reserved'],
         'header_flags': e['version'], 'message.number': e['msgnum'], 'message.flags': e['msgflags']}
    if e['msgflags'] & 8:
        times(e, f)
    elif e['msgflags'] & 16:
        f['message.reserved_time_stamp'] = (e['ts'] & (1 << 64) - 1).to_bytes(8, 'little').hex()
    if 'tid' in e:
        ids(e, f)
    for name, field in (('seq', 'message.sequence'), ('component', 'message.component_id'),
                        ('guid', 'message.guid'), ('guid', 'provider')):
        if name in e:
            f[field] = e[name]
    return f


def other_fields(e):
    return {'size': e['size'], 'header_type': e['type'], 'header_flags': e['markerflags']}


FIELDS = {KERNEL: kernel_fields, CLASSIC: classic_fields, MODERN: modern_fields, MESSAGE: message_fields,
          None: other_fields}


def items(e, body, start):
    """size:type:reserved:data size:checksum of each item"""
    text = ''
    at = start + 0x50
    for item in e.get('ext', ()):
        size = item['size']
        data_size = int.from_bytes(body[at + 6:at + 8], 'little')
        data = body[at + 8:at + 8 + min(data_size, size - 8)]
        text += '%d:%d:%d:%d:%08x,' % (size, item['type'], item['linkage'], data_size, zlib.crc32(data))
        at += size
    return text


def sid_bytes(text):
    """of S-1-authority-…"""
    revision, authority, *rest = map(int, text.split('-')[1:])
    return bytes((revision, len(rest))) + authority.to_bytes(6, 'big') + \
        b''.join(part.to_bytes(4, 'little') for part in rest)


def bytes_field(name, text):
    """bytes are a field only where there are some"""
    return [(name, text)] if text else []


def traits_fields(traits):
    yield 'traits.size', traits['size']
    yield 'traits.provider_name', traits['name'].encode().hex()
    groups = 0
    for trait in traits.get('traits', ()):
        yield 'traits.trait.size', trait['size']
        yield 'traits.trait.type', trait['type']
        if trait['type'] in (1, 2):
            yield 'traits.' + ('group', 'decode_guid')[trait['type'] - 1], trait['guid']
        else:
            yield from bytes_field('traits.' + ('custom' if trait['type'] > 127 else 'reserved'), trait['hex'])
        groups += trait['type'] == 1
        if trait['type'] == 1 and groups > 1:
            yield 'note', 'SECOND_GROUP'


def schema_fields(schema):
    yield 'ext.schema_tl.size', schema['size']
    yield 'ext.schema_tl.tags', schema.get('tags', 0)
    yield 'ext.schema_tl.event_name', schema['name'].encode().hex()
    for field in schema['fields']:
        prefix = 'ext.schema_tl.field.'
        yield prefix + 'name', field['name'].encode().hex()
        yield prefix + 'in_type', field['in']
        yield prefix + 'count_mode', 1 if 'count' in field else 2 if 'varcount' in field else \
            3 if 'custom' in field else 0
        if 'out' in field:
            yield prefix + ('members' if field['in'] == 24 else 'out_type'), field['out']
        for name, key in (('tags', 'tags'), ('count', 'count'), ('type_info', 'custom')):
            if key in field:
                yield prefix + name, field[key]


OPTIONAL = ['ext.schema_tl.field.' + name for name in ('out_type', 'members', 'tags')]
ONE_VALUE = {7: 'ext.pebs_index', 10: 'ext.event_key', 13: 'ext.process_start_key', 15: 'ext.qpc_delta'}


def item_data_fields(item, data):
    kind = item['type']
    if kind == 1:
        yield 'ext.related_activity_id', item['guid']
        yield 'related_activity_id', item['guid']
    elif kind == 2:
        yield 'ext.sid', sid_bytes(item['sid']).hex()
    elif kind == 3:
        yield 'ext.ts_id', item['session']
    elif kind == 4:
        yield 'ext.instance_info.instance_id', item['instance']
        yield 'ext.instance_info.parent_instance_id', item['parent']
        yield 'ext.instance_info.parent_guid', item['parentguid']
    elif kind in (5, 6):
        yield 'ext.stack.match_id', item['match']
        for address in item['frames']:
            yield 'ext.stack.address', address
    elif kind in ONE_VALUE:
        yield ONE_VALUE[kind], item['values'][0]
    elif kind == 8:
        for counter in item['values']:
            yield 'ext.pmc_counters.counter', counter
    elif kind == 11:
        yield from schema_fields(item['tl'])
    elif kind == 12:
        yield from traits_fields(item['traits'])
    elif kind == 14:
        yield 'ext.control_guid', item['guid']
    elif kind == 16:
        yield 'ext.container_id', data.hex()
    elif kind in (17, 18):
        yield 'ext.stack_key.match_id', item['match']
        yield 'ext.stack_key.key', item['key']
        if kind == 17:
            yield 'ext.stack_key.padding', int.from_bytes(data[12:16], 'little')
    elif kind == 9:
        yield 'ext.psm_key', data.hex()
        yield 'note', 'OPAQUE_ITEM'
    else:
        yield from bytes_field('ext.data', data.hex())
        yield 'note', 'UNKNOWN_ITEM'


def item_fields(e, body, start):
    """every value of the extended items; those of one name in the order of the file"""
    fields = {}
    at = start + 0x50
    for item in e.get('ext', ()):
        size = item['size']
        data_size = int.from_bytes(body[at + 6:at + 8], 'little')
        data = body[at + 8:at + 8 + min(data_size, size - 8)]
        padding = body[at + 8 + len(data):at + size]
        pairs = [('ext.total_size', size), ('ext.type', item['type']), ('ext.linkage', item['linkage'] & 1),
                 ('ext.reserved', item['linkage'] >> 1), ('ext.size', data_size)]
        pairs += [('note', 'ITEM_RESERVED')] if item['linkage'] > 1 else []
        pairs += item_data_fields(item, data)
        pairs += bytes_field('ext.padding', padding.hex())
        for name, value in pairs:
            fields.setdefault(name, []).append(str(value))
        at += size
    return {name: ','.join(values) for name, values in fields.items()}


def hash_of_name(name):
    """the GUID that TraceLogging makes from a provider's name"""
    digest = bytearray(hashlib.sha1(bytes.fromhex('482c2db2c39047c887f81a15bfc130fb') +
                                    name.upper().encode('utf-16-be')).digest()[:16])
    digest[7] = digest[7] & 0x0F | 0x50
    return '%s-%s-%s-%s-%s' % (digest[3::-1].hex(), digest[5:3:-1].hex(), digest[7:5:-1].hex(),
                               digest[8:10].hex(), digest[10:].hex())


MANIFEST_EVENT = 0xFFFE
MANIFEST_CHUNK = re.compile(rb'(.{3}\x5b..)(..)(.*)', re.DOTALL)  # format, version, mark, total; number; XML
MANIFEST_PROVIDER = re.compile(rb'<provider\s+[^>]*?\bname=(["\'])(.*?)\1')


class Names:
    """providers' names by the traits of their events or their manifests, and what the core called events without"""

    def __init__(self):
        self.known = {}
        self.core = {}
        self.manifests = {}

    def event(self, guid, own, core):
        """what the core should call this event; None: that is seen at the end"""
        if not own:
            if guid:
                self.core.setdefault(guid, set()).add(core)
            return None if guid else ''
        if own != self.known.get(guid):
            if guid not in self.known or hash_of_name(own) == guid:
                self.known[guid] = own
        return (own + '\0').encode('utf-16-le').hex()

    def manifest(self, e):
        """takes a piece of the XML in which a provider describes itself"""
        chunk = MANIFEST_CHUNK.match(e['_body'][slice(*e['_data'])]) if e.get('id') == MANIFEST_EVENT else None
        if chunk:
            pieces = self.manifests.setdefault((e['guid'], e.get('pid'), chunk[1]), {})
            pieces.setdefault(int.from_bytes(chunk[2], 'little'), chunk[3])

    def wrong(self):
        for (guid, _, _), pieces in self.manifests.items():
            found = MANIFEST_PROVIDER.search(b''.join(pieces[number] for number in sorted(pieces)))
            if found:
                self.known.setdefault(guid, found[2].decode())
        for guid, names in self.core.items():
            name = self.known.get(guid)
            expected = (name + '\0').encode('utf-16-le').hex() if name else ''
            for core in names - {expected}:
                yield guid, expected, core


class File:
    """one file's comparison: what the trace says of itself, and the counts"""

    def __init__(self, lines):
        self.lines = lines
        self.events = self.fields = self.mismatches = 0
        self.report = []
        self.pointer_size = None
        self.zones = set()
        self.names = Names()

    def mismatch(self, where, what, oracle, core):
        self.mismatches += 1
        if len(self.report) < SHOWN:
            self.report.append('  buffer %d offset %d: %s: oracle %s, core %s' % (*where, what, oracle, core))

    def logfile(self, lh):
        self.pointer_size = lh.get('PointerSize')
        zone = lh.get('TimeZone')
        if zone:
            self.zones = {zone['Bias'] + zone['StandardBias'], zone['Bias'] + zone['DaylightBias']}

    def local_time(self, oracle, core):
        """what FILETIME the core should give for a local one: minutes of either half of the year"""
        return core if any(oracle + zone * 600000000 == core for zone in self.zones) else oracle

    def columns(self, e, core):
        """the columns that the core's line should have; `core` are those that it has"""
        start, end = e['_data'][1] - e['size'], e['_data'][1]
        body = e['_body']
        unknown = family(e) is None
        header_size = UNKNOWN_KIND_HEADER if unknown else e['hdrsize'] - sum(i['size'] for i in e.get('ext', ()))
        payload_size = e['size'] - header_size if unknown else e['datasize']
        filetime = e.get('filetime')
        if core[8] == '1' and filetime is not None and core[10]:
            filetime = self.local_time(filetime, int(core[10]))
        if 'msgflags' in e and not e['msgflags'] & 8:
            filetime = None
        return [str(e['cpu']), str(e['type']), str(e['size']), str(e['ptr'] or self.pointer_size),
                str(header_size), items(e, body, start), str(payload_size), str(zlib.crc32(body[start:end])),
                core[8], core[9],
                '' if filetime is None else str(filetime)]

    def event(self, e):
        if 'logfile' in e:
            self.logfile(e['logfile'])
        where = (e['buffer'], e['off'])
        line = self.lines.pop('%d\t%d' % where, None)
        if line is None:
            self.mismatch(where, 'event', 'has it', 'does not')
            return
        self.events += 1
        values = line.split('\t')
        core = values[:len(COLUMNS)]
        fields = {}
        for pair in values[len(COLUMNS):]:
            name, value = pair.split('=', 1)
            name = name[4:]
            fields[name] = fields[name] + ',' + value if name in fields else value
        oracle = self.columns(e, core)
        expected = FIELDS[family(e)](e)
        expected.update(item_fields(e, e['_body'], e['_data'][1] - e['size']))
        self.leave_out_zeros(fields)
        self.provider_name(e, expected, fields)
        self.names.manifest(e)
        self.compare(where, dict(zip(COLUMNS, oracle)), dict(zip(COLUMNS, core)))
        self.compare(where, {name: str(value) for name, value in expected.items()}, fields)

    @staticmethod
    def leave_out_zeros(fields):
        for name in OPTIONAL:
            if name in fields:
                fields[name] = ','.join(v for v in fields[name].split(',') if v != '0')
                if not fields[name]:
                    del fields[name]

    def provider_name(self, e, expected, fields):
        traits = [item['traits'] for item in e.get('ext', ()) if item['type'] == 12]
        own = traits[0].get('name') if traits else None
        guid = e.get('guid') if family(e) != KERNEL else None
        core = fields.pop('provider.name', '')
        name = self.names.event(guid, own, core)
        if name is not None:
            expected['provider.name'], fields['provider.name'] = name, core

    def compare(self, where, oracle, core):
        self.fields += len(oracle)
        if oracle == core:
            return
        for name in sorted(oracle.keys() | core.keys()):
            if oracle.get(name) != core.get(name):
                self.mismatch(where, name, oracle.get(name, 'has none'), core.get(name, 'has none'))


def read_dump(program, path):
    """the core's lines by place, and what is wrong with their order"""
    done = subprocess.run([program, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    lines, wrong, last = {}, [], None
    for line in done.stdout.decode().splitlines():
        buffer, offset, rest = line.split('\t', 2)
        place = (int(buffer), int(offset))
        if lines.setdefault('%d\t%d' % place, rest) is not rest:
            wrong.append((place, 'once', 'twice'))
        columns = rest.split('\t', 11)
        if columns[10]:
            now = int(columns[10])
            if last is not None and now < last and columns[9] == '0':
                wrong.append((place, 'by time', 'earlier than the event before it, not flagged'))
            last = now
    return lines, wrong, done


def compare_file(job):
    program, oracle_path, path, known = job
    began = time.monotonic()
    spec = importlib.util.spec_from_file_location('oracle', oracle_path)
    oracle = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(oracle)
    lines, wrong, done = read_dump(program, path)
    result = File(lines)
    with open(path, 'rb') as trace:
        data = trace.read()
    for record in oracle.walk(data):
        if record['kind'] == 'event':
            result.event(record)
    for guid, oracle_name, core_name in result.names.wrong():
        result.mismatch((0, 0), 'provider.name of ' + guid, oracle_name, core_name)
    for place in lines:
        result.mismatch(tuple(map(int, place.split('\t'))), 'event', 'does not have it', 'has it')
    for where, oracle_says, core_says in wrong:
        result.mismatch(where, 'order', oracle_says, core_says)
    if known is not None and result.events != known:
        result.mismatch((0, 0), 'events', known, result.events)
    if done.returncode != 0:
        result.mismatch((0, 0), 'oracle_dump', 'exit 0', done.stderr.decode().strip()[:2000])
    return path, result.events, result.fields, result.mismatches, result.report, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--dump', required=True)
    parser.add_argument('--oracle', required=True)
    parser.add_argument('--index')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('files', nargs='+')
    args = parser.parse_args()
    known = {}
    if args.index:
        with open(args.index, newline='') as index:
            known = {row['name']: int(row['events']) for row in csv.DictReader(index)}
    jobs = [(args.dump, args.oracle, path, known.get(os.path.basename(path)))
            for path in sorted(args.files, key=os.path.getsize, reverse=True)]
    totals = [0, 0, 0]
    with multiprocessing.Pool(args.jobs) as pool:
        for path, events, fields, mismatches, report, seconds in pool.imap_unordered(compare_file, jobs):
            print('%-46s %8d events %10d fields %6d mismatches %6.1f s' %
                  (os.path.basename(path), events, fields, mismatches, seconds))
            for line in report:
                print(line)
            totals = [a + b for a, b in zip(totals, (events, fields, mismatches))]
    print('result: %d files: %d events compared, %d fields compared, %d mismatches' % (len(jobs), *totals))
    return 1 if totals[2] else 0


if __name__ == '__main__':
    sys.exit(main())
