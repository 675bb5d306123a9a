#!/bin/bash
# Builds the modules for other versions of Wireshark and tests them there, in chroots of other Debian suites.
# The chroots are kept in build/chroots or $ETL_CHROOTS. Needs root, and ../shared for the tool that makes them.
#
#   versions.sh [NAME...]     NAME: only these files of tests/tshark, as in all.sh
#   versions.sh --chroots     only makes the chroots, so that this can go on beside other things
set -u -o pipefail
. "$(dirname "$0")/lib.sh"
tool=${ETL_SHARED:+$ETL_SHARED/tools/wireshark-chroot}
chroots=${ETL_CHROOTS:-$ETL_BUILD/chroots}
packages=(libglib2.0-dev libxml2-dev pkgconf python3 gzip zstd lz4 util-linux findutils gawk
          dpkg-dev file fakeroot desktop-file-utils libxml2-utils shared-mime-info)

# version, suite, share of the real traces that is saved there (tests/tshark/lib.sh)
OTHERS=('4.4 trixie 2/3' '4.6 forky 3/3')

# Mounts of its own for a command: none is left behind, however it ends, in a folder that somebody may delete.
apart() {
    unshare --mount --propagation private "$@"
}

# A stamp tells a finished chroot; it names the packages, so that a new one is installed. The tool leaves /proc mounted.
make_chroot() {
    local suite=$1 root=$chroots/$1
    [ "$(cat "$root/etl-packages" 2>/dev/null)" = "${packages[*]}" ] && return
    mkdir -p "$chroots"
    apart bash "$tool" "$suite" "$root" "${packages[@]}" || return 1
    printf '%s\n' "${packages[*]}" >"$root/etl-packages"
}

# The source is copied, so that the build leaves nothing in the tree.
build_in() {
    local root=$1
    make_chroot "$(basename "$root")" || return 1
    rm -rf "$root/src"
    mkdir -p "$root/src"
    tar -C "$ETL_ROOT" --exclude=./build --exclude=./.git -cf - . | tar -C "$root/src" -xf - || return 1
    # shellcheck disable=SC2016 # the inner shells expand it
    apart bash -c 'mount -t proc proc "$1/proc" &&
        chroot "$1" sh -c "cd /src && cmake --preset dev -DETL_TESTS=OFF && cmake --build --preset dev -j $2"' \
        _ "$root" "$ETL_JOBS"
}

test_in() {
    local version=$1 root=$2 share=$3
    shift 3
    mkdir -p "$root/corpus" "$root/logs"
    : >"$root/logs/results"
    chmod -R a+rwX "$root/logs" "$root/src"
    apart bash -c '
        root=$1 corpus=$2 version=$3 jobs=$4 every=$5 share=$6 names=$7 thorough=$8
        [ -z "$corpus" ] || mount --bind -o ro "$corpus" "$root/corpus"
        mount --bind /dev "$root/dev"
        mount -t proc proc "$root/proc"
        exec chroot --userspec=65534:65534 --groups= "$root" env -i PATH=/usr/bin:/bin HOME=/tmp LC_ALL=C.UTF-8 \
            ETL_SHARED= ETL_CORPUS="${corpus:+/corpus}" ETL_ORACLE="${corpus:+/src/etl_oracle.py}" ETL_LOGS=/logs \
            ETL_JOBS="$jobs" ETL_PREFIX="Wireshark $version: " ETL_EVERY="$every" ETL_SHARE="$share" \
            ETL_THOROUGH="$thorough" ETL_FRAMES="${ETL_FRAMES:-}" ETL_TRACES="${ETL_TRACES:-}" ETL_TIMEOUT="${ETL_TIMEOUT:-}" \
            ETL_MODULES=/src/build/dev/plugins \
            bash -c "bash /src/tests/tshark/all.sh $names; test -n \"$names\" || bash /src/tests/package.sh /src/build/dev"' \
        _ "$root" "$ETL_CORPUS" "$version" "$ETL_JOBS" "${ETL_EVERY:-}" "$share" "$*" "${ETL_THOROUGH:-}"
    cat "$root/logs/results" >>"$ETL_LOGS/results"
}

if [ "$(id -u)" != 0 ] || [ ! -e "$tool" ]; then
    [ "${1:-}" = --chroots ] || skip "other versions of Wireshark" "needs root, and a tool to make a chroot"
    exit
fi
if [ "${1:-}" = --chroots ]; then
    for other in "${OTHERS[@]}"; do
        read -r version suite share <<<"$other"
        check "Wireshark $version: chroot" make_chroot "$suite"
    done
    exit
fi
# All at the same time: what one leaves idle the other takes.
for other in "${OTHERS[@]}"; do
    read -r version suite share <<<"$other"
    check "Wireshark $version: build, warnings are errors" build_in "$chroots/$suite"
    [ ! -e "$ETL_ORACLE" ] || cp "$ETL_ORACLE" "$chroots/$suite/src/etl_oracle.py"
    test_in "$version" "$chroots/$suite" "$share" "$@" &
done
wait
