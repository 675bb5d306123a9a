/*
 * Byte vectors of other authors' tests, one row each: decoded by our tables and compared with what
 * their tests expect, field by field. The file is not part of the project; without it there is
 * nothing to do.
 */
#include "core/file/buffer.h"

#include "etl/decode.h"
#include "etl/hooks.h"

#include "vectors.h"

/* ---- rows that are not to be believed ---- */

static const struct {
    const char *name;
    const char *reason;
} wrong_rows[] = {
    {"snail_PerfInfoTraceHeaderExtPebsExtPmc",
     "its bytes are invented; whether the PEBS index or the counters come first is open"},
};

static const struct {
    const char *name; /* or how the names begin */
    const char *key;
    const char *reason;
} wrong_values[] = {
    {"libtrace_ProcessStartV4", "CommandLine",
     "the bytes have two blanks, as catapult_ProcessStartPayload64bitV4 expects of the same event"},
    {"libtrace_ProcessEndV4", "CommandLine", "likewise"},
    {"libtrace_Tcplp", "dport", "ports are big-endian: where 20480 is expected, the port is 80"},
    {"libtrace_Tcplp", "sport", "likewise"},
};

/* Keys of their tests that are no fields of ours, or not as one number. */
static const char *const ignored_keys[] = {
    "headertype",  /* compared by which kind it is */
    "headerflags", /* a mask of C++ constants */
    "packetgroup", /* an enumeration's name; the number is in the hook id */
    "hasextpebs",  "processortime", "eventdescriptorchannel", "dynamicsize", "version",
};

/* How their names differ from Microsoft's, both without case and punctuation. */
static const struct {
    const char *theirs;
    const char *ours;
} other_names[] = {
    {"packetsize", "size"},
    {"packettype", "type"},
    {"traceclasstype", "type"},
    {"traceclasslevel", "level"},
    {"traceclassversion", "version"},
    {"systemtime", "rawtimestamp"},
    {"timestamp", "rawtimestamp"},
    {"extpmc0", "counter"},
    {"guidinstantiate", "guid"},
    {"provideridinstantiate", "providerid"},
    {"threadid", "tthreadid"},
    {"flags", "threadflags"},
    {"osversionmajor", "majorversion"},
    {"osversionminor", "minorversion"},
    {"spversionmajor", "subversion"},
    {"spversionminor", "subminorversion"},
    {"maxfilesize", "maximumfilesize"},
    {"cpuspeed", "cpuspeedinmhz"},
    {"sessionname", "loggername"},
    {"sessionnamestring", "loggername"},
    {"logfilenamestring", "logfilename"},
    {"loggername", "loggernamepointer"},
    {"logfilename", "logfilenamepointer"},
    {"filename", "imagefilename"},
};

/* Payloads that are named by a class of the source's language: their hook and version. */
static const struct {
    const char *name;
    uint16_t hookid;
    uint8_t version;
} payload_classes[] = {
    {"Kernel_EventTraceV2HeaderEventView", 0x0000, 2},
    {"Kernel_EventTraceV2HeaderExtensionTypeGroup", 0x0005, 2},
    {"Kernel_EventTraceV2HeaderPartitionInfoExtensionTypeGroup", 0x0050, 2},
    {"Kernel_ProcessV4TypeGroup1EventView", 0x0301, 4},
    {"Kernel_ProcessV2TypeGroup2EventView", 0x0320, 2},
    {"Kernel_ImageV2LoadEventView", 0x030A, 2},
    {"Kernel_ThreadV3TypeGroup1EventView", 0x0501, 3},
    {"Kernel_ThreadV4TypeGroup1EventView", 0x0501, 4},
    {"Kernel_ThreadV4ContextSwitchEventView", 0x0524, 4},
    {"Kernel_ThreadV2SetNameEventView", 0x0548, 2},
    {"Kernel_PerfinfoV2SampledProfileEventView", 0x0F2E, 2},
    {"Kernel_StackwalkV2StackEventView", 0x1820, 2},
};

