# Wireshark's other programs, which load the reader and not the dissector. Sourced by all.sh.

# The traces that these tests take: one that is cut, one that is merged with it.
two_traces() {
    if have_corpus; then
        printf '%s\n' "$ETL_CORPUS/ms-rpc-capture-arrays.etl" "$ETL_CORPUS/HTTP_Server.etl"
    else
        some_traces | head -n 2
    fi
}

count_of() {
    quiet_ws capinfos -M -c "$1" | sed -n 's/^Number of packets: *//p'
}

capinfos_says() {
    local file text bad=0
    while read -r file; do
        text=$(quiet_ws capinfos -M "$file") || bad=1
        for word in 'File type: *Windows Event Trace Log' 'File encapsulation: *[Ee]vent [Tt]rac|File encapsulation: *ETW' \
                    'Number of interfaces' 'Operating system: *Windows'; do
            printf '%s\n' "$text" | grep -qE "$word" || { echo "$file: capinfos does not say '$word'"; bad=1; }
        done
    done < <(some_traces)
    return $bad
}

cut_by_editcap() {
    local file count
    read -r file < <(two_traces)
    [ -n "$file" ] || { echo "result: no captures yet"; return "$SKIPPED"; }
    quiet_ws editcap -r "$file" "$OUT/cut.pcapng" 10-29 || return 1
    count=$(count_of "$OUT/cut.pcapng")
    [ "$count" = 20 ] || { echo "$count frames of 20"; return 1; }
}

merged_by_mergecap() {
    local files sum=0 count
    mapfile -t files < <(two_traces)
    [ "${#files[@]}" = 2 ] || { echo "result: no captures yet"; return "$SKIPPED"; }
    for count in $(count_of "${files[0]}") $(count_of "${files[1]}"); do
        sum=$((sum + count))
    done
    quiet_ws mergecap -w "$OUT/merged.pcapng" "${files[@]}" || return 1
    count=$(count_of "$OUT/merged.pcapng")
    echo "result: $count frames"
    [ "$count" = "$sum" ]
}

reordered() {
    local file
    read -r file < <(two_traces)
    [ -n "$file" ] || { echo "result: no captures yet"; return "$SKIPPED"; }
    quiet_ws reordercap "$file" "$OUT/reordered.pcapng" || return 1
    [ "$(count_of "$file")" = "$(count_of "$OUT/reordered.pcapng")" ]
}

type_by_captype() {
    local file
    while read -r file; do
        quiet_ws captype "$file" | grep -q ': etl$' || { echo "$file: captype does not say etl"; return 1; }
    done < <(some_traces)
}

check "capinfos" capinfos_says
check "captype" type_by_captype
check "editcap" cut_by_editcap
check "mergecap" merged_by_mergecap
check "reordercap" reordered
