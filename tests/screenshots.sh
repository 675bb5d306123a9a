#!/bin/bash
# Makes the pictures of plugin/MANUAL.md from captures/tour.etl, in an X server that nobody sees.
# screenshots.sh [BUILD]: needs wireshark, Xvfb, openbox, xdotool, imagemagick; writes plugin/screenshots/*.png.
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/setup.sh"
. "$here/tshark/lib.sh"
export ETL_MODULES
ETL_MODULES=$(cd "${1:-$ETL_BUILD/release}" && pwd)/plugins
SHOTS=$ETL_ROOT/plugin/screenshots
DISPLAY_NUMBER=:97
WIDTH=1440
HEIGHT=900
for program in wireshark Xvfb openbox xdotool import convert; do
    command -v "$program" >/dev/null || die "$program is not installed"
done

# Windows where they are not in each other's way, panes of useful sizes, and the profile.
make_home() {
    local config=$STAGE/home/.config/wireshark
    mkdir -p "$config/profiles" "$STAGE/run" "$SHOTS"
    cp -r "$ETL_ROOT/package/profile/ETL" "$config/profiles/"
    printf '%s\n' 'gui.geometry_main_upper_pane: 400' 'gui.geometry_main_lower_pane: 900' >>"$config/profiles/ETL/recent"
    printf '%s\n' 'gui.geometry_main_x: 0' 'gui.geometry_main_y: 0' "gui.geometry_main_width: $WIDTH" \
        "gui.geometry_main_height: $((HEIGHT - 24))" 'gui.geometry_main_maximized: FALSE' >"$config/recent_common"
    printf 'gui.update.enabled: FALSE\ngui.window_title: \n' >"$config/preferences"
    [ "${#AS[@]}" = 0 ] || chown -R 65534:65534 "$STAGE/home" "$STAGE/run"
    chmod 700 "$STAGE/run"
}

in_display() {
    "${AS[@]}" env -i PATH="$PATH" HOME="$STAGE/home" XDG_RUNTIME_DIR="$STAGE/run" TZ=UTC LC_ALL=C.UTF-8 \
        DISPLAY="$DISPLAY_NUMBER" WIRESHARK_PLUGIN_DIR="$STAGE/plugins" "$@"
}

start_display() {
    Xvfb "$DISPLAY_NUMBER" -screen 0 "${WIDTH}x${HEIGHT}x24" >/dev/null 2>&1 &
    started+=($!)
    sleep 1
    in_display openbox >/dev/null 2>&1 &
    started+=($!)
    sleep 1
}

finish() {
    kill "${started[@]}" 2>/dev/null || true
    rm -rf "$STAGE"
}

# A window whose title has these words, once it is there.
window() {
    in_display timeout 30 xdotool search --sync --onlyvisible --name "$1" | tail -n 1
}

press() {
    local key
    for key in "$@"; do
        in_display xdotool key --clearmodifiers "$key"
        sleep 0.3
    done
}

# Shows rows after the selected one, too; then opens the event in the tree, and below it the part with that number.
open_part() {
    local part=$1 i
    in_display xdotool mousemove 600 300
    for i in 1 2 3; do in_display xdotool click 5; done
    in_display xdotool mousemove 300 541 click 1
    sleep 0.5
    press Right
    for ((i = 0; i < part; i++)); do press Down; done
    press Right
    in_display xdotool mousemove $((WIDTH - 1)) $((HEIGHT - 1))
    sleep 0.5
}

# A window of its own, as large as its table.
resize() {
    in_display xdotool windowsize --sync "$1" "$2" "$3"
    sleep 1
}

# 128 colours are enough for menus and text, and a tenth of the bytes.
shoot() {
    in_display import -window "$2" png:- | convert png:- +dither -colors 128 -define png:compression-level=9 "$SHOTS/$1.png"
    say "$1.png: $(stat -c %s "$SHOTS/$1.png") bytes"
}

# Wireshark with the tour and these options.
open_tour() {
    in_display wireshark -C ETL -r "$STAGE/captures/tour.etl" "$@" >"$STAGE/log" 2>&1 &
    shown=$!
    window 'tour.etl' >/dev/null
    sleep 6
}

close_tour() {
    kill "$shown"
    wait "$shown" 2>/dev/null || true
}

# Without context switches, samples, interrupts and stacks of those.
QUIET='!(etl.hookid.group in {5, 15}) || etl.hookid in {0x0501, 0x0502}'
frame_of() {
    ws tshark -r "$STAGE/captures/tour.etl" -Y "$1" -T fields -e frame.number 2>/dev/null | head -n 1
}

started=()
make_stage
trap finish EXIT
use_stage screenshots
make_home
start_display

open_tour -Y "$QUIET" -g "$(frame_of 'etl.hookid == 0x0301')"
open_part 3
shoot main root
close_tour

open_tour -Y 'tcp || etl.hookid.group == 6' -g "$(frame_of 'http.request && etl.packet.first == 1')"
open_part 5
shoot packet root
close_tour

open_tour -Y 'etl.pid.name == "OrderClient.exe" && (etl.hookid == 0x030a || etl.hookid.group == 0x18)' -g "$(frame_of 'etl.hookid == 0x1820 && etl.stack.module == "ntdll.dll"')"
open_part 4
shoot stack root
close_tour

open_tour -z etl,interrupts
table=$(window 'DPC and ISR')
resize "$table" 760 260
shoot interrupts "$table"
close_tour

open_tour -z etl,srt
table=$(window 'Service Response')
resize "$table" 860 560
shoot durations "$table"
close_tour
