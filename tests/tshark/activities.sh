# shellcheck shell=bash
# Activities: numbered alike with one pass and two, and followed as text. Sourced by all.sh.

activities() {
    quiet_ws tshark "$@" -r "$CAPTURES/tour.etl" -T fields -e frame.number -e etl.activity_id -e etl.stream -Y etl.stream
}

activities_numbered() {
    local numbers
    need_epan || return
    activities >"$OUT/one" && activities -2 >"$OUT/two" || return 1
    cmp "$OUT/one" "$OUT/two" || return 1
    numbers=$(cut -f 2,3 "$OUT/one" | sort -u)
    echo "result: $(wc -l <<<"$numbers") activities, $(wc -l <"$OUT/one") events"
    [ -z "$(cut -f 1 <<<"$numbers" | uniq -d)$(cut -f 2 <<<"$numbers" | sort | uniq -d)" ]
}

# Each event is a line, in order.
activity_followed() {
    local lines events
    need_epan || return
    quiet_ws tshark -q -r "$CAPTURES/tour.etl" -z follow,etl,ascii,0 >"$OUT/followed" || return 1
    lines=$(grep -c '^2026-03-02 ' "$OUT/followed")
    events=$(frames "$CAPTURES/tour.etl" -Y 'etl.stream == 0')
    echo "result: $lines lines, $events events"
    [ "$lines" = "$events" ] && grep '^2026-03-02 ' "$OUT/followed" | cut -c 1-27 | sort -c &&
        grep -q '^2026.*  OrderClient.exe (5284)  Contoso-OrderClient  Session/Start The client of alice' "$OUT/followed"
}

check "activities have numbers" activities_numbered
check "an activity is followed" activity_followed
