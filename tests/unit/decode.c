/* The interpreter of layout rows, over layouts of its own. */
#include "etl/decode.h"

#include "null_sink.h"
#include "text_sink.h"
#include "unit.h"

static const struct etl_clock clock_10mhz = {.kind = ETL_CLOCK_PERFORMANCE_COUNTER,
                                             .frequency = 10000000,
                                             .base_raw = 1000,
                                             .base_filetime = 5000000};
static const struct etl_clock no_clock = {.kind = ETL_CLOCK_UNKNOWN};

static const struct etl_clock *the_clock = &clock_10mhz;
static uint8_t the_pointer_size = 8;
static const char *the_unwanted;
static struct etl_layout layout;

/* What etl_layouts_start does for the rows of the tables. */
static void use_layout(struct etl_field *fields, size_t count)
{
    etl_layouts_start();
    layout = (struct etl_layout){.id = "test", .class_name = "", .fields = fields, .count = count};
    for (size_t i = 0; i < count; i++) {
        fields[i].filter = "etl.test";
    }
    etl_layout_complete(&layout);
}

static void decode_into_nothing(const uint8_t *data, size_t size)
{
    struct null_sink sink = null_sink_new();
    struct etl_decoder decoder = {
        .sink = &sink.sink, .clock = the_clock, .pointer_size = the_pointer_size};
    CU_ASSERT_TRUE(etl_decode_layout(&decoder, &layout, data, size) <= size);
    null_sink_check(&sink);
}

/* Decodes the bytes, in a block of their own, and compares; then every truncation of them. */
static void expect(const uint8_t *data, size_t size, size_t covered, const char *expected)
{
    static struct text_sink sink;
    etl_layout_complete(&layout); /* a test may have changed a row since */
    uint8_t *copy = unit_copy(data, size);
    text_sink_start(&sink);
    sink.unwanted = the_unwanted;
    struct etl_decoder decoder = {
        .sink = &sink.sink, .clock = the_clock, .pointer_size = the_pointer_size};
    CU_ASSERT_EQUAL(etl_decode_layout(&decoder, &layout, copy, size), covered);
    unit_same_text(sink.text, expected);
    free(copy);
    unit_every_truncation(data, size, decode_into_nothing);
}

#define LAYOUT(...)                                   \
    static struct etl_field fields[] = {__VA_ARGS__}; \
    use_layout(fields, sizeof fields / sizeof fields[0])
#define FIELD(field_type, field_label, ...)                               \
    {                                                                     \
        .label = #field_label, .type = ETL_TYPE_##field_type, __VA_ARGS__ \
    }
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define EXPECT_ALL(text, ...) \
    expect(BYTES(__VA_ARGS__), sizeof((const uint8_t[]){__VA_ARGS__}), text)

static void test_numbers(void)
{
    LAYOUT(FIELD(U8, A), FIELD(U16, B), FIELD(U32, C), FIELD(U64, D), FIELD(HEX8, E),
           FIELD(HEX16, F), FIELD(HEX32, G), FIELD(HEX64, H));
    EXPECT_ALL("A=255 B=65535 C=4294967295 D=18446744073709551615 E=0xff F=0x102 G=0x1020304 "
               "H=0x102030405060708",
               0xFF,                                           /* A */
               0xFF, 0xFF,                                     /* B */
               0xFF, 0xFF, 0xFF, 0xFF,                         /* C */
               0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, /* D */
               0xFF,                                           /* E */
               0x02, 0x01,                                     /* F */
               0x04, 0x03, 0x02, 0x01,                         /* G */
               0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01);
}

static void test_signed(void)
{
    LAYOUT(FIELD(I8, A), FIELD(I16, B), FIELD(I32, C), FIELD(I64, D), FIELD(I8, E));
    EXPECT_ALL("A=-1 B=-32768 C=-2147483648 D=-9223372036854775808 E=127", 0xFF, /* A */
               0x00, 0x80,                                                       /* B */
               0x00, 0x00, 0x00, 0x80,                                           /* C */
               0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80,                   /* D */
               0x7F);
}

