# shellcheck shell=bash
# Whether a file that was saved has the frames of the traces that it was saved from. Sourced by saved.sh and ../gui.sh.
#
# The frames of a trace before and after are tables (frame_table.c); those of traces are made once. ETL_FRAMES: how
# many frames of the largest traces are looked at; 0: all, which takes minutes.

TABLES=$OUT/tables
SAVED=$OUT/saved.pcapng
FRAMES=${ETL_FRAMES:-5000}

large() {
    [ "$FRAMES" != 0 ] && [ "$(stat -c %s "$1")" -ge 4000000 ]
}

beginning() {
    ! large "$1" || echo "-c $FRAMES"
}

# Fields that tell of other frames (plugin/FORMAT.md, 2.5): by number, which Wireshark knows by the field's type, or
# whether an earlier one has the same packet or began what ends here. Names below etl.
frame_links() {
    [ -s "$OUT/links" ] || {
        printf '%s\n' packet.first packet.path pktmon.first duration operation stream
        quiet_ws tshark -G fields | awk -F '\t' '$1 == "F" && $4 == "FT_FRAMENUM" && sub(/^etl\./, "", $3) { print $3 }'
    } >"$OUT/links"
    mapfile -t LINKS <"$OUT/links"
}

# What is needed to make a table, in C since whole traces are long.
make_tools() {
    command -v cc >/dev/null || { echo "result: no C compiler"; return "$SKIPPED"; }
    [ -e "$OUT/frame_table" ] || {
        cc -O2 -D_GNU_SOURCE -o "$OUT/frame_table" "$ETL_ROOT/tests/tshark/frame_table.c" &&
            cc -O2 -D_GNU_SOURCE -shared -fPIC -o "$OUT/unlocked.so" "$ETL_ROOT/tests/tshark/unlocked.c" && chmod go+r "$OUT/unlocked.so"
    }
}

# FILE [options of tshark]
table() {
    quiet_ws env LD_PRELOAD="$OUT/unlocked.so" tshark -r "$1" -T json -J etl "${@:2}" | "$OUT/frame_table" "${LINKS[@]}"
}

# The table of a trace as it is, which is in $TABLE then.
table_of() {
    local some
    TABLE=$TABLES/$(basename "$1").table
    [ -e "$TABLE" ] || {
        mkdir -p "$TABLES"
        read -ra some < <(beginning "$1")
        table "$1" "${some[@]}" >"$TABLE.new" && [ -s "$TABLE.new" ] && mv "$TABLE.new" "$TABLE" || { echo "$1: no frames"; return 1; }
    }
}

# Shows what differs first: differ TRACE FRAME-IN-TRACE FRAME-IN-SAVED
show_difference() {
    [ "$2" != - ] && [ "$3" != - ] || return 0
    diff <(etl_layer "$1" -c "$2" -Y "frame.number == $2") <(etl_layer "$SAVED" -c "$3" -Y "frame.number == $3") | head -n 8
}

# Whether $SAVED has the frames of traces; their tables are made: same_frames OPTIONS-OF-TSHARK KIND TRACE [KIND TRACE]...
same_frames() {
    local options kinds=() path wanted found first other
    declare -A traces=()
    read -ra options <<<"$1"
    shift
    while [ $# -gt 0 ]; do
        table_of "$2" || return 1
        traces[$TABLE]=$2 kinds+=("$1" "$TABLE")
        shift 2
    done
    table "$SAVED" "${options[@]}" >"$OUT/after" || return 1
    python3 "$ETL_ROOT/tests/tshark/same_frames.py" "$OUT/after" "${kinds[@]}" >"$OUT/same" && {
        read -r _ found <"$OUT/same"
        total=$((total + found))
        echo "$found frames are the same: $(printf '%s ' "${kinds[@]}" | sed "s|$TABLES/||g; s|\.table||g")"
        return 0
    }
    cat "$OUT/same"
    while read -r path wanted found first other; do
        [ -z "${traces[$path]+set}" ] || show_difference "${traces[$path]}" "$first" "$other"
    done <"$OUT/same"
    return 1
}

