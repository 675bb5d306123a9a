# shellcheck shell=bash
# Packets inside events: as many as there are, each dissected, each counted once. Sourced by all.sh.

PKTMON=$ETL_CORPUS/PktMon.etl

# count of frames and filter, one pair a line, in one pass and in two
expect_counts() {
    local file=$1 filters
    filters=$(sed 's/^\([0-9]*\) \(.*\)/\2\t\1/')
    check_filters "$file" <<<"$filters" && check_filters "$file" -2 <<<"$filters"
}

made_packets() {
    need_epan || return
    [ "$(quiet_ws tshark -2 -r "$CAPTURES/packets.etl" -Y 'etl.packet.dropped_frame && etl.packet.first == 1' -T fields -e ip.id -e etl.packet.dropped_frame)" = \
        "$(printf '0x0014\t%s' "$(quiet_ws tshark -r "$CAPTURES/packets.etl" -Y etl.note.packet_dropped -T fields -e frame.number)")" ] || { echo "which was dropped?"; return 1; }
    expect_counts "$CAPTURES/tour.etl" <<'EOF' || return 1
49 eth
45 ip
8 dns
37 tcp
8 http
0 tcp.analysis.flags
13 etl.pktmon.first == 1
13 etl.packet.first == 1
0 _ws.malformed
EOF
    expect_counts "$CAPTURES/packets-order.etl" <<'EOF' || return 1
2 tcp.len == 10
1 udp.dstport == 9 && etl.out_of_order == 1 && etl.packet.part.count == 2
1 vlan.id == 100 && dns
0 _ws.malformed || tcp.analysis.flags
EOF
    expect_counts "$CAPTURES/packets.etl" <<'EOF'
21 eth
2 wlan
17 dns
9 tcp
1 tcp.analysis.retransmission
6 etl.note.packet_part || etl.note.packet_no_start
2 etl.packet.part.count
2 udp.dstport == 9
1 etl.note.packet_dropped && etl.microsoft_windows_pktmon.drop_reason == 208 && etl.microsoft_windows_pktmon.drop_location == 0xe000460a
1 etl.microsoft_windows_pktmon.drop_location == "TCPIP_TL_RCV_UDP_RECEIVE1"
1 etl.packet.vlan_id == 100
4 etl.pid == 4 && tcp.port == 443 && frame.time_relative < 0.1
1 etl.note.packet_unknown
0 _ws.malformed && !etl.note.truncated
EOF
}

# The protocols of all frames, runs of the same as one line, in one pass and in two; nothing is malformed.
expect_protocols() {
    local file=$1 pass
    cat >"$OUT/expected"
    for pass in '' -2; do
        # shellcheck disable=SC2086 # nothing or one word
        quiet_ws tshark -r "$file" $pass -o 'gui.column.format:"Protocol","%p","Info","%i"' | awk '{print $1}' |
            uniq -c | awk '{print $1, $2}' | diff "$OUT/expected" - || return 1
    done
    [ "$(frames "$file" -Y '_ws.malformed && !etl.note.truncated')" = 0 ] || { echo "$file: malformed"; return 1; }
}

