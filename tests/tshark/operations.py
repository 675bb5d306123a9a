"""Whether operations are linked both ways and last as long as their frames are apart, and whether the table of
response times has the same sums.

operations.py ONE_PASS TWO_PASSES TABLE: the fields below after one pass and after two; -z etl,srt.
"""
import re
import sys
from collections import defaultdict
from decimal import Decimal

FIELDS = 'frame.number frame.time_epoch etl.start_frame etl.end_frame etl.operation etl.duration'.split()


def read(name):
    with open(name, encoding='utf-8') as file:
        frames = [dict(zip(FIELDS, line.rstrip('\n').split('\t'))) for line in file]
    return {frame['frame.number']: frame for frame in frames}


def check_links(one, two):
    """What one pass says of ends, two say as well; and two say it of beginnings."""
    bad = 0
    for number, frame in one.items():
        again = two[number]
        if any(frame[field] != again[field] for field in FIELDS if field != 'etl.end_frame'):
            print(f'frame {number}: {frame}, after two passes {again}')
            bad += 1
        if frame['etl.start_frame']:
            start = two[frame['etl.start_frame']]
            apart = Decimal(frame['frame.time_epoch']) - Decimal(start['frame.time_epoch'])
            if apart != Decimal(frame['etl.duration']) or start['etl.end_frame'] != number:
                print(f'frame {number}: {frame} but {start}')
                bad += 1
        if again['etl.end_frame'] and one[again['etl.end_frame']]['etl.start_frame'] != number:
            print(f'frame {number} has an end that has another beginning')
            bad += 1
    return bad


def check_table(frames, lines):
    sums = defaultdict(lambda: [0, Decimal(0)])
    for frame in frames.values():
        if frame['etl.operation']:
            sums[frame['etl.operation']][0] += 1
            sums[frame['etl.operation']][1] += Decimal(frame['etl.duration'])
    shown = {}
    for line in lines:
        match = re.match(r' *\d+  (.*?) +(\d+) +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)$', line.rstrip())
        if match:
            shown[match[1]] = [int(match[2]), Decimal(match[3])]
    bad = 0
    for name in sorted(set(sums) | set(shown)):
        calls, total = shown.get(name, [0, Decimal(0)])
        wanted_calls, wanted = sums.get(name, [0, Decimal(0)])
        if calls != wanted_calls or abs(total - wanted) > Decimal('0.000001'):
            print(f'{name}: {calls} calls, {total} s; fields: {wanted_calls}, {wanted}')
            bad += 1
    return bad, len(shown)


def main():
    one, two = read(sys.argv[1]), read(sys.argv[2])
    with open(sys.argv[3], encoding='utf-8') as file:
        bad, kinds = check_table(one, file)
    bad += check_links(one, two)
    ends = sum(frame['etl.duration'] != '' for frame in one.values())
    print(f'result: {ends} durations, {kinds} kinds')
    return bad > 0 or ends == 0


if __name__ == '__main__':
    if sys.argv[1:] == ['fields']:
        print('\n'.join(FIELDS))
    else:
        sys.exit(main())
