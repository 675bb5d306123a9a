#!/usr/bin/env python3
"""What frames say of ids, against what the trace's own events say of them, worked out again here.

    names.py all FILE      reads lines of `tshark -T fields` with the fields that "names.py fields" lists
    names.py baseline FILE BASELINE      the same lines against what PerfView shows
    names.py fields

Prints counts; every difference is a line and makes it fail.
"""
import bisect
import collections
import re
import sys

FIELDS = """frame.number etl.timestamp.raw etl.hookid etl.pid etl.pid.name etl.cpu
etl.process.process_id etl.process.image_file_name
etl.image.image_base etl.image.image_size etl.image.process_id etl.image.file_name
etl.stack_walk.stack_process etl.stack_walk.stack etl.stack_walk.stack.name
etl.stack_walk.key etl.stack_walk.stack_frame etl.stack_walk.stack_key etl.stack.address
etl.perf_info.instruction_pointer etl.perf_info.instruction_pointer.name
etl.file_io.file_object etl.file_io.file_name etl.disk_io.file_object etl.disk_io.file_object.name
etl.system_config_ex.nt_path etl.system_config_ex.dos_path etl.timestamp etl.pointer_size
etl.event_trace.start_time etl.process.process_id.name etl.thread.process_id etl.thread.process_id.name
etl.system_config.process_id etl.system_config.process_id.name""".split()
Row = collections.namedtuple("Row", [name.replace(".", "_") for name in FIELDS])

START, END, LOAD, UNLOAD = 0x0301, 0x0302, 0x030A, 0x1402
PROCESS_HOOKS = {0x0301, 0x0302, 0x0303, 0x0304}
IMAGE_HOOKS = {0x030A, 0x1402, 0x1403, 0x1404}
KEY_HOOKS = {0x1822, 0x1823, 0x1824}
FILE_HOOKS = {0x0400, 0x0420, 0x0423, 0x0424}
UNKNOWN = 0xFFFFFFFF


def rows(path):
    for line in open(path, encoding="utf-8", errors="replace"):
        parts = line.rstrip("\n").split("\t")
        if len(parts) == len(FIELDS):
            yield Row(*parts)


def number(text):
    return int(text, 0)


def numbers(text):
    return [int(one, 0) for one in text.split(";")] if text else []


class Meanings:
    """The last said at or before a time; where nothing was, or it ended, what is said next unless it begins then."""

    def __init__(self):
        self.by_id = collections.defaultdict(list)

    def add(self, key, time, value, begins=False, ends=False):
        self.by_id[key].append((time, begins, value, ends))

    def settle(self):
        for said in self.by_id.values():
            said.sort(key=lambda one: one[:2])

    def at(self, key, time):
        said = self.by_id.get(key)
        if not said:
            return None
        place = bisect.bisect_right(said, (time, True, chr(0x10FFFF)))
        last = said[place - 1] if place > 0 else None
        following = said[place] if place < len(said) and not said[place][1] else None
        one = following if following and (not last or last[3]) else last
        return one and one[2]


class Images:
    """Spans of time of modules, by process or kernel."""

    def __init__(self):
        self.events = collections.defaultdict(list)
        self.spans = collections.defaultdict(list)

    def add(self, scope, base, size, name, time, hook):
        order = 2 if hook == LOAD else 1 if hook == UNLOAD else 0
        self.events[scope, base].append((time, order, hook, size, name))

    def settle(self, births):
        for (scope, base), events in self.events.items():
            spans = []
            for time, _, hook, size, name in sorted(events):
                last = spans[-1] if spans else None
                if last and last[1] > time and last[2:] == [size, name]:
                    if hook == UNLOAD:
                        last[1] = time
                    continue
                if last and last[1] > time:
                    last[1] = time
                born = [one for one in births.get(scope, []) if one <= time]
                gone = [one for one in births.get(scope, []) if one > time]
                since = max([last[1]] if last else [float("-inf")], default=None)
                since = max(since, born[-1]) if born else since
                spans.append([time if hook == LOAD else since,
                              time if hook == UNLOAD else gone[0] if gone else float("inf"), size, name])
            self.spans[scope] += [(base, *span) for span in spans]

    def at(self, scope, address, time):
        for base, since, until, size, name in self.spans.get(scope, []):
            if base <= address < base + size and since <= time < until:
                return f"{name}+{address - base:#x}"
        return None


