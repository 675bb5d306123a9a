# shellcheck shell=bash
# Wireshark's other programs, which load the reader and not the dissector. Sourced by all.sh.

capinfos_says() {
    local file text bad=0
    while read -r file; do
        text=$(quiet_ws capinfos -M "$file") || bad=1
        for word in '^File type: .*(etl|Windows Event Trace Log)' '^File encapsulation: .*(etw|Event Tracing for Windows)' \
                    '^Number of interfaces in file: *[1-9]' '^Capture oper-sys: *Windows [0-9]' '^Capture comment: .*Clock:'; do
            grep -qE "$word" <<<"$text" || { echo "$file: capinfos does not say '$word'"; bad=1; }
        done
    done < <(some_traces)
    return $bad
}

cut_by_editcap() {
    local file count
    read -r file < <(two_traces)
    quiet_ws editcap -r "$file" "$OUT/cut.pcapng" 10-29 || return 1
    count=$(count_of "$OUT/cut.pcapng")
    [ "$count" = 20 ] || { echo "$count frames of 20"; return 1; }
}

merged_by_mergecap() {
    local files sum=0 count
    mapfile -t files < <(two_traces)
    for count in $(count_of "${files[0]}") $(count_of "${files[1]}"); do
        sum=$((sum + count))
    done
    quiet_ws mergecap -w "$OUT/merged.pcapng" "${files[@]}" || return 1
    count=$(count_of "$OUT/merged.pcapng")
    echo "result: $count frames"
    [ "$count" = "$sum" ]
}

# reordercap writes the type of file that it reads.
reordered() {
    local file
    read -r file < <(two_traces)
    ws reordercap "$file" "$OUT/reordered.etl" || return 1
    [[ $(ws captype "$OUT/reordered.etl") == *': etl' ]] && [ "$(count_of "$file")" = "$(count_of "$OUT/reordered.etl")" ]
}

type_by_captype() {
    local file
    while read -r file; do
        [[ $(quiet_ws captype "$file") == *': etl' ]] || { echo "$file: captype does not say etl"; return 1; }
    done < <(some_traces)
}

# What was lost is counted in the comment; what is written while reading has it at its first interface.
losses_counted() {
    local file=$CAPTURES/lost-events.etl text='Processors that have lost events: 2'
    [[ $(quiet_ws capinfos -k "$file") == *"$text"* ]] || { echo "capinfos does not count losses"; return 1; }
    quiet_ws tshark -r "$file" -w "$OUT/by-tshark.pcapng" && quiet_ws editcap "$file" "$OUT/by-editcap.pcapng" || return 1
    [[ $(quiet_ws capinfos -I "$OUT/by-tshark.pcapng") == *"$text"* ]] || { echo "tshark -w leaves them out"; return 1; }
    [[ $(quiet_ws capinfos -I "$OUT/by-editcap.pcapng") == *"$text"* ]] || { echo "editcap leaves them out"; return 1; }
}

# Frames share what has no options: a comment stays at its frame.
commented_by_editcap() {
    local file=$CAPTURES/tour.etl comments
    quiet_ws editcap -a '2:the second' -a '5:the fifth' -a '6:the sixth' "$file" "$OUT/commented.pcapng" || return 1
    comments=$(quiet_ws tshark -r "$OUT/commented.pcapng" -Y frame.comment -T fields -e frame.number -e frame.comment)
    [ "$comments" = $'2\tthe second\n5\tthe fifth\n6\tthe sixth' ] || { echo "comments: $comments"; return 1; }
}

check "capinfos" capinfos_says
check "losses in comments" losses_counted
check "captype" type_by_captype
check "editcap" cut_by_editcap
check "editcap, comments" commented_by_editcap
check "mergecap" merged_by_mergecap
check "reordercap" reordered
