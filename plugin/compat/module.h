/*
 * What Wireshark looks for in a module: which version it was built for, and two functions. Defines
 * the constants, so it is included once in a module, by its plugin.c, which has the functions.
 */
#ifndef ETL_COMPAT_MODULE_H
#define ETL_COMPAT_MODULE_H

#include <stdint.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

PLUGIN_EXPORT extern const char plugin_version[];
PLUGIN_EXPORT extern const int plugin_want_major;
PLUGIN_EXPORT extern const int plugin_want_minor;
PLUGIN_EXPORT void plugin_register(void);
PLUGIN_EXPORT uint32_t plugin_describe(void);

const char plugin_version[] = ETL_VERSION;
const int plugin_want_major = ETL_WANT_MAJOR;
const int plugin_want_minor = ETL_WANT_MINOR;

#endif
