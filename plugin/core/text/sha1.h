/*
 * SHA-1, for what Windows makes of it: identifiers from names. Not for secrets.
 */
#ifndef ETL_CORE_SHA1_H
#define ETL_CORE_SHA1_H

#include <stddef.h>
#include <stdint.h>

struct etl_sha1 {
    uint32_t state[5];
    uint64_t size; /* bytes so far */
    uint8_t block[64];
};

void etl_sha1_start(struct etl_sha1 *sha1);
void etl_sha1_add(struct etl_sha1 *sha1, const void *bytes, size_t size);
void etl_sha1_end(struct etl_sha1 *sha1, uint8_t ret_digest[20]);

#endif
