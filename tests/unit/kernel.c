/* Kernel and classic events, decoded field by field, and the lines that tell of them. */
#include "etl/decode.h"
#include "etl/hooks.h"
#include "etl/info.h"

#include "unit.h"

#include <stdio.h>

/* Writes "Label=value " for each field, "{ " and "} " around structures, "!" for a note. */
struct writer {
    struct etl_sink sink;
    char text[4096];
};

static void write_text(struct writer *writer, const char *text)
{
    size_t length = strlen(writer->text);
    snprintf(writer->text + length, sizeof writer->text - length, "%s", text);
}

static void write_value(struct etl_sink *sink, const struct etl_field *field,
                        const struct etl_value *value)
{
    char text[300];
    etl_value_format(field, value, text, sizeof text);
    write_text((struct writer *)sink, field->hidden ? field->filter : field->label);
    write_text((struct writer *)sink, "=");
    write_text((struct writer *)sink, text);
    write_text((struct writer *)sink, " ");
}

static void write_begin(struct etl_sink *sink, const struct etl_field *field, const char *title,
                        const uint8_t *at, size_t size)
{
    (void)field, (void)title, (void)at, (void)size;
    write_text((struct writer *)sink, "{ ");
}

static void write_end(struct etl_sink *sink)
{
    write_text((struct writer *)sink, "} ");
}

static void write_note(struct etl_sink *sink, enum etl_note note, const uint8_t *at, size_t size,
                       const char *detail)
{
    (void)note, (void)at, (void)size, (void)detail;
    write_text((struct writer *)sink, "! ");
}

/* Ticks of a tenth of a microsecond from 2020-01-01 on. */
static const struct etl_clock test_clock = {.kind = ETL_CLOCK_PERFORMANCE_COUNTER,
                                            .frequency = 10000000,
                                            .base_filetime = INT64_C(132223104000000000)};

static struct writer writer;
static const struct etl_layout *layout_at_work;
static uint8_t pointer_at_work;

static size_t decode(const uint8_t *data, size_t size)
{
    writer = (struct writer){
        .sink = {.value = write_value, .begin = write_begin, .end = write_end, .note = write_note}};
    struct etl_decoder decoder = {
        .sink = &writer.sink, .clock = &test_clock, .pointer_size = pointer_at_work};
    return etl_decode_layout(&decoder, layout_at_work, data, size);
}

static void decode_truncated(const uint8_t *data, size_t size)
{
    char line[200];
    const struct etl_info_source source = {.clock = &test_clock, .pointer_size = pointer_at_work};
    CU_ASSERT_TRUE(decode(data, size) <= size);
    etl_info_format(&source, layout_at_work, data, size, line, sizeof line);
    CU_ASSERT_TRUE(strlen(line) < sizeof line);
}

/* The payload's fields, its line, and every truncation of it. */
static void check_layout(const struct etl_layout *layout, uint8_t pointer_size, const uint8_t *data,
                         size_t size, const char *fields, const char *info)
{
    char line[200];
    CU_ASSERT_PTR_NOT_NULL_FATAL(layout);
    layout_at_work = layout;
    pointer_at_work = pointer_size;
    CU_ASSERT_EQUAL(decode(data, size), size);
    unit_same_text(writer.text, fields);
    const struct etl_info_source source = {.clock = &test_clock, .pointer_size = pointer_size};
    etl_info_format(&source, layout, data, size, line, sizeof line);
    unit_same_text(line, info);
    unit_every_truncation(data, size, decode_truncated);
}

static void check_hook(uint16_t hookid, uint8_t version, uint8_t pointer_size, const uint8_t *data,
                       size_t size, const char *fields, const char *info)
{
    etl_layouts_start();
    check_layout(etl_layout_of_hook(hookid, version), pointer_size, data, size, fields, info);
}

static void test_cswitch(void)
{
    const uint8_t data[] = {0x80, 0,  0, 0, /* NewThreadId */
                            0xB4, 27, 0, 0, /* OldThreadId */
                            8,    16, 2, 0, /* priorities, C state, spare */
                            15,   1,  5, 3, /* reason, mode, state, ideal */
                            7,    0,  0, 0, 0xFF, 0xFF, 0xFF, 0xFF}; /* wait time, reserved */
    check_hook(0x0524, 2, 8, data, sizeof data,
               "NewThreadId=128 OldThreadId=7092 NewThreadPriority=8 OldThreadPriority=16 "
               "PreviousCState=2 SpareByte=0 OldThreadWaitReason=WrQueue "
               "OldThreadWaitMode=UserMode OldThreadState=Waiting OldThreadWaitIdealProcessor=3 "
               "NewThreadWaitTime=7 Reserved=4294967295 ",
               "7092 → 128, Waiting, WrQueue");
}

