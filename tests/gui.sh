#!/bin/bash
# Wireshark's window: opens traces, saves each by Save As as pcapng and some of its frames by Export Specified Packets,
# and looks whether the frames in these files are what they were. Started by hand: gui.sh [TRACE...]
#
# Needs Wireshark, Xvfb, xdotool and openbox, which nothing installs for it, and ETL_MODULES like the tests in tshark.
# ETL_EXPORT_KEYS: how many times Up goes from the first entry of the File menu to Export Specified Packets.
set -u -o pipefail
. "$(dirname "$0")/lib.sh"
ETL_MODULES=${ETL_MODULES:-$ETL_ROOT/build/release/plugins}
. "$(dirname "$0")/tshark/lib.sh"
for program in wireshark Xvfb xdotool openbox; do
    command -v $program >/dev/null || { skip "Wireshark's window" "$program is not installed"; exit; }
done
export DISPLAY=${ETL_DISPLAY:-:77}
UPS=${ETL_EXPORT_KEYS:-8}
PATIENCE=${ETL_TIMEOUT:-300} # seconds to read or save the largest trace
make_stage
use_stage gui
. "$ETL_ROOT/tests/tshark/compare.sh"

# Wireshark asks nothing and starts with the same window each time.
start() {
    local folder=$STAGE/home/.config/wireshark
    "${AS[@]}" mkdir -p "$folder" "$OUT/saved"
    printf 'gui.ask_unsaved: FALSE\ngui.update.enabled: FALSE\n' >"$folder/preferences"
    chmod go+r "$folder/preferences"
    Xvfb "$DISPLAY" -screen 0 1200x800x24 >/dev/null 2>&1 &
    server=$!
    sleep 2
    openbox >/dev/null 2>&1 &
    start_wireshark "$1"
}

start_wireshark() {
    "${AS[@]}" env -i PATH="$PATH" HOME="$STAGE/home" TMPDIR="$OUT" TZ=UTC LC_ALL=C.UTF-8 DISPLAY="$DISPLAY" XDG_RUNTIME_DIR="$OUT" \
        WIRESHARK_PLUGIN_DIR="$PLUGINS" wireshark "$1" >>"$OUT/wireshark.log" 2>&1 &
    window=$!
}

finish() {
    kill "$window" 2>/dev/null
    kill "$server" 2>/dev/null
}

keys() {
    xdotool key --delay 30 "$@"
    sleep 0.3
}

# Waits for a window with this in its title; leaves its id in $FOUND: wait_for TITLE SECONDS
wait_for() {
    local try
    for ((try = 0; try < $2 * 4; try++)); do
        FOUND=$(xdotool search --onlyvisible --name "$1" 2>/dev/null | tail -n 1)
        [ -z "$FOUND" ] || return 0
        sleep 0.25
    done
    return 1
}

# Opens a dialog, which is refused as long as the file is being read: dialog TITLE KEY...
dialog() {
    local title=$1 try
    shift
    for ((try = 0; try < 60; try++)); do
        keys "$@"
        ! wait_for "$title" 3 || { sleep 0.5; return 0; }
        keys Escape Escape
    done
    echo "no dialog: $title"
    return 1
}

# Chooses the type of a file in the dialog $FOUND. The list is so many pixels from its bottom; the name is above it.
choose_pcapng() {
    local X Y WIDTH HEIGHT SCREEN WINDOW
    eval "$(xdotool getwindowgeometry --shell "$FOUND")"
    xdotool mousemove $((X + 300)) $((Y + HEIGHT - $1)) click 1
    sleep 0.7
    xdotool type --delay 10 Wireshark/
    keys Return
    xdotool mousemove $((X + 300)) $((Y + HEIGHT - $1 - 46)) click 1
    keys ctrl+a
}

give_name() {
    xdotool type --delay 5 "$1"
    sleep 0.3
    [ -z "${ETL_SHOTS:-}" ] || import -window root "$ETL_SHOTS/$2-$(basename "$1").png"
    keys Return
}

