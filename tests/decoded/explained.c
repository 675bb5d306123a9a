/*
 * Why some values of real traces look odd and some events are not decoded: one row each. What has
 * no row here is a mistake of a layout until somebody has looked.
 */
#include "decoded.h"

#include <fnmatch.h>
#include <string.h>

static const char ended[] = "it ended before the trace began";
static const char not_public[] = "Windows writes it; what it means is not public";
static const char made_up[] = "a made-up log of one event, without the processes it speaks of";
static const char hidden_width[] =
    "a made-up log of 64 bits whose headers say 32: who learns of processes reads them as they say";
static const char stale[] = "what was in memory: alignment, or never written";

static const struct {
    const char *event; /* a pattern of the row's name */
    const char *label; /* of the field; a pattern */
    enum oddity what;
    const char *reason;
} oddities[] = {
    /* Before the rows for all events of Process. */
    {"*Process/* (classic)", "ParentId", ODD_PROCESS, made_up},
    {"*Process/* (classic)", "ProcessId", ODD_PROCESS, hidden_width},
    {"*Image/* (classic)", "ProcessId", ODD_PROCESS, made_up},
    {"*Process/*", "ParentId", ODD_PROCESS, ended},
    {"*Process/Defunct", "ProcessId", ODD_PROCESS, ended},
    {"*EventTrace/Header", "EndTime", ODD_TIME,
     "the first event tells when the trace ends, more than an hour later"},
    {"*EventTrace/PartitionInfoExtension", "PartitionType", ODD_NAME,
     "0 is not in the class; all machines without partitions have it"},
    {"*SystemConfigEx/BuildInfo", "InstallDate", ODD_TIME,
     "1970 exactly: the machine does not know its own"},
    {"*ImageID/FileVersion", "ProductName", ODD_TEXT,
     "a trademark sign of Windows-1252 that the module's makers did not convert"},
    {"*DiskIo/*", "Reserved", ODD_RESERVED, not_public},
    {"*Thread/CSwitch", "Reserved", ODD_RESERVED,
     "the quantum that the old thread has left, as version 3 calls it"},
    {"*Thread/CSwitch", "SpareByte", ODD_RESERVED, stale},
    {"*Process/PerfCtrRundown", "Reserved", ODD_RESERVED, stale},
    {"*SystemConfig/VirtualizationConfigInfo", "Reserved", ODD_RESERVED, stale},
    {"*SystemConfig/BootConfigInfo", "Reserved?", ODD_RESERVED, stale},
};

static const struct {
    const char *event;
    const char *reason;
} undecoded[] = {
    {"*EventMetadata/MapInfo", "names of values, read together with the events that they are for"},
    {"*SystemConfigEx/Unknown37", "16 zero bytes of no known meaning"},
};

const char *explain_oddity(const struct row *row, const struct odd *odd)
{
    for (size_t i = 0; i < sizeof oddities / sizeof oddities[0]; i++) {
        if (oddities[i].what == odd->what && fnmatch(oddities[i].event, row->name, 0) == 0 &&
            fnmatch(oddities[i].label, odd->field->label, 0) == 0) {
            return oddities[i].reason;
        }
    }
    return NULL;
}

const char *explain_undecoded(const struct row *row)
{
    for (size_t i = 0; i < sizeof undecoded / sizeof undecoded[0]; i++) {
        if (fnmatch(undecoded[i].event, row->name, 0) == 0) {
            return undecoded[i].reason;
        }
    }
    return NULL;
}
