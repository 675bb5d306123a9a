/*
 * Values to items. A tree that nobody looks at still collects what filters and columns ask for;
 * text is made only where somebody looks.
 */
#include "epan/sink.h"

#include "epan/key_names.h"
#include "epan/late_fields.h"
#include "epan/notes.h"
#include "epan/value_text.h"
#include "etl/decode.h"
#include "etl/info.h"
#include "etl/providers.h"

static struct etl_tree_sink *tree_sink_of(struct etl_sink *sink)
{
    return (struct etl_tree_sink *)sink;
}

static struct etl_branch *branch_of(struct etl_tree_sink *tree_sink)
{
    return &tree_sink->branches[tree_sink->depth];
}

/* Where bytes stand in the frame; what isn't of the frame has neither offset nor length. */
struct place {
    int offset;
    int length;
};

static struct place place_of(const struct etl_tree_sink *tree_sink, const uint8_t *at, size_t size)
{
    uintptr_t start = (uintptr_t)tree_sink->base;
    uintptr_t offset = (uintptr_t)at - start;
    if (at == NULL || (uintptr_t)at < start || offset > tree_sink->size) {
        return (struct place){0, 0};
    }
    size_t left = tree_sink->size - offset;
    return (struct place){(int)offset, (int)(size < left ? size : left)};
}

static bool wants(struct etl_sink *sink, const struct etl_field *field)
{
    return etl_tree_sink_wants(tree_sink_of(sink), field);
}

/* What it takes to add one item. */
struct addition {
    struct etl_tree_sink *tree_sink;
    proto_tree *tree;
    const struct etl_shown *shown;
    const struct etl_value *value;
    enum etl_shape shape;
    struct place place;
};

static proto_item *add_number(const struct addition *a)
{
    int id = a->shown->id;
    tvbuff_t *tvb = a->tree_sink->tvb;
    int offset = a->place.offset;
    int length = a->place.length;
    uint64_t number = a->value->number;
    switch (a->shown->info->type) {
    case FT_BOOLEAN:
        return proto_tree_add_boolean(a->tree, id, tvb, offset, length, number != 0);
    case FT_UINT64:
        return proto_tree_add_uint64(a->tree, id, tvb, offset, length, number);
    case FT_INT64:
        return proto_tree_add_int64(a->tree, id, tvb, offset, length, (gint64)number);
    case FT_INT8:
    case FT_INT16:
    case FT_INT32:
        return proto_tree_add_int(a->tree, id, tvb, offset, length, (gint32)number);
    default:
        return proto_tree_add_uint(a->tree, id, tvb, offset, length, (guint32)number);
    }
}

static proto_item *add_real(const struct addition *a)
{
    double number;
    if (a->value->length == sizeof(float)) {
        uint32_t bits = etl_load_u32(a->value->bytes);
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        number = narrow;
    } else {
        uint64_t bits = etl_load_u64(a->value->bytes);
        memcpy(&number, &bits, sizeof number);
    }
    if (a->shown->info->type == FT_FLOAT) {
        return proto_tree_add_float(a->tree, a->shown->id, a->tree_sink->tvb, a->place.offset,
                                    a->place.length, (float)number);
    }
    return proto_tree_add_double(a->tree, a->shown->id, a->tree_sink->tvb, a->place.offset,
                                 a->place.length, number);
}

/* A time of zero means "none" all over Windows; one that no clock converts is shown raw. */
static proto_item *add_time(const struct addition *a)
{
    tvbuff_t *tvb = a->tree_sink->tvb;
    int64_t filetime = (int64_t)a->value->number;
    if (a->value->unknown) {
        return proto_tree_add_subtree_format(
            a->tree, tvb, a->place.offset, a->place.length, etl_subtrees[ETL_SUBTREE_FIELD], NULL,
            "%s: %" PRId64 " ticks of an unknown clock", a->shown->info->name, filetime);
    }
    int64_t seconds;
    uint32_t nanoseconds;
    etl_filetime_to_unix(filetime, &seconds, &nanoseconds);
    nstime_t moment = {.secs = (time_t)seconds, .nsecs = (int)nanoseconds};
    if (filetime == 0 && a->tree_sink->visible) {
        return proto_tree_add_time_format_value(a->tree, a->shown->id, tvb, a->place.offset,
                                                a->place.length, &moment, "0 (none)");
    }
    return proto_tree_add_time(a->tree, a->shown->id, tvb, a->place.offset, a->place.length,
                               &moment);
}

