# shellcheck shell=bash
# A frame explains itself alone: saved as pcapng, whole, filtered, cut or merged, it decodes as before.
# Sourced by all.sh. With ETL_EVERY the captures and this version's share of the real traces are saved, otherwise a few;
# with ETL_TRACES those. With ETL_THOROUGH all or those, each by itself.
#
# Programs start slowly beside what a small trace costs: so the saved files of all traces are merged into one and
# dissected in one run.

. "$ETL_ROOT/tests/tshark/compare.sh"
THIRD=$CAPTURES/items-64.etl

saved_traces() {
    local trace
    if [ -n "${ETL_TRACES:-}" ]; then
        for trace in $ETL_TRACES; do
            [ -e "$trace" ] || trace=$ETL_CORPUS/$trace
            printf '%s\n' "$trace"
        done
    elif [ -n "${ETL_THOROUGH:-}" ]; then
        all_traces
    elif [ -n "${ETL_EVERY:-}" ]; then
        captures
        ! have_corpus || corpus_share
    else
        few_traces
    fi
}

# Ways to save: save_WAY TRACE OUT KIND; kind_WAY TRACE says which frames these are, in same_frames.py's words

# By tshark each; all at once by mergecap, which takes traces as they are.
save_all() {
    local some
    if [ -z "${ETL_THOROUGH:-}" ] && ! large "$1"; then
        ln -sf "$1" "$2"
        return
    fi
    read -ra some < <(beginning "$1")
    quiet_ws tshark -r "$1" "${some[@]}" -w "$2" -F pcapng
}

kind_all() {
    echo all
}

# Some of a trace's events, whatever they are, about a third; and all parts of a packet that is in several of them.
save_subset() {
    local some
    read -ra some < <(beginning "$1")
    # shellcheck disable=SC2086 # an option or nothing
    quiet_ws tshark ${4:-} -r "$1" "${some[@]}" -w "$2" -F pcapng \
        -Y '!(etl.buffer.offset & 0x18) || etl.packet.part.count || etl.note.packet_part || etl.note.packet_no_start'
}

kind_subset() {
    echo subset
}

# Frames 1,000 to 2,000, or of a small trace its middle.
save_range() {
    quiet_ws editcap -r "$1" "$2" "${3#*:}"
}

kind_range() {
    local count
    count=$(wc -l <"$TABLE")
    if [ "$count" -gt 1000 ]; then
        echo range:1000-2000
    else
        echo "range:$((count / 3 + 1))-$((count * 2 / 3 + 1))"
    fi
}

# A trace can be saved as a trace: the same events and names, though elsewhere in another file. Names come from other
# events, wherever they are, so all have to be saved.
save_moved() {
    quiet_ws editcap -F etl "$1" "$2"
}

# Of a large trace, a sample from everywhere is looked at, which takes long: sampled TRACE SAVED
sampled() {
    local filter='!(etl.timestamp.raw & 0xff0)' found
    table "$1" -Y "$filter" >"$OUT/before" && table "$2" -Y "$filter" >"$OUT/after" || return 1
    python3 "$ETL_ROOT/tests/tshark/same_frames.py" "$OUT/after" moved "$OUT/before" >"$OUT/same" || { echo "$1:"; cat "$OUT/same"; return 1; }
    read -r _ found <"$OUT/same"
    total=$((total + found))
}

kind_moved() {
    echo moved
}

