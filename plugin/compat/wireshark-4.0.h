/*
 * What is different in Wireshark 4.0. Included through compat.h and nowhere else.
 */
#ifdef ETL_COMPAT_WIRETAP
#include "compat/wiretap-before-4.6.h"
#endif