static proto_item *add_guid(const struct addition *a)
{
    const uint8_t *bytes = a->value->bytes;
    e_guid_t guid = {.data1 = etl_load_u32(bytes),
                     .data2 = etl_load_u16(bytes + 4),
                     .data3 = etl_load_u16(bytes + 6)};
    memcpy(guid.data4, bytes + 8, sizeof guid.data4);
    proto_item *item = proto_tree_add_guid(a->tree, a->shown->id, a->tree_sink->tvb,
                                           a->place.offset, a->place.length, &guid);
    if (a->tree_sink->visible) {
        struct etl_guid key;
        memcpy(key.bytes, bytes, sizeof key.bytes);
        const char *name = etl_provider_name(&key);
        if (name != NULL) {
            proto_item_append_text(item, " (%s)", name);
        }
    }
    return item;
}

static proto_item *add_text(const struct addition *a)
{
    const char *text = etl_value_text(a->tree_sink->pinfo->pool, a->shape, a->value);
    proto_item *item = proto_tree_add_string(a->tree, a->shown->id, a->tree_sink->tvb,
                                             a->place.offset, a->place.length, text);
    const char *name = a->shape == ETL_SHAPE_SID ? etl_sid_name(text) : NULL;
    if (name != NULL) {
        proto_item_append_text(item, " (%s)", name);
    }
    return item;
}

static proto_item *add_address(const struct addition *a)
{
    tvbuff_t *tvb = a->tree_sink->tvb;
    const uint8_t *bytes = a->value->bytes;
    ws_in4_addr ipv4;
    ws_in6_addr ipv6;
    switch (a->shape) {
    case ETL_SHAPE_IPV4:
        memcpy(&ipv4, bytes, sizeof ipv4);
        return proto_tree_add_ipv4(a->tree, a->shown->id, tvb, a->place.offset, a->place.length,
                                   ipv4);
    case ETL_SHAPE_IPV6:
        memcpy(&ipv6, bytes, sizeof ipv6);
        return proto_tree_add_ipv6(a->tree, a->shown->id, tvb, a->place.offset, a->place.length,
                                   &ipv6);
    default:
        return proto_tree_add_ether(a->tree, a->shown->id, tvb, a->place.offset, a->place.length,
                                    bytes);
    }
}

static proto_item *add_bytes(const struct addition *a)
{
    return proto_tree_add_bytes_with_length(a->tree, a->shown->id, a->tree_sink->tvb,
                                            a->place.offset, a->place.length, a->value->bytes,
                                            (int)a->value->length);
}

static proto_item *add_item(const struct addition *a)
{
    switch (a->shape) {
    case ETL_SHAPE_REAL:
        return add_real(a);
    case ETL_SHAPE_TIME:
        return add_time(a);
    case ETL_SHAPE_GUID:
        return add_guid(a);
    case ETL_SHAPE_SYSTEMTIME:
    case ETL_SHAPE_SID:
    case ETL_SHAPE_TEXT:
        return add_text(a);
    case ETL_SHAPE_IPV4:
    case ETL_SHAPE_IPV6:
    case ETL_SHAPE_ETHER:
        return add_address(a);
    case ETL_SHAPE_BYTES:
        return add_bytes(a);
    default:
        return add_number(a);
    }
}

/* A value whose row has other names than the field, which many rows share, has its name in its
 * text. */
