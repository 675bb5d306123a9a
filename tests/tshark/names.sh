# shellcheck shell=bash
# Frames say of ids what the trace says of them at that time: in one pass, in two, and in a subset that was saved
# in one pass and opened again. Sourced by all.sh.

NAME_FIELDS=()

# The lines that names.py reads: named_fields FILE OPTIONS...
named_fields() {
    [ "${#NAME_FIELDS[@]}" -gt 0 ] || read -ra NAME_FIELDS < <(python3 "$ETL_ROOT/tests/tshark/names.py" fields)
    quiet_ws tshark -r "$@" -T fields "${NAME_FIELDS[@]}" -E 'aggregator=;'
}

# Large ones are read to their end only when there is time.
some_frames() {
    [ -n "${ETL_THOROUGH:-}" ] || echo "-c 8000"
}

# Of the largest one event in eight, and all that tell names.
events_to_check() {
    case $1 in
    *slow_ppt*) [ -n "${ETL_THOROUGH:-}" ] || echo '!(etl.buffer.offset & 0x38) || etl.process.image_file_name || etl.image.file_name || etl.file_io.file_name || etl.system_config_ex.nt_path' ;;
    esac
}

named_traces() {
    printf "$CAPTURES/%s.etl\n" tour names-64
    ! have_corpus || [ -n "$ETL_PREFIX" ] || printf "$ETL_CORPUS/%s.etl\n" tmp0qw4cn.tmp net.4.5.2.x64 2011-08-29_00-00-00_slow_ppt_trace
}

names_are_right() {
    local trace bad=0 out filter
    need_epan || return
    while read -r trace; do
        filter=$(events_to_check "$trace")
        named_fields "$trace" ${filter:+-Y "$filter"} >"$OUT/$(basename "$trace").tsv" || return 1
        out=$(python3 "$ETL_ROOT/tests/tshark/names.py" all "$OUT/$(basename "$trace").tsv") || bad=1
        printf '%s\n' "${out//result:/$(basename "$trace"):}"
    done < <(named_traces)
    echo "result: $(named_traces | wc -l) files"
    return $bad
}

# The number of a frame is another one in a subset.
names_are_kept() {
    local trace options bad=0 filter='!(etl.buffer.offset & 0x18)' frames=0
    need_epan || return
    while read -r trace; do
        read -ra options < <(some_frames)
        named_fields "$trace" "${options[@]}" -Y "$filter" | cut -f 2- >"$OUT/one-pass"
        named_fields "$trace" "${options[@]}" -2 -Y "$filter" | cut -f 2- >"$OUT/two-passes"
        quiet_ws tshark -r "$trace" "${options[@]}" -Y "$filter" -w "$OUT/subset.pcapng" -F pcapng || return 1
        named_fields "$OUT/subset.pcapng" | cut -f 2- >"$OUT/subset"
        cmp "$OUT/one-pass" "$OUT/two-passes" && cmp "$OUT/one-pass" "$OUT/subset" && [ -s "$OUT/subset" ] || bad=1
        frames=$((frames + $(wc -l <"$OUT/subset")))
    done < <(named_traces)
    echo "result: $frames frames, the same in one pass, two passes and a subset"
    return $bad
}

names_as_perfview() {
    local pair lines bad=0
    need_epan && need_corpus || return
    for pair in net.4.5.2.x64:net.4.5.2.x64 PerfViewData-gcevents:gcevents PerfViewData.clrRundown:gcrundownevents \
        primitive-types:primitive-types; do
        lines=$OUT/${pair%%:*}.etl.tsv
        [ -s "$lines" ] || named_fields "$ETL_CORPUS/${pair%%:*}.etl" >"$lines" || return 1
        python3 "$ETL_ROOT/tests/tshark/names.py" baseline "$lines" "$ETL_CORPUS/oracles/${pair##*:}.baseline.txt" || bad=1
    done
    return $bad
}

# What ETL_NAMES=0 leaves out, a saved file does not have either.
names_left_out() {
    local field
    need_epan || return
    ETL_NAMES=0 quiet_ws tshark -r "$CAPTURES/tour.etl" -w "$OUT/nameless.pcapng" -F pcapng || return 1
    for field in etl.pid.name etl.pid.command_line etl.pid.user etl.stack.module etl.code.module etl.disk_io.file_object.name; do
        [ "$(frames "$OUT/nameless.pcapng" -Y "$field")" = 0 ] || { echo "$field is there"; return 1; }
    done
    echo "result: none"
}

# Frame and what its Info has at its end: of captures/names-64.etl, and of its twin with 32 bits.
made_names() {
    cat <<'LINES'
8 Idle (0) → first.exe (104), Running, UserRequest
9 ntoskrnl.exe+0x5000
11 first.exe+0x100, thread first.exe (104)
12 lib.dll+0x20, thread first.exe (104)
13 0x20000000, thread first.exe (104)
15 2 frames: ntoskrnl.exe+0x2000, disk.sys+0x1000
16 2 frames: lib.dll+0x30, first.exe+0x200
19 disk Contoso Disk (0), 4096 bytes at 0x1000, C:\Users\alice\one.txt, NOCACHE|PAGING_IO|INPUT_OPERATION
21 disk Contoso Disk (0), 4096 bytes at 0x1000, C:\Users\alice\one.txt, NOCACHE|PAGING_IO|INPUT_OPERATION
23 disk Contoso Disk (0), 4096 bytes at 0x1000, \Device\HarddiskVolume9\two.txt, NOCACHE|PAGING_IO|INPUT_OPERATION
28 0x10000020, thread first.exe (104)
30 other.dll+0x20, thread first.exe (104)
31 first.exe, pid first.exe (100), parent System (4): C:\first.exe /one
33 thread second.exe (104) of process second.exe (100), start second.exe+0x20, service Orders, worker
35 second.exe+0x100, thread second.exe (104)
36 0x10000020, thread second.exe (104)
38 Version, key \REGISTRY\MACHINE\SOFTWARE\Contoso, 0x0
40 64 bytes at 0x0, file C:\three.txt, key C:\three.txt
41 handle 0x44, type File (37)
LINES
}

