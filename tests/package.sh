#!/bin/bash
# Installs a build into a folder, removes it again, and makes a .deb: what is in them works and is at the right place.
# package.sh BUILD: a build's folder. Nothing is installed on this machine.
set -u -o pipefail
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/tshark/lib.sh"
build=$1
ETL_MODULES=$(cd "$build" && pwd)/plugins

# The libraries of each version of Wireshark, as Debian numbers them.
declare -A LIBRARIES=([4.0]='libwireshark16 libwiretap13 libwsutil14' [4.2]='libwireshark17 libwiretap14 libwsutil15'
                      [4.4]='libwireshark18 libwiretap15 libwsutil16' [4.6]='libwireshark19 libwiretap16 libwsutil17')

# The tree holds the modules where this Wireshark looks for them, what desktops need, and nothing else.
complete() {
    local tree=$1 global
    global=$(tshark -G folders 2>/dev/null | sed -n 's/^Global Plugins:[[:space:]]*//p')
    diff <(cd "$tree" && find . -type f | sort) <(sort <<TEXT
.$global/epan/etl.so
.$global/wiretap/etl.so
./usr/share/applications/wireshark-etl.desktop
./usr/share/mime/packages/wireshark-etl.xml
$(cd "$ETL_ROOT/package" && find profile -type f | sed 's|^profile|./usr/share/wireshark/profiles|')
TEXT
)
}

# The modules of the tree, and no others, open a trace.
works() {
    local tree=$1 module
    rm -rf "$OUT/plugins" && mkdir -p "$OUT/plugins/$VERSION"/{epan,wiretap}
    while read -r module; do
        cp "$module" "$OUT/plugins/$VERSION/$(basename "$(dirname "$module")")/"
    done < <(find "$tree" -name 'etl.so')
    chmod -R go+rX "$OUT"
    [ "$(PLUGINS=$OUT/plugins frames "$CAPTURES/tour.etl" -Y 'etl.cpu == 1')" -gt 0 ]
}

installed() {
    local tree=$OUT/tree
    rm -rf "$tree"
    DESTDIR=$tree cmake --install "$build" || return 1
    complete "$tree" && works "$tree" && DESTDIR=$tree cmake --build "$build" --target uninstall || return 1
    [ -z "$(find "$tree" -type f)" ] || { echo "uninstall leaves files"; return 1; }
}

# As an ordinary user with a home of its own, and no plugins but those of there: as_user COMMAND...
as_user() {
    "${AS[@]}" env -i PATH="$PATH" HOME="$OUT/home" LC_ALL=C.UTF-8 ETL_ROOT="$OUT/project" modules="$PLUGINS/$VERSION" \
        WIRESHARK_PLUGIN_DIR="$OUT/none" "$@" # what the machine has installed for everybody is not there
}

# What ./run --install --user does, for one who has only this. Wireshark finds it, the profile, too.
installed_for_one() {
    local action
    mkdir -p "$OUT/project/tests" && cp -r "$ETL_ROOT/package" "$OUT/project/" && cp "$ETL_ROOT/tests/setup.sh" "$OUT/project/tests/" &&
        chmod -R go+rX "$OUT/project" && "${AS[@]}" mkdir -p "$OUT/home" "$OUT/none" || return 1
    for action in install uninstall; do
        # shellcheck disable=SC2016 # the inner shell expands it
        as_user bash -c '. "$ETL_ROOT/tests/setup.sh" && . "$ETL_ROOT/package/install.sh" && for_good "$1" own env' _ $action || return 1
        [ $action = uninstall ] || users_own || return 1
    done
    [ -z "$(find "$OUT/home" -name '*etl.*' -o -path '*/ETL/*')" ] || { echo "uninstall leaves files"; find "$OUT/home"; return 1; }
    ! as_user tshark -r "$CAPTURES/tour.etl" >/dev/null 2>&1 || { echo "without the plugin a trace is opened"; return 1; }
}

users_own() {
    local count wanted
    count=$(as_user tshark -C ETL -r "$CAPTURES/tour.etl" -Y 'etl.cpu == 1' | wc -l)
    wanted=$(frames "$CAPTURES/tour.etl" -Y 'etl.cpu == 1')
    [ "$count" = "$wanted" ] && [ "$wanted" -gt 0 ] || { echo "$count of $wanted frames"; return 1; }
    ls "$OUT"/home/.local/share/{mime/packages/wireshark-etl.xml,applications/wireshark-etl.desktop}
}

packed() {
    local deb library depends
    command -v dpkg-shlibdeps >/dev/null || { echo "result: dpkg-dev is not installed"; return "$SKIPPED"; }
    rm -rf "$OUT/deb" && mkdir -p "$OUT/deb"
    cpack -G DEB --config "$build/CPackConfig.cmake" -B "$OUT/deb" || return 1
    deb=$(find "$OUT/deb" -maxdepth 1 -name '*.deb')
    depends=$(dpkg-deb -f "$deb" Depends)
    for library in ${LIBRARIES[$VERSION]} libxml2; do
        [[ $depends == *"$library"* ]] || { echo "$library is missing: $depends"; return 1; }
    done
    [[ $(dpkg-deb -f "$deb" Version) == *"-wireshark$VERSION" ]] || { echo "the package does not name Wireshark $VERSION"; return 1; }
    dpkg-deb -x "$deb" "$OUT/unpacked" && complete "$OUT/unpacked" && works "$OUT/unpacked" || return 1
    # A desktop would know a trace by its first bytes, too: the values of package/wireshark-etl.xml.
    [ "$(od -An -tx1 -j 74 -N 2 "$CAPTURES/tour.etl")" = ' 02 c0' ] && [ "$(od -An -tu2 -j 78 -N 2 "$CAPTURES/tour.etl")" = '     0' ] ||
        { echo "the type's magic is not in a trace"; return 1; }
    echo "result: $depends"
}

desktop_files() {
    local checked=0
    if command -v xmllint >/dev/null; then
        xmllint --noout "$ETL_ROOT/package/wireshark-etl.xml" || return 1
        checked=1
    fi
    if command -v desktop-file-validate >/dev/null; then
        desktop-file-validate "$ETL_ROOT/package/wireshark-etl.desktop" || return 1
        checked=1
    fi
    if command -v update-mime-database >/dev/null; then
        mkdir -p "$OUT/mime/packages" && cp "$ETL_ROOT/package/wireshark-etl.xml" "$OUT/mime/packages/" &&
            update-mime-database "$OUT/mime" && grep -q 'windows-event-trace-log:\*.etl' "$OUT/mime/globs" || return 1
        checked=1
    fi
    [ "$checked" = 1 ] || { echo "result: nothing that could check them is installed"; return "$SKIPPED"; }
}

if [ ! -e "$ETL_MODULES/$VERSION/wiretap/etl.so" ]; then
    skip "installing and packing" "no modules were built for Wireshark $VERSION"
    exit
fi
make_stage
trap 'rm -rf "$STAGE"' EXIT
use_stage package
check "installed and uninstalled" installed
check "installed and uninstalled for one user" installed_for_one
check "packed as a .deb" packed
check "desktop files" desktop_files
