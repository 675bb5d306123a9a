#!/usr/bin/env python3
"""Compares what the core decodes of described events of real traces with two other decoders, value by value.

    schema_compare.py --dump PROGRAM --oracle etl_oracle.py FILE...

PROGRAM is schema_dump (schema_dump.c beside this file, which describes its lines). TraceLogging events are
compared with the oracle's own values; events with an embedded description with the decoder below, which reads
TRACE_EVENT_INFO anew from the file's KernelTraceControl events. Counts of events, values and mismatches are
printed by file and source; the exit status is 1 if anything differs.

Where the two may differ, and why:
  * texts in an unknown code page: only their ASCII is compared.
  * a payload that ends before a field: what is there is compared.
"""
import argparse
import importlib.util
import socket
import struct
import subprocess
import sys
import uuid

SHOWN = 4
METADATA = 'bbccf6c1-6cd1-48c4-80ff-839482e37671'
CLR_RUNTIME, CLR_STACK_WALK = 'e13c0d23-ccbc-4e12-931b-d9cc2eee27e4', 82
NUMBERS = {3: 'b', 4: 'B', 5: 'h', 6: 'H', 7: 'i', 8: 'I', 9: 'q', 10: 'Q', 11: 'f', 12: 'd', 13: 'I', 17: 'q',
           20: 'I', 21: 'Q'}
TDH = {1: 'string', 3: 'signed', 4: 'unsigned', 5: 'signed', 6: 'unsigned', 7: 'signed', 8: 'unsigned',
       9: 'signed', 10: 'unsigned', 13: 'bool', 22: 'port', 23: 'ipv4', 24: 'ipv6', 25: 'sockaddr', 16: 'hex',
       17: 'hex', 18: 'hex', 19: 'hex', 29: 'hex', 30: 'hex', 31: 'hex', 32: 'hex'}
TRACELOGGING = {2: 'string', 3: 'bool', 4: 'hex', 7: 'port', 8: 'ipv4', 9: 'ipv6', 10: 'sockaddr', 13: 'hex',
                14: 'hex', 15: 'hex', 17: 'signed', 18: 'unsigned'}


def text(value):
    return value.encode('utf-8', 'replace').hex()


def number(in_type, out, raw):
    """a value of fixed width as the core shows it"""
    value, = struct.unpack('<' + NUMBERS[in_type], raw)
    if in_type in (11, 12):
        return raw.hex()
    if in_type == 13 or (out == 'bool' and len(raw) in (1, 4)):
        return str(int(value != 0))
    if out == 'string' and len(raw) == 1:
        return text(raw.rstrip(b'\0').decode('latin1'))
    if out == 'string' and len(raw) == 2:
        return text(raw.decode('utf-16-le', 'replace').rstrip('\0'))
    if out == 'port' and len(raw) == 2:
        return str(int.from_bytes(raw, 'big'))
    if out == 'ipv4' and len(raw) == 4:
        return raw.hex()
    if out in ('hex', 'unsigned'):
        return str(int.from_bytes(raw, 'little'))
    if out == 'signed':
        return str(int.from_bytes(raw, 'little', signed=True))
    return str(value)


def socket_address(raw):
    family = int.from_bytes(raw[:2], 'little')
    port = int.from_bytes(raw[2:4], 'big')
    if family == 2 and len(raw) >= 8:
        return text('%s:%d' % (socket.inet_ntop(socket.AF_INET, raw[4:8]), port))
    if family == 23 and len(raw) >= 24:
        return text('[%s]:%d' % (socket.inet_ntop(socket.AF_INET6, raw[8:24]), port))
    return text(raw[:16].hex() + ('…' if len(raw) > 16 else ''))


class Short(Exception):
    pass


class Payload:
    def __init__(self, data, pointer):
        self.data, self.at, self.pointer = data, 0, pointer

    def take(self, size):
        if size > len(self.data) - self.at:
            raise Short()
        self.at += size
        return self.data[self.at - size:self.at]

    def to_nul(self, unit):
        at = self.at
        if at == len(self.data):
            raise Short()
        while at + unit <= len(self.data) and self.data[at:at + unit] != bytes(unit):
            at += unit
        value = self.data[self.at:at]
        self.at = at + unit if at + unit <= len(self.data) else len(self.data)
        return value


