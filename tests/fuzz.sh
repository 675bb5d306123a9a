#!/bin/bash
# Runs every fuzz target for some seconds, over the captures and over what fuzzing has found before:
#
#   fuzz.sh [SECONDS]   longer by hand: fuzz.sh 3600
#   fuzz.sh --keep      makes tests/fuzz/corpora.tar.zst anew: of what targets have learned, as few and as small inputs
#                       as reach the same code, and only those that reach more than the captures do
#
# What a target has learned stays in build/fuzz/learned; an input that fails, in build/fuzz/failed.
set -u -o pipefail
. "$(dirname "$0")/lib.sh"
cd "$ETL_ROOT" || exit 1
seeds=$ETL_BUILD/fuzz/seeds
corpora=$ETL_BUILD/fuzz/corpora
learned=${ETL_LEARNED:-$ETL_BUILD/fuzz/learned}
archive=$ETL_ROOT/tests/fuzz/corpora.tar.zst

# Larger inputs are not kept: nearly all that they reach, smaller ones do.
KEPT_MAX=4096

# The same name may occur in several folders of captures.
collect_seeds() {
    local file
    rm -rf "$seeds" "$corpora"
    mkdir -p "$seeds" "$corpora"
    find captures '(' -name '*.etl' -o -name '*.man' ')' -size -256k 2>/dev/null | while read -r file; do
        cp "$file" "$seeds/$(printf '%s' "$file" | tr / -)"
    done
    [ ! -e "$archive" ] || zstd -dqc "$archive" | tar -xf - -C "$corpora"
}

fuzz() {
    local target=$1 name
    name=$(basename "$target")
    mkdir -p "$learned/$name" "$ETL_BUILD/fuzz/failed" "$corpora/$name"
    "$target" -max_total_time="$duration" -timeout=10 -rss_limit_mb=2048 -max_len=262144 -print_final_stats=1 \
        -artifact_prefix="$ETL_BUILD/fuzz/failed/$name-" "$learned/$name" "$corpora/$name" "$seeds" || return 1
    sed -n 's/^stat::number_of_executed_units: */result: executions: /p' "$(log_of "fuzz ${name#fuzz_} for $duration s")"
}

run_one() {
    check "fuzz ${1##*fuzz_} for $duration s" fuzz "$1"
}

# Adds to the captures what reaches more than they do; the smallest first.
keep_one() {
    local target=$1 name work folder
    name=$(basename "$target")
    work=$ETL_BUILD/fuzz/keep/$name
    mkdir -p "$work/known" "$work/found" "$learned/$name" "$corpora/$name"
    cp "$seeds"/* "$work/known/"
    for folder in "$learned/$name" "$corpora/$name"; do
        find "$folder" -type f -size "-$((KEPT_MAX + 1))c" -exec cp -t "$work/found" {} +
    done
    "$target" -merge=1 -timeout=10 -rss_limit_mb=2048 -max_len=262144 "$work/known" "$work/found" >"$work/log" 2>&1 ||
        { tail -n 5 "$work/log"; return 1; }
    (cd "$seeds" && find . -type f) | (cd "$work/known" && xargs rm -f)
    mkdir -p "$ETL_BUILD/fuzz/kept"
    mv "$work/known" "$ETL_BUILD/fuzz/kept/$name"
    echo "$name: $(find "$ETL_BUILD/fuzz/kept/$name" -type f | wc -l) inputs"
}

keep() {
    local target
    rm -rf "$ETL_BUILD/fuzz/keep" "$ETL_BUILD/fuzz/kept"
    while read -r target; do
        keep_one "$target" || return 1
    done <<<"$targets"
    tar -C "$ETL_BUILD/fuzz/kept" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -cf - . |
        zstd -19 -q -f -o "$archive" || return 1
    rm -rf "$ETL_BUILD/fuzz/keep"
    echo "$archive: $(stat -c %s "$archive") bytes"
}

collect_seeds
targets=$(find build/fuzz/tests -maxdepth 1 -name 'fuzz_*' -type f 2>/dev/null | sort)
[ -n "$targets" ] || { skip "fuzz targets" "none was built"; exit; }
if [ "${1:-}" = --keep ]; then
    keep
    exit
fi
duration=${1:-5}
export -f run_one fuzz check report_line log_of
export duration seeds corpora learned SKIPPED ETL_PREFIX
# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\n' "$targets" | xargs -P "$ETL_JOBS" -I{} bash -u -c 'run_one "$1"' _ {}
