/*
 * A dissector in C for all events of one provider: joins the table "etl.provider" of the etl plugin, as a module of its
 * own in Wireshark's folder epan/. Tested beside its siblings in Lua (../lua/orders.lua).
 *
 * Knows nothing of the etl plugin but the table's name.
 */
#include <stdint.h>

#include <epan/guid-utils.h>
#include <epan/packet.h>
#include <epan/proto.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT const char plugin_version[] = "1";
EXPORT const int plugin_want_major = WANT_MAJOR;
EXPORT const int plugin_want_minor = WANT_MINOR;
EXPORT void plugin_register(void);
EXPORT uint32_t plugin_describe(void);

static int protocol;
static int tree_type = -1; /* Wireshark up to 4.2 wants it so */
static int hf_first = -1;

/* Contoso-Items of captures/items.inc: {6f1d2b10-0a01-4a5e-9c3b-0000c0ffee09}. Tables keep the pointer. */
static guid_key provider = {
    .guid = {0x6f1d2b10, 0x0a01, 0x4a5e, {0x9c, 0x3b, 0x00, 0x00, 0xc0, 0xff, 0xee, 0x09}}};

/* Returns how many bytes it took; 0 leaves the event to others. */
static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    (void)pinfo;
    (void)data;
    proto_item *item = proto_tree_add_item(tree, protocol, tvb, 0, -1, ENC_NA);
    proto_tree_add_item(proto_item_add_subtree(item, tree_type), hf_first, tvb, 0, 4,
                        ENC_LITTLE_ENDIAN);
    return (int)tvb_captured_length(tvb);
}

static void register_protocol(void)
{
    static hf_register_info fields[] = {
        {&hf_first, {"First", "orders_c.first", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}}};
    static int *tree_types[] = {&tree_type};
    protocol = proto_register_protocol("Contoso orders", "Orders", "orders_c");
    proto_register_field_array(protocol, fields, sizeof fields / sizeof fields[0]);
    proto_register_subtree_array(tree_types, 1);
}

static void hand_off(void)
{
    dissector_add_guid("etl.provider", &provider, create_dissector_handle(dissect, protocol));
}

void plugin_register(void)
{
    static proto_plugin plugin = {.register_protoinfo = register_protocol,
                                  .register_handoff = hand_off};
    proto_register_plugin(&plugin);
}

uint32_t plugin_describe(void)
{
    return 1; /* a dissector; asked for from Wireshark 4.4 on */
}
