/*
 * What a record calls the ids that its fields hold, shown beside them and below them as fields of their own:
 *
 *     FileObject: 0xffff8a0512345678 (C:\Windows\win.ini)     etl.disk_io.file_object
 *         [FileObject's name: C:\Windows\win.ini]             etl.disk_io.file_object.name
 *     Stack: 0xfffff80012341234 (ntoskrnl.exe+0x1234)         etl.stack_walk.stack
 *         [Stack's name: ntoskrnl.exe+0x1234]                 etl.stack_walk.stack.name
 *         [StackModule: ntoskrnl.exe]                         etl.stack.module
 *         [StackOffset: 0x1234]                               etl.stack.offset
 */
#ifndef ETL_EPAN_KEY_NAMES_H
#define ETL_EPAN_KEY_NAMES_H

#include "compat/compat.h"

#include "epan/sink.h"

/* The name of an id, UTF-8, terminated, cut to `size`; its length, 0 where the record has none. */
size_t etl_key_name(const struct etl_record *record, enum etl_key key, uint64_t id, char *room,
                    size_t size);

/* Shows what is known of a value's id, below its item, which may be NULL. */
void etl_key_names_show(struct etl_tree_sink *tree_sink, const struct etl_field *field,
                        const struct etl_value *value, proto_item *item);

#endif
