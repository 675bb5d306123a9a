/*
 * What is different in Wireshark 4.4. Included through compat.h and nowhere else.
 */
#ifdef ETL_COMPAT_WIRETAP
#define ETL_DUMP_OPEN_RESULT bool
#define ETL_WTAP_HAS_SHB_IFACE_TO_GLOBAL
#define ETL_WTAP_HAS_META_EVENTS
#include "compat/wiretap-before-4.6.h"
#include <wsutil/array.h>

/* What dropped the packet; hardware's verdicts are bytes of its own. */
static inline void etl_add_verdict_option(wtap_block_t block, const uint8_t *bytes, size_t size)
{
    packet_verdict_opt_t verdict = {.type = packet_verdict_hardware};
    verdict.data.verdict_bytes = g_byte_array_new();
    g_byte_array_append(verdict.data.verdict_bytes, bytes, (unsigned)size);
    wtap_block_add_packet_verdict_option(block, OPT_PKT_VERDICT, &verdict);
    g_byte_array_free(verdict.data.verdict_bytes, TRUE);
}
#endif

/* For the epan adapter: the variable behind a yes-or-no preference, and what menus are told. */
typedef bool etl_preference_bool;
#include "compat/epan-before-4.6.h"

#include "compat/menus-from-4.2.h"

/* Between the parts of a menu's path. */
#define ETL_MENU_SEPARATOR "//"

/* What reads the frames of a file. */
#define ETL_COMPAT_FRAMES "compat/frames-before-4.6.h"