static void test_disk_io(void)
{
    const uint8_t data[] = {1,    0,    0,    0,                            /* DiskNumber */
                            0x03, 0x00, 0x06, 0,                            /* IrpFlags */
                            0,    0,    1,    0,                            /* TransferSize */
                            0,    0,    0,    0,                            /* Reserved */
                            0,    0x10, 0,    0,    0,    0,    0,    0,    /* ByteOffset */
                            0x40, 0xB4, 0xD5, 0x17, 0xA0, 0xF8, 0xFF, 0xFF, /* FileObject */
                            0x40, 0xF3, 0xDA, 0x0A, 0x80, 0xFA, 0xFF, 0xFF, /* Irp */
                            5,    0,    0,    0,    0,    0,    0,    0, /* HighResResponseTime */
                            44,   0,    0,    0};                        /* IssuingThreadId */
    check_hook(0x010A, 3, 8, data, sizeof data,
               "DiskNumber=1 IrpFlags=NOCACHE|PAGING_IO|Priority=Normal TransferSize=65536 "
               "Reserved=0 ByteOffset=0x1000 FileObject=0xfffff8a017d5b440 "
               "Irp=0xfffffa800adaf340 HighResResponseTime=5 IssuingThreadId=44 ",
               "disk 1, 65536 bytes at 0x1000, NOCACHE|PAGING_IO|Priority=Normal");
}

static void test_tcp_ip(void)
{
    const uint8_t data[] = {4,    0,    0,    0,    /* PID */
                            100,  0,    0,    0,    /* size */
                            10,   0,    0,    1,    /* daddr */
                            10,   0,    0,    2,    /* saddr */
                            0x01, 0xBB, 0xC0, 0x00, /* dport, sport: the first byte is the higher */
                            0,    0,    0,    0,    9, 0, 0, 0}; /* seqnum, connid */
    const char *received =
        "PID=4 size=100 daddr=10.0.0.1 etl.tcp_ip.addr=10.0.0.1 etl.tcp_ip.source=10.0.0.1 "
        "saddr=10.0.0.2 etl.tcp_ip.addr=10.0.0.2 etl.tcp_ip.destination=10.0.0.2 "
        "dport=443 etl.tcp_ip.port=443 etl.tcp_ip.source_port=443 "
        "sport=49152 etl.tcp_ip.port=49152 etl.tcp_ip.destination_port=49152 seqnum=0 connid=0x9 ";
    const char *other =
        "PID=4 size=100 daddr=10.0.0.1 etl.tcp_ip.addr=10.0.0.1 etl.tcp_ip.destination=10.0.0.1 "
        "saddr=10.0.0.2 etl.tcp_ip.addr=10.0.0.2 etl.tcp_ip.source=10.0.0.2 "
        "dport=443 etl.tcp_ip.port=443 etl.tcp_ip.destination_port=443 "
        "sport=49152 etl.tcp_ip.port=49152 etl.tcp_ip.source_port=49152 seqnum=0 connid=0x9 ";
    check_hook(0x060B, 2, 4, data, sizeof data, received,
               "10.0.0.1:443 → 10.0.0.2:49152, 100 bytes, process 4");
    check_hook(0x060D, 2, 4, data, sizeof data, other,
               "10.0.0.2:49152 → 10.0.0.1:443, 100 bytes, process 4");
}

static void test_udp_ip(void)
{
    const uint8_t data[] = {
        4,    0,    0,    0,    5, 0, 0, 0,                            /* PID, size */
        0xFF, 0x02, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0C, /* daddr */
        0xFE, 0x80, 0,    0,    0, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4,    /* saddr */
        0x07, 0x6C, 0x00, 0x35, 0, 0, 0, 0, 0, 0, 0, 0};
    check_hook(0x081A, 2, 4, data, sizeof data,
               "PID=4 size=5 daddr=ff02::c etl.udp_ip.addr_v6=ff02::c "
               "etl.udp_ip.destination_v6=ff02::c saddr=fe80::1:2:3:4 "
               "etl.udp_ip.addr_v6=fe80::1:2:3:4 etl.udp_ip.source_v6=fe80::1:2:3:4 "
               "dport=1900 etl.udp_ip.port=1900 etl.udp_ip.destination_port=1900 "
               "sport=53 etl.udp_ip.port=53 etl.udp_ip.source_port=53 seqnum=0 connid=0x0 ",
               "[fe80::1:2:3:4]:53 → [ff02::c]:1900, 5 bytes, process 4");
}