static proto_item *add_with_own_name(const struct addition *a, const char *name)
{
    int id = a->shown->id;
    tvbuff_t *tvb = a->tree_sink->tvb;
    uint64_t number = a->value->number;
    switch (a->shown->info->type) {
    case FT_UINT8:
    case FT_UINT16:
    case FT_UINT32:
        return proto_tree_add_uint_format_value(a->tree, id, tvb, a->place.offset, a->place.length,
                                                (guint32)number, "%s (%" PRIu64 ")", name, number);
    case FT_INT8:
    case FT_INT16:
    case FT_INT32:
        return proto_tree_add_int_format_value(a->tree, id, tvb, a->place.offset, a->place.length,
                                               (gint32)number, "%s (%" PRId64 ")", name,
                                               (int64_t)number);
    case FT_UINT64:
        return proto_tree_add_uint64_format_value(a->tree, id, tvb, a->place.offset,
                                                  a->place.length, number, "%s (%" PRIu64 ")", name,
                                                  number);
    case FT_INT64:
        return proto_tree_add_int64_format_value(a->tree, id, tvb, a->place.offset, a->place.length,
                                                 (gint64)number, "%s (%" PRId64 ")", name,
                                                 (int64_t)number);
    default:
        return add_number(a);
    }
}

/* A number that has no name, though others of its field have. */
static proto_item *add_unnamed(const struct addition *a, const struct etl_field *field)
{
    char text[32];
    int id = a->shown->id;
    tvbuff_t *tvb = a->tree_sink->tvb;
    uint64_t number = a->value->number;
    etl_value_format(field, a->value, text, sizeof text);
    switch (a->shown->info->type) {
    case FT_UINT8:
    case FT_UINT16:
    case FT_UINT32:
        return proto_tree_add_uint_format_value(a->tree, id, tvb, a->place.offset, a->place.length,
                                                (guint32)number, "%s", text);
    case FT_INT8:
    case FT_INT16:
    case FT_INT32:
        return proto_tree_add_int_format_value(a->tree, id, tvb, a->place.offset, a->place.length,
                                               (gint32)number, "%s", text);
    default:
        return add_item(a);
    }
}

/* One flag. Names of flags may have moved to other bits since: the field's mask is the newest's. */
static proto_item *add_flag(const struct addition *a, const struct etl_shown *flag,
                            const struct etl_name *name)
{
    uint64_t mask = flag->info->bitmask;
    struct etl_value value = {.number = a->value->number};
    struct addition b = *a;
    if (mask != name->value) {
        value.number = (value.number & name->value) / (name->value & -name->value) * (mask & -mask);
    }
    b.shown = flag;
    b.value = &value;
    if (flag->info->type != FT_BOOLEAN) {
        return add_number(&b);
    }
    if (mask > UINT32_MAX && a->place.length > 0) {
        int id = flag->id; /* the only function of 4.0 that takes booleans above bit 31 */
        int *const ids[] = {&id, NULL};
        proto_tree_add_bitmask_list_value(a->tree, a->tree_sink->tvb, (guint)a->place.offset,
                                          a->place.length, ids, value.number);
        return NULL;
    }
    return proto_tree_add_boolean(a->tree, flag->id, a->tree_sink->tvb, a->place.offset,
                                  a->place.length, (guint32)value.number);
}

static void add_flags(const struct addition *a, proto_item *item)
{
    const struct etl_names *flags = a->shown->flags;
    struct addition below = *a;
    if (item != NULL && a->tree_sink->visible) {
        below.tree = proto_item_add_subtree(item, etl_subtrees[ETL_SUBTREE_FIELD]);
    }
    for (size_t i = 0; i < flags->count; i++) {
        const struct etl_shown *flag = &a->shown[1 + i];
        if (a->tree_sink->visible || etl_is_referenced(flag)) {
            proto_item *flag_item = add_flag(&below, flag, &flags->rows[i]);
            if (a->value->at == NULL) {
                proto_item_set_generated(flag_item);
            }
        }
    }
}

/* Bits of one event, of arrays too: a tree of Wireshark's has a million items at the most. */
#define MAP_FLAGS_MAX 16384