# Messages above the network interface, and devices: each goes to Wireshark's own dissector.
other_providers() {
    need_epan || return
    expect_protocols "$CAPTURES/packets-messages.etl" <<'EOF' || return 1
1 EventTrace
2 DNS
2 MBIM
1 Wmbclass-Opn
2 WWAN-SVC-EVENTS
2 Pef-WFP-MessageProvider
4 DNS
3 Pef-WFP-MessageProvider
2 DNS
1 Pef-WFP-MessageProvider
1 TCP
1 DNS
1 HTTP
1 Pef-WebProxy
2 HTTP
1 WinINet-Capture
1 HTTP
1 WinINet
2 HTTP
1 WebIO
2 TLSv1.2
1 HTTP
1 TLSv1.2
2 SMB2
1 SMBClient
1 SMB2
1 SMBClient
1 DCERPC
1 PTP/IP
2 WebAuthN
1 Serial-ClassExtension-V2
1 SPB-ClassExtension
5 DNS
EOF
    expect_protocols "$CAPTURES/packets-devices.etl" <<'EOF' || return 1
1 EventTrace
4 USB-UCX
10 USB
4 USB-UCX
2 USB
2 USB-UCX
4 USB
1 HCI_CMD
1 HCI_EVT
2 L2CAP
1 BTH-BTHPORT
1 L2CAP
EOF
    quiet_ws tshark -r "$CAPTURES/packets-devices.etl" -Y usb -T fields -e usb.bus_id -e usb.device_address -e usb.endpoint_address \
        -e usb.transfer_type | uniq >"$OUT/ways"
    diff - "$OUT/ways" <<'EOF' || return 1
4	2	0x80	0x02
4	2	0x81	0x01
4	2	0x00	0x03
4	2	0x80	0x00
4	3	0x02	0x03
2	5	0x80	0x02
2	5	0x82	0x01
2	5	0x83	0x00
EOF
    expect_protocols "$CAPTURES/packets-pktmon.etl" <<'EOF' || return 1
1 EventTrace
4 PktMon
1 TCP
1 DNS
1 ARP
1 ICMP
1 ICMPv6
1 ESP
1 AH
1 TCP
1 DNS
1 SSL
1 Message
1 DNS
1 Message
1 DNS
2 TCP
8 PktMon
EOF
    expect_counts "$CAPTURES/packets-pktmon.etl" <<'EOF' || return 1
1 etl.microsoft_windows_pktmon.drop_location == "TCPIP_NL_SEND_COMMON_INSPECT" && etl.microsoft_windows_pktmon.tcp_flags.syn == 1
2 etl.note.packet_dropped
1 tcp.port == 50513 && exported_pdu.ipv6_src == 2001:db8::10
1 etl.microsoft_windows_pktmon.ieee8021_q == 1600
22 etl.microsoft_windows_pktmon.component_id.name == "wfplwfs.sys"
2 etl.packet.first == 0
0 tcp.analysis.flags
EOF
    quiet_ws tshark -r "$CAPTURES/packets-messages.etl" -Y 'dns.response_to || ip.len == 1500 || exported_pdu.port_type == 2' \
        -T fields -e frame.number -e dns.id -e ip.len -e etl.packet.original_size -e dns.a >"$OUT/facts"
    diff - "$OUT/facts" <<'EOF'
3	0x0001	77		198.51.100.7
12	0x0003			198.51.100.7
14	0x0004			198.51.100.7
21		1500	1500	
49	0x04d2			198.51.100.7
50	0x04d3			
EOF
}

# Whose packets: by other events of the trace. How they were received; what interfaces, components, edges are called.
owners() {
    local pass
    need_epan || return
    cat >"$OUT/expected" <<'EOF'
0xc351	101	1	Ethernet 2
0xc351	101	1	Ethernet 2
0xc351	102	1	Ethernet 2
0xc352	103	1	Ethernet 2
0xc353	104	2	Ethernet 2
0xc354	105	3	Ethernet 2
0xc355	106	3	Ethernet 2
0xc355	106	3	Ethernet 2
0xc356	107	3	Ethernet 2
0xc357	108	4	Ethernet 2
0xc358	109	4	Ethernet 2
0xc359	110	5	Ethernet 2
0xc35a			Ethernet 2
0xc35b			Ethernet 2
EOF
    for pass in '' -2; do
        # shellcheck disable=SC2086 # nothing or one word
        quiet_ws tshark -r "$CAPTURES/packets-owners.etl" $pass -Y 'ip.proto == 6 || ip.proto == 17' -T fields -e ip.id \
            -e etl.packet.pid -e etl.packet.pid_source -e etl.packet.interface_name | diff "$OUT/expected" - || return 1
    done
    quiet_ws tshark -r "$CAPTURES/packets-owners.etl" -Y 'wlan || etl.packet.edge_name' -T fields -e wlan.seq -e radiotap.channel.freq \
        -e radiotap.dbm_antsignal -e radiotap.datarate -e radiotap.mactime -e etl.packet.component_name -e etl.packet.edge_name >"$OUT/received"
    diff "$OUT/received" - <<'EOF' || return 1
1	2437	-60	6	123456789		
2						
3						
4	5180	-70	54			
5						
					Contoso Gigabit Adapter	Upper
EOF
    [ "$(frames "$CAPTURES/tour.etl" -Y 'etl.packet.pid.name == "OrderClient.exe" && etl.pid != etl.packet.pid && etl.packet.path contains "wfplwfs.sys → "')" -gt 5 ]
}

