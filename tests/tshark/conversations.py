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


def sums(path):
    """{(address, port, address, port, protocol): [frames there, bytes there, frames back, bytes back]}, and
    {address: [frames sent, bytes sent, frames received, bytes received]}"""
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
        endpoints[source][0] += 1
        endpoints[source][1] += int(size)
        endpoints[destination][2] += 1
        endpoints[destination][3] += int(size)
    return conversations, endpoints


def conversations_of(path):
    """[(address, address, frames back, (bytes back, unit), frames there, (bytes there, unit))]"""
    rows = []
    row = re.compile(r'(\S+)\s+<->\s+(\S+)\s+(.*)')
    number = re.compile(r'([\d,]+)\s+([\d,]+)(?:\s+(bytes|kB|MB|GB|B))?(?=\s)')
    for line in open(path):
        found = row.match(line)
        if found:
            back, there, total = number.findall(found.group(3))[:3]
            rows.append((found.group(1), found.group(2), back, there, total))
    return rows


def agrees(frames, size, shown):
    unit = UNITS[shown[2] or 'bytes']
    return frames == int(shown[0].replace(',', '')) and size // unit == int(shown[1].replace(',', ''))


def is_row(key, wanted, row):
    if (key[0], key[2]) == (row[0], row[1]):
        there, back = wanted[:2], wanted[2:]
    elif (key[2], key[0]) == (row[0], row[1]):
        back, there = wanted[:2], wanted[2:]
    else:
        return False
    return agrees(*back, row[2]) and agrees(*there, row[3]) and \
        agrees(wanted[0] + wanted[2], wanted[1] + wanted[3], row[4])


def main():
    wanted, wanted_ends = sums(sys.argv[1])
    rows = conversations_of(sys.argv[2])
    bad = 0
    for key, values in wanted.items():
        found = next((row for row in rows if is_row(key, values, row)), None)
        if found is None:
            print('no conversation %s of %s' % (key, values))
            bad += 1
        else:
            rows.remove(found)
    for row in rows:
        print('a conversation that no field tells of: %s' % (row,))
    ends = collections.defaultdict(lambda: [0] * 4)
    for line in open(sys.argv[2]):
        words = line.replace(',', '').split()
        if len(words) >= 7 and words[1].isdigit():
            # address, packets, bytes, sent, received; newer versions write a port after the address
            numbers = list(map(int, words[-6:]))
            for i in range(4):
                ends[words[0]][i] += numbers[2 + i]
    for address in sorted(set(ends) | set(wanted_ends)):
        if ends.get(address) != wanted_ends.get(address):
            print('endpoint %s: table %s, fields %s' % (address, ends.get(address), wanted_ends.get(address)))
            bad += 1
    print('result: %d conversations, %d endpoints, %d bytes'
          % (len(wanted), len(wanted_ends), sum(v[1] + v[3] for v in wanted.values())))
    sys.exit(1 if bad or rows or not wanted else 0)


if __name__ == '__main__':
    main()
