# shellcheck shell=bash
# Events that a schema describes: their fields in filters, in one command, and in saved subsets. Sourced by all.sh.

# expect FILTER NUMBER FILE [options]: how many frames a filter finds
expect() {
    local found
    found=$(frames "$3" -Y "$1" "${@:4}")
    [ "$found" = "$2" ] || { echo "$3: $1: $found frames instead of $2"; bad=1; }
}

one_command() {
    local bad=0
    need_epan || return
    expect 'etl.contoso_telemetry.port == 443' 1 "$CAPTURES/tracelogging.etl"
    expect 'etl.contoso_telemetry.port == 443' 1 "$CAPTURES/tracelogging.etl" -2
    expect 'etl.schema.source == "TraceLogging"' 10 "$CAPTURES/tracelogging.etl"
    expect 'etl.contoso_order_client.code == 0' 1 "$CAPTURES/tour.etl"
    expect 'etl.schema.source == "embedded"' 5 "$CAPTURES/tour.etl"
    return $bad
}

# What every described field feeds.
across_all() {
    local bad=0
    need_epan || return
    expect 'etl.field.name == "Port" && etl.field.uint == 443' 1 "$CAPTURES/tracelogging.etl"
    expect 'etl.field.int == -4' 1 "$CAPTURES/tracelogging.etl"
    expect 'etl.field.string contains "counted"' 1 "$CAPTURES/tracelogging.etl"
    expect 'etl.field.guid == 00112233-4455-6677-8899-aabbccddeeff' 2 "$CAPTURES/tracelogging.etl"
    expect 'etl.field.time > "2020-01-01 00:00:00"' 2 "$CAPTURES/tracelogging.etl"
    return $bad
}

# A subset saved in a single pass still has what describes it, and so do its filters.
saved_subset() {
    local bad=0
    need_epan || return
    quiet_ws tshark -r "$CAPTURES/tour.etl" -Y 'etl.contoso_order_client.code == 0' -w "$OUT/described.pcapng"
    expect 'etl.contoso_order_client.code == 0' 1 "$OUT/described.pcapng"
    expect 'etl.schema.source == "embedded"' 1 "$OUT/described.pcapng"
    return $bad
}

# A filter that names what no file has is refused, as ever.
unknown_name() {
    need_epan || return
    ! ws tshark -r "$CAPTURES/tour.etl" -Y 'etl.contoso_order_client.no_such_field'
}

# Every described event of real traces is decoded to its end but for two, whose writers added bytes.
coverage() {
    local bad=0
    need_epan && need_corpus || return
    expect 'etl.schema.source == "embedded" && etl.note.truncated' 0 "$ETL_CORPUS/tmp0qw4cn.tmp.etl"
    expect 'etl.schema.source == "embedded" && etl.note.surplus' 2 "$ETL_CORPUS/tmp0qw4cn.tmp.etl"
    expect 'etl.schema.source == "embedded" && etl.payload' 2 "$ETL_CORPUS/tmp0qw4cn.tmp.etl"
    return $bad
}

check "fields of the file's own schemas in one command" one_command
check "filters across all described fields" across_all
check "a saved subset has its schemas" saved_subset
check "names that no schema declares" unknown_name
check "described events of real traces are decoded" coverage
