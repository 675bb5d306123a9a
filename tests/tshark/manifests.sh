# shellcheck shell=bash
# Descriptions of events that the user has: manifests, and traces for other traces. Sourced by all.sh.

# with SCHEMAS FILTER NUMBER FILE [options]: how many frames a filter finds when schemas are from there
with() {
    local found
    found=$(ETL_SCHEMAS=$1 frames "$4" -Y "$2" "${@:5}")
    [ "$found" = "$3" ] || { echo "$4: $2: $found frames instead of $3"; bad=1; }
}

user_manifest() {
    local bad=0 man=$CAPTURES/manifests/types.man etl=$CAPTURES/manifest.etl
    need_epan || return
    # Of one frame each; then names and texts.
    with "$man" '(etl.contoso_types.int16 == -2 && etl.contoso_types.double == -2.25) ||
        (etl.contoso_types.counted == "abc" && etl.contoso_types.json contains "true" && json.value.true && xml.cdata == "d") ||
        (etl.contoso_types.address == 10.1.2.3 && etl.contoso_types.address_v6 == fe80::1 && etl.field.ip == 10.0.0.1 &&
         etl.contoso_types.process == 500 && etl.contoso_types.port == 443) ||
        (etl.contoso_types.points && etl.contoso_types.x == -1 && etl.contoso_types.names == "two")' 4 "$etl"
    with "$man" '(etl.task.name == "Conversion" && etl.opcode.name == "Begins" && etl.keyword.names == "Plain numbers" &&
         etl.channel.name == "Contoso-Types/Debug") || (etl.level.name == "Very loud" && etl.opcode.name == "Stop") ||
        etl.event.name == "EmptyEvent"' 4 "$etl" -2
    with "$man" 'etl.event.message == "Numbers from 1 to 6 & more" || (etl.event.message == "100% -1 of 65535 0xdeadbeef" &&
         etl.contoso_types.hex_status == 0xc0000022 && etl.contoso_types.utc == "2026-03-02 08:30:00" && etl.contoso_types.hidden == 77 &&
         etl.contoso_types.json_text contains "answer" && json.value.number == 42 && etl.contoso_types.address_v6 == fe80::2 &&
         etl.contoso_types.hex_binary == ca:fe && etl.contoso_types.out_string == "S-1-5-18" && etl.contoso_types.size == 4096)' 2 "$etl"
    with "$man" 'etl.schema.source == "user manifest" && etl.schema.file contains "types.man"' 10 "$etl"
    with "$man" 'etl.schema.source == "user manifest older version"' 1 "$etl"
    with "$man" 'etl.note.truncated || etl.note.surplus || etl.payload' 0 "$etl"
    return $bad
}

# The preference; and what other programs of Wireshark make of the trace, which know nothing of manifests.
preference() {
    local bad=0 man=$CAPTURES/manifests/types.man
    need_epan || return
    ws gzip -c "$CAPTURES/manifest.etl" >"$STAGE/out/manifest.etl.gz"
    quiet_ws editcap "$CAPTURES/manifest.etl" "$OUT/manifest.pcapng"
    for file in "$CAPTURES/manifest.etl" "$STAGE/out/manifest.etl.gz" "$OUT/manifest.pcapng"; do
        with '' 'etl.contoso_types.fixed == "four"' 1 "$file" -o "etl.schemas:$man"
    done
    return $bad
}

