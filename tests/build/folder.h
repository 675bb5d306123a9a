/*
 * Every description of a capture in a folder and those below it.
 */
#ifndef ETLBUILD_FOLDER_H
#define ETLBUILD_FOLDER_H

#include <stdbool.h>

/* Calls `each` with every path ending in .txt, in order of names. False when a call was, or when
   the folder cannot be read; the others are called all the same. */
bool folder_each_text(const char *folder, bool (*each)(const char *path, void *context),
                      void *context);

#endif
