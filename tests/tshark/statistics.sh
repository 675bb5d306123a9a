# shellcheck shell=bash
# Whether statistics are the sums of what is in the fields of the same file. Sourced by all.sh.

# shellcheck disable=SC2054 # the commas are parts of names
STATISTICS=(-z etl,cpu -z etl,disk -z etl,files -z etl,faults -z etl,network -z etl,interrupts -z etl,lost
            -z etl_providers,tree -z etl_events,tree -z etl_processes,tree -z etl_cpus,tree -z etl_levels,tree)

summed_files() {
    printf "$CAPTURES/%s.etl\n" tour kernel-layouts-32 lost-events
    [ -n "$ETL_PREFIX" ] || ! have_corpus || printf "$ETL_CORPUS/%s\n" tmp0qw4cn.tmp.etl # once is enough
}

statistics_add_up() {
    local file field fields=() bad=0
    need_epan || return
    while read -r field; do
        fields+=(-e "$field")
    done < <(python3 "$ETL_ROOT/tests/tshark/statistics.py" fields)
    while read -r file; do
        quiet_ws tshark -r "$file" -T fields -E occurrence=f "${fields[@]}" >"$STAGE/out/fields" || return 1
        quiet_ws tshark -q -r "$file" "${STATISTICS[@]}" >"$STAGE/out/tables" || return 1
        basename "$file"
        python3 "$ETL_ROOT/tests/tshark/statistics.py" "$STAGE/out/fields" "$STAGE/out/tables" 2>&1 || bad=1
    done < <(summed_files)
    return $bad
}

# A filter after the statistic's name takes part.
filtered() {
    local all one
    need_epan || return
    all=$(quiet_ws tshark -q -r "$CAPTURES/tour.etl" -z etl,interrupts | grep -c '|.*\.[0-9]\{4\} |')
    one=$(quiet_ws tshark -q -r "$CAPTURES/tour.etl" -z 'etl,interrupts,etl.hookid == 0x0f43' | grep -c '|.*\.[0-9]\{4\} |')
    echo "result: $one of $all routines"
    [ "$all" -gt "$one" ] && [ "$one" -gt 0 ]
}

check "statistics add up" statistics_add_up
check "statistics of a filter" filtered
