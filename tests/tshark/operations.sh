# shellcheck shell=bash
# Durations: both ends of operations find each other, with one pass and with two. Sourced by all.sh.

timed_files() {
    printf "$CAPTURES/%s.etl\n" tour
    ! have_corpus || printf "$ETL_CORPUS/%s\n" HTTP_Server.etl
}

operations_linked() {
    local file field fields=() bad=0
    need_epan || return
    while read -r field; do
        fields+=(-e "$field")
    done < <(python3 "$ETL_ROOT/tests/tshark/operations.py" fields)
    while read -r file; do
        quiet_ws tshark -r "$file" -T fields "${fields[@]}" >"$STAGE/out/one" || return 1
        quiet_ws tshark -2 -r "$file" -T fields "${fields[@]}" >"$STAGE/out/two" || return 1
        quiet_ws tshark -q -r "$file" -z etl,srt >"$STAGE/out/srt" || return 1
        python3 "$ETL_ROOT/tests/tshark/operations.py" "$STAGE/out/one" "$STAGE/out/two" "$STAGE/out/srt" || bad=1
    done < <(timed_files)
    return $bad
}

# What the tour tells, by its text.
tour_operations() {
    local found
    need_epan || return
    found=$(quiet_ws tshark -r "$CAPTURES/tour.etl" -T fields -e etl.operation -e etl.duration \
        -Y 'etl.operation in {"Process", "Disk read", "DNS query", "Contoso-OrderClient: Session", "Hard fault"}')
    diff <(echo "$found") - <<TEXT
Disk read	0.000242000
Hard fault	0.000180000
DNS query	0.040230000
Contoso-OrderClient: Session	0.549602000
Process	0.579876000
TEXT
}

check "operations: links, durations, response times" operations_linked
check "operations of the tour" tour_operations
