/*
 * A GUID as it lies in a trace: 16 bytes, of which the first three fields are little-endian.
 *
 *   2ed6006e-4729-4609-b423-3ee7bcd678ef  is  6e 00 d6 2e  29 47  09 46  b4 23  3e e7 bc d6 78 ef
 *
 * Knows nothing of what a GUID names.
 */
#ifndef ETL_GUID_H
#define ETL_GUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct etl_guid {
    uint8_t bytes[16];
};

/* Room for the text form: 36 characters and the terminator. */
#define ETL_GUID_TEXT_SIZE 37

/* An initialiser from the numbers in the order in which Windows headers (DEFINE_GUID) have them. */
#define ETL_GUID(l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8)                                       \
    {                                                                                             \
        {                                                                                         \
            ETL_GUID_BYTE(l, 0), ETL_GUID_BYTE(l, 8), ETL_GUID_BYTE(l, 16), ETL_GUID_BYTE(l, 24), \
                ETL_GUID_BYTE(w1, 0), ETL_GUID_BYTE(w1, 8), ETL_GUID_BYTE(w2, 0),                 \
                ETL_GUID_BYTE(w2, 8), b1, b2, b3, b4, b5, b6, b7, b8                              \
        }                                                                                         \
    }
#define ETL_GUID_BYTE(number, shift) ((uint8_t)((number) >> (shift)))

static inline bool etl_guid_equal(const struct etl_guid *a, const struct etl_guid *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/*
 * Reads "2ed6006e-4729-4609-b423-3ee7bcd678ef", in either case, with or without braces around it.
 * False, and *ret_guid untouched, for any other text.
 */
bool etl_guid_parse(const char *text, struct etl_guid *ret_guid);

/* Writes the lower case form without braces. */
void etl_guid_format(const struct etl_guid *guid, char text[ETL_GUID_TEXT_SIZE]);

#endif
