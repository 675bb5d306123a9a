/*
 * Manifests: what of their XML becomes a schema, what of it is refused, and with which words.
 */
#include "etl/manifest.h"

#include "etl/decode.h"
#include "text_sink.h"
#include "unit.h"

#define START                                                                               \
    "<instrumentationManifest xmlns=\"http://schemas.microsoft.com/win/2004/08/events\">\n" \
    "<instrumentation><events>\n"                                                           \
    "<provider name=\"Contoso-Shop\" guid=\"{11223344-5566-7788-99aa-bbccddeeff00}\" symbol=\"S\">\n"
#define STRINGS "</provider></events></instrumentation><localization>"
#define END     "</localization></instrumentationManifest>"
#define TEMPLATE(fields)                                                                                         \
    START                                                                                                        \
    "<events><event value=\"1\" template=\"T\" symbol=\"Sold\"/></events><templates><template tid=\"T\">" fields \
    "</template></templates>" STRINGS END

static const struct etl_guid provider = ETL_GUID(0x11223344, 0x5566, 0x7788, 0x99, 0xaa, 0xbb, 0xcc,
                                                 0xdd, 0xee, 0xff, 0x00);

struct read {
    struct etl_manifest *manifest;
    struct etl_schema_set *set;
    bool whole;
};

static struct read read_bytes(const void *bytes, size_t size)
{
    struct read read = {.manifest = etl_manifest_new(), .set = etl_schema_set_new(NULL)};
    CU_ASSERT_PTR_NOT_NULL_FATAL(read.manifest);
    CU_ASSERT_PTR_NOT_NULL_FATAL(read.set);
    etl_manifest_feed(read.manifest, bytes, size);
    read.whole = etl_manifest_close(read.manifest);
    etl_manifest_add_schemas(read.manifest, ETL_SCHEMA_EVENTSOURCE, 0, read.set);
    etl_schema_set_settle(read.set);
    return read;
}

static void done(struct read *read)
{
    etl_manifest_free(read->manifest);
    etl_schema_set_free(read->set);
}

/* "7: words (2)": the line of the first problem, and how many there were; "" when none. */
static const char *problem_of(const struct read *read)
{
    static char text[300];
    unsigned line;
    size_t count;
    const char *problem = etl_manifest_problem(read->manifest, &line, &count);
    text[0] = '\0';
    if (problem != NULL) {
        snprintf(text, sizeof text, "%u: %s (%zu)", line, problem, count);
    }
    return text;
}

static struct etl_schema *schema_of(const struct read *read, uint16_t id, uint8_t version)
{
    const struct etl_schema_key key = {.provider = provider, .id = id, .version = version};
    struct etl_span item;
    if (!etl_schema_set_find(read->set, &key, &item)) {
        return NULL;
    }
    item.at += ETL_SCHEMA_HASH_SIZE;
    item.size -= ETL_SCHEMA_HASH_SIZE;
    struct etl_schema *schema = etl_schema_unpack(item);
    CU_ASSERT_PTR_NOT_NULL(schema);
    return schema;
}

/* What the payload of event 1 is shown as. */
static const char *decoded(const char *xml, const void *payload, size_t size)
{
    static struct text_sink sink;
    static const struct etl_clock clock = {.kind = ETL_CLOCK_SYSTEM_TIME};
    struct read read = read_bytes(xml, strlen(xml));
    struct etl_schema *schema = schema_of(&read, 1, 0);
    text_sink_start(&sink);
    if (schema == NULL) {
        text_sink_add(&sink, "%s", problem_of(&read));
        done(&read);
        return sink.text;
    }
    unit_same_text(problem_of(&read), "");
    struct etl_decoder decoder = {.sink = &sink.sink, .clock = &clock, .pointer_size = 8};
    size_t covered = etl_schema_decode(&decoder, schema, payload, size);
    if (covered != size) {
        text_sink_add(&sink, " +%zu", size - covered);
    }
    etl_schema_free(schema);
    done(&read);
    return sink.text;
}

#define BYTES(...)                                          \
    (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]) \
    {                                                       \
        __VA_ARGS__                                         \
    }
#define CHECK(expected, fields, ...) \
    unit_same_text(decoded(TEMPLATE(fields), __VA_ARGS__), expected)

