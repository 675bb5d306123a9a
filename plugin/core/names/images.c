/* Rows of events become spans of time in place: both are struct etl_image_span. */
#include "core/names/images.h"

#include <stdlib.h>
#include <string.h>

/* Modules do not overlap. Where a made-up trace says so, the search for the one that fits ends. */
#define OVERLAPS_MAX 32

/* Places for hints. */
#define HINTS 1024

void etl_images_free(struct etl_images *images)
{
    etl_budget_free(images->budget, images->spans, images->room, sizeof *images->spans);
    etl_budget_free(images->budget, images->pdbs, images->pdb_room, sizeof *images->pdbs);
    free(images->hints);
    memset(images, 0, sizeof *images);
}

void etl_images_add(struct etl_images *images, const struct etl_image_span *row)
{
    struct etl_image_span *spans = etl_budget_room(images->budget, images->spans, images->count, 1,
                                                   &images->room, sizeof *row);
    if (spans != NULL) {
        images->spans = spans;
        images->spans[images->count++] = *row;
    }
}

void etl_images_add_pdb(struct etl_images *images, const struct etl_image_pdb *pdb)
{
    struct etl_image_pdb *pdbs = etl_budget_room(images->budget, images->pdbs, images->pdb_count, 1,
                                                 &images->pdb_room, sizeof *pdb);
    if (pdbs != NULL) {
        images->pdbs = pdbs;
        images->pdbs[images->pdb_count++] = *pdb;
    }
}

static int compare_places(uint32_t scope_a, uint64_t base_a, uint32_t scope_b, uint64_t base_b)
{
    return scope_a != scope_b ? (scope_a < scope_b ? -1 : 1)
                              : (base_a > base_b) - (base_a < base_b);
}

/* At one tick: what is known, what goes, what comes. */
static int order_of(const struct etl_image_span *row)
{
    return row->moment == ETL_IMAGE_KNOWN ? 0 : row->moment == ETL_IMAGE_UNLOAD ? 1 : 2;
}

static int compare_rows(const void *left, const void *right)
{
    const struct etl_image_span *a = left;
    const struct etl_image_span *b = right;
    int places = compare_places(a->scope, a->base, b->scope, b->base);
    if (places != 0) {
        return places;
    }
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    if (a->moment != b->moment) {
        return order_of(a) - order_of(b);
    }
    return a->name != b->name ? (a->name < b->name ? -1 : 1)
                              : (a->end > b->end) - (a->end < b->end);
}

static int compare_pdbs(const void *left, const void *right)
{
    const struct etl_image_pdb *a = left;
    const struct etl_image_pdb *b = right;
    int places = compare_places(a->scope, a->base, b->scope, b->base);
    return places != 0 ? places : (a->time > b->time) - (a->time < b->time);
}

/* A row of which nothing is known before: from its load on, or since what was there before it. */
static void start_span(struct etl_image_span *span, const struct etl_image_span *row,
                       const struct etl_image_span *before, const struct etl_meanings *processes)
{
    int64_t time = row->from;
    int64_t born = INT64_MIN, gone = INT64_MAX;
    if (row->scope != ETL_SCOPE_KERNEL) {
        etl_meanings_life(processes, row->scope, time, &born, &gone);
    }
    int64_t since = before != NULL && before->until > born ? before->until : born;
    *span = *row;
    span->from = row->moment == ETL_IMAGE_LOAD ? time : since;
    span->until = row->moment == ETL_IMAGE_UNLOAD ? time : gone;
}

static bool is_at(const struct etl_image_span *a, const struct etl_image_span *b)
{
    return a->scope == b->scope && a->base == b->base;
}

/* Whether the row tells of the module that the span has. */
static bool continues(const struct etl_image_span *span, const struct etl_image_span *row)
{
    return span->until > row->from && span->name == row->name && span->end == row->end;
}

static void make_spans(struct etl_images *images, const struct etl_meanings *processes)
{
    size_t kept = 0;
    for (size_t i = 0; i < images->count; i++) {
        const struct etl_image_span row = images->spans[i];
        struct etl_image_span *last = kept > 0 && is_at(&images->spans[kept - 1], &row)
                                          ? &images->spans[kept - 1]
                                          : NULL;
        if (last != NULL && continues(last, &row)) {
            last->until = row.moment == ETL_IMAGE_UNLOAD ? row.from : last->until;
            continue;
        }
        if (last != NULL && last->until > row.from) {
            last->until = row.from;
        }
        start_span(&images->spans[kept], &row, last, processes);
        kept++;
    }
    images->count = kept;
}

