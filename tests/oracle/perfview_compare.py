#!/usr/bin/env python3
"""Compares kernel events of a real trace, value by value, with what Microsoft's TraceEvent says of them.

    perfview_compare.py --dump PROGRAM --baseline BASELINE.txt FILE.etl

PROGRAM is payload_dump (payload_dump.c beside this file). BASELINE.txt is TraceEvent's listing of FILE: the first
five events of each type with all fields as text, then how many there are of each type. All events of the kernel
and of KernelTraceControl in it are compared: name, time, process, thread, name of the process, CPU, size and every
field. Events are matched by their order among those of one name, samples by their time. Prints for each field how
many values were compared; the exit status is 1 if one differs, if an event is not found, or if fewer than --least
values could be compared.

TraceEvent's text is no plain print of the bytes. What is undone, and only this:

  truncated strings    of texts over 23 characters the first 20 are there, then "...": these have to be equal
  separators           "1,024" is 1024
  signed ids           -1 is 4294967295 where the field has 4 bytes, and the like; TraceEvent has no unsigned types
  times                yy/mm/dd hh:mm:ss.ff in UTC, truncated like texts; milliseconds are rounded, ours are exact
  drive letters        C:\\ for \\Device\\HarddiskVolume2\\ and \\SystemRoot\\, by the trace's own VolumeMapping
                       events; C: before paths without a device; \\\\ for \\Device\\Mup\\
  process names        are without ".exe"
  names of flags       their bits (FLAGS below)
  other names          of fields (RENAMED below)

Values that TraceEvent derives from others are derived here from ours in the same way (DERIVED below, with what they
are); those that cannot be are left out, and counted (LEFT_OUT below, with reasons).
"""
import argparse
import collections
import datetime
import re
import subprocess
import sys

IMAGE_ID = 'b3e675d7-2554-4f18-830b-2762732560de/'
SYSTEM_CONFIG_EX = '9b79ee91-b5fd-41c0-a243-4248e266e9d0/'
EVENT_METADATA = 'bbccf6c1-6cd1-48c4-80ff-839482e37671/'

# TraceEvent's name of an event: ours
EVENTS = {
    'EventTrace': '0000', 'EventTrace/Extension': '0005', 'EventTrace/RundownComplete': '0008',
    'EventTrace/EndExtension': '0020', 'DiskIO/Read': '010a', 'DiskIO/Write': '010b', 'DiskIO/ReadInit': '010c',
    'DiskIO/WriteInit': '010d', 'DiskIO/FlushBuffers': '010e', 'DiskIO/FlushInit': '010f', 'Memory/HardFault': '0220',
    'Process/Start': '0301', 'Process/Stop': '0302', 'Process/DCStart': '0303', 'Process/DCStop': '0304',
    'Image/Load': '030a', 'Process/PerfCtr': '0320', 'Process/PerfCtrRundown': '0321', 'Process/Defunct': '0327',
    'Thread/Start': '0501', 'Thread/Stop': '0502', 'TcpIp/SendIPV6': '061a', 'TcpIp/RecvIPV6': '061b',
    'UdpIp/Send': '080a', 'UdpIp/Recv': '080b', 'UdpIp/SendIPV6': '081a', 'UdpIp/RecvIPV6': '081b',
    'SystemConfig/CPU': '0b0a', 'SystemConfig/PhyDisk': '0b0b', 'SystemConfig/LogDisk': '0b0c',
    'SystemConfig/NIC': '0b0d', 'SystemConfig/Services': '0b0f', 'SystemConfig/Power': '0b10',
    'SystemConfig/Network': '0b11', 'SystemConfig/PnP': '0b16', 'SystemConfig/IDEChannel': '0b17',
    'PerfInfo/Sample': '0f2e', 'PerfInfo/CollectionStart': '0f49', 'PerfInfo/CollectionEnd': '0f4a',
    'Image/Unload': '1402', 'Image/DCStart': '1403', 'Image/DCStop': '1404',
    'SysConfig/BuildInfo': SYSTEM_CONFIG_EX + '32', 'SysConfig/SystemPaths': SYSTEM_CONFIG_EX + '33',
    'SysConfig/UnknownVolume': SYSTEM_CONFIG_EX + '34', 'SysConfig/VolumeMapping': SYSTEM_CONFIG_EX + '35',
    'SysConfig/Opcode(37)': SYSTEM_CONFIG_EX + '37',
    'ImageID': IMAGE_ID + '0', 'ImageID/None': IMAGE_ID + '32', 'ImageID/DbgID_RSDS': IMAGE_ID + '36',
    'ImageID/DbgID_ILRSDS': IMAGE_ID + '37', 'ImageID/FileVersion': IMAGE_ID + '64',
    'MetaData/EventInfo': EVENT_METADATA + '32', 'MetaData/EventMapInfo': EVENT_METADATA + '33',
}
# Of these TraceEvent folds some away: of samples those of idle CPUs. Their number is not compared.
FOLDED = {'PerfInfo/Sample'}