class Described:
    """a TRACE_EVENT_INFO"""

    def __init__(self, info):
        self.info = info
        count, self.top = struct.unpack_from('<II', info, 0x64)
        self.provider = str(uuid.UUID(bytes_le=info[:16]))
        self.id = struct.unpack_from('<H', info, 0x20)[0]
        self.properties = [self.property(0x70 + 24 * i) for i in range(count)]

    def text(self, at):
        end = at
        while self.info[end:end + 2] not in (b'\0\0', b''):
            end += 2
        return self.info[at:end].decode('utf-16-le', 'replace').rstrip(' ')

    def property(self, at):
        flags, name, a, b, _, count, length, _ = struct.unpack_from('<IIHHIHHI', self.info, at)
        return {'flags': flags, 'name': self.text(name), 'a': a, 'b': b, 'count': count, 'length': length}

    def decode(self, payload, out):
        known = {}
        for i in range(self.top):
            self.one(i, payload, known, out)

    def one(self, i, payload, known, out):
        p = self.properties[i]
        count, array = 1, False
        if p['flags'] & 4:
            count, array = known.get(p['count'], 0), True
        elif p['flags'] & 0x20 or p['count'] > 1:
            count, array = p['count'], True
        in_type = p['a']
        if (self.provider, self.id, p['name']) == (CLR_RUNTIME, CLR_STACK_WALK, 'Stack'):
            in_type, count = 16, known[i - 1]
        kind = TDH.get(p['b'])
        if not p['flags'] & 1 and array and kind == 'string' and in_type in (3, 4, 5, 6):
            unit = 1 if in_type < 5 else 2
            raw = payload.take(count * unit)
            out.append((p['name'], text(raw.decode('latin1' if unit == 1 else 'utf-16-le', 'replace').split('\0')[0])))
            return
        for _ in range(count):
            if p['flags'] & 1:
                out.append((p['name'], '{'))
                for member in range(p['a'], p['a'] + p['b']):
                    self.one(member, payload, known, out)
                out.append(('', '}'))
            else:
                self.value(i, p, in_type, kind, payload, known, out)

    def value(self, i, p, in_type, kind, payload, known, out):
        length = known.get(p['length'], 0) if p['flags'] & 2 else p['length'] or None
        if in_type in (16, 20, 21) or in_type in NUMBERS:
            raw = payload.take(payload.pointer if in_type == 16 else struct.calcsize(NUMBERS[in_type]))
            known[i] = int.from_bytes(raw, 'little')
            value = str(known[i]) if in_type == 16 else number(in_type, kind, raw)
        elif in_type in (1, 2):
            unit = 2 if in_type == 1 else 1
            raw = payload.to_nul(unit) if length is None else payload.take(length * unit)
            value = text(raw.decode('utf-16-le' if unit == 2 else 'latin1', 'replace').split('\0')[0])
        elif in_type in (300, 22):
            value = text(payload.take(int.from_bytes(payload.take(2), 'little')).decode('utf-16-le', 'replace'))
        elif in_type == 14:
            if kind == 'ipv6' and length is None:
                length = 16
            raw = payload.take(len(payload.data) - payload.at if length is None else length)
            if not raw or (kind == 'ipv6' and len(raw) != 16):
                return
            value = socket_address(raw) if kind == 'sockaddr' else raw.hex()
        elif in_type in (15, 18):
            value = payload.take(16).hex()
        elif in_type == 19:
            head = payload.take(8)
            value = (head + payload.take(4 * head[1])).hex()
        else:
            raise Short()
        out.append((p['name'], value))


def tracelogging(fields, at, values, out):
    """Flattens the oracle's nested values along the fields; returns the place after them."""
    for name, value in values:
        field = fields[at]
        at += 1
        array = 'count' in field or 'varcount' in field
        in_type, kind = field['in'], TRACELOGGING.get(field.get('out'))
        if 'custom' in field or in_type == 14:
            leaf(name, 25, None if 'custom' in field else kind, value, out)
        elif in_type == 24:
            after = at
            if array and not value:
                after = skip(fields, at, field.get('out', 0))
            for element in value if array else [value]:
                out.append((name, '{'))
                after = tracelogging(fields, at, element, out)
                out.append(('', '}'))
            at = after
        elif array and kind == 'string' and in_type in (3, 4, 5, 6):
            mask = 0xFF if in_type < 5 else 0xFFFF
            raw = b''.join((n & mask).to_bytes(1 if in_type < 5 else 2, 'little') for n in value)
            decoded = raw.decode('latin1' if in_type < 5 else 'utf-16-le', 'replace')
            out.append((name, text(decoded.split('\0')[0])))
        else:
            for element in value if array else [value]:
                leaf(name, in_type, kind, element, out)
    return at


def skip(fields, at, count):
    while count > 0 and at < len(fields):
        count -= 1
        at = skip(fields, at + 1, fields[at].get('out', 0)) if fields[at]['in'] == 24 else at + 1
    return at


def leaf(name, in_type, kind, value, out):
    if in_type == 0 or value is None:
        return
    if in_type in NUMBERS:
        code = NUMBERS[in_type] if in_type != 13 else 'i'
        raw = struct.pack('<' + code, value if in_type != 17 else value - ((value >> 63) << 64))
        out.append((name, number(in_type, kind, raw)))
    elif in_type == 15:
        out.append((name, uuid.UUID(value).bytes_le.hex()))
    elif in_type == 18:
        out.append((name, struct.pack('<8H', *value).hex()))
    elif in_type == 19:
        parts = [int(p) for p in value.split('-')[2:]]
        raw = bytes([1, len(parts) - 1]) + parts[0].to_bytes(6, 'big')
        out.append((name, (raw + b''.join(p.to_bytes(4, 'little') for p in parts[1:])).hex()))
    elif in_type in (14, 25) or isinstance(value, bytes):
        raw = bytes.fromhex(value)
        if kind == 'sockaddr':
            out.append((name, socket_address(raw)))
        elif raw and (kind != 'ipv6' or len(raw) == 16):
            out.append((name, value))
    elif isinstance(value, int):
        out.append((name, str(value)))
    else:
        out.append((name, text(value.split('\0')[0])))


