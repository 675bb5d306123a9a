/*
 * Which module lies at an address, in a process at a time.
 *
 *     process 812   | 7ff612340000 app.exe      [load ………………………………… unload)
 *                   | 7ffa00000000 helper.dll          [load … unload)[load other.dll …
 *     kernel        | fffff80000000000 ntoskrnl.exe [ known at the end, hence always )
 *
 * Modules of the kernel are there for all processes. Rows come in any order and are made into spans once.
 * Knows nothing of events.
 */
#ifndef ETL_CORE_IMAGES_H
#define ETL_CORE_IMAGES_H

#include "core/names/meanings.h"
#include "core/names/pool.h"
#include "etl/guid.h"

/* The scope of the kernel's modules: no process has this id, they come in fours. */
#define ETL_SCOPE_KERNEL UINT32_MAX

enum etl_image_moment { ETL_IMAGE_LOAD, ETL_IMAGE_KNOWN, ETL_IMAGE_UNLOAD };

struct etl_image_span {
    uint64_t base;
    uint64_t end;   /* after the last byte */
    uint64_t reach; /* the furthest end of the spans up to this one, in its scope */
    int64_t from;   /* raw times; before they are settled: when the row's event was */
    int64_t until;
    uint32_t scope; /* process id, or ETL_SCOPE_KERNEL */
    uint32_t name;  /* in the pool of names */
    uint32_t pdb;   /* 1 + its row among the PDBs; 0: not known */
    uint8_t moment; /* of the row's event */
    bool
        shared; /* at some time another module was at one of its addresses: the search has to decide */
};

/* What finds the symbols of a module. */
struct etl_image_pdb {
    uint64_t base;
    int64_t time;
    uint32_t scope;
    uint32_t age;
    uint32_t name; /* in the pool of names */
    struct etl_guid guid;
};

struct etl_images {
    struct etl_budget *budget;    /* borrowed; NULL: memory alone is the limit */
    struct etl_image_span *spans; /* owned */
    size_t count;
    size_t room;
    struct etl_image_pdb *pdbs; /* owned */
    size_t pdb_count;
    size_t pdb_room;
    uint32_t *hints; /* owned, may be NULL: by address, the span that was found last */
};

/* Zeroed is empty. Gives back to the budget. */
void etl_images_free(struct etl_images *images);

/* A row: .base, .end, .from (the time), .scope, .name and .moment are set. Over the budget fewer are known. */
void etl_images_add(struct etl_images *images, const struct etl_image_span *row);
void etl_images_add_pdb(struct etl_images *images, const struct etl_image_pdb *pdb);

/* After the last row. Processes whose id was used again end what was loaded in them. */
void etl_images_settle(struct etl_images *images, const struct etl_meanings *processes);

/* NULL: nothing is known to be there. */
const struct etl_image_span *etl_images_find(const struct etl_images *images, uint32_t scope,
                                             uint64_t address, int64_t time);

/* Addresses of the kernel: the upper half. */
static inline bool etl_is_kernel_address(uint64_t address, uint8_t pointer_size)
{
    return pointer_size == 4 ? address >> 31 != 0 : address >> 63 != 0;
}

#endif
