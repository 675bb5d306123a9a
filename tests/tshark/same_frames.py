#!/usr/bin/env python3
"""Whether a saved file has the frames of the traces that it was saved from. All are tables of frame_table.c, the file
   may hold several traces, whose frames are told apart by their trace id.

    same_frames.py AFTER [WHICH BEFORE]...

   WHICH says which frames were saved:
    all              every frame
    beginning:WHICH  these, but the file was read only in part, and some of its traces begin later
    subset           those whose offset in the buffer has neither bit 3 nor 4, and whatever is part of a packet in
                     several events: these need each other (plugin/FORMAT.md, 2.5)
    range:A-B        frames A to B; those with parts of packets may be others, since A or B may be between two parts
    moved            (for all) every frame as an event of another trace: in any order, elsewhere, with another trace id

   Prints the number of frames compared, or for each trace that differs: its table, the numbers of frames before and
   after, and the numbers of the first frame that differs in the trace and in the saved file.
"""
import sys

TRACE, HASH, MOVED, OFFSET, PART = range(5)
ANYTHING = '-'


def table(path):
    with open(path, encoding='ascii') as lines:
        return [line.rstrip('\n').split('\t') for line in lines]


def selection(which, rows):
    """the numbers of the frames that were saved, from 0"""
    kind, _, rest = which.partition(':')
    if kind == 'subset':
        return [at for at, row in enumerate(rows) if row[PART] == 'part' or not int(row[OFFSET]) & 0x18]
    if kind == 'range':
        first, last = map(int, rest.split('-'))
        return list(range(first - 1, min(last, len(rows))))
    return list(range(len(rows)))


def first_difference(before, after):
    for at, (one, other) in enumerate(zip(before, after)):
        if one not in (other, ANYTHING):
            return at
    return min(len(before), len(after))


def same_events(after, befores):
    """for traces that were saved as traces"""
    have = sorted(row[MOVED] for row in after if row[MOVED] != '-')
    want = sorted(row[MOVED] for _, path in befores for row in table(path) if row[MOVED] != '-')
    if have == want:
        return len(have)
    print('events before: %d, after: %d' % (len(want), len(have)))
    known = set(have)
    for _, path in befores:
        missing = [at for at, row in enumerate(table(path)) if row[MOVED] != '-' and row[MOVED] not in known]
        if missing:
            print('%s: %d are others, the first is frame %d' % (path, len(missing), missing[0] + 1))
    return None


def same_traces(after, befores):
    """the number of frames compared, or None"""
    total = 0
    good = True
    in_part = False
    places = {}
    for at, row in enumerate(after):
        places.setdefault(row[TRACE], []).append(at)
    traces = {}
    for which, path in befores:
        rows = table(path)
        torn = which.startswith('range:')
        chosen = [(at, ANYTHING if torn and rows[at][PART] == 'part' else rows[at][HASH])
                  for at in selection(which.removeprefix('beginning:'), rows)]
        traces.setdefault(rows[0][TRACE], []).append((path, chosen))
        in_part = which.startswith('beginning:')
    for trace, members in traces.items():
        path = members[0][0]
        want = [entry for member in members for entry in member[1]]
        have = [(at, after[at][HASH]) for at in places.get(trace, ())]
        if len(members) > 1: # made ones with the same logfile header: in any order
            want.sort(key=lambda entry: entry[1])
            have.sort(key=lambda entry: entry[1])
        if in_part:
            shortest = min(len(want), len(have))
            want, have = want[:shortest], have[:shortest]
        total += len(have)
        differs = first_difference([entry[1] for entry in want], [entry[1] for entry in have])
        if len(want) != len(have) or differs < len(want):
            good = False
            print(path, len(want), len(have), want[differs][0] + 1 if differs < len(want) else '-',
                  have[differs][0] + 1 if differs < len(have) else '-')
    if set(places) - set(traces):
        print('frames of other traces:', *(set(places) - set(traces)))
        good = False
    return total if good and total else None


def main():
    rows = table(sys.argv[1])
    befores = list(zip(sys.argv[2::2], sys.argv[3::2]))
    total = same_events(rows, befores) if befores[0][0] == 'moved' else same_traces(rows, befores)
    if total is None:
        sys.exit(1)
    print('compared', total)


if __name__ == '__main__':
    main()
