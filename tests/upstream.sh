#!/bin/bash
# Runs the checkers of Wireshark's own source package over the dissector. The package is fetched from where this
# machine gets its packages and is not part of the project.
set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

folder=$ETL_BUILD/upstream
sources=$folder/apt
work=$folder/epan/dissectors

# The scripts of the wireshark source package of this Debian, in $folder/wireshark-*/tools.
fetch() {
    mkdir -p "$sources/lists/partial" "$sources/cache/archives/partial" "$sources/sources.list.d"
    sed -nE '/^Types:/{s/deb( .*)?$/deb-src/}; p' /etc/apt/sources.list.d/debian.sources \
        >"$sources/sources.list.d/source.sources" 2>/dev/null ||
        sed -nE 's/^deb /deb-src /p' /etc/apt/sources.list >"$sources/sources.list.d/source.list"
    local options=(-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$sources/sources.list.d"
                   -o Dir::State::lists="$sources/lists" -o Dir::Cache="$sources/cache" -o APT::Sandbox::User=root)
    (cd "$folder" && apt-get "${options[@]}" -qq update &&
        apt-get "${options[@]}" -qq source --download-only wireshark && 
        tar xf wireshark_*.orig.tar.* --wildcards '*/tools/*')
}

# checkhf.pl and its kind: what one prints or a status other than 0 is a finding.
run_checker() {
    local name=$1 output
    shift
    output=$("$@" 2>&1) || { printf '%s: %s\n' "$name" "$output"; return 1; }
    output=$(printf '%s\n' "$output" | grep -vE '^(Examining:|All dissector modules|epan/dissectors/[a-z_-]*\.c ?|[[:space:]]*|0 warnings)$' || true)
    [ -z "$output" ] || { printf '%s: %s\n' "$name" "$output"; return 1; }
}

tools=$(echo "$folder"/wireshark-*/tools)
if [ ! -e "$tools/checkhf.pl" ]; then
    fetch || { echo "result: the source package of Wireshark could not be fetched"; exit "$SKIPPED"; }
    tools=$(echo "$folder"/wireshark-*/tools)
fi

# The names that the scripts expect.
rm -rf "$work"
mkdir -p "$work"
for file in "$ETL_ROOT"/plugin/epan/*.c; do
    cp "$file" "$work/packet-etl-$(basename "$file")"
done

cd "$folder"
status=0
for file in epan/dissectors/*.c; do
    for script in checkhf.pl checkAPIs.pl checkfiltername.pl fix-encoding-args.pl convert_expert_add_info_format.pl; do
        run_checker "$script $(basename "$file")" perl "$tools/$script" "$file" || status=1
    done
    run_checker "check_typed_item_calls.py $(basename "$file")" \
        python3 "$tools/check_typed_item_calls.py" --file "$file" --mask --label || status=1
done
echo "result: 6 checkers over $(ls epan/dissectors | wc -l) files"
exit "$status"
