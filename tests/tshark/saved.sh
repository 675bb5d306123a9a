# shellcheck shell=bash
# A frame explains itself alone: saved as pcapng, whole, filtered, cut or merged, it decodes as before.
# Sourced by all.sh. With ETL_EVERY every trace is saved, otherwise a few; of the largest only the beginning.

saved_traces() {
    if [ -n "${ETL_EVERY:-}" ] && have_corpus && [ -n "$ETL_PREFIX" ]; then
        corpus_files # the captures were saved by the first version
    elif [ -n "${ETL_EVERY:-}" ]; then
        all_traces
    else
        few_traces
    fi
}

# Options that let a pass end early: the largest traces would take minutes otherwise.
beginning() {
    [ -n "${ETL_THOROUGH:-}" ] || [ "$(stat -c %s "$1")" -lt 4000000 ] || echo "-c 20000"
}

# Some of a trace's events, whatever they are: about a third, or one in thirty of a large one.
some_events() {
    if [ -z "$(beginning "$1")" ]; then
        echo '!(etl.buffer.offset & 0x18)'
    else
        echo '!(etl.buffer.offset & 0xf8)'
    fi
}

# Fields that tell of other frames (plugin/FORMAT.md, 2.5): by number, which Wireshark knows by the field's type, or
# whether an earlier one has the same packet or began what ends here.
frame_links() {
    printf '%s\n' 'etl\.packet\.first' 'etl\.packet\.path' 'etl\.pktmon\.first' 'etl\.duration' 'etl\.operation' 'etl\.stream'
    quiet_ws tshark -G fields | awk -F '\t' '$1 == "F" && $4 == "FT_FRAMENUM" && $3 ~ /^etl\./ { print $3 }'
}

# The etl layer of every frame, as hashes: layers FILE [options of tshark]
layers() {
    quiet_ws tshark -r "$1" -T json -J etl "${@:2}" | python3 "$ETL_ROOT/tests/tshark/frame_hashes.py" "${LINKS[@]}"
}

# Whether "before" and "after" are the same frames; shows what differs first. differ NAME TRACE OPTIONS... : how
# "before" was made.
same_layers() {
    local what=$1 trace=$2 line number
    shift 2
    files=$((files + 1)) total=$((total + $(wc -l <"$OUT/after")))
    ! cmp -s "$OUT/before" "$OUT/after" || return 0
    bad=1
    line=$(diff "$OUT/before" "$OUT/after" | sed -n '1s/[^0-9].*//p')
    echo "$trace: $what: $(wc -l <"$OUT/before") frames before, $(wc -l <"$OUT/after") after, line $line differs"
    number=$(quiet_ws tshark -r "$trace" "$@" -T fields -e frame.number | sed -n "${line}p")
    diff <(etl_layer "$trace" -Y "frame.number == $number") <(etl_layer "$SAVED" -Y "frame.number == $line") | head -n 8
}

# The loop of all ways to save: saved_each WAY, which fills "before" and makes $SAVED, and compares.
saved_each() {
    local trace bad=0 files=0 total=0 LINKS SAVED=$OUT/saved.pcapng
    need_epan || return
    mapfile -t LINKS < <(frame_links)
    while read -r trace; do
        "$1" "$trace" || bad=1
    done < <(saved_traces)
    echo "result: $files files, $total frames"
    return $bad
}

whole() {
    local some
    read -ra some < <(beginning "$1")
    quiet_ws tshark -r "$1" "${some[@]}" -w "$SAVED" -F pcapng || return 1
    layers "$1" "${some[@]}" >"$OUT/before"
    layers "$SAVED" >"$OUT/after"
    [ -s "$OUT/before" ] || { echo "$1: no frames"; return 1; }
    same_layers whole "$1" "${some[@]}"
}

# Two passes save the same frames, mostly byte for byte.
filtered() {
    local filter
    case $1 in */packets.etl) return ;; esac # packets in several events need all of them (FORMAT.md, 2.5)
    filter=$(some_events "$1")
    layers "$1" -Y "$filter" >"$OUT/before"
    quiet_ws tshark -r "$1" -Y "$filter" -w "$SAVED" -F pcapng || return 1
    layers "$SAVED" >"$OUT/after"
    same_layers "filtered in one pass" "$1" -Y "$filter"
    mv "$SAVED" "$OUT/one-pass.pcapng"
    quiet_ws tshark -2 -r "$1" -Y "$filter" -w "$SAVED" -F pcapng || return 1
    if ! cmp -s "$SAVED" "$OUT/one-pass.pcapng"; then
        layers "$SAVED" >"$OUT/after"
        same_layers "filtered in two passes" "$1" -Y "$filter"
    fi
}

