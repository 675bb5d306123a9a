/*
 * The names of flags and types, as the Windows headers have them without their prefixes.
 */
#include "types.h"

const struct number_name logfile_modes[] = {
    {"NONE", 0},
    {"SEQUENTIAL", 0x1},
    {"CIRCULAR", 0x2},
    {"APPEND", 0x4},
    {"NEWFILE", 0x8},
    {"USE_MS_FLUSH_TIMER", 0x10},
    {"PREALLOCATE", 0x20},
    {"NONSTOPPABLE", 0x40},
    {"SECURE", 0x80},
    {"REAL_TIME", 0x100},
    {"DELAY_OPEN_FILE", 0x200},
    {"BUFFERING", 0x400},
    {"PRIVATE_LOGGER", 0x800},
    {"ADD_HEADER", 0x1000},
    {"USE_KBYTES_FOR_SIZE", 0x2000},
    {"USE_GLOBAL_SEQUENCE", 0x4000},
    {"USE_LOCAL_SEQUENCE", 0x8000},
    {"RELOG", 0x10000},
    {"PRIVATE_IN_PROC", 0x20000},
    {"BUFFER_INTERFACE", 0x40000},
    {"KD_FILTER", 0x80000},
    {"REALTIME_RELOG", 0x100000},
    {"LOST_EVENTS_DEBUG", 0x200000},
    {"STOP_ON_HYBRID_SHUTDOWN", 0x400000},
    {"PERSIST_ON_HYBRID_SHUTDOWN", 0x800000},
    {"USE_PAGED_MEMORY", 0x1000000},
    {"SYSTEM_LOGGER", 0x2000000},
    {"COMPRESSED", 0x4000000},
    {"INDEPENDENT_SESSION", 0x8000000},
    {"NO_PER_PROCESSOR_BUFFERING", 0x10000000},
    {"BLOCKING", 0x20000000},
    {"ADDTO_TRIAGE_DUMP", 0x80000000},
    {NULL, 0},
};

const struct number_name buffer_flags[] = {
    {"NORMAL", 0},        {"FLUSH_MARKER", 0x1},     {"EVENTS_LOST", 0x2},
    {"BUFFER_LOST", 0x4}, {"RTBACKUP_CORRUPT", 0x8}, {"RTBACKUP", 0x10},
    {"PROC_INDEX", 0x20}, {"COMPRESSED", 0x40},      {NULL, 0},
};

const struct number_name buffer_types[] = {
    {"GENERIC", 0}, {"RUNDOWN", 1},      {"CTX_SWAP", 2}, {"REFTIME", 3}, {"HEADER", 4},
    {"BATCHED", 5}, {"EMPTY_MARKER", 6}, {"DBG_INFO", 7}, {"MAXIMUM", 8}, {NULL, 0},
};

const struct number_name event_flags[] = {
    {"EXTENDED_INFO", 0x1},
    {"PRIVATE_SESSION", 0x2},
    {"STRING_ONLY", 0x4},
    {"TRACE_MESSAGE", 0x8},
    {"NO_CPUTIME", 0x10},
    {"32_BIT_HEADER", 0x20},
    {"64_BIT_HEADER", 0x40},
    {"DECODE_GUID", 0x80},
    {"CLASSIC_HEADER", 0x100},
    {"PROCESSOR_INDEX", 0x200},
    {NULL, 0},
};

const struct number_name event_properties[] = {
    {"XML", 0x1}, {"FORWARDED_XML", 0x2}, {"LEGACY_EVENTLOG", 0x4}, {"RELOGGABLE", 0x8}, {NULL, 0},
};

const struct number_name message_flags[] = {
    {"SEQUENCE", 0x1},
    {"GUID", 0x2},
    {"COMPONENTID", 0x4},
    {"TIMESTAMP", 0x8},
    {"PERFORMANCE_TIMESTAMP", 0x10},
    {"SYSTEMINFO", 0x20},
    {"POINTER32", 0x40},
    {"POINTER64", 0x80},
    {NULL, 0},
};

const struct number_name wnode_flags[] = {
    {"USE_TIMESTAMP", 0x200},
    {"TRACED_GUID", 0x20000},
    {"LOG_WNODE", 0x40000},
    {"USE_GUID_PTR", 0x80000},
    {"USE_MOF_PTR", 0x100000},
    {"NO_HEADER", 0x200000},
    {NULL, 0},
};

