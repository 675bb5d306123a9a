#!/bin/bash
# How fast it is, beside how fast design says it should be: bench.sh [--quick] [--events N]
#
# Processor time, user and system. Programs that are compared run at once, on one processor, which changes between
# them many times a second: whatever else the machine does, it does to both. Several rounds; the best round of each
# counts, and what a start on a file of one event takes is subtracted. Rates of two runs of this script say nothing
# beside each other on a machine that does other things too; ratios of one run do. A target that is missed is
# marked "below" and is no failure: what fails is a benchmark that does not run.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
ETL_MODULES=${ETL_MODULES:-$ETL_ROOT/build/release/plugins}
. "$here/../tshark/lib.sh"
programs=$ETL_ROOT/build/release/tests/bench
events=2000000 rounds=5
while [ $# -gt 0 ]; do
    case $1 in
    --quick) events=100000 rounds=1 ;;
    --events) events=$2; shift ;;
    *) sed -n '2,3s/^# //p' "$0"; exit 2 ;;
    esac
    shift
done

taskset -cp "$(taskset -cp $$ | sed 's/.*[ ,-]//')" $$ >/dev/null || exit 1
make_stage
trap 'rm -rf "$STAGE"' EXIT
use_stage bench
data=$STAGE/data
mkdir -p "$data"

# The traces of this size, and one event of each sort for the starts.
make_inputs() {
    "$programs/bench_generate" "$data/plain.etl" "$events" 8 &&
        "$programs/bench_generate" "$data/plain-64.etl" "$events" 64 &&
        "$programs/bench_generate" "$data/packed.etl" "$events" 8 compressed &&
        "$programs/bench_generate" "$data/packed-28.etl" "$events" 28 compressed &&
        python3 "$here/baseline.py" "$data/base.pcapng" "$((events + 1))" &&
        "$programs/bench_generate" "$data/described.etl" "$events" 8 described &&
        "$programs/bench_generate" "$data/one.etl" 1 8 &&
        "$programs/bench_generate" "$data/one-packed.etl" 1 8 compressed &&
        "$programs/bench_generate" "$data/packets.etl" "$((events / 2))" 8 packets &&
        "$programs/bench_generate" "$data/one-packet.etl" 1 8 packets &&
        python3 "$here/baseline.py" "$data/one.pcapng" 1 &&
        python3 "$here/baseline.py" "$data/bare.pcapng" "$((events + 1))" --bare &&
        python3 "$here/baseline.py" "$data/one-bare.pcapng" 1 --bare &&
        chmod -R go+rX "$STAGE" || exit 1
    ws tshark -r "$data/plain.etl" -w "$OUT/saved.pcapng" -F pcapng && ws tshark -r "$data/one.etl" -w "$OUT/one.pcapng" -F pcapng || exit 1
}

calculate() {
    awk "BEGIN { printf \"%.$1f\", $2 }"
}

# value, unit, target, what: a line of the report
row() {
    local verdict=
    [ -z "$3" ] || verdict=$(awk "BEGIN { print ($1 $3) ? \"met\" : \"below\" }")
    printf '%-84s %8s %-16s %-10s %s\n' "$4" "$1" "$2" "$3" "$verdict"
}

