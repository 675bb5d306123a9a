/*
 * Fuzzes manifests: XML that is fed in pieces, and its schemas over a payload, which is the XML again.
 */
#include "etl/manifest.h"

#include "fuzz.h"

static void decode(struct etl_span packed, struct etl_span payload)
{
    struct etl_clock clock = {.kind = ETL_CLOCK_SYSTEM_TIME};
    struct null_sink sink = null_sink_new();
    struct etl_decoder decoder = {.sink = &sink.sink, .clock = &clock, .pointer_size = 8};
    struct etl_schema *schema = etl_schema_unpack(packed);
    fuzz_require(schema != NULL); /* what we pack, we can read */
    fuzz_require(etl_schema_decode(&decoder, schema, payload.at, payload.size) <= payload.size);
    null_sink_check(&sink);
    etl_schema_free(schema);
}

static void read_manifest(struct etl_manifest *manifest, struct etl_schema_set *set,
                          struct etl_bytes xml, size_t piece, struct etl_span payload)
{
    while (etl_bytes_left(&xml) > 0) {
        size_t size = piece < etl_bytes_left(&xml) ? piece : etl_bytes_left(&xml);
        if (!etl_manifest_feed(manifest, etl_bytes_take(&xml, size), size)) {
            break;
        }
    }
    bool whole = etl_manifest_close(manifest);
    etl_manifest_add_schemas(manifest, ETL_SCHEMA_EVENTSOURCE, 0, set);
    etl_schema_set_settle(set);
    fuzz_require(whole || etl_schema_set_count(set) == 0);
    for (size_t i = 0; i < etl_schema_set_count(set) && i < 64; i++) {
        struct etl_schema_key key;
        struct etl_span packed;
        etl_schema_set_get(set, i, &key, &packed);
        decode(packed, payload);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct etl_manifest *manifest = etl_manifest_new();
    struct etl_schema_set *set = etl_schema_set_new(NULL);
    etl_layouts_start();
    if (manifest != NULL && set != NULL) {
        read_manifest(manifest, set, etl_bytes_of(data, size), 1 + size % 251,
                      (struct etl_span){.at = data, .size = size});
    }
    etl_manifest_free(manifest);
    etl_schema_set_free(set);
    return 0;
}
