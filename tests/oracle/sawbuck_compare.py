#!/usr/bin/env python3
"""Compares Image and Process events of made-up logs with what their makers put into them.

    sawbuck_compare.py --dump PROGRAM --images IMAGES.csv --processes PROCESSES.csv FILE.etl...

PROGRAM is payload_dump (payload_dump.c beside this file); FILE is called (image|test|process)_data_(32|64)_vN.etl.
Every Image event has to be a row of the one table, the events of a rundown all of its rows in their order; so for the
Process events of rundowns (version 1 has none) and the other. The exit status is 1 if anything differs.

Of test_data_64 the versions 1 and 2 are wrong, as their makers found: ImageSize has 4 bytes there and not 8
(image_data_64 is right). What stands 4 bytes earlier is put back: SHIFTED.
"""
import argparse
import collections
import csv
import os
import re
import subprocess
import sys

IMAGES = ('030a', '1402', '1403')
IMAGE_RUNDOWN = '1403'
PROCESS_RUNDOWNS = ('0303', '0304')
WRONG = 'test_data_64'


def events(program, path, wide):
    output = subprocess.run([program] + ['-8'] * wide + [path], check=True, stdout=subprocess.PIPE).stdout
    for line in output.decode().splitlines():
        words = line.split('\t')
        fields = {}
        for word in words[9:]:
            label, equals, value = word.partition('=')
            if equals:
                fields[bytes.fromhex(label).decode()] = value
        yield words[0], int(words[1]), fields


def text(value):
    return bytes.fromhex(value).decode()


def sid(value):
    raw = bytes.fromhex(value)
    parts = [int.from_bytes(raw[8 + 4 * i:12 + 4 * i], 'little') for i in range(raw[1])]
    return '-'.join(['S', str(raw[0]), str(int.from_bytes(raw[2:8], 'big'))] + list(map(str, parts)))


def image_of(version, fields):
    """(base, size, checksum, time stamp, name); None where the version has no such field"""
    if version == 0:
        return int(fields['BaseAddress']), int(fields['ModuleSize']), None, None, text(fields['ImageFileName'])
    checksum, stamp = fields.get('ImageChecksum'), fields.get('TimeDateStamp')
    return (int(fields['ImageBase']), int(fields['ImageSize']), checksum and int(checksum), stamp and int(stamp),
            text(fields['FileName']))


def shifted(version, fields, image):
    """the 4 bytes that ImageSize took too many are ProcessId; in version 1 all after it is 4 bytes off as well"""
    base, size, checksum, stamp, name = image
    if version == 1:
        name = int(fields['ProcessId']).to_bytes(4, 'little').decode('utf-16-le') + name
    return base, size & 0xFFFFFFFF, checksum, stamp, name


def rows_of_images(path):
    rows = csv.reader(open(path, newline=''))
    next(rows)
    return [tuple(int(v, 16) for v in row[:4]) + (row[4],) for row in rows]


def as_version(row, version):
    return row if version >= 2 else row[:2] + (None, None) + row[4:]


class Counter:
    def __init__(self):
        self.values = collections.Counter()
        self.bad = []

    def compare(self, what, ours, theirs):
        self.values[what] += sum(v is not None for v in theirs)
        if ours != theirs:
            self.bad.append('%s: we say %s, they %s' % (what, ours, theirs))


def compare_images(counter, name, found, rows):
    """found: [(hook, version, fields)]"""
    rundown = 0
    for hook, version, fields in found:
        ours = image_of(version, fields)
        if name.startswith(WRONG) and version > 0:
            ours = shifted(version, fields, ours)
        if hook == IMAGE_RUNDOWN:
            theirs = as_version(rows[rundown], version) if rundown < len(rows) else ()
            rundown += 1
        else:
            theirs = as_version(rows[0], version)
        counter.compare(name, ours, theirs)
    if rundown != len(rows):
        counter.bad.append('%s: %d images in its rundown, not %d' % (name, rundown, len(rows)))


def compare_processes(counter, name, found, rows):
    for rundown in PROCESS_RUNDOWNS:
        ours = [(f['ProcessId'], f['ParentId'], f['SessionId'], sid(f['UserSID']), text(f['ImageFileName']),
                 text(f.get('CommandLine', ''))) for hook, version, f in found if hook == rundown]
        if not ours and found[0][1] == 1:
            continue
        for mine, theirs in zip(ours, rows):
            counter.compare(name, mine, theirs)
        if len(ours) != len(rows):
            counter.bad.append('%s: %d processes in a rundown, not %d' % (name, len(ours), len(rows)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--dump', required=True)
    parser.add_argument('--images', required=True)
    parser.add_argument('--processes', required=True)
    parser.add_argument('files', nargs='+')
    arguments = parser.parse_args()
    images = rows_of_images(arguments.images)
    processes = [tuple(row) for row in csv.reader(open(arguments.processes, newline=''))][1:]
    counter = Counter()
    for path in arguments.files:
        name = re.sub(r'\.etl$', '', os.path.basename(path))
        found = list(events(arguments.dump, path, '_64_' in name))
        if name.startswith('process'):
            compare_processes(counter, name, [e for e in found if e[0] != '0000'], processes)
        else:
            compare_images(counter, name, [e for e in found if e[0] in IMAGES], images)
    for name, count in sorted(counter.values.items()):
        print('%-24s %4d values' % (name, count))
    for sentence in counter.bad[:20]:
        print(sentence)
    print('result: %d values of %d logs, %d differ' % (sum(counter.values.values()), len(arguments.files), len(counter.bad)))
    sys.exit(1 if counter.bad or not counter.values else 0)


if __name__ == '__main__':
    main()
