#!/usr/bin/env python3
"""Makes plugin/layouts/builtin.txt, the table of manifest events, from a newer pair of tables:

    plugin/builtin/rebuild.py provider-events.tsv provider-maps.tsv >plugin/layouts/builtin.txt

The first has a header line and one row per provider, event and version, the second one per name of a value; their
columns are asked for by name. Numbers that the events themselves tell (level, keyword …) are left out, and fields
that an event shares with an earlier one are named by that.
"""
import csv
import re
import sys

HEAD = """\
# Events of Windows' own providers, as their manifests declare them: identifiers, names and types; no texts.
#
#   provider GUID NAME          its maps and events follow
#   map NAME values|flags       its names follow, one a line: blank, number, tab, text
#   ID VERSION NAME TASK OPCODE FIELDS      tab separated; a name that is empty is not known
#
#   FIELDS  =ID/VERSION: those of that earlier event; else items with ";" between them
#   item    Name:type{map}(len=ref)(count=ref)   or   Name:struct[ref](items)
#           ref is a number, the name of an earlier item, or ?; a struct of unknown members has ? for them
#           %XX is a character that the grammar uses itself
#   type    as in include/etl/types.def; counted_utf16, counted_ansi, counted_bytes: a u16 of their bytes is before
#           them; pid, tid, port, ipv4 … are what their numbers are shown as
#
# plugin/builtin/rebuild.py makes this file from newer tables, plugin/builtin/pack.c the program's form of it.
# From mechanical exports of what every Windows machine publishes about its providers (jdu2600/Windows10EtwEvents,
# repnz/etw-providers-docs), microsoft/perfview and microsoft/msquic (MIT), microsoft/Tx (Apache-2.0),
# PixelFrame/DnsAnalyticView and RavuAlHemio/etl2pcapng (MIT), and schemas inside public traces. Structs, lengths and
# counts are partly inferred: the dumps do not have them.
"""

TYPES = {
    "UnicodeString": "utf16", "AnsiString": "ansi", "Int8": "i8", "UInt8": "u8", "Int16": "i16", "UInt16": "u16",
    "Int32": "i32", "UInt32": "u32", "Int64": "i64", "UInt64": "u64", "Float": "float", "Double": "double",
    "Boolean": "bool32", "Binary": "bytes", "GUID": "guid", "Pointer": "pointer", "FILETIME": "filetime",
    "SYSTEMTIME": "systemtime", "SID": "sid", "HexInt32": "hex32", "HexInt64": "hex64",
    "CountedUnicodeString": "counted_utf16", "CountedAnsiString": "counted_ansi", "CountedBinary": "counted_bytes",
}

SHOWN_AS = {
    "HexInt8": "hex8", "HexInt16": "hex16", "HexInt32": "hex32", "HexInt64": "hex64", "SocketAddress": "sockaddr",
    "IPv4": "ipv4", "IPv6": "ipv6", "Port": "port", "NTSTATUS": "ntstatus", "Win32Error": "win32error",
    "HResult": "hresult", "PID": "pid", "TID": "tid",
}

# What the tables do not have, and others say: here TraceEvent's listing of an event of .NET.
CORRECTIONS = {
    ("a669021c-c450-4609-a035-5af59af4df18", "10", "0"):
        "HardLimit:u64;LOHThreshold:u64;PhysicalMemoryConfig:u64;Gen0MinBudgetConfig:u64;Gen0MaxBudgetConfig:u64;"
        "HighMemPercentConfig:u32;BitSettings:u32;ClrInstanceID:u16",
}

ITEM = re.compile(r"(?P<name>[^:;]*):(?P<type>\w+)(?:/(?P<shown>\w+))?(?:\{(?P<map>[^}]*)\})?(?P<rest>[^;{]*)")


def shorter(fields, maps):
    def item(match):
        kind = TYPES.get(match["type"], "struct" if match["type"] == "Struct" else None)
        if kind is None:
            sys.exit(f"unknown type {match['type']}")
        if match["shown"]:
            kind = SHOWN_AS.get(match["shown"], kind)
        named = "{%s}" % match["map"] if match["map"] in maps else ""
        return f"{match['name']}:{kind}{named}{match['rest']}"

    # The members of a struct stand in brackets: what is before the first of them is not theirs.
    parts = re.split(r"(:Struct(?:\[[^\]]*\])?\()", re.sub(r"\(\?\d+\)", "(?)", fields))
    return "".join(part.replace(":Struct", ":struct") if part.startswith(":Struct") else ITEM.sub(item, part)
                   for part in parts)


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    maps, providers = {}, {}
    for row in read(sys.argv[2]):
        named = maps.setdefault(row["provider_guid"].lower(), {}).setdefault(row["map_name"], (row["kind"], []))
        named[1].append((int(row["value"]), row["name"]))
    for row in read(sys.argv[1]):
        providers.setdefault(row["provider_guid"].lower(), []).append(row)
    print(HEAD, end="")
    for guid in sorted(providers):
        put_provider(guid, providers[guid], maps.get(guid, {}))


def put_provider(guid, rows, maps):
    used = {name for row in rows for name in re.findall(r"\{([^}]*)\}", row["fields"])}
    names = {name: re.sub(r"%([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), name) for name in used}
    print(f"\nprovider {guid} {rows[0]['provider_name']}")
    for name in sorted(name for name in used if names[name] in maps):
        kind, texts = maps[names[name]]
        print(f"map {name} {'flags' if kind == 'bit' else 'values'}")
        for value, text in sorted(dict(reversed(texts)).items()):
            print(f" {value}\t{text}")
    seen = {}
    known = {name for name in used if names[name] in maps}
    for row in sorted(rows, key=lambda row: (int(row["event_id"]), int(row["version"]))):
        key = (guid, row["event_id"], row["version"])
        fields = CORRECTIONS.get(key) or shorter(row["fields"], known)
        key = f"{row['event_id']}/{row['version']}"
        shown = "=" + seen[fields] if fields in seen and len(fields) > len(seen[fields]) + 1 else fields
        seen.setdefault(fields, key)
        print("\t".join((row["event_id"], row["version"], row["event_name"], row["task_name"], row["opcode_name"],
                         shown)))


main()
