#!/bin/bash
# coverage over the real traces: which modern events are not decoded, and that no others are.
#
#   coverage.sh PROGRAM     PROGRAM is the built tests/decoded/coverage
set -u -o pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
have_corpus || { echo "result: no corpus"; exit "$SKIPPED"; }
mapfile -t files < <(corpus_files)
"$1" "${files[@]}" >"$ETL_LOGS/coverage.txt" || exit 1
cat "$ETL_LOGS/coverage.txt"

# PerfView added bytes to two of its events that its description does not have. Three events of DxgKrnl have 8
# bytes that no manifest declares, one of .NET's 4 of alignment, EtwCollector's versions are newer than the table's.
# What the last two say is not public.
expected="\
embedded|PerfView|202|200|surplus 2
EventSource|PerfView|106|104|surplus 2
built-in|Microsoft-Windows-DxgKrnl|196500|195133|surplus 1367
built-in|Microsoft-Windows-DotNETRuntime|2503|2502|surplus 1
built-in older version|Microsoft-Windows-EtwCollector|2|0|surplus 2
none|8f8f13b1-60eb-4b6a-a433-de86104115ac|14533|0|no description 14533
none|6f669bfa-816a-4204-a824-47c8e6a00474|1|0|no description 1"
undecoded=$(sed '/^$/,$d; s/  \+/|/g; s/ \([0-9]\+\)|/|\1|/' "$ETL_LOGS/coverage.txt" | awk -F '|' 'NF > 4')
[ "$undecoded" = "$expected" ] || { diff <(echo "$expected") <(echo "$undecoded"); exit 1; }
awk '$1 != "(all)" && /\(all\)/ { sub(/ *\(all\) */, " "); printf "%s%s", separator, $0; separator = "; " }' "$ETL_LOGS/coverage.txt" |
    sed 's/  */ /g; s/^/result: /'; echo
