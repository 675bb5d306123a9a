# shellcheck shell=bash
# Events of TcpIp and UdpIp: whom Source and Destination name, and conversations by bytes. Sourced by all.sh.

# source, destination, their ports, protocol and bytes of every frame whose event has them
transfers() {
    local class names=()
    for class in tcp_ip udp_ip; do
        names+=(-e "etl.$class.source" -e "etl.$class.source_v6" -e "etl.$class.destination" -e "etl.$class.destination_v6"
            -e "etl.$class.source_port" -e "etl.$class.destination_port" -e "etl.$class.size")
    done
    quiet_ws tshark -r "$1" -Y 'etl.tcp_ip.source_port || etl.udp_ip.source_port' -T fields -E occurrence=f "${names[@]}" |
        awk -F '\t' -v OFS='\t' '{ print $1 $2 $8 $9, $3 $4 $10 $11, $5 $12, $6 $13, $7 == "" ? "udp" : "tcp", $7 $14 }'
}

same_as_sums() {
    transfers "$1" >"$OUT/transfers"
    quiet_ws tshark -r "$1" -q -z conv,etl -z endpoints,etl >"$OUT/tables" &&
        python3 "$ETL_ROOT/tests/tshark/conversations.py" "$OUT/transfers" "$OUT/tables"
}

bytes_by_conversation() {
    need_epan || return
    local file
    for file in "$CAPTURES"/network-32.etl "$CAPTURES"/network-64.etl; do
        same_as_sums "$file" || return 1
    done
    ! have_corpus || same_as_sums "$ETL_CORPUS/net.4.5.2.x64.etl"
}

# The columns name the ends, in both directions, and what sends is never what receives.
ends_in_columns() {
    need_epan || return
    quiet_ws tshark -r "$CAPTURES/network-64.etl" -Y 'etl.hookid in {0x060a, 0x060b, 0x061f, 0x080b} && etl.version == 2' \
        -T fields -e _ws.col.Source -e _ws.col.Destination -e etl.pid >"$OUT/ends"
    diff "$OUT/ends" - <<'EOT'
192.0.2.10	198.51.100.7	1312
198.51.100.7	192.0.2.10	1312
198.51.100.7	192.0.2.10	1312
192.0.2.10	198.51.100.7	2048
198.51.100.7	192.0.2.10	2048
198.51.100.7	192.0.2.10	1312
2001:db8::7	2001:db8::10	4
192.0.2.10	203.0.113.6	99
PID 99		99
EOT
}

check "conversations by bytes" bytes_by_conversation
check "ends of connections in columns" ends_in_columns
