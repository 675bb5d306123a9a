#!/usr/bin/env python3
"""Damages traces in every way and counts what still comes out, against an independent reader.

    damage.py --program build/release/tests/damage/damage --oracle etl_oracle.py [--positions N] [--seed N]
              [--largest BYTES] FILE...

For each file: cut at every 1/64 of the length and at every byte of the first and last 256, and one byte changed
at N seeded positions, from byte 0 on. Every whole event of the buffers that are not touched has to be
delivered; a crash, a report of a sanitizer and more than 5 s fail too. Files that the independent reader cannot
read to the end, and those over --largest, are left out.
"""
import argparse
import importlib.util
import os
import subprocess
import sys
import time


def load(path):
    spec = importlib.util.spec_from_file_location('etl_oracle', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def list_of(oracle, data):
    """the lines that damage.c reads; None where the trace is not whole"""
    lines = []
    for row in oracle.walk(data):
        if row['kind'] == 'buffer':
            lines.append('b %d %d %d' % (row['pos'], row['BufferSize'], 'compression' in row))
        elif row['kind'] == 'event':
            lines.append('e %d %d' % (row['off'], row['size']))
    return '\n'.join(lines) + '\n' if len(lines) > 1 else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', required=True)
    parser.add_argument('--oracle', required=True)
    parser.add_argument('--positions', type=int, default=2000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--largest', type=int, default=2 << 20)
    parser.add_argument('files', nargs='+')
    options = parser.parse_args()
    oracle = load(options.oracle)
    files = bad = 0
    totals = dict.fromkeys(('runs', 'expected', 'missing', 'delivered'), 0)
    slowest = 0.0
    for path in options.files:
        if os.path.getsize(path) > options.largest:
            continue
        with open(path, 'rb') as file:
            lines = list_of(oracle, file.read())
        if lines is None:
            continue
        files += 1
        began = time.time()
        done = subprocess.run([options.program, path, str(options.positions), str(options.seed)], input=lines,
                              capture_output=True, text=True)
        words = done.stdout.split('\n')[-2].split() if done.stdout.count('\n') else []
        if done.returncode not in (0, 1) or len(words) != 10:
            print('%s: exit status %d\n%s' % (path, done.returncode, (done.stdout + done.stderr)[:3000]))
            bad += 1
            continue
        numbers = dict(zip(words[::2], words[1::2]))
        for name in totals:
            totals[name] += int(numbers[name])
        slowest = max(slowest, float(numbers['slowest']))
        bad += done.returncode
        if done.returncode or sys.stdout.isatty():
            print('%s: %s (%.1f s)' % (os.path.basename(path), done.stdout.strip(), time.time() - began), flush=True)
    print('result: %d files, %d times damaged; events that had to come: %d, missing: %d; slowest %.3f s' %
          (files, totals['runs'], totals['expected'], totals['missing'], slowest))
    return 1 if bad or not files else 0


if __name__ == '__main__':
    sys.exit(main())