# Several files as one in $SAVED.
join() {
    if [ $# = 1 ]; then
        ln -f "$1" "$SAVED"
    else
        quiet_ws mergecap -w "$SAVED" "$@"
    fi
}

# Saves traces in one way and looks whether they are what they were: round WAY TRACE...
round() {
    local way=$1 trace kind out pairs=() saved=() bad=0 TABLE
    shift
    "${AS[@]}" mkdir -p "$OUT/$way"
    for trace; do
        files=$((files + 1))
        table_of "$trace" || { bad=1; continue; }
        kind=$("kind_$way" "$trace")
        out=$OUT/$way/$(basename "$trace")
        [ "$way" != moved ] || ! large "$trace" || [ -n "${ETL_THOROUGH:-}" ] || continue
        "save_$way" "$trace" "$out" "$kind" || { echo "$trace: cannot be saved"; bad=1; continue; }
        if [ "$way" = moved ] && large "$trace"; then
            sampled "$trace" "$out" || bad=1
            rm -f "$out"
            continue
        fi
        pairs+=("$kind" "$trace") saved+=("$out")
    done
    [ "${#saved[@]}" = 0 ] || { join "${saved[@]}" && same_frames '' "${pairs[@]}"; } || bad=1
    return $bad
}

# Runs a command with all traces of a list at once, or with one after the other: with_traces LIST COMMAND...
with_traces() {
    local list=$1 traces trace bad=0 files=0 total=0 LINKS
    shift
    need_epan && make_tools || return
    frame_links
    mapfile -t traces < <("$list")
    if [ -n "${ETL_THOROUGH:-}" ]; then
        for trace in "${traces[@]}"; do
            "$@" "$trace" || bad=1
        done
    elif [ "${#traces[@]}" -gt 0 ]; then
        "$@" "${traces[@]}" || bad=1
    fi
    echo "result: $files files, $total frames"
    return $bad
}

# Two passes take long: those of this version's share only.
twice_read_traces() {
    saved_traces | if [ -n "${ETL_EVERY:-}" ] && [ -z "${ETL_THOROUGH:-}${ETL_TRACES:-}" ]; then share_of; else cat; fi
}

# Two passes save the same frames as one, mostly byte for byte. After round subset.
two_passes() {
    local trace bad=0
    for trace; do
        files=$((files + 1))
        rm -f "$SAVED"
        save_subset "$trace" "$SAVED" subset -2 || { bad=1; continue; }
        if cmp -s "$SAVED" "$OUT/subset/$(basename "$trace")"; then
            echo "the same file: $(basename "$trace")"
        else
            same_frames '' subset "$trace" || bad=1
        fi
    done
    return $bad
}

# Ids that two traces give to different processes: number and names.
clashing_ids() {
    local file
    for file; do
        quiet_ws tshark -r "$file" -T fields -e etl.pid -e etl.pid.name | awk -F '\t' '$2 != ""' | sort -u
    done | sort -u | awk -F '\t' '$1 == last { print } { last = $1 }'
}

# A trace, another one with all of its ids for other things, and a third that was saved: merged, each one's frames, by
# their trace id, are what they were.
merged() {
    local trace kind options third bad=0 twin=$OUT/twin.etl TABLE
    twins_differ || return 1
    [ -e "$OUT/third.pcapng" ] || quiet_ws tshark -r "$THIRD" -w "$OUT/third.pcapng" -F pcapng || return 1
    for trace; do
        files=$((files + 1)) kind=all options='' third=(all "$THIRD")
        ! large "$trace" || kind=beginning:all options="-c $FRAMES" third=(beginning:all "$THIRD")
        python3 "$ETL_ROOT/tests/tshark/twin.py" "$trace" "$twin" && chmod go+r "$twin" || return 1
        rm -f "$TABLES/twin.etl.table"
        [ "$trace" != "$THIRD" ] || third=()
        quiet_ws mergecap -w "$SAVED" "$trace" "$twin" ${third:+"$OUT/third.pcapng"} &&
            same_frames "$options" "$kind" "$trace" "$kind" "$twin" "${third[@]}" || bad=1
        rm -f "$SAVED"
    done
    return $bad
}

# Twins do have other names for the same ids.
twins_differ() {
    local clashes
    python3 "$ETL_ROOT/tests/tshark/twin.py" "$CAPTURES/tour.etl" "$OUT/twin.etl" && chmod go+r "$OUT/twin.etl" || return 1
    clashes=$(clashing_ids "$CAPTURES/tour.etl" "$OUT/twin.etl" | wc -l)
    [ "$clashes" -gt 0 ] || { echo "no ids clash"; return 1; }
}

# Traces to merge: all of them, or the small ones of this version's share.
merged_traces() {
    [ -z "${ETL_THOROUGH:-}${ETL_TRACES:-}" ] || { saved_traces; return; }
    printf "$CAPTURES/%s.etl\n" kernel-layouts-64 tour packets
    ! have_corpus || corpus_share | xargs -I{} find {} -size -400k | awk 'NR % 4 == 0'
}

# Without the plugin a saved trace is what Wireshark's own dissector knows.
without_plugin() {
    local file count known shown
    mkdir -p "$OUT/no-plugins"
    read -r file < <(two_traces)
    quiet_ws tshark -r "$file" -w "$OUT/saved.pcapng" -F pcapng || return 1
    count=$(frames "$file")
    PLUGINS=$OUT/no-plugins quiet_ws tshark -r "$OUT/saved.pcapng" -T fields -e frame.protocols -e etw.provider_id -e etw.process_id >"$OUT/shown"
    known=$(grep -c '^etw' "$OUT/shown")
    echo "result: $known of $count frames"
    [ "$known" = "$count" ] || return 1
    shown=$(sort -u "$OUT/shown" | wc -l)
    [ "$shown" -gt 1 ] || { echo "nothing is shown"; return 1; }
}

check "saved and opened again" with_traces saved_traces round all
check "filtered, saved and opened again" with_traces saved_traces round subset
check "filtered in two passes and opened again" with_traces twice_read_traces two_passes
check "cut by editcap and opened again" with_traces saved_traces round range
check "saved as a trace and opened again" with_traces saved_traces round moved
check "merged by mergecap and opened again" with_traces merged_traces merged
check "saved and opened without the plugin" without_plugin