# Dissecting a packet that was cut when it was captured leaves the frame what it is: it can be saved.
cut_packets() {
    need_epan || return
    local file=$CAPTURES/packets-messages.etl
    [ "$(frames "$file" -Y _ws.short)" -gt 0 ] || { echo "none was cut"; return 1; }
    quiet_ws tshark -r "$file" -Y _ws.short -w "$OUT/cut.pcapng" -F pcapng &&
        [ "$(frames "$OUT/cut.pcapng" -Y _ws.short)" = "$(frames "$file" -Y _ws.short)" ]
}

real_packets() {
    need_corpus && need_epan || return
    expect_counts "$PKTMON" <<'EOF'
467 etl
114 eth
114 ip
114 icmp
114 etl.microsoft_windows_pktmon.logged_payload_size == 98
38 etl.pktmon.first == 1
38 etl.packet.first == 1
76 etl.packet.first_frame
0 _ws.malformed
EOF
}

# The bytes of all reports, against the independent reader's.
real_payloads() {
    need_corpus && need_epan || return
    [ -n "$ETL_ORACLE" ] && [ -r "$ETL_ORACLE" ] || { echo "result: no independent reader"; return "$SKIPPED"; }
    quiet_ws tshark -r "$PKTMON" -Y eth -T fields -e etl.microsoft_windows_pktmon.payload | sort >"$OUT/payloads"
    python3 "$ETL_ORACLE" -d "$PKTMON" 2>/dev/null | python3 -c '
import json, sys
for line in sys.stdin:
    event = json.loads(line)
    if event.get("id") == 160 and event["guid"].startswith("4d4f80d9"):
        data = bytes.fromhex(event["data"])
        print(data[34:34 + int.from_bytes(data[32:34], "little")].hex())' | sort | diff -q "$OUT/payloads" - && [ "$(wc -l <"$OUT/payloads")" = 114 ]
}

# What is exported opens in Wireshark without the modules, has the bytes of the events and each packet once.
exported() {
    local pass bytes
    need_corpus && need_epan || return
    for pass in '' -2; do
        # shellcheck disable=SC2086 # nothing or one word
        quiet_ws tshark -r "$PKTMON" $pass -U "ETL packets" -w "$OUT/packets.pcapng" || return 1
        PLUGINS=$OUT quiet_ws tshark -r "$OUT/packets.pcapng" -T fields -e eth -e frame.number |
            wc -l | grep -qx 38 || { echo "not 38 packets"; return 1; }
    done
    bytes=$(quiet_ws tshark -r "$PKTMON" -Y 'etl.packet.first == 1' -T fields -e etl.microsoft_windows_pktmon.payload |
        tr -d '\n')
    [ "${#bytes}" -gt 0 ] || return 1
    [ "$(quiet_ws tshark -r "$OUT/packets.pcapng" -x | sed -n 's/^[0-9a-f]\{4\}  \(\([0-9a-f][0-9a-f] \)*[0-9a-f][0-9a-f]\).*/\1/p' |
        tr -d ' \n')" = "$bytes" ] || { echo "other bytes"; return 1; }
    cmp <(quiet_ws tshark -r "$PKTMON" -Y 'etl.packet.first == 1' -T fields -e frame.time_epoch) \
        <(quiet_ws tshark -r "$OUT/packets.pcapng" -T fields -e frame.time_epoch)
}