static void test_other_numbers(void)
{
    LAYOUT(FIELD(BOOL8, A), FIELD(BOOL32, B), FIELD(BOOL32, C), FIELD(PORT, D), FIELD(FLOAT, E),
           FIELD(DOUBLE, F));
    EXPECT_ALL("A=true B=true C=false D=443 E=1.5 F=-2.25", 0x02, /* any bit is true */
               0x00, 0x00, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00,    /* B, C */
               0x01, 0xBB,                                        /* big-endian 443 */
               0x00, 0x00, 0xC0, 0x3F,                            /* 1.5 */
               0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xC0);   /* -2.25 */
}

/* A sink sees 0 or 1, whatever the width and the bits that are set. */
static void test_booleans(void)
{
    static const uint8_t bits[4] = {0x00, 0x80, 0x00, 0x00};
    static const uint8_t none[4];
    static const struct etl_field fields[] = {
        {.type = ETL_TYPE_BOOL8, .width = 1, .fixed_at = {1, 1}},
        {.type = ETL_TYPE_BOOL16, .width = 2},
        {.type = ETL_TYPE_BOOL32, .width = 4}};
    const struct etl_decoder decoder = {.pointer_size = 8};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct etl_value value;
        etl_decode_fixed(&decoder, &fields[i], bits, &value);
        CU_ASSERT_EQUAL(value.number, 1);
        etl_decode_fixed(&decoder, &fields[i], none, &value);
        CU_ASSERT_EQUAL(value.number, 0);
    }
}

static void test_pointers(void)
{
    LAYOUT(FIELD(POINTER, A), FIELD(SIZE, B));
    EXPECT_ALL("A=0xfffff80002f56000 B=16", 0x00, 0x60, 0xF5, 0x02, 0x00, 0xF8, 0xFF, 0xFF, /* A */
               0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00);
    the_pointer_size = 4;
    EXPECT_ALL("A=0x80f56000 B=16", 0x00, 0x60, 0xF5, 0x80, 0x10, 0x00, 0x00, 0x00);
    the_pointer_size = 8;
}

static void test_times(void)
{
    LAYOUT(FIELD(FILETIME, A), FIELD(CLOCKTIME, B), FIELD(UNIXTIME, C), FIELD(SYSTEMTIME, D));
    static const uint8_t bytes[] = {
        0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* 1 */
        0xE7, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* raw 999: a tick before the base */
        0xFF, 0xFF, 0xFF, 0xFF,                         /* 2106-02-07 */
        0xEA, 0x07, 0x03, 0x00, 0x00, 0x00, 0x01, 0x00, /* 2026-03, Sunday, 1st */
        0x09, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* 09:00:00.000 */
    };
    expect(bytes, sizeof bytes, sizeof bytes,
           "A=1 B=4999999 C=159394408950000000 "
           "D=[ea 07 03 00 00 00 01 00 09 00 00 00 00 00 00 00]");
    the_clock = &no_clock;
    expect(bytes, 16, 16, "A=1 B=raw:999");
    the_clock = &clock_10mhz;
}

static void test_addresses(void)
{
    LAYOUT(FIELD(GUID, A), FIELD(IPV4, B), FIELD(IPV6, C), FIELD(ETHER, D));
    EXPECT_ALL("A=2ed6006e-4729-4609-b423-3ee7bcd678ef B=[c0 a8 01 02] "
               "C=[20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 01] D=[02 00 5e 10 00 01]",
               0x6E, 0x00, 0xD6, 0x2E, 0x29, 0x47, 0x09, 0x46,                         /* A */
               0xB4, 0x23, 0x3E, 0xE7, 0xBC, 0xD6, 0x78, 0xEF, 0xC0, 0xA8, 0x01, 0x02, /* B */
               0x20, 0x01, 0x0D, 0xB8, 0x00, 0x00, 0x00, 0x00,                         /* C */
               0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,                         /* C */
               0x02, 0x00, 0x5E, 0x10, 0x00, 0x01);
}

