/* When the tiles of a function are alive, on a line of positions.
 *
 * Statements stand on that line in source order, statement i at positions 2i and 2i+1: what it
 * reads is read at 2i, what it binds is bound at 2i+1, or at 2i where the result must not share
 * memory with an operand. A tile that only one arm of an if needs is not alive in the other. */
#ifndef PLD_LOWER_LIVE_H
#define PLD_LOWER_LIVE_H

#include "ir/ir.h"

/* Alive from the first to the last position, both included. */
typedef struct {
    uint32_t from, to;
} Segment;

typedef VEC(Segment) Segments;

typedef struct {
    Arena arena;     /* of all segments */
    Segments *at;    /* by variable, sorted, disjoint; empty for all but tiles */
    uint32_t *order; /* by variable: rank of its binding in source order */
    const Stmt **by; /* by variable: what binds it; NULL: nothing does */
    uint32_t n_vars;
    const Stmt **where;   /* statement i, from 1; an if and a loop have several numbers */
    uint32_t n_positions; /* numbers of statements: the last of them */
    Segments loops;       /* from the first to the last position of each loop, last one first */
} Live;

Live *live_new(Program *p, Func *f);
void live_free(Live *live);

/* True when they share a position. */
bool segments_overlap(const Segments *a, const Segments *b);
/* True when one ends at the operand position of a statement that begins the other. */
bool segments_touch(const Segments *a, const Segments *b);
bool segments_cover(const Segments *a, uint32_t position);
/* Adds those of `from` to `to`, which they do not overlap; memory comes from the arena. */
void segments_merge(Arena *arena, Segments *to, const Segments *from);

#endif
