/*
 * Words that put network packets, inside out: each layer knows its own header, the layer around it
 * adds lengths and checksums.
 *
 *   ethernet from=02:00:00:00:00:01 to=02:00:00:00:00:02
 *     ip4 from=192.0.2.10 to=192.0.2.53 id=7
 *       udp from=50000 to=53 : be16 0x1234 0x0100 1 0 0 0; dns_name "www.contoso.com"; be16 1 1
 *
 * Checksums of TCP and UDP cover the addresses (RFC 768, 9293, 8200), so ip4 and ip6 put them.
 */
#include "builder.h"

#include <string.h>

enum {
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_IPV6 = 0x86dd,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    TCP_CHECKSUM_AT = 16,
    UDP_CHECKSUM_AT = 6,
};

static const struct number_name tcp_flags[] = {{"FIN", 1},  {"SYN", 2},  {"RST", 4}, {"PSH", 8},
                                               {"ACK", 16}, {"URG", 32}, {NULL, 0}};

static uint32_t sum_words(const uint8_t *data, size_t size, uint32_t sum)
{
    for (size_t i = 0; i < size; i++) {
        sum += i % 2 == 0 ? (uint32_t)data[i] << 8 : data[i];
    }
    return sum;
}

/* RFC 1071: ones' complement of the ones' complement sum. */
static uint16_t internet_checksum(uint32_t sum)
{
    while (sum >> 16 != 0) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return (uint16_t)~sum;
}

/* What the packet holds, put together before the header that counts it. */
static struct blob packet_body(struct builder *builder, struct statement *statement)
{
    struct blob body = {0};
    builder_run_into(builder, statement->node->child, &body);
    return body;
}

static void put_key_bytes(struct builder *builder, struct statement *statement, const char *key,
                          void (*put)(struct builder *, const struct statement *, const char *,
                                      struct blob *),
                          struct blob *blob)
{
    const char *text = builder_key_text(builder, statement, key);
    if (text == NULL) {
        builder_fail(builder, statement->node, "'%s' needs %s=", statement->words[0], key);
        return;
    }
    put(builder, statement, text, blob);
}

static void put_ethernet(struct builder *builder, struct statement *statement)
{
    struct blob body = packet_body(builder, statement);
    put_key_bytes(builder, statement, "to", builder_put_mac, builder->bytes);
    put_key_bytes(builder, statement, "from", builder_put_mac, builder->bytes);
    bool ipv6 = body.size > 0 && body.data[0] >> 4 == 6;
    uint64_t type = ipv6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4;
    blob_put_big(builder->bytes, builder_key_number(builder, statement, "type", NULL, type), 2);
    blob_put(builder->bytes, body.data, body.size);
    blob_free(&body);
}

/* The checksum of the TCP segment or UDP datagram in `body` between two addresses. */
static void set_transport_checksum(uint64_t protocol, const uint8_t *addresses, size_t size,
                                   struct blob *body)
{
    size_t at = protocol == PROTOCOL_TCP ? TCP_CHECKSUM_AT : UDP_CHECKSUM_AT;
    if ((protocol != PROTOCOL_TCP && protocol != PROTOCOL_UDP) || body->size < at + 2 ||
        body->data[at] != 0 || body->data[at + 1] != 0) {
        return; /* not ours to fill, or given in the text */
    }
    uint32_t sum = sum_words(addresses, size, (uint32_t)(protocol + body->size));
    blob_set_big(body, at, internet_checksum(sum_words(body->data, body->size, sum)), 2);
}

static void put_and_free(struct builder *builder, struct blob *blob)
{
    blob_put(builder->bytes, blob->data, blob->size);
    blob_free(blob);
}

static void put_ip4(struct builder *builder, struct statement *statement)
{
    struct blob header = {0};
    struct blob body = packet_body(builder, statement);
    uint64_t protocol = builder_key_number(builder, statement, "protocol", NULL,
                                           builder->transport);
    blob_put_big(&header, 0x4500, 2);
    blob_put_big(&header, 20 + body.size, 2);
    blob_put_big(&header, builder_key_number(builder, statement, "id", NULL, 0), 2);
    blob_put_big(&header, 0x4000, 2); /* don't fragment */
    blob_put_big(&header, builder_key_number(builder, statement, "ttl", NULL, 64), 1);
    blob_put_big(&header, protocol, 1);
    blob_put_big(&header, 0, 2);
    put_key_bytes(builder, statement, "from", builder_put_ipv4, &header);
    put_key_bytes(builder, statement, "to", builder_put_ipv4, &header);
    if (header.size == 20) {
        blob_set_big(&header, 10, internet_checksum(sum_words(header.data, 20, 0)), 2);
        set_transport_checksum(protocol, header.data + 12, 8, &body);
    }
    put_and_free(builder, &header);
    put_and_free(builder, &body);
}

