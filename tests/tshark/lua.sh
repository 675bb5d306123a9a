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

check "dissectors in Lua, by event, hook id and looks" others_dissectors
check "dissectors in Lua leave the others' events alone" nobody_takes