static void test_texts(void)
{
    LAYOUT(FIELD(ANSI, A), FIELD(UTF8, B), FIELD(UTF16, C), FIELD(U8, D));
    EXPECT_ALL("A=\"caf\xC3\xA9\" B=\"\xE2\x82\xAC\" C=\"x\" D=7", 'c', 'a', 'f', 0xE9,
               0x00,                   /* A */
               0xE2, 0x82, 0xAC, 0x00, /* B */
               'x', 0x00, 0x00, 0x00,  /* C */
               0x07);
}

static void test_unterminated(void)
{
    LAYOUT(FIELD(ANSI, A), FIELD(UTF16, B), FIELD(U8, C));
    EXPECT_ALL("A=\"ab\" !NO_TERMINATOR(2)", 'a', 'b');
    /* A NUL that is not on a character's boundary is none; half a character is not shown. */
    EXPECT_ALL("A=\"\" B=\"\xE6\x84\x80\xC4\x80\" !NO_TERMINATOR(5)", 0x00, /* A */
               0x00, 0x61, 0x00, 0x01, 0x00);
}

static void test_fixed_texts(void)
{
    LAYOUT(FIELD(UTF16, A, .length = 3), FIELD(ANSI, B, .length = 4), FIELD(U8, C));
    EXPECT_ALL("A=\"x\" B=\"abcd\" C=7", 'x', 0x00, 0x00, 0x00, 'y', 0x00, /* ends at the NUL */
               'a', 'b', 'c', 'd',                                         /* needs none */
               0x07);
    EXPECT_ALL("A=\"xyz\" B=\"\" C=7", 'x', 0x00, 'y', 0x00, 'z', 0x00, /* A */
               0x00, 'b', 'c', 'd', 0x07);
    expect(BYTES('x', 0x00, 'y', 0x00, 'z'), 0, "!TRUNCATED(5)");
}

static void test_counted_texts(void)
{
    LAYOUT(FIELD(U8, Length), FIELD(UTF16, A, .count = "Length"), FIELD(U8, Number),
           FIELD(ANSI, B, .count = "Number"));
    EXPECT_ALL("Length=1 A=\"x\" Number=2 B=\"ab\"", 0x01, 'x', 0x00, 0x02, 'a', 'b');
    EXPECT_ALL("Length=0 A=\"\" Number=0", 0x00, 0x00);
    expect(BYTES(0xFF, 'x', 0x00), 1, "Length=255 !TRUNCATED(2)");
}

static void test_rest_of_texts(void)
{
    LAYOUT(FIELD(UTF16, A, .count = ETL_REST, .array = true));
    EXPECT_ALL("A=\"x\" A=\"\" A=\"y\" !NO_TERMINATOR(3)", 'x', 0x00, 0x00, 0x00, /* "x" */
               0x00, 0x00, 'y', 0x00, 0x00);
}

static void test_bytes(void)
{
    LAYOUT(FIELD(U16, Length), FIELD(BYTES, A, .count = "Length"), FIELD(BYTES, B, .length = 2),
           FIELD(BYTES, C), FIELD(U8, D));
    EXPECT_ALL("Length=1 A=[01] B=[02 03] C=[04 05]", 0x01, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05);
    EXPECT_ALL("Length=0 B=[02 03]", 0x00, 0x00, 0x02, 0x03);
    expect(BYTES(0xFF, 0xFF, 0x01, 0x02), 2, "Length=65535 !TRUNCATED(2)");
    expect(BYTES(0x01, 0x00, 0x01, 0x02), 3, "Length=1 A=[01] !TRUNCATED(1)");
}

