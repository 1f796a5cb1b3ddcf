/* Payloads that do not fit on the core go in chunks, the last one with fewer valid elements. What
 * is one chunk gets no loop and no valid_shape. */
#include "lower/composite.h"

static const Type *memory(const Expansion *x, VarId v)
{
    return x->f->vars.at[v].type;
}

int64_t comp_chunk_elements(const Expansion *x)
{
    int64_t n = x->p->platform->collective_chunk / dtype_bytes(memory(x, x->data)->dtype);
    return n < 1 ? 1 : n;
}

/* [row, 0, ..., last] over the dimensions of the chunk's memory, or [1, ..., last] for shapes. */
static Expr *coordinates(Expansion *x, const Chunk *c, Expr *first, int64_t between, Expr *last)
{
    uint32_t rank = memory(x, c->mem)->rank;
    Expr *items[MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        items[i] = i == 0 && first ? first : ex_index(x->p, between);
    items[rank - 1] = last;
    return ex_list(x->p, items, rank);
}

static Expr *own_shape(Expansion *x, const Chunk *c)
{
    const Type *t = memory(x, c->mem);
    Expr *items[MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        items[i] = ex_dim(x->p, t->dims[i]);
    return ex_list(x->p, items, t->rank);
}

static Expr *offsets(Expansion *x, const Chunk *c)
{
    return coordinates(x, c, expr_clone(x->p, c->row), 0, expr_clone(x->p, c->offset));
}

static Expr *shape(Expansion *x, const Chunk *c)
{
    return c->whole ? own_shape(x, c) : coordinates(x, c, NULL, 1, ex_index(x->p, c->size));
}

static Expr *valid_shape(Expansion *x, const Chunk *c)
{
    return c->valid ? coordinates(x, c, NULL, 1, expr_clone(x->p, c->valid)) : NULL;
}

Expr *comp_load(Expansion *x, const Chunk *c)
{
    return ex_opv(x->p, OP_TILE_LOAD, 4, comp_use(x, x->data), offsets(x, c), shape(x, c),
                  valid_shape(x, c));
}

Expr *comp_remote_load(Expansion *x, const Chunk *c, Expr *peer)
{
    return ex_opv(x->p, OP_REMOTE_LOAD, 5, comp_use(x, x->data), peer, offsets(x, c), shape(x, c),
                  valid_shape(x, c));
}

void comp_store(Expansion *x, const Chunk *c, VarId tile)
{
    Sym base = func_var(x->f, x->data)->base;
    x->data = comp_let(
        x, base,
        ex_opv(x->p, OP_TILE_STORE, 3, comp_use(x, tile), offsets(x, c), comp_use(x, x->data)));
}

static Expr *plus(Program *p, Expr *base, Expr *more)
{
    int64_t v;
    if (!base || (expr_is_int(base, &v) && v == 0))
        return more;
    if (expr_is_int(more, &v) && v == 0)
        return base;
    return ex_scalar(p, SC_ADD, base, more);
}

/* (length + size - 1) // size */
static Expr *chunk_count(Program *p, const Expr *length, int64_t size)
{
    Expr *up = ex_scalar(p, SC_ADD, expr_clone(p, length), ex_index(p, size - 1));
    return ex_scalar(p, SC_FLOORDIV, up, ex_index(p, size));
}

/* Elements of the chunk at `start` that count; NULL when every chunk is full. */
static Expr *valid_elements(Program *p, const Expr *length, const Expr *start, int64_t size)
{
    int64_t n;
    if (expr_is_int(length, &n) && n % size == 0)
        return NULL;
    Expr *rest = ex_scalar(p, SC_SUB, expr_clone(p, length), expr_clone(p, start));
    return ex_scalar(p, SC_MIN, ex_index(p, size), rest);
}

Expr *comp_chunks(Expansion *x, Expr *row, Expr *base, Expr *length, int64_t most, ChunkFn *fn)
{
    Program *p = x->p;
    Chunk c = {.mem = x->data, .row = row, .size = comp_chunk_elements(x)};
    int64_t n;
    if (expr_is_int(length, &n) && n <= c.size) {
        c.size = n;
        c.offset = base ? base : ex_index(p, 0);
        fn(x, &c);
        return ex_index(p, 1);
    }
    if (most > 0 && most < c.size)
        c.size = most;
    Carry loop = comp_for(x, "chunk", ex_index(p, 0), chunk_count(p, length, c.size), x->data);
    Expr *start = ex_scalar(p, SC_MUL, comp_index(x, &loop), ex_index(p, c.size));
    c.index = comp_index(x, &loop);
    c.offset = plus(p, expr_clone(p, base), expr_clone(p, start));
    c.valid = valid_elements(p, length, start, c.size);
    x->data = loop.inside;
    fn(x, &c);
    x->data = comp_end(x, &loop, x->data);
    return chunk_count(p, length, c.size);
}