# TraceEvent's name of an event: ours, where they differ in more than capitals
NAMES = {
    'EventTrace': 'EventTrace/Header', 'EventTrace/RundownComplete': 'EventTrace/RDComplete',
    'Image/DCStop': 'Image/DCEnd', 'ImageID': 'ImageID/ImageID', 'ImageID/None': 'ImageID/DbgID_None',
    'Memory/HardFault': 'PageFault/HardFault', 'MetaData/EventInfo': 'EventMetadata/EventInfo',
    'MetaData/EventMapInfo': 'EventMetadata/MapInfo',
    'PerfInfo/CollectionEnd': 'PerfInfo/SampledProfileIntervalCollectionEnd',
    'PerfInfo/CollectionStart': 'PerfInfo/SampledProfileIntervalCollectionStart',
    'PerfInfo/Sample': 'PerfInfo/SampleProf', 'Process/DCStop': 'Process/DCEnd', 'Process/Stop': 'Process/End',
    'SysConfig/BuildInfo': 'SystemConfigEx/BuildInfo', 'SysConfig/Opcode(37)': 'SystemConfigEx/Unknown37',
    'SysConfig/SystemPaths': 'SystemConfigEx/SystemPaths',
    'SysConfig/UnknownVolume': 'SystemConfigEx/UnknownVolume',
    'SysConfig/VolumeMapping': 'SystemConfigEx/VolumeMapping', 'Thread/Stop': 'Thread/End',
    'UdpIp/Recv': 'UdpIp/RecvIPV4', 'UdpIp/Send': 'UdpIp/SendIPV4',
}

# TraceEvent's name of a field: Microsoft's, as we have it. Others differ in capitals at most.
RENAMED = {
    'PageDirectoryBase': 'DirectoryTableBase', 'MaxFileSize': 'MaximumFileSize', 'CPUSpeed': 'CpuSpeedInMHz',
    'SessionName': 'LoggerName', 'Value': 'NtPath', 'MemoryCount': 'PageFaultCount', 'FileKey': 'FileObject',
    'SampleSource': 'Source', 'UtcOffsetMinutes': 'Bias',
}

FLAGS = {
    ('Process', 'Flags'): {'PackageFullName': 1, 'Wow64': 2, 'Protected': 4},
    ('DiskIO', 'IrpFlags'): {'Nocache': 1, 'PagingIo': 2, 'MountCompletion': 2, 'SynchronousApi': 4,
                             'AssociatedIrp': 8, 'BufferedIO': 0x10, 'DeallocateBuffer': 0x20,
                             'SynchronousPagingIO': 0x40, 'Create': 0x80, 'Read': 0x100, 'Write': 0x200,
                             'Close': 0x400},
}
PRIORITIES = ['Notset', 'Verylow', 'Low', 'Normal', 'High', 'Critical']  # bits 17 to 19 of IrpFlags
PRIORITY_SHIFT = 17

# type or class, field: why it is not compared. '' stands for every type.
LEFT_OUT = {
    ('Process', 'TID'): 'is cleared: the thread of the header is another process\'s',
    ('Image/Unload', 'TID'): 'is cleared likewise',
    ('Image/DCStart', 'TID'): 'is cleared likewise',
    ('Image/DCStop', 'TID'): 'is cleared likewise',
    ('DiskIO/FlushBuffers', 'TID'): 'is read from the place of HighResResponseTime',
    ('DiskIO/FlushBuffers', 'PID'): 'follows from that thread',
    ('DiskIO/FlushBuffers', 'PName'): 'follows from that thread',
    ('UdpIp/Send', 'dsize'): 'is of version 0; this is version 2, which has none',
    ('UdpIp/Recv', 'dsize'): 'is of version 0; this is version 2, which has none',
}


