/*
 * Fuzzes the manifests that EventSources write in pieces.
 *
 *   piece …: byte: process | u16: size of the payload | payload
 */
#include "etl/event_source.h"

#include "fuzz.h"

static struct etl_event event_of(uint32_t process, uint16_t id, struct etl_span payload)
{
    return (struct etl_event){.kind = etl_kind(ETL_KIND_EVENT64),
                              .has_provider = true,
                              .provider = {{(uint8_t)(process & 3)}},
                              .process_id = process,
                              .id = id,
                              .payload = payload};
}

static void learn(struct etl_event_sources *sources, struct etl_bytes *in)
{
    uint8_t process = etl_bytes_u8(in);
    size_t size = etl_bytes_u16(in);
    size = size < etl_bytes_left(in) ? size : etl_bytes_left(in);
    uint8_t *payload = fuzz_copy(in->at, size);
    if (payload != NULL) {
        struct etl_event event = event_of(process, ETL_EVENT_SOURCE_ID,
                                          (struct etl_span){.at = payload, .size = size});
        if (etl_event_source_is_chunk(&event)) {
            etl_event_sources_learn(sources, &event);
        }
    }
    free(payload);
    etl_bytes_take(in, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct etl_bytes in = etl_bytes_of(data, size);
    struct etl_event_sources *sources = etl_event_sources_new(NULL);
    char problem[120] = "";
    struct etl_span item;
    if (sources == NULL) {
        return 0;
    }
    while (!in.failed && etl_bytes_left(&in) > 0) {
        learn(sources, &in);
    }
    etl_event_sources_settle(sources);
    size_t problems = etl_event_sources_problem(sources, problem, sizeof problem);
    fuzz_require((problems > 0) == (problem[0] != '\0'));
    for (uint16_t id = 0; id < 16; id++) {
        struct etl_event event = event_of(id, id, (struct etl_span){0});
        if (etl_event_sources_find(sources, &event, &item)) {
            item.at += ETL_SCHEMA_HASH_SIZE;
            item.size -= ETL_SCHEMA_HASH_SIZE;
            struct etl_schema *schema = etl_schema_unpack(item);
            fuzz_require(schema != NULL);
            etl_schema_free(schema);
        }
    }
    etl_event_sources_free(sources);
    return 0;
}
