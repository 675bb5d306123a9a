# shellcheck shell=bash
# The same frames from other inputs: compressed, through a pipe, cut off. Sourced by all.sh.

# What identifies each frame, time and bytes, as editcap writes them: frames_read FILE OUT
frames_read() {
    quiet_ws editcap -F pcapng "$1" "$2"
}

# The same in tshark, which reads once more, here and there, with -2.
frames_text() {
    quiet_ws tshark -r "$1" -x -t e "${@:2}" | md5sum
}

packed_input() {
    local program=$1 file bad=0 files=0
    command -v "$program" >/dev/null || { echo "result: $program is not installed"; return "$SKIPPED"; }
    while read -r file; do
        files=$((files + 1))
        "$program" -q -c "$file" >"$OUT/packed" 2>/dev/null || "$program" -c "$file" >"$OUT/packed"
        chmod go+r "$OUT/packed"
        frames_read "$file" "$OUT/plain.pcapng" && frames_read "$OUT/packed" "$OUT/unpacked.pcapng" || bad=1
        cmp "$OUT/plain.pcapng" "$OUT/unpacked.pcapng" || { echo "$file: other frames"; bad=1; }
        # Two passes take long: every third.
        if [ $((files % 3)) = 1 ] && [ "$(frames_text "$file")" != "$(frames_text "$OUT/packed" -2)" ]; then
            echo "$file: other frames with -2"
            bad=1
        fi
    done < <(few_traces)
    echo "result: $files files"
    return $bad
}

# Wireshark 4.0 to 4.6 can be built without zstd or lz4: then there is nothing to test.
packed_if_known() {
    local file=$CAPTURES/tour.etl
    "$1" -q -c "$file" >"$OUT/packed" 2>/dev/null || "$1" -c "$file" >"$OUT/packed" || return "$SKIPPED"
    chmod go+r "$OUT/packed"
    if [[ $(ws captype "$OUT/packed" 2>/dev/null) != *': etl' && $(tshark -v 2>/dev/null) != *"with $2"* ]]; then
        echo "result: this Wireshark knows no $2"
        return "$SKIPPED"
    fi
    packed_input "$1"
}

piped_input() {
    local file bad=0 files=0
    while read -r file; do
        files=$((files + 1))
        if [ "$files" -le 3 ]; then
            [ "$(frames_text "$file")" = "$(quiet_ws tshark -r - -x -t e <"$file" | md5sum)" ] || { echo "$file: other frames"; bad=1; }
        fi
        frames_read "$file" "$OUT/plain.pcapng" && quiet_ws editcap -F pcapng - "$OUT/piped.pcapng" <"$file" || bad=1
        cmp "$OUT/plain.pcapng" "$OUT/piped.pcapng" || { echo "$file: other frames"; bad=1; }
    done < <(few_traces)
    echo "result: $files files"
    return $bad
}

# A trace that ends anywhere gives all whole events before that place, then tshark's own message. One place a trace.
cut_short() {
    local file size whole count bad=0 cuts=0 at places
    while read -r file; do
        whole=$(count_of "$file")
        size=$(stat -c %s "$file")
        places=($((size - 9)) $((size * 3 / 4 + 5)) $((size / 2 + 13)))
        at=${places[cuts % 3]}
        head -c "$at" "$file" >"$OUT/cut.etl"
        chmod go+r "$OUT/cut.etl"
        count=$(ws tshark -r "$OUT/cut.etl" -T fields -e frame.number 2>"$OUT/stderr" | wc -l)
        cuts=$((cuts + 1))
        grep -q 'cut short' "$OUT/stderr" || { echo "$file cut at $at: not called cut short"; bad=1; }
        [ "$count" -gt 0 ] && [ "$count" -le "$whole" ] || { echo "$file cut at $at: $count of $whole frames"; bad=1; }
    done < <(few_traces)
    echo "result: $cuts cuts"
    return $bad
}

# Names of processes, paths and command lines are personal: ETL_NAMES=0 leaves them out of what is saved.
names_left_out() {
    local file
    need_corpus || return
    file=$ETL_CORPUS/diaghub.kernel.1.etl
    quiet_ws tshark -r "$file" -c 3000 -w "$OUT/named.pcapng" -F pcapng || return 1
    ETL_NAMES=0 quiet_ws tshark -r "$file" -c 3000 -w "$OUT/unnamed.pcapng" -F pcapng || return 1
    [ "$(stat -c %s "$OUT/unnamed.pcapng")" -lt "$(stat -c %s "$OUT/named.pcapng")" ]
}

# File order holds the same frames.
in_file_order() {
    local file bad=0
    while read -r file; do
        [ "$(ETL_ORDER=file count_of "$file")" = "$(count_of "$file")" ] || { echo "$file: another number of frames"; bad=1; }
    done < <(few_traces)
    return $bad
}

# Limits are preferences, and variables for programs without: 20 buffers that overlap do not fit into 1 MiB, nor 3 MB.
limits() {
    local name size bad=0 file=$OUT/wide.etl note='file order, not in time order: etl.memory_limit'
    cp "$CAPTURES/tour.etl" "$file"
    size=$(od -An -tu4 -N4 "$file")
    for _ in {1..20}; do
        head -c $((2 * size)) "$CAPTURES/tour.etl" | tail -c "$((size))" >>"$file"
    done
    chmod go+r "$file"
    for name in memory index schemas maps strings spool; do
        quiet_ws tshark -r "$CAPTURES/tour.etl" -o "etl.${name}_limit:7" -c 1 >/dev/null || bad=1
    done
    [[ $(quiet_ws tshark -r "$file" -c 1 -V -o etl.memory_limit:1) == *"$note"* ]] || { echo "the preference has no effect"; bad=1; }
    [[ $(ETL_MEMORY_LIMIT=1 quiet_ws tshark -r "$file" -c 1 -V) == *"$note"* ]] || { echo "the variable has no effect"; bad=1; }
    [[ $(quiet_ws tshark -r "$file" -c 1 -V) != *"file order"* ]] || { echo "the limit is met without being set"; bad=1; }
    { cat "$CAPTURES/tour.etl"; head -c 3000000 /dev/zero; } | gzip >"$OUT/large.gz"
    chmod go+r "$OUT/large.gz"
    ! ws tshark -r "$OUT/large.gz" -o etl.spool_limit:1 >/dev/null 2>"$OUT/stderr" &&
        grep -q 'preference etl.spool_limit' "$OUT/stderr" || { echo "more than the spool's limit is taken"; bad=1; }
    return $bad
}

check "limits by preferences and variables" limits
check "gzip input" packed_input gzip
check "zstd input" packed_if_known zstd Zstandard
check "lz4 input" packed_if_known lz4 LZ4
check "input through a pipe" piped_input
check "traces cut short" cut_short
check "names left out of saved frames" names_left_out
check "file order by ETL_ORDER" in_file_order
