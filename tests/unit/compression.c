/*
 * Tests of the decompressors: on streams that others packed, on what our own compressors pack, on
 * damage, and on the compressed buffers of real traces when a folder with those is at hand.
 */
#include "compression_vectors.h"
#include "files.h"

#include "etl/bytes.h"
#include "etl/compression.h"
#include "lznt1_compress.h"
#include "xpress_compress.h"
#include "xpress_huffman_compress.h"

#include <dirent.h>
#include <stdio.h>

#define TEXT_SIZE 14047 /* what the three long vectors expand to */

/* Owned: freed by block_free(). A heap block of its own, so that a read past its end is noticed. */
struct block {
    uint8_t *data;
    size_t size;
};

struct expansion {
    struct block room;
    size_t size;
    bool good;
};

struct codec {
    enum etl_compression format;
    size_t (*compress)(const uint8_t *data, size_t size, uint8_t *room, size_t room_size);
};

static const struct codec codecs[] = {
    {ETL_COMPRESSION_LZNT1, etl_lznt1_compress},
    {ETL_COMPRESSION_XPRESS, etl_xpress_compress},
    {ETL_COMPRESSION_XPRESS_HUFFMAN, etl_xpress_huffman_compress},
};

#define CODEC_COUNT (sizeof codecs / sizeof codecs[0])

static struct block block_of(size_t size)
{
    return (struct block){.data = unit_room(size), .size = size};
}

static void block_free(struct block block)
{
    free(block.data);
}

