/*
 * What is different in Wireshark 4.4. Included through compat.h and nowhere else.
 */
#ifdef ETL_COMPAT_WIRETAP
#define ETL_WTAP_HAS_SHB_IFACE_TO_GLOBAL
#define ETL_WTAP_HAS_META_EVENTS
#include "compat/wiretap-before-4.6.h"
#include <wsutil/array.h>
#endif
