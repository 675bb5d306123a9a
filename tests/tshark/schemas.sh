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
    expect 'etl.contoso_telemetry.bool16 == 1' 1 "$CAPTURES/tracelogging.etl"
    expect 'etl.schema.source == "TraceLogging"' 11 "$CAPTURES/tracelogging.etl"
    expect 'etl.contoso_order_client.code == 0' 1 "$CAPTURES/tour.etl"
    expect 'etl.schema.source == "embedded"' 5 "$CAPTURES/tour.etl"
    return $bad
}

# The same however the trace comes, and wherever a field can be named.
every_way() {
    local bad=0 file field=etl.contoso_telemetry.port
    need_epan || return
    ws gzip -c "$CAPTURES/tracelogging.etl" >"$STAGE/out/tracelogging.etl.gz"
    quiet_ws editcap "$CAPTURES/tracelogging.etl" "$OUT/tracelogging.pcapng"
    for file in "$CAPTURES/tracelogging.etl" "$STAGE/out/tracelogging.etl.gz" "$OUT/tracelogging.pcapng"; do
        expect "$field == 443" 1 "$file"
        [ "$(quiet_ws tshark -r "$file" -T fields -e $field | tr -d '\n')" = 443 ] || { echo "$file: -e has no port"; bad=1; }
        quiet_ws tshark -r "$file" -q -z "io,stat,0,MAX($field)$field" | grep -q '| 443 |' || { echo "$file: io,stat has no port"; bad=1; }
    done
    return $bad
}

# Manifests in the trace itself, in pieces: whatever their order, each process by its own.
event_sources() {
    local bad=0
    need_epan || return
    expect 'etl.contoso_shop.customer == "Ada" && etl.schema.source == "EventSource"' 1 "$CAPTURES/event-source.etl"
    expect 'etl.contoso_bank.cents == 100' 1 "$CAPTURES/event-source.etl"
    expect 'etl.contoso_bank.euros == 3' 1 "$CAPTURES/event-source.etl" -2
    expect 'etl.event_source.manifest contains "Contoso-Shop"' 2 "$CAPTURES/event-source.etl"
    expect 'etl.note.bad_manifest' 1 "$CAPTURES/event-source.etl"
    quiet_ws tshark -r "$CAPTURES/event-source.etl" -Y 'etl.contoso_shop.order_id == 2' -w "$OUT/sources.pcapng"
    expect 'etl.contoso_shop.customer == "Grace"' 1 "$OUT/sources.pcapng"
    expect 'etl.event.message == "Order 2 by Grace is Paid"' 1 "$OUT/sources.pcapng"
    return $bad
}

# What every described field feeds.
# One text is all that they have; whatever their id is.
string_only() {
    local bad=0
    need_epan || return
    expect 'etl.text == "Only a text, bytes to spare: ✓"' 1 "$CAPTURES/header-event.etl"
    ws tshark -r "$CAPTURES/header-event.etl" -Y 'etl.flags.string_only == 1' | grep -q ' Id 4 Only a text' || { echo "Info has no text"; bad=1; }
    return $bad
}

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
    # Two of PerfView's own write eight bytes where their manifest has four.
    local notes
    notes=$(quiet_ws tshark -r "$ETL_CORPUS/net.4.5.2.x64.etl" -Y 'etl.schema.source == "EventSource"' -T fields \
        -e etl.note.truncated -e etl.note.surplus | sort | uniq -c | tr -s ' \t\n' ' ')
    [ "$notes" = ' 116 2 1 ' ] || { echo "events of EventSources and their notes: $notes"; bad=1; }
    return $bad
}

check "fields of the file's own schemas in one command" one_command
# Counters of performance logs: the list, and the values in its order.
counters() {
    local bad=0
    need_epan || return
    local log=$CAPTURES/performance-log.etl
    expect 'etl.performance_log.object_name == "Processor" && etl.performance_log.counter_name == "Page Faults/sec"' 3 "$log"
    expect 'etl.performance_log.path == "\\Processor(_Total)\\% Processor Time" && etl.performance_log.instance_name == "0"' 2 "$log"
    expect 'etl.performance_log.path contains "Page" && etl.performance_log.counter_type == "COUNTER_COUNTER"' 2 "$log" -2
    # Each value carries its name: also in a subset without the list.
    quiet_ws tshark -r "$log" -Y 'etl.performance_log.first_value == 110' -w "$OUT/values.pcapng"
    quiet_ws tshark -r "$OUT/values.pcapng" | grep -qF '\Memory\Page Faults/sec = 110, \Processor(0)\% Processor Time = 110, \Processor(_Total)\% Processor Time = 220' ||
        { echo "a saved value has no name"; bad=1; }
    ETL_NAMES=0 expect etl.performance_log.path 0 "$log"
    expect 'etl.performance_log.item_name == "_Total" && etl.performance_log.first_value == 110' 1 "$CAPTURES/performance-log.etl"
    return $bad
}

real_counters() {
    local bad=0
    need_epan && need_corpus || return
    expect 'etl.performance_log.path == "\\Processor(_Total)\\% Processor Time" && etl.performance_log.path == "\\PhysicalDisk(0 C:)\\Avg. Disk Queue Length"' 601 "$ETL_CORPUS/BasicPerfCounters.blg"
    return $bad
}

check "the same compressed, saved, in columns and statistics" every_way
check "manifests that EventSources write" event_sources
check "counters of performance logs" counters
check "counters of a real performance log" real_counters
check "events that are one text" string_only
check "filters across all described fields" across_all
check "a saved subset has its schemas" saved_subset
check "names that no schema declares" unknown_name
check "described events of real traces are decoded" coverage
