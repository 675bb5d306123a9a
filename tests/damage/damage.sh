#!/bin/bash
# A part of what damage.py can do, in some seconds, and the search for buffers in noise. The whole by hand:
# tests/damage/damage.sh --all
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
programs=$ETL_ROOT/build/release/tests/damage
positions=40 largest=100000
[ "${1:-}" != --all ] || positions=2000 largest=2097152

damaged() {
    [ -n "$ETL_ORACLE" ] && [ -r "$ETL_ORACLE" ] || { echo "result: no independent reader"; return "$SKIPPED"; }
    local files
    mapfile -t files < <(capture_files; ! have_corpus || corpus_files)
    python3 "$here/damage.py" --program "$programs/damage" --oracle "$ETL_ORACLE" --positions "$positions" \
        --largest "$largest" "${files[@]}"
}

# Megabytes a second; what is slower would take minutes for a memory dump.
RATE_MIN=300

in_noise() {
    local file line rate bad=0 slowest=
    for file in "$ETL_ROOT"/captures/{tour,compression-xpress}.etl; do
        line=$("$programs/recover" "$file" 1024) || bad=1
        echo "$file: $line"
        rate=$(sed -n 's/.*; \([0-9]*\) MB\/s$/\1/p' <<<"$line")
        [ "${rate:-0}" -ge "$RATE_MIN" ] || bad=1
        [ -n "$slowest" ] && [ "$slowest" -le "${rate:-0}" ] || slowest=$rate
    done
    echo "result: 1 GiB each, at ${slowest:-?} MB/s"
    return $bad
}

check "traces damaged in every way" damaged
check "buffers hidden in noise are found" in_noise
