/* Whether values make sense: types that are wrong mostly decode, but to nonsense. */
#include "decoded.h"

#include "etl/info.h"

#include <stdio.h>
#include <string.h>

/* Clocks of processors and of the file's two times disagree by a little. */
#define TOLERANCE (10 * ETL_FILETIME_PER_SECOND)

/* 1990-01-01: nothing that a trace tells is older, whatever it is the time of. */
#define OLDEST INT64_C(122747616000000000)

const char *oddity_name(enum oddity what)
{
    static const char *const names[ODD_COUNT] = {
        "time", "text", "unknown process", "unknown thread", "no name", "boolean", "not zero"};
    return names[what];
}

static void count(struct row *row, enum oddity what, const struct etl_field *field,
                  const struct etl_value *value)
{
    for (size_t i = 0; i < row->odd_count; i++) {
        struct odd *odd = &row->odds[i];
        if (odd->field == field && odd->what == what) {
            odd->count++;
            return;
        }
    }
    if (row->odd_count < ODDS_MAX) {
        struct odd *odd = &row->odds[row->odd_count++];
        *odd = (struct odd){.field = field, .what = what, .count = 1};
        etl_value_format(field, value, odd->example, sizeof odd->example);
    }
}

static bool printable_utf16(const uint8_t *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i += 2) {
        uint32_t unit = etl_load_u16(text + i);
        bool control = (unit < 0x20 && unit != '\t' && unit != '\r' && unit != '\n') ||
                       (unit >= 0x7F && unit < 0xA0);
        bool private_use = unit >= 0xE000 && unit < 0xF900;
        if (control || private_use || unit >= 0xFFF0) {
            return false;
        }
        if (unit >= 0xD800 && unit < 0xE000) {
            uint32_t next = i + 3 < length ? etl_load_u16(text + i + 2) : 0;
            if (unit >= 0xDC00 || next < 0xDC00 || next > 0xDFFF) {
                return false;
            }
            i += 2;
        }
    }
    return true;
}

static bool printable(const struct etl_value *value)
{
    if (value->encoding == ETL_ENCODING_UTF16) {
        return printable_utf16(value->bytes, value->length);
    }
    for (size_t i = 0; i < value->length; i++) {
        uint8_t byte = value->bytes[i];
        if ((byte < 0x20 && byte != '\t' && byte != '\r' && byte != '\n') || byte == 0x7F) {
            return false;
        }
    }
    return true;
}

static bool plausible_time(const struct setting *setting, const struct etl_field *field,
                           const struct etl_value *value)
{
    int64_t time = (int64_t)value->number;
    if (time == 0 || value->unknown) {
        return true;
    }
    if (field->type == ETL_TYPE_CLOCKTIME) {
        return time >= setting->info->boot_time - TOLERANCE &&
               time <= setting->filetime + TOLERANCE;
    }
    return time >= OLDEST && time <= setting->filetime + TOLERANCE + 3600 * INT64_C(10000000);
}

static bool has_name(const struct etl_field *field, uint64_t number)
{
    const struct etl_names *names = etl_names_list(field->names);
    if (names == NULL) {
        return true;
    }
    if (names->kind == ETL_NAMES_VALUES) {
        return etl_names_find(field->names, number) != NULL;
    }
    for (size_t i = 0; i < names->count; i++) {
        const struct etl_name *row = &names->rows[i];
        uint64_t bits = etl_names_bits(number, row->value);
        number &= ~row->value;
        if (row->names != ETL_NAMES_NONE && bits != 0 && etl_names_find(row->names, bits) == NULL) {
            return false;
        }
    }
    return number == 0;
}

static void judge_key(struct row *row, const struct setting *setting, const struct etl_field *field,
                      const struct etl_value *value)
{
    uint32_t id = (uint32_t)value->number;
    uint32_t process;
    if (value->number == 0 || id == UINT32_MAX) {
        return;
    }
    if (field->key == ETL_KEY_PROCESS && setting->processes_known &&
        etl_keys_process_name(setting->keys, id, setting->raw_time) == NULL) {
        count(row, ODD_PROCESS, field, value);
    }
    if (field->key == ETL_KEY_THREAD && setting->threads_known &&
        !etl_keys_process_of_thread(setting->keys, id, setting->raw_time, &process)) {
        count(row, ODD_THREAD, field, value);
    }
}

static bool is_reserved(const struct etl_field *field)
{
    if (field->names != ETL_NAMES_NONE) { /* its values are known */
        return false;
    }
    return strncmp(field->label, "Reserved", 8) == 0 || strncmp(field->label, "Pad", 3) == 0 ||
           strncmp(field->label, "Spare", 5) == 0;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

void judge(struct row *row, const struct setting *setting, const struct etl_field *field,
           const struct etl_value *value)
{
    enum etl_shape shape = etl_type_facts(field->type)->shape;
    if (shape == ETL_SHAPE_TIME && !plausible_time(setting, field, value)) {
        count(row, ODD_TIME, field, value);
    }
    if (shape == ETL_SHAPE_TEXT && !printable(value)) {
        count(row, ODD_TEXT, field, value);
    }
    if (shape == ETL_SHAPE_NUMBER && !has_name(field, value->number)) {
        count(row, ODD_NAME, field, value);
    }
    if (shape == ETL_SHAPE_BOOLEAN && value->at[0] > 1) {
        count(row, ODD_BOOLEAN, field, value);
    }
    if (is_reserved(field) && !is_zero(value->at, value->size)) {
        count(row, ODD_RESERVED, field, value);
    }
    judge_key(row, setting, field, value);
}
