#!/bin/bash
# Runs every fuzz target over the captures for some seconds: fuzz.sh [SECONDS]. Longer by hand: fuzz.sh 3600.
# What a target has learned stays in build/fuzz/learned; an input that fails, in build/fuzz/failed.
set -u -o pipefail
. "$(dirname "$0")/lib.sh"
duration=${1:-5}
cd "$ETL_ROOT" || exit 1
seeds=$ETL_BUILD/fuzz/seeds

# The same name may occur in several folders of captures.
collect_seeds() {
    local file
    rm -rf "$seeds"
    mkdir -p "$seeds"
    find captures '(' -name '*.etl' -o -name '*.man' ')' -size -256k 2>/dev/null | while read -r file; do
        cp "$file" "$seeds/$(printf '%s' "$file" | tr / -)"
    done
}

fuzz() {
    local target=$1 name
    name=$(basename "$target")
    mkdir -p "$ETL_BUILD/fuzz/learned/$name" "$ETL_BUILD/fuzz/failed"
    "$target" -max_total_time="$duration" -timeout=10 -rss_limit_mb=2048 -max_len=262144 -print_final_stats=1 \
        -artifact_prefix="$ETL_BUILD/fuzz/failed/$name-" "$ETL_BUILD/fuzz/learned/$name" "$seeds" || return 1
}

run_one() {
    check "fuzz ${1##*fuzz_} for $duration s" fuzz "$1"
}

collect_seeds
targets=$(find build/fuzz/tests -maxdepth 1 -name 'fuzz_*' -type f 2>/dev/null | sort)
[ -n "$targets" ] || { skip "fuzz targets" "none was built"; exit; }
export -f run_one fuzz check report_line log_of
export duration seeds SKIPPED ETL_PREFIX
# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\n' "$targets" | xargs -P "$ETL_JOBS" -I{} bash -u -c 'run_one "$1"' _ {}