/* ---- what is decoded ---- */

struct found {
    char key[64]; /* label without case and punctuation */
    enum etl_shape shape;
    uint64_t number;
    size_t size;
    char text[1024];
};

struct finder {
    struct etl_sink sink;
    struct found fields[160];
    size_t count;
    size_t truncated;
    size_t counters;
};

static void simplify(const char *from, size_t length, char *room, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < size; i++) {
        char c = from[i];
        c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            room[used++] = c;
        }
    }
    room[used] = '\0';
}

static void find_value(struct etl_sink *sink, const struct etl_field *field,
                       const struct etl_value *value)
{
    struct finder *self = (struct finder *)sink;
    if (self->count == sizeof self->fields / sizeof self->fields[0]) {
        return;
    }
    struct found *found = &self->fields[self->count++];
    memset(found, 0, sizeof *found);
    simplify(field->label, strlen(field->label), found->key, sizeof found->key);
    found->shape = etl_type_facts(field->type)->shape;
    found->number = value->number;
    found->size = value->size;
    if (value->encoding == ETL_ENCODING_UTF16 && found->shape == ETL_SHAPE_TEXT) {
        etl_utf8_of_utf16(value->bytes, value->length, found->text, sizeof found->text);
    } else if (found->shape == ETL_SHAPE_TEXT) {
        etl_utf8_of_ansi(value->bytes, value->length, found->text, sizeof found->text);
    } else if (found->shape == ETL_SHAPE_GUID) {
        etl_guid_format((const struct etl_guid *)value->bytes, found->text);
    }
    self->counters += strcmp(found->key, "counter") == 0;
}

static void find_note(struct etl_sink *sink, enum etl_note note, const uint8_t *at, size_t size,
                      const char *detail)
{
    (void)at, (void)size, (void)detail;
    ((struct finder *)sink)->truncated += note == ETL_NOTE_TRUNCATED;
}

static struct finder finder;

static void start_finder(void)
{
    memset(&finder, 0, sizeof finder);
    finder.sink = (struct etl_sink){
        .value = find_value, .begin = etl_ignore_begin, .end = etl_ignore_end, .note = find_note};
}

static void add_number(const char *key, uint64_t number)
{
    struct found *found = &finder.fields[finder.count++];
    memset(found, 0, sizeof *found);
    snprintf(found->key, sizeof found->key, "%s", key);
    found->shape = ETL_SHAPE_NUMBER;
    found->number = number;
    found->size = 8;
}

static const struct found *find_key(const char *key, bool text)
{
    for (size_t i = 0; i < finder.count; i++) {
        if (strcmp(finder.fields[i].key, key) == 0 &&
            (finder.fields[i].shape == ETL_SHAPE_TEXT) == text) {
            return &finder.fields[i];
        }
    }
    return NULL;
}

/* A key with the names of its outer structures: the whole, then the last word alone. */
static const struct found *find_field(const char *key, size_t length, bool text)
{
    char whole[128];
    const char *last = key + length;
    while (last > key && last[-1] != '.') {
        last--;
    }
    simplify(key, length, whole, sizeof whole);
    char word[128];
    simplify(last, (size_t)(key + length - last), word, sizeof word);
    const struct found *found = find_key(whole, text);
    for (size_t i = 0; found == NULL && i < sizeof other_names / sizeof other_names[0]; i++) {
        if (strcmp(other_names[i].theirs, whole) == 0) {
            found = find_key(other_names[i].ours, text);
        }
    }
    return found != NULL ? found : find_key(word, text);
}

/* ---- what is expected ---- */

static size_t compared;
static size_t not_compared;

/* A number as C++ and JavaScript write it; false for anything else. */
static bool parse_number(const char *text, size_t length, uint64_t *ret_number)
{
    char digits[64];
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < sizeof digits; i++) {
        if (text[i] != '\'') {
            digits[used++] = text[i];
        }
    }
    digits[used] = '\0';
    char *end;
    bool negative = digits[0] == '-';
    if (digits[negative] < '0' || digits[negative] > '9') {
        return false;
    }
    *ret_number = strtoull(digits + negative, &end, 0);
    *ret_number = negative ? 0 - *ret_number : *ret_number;
    return end[strspn(end, "uUlL")] == '\0';
}

