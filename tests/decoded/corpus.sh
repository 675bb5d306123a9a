#!/bin/bash
# decoded over the real traces: what is not decoded, or looks odd, must have a reason in explained.c.
#
#   corpus.sh PROGRAM     PROGRAM is the built tests/decoded/decoded
set -u -o pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
have_corpus || { echo "result: no corpus"; exit "$SKIPPED"; }

# Made-up logs of 64-bit systems whose headers say 32-bit. Of test_data_64 the versions 1 and 2 have a size of
# 4 bytes where the class and all real files have 8: their makers changed that later (image_data_64).
mapfile -t wide < <(ls "$ETL_CORPUS"/*_data_64*.etl)
mapfile -t others < <(corpus_files | grep -v '_data_64')

"$1" "${others[@]}" >"$ETL_LOGS/decoded.txt" && "$1" -8 "${wide[@]}" >"$ETL_LOGS/decoded-64.txt"
status=$?
cat "$ETL_LOGS/decoded.txt" "$ETL_LOGS/decoded-64.txt"
echo "result: $(tail -n 1 "$ETL_LOGS/decoded.txt"); made up: $(tail -n 1 "$ETL_LOGS/decoded-64.txt")"
exit $status
