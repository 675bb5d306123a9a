# shellcheck shell=bash
# Frames say of ids what the trace says of them at that time: in one pass, in two, and in a subset that was saved
# in one pass and opened again. Sourced by all.sh.

NAME_FIELDS=()

# The lines that names.py reads: named_fields FILE OPTIONS...
named_fields() {
    [ "${#NAME_FIELDS[@]}" -gt 0 ] || read -ra NAME_FIELDS < <(python3 "$ETL_ROOT/tests/tshark/names.py" fields)
    quiet_ws tshark -r "$@" -T fields "${NAME_FIELDS[@]}" -E 'aggregator=;'
}

# Large ones are read to their end only when there is time.
some_frames() {
    [ -n "${ETL_THOROUGH:-}" ] || echo "-c 8000"
}

# Of the largest one event in eight, and all that tell names.
events_to_check() {
    case $1 in
    *slow_ppt*) [ -n "${ETL_THOROUGH:-}" ] || echo '!(etl.buffer.offset & 0x38) || etl.process.image_file_name || etl.image.file_name || etl.file_io.file_name || etl.system_config_ex.nt_path' ;;
    esac
}

named_traces() {
    printf "$CAPTURES/%s.etl\n" tour
    ! have_corpus || [ -n "$ETL_PREFIX" ] || printf "$ETL_CORPUS/%s.etl\n" tmp0qw4cn.tmp net.4.5.2.x64 2011-08-29_00-00-00_slow_ppt_trace
}

names_are_right() {
    local trace bad=0 out filter
    need_epan || return
    while read -r trace; do
        filter=$(events_to_check "$trace")
        named_fields "$trace" ${filter:+-Y "$filter"} >"$OUT/$(basename "$trace").tsv" || return 1
        out=$(python3 "$ETL_ROOT/tests/tshark/names.py" all "$OUT/$(basename "$trace").tsv") || bad=1
        printf '%s\n' "${out//result:/$(basename "$trace"):}"
    done < <(named_traces)
    echo "result: $(named_traces | wc -l) files"
    return $bad
}

# The number of a frame is another one in a subset.
names_are_kept() {
    local trace options bad=0 filter='!(etl.buffer.offset & 0x18)' frames=0
    need_epan || return
    while read -r trace; do
        read -ra options < <(some_frames)
        named_fields "$trace" "${options[@]}" -Y "$filter" | cut -f 2- >"$OUT/one-pass"
        named_fields "$trace" "${options[@]}" -2 -Y "$filter" | cut -f 2- >"$OUT/two-passes"
        quiet_ws tshark -r "$trace" "${options[@]}" -Y "$filter" -w "$OUT/subset.pcapng" -F pcapng || return 1
        named_fields "$OUT/subset.pcapng" | cut -f 2- >"$OUT/subset"
        cmp "$OUT/one-pass" "$OUT/two-passes" && cmp "$OUT/one-pass" "$OUT/subset" && [ -s "$OUT/subset" ] || bad=1
        frames=$((frames + $(wc -l <"$OUT/subset")))
    done < <(named_traces)
    echo "result: $frames frames, the same in one pass, two passes and a subset"
    return $bad
}

names_as_perfview() {
    local pair lines bad=0
    need_epan && need_corpus || return
    for pair in net.4.5.2.x64:net.4.5.2.x64 PerfViewData-gcevents:gcevents PerfViewData.clrRundown:gcrundownevents \
        primitive-types:primitive-types; do
        lines=$OUT/${pair%%:*}.etl.tsv
        [ -s "$lines" ] || named_fields "$ETL_CORPUS/${pair%%:*}.etl" >"$lines" || return 1
        python3 "$ETL_ROOT/tests/tshark/names.py" baseline "$lines" "$ETL_CORPUS/oracles/${pair##*:}.baseline.txt" || bad=1
    done
    return $bad
}

# What ETL_NAMES=0 leaves out, a saved file does not have either.
names_left_out() {
    local field
    need_epan || return
    ETL_NAMES=0 quiet_ws tshark -r "$CAPTURES/tour.etl" -w "$OUT/nameless.pcapng" -F pcapng || return 1
    for field in etl.pid.name etl.pid.command_line etl.pid.user etl.stack.module etl.code.module etl.disk_io.file_object.name; do
        [ "$(frames "$OUT/nameless.pcapng" -Y "$field")" = 0 ] || { echo "$field is there"; return 1; }
    done
    echo "result: none"
}

check "names are those that the trace tells" names_are_right
check "names in one pass, two passes and a saved subset" names_are_kept
[ -n "$ETL_PREFIX" ] || check "names of processes as PerfView has them" names_as_perfview
check "names that are left out" names_left_out
