# shellcheck shell=bash
# How many frames the real traces have, and in which order. Sourced by all.sh. Each version of Wireshark dissects its
# share of them, and counts all.

# The number of events that a real trace is known to have.
known_events() {
    awk -F, -v name="$(basename "$1")" '
        FNR == 1 { next } # the column is before the first one with commas in it
        $1 == name { print $14; exit }' "$ETL_CORPUS/INDEX.csv"
}

# Frames that come before an earlier one without the flag that says so; the flag's column is empty without epan.
# Prints how many frames there are.
ordered() {
    awk -F '\t' '
        $1 < last && $2 != "1" && $2 != "True" { print "frame " NR " is earlier than the one before it" > "/dev/stderr"; bad = 1 }
        { last = $1 }
        END { print NR; exit bad }'
}

# Options of tshark, for one pass or two.
frame_counts() {
    local file count known bad=0 files=0 total=0 flag=()
    [ ! -e "$STAGE/plugins/$VERSION/epan/etl.so" ] || flag=(-e etl.out_of_order)
    need_corpus || return
    while read -r file; do
        # Relative, because awk has not enough digits for seconds since 1970 with nanoseconds.
        count=$(quiet_ws tshark "$@" -r "$file" -T fields -e frame.time_relative "${flag[@]}" | ordered) || bad=1
        known=$(known_events "$file")
        [ "$count" = "$known" ] || { echo "$file: $count frames, $known events"; bad=1; }
        files=$((files + 1)) total=$((total + count))
    done < <(corpus_share)
    echo "result: $files files, $total frames"
    return $bad
}

# Whether capinfos counts all events, and calls the order strict wherever no frame is flagged.
strict_order() {
    local file text count bad=0 files=0 flagged
    need_corpus && need_epan || return
    while read -r file; do
        files=$((files + 1))
        text=$(quiet_ws capinfos -M -c -o "$file")
        count=$(sed -n 's/^Number of packets: *//p' <<<"$text")
        [ "$count" = "$(known_events "$file")" ] || { echo "$file: $count frames, $(known_events "$file") events"; bad=1; }
        if ! grep -q '^Strict time order: *True' <<<"$text"; then
            flagged=$(frames "$file" -Y etl.out_of_order==1)
            echo "$file: $flagged frames are flagged"
            [ "$flagged" -gt 0 ] || bad=1
        fi
    done < <(corpus_files)
    echo "result: $files files"
    return $bad
}

check "frames and order of real traces, one pass" frame_counts
check "frames and order of real traces, two passes" frame_counts -2
check "real traces in capinfos" strict_order
