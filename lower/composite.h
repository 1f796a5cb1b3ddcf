/* Expanding one collective: what lower_composite_ops and lower_host_collectives share.
 *
 * Names of generated variables are those of the hand-written kernels (my_rank, nranks, peer, src,
 * acc, recv), so that a diff against one shows what differs and nothing else. */
#ifndef PLD_LOWER_COMPOSITE_H
#define PLD_LOWER_COMPOSITE_H

#include "ir/build.h"

/* One call being expanded. Expressions belong to one place of the tree, so operands are kept as
 * variables and every use makes a new expression. */
typedef struct {
    Program *p;
    Func *f;
    const Expr *op; /* the call; its memory operands are variables of `f` */
    Block *out;     /* where the next statement goes */
    Loc loc;        /* of the call: its place, its site in `f`, and the step being written */
    VarId my_rank, nranks;
    VarId signal;
    VarId lane;    /* signal column and share of the payload of a host lane, or VAR_NONE */
    int64_t lanes; /* with `lane`: how many there are */
    VarId left;    /* ring: the neighbour to pull from */
    VarId data;    /* newest value of the memory that the call updates */
} Expansion;

/* lower/composite.c: writing statements. */
Expr *comp_use(Expansion *x, VarId v);
VarId comp_let(Expansion *x, const char *name, Expr *value);
void comp_do(Expansion *x, Expr *value);
void comp_phase(Expansion *x, Phase phase);
Expr *comp_i32(Expansion *x, int64_t v);

/* A loop or if that is open, with at most one carried value. */
typedef struct {
    Stmt *stmt;
    Block *outer; /* where writing goes on after it */
    VarId before; /* carried value before it, VAR_NONE: nothing is carried */
    VarId inside; /* the value inside, before the first change */
} Carry;

Carry comp_for(Expansion *x, const char *index, Expr *lo, Expr *hi, VarId carried);
Expr *comp_index(Expansion *x, const Carry *loop);
Carry comp_if(Expansion *x, Expr *cond, VarId carried);
/* Ends it with `last` as the new value of what is carried; returns the name of it afterwards. */
VarId comp_end(Expansion *x, Carry *c, VarId last);
/* `if rank != my_rank` */
Carry comp_if_other(Expansion *x, Expr *rank, VarId carried);

/* A fault at start unless the group has `rows` ranks; nothing where that is known to hold. */
void comp_check_ranks(Expansion *x, const Dim *rows, const char *message);

/* lower/composite_barrier.c. `row`: row of a ring signal, NULL otherwise. Expressions are consumed.
 */
void comp_barrier(Expansion *x, Phase phase, Expr *row, Expr *expected);
void comp_epilogue(Expansion *x, Expr *row, Expr *credits);
void comp_expand_barrier(Expansion *x);

/* lower/composite_chunk.c: a run of elements of memory in tiles that fit on the core. */
typedef struct {
    VarId mem;
    Expr *row;    /* index of the leading dimension, or NULL: leading dimensions have size 1 */
    bool whole;   /* the tile has the memory's own shape */
    Expr *offset; /* in the last dimension */
    int64_t size; /* elements of the tile */
    Expr *valid;  /* elements that count, NULL: all */
    Expr *index;  /* number of the chunk, NULL: there is only one and no loop */
} Chunk;

typedef void ChunkFn(Expansion *x, const Chunk *chunk);

/* The run of `length` elements at `base` of the last dimension of x->data, `most` at most (0:
 * unknown). Returns the number of chunks as an expression. x->data is carried through the loop. */
Expr *comp_chunks(Expansion *x, Expr *row, Expr *base, Expr *length, int64_t most, ChunkFn *fn);
Expr *comp_load(Expansion *x, const Chunk *c);
Expr *comp_remote_load(Expansion *x, const Chunk *c, Expr *peer);
/* Stores and makes the result the newest x->data. */
void comp_store(Expansion *x, const Chunk *c, VarId tile);
int64_t comp_chunk_elements(const Expansion *x);

/* lower/composite_reduce.c, composite_ring.c, composite_move.c */
OpId comp_reduce_op(const Expansion *x);
/* Makes x->data a view [1, elements] unless it has that form; returns the element count. */
const Dim *comp_flatten(Expansion *x);
void comp_expand_mesh(Expansion *x);
void comp_expand_reduce_scatter(Expansion *x);
/* `own_row`: the closing barrier has a row of its own. */
void comp_expand_ring(Expansion *x, bool own_row);
void comp_expand_broadcast(Expansion *x);
void comp_expand_allgather(Expansion *x);
void comp_expand_all_to_all(Expansion *x);
void comp_expand_all_to_all_v(Expansion *x);

/* What is written from here on is the code of the call x->op. */
void comp_begin(Expansion *x);
/* Expands x->op, which has begun, with x->data, signal and ranks set. `host`: by the rules of the
 * host rail. */
void comp_expand(Expansion *x, bool host);
/* Slot of the memory that the call updates, and of its signal. */
int comp_target_slot(OpId op);
int comp_signal_slot(OpId op);

#endif
