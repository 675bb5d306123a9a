/*
 * Manifests go to the core. Of a trace, every frame is looked at: those that describe others, and
 * what each carries of itself.
 */
#include "epan/schema_files.h"

#include "etl/embedded.h"
#include "etl/event_source.h"
#include "etl/manifest.h"
#include "etl/record.h"

#include ETL_COMPAT_FRAMES

#include <wsutil/report_message.h>

#define PIECE_SIZE 65536

static void say(const char *path, const struct etl_manifest *manifest)
{
    unsigned line;
    size_t count;
    const char *problem = etl_manifest_problem(manifest, &line, &count);
    if (problem != NULL && count > 1) {
        report_warning("etl: %s:%u: %s (and %zu more)", path, line, problem, count - 1);
    } else if (problem != NULL) {
        report_warning("etl: %s:%u: %s", path, line, problem);
    }
}

/* As bytes; NULL and an error, which is owned, where it cannot be opened. */
static GIOChannel *open_file(const char *path, GError **ret_error)
{
    GIOChannel *file = g_io_channel_new_file(path, "r", ret_error);
    if (file != NULL) {
        g_io_channel_set_encoding(file, NULL, NULL);
    }
    return file;
}

/* Returns how many bytes were read: 0 at the end, and after a message. */
static gsize read_piece(GIOChannel *file, const char *path, void *piece, gsize size)
{
    GError *error = NULL;
    gsize got = 0;
    if (g_io_channel_read_chars(file, piece, size, &got, &error) == G_IO_STATUS_ERROR) {
        report_warning("etl: %s: %s", path, error->message);
        g_error_free(error);
        return 0;
    }
    return got;
}

static void feed(struct etl_manifest *manifest, GIOChannel *file, const char *path)
{
    static uint8_t piece[PIECE_SIZE];
    size_t size;
    size_t sum = 0;
    while ((size = read_piece(file, path, piece, sizeof piece)) > 0) {
        sum += size;
        if (sum > ETL_MANIFEST_SIZE_MAX) {
            report_warning("etl: %s: is larger than any manifest", path);
            return;
        }
        if (!etl_manifest_feed(manifest, piece, size)) {
            break;
        }
    }
    etl_manifest_close(manifest);
}

static void read_manifest(const char *path, uint16_t origin, struct etl_schema_set *set)
{
    GError *error = NULL;
    GIOChannel *file = open_file(path, &error);
    struct etl_manifest *manifest = etl_manifest_new();
    if (file == NULL) {
        report_warning("etl: %s: %s", path, error->message);
        g_error_free(error);
    } else if (manifest != NULL) {
        feed(manifest, file, path);
        /* What the packed rows say of their source is not shown: these are the user's. */
        etl_manifest_add_schemas(manifest, ETL_SCHEMA_EVENTSOURCE, origin, set);
        say(path, manifest);
    }
    etl_manifest_free(manifest);
    if (file != NULL) {
        g_io_channel_unref(file);
    }
}

/* What a trace says of events, frame by frame. */
struct gathering {
    struct etl_embedded *embedded;
    struct etl_event_sources *sources;
    GHashTable *seen; /* of what frames carry: 64 bits of each schema's hash */
    struct etl_schema_set *set;
    size_t left_out; /* for which there was no room */
    uint16_t origin;
};

static void take_own_schema(struct gathering *all, const struct etl_record *record)
{
    const struct etl_event *event = &record->event;
    struct etl_span packed = record->packed_schema;
    if (packed.size <= ETL_SCHEMA_HASH_SIZE) {
        return;
    }
    struct etl_schema_key key = {.provider = event->provider,
                                 .id = event->id,
                                 .version = (uint8_t)event->version,
                                 .opcode = event->opcode,
                                 .origin = all->origin};
    const struct etl_span bytes = {(const uint8_t *)&key, sizeof key};
    uint64_t hash = etl_load_u64(packed.at) ^ etl_schema_hash(bytes);
    if (!g_hash_table_contains(all->seen, &hash)) {
        g_hash_table_add(all->seen, g_memdup2(&hash, sizeof hash));
        packed.at += ETL_SCHEMA_HASH_SIZE;
        packed.size -= ETL_SCHEMA_HASH_SIZE;
        all->left_out += !etl_schema_set_add(all->set, &key, packed);
    }
}