static unsigned digit_of(char digit)
{
    return (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

static struct block block_of_digits(const char *digits)
{
    struct block block = block_of(strlen(digits) / 2);
    for (size_t i = 0; i < block.size; i++) {
        block.data[i] = (uint8_t)(digit_of(digits[2 * i]) << 4 | digit_of(digits[2 * i + 1]));
    }
    return block;
}

static struct expansion expand(enum etl_compression format, struct block packed, size_t room_size)
{
    struct expansion result = {.room = block_of(room_size)};
    result.good = etl_decompress(format, packed.data, packed.size, result.room.data, room_size,
                                 &result.size);
    CU_ASSERT_FATAL(result.size <= room_size);
    return result;
}

static struct expansion expand_digits(enum etl_compression format, const char *digits,
                                      size_t room_size)
{
    struct block packed = block_of_digits(digits);
    struct expansion result = expand(format, packed, room_size);
    block_free(packed);
    return result;
}

/* Expands into exactly the room that is needed, and compares. */
static void check_digits(enum etl_compression format, const char *digits, const char *expected,
                         size_t size)
{
    struct expansion result = expand_digits(format, digits, size);
    CU_ASSERT_TRUE(result.good);
    CU_ASSERT_EQUAL(result.size, size);
    CU_ASSERT_EQUAL(memcmp(result.room.data, expected, size), 0);
    block_free(result.room);
}

/* Damage, before which `size` bytes came out. */
static void check_damage(enum etl_compression format, const char *digits, size_t size)
{
    struct expansion result = expand_digits(format, digits, 1000);
    CU_ASSERT_FALSE(result.good);
    CU_ASSERT_EQUAL(result.size, size);
    block_free(result.room);
}

/* `size` bytes come out, all of them `value`; the room is larger by `spare`. */
static void check_run(enum etl_compression format, const char *digits, uint8_t value, size_t size,
                      size_t spare)
{
    struct expansion result = expand_digits(format, digits, size + spare);
    CU_ASSERT_TRUE(result.good);
    CU_ASSERT_EQUAL(result.size, size);
    size_t same = 0;
    while (same < result.size && result.room.data[same] == value) {
        same++;
    }
    CU_ASSERT_EQUAL(same, size);
    block_free(result.room);
}

static void examples_of_the_specification_expand(void)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";
    static const char song[] = "F# F# G A A G F# E D D E F# F# E E F# F# G A A G F# E D D E F# E D "
                               "D E E F# D E F# G F# D E F# G F# E D E A F# F# G A A G F# E D D E "
                               "F# E D D";
    char abc[301] = "";
    for (int i = 0; i < 300; i++) {
        abc[i] = "abc"[i % 3];
    }
    check_digits(ETL_COMPRESSION_XPRESS, xpress_alphabet, alphabet, 26);
    check_digits(ETL_COMPRESSION_XPRESS, xpress_abc, abc, 300);
    check_digits(ETL_COMPRESSION_XPRESS_HUFFMAN, huffman_alphabet, alphabet, 26);
    check_digits(ETL_COMPRESSION_XPRESS_HUFFMAN, huffman_abc, abc, 300);
    check_digits(ETL_COMPRESSION_LZNT1, lznt1_song, song, sizeof song);
}

static void the_same_text_expands_from_all_formats(void)
{
    struct expansion xpress = expand_digits(ETL_COMPRESSION_XPRESS, xpress_text, TEXT_SIZE);
    CU_ASSERT_TRUE(xpress.good);
    CU_ASSERT_EQUAL_FATAL(xpress.size, TEXT_SIZE);
    CU_ASSERT_EQUAL(memcmp(xpress.room.data, "Lorem ipsum dolor sit amet", 26), 0);
    const char *text = (const char *)xpress.room.data;
    check_digits(ETL_COMPRESSION_LZNT1, lznt1_text, text, TEXT_SIZE);
    check_digits(ETL_COMPRESSION_XPRESS_HUFFMAN, huffman_text, text, TEXT_SIZE);
    block_free(xpress.room);
}

static void a_clean_end_before_the_room_is_full_is_no_damage(void)
{
    struct expansion result = expand_digits(ETL_COMPRESSION_XPRESS, xpress_abc, 1000);
    CU_ASSERT_TRUE(result.good && result.size == 300);
    block_free(result.room);
    result = expand_digits(ETL_COMPRESSION_XPRESS_HUFFMAN, huffman_abc, 1000);
    CU_ASSERT_TRUE(result.good && result.size == 300);
    block_free(result.room);
    result = expand_digits(ETL_COMPRESSION_LZNT1, lznt1_song, 1000);
    CU_ASSERT_TRUE(result.good && result.size == 142);
    block_free(result.room);
}

static void what_is_not_compressed_is_copied_as_far_as_it_fits(void)
{
    check_digits(ETL_COMPRESSION_NONE, "616263", "abc", 3);
    check_digits(ETL_COMPRESSION_NONE, "616263", "ab", 2);
    struct expansion result = expand_digits(ETL_COMPRESSION_NONE, "616263", 10);
    CU_ASSERT_TRUE(result.good && result.size == 3);
    block_free(result.room);
}

static void an_unknown_format_expands_to_nothing(void)
{
    check_damage((enum etl_compression)1, "616263", 0);
    check_damage((enum etl_compression)0x103, "616263", 0);
}

static void no_room_is_full_at_once_and_may_be_null(void)
{
    for (size_t i = 0; i < CODEC_COUNT; i++) {
        size_t size = 1;
        CU_ASSERT_TRUE(etl_decompress(codecs[i].format, NULL, 0, NULL, 0, &size));
        CU_ASSERT_EQUAL(size, 0);
    }
}

static void every_length_form_of_plain_lz77_is_understood(void)
{
    enum etl_compression format = ETL_COMPRESSION_XPRESS;
    /* flags 0 1 1 ..., 'a', distance 1, length - 3 = 6; the largest that fits in the token */
    check_run(format, "ffffff7f610600", 'a', 1 + 6 + 3, 50);
    /* two matches whose nibbles, 1 and 2, share a byte */
    check_run(format, "ffffff7f610700210700", 'a', 1 + 11 + 12, 50);
    /* nibble 14, and nibble 15 with u8 0 and u8 254 */
    check_run(format, "ffffff7f6107000e", 'a', 1 + 3 + 7 + 14, 50);
    check_run(format, "ffffff7f6107000f00", 'a', 1 + 3 + 7 + 15, 50);
    check_run(format, "ffffff7f6107000ffe", 'a', 1 + 3 + 7 + 15 + 254, 50);
    /* u8 255: the length - 3 is a u16, here 277, which no u8 could say, 22, the least, and 65535 */
    check_run(format, "ffffff7f6107000fff1501", 'a', 1 + 3 + 7 + 15 + 255, 50);
    check_run(format, "ffffff7f6107000fff1600", 'a', 1 + 3 + 22, 50);
    check_run(format, "ffffff7f6107000fffffff", 'a', 1 + 3 + 65535, 50);
    /* u16 0: it is a u32 */
    check_run(format, "ffffff7f6107000fff000000000200", 'a', 1 + 3 + 0x20000, 50);
    /* 4 GiB of it stop at the room */
    check_run(format, "ffffff7f6107000fff0000ffffffff", 'a', 70000, 0);
}

static void every_length_form_of_huffman_is_understood(void)
{
    static const char *const streams[] = {"0040000000",     "00400000fe",
                                          "00400000ff0e01", "00400000ff0f00",
                                          "00400000ffffff", "00400000ff000000000200"};
    static const size_t lengths[] = {15, 15 + 254, 270, 15, 65535, 0x20000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char digits[600];
        memset(digits, '0', 512); /* the table: code 0 for 'a', code 1 for symbol 271, which is */
        digits[96] = '1';         /* distance 1 with a long length */
        digits[270] = '1';
        memcpy(digits + 512, streams[i], strlen(streams[i]) + 1);
        check_run(ETL_COMPRESSION_XPRESS_HUFFMAN, digits, 'a', 1 + 3 + lengths[i], 0);
    }
}

static void a_length_in_a_longer_form_than_possible_is_damage(void)
{
    check_damage(ETL_COMPRESSION_XPRESS, "ffffff7f6107000fff1500", 1);
    check_damage(ETL_COMPRESSION_XPRESS, "ffffff7f6107000fff000015000000", 1);
}

static void a_distance_beyond_what_came_out_is_damage(void)
{
    check_damage(ETL_COMPRESSION_XPRESS, "ffffffff0000", 0);
    check_damage(ETL_COMPRESSION_XPRESS, "ffffff7f610800", 1);
    check_damage(ETL_COMPRESSION_XPRESS, "ffffff7f610f0000", 1);
    /* far from the end of the input, where the fast loop is at work */
    check_damage(ETL_COMPRESSION_XPRESS,
                 "ffffff7f61080000000000000000000000000000000000000000000000000000000000000000"
                 "0000000000000000000000000000000000000000000000000000000000000000000000000000",
                 1);
    /* chunk of a group: flags 0 1, 'a', distance 2; then a chunk that begins with a match */
    check_damage(ETL_COMPRESSION_LZNT1, "03b002610010", 1);
    check_damage(ETL_COMPRESSION_LZNT1, "02b0010000", 0);
}

static void damaged_huffman_tables_are_refused(void)
{
    char digits[600];
    memset(digits, '1', sizeof digits); /* 512 codes of one bit */
    digits[520] = '\0';
    check_damage(ETL_COMPRESSION_XPRESS_HUFFMAN, digits, 0);
    memset(digits, '0', sizeof digits); /* no codes at all */
    digits[520] = '\0';
    check_damage(ETL_COMPRESSION_XPRESS_HUFFMAN, digits, 0);
    digits[100] = '\0'; /* not even a table */
    check_damage(ETL_COMPRESSION_XPRESS_HUFFMAN, digits, 0);
}

static void lznt1_chunks_that_are_plain_short_last_or_odd_are_told_apart(void)
{
    enum etl_compression format = ETL_COMPRESSION_LZNT1;
    check_digits(format, "0230616263", "abc", 3);
    check_digits(format, "02306162630000ffff", "abc", 3);
    check_damage(format, "0230616263ff", 3);     /* half a header */
    check_damage(format, "0230616263021061", 3); /* a header without the signature */
    check_damage(format, "05306162", 2);         /* fewer bytes than the header says */
    check_damage(format, "05b0006162", 2);

    /* zeros between a short chunk and the next one, also when they fill the room */
    struct expansion result = expand_digits(format, "0230616263003064", 5000);
    CU_ASSERT_TRUE(result.good && result.size == 4097);
    CU_ASSERT_TRUE(result.room.data[3] == 0 && result.room.data[4095] == 0);
    CU_ASSERT_EQUAL(result.room.data[4096], 'd');
    block_free(result.room);
    check_digits(format, "0230616263003064", "abc\0\0\0", 6);
}

enum kind { KIND_EQUAL, KIND_LETTERS, KIND_NOISE, KIND_TRACE, KIND_COUNT };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* Like events: a size, a marker, a few threads, a clock that advances, pointers that are alike. */
static void fill_like_a_trace(struct block block, uint32_t *state)
{
    uint64_t clock = 0x1234567890;
    for (size_t at = 0; at < block.size; at += 48) {
        uint8_t event[48] = {48, 0, 0x13, 0xC0};
        clock += next_random(state) % 5000;
        etl_store_u16(event + 6, (uint16_t)(next_random(state) % 7 * 0x20));
        etl_store_u32(event + 8, 4000 + next_random(state) % 4 * 4);
        etl_store_u64(event + 16, clock);
        etl_store_u64(event + 32, 0xFFFFF80000000000 | (next_random(state) & 0xFFFF0));
        size_t left = block.size - at;
        memcpy(block.data + at, event, left < sizeof event ? left : sizeof event);
    }
}

static struct block block_of_kind(enum kind kind, size_t size)
{
    struct block block = block_of(size);
    uint32_t state = (uint32_t)size * 7 + kind;
    if (kind == KIND_TRACE) {
        fill_like_a_trace(block, &state);
        return block;
    }
    for (size_t i = 0; i < size; i++) {
        uint32_t random = next_random(&state);
        block.data[i] = (uint8_t)(kind == KIND_EQUAL     ? 'e'
                                  : kind == KIND_LETTERS ? 'a' + random % 4
                                                         : random);
    }
    return block;
}

static struct block compress(const struct codec *codec, struct block data)
{
    struct block room = block_of(data.size + data.size / 8 + 2000);
    room.size = codec->compress(data.data, data.size, room.data, room.size);
    CU_ASSERT_FATAL(room.size > 0);
    struct block packed = block_of(room.size);
    memcpy(packed.data, room.data, room.size);
    block_free(room);
    return packed;
}

/* True when a room of this size gets what belongs there. */
static bool comes_back(const struct codec *codec, struct block packed, struct block data,
                       size_t room_size)
{
    struct expansion result = expand(codec->format, packed, room_size);
    size_t expected = room_size < data.size ? room_size : data.size;
    bool same = result.good && result.size == expected &&
                (expected == 0 || memcmp(result.room.data, data.data, expected) == 0);
    block_free(result.room);
    return same;
}

static void check_round_trip(const struct codec *codec, enum kind kind, size_t size)
{
    struct block data = block_of_kind(kind, size);
    struct block packed = compress(codec, data);
    bool same = comes_back(codec, packed, data, size);
    same = same && comes_back(codec, packed, data, size / 2);
    same = same && comes_back(codec, packed, data, size > 0 ? size - 1 : 0);
    same = same && comes_back(codec, packed, data, size + 100);
    CU_ASSERT_TRUE(same);
    if (!same) {
        printf("format %d, kind %d, size %zu\n", (int)codec->format, (int)kind, size);
    }
    uint8_t *room = block_of(packed.size).data;
    CU_ASSERT_EQUAL(codec->compress(data.data, size, room, packed.size), packed.size);
    CU_ASSERT_EQUAL(codec->compress(data.data, size, room, packed.size - 1), 0);
    free(room);
    block_free(packed);
    block_free(data);
}

static void everything_packed_comes_back(void)
{
    static const size_t sizes[] = {4095,  4096,  4097,  8191,   8192,   8193,  12288,
                                   65535, 65536, 65537, 100000, 131072, 200000};
    for (size_t i = 0; i < CODEC_COUNT; i++) {
        for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
            for (size_t size = 0; size < 130; size++) {
                check_round_trip(&codecs[i], kind, size);
            }
            for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
                check_round_trip(&codecs[i], kind, sizes[j]);
            }
        }
    }
}

