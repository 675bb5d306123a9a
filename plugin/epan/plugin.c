/*
 * The module of Wireshark's epan/ folder: registers the dissector.
 */
#include "compat/compat.h"

#include "epan/dissect.h"

#include <epan/proto.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

PLUGIN_EXPORT extern const char plugin_version[];
PLUGIN_EXPORT extern const int plugin_want_major;
PLUGIN_EXPORT extern const int plugin_want_minor;
PLUGIN_EXPORT void plugin_register(void);
PLUGIN_EXPORT uint32_t plugin_describe(void);

const char plugin_version[] = ETL_VERSION;
const int plugin_want_major = ETL_WANT_MAJOR;
const int plugin_want_minor = ETL_WANT_MINOR;

/* WS_PLUGIN_DESC_DISSECTOR, asked for from 4.4 on. */
#define DESCRIBE_DISSECTOR 1

void plugin_register(void)
{
    static proto_plugin plugin = {
        .register_protoinfo = etl_dissector_register,
        .register_handoff = etl_dissector_hand_off,
    };
    proto_register_plugin(&plugin);
}

uint32_t plugin_describe(void)
{
    return DESCRIBE_DISSECTOR;
}
