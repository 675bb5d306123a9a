#!/usr/bin/env python3
"""Compares modern events of a real trace, value by value, with what Microsoft's TraceEvent says of them.

    perfview_described.py --dump PROGRAM --baseline BASELINE.txt FILE.etl

PROGRAM is described_dump (described_dump.c beside this file), BASELINE.txt TraceEvent's listing of FILE; see
perfview_compare.py beside this file, which compares the kernel's events and says how TraceEvent's texts are made.
An event is found by its time (to 1 us), CPU and size. What is undone beside what is said there:

  names of values      where TraceEvent's enumerations are spelled as the manifest's, but for blanks, case, order and
                       commas for bars, they are equal; others are listed with their numbers (NAMES, FLAGS below)
  later versions       TraceEvent shows fields that the event's version does not have as empty, 0 or Unknown (LATER)
  drive letters        C:\\ for \\Device\\HarddiskVolume2\\, \\\\ for \\Device\\Mup\\, as the trace's VolumeMapping events say

Values that TraceEvent derives from others are derived from ours in the same way (DERIVED below); those that cannot be
are left out, and counted (LEFT_OUT below, with reasons). Prints for each field how many values were compared; the exit
status is 1 if one differs, if an event is not found, or if fewer than --least values could be compared.
"""
import argparse
import collections
import re
import subprocess
import sys

from perfview_compare import fields_of, same_milliseconds, same_number, same_text, utc

ROW = re.compile(r'EVENT +([\d.,]+): (.*?) PID=(-?\d+); TID=(-?\d+); PName=(.*?); ProceNum=(\d+); DataLen=(\d+); (.*)')
OTHERS = ('Windows Kernel/', 'KernelTraceControl/', 'MSNT_SystemTrace/')


class Event:
    def __init__(self, line):
        words = line.split('\t')
        self.provider, self.id, self.version = words[0], int(words[1]), int(words[2])
        self.filetime, self.cpu = int(words[3]), int(words[4])
        self.pid, self.tid, self.process = int(words[5]), int(words[6]), words[7]
        self.size, self.source = int(words[8]), words[9]
        self.notes = int(words[-1][1:])
        self.fields = {}
        self.all = collections.defaultdict(list)  # of arrays and structs every element
        for word in words[10:-1]:
            label, number, text = word.split('=')
            label = bytes.fromhex(label).decode('utf-8')
            value = int(number) if number else None, bytes.fromhex(text).decode('utf-8', 'replace')
            self.fields.setdefault(label.lower(), value)
            self.all[label.lower()].append(value)

    def number(self, label):
        return self.fields[label.lower()][0]

    def text(self, label):
        return self.fields[label.lower()][1]


# TraceEvent's name of a field: Microsoft's, as we have it. Others differ in capitals at most.
RENAMED = {
    ('GC/MarkWithType', 'Promoted'): 'Bytes',
    ('Create', 'IrpPtr'): 'Irp',
    ('Create', 'FileAttributes'): 'CreateAttributes',
}

# Names that TraceEvent gives to values and the description does not, or differently.
NAMES = {
    'StartupMode': {'None': 0},
    'Type': {'PinnedObjectHeap': 3},
    'AllocationKind': {'Small': 0},
    'BucketKind': {'PlugsInCondemned': 1},
    'Reason': {'AllocSmall': 0, 'Induced': 1},
    'PauseMode': {'Interactive': 1},
    'CompactMechanisms': {'not_specified': 0, 'compact_high_frag': 0x80000002, 'compact_loh_forced': 0x80000008},
    'ExpandMechanisms': {'not_specified': 0},
    'ReasonCode': {'START_BIND': 0, 'REJECT_IL_SIG': 9},
    'CreateDisposition': {'OPEN_EXISTING': 1},
    'CreateOptions': {'FILE_ATTRIBUTE_ARCHIVE': 0x20},
}
FLAGS = {
    'GlobalMechanisms': {'Concurrent': 1, 'Compaction': 2, 'Promotion': 4, 'Demotion': 8, 'CardBundles': 16},
    'AssemblyFlags': {'None': 0, 'ReadyToRun': 0x10},
    'ModuleFlags': {'None': 0, 'Manifest': 8, 'ReadyToRunModule': 0x20},
    'Flags': {'QuickJit': 1, 'QuickJitForLoops': 2},
    'ShareAccess': {'None': 0, 'Read': 1, 'Write': 2, 'ReadWrite': 3, 'Delete': 4},
    'BitSettings': {'GCSettingsConcurrent': 1},
}

