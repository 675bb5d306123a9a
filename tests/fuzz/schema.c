/*
 * Fuzzes schemas: descriptions of each source over any payload.
 *
 *   byte: source and pointer size | u16: size of the description | description | payload
 */
#include "etl/schema.h"
#include "core/schema/event_metadata.h"
#include "etl/builtin.h"

#include "fuzz.h"

static bool find_map(const void *data, const struct etl_guid *provider, struct etl_span name,
                     struct etl_span *ret_map)
{
    const struct etl_span *whole = data;
    (void)provider;
    *ret_map = *whole;
    return name.size % 4 == 0 && whole->size >= 16;
}

/* The bytes choose one of the table's. */
static struct etl_schema *builtin(struct etl_span choice)
{
    uint32_t number = choice.size >= 4 ? etl_load_u32(choice.at) : 0;
    struct etl_builtin_match match = {.number = number % etl_builtin_event_count()};
    return etl_builtin_schema(&match);
}

static struct etl_schema *make(uint8_t choice, struct etl_span description)
{
    static uint8_t room[ETL_SCHEMA_SIZE_MAX];
    const struct etl_map_source maps = {.find = find_map, .data = &description};
    switch (choice & 3) {
    case 0:
        return etl_schema_of_tracelogging(description);
    case 1:
        return etl_schema_unpack(description);
    case 2:
        return builtin(description);
    default:
        description.size = etl_event_metadata_pack(description, &maps, room);
        description.at = room;
        return etl_schema_unpack(description);
    }
}

static void decode(const struct etl_schema *schema, struct etl_span payload, uint8_t pointer_size)
{
    char line[300];
    struct etl_clock clock = {.kind = ETL_CLOCK_SYSTEM_TIME};
    const struct etl_info_source source = {.clock = &clock, .pointer_size = pointer_size};
    struct null_sink sink = null_sink_new();
    struct etl_decoder decoder = {
        .sink = &sink.sink, .clock = &clock, .pointer_size = pointer_size};
    etl_schema_fits(schema, payload, pointer_size);
    size_t covered = etl_schema_decode(&decoder, schema, payload.at, payload.size);
    fuzz_require(covered <= payload.size);
    null_sink_check(&sink);
    size_t length = etl_schema_info(&source, schema, payload, line, sizeof line);
    fuzz_require(length == strlen(line));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct etl_bytes in = etl_bytes_of(data, size);
    uint8_t choice = etl_bytes_u8(&in);
    size_t described = etl_bytes_u16(&in);
    if (in.failed) {
        return 0;
    }
    etl_layouts_start();
    described = described < etl_bytes_left(&in) ? described : etl_bytes_left(&in);
    uint8_t *description = fuzz_copy(in.at, described);
    size_t left = etl_bytes_left(&in) - described;
    uint8_t *payload = fuzz_copy(in.at + described, left);
    if (description != NULL && payload != NULL) {
        struct etl_schema *schema = make(choice,
                                         (struct etl_span){.at = description, .size = described});
        if (schema != NULL) {
            decode(schema, (struct etl_span){.at = payload, .size = left}, choice & 4 ? 8 : 4);
        }
        etl_schema_free(schema);
    }
    free(description);
    free(payload);
    return 0;
}
