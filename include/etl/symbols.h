/*
 * Names of functions from the text files of Breakpad (.sym), which dump_syms makes of a PDB.
 *
 *   MODULE windows x86_64 9B3F0C2A11D84C5EA1B2C3D4E5F607081 ntkrnlmp.pdb      GUID and age, in hexadecimal
 *   FUNC m 1234 5a 0 KiSwapContext           offset in the module, bytes, bytes of parameters, name; m may be missing
 *   PUBLIC 2000 0 KiDispatchInterrupt        goes on to the next symbol
 *
 * Such a file may be from anywhere: lines that are none of these are passed over. Knows no files and no folders.
 */
#ifndef ETL_SYMBOLS_H
#define ETL_SYMBOLS_H

#include "etl/guid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct etl_symbols;

/* 32 digits of a GUID, up to 8 of an age, NUL: the name of a module's folder, too. */
#define ETL_SYMBOLS_ID_SIZE 41

void etl_symbols_id(const struct etl_guid *pdb_id, uint32_t age, char room[ETL_SYMBOLS_ID_SIZE]);

/* NULL when the text is not that of the module with this id, holds no symbols, or memory ends. */
struct etl_symbols *etl_symbols_parse(const char *text, size_t size, const char *id);

void etl_symbols_free(struct etl_symbols *symbols); /* NULL is fine */

/* The function at an offset in the module, and how far into it; NULL: none is known there. Borrowed. */
const char *etl_symbols_find(const struct etl_symbols *symbols, uint64_t offset,
                             uint64_t *ret_into);

#endif
