/*
 * The one door to Wireshark's differences by version: every file of the adapters includes this
 * first. CMake names the header of the version that is built for; what all share is here.
 *
 * A version header defines, for the wiretap adapter (ETL_COMPAT_WIRETAP defined before this is
 * included):
 *
 *     wtap_bool                            what reader functions return
 *     struct wtap                          which only 4.6 installs; offsets are checked when the module is loaded
 *     ETL_READ_FUNCTIONS(read, seek)       defines etl_read and etl_seek_read with the version's own parameters
 *     etl_start_record(rec, encap, block)  makes `rec` a packet record, which owns a reference to the block
 */
#ifndef ETL_COMPAT_H
#define ETL_COMPAT_H

#include <wireshark.h>

#include <glib.h>

#include ETL_COMPAT_HEADER

#endif