/* The bits of a schema's map. One name may stand for several bits, and is set if all of them are. */
static void add_map_flags(const struct addition *a, const struct etl_field *field, proto_item *item)
{
    struct addition below = *a;
    if (item != NULL && a->tree_sink->visible) {
        below.tree = proto_item_add_subtree(item, etl_subtrees[ETL_SUBTREE_FIELD]);
    }
    for (size_t i = 0; i < field->map->count; i++) {
        const struct etl_name *flag = &field->map->rows[i];
        const struct etl_shown *shown = &etl_shown_rows[field->flags[i]];
        if (field->flags[i] > 0 && (a->tree_sink->visible || etl_is_referenced(shown)) &&
            a->tree_sink->map_flags++ < MAP_FLAGS_MAX) {
            bool set = (a->value->number & flag->value) == flag->value;
            proto_tree_add_boolean(below.tree, shown->id, a->tree_sink->tvb, a->place.offset,
                                   a->place.length, set ? (guint32)shown->info->bitmask : 0);
        }
    }
}

/* One of the fields that all described fields feed; found by filters, never printed. */
static void feed(const struct addition *a, enum etl_fact fact, enum etl_shape shape,
                 const struct etl_value *value)
{
    struct addition b = *a;
    b.shown = etl_shown(etl_fact(fact));
    b.shape = shape;
    b.value = value;
    if (etl_is_referenced(b.shown) || a->tree_sink->generic) {
        proto_item_set_hidden(add_item(&b));
    }
}

/* SOCKADDR: u16 family, u16 port, the address after 4 bytes (IPv4, 2) or 8 (IPv6, 23). */
static void feed_socket_address(const struct addition *a)
{
    const uint8_t *at = a->value->at + a->value->number; /* after the length before it */
    size_t size = a->value->size - (size_t)a->value->number;
    unsigned family = size >= 8 ? etl_load_u16(at) : 0;
    struct etl_value value = {.at = at, .size = size, .bytes = at + (family == 2 ? 4 : 8)};
    if (family == 2) {
        value.length = 4;
        feed(a, ETL_FACT_FieldIp, ETL_SHAPE_IPV4, &value);
    } else if (family == 23 && size >= 24) {
        value.length = 16;
        feed(a, ETL_FACT_FieldIpV6, ETL_SHAPE_IPV6, &value);
    }
}

static void feed_generic(const struct addition *a, const struct etl_field *field)
{
    static const struct {
        bool fed;
        enum etl_fact fact;
    } facts[] = {
        [ETL_SHAPE_NUMBER] = {true, ETL_FACT_FieldUint},
        [ETL_SHAPE_BOOLEAN] = {true, ETL_FACT_FieldUint},
        [ETL_SHAPE_SIGNED] = {true, ETL_FACT_FieldInt},
        [ETL_SHAPE_TIME] = {true, ETL_FACT_FieldTime},
        [ETL_SHAPE_GUID] = {true, ETL_FACT_FieldGuid},
        [ETL_SHAPE_IPV4] = {true, ETL_FACT_FieldIp},
        [ETL_SHAPE_IPV6] = {true, ETL_FACT_FieldIpV6},
        [ETL_SHAPE_TEXT] = {true, ETL_FACT_FieldString},
        [ETL_SHAPE_SID] = {true, ETL_FACT_FieldString},
        [ETL_SHAPE_SYSTEMTIME] = {true, ETL_FACT_FieldString},
        [ETL_SHAPE_PADDING] = {false, ETL_FACT_FieldName},
    };
    struct etl_value name = {.at = a->value->at,
                             .size = a->value->size,
                             .bytes = (const uint8_t *)field->label,
                             .length = strlen(field->label),
                             .encoding = ETL_ENCODING_UTF8};
    feed(a, ETL_FACT_FieldName, ETL_SHAPE_TEXT, &name);
    if (facts[a->shape].fed) {
        feed(a, facts[a->shape].fact, a->shape, a->value);
    }
    if (field->type == ETL_TYPE_SOCKADDR) {
        feed_socket_address(a);
    }
}

/* What stands for the number where the field itself has other names or none; NULL: nothing. */
static const char *own_name(const struct addition *a, const struct etl_field *field)
{
    static char flags[256];
    if (!a->tree_sink->visible) {
        return NULL;
    }
    if (field->map == NULL) {
        return a->shown->own_names ? etl_names_find(field->names, a->value->number) : NULL;
    }
    if (field->map->kind == ETL_NAMES_VALUES) {
        return etl_map_name(field->map, a->value->number);
    }
    if (a->value->number == 0) {
        return NULL;
    }
    etl_value_format(field, a->value, flags, sizeof flags);
    return flags;
}