class Trace:
    def __init__(self, path):
        self.processes, self.files, self.stacks, self.images = Meanings(), Meanings(), Meanings(), Images()
        self.births = collections.defaultdict(list)
        self.drives = []
        self.count = collections.Counter()
        self.bad = 0
        self.found = {}
        for row in rows(path):
            self.learn(row)
        for meanings in (self.processes, self.files, self.stacks):
            meanings.settle()
        for births in self.births.values():
            births.sort()
        self.images.settle(self.births)

    @staticmethod
    def scope(address, pointer_size, process):
        kernel = address >> 63 if pointer_size == "8" else address >> 31
        return "kernel" if kernel else process

    def learn(self, row):
        if row.etl_system_config_ex_nt_path:
            self.drives.append((row.etl_system_config_ex_nt_path, row.etl_system_config_ex_dos_path))
        if not row.etl_hookid:
            return
        hook, time = number(row.etl_hookid), number(row.etl_timestamp_raw)
        if hook in PROCESS_HOOKS and row.etl_process_image_file_name:
            process = number(row.etl_process_process_id)
            self.processes.add(process, time, row.etl_process_image_file_name, hook == START, hook == END)
            if hook == START:
                self.births[process].append(time)
        elif hook in IMAGE_HOOKS and row.etl_image_file_name:
            base = number(row.etl_image_image_base)
            name = row.etl_image_file_name.split("\\")[-1]
            scope = self.scope(base, row.etl_pointer_size, number(row.etl_image_process_id or "0"))
            if number(row.etl_image_image_size):
                self.images.add(scope, base, number(row.etl_image_image_size), name, time, hook)
        elif hook in KEY_HOOKS and row.etl_stack_walk_stack_frame:
            self.stacks.add(number(row.etl_stack_walk_key), time, row.etl_stack_walk_stack_frame)
        elif hook in FILE_HOOKS and row.etl_file_io_file_name:
            self.files.add(number(row.etl_file_io_file_object), time, row.etl_file_io_file_name, False,
                           hook == 0x0423)

    def path(self, path):
        for nt_path, dos_path in self.drives:
            if path and path.startswith(nt_path) and len(dos_path) <= len(nt_path):
                return dos_path + path[len(nt_path):]
        return path

    def same(self, what, row, shown, expected):
        self.count[what] += 1
        if (shown or None) != (expected or None):
            self.bad += 1
            if self.bad <= 10:
                print(f"frame {row.frame_number}: {what}: shown {shown}, expected {expected}")

    def module_names(self, process, addresses, row, time):
        """Of those that are in a module, in order. Most addresses come again and again."""
        names = []
        for address in addresses:
            scope = self.scope(address, row.etl_pointer_size, process)
            key = scope, address
            name, until = self.found.get(key, (None, float("-inf")))
            if time >= until:
                name = self.images.at(scope, address, time)
                self.found[key] = name, self.next_change(scope, time)
            self.count["addresses"] += 1
            self.count["addresses in modules"] += name is not None
            if name:
                names.append(self.found[key][0])
        return ";".join(names)

    def next_change(self, scope, time):
        edges = self.edges.setdefault(scope, sorted({edge for span in self.images.spans.get(scope, ())
                                                     for edge in span[1:3]}))
        place = bisect.bisect_right(edges, time)
        return edges[place] if place < len(edges) else float("inf")

    edges = {}

    def check(self, row):
        if not row.etl_timestamp_raw:
            return
        time = number(row.etl_timestamp_raw)
        pids = numbers(row.etl_pid)
        pid = pids[-1] if pids else UNKNOWN
        name = self.processes.at(pid, time) or {0: "Idle", 4: "System"}.get(pid)
        if pid != UNKNOWN and name:
            self.same("processes", row, row.etl_pid_name, name)
        elif row.etl_pid_name:
            self.same("processes", row, row.etl_pid_name, None)
        if row.etl_stack_walk_stack:
            self.same("stacks", row, row.etl_stack_walk_stack_name, self.module_names(
                number(row.etl_stack_walk_stack_process), numbers(row.etl_stack_walk_stack), row, time))
        if row.etl_perf_info_instruction_pointer:
            self.same("instruction pointers", row, row.etl_perf_info_instruction_pointer_name, self.module_names(
                pid, numbers(row.etl_perf_info_instruction_pointer), row, time))
        if row.etl_stack_walk_stack_key:
            frames = self.stacks.at(number(row.etl_stack_walk_stack_key), time)
            self.count["stack keys known"] += frames is not None
            self.same("stack keys", row, row.etl_stack_address and [*numbers(row.etl_stack_address)],
                      frames and numbers(frames))
        if row.etl_disk_io_file_object:
            path = self.path(self.files.at(number(row.etl_disk_io_file_object), time))
            self.count["files known"] += path is not None
            self.same("files of disk requests", row, row.etl_disk_io_file_object_name, path)


