/*
 * The module of Wireshark's wiretap/ folder: registers the file type and its reader.
 */
#include "wiretap/reader.h"

#include "compat/module.h"

/* WS_PLUGIN_DESC_FILE_TYPE, asked for from 4.4 on. */
#define DESCRIBE_FILE_TYPE 2

int etl_file_type_subtype = -1;

static const struct supported_option_type section_options[] = {
    {OPT_COMMENT, MULTIPLE_OPTIONS_SUPPORTED},
    {OPT_SHB_HARDWARE, ONE_OPTION_SUPPORTED},
    {OPT_SHB_OS, ONE_OPTION_SUPPORTED},
    {OPT_SHB_USERAPPL, ONE_OPTION_SUPPORTED},
};

static const struct supported_option_type interface_options[] = {
    {OPT_COMMENT, MULTIPLE_OPTIONS_SUPPORTED},   {OPT_IDB_NAME, ONE_OPTION_SUPPORTED},
    {OPT_IDB_DESCRIPTION, ONE_OPTION_SUPPORTED}, {OPT_IDB_SPEED, ONE_OPTION_SUPPORTED},
    {OPT_IDB_FCSLEN, ONE_OPTION_SUPPORTED},      {OPT_IDB_TSRESOL, ONE_OPTION_SUPPORTED},
};

static const struct supported_option_type packet_options[] = {
    {OPT_COMMENT, MULTIPLE_OPTIONS_SUPPORTED},
    {OPT_PKT_FLAGS, ONE_OPTION_SUPPORTED},
};

static const struct supported_block_type supported_blocks[] = {
    {WTAP_BLOCK_SECTION, ONE_BLOCK_SUPPORTED, OPTION_TYPES_SUPPORTED(section_options)},
    {WTAP_BLOCK_IF_ID_AND_INFO, MULTIPLE_BLOCKS_SUPPORTED,
     OPTION_TYPES_SUPPORTED(interface_options)},
    {WTAP_BLOCK_PACKET, MULTIPLE_BLOCKS_SUPPORTED, OPTION_TYPES_SUPPORTED(packet_options)},
};

/* Not const: write.c completes it. */
static struct file_type_subtype_info file_type = {
    .description = "Windows Event Trace Log",
    .name = "etl",
    .default_file_extension = "etl",
    .additional_file_extensions = "blg",
    .num_supported_blocks = sizeof supported_blocks / sizeof supported_blocks[0],
    .supported_blocks = supported_blocks,
};

/*
 * Whether struct wtap is as this module was compiled to think, by what the library's own functions
 * read from one that we fill. A module for another version must say so and stay out, not crash.
 */
static bool layout_is_known(void)
{
    struct wtap probe;
    memset(&probe, 0, sizeof probe);
    probe.file_type_subtype = 11;
    probe.snapshot_length = 22;
    probe.file_encap = 33;
    probe.file_tsprec = 44;
    return wtap_file_type_subtype(&probe) == 11 && wtap_snapshot_length(&probe) == 22 &&
           wtap_file_encap(&probe) == 33 && wtap_file_tsprec(&probe) == 44;
}

static void register_file_type(void)
{
    static struct open_info open_info = {
        .name = "Windows Event Trace Log",
        .type = OPEN_INFO_MAGIC, /* before the heuristics, which take 64 KiB buffers for MPEG */
        .open_routine = etl_open,
        .extensions = "etl;blg",
    };
    static struct open_info open_packets = {
        .name = "Windows Event Trace Log (packets only)",
        .type = OPEN_INFO_MAGIC, /* behind the first, which takes what it would take */
        .open_routine = etl_open_packets,
    };
    static struct open_info open_recover = {
        .name = "Windows Event Trace Log (recover)",
        .type = OPEN_INFO_MAGIC, /* behind the first, which says whether it was asked by name */
        .open_routine = etl_open_recover,
    };
    static const struct file_extension_info extensions = {"Windows Event Trace Log", TRUE,
                                                          "etl;blg"};
    if (!layout_is_known()) {
        g_warning(
            "etl: this module was built for another Wireshark than %d.%d as it is here; it stays out",
            ETL_WANT_MAJOR, ETL_WANT_MINOR);
        return;
    }
    etl_set_writing(&file_type);
    etl_file_type_subtype = wtap_register_file_type_subtype(&file_type);
    wtap_register_open_info(&open_info, FALSE);
    wtap_register_open_info(&open_packets, FALSE);
    wtap_register_open_info(&open_recover, FALSE);
    wtap_register_file_type_extension(&extensions);
}

void plugin_register(void)
{
    static wtap_plugin plugin = {.register_wtap_module = register_file_type};
    wtap_register_plugin(&plugin);
}

uint32_t plugin_describe(void)
{
    return DESCRIBE_FILE_TYPE;
}
