/*
 * What is different in Wireshark 4.0. Included through compat.h and nowhere else.
 */
#ifdef ETL_COMPAT_WIRETAP
#define ETL_DUMP_OPEN_RESULT int
#include "compat/wiretap-before-4.6.h"

/* 4.0 writes a file with this option that it cannot open again. */
static inline void etl_add_verdict_option(wtap_block_t block, const uint8_t *bytes, size_t size)
{
    (void)block;
    (void)bytes;
    (void)size;
}
#endif

/* For the epan adapter: the variable behind a yes-or-no preference, and what menus are told. */
typedef gboolean etl_preference_bool;
#include "compat/epan-before-4.6.h"

#include "compat/menus-4.0.h"

/* Between the parts of a menu's path. */
#define ETL_MENU_SEPARATOR "/"

/* What reads the frames of a file. */
#define ETL_COMPAT_FRAMES "compat/frames-before-4.6.h"
