/*
 * SHA-1 as in FIPS 180-4:
 *
 *   | message | 80 | zeros | u64 bits, big-endian |    in blocks of 64 bytes
 */
#include "core/text/sha1.h"

#include <string.h>

#define BLOCK_SIZE  sizeof((struct etl_sha1 *)0)->block
#define LENGTH_SIZE 8
#define ROUNDS      80

static uint32_t rotate(uint32_t word, unsigned bits)
{
    return word << bits | word >> (32 - bits);
}

static uint32_t load(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void store(uint8_t *at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)(word >> (24 - 8 * i));
    }
}

/* The function and constant of a round, applied. */
static uint32_t mixed(unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
    switch (round / 20) {
    case 0:
        return (d ^ (b & (c ^ d))) + 0x5A827999;
    case 1:
        return (b ^ c ^ d) + 0x6ED9EBA1;
    case 2:
        return ((b & c) | (d & (b | c))) + 0x8F1BBCDC;
    default:
        return (b ^ c ^ d) + 0xCA62C1D6;
    }
}

static void add_block(struct etl_sha1 *sha1)
{
    uint32_t words[ROUNDS];
    uint32_t s[5];
    memcpy(s, sha1->state, sizeof s);
    for (unsigned i = 0; i < ROUNDS; i++) {
        words[i] = i < 16 ? load(sha1->block + 4 * (size_t)i)
                          : rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
        uint32_t next = rotate(s[0], 5) + mixed(i, s[1], s[2], s[3]) + s[4] + words[i];
        s[4] = s[3];
        s[3] = s[2];
        s[2] = rotate(s[1], 30);
        s[1] = s[0];
        s[0] = next;
    }
    for (unsigned i = 0; i < 5; i++) {
        sha1->state[i] += s[i];
    }
}

void etl_sha1_start(struct etl_sha1 *sha1)
{
    *sha1 = (struct etl_sha1){
        .state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0}};
}

void etl_sha1_add(struct etl_sha1 *sha1, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++) {
        sha1->block[sha1->size++ % BLOCK_SIZE] = at[i];
        if (sha1->size % BLOCK_SIZE == 0) {
            add_block(sha1);
        }
    }
}

void etl_sha1_end(struct etl_sha1 *sha1, uint8_t ret_digest[20])
{
    static const uint8_t one = 0x80;
    static const uint8_t zero = 0;
    uint8_t length[LENGTH_SIZE];
    store(length, (uint32_t)(sha1->size >> 29));
    store(length + 4, (uint32_t)(sha1->size << 3));
    etl_sha1_add(sha1, &one, 1);
    while (sha1->size % BLOCK_SIZE != BLOCK_SIZE - LENGTH_SIZE) {
        etl_sha1_add(sha1, &zero, 1);
    }
    etl_sha1_add(sha1, length, sizeof length);
    for (unsigned i = 0; i < 5; i++) {
        store(ret_digest + 4 * (size_t)i, sha1->state[i]);
    }
}