static void take_frame(struct gathering *all, const struct etl_frames *frames)
{
    struct etl_record record;
    size_t size = frames->rec.rec_header.packet_header.caplen;
    bool event = frames->rec.rec_type == REC_TYPE_PACKET &&
                 frames->rec.rec_header.packet_header.pkt_encap == WTAP_ENCAP_ETW;
    if (!event || !etl_record_unpack(etl_frames_bytes(frames), size, &record)) {
        return;
    }
    if (etl_embedded_is_metadata(&record.event)) {
        etl_embedded_learn(all->embedded, &record.event);
    } else if (etl_event_source_is_chunk(&record.event)) {
        etl_event_sources_learn(all->sources, &record.event);
    } else {
        take_own_schema(all, &record);
    }
}

static void add_all(struct gathering *all, const struct etl_schema_set *from)
{
    struct etl_schema_key key;
    struct etl_span packed;
    for (size_t i = 0; i < etl_schema_set_count(from); i++) {
        etl_schema_set_get(from, i, &key, &packed);
        key.origin = all->origin;
        all->left_out += !etl_schema_set_add(all->set, &key, packed);
    }
}

static void take_frames(struct gathering *all, struct wtap *wth)
{
    struct etl_frames frames;
    etl_frames_start(&frames);
    while (etl_frames_next(wth, &frames)) {
        take_frame(all, &frames);
    }
    etl_frames_end(&frames);
    etl_embedded_settle(all->embedded);
    etl_event_sources_settle(all->sources);
    add_all(all, etl_embedded_schemas(all->embedded));
    add_all(all, etl_event_sources_schemas(all->sources));
}

struct etl_budget etl_schema_files_budget(void)
{
    struct etl_limits limits = {0};
    const char *text = g_getenv(etl_limit_rows[ETL_LIMIT_SCHEMAS].variable);
    limits.bytes[ETL_LIMIT_SCHEMAS] = etl_limit_parse(text);
    return (struct etl_budget){.limit = etl_limit_bytes(&limits, ETL_LIMIT_SCHEMAS)};
}

static void read_trace(const char *path, uint16_t origin, struct etl_schema_set *set)
{
    int err = 0;
    char *err_info = NULL;
    struct wtap *wth = wtap_open_offline(path, WTAP_TYPE_AUTO, &err, &err_info, FALSE);
    if (wth == NULL) {
        report_warning("etl: %s: %s", path, err_info != NULL ? err_info : wtap_strerror(err));
        g_free(err_info);
        return;
    }
    struct etl_budget budget = etl_schema_files_budget();
    struct gathering all = {.embedded = etl_embedded_new(&budget),
                            .sources = etl_event_sources_new(&budget),
                            .set = set,
                            .origin = origin};
    all.seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    if (all.embedded != NULL && all.sources != NULL) {
        take_frames(&all, wth);
    }
    if (budget.met) {
        report_warning("etl: %s: not all of its descriptions fit into etl.%s", path,
                       etl_limit_rows[ETL_LIMIT_SCHEMAS].preference);
    }
    if (all.left_out > 0) {
        report_warning("etl: %s: there is no room for %zu of its descriptions", path, all.left_out);
    }
    g_hash_table_destroy(all.seen);
    etl_embedded_free(all.embedded);
    etl_event_sources_free(all.sources);
    wtap_close(wth);
}

/* By its first bytes: XML begins with a "<", also behind blanks and byte order marks. */
static bool is_xml(const char *path)
{
    uint8_t start[16];
    GIOChannel *file = open_file(path, NULL); /* if not, whoever reads it next will say why */
    size_t size = file != NULL ? read_piece(file, path, start, sizeof start) : 0;
    size_t at = 0;
    if (file != NULL) {
        g_io_channel_unref(file);
    }
    while (at < size && start[at] != '\0' && strchr("\xEF\xBB\xBF\xFE\xFF \t\r\n", start[at])) {
        at++;
    }
    return at < size &&
           (start[at] == '<' || (start[at] == 0 && at + 1 < size && start[at + 1] == '<'));
}

void etl_schema_file_read(const char *path, uint16_t origin, struct etl_schema_set *set)
{
    bool named = g_str_has_suffix(path, ".man") || g_str_has_suffix(path, ".xml");
    if (named || is_xml(path)) {
        read_manifest(path, origin, set);
    } else {
        read_trace(path, origin, set);
    }
}
