/*
 * What frames have to say of the file: on the first event, what concerns all of it; on events beside
 * damage, what is lost there. Knows no rule of what is damage.
 */
#include "core/file/file_private.h"

#include "etl/event_source.h"
#include "etl/traffic.h"

#include <inttypes.h>
#include <stdio.h>

void etl_remark(struct etl_file *file, enum etl_note note, const char *detail)
{
    if (file->file_remark_count < sizeof file->file_remarks / sizeof file->file_remarks[0]) {
        struct etl_remark *one = &file->file_remarks[file->file_remark_count++];
        one->note = note;
        snprintf(one->detail, sizeof one->detail, "%s", detail);
    }
}

void etl_remark_limit(struct etl_file *file, enum etl_note note, enum etl_limit limit)
{
    char detail[60];
    snprintf(detail, sizeof detail, "etl.%s", etl_limit_rows[limit].preference);
    etl_remark(file, note, detail);
}

/* What of names and descriptions was left out. */
static void remark_limits(struct etl_file *file)
{
    static const enum etl_limit limits[] = {ETL_LIMIT_SCHEMAS, ETL_LIMIT_MAPS, ETL_LIMIT_STRINGS};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (etl_keys_budget(file->keys, limits[i])->met) {
            etl_remark_limit(file, ETL_NOTE_LIMIT, limits[i]);
        }
    }
    if (etl_traffic_full(etl_keys_known_traffic(file->keys))) {
        etl_remark(file, ETL_NOTE_LIMIT, "network interfaces");
    }
}

static void remark_count(struct etl_file *file, enum etl_note note, uint64_t count)
{
    char detail[32];
    if (count > 0) {
        snprintf(detail, sizeof detail, "%" PRIu64, count);
        etl_remark(file, note, detail);
    }
}

void etl_remark_file(struct etl_file *file)
{
    struct etl_file_info *info = &file->info;
    if (file->guessed) {
        etl_remark(file, ETL_NOTE_NO_LOGFILE_HEADER, "");
    }
    remark_count(file, ETL_NOTE_EVENTS_LOST, info->events_lost);
    remark_count(file, ETL_NOTE_BUFFERS_LOST, info->buffers_lost);
    remark_count(file, ETL_NOTE_DROPPING_CPUS, info->dropping_cpus);
    remark_count(file, ETL_NOTE_LOST_RECORDS, info->lost_records);
    remark_count(file, ETL_NOTE_SEQUENCE_GAP, info->missing_sequences);
    remark_count(file, ETL_NOTE_DAMAGED_BUFFERS, info->damaged_buffers);
    remark_count(file, ETL_NOTE_SKIPPED_BYTES, info->skipped_bytes);
    if (info->end_time == 0 && !file->guessed) {
        etl_remark(file, ETL_NOTE_NOT_CLOSED, "");
    }
    if (info->cut_short) {
        etl_remark(file, ETL_NOTE_CUT_SHORT, "");
    }
    int64_t filetime;
    const struct etl_clock *clock = &file->context.clock;
    if (!etl_clock_filetime(clock, clock->base_raw, &filetime)) {
        etl_remark(file, ETL_NOTE_NO_CLOCK, "");
    }
    if (file->too_wide) {
        etl_remark_limit(file, ETL_NOTE_FILE_ORDER, ETL_LIMIT_MEMORY);
    } else if (!file->merged) {
        etl_remark(file, ETL_NOTE_FILE_ORDER, "");
    }
    remark_limits(file);
    char problem[sizeof file->file_remarks[0].detail];
    if (etl_event_sources_problem(etl_keys_event_sources(file->keys), problem, sizeof problem) >
        0) {
        etl_remark(file, ETL_NOTE_BAD_MANIFEST, problem);
    }
}

static void add(struct etl_file *file, struct etl_entry *entry, const struct etl_remark *remark)
{
    if (entry->remark_count < sizeof file->remarks / sizeof file->remarks[0]) {
        file->remarks[entry->remark_count++] = *remark;
    }
}

static void add_damage(struct etl_file *file, struct etl_entry *entry,
                       const struct etl_damage *damage)
{
    struct etl_remark remark = {.note = damage->note};
    if (damage->of == ETL_NO_BUFFER) {
        snprintf(remark.detail, sizeof remark.detail, "%" PRIu64 " bytes", damage->unread);
    } else {
        snprintf(remark.detail, sizeof remark.detail, "%" PRIu64 " bytes of buffer %" PRIu32,
                 damage->unread, damage->of);
    }
    add(file, entry, &remark);
}

/* Whether no event of its buffer is before it. */
static bool is_first_of_buffer(const struct etl_file *file, const struct etl_place *place)
{
    const struct etl_damages *gaps = &file->gaps;
    for (size_t i = etl_damages_from(gaps, place->buffer);
         i < gaps->count && gaps->list[i].buffer == place->buffer; i++) {
        if (gaps->list[i].offset == ETL_BUFFER_HEADER_SIZE) {
            return gaps->list[i].next == place->offset;
        }
    }
    return place->offset == ETL_BUFFER_HEADER_SIZE;
}

static void add_damages(struct etl_file *file, struct etl_entry *entry)
{
    uint32_t buffer = entry->place.buffer;
    const struct etl_damages *skips = &file->skips;
    const struct etl_damages *gaps = &file->gaps;
    size_t skip = etl_damages_from(skips, buffer);
    if (skip < skips->count && skips->list[skip].buffer == buffer &&
        is_first_of_buffer(file, &entry->place)) {
        add_damage(file, entry, &skips->list[skip]);
    }
    for (size_t i = etl_damages_from(gaps, buffer);
         i < gaps->count && gaps->list[i].buffer == buffer; i++) {
        if (gaps->list[i].event == entry->place.offset) {
            add_damage(file, entry, &gaps->list[i]);
        }
    }
}

void etl_remark_entry(struct etl_file *file, struct etl_entry *entry)
{
    const struct etl_place *place = &entry->place;
    bool first = place->buffer == file->first_buffer && place->offset == file->first_offset;
    entry->remarks = NULL;
    entry->remark_count = 0;
    for (size_t i = 0; first && i < file->file_remark_count; i++) {
        add(file, entry, &file->file_remarks[i]);
    }
    if (file->buffers[place->buffer].damaged) {
        add_damages(file, entry);
    }
    if (entry->remark_count > 0) {
        entry->remarks = file->remarks;
    }
}
