/*
 * What a record tells of the ids of its event: items 7 and 9 to 11 of the trailer (plugin/FORMAT.md).
 *
 *   7  name     u16 key, u16 0, u64 id, UTF-8
 *   9  process  00 u32 process  04 u32 parent  08 u32 session  0C u8 known: 1 parent, 2 session
 *               0D u8 bytes of the SID  0E u16 0  10 SID, UTF-8: the command line
 *  10  image    00 u64 base  08 u64 size  10 u32 age  14 u8 bytes of the name  15 u8 bytes of the PDB's
 *               16 u16 0  18 GUID, if there is a PDB; the names, UTF-8
 *  11  stack    00 u64 key  08 u64 addresses
 */
#include "core/event/record_items.h"

#define NAME_FIXED    12
#define PROCESS_FIXED 16
#define IMAGE_FIXED   24
#define STACK_FIXED   8
#define GUID_SIZE     16

/* Lengths that are bytes: longer names are cut. */
#define SHORT_TEXT_MAX UINT8_MAX

enum { KNOWN_PARENT = 1, KNOWN_SESSION = 2 };

static size_t text_length(const char *text, size_t most)
{
    size_t length = text != NULL ? strlen(text) : 0;
    if (length > most) {
        length = most;
        while (length > 0 && ((uint8_t)text[length] & 0xC0) == 0x80) { /* not inside a character */
            length--;
        }
    }
    return length;
}

static void put_name(struct writer *writer, enum etl_key key, uint64_t id, const char *text)
{
    size_t length = text_length(text, UINT16_MAX - NAME_FIXED);
    size_t size = NAME_FIXED + length;
    uint8_t *at = length > 0 ? begin_item(writer, ITEM_NAME, size, size) : NULL;
    if (at != NULL) {
        etl_store_u16(at, (uint16_t)key);
        etl_store_u16(at + 2, 0);
        etl_store_u64(at + 4, id);
        memcpy(at + NAME_FIXED, text, length);
        pad(writer, size);
    }
}

static void put_process(struct writer *writer, uint32_t id, const struct etl_process *process)
{
    size_t sid = process->user.size <= UINT8_MAX ? process->user.size : 0;
    size_t length = text_length(process->command_line, UINT16_MAX / 2);
    size_t size = PROCESS_FIXED + sid + length;
    bool known = process->has_parent || process->has_session || size > PROCESS_FIXED;
    uint8_t *at = known ? begin_item(writer, ITEM_PROCESS, PROCESS_FIXED, size) : NULL;
    if (at != NULL) {
        etl_store_u32(at, id);
        etl_store_u32(at + 0x04, process->parent);
        etl_store_u32(at + 0x08, process->session);
        at[0x0C] = (uint8_t)((process->has_parent ? KNOWN_PARENT : 0) |
                             (process->has_session ? KNOWN_SESSION : 0));
        at[0x0D] = (uint8_t)sid;
        etl_store_u16(at + 0x0E, 0);
        put(writer, process->user.at, sid);
        put(writer, process->command_line, length);
        pad(writer, size);
    }
}

static void put_image(struct writer *writer, const struct etl_image *image)
{
    size_t name = text_length(image->name, SHORT_TEXT_MAX);
    size_t pdb = text_length(image->pdb_name, SHORT_TEXT_MAX);
    size_t size = IMAGE_FIXED + (pdb > 0 ? GUID_SIZE : 0) + name + pdb;
    uint8_t *at = begin_item(writer, ITEM_IMAGE, IMAGE_FIXED, size);
    if (at != NULL) {
        etl_store_u64(at, image->base);
        etl_store_u64(at + 0x08, image->size);
        etl_store_u32(at + 0x10, image->pdb_age);
        at[0x14] = (uint8_t)name;
        at[0x15] = (uint8_t)pdb;
        etl_store_u16(at + 0x16, 0);
        put(writer, image->pdb_id.bytes, pdb > 0 ? GUID_SIZE : 0);
        put(writer, image->name, name);
        put(writer, image->pdb_name, pdb);
        pad(writer, size);
    }
}

static void put_stack(struct writer *writer, uint64_t key, struct etl_span addresses)
{
    size_t size = STACK_FIXED + addresses.size;
    uint8_t *at = begin_item(writer, ITEM_STACK, STACK_FIXED, size);
    if (at != NULL) {
        etl_store_u64(at, key);
        put(writer, addresses.at, addresses.size);
        pad(writer, size);
    }
}

