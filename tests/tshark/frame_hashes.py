#!/usr/bin/env python3
"""Reads what `tshark -T json -J etl` prints and prints one hash per frame, so that whole traces can be compared.
   Where frames come to stand and what is named on the command line are left out: these are another file's when a
   subset was saved. So is what stands behind a field's name because its provider gives that name to values of several
   kinds (plugin/FORMAT.md, 2.5): the first kind that a file has needs nothing behind it.

    frame_hashes.py [REGULAR EXPRESSION OF A FIELD'S NAME...]
"""
import hashlib
import re
import sys

CHUNK = 1 << 22
BETWEEN = b'\n  },\n  {\n'


KINDS = re.compile(rb'("etl\.[a-z0-9_.]+?)_(?:number|number64|signed|signed64|flag|float|double|time|guid|v4|v6|bytes|struct|text)":')


def frames(stream):
    """the text of each frame"""
    rest = b''
    while True:
        chunk = stream.read(CHUNK)
        if not chunk:
            break
        *whole, rest = (rest + chunk).split(BETWEEN)
        yield from whole
    if b'"_source"' in rest:
        yield rest.removesuffix(b'\n').removesuffix(b']').rstrip().removesuffix(b'}').rstrip()


def main():
    names = '|'.join(sys.argv[1:]).encode()
    links = re.compile(rb'\n *"(?:' + names + rb')":[^\n]*') if names else None
    for frame in frames(sys.stdin.buffer):
        layers = frame.partition(b'"_source"')[2]
        if links:
            layers = links.sub(b'', layers).replace(b',\n', b'\n') # the last of a list has no comma
        layers = KINDS.sub(rb'\1":', layers)
        print(hashlib.md5(layers).hexdigest())


if __name__ == '__main__':
    main()
