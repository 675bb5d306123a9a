/*
 * One line of text for an event: the layout's INFO template with the payload's values in it.
 *
 *   "disk {DiskNumber}, {TransferSize} bytes at {ByteOffset}<, {IrpFlags}>"
 *    disk 0, 65536 bytes at 0x48a00000, NOCACHE|PAGING_IO
 *
 * Text is UTF-8; control characters become blanks. Allocates nothing. Knows no names but those of
 * the rows: a caller that knows more (statuses, processes, files) says so.
 */
#ifndef ETL_INFO_H
#define ETL_INFO_H

#include "etl/decode.h"

struct etl_info_source {
    const struct etl_clock *clock;
    uint8_t pointer_size;
    /*
     * Writes what else is known of a number: a status (by the field's type), a key. UTF-8, cut between
     * characters and terminated, in `size` bytes, of which there is at least one; returns its length, 0: nothing.
     * Keys are shown as "name (number)", addresses and others as the name alone. May be NULL.
     */
    size_t (*name)(void *data, const struct etl_field *field, uint64_t number, char *room,
                   size_t size);
    void *data;
};

/* Returns the length of what is in the room, which is always terminated; `size` is at least 1. */
size_t etl_info_format(const struct etl_info_source *source, const struct etl_layout *layout,
                       const uint8_t *payload, size_t payload_size, char *room, size_t size);

/* One value as text, by its field's type and names. The same rules. */
size_t etl_value_format(const struct etl_field *field, const struct etl_value *value, char *room,
                        size_t size);

#endif
