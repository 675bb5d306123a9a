#!/usr/bin/env python3
"""Reads what `tshark -T json -J etl` prints and prints a line for each frame, so that whole traces can be compared
   (same_frames.py):

    trace id, hash of the etl layer, the same without where the event is in its file, offset in its buffer, "part" if
    it has some of a packet that is in several events

   Where frames come to stand and what is named on the command line are left out: these are another file's when a
   subset was saved. So is what stands behind a field's name because its provider gives that name to values of several
   kinds (plugin/FORMAT.md, 2.5): the first kind that a file has needs nothing behind it.

   Only the etl layer counts: which others a frame has depends on the frames before it, as with packets of one TCP
   connection. The second hash is "-" for events that another trace has others of: the logfile header, which counts buffers, and
   messages without a time, which have that of whatever is before them.

    frame_table.py [NAME OF A FIELD, WITHOUT "etl."...]
"""
import hashlib
import re
import sys

CHUNK = 1 << 22
BETWEEN = b'\n  },\n  {\n'
KINDS = re.compile(rb'_(?:number|number64|signed|signed64|flag|float|double|time|guid|v4|v6|bytes|struct|text)":')
PLACE = re.compile(rb'\n *"etl\.(?:buffer\.[a-z_.]*|offset|out_of_order|trace_id)":[^\n]*')
OTHERS = re.compile(rb'\n        "[^"\n]*": \{\n          "filtered": "[^"\n]*"\n        \}')
TRACE = re.compile(rb'"etl\.trace_id": "([^"]*)"')
OFFSET = re.compile(rb'"etl\.buffer\.offset": "([^"]*)"')
LAST_PLACE = b'"etl.trace_id":'
HEADER = re.compile(rb'"etl\.hookid": "0x0000"')
FLAGS = re.compile(rb'"etl\.message\.flags": "([^"]*)"')
PART = re.compile(rb'"etl\.(?:packet\.part\.count|note\.packet_part|note\.packet_no_start)"')
HAS_TIME = 8


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


def value(expression, text):
    found = expression.search(text)
    return found.group(1).decode() if found else ''


def hashes(layers):
    """of the whole, and of all but the place; which stands at the beginning, so that what follows is hashed once"""
    end = layers.find(b'\n', layers.find(LAST_PLACE) + 1)
    start, rest = layers[:end], hashlib.sha1(layers[end:]).digest()
    return hashlib.sha1(start + rest).hexdigest(), hashlib.sha1(PLACE.sub(b'', start) + rest).hexdigest()


def has_own_time(layers):
    flags = value(FLAGS, layers)
    return not HEADER.search(layers) and (not flags or int(flags, 0) & HAS_TIME)


def main():
    names = '|'.join(map(re.escape, sys.argv[1:])).encode()
    links = re.compile(rb'\n *"etl\.(?:' + names + rb')":[^\n]*') if names else None
    for frame in frames(sys.stdin.buffer):
        layers = frame.partition(b'"_source"')[2].replace(b',\n', b'\n') # the last of a list has no comma
        layers = OTHERS.sub(b'', layers)
        if links:
            layers = links.sub(b'', layers)
        layers = KINDS.sub(b'":', layers)
        whole, moved = hashes(layers)
        offset = value(OFFSET, layers)
        print(value(TRACE, layers) or '-', whole, moved if has_own_time(layers) else '-',
              int(offset, 0) if offset else '-', 'part' if PART.search(layers) else '-', sep='\t')


if __name__ == '__main__':
    main()
