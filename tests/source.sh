#!/bin/bash
# What can be checked of the source without running it: style, sizes, layers, and what three checkers find.
set -u -o pipefail
. "$(dirname "$0")/lib.sh"
cd "$ETL_ROOT" || exit 1

sources() {
    find plugin include tests \( -name '*.c' -o -name '*.h' \) | sort
}

plugin_code() {
    find plugin -name '*.c' | sort
}

formatted() {
    sources | xargs clang-format --dry-run -Werror
}

# Functions: median at most 15 lines, none over 80. Tables and tests are not counted.
function_sizes() {
    plugin_code | xargs ctags --fields=+ne --kinds-C=f -f - | awk -F '\t' '
        {
            start = end = 0
            for (i = 4; i <= NF; i++) {
                if ($i ~ /^line:/) start = substr($i, 6)
                if ($i ~ /^end:/) end = substr($i, 5)
            }
            if (end) print end - start + 1, $2, $1
        }' | sort -n | awk '
        { lines[NR] = $1; if ($1 > 80) { print $2 ": " $3 " has " $1 " lines"; bad = 1 } }
        END {
            median = lines[int((NR + 1) / 2)]
            printf "result: %d functions, median %d lines, 90 %% under %d, longest %d\n", NR, median, lines[int(NR * 0.9)] + 1, lines[NR]
            exit bad || median > 15
        }'
}

file_sizes() {
    sources | xargs wc -l | awk '
        $2 == "total" { next }
        { if ($1 > longest) longest = $1 }
        $1 > 600 { print $2 " has " $1 " lines"; bad = 1 }
        END { printf "result: longest %d lines\n", longest; exit bad }'
}

# The core knows neither Wireshark nor GLib; only plugin/compat tests a version.
layers() {
    local bad=0
    ! grep -nE '#include *[<"](epan|wiretap|wsutil|wireshark|glib|gmodule)' -r plugin/core plugin/providers include || bad=1
    ! grep -nE '#include *[<"]epan/' -r plugin/wiretap || bad=1
    ! grep -nE '^[[:space:]]*#[[:space:]]*(el)?if.*(VERSION|MAJOR|MINOR)' -r plugin --include='*.[ch]' --exclude-dir=compat || bad=1
    return $bad
}

# Nobody else's machine has this path.
no_paths() {
    ! git grep -nIF "$ETL_ROOT/" -- . 2>/dev/null
}

tidy() {
    plugin_code | xargs -P "$ETL_JOBS" -n 4 clang-tidy -p build/dev --quiet 2>/dev/null >"$ETL_LOGS/tidy.out"
    grep -E 'warning:|error:' "$ETL_LOGS/tidy.out" | sort -u >"$ETL_LOGS/tidy.found"
    cat "$ETL_LOGS/tidy.found"
    [ ! -s "$ETL_LOGS/tidy.found" ]
}

# In sha1.c a loop fills an array in order, which it does not see.
cpp_check() {
    cppcheck --quiet --enable=warning,portability,performance --inline-suppr --error-exitcode=1 --std=c11 -j "$ETL_JOBS" \
        --suppress=missingInclude --suppress=preprocessorErrorDirective --suppress=uninitvar:plugin/core/text/sha1.c -D__GNUC__ -I include -I plugin plugin/core plugin/providers
}

# Three of its warnings are off: it does not see that an object is returned as its first member, that a source's
# function fills the bytes, and that a cursor's bytes are NULL only where it has failed.
analyzed() {
    plugin_code | grep -E '^plugin/(core|providers)/' | xargs -P "$ETL_JOBS" -I{} gcc -fanalyzer -Wno-analyzer-malloc-leak \
        -Wno-analyzer-use-of-uninitialized-value -Wno-analyzer-null-dereference -Werror -std=c11 -c {} -o /dev/null \
        -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -I include -I plugin -I /usr/include/libxml2
}

shell_check() {
    command -v shellcheck >/dev/null || { echo "result: shellcheck is not installed"; return "$SKIPPED"; }
    shellcheck -x -e SC1090,SC1091,SC2015,SC2012,SC2016,SC2034,SC2154,SC2209 run test .ci/run package/*.sh tests/*.sh tests/*/*.sh
}

check "clang-format" formatted
check "sizes of functions" function_sizes
check "sizes of files" file_sizes
check "layers" layers
check "no path of this machine" no_paths
check "clang-tidy" tidy
check "cppcheck" cpp_check
check "gcc -fanalyzer" analyzed
check "shellcheck" shell_check
check "Wireshark's own checkers" bash tests/upstream.sh
