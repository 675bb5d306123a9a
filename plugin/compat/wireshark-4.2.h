/*
 * What is different in Wireshark 4.2. Included through compat.h and nowhere else.
 */
#ifdef ETL_COMPAT_WIRETAP
#define ETL_WTAP_HAS_META_EVENTS
#include "compat/wiretap-before-4.6.h"
#endif
