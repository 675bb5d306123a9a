/*
 * Frames made ahead of a sequential read, a few dozen at a time:
 *
 *     room:    | record | record | record | …          one behind the other
 *     frames:  | time, CPU, size | time, CPU, size | …
 *
 * Making one takes more code than a processor's first cache holds beside Wireshark's own: made one by one, each
 * would find none of it there.
 */
#include "wiretap/reader.h"

/* Enough that the first one's cost is spread, few enough that all of them stay in the cache of data. */
#define FRAMES_MAX 32

/* A record may be as large as ETL_RECORD_SIZE_MAX; most are of a few hundred bytes. */
#define ROOM_SIZE (ETL_RECORD_SIZE_MAX + 0x8000)

struct etl_ahead {
    struct etl_frame frames[FRAMES_MAX];
    unsigned made;
    unsigned taken;
    size_t used;
    uint8_t room[ROOM_SIZE];
};

struct etl_ahead *etl_ahead_new(void)
{
    struct etl_ahead *ahead = g_new(struct etl_ahead, 1);
    etl_ahead_clear(ahead);
    return ahead;
}

void etl_ahead_clear(struct etl_ahead *ahead)
{
    ahead->made = 0;
    ahead->taken = 0;
    ahead->used = 0;
}

uint8_t *etl_ahead_room(struct etl_ahead *ahead)
{
    bool full = ahead->made == FRAMES_MAX || ahead->used > ROOM_SIZE - ETL_RECORD_SIZE_MAX;
    return full ? NULL : ahead->room + ahead->used;
}

void etl_ahead_add(struct etl_ahead *ahead, const struct etl_frame *frame)
{
    ahead->frames[ahead->made++] = *frame;
    ahead->used += frame->size;
}

const struct etl_frame *etl_ahead_take(struct etl_ahead *ahead)
{
    return ahead->taken < ahead->made ? &ahead->frames[ahead->taken++] : NULL;
}
