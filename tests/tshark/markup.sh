# shellcheck shell=bash
# Fields that are XML or JSON go to Wireshark's dissectors: below the field, which stays what it is; the columns stay
# the event's. Sourced by all.sh.

# finds FILTER FRAMES [options]: their numbers
finds() {
    local found
    found=$(quiet_ws tshark -r "$CAPTURES/markup.etl" "${@:3}" -Y "$1" -T fields -e frame.number | tr '\n' ' ')
    [ "$found" = "$2" ] || { echo "$1: $found instead of $2"; bad=1; }
}

markup_fields() {
    local bad=0 shown all='(xml.attribute == "id=\"7\"" && xml.cdata == "Ünal" && json.key == "order" && json.value.number == 7) ||
        (json.value.string == "Ümit" && json.value.true && xml && etl.contoso_markup.json contains "Ümit") || etl.note.deep_text'
    need_epan || return
    finds "$all" '2 3 6 '
    finds "$all" '2 3 6 ' -2
    finds 'xml || json' '2 3 4 5 '
    # At most 32 of one event; all of them are texts.
    shown=$(quiet_ws tshark -r "$CAPTURES/markup.etl" -Y 'frame.number == 5' -T fields -e json.value.number -e etl.contoso_markup.json | tr -cd '9\t')
    [ "$shown" = "$(printf '%032d\t%040d' 0 0 | tr 0 9)" ] || { echo "of many: $shown"; bad=1; }
    # below the field
    quiet_ws tshark -r "$CAPTURES/markup.etl" -Y 'frame.number == 3' -V | grep -A1 '^        Json: ' | grep -q '^            JavaScript' ||
        { echo "no tree below the field"; bad=1; }
    return $bad
}

# With the dissectors called and without; newer versions double backslashes in fields.
markup_columns() {
    need_epan || return
    cmp <(quiet_ws tshark -r "$CAPTURES/markup.etl" -Y 'xml || json || frame' -T fields -e _ws.col.Protocol -e _ws.col.Info | sed 's/\\\\/\\/g') \
        <(quiet_ws tshark -r "$CAPTURES/markup.etl" -o 'gui.column.format:"Protocol","%p","Info","%i"' | sed 's/^\([^ ]*\) /\1\t/')
}

check "XML and JSON in fields" markup_fields
check "XML and JSON leave the columns alone" markup_columns
