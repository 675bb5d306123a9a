# shellcheck shell=bash
# Every command of plugin/MANUAL.md does something. Sourced by all.sh.

manual_commands() {
    sed -n '/^```$/,/^```$/ { /^```$/d; p }' "$ETL_ROOT/plugin/MANUAL.md"
}

# The manual's trace is the tour; its capture is made of the tour's packets.
prepare_manual() {
    rm -rf "$OUT/manual" && "${AS[@]}" mkdir -p "$OUT/manual" &&
        "${AS[@]}" cp "$CAPTURES/tour.etl" "$OUT/manual/trace.etl" &&
        quiet_ws tshark -r "$CAPTURES/tour.etl" -U 'ETL packets' -w "$OUT/manual/capture.pcapng"
}

# Nothing on stderr, and text or a file that was not there.
run_command() {
    local before after
    before=$(find "$OUT/manual" -type f -size +0 | wc -l)
    ws bash -c "set -o pipefail; cd $OUT/manual && $1" >"$OUT/text" 2>"$OUT/stderr" || { echo "fails: $1"; return 1; }
    after=$(find "$OUT/manual" -type f -size +0 | wc -l)
    [ ! -s "$OUT/stderr" ] || { echo "on stderr: $1"; head -n 3 "$OUT/stderr"; return 1; }
    [ -s "$OUT/text" ] || [ "$after" -gt "$before" ] || { echo "shows nothing: $1"; return 1; }
}

manual() {
    local command commands=0 bad=0
    need_epan || return
    prepare_manual || return 1
    while IFS= read -r command; do
        run_command "$command" || bad=1
        commands=$((commands + 1))
    done < <(manual_commands)
    echo "result: $commands commands"
    [ "$commands" -ge 25 ] && return $bad
}

check "commands of the manual" manual