class Trace:
    """Our side: events in order of time, and what follows from all of them."""

    def __init__(self, program, path):
        self.events = collections.defaultdict(list)
        self.files = {}      # FileObject: path
        self.volumes = []    # (NT path, DOS path)
        self.processes = {}  # id: name without ".exe"
        self.disk_free = {}  # disk number: when its last access ended, for the one that is looked at
        output = subprocess.run([program, path], check=True, stdout=subprocess.PIPE).stdout
        for line in output.decode('utf-8', 'replace').splitlines():
            event = Event(line)
            self.events[event.key].append(event)
        self.header = self.events['0000'][0]
        self.start = int(self.header['StartTime'])
        self.frequency = int(self.header['PerfFreq'])
        for key in ('0400', '0420', '0423', '0424'):
            for event in self.events[key]:
                self.files[int(event['FileObject'])] = event.text('FileName')
        for event in self.events[SYSTEM_CONFIG_EX + '35']:
            self.volumes.append((event.text('NtPath'), event.text('DosPath')))
        self.system_drive = self.events[SYSTEM_CONFIG_EX + '33'][0].text('SystemDirectory')[:2]
        for key in ('0301', '0302', '0303', '0304'):
            for event in self.events[key]:
                self.processes[int(event['ProcessId'])] = without_exe(event.text('ImageFileName'))
        self.find_service_times()

    def find_service_times(self):
        """a disk works on one access after the other: on each since the one before ended, or since it was asked"""
        ended = {}
        accesses = [event for key in ('010a', '010b') for event in self.events[key]]
        for event in sorted(accesses, key=lambda e: e.filetime):
            disk = event['DiskNumber']
            response = int(event['HighResResponseTime']) * 1000 / self.frequency
            since = (event.filetime - ended[disk]) / 10000 if disk in ended else response
            event.service = min(response, since)
            ended[disk] = event.filetime

    def dos_path(self, path):
        if path.startswith('\\Device\\Mup\\'):
            return '\\\\' + path[len('\\Device\\Mup\\'):]
        for nt, dos in self.volumes:
            if dos and path.lower().startswith(nt.lower()):
                return dos + path[len(nt):]
        return self.system_drive + path if re.match(r'\\(?!Device\\|\?\?|\\)', path) else path


class Event:
    def __init__(self, line):
        words = line.split('\t')
        self.key, self.version = words[0], int(words[1])
        self.filetime, self.cpu = int(words[2]), int(words[3])
        self.pid = -1 if words[4] == '-' else int(words[4])
        self.tid = -1 if words[5] == '-' else int(words[5])
        self.process = words[6]
        self.size, self.notes = int(words[7]), int(words[8])
        self.name = words[9]
        self.fields = {}
        for word in words[10:]:
            label, equals, value = word.partition('=')
            if equals:
                self.fields.setdefault(bytes.fromhex(label).decode().lower(), value)

    def __getitem__(self, label):
        return self.fields[label.lower()]

    def text(self, label):
        return bytes.fromhex(self.fields.get(label.lower(), '')).decode('utf-8')


def without_exe(name):
    return name[:-4] if name.lower().endswith('.exe') else name


def guid_text(raw):
    b = bytes.fromhex(raw)
    return '%08x-%04x-%04x-%s-%s' % (int.from_bytes(b[0:4], 'little'), int.from_bytes(b[4:6], 'little'),
                                     int.from_bytes(b[6:8], 'little'), b[8:10].hex(), b[10:16].hex())


