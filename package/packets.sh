# shellcheck shell=bash
# The packets of a trace as a pcapng that any program opens, and what became of the rest. Sourced by ../run and by
# the tests, which set TSHARK to how tshark is called.

# What the frames of the trace are, as lines: how many, then what. Reads link type, first, start, end, parts a frame.
count_packets() {
    awk -F '\t' '
        function say(count, what) { if (count > 0) printf "%d\t%s\n", count, what }
        BEGIN {
            split("Ethernet,IEEE 802.11,raw IP,,messages,USB,Bluetooth,IEEE 802.11 with radiotap", names, ",")
        }
        $1 == "" { others++; next }
        $5 != "" { joined += $5 }
        $3 ~ /^(0|False)$/ || $4 ~ /^(0|False)$/ { parts++ }
        $2 == "" { next }
        $2 ~ /^(0|False)$/ { copies++; next }
        $1 == 0 || $1 == 4 || $1 > 8 { unknown++; next }
        { written[$1]++ }
        END {
            for (link = 1; link <= 8; link++) say(written[link], names[link])
            say(joined, "left out: events with parts of packets, which are joined")
            say(parts - joined, "left out: parts of packets whose start or end is not in the trace")
            say(copies, "left out: reports of the same packets at other places")
            say(unknown, "left out: packets of a type that pcapng has no name for")
            say(others, "left out: events without a packet")
        }'
}

# The providers of a trace, the most frequent first.
list_providers() {
    $TSHARK -r "$1" -o 'gui.column.format:"Protocol","%p","Info","%i"' 2>/dev/null | awk '{ print $1 }' | sort | uniq -c |
        sort -k1,1nr -k2 | awk 'NR <= 15 { print "  " $0 } NR > 15 { rest += $1 } END { if (rest) printf "  %7d others\n", rest }'
}

# FILE OUT
write_packets() {
    local file=$1 out=$2 counts
    $TSHARK -r "$file" -X 'read_format:Windows Event Trace Log (packets only)' -F pcapng -w "$out" || return 1
    counts=$($TSHARK -r "$file" -T fields -e etl.packet.link_type -e etl.packet.first -e etl.packet.start -e etl.packet.end \
        -e etl.packet.part.count | count_packets) || return 1
    if ! grep -qv 'left out' <<<"$counts"; then
        echo "$file has no packets. It holds events of:"
        list_providers "$file"
        rm -f "$out"
        return 1
    fi
    echo "$out:"
    awk -F '\t' '{ printf "  %7d %s\n", $1, $2 }' <<<"$counts"
}