/* What stands between quotes, its escapes resolved; false when there are none. */
static bool parse_text(const char *text, size_t length, char *room, size_t size)
{
    const char *end = text + length;
    const char *at = text + (length > 0 && text[0] == 'L');
    if (at >= end || (*at != '"' && *at != '\'')) {
        return false;
    }
    char quote = *at++;
    while (end > at && end[-1] != quote) {
        end--;
    }
    size_t used = 0;
    while (at + 1 < end && used + 1 < size) {
        if (*at == quote) { /* "one" L"two": literals that the compiler joins */
            at += 1 + strspn(at + 1, " \n+L");
            at += at + 1 < end;
            continue;
        }
        at += *at == '\\' && at + 2 < end;
        room[used++] = *at++;
    }
    room[used] = '\0';
    return true;
}

/* common::guid{ 0xb3e6'75d7, 0x2554, 0x4f18, {0x83, …} } */
static bool parse_guid(const char *text, size_t length, char *room)
{
    uint64_t numbers[11] = {0};
    size_t count = 0;
    for (const char *at = text; at + 2 < text + length && count < 11; at++) {
        if (at[0] == '0' && at[1] == 'x') {
            size_t digits = strspn(at + 2, "0123456789abcdefABCDEF'");
            parse_number(at, 2 + digits, &numbers[count++]);
            at += digits;
        }
    }
    if (count != 11) {
        return false;
    }
    sprintf(room, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", (unsigned)numbers[0],
            (unsigned)numbers[1], (unsigned)numbers[2], (unsigned)numbers[3], (unsigned)numbers[4],
            (unsigned)numbers[5], (unsigned)numbers[6], (unsigned)numbers[7], (unsigned)numbers[8],
            (unsigned)numbers[9], (unsigned)numbers[10]);
    return true;
}

static bool is_wrong_value(const struct vector *row, const char *key, size_t length)
{
    for (size_t i = 0; i < sizeof wrong_values / sizeof wrong_values[0]; i++) {
        const char *name = wrong_values[i].name;
        if (strncmp(name, row->columns[NAME], strlen(name)) == 0 &&
            strlen(wrong_values[i].key) == length &&
            memcmp(wrong_values[i].key, key, length) == 0) {
            return true;
        }
    }
    return false;
}

static void fail(const struct vector *row, const char *key, size_t length, const char *expected)
{
    if (is_wrong_value(row, key, length)) {
        return;
    }
    printf("\n    %s: %.*s is not %s\n", row->columns[NAME], (int)length, key, expected);
    CU_FAIL("a value differs");
}

static void compare_number(const struct vector *row, const char *key, size_t length,
                           uint64_t expected)
{
    const struct found *found = find_field(key, length, false);
    if (found == NULL || found->shape > ETL_SHAPE_TIME || found->size == 0) {
        not_compared++;
        return;
    }
    uint64_t mask = found->size < 8 ? (UINT64_C(1) << found->size * 8) - 1 : UINT64_MAX;
    compared++;
    if (((found->number ^ expected) & mask) != 0) {
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)expected);
        fail(row, key, length, text);
    }
}

static void compare_text(const struct vector *row, const char *key, size_t length,
                         const char *expected)
{
    const struct found *found = find_field(key, length, true);
    uint64_t number = 0;
    char hex[40];
    if (found != NULL) {
        compared++;
        if (strcmp(found->text, expected) != 0) {
            fail(row, key, length, expected);
        }
    } else if (strlen(expected) == 16 && strspn(expected, "0123456789abcdef") == 16) {
        snprintf(hex, sizeof hex, "0x%.16s", expected); /* 64-bit numbers of JavaScript */
        CU_ASSERT_TRUE(parse_number(hex, strlen(hex), &number));
        compare_number(row, key, length, number);
    } else {
        not_compared++;
    }
}