# Seconds of processor time of a command of Wireshark's.
cpu() {
    local TIMEFORMAT='%3U %3S'
    { time ws "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

# The smaller of two numbers, the first of which may be missing.
least() {
    [ -n "$1" ] || { echo "$2"; return; }
    calculate 6 "$1 < $2 ? $1 : $2"
}

# Two commands at once: sets seconds_a and seconds_b.
both() {
    # shellcheck disable=SC2086 # words
    cpu $1 >"$OUT/seconds.a" &
    # shellcheck disable=SC2086
    cpu $2 >"$OUT/seconds.b" &
    wait
    seconds_a=$(<"$OUT/seconds.a") seconds_b=$(<"$OUT/seconds.b")
}

# Runs A and B: compare "A's words" "A's start" "B's words" "B's start". Sets time_a, time_b, spread: net
# seconds of the best rounds, and the least and the largest ratio B/A of a round.
compare() {
    local a b start_a start_b ratios=()
    time_a='' time_b='' start_a='' start_b=''
    local round
    for ((round = 0; round < rounds; round++)); do
        both "$2" "$4"
        start_a=$(least "$start_a" "$seconds_a") start_b=$(least "$start_b" "$seconds_b")
        both "$1" "$3"
        a=$seconds_a b=$seconds_b
        time_a=$(least "$time_a" "$a") time_b=$(least "$time_b" "$b")
        ratios+=("$(calculate 3 "($b - $start_b) / ($a - $start_a)")")
    done
    time_a=$(calculate 6 "$time_a - $start_a") time_b=$(calculate 6 "$time_b - $start_b")
    spread=$(printf '%s\n' "${ratios[@]}" | sort -n | sed -n '1p;$p' | paste -sd ' ' | sed 's/ / to /')
}

# A rate as a multiple of the baseline's: versus "what" "target" and compare's words.
versus() {
    local what=$1 target=$2
    shift 2
    compare "$@"
    row "$(calculate 2 "$time_b / $time_a")" "x B" "$target" "$what ($(calculate 0 "$events / $time_a / 1000") k/s; rounds $spread)"
}

# The best of some rounds of bench_walk: file, mode; sets index, rest, bytes, fields, overhead, names, count.
walk() {
    local round best='' line
    for ((round = 0; round < rounds; round++)); do
        line=$("$programs/bench_walk" "$data/$1" "$2" | awk '{ v[$1] = $2 }
            END { print v["index"] + v["rest"], v["index"], v["rest"], v["events"], v["bytes"], v["fields"], v["overhead"], v["names"] }')
        best=$(printf '%s\n%s\n' "$best" "$line" | grep . | sort -n | head -n 1)
    done
    read -r total index rest count bytes fields overhead names <<<"$best"
}

core() {
    local file
    for file in plain plain-64; do
        walk $file.etl walk
        row "$(calculate 1 "$count / $rest / 1e6")" "M events/s" ">= 25" "core walk with merge, $file"
        row "$(calculate 2 "$bytes / $rest / 1e9")" "GB/s" ">= 1.5" "  the same in bytes"
        row "$(calculate 1 "$count / $total / 1e6")" "M events/s" "" "  with its index pass"
    done
    walk packed.etl expand
    row "$(calculate 1 "$count / $rest / 1e6")" "M events/s" ">= 7" "core walk with merge, compressed, each buffer expanded as it comes"
    row "$(calculate 0 "$bytes / $rest / 1e6")" "MB/s" ">= 900" "  the same in expanded bytes"
    row "$(calculate 1 "$count / $total / 1e6")" "M events/s" "" "  with its index pass, which expands them too"
    walk plain.etl fields
    row "$(calculate 1 "$count / $total / 1e6")" "M events/s" ">= 4" "all fields into a null sink ($(calculate 1 "$fields / $count") a event)"
    walk plain.etl records
    row "$(calculate 0 "$overhead / $count")" "bytes" "<= 200" "record over its payload, kernel events, without names"
    row "$(calculate 0 "$names / $count")" "bytes" "" "  its names: of process, modules, file"
    local what memory
    memory=$("$programs/bench_walk" "$data/plain.etl" walk)
    for what in processes threads images files; do
        row "$(awk -v w=$what '{ v[$1] = $2 } END { printf "%.0f", v[w "_bytes"] / v[w] }' <<<"$memory")" "bytes" "" \
            "memory of each of $(awk -v w=$what '$1 == w { print $2 }' <<<"$memory") $what, their texts apart"
    done
    row "$(awk '$1 == "texts_bytes" { print $2 }' <<<"$memory")" "bytes" "" "  all texts but of paths, which are with the files"
}

in_tshark() {
    local base="tshark -r $data/base.pcapng" one="tshark -r $data/one.pcapng"
    local plain="tshark -r $data/plain.etl" one_etl="tshark -r $data/one.etl"
    versus "tshark, text" ">= 1.2" "$plain" "$one_etl" "$base" "$one"
    versus "tshark, text, B frames that no dissector takes" "" "$plain" "$one_etl" \
        "tshark -r $data/bare.pcapng" "tshark -r $data/one-bare.pcapng"
    versus "tshark -Y, a header field" ">= 1.2" "$plain -Y etl.hookid==0xffff" "$one_etl -Y etl.hookid==0xffff" \
        "$base -Y frame.len==1" "$one -Y frame.len==1"
    local filtered=$time_a
    walk plain.etl walk
    row "$(calculate 1 "100 * $index / ($filtered)")" "%" "<= 15" "index pass, share of tshark -Y"
    versus "tshark -Y, a field of a kernel payload" ">= 0.9" "$plain -Y etl.thread.new_thread_id==99" \
        "$one_etl -Y etl.thread.new_thread_id==99" "$base -Y frame.len==1" "$one -Y frame.len==1"
    local described="tshark -r $data/described.etl"
    versus "tshark -Y, a field of a built-in schema" ">= 0.7" "$described -Y etl.microsoft_windows_kernel_process.thread_id==99" \
        "$one_etl -Y etl.microsoft_windows_kernel_process.thread_id==99" "$base -Y frame.len==1" "$one -Y frame.len==1"
    versus "tshark -Y, any field of a schema" ">= 0.7" "$described -Y etl.field.uint==999999" \
        "$one_etl -Y etl.field.uint==999999" "$base -Y frame.len==1" "$one -Y frame.len==1"
}

other_programs() {
    local pcapng="capinfos $OUT/saved.pcapng" one="capinfos $OUT/one.pcapng"
    versus "capinfos, B is the same as pcapng" ">= 2" "capinfos $data/plain.etl" "capinfos $data/one.etl" "$pcapng" "$one"
    versus "capinfos, compressed" ">= 1" "capinfos $data/packed.etl" "capinfos $data/one-packed.etl" "$pcapng" "$one"
}

# B is the single pass: the time of two passes is a multiple of it.
two_passes() {
    local one="tshark -r $data/one-packed.etl -Y etl.hookid==0xffff" packed="tshark -r $data/packed-28.etl -Y etl.hookid==0xffff"
    compare "${packed/tshark/tshark -2}" "${one/tshark/tshark -2}" "$packed" "$one"
    row "$(calculate 2 "$time_a / $time_b")" "x one pass" "<= 2.0" "tshark -2 -Y, compressed, 28 CPUs"
}

# B is the same packets, exported. The rate is of half the events.
packets() {
    local name events=$((events / 2))
    for name in packets one-packet; do
        ws tshark -r "$data/$name.etl" -X 'read_format:Windows Event Trace Log (packets only)' -w "$OUT/$name.pcapng" -F pcapng || exit 1
    done
    versus "tshark -Y, a field of TCP inside events, B is the packets alone" ">= 0.7" "tshark -r $data/packets.etl -Y tcp.dstport==99" \
        "tshark -r $data/one-packet.etl -Y tcp.dstport==99" "tshark -r $OUT/packets.pcapng -Y tcp.dstport==99" \
        "tshark -r $OUT/one-packet.pcapng -Y tcp.dstport==99"
}

# What a start of tshark takes with the modules and their fields, more than without: on a file of neither.
starts() {
    local round with='' without=''
    mkdir -p "$OUT/none"
    for ((round = 0; round < 2 * rounds; round++)); do
        with=$(least "$with" "$(cpu tshark -r "$data/one-bare.pcapng")")
        without=$(least "$without" "$(PLUGINS=$OUT/none cpu tshark -r "$data/one-bare.pcapng")")
    done
    row "$(calculate 0 "1000 * ($with - $without)")" "ms" "<= 50" "start of tshark with the modules, beside one without ($(calculate 0 "1000 * $without") ms)"
}

make_inputs
printf '%d events, best of %d rounds, Wireshark %s\n' "$events" "$rounds" "$VERSION"
core
in_tshark
other_programs
two_passes
packets
starts
