/*
 * What Wireshark shows of a file as a whole: the section with its host and session, an interface
 * per CPU.
 */
#include "wiretap/reader.h"

#include "etl/names.h"

#define NANOSECONDS_PER_SECOND 1000000000
#define TSRESOL_NANOSECONDS    9

static void append_time(GString *text, const char *label, int64_t filetime)
{
    char room[40];
    if (filetime > 0) {
        etl_filetime_format(filetime, room);
        g_string_append_printf(text, "%s: %s UTC\n", label, room);
    }
}

static void append_mode(GString *text, uint32_t mode)
{
    const struct etl_names *names = etl_names_list(ETL_NAMES_log_file_mode);
    g_string_append_printf(text, "Log file mode: 0x%08x", mode);
    for (size_t i = 0; i < names->count; i++) {
        if ((mode & names->rows[i].value) != 0) {
            g_string_append_printf(text, " %s", names->rows[i].text);
        }
    }
    g_string_append_c(text, '\n');
}

static void append_clock(GString *text, const struct etl_file_info *info)
{
    const char *name = etl_names_find(ETL_NAMES_clock_type, info->clock_type);
    g_string_append_printf(text, "Clock: %s", name != NULL ? name : "unknown");
    if (info->clock_type == ETL_CLOCK_PERFORMANCE_COUNTER) {
        g_string_append_printf(text, " at %" PRIu64 " Hz", info->frequency);
    }
    g_string_append_c(text, '\n');
}

static char *comment_of(const struct etl_file_info *info, bool names)
{
    GString *text = g_string_new(NULL);
    append_mode(text, info->mode);
    append_clock(text, info);
    append_time(text, "Boot time", info->boot_time);
    append_time(text, "Start time", info->start_time);
    if (info->end_time == 0) {
        g_string_append(text, "End time: none, the trace was never closed\n");
    }
    append_time(text, "End time", info->end_time);
    g_string_append_printf(text, "Time zone: UTC = local time %+d minutes\n", info->time_zone_bias);
    g_string_append_printf(text, "Events lost: %u\nBuffers lost: %u\n", info->events_lost,
                           info->buffers_lost);
    if (names && info->file_name[0] != '\0') {
        g_string_append_printf(text, "Log file name: %s\n", info->file_name);
    }
    g_string_truncate(text, text->len - 1);
    return g_string_free(text, FALSE);
}

static void add_option(wtap_block_t block, unsigned option, const char *text)
{
    if (text[0] != '\0') {
        wtap_block_add_string_option(block, option, text, strlen(text));
    }
}

void etl_describe_section(struct wtap *wth, const struct etl_file_info *info, bool names)
{
    if (wth->shb_hdrs == NULL || wth->shb_hdrs->len == 0) {
        return;
    }
    wtap_block_t section = g_array_index(wth->shb_hdrs, wtap_block_t, 0);
    char *system = g_strdup_printf("Windows %u.%u.%u", info->version[0], info->version[1],
                                   info->build);
    char *hardware = g_strdup_printf("%u processor%s at %u MHz", info->processors,
                                     info->processors == 1 ? "" : "s", info->cpu_mhz);
    char *comment = comment_of(info, names);
    add_option(section, OPT_SHB_OS, system);
    add_option(section, OPT_SHB_HARDWARE, hardware);
    add_option(section, OPT_SHB_USERAPPL, names ? info->logger_name : "");
    add_option(section, OPT_COMMENT, comment);
    g_free(system);
    g_free(hardware);
    g_free(comment);
}

static void append_count(GString *text, const char *label, uint64_t count)
{
    if (count > 0) {
        g_string_append_printf(text, "%s%s: %" PRIu64, text->len > 0 ? "\n" : "", label, count);
    }
}

