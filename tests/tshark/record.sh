# shellcheck shell=bash
# Frames that another version, somebody else or an accident has made. Sourced by all.sh.

make_frames() {
    python3 "$ETL_ROOT/tests/tshark/frames.py" "$@" && chmod go+r "${@: -1}"
}

# A saved trace with the trailer of every frame changed: $CHANGED of $COUNT frames.
change() {
    CHANGED=$OUT/$1.pcapng
    [ -e "$OUT/whole.pcapng" ] || quiet_ws tshark -r "$CAPTURES/tour.etl" -w "$OUT/whole.pcapng" -F pcapng || return 1
    COUNT=$(count_of "$OUT/whole.pcapng")
    make_frames "$1" "$OUT/whole.pcapng" "$CHANGED"
}

# filter and expected number of frames of $CHANGED
expect() {
    local found
    found=$(frames "$CHANGED" -Y "$1")
    [ "$found" = "$2" ] || { echo "$(basename "$CHANGED"): $1: $found frames, $2 expected"; return 1; }
}

# A later version's trailer stays bytes, with a note; the event is still known by its EVENT_HEADER.
newer_version() {
    local CHANGED COUNT known
    need_epan && change newer || return
    known=$(frames "$OUT/whole.pcapng" -Y 'etl.provider && etl.header_type == 0x13')
    echo "result: $COUNT frames"
    expect 'etl.note.newer_record && etl.record.trailer[0:4] == 45:54:4c:02 && etl.header_type && etl.cpu' "$COUNT" &&
        expect 'etl.note.bad_record || etl.buffer.number || etl.trace_id || _ws.malformed' 0 &&
        [ "$known" -gt 0 ] && [ "$(frames "$CHANGED" -Y 'etl.provider && etl.header_type == 0x13')" -ge "$known" ]
}

# New types of items and a longer head change no version: readers skip them.
same_version() {
    local CHANGED COUNT kind bad=0
    need_epan || return
    for kind in unknown_item longer_head; do
        change "$kind" || return 1
        cmp <(etl_layer "$OUT/whole.pcapng") <(etl_layer "$CHANGED") || { echo "$kind: another layer"; bad=1; }
        [ "$COUNT" = "$(frames "$CHANGED" -Y etl.trace_id)" ] || bad=1
    done
    return $bad
}

damaged() {
    local CHANGED COUNT kind bad=0
    need_epan || return
    for kind in short_head long_head cut overrun rest no_header; do
        change "$kind" || return 1
        expect 'etl.note.bad_record && etl.record.trailer && !etl.note.newer_record' "$COUNT" || bad=1
        quiet_ws tshark -r "$CHANGED" -V >"$OUT/text" && ! grep -qi 'dissector bug' "$OUT/text" || { echo "$kind: -V"; bad=1; }
    done
    return $bad
}

# Names that a frame has before the damage stay; nothing is made up.
damaged_keeps() {
    local CHANGED COUNT names
    need_epan && change overrun || return
    names=$(frames "$OUT/whole.pcapng" -Y etl.pid.name)
    [ "$names" -gt 0 ] && expect etl.pid.name "$names" && expect etl.trace_id "$COUNT"
}

# Frames without a trailer match the filters of Wireshark's own dissector and ours.
like_etwdump() {
    local CHANGED=$OUT/etwdump.pcapng
    need_epan || return
    make_frames etwdump "$CHANGED" || return 1
    expect 'etw.size && etl' 3 && expect 'etw.provider_id == 1c95126e-7eea-49a9-a3fe-a378b03ddb4d' 1 &&
        expect 'etl.provider == 1c95126e-7eea-49a9-a3fe-a378b03ddb4d' 1 && expect 'etw.message contains "DNS query"' 1 &&
        expect 'etw.descriptor.id == 3006 && etl.id == 3006' 1 && expect 'etw.process_id == 500 && etl.pid == 500' 3 &&
        expect 'etl.hookid == 0x0524 && etl.thread.new_thread_id == 600' 1 && expect 'etl.pointer_size == 4' 1 &&
        expect 'etl.cpu == 3 && etl.logger_id == 7' 3 && expect 'etl.provider.name == "Contoso"' 3 &&
        expect 'etl.trace_id || etl.record.trailer || etl.note.bad_record' 0 &&
        mkdir -p "$OUT/no-plugins" && [ "$(PLUGINS=$OUT/no-plugins quiet_ws tshark -r "$CHANGED" -Y etw.size -T fields -e frame.number | wc -l)" = 3 ]
}

check "frames of a later version" newer_version
check "frames with more than this version knows" same_version
check "frames with a damaged trailer" damaged
check "frames with a damaged trailer keep what is before the damage" damaged_keeps
check "frames that others have made" like_etwdump
