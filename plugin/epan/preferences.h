/*
 * Preferences. Two of them are the reader's, which has none of its own: it gets them through the
 * environment, before a file is opened.
 */
#ifndef ETL_EPAN_PREFERENCES_H
#define ETL_EPAN_PREFERENCES_H

#include "compat/compat.h"

/* Whether later reports of a packet are kept out of conversations. */
extern etl_preference_bool etl_copies_apart;

void etl_preferences_register(int protocol);

#endif