static void test_process(void)
{
    const uint8_t with_sid[] = {0,   0,   0,   0x80,             /* UniqueProcessKey */
                                8,   0,   0,   0,    4, 0, 0, 0, /* ProcessId, ParentId */
                                1,   0,   0,   0,    3, 1, 0, 0, /* SessionId, ExitStatus */
                                0,   0,   1,   0,    2, 0, 0, 0, /* DirectoryTableBase, Flags */
                                1,   2,   3,   4,    0, 0, 0, 0, /* TOKEN_USER */
                                1,   1,   0,   0,    0, 0, 0, 5, 18, 0, 0, 0, /* S-1-5-18 */
                                'a', '.', 'e', 0,                             /* ImageFileName */
                                'a', 0,   ' ', 0,    0, 0,                    /* CommandLine */
                                0,   0,   0,   0}; /* package, application */
    check_hook(0x0301, 4, 4, with_sid, sizeof with_sid,
               "UniqueProcessKey=0x80000000 ProcessId=8 ParentId=4 SessionId=1 ExitStatus=0x103 "
               "DirectoryTableBase=0x10000 Flags=Wow64 UserSID=S-1-5-18 ImageFileName=a.e "
               "CommandLine=a  PackageFullName= ApplicationId= ",
               "a.e, pid 8, parent 4: a ");
    /* No SID is four zero bytes. An older build's payload ends after CommandLine. */
    const uint8_t without_sid[] = {0, 0, 0, 0x80, 8, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0,   0, 3, 1,
                                   0, 0, 0, 0,    1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'a', 0, 0, 0};
    check_hook(0x0301, 4, 4, without_sid, sizeof without_sid,
               "UniqueProcessKey=0x80000000 ProcessId=8 ParentId=4 SessionId=1 ExitStatus=0x103 "
               "DirectoryTableBase=0x10000 Flags=0 ImageFileName=a CommandLine= ",
               "a, pid 8, parent 4");
}

/* Image Load and its rundown are two groups with one layout. */
static void test_image(void)
{
    const uint8_t data[] = {
        0,    0,    0x40, 0, 0,    0x20, 0,    0,    7, 0, 0, 0, /* base, size, process */
        0xAB, 0xCD, 0,    0, 0xEE, 0xFF, 0xC0, 0x5F,             /* checksum, time stamp */
        12,   2,    0,    0, 0,    0,    0x40, 0,                /* signature, default base */
        0,    0,    0,    0, 0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 'n', 0, 0, 0};
    const char *fields = "ImageBase=0x400000 ImageSize=8192 ProcessId=7 ImageChecksum=0xcdab "
                         "TimeDateStamp=0x5fc0ffee SignatureLevel=WINDOWS SignatureType=Cache "
                         "Reserved0=0 DefaultBase=0x400000 Reserved1=0 Reserved2=0 Reserved3=0 "
                         "Reserved4=0 FileName=n ";
    const char *info = "n, 0x400000, 8192 bytes, process 7";
    check_hook(0x030A, 3, 4, data, sizeof data, fields, info);
    check_hook(0x1403, 3, 4, data, sizeof data, fields, info);
}

static void test_stack(void)
{
    const uint8_t data[] = {0x10, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0, /* time, ids */
                            1,    0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};            /* three frames */
    check_hook(0x1820, 2, 4, data, sizeof data,
               "EventTimeStamp=2020-01-01 00:00:00.0000016 StackProcess=4 StackThread=8 Stack=0x1 "
               "Stack=0x2 Stack=0x3 ",
               "thread 8 of process 4, 3 frames");
}

static void test_partition(void)
{
    const uint8_t texts[] = {2,    0,    0,    0,    2,   0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF,
                             0xFF, 0xFF, 0xFF, 0xFF, 'a', 0, 0, 0, 'b',  0,    0,    0};
    check_hook(0x0050, 2, 8, texts, sizeof texts,
               "EventVersion=2 Reserved=0 PartitionType=VmHost QpcOffsetFromRoot=-1 "
               "PartitionIdText=a ParentIdText=b ",
               "type VmHost, a");
    uint8_t guids[48] = {1, 0, 0, 0, 1};
    guids[16] = 0x11;
    guids[32] = 0x22;
    check_hook(0x0050, 2, 8, guids, sizeof guids,
               "EventVersion=1 Reserved=0 PartitionType=Process QpcOffsetFromRoot=0 "
               "PartitionId=00000011-0000-0000-0000-000000000000 "
               "ParentId=00000022-0000-0000-0000-000000000000 ",
               "type Process, 00000011-0000-0000-0000-000000000000");
}

