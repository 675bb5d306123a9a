#!/usr/bin/env python3
"""Compares Wireshark's tables of conversations and endpoints with sums over fields.

    conversations.py FIELDS TABLES

FIELDS is what tshark -T fields says, a line for each frame: source, destination, ports of both, protocol, bytes.
TABLES is the output of -z conv,etl -z endpoints,etl. Tables for people round: "67 kB" is 67,000 to
67,999 bytes. They have no ports for this protocol, so rows of the same two addresses are told apart by their sums.
Prints how many rows there are; the exit status is 1 if anything differs.
"""
import collections
import re
import sys

UNITS = {'bytes': 1, 'B': 1, 'kB': 10**3, 'MB': 10**6, 'GB': 10**9}


NUMBERS = re.compile(r'([\d,]+)\s+([\d,]+)(?:\s+(bytes|kB|MB|GB|B))?(?=\s)')


def sums(path):
    """{(address, port, address, port, protocol): [frames there, bytes there, frames back, bytes back]}, and
    {(address, port): [frames sent, bytes sent, frames received, bytes received]}"""
    conversations = {}
    endpoints = collections.defaultdict(lambda: [0] * 4)
    for line in open(path):
        source, destination, source_port, destination_port, protocol, size = line.rstrip('\n').split('\t')
        there = (source, source_port, destination, destination_port, protocol)
        back = (destination, destination_port, source, source_port, protocol)
        row = conversations.setdefault(back if back in conversations else there, [0] * 4)
        at = 2 if back in conversations and back != there else 0
        row[at] += 1
        row[at + 1] += int(size)
        for end, at in (((source, source_port), 0), ((destination, destination_port), 2)):
            endpoints[end][at] += 1
            endpoints[end][at + 1] += int(size)
    return conversations, endpoints


def tables(path):
    """[(address, address, back, there, total)] and [(address, total, sent, received)]; of each of these last ones
    (frames, bytes, unit)"""
    conversations, endpoints = [], []
    for line in open(path):
        words = line.split()
        ends = re.match(r'\S+(\s+<->\s+\S+)?', line)
        numbers = NUMBERS.findall(line[ends.end():]) if ends else []
        if '<->' in line:
            conversations.append((words[0], words[2]) + tuple(numbers[:3]))
        elif len(numbers) >= 3 and '|' not in line:
            endpoints.append((words[0],) + tuple(numbers[:3]))
    return conversations, endpoints


def agrees(frames, size, shown):
    unit = UNITS[shown[2] or 'bytes']
    return frames == int(shown[0].replace(',', '')) and size // unit == int(shown[1].replace(',', ''))


def all_agree(values, total, one, other):
    return agrees(*values[:2], one) and agrees(*values[2:], other) and \
        agrees(values[0] + values[2], values[1] + values[3], total)


def is_conversation(key, values, row):
    back, there, total = row[2:]
    if (key[0], key[2]) == row[:2] and all_agree(values, total, there, back):
        return True
    return (key[2], key[0]) == row[:2] and all_agree(values, total, back, there)


def is_endpoint(key, values, row):
    total, sent, received = row[1:]
    return key[0] == row[0] and all_agree(values, total, sent, received)


def differences(what, wanted, rows, is_row):
    """rows that are no sum, and sums that are no row"""
    bad = 0
    for key, values in wanted.items():
        found = next((row for row in rows if is_row(key, values, row)), None)
        if found is None:
            print('no %s %s of %s' % (what, key, values))
            bad += 1
        else:
            rows.remove(found)
    for row in rows:
        print('one %s that no field tells of: %s' % (what, row))
    return bad + len(rows)


def main():
    conversations, endpoints = sums(sys.argv[1])
    shown_conversations, shown_endpoints = tables(sys.argv[2])
    bad = differences('conversation', conversations, shown_conversations, is_conversation) + \
        differences('endpoint', endpoints, shown_endpoints, is_endpoint)
    print('result: %d conversations, %d endpoints, %d bytes'
          % (len(conversations), len(endpoints), sum(v[1] + v[3] for v in conversations.values())))
    sys.exit(1 if bad or not conversations else 0)


if __name__ == '__main__':
    main()