/* In this one symbol 256 is the most frequent, its code is zeros as the padding is, and it is last.
 */
static void a_match_of_symbol_256_is_not_taken_for_the_end(void)
{
    static const char text[] = "aaaabbbbccccddddeeeeffff";
    const struct codec *codec = &codecs[2];
    struct block data = block_of(sizeof text - 1);
    memcpy(data.data, text, data.size);
    struct block packed = compress(codec, data);
    for (size_t room = 0; room <= data.size; room++) {
        CU_ASSERT_TRUE(comes_back(codec, packed, data, room));
    }
    struct expansion result = expand(codec->format, packed, data.size + 200);
    CU_ASSERT_TRUE(result.good && result.size <= data.size);
    CU_ASSERT_EQUAL(memcmp(result.room.data, text, result.size), 0);
    block_free(result.room);
    block_free(packed);
    block_free(data);
}

static void a_run_of_literals_and_every_distance_below_32_come_back(void)
{
    for (size_t period = 1; period < 32; period++) {
        struct block data = block_of_kind(KIND_NOISE, 600);
        for (size_t i = 300; i < data.size; i++) {
            data.data[i] = data.data[i - period];
        }
        for (size_t i = 0; i < CODEC_COUNT; i++) {
            struct block packed = compress(&codecs[i], data);
            for (size_t room = 280; room < data.size; room++) {
                CU_ASSERT_TRUE(comes_back(&codecs[i], packed, data, room));
            }
            block_free(packed);
        }
        block_free(data);
    }
}

