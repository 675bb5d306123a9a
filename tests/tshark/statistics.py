"""Whether statistics add up to what -T fields of the same file adds up to.

statistics.py FIELDS TABLES: what tshark printed for the fields below and for all statistics. Prints how many
numbers were compared.
"""
import calendar
import re
import sys
from collections import defaultdict
from decimal import Decimal

FIELDS = ("frame.time_epoch etl.hookid etl.cpu etl.trace_id etl.pid etl.pid.name etl.provider etl.level "
          "etl.disk_io.transfer_size etl.disk_io.high_res_response_time etl.disk_io.file_object "
          "etl.page_fault.byte_count etl.page_fault.initial_time etl.perf_info.initial_time etl.perf_info.count "
          "etl.tcp_ip.size etl.udp_ip.size etl.tcp_ip.pid etl.udp_ip.pid etl.event_trace.events_lost "
          "etl.event_trace.buffers_lost etl.event_trace.perf_freq etl.disk_io.file_object.name etl.perf_info.routine etl.code.module").split()
CONNECTIONS = {0x060C: 'Connects', 0x061C: 'Connects', 0x060F: 'Accepts', 0x061F: 'Accepts',
               0x060E: 'Retransmits', 0x061E: 'Retransmits'}
MONTHS = {name: number for number, name in enumerate(calendar.month_abbr)}


def seconds_of(text):
    """A time as any version of tshark prints it, as seconds since 1970."""
    match = re.match(r'(\w+) +(\d+), (\d+) (\d+):(\d+):(\d+)(\.\d+)? UTC$', text)
    if match:
        month, day, year = MONTHS[match[1]], int(match[2]), int(match[3])
        clock = match.groups()[3:]
    else:
        match = re.match(r'(\d+)-(\d+)-(\d+)[T ](\d+):(\d+):(\d+)(\.\d+)?(?:Z|\+0000| UTC)?$', text)
        if not match:
            return Decimal(text)
        year, month, day = (int(part) for part in match.groups()[:3])
        clock = match.groups()[3:]
    hour, minute, second = (int(part) for part in clock[:3])
    return calendar.timegm((year, month, day, hour, minute, second)) + Decimal('0' + (clock[3] or ''))