open_trace() {
    local title
    kill -0 "$window" 2>/dev/null || { echo "Wireshark has ended"; tail -n 3 "$OUT/wireshark.log"; start_wireshark "$1"; wait_for "^$(basename "$1")" "$PATIENCE"; apply_filter; return; }
    title=$(basename "$1")
    wait_for "^$title" 1 && return
    dialog 'Open Capture File' ctrl+o && give_name "$1" open && wait_for "^$title" "$PATIENCE"
}

# The same frames as save_subset of the tests in tshark.
FILTER='!(etl.buffer.offset & 0x18) || etl.packet.part.count || etl.note.packet_part || etl.note.packet_no_start'

# Stays for the traces that are opened after this.
apply_filter() {
    keys ctrl+slash ctrl+a
    xdotool type --delay 5 "$FILTER"
    keys Escape Return
}

# Waits until Wireshark has written a file and closed it: until then it would refuse to save anything else.
wait_written() {
    local try
    for ((try = 0; try < PATIENCE * 4; try++)); do
        sleep 0.25
        [ ! -s "$1" ] || [ -n "$(find "/proc/$window/fd" -lname "$1")" ] || return 0
    done
    echo "$1: is not written"
    return 1
}

export_shown() {
    # shellcheck disable=SC2046 # so many words
    dialog 'Export Specified Packets' alt+f $(yes Up | head -n "$UPS") Return && choose_pcapng 295 && give_name "$1" export && wait_written "$1"
}

# Makes the new file the one that is open.
save_as() {
    dialog 'Save Capture File As' ctrl+shift+s && choose_pcapng "$TYPES" && give_name "$1" save && wait_for "^$(basename "$1")" "$PATIENCE"
}

# What the filter lets through, in same_frames.py's words. Where nothing is shown, Wireshark exports everything.
shown() {
    table_of "$1" >&2
    awk -F '\t' '$5 == "part" || int($4 / 8) % 4 == 0 { some = 1 } END { print some ? "subset" : "all" }' "$TABLE"
}

# The frames of a large trace, all of them, are those that tshark saves, which saved.sh looks at: as_tshark FILE KIND TRACE
as_tshark() {
    local filter=()
    [ "$2" = all ] || filter=(-Y "$FILTER")
    quiet_ws tshark -r "$3" "${filter[@]}" -w "$OUT/tshark.pcapng" -F pcapng && python3 "$ETL_ROOT/tests/tshark/frames.py" same "$1" "$OUT/tshark.pcapng" || return 1
    rm -f "$OUT/tshark.pcapng"
}

# Whether a file has these frames of a trace: compare WHAT FILE KIND TRACE
compare() {
    local kind=$3
    [[ $(quiet_ws captype "$2") == *': pcapng' ]] || { echo "$4: $1: $(quiet_ws captype "$2")"; return 1; }
    rm -f "$SAVED" && ln "$2" "$SAVED"
    if large "$4"; then
        as_tshark "$2" "$kind" "$4" || { echo "$4: $1: others than tshark saves"; return 1; }
        kind=beginning:$kind
    fi
    same_frames "$(beginning "$4")" "$kind" "$4" || { echo "$4: $1"; return 1; }
    rm -f "$2"
}

each_trace() {
    local trace name bad=0 files=0 total=0 LINKS TABLE TYPES=164
    [ "$VERSION" != 4.0 ] || TYPES=79
    make_tools || return
    frame_links
    trap finish EXIT
    start "$1"
    wait_for "^$(basename "$1")" "$PATIENCE" && sleep 2 && apply_filter
    for trace; do
        name=$OUT/saved/$(basename "$trace")
        open_trace "$trace" && export_shown "$name.part.pcapng" && save_as "$name.whole.pcapng" || {
            echo "$trace: not saved"
            bad=1
            keys Escape Escape Escape
            continue
        }
        files=$((files + 1))
        compare "Export Specified Packets" "$name.part.pcapng" "$(shown "$trace")" "$trace" && compare "Save As" "$name.whole.pcapng" all "$trace" || bad=1
    done
    echo "result: $files files, $total frames"
    return $bad
}

if [ $# = 0 ]; then
    mapfile -t traces < <(all_traces)
    set -- "${traces[@]}"
fi
[ -n "${ETL_KEEP:-}" ] || trap 'rm -rf "$STAGE"' EXIT
check "Save As and Export Specified Packets in Wireshark's window" each_trace "$@"
