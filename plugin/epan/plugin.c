/*
 * The module of Wireshark's epan/ folder: registers the dissector.
 */
#include "compat/compat.h"
#include "compat/module.h"

#include "epan/dissect.h"

#include <epan/proto.h>

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
