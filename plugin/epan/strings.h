/*
 * The core's lists of names in the shapes that Wireshark's fields want. Made when first asked for,
 * kept.
 */
#ifndef ETL_EPAN_STRINGS_H
#define ETL_EPAN_STRINGS_H

#include "compat/compat.h"

#include "etl/names.h"

#include <epan/proto.h> /* which includes value strings from wherever the version has them */

/* The same list for fields up to 32 bits and for 64. */
const value_string *etl_strings_of_list(enum etl_names_id list);
const val64_string *etl_strings64_of_list(enum etl_names_id list);

/* Of all hook ids, "Thread/CSwitch"; and of their groups, "Thread". */
value_string_ext *etl_strings_of_hooks(void);
const value_string *etl_strings_of_groups(void);

/* "Thread/CSwitch"; NULL for a hook id that nobody has named. Quick. */
const char *etl_hook_text(uint16_t hookid);

#endif
