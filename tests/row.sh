#!/bin/bash
# A kernel event that nobody has ever seen is added as rows of one file: its filter, its label, its line and its
# decoding are there, and nothing else was edited. Works on a copy of the source.
#
#   row.sh BUILD     BUILD is the folder of a build with tests: its etlbuild makes the trace
set -u -o pipefail
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/tshark/lib.sh"
build=$(cd "$1" && pwd)

add_row() {
    cat >>"$1/plugin/layouts/kernel/thread.def" <<'TEXT'
LAYOUT(thread_made_up, "thread")
    INFO("{MadeUpName} × {MadeUpCount}")
    FIELD(U32,   MadeUpCount)
    FIELD(UTF16, MadeUpName)
END
EVENT(0x05EE, 3, 255, thread_made_up)
TEXT
}

# Without optimisation and tests: what is built is looked at once.
build_modules() {
    cp -r "$ETL_ROOT"/{CMakeLists.txt,include,plugin,package,LICENSE} "$1/" && add_row "$1" &&
        cmake -S "$1" -B "$1/build" -G Ninja -DETL_TESTS=OFF -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O0 \
            -DCMAKE_C_COMPILER_LAUNCHER="$(command -v ccache)" &&
        cmake --build "$1/build" -j "$ETL_JOBS" --target etl_wiretap etl_epan
}

make_trace() {
    cat >"$1.txt" <<'TEXT'
log windows=10.0.19045 cpus=2 mode=SEQUENTIAL buffer_size=1024
perfinfo64 cpu=0 hook=0x05ee version=3 at=1us : u32 7; utf16 "tick"
perfinfo64 cpu=1 hook=0x05ee version=3 at=2us : u32 8; utf16 "tack"
perfinfo32 cpu=1 hook=0x05ee version=2 at=3us : u32 8; utf16 "of an older version"
TEXT
    "$build/tests/etlbuild" "$1.txt" "$1.etl" && chmod a+r "$1.etl"
}

says() {
    "${@:2}" | grep -qF -- "$1" || { echo "no '$1' in the output of ${*:2}"; return 1; }
}

one_row_is_enough() {
    local trace
    tree=$(mktemp -d "${TMPDIR:-/tmp}/etl-row-XXXXXX")
    trap 'rm -rf "$tree" "$STAGE"' EXIT
    build_modules "$tree" || return 1
    ETL_MODULES=$tree/build/plugins
    make_stage
    use_stage row
    trace=$STAGE/made-up
    make_trace "$trace" || return 1
    says 'etl.thread.made_up_count' quiet_ws tshark -G fields &&
        says 'tick × 7' quiet_ws tshark -r "$trace.etl" -Y 'etl.thread.made_up_count == 7' &&
        says 'MadeUpCount: 8' quiet_ws tshark -r "$trace.etl" -V -Y 'etl.thread.made_up_name == "tack"' || return 1
    [ "$(frames "$trace.etl" -Y etl.thread.made_up_name)" = 2 ] || { echo "an older version has the layout too"; return 1; }
    # the modules without the row know nothing of it
    rm -r "$PLUGINS" && cp -r "$build/plugins" "$PLUGINS" && chmod -R a+rX "$PLUGINS"
    [ "$(frames "$trace.etl" -Y 'etl.hookid == 0x05ee && etl.payload')" = 3 ]
}

check "a made-up hook id is rows of one file" one_row_is_enough
