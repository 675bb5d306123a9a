#!/bin/bash
# Which lines of the core the unit tests, the captures and the inputs of fuzzing reach together. By hand: it builds
# everything once more. coverage.sh prints each file and the sum; what is not reached stands in build/coverage/lines.
set -u -o pipefail
. "$(dirname "$0")/lib.sh"
cd "$ETL_ROOT" || exit 1
build=$ETL_BUILD/coverage
flags='-O1 -g -fprofile-instr-generate -fcoverage-mapping'
export LLVM_PROFILE_FILE=$build/raw/%m-%p.profraw

configure() {
    cmake -S . -B "$build/$1" -G Ninja -DCMAKE_C_COMPILER=clang -DETL_PLUGIN=OFF -DCMAKE_BUILD_TYPE=None "${@:3}" \
        -DCMAKE_C_FLAGS="$flags $2" >/dev/null && cmake --build "$build/$1" >/dev/null
}

mkdir -p "$build"
rm -rf "$build/raw"
configure unit '' || exit 1
configure fuzz -fsanitize=fuzzer-no-link -DETL_FUZZ=ON || exit 1
rm -rf "$build/raw" # of the program that packs the built-in table
programs=()
for program in "$build"/unit/tests/unit_*; do
    "$program" >/dev/null || echo "$program fails"
    programs+=(-object "$program")
done
mkdir -p "$build/inputs"
[ ! -e tests/fuzz/corpora.tar.zst ] || zstd -dqc tests/fuzz/corpora.tar.zst | tar -xf - -C "$build/inputs"
for program in "$build"/fuzz/tests/fuzz_*; do
    mkdir -p "$build/inputs/$(basename "$program")"
    "$program" -runs=0 -max_len=262144 "$build/inputs/$(basename "$program")" captures >/dev/null 2>&1 || echo "$program fails"
    programs+=(-object "$program")
done
llvm-profdata merge -sparse -o "$build/all.profdata" "$build"/raw/*.profraw || exit 1
llvm-cov report "${programs[@]:1}" -instr-profile="$build/all.profdata" plugin/core plugin/providers 2>/dev/null |
    awk 'NF >= 10 && ($1 ~ /\.[ch]$/ || $1 == "TOTAL") { printf "%-40s %6d lines %5d not reached %8s\n", $1, $8, $9, $10 }'
llvm-cov show "${programs[@]:1}" -instr-profile="$build/all.profdata" plugin/core plugin/providers 2>/dev/null |
    grep -E '^/|^ *[0-9]+\| *0\|' >"$build/lines"