static bool is_ignored(const char *key, size_t length)
{
    char simple[128];
    simplify(key, length, simple, sizeof simple);
    for (size_t i = 0; i < sizeof ignored_keys / sizeof ignored_keys[0]; i++) {
        if (strcmp(simple, ignored_keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void compare_one(const struct vector *row, const char *key, size_t key_length,
                        const char *value, size_t length)
{
    static char text[4096];
    uint64_t number = 0;
    if (is_ignored(key, key_length)) {
        return;
    }
    if (parse_number(value, length, &number)) {
        compare_number(row, key, key_length, number);
    } else if (parse_text(value, length, text, sizeof text)) {
        compare_text(row, key, key_length, text);
    } else if (parse_guid(value, length, text)) {
        const struct found *found = find_field(key, key_length, false);
        if (found == NULL || found->shape != ETL_SHAPE_GUID) {
            not_compared++;
            return;
        }
        CU_ASSERT_STRING_EQUAL(found->text, text);
        compared++;
    } else {
        not_compared++;
    }
}

/* "key=value; key=value" or "get_key(), value; …" */
static void compare_row(const struct vector *row)
{
    for (const char *at = row->columns[EXPECTED]; *at != '\0';) {
        const char *end = strstr(at, "; ");
        end = end != NULL ? end : at + strlen(at);
        const char *getter = strstr(at, "get_");
        const char *call = getter != NULL ? strstr(getter, "(), ") : NULL;
        const char *equals = memchr(at, '=', (size_t)(end - at));
        if (call != NULL && call < end) {
            compare_one(row, getter + 4, (size_t)(call - getter - 4), call + 4,
                        (size_t)(end - call - 4));
        } else if (equals != NULL && equals[1] != '=') {
            compare_one(row, at, (size_t)(equals - at), equals + 1, (size_t)(end - equals - 1));
        } else {
            not_compared++;
        }
        at = *end != '\0' ? end + 2 : end;
    }
}

/* ---- what a row is ---- */

struct payload {
    uint16_t hookid;
    uint8_t version;
    uint8_t pointer_size;
};

static bool payload_of_guid(const char *type, struct payload *ret_payload)
{
    const char *brace = strchr(type, '{');
    unsigned opcode;
    unsigned version;
    unsigned bits;
    char text[40] = "";
    struct etl_guid guid;
    if (brace == NULL ||
        sscanf(brace, "%38s opcode %u v%u %u-bit", text, &opcode, &version, &bits) != 4 ||
        !etl_guid_parse(text, &guid) ||
        !etl_hook_of_class(&guid, (uint8_t)opcode, &ret_payload->hookid)) {
        return false;
    }
    ret_payload->version = (uint8_t)version;
    ret_payload->pointer_size = bits == 32 ? 4 : 8;
    return true;
}

static bool payload_of_group(const char *type, struct payload *ret_payload)
{
    char name[64];
    unsigned version;
    unsigned number;
    if (sscanf(type, "payload EVENT_TRACE_GROUP_%63[A-Z_], %u, %u", name, &version, &number) != 3) {
        return false;
    }
    for (uint8_t i = 0; i < ETL_GROUP_COUNT; i++) {
        if (strcmp(etl_group_find(i)->constant, name) == 0) {
            ret_payload->hookid = (uint16_t)(i << 8 | number);
            ret_payload->version = (uint8_t)version;
            ret_payload->pointer_size = 8;
            return true;
        }
    }
    return false;
}

static bool payload_of_class(const char *type, struct payload *ret_payload)
{
    for (size_t i = 0; i < sizeof payload_classes / sizeof payload_classes[0]; i++) {
        if (strncmp(type, "payload ", 8) == 0 && strcmp(type + 8, payload_classes[i].name) == 0) {
            *ret_payload = (struct payload){.hookid = payload_classes[i].hookid,
                                            .version = payload_classes[i].version,
                                            .pointer_size = 8};
            return true;
        }
    }
    return false;
}

static bool decode_payload(const char *type, const uint8_t *bytes, size_t size)
{
    static const struct etl_clock clock = {.kind = ETL_CLOCK_SYSTEM_TIME};
    struct payload payload;
    if (!payload_of_guid(type, &payload) && !payload_of_group(type, &payload) &&
        !payload_of_class(type, &payload)) {
        return false;
    }
    const struct etl_layout *layout = etl_layout_of_hook(payload.hookid, payload.version);
    if (layout == NULL) {
        return false;
    }
    struct etl_decoder decoder = {
        .sink = &finder.sink, .clock = &clock, .pointer_size = payload.pointer_size};
    etl_decode_layout(&decoder, layout, bytes, size);
    CU_ASSERT_EQUAL(finder.truncated, 0);
    return true;
}

static bool decode_header(const char *type, const uint8_t *bytes, size_t size)
{
    struct etl_context context = {.clock = {.kind = ETL_CLOCK_SYSTEM_TIME}, .pointer_size = 8};
    struct etl_event event;
    unsigned header_type;
    if (sscanf(type, "0x%x ", &header_type) != 1 || strstr(type, "header") == NULL) {
        return false;
    }
    CU_ASSERT_TRUE_FATAL(etl_event_read_header(bytes, size, &context, &event));
    CU_ASSERT_TRUE(event.kind->header_type == header_type && event.header.size == size);
    etl_event_show_header(&event, &context, &finder.sink);
    add_number("extpmccount", finder.counters);
    CU_ASSERT_EQUAL(finder.truncated, 0);
    return true;
}

static bool decode_buffer(const char *type, const uint8_t *bytes, size_t size)
{
    struct etl_buffer_header header;
    if (strcmp(type, "WMI_BUFFER_HEADER") != 0 || size != ETL_BUFFER_HEADER_SIZE) {
        return false;
    }
    CU_ASSERT_TRUE(etl_buffer_header_read(bytes, 0, &header));
    add_number("buffersize", header.size);
    add_number("offset", header.filled);
    add_number("sequencenumber", (uint64_t)header.sequence);
    add_number("processorindex", header.cpu);
    add_number("loggerid", header.logger_id);
    add_number("state", header.state);
    CU_ASSERT_TRUE(header.flags == 1 && header.type == 4 && !header.compressed);
    return true;
}

static const char *why_wrong(const char *name)
{
    for (size_t i = 0; i < sizeof wrong_rows / sizeof wrong_rows[0]; i++) {
        if (strcmp(wrong_rows[i].name, name) == 0) {
            return wrong_rows[i].reason;
        }
    }
    return NULL;
}

static void test_rows(void)
{
    char *text = vectors_read();
    char *at = text;
    struct vector row;
    size_t done = 0;
    size_t wrong = 0;
    size_t not_yet = 0;
    if (text == NULL) {
        return;
    }
    etl_layouts_start();
    vectors_next(&at, &row); /* the heading */
    while (vectors_next(&at, &row)) {
        size_t size;
        uint8_t *bytes = vectors_bytes(row.columns[HEX], &size);
        const char *type = row.columns[TYPE];
        start_finder();
        if (why_wrong(row.columns[NAME]) != NULL) {
            wrong++;
        } else if (decode_header(type, bytes, size) || decode_buffer(type, bytes, size) ||
                   decode_payload(type, bytes, size)) {
            compare_row(&row);
            done++;
        } else {
            not_yet++;
        }
        free(bytes);
    }
    free(text);
    printf("\n    %zu rows, %zu values; %zu values of no field; %zu rows wrong, %zu not yet\n    ",
           done, compared, not_compared, wrong, not_yet);
    CU_ASSERT_TRUE(done >= 40 && compared >= 400);
}

UNIT_SUITE("vectors", {"byte vectors of other authors decode as they expect", test_rows})
