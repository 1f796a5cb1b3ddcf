/* Tensor values on their way to tiles: what the files of lower_tensor_ops share. */
#ifndef PLD_LOWER_VALUE_H
#define PLD_LOWER_VALUE_H

#include "ir/build.h"
#include "lower/value_plan.h"

typedef struct {
    Program *p;
    Func *f;
    ValuePlan plan;
    Block *out;     /* where statements are put */
    const Stmt *at; /* that is being replaced */
} ValueLowering;

static inline Builder value_builder(const ValueLowering *x)
{
    return (Builder){x->p, x->f, x->out, x->at->loc};
}

static inline RegionEnv value_regions(const ValueLowering *x)
{
    return (RegionEnv){x->p, x->plan.region, x->plan.n};
}

/* Is the operand memory now: that of the program, or scratch? */
bool value_in_memory(const ValueLowering *x, const Expr *e);
/* Binds `op` to a name of that base and gives a use of it. */
Expr *value_let(ValueLowering *x, Sym base, Expr *op);
Expr *value_op(ValueLowering *x, OpId op, uint32_t n, Expr **slots);
/* `base`: of the statement's result, or the op's word. */
Sym value_base(const ValueLowering *x);
/* An extent of a type whose extents are constants. */
int64_t value_extent(const Type *t, uint32_t i);
void value_extents(const Type *t, int64_t *out);
Expr *value_list(ValueLowering *x, uint32_t n, const int64_t *extents);
/* A rectangle of an operand as a tile, of memory in `target`, valid where the operand is. NULL
 * `offsets`: from 0. */
Expr *value_part(ValueLowering *x, Expr *e, Expr **offsets, const int64_t *extents,
                 MemSpace target);
/* The operand as one tile. */
Expr *value_whole(ValueLowering *x, Expr *e);
/* Stores a tile at offsets, NULL: at 0. */
void value_store(ValueLowering *x, Expr *tile, Expr *memory, Expr **offsets);
/* Fresh scratch memory of a shape, under the name of the result. */
Expr *value_scratch(ValueLowering *x, const Type *t);
/* `e` in memory: itself, or scratch memory that a tile is stored into. */
Expr *value_to_memory(ValueLowering *x, Expr *e);
/* A fault with `text` unless the condition holds; an error where it is known not to. */
void value_require(ValueLowering *x, Expr *cond, const char *text);
/* An op on values as one on tiles: its shaped operands are tiles. */
Expr *value_on_tiles(ValueLowering *x, Expr *op);

/* A loop whose body gets what is appended until value_end_loop; `carried` of it: a tile that it
 * hands on, or NULL. Where lo + step reaches hi there is no loop, and the index is lo. */
typedef struct {
    Stmt *loop; /* NULL: none is needed */
    Block *outer;
    Expr *index;
    Expr *carried; /* its value within the body */
} ValueLoop;
ValueLoop value_loop(ValueLowering *x, const char *name, const int64_t *range, Expr *carried);
/* `next`: of the tile that is handed on. Gives its value behind the loop. */
Expr *value_end_loop(ValueLowering *x, ValueLoop *l, Expr *next);

/* lower/value_chunk.c: `op` on chunks of its operands into `to`, memory. false: not known how. */
bool value_in_chunks(ValueLowering *x, const Expr *op, Expr *to);
/* Copies a rectangle of a value: from `from` at its offsets (NULL: 0) to memory `to` at its.
 * `valid`: how much of it, NULL: where it is valid. */
typedef struct {
    Expr *from, **from_at, *to, **to_at;
    const int64_t *extents;
    Expr *const *valid;
} ValueCopy;
void value_copy(ValueLowering *x, const ValueCopy *copy);
/* Extents of chunks of `shape` (MAX_RANK of them), of which `n` fit. false: none do. */
bool value_chunk_extents(const ValueLowering *x, const Type *shape, uint32_t n, int64_t *chunk);
/* The same beside one with two dimensions exchanged, both cut alike: neither becomes thin. */
bool value_turned_extents(const ValueLowering *x, const Type *shape, const uint32_t *axes,
                          int64_t *chunk);
typedef void ChunkBody(ValueLowering *x, void *env, Expr **offsets, const int64_t *extents);
/* Runs over the chunks of `shape`, with what is left at the ends. */
void value_each_chunk(ValueLowering *x, const Type *shape, const int64_t *chunk, ChunkBody *body,
                      void *env);

/* lower/value_shape.c: what moves elements, into memory `to`. false: not one of those. */
bool value_moved(ValueLowering *x, const Expr *op, Expr *to);

/* lower/value_product.c: the factors of a product of matrices, and what it starts with. */
typedef struct {
    Expr *lhs, *rhs;
    bool turn_lhs, turn_rhs;
    Expr *acc;       /* NULL: +0 */
    Expr *init_cond; /* where it holds acc is +0; NULL: never */
    Dtype out;
} ValueFactors;
ValueFactors value_factors(const Expr *op);
/* A product as a tile, or (`to`) in blocks into memory, where `acc` is memory too. */
Expr *value_product(ValueLowering *x, const ValueFactors *f, Expr *to);

/* lower/value_batch.c: products of vectors and of several matrices, into memory `to`. */
void value_batch(ValueLowering *x, const Expr *op, Expr *to);
/* The same of tiles. */
Expr *value_batch_tile(ValueLowering *x, const Expr *op);

#endif
