# shellcheck shell=bash
# A module that was built for another struct wtap says so and stays out. Sourced by all.sh.

# A library that answers in Wireshark's place, from another place of the structure than the module wrote to: what the
# module sees if a member was added before.
other_layout() {
    local program bad=0
    command -v cc >/dev/null || { echo "result: no C compiler"; return "$SKIPPED"; }
    mkdir -p "$OUT/lib"
    printf 'int wtap_file_encap(const void *wth)\n{\n    return (int)((const unsigned char *)wth)[0];\n}\n' >"$OUT/lib/other.c"
    cc -shared -fPIC -o "$OUT/lib/other.so" "$OUT/lib/other.c" && chmod -R go+rX "$OUT/lib" || return 1
    for program in "tshark -r" capinfos; do
        # shellcheck disable=SC2086 # program and option
        if ws env LD_PRELOAD="$OUT/lib/other.so" $program "$CAPTURES/tour.etl" >"$OUT/stdout" 2>"$OUT/stderr"; then
            echo "$program opens a trace"
            bad=1
        elif [ $? -ge 124 ]; then
            echo "$program crashes"
            bad=1
        fi
        cat "$OUT/stderr"
        grep -q 'etl: this module was built for another Wireshark' "$OUT/stderr" || { echo "$program says nothing"; bad=1; }
    done
    # The rest of Wireshark goes on.
    quiet_ws tshark -r "$CAPTURES/tour.etl" -c 20 -w "$OUT/saved.pcapng" -F pcapng || bad=1
    ws env LD_PRELOAD="$OUT/lib/other.so" tshark -r "$OUT/saved.pcapng" 2>/dev/null | grep -c . >"$OUT/stdout"
    [ "$(cat "$OUT/stdout")" = 20 ] || { echo "pcapng: $(cat "$OUT/stdout") of 20 frames"; bad=1; }
    return $bad
}

# Wireshark itself refuses modules of another version, by the numbers in them; the folder alone decides nothing.
other_version() {
    local folder=$OUT/plugins
    # shellcheck disable=SC2153 # lib.sh sets it
    mkdir -p "$folder" && cp -r "$PLUGINS/$VERSION" "$folder/" || return 1
    python3 - "$folder/$VERSION/wiretap/etl.so" <<'TEXT' || return 1
import subprocess, sys
path = sys.argv[1]
symbols = subprocess.run(['nm', '-D', path], capture_output=True, text=True, check=True).stdout
address = next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(' plugin_want_minor'))
data = bytearray(open(path, 'rb').read())
# Read-only data is at the same place in the file as in memory.
data[address:address + 4] = (98).to_bytes(4, 'little')
open(path, 'wb').write(data)
TEXT
    chmod -R go+rX "$folder"
    PLUGINS=$folder ws tshark -r "$CAPTURES/tour.etl" >"$OUT/stdout" 2>"$OUT/stderr" && return 1
    cat "$OUT/stderr"
    grep -q '98' "$OUT/stderr"
}

check "a module for another layout says so and stays out" other_layout
check "a module for another version is refused" other_version