def utc(filetime):
    moment = datetime.datetime(1601, 1, 1) + datetime.timedelta(microseconds=filetime // 10)
    return moment.strftime('%y/%m/%d %H:%M:%S.%f')


def ipv6(raw):
    import ipaddress
    return str(ipaddress.ip_address(bytes.fromhex(raw)))


# class or type, field: our value as TraceEvent derives it, and what it is
DERIVED = {
    ('EventTrace', 'Version'): (
        lambda t, e: sum(int(e[n]) << 8 * i for i, n in enumerate(
            ('MajorVersion', 'MinorVersion', 'SubVersion', 'SubMinorVersion'))), 'four fields in one'),
    ('Image', 'BuildTime'): (lambda t, e: build_time(e), 'TimeDateStamp as a time'),
    ('ImageID', 'BuildTime'): (lambda t, e: build_time(e), 'TimeDateStamp as a time'),
    ('ImageID', 'ProcessID'): (lambda t, e: int(e['ImageSize']) >> 32, 'read from the upper half of ImageSize'),
    ('Image', 'FileName'): (lambda t, e: t.dos_path(e.text('FileName')), 'drive letter'),
    ('Thread', 'StartAddr'): (lambda t, e: int(e['Affinity']), 'Affinity of version 3 stands in its place'),
    ('Thread', 'ThreadName'): (lambda t, e: e.text('ThreadName'), 'empty where the event has none yet'),
    ('Thread/Start', 'ParentThreadID'): (lambda t, e: e.tid, 'of the header'),
    ('Thread/Start', 'ParentProcessID'): (lambda t, e: e.pid, 'of the header'),
    ('Thread/Stop', 'ParentThreadID'): (lambda t, e: -1, 'a thread that ends has none'),
    ('Thread/Stop', 'ParentProcessID'): (lambda t, e: -1, 'a thread that ends has none'),
    ('DiskIO', 'IrpFlags'): (lambda t, e: int(e['IrpFlags']) & ((1 << PRIORITY_SHIFT) - 1), 'without the priority'),
    ('DiskIO', 'Priority'): (lambda t, e: PRIORITIES[int(e['IrpFlags']) >> PRIORITY_SHIFT & 7], 'in IrpFlags'),
    ('DiskIO', 'ElapsedTimeMSec'): (
        lambda t, e: int(e['HighResResponseTime']) * 1000 / t.frequency, 'ticks'),
    ('DiskIO', 'DiskServiceTimeMSec'): (lambda t, e: e.service, 'time since the access before ended'),
    ('DiskIO', 'FileName'): (lambda t, e: t.dos_path(t.files.get(int(e['FileObject']), '')), 'by FileObject'),
    ('Memory', 'FileName'): (lambda t, e: t.dos_path(t.files.get(int(e['FileObject']), '')), 'by FileObject'),
    ('Memory', 'ElapsedTimeMSec'): (
        lambda t, e: (e.filetime - int(e['InitialTime'])) / 10000, 'since InitialTime'),
    ('PerfInfo/Sample', 'ProcessorNumber'): (lambda t, e: e.cpu, 'of the buffer'),
    ('PerfInfo/Sample', 'Priority'): (lambda t, e: int(e['Flags']) >> 3 & 31, 'in Flags'),
    ('PerfInfo/Sample', 'ExecutingDPC'): (lambda t, e: str(bool(int(e['Flags']) & 1)), 'in Flags'),
    ('PerfInfo/Sample', 'ExecutingISR'): (lambda t, e: str(bool(int(e['Flags']) & 2)), 'in Flags'),
    ('UdpIp/Send', 'context'): (lambda t, e: int(e['PID']) | int(e['size']) << 32, 'of version 0: PID and size'),
    ('UdpIp/Recv', 'context'): (lambda t, e: int(e['PID']) | int(e['size']) << 32, 'of version 0: PID and size'),
    ('SystemConfig/NIC', 'PhysicalAddr'): (
        lambda t, e: int.from_bytes(bytes.fromhex(e['PhysicalAddr']), 'little') |
        int(e['PhysicalAddrRest']) << 48, 'a number of 8 bytes'),
    ('SystemConfig/PhyDisk', 'BootDriveLetter'): (lambda t, e: e.text('BootDriveLetter'), 'a letter'),
    ('SystemConfig/Services', 'ProcessName'): (lambda t, e: t.processes[int(e['ProcessId'])], 'of the process'),
}
PAYLOAD_PROCESS = {'Process': 'ProcessId', 'Thread': 'ProcessId', 'Image': 'ProcessId',
                   'SystemConfig/Services': 'ProcessId', 'Process/PerfCtr': 'ProcessId'}
TIMES = {'EndTime', 'BootTime', 'StartTime', 'InstallDate'}


def build_time(event):
    return utc((int(event['TimeDateStamp']) + 11644473600) * 10**7)


def look_up(table, name, field):
    """a row for the type, or for its class"""
    for key in (name, name.split('/')[0]):
        if (key, field) in table:
            return table[key, field]
    return None


def same_text(theirs, ours):
    if theirs.endswith('...') and len(theirs) >= 23:
        return ours.startswith(theirs[:-3]) and len(ours) > 20
    return theirs == ours


def same_number(theirs, ours):
    if theirs.endswith('...'):
        return same_text(theirs, '{:,}'.format(ours)) or same_text(theirs, '{:,}'.format(ours - 2**64))
    theirs = theirs.replace(',', '')
    try:
        number = int(theirs, 16) if theirs.startswith('0x') else int(theirs)
    except ValueError:
        return False
    return number == ours or (number < 0 and ours in (number + 2**32, number + 2**64)) or \
        (ours < 0 and number in (ours + 2**32, ours + 2**64))


def same_milliseconds(theirs, ours):
    """theirs has three decimals, and halves were rounded either way"""
    return abs(float(theirs.replace(',', '')) - ours) < 0.00051


def same(theirs, ours):
    if isinstance(ours, float):
        return same_milliseconds(theirs, ours)
    return same_number(theirs, ours) if isinstance(ours, int) else same_text(theirs, ours)


def same_name(theirs, ours):
    return NAMES.get(theirs, theirs).lower() == ours.lower()


def same_flags(theirs, ours, names):
    """None: 0; of a truncated list the names that are whole"""
    if theirs == 'None':
        return ours == 0
    cut = theirs.endswith('...')
    words = [w.strip() for w in theirs[:-3].split(',')[:-1 if cut else None]] if cut else \
        [w.strip() for w in theirs.split(',')]
    known = sum(set(names[w] for w in words))
    return ours & known == known if cut else ours == known


def our_field(trace, name, event, field):
    derived = look_up(DERIVED, name, field)
    if derived:
        return derived[0](trace, event)
    label = RENAMED.get(field, field)
    raw = event.fields.get(label.lower())
    if raw is None:
        raise KeyError(label)
    if field in TIMES:
        return utc(int(raw))
    if field == 'GuidSig':
        return guid_text(raw)
    if field in ('daddr', 'saddr'):
        return ipv6(raw)
    return raw


def same_field(trace, name, event, field, theirs):
    ours = our_field(trace, name, event, field)
    names = look_up(FLAGS, name, field)
    if names:
        return same_flags(theirs, int(ours), names)
    if isinstance(ours, (int, float)) or field in TIMES | {'GuidSig', 'daddr', 'saddr'} or \
            look_up(DERIVED, name, field):
        return same(theirs, ours)
    # a number, or a text in hexadecimal: which, the other side's form tells
    return (ours.isdigit() and same_number(theirs, int(ours))) or same_text(theirs, bytes_text(ours))


def bytes_text(raw):
    try:
        return bytes.fromhex(raw).decode('utf-8').rstrip('\0')
    except ValueError:
        return None


class Baseline:
    def __init__(self, path):
        self.events = []
        self.counts = {}
        row = re.compile(r'EVENT +([\d.,]+): (.*?) PID=(-?\d+); TID=(-?\d+); PName=(.*?); ProceNum=(\d+); '
                         r'DataLen=(\d+); (.*)')
        for line in open(path, encoding='utf-8-sig'):
            line = line.rstrip('\r\n')
            found = row.match(line)
            if found:
                name = self.kernel_name(found.group(2))
                if name:
                    self.events.append((name,) + found.groups())
            elif line.startswith('COUNT '):
                name, _, count = line[len('COUNT '):].rpartition(':')
                if self.kernel_name(name):
                    self.counts[self.kernel_name(name)] = int(count)

    @staticmethod
    def kernel_name(name):
        for group in ('Windows Kernel/', 'KernelTraceControl/'):
            if name.startswith(group):
                return name[len(group):]
        return None


def fields_of(text):
    return re.findall(r'(\w+)=(.*?); (?=\w+=|$)', text + ' ' if not text.endswith(' ') else text)


class Comparison:
    def __init__(self, trace):
        self.trace = trace
        self.compared = collections.Counter()
        self.left_out = collections.Counter()
        self.bad = []

    def value(self, name, field, good, theirs, ours):
        if (look_up(LEFT_OUT, name, field)) is not None:
            self.left_out[field] += 1
            return
        self.compared[field] += 1
        if not good:
            self.bad.append('%s %s: they say %r, we %r' % (name, field, theirs, ours))

    def find(self, name, time, used):
        """the next event of that name; of those that are not all listed, the next at that time to 1 us"""
        for event in self.trace.events[EVENTS[name]]:
            if id(event) not in used and (name not in FOLDED or self.at(event, time)):
                used.add(id(event))
                return event
        return None

    def at(self, event, time):
        return same_milliseconds(time, (event.filetime - self.trace.start) / 10000)

    def process_name(self, pid, event):
        if pid == event.pid and event.process != '-':
            return without_exe(event.process)
        return self.trace.processes.get(pid, 'Process(%d)' % pid) if pid not in (-1, 2**32 - 1) else ''

    def event(self, name, event, row):
        time, pid, tid, process, cpu, size, fields = row
        process_field = look_up({(k, 'PID'): v for k, v in PAYLOAD_PROCESS.items()}, name, 'PID')
        our_pid = int(event[process_field]) if process_field else event.pid
        our_tid = int(event['TThreadId']) if name.startswith('Thread/') else event.tid
        if event.notes:
            self.bad.append('%s at %s: %d notes' % (name, time, event.notes))
        self.value(name, 'name', same_name(name, event.name), name, event.name)
        if name not in FOLDED:  # those were found by it
            self.value(name, 'time', self.at(event, time), time, event.filetime)
        self.value(name, 'CPU', int(cpu) == event.cpu, cpu, event.cpu)
        self.value(name, 'DataLen', int(size) == event.size, size, event.size)
        self.value(name, 'PID', same_number(pid, our_pid), pid, our_pid)
        self.value(name, 'TID', same_number(tid, our_tid), tid, our_tid)
        our_process = self.process_name(our_pid, event)
        self.value(name, 'PName', process == our_process, process, our_process)
        for field, theirs in fields_of(fields):
            try:
                good = same_field(self.trace, name, event, field, theirs)
                ours = our_field(self.trace, name, event, field)
            except KeyError as missing:
                good, ours = False, 'no field %s' % missing
            self.value(name, field, good, theirs, ours)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--dump', required=True)
    parser.add_argument('--baseline', required=True)
    parser.add_argument('--least', type=int, default=0)
    parser.add_argument('trace')
    arguments = parser.parse_args()
    trace = Trace(arguments.dump, arguments.trace)
    baseline = Baseline(arguments.baseline)
    comparison = Comparison(trace)
    used = set()
    for name, time, _, *rest in baseline.events:
        if name not in EVENTS:
            comparison.bad.append('%s: no such event here' % name)
            continue
        event = comparison.find(name, time, used)
        if event is None:
            comparison.bad.append('%s at %s: not found' % (name, time))
        else:
            comparison.event(name, event, (time,) + tuple(rest))
    for name, count in baseline.counts.items():
        if name not in FOLDED:
            ours = len(trace.events[EVENTS[name]])
            comparison.value(name, 'COUNT', ours == count, count, ours)
    for field, count in sorted(comparison.compared.items()):
        print('%-26s %5d equal%s' % (field, count - sum(1 for b in comparison.bad if b.split(':')[0].endswith(' ' + field)),
                                     '' if not comparison.left_out[field] else ', %d left out' % comparison.left_out[field]))
    for field, count in sorted(comparison.left_out.items()):
        if field not in comparison.compared:
            print('%-26s     0 equal, %d left out' % (field, count))
    for (name, field), reason in sorted(LEFT_OUT.items()):
        print('left out: %s of %s %s' % (field, name, reason))
    for sentence in comparison.bad[:40]:
        print(sentence)
    total = sum(comparison.compared.values())
    print('result: %d values of %d kernel events compared, %d differ, %d left out'
          % (total, len(used), len(comparison.bad), sum(comparison.left_out.values())))
    sys.exit(1 if comparison.bad or total < arguments.least else 0)


if __name__ == '__main__':
    main()
