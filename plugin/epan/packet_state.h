/*
 * What a file's frames have to do with each other as packets: which are reports of the same packet,
 * and which are parts of one.
 *
 *     frame  3   part, id 1 ─┐                frame 10   first of its trail
 *     frame  4   part, id 1  ├ one packet     frame 11   same packet, next place
 *     frame  6   last, id 1 ─┘                frame 13   same packet, next place
 *
 * Decided when Wireshark sees a frame for the first time, which is in the order of the file; kept
 * with the frame afterwards. Knows no dissector.
 */
#ifndef ETL_EPAN_PACKET_STATE_H
#define ETL_EPAN_PACKET_STATE_H

#include "compat/compat.h"

#include "etl/packet.h"
#include "etl/record.h"

#include <epan/packet_info.h>

/* One frame with a packet, or a part of one. Frame numbers; 0: none. */
struct etl_sighting {
    uint32_t frame;
    uint32_t first;    /* frame of the same packet's first report; itself if this is that */
    uint32_t previous; /* the same packet's report before this one */
    uint32_t next;     /* and after; known once that frame has been seen */
    struct etl_sighting *trail_start; /* of the packet's first report */
    uint32_t dropped; /* of the first: the frame that says that the packet was; 0: none yet */
    struct etl_sighting *later; /* of the report after this one */
    const char *place_name;     /* component or interface; lives as long as the file */
    bool group_first;           /* the first with its PktGroupId and PktNumber */
    uint32_t part_of;   /* what parts of one packet have in common; 0: it is whole, or … */
    bool without_start; /* … its first part is not there */
};

/* Once, at registration. */
void etl_packet_state_register(void);

/* Lives as long as the file. Parts have no links: only whole packets do. */
struct etl_sighting *etl_sighting_of_frame(packet_info *pinfo, const struct etl_record *record,
                                           const struct etl_packet *packet);

/* Links a packet that is complete only now, `bytes` being all of it. */
void etl_sighting_link(packet_info *pinfo, const struct etl_record *record,
                       const struct etl_packet *packet, struct etl_sighting *sighting);

#endif