# Frames 1,000 to 2,000, or of a small trace its middle.
cut_out() {
    local count first=1000 last=2000
    count=$(quiet_ws capinfos -M -c "$1" | sed -n 's/^Number of packets: *//p')
    if [ "$count" -le "$first" ]; then
        first=$((count / 3 + 1)) last=$((count * 2 / 3 + 1))
    fi
    layers "$1" -c $last -Y "frame.number >= $first" >"$OUT/before"
    quiet_ws editcap -r "$1" "$SAVED" "$first-$last" || return 1
    layers "$SAVED" >"$OUT/after"
    same_layers "frames $first to $last" "$1" -c $last -Y "frame.number >= $first"
}

# A trace can be saved as a trace: the same events and names, though elsewhere in their file, so where it was is left
# out. So is the logfile header, which counts buffers, and so are messages without a time, which have that of whatever
# is before them.
as_trace() {
    local saved=$OUT/saved.etl elsewhere=('etl\.buffer\.[a-z_.]*' 'etl\.(?:offset|out_of_order|trace_id)')
    local filter='!(etl.hookid == 0) && !(etl.message.flags && !(etl.message.flags & 8))'
    [ -z "$(beginning "$1")" ] || filter+=' && !(etl.timestamp.raw & 0x1f0)'
    quiet_ws tshark -r "$1" -w "$saved" -F etl || { echo "$1: cannot be saved"; return 1; }
    LINKS+=("${elsewhere[@]}")
    layers "$1" -Y "$filter" | sort >"$OUT/before"
    layers "$saved" -Y "$filter" | sort >"$OUT/after"
    LINKS=("${LINKS[@]::${#LINKS[@]}-2}")
    files=$((files + 1)) total=$((total + $(wc -l <"$OUT/after")))
    cmp -s "$OUT/before" "$OUT/after" || {
        echo "$1: $(comm -23 "$OUT/before" "$OUT/after" | wc -l) events are others after saving"
        diff <(etl_layer "$1" -Y "$filter" -c 3) <(etl_layer "$saved" -Y "$filter" -c 3) | head -n 8
        return 1
    }
}

# Ids that two of the traces give to different processes: number and names.
clashing_ids() {
    local file
    for file; do
        quiet_ws tshark -r "$file" -T fields -e etl.pid -e etl.pid.name | awk -F '\t' '$2 != ""' | sort -u
    done | sort -u | awk -F '\t' '$1 == last { print } { last = $1 }'
}

# Traces that share ids; two of them give process 500 different names.
clashing_traces() {
    printf "$CAPTURES/%s.etl\n" kernel-layouts-64 windows-vista tour
    ! have_corpus || printf "$ETL_CORPUS/%s\n" HTTP_Server.etl ms-rpc-capture-arrays.etl process_data_64_v3.etl
}

# Traces with ids in common, and one that was saved: each one's frames by its trace id are what they were.
saved_by_mergecap() {
    local traces trace id bad=0 files=0 total=0 clashes LINKS SAVED=$OUT/merged.pcapng
    need_epan || return
    mapfile -t LINKS < <(frame_links)
    mapfile -t traces < <(clashing_traces)
    clashes=$(clashing_ids "${traces[@]}" | wc -l)
    [ "$clashes" -gt 0 ] || { echo "no ids clash"; return 1; }
    quiet_ws tshark -r "$CAPTURES/items-64.etl" -w "$OUT/third.pcapng" -F pcapng || return 1
    quiet_ws mergecap -w "$SAVED" "${traces[@]}" "$OUT/third.pcapng" || return 1
    for trace in "${traces[@]}" "$OUT/third.pcapng"; do
        id=$(quiet_ws tshark -r "$trace" -T fields -e etl.trace_id -c 1)
        [ -n "$id" ] || { echo "$trace: no trace id"; return 1; }
        layers "$trace" >"$OUT/before"
        layers "$SAVED" -Y "etl.trace_id == $id" >"$OUT/after"
        same_layers merged "$trace"
    done
    echo "result: $total frames, $clashes clashing ids"
    return $bad
}

# Without the plugin a saved trace is what Wireshark's own dissector knows.
without_plugin() {
    local file count known shown
    mkdir -p "$OUT/no-plugins"
    read -r file < <(two_traces)
    quiet_ws tshark -r "$file" -w "$OUT/saved.pcapng" -F pcapng || return 1
    count=$(frames "$file")
    known=$(PLUGINS=$OUT/no-plugins quiet_ws tshark -r "$OUT/saved.pcapng" -T fields -e frame.protocols | grep -c '^etw')
    echo "result: $known of $count frames"
    [ "$known" = "$count" ] || return 1
    shown=$(PLUGINS=$OUT/no-plugins quiet_ws tshark -r "$OUT/saved.pcapng" -T fields -e etw.provider_id -e etw.process_id | sort -u | wc -l)
    [ "$shown" -gt 1 ] || { echo "nothing is shown"; return 1; }
}

check "saved and opened again" saved_each whole
check "filtered, saved and opened again" saved_each filtered
check "cut by editcap and opened again" saved_each cut_out
check "saved as a trace and opened again" saved_each as_trace
check "merged by mergecap and opened again" saved_by_mergecap
check "saved and opened without the plugin" without_plugin
