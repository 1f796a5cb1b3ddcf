/* Names that a loop or a branch carries are one tile where they have one address: they are joined
 * as allocate_memory has done it. */
#include "lower/memory_map.h"
#include "ir/op.h"
#include "ir/print.h"
#include "lower/ssa.h"
#include "lower/util.h"

#include <stdlib.h>

typedef struct {
    Program *p;
    Func *f;
    uint32_t *parent; /* union-find over variables */
} Joiner;

static VarId root_of(Joiner *x, VarId v)
{
    while (x->parent[v] != v) {
        x->parent[v] = x->parent[x->parent[v]];
        v = x->parent[v];
    }
    return v;
}

static void join(Joiner *x, VarId a, const Expr *value)
{
    const Type *type = func_var(x->f, a)->type;
    if (type->kind == TY_TILE && value->kind == EX_VAR && func_var(x->f, value->var)->type == type)
        x->parent[root_of(x, value->var)] = root_of(x, a);
}

static void join_carrier(Joiner *x, const Carrier *c)
{
    const Stmt *s = c->stmt;
    for (uint32_t k = 0; k < s->n_results; k++) {
        for (uint32_t i = 0; i < c->yields.len; i++)
            join(x, s->results[k], c->yields.at[i]->values[k]);
        if (s->kind != ST_FOR)
            continue;
        join(x, s->results[k], s->values[k]);
        join(x, s->results[k], ex_var(x->p, x->f, s->nest->iters[k]));
    }
}

static void join_let(void *env, Stmt *s)
{
    if (s->kind == ST_LET && s->n_results == 1)
        join(env, s->results[0], s->value);
}

static void join_names(Joiner *x)
{
    Carriers carriers = {0};
    ssa_carriers(x->p, &x->f->body, &carriers);
    for (uint32_t i = 0; i < carriers.list.len; i++)
        join_carrier(x, carriers.list.at[i]);
    block_walk(&x->f->body, join_let, x);
}

static uint32_t line_of(const Source *src, const Loc *loc)
{
    return loc->far ? loc->far->line : source_line_col(src, loc->span.begin).line;
}

static MapTile *tile_of(FuncMap *m, const Program *p, uint32_t *index, VarId root, VarId v)
{
    const Var *var = func_var((Func *)m->f, v);
    if (!index[root]) {
        MapTile fresh = {.name = var->base,
                         .type = var->type,
                         .addr = var->type->addr,
                         .order = m->live->order[v]};
        (void)tile_core_bytes(var->type, p->platform->row_align, &fresh.bytes);
        vec_push(&m->tiles, fresh);
        index[root] = m->tiles.len;
    }
    MapTile *t = &m->tiles.at[index[root] - 1];
    if (m->live->order[v] < t->order) {
        t->order = m->live->order[v];
        t->name = var->base;
    }
    return t;
}

/* The lines from the first to the last place where it is alive. */
static void find_lines(const FuncMap *m, MapTile *t)
{
    t->from = UINT32_MAX;
    for (uint32_t i = 0; i < t->segments.len; i++)
        for (uint32_t at = t->segments.at[i].from / 2; at <= t->segments.at[i].to / 2; at++) {
            uint32_t line = m->lines[at];
            t->from = line < t->from ? line : t->from;
            t->to = line > t->to ? line : t->to;
        }
}

