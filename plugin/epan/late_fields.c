/*
 * Wireshark asks once, at the first name "etl.…" that it does not know. Then the files on the
 * command line are read for their schemas, as any capture file is, and all of their fields are
 * registered: only what a schema declares, since the GUI asks for every half-typed word.
 */
#include "epan/late_fields.h"

#include "epan/described.h"
#include "epan/user_schemas.h"

#include ETL_COMPAT_FRAMES

#include <epan/proto.h>

#include <string.h>

/* Borrowed from the program, which keeps them. */
static int argument_count;
static char **arguments;

/* glibc and macOS hand the command line also to constructors of modules that are loaded later. */
__attribute__((constructor)) static void take_arguments(int count, char **values)
{
    argument_count = count;
    arguments = values;
}

bool etl_generic_is_named(void)
{
    static int named = -1;
    if (named < 0) {
        named = 0;
        for (int i = 1; arguments != NULL && i < argument_count; i++) {
            named |= strstr(arguments[i], "etl.field.") != NULL;
        }
    }
    return named > 0;
}

static void learn_frame(wmem_allocator_t *pool, const struct etl_frames *frames)
{
    struct etl_record record;
    size_t size = frames->rec.rec_header.packet_header.caplen;
    bool event = frames->rec.rec_type == REC_TYPE_PACKET &&
                 frames->rec.rec_header.packet_header.pkt_encap == WTAP_ENCAP_ETW;
    if (event && etl_record_unpack(etl_frames_bytes(frames), size, &record)) {
        etl_described_find(pool, &record);
    }
}

/* Whatever is wrong with the file is said when it is opened for good. */
static void learn_file(const char *path)
{
    int err = 0;
    char *err_info = NULL;
    struct wtap *wth = wtap_open_offline(path, WTAP_TYPE_AUTO, &err, &err_info, FALSE);
    if (wth == NULL) {
        g_free(err_info);
        return;
    }
    struct etl_frames frames;
    wmem_allocator_t *pool = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK);
    etl_frames_start(&frames);
    while (wtap_file_encap(wth) == WTAP_ENCAP_ETW && etl_frames_next(wth, &frames)) {
        learn_frame(pool, &frames);
        wmem_free_all(pool);
    }
    etl_frames_end(&frames);
    wmem_destroy_allocator(pool);
    wtap_close(wth);
}

static void learn_files(const char *name)
{
    static bool learned;
    if (learned || strncmp(name, "etl.", 4) != 0) { /* -G asks for all, and names no file */
        return;
    }
    learned = true;
    etl_user_schemas_ensure();
    for (int i = 1; arguments != NULL && i < argument_count; i++) {
        const char *path = arguments[i];
        path += strncmp(path, "-r", 2) == 0 ? 2 : 0;
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
            learn_file(path);
        }
    }
}

void etl_late_fields_register(void)
{
    proto_register_prefix("etl", learn_files);
}
