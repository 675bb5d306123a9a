# shellcheck shell=bash
# What capinfos and File Properties tell of a file as a whole. Sourced by all.sh.

comments() {
    quiet_ws capinfos -M -k "$1" | sed -n 's/^Capture comment: *//p' | tr '\n' ' '
}

# Machine, build, session, clock; every provider that some frame has, and no other.
properties() {
    local all word listed wanted bad=0
    need_epan || return
    all="$(quiet_ws capinfos -M "$CAPTURES/tour.etl" | tr '\n' ' ')"
    for word in 'Windows 10.0.22631' Relogger '4 processors at 2904 MHz' 'PERFCOUNTER at 10000000 Hz' 'Events lost: 3' \
        'Computer: CONTOSO-PC7' 'Build: 22631.1.amd64fre.ni_release' 'Processor: Contoso CPU @ 2.90GHz' 'Memory (MB): 16216'; do
        [[ $all == *"$word"* ]] || { echo "missing: $word"; bad=1; }
    done
    listed=$(comments "$CAPTURES/tour.etl" | sed 's/.*Providers: //; s/ Kernel events:.*//; s/, /\n/g' | sort -u)
    wanted=$(quiet_ws tshark -r "$CAPTURES/tour.etl" -Y '!etl.hookid' -T fields -e etl.provider.name -e etl.provider |
        sed 's/\t.*-.*-.*-.*-.*//; t; d' | sed '/^$/d' | sort -u)
    diff <(echo "$listed" | grep -v '^c0117050') <(echo "$wanted") || bad=1
    echo "result: $(wc -l <<<"$listed") providers"
    return $bad
}

# Who wants no names in frames wants none here either.
properties_without_names() {
    need_epan || return
    ! ETL_NAMES=0 comments "$CAPTURES/tour.etl" | grep -q CONTOSO-PC7 && comments "$CAPTURES/tour.etl" | grep -q CONTOSO-PC7
}

check "properties of a file" properties
check "properties without names" properties_without_names