def same(mine, other):
    if mine == other:
        return True
    if mine[0] != other[0] or len(mine[1]) % 2 or len(other[1]) % 2:
        return False
    try:
        a, b = (bytes.fromhex(v[1]).decode('utf-8', 'replace') for v in (mine, other))
    except ValueError:
        return False
    return [c for c in a if c.isascii()] == [c for c in b if c.isascii()] and not (a.isascii() and b.isascii())


def payload_of(event):
    begin, end = event['_data']
    return bytes(event['_body'][begin:end])


def expected(oracle, path):
    """(buffer, offset) -> source and values"""
    arguments = argparse.Namespace(b=False, n=0, d=False, x=1 << 30, t=True, q=False)
    data = open(path, 'rb').read()
    events, described = [], {}
    for e in oracle.walk(data, arguments):
        if e['kind'] != 'event' or 'guid' not in e:
            continue
        body = payload_of(e)
        if e['guid'] == METADATA and e.get('opcode') == 32 and len(body) >= 0x70:
            d = Described(body)
            described.setdefault((d.provider, d.id, body[0x22], body[0x25]), d)
            described.setdefault((d.provider, d.id, body[0x22]), d)
        elif e.get('type') in (18, 19):
            events.append({k: v for k, v in e.items() if k != '_body'})
            events[-1].update(_body=payload_of(e), _data=(0, len(payload_of(e))))
    result = {}
    for e in events:
        out = []
        schema = next((x['tl'] for x in e.get('ext', []) if x['type'] == 11 and 'tl' in x), None)
        if schema is not None:
            if 'tlvalues' in e and 'error' not in schema:
                tracelogging(schema['fields'], 0, e['tlvalues'], out)
                result[e['buffer'], e['off']] = ('TraceLogging', out)
            continue
        key = (e['guid'], e['id'], e['version'])
        d = described.get(key + (e['opcode'],), described.get(key))
        if d is not None:
            try:
                d.decode(Payload(payload_of(e), e.get('ptr') or 8), out)
            except Short:
                out.append(None)
            result[e['buffer'], e['off']] = ('embedded', out)
    return result


def dumped(program, path):
    for line in subprocess.run([program, path], stdout=subprocess.PIPE, check=True).stdout.split(b'\n'):
        if not line:
            continue
        columns = line.decode().split('\t')
        values = []
        for column in columns[6:]:
            if column == '}':
                values.append(('', '}'))
            elif column.endswith('{'):
                values.append((bytes.fromhex(column[:-1]).decode(), '{'))
            else:
                name, value = column.split('=')
                values.append((bytes.fromhex(name).decode(), value))
        yield (int(columns[0]), int(columns[1])), columns[2], columns[3:6], values


def compare(arguments, oracle, path):
    theirs = expected(oracle, path)
    counts, wrong = {}, 0
    for key, source, (size, covered, notes), values in dumped(arguments.dump, path):
        count = counts.setdefault(source, [0, 0, 0, 0])
        count[0] += 1
        count[1] += len(values)
        count[2] += size != covered or notes != '0'
        other = theirs.pop(key, None)
        short = other is not None and other[1] and other[1][-1] is None
        want = other[1][:-1] if short else other[1] if other else None
        if other is None or other[0] != source or (len(want) != len(values) and not short) or \
                not all(same(a, b) for a, b in zip(values, want)):
            count[3] += 1
            wrong += 1
            if wrong <= SHOWN:
                pairs = [(a, b) for a, b in zip(values, want or []) if not same(a, b)]
                print('  ', key, source, pairs[:2] or (len(values), want and len(want)))
    if theirs:
        print('  ', len(theirs), 'events that the core has no schema for, such as', next(iter(theirs.items())))
        wrong += len(theirs)
    for source, (events, values, undecoded, mismatches) in sorted(counts.items()):
        print('%s: %s: %d events, %d values, %d not decoded to the end, %d mismatches' %
              (path.split('/')[-1], source, events, values, undecoded, mismatches))
    return counts, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--dump', required=True)
    parser.add_argument('--oracle', required=True)
    parser.add_argument('files', nargs='+')
    arguments = parser.parse_args()
    specification = importlib.util.spec_from_file_location('oracle', arguments.oracle)
    oracle = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(oracle)
    total, wrong = {}, 0
    for path in arguments.files:
        counts, mismatches = compare(arguments, oracle, path)
        wrong += mismatches
        for source, count in counts.items():
            total[source] = [a + b for a, b in zip(total.get(source, [0] * 4), count)]
    for source, (events, values, undecoded, mismatches) in sorted(total.items()):
        print('total: %s: %d events, %d values, %d not decoded to the end, %d mismatches' %
              (source, events, values, undecoded, mismatches))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
