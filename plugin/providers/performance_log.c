/*
 * Values of performance logs, and which counter each belongs to.
 *
 *   payload   00 log GUID  10 u32 1, 1  18 u32 00034C42 "BL", bytes of all  20 values …
 *   value     00 u32 type  04 u32 bytes; type 01034C42: one value, 02034C42: one of each instance, else no value
 *     one     08 u32 status  10 FILETIME  18 i64 first  20 i64 second  28 u32 count
 *     many    08 u32 bytes  0C u32 items  10 u32 status  18 FILETIME  20 items, then their names
 *     item    00 u32 name's place from 08 of the value  04 u32 count  08 i64 first  10 i64 second
 *
 *   list      00 log GUID  10 … 20 counters …
 *   counter   00 u32 bytes  04 u32 flags  08 u32 user data  0C u32 type  10 i64 time base  18 i32 scale
 *             places of texts from 34, u32 each, FFFFFFFF: none: 1C machine  20 object  24 instance  28 parent
 *             2C u32 instance's index  30 name  34 texts in UTF-16, each with its NUL
 *
 * Source: PDH_COUNTER_PATH_ELEMENTS, PDH_RAW_COUNTER and PDH_RAW_COUNTER_ITEM of pdh.h, and one real log.
 */
#include "etl/counters.h"

#include "etl/decode.h"

#include <stdio.h>
#include <string.h>

#define PAYLOAD_FIXED 0x20
#define COUNTER_FIXED 0x34
#define PACKED_FIXED  8
#define LIST_FIXED    4
#define ONE_FIXED     0x28
#define MANY_FIXED    0x20
#define ITEM_SIZE     0x18
#define NAMES_FROM    8 /* where places of items' names are counted from */

#define TYPE_OF_LIST   32
#define TYPE_OF_VALUES 34

#define RECORD_ONE  UINT32_C(0x01034C42)
#define RECORD_MANY UINT32_C(0x02034C42)

static const struct etl_guid performance_log = ETL_GUID(0x933f3bb3, 0x943e, 0x490d, 0x9c, 0xed,
                                                        0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79);

static bool is_of_type(const struct etl_event *event, uint8_t type, struct etl_guid *ret_log)
{
    bool is = event->kind->family == ETL_FAMILY_FULL && event->opcode == type &&
              event->payload.size > PAYLOAD_FIXED &&
              etl_guid_equal(&event->provider, &performance_log);
    if (is) {
        memcpy(ret_log->bytes, event->payload.at, sizeof ret_log->bytes);
    }
    return is;
}

bool etl_counters_is_list(const struct etl_event *event, struct etl_guid *ret_log)
{
    return is_of_type(event, TYPE_OF_LIST, ret_log);
}

bool etl_counters_is_values(const struct etl_event *event, struct etl_guid *ret_log)
{
    return is_of_type(event, TYPE_OF_VALUES, ret_log);
}

/* A record that begins with its size; false where none does. */
static bool next_sized(struct etl_bytes *bytes, size_t size_at, size_t least,
                       struct etl_span *ret_span)
{
    if (etl_bytes_left(bytes) < least) {
        return false;
    }
    size_t size = etl_load_u32(bytes->at + size_at);
    if (size < least || size > etl_bytes_left(bytes)) {
        return false;
    }
    *ret_span = (struct etl_span){.at = etl_bytes_take(bytes, size), .size = size};
    return true;
}

/* UTF-16 up to its NUL or the end, as UTF-8 of at most `most` bytes; returns how many. */
static size_t text_at(struct etl_span whole, size_t place, char *room, size_t most)
{
    room[0] = '\0';
    if (place >= whole.size) {
        return 0;
    }
    size_t room_left = whole.size - place;
    size_t size = 0;
    while (size + 2 <= room_left && etl_load_u16(whole.at + place + size) != 0) {
        size += 2;
    }
    return etl_utf8_of_utf16(whole.at + place, size, room, most + 1);
}

/* "parent/instance#index", as paths have it. */
static size_t instance_of(struct etl_span counter, struct etl_span texts, char *room, size_t size)
{
    char instance[UINT8_MAX + 1];
    char parent[UINT8_MAX + 1];
    uint32_t index = etl_load_u32(counter.at + 0x2C);
    text_at(texts, etl_load_u32(counter.at + 0x28), parent, UINT8_MAX);
    if (text_at(texts, etl_load_u32(counter.at + 0x24), instance, UINT8_MAX) == 0) {
        return 0;
    }
    char suffix[16] = "";
    if (index != UINT32_MAX && index > 0) {
        snprintf(suffix, sizeof suffix, "#%u", (unsigned)index);
    }
    int length = snprintf(room, size, "%s%s%s%s", parent, parent[0] != '\0' ? "/" : "", instance,
                          suffix);
    return length < (int)size ? (size_t)length : size - 1;
}

