/*
 * Reads what `tshark -T json -J etl` prints and prints a line for each frame, so that whole traces can be compared
 * (same_frames.py):
 *
 *     trace id, hash of the etl layer, the same without where the event is in its file, offset in its buffer, "part" if
 *     it has some of a packet that is in several events
 *
 * Where frames come to stand and what is named on the command line are left out: these are another file's when a subset
 * was saved. So is what stands behind a field's name because its provider gives that name to values of several kinds
 * (plugin/FORMAT.md, 2.5): the first kind that a file has needs nothing behind it.
 *
 * Only the etl layer counts: which others a frame has depends on the frames before it, as with packets of one TCP
 * connection. The second hash is "-" for events that another trace has others of: the logfile header, which counts
 * buffers, and messages without a time, which have that of whatever is before them.
 *
 *     frame_table [NAME OF A FIELD, WITHOUT "etl."...]
 *
 * In C since traces have hundreds of thousands of frames of a hundred lines each. Knows JSON only as tshark prints it:
 * a member in a line of its own, indented by how deep it is.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HAS_TIME     8 /* of a message's flags */
#define NO_OFFSET    UINT64_MAX
#define LAYER_INDENT 8
#define PREFIX       "\"etl."
#define PREFIX_SIZE  (sizeof PREFIX - 1)

struct text {
    const char *at;
    size_t size;
};

/* A line without its end and the comma there, since the last of a list has none. */
struct line {
    struct text all;
    size_t indent;
    struct text name;  /* of a field below "etl."; nothing otherwise */
    struct text value; /* what is between the quotes behind it */
};

/* FNV-1a: any one byte that is another one changes it. */
struct hash {
    uint64_t start;
    uint64_t rest; /* from the line after the last that tells the event's place */
};

struct frame {
    bool open;
    bool placed; /* the last line of the place was there */
    char trace[16];
    struct hash whole;
    struct hash moved;
    uint64_t offset;
    bool is_part;
    bool has_other_time;
};

static const uint64_t hash_of_nothing = 0xcbf29ce484222325;

/* The kinds that may stand behind a name: late_fields.c. */
static const char *const kinds[] = {"_number", "_number64", "_signed", "_signed64", "_flag",
                                    "_float",  "_double",   "_time",   "_guid",     "_v4",
                                    "_v6",     "_bytes",    "_struct", "_text"};

/* The names that tell where the event is in its file; the first is one of many. */
static const char *const places[] = {"offset", "out_of_order", "trace_id"};
static const char *const parts[] = {"packet.part.count", "note.packet_part",
                                    "note.packet_no_start"};

static bool is(struct text text, const char *other)
{
    size_t size = strlen(other);
    return text.size == size && memcmp(text.at, other, size) == 0;
}

static bool is_one_of(struct text text, const char *const *others, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is(text, others[i])) {
            return true;
        }
    }
    return false;
}

#define IS_ONE_OF(text, others) is_one_of(text, others, sizeof(others) / sizeof(others)[0])

static bool begins(struct text text, const char *with)
{
    size_t size = strlen(with);
    return text.size >= size && memcmp(text.at, with, size) == 0;
}

static bool ends(struct text text, const char *with)
{
    size_t size = strlen(with);
    return text.size >= size && memcmp(text.at + text.size - size, with, size) == 0;
}

static struct line line_of(const char *at, size_t size)
{
    struct line line = {.all = {.at = at, .size = size}};
    if (size > 0 && at[size - 1] == '\n') {
        line.all.size--;
    }
    if (line.all.size > 0 && at[line.all.size - 1] == ',') {
        line.all.size--;
    }
    while (line.indent < line.all.size && at[line.indent] == ' ') {
        line.indent++;
    }
    struct text rest = {.at = at + line.indent, .size = line.all.size - line.indent};
    if (!begins(rest, PREFIX)) {
        return line;
    }
    const char *name = rest.at + PREFIX_SIZE;
    const char *end = memchr(name, '"', rest.size - PREFIX_SIZE);
    const char *last = at + line.all.size;
    if (end != NULL && last - end >= 2 && end[1] == ':') {
        line.name = (struct text){.at = name, .size = (size_t)(end - name)};
        if (last - end >= 5 && end[3] == '"') {
            line.value = (struct text){.at = end + 4, .size = (size_t)(last - end) - 5};
        }
    }
    return line;
}

static void hash_text(uint64_t *hash, struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        *hash = (*hash ^ (uint8_t)text.at[i]) * 0x100000001b3;
    }
}

