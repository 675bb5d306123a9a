/* Registers the preferences and hands the reader's on. */
#include "compat/compat.h"

#include "epan/preferences.h"

#include <epan/prefs.h>

static etl_preference_bool merge = TRUE;
static etl_preference_bool names = TRUE;
etl_preference_bool etl_copies_apart = TRUE;

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

static void apply(void)
{
    static bool order_is_set;
    static bool names_is_set;
    hand_over(merge, "ETL_ORDER", "file", &order_is_set);
    hand_over(names, "ETL_NAMES", "0", &names_is_set);
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
}
