# shellcheck shell=bash
# XML packed in events is Wireshark's: its filters find it, the columns stay the event's. Sourced by all.sh.

packed_xml() {
    need_epan || return
    local made=$CAPTURES/packed-xml.etl
    [ "$(frames "$made" -Y xml)" = 8 ] || { echo "not 8 frames with XML"; return 1; }
    [ "$(frames "$made" -Y xml -2)" = 8 ] || { echo "not 8 frames with XML in two passes"; return 1; }
    [ "$(quiet_ws tshark -r "$made" -Y 'frame.number == 3' -T fields -e xml.cdata | tr , '\n' | grep -c 'Contoso é')" = 150 ] ||
        { echo "not 150 vendors"; return 1; }
    [ "$(frames "$made" -Y 'xml.attribute == "name=\"Startup\""')" = 1 ] || { echo "no attribute"; return 1; }
    quiet_ws tshark -r "$made" -Y etl.note.packed_text -T fields -e frame.number | tr '\n' ' ' | grep -qx '8 9 10 ' ||
        { echo "other notes"; return 1; }
    # with a tree and without one; newer versions double backslashes in fields
    cmp <(quiet_ws tshark -r "$made" -Y frame -T fields -e _ws.col.Protocol -e _ws.col.Info | sed 's/\\\\/\\/g') \
        <(quiet_ws tshark -r "$made" -o 'gui.column.format:"Protocol","%p","Info","%i"' | sed 's/^\([^ ]*\) /\1\t/')
}

real_xml() {
    need_corpus && need_epan || return
    local file
    for file in SelfDescribingSingleEvent ms-rpc-capture-arrays sample-PyETWkit; do
        [ "$(frames "$ETL_CORPUS/$file.etl" -Y 'xml.tag && etl.win_sat.uncompressed_size')" = 3 ] || { echo "$file: not 3"; return 1; }
        [ "$(frames "$ETL_CORPUS/$file.etl" -Y '_ws.malformed || etl.note.packed_text')" = 0 ] || { echo "$file: malformed"; return 1; }
    done
}

check "packed XML of a made trace" packed_xml
check "packed XML of real traces" real_xml