static void hash_line(uint64_t *hash, const struct line *line)
{
    struct text before = line->all;
    struct text after = {.at = line->all.at, .size = 0};
    for (size_t i = 0; line->name.size > 0 && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (ends(line->name, kinds[i])) {
            const char *end = line->name.at + line->name.size;
            before.size = (size_t)(end - before.at) - strlen(kinds[i]);
            after = (struct text){.at = end, .size = (size_t)(line->all.at + line->all.size - end)};
        }
    }
    hash_text(hash, before);
    hash_text(hash, after);
    hash_text(hash, (struct text){.at = "\n", .size = 1});
}

static uint64_t number(struct text text)
{
    return strtoull(text.at, NULL, 0);
}

static void see_field(struct frame *frame, struct text name, struct text value)
{
    if (is(name, "trace_id") && frame->trace[0] == 0) {
        snprintf(frame->trace, sizeof frame->trace, "%.*s", (int)value.size, value.at);
    } else if (is(name, "buffer.offset") && frame->offset == NO_OFFSET) {
        frame->offset = number(value);
    } else if (IS_ONE_OF(name, parts)) {
        frame->is_part = true;
    } else if (is(name, "hookid") && is(value, "0x0000")) {
        frame->has_other_time = true;
    } else if (is(name, "message.flags") && (number(value) & HAS_TIME) == 0) {
        frame->has_other_time = true;
    }
}

static void add_line(struct frame *frame, const struct line *line, char **left_out, size_t count)
{
    if (line->name.size > 0) {
        if (is_one_of(line->name, (const char *const *)left_out, count)) {
            return;
        }
        see_field(frame, line->name, line->value);
    }
    if (frame->placed) { /* the same of both */
        hash_line(&frame->whole.rest, line);
        return;
    }
    hash_line(&frame->whole.start, line);
    if (!IS_ONE_OF(line->name, places) && !begins(line->name, "buffer.")) {
        hash_line(&frame->moved.start, line);
    }
    frame->placed = is(line->name, "trace_id");
}

static void open_frame(struct frame *frame)
{
    struct hash nothing = {hash_of_nothing, hash_of_nothing};
    *frame = (struct frame){.open = true, .whole = nothing, .moved = nothing, .offset = NO_OFFSET};
}

static void print_frame(struct frame *frame)
{
    frame->moved.rest = frame->whole.rest;
    printf("%s\t%016" PRIx64 "%016" PRIx64 "\t", frame->trace[0] != 0 ? frame->trace : "-",
           frame->whole.start, frame->whole.rest);
    if (frame->has_other_time) {
        fputs("-", stdout);
    } else {
        printf("%016" PRIx64 "%016" PRIx64, frame->moved.start, frame->moved.rest);
    }
    if (frame->offset != NO_OFFSET) {
        printf("\t%" PRIu64, frame->offset);
    } else {
        fputs("\t-", stdout);
    }
    puts(frame->is_part ? "\tpart" : "\t-");
    frame->open = false;
}

/* A layer that -J has left out: `"tcp": {`, `"filtered": "tcp"`, `}`. */
static bool is_left_out_layer(struct text first, const struct line *second)
{
    struct text member = {.at = second->all.at + second->indent,
                          .size = second->all.size - second->indent};
    return ends(first, "\": {") && second->indent == LAYER_INDENT + 2 &&
           begins(member, "\"filtered\": ");
}

int main(int argc, char **argv)
{
    char *buffer = NULL;
    char *kept = NULL; /* the first line of a layer */
    size_t room = 0;
    ssize_t size;
    size_t skip = 0;
    struct frame frame = {0};
    while ((size = getline(&buffer, &room, stdin)) > 0) {
        struct line line = line_of(buffer, (size_t)size);
        if (!frame.open) {
            if (line.indent == 4 &&
                begins((struct text){line.all.at + 4, line.all.size - 4}, "\"_source\"")) {
                open_frame(&frame);
            }
        } else if (line.indent == 2) {
            print_frame(&frame);
        } else if (skip > 0) {
            skip--;
        } else if (kept != NULL) {
            struct line first = line_of(kept, strlen(kept));
            if (is_left_out_layer(first.all, &line)) {
                skip = 1;
            } else {
                add_line(&frame, &first, argv + 1, (size_t)argc - 1);
                add_line(&frame, &line, argv + 1, (size_t)argc - 1);
            }
            free(kept);
            kept = NULL;
        } else if (line.indent == LAYER_INDENT && line.all.at[line.all.size - 1] == '{') {
            kept = strndup(line.all.at, line.all.size);
        } else {
            add_line(&frame, &line, argv + 1, (size_t)argc - 1);
        }
    }
    free(buffer);
    return frame.open ? 1 : 0; /* it ended within a frame */
}
