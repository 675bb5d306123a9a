#!/bin/bash
# Builds the modules for other versions of Wireshark and tests them there, in chroots of other Debian suites.
# The chroots are kept in build/chroots or $ETL_CHROOTS. Needs root, and ../shared for the tool that makes them.
set -u -o pipefail
. "$(dirname "$0")/lib.sh"
tool=${ETL_SHARED:+$ETL_SHARED/tools/wireshark-chroot}
chroots=${ETL_CHROOTS:-$ETL_BUILD/chroots}
packages=(libglib2.0-dev libxml2-dev pkgconf python3 gzip zstd lz4 util-linux findutils gawk
          dpkg-dev file fakeroot desktop-file-utils libxml2-utils shared-mime-info)

# version, suite
OTHERS=('4.4 trixie' '4.6 forky')

# A stamp tells a finished chroot; it names the packages, so that a new one is installed.
make_chroot() {
    local suite=$1 root=$chroots/$1
    [ "$(cat "$root/etl-packages" 2>/dev/null)" = "${packages[*]}" ] && return
    mkdir -p "$chroots"
    bash "$tool" "$suite" "$root" "${packages[@]}" || return 1
    printf '%s\n' "${packages[*]}" >"$root/etl-packages"
}

# The source is copied, so that the build leaves nothing in the tree.
build_in() {
    local root=$1
    rm -rf "$root/src"
    mkdir -p "$root/src"
    tar -C "$ETL_ROOT" --exclude=./build --exclude=./.git -cf - . | tar -C "$root/src" -xf - || return 1
    chroot "$root" sh -c 'cd /src && cmake --preset dev -DETL_TESTS=OFF && cmake --build --preset dev -j "$1"' _ "$ETL_JOBS"
}

# The corpus is mounted in a namespace of its own: nothing stays mounted, however this ends.
test_in() {
    local version=$1 root=$2
    mkdir -p "$root/corpus" "$root/logs"
    : >"$root/logs/results"
    chmod -R a+rwX "$root/logs" "$root/src"
    unshare --mount --propagation private bash -c '
        root=$1 corpus=$2 version=$3 jobs=$4
        [ -z "$corpus" ] || mount --bind -o ro "$corpus" "$root/corpus"
        mount --bind /dev "$root/dev"
        mount -t proc proc "$root/proc"
        exec chroot --userspec=65534:65534 --groups= "$root" env -i PATH=/usr/bin:/bin HOME=/tmp LC_ALL=C.UTF-8 \
            ETL_SHARED= ETL_CORPUS="${corpus:+/corpus}" ETL_ORACLE="${corpus:+/src/etl_oracle.py}" ETL_LOGS=/logs \
            ETL_JOBS="$jobs" ETL_PREFIX="Wireshark $version: " ETL_EVERY="$5" ETL_MODULES=/src/build/dev/plugins \
            bash -c "bash /src/tests/tshark/all.sh; bash /src/tests/package.sh /src/build/dev"' \
        _ "$root" "$ETL_CORPUS" "$version" "$ETL_JOBS" "${ETL_EVERY:-}"
    cat "$root/logs/results" >>"$ETL_LOGS/results"
}

for other in "${OTHERS[@]}"; do
    read -r version suite <<<"$other"
    name="Wireshark $version"
    if [ "$(id -u)" != 0 ]; then
        skip "$name" "needs root"
    elif [ ! -e "$tool" ]; then
        skip "$name" "no tool to make a chroot"
    else
        check "$name: chroot" make_chroot "$suite"
        check "$name: build, warnings are errors" build_in "$chroots/$suite"
        [ ! -e "$ETL_ORACLE" ] || cp "$ETL_ORACLE" "$chroots/$suite/src/etl_oracle.py"
        test_in "$version" "$chroots/$suite"
    fi
done
