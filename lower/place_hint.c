/* Chunks of rows or of columns: which of them leave the results alone, and how many fit. */
#include "lower/place_hint.h"

enum { CUT_ROWS = 1, CUT_COLS = 2 };

/* What stands in the way of a cut: the first operation that needs whole rows, whole columns. */
typedef struct {
    const OpInfo *whole_rows, *whole_cols;
    bool rows_first; /* rows are read against a column */
} Needs;

static bool on_tiles(const Expr *e)
{
    bool tiles = e->type && e->type->kind == TY_TILE;
    for (uint32_t i = 0; i < e->n_args && !tiles; i++)
        tiles = e->args[i] && e->args[i]->type && e->args[i]->type->kind == TY_TILE;
    return tiles;
}

static bool is_row_reduction(TileReduce reduce)
{
    switch (reduce) {
#define ROW true
#define COL false
#define PLD_REDUCE(ENUM, name, along, how)                                                         \
    case RED_##ENUM:                                                                               \
        return along;
#include "ir/reduce.def"
#undef ROW
#undef COL
    default: return false;
    }
}

/* The cuts that an operation on tiles bears: of a mask the columns are packed; a part, another
 * shape, a product or one element is about the tile as a whole. */
static unsigned cuts_of(const Expr *e, const OpInfo *info)
{
    int valid = op_slot(e->op, "valid_shape");
    if (info->family == FAMILY_MATRIX || (valid >= 0 && e->args[valid]))
        return 0;
    switch (info->emit) {
    case EMIT_TILE_OP:
    case EMIT_CAST:
    case EMIT_FULL:
    case EMIT_CREATE:
    case EMIT_COPY:
    case EMIT_NOTHING:
    case EMIT_LOAD:
    case EMIT_STORE:
    case EMIT_REMOTE_LOAD:
    case EMIT_REMOTE_STORE: return CUT_ROWS | CUT_COLS;
    case EMIT_CMP:
    case EMIT_SEL:
    case EMIT_CI: return CUT_ROWS;
    case EMIT_REDUCE: return is_row_reduction(info->reduce) ? CUT_ROWS : CUT_COLS;
    default: return 0;
    }
}

static void need_expr(void *env, Expr **at)
{
    Needs *needs = env;
    const Expr *e = *at;
    if (e->kind != EX_OP || !on_tiles(e))
        return;
    const OpInfo *info = op_info(e->op);
    unsigned cuts = cuts_of(e, info);
    if (!(cuts & CUT_COLS) && !needs->whole_rows)
        needs->whole_rows = info;
    if (!(cuts & CUT_ROWS) && !needs->whole_cols)
        needs->whole_cols = info;
    needs->rows_first |= op_slot(e->op, "row_vec") >= 0;
}

static void need_stmt(void *env, Stmt *s)
{
    stmt_exprs(s, need_expr, env);
}

/* ---- how many */

typedef struct {
    Program *p;
    Func *f;
    const Places *places;
    Span span;
    PlaceTrial *fits;
    void *env;
} Hint;

static const Place *largest(const Places *places)
{
    const Place *most = NULL;
    for (uint32_t i = 0; i < places->len; i++)
        if (places->at[i].type->mem == MEM_VEC && (!most || places->at[i].bytes > most->bytes))
            most = &places->at[i];
    return most;
}

static int64_t padded(const Program *p, const Type *t, int64_t cols)
{
    int64_t align = p->platform->row_align;
    return (cols * (int64_t)dtype_bytes(t->dtype) + align - 1) / align * align;
}

/* Makes a copy the place of a chunk; false for a tile that is no such part of the data. */
static bool cut_place(const Program *p, Place *place, unsigned cut, int64_t whole, int64_t chunks)
{
    const Type *t = place->type;
    int64_t extent, cols;
    uint32_t axis = cut == CUT_ROWS ? 0 : t->rank - 1;
    if (t->mem != MEM_VEC || t->rank < 1 || (cut == CUT_ROWS && t->rank != 2) ||
        !dim_is_const(t->dims[axis], &extent) || !dim_is_const(t->dims[t->rank - 1], &cols))
        return false;
    if (extent == 1)
        return true;
    if (extent != whole)
        return false;
    if (cut == CUT_ROWS)
        place->bytes /= chunks;
    else
        place->bytes = place->bytes / padded(p, t, cols) * padded(p, t, cols / chunks);
    return true;
}

static bool chunks_fit(const Hint *h, unsigned cut, int64_t whole, int64_t chunks)
{
    Places copies = {0};
    bool good = true;
    for (uint32_t i = 0; i < h->places->len && good; i++) {
        vec_push(&copies, h->places->at[i]);
        good = cut_place(h->p, &copies.at[i], cut, whole, chunks);
    }
    good = good && h->fits(h->env, &copies);
    vec_free(&copies);
    return good;
}

static bool note_cut(const Hint *h, unsigned cut)
{
    const Type *t = largest(h->places)->type;
    bool rows = cut == CUT_ROWS;
    int64_t whole, chunks = 2;
    if (t->rank < 1 || !dim_is_const(t->dims[rows ? 0 : t->rank - 1], &whole))
        return false;
    while (whole % chunks == 0 && !chunks_fit(h, cut, whole, chunks))
        chunks *= 2;
    if (whole % chunks)
        return false;
    const char *name = rows ? "r" : "c";
    long long part = whole / chunks;
    diag_note(h->p->diags, h->span,
              "for %s in pl.range(%lld): with %lld %s of %lld at a time, from %s * %lld, it fits",
              name, (long long)chunks, part, rows ? "rows" : "columns", (long long)whole, name,
              part);
    return true;
}

/* ---- what is in the way */

static const char *name_of(const OpInfo *info)
{
    return *info->shorter ? info->shorter : info->full;
}

static void note_needs(const Hint *h, const Needs *needs)
{
    const Place *most = largest(h->places);
    const OpInfo *rows = needs->whole_rows, *cols = needs->whole_cols;
    Arena *arena = h->p->arena;
    const char *why;
    if (!rows && !cols)
        return;
    if (rows == cols)
        why = arena_printf(arena, "%s needs whole tiles", name_of(rows));
    else if (!cols)
        why = arena_printf(arena, "%s needs whole rows", name_of(rows));
    else if (!rows)
        why = arena_printf(arena, "%s needs whole columns", name_of(cols));
    else
        why = arena_printf(arena, "%s needs whole rows, %s whole columns", name_of(rows),
                           name_of(cols));
    diag_note(h->p->diags, h->span, "%s; the largest tile is %s: %s, %lld bytes", why,
              func_var(h->f, most->first)->base, type_text(arena, most->type),
              (long long)most->bytes);
}

void note_chunks(Program *p, Func *f, const Places *places, Span span, PlaceTrial *fits, void *env)
{
    Hint h = {p, f, places, span, fits, env};
    Needs needs = {0};
    block_walk(&f->body, need_stmt, &needs);
    unsigned cuts = (needs.whole_cols ? 0 : CUT_ROWS) | (needs.whole_rows ? 0 : CUT_COLS);
    unsigned first = needs.rows_first ? CUT_ROWS : CUT_COLS, second = first ^ (CUT_ROWS | CUT_COLS);
    bool noted =
        ((cuts & first) && note_cut(&h, first)) || ((cuts & second) && note_cut(&h, second));
    if (!noted)
        note_needs(&h, &needs);
}