# How many frames match; the twin has the same: expect_names FILTER COUNT
expect_names() {
    local bits count
    for bits in 64 ${ETL_THOROUGH:+32}; do
        count=$(frames "$CAPTURES/names-$bits.etl" -Y "$1" "${@:3}")
        [ "$count" = "$2" ] || { echo "names-$bits: $1: $count frames, not $2"; return 1; }
    done
}

names_of_all_sorts() {
    local bits number text info bad=0 lines=0
    need_epan || return
    for bits in 64 32; do
        quiet_ws tshark -r "$CAPTURES/names-$bits.etl" -o 'gui.column.format:"No.","%m","Info","%i"' >"$OUT/info" || return 1
        while read -r number text; do
            info=$(grep "^ *$number " "$OUT/info")
            case $info in
            *" $text") lines=$((lines + 1)) ;;
            *) bad=1; echo "names-$bits: frame $number: $info, not $text" ;;
            esac
        done < <(made_names)
    done
    expect_names 'etl.pid.source == "thread"' 1 && expect_names 'etl.pid.source == "running thread" && etl.pid.name == "first.exe"' 4 &&
        expect_names 'etl.pid.command_line contains "/one" && etl.pid.user contains "1001" && etl.pid.parent == 4 && etl.pid.session == 1' 29 &&
        expect_names 'etl.tid.name == "main" && etl.thread.new_thread_id.name == "main"' 0 &&
        expect_names 'etl.thread.new_thread_id.name == "main"' 1 && expect_names 'etl.thread.new_thread_id.process == "first.exe"' 1 &&
        expect_names 'etl.stack.module == "ntoskrnl.exe"' 4 && expect_names 'etl.stack.address' 2 &&
        expect_names 'etl.stack.module == "disk.sys" && etl.stack.offset == 0x1010' 3 && expect_names 'etl.code.module == "second.exe"' 2 &&
        expect_names 'etl.disk_io.file_object.name contains "alice"' 2 && expect_names 'etl.image.image_base.name == "lib.dll"' 1 &&
        expect_names 'etl.thread.sub_process_tag.name == "Orders"' 1 && expect_names 'etl.object.object_type.name == "File"' 2 || bad=1
    echo "result: $lines lines of 32 and 64 bits"
    return $bad
}

# All stacks are linked to their event; in a second pass events to both halves, too.
stacks_are_linked() {
    local all linked
    need_epan || return
    expect_names 'etl.stack.event_frame == 14' 3 && expect_names 'etl.stack.other_frame == 15 && frame.number == 16' 1 &&
        expect_names 'etl.stack.frame == 15 && etl.stack.frame == 16 && frame.number == 14' 1 -2 || return 1
    { have_corpus && [ -z "$ETL_PREFIX" ]; } || { echo "result: captures only"; return; }
    all=$(frames "$ETL_CORPUS/net.4.5.2.x64.etl" -Y 'etl.hookid in {0x1820, 0x1825, 0x1826}')
    linked=$(frames "$ETL_CORPUS/net.4.5.2.x64.etl" -Y etl.stack.event_frame)
    echo "result: $linked of $all stacks of net.4.5.2.x64"
    [ "$all" = "$linked" ]
}

# A folder as symbol servers have it; next to it one of another build, and one that is no text.
functions_have_names() {
    local folder=$OUT/symbols/ntkrnlmp.pdb id=00112233445566778899AABBCCDDEEFF2
    need_epan || return
    "${AS[@]}" mkdir -p "$folder/$id" || return 1
    printf 'MODULE windows x86_64 %s ntkrnlmp.pdb\nFUNC 1200 100 0 KiSwapContext\nPUBLIC 5000 0 KiSystemCall\n' "$id" >"$folder/$id/ntkrnlmp.sym"
    chmod -R a+rX "$OUT/symbols"
    expect_names 'etl.code.function == "KiSwapContext"' 1 -o "etl.symbols:$OUT/symbols" &&
        expect_names 'etl.perf_info.instruction_pointer.name == "ntoskrnl.exe!KiSwapContext+0x34"' 1 -o "etl.symbols:$OUT/symbols" &&
        expect_names 'etl.code.function' 2 -o "etl.symbols:$OUT/symbols" && expect_names 'etl.code.function' 0 || return 1
    sed -i 's/MODULE windows x86_64 00/MODULE windows x86_64 01/' "$folder/$id/ntkrnlmp.sym"
    expect_names 'etl.code.function' 0 -o "etl.symbols:$OUT/symbols" || return 1
    head -c 4096 /dev/urandom >"$folder/$id/ntkrnlmp.sym"
    expect_names 'etl.code.function' 0 -o "etl.symbols:$OUT/symbols" || return 1
    echo "result: two functions"
}

check "names of all sorts of ids" names_of_all_sorts
check "stacks and their events are linked" stacks_are_linked
check "functions have names where there are symbols" functions_have_names
check "names are those that the trace tells" names_are_right
check "names in one pass, two passes and a saved subset" names_are_kept
[ -n "$ETL_PREFIX" ] || check "names of processes as PerfView has them" names_as_perfview
check "names that are left out" names_left_out