const struct number_name trace_event_levels[] = {
    {"LOG_ALWAYS", 0}, {"CRITICAL", 1}, {"ERROR", 2}, {"WARNING", 3},
    {"INFO", 4},       {"VERBOSE", 5},  {NULL, 0},
};

const struct number_name item_types[] = {
    {"RELATED_ACTIVITYID", 1},
    {"SID", 2},
    {"TS_ID", 3},
    {"INSTANCE_INFO", 4},
    {"STACK_TRACE32", 5},
    {"STACK_TRACE64", 6},
    {"PEBS_INDEX", 7},
    {"PMC_COUNTERS", 8},
    {"PSM_KEY", 9},
    {"EVENT_KEY", 10},
    {"EVENT_SCHEMA_TL", 11},
    {"PROV_TRAITS", 12},
    {"PROCESS_START_KEY", 13},
    {"CONTROL_GUID", 14},
    {"QPC_DELTA", 15},
    {"CONTAINER_ID", 16},
    {"STACK_KEY32", 17},
    {"STACK_KEY64", 18},
    {NULL, 0},
};

const struct number_name data_in_types[] = {
    {"NULL", 0},        {"UNICODESTRING", 1},  {"ANSISTRING", 2},
    {"INT8", 3},        {"UINT8", 4},          {"INT16", 5},
    {"UINT16", 6},      {"INT32", 7},          {"UINT32", 8},
    {"INT64", 9},       {"UINT64", 10},        {"FLOAT", 11},
    {"DOUBLE", 12},     {"BOOLEAN", 13},       {"BINARY", 14},
    {"GUID", 15},       {"POINTER", 16},       {"FILETIME", 17},
    {"SYSTEMTIME", 18}, {"SID", 19},           {"HEXINT32", 20},
    {"HEXINT64", 21},   {"COUNTEDSTRING", 22}, {"COUNTEDANSISTRING", 23},
    {"STRUCT", 24},     {"COUNTEDBINARY", 25}, {NULL, 0},
};

const struct number_name data_out_types[] = {
    {"NONE", 0},
    {"STRING", 1},
    {"DATETIME", 2},
    {"BYTE", 3},
    {"UNSIGNEDBYTE", 4},
    {"SHORT", 5},
    {"UNSIGNEDSHORT", 6},
    {"INT", 7},
    {"UNSIGNEDINT", 8},
    {"LONG", 9},
    {"UNSIGNEDLONG", 10},
    {"FLOAT", 11},
    {"DOUBLE", 12},
    {"BOOLEAN", 13},
    {"GUID", 14},
    {"HEXBINARY", 15},
    {"HEXINT8", 16},
    {"HEXINT16", 17},
    {"HEXINT32", 18},
    {"HEXINT64", 19},
    {"PID", 20},
    {"TID", 21},
    {"PORT", 22},
    {"IPV4", 23},
    {"IPV6", 24},
    {"SOCKETADDRESS", 25},
    {"ETWTIME", 27},
    {"XML", 28},
    {"ERRORCODE", 29},
    {"WIN32ERROR", 30},
    {"NTSTATUS", 31},
    {"HRESULT", 32},
    {"CULTURE_INSENSITIVE_DATETIME", 33},
    {"JSON", 34},
    {"UTF8", 35},
    {NULL, 0},
};

const struct number_name schema_out_types[] = {
    {"NONE", 0},
    {"NOPRINT", 1},
    {"STRING", 2},
    {"BOOLEAN", 3},
    {"HEX", 4},
    {"PID", 5},
    {"TID", 6},
    {"PORT", 7},
    {"IPV4", 8},
    {"IPV6", 9},
    {"SOCKETADDRESS", 10},
    {"XML", 11},
    {"JSON", 12},
    {"WIN32ERROR", 13},
    {"NTSTATUS", 14},
    {"HRESULT", 15},
    {"FILETIME", 16},
    {"SIGNED", 17},
    {"UNSIGNED", 18},
    {"CULTURE_INSENSITIVE_DATETIME", 33},
    {"UTF8", 35},
    {"PKCS7_WITH_TYPE_INFO", 36},
    {"CODE_POINTER", 37},
    {"DATETIME_UTC", 38},
    {NULL, 0},
};