static void put_ip6(struct builder *builder, struct statement *statement)
{
    struct blob header = {0};
    struct blob body = packet_body(builder, statement);
    uint64_t protocol = builder_key_number(builder, statement, "protocol", NULL,
                                           builder->transport);
    blob_put_big(&header, 0x60000000, 4);
    blob_put_big(&header, body.size, 2);
    blob_put_big(&header, protocol, 1);
    blob_put_big(&header, builder_key_number(builder, statement, "hops", NULL, 64), 1);
    put_key_bytes(builder, statement, "from", builder_put_ipv6, &header);
    put_key_bytes(builder, statement, "to", builder_put_ipv6, &header);
    if (header.size == 40) {
        set_transport_checksum(protocol, header.data + 8, 32, &body);
    }
    put_and_free(builder, &header);
    put_and_free(builder, &body);
}

static void put_ports(struct builder *builder, struct statement *statement)
{
    blob_put_big(builder->bytes, builder_key_number(builder, statement, "from", NULL, 0), 2);
    blob_put_big(builder->bytes, builder_key_number(builder, statement, "to", NULL, 0), 2);
}

static void put_udp(struct builder *builder, struct statement *statement)
{
    struct blob body = packet_body(builder, statement);
    put_ports(builder, statement);
    blob_put_big(builder->bytes, 8 + body.size, 2);
    blob_put_big(builder->bytes, builder_key_number(builder, statement, "checksum", NULL, 0), 2);
    blob_put(builder->bytes, body.data, body.size);
    builder->transport = PROTOCOL_UDP;
    blob_free(&body);
}

/* options= is hex, a multiple of four bytes. */
static void put_tcp(struct builder *builder, struct statement *statement)
{
    struct blob options = {0};
    struct blob body = packet_body(builder, statement);
    const char *hex = builder_key_text(builder, statement, "options");
    if (hex != NULL) {
        builder_put_hex(builder, statement, hex, &options);
    }
    if (options.size % 4 != 0) {
        builder_fail(builder, statement->node, "TCP options are a multiple of 4 bytes");
    }
    uint64_t words = 5 + options.size / 4;
    put_ports(builder, statement);
    blob_put_big(builder->bytes, builder_key_number(builder, statement, "seq", NULL, 0), 4);
    blob_put_big(builder->bytes, builder_key_number(builder, statement, "ack", NULL, 0), 4);
    blob_put_big(builder->bytes,
                 words << 12 | builder_key_number(builder, statement, "flags", tcp_flags, 16), 2);
    blob_put_big(builder->bytes, builder_key_number(builder, statement, "window", NULL, 64240), 2);
    blob_put_big(builder->bytes, builder_key_number(builder, statement, "checksum", NULL, 0), 2);
    blob_put_big(builder->bytes, 0, 2);
    blob_put(builder->bytes, options.data, options.size);
    blob_put(builder->bytes, body.data, body.size);
    builder->transport = PROTOCOL_TCP;
    blob_free(&options);
    blob_free(&body);
}

/* "www.contoso.com" as labels with their lengths. */
static void put_dns_name(struct builder *builder, struct statement *statement)
{
    const char *at = builder_text(builder, statement, 1);
    while (*at != '\0') {
        size_t size = strcspn(at, ".");
        blob_put_number(builder->bytes, size, 1);
        blob_put(builder->bytes, at, size);
        at += size + (at[size] == '.');
    }
    blob_put_number(builder->bytes, 0, 1);
    builder_holds_nothing(builder, statement);
}

bool run_packet(struct builder *builder, struct statement *statement)
{
    static const struct builder_put words[] = {
        {"ethernet", put_ethernet}, {"ip4", put_ip4}, {"ip6", put_ip6},
        {"udp", put_udp},           {"tcp", put_tcp}, {"dns_name", put_dns_name}};
    return builder_put_word(builder, statement, words, sizeof words / sizeof words[0]);
}