# Conversations and endpoints count packets, not reports of packets.
counted_once() {
    need_epan || return
    quiet_ws tshark -r "$CAPTURES/tour.etl" -q -z conv,tcp >"$OUT/conversations"
    grep -q '192.0.2.10:50412 .* 198.51.100.7:80 .* 9 [0-9]* bytes  ' "$OUT/conversations" || { cat "$OUT/conversations"; return 1; }
    quiet_ws tshark -r "$CAPTURES/tour.etl" -o etl.counted_place:tcpip.sys -q -z conv,tcp >"$OUT/conversations"
    grep -q '192.0.2.10:50412 .* 9 [0-9]* bytes  ' "$OUT/conversations" || { cat "$OUT/conversations"; return 1; }
    [ "$(frames "$CAPTURES/tour.etl" -o etl.counted_place:tcpip.sys -Y tcp.analysis.flags)" = 0 ] || return 1
    quiet_ws tshark -r "$CAPTURES/tour.etl" -o etl.copies_apart:FALSE -Y tcp.analysis.flags >"$OUT/apart"
    [ -s "$OUT/apart" ] || { echo "the preference changes nothing"; return 1; }
}

# One command for the packets, which says what it did with the rest.
summarised() {
    local TSHARK='quiet_ws tshark'
    need_epan || return
    . "$ETL_ROOT/package/packets.sh"
    write_packets "$CAPTURES/packets.etl" "$OUT/sum.pcapng" | tail -n +2 | sed 's/^ *//' >"$OUT/summary"
    diff "$OUT/summary" - <<'EOF' || return 1
14 Ethernet
2 IEEE 802.11
3 raw IP
5 left out: events with parts of packets, which are joined
3 left out: parts of packets whose start or end is not in the trace
10 left out: reports of the same packets at other places
2 left out: packets of a type that pcapng has no name for
15 left out: events without a packet
EOF
    [ "$(frames "$OUT/sum.pcapng")" = 19 ] || { echo "not 19 packets"; return 1; }
    ! write_packets "$CAPTURES/cpus-1024.etl" "$OUT/none.pcapng" >"$OUT/summary" || return 1
    grep -q 'has no packets' "$OUT/summary" && [ ! -e "$OUT/none.pcapng" ]
}

# The same bytes and times with and without the plugin; parts joined, one pass or two; conversations count each once.
packets_anywhere() {
    local format='read_format:Windows Event Trace Log (packets only)' name pass
    local fields=(-T fields -e frame.time_epoch -e frame.len -e frame.protocols -e tcp.len -e udp.length -e data.len -e _ws.malformed
        -e frame.md5_hash -o frame.generate_md5_hash:TRUE)
    need_epan || return
    for name in packets packets-messages packets-devices packets-owners packets-pktmon packets-order; do
        quiet_ws tshark -X "$format" -r "$CAPTURES/$name.etl" "${fields[@]}" >"$OUT/one"
        quiet_ws tshark -2 -X "$format" -r "$CAPTURES/$name.etl" "${fields[@]}" | diff "$OUT/one" - || return 1
        quiet_ws tshark -X "$format" -r "$CAPTURES/$name.etl" -w "$OUT/any.pcapng" || return 1
        PLUGINS=$OUT quiet_ws tshark -r "$OUT/any.pcapng" "${fields[@]}" | diff "$OUT/one" - || return 1
    done
    quiet_ws tshark -X "$format" -r "$CAPTURES/tour.etl" -w "$OUT/tour.pcapng" &&
        PLUGINS=$OUT quiet_ws tshark -r "$OUT/tour.pcapng" -q -z follow,tcp,hex,0 |
            diff - <(quiet_ws tshark -r "$CAPTURES/tour.etl" -q -z follow,tcp,hex,0) &&
        PLUGINS=$OUT quiet_ws tshark -r "$OUT/tour.pcapng" -q -z conv,tcp -z endpoints,ip >"$OUT/stock" &&
        grep -q '192.0.2.10:50412 .* 4 338 bytes .* 5 412 bytes .* 9 750 bytes' "$OUT/stock" &&
        grep -q '^192.0.2.10  *12 ' "$OUT/stock" || { cat "$OUT/stock"; return 1; }
}

