/*
 * From the order of the file to the order of time.
 *
 * Buffers are sorted by their first event and dealt out to lanes: a buffer continues the lane that
 * ended first, if it ended in time, else it opens a new one. So there are as many lanes as buffers
 * overlap, whoever wrote them: one per CPU in a healthy trace, fewer after a wrap, more where a
 * session had no buffer per CPU.
 *
 *     CPU 0  |--3--|   |--5--|            lane 0:  3 5 8     A tournament of the lanes' next
 *     CPU 1    |--4--|     |--7--|        lane 1:  4 7       events finds the earliest.
 *     CPU 0                   |--8--|
 *
 * An event that is earlier than one before it in its own buffer is delivered right after that one
 * and says so.
 */
#include "core/file/file_private.h"

#include <stdlib.h>
#include <string.h>

struct begin {
    int64_t first;
    uint32_t buffer;
};

/* A lane while lanes are dealt out: when it ends, its last buffer. */
struct end {
    int64_t last;
    uint32_t buffer;
};

static int compare_begins(const void *left, const void *right)
{
    const struct begin *a = left;
    const struct begin *b = right;
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return a->buffer < b->buffer ? -1 : 1;
}

/* Restores the heap of lane ends below `at`: the lane that ended first is on top. */
static void sift_ends(struct end *ends, size_t count, size_t at)
{
    struct end moved = ends[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && ends[child + 1].last < ends[child].last;
        if (moved.last <= ends[child].last) {
            break;
        }
        ends[at] = ends[child];
    }
    ends[at] = moved;
}

static void raise_end(struct end *ends, size_t at)
{
    struct end moved = ends[at];
    for (; at > 0 && moved.last < ends[(at - 1) / 2].last; at = (at - 1) / 2) {
        ends[at] = ends[(at - 1) / 2];
    }
    ends[at] = moved;
}

/* Buffers of no event with a time go where their neighbour in the file is. */
static struct begin *sorted_begins(struct etl_file *file)
{
    struct begin *begins = malloc(file->buffer_count * sizeof *begins);
    if (begins == NULL) {
        return NULL;
    }
    int64_t before = INT64_MIN;
    for (size_t i = 0; i < file->buffer_count; i++) {
        struct etl_buffer_entry *entry = &file->buffers[i];
        if (!entry->timed) {
            entry->first = entry->last = before;
        }
        before = entry->first;
        begins[i] = (struct begin){.first = entry->first, .buffer = (uint32_t)i};
    }
    qsort(begins, file->buffer_count, sizeof *begins, compare_begins);
    return begins;
}

/* entry->thread so far: what the buffer's last switch switched to. Afterwards: what ran before its
 * first. */
static void settle_threads(struct etl_file *file, const struct begin *begins)
{
    uint32_t running[ETL_PROCESSOR_INDEX_MASK + 1];
    memset(running, 0xFF, sizeof running); /* ETL_ID_UNKNOWN */
    for (size_t i = 0; i < file->buffer_count; i++) {
        struct etl_buffer_entry *entry = &file->buffers[begins[i].buffer];
        uint32_t before = running[entry->cpu];
        if (entry->switched) {
            running[entry->cpu] = entry->thread;
        }
        entry->thread = before;
    }
}

/*
 * Chains the buffers of each lane by `next`; the lanes' first buffers go to `firsts`. Returns how
 * many lanes there are, or 0 if there are more than `most`.
 */
static size_t deal_lanes(struct etl_file *file, const struct begin *begins, struct end *ends,
                         uint32_t *firsts, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < file->buffer_count; i++) {
        uint32_t number = begins[i].buffer;
        struct etl_buffer_entry *entry = &file->buffers[number];
        entry->next = ETL_NO_BUFFER;
        if (count > 0 && ends[0].last <= entry->first) {
            file->buffers[ends[0].buffer].next = number;
            ends[0] = (struct end){.last = entry->last, .buffer = number};
            sift_ends(ends, count, 0);
        } else if (count == most) {
            return 0;
        } else {
            firsts[count] = number;
            ends[count] = (struct end){.last = entry->last, .buffer = number};
            raise_end(ends, count);
            count++;
        }
    }
    return count;
}