static void set_reach(struct etl_images *images)
{
    for (size_t i = 0; i < images->count; i++) {
        struct etl_image_span *span = &images->spans[i];
        const struct etl_image_span *before = i > 0 ? span - 1 : NULL;
        bool further = before != NULL && before->scope == span->scope && before->reach > span->end;
        span->reach = further ? before->reach : span->end;
    }
}

/* Compares each place with the one before it and the one after it. */
static void set_shared(struct etl_images *images)
{
    uint64_t reach = 0; /* of the places before this one */
    for (size_t first = 0, next; first < images->count; first = next) {
        const struct etl_image_span *place = &images->spans[first];
        uint64_t last_end = 0;
        for (next = first; next < images->count && is_at(&images->spans[next], place); next++) {
            struct etl_image_span *span = &images->spans[next];
            last_end = span->end > last_end ? span->end : last_end;
            span->shared = reach > span->base;
        }
        bool same_scope = next < images->count && images->spans[next].scope == place->scope;
        for (size_t i = first; i < next && same_scope; i++) {
            images->spans[i].shared |= images->spans[i].end > images->spans[next].base;
        }
        reach = !same_scope ? 0 : last_end > reach ? last_end : reach;
    }
}

/* The PDB that was told while the module was there; failing that the last one told of the place. */
static void set_pdbs(struct etl_images *images)
{
    size_t pdb = 0;
    for (size_t i = 0; i < images->count; i++) {
        struct etl_image_span *span = &images->spans[i];
        size_t row = pdb;
        for (; row < images->pdb_count; row++) {
            const struct etl_image_pdb *at = &images->pdbs[row];
            int places = compare_places(at->scope, at->base, span->scope, span->base);
            if (places > 0 || (places == 0 && span->pdb != 0 && at->time >= span->until)) {
                break;
            }
            span->pdb = places == 0 ? (uint32_t)row + 1 : 0;
        }
        pdb = row > pdb && span->pdb != 0 ? row - 1
                                          : row; /* the next span may have the same place */
    }
}

void etl_images_settle(struct etl_images *images, const struct etl_meanings *processes)
{
    if (images->count == 0) {
        return;
    }
    qsort(images->spans, images->count, sizeof images->spans[0], compare_rows);
    if (images->pdb_count > 0) {
        qsort(images->pdbs, images->pdb_count, sizeof images->pdbs[0], compare_pdbs);
    }
    make_spans(images, processes);
    set_reach(images);
    set_shared(images);
    set_pdbs(images);
    images->hints = calloc(HINTS, sizeof *images->hints);
}

/* How many spans are of lower scopes and bases, or of this one from the time or before. */
static size_t spans_before(const struct etl_images *images, uint32_t scope, uint64_t base,
                           int64_t time)
{
    size_t low = 0;
    size_t high = images->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct etl_image_span *span = &images->spans[middle];
        int places = compare_places(span->scope, span->base, scope, base);
        if (places < 0 || (places == 0 && span->from <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool has(const struct etl_image_span *span, uint32_t scope, uint64_t address, int64_t time)
{
    return span->scope == scope && span->base <= address && address < span->end &&
           span->from <= time && time < span->until;
}

static const struct etl_image_span *search(const struct etl_images *images, uint32_t scope,
                                           uint64_t address, int64_t time)
{
    uint64_t base = address;
    for (size_t i = 0; i < OVERLAPS_MAX; i++) {
        size_t count = spans_before(images, scope, base, INT64_MAX);
        const struct etl_image_span *span = count > 0 ? &images->spans[count - 1] : NULL;
        if (span == NULL || span->scope != scope || span->reach <= address) {
            return NULL;
        }
        base = span->base; /* modules may have come and gone there: which is it at the time? */
        count = span->from <= time ? count : spans_before(images, scope, base, time);
        span = count > 0 ? &images->spans[count - 1] : NULL;
        if (span != NULL && span->base == base && has(span, scope, address, time)) {
            return span;
        }
        if (base == 0) {
            return NULL;
        }
        base--;
    }
    return NULL;
}

const struct etl_image_span *etl_images_find(const struct etl_images *images, uint32_t scope,
                                             uint64_t address, int64_t time)
{
    if (images->count == 0) {
        return NULL;
    }
    uint32_t *hint = images->hints != NULL ? &images->hints[(address >> 14 ^ scope) % HINTS] : NULL;
    if (hint != NULL && !images->spans[*hint].shared &&
        has(&images->spans[*hint], scope, address, time)) {
        return &images->spans[*hint];
    }
    const struct etl_image_span *span = search(images, scope, address, time);
    if (hint != NULL && span != NULL) {
        *hint = (uint32_t)(span - images->spans);
    }
    return span;
}