# The second way to open a trace: nothing but packets, each once, with links, interfaces and directions.
packets_only() {
    local format='read_format:Windows Event Trace Log (packets only)' pass
    need_epan || return
    quiet_ws tshark -X "$format" -r "$CAPTURES/packets.etl" -w "$OUT/only.pcapng" || return 1
    quiet_ws tshark -r "$OUT/only.pcapng" -T fields -e frame.interface_name -e frame.packet_flags_direction |
        sed 's/ .*\t/\t/' | LC_ALL=C sort | uniq -c | awk '{print $1, $2, $3}' >"$OUT/interfaces"
    diff "$OUT/interfaces" - <<'EOF' || return 1
2 eth:12 0x00000001
4 eth:12 0x00000002
1 eth:14 0x00000002
1 eth:20 0x00000001
2 eth:Contoso 0x00000001
4 eth:Contoso 0x00000002
1 ip:10 0x00000002
1 ip:9 0x00000001
1 ip:Contoso 0x00000002
1 wifi:8 0x00000002
1 wifi:Contoso 0x00000002
EOF
    quiet_ws tshark -r "$OUT/only.pcapng" -Y 'frame.interface_name contains "Contoso"' -T fields -e frame.interface_description | sort -u >"$OUT/interfaces"
    quiet_ws tshark -X "$format" -r "$CAPTURES/packets-owners.etl" -w "$OUT/owners.pcapng" || return 1
    quiet_ws tshark -r "$OUT/owners.pcapng" -T fields -e frame.interface_name -e frame.interface_description | sort -u >>"$OUT/interfaces"
    diff "$OUT/interfaces" - <<'EOF' || return 1
Contoso Gigabit Adapter Miniport, 00:00:5e:00:53:0a
eth:Contoso Gigabit Adapter	Contoso Gigabit Adapter Miniport
eth:Ethernet 2	Contoso Gigabit Adapter, 00:00:5e:00:53:0a
wifi:Ethernet 2	Contoso Gigabit Adapter, 00:00:5e:00:53:0a
EOF
    [ "$(quiet_ws tshark -r "$OUT/only.pcapng" -Y 'frame.comment contains "dropped: Frame too long (208), location TCPIP_TL_RCV_UDP_RECEIVE1 (0xe000460a)"' \
        -T fields -e ip.id)" = 0x0014 ] || { echo "the drop is not told"; return 1; }
    # Options of packets: 7 a verdict of type 0 with reason (and location, which has a line feed), 8 the process id, in the upper half.
    case $VERSION in
    4.0) ;;
    *) LC_ALL=C grep -aqP '\x07\x00\x09\x00\x00\xd0\x00\x00\x00' "$OUT/only.pcapng" || { echo "no verdict"; return 1; } ;;
    esac
    case $VERSION in
    4.[0-5]) ;;
    *) LC_ALL=C grep -aqP '\x08\x00\x08\x00\x00\x00\x00\x00\x65\x00\x00\x00' "$OUT/owners.pcapng" || { echo "no process id"; return 1; } ;;
    esac
    ! grep -aqiE 'sample\.etl|Traces|appl.*Owners' "$OUT/owners.pcapng" || { echo "names the trace"; return 1; }
    for pass in '' -2; do
        # shellcheck disable=SC2086 # nothing or one word
        [ "$(frames "$CAPTURES/tour.etl" -X "$format" $pass)" = 13 ] || { echo "not 13 packets in the tour"; return 1; }
    done
    ! have_corpus || {
        quiet_ws tshark -X "$format" -r "$PKTMON" -w "$OUT/only.pcapng" && quiet_ws tshark -r "$PKTMON" -U "ETL packets" -w "$OUT/packets.pcapng" &&
            cmp <(quiet_ws tshark -r "$OUT/only.pcapng" -x) <(quiet_ws tshark -r "$OUT/packets.pcapng" -x)
    }
}

check "packets only" packets_only
check "packets in one command" summarised
check "packets without the plugin" packets_anywhere
check "packets of made traces" made_packets
check "packets of other providers" other_providers
check "whose packets" owners
check "packets that were cut are saved" cut_packets
check "packets of a real trace" real_packets
check "bytes of packets of a real trace" real_payloads
check "packets exported" exported
check "packets counted once" counted_once
