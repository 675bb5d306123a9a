/* Finds the names of providers. The names are rows of providers.def. */
#include "etl/providers.h"

#include "core/text/sha1.h"
#include "etl/bytes.h"

#include <assert.h>

/* A GUID as two numbers that sort like its text. */
struct provider_key {
    uint64_t high;
    uint64_t low;
};

struct provider {
    struct provider_key key;
    const char *name;
};

static const struct provider providers[] = {
#define PROVIDER(l, w1, w2, w3, node, name)                                                        \
    {{(uint64_t)0x##l << 32 | (uint64_t)0x##w1 << 16 | 0x##w2, (uint64_t)0x##w3 << 48 | 0x##node}, \
     name},
#include "layouts/providers.def"
#undef PROVIDER
};

static struct provider_key key_of_guid(const struct etl_guid *guid)
{
    const uint8_t *bytes = guid->bytes;
    struct provider_key key = {.high = (uint64_t)etl_load_u32(bytes) << 32 |
                                       (uint64_t)etl_load_u16(bytes + 4) << 16 |
                                       etl_load_u16(bytes + 6)};
    for (size_t i = 8; i < 16; i++) {
        key.low = key.low << 8 | bytes[i];
    }
    return key;
}

static struct etl_guid guid_of_key(struct provider_key key)
{
    struct etl_guid guid;
    etl_store_u32(guid.bytes, (uint32_t)(key.high >> 32));
    etl_store_u16(guid.bytes + 4, (uint16_t)(key.high >> 16));
    etl_store_u16(guid.bytes + 6, (uint16_t)key.high);
    for (size_t i = 16; i > 8; i--) {
        guid.bytes[i - 1] = (uint8_t)key.low;
        key.low >>= 8;
    }
    return guid;
}

static bool key_less(struct provider_key a, struct provider_key b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

const char *etl_provider_name(const struct etl_guid *guid)
{
    struct provider_key key = key_of_guid(guid);
    size_t first = 0;
    size_t last = etl_provider_count();
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (key_less(providers[middle].key, key)) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    bool found = first < etl_provider_count() && !key_less(key, providers[first].key);
    return found ? providers[first].name : NULL;
}

const char *etl_provider_short_name(const char *name)
{
    static const char *const prefixes[] = {"Microsoft-Windows-", "Microsoft.Windows.", "Microsoft-",
                                           "Microsoft."};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0 && name[length] != '\0') {
            return name + length;
        }
    }
    return name;
}

/* SHA-1 of a fixed namespace and the name in upper case and UTF-16BE, marked as a version 5 UUID.
 */
bool etl_provider_name_hash(struct etl_span utf8, struct etl_guid *ret_guid)
{
    static const uint8_t name_space[16] = {0x48, 0x2C, 0x2D, 0xB2, 0xC3, 0x90, 0x47, 0xC8,
                                           0x87, 0xF8, 0x1A, 0x15, 0xBF, 0xC1, 0x30, 0xFB};
    struct etl_sha1 sha1;
    uint8_t digest[20];
    etl_sha1_start(&sha1);
    etl_sha1_add(&sha1, name_space, sizeof name_space);
    for (size_t i = 0; i < utf8.size; i++) {
        uint8_t unit[2] = {0, utf8.at[i]};
        if (unit[1] >= 0x80) {
            return false;
        }
        unit[1] -= unit[1] >= 'a' && unit[1] <= 'z' ? 'a' - 'A' : 0;
        etl_sha1_add(&sha1, unit, sizeof unit);
    }
    etl_sha1_end(&sha1, digest);
    memcpy(ret_guid->bytes, digest, sizeof ret_guid->bytes);
    ret_guid->bytes[7] = (ret_guid->bytes[7] & 0x0F) | 0x50;
    return true;
}

size_t etl_provider_count(void)
{
    return sizeof providers / sizeof providers[0];
}

const char *etl_provider_at(size_t index, struct etl_guid *ret_guid)
{
    assert(index < etl_provider_count());
    *ret_guid = guid_of_key(providers[index].key);
    return providers[index].name;
}
