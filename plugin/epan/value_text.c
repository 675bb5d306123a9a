/* Makes text of values. */
#include "epan/value_text.h"

#include "etl/decode.h"

/* A code unit of UTF-16 takes at most 3 bytes of UTF-8, a byte of Windows-1252 too. */
#define UTF8_PER_UNIT 3

static const char *text_of_text(wmem_allocator_t *pool, const struct etl_value *value)
{
    size_t units = value->encoding == ETL_ENCODING_UTF16 ? value->length / 2 : value->length;
    size_t room_size = units * UTF8_PER_UNIT + 1;
    char *room = wmem_alloc(pool, room_size);
    if (value->encoding == ETL_ENCODING_UTF16) {
        etl_utf8_of_utf16(value->bytes, value->length, room, room_size);
    } else { /* what claims to be UTF-8 need not be */
        etl_utf8_of_ansi(value->bytes, value->length, room, room_size);
    }
    return room;
}

/* S-revision-authority-sub-authorities; the core has checked that they are there. */
static const char *text_of_sid(wmem_allocator_t *pool, const struct etl_value *value)
{
    const uint8_t *sid = value->bytes;
    uint64_t authority = 0;
    for (size_t i = 2; i < 8; i++) {
        authority = authority << 8 | sid[i];
    }
    wmem_strbuf_t *text = wmem_strbuf_new(pool, "");
    wmem_strbuf_append_printf(text, "S-%u-%" PRIu64, sid[0], authority);
    for (size_t at = 8; at + 4 <= value->length; at += 4) {
        wmem_strbuf_append_printf(text, "-%u", etl_load_u32(sid + at));
    }
    return wmem_strbuf_get_str(text);
}

/*
 * Eight u16: year, month, weekday, day, hour, minute, second, milliseconds. In a
 * TIME_ZONE_INFORMATION year 0 means every year, and day is the week of the month (5: the last).
 */
static const char *text_of_systemtime(wmem_allocator_t *pool, const struct etl_value *value)
{
    static const char *const weekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                           "Thursday", "Friday", "Saturday"};
    uint16_t part[8];
    for (size_t i = 0; i < 8; i++) {
        part[i] = etl_load_u16(value->bytes + 2 * i);
    }
    if (part[1] == 0) {
        return "none";
    }
    if (part[0] == 0 && part[2] < 7) {
        return wmem_strdup_printf(pool, "every year: %s %u of month %u, %02u:%02u:%02u.%03u",
                                  weekdays[part[2]], part[3], part[1], part[4], part[5], part[6],
                                  part[7]);
    }
    return wmem_strdup_printf(pool, "%04u-%02u-%02u %02u:%02u:%02u.%03u", part[0], part[1], part[3],
                              part[4], part[5], part[6], part[7]);
}

const char *etl_value_text(wmem_allocator_t *pool, enum etl_shape shape,
                           const struct etl_value *value)
{
    switch (shape) {
    case ETL_SHAPE_SID:
        return text_of_sid(pool, value);
    case ETL_SHAPE_SYSTEMTIME:
        return text_of_systemtime(pool, value);
    default:
        return text_of_text(pool, value);
    }
}

struct known_sid {
    const char *sid;
    const char *name;
};

/* Source: "Well-known SID structures" of [MS-DTYP] 2.4.2.4. */
static const struct known_sid known_sids[] = {
    {"S-1-0-0", "Nobody"},
    {"S-1-1-0", "Everyone"},
    {"S-1-5-7", "Anonymous"},
    {"S-1-5-11", "Authenticated Users"},
    {"S-1-5-18", "Local System"},
    {"S-1-5-19", "Local Service"},
    {"S-1-5-20", "Network Service"},
    {"S-1-5-32-544", "Administrators"},
    {"S-1-5-32-545", "Users"},
    {"S-1-16-4096", "Low Mandatory Level"},
    {"S-1-16-8192", "Medium Mandatory Level"},
    {"S-1-16-12288", "High Mandatory Level"},
    {"S-1-16-16384", "System Mandatory Level"},
};

const char *etl_sid_name(const char *sid)
{
    for (size_t i = 0; i < sizeof known_sids / sizeof known_sids[0]; i++) {
        if (strcmp(known_sids[i].sid, sid) == 0) {
            return known_sids[i].name;
        }
    }
    return NULL;
}