static void value(struct etl_sink *sink, const struct etl_field *field,
                  const struct etl_value *value)
{
    struct etl_tree_sink *tree_sink = tree_sink_of(sink);
    struct etl_branch *branch = branch_of(tree_sink);
    struct addition a = {.tree_sink = tree_sink,
                         .tree = branch->tree,
                         .shown = etl_shown(field),
                         .value = value,
                         .shape = etl_type_facts(field->type)->shape,
                         .place = place_of(tree_sink, value->at, value->size)};
    if (field->part && tree_sink->visible && branch->last != NULL) {
        a.tree = proto_item_add_subtree(branch->last, etl_subtrees[ETL_SUBTREE_FIELD]);
    }
    const char *name = own_name(&a, field);
    bool unnamed = a.shown->mapped && tree_sink->visible;
    proto_item *item = name != NULL ? add_with_own_name(&a, name)
                       : unnamed    ? add_unnamed(&a, field)
                                    : add_item(&a);
    if (field->hidden) { /* a second name of the row before: for filters alone */
        proto_item_set_hidden(item);
        return;
    }
    if (value->at == NULL) {
        proto_item_set_generated(item);
    } else if (value->at + value->size > branch->end) {
        branch->end = value->at + value->size;
    }
    if (a.shown->flags != NULL) {
        add_flags(&a, item);
    }
    if (field->flags != NULL) {
        add_map_flags(&a, field, item);
    }
    if (field->described) {
        feed_generic(&a, field);
    }
    if (field->markup != ETL_MARKUP_NONE) {
        etl_markup_show_value(tree_sink, a.tree, field, value, item);
    }
    if (a.shown->id == tree_sink->watched_id) {
        tree_sink->watched = item;
    }
    tree_sink->last_item = item;
    branch->last = field->part ? branch->last : item;
    if (field->key != ETL_KEY_NONE) {
        etl_key_names_show(tree_sink, field, value, item);
        tree_sink->last_item = item;
    }
}

bool etl_tree_sink_show_fixed(struct etl_tree_sink *tree_sink, const struct etl_decoder *decoder,
                              const struct etl_layout *layout, const struct etl_span *bytes)
{
    if (tree_sink->visible || !etl_decode_reaches(decoder, layout, bytes->size) ||
        etl_rows_are_referenced(layout, layout->fixed_rows)) {
        return false;
    }
    for (size_t row = 0; row < layout->fixed_rows; row++) {
        const struct etl_field *field = &layout->fields[row];
        if (etl_tree_sink_wants(tree_sink, field)) {
            struct etl_value number;
            etl_decode_fixed(decoder, field, bytes->at, &number);
            value(&tree_sink->sink, field, &number);
        }
    }
    return true;
}

static proto_item *add_group(struct etl_tree_sink *tree_sink, const struct etl_field *field,
                             const char *title, struct place place)
{
    proto_tree *tree = branch_of(tree_sink)->tree;
    proto_item *item;
    if (field != NULL) {
        item = proto_tree_add_item(tree, etl_shown(field)->id, tree_sink->tvb, place.offset,
                                   place.length, ENC_NA);
        if (tree_sink->visible && strcmp(title, field->label) != 0) {
            proto_item_set_text(item, "%s", title);
        }
        return item;
    }
    proto_tree_add_subtree(tree, tree_sink->tvb, place.offset, place.length,
                           etl_subtrees[tree_sink->subtree], &item, title);
    return item;
}

