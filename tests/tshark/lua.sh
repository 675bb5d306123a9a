# shellcheck shell=bash
# Others' dissectors: the example in lua/ joins each of the tables for them. Sourced by all.sh.

need_lua() {
    tshark -v 2>/dev/null | grep -qE '(with |\+)Lua' || { echo "result: this Wireshark has no Lua"; return "$SKIPPED"; }
    mkdir -p "$OUT/lua" && cp "$ETL_ROOT/tests/tshark/lua/orders.lua" "$OUT/lua/" && chmod -R go+rX "$OUT/lua"
}

# trace, filter, expected number of frames
with_lua() {
    local found
    found=$(quiet_ws tshark -X "lua_script:$OUT/lua/orders.lua" -r "$1" -Y "$2" -T fields -e frame.number | wc -l)
    [ "$found" = "$3" ] || { echo "$(basename "$1"): $2: $found frames, $3 expected"; return 1; }
}

# captures/items.inc: 18 events with id 1, one with id 2 and payload 42, one with id 3 and payload 43.
others_dissectors() {
    local switches
    need_epan && need_lua || return
    switches=$(frames "$CAPTURES/tour.etl" -Y 'etl.hookid == 0x0524')
    with_lua "$CAPTURES/items-64.etl" 'orders.by == "event" && orders.count == 1 && etl.id == 1' 18 &&
        with_lua "$CAPTURES/items-64.etl" 'orders.by == "looks" && etl.id == 3' 1 &&
        [ "$(quiet_ws tshark -X "lua_script:$OUT/lua/orders.lua" -r "$CAPTURES/items-64.etl" | grep -c 'Order of 1 by process 500')" = 9 ] &&
        with_lua "$CAPTURES/tour.etl" 'orders.by == "hookid"' "$switches" &&
        [ "$switches" -gt 0 ] && with_lua "$CAPTURES/tour.etl" 'orders && etl.thread' 0
}

# What nobody takes, the plugin decodes as ever; what is taken, it does not.
nobody_takes() {
    need_epan && need_lua || return
    with_lua "$CAPTURES/header-system.etl" 'orders' "$(frames "$CAPTURES/header-system.etl" -Y 'etl.hookid == 0x0524')" &&
        with_lua "$CAPTURES/kernel-layouts-64.etl" 'etl.process.image_file_name' \
            "$(frames "$CAPTURES/kernel-layouts-64.etl" -Y 'etl.process.image_file_name')"
}

# captures/items.inc: 20 events of that provider, which begin with 1, 42 and 43; another one's are left alone.
by_provider() {
    local folder=$OUT/joined trace flags
    read -ra flags < <(pkg-config --cflags wireshark)
    command -v cc >/dev/null && [ "${#flags[@]}" -gt 0 ] || { echo "result: no C compiler or no headers"; return "$SKIPPED"; }
    need_epan || return
    rm -rf "$folder" && cp -r "$PLUGINS" "$folder" &&
        cc -shared -fPIC -DWANT_MAJOR="${VERSION%.*}" -DWANT_MINOR="${VERSION#*.}" "${flags[@]}" \
            -o "$folder/$VERSION/epan/orders.so" "$ETL_ROOT/tests/tshark/joined/orders.c" && chmod -R go+rX "$folder" || return 1
    for trace in items-64 items-32; do
        PLUGINS=$folder check_filters "$CAPTURES/$trace.etl" <<'TEXT' || return 1
orders_c	20
orders_c.first == 1	18
orders_c.first == 42	1
orders_c && etl.ext.type	20
orders_c && etl.payload	0
TEXT
    done
    PLUGINS=$folder check_filters "$CAPTURES/items-traits.etl" <<'TEXT'
orders_c	0
TEXT
}

check "dissector in C, by provider" by_provider
check "dissectors in Lua, by event, hook id and looks" others_dissectors
check "dissectors in Lua leave the others' events alone" nobody_takes
