/* Registers and raises expert infos: one for each row of notes.def. */
#include "epan/notes.h"

#include <epan/expert.h>
#include <epan/tap.h>

struct note_facts {
    const char *id;
    int severity;
    int group;
};

static const struct note_facts facts[ETL_NOTE_COUNT] = {
#define NOTE(note_id, note_severity, note_group, sentence) \
    [ETL_NOTE_##                                           \
        note_id] = {.id = #note_id, .severity = PI_##note_severity, .group = PI_##note_group},
#include "etl/notes.def"
#undef NOTE
};

static expert_field fields[ETL_NOTE_COUNT];

void etl_notes_register(int protocol)
{
    static ei_register_info infos[ETL_NOTE_COUNT];
    for (size_t i = 0; i < ETL_NOTE_COUNT; i++) {
        gchar *snake = g_ascii_strdown(facts[i].id, -1);
        fields[i] = (expert_field)EI_INIT;
        infos[i] = (ei_register_info){.ids = &fields[i],
                                      .eiinfo = {g_strconcat("etl.note.", snake, NULL),
                                                 facts[i].group, facts[i].severity,
                                                 etl_note_sentence((enum etl_note)i), EXPFILL}};
        g_free(snake);
    }
    expert_register_field_array(expert_register_protocol(protocol), infos, ETL_NOTE_COUNT);
}

void etl_note_add(packet_info *pinfo, proto_item *item, enum etl_note note, const char *detail)
{
    if (detail == NULL || detail[0] == '\0') {
        expert_add_info(pinfo, item, &fields[note]);
    } else {
        expert_add_info_format(pinfo, item, &fields[note], "%s: %s", etl_note_sentence(note),
                               detail);
    }
}

bool etl_notes_are_collected(void)
{
    static int tap;
    if (tap == 0) {
        tap = find_tap_id("expert");
    }
    return have_tap_listener(tap);
}

bool etl_notes_are_wanted(void)
{
    static const header_field_info *infos[ETL_NOTE_COUNT + 1];
    if (infos[0] == NULL) {
        for (size_t i = 0; i < ETL_NOTE_COUNT; i++) {
            infos[i] = proto_registrar_get_nth((guint)fields[i].hf);
        }
        infos[ETL_NOTE_COUNT] = proto_registrar_get_nth((guint)proto_expert);
    }
    unsigned referenced = HF_REF_TYPE_NONE; /* which is 0; nearly always all of them are */
    for (size_t i = 0; i <= ETL_NOTE_COUNT; i++) {
        referenced |= infos[i]->ref_type;
    }
    return referenced != HF_REF_TYPE_NONE || etl_notes_are_collected();
}
