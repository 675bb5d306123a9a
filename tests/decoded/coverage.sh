#!/bin/bash
# coverage over the real traces: which modern events are not decoded, and that no others are.
#
#   coverage.sh PROGRAM     PROGRAM is the built tests/decoded/coverage
set -u -o pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
have_corpus || { echo "result: no corpus"; exit "$SKIPPED"; }
mapfile -t files < <(corpus_files)
mkdir -p "$ETL_LOGS"
"$1" "${files[@]}" >"$ETL_LOGS/coverage.txt" || exit 1
cat "$ETL_LOGS/coverage.txt"

# Source, provider, events, decoded, what is with the others, and why.
expected="\
embedded|PerfView|202|200|surplus 2|it wrote bytes that its own description does not have
EventSource|PerfView|106|104|surplus 2|the same events
built-in|Microsoft-Windows-DxgKrnl|196500|195133|surplus 1367|three events have 8 bytes that no public manifest declares
built-in|Microsoft-Windows-DotNETRuntime|2503|2502|surplus 1|4 bytes of alignment
built-in older version|Microsoft-Windows-EtwCollector|2|0|surplus 2|of later versions than any public description
none|8f8f13b1-60eb-4b6a-a433-de86104115ac|14533|0|no description 14533|what this provider says is not public
none|6f669bfa-816a-4204-a824-47c8e6a00474|1|0|no description 1|what this provider says is not public"
undecoded=$(sed '/^$/,$d; s/  \+/|/g; s/ \([0-9]\+\)|/|\1|/' "$ETL_LOGS/coverage.txt" | awk -F '|' 'NF > 4')
[ "$undecoded" = "$(cut -d '|' -f -5 <<<"$expected")" ] || { diff <(cut -d '|' -f -5 <<<"$expected") <(echo "$undecoded"); exit 1; }
awk -F '|' '{ printf "not decoded: %s, %s: %s: %s\n", $1, $2, $5, $6 }' <<<"$expected"
awk '$1 != "(all)" && /\(all\)/ { sub(/ *\(all\) */, " "); printf "%s%s", separator, $0; separator = "; " }' "$ETL_LOGS/coverage.txt" |
    sed 's/  */ /g; s/^/result: /'; echo
