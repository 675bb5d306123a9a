/* Labels to filter names. */
#include "etl/snake.h"

#include "unit.h"

struct example {
    const char *label;
    const char *name;
};

static void check_all(const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char room[128];
        CU_ASSERT_EQUAL(etl_snake_case(examples[i].label, room, sizeof room),
                        strlen(examples[i].name));
        CU_ASSERT_STRING_EQUAL(room, examples[i].name);
    }
}

#define CHECK(...)                                                 \
    do {                                                           \
        static const struct example examples[] = {__VA_ARGS__};    \
        check_all(examples, sizeof examples / sizeof examples[0]); \
    } while (0)

static void test_words(void)
{
    CHECK({"NewThreadId", "new_thread_id"}, {"TcpIp", "tcp_ip"}, {"SequenceNo", "sequence_no"},
          {"daddr", "daddr"}, {"PebsIndex", "pebs_index"}, {"Wow64", "wow64"});
}

static void test_capitals(void)
{
    CHECK({"UserSID", "user_sid"}, {"CPUSpeed", "cpu_speed"}, {"HTTPServer", "http_server"},
          {"WNFTrace", "wnf_trace"}, {"ALPC", "alpc"}, {"A", "a"}, {"IsABot", "is_a_bot"});
}

static void test_digits(void)
{
    CHECK({"USB3Hub", "usb3_hub"}, {"Reserved1", "reserved1"}, {"SendIPV4", "send_ipv4"},
          {"32_BIT_HEADER", "32_bit_header"}, {"POINTER32", "pointer32"},
          {"Sha256Hash", "sha256_hash"}, {"x64Base", "x64_base"});
}

static void test_exceptions(void)
{
    CHECK({"IPv4Address", "ipv4_address"}, {"LocalIPv6", "local_ipv6"},
          {"TLSv1Alert", "tlsv1_alert"}, {"GUIDs", "guids"},
          {"NumberOfDPCsQueued", "number_of_dpcs_queued"}, {"CpuSpeedInMHz", "cpu_speed_in_mhz"},
          {"CPUVersion", "cpu_version"}, {"TCPSize", "tcp_size"});
}

static void test_other_characters(void)
{
    CHECK({"DPC_LE", "dpc_le"}, {"Microsoft-Windows-DNS-Client", "microsoft_windows_dns_client"},
          {"TS RPC", "ts_rpc"}, {"(WPP)UACLog", "wpp_uac_log"}, {"__a -- b__", "a_b"},
          {"caf\xc3\xa9"
           "Bar",
           "caf_bar"},
          {"", ""}, {"--", ""}, {"\xe2\x82\xac", ""});
}

static void test_small_room(void)
{
    char room[8] = "#######";
    CU_ASSERT_EQUAL(etl_snake_case("NewThreadId", room, 5), 13);
    CU_ASSERT_STRING_EQUAL(room, "new_");
    CU_ASSERT_EQUAL(room[5], '#');
    CU_ASSERT_EQUAL(etl_snake_case("NewThreadId", room, 1), 13);
    CU_ASSERT_STRING_EQUAL(room, "");
    CU_ASSERT_EQUAL(etl_snake_case("NewThreadId", NULL, 0), 13);
}

UNIT_SUITE("snake", {"a capital after a small letter begins a word", test_words},
           {"a run of capitals is one word", test_capitals},
           {"digits stick to the letters before them", test_digits},
           {"plurals, versions and units stay with their capitals", test_exceptions},
           {"other characters become one underscore between words", test_other_characters},
           {"a name too long is cut, terminated, and its length told", test_small_room})