class Sums:
    """Of each column of each statistic, and of each row where that is another number."""

    def __init__(self):
        self.of = defaultdict(Decimal)
        self.rows = defaultdict(lambda: defaultdict(Decimal))
        self.switches = {}
        self.frequency = {}  # of the performance counter, by trace

    def add(self, statistic, column, amount, row=None):
        self.of[statistic, column] += amount
        if row is not None:
            self.rows[statistic, column][row] += amount

    def service(self, e):
        """milliseconds of a disk request; each is whole 100 ns"""
        ticks = int(e['etl.disk_io.high_res_response_time'] or 0)  # of old versions there is none
        return Decimal(ticks * 10**7 // self.frequency[e['etl.trace_id']]) / 10**4

    def event(self, e):
        now = seconds_of(e['frame.time_epoch'])
        hook = int(e['etl.hookid'], 16) if e['etl.hookid'] else -1
        process = e['etl.pid']
        if hook == 0x0524:
            cpu = (e['etl.trace_id'], e['etl.cpu'])
            self.add('cpu', 'CPU time (ms)', (now - self.switches.get(cpu, now)) * 1000, process)
            self.add('cpu', 'Switches', 1, process)
            self.switches[cpu] = now
        elif hook == 0x0F2E:
            self.add('cpu', 'Samples', int(e['etl.perf_info.count']), process)
        elif hook in (0x010A, 0x010B):
            read = hook == 0x010A
            size = int(e['etl.disk_io.transfer_size'])
            for statistic, row in ('disk', None), ('files', e['etl.disk_io.file_object.name'] or e['etl.disk_io.file_object']):
                self.add(statistic, 'Bytes', size, row)
                self.add(statistic, 'Reads', read, row)
                self.add(statistic, 'Writes', not read, row)
                self.add(statistic, 'Bytes read', size * read, row)
                self.add(statistic, 'Bytes written', size * (not read), row)
                self.add(statistic, 'Service (ms)', self.service(e), row)
        elif hook == 0x010E:
            self.add('disk', 'Flushes', 1)
            self.add('disk', 'Service (ms)', self.service(e))
        elif hook == 0x0220:
            self.add('faults', 'Faults', 1)
            self.add('faults', 'Bytes', int(e['etl.page_fault.byte_count']))
            self.add('faults', 'Time (ms)', (now - seconds_of(e['etl.page_fault.initial_time'])) * 1000)
        elif hook in (0x0F32, 0x0F42, 0x0F43, 0x0F44, 0x0F45):
            kind = 'ISR' if hook in (0x0F32, 0x0F43) else 'DPC'
            time = (now - seconds_of(e['etl.perf_info.initial_time'])) * 1000
            self.add('interrupts', 'Time (ms)', time, e['etl.code.module'] or e['etl.perf_info.routine'])
            self.add('interrupts', kind + 's', 1)
            self.add('interrupts', kind + ' time (ms)', time)
        elif hook in (0x060A, 0x061A, 0x060B, 0x061B):
            column = 'TCP sent' if hook & 0xF == 0xA else 'TCP received'
            self.add('network', column, int(e['etl.tcp_ip.size']), e['etl.tcp_ip.pid'])
            self.add('network', 'Bytes', int(e['etl.tcp_ip.size']))
        elif hook in (0x080A, 0x081A, 0x080B, 0x081B):
            column = 'UDP sent' if hook & 0xF == 0xA else 'UDP received'
            self.add('network', column, int(e['etl.udp_ip.size']), e['etl.udp_ip.pid'])
            self.add('network', 'Bytes', int(e['etl.udp_ip.size']))
        elif hook in CONNECTIONS:
            self.add('network', CONNECTIONS[hook], 1, e['etl.tcp_ip.pid'])
        elif hook == 0:
            self.frequency[e['etl.trace_id']] = int(e['etl.event_trace.perf_freq'])
            self.add('lost', 'Events lost', int(e['etl.event_trace.events_lost']))
            self.add('lost', 'Buffers lost', int(e['etl.event_trace.buffers_lost']))


TITLES = {'CPU time by process': 'cpu', 'Disk I/O by process': 'disk', 'Disk I/O by file': 'files',
          'Hard faults by file': 'faults', 'Network by process': 'network',
          'DPC and ISR time by module': 'interrupts', 'Lost events by session': 'lost'}


def read_tables(lines):
    """Of each statistic: its columns, and rows as (name, numbers)."""
    tables = {}
    name = columns = None
    for line in lines:
        line = line.rstrip('\n')
        if line.startswith('ETL: '):
            name = TITLES.get(line[5:].rstrip(':'))
            columns = None
        elif line.startswith('===='):
            name = name if columns is None else None
        elif name and '|' in line:
            cells = [cell.strip() for cell in line.rstrip('| ').split('|')]
            if columns is None:
                columns = cells[1:]
                tables[name] = (columns, [])
            else:
                tables[name][1].append((cells[0], [Decimal(cell) for cell in cells[1:]]))
    return tables


def read_trees(lines):
    """Of each tree of counts: its root's number, and those of the root's children."""
    trees = {}
    name = None
    for line in lines:
        match = re.match(r'( *)(\S.*?) {2,}(\d+) ', line)
        if not match:
            continue
        depth = len(match[1])
        if depth == 0 and match[2].startswith('Events by '):
            name = match[2]
            trees[name] = (int(match[3]), {})
        elif depth == 1 and name:
            trees[name][1][match[2]] = int(match[3])
    return trees


def compare(sums, tables):
    compared = bad = 0
    for name, (columns, rows) in tables.items():
        for place, column in enumerate(columns):
            total = sum((numbers[place] for _, numbers in rows), Decimal(0))
            wanted = Decimal(sums.of[name, column])
            compared += 1
            rounding = Decimal('0.00005') * len(rows) if '(ms)' in column else 0
            if abs(total - wanted) > rounding:
                print(f'{name}: {column}: {total} in the statistic, {wanted} in the fields')
                bad += 1
            values = sorted(value for value in sums.rows[name, column].values() if value)
            shown = sorted(numbers[place] for _, numbers in rows if numbers[place])
            same = len(values) == len(shown) and all(
                abs(a - b) <= Decimal('0.00005') for a, b in zip(values, shown))
            if sums.rows[name, column] and not same:
                print(f'{name}: {column}: rows are {shown[:9]} in the statistic, {values[:9]} in the fields')
                bad += 1
    return compared, bad


def compare_trees(events, trees):
    bad = 0
    counts = {'Events by CPU': defaultdict(int), 'Events by level': defaultdict(int),
              'Events by process': defaultdict(int), 'Events by provider': defaultdict(int)}
    for e in events:
        counts['Events by CPU'][e['etl.cpu']] += 1
        counts['Events by level'][e['etl.level']] += 1
        counts['Events by process'][e['etl.pid'], e['etl.pid.name']] += 1
        counts['Events by provider'][e['etl.provider']] += 1
    for name, wanted in counts.items():
        total, children = trees[name]
        if total != len(events) or sorted(children.values()) != sorted(wanted.values()):
            print(f'{name}: {total}, {sorted(children.values())}; fields: {len(events)}, {sorted(wanted.values())}')
            bad += 1
    return sum(len(children) for _, children in trees.values()), bad


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        events = [dict(zip(FIELDS, line.rstrip('\n').split('\t'))) for line in file]
    with open(sys.argv[2], encoding='utf-8') as file:
        lines = list(file)
    sums = Sums()
    for e in events:
        sums.event(e)
    tables = read_tables(lines)
    if sorted(tables) != sorted(TITLES.values()):
        print(f'statistics: {sorted(tables)}')
        return 1
    compared, bad = compare(sums, tables)
    counted, bad_trees = compare_trees(events, read_trees(lines))
    print(f'result: {compared} sums and {counted} counts of {len(events)} events')
    return bad + bad_trees > 0


if __name__ == '__main__':
    if sys.argv[1:] == ['fields']:
        print('\n'.join(FIELDS))
    else:
        sys.exit(main())
