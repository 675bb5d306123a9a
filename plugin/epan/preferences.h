/*
 * Preferences. Two of them are the reader's, which has none of its own: it gets them through the
 * environment, before a file is opened.
 */
#ifndef ETL_EPAN_PREFERENCES_H
#define ETL_EPAN_PREFERENCES_H

void etl_preferences_register(int protocol);

#endif
