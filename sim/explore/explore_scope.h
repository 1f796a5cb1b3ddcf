/* What a search takes to matter. Most programs order their accesses and their credits so that
 * little of what could be tried shows; a search begins by taking that for granted, holds each
 * execution against it, and begins again with what turned out to matter.
 *
 *   data    in what order windows are accessed
 *   cells   the order of their credits, because a wait could be satisfied by some or by others.
 *           Elsewhere adds commute, and a wait comes after the adds it cannot do without.
 *   lands   (weak memory) when a write to these bytes lands
 *   views   (weak memory) when a rank sees what has landed in these bytes
 *
 * Soundness. Take an execution that no explored one covers, and of it the longest beginning that
 * one covers. What comes next is a step of a lane that stands in the explored execution where it
 * stands here: it reads, adds or waits there too, with the same order before it, so that the
 * explored execution has shown what the assumption misses, and the search would have begun again
 * with it. */
#ifndef PLD_SIM_EXPLORE_EXPLORE_SCOPE_H
#define PLD_SIM_EXPLORE_EXPLORE_SCOPE_H

#include "base/vec.h"
#include "sim/machine/fabric.h"

typedef struct {
    uint32_t rank, window;
    int64_t from, end; /* bytes of the slice */
    uint32_t reader;   /* views: who; cells: 1 when they are stored to like data */
} ScopeRange;

typedef VEC(ScopeRange) ScopeRanges;

typedef struct {
    bool weak;
    bool judges; /* accesses are held against their order: nobody else looks at them */
    bool data;   /* every access of a window is a transition, because some are not in order */
    bool grown;  /* something was added since the flag was cleared */
    ScopeRanges cells, lands, views;
} Scope;

/* Does the order of the credits of this cell matter? */
bool scope_cell(const Scope *s, const FabRect *cell);
/* Is it stored to like data as well? */
bool scope_wild(const Scope *s, const FabRect *cell);
bool scope_lands(const Scope *s, const FabRect *rect);
bool scope_views(const Scope *s, uint32_t reader, const FabRect *rect);
/* May a landing on the slices of `rank`, a refresh of `reader`, matter? */
bool scope_lands_on(const Scope *s, uint32_t rank);
bool scope_views_of(const Scope *s, uint32_t reader);
/* Is when writes land of no importance at all? */
bool scope_is_plain(const Scope *s);

void scope_add_data(Scope *s);
void scope_add_cell(Scope *s, const FabRect *cell);
/* In all three ways: bytes of a signal window that are stored to like data. */
void scope_add_stored(Scope *s, const FabRect *rect, uint32_t n_ranks);
void scope_add_lands(Scope *s, const FabRect *a, const FabRect *b);
void scope_add_views(Scope *s, uint32_t reader, const FabRect *a, const FabRect *b);
/* Both own their ranges afterwards. */
void scope_copy(Scope *to, const Scope *from);
void scope_free(Scope *s);

#endif
