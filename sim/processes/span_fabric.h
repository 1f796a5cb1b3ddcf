/* What the parts of the fabric over processes share: see span_fabric.c. */
#ifndef PLD_SIM_PROCESSES_SPAN_FABRIC_H
#define PLD_SIM_PROCESSES_SPAN_FABRIC_H

#include "sim/processes/team.h"

/* What this process has written to one other and not flushed: a range that covers it. */
typedef struct {
    int64_t first, end; /* bytes of the process's part; empty when equal */
} Dirty;

typedef struct {
    int64_t bytes, stride; /* of a slice, and from one to the next */
    char **at;             /* per process: its part, where it is mapped */
    size_t *mapped;        /* bytes of it */
    Dirty *dirty;          /* per process */
} SpanWindow;

/* A transfer under way. */
typedef struct {
    uint64_t id; /* token */
    uint32_t self;
    PldRequest request;
    char *packed;
    bool unpack;
    FabRect rect;
    FabLocal to;
} Transfer;

typedef struct {
    Fabric base;
    Team *team;
    bool sets;
    uint32_t *slot; /* per rank: its place among its process's */
    VEC(SpanWindow) windows;
    VEC(Transfer) transfers; /* in order of tokens */
    uint64_t last;
    uint64_t unacknowledged; /* adds sent to owners */
} SpanFabric;

static inline uint32_t span_home(const SpanFabric *s, uint32_t rank)
{
    return s->team->base.home[rank];
}

/* ---- span_windows.c ---- */
/* Is the memory of every process mapped here? */
bool span_all_near(const Team *t);
/* Offset in its process's part; -1: outside. */
int64_t span_offset(const SpanFabric *s, FabAddr at, int64_t end);
/* Its memory, where that is mapped; else NULL. */
char *span_mapped(const SpanFabric *s, FabAddr at);
FabStatus span_window_create(Fabric *f, uint32_t window, int64_t bytes);
void span_windows_free(SpanFabric *s);

/* ---- span_add.c ---- */
/* Adds elements to memory that others add to as well. */
void span_add(const FabRect *to, Dtype dtype, char *at, FabLocal from);
/* Has the owner add them. */
void span_send_add(SpanFabric *s, const FabRect *to, Dtype dtype, FabLocal from);

/* ---- span_fabric.c ---- */
/* The rectangle's bytes without holes; the strides of such bytes. */
char *span_pack(const FabRect *r, FabLocal from);
void span_dense(const FabRect *r, int64_t *stride);

#endif