# Of versions later than those in these traces.
LATER = {'ReJITID', 'OptimizationTier', 'ObjectSize', 'ClientSequenceNumber', 'PauseMode', 'MemoryPressure',
         'CondemnReasons0', 'CondemnReasons1', 'Count', 'ConcurrentCompactMechanisms', 'GenerationSize4',
         'TotalPromotedSize4'}

# event, field: our value as TraceEvent derives it, and what it is. '' stands for every event.
DERIVED = {
    ('ManifestData', 'PayloadLength'): (lambda c, e: e.size, 'of the event'),
    ('GC/HeapStats', 'TotalHeapSize'): (lambda c, e: total(e, 'generationsize'), 'the sum of the generations'),
    ('GC/HeapStats', 'TotalPromoted'): (lambda c, e: total(e, 'totalpromotedsize'), 'the sum of the generations'),
    ('GC/FinalizeObject', 'TypeName'): (lambda c, e: c.types.get((e.pid, e.number('TypeID')), ''),
                                        'by TypeID, from BulkType events'),
    ('', 'ModuleILFileName'): (lambda c, e: e.text('ModuleILPath').rpartition('\\')[2], 'the end of ModuleILPath'),
    ('Create', 'CreateOptions'): (lambda c, e: e.number('CreateOptions') & 0xFFFFFF, 'the lower 24 bits'),
    ('Create', 'CreateDisposition'): (lambda c, e: e.number('CreateOptions') >> 24, 'the upper 8 bits'),
    ('Create', 'FileName'): (lambda c, e: dos_path(e.text('FileName')), 'drive letter'),
    ('PrimitiveTypesTest', 'char_type'): (lambda c, e: ord(e.text('char_type')), 'the character as a number'),
    ('PrimitiveTypesTest', 'system_time_type'): (
        lambda c, e: re.sub(r'20(\d\d)-(\d\d)-(\d\d) ([\d:]+).*', r'\1/\2/\3 \4.03?', e.text('system_time_type')),
        'whole seconds: TraceEvent has .03 in all of them'),
}
for index in range(100):
    DERIVED['Type/BulkType', 'TypeID_%d' % index] = (
        lambda c, e, i=index: e.all['typeid'][i][0], 'an element of Values')
    DERIVED['Type/BulkType', 'TypeName_%d' % index] = (
        lambda c, e, i=index: e.all['name'][i][1], 'an element of Values')

# event, field: why it is not compared
LEFT_OUT = {
    ('GC/HeapStats', 'Depth'): 'is of the collection before',
    ('DotNETRuntimePrivate/GC/PerHeapHistory', ''): 'is an array of private structures, which no manifest declares',
}


def total(event, label):
    return sum(values[0][0] for name, values in event.all.items() if re.fullmatch(label + r'\d', name))


def dos_path(path):
    return path.replace('\\Device\\HarddiskVolume2\\', 'C:\\', 1).replace('\\Device\\Mup\\', '\\\\', 1)


def look_up(table, name, field):
    for (event, label), row in table.items():
        if name.endswith(event) and (label == field or not label):
            return row
    return None


def plain(text):
    return re.sub(r'[\s_]+', '', text).lower()


def as_number(text):
    try:
        return int(text, 0)
    except ValueError:
        return None


def same_flags(theirs, number, names):
    """of a truncated list the last name may be cut"""
    cut = theirs.endswith('...')
    words = [word.strip() for word in (theirs[:-3] if cut else theirs).split(',')]
    last = [bit for name, bit in names.items() if cut and name.startswith(words[-1]) and number & bit == bit]
    words = words[:-1] if cut else words
    if any(word not in names for word in words) or (cut and not last):
        return False
    bits = sum({names[word] for word in words})
    return number & bits == bits if cut else number == bits


def same_list(theirs, text):
    """names in any order; of a truncated list the last may be cut"""
    ours = {plain(word) for word in re.sub(r' \(\d+\)$', '', text).split('|')}
    cut = theirs.endswith('...')
    words = [plain(word) for word in re.split(r'[,|]', theirs[:-3] if cut else theirs)]
    if cut:
        return set(words[:-1]) <= ours and any(word.startswith(words[-1]) for word in ours)
    return set(words) == ours


def same_number_or_name(field, theirs, number, text):
    if re.match(r'\d\d/\d\d/\d\d ', theirs):
        return same_text(theirs, utc(number))
    if same_number(theirs, number) or number == NAMES.get(field, {}).get(theirs):
        return True
    for name, value in NAMES.get(field, {}).items():
        if value == number and theirs.endswith('...') and same_text(theirs, name):
            return True
    return (field in FLAGS and same_flags(theirs, number, FLAGS[field])) or same_list(theirs, text)


def same_value(field, theirs, ours):
    number, text = ours
    if number is not None:
        return same_number_or_name(field, theirs, number, text)
    return same_text(theirs, text) or (as_number(text) is not None and same_number(theirs, as_number(text)))


