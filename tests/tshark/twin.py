#!/usr/bin/env python3
"""Makes another trace that has every id of a trace, for other things: to merge the two and see that nothing mixes.

    twin.py TRACE OUT

   The logfile header starts a little later, so it is another trace by its id, and its frames come between those of
   the first. Names of programs and libraries end in other letters: whoever takes one from the wrong trace is seen.
"""
import struct
import sys

HEADER = 0x48
START_TIME = {1: (0x20, 0x100), 2: (0x20, 0x108)} # SYSTEM32, SYSTEM64: event header, offset in the payload
ENDINGS = ('.exe', '.dll', '.sys')


def main():
    with open(sys.argv[1], 'rb') as trace:
        data = bytearray(trace.read())
    header, offset = START_TIME[data[HEADER + 2]]
    at = HEADER + header + offset
    start, = struct.unpack_from('<q', data, at)
    struct.pack_into('<q', data, at, start + 12345)
    first = struct.unpack_from('<I', data)[0]
    for ending in ENDINGS:
        for encoding in ('ascii', 'utf-16-le'):
            for spelling in (ending, ending.upper()):
                data = data.replace(spelling.encode(encoding), spelling.replace(spelling[-1], 'q').encode(encoding))
    assert first == struct.unpack_from('<I', data)[0]
    with open(sys.argv[2], 'wb') as out:
        out.write(data)


if __name__ == '__main__':
    main()