size_t etl_counters_pack(const struct etl_event *event, uint8_t *room)
{
    struct etl_bytes bytes = etl_bytes_of(event->payload.at + PAYLOAD_FIXED,
                                          event->payload.size - PAYLOAD_FIXED);
    struct etl_span counter;
    size_t size = LIST_FIXED;
    uint16_t count = 0;
    bool full = false;
    while (next_sized(&bytes, 0, COUNTER_FIXED, &counter)) {
        struct etl_span texts = {counter.at + COUNTER_FIXED, counter.size - COUNTER_FIXED};
        char text[3][UINT8_MAX + 1];
        size_t lengths[3] = {text_at(texts, etl_load_u32(counter.at + 0x20), text[0], UINT8_MAX),
                             instance_of(counter, texts, text[1], sizeof text[1]),
                             text_at(texts, etl_load_u32(counter.at + 0x30), text[2], UINT8_MAX)};
        size_t all = PACKED_FIXED + lengths[0] + lengths[1] + lengths[2];
        count++;
        full |= all > ETL_COUNTERS_SIZE_MAX - size;
        if (!full) {
            etl_store_u32(room + size, etl_load_u32(counter.at + 0x0C));
            size += 4;
            for (size_t i = 0; i < 3; i++) {
                room[size++] = (uint8_t)lengths[i];
            }
            room[size++] = 0;
            for (size_t i = 0; i < 3; i++) {
                memcpy(room + size, text[i], lengths[i]);
                size += lengths[i];
            }
        }
    }
    etl_store_u16(room, count);
    etl_store_u16(room + 2, 0);
    return size;
}

static bool is_value(struct etl_span record)
{
    uint32_t type = etl_load_u32(record.at);
    return (type == RECORD_ONE && record.size >= ONE_FIXED) ||
           (type == RECORD_MANY && record.size >= MANY_FIXED);
}

/* What follows a record of many instances may be zeros, which are no record. */
static bool next_record(struct etl_bytes *bytes, struct etl_span *ret_record)
{
    while (etl_bytes_left(bytes) >= 8 && etl_load_u64(bytes->at) == 0) {
        etl_bytes_take(bytes, 8);
    }
    return next_sized(bytes, 4, 8, ret_record);
}

bool etl_counters_start(struct etl_counter_walk *walk, const struct etl_event *event,
                        struct etl_span list)
{
    struct etl_span record;
    unsigned values = 0;
    walk->records = etl_bytes_of(event->payload.at + PAYLOAD_FIXED,
                                 event->payload.size - PAYLOAD_FIXED);
    walk->list = etl_bytes_of(list.at, list.size);
    walk->item = walk->items = 0;
    uint16_t counters = etl_bytes_u16(&walk->list);
    etl_bytes_u16(&walk->list);
    struct etl_bytes records = walk->records;
    while (next_record(&records, &record)) {
        values += is_value(record);
    }
    return !walk->list.failed && values == counters;
}

static bool next_counter(struct etl_counter_walk *walk)
{
    struct etl_counter *counter = &walk->counter;
    counter->type = etl_bytes_u32(&walk->list);
    uint8_t object = etl_bytes_u8(&walk->list);
    uint8_t instance = etl_bytes_u8(&walk->list);
    uint8_t name = etl_bytes_u8(&walk->list);
    etl_bytes_u8(&walk->list);
    counter->object = (struct etl_span){etl_bytes_take(&walk->list, object), object};
    counter->instance = (struct etl_span){etl_bytes_take(&walk->list, instance), instance};
    counter->name = (struct etl_span){etl_bytes_take(&walk->list, name), name};
    return !walk->list.failed;
}

static void take_item(struct etl_counter_walk *walk, struct etl_counter *ret_counter)
{
    size_t at = MANY_FIXED + walk->item++ * ITEM_SIZE;
    struct etl_span names = {walk->record.at + NAMES_FROM, walk->record.size - NAMES_FROM};
    *ret_counter = walk->counter;
    ret_counter->at = (struct etl_span){walk->record.at + at, ITEM_SIZE};
    ret_counter->first = (int64_t)etl_load_u64(walk->record.at + at + 8);
    size_t length = text_at(names, etl_load_u32(walk->record.at + at), walk->instance,
                            sizeof walk->instance - 1);
    ret_counter->instance = (struct etl_span){(const uint8_t *)walk->instance, length};
}

static void begin_items(struct etl_counter_walk *walk, struct etl_span record)
{
    size_t room = (record.size - MANY_FIXED) / ITEM_SIZE;
    uint32_t items = etl_load_u32(record.at + 0x0C);
    walk->record = record;
    walk->item = 0;
    walk->items = items < room ? items : room;
}

bool etl_counters_next(struct etl_counter_walk *walk, struct etl_counter *ret_counter)
{
    struct etl_span record;
    while (walk->item == walk->items) {
        if (!next_record(&walk->records, &record)) {
            return false;
        }
        if (!is_value(record)) {
            continue;
        }
        if (!next_counter(walk)) {
            return false;
        }
        if (etl_load_u32(record.at) == RECORD_ONE) {
            *ret_counter = walk->counter;
            ret_counter->at = record;
            ret_counter->first = (int64_t)etl_load_u64(record.at + 0x18);
            return true;
        }
        begin_items(walk, record);
    }
    take_item(walk, ret_counter);
    return true;
}

size_t etl_counter_path(const struct etl_counter *counter, char room[ETL_COUNTER_PATH_SIZE])
{
    bool instance = counter->instance.size > 0;
    int length = snprintf(room, ETL_COUNTER_PATH_SIZE, "\\%.*s%s%.*s%s\\%.*s",
                          (int)counter->object.size, (const char *)counter->object.at,
                          instance ? "(" : "", (int)counter->instance.size,
                          (const char *)counter->instance.at, instance ? ")" : "",
                          (int)counter->name.size, (const char *)counter->name.at);
    return length < ETL_COUNTER_PATH_SIZE ? (size_t)length : ETL_COUNTER_PATH_SIZE - 1;
}