def check_all(path):
    trace = Trace(path)
    for row in rows(path):
        trace.check(row)
    print("result: " + ", ".join(f"{count} {what}" for what, count in sorted(trace.count.items())))
    return trace.bad == 0 and trace.count["processes"] > 0


EVENT = re.compile(r"EVENT ([\d,.]+): (.*?) PID=(-?\d+); TID=(-?\d+); PName=([^;]*); ProceNum=(\d+);")


# What PerfView takes for an event's process in place of the header's: what the payload is about.
PAYLOAD_PROCESS = ("etl_process_process_id", "etl_thread_process_id", "etl_system_config_process_id")

EXCEPTIONS = {
    "Windows Kernel/DiskIO/FlushBuffers": "its thread is where 32-bit events have it, which no process has",
    "Windows Kernel/Process/Defunct": "names itself, which PerfView does not use",
}


def microseconds(text):
    """Of the time of day of "Jul 29, 2020 00:07:03.508362900 UTC", in ticks of 100 ns."""
    hours, minutes, seconds = text.split()[3].split(":")
    whole, part = seconds.split(".")
    return ((int(hours) * 60 + int(minutes)) * 60 + int(whole)) * 10**7 + int(part[:7])


def check_baseline(path, baseline):
    """Events of one moment, CPU and process: each that PerfView lists has the name that it shows."""
    frames = collections.defaultdict(set)
    start = None
    for row in rows(path):
        start = start or microseconds(row.etl_timestamp)
        pids = numbers(row.etl_pid) or [UNKNOWN]
        moment = (microseconds(row.etl_timestamp) - start + 5) // 10
        for shift in (-1, 0, 1):  # PerfView shows whole microseconds
            frames[moment + shift, row.etl_cpu, pids[-1]].add(row.etl_pid_name)
            for field in PAYLOAD_PROCESS:
                if getattr(row, field):
                    pid = numbers(getattr(row, field))[0]
                    frames[moment + shift, row.etl_cpu, pid].add(getattr(row, field + "_name"))
    compared, bad, excepted = 0, 0, 0
    for line in open(baseline, encoding="utf-8"):
        found = EVENT.match(line)
        if not found:
            continue
        moment = round(float(found[1].replace(",", "")) * 1000)
        pid = int(found[3]) & UNKNOWN
        name = "" if found[5].startswith("Process(") else found[5]
        shown = frames.get((moment, found[6], pid))
        names = {one.removesuffix(".exe") for one in shown or ()}
        if found[2] in EXCEPTIONS:
            excepted += 1
            continue
        compared += 1
        if names != {name}:
            bad += 1
            print(f"{found[0]} shown {shown}")
    print(f"result: {compared} events, {bad} differ, {excepted} apart by intent")
    return compared > 0 and bad == 0


def main():
    if sys.argv[1] == "fields":
        print(" ".join(f"-e {field}" for field in FIELDS))
        return 0
    if sys.argv[1] == "baseline":
        return 0 if check_baseline(sys.argv[2], sys.argv[3]) else 1
    return 0 if check_all(sys.argv[2]) else 1


if __name__ == "__main__":
    sys.exit(main())
