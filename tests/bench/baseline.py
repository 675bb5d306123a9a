#!/usr/bin/env python3
"""Writes the file that rates are compared with: a pcapng of Ethernet frames, 64 bytes each, whose EtherType is
the one for local experiments, so that what follows it is data that nothing dissects.

    baseline.py FILE FRAMES [--bare]

--bare: link type SLIP, which Wireshark has a number for and no dissector at all. That is what Wireshark costs alone.
"""
import struct
import sys

LINKTYPE_ETHERNET = 1
LINKTYPE_SLIP = 8
ADDRESSES = bytes.fromhex('020000000001' '020000000002')
EXPERIMENTAL_ETHERTYPE = bytes.fromhex('88b5')
SIZE = 64


def main():
    count = int(sys.argv[2])
    bare = '--bare' in sys.argv
    link_type = LINKTYPE_SLIP if bare else LINKTYPE_ETHERNET
    section = struct.pack('<IIIHHqI', 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
    interface = struct.pack('<IIHHII', 1, 20, link_type, 0, 0, 20)
    data = (b'' if bare else ADDRESSES + EXPERIMENTAL_ETHERTYPE) + bytes(range(SIZE))
    data = data[:SIZE]
    with open(sys.argv[1], 'wb') as out:
        out.write(section + interface)
        for i in range(count):
            now = 1700000000000000 + i
            out.write(struct.pack('<IIIIIII', 6, 32 + SIZE, 0, now >> 32, now & 0xFFFFFFFF, SIZE, SIZE))
            out.write(data)
            out.write(struct.pack('<I', 32 + SIZE))


if __name__ == '__main__':
    main()
