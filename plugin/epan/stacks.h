/*
 * Links between events and their stacks, both ways, and between the halves of a stack.
 *
 *     frame 120  DiskIo/ReadInit      [Stack: 123] [Stack: 131]
 *     frame 123  StackWalk, kernel    [Event of this stack: 120] [Other half of this stack: 131]
 *     frame 131  StackWalk, user      [Event of this stack: 120] [Other half of this stack: 123]
 *
 * Found when Wireshark sees a frame for the first time, which is in the order of the file; kept as long as the file.
 */
#ifndef ETL_EPAN_STACKS_H
#define ETL_EPAN_STACKS_H

#include "compat/compat.h"

#include "etl/record.h"

#include <epan/packet_info.h>
#include <epan/proto.h>

/* Once, at registration. */
void etl_stacks_register(int protocol);

/* The frame will be seen soon: what that looks at is far apart in memory, and may be on its way till then. */
void etl_stacks_expect(const struct etl_record *record);

/* For every frame, each time: what is seen again costs nothing. */
void etl_stacks_see(packet_info *pinfo, const struct etl_record *record);

/* The frame's links, if somebody looks. */
void etl_stacks_show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

#endif
