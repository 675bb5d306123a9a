#!/usr/bin/env python3
"""Makes pcapng files of ETW frames (link type 290) for tests: from nothing, or from a saved trace by changing the
   trailer of each of its frames (plugin/FORMAT.md).

    frames.py etwdump OUT            three frames as others make them of what consumers on Windows get: no trailer
    frames.py CHANGE IN OUT          CHANGE: see below
    frames.py same ONE OTHER         whether two files have the same frames, byte for byte, and their times
"""
import itertools
import struct
import sys
import uuid

LINKTYPE_ETW = 290
SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
FIXED = 96


def padded(data):
    return data + bytes(-len(data) % 4)


# ---- changes: each gets a trailer and returns another

def newer(trailer):
    """of a version that nobody knows yet"""
    return trailer[:3] + b'\x02' + trailer[4:]


def short_head(trailer):
    return trailer[:4] + b'\x08' + trailer[5:]


def long_head(trailer):
    """a head that ends after the frame"""
    return trailer[:4] + b'\xff' + trailer[5:48]


def cut(trailer):
    return trailer[:20]


def overrun(trailer):
    """an item that ends after the frame"""
    return trailer + struct.pack('<HH', 7, 0xFFFF) + b'name'


def rest(trailer):
    """two bytes that are no item"""
    return trailer + b'\x07\x00'


def no_header(trailer):
    """an on-disk header that is none"""
    return trailer + struct.pack('<HH', 1, 4) + b'\0\0\0\0'


def unknown_item(trailer):
    return trailer + struct.pack('<HH', 0x0999, 5) + b'other' + bytes(3)


def longer_head(trailer):
    """the same version, with more at the head's end"""
    return trailer[:4] + bytes((trailer[4] + 4,)) + trailer[5:trailer[4]] + b'more' + trailer[trailer[4]:]


CHANGES = {change.__name__: change for change in (newer, short_head, long_head, cut, overrun, rest, no_header,
                                                  unknown_item, longer_head)}


# ---- pcapng

def block(kind, body):
    size = 12 + len(body)
    return struct.pack('<II', kind, size) + body + struct.pack('<I', size)


def packet(interface, time, frame):
    return block(PACKET, struct.pack('<IIIII', interface, time >> 32, time & 0xFFFFFFFF, len(frame), len(frame)) + padded(frame))


def section():
    return block(SECTION, struct.pack('<IHHq', 0x1A2B3C4D, 1, 0, -1)) + \
        block(INTERFACE, struct.pack('<HHI', LINKTYPE_ETW, 0, 0))


def changed(data, change):
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from('<II', data, at)
        if kind == PACKET:
            interface, high, low, captured, _ = struct.unpack_from('<IIIII', data, at + 8)
            frame = data[at + 28:at + 28 + captured]
            lengths = struct.unpack_from('<III', frame, FIXED - 12)
            trailer = FIXED + sum(length + -length % 4 for length in lengths)
            assert frame[trailer:trailer + 4] == b'ETL\x01', 'no trailer'
            yield packet(interface, high << 32 | low, frame[:trailer] + change(frame[trailer:]))
        else:
            yield data[at:at + size]
        at += size


def frames(path):
    """time and bytes of each"""
    with open(path, 'rb') as saved:
        while head := saved.read(8):
            kind, size = struct.unpack('<II', head)
            body = saved.read(size - 8)
            if kind == PACKET:
                captured, = struct.unpack_from('<I', body, 12)
                yield body[4:12], body[20:20 + captured]


def same(one, other):
    count = 0
    for count, (frame, twin) in enumerate(itertools.zip_longest(frames(one), frames(other)), 1):
        if frame != twin:
            sys.exit('frame %d differs' % count)
    print('frames: %d' % count)


def etw_frame(provider, event_id, flags, opcode, data, message):
    header = struct.pack('<HHHHIIq', 80 + len(data), 0, flags, 0, 504, 500, 133_000_000_000_000_000)
    header += uuid.UUID(provider).bytes_le + struct.pack('<HBBBBHQQ', event_id, 2, 16, 4, opcode, 0, 0, 0) + bytes(16)
    text = message.encode('utf-16-le') + b'\0\0' if message else b''
    name = 'Contoso'.encode('utf-16-le') + b'\0\0'
    return header + struct.pack('<BBHIII', 3, 0, 7, len(data), len(text), len(name)) + padded(data) + padded(text) + padded(name)


def like_etwdump():
    time = 1_700_000_000_000_000
    yield section()
    # A modern event with its message; a context switch, which is a classic event of class Thread; one of 32 bits.
    yield packet(0, time, etw_frame('1c95126e-7eea-49a9-a3fe-a378b03ddb4d', 3006, 0x40, 0, b'', 'DNS query is called'))
    yield packet(0, time + 1, etw_frame('3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c', 0, 0x140, 36, struct.pack('<II', 600, 504) + bytes(16), ''))
    yield packet(0, time + 2, etw_frame('6f1d2b10-0a01-4a5e-9c3b-0000c0ffee09', 7, 0x20, 0, b'\x01\0\0\0', ''))


def main():
    if sys.argv[1] == 'same':
        same(*sys.argv[2:])
        return
    if sys.argv[1] == 'etwdump':
        blocks = like_etwdump()
    else:
        with open(sys.argv[2], 'rb') as saved:
            blocks = changed(saved.read(), CHANGES[sys.argv[1]])
    with open(sys.argv[-1], 'wb') as out:
        out.writelines(blocks)


if __name__ == '__main__':
    main()
