/*
 * What is different in Wireshark 4.0. Included through compat.h and nowhere else.
 */
#ifdef ETL_COMPAT_WIRETAP
#define ETL_DUMP_OPEN_RESULT int
#include "compat/wiretap-before-4.6.h"
#endif

/* For the epan adapter: the variable behind a yes-or-no preference, and calls of the dissector that
 * a table has for a key. */
typedef gboolean etl_preference_bool;

#define etl_try_uint(table, key, tvb, pinfo, tree, data) \
    dissector_try_uint_new(table, key, tvb, pinfo, tree, TRUE, data)
#define etl_try_string(table, key, tvb, pinfo, tree, data) \
    dissector_try_string_new(table, key, tvb, pinfo, tree, TRUE, data)
#define etl_try_guid(table, key, tvb, pinfo, tree, data) \
    dissector_try_guid_new(table, key, tvb, pinfo, tree, TRUE, data)

#define etl_value_string_ext_new(strings, count, name) value_string_ext_new(strings, count, name)
