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
        count=$(frames "$file")
        [ "$count" -gt 0 ] || { echo "$file: no frames"; bad=1; }
        shown=$(quiet_ws tshark -r "$file" -T json | is_json)
        [ "$shown" = "$count" ] || { echo "$file: -T json: $shown of $count frames"; bad=1; }
        shown=$(quiet_ws tshark -r "$file" -T ek | is_json_lines)
        [ "$shown" = "$count" ] || { echo "$file: -T ek: $shown of $count frames"; bad=1; }
        shown=$(quiet_ws tshark -r "$file" -V | grep -c '^Frame [0-9]*:')
        [ "$shown" = "$count" ] || { echo "$file: -V: $shown of $count frames"; bad=1; }
        shown=$(quiet_ws tshark -r "$file" -T pdml | grep -c '<packet>')
        [ "$shown" = "$count" ] || { echo "$file: -T pdml: $shown of $count frames"; bad=1; }
    done < <(few_traces)
    echo "result: $files files"
    return $bad
}

# Every frame of every trace through everything that the dissector can do; the largest only when asked.
whole_trees() {
    local file bad=0 files=0
    need_epan || return
    while read -r file; do
        files=$((files + 1))
        quiet_ws tshark -r "$file" -V >/dev/null || { echo "$file: -V fails"; bad=1; }
    done < <(if [ -n "${ETL_THOROUGH:-}" ]; then all_traces; else some_traces; fi)
    echo "result: $files files"
    return $bad
}

# No frame is called malformed, none has made the dissector stumble, and few lack a column.
healthy() {
    local file bad=0
    need_epan || return
    while read -r file; do
        case $file in */packets.etl) continue ;; esac # two of its events are cut on purpose
        quiet_ws tshark -r "$file" -T fields -e _ws.malformed -e _ws.expert.group -e _ws.col.Protocol -e _ws.col.Info |
            awk -F '\t' -v file="$file" '
                $1 != "" || $2 ~ /Dissector bug/ { sick++ }
                $3 == "" || $4 == "" { empty++ }
                END {
                    if (sick) print file ": " sick " frames are malformed or a bug of the dissector"
                    if (empty > NR * 0.05) print file ": " empty " of " NR " frames lack a column"
                    exit sick || empty > NR * 0.05
                }' || bad=1
    done < <(some_traces)
    return $bad
}

check "text, JSON, EK, PDML of frames" formats
check "the whole tree of every frame" whole_trees
check "no malformed frames, no empty columns" healthy