/* What unit_every_truncation() cannot pass on. */
static const struct codec *truncated_codec;
static struct block truncated_data;

/* Whatever a truncated input is called, good or not, what came out must be right. */
static void check_truncation(const uint8_t *data, size_t size)
{
    struct block packed = {.data = block_of(size).data, .size = size};
    if (size > 0) {
        memcpy(packed.data, data, size);
    }
    struct expansion result = expand(truncated_codec->format, packed, truncated_data.size);
    CU_ASSERT_EQUAL(memcmp(result.room.data, truncated_data.data, result.size), 0);
    block_free(result.room);
    block_free(packed);
}

static void every_truncation_expands_to_a_beginning(void)
{
    for (size_t i = 0; i < CODEC_COUNT; i++) {
        for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
            truncated_codec = &codecs[i];
            truncated_data = block_of_kind(kind, 5000);
            struct block packed = compress(truncated_codec, truncated_data);
            unit_every_truncation(packed.data, packed.size, check_truncation);
            block_free(packed);
            block_free(truncated_data);
        }
    }
}

static void mutated_input_stays_within_its_room(void)
{
    uint32_t state = 1;
    for (size_t i = 0; i < CODEC_COUNT; i++) {
        struct block data = block_of_kind(KIND_TRACE, 3000);
        struct block packed = compress(&codecs[i], data);
        for (int round = 0; round < 3000; round++) {
            uint8_t *place = &packed.data[next_random(&state) % packed.size];
            uint8_t before = *place;
            *place = (uint8_t)next_random(&state);
            block_free(expand(codecs[i].format, packed, data.size).room);
            *place = round % 4 == 0 ? *place : before;
        }
        block_free(packed);
        block_free(data);
    }
}

