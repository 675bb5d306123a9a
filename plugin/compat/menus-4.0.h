/*
 * Filters of the packet list's context menu, and Follow Stream, in Wireshark 4.0.
 */
#ifndef ETL_COMPAT_MENUS_H
#define ETL_COMPAT_MENUS_H

#define ETL_FILTER_VALID(name) static etl_preference_bool name(packet_info *pinfo)
#define ETL_FILTER_BUILD(name) static char *name(packet_info *pinfo)

#define etl_register_conversation_filter(title, valid, build) \
    register_conversation_filter("etl", title, valid, build)

/* Streams are not counted. */
#define etl_register_follow(protocol, tap, of_packet, of_stream, of_addresses, port, add, count) \
    register_follow_stream(protocol, tap, of_packet, of_stream, of_addresses, port, add)

#endif