static void test_counts(void)
{
    LAYOUT(FIELD(U8, Number), FIELD(U16, A, .count = "Number"), FIELD(U8, B, .length = 2),
           FIELD(U16, C, .count = ETL_REST));
    EXPECT_ALL("Number=2 A=1 A=2 B=3 B=4 C=5 C=6", 0x02, 0x01, 0x00, 0x02, 0x00, 0x03, 0x04, 0x05,
               0x00, 0x06, 0x00);
    EXPECT_ALL("Number=0 B=3 B=4", 0x00, 0x03, 0x04);
    expect(BYTES(0x02, 0x01, 0x00, 0x02), 3, "Number=2 A=1 !TRUNCATED(1)");
    expect(BYTES(0x00, 0x03, 0x04, 0x05), 3, "Number=0 B=3 B=4 !TRUNCATED(1)");
    /* Ends between two elements: the second is missing all the same. */
    expect(BYTES(0x02, 0x01, 0x00), 3, "Number=2 A=1 !TRUNCATED(0)");
    expect(BYTES(0x00, 0x03), 2, "Number=0 B=3 !TRUNCATED(0)");
}

static void test_huge_counts(void)
{
    LAYOUT(FIELD(U64, Number), FIELD(UTF16, A, .count = "Number"));
    expect(BYTES(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 'x', 0x00), 8,
           "Number=18446744073709551615 !TRUNCATED(2)");
    expect(BYTES(0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 'x', 0x00), 8,
           "Number=9223372036854775809 !TRUNCATED(2)");
    fields[1].type = ETL_TYPE_BYTES;
    expect(BYTES(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 'x', 0x00), 8,
           "Number=18446744073709551615 !TRUNCATED(2)");
    fields[1].type = ETL_TYPE_U8;
    expect(BYTES(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01), 9,
           "Number=18446744073709551615 A=1 !TRUNCATED(0)");
}

static void test_mask(void)
{
    LAYOUT(FIELD(HEX16, Version), FIELD(U8, A, .count = "Version", .count_mask = 0x0700),
           FIELD(U8, B));
    EXPECT_ALL("Version=0x8204 A=1 A=2 B=3", 0x04, 0x82, 0x01, 0x02, 0x03);
    EXPECT_ALL("Version=0x8004 B=1", 0x04, 0x80, 0x01);
}

static void test_when(void)
{
    LAYOUT(FIELD(HEX8, Flags), FIELD(U8, A, .when = "Flags", .when_mask = 0x01, .when_is = 0x01),
           FIELD(U8, B, .when = "Flags", .when_mask = 0x03, .when_is = 0x02), FIELD(U8, C));
    EXPECT_ALL("Flags=0x1 A=1 C=2", 0x01, 0x01, 0x02);
    EXPECT_ALL("Flags=0x2 B=1 C=2", 0x02, 0x01, 0x02);
    EXPECT_ALL("Flags=0x3 A=1 C=2", 0x03, 0x01, 0x02);
    EXPECT_ALL("Flags=0xf0 C=1", 0xF0, 0x01);
}

static void test_when_absent(void)
{
    /* A condition on a row that is not there itself is that on zero. */
    LAYOUT(FIELD(HEX8, Flags), FIELD(U8, A, .when = "Flags", .when_mask = 1, .when_is = 1),
           FIELD(U8, B, .when = "A", .when_mask = 0xFF, .when_is = 0), FIELD(U8, C));
    EXPECT_ALL("Flags=0x0 B=5 C=6", 0x00, 0x05, 0x06);
}

static void test_parts(void)
{
    LAYOUT(FIELD(HEX16, HookId), FIELD(U8, Type, .at = 0, .part = true),
           FIELD(U8, Group, .at = 1, .part = true), FIELD(U8, A),
           FIELD(U16, Last, .at = 1, .part = true));
    EXPECT_ALL("HookId=0x524 Type=36 Group=5 A=7 Last=1797", 0x24, 0x05, 0x07);
    expect(BYTES(0x24, 0x05), 2, "HookId=0x524 Type=36 Group=5");
    /* One whose bytes are not there is not shown, and what follows is not moved. */
    fields[2].at = 9;
    EXPECT_ALL("HookId=0x524 Type=36 A=7 Last=1797", 0x24, 0x05, 0x07);
    fields[2].at = 2;
    fields[2].type = ETL_TYPE_U16;
    EXPECT_ALL("HookId=0x524 Type=36 !TRUNCATED(1) A=7 Last=1797", 0x24, 0x05, 0x07);
}

