/* The fabric: all that devices share. Every access to window memory goes through this interface, so
 * a transport between machines, or a model of late visibility, is another implementation of it.
 *
 * Contract: addresses are (rank, window, byte offset), never pointers; `direct` may offer a pointer
 * where the memory is local. An operation starts with its call and is complete when its token is 0
 * or `done` says so (tokens of one rank complete in order); only the scheduler ever waits. Errors
 * are return codes. `rank` is everywhere the position of a device in the -d list; callers translate
 * ranks of a domain. */
#ifndef PLD_SIM_MACHINE_FABRIC_H
#define PLD_SIM_MACHINE_FABRIC_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/enums.h"
#include "base/save.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    FAB_OK,
    FAB_RANGE,  /* rank, window or offset outside */
    FAB_MEMORY, /* the window does not fit */
    FAB_ALIGN,  /* a cell that is not at a multiple of 4 */
    FAB_BROKEN, /* transport lost */
} FabStatus;

const char *fab_status_text(FabStatus status);

typedef struct {
    uint32_t rank, window;
    int64_t offset; /* bytes from the start of the rank's slice of the window */
} FabAddr;
static inline bool fab_addr_equal(const FabAddr *a, const FabAddr *b)
{
    return a->offset == b->offset && a->rank == b->rank && a->window == b->window;
}
/* By window, rank and offset: negative, 0 or positive. */
static inline int fab_addr_compare(const FabAddr *a, const FabAddr *b)
{
    if (a->window != b->window)
        return a->window < b->window ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

#define FAB_MAX_DIMS 4 /* outer dimensions of a rectangle */

/* A strided rectangle of window bytes: `n` outer dimensions around contiguous runs of `run` bytes.
 * Made by rect_make (sim/machine/mem.h), which merges what is contiguous: n is 0 for one range. */
typedef struct {
    FabAddr at;
    int64_t run; /* 0: empty */
    uint8_t n;
    int64_t count[FAB_MAX_DIMS];  /* outermost first, each >= 2 */
    int64_t stride[FAB_MAX_DIMS]; /* bytes */
} FabRect;

/* The other side of a transfer: local memory with its own strides for the same outer dimensions. */
typedef struct {
    void *at;
    int64_t stride[FAB_MAX_DIMS];
} FabLocal;

/* What travels with a notify to the owner of the cell; opaque to the fabric, which copies it. */
typedef struct {
    const void *bytes;
    uint32_t len;
} FabPayload;

/* A notify as it is sent. */
typedef struct {
    FabAddr cell;
    int op;        /* NotifyOp */
    int32_t value; /* operand */
    FabPayload payload;
} FabNotify;

/* A notify that has reached its cell. */
typedef struct {
    FabAddr cell;
    uint32_t from;         /* rank */
    uint8_t op;            /* NotifyOp */
    int32_t value;         /* operand */
    int32_t before, after; /* of the cell */
    FabPayload payload;
} FabArrival;

/* Called when a notify lands, in order of landing per cell. */
typedef void FabDeliver(void *env, const FabArrival *arrival);

typedef uint64_t FabToken; /* 0: complete */

/* A write or notify that was started, is not visible yet, and may become visible now. */
typedef struct {
    uint64_t id;     /* counts up per source rank: stable under replay */
    uint32_t from;   /* rank that started it */
    uint32_t reader; /* rank to which it becomes visible */
    FabRect rect;
} FabLanding;

typedef struct Fabric Fabric;
typedef struct {
    const char *name; /* "sc", "weak" */
    void (*destroy)(Fabric *f);
    /* All windows zero again, or with what is in them, `keep`; nothing under way. */
    void (*reset)(Fabric *f, bool keep);
    /* Window `window` (0, 1, ...) of `bytes` bytes on each of `n_ranks` ranks, zero, allocated when
     * first touched. */
    FabStatus (*window_create)(Fabric *f, uint32_t window, int64_t bytes);
    /* Rectangles. `self` is the rank that acts; from.at.rank may be itself. */
    FabStatus (*read)(Fabric *f, uint32_t self, const FabRect *from, FabLocal to, FabToken *token);
    FabStatus (*write)(Fabric *f, uint32_t self, const FabRect *to, FabLocal from, FabToken *token);
    /* Element-wise atomic add. */
    FabStatus (*add)(Fabric *f, uint32_t self, const FabRect *to, Dtype dtype, FabLocal from,
                     FabToken *token);
    FabStatus (*notify)(Fabric *f, uint32_t self, const FabNotify *n, FabToken *token);
    /* Does the cell, as `self` sees it, satisfy `cmp expected`? Changes nothing. */
    FabStatus (*test)(Fabric *f, uint32_t self, FabAddr cell, int cmp, int32_t expected, bool *yes);
    FabStatus (*cell)(Fabric *f, FabAddr cell, int32_t *value);
    FabStatus (*fence)(Fabric *f, uint32_t self, int kind);
    bool (*done)(Fabric *f, FabToken token);
    /* What may land now, in order of (from, id); returns how many there are, fills at most `max`.
     */
    uint32_t (*landings)(Fabric *f, FabLanding *out, uint32_t max);
    FabStatus (*land)(Fabric *f, uint64_t id, uint32_t from, uint32_t reader);
    /* Moves transports along; never blocks. True when something changed. */
    bool (*progress)(Fabric *f);
    /* Pointer to `bytes` bytes as `self` may read (or, `write`, change) them, or NULL: use read,
     * write. */
    void *(*direct)(Fabric *f, uint32_t self, FabAddr at, int64_t bytes, bool write);
    /* Bytes of a window as they are at the end, for inspection by checks; NULL: never touched
     * (zero). */
    const void *(*memory)(Fabric *f, uint32_t rank, uint32_t window);
    /* Appends the state of all windows and of what is under way, and goes back to one that was
     * saved. Both NULL: cannot be done. */
    void (*save)(const Fabric *f, Buf *out);
    void (*load)(Fabric *f, SaveReader *in);
} FabricOps;

struct Fabric {
    const FabricOps *ops;
    uint32_t n_ranks;
    FabDeliver *deliver; /* may be NULL */
    void *deliver_env;
};

/* to += from over a rectangle of local memory; for implementations of `add`. `dim` is 0. */
void fab_add_rect(const FabRect *r, Dtype dtype, char *to, FabLocal from, int dim);

static inline int64_t rect_bytes(const FabRect *r)
{
    int64_t bytes = r->run;
    for (int i = 0; i < r->n; i++)
        bytes *= r->count[i];
    return bytes;
}

/* One past the last byte offset that the rectangle touches (its at.offset when empty). */
static inline int64_t rect_end(const FabRect *r)
{
    int64_t end = r->at.offset + r->run;
    for (int i = 0; i < r->n && r->run; i++)
        end += (r->count[i] - 1) * r->stride[i];
    return end;
}

#endif
