# shellcheck shell=bash
# The profile "ETL" as this Wireshark reads it: nothing to complain of, and every filter in it is one. Sourced by all.sh.

PROFILE=$ETL_ROOT/package/profile/ETL

# The profile where Wireshark looks for those of its user.
use_profile() {
    mkdir -p "$STAGE/home/.config/wireshark/profiles"
    cp -r "$PROFILE" "$STAGE/home/.config/wireshark/profiles/"
    [ "${#AS[@]}" = 0 ] || chown -R 65534:65534 "$STAGE/home/.config"
}

# Columns, and colours: Wireshark says on stderr what it cannot read.
profile_reads() {
    local columns colours
    need_epan || return
    use_profile
    columns=$(quiet_ws tshark -C ETL -r "$CAPTURES/tour.etl" -T tabs -c 1 | awk -F '\t' '{ print NF }') || return 1
    colours=$(quiet_ws tshark --color -C ETL -r "$CAPTURES/tour.etl" -T fields -e frame.coloring_rule.name |
        sort -u | grep -c .)
    echo "result: $columns columns, $colours colours in the tour"
    [ "$columns" = 10 ] && [ "$colours" -ge 7 ]
}

# The second string of each row of buttons and the third of each graph, and the middle of each colour.
profile_filters() {
    sed -n 's/^"[^"]*","[^"]*","\([^"]*\)","[^"]*"$/\1/p' "$PROFILE/dfilter_buttons"
    sed -n 's/^"[^"]*","[^"]*","\([^"]\{1,\}\)","#.*/\1/p' "$PROFILE/io_graphs"
    sed -n 's/^@[^@]*@\([^@]*\)@.*/\1/p' "$PROFILE/colorfilters"
}

# All in one; one by one only to say which it is.
filters_compile() {
    local filter filters bad=0
    need_epan || return
    mapfile -t filters < <(profile_filters | sort -u)
    echo "result: ${#filters[@]} filters"
    [ "${#filters[@]}" -ge 20 ] || return 1
    filter=$(printf ' || (%s)' "${filters[@]}")
    [ "$(frames "$CAPTURES/tour.etl" -Y "${filter# || }")" -gt 0 ] && return
    for filter in "${filters[@]}"; do
        quiet_ws tshark -r "$CAPTURES/tour.etl" -Y "$filter" >/dev/null || { echo "$filter"; bad=1; }
    done
    return $bad
}

check "profile ETL: columns and colours" profile_reads
check "profile ETL: filters" filters_compile