static void begin(struct etl_sink *sink, const struct etl_field *field, const char *title,
                  const uint8_t *at, size_t size)
{
    struct etl_tree_sink *tree_sink = tree_sink_of(sink);
    struct etl_branch next = {.tree = branch_of(tree_sink)->tree, .at = at, .end = at};
    bool shown = tree_sink->visible || (field != NULL && etl_is_referenced(etl_shown(field)));
    if (shown) {
        next.item = add_group(tree_sink, field, title, place_of(tree_sink, at, size));
    }
    if (next.item != NULL && tree_sink->visible) {
        enum etl_subtree subtree = field != NULL ? ETL_SUBTREE_STRUCTURE : tree_sink->subtree;
        next.tree = proto_item_add_subtree(next.item, etl_subtrees[subtree]);
    }
    DISSECTOR_ASSERT(tree_sink->depth + 1 < ETL_BRANCHES_MAX);
    tree_sink->branches[++tree_sink->depth] = next;
}

/* Only now is it known how many bytes the group has. */
static void end(struct etl_sink *sink)
{
    struct etl_tree_sink *tree_sink = tree_sink_of(sink);
    struct etl_branch *done = branch_of(tree_sink);
    struct etl_branch *outer = &tree_sink->branches[--tree_sink->depth];
    if (done->item == NULL) {
        return;
    }
    if (done->at == NULL) {
        proto_item_set_generated(done->item);
        return;
    }
    proto_item_set_len(done->item,
                       place_of(tree_sink, done->at, (size_t)(done->end - done->at)).length);
    outer->end = done->end > outer->end ? done->end : outer->end;
    outer->last = done->item;
}

/* Where a note hangs: fields and groups that nobody wants have no item, and a note on none is lost to filters. */
proto_item *etl_tree_sink_item_of_note(const struct etl_tree_sink *tree_sink)
{
    proto_item *item = tree_sink->last_item;
    for (size_t depth = tree_sink->depth + 1; item == NULL && depth > 0; depth--) {
        item = tree_sink->branches[depth - 1].item;
    }
    return item;
}

static void note(struct etl_sink *sink, enum etl_note note_id, const uint8_t *at, size_t size,
                 const char *detail)
{
    struct etl_tree_sink *tree_sink = tree_sink_of(sink);
    (void)at;
    (void)size;
    etl_note_add(tree_sink->pinfo, etl_tree_sink_item_of_note(tree_sink), note_id, detail);
}

void etl_tree_sink_enter(struct etl_tree_sink *tree_sink, proto_item *item)
{
    struct etl_branch next = *branch_of(tree_sink);
    next.item = NULL;
    if (item != NULL && tree_sink->visible) {
        next.tree = proto_item_add_subtree(item, etl_subtrees[ETL_SUBTREE_FIELD]);
    }
    DISSECTOR_ASSERT(tree_sink->depth + 1 < ETL_BRANCHES_MAX);
    tree_sink->branches[++tree_sink->depth] = next;
}

void etl_tree_sink_enter_watched(struct etl_tree_sink *tree_sink)
{
    etl_tree_sink_enter(tree_sink, tree_sink->watched);
}

void etl_tree_sink_leave(struct etl_tree_sink *tree_sink)
{
    tree_sink->depth--;
}

void etl_tree_sink_start(struct etl_tree_sink *tree_sink, packet_info *pinfo, tvbuff_t *tvb,
                         proto_tree *tree, const struct etl_record *record)
{
    static const struct etl_sink functions = {
        .wants = wants, .value = value, .begin = begin, .end = end, .note = note};
    tree_sink->sink = functions;
    tree_sink->pinfo = pinfo;
    tree_sink->tvb = tvb;
    tree_sink->record = record;
    tree_sink->visible = tree != NULL && PTREE_DATA(tree)->visible;
    tree_sink->generic = tree_sink->visible && etl_generic_is_named();
    tree_sink->subtree = ETL_SUBTREE_EVENT;
    tree_sink->depth = 0;
    tree_sink->branches[0] = (struct etl_branch){.tree = tree}; /* the others when they begin */
    tree_sink->last_item = NULL;
    tree_sink->watched_id = -1;
    tree_sink->watched = NULL;
    tree_sink->markups = tree_sink->map_flags = 0;
    tree_sink->size = tvb_captured_length(tvb);
    tree_sink->base = tvb_get_ptr(tvb, 0, (gint)tree_sink->size);
}
