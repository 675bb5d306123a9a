#!/usr/bin/env python3
"""Writes damaged copies of captures: mutate.py COUNT SEED FOLDER FILE...

What is changed is where structure is: sizes, offsets, flags and types of buffers and of events, and a few bytes
anywhere; blocks are overwritten, doubled, left out, cut off.
"""
import os
import random
import sys

HEADER = 0x48
BUFFER_FIELDS = ((0x00, 4), (0x04, 4), (0x18, 8), (0x28, 2), (0x2C, 4), (0x30, 4), (0x34, 2), (0x36, 2))
EVENT_FIELDS = ((0, 2), (2, 1), (3, 1), (4, 2), (6, 2), (0x10, 8), (0x50, 2), (0x52, 2), (0x56, 2))
NUMBERS = (0, 1, 7, 8, 0x48, 0x7F, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF)


def places(data):
    """where buffers begin, and their first events"""
    at = 0
    while at + HEADER <= len(data):
        yield at
        size = int.from_bytes(data[at:at + 4], 'little')
        if not HEADER <= size <= 1 << 25:
            return
        at += size


def events(data, buffer):
    at = buffer + HEADER
    for _ in range(40):
        size = int.from_bytes(data[at:at + 2], 'little')
        if data[at + 2:at + 3] in (b'\1', b'\2', b'\x10', b'\x11'):
            size = int.from_bytes(data[at + 4:at + 6], 'little')
        if size < 8 or at + size > len(data):
            return
        yield at
        at += (size + 7) & ~7


def put(data, at, size, number):
    if at + size <= len(data):
        data[at:at + size] = (number & (1 << 8 * size) - 1).to_bytes(size, 'little')


def mutate(data, rng):
    buffers = list(places(data))
    for _ in range(rng.randint(1, 6)):
        buffer = rng.choice(buffers)
        what = rng.randrange(8)
        number = rng.choice(NUMBERS) if rng.random() < 0.7 else rng.getrandbits(64)
        if what == 0:
            offset, size = rng.choice(BUFFER_FIELDS)
            put(data, buffer + offset, size, number)
        elif what in (1, 2, 3):
            found = list(events(data, buffer))
            if found:
                offset, size = rng.choice(EVENT_FIELDS)
                put(data, rng.choice(found) + offset, size, number)
        elif what in (4, 5):
            data[rng.randrange(len(data))] = rng.randrange(256)
        elif what == 6:
            at, size = rng.randrange(len(data)), rng.randint(1, 600)
            data[at:at + size] = bytes([number & 0xFF]) * min(size, len(data) - at)
        elif len(data) > 2000:
            at, size = rng.randrange(len(data) - 1000), rng.randint(1, 1000)
            data[at:at] = data[at:at + size] if number & 1 else b''
            if not number & 1:
                del data[at:at + size]
    return data


def main():
    count, seed, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    files = sys.argv[4:]
    rng = random.Random(seed)
    for number in range(count):
        path = files[number % len(files)]
        with open(path, 'rb') as file:
            data = bytearray(file.read())
        name = '%03d-%s' % (number, os.path.basename(path))
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(mutate(data, rng) if data else data)


main()