# What is wrong with one file is said, with its line, and costs that file only.
wrong_files() {
    local bad=0
    need_epan || return
    yes '<a>' | head -c 1000000 >"$STAGE/out/deep.xml"
    truncate -s 1G "$STAGE/out/deep.xml"
    ETL_SCHEMAS="$CAPTURES/manifests:$STAGE/out/deep.xml:/nowhere.man" ws tshark -r "$CAPTURES/manifest.etl" \
        -Y 'etl.contoso_types.fixed == "four"' >"$STAGE/out/found" 2>"$STAGE/out/said"
    [ "$(wc -l <"$STAGE/out/found")" = 1 ] || { echo "the good file is not used"; bad=1; }
    for words in 'entities.man:2: declares an entity' 'wrong.man:7: ' 'deep.xml:33: is nested deeper' '/nowhere.man: '; do
        grep -qF "$words" "$STAGE/out/said" || { echo "nothing says $words"; bad=1; }
    done
    [ "$(wc -l <"$STAGE/out/said")" = 4 ] || { cat "$STAGE/out/said"; bad=1; }
    return $bad
}

# A trace without its descriptions, and another one that has them.
other_trace() {
    local bad=0
    need_epan || return
    quiet_ws tshark -r "$CAPTURES/event-source.etl" -Y 'etl.id < 3' -F etl -w "$OUT/apart.etl"
    quiet_ws tshark -r "$CAPTURES/event-source.etl" -w "$OUT/all.pcapng"
    with '' 'etl.event.name == "OrderPlaced"' 0 "$OUT/apart.etl"
    with "$CAPTURES/event-source.etl" 'etl.contoso_shop.customer == "Ada"' 1 "$OUT/apart.etl"
    with "$OUT/all.pcapng" 'etl.contoso_shop.customer == "Ada" && etl.schema.file contains "all.pcapng"' 1 "$OUT/apart.etl"
    return $bad
}

# Names of values: what two maps of one name's fields call differently no filter may name.
value_names() {
    local bad=0 man=$CAPTURES/manifests/types.man etl=$CAPTURES/manifest.etl shown
    need_epan || return
    with "$man" 'etl.contoso_types.colour == "Blue" || etl.contoso_types.kind == "Square" || etl.contoso_types.kind == "Blue"' 2 "$etl"
    # A negative number has its name.
    ETL_SCHEMAS=$man ws tshark -r "$etl" -Y 'etl.contoso_types.sign == -1' -P -V >"$STAGE/out/negative"
    grep -q 'Sign: Minus (-1)' "$STAGE/out/negative" && grep -q 'Sign=Minus' "$STAGE/out/negative" || { echo "a negative value has no name"; bad=1; }
    # Bits: a filter for each name, and those without one are shown.
    with "$man" 'etl.contoso_types.access.write == 1 && !(etl.contoso_types.access.delete == 1)' 1 "$etl"
    with "$man" 'etl.contoso_types.access.read == 1 && etl.contoso_types.access.delete == 1' 1 "$etl" -2
    with "$man" 'etl.contoso_types.wide.read == 1' 1 "$etl"
    shown=$(ETL_SCHEMAS=$man ws tshark -r "$etl" -Y 'etl.id == 7' -V | sed -n 's/^ *\(Access\|Wide\): //p' | tr '\n' ' ')
    [ "$shown" = 'Write|0x40 (66) Read|0x8000000000000000 (9223372036854775809) ' ] || { echo "bits shown: $shown"; bad=1; }
    with '' 'etl.contoso_shop.state == "Paid"' 1 "$CAPTURES/event-source.etl"
    ! ETL_SCHEMAS=$man ws tshark -r "$etl" -Y 'etl.contoso_types.kind == "Round"' >/dev/null 2>&1 || { echo "an ambiguous name is taken"; bad=1; }
    shown=$(ETL_SCHEMAS=$man ws tshark -r "$etl" -Y etl.contoso_types.kind -V | sed -n 's/^ *Kind: \([A-Z][a-z]* ([0-9])\)$/\1/p' | tr '\n' ' ')
    [ "$shown" = 'Square (1) Blue (7) Red (0) ' ] || { echo "shown: $shown"; bad=1; }
    return $bad
}

check "a manifest of the user's" user_manifest
check "names of values in filters" value_names
check "the preference for manifests, and compressed and saved traces" preference
check "manifests that are wrong" wrong_files
check "descriptions from another trace" other_trace
