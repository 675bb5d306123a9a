/*
 * Labels in Microsoft's spelling to the lower snake case of filter names.
 *
 *   NewThreadId  new_thread_id     UserSID  user_sid        CPUSpeed     cpu_speed
 *   TcpIp        tcp_ip            USB3Hub  usb3_hub        IPv4Address  ipv4_address
 *   DPC_LE       dpc_le            GUIDs    guids           SpeedInMHz   speed_in_mhz
 *
 * Knows nothing of which names are taken or too long.
 */
#ifndef ETL_SNAKE_H
#define ETL_SNAKE_H

#include <stddef.h>

/*
 * Writes the name of `label` into `room` (`size` bytes), cut if need be and always terminated when
 * size > 0. Returns the length of the whole name, as snprintf does; 0 for a label without any ASCII
 * letter or digit. All other characters, also those outside ASCII, become one underscore between
 * two words and nothing at the ends.
 */
size_t etl_snake_case(const char *label, char *room, size_t size);

#endif