static void chain_as_they_lie(struct etl_file *file)
{
    for (size_t i = 0; i < file->buffer_count; i++) {
        file->buffers[i].next = i + 1 < file->buffer_count ? (uint32_t)i + 1 : ETL_NO_BUFFER;
    }
}

/* A lane's next turn: `time` as a number that orders as raw times do, `place` as in the arrays. */
struct turn {
    uint64_t time;
    uint64_t place;
};

/*
 * Plays the lane's new turn against the losers on the way up from its leaf; the first entry is then
 * who won. As many steps for every event, and none of them a jump that depends on who is earlier:
 * that is anybody's guess, also the processor's. Hence the exchange by arithmetic, for compilers
 * make a jump of a condition. Equal times are rare, so that jump costs nothing.
 */
static void replay(struct etl_tournament *turns, uint32_t lane, struct turn moved)
{
    uint64_t *times = turns->times;
    uint64_t *places = turns->places;
    for (size_t node = (turns->leaves + lane) / 2; node > 0; node /= 2) {
        struct turn other = {times[node], places[node]};
        uint64_t earlier = -(uint64_t)(other.time < moved.time); /* all bits, or none */
        if (other.time == moved.time) {
            earlier = -(uint64_t)(other.place < moved.place);
        }
        uint64_t time = (other.time ^ moved.time) & earlier;
        uint64_t place = (other.place ^ moved.place) & earlier;
        times[node] = other.time ^ time;
        places[node] = other.place ^ place;
        moved.time ^= time;
        moved.place ^= place;
    }
    times[0] = moved.time;
    places[0] = moved.place;
}

/* Takes the lane's measured event: its place in the order, whatever its own time says. */
static void set_turn(struct etl_lane *lane)
{
    etl_standing_arrive(&lane->standing, &lane->measure);
    if (lane->standing.latest > lane->time) {
        lane->time = lane->standing.latest;
    }
}

static void leave_buffer(struct etl_file *file, struct etl_lane *lane)
{
    if (lane->page != NULL) {
        etl_page_unpin(file, lane->page, !file->random_access);
        lane->page = NULL;
    }
}

/* Counts what is left of a buffer that has no further event at `offset`. */
static void pass_unread(struct etl_file *file, const struct etl_lane *lane, uint32_t offset)
{
    if (offset + ETL_EVENT_SIZE_MIN <= lane->page->header.filled) {
        file->passed_unread += lane->page->header.filled - offset;
    }
}

/* In the order of the file the first event after damage says so, whenever it is read again. */
static enum etl_status note_passed(struct etl_file *file, const struct etl_lane *lane)
{
    struct etl_damage damage = {
        .buffer = lane->buffer,
        .event = lane->offset,
        .of = lane->buffer - 1,
        .note = ETL_NOTE_DAMAGED_BEFORE,
        .unread = file->passed_unread,
    };
    if (!file->options.file_order || file->passed_unread == 0 || lane->buffer == 0) {
        return ETL_OK;
    }
    file->passed_unread = 0;
    file->buffers[lane->buffer].damaged = 1;
    return etl_damage_add(&file->gaps, &damage) ? ETL_OK : ETL_NO_MEMORY;
}

/*
 * No event is at `*offset`: moves to the one behind the gap, which file order comes to before
 * anybody else has. Out of memory for the gap the rest of the buffer is unread, as if there were
 * none.
 */
static bool pass_gap(struct etl_file *file, struct etl_lane *lane, uint32_t *offset)
{
    uint32_t next = *offset;
    if (!lane->page->unreadable && file->options.file_order &&
        etl_gap_pass(file, lane->page, &next, 0, lane->standing.latest) != ETL_OK) {
        return false;
    }
    return etl_gap_follow(file, lane->page, offset, &lane->measure);
}