/* The names of a minor function depend on the major one. */
static void test_driver_call(void)
{
    uint8_t data[24] = {0x1B, 0, 0, 0, 2, 0, 0, 0};
    check_hook(0x0122, 2, 4, data, sizeof data,
               "MajorFunction=PNP MinorFunction=REMOVE_DEVICE RoutineAddr=0x0 FileObject=0x0 "
               "Irp=0x0 UniqMatchId=0 ",
               "MajorFunction=PNP, MinorFunction=REMOVE_DEVICE, RoutineAddr=0x0, FileObject=0x0, "
               "Irp=0x0, UniqMatchId=0");
    data[0] = 0x16;
    layout_at_work = etl_layout_of_hook(0x0122, 2);
    decode(data, sizeof data);
    CU_ASSERT_PTR_NOT_NULL(strstr(writer.text, "MajorFunction=POWER MinorFunction=SET_POWER "));
    data[0] = 0x03;
    decode(data, sizeof data);
    CU_ASSERT_PTR_NOT_NULL(strstr(writer.text, "MajorFunction=READ MinorFunction=2 "));
}

static void test_counted_texts(void)
{
    uint8_t data[16 + 16 + 10 + 12] = {0};
    data[16] = 2;   /* UpperFiltersCount */
    data[20] = 1;   /* LowerFiltersCount */
    data[24] = 8;   /* DevStatus; five empty texts follow the problem */
    data[42] = 'a'; /* two filters above, one below */
    data[46] = 'b';
    data[50] = 'c';
    check_hook(0x0B16, 5, 8, data, sizeof data,
               "ClassGuid=00000000-0000-0000-0000-000000000000 UpperFiltersCount=2 "
               "LowerFiltersCount=1 DevStatus=STARTED DevProblem=None DeviceID= "
               "DeviceDescription= FriendlyName= PdoName= ServiceName= UpperFilters=a "
               "UpperFilters=b LowerFilters=c ",
               ", ");
}

