# shellcheck shell=bash
# Builds the modules for what they do most. Sourced by tests/setup.sh.
#
# A first build counts what runs while tshark lists and filters a trace; the second one puts that together and
# the rest apart. A listing takes a twelfth less time: it fills the processor's cache of instructions, and most of what
# the modules can do is not for the event at hand. What is edited afterwards is built by what still fits;
# without build/release/profile all is counted anew.

# tshark with the modules that count, in a folder that it may write to; root's tshark loads no modules of others.
list_and_count() {
    local stage=$1 as=()
    [ "$(id -u)" != 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    shift
    "${as[@]}" env HOME="$stage" WIRESHARK_PLUGIN_DIR="$stage/plugins" GCOV_PREFIX="$stage/counts" \
        tshark -r "$stage/tour.etl" "$@" >/dev/null
}

# The counts of a few runs, beside the objects that they are for: count_runs FOLDER
count_runs() {
    local stage status objects
    objects=$(cd "$1" && pwd -P) && stage=$(mktemp -d) || return 1
    cp -r "$1/plugins" "$ETL_ROOT/captures/tour.etl" "$stage" && mkdir "$stage/counts" &&
        chmod -R a+rX "$stage" && chmod a+rwx "$stage/counts" &&
        list_and_count "$stage" && list_and_count "$stage" && list_and_count "$stage" -Y 'etl.hookid == 0x0524' &&
        list_and_count "$stage" -V && cp -r "$stage/counts$objects/." "$1"
    status=$?
    rm -rf "$stage"
    return $status
}

# Once for each build folder; prints what ETL_PROFILE is then: train FOLDER. Where it fails, all works without.
train() {
    local folder=$1
    if [ ! -e "$folder/profile" ]; then
        mkdir -p "$folder"
        (cd "$ETL_ROOT" && cmake --preset release -DETL_TESTS=OFF -DETL_PROFILE=generate &&
            cmake --build --preset release -j "${ETL_JOBS:-2}" && count_runs "$folder") >"$folder/profile.log" 2>&1 &&
            echo use >"$folder/profile" || echo none >"$folder/profile"
    fi
    cat "$folder/profile"
}
