/*
 * What Wireshark 4.0 to 4.4 have in common for the epan adapter: calls of the dissector that a table
 * has for a key, and lists of names.
 */
#ifndef ETL_COMPAT_EPAN_BEFORE_4_6_H
#define ETL_COMPAT_EPAN_BEFORE_4_6_H

#define etl_try_uint(table, key, tvb, pinfo, tree, data) \
    dissector_try_uint_new(table, key, tvb, pinfo, tree, TRUE, data)
#define etl_try_string(table, key, tvb, pinfo, tree, data) \
    dissector_try_string_new(table, key, tvb, pinfo, tree, TRUE, data)
#define etl_try_guid(table, key, tvb, pinfo, tree, data) \
    dissector_try_guid_new(table, key, tvb, pinfo, tree, TRUE, data)

#define etl_value_string_ext_new(strings, count, name) value_string_ext_new(strings, count, name)

#endif
