# shellcheck shell=bash
# Whether display filters on header fields find as many frames as an independent reader. Sourced by all.sh.

# The counts for these traces. They may be given: all versions of Wireshark have the same.
ORACLE_COUNTS=${ORACLE_COUNTS:-$OUT/oracle-counts.tsv}
FILTERED=(tmp0qw4cn.tmp.etl diaghub.kernel.1.etl ms-rpc-capture-arrays.etl
          CldFlt0-2025-12-21-121418.etl TraceCurrent.0107.0006.etl SelfDescribingSingleEvent.etl ebpforwindows.etl
          ${ETL_THOROUGH:+2011-08-29_00-00-00_slow_ppt_trace.etl net.4.5.2.x64.etl})

make_oracle_counts() {
    [ ! -s "$ORACLE_COUNTS" ] || return 0
    (cd "$ETL_CORPUS" && python3 "$ETL_ROOT/tests/tshark/oracle_counts.py" "$ETL_ORACLE" "${FILTERED[@]}") >"$ORACLE_COUNTS"
}

filter_counts() {
    local name filter count found bad=0 filters=0
    need_corpus && need_epan || return
    make_oracle_counts || return 1
    while IFS=$'\t' read -r name filter count; do
        found=$(frames "$ETL_CORPUS/$name" -Y "$filter")
        [ "$found" = "$count" ] || { echo "$name: $filter: $found frames, $count events"; bad=1; }
        filters=$((filters + 1))
    done <"$ORACLE_COUNTS"
    echo "result: $filters filters"
    return $bad
}

# A number that other people have published for this trace.
context_switches() {
    local found
    need_corpus && need_epan || return
    found=$(frames "$ETL_CORPUS/2011-08-29_00-00-00_slow_ppt_trace.etl" -Y 'etl.hookid == 0x0524')
    echo "result: $found frames"
    [ "$found" = 29533 ]
}

# Filters that every trace has frames for, two passes and one.
everywhere() {
    local file filter one two bad=0
    need_epan || return
    while read -r file; do
        for filter in 'etl.size > 0 && etl.cpu >= 0 && etl.timestamp && etl.trace_id' 'etl.buffer.number == 0'; do
            one=$(frames "$file" -Y "$filter")
            two=$(frames "$file" -2 -Y "$filter")
            [ "$one" -gt 0 ] && [ "$one" = "$two" ] || { echo "$file: $filter: $one frames, with -2 $two"; bad=1; }
        done
    done < <(few_traces)
    return $bad
}

check "filters of header fields" filter_counts
check "29,533 context switches in one trace" context_switches
check "filters, one pass and two" everywhere