static GString *losses_of(const struct etl_file_info *info)
{
    GString *text = g_string_new(NULL);
    append_count(text, "Damaged buffers", info->damaged_buffers);
    append_count(text, "Bytes skipped", info->skipped_bytes);
    append_count(text, "Buffers missing by their sequence", info->missing_sequences);
    append_count(text, "Processors that have lost events", info->dropping_cpus);
    append_count(text, "Events that say that others were lost", info->lost_records);
    return text;
}

void etl_describe_losses(struct wtap *wth, const struct etl_file_info *info)
{
    if (wth->shb_hdrs != NULL && wth->shb_hdrs->len > 0) {
        GString *text = losses_of(info);
        add_option(g_array_index(wth->shb_hdrs, wtap_block_t, 0), OPT_COMMENT, text->str);
        g_string_free(text, TRUE);
    }
}

/*
 * Who writes a file while reading has written the section long before its losses are known, but no interface yet: the
 * first one has them too.
 */
static void add_losses(const struct wtap *wth, wtap_block_t interface)
{
    const struct etl_reader *reader = wth->priv;
    GString *text = losses_of(etl_file_info(reader->file));
    add_option(interface, OPT_COMMENT, text->str);
    g_string_free(text, TRUE);
}

int etl_add_interface(struct wtap *wth, int encapsulation, const char *name)
{
    wtap_block_t interface = wtap_block_create(WTAP_BLOCK_IF_ID_AND_INFO);
    wtapng_if_descr_mandatory_t *facts = wtap_block_get_mandatory_data(interface);
    facts->wtap_encap = encapsulation;
    facts->time_units_per_second = NANOSECONDS_PER_SECOND;
    facts->tsprecision = WTAP_TSPREC_NSEC;
    facts->snap_len = 0;
    facts->num_stat_entries = 0;
    facts->interface_statistics = NULL;
    add_option(interface, OPT_IDB_NAME, name);
    wtap_block_add_uint8_option(interface, OPT_IDB_TSRESOL, TSRESOL_NANOSECONDS);
    if (wth->interface_data->len == 0) {
        add_losses(wth, interface);
    }
    /* wtap_add_idb does this and is not exported. */
    g_array_append_val(wth->interface_data, interface);
    return (int)wth->interface_data->len - 1;
}

static int add_cpu(struct wtap *wth, const struct etl_file_info *info, unsigned cpu)
{
    char name[32];
    snprintf(name, sizeof name, "CPU %u", cpu);
    int number = etl_add_interface(wth, WTAP_ENCAP_ETW, name);
    wtap_block_t interface = g_array_index(wth->interface_data, wtap_block_t, number);
    add_option(interface, OPT_IDB_DESCRIPTION, info->logger_name);
    if (info->cpu_mhz > 0) {
        wtap_block_add_uint64_option(interface, OPT_IDB_SPEED, (uint64_t)info->cpu_mhz * 1000000);
    }
    return number;
}

int etl_interface_of_cpu(struct wtap *wth, struct etl_reader *reader, unsigned cpu)
{
    if (reader->interface_of_cpu[cpu] < 0) {
        reader->interface_of_cpu[cpu] = add_cpu(wth, etl_file_info(reader->file), cpu);
    }
    return reader->interface_of_cpu[cpu];
}

static wtap_bool take_note(wtap_block_t block, unsigned option_id, wtap_opttype_e type,
                           wtap_optval_t *option, void *found)
{
    (void)block, (void)option_id, (void)type, (void)option;
    *(bool *)found = true;
    return false;
}

wtap_block_t etl_block_of_next(struct etl_reader *reader)
{
    /* Programs that edit a record (editcap -a) do so in place: then the block stays with that frame. */
    bool edited = false;
    if (reader->no_options != NULL) {
        wtap_block_foreach_option(reader->no_options, take_note, &edited);
    }
    if (edited) {
        wtap_block_unref(reader->no_options);
        reader->no_options = NULL;
    }
    if (reader->no_options == NULL) {
        reader->no_options = wtap_block_create(WTAP_BLOCK_PACKET);
    }
    return wtap_block_ref(reader->no_options);
}