class Comparison:
    def __init__(self, events, start):
        self.events = collections.defaultdict(list)
        self.by_kind = collections.Counter()
        self.types = {}
        self.used = set()
        self.kinds = collections.defaultdict(set)  # TraceEvent's name: provider and id
        self.compared, self.left_out, self.sources = (collections.Counter() for _ in range(3))
        self.reasons = collections.defaultdict(collections.Counter)  # of what is left out, by field
        self.bad = []
        self.start = start
        for event in events:
            self.events[event.cpu, event.size].append(event)
            self.by_kind[event.provider, event.id] += 1
            for (number, _), (_, name) in zip(event.all['typeid'], event.all['name']):
                self.types[event.pid, number] = name

    def find(self, time, cpu, size):
        for event in self.events[cpu, size]:
            if id(event) not in self.used and same_milliseconds(time, (event.filetime - self.start) / 10000):
                self.used.add(id(event))
                return event
        return None

    def value(self, name, field, good, theirs, ours):
        self.compared[field] += 1
        if not good:
            self.bad.append('%s %s: they say %r, we %r' % (name, field, theirs, ours))

    def field(self, name, event, field, theirs):
        derived = look_up(DERIVED, name, field)
        ours = event.fields.get((look_up(RENAMED, name, field) or field).lower())
        if derived:
            value = derived[0](self, event)
            ours = (value, '') if isinstance(value, int) else (None, value)
        reason = look_up(LEFT_OUT, name, field)
        if ours is None and field in LATER and theirs in ('', '0', 'Unknown'):
            reason = reason or 'is of a later version than the event, and said to be %r' % theirs
        if reason:
            self.left_out[field] += 1
            self.reasons[field]['of %s %s' % (name, reason)] += 1
        elif ours is None:
            self.bad.append('%s: no field %s (%r)' % (name, field, theirs))
        else:
            self.value(name, field, same_value(field, theirs, ours), theirs, ours)

    def event(self, time, name, pid, tid, _, cpu, size, fields):
        event = self.find(time, int(cpu), int(size))
        if event is None:
            self.bad.append('%s at %s: not found' % (name, time))
            return
        self.sources[event.source] += 1
        self.kinds[name].add((event.provider, event.id))
        if event.notes:
            self.bad.append('%s: %d notes' % (name, event.notes))
        for field, theirs, ours in (('time, CPU, DataLen', 0, 0), ('PID', pid, event.pid), ('TID', tid, event.tid)):
            self.value(name, field, same_number(str(theirs), ours), theirs, ours)
        for field, theirs in fields_of(fields):
            self.field(name, event, field, theirs)

    def count(self, name, theirs):
        """of a type of which all events were found by one id, or by one per provider"""
        self.value(name, 'COUNT', theirs == sum(self.by_kind[kind] for kind in self.kinds[name]), theirs,
                   self.kinds[name])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--dump', required=True)
    parser.add_argument('--baseline', required=True)
    parser.add_argument('--least', type=int, default=0)
    parser.add_argument('trace')
    arguments = parser.parse_args()
    output = subprocess.run([arguments.dump, arguments.trace], check=True, stdout=subprocess.PIPE).stdout
    start, *lines = output.decode('utf-8', 'replace').split('\n')
    comparison = Comparison([Event(line) for line in lines if line], int(start))
    for line in open(arguments.baseline, encoding='utf-8-sig'):
        found = ROW.match(line.rstrip('\r\n'))
        if found and not found.group(2).startswith(OTHERS):
            comparison.event(*found.groups())
        elif line.startswith('COUNT ') and not line[len('COUNT '):].startswith(OTHERS):
            name, _, count = line[len('COUNT '):].rpartition(':')
            comparison.count(name, int(count))
    finish(comparison, arguments.least)


def finish(comparison, least):
    for field in sorted(comparison.compared | comparison.left_out):
        print('%-26s %5d compared%s' % (field, comparison.compared[field],
              ', %d left out' % comparison.left_out[field] if comparison.left_out[field] else ''))
    for field, reasons in sorted(comparison.reasons.items()):
        for reason, count in sorted(reasons.items()):
            print('left out: %s %s, %d times' % (field, reason, count))
    for sentence in comparison.bad[:60]:
        print(sentence)
    total = sum(comparison.compared.values())
    print('result: %d values of %d events compared (%s), %d differ, %d left out'
          % (total, len(comparison.used), ', '.join('%s %d' % row for row in sorted(comparison.sources.items())),
             len(comparison.bad), sum(comparison.left_out.values())))
    sys.exit(1 if comparison.bad or total < least else 0)


if __name__ == '__main__':
    main()
