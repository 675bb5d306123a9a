/*
 * The captures in the tree are what their texts say, and a mistake in a text is reported with its
 * file, line and reason.
 */
#include "unit.h"

#include "build.h"
#include "folder.h"

#include <stdio.h>

/* The path of the .etl beside a text; the caller frees it. */
static char *path_beside(const char *text)
{
    size_t stem = strlen(text) - strlen(".txt");
    char *path = malloc(stem + sizeof ".etl");
    CU_ASSERT_PTR_NOT_NULL_FATAL(path);
    memcpy(path, text, stem);
    memcpy(path + stem, ".etl", sizeof ".etl");
    return path;
}

static bool rebuilds_equal(const char *text, void *context)
{
    struct blob built = {0}, stored = {0};
    char error[1024] = "";
    size_t *count = context;
    char *path = path_beside(text);
    bool equal = etl_build_path(text, &built, error, sizeof error) &&
                 etl_build_read(path, &stored, error, sizeof error) && built.size == stored.size &&
                 (built.size == 0 || memcmp(built.data, stored.data, built.size) == 0);
    if (!equal) {
        printf("\n  %s: %s", path, error[0] != '\0' ? error : "differs from what its text builds");
    }
    ++*count;
    blob_free(&built);
    blob_free(&stored);
    free(path);
    return equal;
}

static void every_capture_is_what_its_text_builds(void)
{
    size_t count = 0;
    CU_ASSERT_TRUE(folder_each_text(ETL_SOURCE_DIR "/captures", rebuilds_equal, &count));
    CU_ASSERT_TRUE(count > 0);
}

/* Builds text, which must fail, and compares the message. */
static void expect_error(const char *text, const char *expected)
{
    struct blob built = {0};
    char error[1024] = "";
    CU_ASSERT_FALSE(etl_build_text("a.txt", text, strlen(text), &built, error, sizeof error));
    CU_ASSERT_EQUAL(built.size, 0);
    unit_same_text(error, expected);
}

static void a_broken_line_is_named(void)
{
    expect_error("log\n    buffer\n  flush\n", "a.txt:3: the indentation matches no line above");
    expect_error("  log\n", "a.txt:1: the first line is indented");
    expect_error("log\n\tu8 1\n", "a.txt:2: indent with blanks, not tabs");
    expect_error("log logger=\"x\n", "a.txt:1: a quote is not closed");
    expect_error("log\nsystem64 ; : u8 1\n", "a.txt:2: a statement is missing before ':' or ';'");
}

static void an_unknown_word_or_key_is_named(void)
{
    expect_error("log\nsystem65 at=1ms\n", "a.txt:2: unknown word 'system65'");
    expect_error("log\n\nsystem64 hoek=1\n", "a.txt:3: 'hoek=1' means nothing to 'system64'");
    expect_error("log mode=SEQENTIAL\n", "a.txt:1: 'SEQENTIAL': no such name here");
    expect_error("log\nsystem64 : u32 $x\n", "a.txt:2: no variable named '$x'");
}

static void a_wrong_number_is_named(void)
{
    expect_error("log\nsystem64 : u8 256\n", "a.txt:2: '256' does not fit into 1 bytes");
    expect_error("log\nsystem64 : u8 1.5\n", "a.txt:2: '1.5': a fraction needs a unit of time");
    expect_error("log\nsystem64 : u8 3/0\n", "a.txt:2: '3/0': division by zero");
    expect_error("log\nsystem64 : u8 (1+2\n", "a.txt:2: '(1+2': a ')' is missing");
    expect_error("log start=2026-13-01T00:00:00Z\n",
                 "a.txt:1: '2026-13-01T00:00:00Z' is not a time like 2026-03-01T09:00:00Z");
    expect_error("log\nfull64 guid=1234\n", "a.txt:2: '1234' is not a GUID");
    expect_error("log\nsystem64 : ipv4 192.0.2\n", "a.txt:2: '192.0.2' is not an IPv4 address");
    expect_error("log\nsystem64 : sid S-1\n", "a.txt:2: 'S-1' is not a SID");
}

static void a_word_in_the_wrong_place_is_named(void)
{
    expect_error("u8 1\n", "a.txt:1: 'u8' must stand in an event");
    expect_error("system64\n", "a.txt:1: 'log' must come before the first event");
    expect_error("log\nlog\n", "a.txt:2: 'log' stands once, first");
    expect_error("log\nsystem64 : system64\n", "a.txt:2: an event cannot stand in an event");
    expect_error("log\nsystem64 : u8 1 : u8 2\n", "a.txt:2: 'u8' cannot hold other lines");
    expect_error("log\nsystem64 : item 1 : guid {}\n", "a.txt:2: '{}' is not a GUID");
    expect_error("log\nsystem64 : item 3 : u32 1\n", "a.txt:2: 'system64' has no items");
}

static void what_does_not_fit_is_named(void)
{
    expect_error("log buffer_size=1024\nsystem64 : zero 2000\n",
                 "a.txt:2: the event fits no buffer");
    expect_error("log buffer_size=1024\nbuffer\n  system64 : zero 900\n  system64 : zero 900\n",
                 "a.txt:2: the buffer needs 1944 bytes and has 1024");
    expect_error("log buffer_size=0x20000\nevent64 : zero 65500\n",
                 "a.txt:2: an event of 65580 bytes; 65535 is the most");
    expect_error("define a\n  a\nlog\na\n", "a.txt:2: macros call each other without end");
    expect_error("include \"missing.txt\"\n", "a.txt:1: missing.txt: No such file or directory");
}

static void a_text_without_log_is_only_its_bytes(void)
{
    struct blob built = {0};
    char error[1024] = "";
    const char *text = "let n 2 # comment\nrepeat $n+1 as i\n  bytes : u8 $i*2; text \"#;\"\"\"\n";
    CU_ASSERT_TRUE_FATAL(etl_build_text("a.txt", text, strlen(text), &built, error, sizeof error));
    const char expected[] = "\0#;\"\2#;\"\4#;\"";
    CU_ASSERT_EQUAL_FATAL(built.size, sizeof expected - 1);
    CU_ASSERT_EQUAL(memcmp(built.data, expected, built.size), 0);
    blob_free(&built);
}

UNIT_SUITE("captures",
           {"every capture is what its text builds", every_capture_is_what_its_text_builds},
           {"a text without log is only its bytes", a_text_without_log_is_only_its_bytes},
           {"a broken line is named", a_broken_line_is_named},
           {"an unknown word or key is named", an_unknown_word_or_key_is_named},
           {"a wrong number is named", a_wrong_number_is_named},
           {"a word in the wrong place is named", a_word_in_the_wrong_place_is_named},
           {"what does not fit is named", what_does_not_fit_is_named})