static void test_padding(void)
{
    LAYOUT(FIELD(U8, A), FIELD(PAD4, P), FIELD(U8, B), FIELD(PAD8, Q), FIELD(U8, C),
           FIELD(PADPOINTER, R), FIELD(U8, D));
    EXPECT_ALL("A=1 B=2 C=3 D=4", 1, 0xEE, 0xEE, 0xEE,      /* A, to 4 */
               2, 0xEE, 0xEE, 0xEE,                         /* B, to 8 */
               3, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, /* C, to 16 */
               4);
    the_pointer_size = 4;
    EXPECT_ALL("A=1 B=2 C=3 D=4", 1, 0xEE, 0xEE, 0xEE, 2, 0xEE, 0xEE, 0xEE, 3, 0xEE, 0xEE, 0xEE, 4);
    the_pointer_size = 8;
    /* Padding that the payload's end cuts is none of the reader's business. */
    expect(BYTES(1, 0xEE), 2, "A=1");
}

static void test_sid(void)
{
    LAYOUT(FIELD(SID, A), FIELD(U8, B));
    EXPECT_ALL("A=[01 01 00 00 00 00 00 05 12 00 00 00] B=7", 0x01, 0x01, 0x00, 0x00, 0x00, 0x00,
               0x00, 0x05, 0x12, 0x00, 0x00, 0x00, 0x07);
    EXPECT_ALL("A=[01 00 00 00 00 00 00 05] B=7", 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05,
               0x07);
    /* Revision 2; more sub-authorities than there can be; or than there are. */
    expect(BYTES(0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05), 0, "!TRUNCATED(8)");
    static const uint8_t sixteen[8 + 64] = {0x01, 0x10};
    expect(sixteen, sizeof sixteen, 0, "!TRUNCATED(72)");
    expect(BYTES(0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x12, 0x00, 0x00, 0x00), 0,
           "!TRUNCATED(12)");
}

static void test_user_sid(void)
{
    LAYOUT(FIELD(USERSID, A), FIELD(U8, B));
    EXPECT_ALL("A=[01 01 00 00 00 00 00 05 12 00 00 00] B=7", 0xC0, 0x40, 0xFC, 0x1A, 0x00, 0xE0,
               0xFF, 0xFF,                                     /* pointer */
               0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* attributes, padded */
               0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x12, 0x00, 0x00, 0x00, 0x07);
    /* The TOKEN_USER is zero and the SID is there all the same. */
    EXPECT_ALL("A=[01 01 00 00 00 00 00 05 12 00 00 00] B=7", 0, 0, 0, 0, 0, 0, 0, 0,  /* pointer */
               0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, /* SID */
               0x12, 0x00, 0x00, 0x00, 0x07);
    the_pointer_size = 4;
    EXPECT_ALL("A=[01 01 00 00 00 00 00 05 12 00 00 00] B=7", 0xC0, 0x40, 0xFC, 0x1A, 0x00, 0x00,
               0x00, 0x00, /* 4-byte pointers */
               0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x12, 0x00, 0x00, 0x00, 0x07);
    the_pointer_size = 8;
}