static int by_memory(const void *a, const void *b)
{
    const MapTile *x = a, *y = b;
    if (x->type->mem != y->type->mem)
        return x->type->mem < y->type->mem ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Bytes of the tiles of each memory at every position. */
static void find_peaks(FuncMap *m)
{
    uint32_t n = 2 * m->live->n_positions + 2;
    int64_t *alive = xcalloc((size_t)n * MEM_KINDS, sizeof *alive);
    for (uint32_t i = 0; i < m->tiles.len; i++) {
        const MapTile *t = &m->tiles.at[i];
        MapMemory *of = &m->of[t->type->mem];
        of->separate += t->bytes;
        of->used = t->addr + t->bytes > of->used ? t->addr + t->bytes : of->used;
        for (uint32_t s = 0; s < t->segments.len; s++)
            for (uint32_t at = t->segments.at[s].from; at <= t->segments.at[s].to; at++) {
                int64_t now = alive[(size_t)t->type->mem * n + at] += t->bytes;
                if (now > of->alive) {
                    of->alive = now;
                    of->peak = at;
                }
            }
    }
    xfree(alive);
}

FuncMap *func_map_new(Program *p, const Source *src, Func *f)
{
    FuncMap *m = xcalloc(1, sizeof *m);
    Joiner x = {p, f, xcalloc(f->vars.len + 1, sizeof *x.parent)};
    uint32_t n_vars = f->vars.len, *index = xcalloc(n_vars + 1, sizeof *index);
    m->f = f;
    m->live = live_new(p, f);
    m->lines = xcalloc(m->live->n_positions + 1, sizeof *m->lines);
    for (uint32_t i = 1; i <= m->live->n_positions; i++)
        m->lines[i] = line_of(src, &m->live->where[i]->loc);
    for (VarId v = 0; v < n_vars; v++)
        x.parent[v] = v;
    join_names(&x);
    for (VarId v = 0; v < n_vars; v++)
        if (m->live->at[v].len)
            segments_merge(&m->live->arena, &tile_of(m, p, index, root_of(&x, v), v)->segments,
                           &m->live->at[v]);
    for (uint32_t i = 0; i < m->tiles.len; i++)
        find_lines(m, &m->tiles.at[i]);
    if (m->tiles.len)
        qsort(m->tiles.at, m->tiles.len, sizeof *m->tiles.at, by_memory);
    find_peaks(m);
    xfree(index);
    xfree(x.parent);
    return m;
}

void func_map_free(FuncMap *m)
{
    vec_free(&m->tiles);
    live_free(m->live);
    xfree(m->lines);
    xfree(m);
}

void tile_shape_print(Buf *out, const Type *t)
{
    buf_char(out, '[');
    for (uint32_t i = 0; i < t->rank; i++) {
        buf_str(out, i ? ", " : "");
        dim_print(out, t->dims[i]);
    }
    buf_printf(out, "] %s", dtype_name(t->dtype));
}

/* ---- windows ---- */

typedef struct {
    Program *p;
    Func *f;
    MapWindows *out;
} WindowFinder;

/* "[2, NR] FP32": the shape that was asked for. */
static const char *asked_text(WindowFinder *x, const Expr *alloc)
{
    Buf text = {0};
    const Expr *size = OP_ARG(alloc, ALLOC_WINDOW_BUFFER, size),
               *dtype = OP_ARG(alloc, ALLOC_WINDOW_BUFFER, dtype);
    ir_print_expr(&text, x->p, x->f, size);
    if (dtype)
        buf_printf(&text, " %s", dtype_name(dtype->dtype));
    const char *copy = arena_strndup(x->p->arena, text.at, text.len);
    buf_free(&text);
    return copy;
}

static int64_t known(const Expr *e)
{
    int64_t v;
    return low_const(e, &v) ? v : -1;
}

static void find_window(void *env, Stmt *s)
{
    WindowFinder *x = env;
    if (low_stmt_op(s) != OP_ALLOC_WINDOW_BUFFER)
        return;
    const Expr *name = OP_ARG(s->value, ALLOC_WINDOW_BUFFER, name);
    MapWindow w = {.name = name ? name->sym : func_var(x->f, s->results[0])->base,
                   .type = asked_text(x, s->value),
                   .offset = OP_ARG(s->value, ALLOC_WINDOW_BUFFER, offset),
                   .bytes = OP_ARG(s->value, ALLOC_WINDOW_BUFFER, bytes),
                   .f = x->f};
    w.at = known(w.offset);
    w.size = known(w.bytes);
    vec_push(x->out, w);
}

void map_windows(Program *p, MapWindows *out)
{
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        WindowFinder x = {p, p->funcs.at[i], out};
        if (x.f->kind == FN_HOST)
            block_walk(&x.f->body, find_window, &x);
    }
}
