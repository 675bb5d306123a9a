/*
 * Preferences. Some of them are the reader's, which has none of its own, all limits among them: it gets them through
 * the environment, before a file is opened.
 */
#ifndef ETL_EPAN_PREFERENCES_H
#define ETL_EPAN_PREFERENCES_H

#include "compat/compat.h"

/* Whether later reports of a packet are kept out of conversations. */
extern etl_preference_bool etl_copies_apart;
/* The name of the place whose report is not kept out; empty: that of the first report. */
extern const char *etl_counted_place;

void etl_preferences_register(int protocol);

#endif
