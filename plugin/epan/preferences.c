/* Registers the preferences and hands the reader's on. */
#include "compat/compat.h"

#include "epan/preferences.h"

#include "etl/limits.h"

#include "epan/symbols.h"
#include "epan/user_schemas.h"

#include <epan/prefs.h>

static etl_preference_bool merge = TRUE;
static etl_preference_bool names = TRUE;
etl_preference_bool etl_copies_apart = TRUE;
const char *etl_counted_place = "";
static guint limits[ETL_LIMIT_COUNT]; /* MiB */

/*
 * Sets a variable while a preference is off. What the user has put into the environment stays while
 * it is on: command line tools without preferences are told that way.
 */
static void hand_over(bool on, const char *variable, const char *value_when_off, bool *is_set)
{
    if (!on) {
        g_setenv(variable, value_when_off, TRUE);
    } else if (*is_set) {
        g_unsetenv(variable);
    }
    *is_set = !on;
}

static void hand_over_number(unsigned number, unsigned number_when_unset, const char *variable,
                             bool *is_set)
{
    char text[16];
    if (number != number_when_unset) {
        snprintf(text, sizeof text, "%u", number);
        g_setenv(variable, text, TRUE);
    } else if (*is_set) {
        g_unsetenv(variable);
    }
    *is_set = number != number_when_unset;
}

static void apply(void)
{
    static bool limit_is_set[ETL_LIMIT_COUNT];
    static bool order_is_set;
    static bool names_is_set;
    hand_over(merge, "ETL_ORDER", "file", &order_is_set);
    hand_over(names, "ETL_NAMES", "0", &names_is_set);
    etl_symbols_reset();
    for (unsigned i = 0; i < ETL_LIMIT_COUNT; i++) {
        const struct etl_limit_row *row = &etl_limit_rows[i];
        hand_over_number(limits[i], row->mebibytes, row->variable, &limit_is_set[i]);
    }
    etl_user_schemas_ensure();
}

static void register_limits(module_t *module)
{
    for (unsigned i = 0; i < ETL_LIMIT_COUNT; i++) {
        const struct etl_limit_row *row = &etl_limit_rows[i];
        limits[i] = row->mebibytes;
        prefs_register_uint_preference(module, row->preference, row->title, row->description, 10,
                                       &limits[i]);
    }
}

void etl_preferences_register(int protocol)
{
    module_t *module = prefs_register_protocol(protocol, apply);
    prefs_register_bool_preference(
        module, "merge", "Show events in time order",
        "Each processor of the traced machine wrote buffers of its own. On: their events are merged "
        "by time. Off: events in the order of the file. Takes effect when a file is opened.",
        &merge);
    prefs_register_bool_preference(
        module, "names", "Keep names with events",
        "Names of processes, paths and command lines become part of each frame, also of saved ones. "
        "Off: numbers only. Takes effect when a file is opened.",
        &names);
    prefs_register_bool_preference(
        module, "copies_apart", "Count each packet once",
        "A packet is reported at each place that it passes in the traced machine. On: only its first "
        "report takes part in conversations and statistics. Off: all do, and look like retransmissions.",
        &etl_copies_apart);
    prefs_register_string_preference(
        module, "counted_place", "Count it at",
        "The component or interface whose report of a packet takes part, by its name: packets that do not "
        "pass it do not count. Empty: the first report, wherever that is.",
        &etl_counted_place);
    prefs_register_directory_preference(
        module, "symbols", "Folder of symbols",
        "Names of functions, from text files of Breakpad: FOLDER/app.pdb/GUID and age/app.sym, as "
        "symbol servers have them.",
        &etl_symbols_folder);
    register_limits(module);
    prefs_register_string_preference(
        module, "schemas", "Schemas from",
        "Manifests (.man, .xml) and traces (.etl, .pcapng) that describe events of other traces; folders of "
        "them. Several have a colon between them, on Windows a semicolon.",
        &etl_user_schemas_paths);
}
