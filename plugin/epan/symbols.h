/*
 * Names of functions for addresses in modules, from a folder of Breakpad's text files:
 *
 *     FOLDER/ntkrnlmp.pdb/9B3F0C2A11D84C5EA1B2C3D4E5F607081/ntkrnlmp.sym
 *
 * Frames say which PDB a module has; they are believed in nothing else.
 */
#ifndef ETL_EPAN_SYMBOLS_H
#define ETL_EPAN_SYMBOLS_H

#include "compat/compat.h"

#include "etl/record.h"

/* The preference; NULL or empty: none. Changed by Wireshark. */
extern const char *etl_symbols_folder;

/* Forgets what was read: the preference may have changed. */
void etl_symbols_reset(void);

/* The function at an offset in a module, and how far into it; NULL: not known. Borrowed until the next reset. */
const char *etl_symbols_function(const struct etl_record_image *image, uint64_t offset,
                                 uint64_t *ret_into);

#endif
