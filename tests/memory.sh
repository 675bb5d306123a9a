#!/bin/bash
# The modules under AddressSanitizer and valgrind, in tshark, on captures. (Unit tests and fuzz targets have
# the sanitizers anyway.) Wireshark's other programs hang with a preloaded AddressSanitizer, without any plugin.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
ETL_MODULES=${ETL_MODULES:-$ETL_ROOT/build/asan/plugins}
. "$here/tshark/lib.sh"
make_stage
trap 'rm -rf "$STAGE"' EXIT
use_stage memory

inputs() {
    captures
    find "$CAPTURES/broken" "$CAPTURES/regressions" -name '*.etl' 2>/dev/null
    ! have_corpus || find "$ETL_CORPUS" -name '*.etl' -size -300k
}

# Found by what it says, since tshark may end well all the same.
sanitized() {
    local file library bad=0 files=0
    library=$(gcc -print-file-name=libasan.so)
    while read -r file; do
        files=$((files + 1))
        "${AS[@]}" env -i PATH="$PATH" HOME="$STAGE/home" TZ=UTC LC_ALL=C.UTF-8 WIRESHARK_PLUGIN_DIR="$PLUGINS" \
            LD_PRELOAD="$library" ASAN_OPTIONS=detect_leaks=0 timeout 300 tshark -2 -r "$file" -V >/dev/null 2>"$OUT/stderr"
        if grep -qE 'AddressSanitizer|runtime error' "$OUT/stderr"; then
            echo "$file:"
            head -n 20 "$OUT/stderr"
            bad=1
        fi
    done < <(inputs)
    echo "result: $files files"
    return $bad
}

# Damaged captures, with Wireshark's memory checked and its bugs fatal: ETL_MUTATED=200 by hand.
mutated() {
    local file library bad=0 files=0
    library=$(gcc -print-file-name=libasan.so)
    mkdir -p "$OUT/mutated"
    # shellcheck disable=SC2046 # names without blanks
    "$ETL_ROOT/build/release/tests/mutate" "${ETL_MUTATED:-6}" "${ETL_SEED:-1}" "$OUT/mutated" $(captures) || return 1
    chmod -R go+rX "$OUT/mutated"
    for file in "$OUT"/mutated/*.etl; do
        files=$((files + 1))
        "${AS[@]}" env -i PATH="$PATH" HOME="$STAGE/home" TZ=UTC LC_ALL=C.UTF-8 WIRESHARK_PLUGIN_DIR="$PLUGINS" \
            WIRESHARK_DEBUG_WMEM_OVERRIDE=strict WIRESHARK_ABORT_ON_DISSECTOR_BUG=1 \
            LD_PRELOAD="$library" ASAN_OPTIONS=detect_leaks=0 timeout 300 tshark -r "$file" -V >/dev/null 2>"$OUT/stderr"
        if [ $? -ge 124 ] || grep -qE 'AddressSanitizer|runtime error|issector bug' "$OUT/stderr"; then
            echo "$file:"
            head -n 20 "$OUT/stderr"
            bad=1
        fi
    done
    echo "result: $files files"
    return $bad
}

# Leaks are not counted: Wireshark ends without freeing what it has.
by_valgrind() {
    local file bad=0
    for file in "$CAPTURES"/{tour,items-64,compression-xpress-huffman,tracelogging}.etl "$CAPTURES"/broken/{items,packed-garbage}.etl; do
        "${AS[@]}" env -i PATH="$PATH" HOME="$STAGE/home" TZ=UTC LC_ALL=C.UTF-8 WIRESHARK_PLUGIN_DIR="$STAGE/release" \
            G_SLICE=always-malloc timeout 600 valgrind -q --error-exitcode=9 --leak-check=no \
            tshark -r "$file" -c 200 -V >/dev/null 2>"$OUT/stderr"
        [ $? != 9 ] || { echo "$file:"; head -n 30 "$OUT/stderr"; bad=1; }
    done
    return $bad
}

cp -r "$ETL_ROOT/build/release/plugins" "$STAGE/release"
chmod -R go+rX "$STAGE/release"
check "AddressSanitizer in tshark" sanitized
check "mutated captures in tshark" mutated
check "valgrind of tshark" by_valgrind
