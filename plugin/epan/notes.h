/*
 * The core's notes as Wireshark's expert infos, filter etl.note.<name>.
 */
#ifndef ETL_EPAN_NOTES_H
#define ETL_EPAN_NOTES_H

#include "compat/compat.h"

#include "etl/sink.h"

#include <epan/packet_info.h>
#include <epan/proto.h>

void etl_notes_register(int protocol);

/* Whether somebody collects notes: then payloads are walked for theirs, whoever looks at them. */
bool etl_notes_are_collected(void);

/* The same, or a filter asks for one. */
bool etl_notes_are_wanted(void);

/* `item` may be NULL; `detail` completes the note's sentence and may be NULL or empty. */
void etl_note_add(packet_info *pinfo, proto_item *item, enum etl_note note, const char *detail);

#endif
