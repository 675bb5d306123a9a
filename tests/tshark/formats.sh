# shellcheck shell=bash
# Every way in which tshark shows frames. Sourced by all.sh.

# Valid JSON with as many frames as the trace has, if there is a Python to say so.
is_json() {
    python3 -c 'import json, sys; print(len(json.load(sys.stdin)))'
}

is_json_lines() {
    python3 -c '
import json, sys
print(sum("index" not in json.loads(line) for line in sys.stdin if line.strip()))'
}

formats() {
    local file count shown bad=0 files=0
    need_epan || return
    while read -r file; do
        files=$((files + 1))
        count=$(count_of "$file")
        [ "$count" -gt 0 ] || { echo "$file: no frames"; bad=1; }
        shown=$(quiet_ws tshark -r "$file" -T json | is_json)
        [ "$shown" = "$count" ] || { echo "$file: -T json: $shown of $count frames"; bad=1; }
        shown=$(quiet_ws tshark -r "$file" -T ek | is_json_lines)
        [ "$shown" = "$count" ] || { echo "$file: -T ek: $shown of $count frames"; bad=1; }
        shown=$(quiet_ws tshark -r "$file" -V | grep -c '^Frame [0-9]*:')
        [ "$shown" = "$count" ] || { echo "$file: -V: $shown of $count frames"; bad=1; }
        shown=$(quiet_ws tshark -r "$file" -T pdml | grep -c '<packet>')
        [ "$shown" = "$count" ] || { echo "$file: -T pdml: $shown of $count frames"; bad=1; }
    done < <(few_traces | awk 'NR % 2')
    echo "result: $files files"
    return $bad
}

# Many traces as one: a start of tshark takes longer than a small trace.
make_many() {
    local traces
    [ ! -s "$OUT/many.pcapng" ] || return 0
    mapfile -t traces < <(if [ -n "${ETL_THOROUGH:-}" ]; then all_traces; else some_traces; fi)
    quiet_ws mergecap -w "$OUT/many.pcapng" "${traces[@]}"
}

# Every frame of every trace through everything that the dissector can do; the largest only when asked.
whole_trees() {
    need_epan && make_many || return
    quiet_ws tshark -r "$OUT/many.pcapng" -V | grep -c '^Frame [0-9]*:' >"$OUT/count" || return 1
    echo "result: $(cat "$OUT/count") frames"
    [ "$(cat "$OUT/count")" = "$(count_of "$OUT/many.pcapng")" ]
}

# No frame is called malformed but those that say why, none has made the dissector stumble,
# and of no trace many lack a column.
healthy() {
    need_epan && make_many || return
    quiet_ws tshark -r "$OUT/many.pcapng" -T fields -e etl.trace_id -e _ws.malformed -e etl.note.truncated -e etl.note.packed_text -e _ws.expert.group \
        -e _ws.col.Protocol -e _ws.col.Info |
        awk -F '\t' '
            { frames[$1]++ }
            ($2 != "" && $3 $4 == "") || $5 ~ /Dissector bug/ { print "frame " NR " of all is malformed or a bug of the dissector"; bad = 1 }
            $6 == "" || $7 == "" { empty[$1]++ }
            END {
                for (trace in empty)
                    if (empty[trace] > frames[trace] * 0.05) { print "trace " trace ": " empty[trace] " of " frames[trace] " frames lack a column"; bad = 1 }
                exit bad
            }'
}

check "text, JSON, EK, PDML of frames" formats
check "the whole tree of every frame" whole_trees
check "no malformed frames, no empty columns" healthy