static void test_no_user(void)
{
    LAYOUT(FIELD(USERSID, A), FIELD(ANSI, B), FIELD(UTF16, C), FIELD(UTF16, D));
    EXPECT_ALL("B=\"System\"", 0, 0, 0, 0, 'S', 'y', 's', 't', 'e', 'm', 0);
    /* Long enough for a SID where it would be, but what is there is a text. */
    EXPECT_ALL("B=\"System\" C=\"\" D=\"a\"", 0, 0, 0, 0, 'S', 'y', 's', 't', 'e', 'm', 0, 0, 0,
               'a', 0, 0, 0);
    expect(BYTES(0, 0, 0), 0, "!TRUNCATED(3)");
    expect(BYTES(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 0, "!TRUNCATED(16)");
}

static void test_structures(void)
{
    LAYOUT(FIELD(U8, A), FIELD(STRUCT, Descriptor, .structure = ETL_LAYOUT_event_descriptor),
           FIELD(U8, B));
    EXPECT_ALL("A=9 Descriptor{Id=1 Version=2 Channel=3 Level=4 Opcode=5 Task=6 Keyword=0x7} B=8",
               9, 1, 0, 2, 3, 4, 5, 6, 0, 7, 0, 0, 0, 0, 0, 0, 0, 8);
}

static void test_truncated_structure(void)
{
    LAYOUT(FIELD(STRUCT, Descriptor, .structure = ETL_LAYOUT_event_descriptor), FIELD(U8, B),
           FIELD(U8, C));
    /* The 3 bytes of a keyword of 8 are not taken for B and C. */
    expect(BYTES(1, 0, 2, 3, 4, 5, 6, 0, 7, 7, 7), 8,
           "Descriptor{Id=1 Version=2 Channel=3 Level=4 Opcode=5 Task=6 !TRUNCATED(3)}");
    expect(BYTES(1), 0, "Descriptor{!TRUNCATED(1)}");
    /* One that ends between two fields is complete. */
    expect(BYTES(1, 0, 2), 3, "Descriptor{Id=1 Version=2}");
}

static void test_structure_array(void)
{
    LAYOUT(FIELD(U8, Number),
           FIELD(STRUCT, D, .structure = ETL_LAYOUT_other_header, .count = "Number"), FIELD(U8, B));
    EXPECT_ALL("Number=2 D{Size=1 HeaderType=0x2 MarkerFlags=0x3} "
               "D{Size=4 HeaderType=0x5 MarkerFlags=0x6} B=7",
               2, 1, 0, 2, 3, 4, 0, 5, 6, 7);
}

static void test_recursion(void)
{
    LAYOUT(FIELD(STRUCT, D, .structure = ETL_LAYOUT_event_descriptor));
    /* A table that would refer to itself: every level begins at once with the next. */
    struct etl_layout *descriptor = (struct etl_layout *)etl_layout(ETL_LAYOUT_event_descriptor);
    struct etl_field *row = &descriptor->fields[0];
    struct etl_field saved = *row;
    row->type = ETL_TYPE_STRUCT;
    row->structure = ETL_LAYOUT_event_descriptor;
    etl_layout_complete(descriptor);
    static const uint8_t bytes[32] = {1};
    expect(bytes, sizeof bytes, 0, "D{Id{Id{Id{Id{Id{Id{Id{!TRUNCATED(32)}}}}}}}}");
    *row = saved;
    etl_layout_complete(descriptor);
}

static void test_complete(void)
{
    LAYOUT(FIELD(U8, A), FIELD(U16, B));
    EXPECT_ALL("A=1", 1); /* older: B was added without a new version */
    expect(BYTES(1, 2), 1, "A=1 !TRUNCATED(1)");
    expect(BYTES(1, 2, 0, 9), 3, "A=1 B=2"); /* newer: the rest is for the caller */
    expect(NULL, 0, 0, "");
}

static void test_wants(void)
{
    LAYOUT(FIELD(U8, Number), FIELD(U8, A, .count = "Number"), FIELD(ANSI, B), FIELD(SID, C),
           FIELD(BYTES, D, .length = 1), FIELD(U8, E));
    static const uint8_t bytes[] = {
        2,                         /* Number */
        5,    6,                   /* A */
        'x',  0,                   /* B */
        1,    0, 0, 0, 0, 0, 0, 5, /* C */
        0xDD,                      /* D */
        9,
    };
    static const char *const labels[] = {"Number", "A", "B", "C", "D", "E"};
    static const char *const lines[] = {
        "A=5 A=6 B=\"x\" C=[01 00 00 00 00 00 00 05] D=[dd] E=9",
        "Number=2 B=\"x\" C=[01 00 00 00 00 00 00 05] D=[dd] E=9",
        "Number=2 A=5 A=6 C=[01 00 00 00 00 00 00 05] D=[dd] E=9",
        "Number=2 A=5 A=6 B=\"x\" D=[dd] E=9",
        "Number=2 A=5 A=6 B=\"x\" C=[01 00 00 00 00 00 00 05] E=9",
        "Number=2 A=5 A=6 B=\"x\" C=[01 00 00 00 00 00 00 05] D=[dd]",
    };
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        the_unwanted = labels[i];
        expect(bytes, sizeof bytes, sizeof bytes, lines[i]);
    }
    the_unwanted = NULL;
}