void etl_record_put_names(struct writer *writer, const struct etl_event_names *names,
                          const struct etl_record_options *options)
{
    for (size_t i = 0; i < names->stack_count; i++) {
        put_stack(writer, names->stacks[i].key, names->stacks[i].addresses);
    }
    if (options->no_names) {
        return;
    }
    for (size_t i = 0; i < names->count; i++) {
        put_name(writer, names->names[i].key, names->names[i].id, names->names[i].text);
    }
    for (size_t i = 0; i < names->image_count; i++) {
        put_image(writer, &names->images[i]);
    }
    if (names->has_process) {
        put_process(writer, names->process_id, &names->process);
    }
}

bool etl_record_find_name(const struct etl_record *record, enum etl_key key, uint64_t id,
                          struct etl_record_name *ret_name)
{
    struct etl_bytes bytes = etl_bytes_of(record->name_items.at, record->name_items.size);
    uint16_t type;
    struct etl_span span;
    while (next_item(&bytes, &type, &span)) {
        if (type == ITEM_NAME && span.size > NAME_FIXED && etl_load_u16(span.at) == (unsigned)key &&
            etl_load_u64(span.at + 4) == id) {
            ret_name->key = key;
            ret_name->id = id;
            ret_name->text = (struct etl_span){.at = span.at + NAME_FIXED,
                                               .size = span.size - NAME_FIXED};
            return true;
        }
    }
    return false;
}

/* What an item says of its parts' lengths is not believed. */
static struct etl_span take(struct etl_bytes *bytes, size_t size)
{
    size_t left = etl_bytes_left(bytes);
    size = size < left ? size : left;
    return (struct etl_span){.at = etl_bytes_take(bytes, size), .size = size};
}

/* u8 revision, u8 count, authority, count numbers. */
static bool is_sid(struct etl_span span)
{
    return span.size >= 8 && span.at[0] == 1 && span.size == 8 + 4 * (size_t)span.at[1];
}

bool etl_record_find_process(const struct etl_record *record,
                             struct etl_record_process *ret_process)
{
    struct etl_bytes bytes = etl_bytes_of(record->process_item.at, record->process_item.size);
    uint32_t id = etl_bytes_u32(&bytes);
    ret_process->parent = etl_bytes_u32(&bytes);
    ret_process->session = etl_bytes_u32(&bytes);
    uint8_t known = etl_bytes_u8(&bytes);
    uint8_t sid_size = etl_bytes_u8(&bytes);
    etl_bytes_u16(&bytes);
    if (bytes.failed || id != record->process_id) {
        return false;
    }
    ret_process->has_parent = (known & KNOWN_PARENT) != 0;
    ret_process->has_session = (known & KNOWN_SESSION) != 0;
    ret_process->user = take(&bytes, sid_size);
    if (!is_sid(ret_process->user)) {
        ret_process->user.size = 0;
    }
    ret_process->command_line = take(&bytes, SIZE_MAX);
    return true;
}

static bool read_image(struct etl_span span, uint64_t address, struct etl_record_image *ret_image)
{
    if (span.size < IMAGE_FIXED ||
        address - etl_load_u64(span.at) >= etl_load_u64(span.at + 0x08)) {
        return false;
    }
    ret_image->base = etl_load_u64(span.at);
    ret_image->size = etl_load_u64(span.at + 0x08);
    ret_image->pdb_age = etl_load_u32(span.at + 0x10);
    uint8_t name = span.at[0x14];
    uint8_t pdb = span.at[0x15];
    struct etl_bytes bytes = etl_bytes_of(span.at + IMAGE_FIXED, span.size - IMAGE_FIXED);
    const uint8_t *id = pdb > 0 ? etl_bytes_take(&bytes, GUID_SIZE) : NULL;
    if (id != NULL) {
        memcpy(ret_image->pdb_id.bytes, id, GUID_SIZE);
    }
    ret_image->name = take(&bytes, name);
    ret_image->pdb_name = take(&bytes, id != NULL ? pdb : 0);
    return true;
}

bool etl_record_find_image(const struct etl_record *record, uint64_t address,
                           struct etl_record_image *ret_image)
{
    struct etl_bytes bytes = etl_bytes_of(record->name_items.at, record->name_items.size);
    uint16_t type;
    struct etl_span span;
    while (next_item(&bytes, &type, &span)) {
        if (type == ITEM_IMAGE && read_image(span, address, ret_image)) {
            return true;
        }
    }
    return false;
}

bool etl_record_find_stack(const struct etl_record *record, uint64_t key,
                           struct etl_span *ret_addresses)
{
    struct etl_bytes bytes = etl_bytes_of(record->name_items.at, record->name_items.size);
    uint16_t type;
    struct etl_span span;
    while (next_item(&bytes, &type, &span)) {
        if (type == ITEM_STACK && span.size >= STACK_FIXED && etl_load_u64(span.at) == key) {
            *ret_addresses = (struct etl_span){.at = span.at + STACK_FIXED,
                                               .size = (span.size - STACK_FIXED) / 8 * 8};
            return true;
        }
    }
    return false;
}
