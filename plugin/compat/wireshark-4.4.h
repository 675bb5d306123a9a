/*
 * What is different in Wireshark 4.4. Included through compat.h and nowhere else.
 */
#ifdef ETL_COMPAT_WIRETAP
#define ETL_DUMP_OPEN_RESULT bool
#define ETL_WTAP_HAS_SHB_IFACE_TO_GLOBAL
#define ETL_WTAP_HAS_META_EVENTS
#include "compat/wiretap-before-4.6.h"
#include <wsutil/array.h>
#endif

/* For the epan adapter: the variable behind a yes-or-no preference, and what menus are told. */
typedef bool etl_preference_bool;
#include "compat/epan-before-4.6.h"

#include "compat/menus-from-4.2.h"

/* Between the parts of a menu's path. */
#define ETL_MENU_SEPARATOR "//"

/* What reads the frames of a file. */
#define ETL_COMPAT_FRAMES "compat/frames-before-4.6.h"
