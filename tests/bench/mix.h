/*
 * The events of a synthetic trace: what a kernel session with context switches, samples, stacks, disk and
 * network logs, in about the shares that real ones have. The same seed gives the same bytes.
 * Knows nothing of buffers.
 */
#ifndef ETL_BENCH_MIX_H
#define ETL_BENCH_MIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIX_EVENT_MAX 512 /* no event is larger, padding included */
#define MIX_PROCESSES 64
#define MIX_THREADS   1024
#define MIX_IMAGES    16
#define MIX_FILES     4096

struct mix {
    uint64_t state;         /* of the random numbers; not 0 */
    uint32_t running[2048]; /* thread by CPU */
};

void mix_start(struct mix *mix, uint64_t seed);

/* Writes one event at time `now` for `cpu` to `room`; returns its size, not rounded up. */
size_t mix_event(struct mix *mix, unsigned cpu, uint64_t now, uint8_t *room);

/* The same, an event that a schema describes: every second one its own, the others the built-in table's. */
size_t mix_described(struct mix *mix, unsigned cpu, uint64_t now, uint8_t *room);

/* A packet in an event: packet.c. */
size_t mix_packet(unsigned number, uint64_t now, uint8_t *room);

/* The rundown of processes, threads, modules and files, as far as the events speak of them. `number` counts from 0; 0 when there are no more. */
size_t mix_rundown(unsigned number, uint64_t now, uint8_t *room);

/* What the logfile header says. The clock is a counter of 10 MHz. */
struct mix_trace {
    uint32_t buffer_size;
    uint32_t cpus;
    uint64_t start;          /* raw time of the first event */
    uint64_t start_filetime; /* the same as a FILETIME */
    bool compressed;
};

/* The logfile header event; it needs 1,024 bytes. */
size_t mix_logfile(const struct mix_trace *trace, uint8_t *room);

#endif
