#!/bin/bash
# Tests the modules in $ETL_MODULES (a build's plugins folder) in the Wireshark that is installed, several files
# of tests at a time. all.sh NAME... runs only those: all.sh saved inputs
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
. "$here/lib.sh"
if [ ! -e "$ETL_MODULES/$VERSION/wiretap/etl.so" ]; then
    skip "modules in tshark" "none was built for Wireshark $VERSION"
    exit
fi

# Every file of tests beside this one, the longest to run first.
if [ $# = 0 ]; then
    first=(filters formats counts saved)
    mapfile -t others < <(cd "$here" && printf '%s\n' *.sh | sed 's/\.sh$//' | grep -vxE 'all|lib|compare|filters|formats|counts|saved')
    set -- "${first[@]}" "${others[@]}"
fi

one_file() {
    . "$1/../lib.sh"
    . "$1/lib.sh"
    use_stage "$2"
    . "$1/$2.sh"
}

make_stage
trap 'rm -rf "$STAGE"' EXIT
export -f one_file
# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\n' "$@" | xargs -P "$ETL_JOBS" -I{} bash -u -o pipefail -c 'one_file "$1" "$2"' _ "$here" {}