static struct block block_of_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fseek(file, 0, SEEK_END);
    struct block block = block_of((size_t)ftell(file));
    rewind(file);
    block.size = fread(block.data, 1, block.size, file);
    fclose(file);
    return block;
}

/* A buffer's header: u32 size, +2C u32 state, +30 u32 bytes in use, +34 u16 flags, 40: compressed
 */
#define HEADER_SIZE 0x48

/* The buffers of one file; returns how many of them are compressed. */
static size_t check_buffers(struct block file)
{
    size_t count = 0;
    struct etl_bytes rest = etl_bytes_of(file.data, file.size);
    while (etl_bytes_left(&rest) >= HEADER_SIZE) {
        size_t size = etl_load_u32(rest.at);
        const uint8_t *buffer = etl_bytes_take(&rest, size > HEADER_SIZE ? size : HEADER_SIZE);
        if (buffer == NULL) {
            break;
        }
        size_t used = etl_load_u32(buffer + 0x30);
        if ((etl_load_u16(buffer + 0x34) & 0x40) == 0 || used < HEADER_SIZE + 4) {
            continue;
        }
        struct block packed = block_of(size - HEADER_SIZE);
        memcpy(packed.data, buffer + HEADER_SIZE, packed.size);
        enum etl_compression format = etl_load_u32(file.data + 0x2C) & 0xFFFF;
        struct expansion result = expand(format, packed, used - HEADER_SIZE);
        CU_ASSERT_TRUE(result.good);
        CU_ASSERT_EQUAL_FATAL(result.size, used - HEADER_SIZE);
        CU_ASSERT_TRUE(result.room.data[3] == 0xC0 || result.room.data[3] == 0x90);
        block_free(result.room);
        block_free(packed);
        count++;
    }
    return count;
}

