# shellcheck shell=bash
# A frame explains itself alone: saved as pcapng, whole, filtered, cut or merged, it decodes as before.
# Sourced by all.sh.

same_layer() {
    cmp -s "$OUT/before.json" "$OUT/after.json" || {
        diff "$OUT/before.json" "$OUT/after.json" | head -n 6
        return 1
    }
}

saved_whole() {
    local file bad=0 files=0
    need_epan || return
    while read -r file; do
        files=$((files + 1))
        quiet_ws tshark -r "$file" -w "$OUT/saved.pcapng" -F pcapng || bad=1
        etl_layer "$file" >"$OUT/before.json"
        etl_layer "$OUT/saved.pcapng" >"$OUT/after.json"
        [ -s "$OUT/before.json" ] && same_layer || { echo "$file: another layer after saving"; bad=1; }
    done < <(few_traces)
    echo "result: $files files"
    return $bad
}

# Every third frame, saved in one pass and in two.
saved_filtered() {
    local file pass bad=0 files=0
    need_epan || return
    while read -r file; do
        files=$((files + 1))
        etl_layer "$file" -Y 'etl.pid & 4' >"$OUT/before.json"
        for pass in '' -2; do
            # shellcheck disable=SC2086 # nothing or one word
            quiet_ws tshark -r "$file" $pass -Y 'etl.pid & 4' -w "$OUT/saved.pcapng" -F pcapng || bad=1
            etl_layer "$OUT/saved.pcapng" >"$OUT/after.json"
            same_layer || { echo "$file: another layer after filtering ${pass:-in one pass}"; bad=1; }
        done
    done < <(few_traces)
    echo "result: $files files"
    return $bad
}

saved_by_editcap() {
    local file bad=0 files=0
    need_epan || return
    while read -r file; do
        files=$((files + 1))
        quiet_ws editcap -r "$file" "$OUT/saved.pcapng" 5-104 || bad=1
        etl_layer "$file" -Y 'frame.number >= 5 && frame.number <= 104' >"$OUT/before.json"
        etl_layer "$OUT/saved.pcapng" >"$OUT/after.json"
        same_layer || { echo "$file: another layer after editcap"; bad=1; }
    done < <(few_traces)
    echo "result: $files files"
    return $bad
}

# A trace can be saved as a trace: the same events, though elsewhere in their file. The logfile header is left out:
# it counts buffers; so are messages without a time, which have that of whatever is before them.
saved_as_trace() {
    local file bad=0 files=0
    local fields=(-Y '!(etl.hookid == 0) && !(etl.message.flags && !(etl.message.flags & 8))' -T fields -e frame.time_epoch -e etl.header_type -e etl.cpu -e etl.pid -e etl.tid -e etl.hookid -e etl.provider
                  -e etl.id -e etl.timestamp.raw -e etl.ext.type -e data -e _ws.col.Info)
    need_epan || return
    while read -r file; do
        files=$((files + 1))
        quiet_ws tshark -r "$file" -w "$OUT/saved.etl" -F etl || { echo "$file: cannot be saved"; bad=1; continue; }
        quiet_ws tshark -r "$file" "${fields[@]}" | sort >"$OUT/before.json"
        quiet_ws tshark -r "$OUT/saved.etl" "${fields[@]}" | sort >"$OUT/after.json"
        same_layer || { echo "$file: other events after saving"; bad=1; }
    done < <(few_traces)
    echo "result: $files files"
    return $bad
}

# Two traces with ids in common: each one's frames by its trace id are what they were.
saved_by_mergecap() {
    local files file id bad=0
    need_epan || return
    mapfile -t files < <(two_traces)
    quiet_ws mergecap -w "$OUT/saved.pcapng" "${files[@]}" || return 1
    for file in "${files[@]}"; do
        id=$(quiet_ws tshark -r "$file" -T fields -e etl.trace_id -c 1)
        [ -n "$id" ] || { echo "$file: no trace id"; return 1; }
        etl_layer "$file" >"$OUT/before.json"
        etl_layer "$OUT/saved.pcapng" -Y "etl.trace_id == $id" >"$OUT/after.json"
        same_layer || { echo "$file: another layer after merging"; bad=1; }
    done
    return $bad
}

# Without the plugin a saved trace is what Wireshark's own dissector knows.
without_plugin() {
    local file count known
    read -r file < <(two_traces)
    quiet_ws tshark -r "$file" -w "$OUT/saved.pcapng" -F pcapng || return 1
    count=$(frames "$file")
    known=$(PLUGINS=$OUT quiet_ws tshark -r "$OUT/saved.pcapng" -T fields -e frame.protocols | grep -c '^etw')
    echo "result: $known of $count frames"
    [ "$known" = "$count" ]
}

check "saved and opened again" saved_whole
check "filtered, saved and opened again" saved_filtered
check "cut by editcap and opened again" saved_by_editcap
check "saved as a trace and opened again" saved_as_trace
check "merged by mergecap and opened again" saved_by_mergecap
check "saved and opened without the plugin" without_plugin