/* Puts the lane on the event at `offset` of its page or behind a gap there; false when there is
 * none. */
static bool stand_on(struct etl_file *file, struct etl_lane *lane, uint32_t offset)
{
    struct etl_page *page = lane->page;
    if (etl_page_measure(file, page, offset, &lane->measure) != ETL_MEASURED_EVENT &&
        !pass_gap(file, lane, &offset)) {
        return false;
    }
    lane->at = etl_page_at(page, offset);
    lane->left = page->size - (offset - page->start);
    lane->offset = offset;
    lane->cpu = page->header.cpu;
    set_turn(lane);
    return true;
}

/* Leaves the buffer, which has no event at `offset`, for the lane's next one. */
static enum etl_status end_buffer(struct etl_file *file, struct etl_lane *lane, uint32_t offset)
{
    if (lane->page->unreadable) {
        return ETL_READ_FAILED;
    }
    pass_unread(file, lane, offset);
    uint32_t next = file->buffers[lane->buffer].next;
    leave_buffer(file, lane);
    lane->buffer = next;
    return ETL_OK;
}

/* Moves the lane to the first event of its buffer, or of the next buffer that has one. ETL_END:
 * none. */
static enum etl_status enter_buffer(struct etl_file *file, struct etl_lane *lane)
{
    enum etl_status status = ETL_OK;
    while (status == ETL_OK && lane->buffer != ETL_NO_BUFFER) {
        status = etl_page_get(file, lane->buffer, ETL_BUFFER_HEADER_SIZE, &lane->page);
        if (status != ETL_OK) {
            return status;
        }
        etl_page_pin(lane->page);
        etl_standing_start(&lane->standing, &file->buffers[lane->buffer]);
        if (stand_on(file, lane, ETL_BUFFER_HEADER_SIZE)) {
            return note_passed(file, lane);
        }
        status = end_buffer(file, lane, ETL_BUFFER_HEADER_SIZE);
    }
    return status == ETL_OK ? ETL_END : status;
}

static enum etl_status advance(struct etl_file *file, struct etl_lane *lane)
{
    uint32_t step = etl_next_offset(0, lane->measure.size);
    etl_standing_pass(&lane->standing, lane->at, &lane->measure);
    if (step < lane->left && etl_measure(lane->at + step, lane->left - step, &file->context,
                                         &lane->measure) == ETL_MEASURED_EVENT) {
        lane->at += step;
        lane->left -= step;
        lane->offset += step;
        etl_fetch_ahead(lane->at + lane->measure.size); /* other lanes' turns are time enough */
        set_turn(lane);
        return ETL_OK;
    }
    uint32_t offset = lane->offset + step;
    if (stand_on(file, lane, offset)) {
        return ETL_OK;
    }
    enum etl_status status = end_buffer(file, lane, offset);
    return status == ETL_OK ? enter_buffer(file, lane) : status;
}

/* A lane that has ended comes after all others. */
static inline struct turn turn_of(const struct etl_file *file, uint32_t lane)
{
    const struct etl_lane *one = &file->lanes[lane];
    int64_t time = one->buffer == ETL_NO_BUFFER ? INT64_MAX : one->time;
    return (struct turn){.time = (uint64_t)time ^ (uint64_t)INT64_MIN,
                         .place = (uint64_t)one->buffer << 32 | lane};
}

/* Everybody's first turn: leaves that have not played yet count as the earliest and so fill the
 * tree. */
static void start_tournament(struct etl_file *file, size_t lanes)
{
    struct etl_tournament *turns = &file->turns;
    for (size_t i = 0; i < turns->leaves; i++) {
        turns->times[i] = turns->places[i] = 0;
    }
    for (size_t i = turns->leaves; i-- > 0;) {
        struct turn none = {.time = UINT64_MAX, .place = (uint64_t)ETL_NO_BUFFER << 32 | i};
        replay(turns, (uint32_t)i, i < lanes ? turn_of(file, (uint32_t)i) : none);
    }
}

