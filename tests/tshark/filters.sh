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
    local name filter count bad=0
    need_corpus && need_epan || return
    make_oracle_counts || return 1
    for name in "${FILTERED[@]}"; do
        awk -F '\t' -v OFS='\t' -v name="$name" '$1 == name { print $2, $3 }' "$ORACLE_COUNTS" >"$OUT/counts"
        check_filters "$ETL_CORPUS/$name" <"$OUT/counts" || bad=1
        # The last one alone: then nobody asks for other fields.
        IFS=$'\t' read -r filter count < <(tail -n 1 "$OUT/counts")
        [ "$(frames "$ETL_CORPUS/$name" -Y "$filter")" = "$count" ] || { echo "$name: $filter: not $count frames alone"; bad=1; }
    done
    echo "result: $(wc -l <"$ORACLE_COUNTS") filters"
    return $bad
}

# A number that other people have published for this trace.
context_switches() {
    local found
    need_corpus && need_epan || return
    corpus_share | grep -q slow_ppt_trace || { echo "result: in another version's share"; return "$SKIPPED"; }
    found=$(frames "$ETL_CORPUS/2011-08-29_00-00-00_slow_ppt_trace.etl" -Y 'etl.hookid == 0x0524')
    echo "result: $found frames"
    [ "$found" = 29533 ]
}

# Filters that every trace has frames for, two passes and one.
everywhere() {
    local file filters one two bad=0
    need_epan || return
    filters=$(printf '%s\n' 'etl.size > 0 && etl.cpu >= 0 && etl.timestamp && etl.trace_id' 'etl.buffer.number == 0')
    while read -r file; do
        one=$(count_filters "$file" <<<"$filters" | tr '\n' ' ')
        two=$(count_filters "$file" -2 <<<"$filters" | tr '\n' ' ')
        [[ $one = "$two" && $one =~ ^[1-9][0-9]*\ [1-9] ]] || { echo "$file: $one frames, with -2 $two"; bad=1; }
    done < <(few_traces)
    return $bad
}

check "filters of header fields" filter_counts
check "29,533 context switches in one trace" context_switches
check "filters, one pass and two" everywhere
