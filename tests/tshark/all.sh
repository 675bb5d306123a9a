#!/bin/bash
# Tests the modules in $ETL_MODULES (a build's plugins folder) in the Wireshark that is installed.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
. "$here/lib.sh"
if [ ! -e "$ETL_MODULES/$VERSION/wiretap/etl.so" ]; then
    skip "modules in tshark" "none was built for Wireshark $VERSION"
    exit
fi
stage
for file in counts filters formats tools inputs saved refusals; do
    . "$here/$file.sh"
done