static void test_structures(void)
{
    const uint8_t data[] = {2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                            0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    check_hook(0x0B18, 2, 8, data, sizeof data,
               "NodeCount=2 { Mask=0x1 Group=0 Reserved1=0 Reserved2=0 } { Mask=0x2 Group=1 "
               "Reserved1=0 Reserved2=0 } ",
               "2 nodes");
}

static void test_pool(void)
{
    const uint8_t data[] = {0, 2, 0, 0, 'N', 't', 'f', 's', 0x40, 0, 0, 0, 0, 0x10, 0, 0x80};
    check_hook(0x0E20, 2, 4, data, sizeof data,
               "Type=NonPagedPoolNx Tag=0x7366744e TagText=Ntfs NumberOfBytes=64 "
               "Entry=0x80001000 ",
               "Ntfs, 64 bytes at 0x80001000, NonPagedPoolNx");
}

static void test_version_stands_in(void)
{
    etl_layouts_start();
    CU_ASSERT_PTR_EQUAL(etl_layout_of_hook(0x0F49, 9), etl_layout_of_hook(0x0F49, 3));
    CU_ASSERT_PTR_EQUAL(etl_layout_of_hook(0x0B20, 200), etl_layout_of_hook(0x0B20, 4));
    CU_ASSERT_PTR_NULL(etl_layout_of_hook(0x010C, 1));
    CU_ASSERT_PTR_NULL(etl_layout_of_hook(0xFFFF, 2));
}

/* ---- classic events ---- */

static struct etl_guid guid_of(const char *text)
{
    struct etl_guid guid;
    CU_ASSERT_TRUE_FATAL(etl_guid_parse(text, &guid));
    return guid;
}

static void test_classic_names(void)
{
    struct etl_guid image_id = guid_of("b3e675d7-2554-4f18-830b-2762732560de");
    struct etl_guid stranger = guid_of("b3e675d7-2554-4f18-830b-2762732560df");
    CU_ASSERT_STRING_EQUAL(etl_class_event_name(&image_id, 36), "ImageID/DbgID_RSDS");
    CU_ASSERT_STRING_EQUAL(etl_class_event_name(&image_id, 99), "ImageID");
    CU_ASSERT_PTR_NULL(etl_class_event_name(&stranger, 36));
    CU_ASSERT_PTR_NULL(etl_layout_of_class(&stranger, 36, 2));
    CU_ASSERT_PTR_NULL(etl_layout_of_class(&image_id, 99, 2));
    CU_ASSERT_PTR_NOT_EQUAL(etl_layout_of_class(&image_id, 0, 1),
                            etl_layout_of_class(&image_id, 0, 2));
}

static void test_layout_of_event(void)
{
    etl_layouts_start();
    struct etl_event event = {.kind = etl_kind(ETL_KIND_FULL64),
                              .has_provider = true,
                              .provider = guid_of("b3e675d7-2554-4f18-830b-2762732560de"),
                              .opcode = 36,
                              .version = 2};
    CU_ASSERT_STRING_EQUAL(etl_layout_of_event(&event)->id, "image_id_dbg_id_rsds");
    event.kind = etl_kind(ETL_KIND_EVENT64);
    CU_ASSERT_PTR_NULL(etl_layout_of_event(&event));
    event.has_hook = true; /* a class of the kernel, whatever the header */
    event.hookid = 0x0524;
    CU_ASSERT_STRING_EQUAL(etl_layout_of_event(&event)->id, "thread_cswitch_v2");
}

static void test_rsds(void)
{
    uint8_t data[12 + 16 + 4 + 6] = {0, 0, 0x40, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0x0D};
    data[28] = 2;
    memcpy(data + 32, "n.pdb", 6);
    struct etl_guid image_id = guid_of("b3e675d7-2554-4f18-830b-2762732560de");
    etl_layouts_start();
    check_layout(etl_layout_of_class(&image_id, 36, 2), 8, data, sizeof data,
                 "ImageBase=0x400000 ProcessId=9 GuidSig=0000000d-0000-0000-0000-000000000000 "
                 "Age=2 PdbFileName=n.pdb ",
                 "n.pdb, 0000000d-0000-0000-0000-000000000000 age 2, 0x400000, process 9");
}

/* MIB_IF_ROW2: 1,352 bytes, of which offsets far apart are looked at. */
static void test_net_interface(void)
{
    static uint8_t data[1352];
    data[6] = 71;         /* InterfaceLuid: type */
    data[3] = 5;          /* and number */
    data[8] = 12;         /* InterfaceIndex */
    data[28] = 'W';       /* Alias */
    data[28 + 514] = 'A'; /* Description */
    data[1056] = 6;       /* PhysicalAddressLength */
    data[1060] = 0x02;
    data[1065] = 0x11;
    etl_store_u32(data + 1124, 1500);       /* Mtu */
    etl_store_u32(data + 1128, 71);         /* Type */
    data[1152] = 0x05;                      /* flags, padded */
    etl_store_u32(data + 1156, 1);          /* OperStatus */
    etl_store_u64(data + 1192, 1200000000); /* TransmitLinkSpeed */
    etl_store_u64(data + 1344, 3);          /* OutQLen, the last */
    struct etl_guid class_guid = guid_of("9b79ee91-b5fd-41c0-a243-4248e266e9d0");
    etl_layouts_start();
    layout_at_work = etl_layout_of_class(&class_guid, 36, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(layout_at_work);
    pointer_at_work = 8;
    CU_ASSERT_EQUAL(decode(data, sizeof data), sizeof data);
    static const char *const expected[] = {
        "InterfaceLuid=NetLuidIndex=5|IfType=IEEE80211 ",
        "InterfaceIndex=12 ",
        "Alias=W ",
        "Description=A ",
        "PhysicalAddress=020000000011 ",
        "Mtu=1500 ",
        "Type=IEEE80211 ",
        "InterfaceAndOperStatusFlags=HardwareInterface|ConnectorPresent ",
        "OperStatus=Up ",
        "TransmitLinkSpeed=1200000000 ",
        "OutQLen=3 "};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        CU_ASSERT_PTR_NOT_NULL(strstr(writer.text, expected[i]));
    }
    unit_every_truncation(data, sizeof data, decode_truncated);
}

UNIT_SUITE("kernel", {"a context switch", test_cswitch}, {"a read of a disk", test_disk_io},
           {"TCP/IP: addresses and ports feed second names; what is received is turned around",
            test_tcp_ip},
           {"UDP/IP version 6 has names of its own", test_udp_ip},
           {"a process with a SID and without", test_process},
           {"Image Load and its rundown have the same layout", test_image},
           {"a stack goes on to the end", test_stack},
           {"partitions have GUIDs or texts", test_partition},
           {"minor functions are named by the major one", test_driver_call},
           {"counted texts end by themselves", test_counted_texts},
           {"an array of structures", test_structures},
           {"a pool tag is a number and a text", test_pool},
           {"the nearest lower version stands in for an unknown one", test_version_stands_in},
           {"classic events have names", test_classic_names},
           {"the layout of an event by hook or by class", test_layout_of_event},
           {"ImageID: where the symbols are", test_rsds},
           {"a network interface is 1,352 bytes", test_net_interface})