static void test_in_types(void)
{
    CHECK("A=\"ab\"", "<data name='A' inType='win:UnicodeString'/>", BYTES('a', 0, 'b', 0, 0, 0));
    CHECK("A=\"ab\"", "<data name='A' inType='win:AnsiString'/>", BYTES('a', 'b', 0));
    CHECK("A=-1 B=255", "<data name='A' inType='win:Int8'/><data name='B' inType='win:UInt8'/>",
          BYTES(255, 255));
    CHECK("A=-2 B=65534", "<data name='A' inType='win:Int16'/><data name='B' inType='win:UInt16'/>",
          BYTES(254, 255, 254, 255));
    CHECK("A=-1 B=1", "<data name='A' inType='win:Int32'/><data name='B' inType='win:UInt32'/>",
          BYTES(255, 255, 255, 255, 1, 0, 0, 0));
    CHECK("A=-1 B=1", "<data name='A' inType='win:Int64'/><data name='B' inType='win:UInt64'/>",
          BYTES(255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0));
    CHECK("A=1 B=1", "<data name='A' inType='win:Float'/><data name='B' inType='win:Double'/>",
          BYTES(0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 240, 63));
    CHECK("A=true", "<data name='A' inType='win:Boolean'/>", BYTES(1, 0, 0, 0));
    CHECK("A=[01 02]", "<data name='A' inType='win:Binary' length='2'/>", BYTES(1, 2));
    CHECK("A=00000001-0000-0000-0000-000000000000", "<data name='A' inType='win:GUID'/>",
          BYTES(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    CHECK("A=0x1", "<data name='A' inType='win:Pointer'/>", BYTES(1, 0, 0, 0, 0, 0, 0, 0));
    CHECK("A=1", "<data name='A' inType='win:FILETIME'/>", BYTES(1, 0, 0, 0, 0, 0, 0, 0));
    CHECK("A=[d0 07 01 00 00 00 01 00 00 00 00 00 00 00 00 00]",
          "<data name='A' inType='win:SYSTEMTIME'/>",
          BYTES(0xd0, 7, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    CHECK("A=[01 01 00 00 00 00 00 01 00 00 00 00]", "<data name='A' inType='win:SID'/>",
          BYTES(1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0));
    CHECK("A=0x1 B=0x2",
          "<data name='A' inType='win:HexInt32'/><data name='B' inType='win:HexInt64'/>",
          BYTES(1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0));
    CHECK("A=\"a\" B=\"b\" C=[07]",
          "<data name='A' inType='win:CountedUnicodeString'/>"
          "<data name='B' inType='win:CountedAnsiString'/>"
          "<data name='C' inType='win:CountedBinary'/>",
          BYTES(2, 0, 'a', 0, 1, 0, 'b', 1, 0, 7));
}

static void test_out_types(void)
{
    CHECK("A=\"x\"", "<data name='A' inType='win:UInt8' outType='xs:string'/>", BYTES('x'));
    CHECK("A=true", "<data name='A' inType='win:UInt8' outType='xs:boolean'/>", BYTES(2));
    CHECK("A=0xff B=0x1",
          "<data name='A' inType='win:UInt8' outType='win:HexInt8'/>"
          "<data name='B' inType='win:UInt64' outType='win:HexInt64'/>",
          BYTES(255, 1, 0, 0, 0, 0, 0, 0, 0));
    CHECK("A=7 B=8",
          "<data name='A' inType='win:UInt32' outType='win:PID'/>"
          "<data name='B' inType='win:UInt32' outType='win:TID'/>",
          BYTES(7, 0, 0, 0, 8, 0, 0, 0));
    CHECK("A=443", "<data name='A' inType='win:UInt16' outType='win:Port'/>", BYTES(1, 187));
    CHECK("A=[0a 00 00 01]", "<data name='A' inType='win:UInt32' outType='win:IPv4'/>",
          BYTES(10, 0, 0, 1));
    CHECK("A=[00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f]",
          "<data name='A' inType='win:Binary' outType='win:IPv6'/>",
          BYTES(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    CHECK("A=\"10.0.0.1:53\"",
          "<data name='A' inType='win:Binary' outType='win:SocketAddress' length='16'/>",
          BYTES(2, 0, 0, 53, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0));
    CHECK("A=0x5 B=5 C=0xc0000001 D=0x5",
          "<data name='A' inType='win:UInt32' outType='win:ErrorCode'/>"
          "<data name='B' inType='win:UInt32' outType='win:Win32Error'/>"
          "<data name='C' inType='win:UInt32' outType='win:NTSTATUS'/>"
          "<data name='D' inType='win:Int32' outType='win:HResult'/>",
          BYTES(5, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0xc0, 5, 0, 0, 0));
    CHECK("A=\"é\"", "<data name='A' inType='win:AnsiString' outType='win:Json'/>",
          BYTES(0xc3, 0xa9, 0));
    CHECK("A=\"<a/>\"", "<data name='A' inType='win:UnicodeString' outType='win:Xml'/>",
          BYTES('<', 0, 'a', 0, '/', 0, '>', 0, 0, 0));
}

static void test_amounts(void)
{
    CHECK("N=2 A=1 A=2",
          "<data name='N' inType='win:UInt8'/><data name='A' inType='win:UInt16' count='N'/>",
          BYTES(2, 1, 0, 2, 0));
    CHECK("A=1 A=2 B=3",
          "<data name='A' inType='win:UInt8' count='2'/><data name='B' inType='win:UInt8'/>",
          BYTES(1, 2, 3));
    CHECK(
        "N=2 A=\"ab\" B=\"c\"",
        "<data name='N' inType='win:UInt32'/><data name='A' inType='win:UnicodeString' length='N'/>"
        "<data name='B' inType='win:AnsiString' length='1'/>",
        BYTES(2, 0, 0, 0, 'a', 0, 'b', 0, 'c'));
    CHECK(
        "N=2 S{X=1 L=1 Y=[09]} S{X=2 L=0} B=7",
        "<data name='N' inType='win:UInt8'/>"
        "<struct name='S' count='N'><data name='X' inType='win:UInt8'/>"
        "<data name='L' inType='win:UInt8'/><data name='Y' inType='win:Binary' length='L'/></struct>"
        "<data name='B' inType='win:UInt8'/>",
        BYTES(2, 1, 1, 9, 2, 0, 7));
    CHECK("L=1 S{Y=[09]}",
          "<data name='L' inType='win:UInt8'/>"
          "<struct name='S'><data name='Y' inType='win:Binary' length='L'/></struct>",
          BYTES(1, 9));
    CHECK("S{T{X=1} Y=2} Z=3",
          "<struct name='S'><struct name='T'><data name='X' inType='win:UInt8'/></struct>"
          "<data name='Y' inType='win:UInt8'/></struct><data name='Z' inType='win:UInt8'/>",
          BYTES(1, 2, 3));
}

static const char whole[] = START
    "<channels><channel name=\"Shop/Debug\" chid=\"C\" type=\"Debug\"/></channels>"
    "<levels><level name=\"Loud\" value=\"16\" message=\"$(string.l)\"/></levels>"
    "<tasks><task name=\"Order\" value=\"1\" message=\"$(string.t)\"><opcodes>"
    "<opcode name=\"Pay\" value=\"20\"/></opcodes></task><task name=\"Plain\" value=\"2\"/></tasks>"
    "<opcodes><opcode name=\"Pay\" value=\"30\" message=\"Pay elsewhere\"/></opcodes>"
    "<keywords><keyword name=\"K\" mask=\"0x1\" message=\"$(string.k)\"/></keywords>"
    "<maps><valueMap name=\"V\"><map value=\"0\" message=\"$(string.none)\"/><map value=\"0x2\" message=\"Two &amp; more \"/>"
    "<map value=\"0x100000000\" message=\"wide\"/><map value=\"0xffffffffffffffff\" message=\"minus\"/></valueMap>"
    "<patternMap name=\"P\" format=\".*\"><map name=\"n\" value=\"[0-9]\"/></patternMap>"
    "<bitMap name=\"B\"><map value=\"1\" message=\"R\"/><map value=\"2\" message=\"W\"/></bitMap></maps>"
    "<templates><template tid=\"T\"><data name=\"Kind\" inType=\"win:UInt32\" map=\"V\"/>"
    "<data name=\"Bits\" inType=\"win:UInt8\" map=\"B\"/><data name=\"Text\" inType=\"win:UInt8\" map=\"P\"/></template></templates>"
    "<events><event value=\"7\" version=\"2\" symbol=\"Paid\" template=\"T\" level=\"win:Error\" task=\"Order\" opcode=\"Pay\" "
    "keywords=\"win:ResponseTime K\" channel=\"C\" message=\"$(string.m)\"/>"
    "<event value=\"8\" level=\"Loud\" task=\"Plain\" opcode=\"Pay\" message=\"$(mc.m)\"/></events>" STRINGS
    "<resources culture=\"de-DE\"><stringTable><string id=\"t\" value=\"Bestellung\"/><string id=\"k\" value=\"Geld\"/></stringTable></resources>"
    "<resources culture=\"en-US\"><stringTable><string id=\"t\" value=\"The order\"/><string id=\"m\" value=\"Paid: %1&lt;\"/>"
    "<string id=\"l\" value=\"Very loud\"/><string id=\"none\" value=\"None\"/></stringTable></resources>" END;

static void check_texts(const struct read *read, uint16_t id, uint8_t version,
                        const char *const expected[ETL_SCHEMA_TEXT_COUNT])
{
    struct etl_schema *schema = schema_of(read, id, version);
    CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
    for (size_t i = 0; i < ETL_SCHEMA_TEXT_COUNT; i++) {
        unit_same_text(schema->texts[i], expected[i]);
    }
    etl_schema_free(schema);
}

static void test_names(void)
{
    struct read read = read_bytes(whole, strlen(whole));
    unit_same_text(problem_of(&read), "");
    static const char *const paid[] = {"Paid",  "Contoso-Shop",       "The order", "Pay",
                                       "Error", "ResponseTime, Geld", "Paid: %1<", "Shop/Debug"};
    static const char *const plain[] = {
        "", "Contoso-Shop", "Plain", "Pay elsewhere", "Very loud", "", "", ""};
    check_texts(&read, 7, 2, paid);
    check_texts(&read, 8, 0, plain);
    struct etl_schema_key key = {.provider = provider, .id = 7, .version = 9, .opcode = 20};
    struct etl_span item;
    uint8_t version;
    CU_ASSERT_FALSE(etl_schema_set_find(read.set, &key, &item));
    CU_ASSERT_TRUE(etl_schema_set_find_older(read.set, &key, &item, &version));
    CU_ASSERT_EQUAL(version, 2);
    key.version = 1;
    CU_ASSERT_FALSE(etl_schema_set_find_older(read.set, &key, &item, &version));
    struct etl_guid guid;
    unit_same_text(etl_manifest_provider(read.manifest, 0, &guid), "Contoso-Shop");
    CU_ASSERT_TRUE(etl_guid_equal(&guid, &provider));
    CU_ASSERT_PTR_NULL(etl_manifest_provider(read.manifest, 1, &guid));
    done(&read);
}

static void test_maps(void)
{
    struct read read = read_bytes(whole, strlen(whole));
    struct etl_schema *schema = schema_of(&read, 7, 2);
    CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
    CU_ASSERT_EQUAL_FATAL(schema->field_count, 3);
    CU_ASSERT_EQUAL(schema->fields[0].row.map->count, 3); /* not the one that is too wide */
    unit_same_text(etl_names_in(schema->fields[0].row.map, 0xFFFFFFFF), "minus");
    unit_same_text(etl_names_in(schema->fields[0].row.map, 0), "None");
    unit_same_text(etl_names_in(schema->fields[0].row.map, 2), "Two & more");
    CU_ASSERT_EQUAL(schema->fields[1].row.map->kind, ETL_NAMES_FLAGS);
    etl_schema_free(schema);
    done(&read);
}

/* What is wrong with one event costs that event. */
static void test_wrong_events(void)
{
    static const uint8_t nothing[1];
    CHECK("4: inType=\"win:Nonsense\" is not known (1)", "<data name='A' inType='win:Nonsense'/>",
          nothing, 0);
    CHECK("4: count=\"N\" is neither a number nor a field before this one (1)",
          "<data name='A' inType='win:Int8' count='N'/><data name='N' inType='win:Int8'/>", nothing,
          0);
    static const char two[] = START
        "<events>\n<event value=\"1\" template=\"Missing\"/>\n"
        "<event value=\"70000\"/><event value=\"2\"/></events>" STRINGS END;
    struct read read = read_bytes(two, strlen(two));
    unit_same_text(problem_of(&read), "6: value=\"70000\" is no number that fits (2)");
    struct etl_schema *schema = schema_of(&read, 2, 0);
    CU_ASSERT_PTR_NOT_NULL(schema);
    CU_ASSERT_EQUAL(etl_schema_set_count(read.set), 1);
    etl_schema_free(schema);
    done(&read);
}

/* What libxml2 finds it says in its own words, which differ by version. */
static void check_refused(const char *xml, unsigned line, const char *words)
{
    struct read read = read_bytes(xml, strlen(xml));
    unsigned found_line;
    size_t count;
    const char *problem = etl_manifest_problem(read.manifest, &found_line, &count);
    CU_ASSERT_FALSE(read.whole);
    CU_ASSERT_EQUAL(etl_schema_set_count(read.set), 0);
    CU_ASSERT_EQUAL(found_line, line);
    CU_ASSERT_EQUAL(count, 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(problem);
    CU_ASSERT_PTR_NOT_NULL(strstr(problem, words));
    done(&read);
}

static void test_refused(void)
{
    check_refused(START "<events></event>\n", 4, "mismatch");
    check_refused("", 1, "");
    check_refused(
        "<!DOCTYPE x [\n<!ENTITY a \"aaaaaaaaaa\">\n<!ENTITY b \"&a;&a;&a;\">]><x y=\"&b;\"/>", 2,
        "declares an entity");
    check_refused("<!DOCTYPE x [<!ENTITY % a SYSTEM \"file:///etc/passwd\"> %a;]><x/>", 1,
                  "declares an entity");
    check_refused("<x y=\"&unknown;\"/>", 1, "not defined");
}

/* However much of it there is, it ends at the depth that no manifest has. */
static void test_nesting(void)
{
    static char levels[65536];
    struct etl_manifest *manifest = etl_manifest_new();
    CU_ASSERT_PTR_NOT_NULL_FATAL(manifest);
    for (size_t i = 0; i < sizeof levels; i += 4) {
        memcpy(levels + i, "<a>\n", 4);
    }
    size_t fed = 0;
    while (fed < (size_t)1 << 30 && etl_manifest_feed(manifest, levels, sizeof levels)) {
        fed += sizeof levels;
    }
    CU_ASSERT_EQUAL(fed, 0);
    CU_ASSERT_FALSE(etl_manifest_close(manifest));
    unsigned line;
    size_t count;
    unit_same_text(etl_manifest_problem(manifest, &line, &count),
                   "is nested deeper than any manifest");
    CU_ASSERT_EQUAL(line, 33);
    etl_manifest_free(manifest);
}

/* Files that say UTF-16, in it and in UTF-8. */
static void test_encodings(void)
{
    static const char xml[] = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>" START
                              "<events><event value=\"1\"/></events>" STRINGS END;
    uint8_t wide[2 * sizeof xml] = {0xFF, 0xFE};
    for (size_t i = 0; i < sizeof xml - 1; i++) {
        wide[2 + 2 * i] = (uint8_t)xml[i];
    }
    struct read read = read_bytes(xml, sizeof xml - 1);
    CU_ASSERT_EQUAL(etl_schema_set_count(read.set), 1);
    done(&read);
    read = read_bytes(wide, sizeof wide);
    unit_same_text(problem_of(&read), "");
    CU_ASSERT_EQUAL(etl_schema_set_count(read.set), 1);
    done(&read);
}

static void read_truncated(const uint8_t *data, size_t size)
{
    struct read read = read_bytes(data, size);
    CU_ASSERT_EQUAL(read.whole, size == sizeof whole - 1);
    CU_ASSERT_EQUAL(etl_schema_set_count(read.set), read.whole ? 2 : 0);
    done(&read);
}

static void test_truncations(void)
{
    unit_every_truncation((const uint8_t *)whole, sizeof whole - 1, read_truncated);
}

/* Elements that are not where manifests have them are nobody's. */
static void test_strange_places(void)
{
    static const char xml[] =
        "<x><provider guid=\"{11223344-5566-7788-99aa-bbccddeeff00}\"><events><event value=\"1\"/></events>"
        "</provider><data/><map/><events><event value=\"2\"/><provider/><provider guid=\"1\"/></events><string/></x>";
    struct read read = read_bytes(xml, strlen(xml));
    CU_ASSERT_TRUE(read.whole);
    CU_ASSERT_EQUAL(etl_schema_set_count(read.set), 0);
    unit_same_text(problem_of(&read), "1: the provider has no GUID (2)");
    done(&read);
}

int main(void)
{
    static const struct unit_test tests[] = {
        {"every in type is decoded", test_in_types},
        {"every out type that changes what is shown does", test_out_types},
        {"arrays, lengths and structs are as long as they say or as a field says", test_amounts},
        {"tasks, opcodes, levels, keywords, channels and messages have their texts", test_names},
        {"values and flags have the names of maps", test_maps},
        {"what is wrong with one event costs that event", test_wrong_events},
        {"no XML, and XML with entities, is refused", test_refused},
        {"a gigabyte of nesting ends at its first bytes", test_nesting},
        {"a manifest may be UTF-16, or say so", test_encodings},
        {"manifests that end early cost themselves", test_truncations},
        {"elements in strange places are passed over", test_strange_places},
    };
    etl_layouts_start();
    return unit_run("manifest", tests, sizeof tests / sizeof tests[0]);
}
