# shellcheck shell=bash
# What is no trace, or nearly one. Sourced by all.sh.

# Opens must fail, with these words on stderr: refused FILE WORDS
refused() {
    if ws tshark -r "$1" >"$OUT/stdout" 2>"$OUT/stderr"; then
        echo "$1 is opened"
        return 1
    fi
    cat "$OUT/stderr"
    grep -qiE "$2" "$OUT/stderr" || { echo "$1: not '$2'"; return 1; }
}

text_mangled() {
    tr '\000' ' ' <"$CAPTURES/tour.etl" >"$OUT/mangled.etl"
    chmod go+r "$OUT/mangled.etl"
    refused "$OUT/mangled.etl" 'etl: not a readable trace' &&
        refused "$CAPTURES/broken/header-mangled-text.etl" 'etl: not a readable trace'
}

zeroed() {
    head -c 65536 /dev/zero >"$OUT/zeroed.etl"
    chmod go+r "$OUT/zeroed.etl"
    refused "$OUT/zeroed.etl" 'etl: not a readable trace'
}

# These are no business of ours: Wireshark's own words.
not_ours() {
    local bad=0
    : >"$OUT/empty.etl"
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' >"$OUT/pointer.etl"
    chmod go+r "$OUT/empty.etl" "$OUT/pointer.etl"
    refused "$OUT/pointer.etl" "isn't a capture file" || bad=1
    [ "$(ws tshark -r "$OUT/empty.etl" 2>&1 | wc -l)" -le 1 ] || bad=1
    return $bad
}

# A trace behind something else is no trace, until somebody looks for its buffers.
hidden() {
    local count
    { head -c 12345 /dev/zero | tr '\000' 'x'; cat "$CAPTURES/tour.etl"; } >"$OUT/hidden.bin"
    head -c 72 /dev/zero >"$OUT/headless.etl"
    printf 'no events' >>"$OUT/headless.etl"
    chmod go+r "$OUT/hidden.bin" "$OUT/headless.etl"
    refused "$OUT/hidden.bin" "isn't a capture file" || return 1
    refused "$OUT/headless.etl" 'Windows Event Trace Log .recover' || return 1
    count=$(frames "$OUT/hidden.bin" -X 'read_format:Windows Event Trace Log (recover)')
    [ "$count" = "$(frames "$CAPTURES/tour.etl")" ] || { echo "$count frames"; return 1; }
    count=$(frames "$OUT/hidden.bin" -2 -X 'read_format:Windows Event Trace Log (recover)')
    [ "$count" = "$(frames "$CAPTURES/tour.etl")" ] || { echo "$count frames with -2"; return 1; }
}

# What was preallocated and never written costs neither time nor memory.
sparse() {
    cp "$CAPTURES/tour.etl" "$OUT/sparse.etl" && chmod u+w,go+r "$OUT/sparse.etl" && truncate -s 100G "$OUT/sparse.etl" || return 1
    local count
    count=$(frames "$OUT/sparse.etl")
    rm "$OUT/sparse.etl"
    [ "$count" = "$(frames "$CAPTURES/tour.etl")" ] || { echo "$count frames"; return 1; }
}

# What captures/broken is there for: no crash, no hang, no frame called a bug of the dissector.
broken() {
    local file files=0 bad=0 status
    while read -r file; do
        files=$((files + 1))
        ws tshark -r "$file" -V >"$OUT/stdout" 2>"$OUT/stderr"
        status=$?
        [ "$status" -lt 124 ] || { echo "$file: exit status $status"; bad=1; }
        ! grep -i 'dissector bug' "$OUT/stdout" "$OUT/stderr" || { echo "$file: a bug of the dissector"; bad=1; }
    done < <(find "$CAPTURES/broken" "$CAPTURES/regressions" -name '*.etl' 2>/dev/null)
    [ "$files" -gt 0 ] || { echo "result: no broken captures yet"; return "$SKIPPED"; }
    echo "result: $files files"
    return $bad
}

check "a trace mangled as text" text_mangled
check "a file of zeros" zeroed
check "files that are no traces" not_ours
check "a trace behind something else" hidden
check "a file of 100 GB that is nearly empty" sparse
check "broken captures" broken