static void compressed_buffers_of_real_traces_expand_to_what_their_headers_say(void)
{
    char folder[1000];
    files_shared_path("corpus", folder, sizeof folder);
    DIR *corpus = opendir(folder);
    if (corpus == NULL) {
        printf("skipped: no corpus ");
        return;
    }
    size_t count = 0;
    const struct dirent *entry;
    while ((entry = readdir(corpus)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strcmp(dot, ".etl") == 0) {
            char path[2000];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            struct block file = block_of_file(path);
            count += check_buffers(file);
            block_free(file);
        }
    }
    closedir(corpus);
    printf("%zu buffers ", count);
    CU_ASSERT_TRUE(count > 0);
}

UNIT_SUITE("compression",
           {"the examples of the specification expand", examples_of_the_specification_expand},
           {"the same text expands from all formats", the_same_text_expands_from_all_formats},
           {"a clean end before the room is full is no damage",
            a_clean_end_before_the_room_is_full_is_no_damage},
           {"what is not compressed is copied as far as it fits",
            what_is_not_compressed_is_copied_as_far_as_it_fits},
           {"an unknown format expands to nothing", an_unknown_format_expands_to_nothing},
           {"no room is full at once, and may be NULL", no_room_is_full_at_once_and_may_be_null},
           {"every length form of plain LZ77 is understood",
            every_length_form_of_plain_lz77_is_understood},
           {"every length form of XPRESS_HUFF is understood",
            every_length_form_of_huffman_is_understood},
           {"a length in a longer form than possible is damage",
            a_length_in_a_longer_form_than_possible_is_damage},
           {"a distance beyond what came out is damage", a_distance_beyond_what_came_out_is_damage},
           {"damaged Huffman tables are refused", damaged_huffman_tables_are_refused},
           {"LZNT1 chunks that are plain, short, last or odd are told apart",
            lznt1_chunks_that_are_plain_short_last_or_odd_are_told_apart},
           {"everything packed comes back, in rooms of any size", everything_packed_comes_back},
           {"a match of symbol 256 is not taken for the end",
            a_match_of_symbol_256_is_not_taken_for_the_end},
           {"a run of literals and every distance below 32 come back",
            a_run_of_literals_and_every_distance_below_32_come_back},
           {"every truncation expands to a beginning", every_truncation_expands_to_a_beginning},
           {"mutated input stays within its room", mutated_input_stays_within_its_room},
           {"compressed buffers of real traces expand to what their headers say",
            compressed_buffers_of_real_traces_expand_to_what_their_headers_say})
