# shellcheck shell=bash
# What every test script shares: where things are, and how a check is run, counted and printed.
# Sourced, not run. A check is one line of output: its verdict, its time, its name and its result.
#
# Its time is seconds that passed, and of processors. What `< <(...)` runs is not counted.
#
#   check "name" command...   the command's exit status is the verdict; 77 means that it was skipped.
#                             Its last line "result: ..." is shown, and so is the reason of a skip.
#   skip "name" "reason"
#   results                   the line "N passed, N failed, N skipped"; fails if a check has

ETL_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ETL_BUILD=${ETL_BUILD:-$ETL_ROOT/build}
ETL_LOGS=${ETL_LOGS:-$ETL_BUILD/logs}
ETL_JOBS=${ETL_JOBS:-$(nproc)}
export ETL_ROOT ETL_BUILD ETL_LOGS ETL_JOBS

# Real traces and the independent reader are not part of the project; "" where there are none.
if [ -z "${ETL_SHARED+set}" ]; then
    ETL_SHARED=
    [ -d "$ETL_ROOT/../shared" ] && ETL_SHARED=$(cd "$ETL_ROOT/../shared" && pwd)
fi
ETL_CORPUS=${ETL_CORPUS:-${ETL_SHARED:+$ETL_SHARED/corpus}}
ETL_ORACLE=${ETL_ORACLE:-${ETL_SHARED:+$ETL_SHARED/tools/etl_oracle.py}}
export ETL_SHARED ETL_CORPUS ETL_ORACLE

SKIPPED=77

# Stands before the names of checks that run more than once: the version of Wireshark.
ETL_PREFIX=${ETL_PREFIX:-}

have_corpus() {
    [ -n "$ETL_CORPUS" ] && [ -r "$ETL_CORPUS/INDEX.csv" ]
}

# The real traces, the largest last.
corpus_files() {
    ls -Sr "$ETL_CORPUS"/*.etl "$ETL_CORPUS"/*.blg
}

# The project's own captures that can be read: not those that are there to be refused.
capture_files() {
    find "$ETL_ROOT/captures" -name '*.etl' -not -path '*/broken/*' -not -path '*/regressions/*' 2>/dev/null | sort
}

start_results() {
    mkdir -p "$ETL_LOGS"
    : >"$ETL_LOGS/results"
}

# verdict, seconds, seconds of processor time, name, what came out
report_line() {
    printf '%-5s %6.1f s %6.1f CPU  %s%s\n' "$1" "$2" "$3" "$ETL_PREFIX$4" "${5:+: $5}"
    printf '%s\t%s\t%s\n' "$1" "$ETL_PREFIX$4" "$3" >>"$ETL_LOGS/results"
}

skip() {
    report_line skip 0 0 "$1" "skipped: $2"
}

log_of() {
    printf '%s/%s.log' "$ETL_LOGS" "$(printf '%s' "$1" | tr -c 'A-Za-z0-9.\n' -)"
}

check() {
    local name=$1 began status log seconds cpu result TIMEFORMAT='%U %S'
    shift
    log=$(log_of "$name")
    began=$EPOCHREALTIME
    { time { (set +e; "$@") >"$log" 2>&1 </dev/null; }; } 2>"$log.cpu"
    status=$?
    seconds=$(awk "BEGIN { print $EPOCHREALTIME - $began }")
    cpu=$(awk 'END { print $1 + $2 }' "$log.cpu")
    rm -f "$log.cpu"
    result=$(sed -n 's/^result: //p' "$log" | tail -n 1)
    if [ "$status" = 0 ]; then
        report_line ok "$seconds" "$cpu" "$name" "$result"
    elif [ "$status" = "$SKIPPED" ]; then
        report_line skip "$seconds" "$cpu" "$name" "skipped: ${result:-$(tail -n 1 "$log")}"
    else
        report_line FAIL "$seconds" "$cpu" "$name" "$result"
        tail -n 25 "$log" | cut -c 1-400 | sed 's/^/    /'
        printf '    all of it: %s\n' "${log#"$ETL_ROOT"/}"
    fi
}

results() {
    awk -F '\t' '$1 == "ok" { good++ } $1 == "FAIL" { bad++ } $1 == "skip" { skipped++ } { cpu += $3 }
                 END { printf "%d passed, %d failed, %d skipped, %d s of processor time in checks\n", good, bad, skipped, cpu
                       exit bad > 0 || good == 0 }' \
        "$ETL_LOGS/results"
}
