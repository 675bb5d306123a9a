# shellcheck shell=bash
# Installs what was built, for everybody or for one user, and removes it again. Sourced by ../run and by the tests, after
# ../tests/setup.sh; $modules is the folder of the modules.

# The folders of installed things: for everybody, or one's own.
data_folder() {
    [ "$1" = global ] && echo /usr/share || echo "${XDG_DATA_HOME:-$HOME/.local/share}"
}

# Where Wireshark looks for profiles: for everybody, or one's own.
profile_folder() {
    if [ "$1" = global ]; then
        echo /usr/share/wireshark/profiles
    else
        echo "$(wireshark_folder 'Personal configuration')/profiles"
    fi
}

# What is installed, as "from to" in lines: the modules, and what tells a desktop that .etl files are Wireshark's.
installed_files() {
    local folder=$1 data=$2 profiles=$3 kind file
    for kind in wiretap epan; do
        echo "$modules/$kind/etl.so $folder/$kind/etl.so"
    done
    echo "$ETL_ROOT/package/wireshark-etl.xml $data/mime/packages/wireshark-etl.xml"
    echo "$ETL_ROOT/package/wireshark-etl.desktop $data/applications/wireshark-etl.desktop"
    for file in "$ETL_ROOT"/package/profile/ETL/*; do
        echo "$file $profiles/ETL/${file##*/}"
    done
}

update_desktop() {
    ! command -v update-mime-database >/dev/null || "$@" update-mime-database "$data/mime" 2>/dev/null || true
    ! command -v update-desktop-database >/dev/null || "$@" update-desktop-database "$data/applications" 2>/dev/null || true
}

# --install and --uninstall: ACTION global|own COMMAND…, the last to become root
for_good() {
    local action=$1 whose=$2 folder data profiles from to
    shift 2
    data=$(data_folder "$whose")
    profiles=$(profile_folder "$whose")
    folder=$(wireshark_folder "$([ "$whose" = global ] && echo 'Global Plugins' || echo 'Personal Plugins')")
    while read -r from to; do
        if [ "$action" = install ]; then
            "$@" rm -f "$to" # it may be a link to the very file that is installed
            "$@" install -D -m 644 "$from" "$to"
        elif [ -e "$to" ] || [ -L "$to" ]; then
            "$@" rm -f "$to"
            say "removed $to"
        fi
    done < <(installed_files "$folder" "$data" "$profiles")
    update_desktop "$@"
    [ "$action" != install ] || say "installed in $folder"
}