static void test_single_values(void)
{
    LAYOUT(FIELD(U8, A), FIELD(UTF8, B));
    static struct text_sink sink;
    text_sink_start(&sink);
    etl_decode_number(&sink.sink, &fields[0], NULL, 0, 77);
    etl_decode_text(&sink.sink, &fields[1], NULL, 0, "made up");
    CU_ASSERT_STRING_EQUAL(sink.text, "A=77 B=\"made up\"");
    sink.unwanted = "A";
    etl_decode_number(&sink.sink, &fields[0], NULL, 0, 78);
    sink.unwanted = "B";
    etl_decode_text(&sink.sink, &fields[1], NULL, 0, "unwanted");
    CU_ASSERT_STRING_EQUAL(sink.text, "A=77 B=\"made up\"");
    struct null_sink all = null_sink_new(); /* has no `wants`: everything is wanted */
    etl_decode_number(&all.sink, &fields[0], NULL, 0, 77);
    etl_decode_text(&all.sink, &fields[1], NULL, 0, "made up");
    CU_ASSERT_TRUE(all.sum > 0);
}

static void test_notes(void)
{
    for (int note = 0; note < ETL_NOTE_COUNT; note++) {
        CU_ASSERT_TRUE(strlen(etl_note_sentence((enum etl_note)note)) > 10);
    }
}

UNIT_SUITE("decode", {"unsigned numbers of 1 to 8 bytes", test_numbers},
           {"signed numbers keep their sign", test_signed},
           {"booleans, ports and real numbers have their own rules", test_other_numbers},
           {"booleans are 0 or 1", test_booleans},
           {"pointers and sizes are as wide as the event says", test_pointers},
           {"times are FILETIMEs, or raw where the clock is unknown", test_times},
           {"GUIDs and addresses are bytes", test_addresses},
           {"texts end at their NUL", test_texts},
           {"a text that the payload's end cuts gets a note", test_unterminated},
           {"fixed texts take their room and end at a NUL in it", test_fixed_texts},
           {"counted texts are as long as an earlier field says", test_counted_texts},
           {"texts can follow each other to the end", test_rest_of_texts},
           {"bytes are counted, fixed or the rest", test_bytes},
           {"arrays are counted, fixed or the rest, and cut ones get a note", test_counts},
           {"a count beyond the payload reads nothing outside it", test_huge_counts},
           {"a count can be some bits of a field", test_mask},
           {"a field can depend on the bits of another", test_when},
           {"a condition on an absent field is on zero", test_when_absent},
           {"a part shows bytes again and moves nothing", test_parts},
           {"padding goes by the payload's start and the pointer size", test_padding},
           {"a SID says its length, and is believed only if it can be one", test_sid},
           {"a user's SID stands after two pointers", test_user_sid},
           {"four zero bytes stand for no user", test_no_user},
           {"structures are groups", test_structures},
           {"nothing is decoded after a structure that is cut", test_truncated_structure},
           {"structures can be counted", test_structure_array}, {"recursion ends", test_recursion},
           {"a payload may end between two fields or go on", test_complete},
           {"a field that nobody wants is decoded and not shown", test_wants},
           {"values without bytes are shown too", test_single_values},
           {"every note is a sentence", test_notes})