/* Puts every lane on its first event. */
static enum etl_status start_lanes(struct etl_file *file, const uint32_t *firsts, size_t count)
{
    struct etl_tournament *turns = &file->turns;
    turns->leaves = 1;
    while (turns->leaves < count) {
        turns->leaves *= 2;
    }
    file->lanes = calloc(count, sizeof *file->lanes);
    turns->times = malloc(turns->leaves * sizeof *turns->times);
    turns->places = malloc(turns->leaves * sizeof *turns->places);
    if (file->lanes == NULL || turns->times == NULL || turns->places == NULL) {
        return ETL_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        file->lanes[i].buffer = firsts[i];
        file->lanes[i].time = INT64_MIN;
        enum etl_status status = enter_buffer(file, &file->lanes[i]);
        if (status != ETL_OK && status != ETL_END) {
            return status;
        }
    }
    start_tournament(file, count);
    return ETL_OK;
}

/* Bytes that a lane's page can take. */
static size_t page_room(const struct etl_file *file)
{
    bool whole = file->any_compressed && file->largest_filled > ETL_WINDOW_SIZE;
    return whole ? file->largest_filled : ETL_WINDOW_SIZE;
}

static size_t lanes_that_fit(const struct etl_file *file)
{
    size_t most = etl_memory_limit(file) / page_room(file);
    most = most > 2 ? most - 2 : 1;
    return most < ETL_LANES_MAX ? most : ETL_LANES_MAX;
}

/* One lane after the other costs a window each; two more serve a random reader. */
static void limit_windows(struct etl_file *file, size_t lanes)
{
    size_t room = (lanes + 2) * ETL_WINDOW_SIZE;
    if (room > file->pages.limit) {
        file->pages.limit = room;
    }
}

static enum etl_status build_merge(struct etl_file *file)
{
    size_t most = lanes_that_fit(file);
    struct begin *begins = sorted_begins(file);
    struct end *ends = calloc(most, sizeof *ends);
    uint32_t *firsts = malloc(most * sizeof *firsts);
    enum etl_status status = ETL_NO_MEMORY;
    if (begins != NULL && ends != NULL && firsts != NULL) {
        settle_threads(file, begins);
        size_t lanes = deal_lanes(file, begins, ends, firsts, most);
        file->merged = lanes > 0;
        file->too_wide = lanes == 0 && most < ETL_LANES_MAX;
        if (!file->merged) {
            chain_as_they_lie(file);
            firsts[0] = 0;
        }
        limit_windows(file, lanes > 0 ? lanes : 1);
        status = start_lanes(file, firsts, lanes > 0 ? lanes : 1);
    }
    free(begins);
    free(ends);
    free(firsts);
    return status;
}

enum etl_status etl_order_build(struct etl_file *file)
{
    const uint32_t first = 0;
    if (file->buffer_count == 0) {
        return ETL_OK;
    }
    if (!file->options.file_order) {
        return build_merge(file);
    }
    chain_as_they_lie(file);
    enum etl_status status = start_lanes(file, &first, 1);
    if (status == ETL_OK) {
        file->first_buffer = file->lanes[0].buffer;
        file->first_offset = file->lanes[0].offset;
    }
    return status;
}

enum etl_status etl_order_next(struct etl_file *file, struct etl_lane **ret_lane)
{
    struct etl_tournament *turns = &file->turns;
    if (turns->places == NULL) {
        return ETL_END;
    }
    if (file->delivered) {
        uint32_t lane = etl_first_lane(turns);
        enum etl_status status = advance(file, &file->lanes[lane]);
        if (status != ETL_OK && status != ETL_END) {
            file->failure = status;
            return status;
        }
        replay(turns, lane, turn_of(file, lane));
    }
    file->delivered = !etl_all_ended(turns);
    *ret_lane = &file->lanes[etl_first_lane(turns)];
    return file->delivered ? ETL_OK : ETL_END;
}
