# shellcheck shell=bash
# Events that the built-in table describes: which are, by which version, and their fields in filters. Sourced by all.sh.

# expect FILTER NUMBER [options]: how many frames of the capture a filter finds
expect_builtin() {
    local found
    found=$(frames "${FILE:-$CAPTURES/builtin.etl}" -Y "$1" "${@:3}")
    [ "$found" = "$2" ] || { echo "$1: $found frames instead of $2"; bad=1; }
}

sources() {
    local bad=0
    need_epan || return
    expect_builtin 'etl.schema.source == "built-in"' 10
    expect_builtin 'etl.schema.source == "built-in older version"' 1
    expect_builtin 'etl.schema.version == 0 && etl.version == 3' 1
    expect_builtin 'etl.schema.source == "none" && etl.payload == 01:00:00:00' 1
    return $bad
}

builtin_fields() {
    local bad=0
    need_epan || return
    expect_builtin 'etl.microsoft_windows_kernel_general.new_bias == -60' 1
    expect_builtin 'etl.microsoft_windows_kernel_general.new_bias == -60' 1 -2
    expect_builtin 'etl.microsoft_windows_kernel_general.new_bias' 2
    expect_builtin 'etl.microsoft_windows_dot_net_runtime.name == "List"' 1
    expect_builtin 'etl.microsoft_windows_kernel_general.reason == "System time synchronized with the hardware clock"' 1
    expect_builtin 'etl.microsoft_windows_n_wi_fi.mac == 02:00:00:00:00:01' 2
    expect_builtin 'etl.field.string == "List"' 1
    expect_builtin 'etl.event.name == "BulkType" && etl.task.name == "Type" && etl.opcode.name == "BulkType"' 1
    quiet_ws tshark -r "$CAPTURES/builtin.etl" -Y 'etl.microsoft_windows_kernel_general.new_bias == -60' -w "$OUT/builtin.pcapng"
    FILE=$OUT/builtin.pcapng expect_builtin 'etl.microsoft_windows_kernel_general.new_bias == -60' 1
    return $bad
}

# All bytes of a payload that is not as the table says.
unfit() {
    local bad=0
    need_epan || return
    expect_builtin 'etl.note.builtin_unfit' 2
    expect_builtin 'etl.note.builtin_unfit && etl.payload == c4:ff:ff:ff:00:00' 1
    expect_builtin 'etl.note.builtin_unfit && etl.microsoft_windows_kernel_general.new_bias' 0
    return $bad
}

# All of its names are known before any file is opened, and each has one kind: else Wireshark crashes.
registered() {
    local names
    need_epan || return
    ws tshark -G fields | awk -F '\t' '$1 == "F" && $3 ~ /^etl\./ {
        kind = $4
        sub(/[0-9]+$/, "", kind)
        if ($3 in kinds && kinds[$3] != kind) { print $3 ": " kinds[$3] " and " kind; bad = 1 }
        kinds[$3] = kind
        names += 1
    } END { printf "result: %d fields\n", names; exit bad || names < 17000 }'
}

check "where the description of an event is from" sources
check "filters of built-in fields" builtin_fields
check "payloads that the built-in table does not fit" unfit
check "built-in fields are there from the start" registered
