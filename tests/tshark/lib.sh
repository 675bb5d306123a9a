# shellcheck shell=bash
# What the tests of the modules share: a place to stage them, and Wireshark's programs run as an ordinary
# user. Sourced after ../lib.sh.
#
# ETL_MODULES is a folder with X.Y/wiretap/etl.so and X.Y/epan/etl.so, as a build makes it. They are copied to
# where anybody may read them, and become Wireshark's only plugins: root would be refused plugins of its own.

AS=()
if [ "$(id -u)" = 0 ]; then
    AS=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
VERSION=$(tshark -v 2>/dev/null | sed -n '1s/.* \([0-9]*\.[0-9]*\)\..*/\1/p')

readable() {
    "${AS[@]}" test -r "$1"
}

make_stage() {
    STAGE=$(mktemp -d "${TMPDIR:-/tmp}/etl-tshark-XXXXXX")
    mkdir -p "$STAGE/home" "$STAGE/out"
    cp -r "$ETL_MODULES" "$STAGE/plugins"
    cp -r "$ETL_ROOT/captures" "$STAGE/captures"
    if have_corpus && ! readable "$ETL_CORPUS/INDEX.csv"; then
        cp -r "$ETL_CORPUS" "$STAGE/corpus"
        ETL_CORPUS=$STAGE/corpus
    fi
    chmod -R u+rwX,go+rX "$STAGE"
    [ "${#AS[@]}" = 0 ] || chown -R 65534:65534 "$STAGE"
    export STAGE ETL_CORPUS
}

# Each file of tests has a folder of its own for what it writes.
use_stage() {
    CAPTURES=$STAGE/captures
    PLUGINS=$STAGE/plugins
    OUT=$STAGE/out/$1
    "${AS[@]}" mkdir -p "$OUT"
}

# One of Wireshark's programs as an ordinary user, with our modules and with nobody's preferences. A bug in a
# dissector kills it; what hangs is killed.
ws() {
    "${AS[@]}" env -i PATH="$PATH" HOME="$STAGE/home" TMPDIR="$OUT" TZ=UTC LC_ALL=C.UTF-8 ${ETL_NAMES:+ETL_NAMES="$ETL_NAMES"} \
        ${ETL_ORDER:+ETL_ORDER="$ETL_ORDER"} ${ETL_SCHEMAS:+ETL_SCHEMAS="$ETL_SCHEMAS"} ${ETL_MEMORY_LIMIT:+ETL_MEMORY_LIMIT="$ETL_MEMORY_LIMIT"} \
        WIRESHARK_PLUGIN_DIR="$PLUGINS" WIRESHARK_ABORT_ON_DISSECTOR_BUG=1 \
        WIRESHARK_ABORT_ON_TOO_MANY_ITEMS=1 timeout "${ETL_TIMEOUT:-300}" "$@"
}

# The same, and a word on stderr is a failure.
quiet_ws() {
    local status
    ws "$@" 2>"$OUT/stderr"
    status=$?
    if [ -s "$OUT/stderr" ]; then
        echo "$* says on stderr:" >&2
        head -n 5 "$OUT/stderr" >&2
        return 1
    fi
    return "$status"
}

frames() {
    quiet_ws tshark -r "$@" -T fields -e frame.number | wc -l
}

# The etl layer of every frame, as JSON without its commas. Frame numbers, links to frames, the time between two,
# numbers of streams, a packet's path and which frame is its first are left out: they are another file's when a subset was saved.
etl_layer() {
    quiet_ws tshark -r "$1" -T json -J etl "${@:2}" | grep -v -e '"_index"' -e '"etl\.\(operation\|duration\|stream\)"' \
        -e 'etl\.[a-z_.]*frame[a-z_]*"' -e 'etl\.\(packet\|pktmon\)\.first"' -e 'etl\.packet\.path"' | sed 's/,$//'
}

captures() {
    find "$CAPTURES" -name '*.etl' -not -path '*/broken/*' -not -path '*/regressions/*' | sort
}

# The project's captures and all real traces.
all_traces() {
    captures
    ! have_corpus || corpus_files
}

# This version's share of the lines on stdin, N/M: M versions have all together.
share_of() {
    awk -v share="${ETL_SHARE:-1/1}" '{ split(share, part, "/") } NR % part[2] == part[1] - 1'
}

# Its share of the real traces, small and large ones.
corpus_share() {
    corpus_files | share_of
}

# Captures and the real traces that are quickly read, without those that differ from another in version only.
some_traces() {
    captures
    ! have_corpus || find "$ETL_CORPUS" \( -name '*.etl' -o -name '*.blg' \) -size -800k |
        grep -vE '_data_(32|64)_v[0-2]|TraceCurrent|PerfViewData' | sort
}

# A few of different kinds, for what takes long; with ETL_THOROUGH everything but the largest.
few_traces() {
    if [ -n "${ETL_THOROUGH:-}" ]; then
        captures
        ! have_corpus || find "$ETL_CORPUS" \( -name '*.etl' -o -name '*.blg' \) -size -5000k | sort
        return
    fi
    printf "$CAPTURES/%s.etl\n" tour items-64 header-message compression-xpress kernel-layouts-32 mode-private-32
    ! have_corpus || printf "$ETL_CORPUS/%s\n" PktMon.etl BasicPerfCounters.blg AMSITrace.etl HTTP_Server.etl \
        ms-rpc-capture-arrays.etl CldFlt0-2025-12-21-121418.etl process_data_64_v3.etl
}

# Two with ids in common, to cut and to merge.
two_traces() {
    if have_corpus; then
        printf '%s\n' "$ETL_CORPUS/ms-rpc-capture-arrays.etl" "$ETL_CORPUS/HTTP_Server.etl"
    else
        printf '%s\n' "$CAPTURES/tour.etl" "$CAPTURES/kernel-layouts-64.etl"
    fi
}

# How many frames a trace has, without dissecting them.
count_of() {
    quiet_ws capinfos -M -c "$1" | sed -n 's/^Number of packets: *//p'
}

# How many frames each of the filters on stdin has, a line each, in one pass per 25 of them: a start of tshark takes
# longer than a small trace. count_filters TRACE [options of tshark]
count_filters() {
    local lines at columns count
    mapfile -t lines
    for ((at = 0; at < ${#lines[@]}; at += 25)); do
        columns=$(printf ',%s' "${lines[@]:at:25}")
        count=$((${#lines[@]} - at > 25 ? 25 : ${#lines[@]} - at))
        # The last line of the table: | interval | frames | bytes | frames | bytes …
        quiet_ws tshark -r "$@" -q -z "io,stat,0$columns" |
            awk -F '|' -v count=$count '/<>/ { for (i = 0; i < count; i++) print $(3 + 2 * i) + 0 }' || return 1
    done
}

# The lines of stdin are "filter<tab>count"; prints those that have another: check_filters TRACE [options of tshark]
check_filters() {
    local wanted different
    wanted=$(cat)
    [ -n "$wanted" ] || return 0
    different=$(paste <(printf '%s\n' "$wanted") <(cut -f 1 <<<"$wanted" | count_filters "$@") | awk -F '\t' '$2 != $3 || $3 == ""')
    [ -z "$different" ] || { echo "$(basename "$1"): filter, frames expected, frames found"; printf '%s\n' "$different"; return 1; }
}

need_epan() {
    [ -e "$STAGE/plugins/$VERSION/epan/etl.so" ] || { echo "result: no dissector module was built"; return "$SKIPPED"; }
}

need_corpus() {
    have_corpus || { echo "result: no corpus"; return "$SKIPPED"; }
}
