#!/bin/bash
# decoded over the real traces: everything that has a layout must be decoded, apart from what is named here.
#
#   corpus.sh PROGRAM     PROGRAM is the built tests/decoded/decoded
set -u -o pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
have_corpus || { echo "result: no corpus"; exit "$SKIPPED"; }

# Made-up logs of 64-bit systems whose headers say 32-bit. Of test_data_64 the versions 1 and 2 have a size of
# 4 bytes where the class and all real files have 8: their makers changed that later (image_data_64).
mapfile -t wide < <(ls "$ETL_CORPUS"/*_data_64*.etl)
mapfile -t others < <(corpus_files | grep -v '_data_64')

"$1" "${others[@]}" >"$ETL_LOGS/decoded.txt" || { tail -n 1 "$ETL_LOGS/decoded.txt"; exit 1; }
"$1" -8 "${wide[@]}" >"$ETL_LOGS/decoded-64.txt" || { tail -n 1 "$ETL_LOGS/decoded-64.txt"; exit 1; }

# Not decoded by intent: schemas and packed XML, which other code reads, and what nobody has described.
undecoded=$(cat "$ETL_LOGS/decoded.txt" "$ETL_LOGS/decoded-64.txt" |
    grep -E 'surplus|truncated [1-9]|swallowed|no layout' |
    grep -vE '^ +(EventMetadata|WinSAT|PerfTrack)/|SystemConfigEx/Unknown37|type [0-9]+ |^[0-9]+ events')
[ -z "$undecoded" ] || { printf '%s\n' "$undecoded"; exit 1; }
echo "result: $(tail -n 1 "$ETL_LOGS/decoded.txt"), and $(tail -n 1 "$ETL_LOGS/decoded-64.txt")"
