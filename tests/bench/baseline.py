#!/usr/bin/env python3
"""Writes the file that rates are compared with: a pcapng of frames that no dissector takes, 64 bytes each.

    baseline.py FILE FRAMES

The link type is SLIP: Wireshark has a number for it and no dissector, so a frame is only data.
"""
import struct
import sys

LINKTYPE_SLIP = 8
SIZE = 64


def main():
    count = int(sys.argv[2])
    section = struct.pack('<IIIHHqI', 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
    interface = struct.pack('<IIHHII', 1, 20, LINKTYPE_SLIP, 0, 0, 20)
    data = bytes(range(SIZE))
    with open(sys.argv[1], 'wb') as out:
        out.write(section + interface)
        for i in range(count):
            now = 1700000000000000 + i
            out.write(struct.pack('<IIIIIII', 6, 32 + SIZE, 0, now >> 32, now & 0xFFFFFFFF, SIZE, SIZE))
            out.write(data)
            out.write(struct.pack('<I', 32 + SIZE))


if __name__ == '__main__':
    main()
