# shellcheck shell=bash
# What ./run and ./test need of the machine: packages and a build. Sourced, not run.
# Quiet when nothing needs doing.

PACKAGES_RUN=(gcc libc6-dev cmake ninja-build pkgconf libglib2.0-dev libxml2-dev wireshark-dev tshark)
PACKAGES_TEST=(libcunit1-dev python3 clang libclang-rt-dev zstd lz4 gzip util-linux)
PACKAGES_ALL=(valgrind clang-tidy clang-format cppcheck universal-ctags shellcheck debootstrap
              dpkg-dev file desktop-file-utils libxml2-utils shared-mime-info)

say() {
    printf '%s\n' "$*" >&2
}

die() {
    say "$*"
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "this needs root, and there is no sudo: $*"
    fi
}

# Which of these packages are not installed.
missing_packages() {
    local installed
    installed=$(dpkg-query -W -f '${Status} ${binary:Package}\n' "$@" 2>/dev/null |
                sed -n 's/^install ok installed \([^:]*\).*/\1/p')
    printf '%s\n' "$@" | grep -vxF "$installed" || true
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null
}

# Installs what is missing, and says so first.
need_packages() {
    local missing log
    if ! command -v dpkg-query >/dev/null; then
        command -v cmake >/dev/null && command -v tshark >/dev/null ||
            die "this is no Debian or Ubuntu: install what README.md lists and start again"
        return
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    # shellcheck disable=SC2086 # one word per package
    set -- $missing
    say "installing $*"
    mkdir -p "$ETL_BUILD"
    log=$ETL_BUILD/apt.log
    # A machine that was never updated knows no packages: then the lists come first.
    if ! apt_install "$@" >"$log" 2>&1; then
        { as_root apt-get update -qq && apt_install "$@"; } >>"$log" 2>&1 || {
            tail -n 15 "$log" >&2
            die "the packages could not be installed"
        }
    fi
}

. "$ETL_ROOT/package/train.sh"

# Configures and builds a preset: build_preset NAME [cmake options]. Output only when it fails.
build_preset() {
    local preset=$1 folder=$ETL_ROOT/build/$1 log=$ETL_BUILD/build-$1.log profile=none
    shift
    mkdir -p "$ETL_BUILD" && [ -w "$ETL_BUILD" ] || die "$ETL_BUILD is not yours to write to"
    # A tree that was moved keeps nothing of its builds.
    if [ -e "$folder/CMakeCache.txt" ] &&
       ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$ETL_ROOT" "$folder/CMakeCache.txt"; then
        rm -rf "$folder"
    fi
    [ "$preset" != release ] || profile=$(train "$folder")
    (cd "$ETL_ROOT" && cmake --preset "$preset" -DETL_PROFILE="$profile" "$@" && cmake --build --preset "$preset" -j "${ETL_JOBS:-2}") \
        >"$log" 2>&1 || {
        grep -E -A 12 'error|Error|FAILED' "$log" | head -n 40
        say "building preset $preset failed; all of it is in $log"
        return 1
    }
}

# A folder that tshark reports: "Global Plugins", "Personal Plugins". Ends in the version, as modules' folders do.
wireshark_folder() {
    tshark -G folders 2>/dev/null | sed -n "s/^$1:[[:space:]]*//p"
}
