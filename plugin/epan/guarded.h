/*
 * Calls of other dissectors for a part of a frame. What stops them, such as a packet that ends too
 * early, is shown where they were, and is no fault of the event's: the rest of the frame is shown.
 *
 * Wireshark's own CATCH_NONFATAL_ERRORS lets through that a packet was cut when it was captured.
 */
#ifndef ETL_EPAN_GUARDED_H
#define ETL_EPAN_GUARDED_H

#include "compat/compat.h"

#include <epan/packet.h>

/*
 * Only a bug of the dissector comes through, for Wireshark to report: whoever changed something for
 * the call puts it back with TRY and FINALLY.
 */
void etl_call_guarded(dissector_handle_t dissector, tvbuff_t *bytes, packet_info *pinfo,
                      proto_tree *tree, void *data);

#endif
