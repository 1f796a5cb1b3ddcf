/* Subscripts of run-time values: rows of host tensors, elements and rectangles of memory. */
#include "elab/typed/typed.h"

/* The expression as a polynomial in which every variable is a name of its own; NULL when it is
 * none. */
static const Dim *symbolic(Elab *e, const Expr *x)
{
    int64_t known;
    if (elab_constant(e, x, &known))
        return dim_const(e->tt, known);
    if (x->kind == EX_VAR)
        return dim_name(e->tt, internf(e->in, "%%%u", x->var));
    if (x->kind == EX_INT)
        return dim_const(e->tt, x->ival);
    if (x->kind == EX_EXTENT)
        return dim_name(e->tt, x->sym);
    if (x->kind != EX_SCALAR || (x->scalar != SC_ADD && x->scalar != SC_SUB && x->scalar != SC_MUL))
        return NULL;
    const Dim *a = symbolic(e, x->args[0]), *b = symbolic(e, x->args[1]);
    if (!a || !b)
        return NULL;
    return x->scalar == SC_ADD   ? dim_add(e->tt, a, b)
           : x->scalar == SC_SUB ? dim_sub(e->tt, a, b)
                                 : dim_mul(e->tt, a, b);
}

static Expr *slice_extent(Elab *e, const Expr *lo, const Expr *hi, Span span)
{
    int64_t n;
    const Dim *a = symbolic(e, lo), *b = symbolic(e, hi);
    const Dim *d = a && b ? dim_sub(e->tt, b, a) : NULL;
    if (e->fn->level == FN_ORCH && (!d || !dim_is_const(d, &n))) {
        Expr *length = ex_scalar(e->p, SC_SUB, expr_clone(e->p, hi), expr_clone(e->p, lo));
        length->span = span;
        const Dim *own = elab_dim(e, length);
        return own ? ex_dim(e->p, own) : elab_own_extent(e, length, NULL);
    }
    if (!d || !dim_is_const(d, &n)) {
        elab_error(
            e, span, "shape",
            "the length of a slice must be known at compile time: write it start:start + LENGTH");
        return NULL;
    }
    if (n <= 0) {
        elab_error(e, span, "shape", "an empty slice, of length %lld", (long long)n);
        return NULL;
    }
    return ex_index(e->p, n);
}

static bool slice_bounds(Elab *e, const Ast *s, const Dim *size, Expr **lo, Expr **extent)
{
    if (s->slice.step) {
        elab_error(e, s->slice.step->span, "value", "a slice of a tensor has no step");
        return false;
    }
    Val from = s->slice.lo ? elab_eval(e, s->slice.lo) : val_int(0);
    Val to = s->slice.hi ? elab_eval(e, s->slice.hi) : elab_localise(e, val_dim(size));
    *lo = elab_int(e, from, s->slice.lo ? s->slice.lo->span : s->span, "the start of a slice");
    Expr *hi = elab_int(e, to, s->slice.hi ? s->slice.hi->span : s->span, "the end of a slice");
    *extent = *lo && hi ? slice_extent(e, *lo, hi, s->span) : NULL;
    if (*extent)
        (*extent)->span = s->span;
    return *extent != NULL;
}

/* One index: the extent 1, and the dimension goes. */
static bool single(Elab *e, const Ast *index, Expr **lo, Expr **extent)
{
    *lo = elab_int(e, elab_eval(e, index), index->span, "an index");
    *extent = ex_index(e->p, 1);
    (*extent)->span = index->span;
    return *lo != NULL;
}

static bool whole_dimension(Elab *e, const Type *t, uint32_t i, Span span, Expr **lo, Expr **extent)
{
    *lo = ex_index(e->p, 0);
    *extent = ex_dim(e->p, t->dims[i]);
    (*lo)->span = (*extent)->span = span;
    return true;
}

static bool too_many(Elab *e, const Ast *sub, const Type *t)
{
    uint32_t n = sub->sub.index.len;
    if (n <= t->rank)
        return false;
    elab_error(e, sub->span, "shape", "%s has %u dimensions, got %u ind%s", type_text(e->arena, t),
               t->rank, n, n == 1 ? "ex" : "ices");
    return true;
}

BuiltinRegion elab_region(Elab *e, const Ast *sub, const Type *t)
{
    uint32_t dropped = 0, n = sub->sub.index.len;
    Expr *lo[MAX_RANK], *extent[MAX_RANK], *drop[MAX_RANK];
    BuiltinRegion r = {.ok = !too_many(e, sub, t)};
    for (uint32_t i = 0; r.ok && i < t->rank; i++) {
        const Ast *index = i < n ? sub->sub.index.at[i] : NULL;
        if (index && index->kind != AST_SLICE) {
            drop[dropped++] = ex_index(e->p, i);
            r.ok = single(e, index, &lo[i], &extent[i]);
        } else if (index && (index->slice.lo || index->slice.hi || index->slice.step)) {
            r.ok = slice_bounds(e, index, t->dims[i], &lo[i], &extent[i]);
        } else {
            r.ok = whole_dimension(e, t, i, sub->span, &lo[i], &extent[i]);
        }
    }
    if (!r.ok)
        return r;
    r.offsets = elab_list(e, lo, t->rank, sub->span);
    if (dropped == t->rank)
        return r;
    r.shape = elab_list(e, extent, t->rank, sub->span);
    /* a tile keeps two dimensions */
    bool tile = t->kind == TY_TILE && !t->value;
    if (dropped && !(tile && t->rank - dropped < 2))
        r.drop = elab_list(e, drop, dropped, sub->span);
    return r;
}

/* `:` alone. */
static bool is_whole(const Ast *a)
{
    return a->kind == AST_SLICE && !a->slice.lo && !a->slice.hi && !a->slice.step;
}

static Val leading_row(Elab *e, Val base, const Ast *index, Span span)
{
    Expr *slots[2] = {base.expr, elab_int(e, elab_eval(e, index), index->span, "the index")};
    return slots[1] ? elab_make_op(e, OP_TENSOR_ROW, slots, span) : val_bad;
}

static Val host_row(Elab *e, Val base, const Ast *a)
{
    if (base.expr->type->kind == TY_DIST) {
        elab_error(e, a->span, "level", "the host cannot look into a window: read it in a kernel");
        return val_bad;
    }
    uint32_t n = a->sub.index.len;
    while (n && is_whole(a->sub.index.at[n - 1]))
        n--;
    bool sliced = false;
    for (uint32_t i = 0; i < n; i++)
        sliced |= a->sub.index.at[i]->kind == AST_SLICE;
    if (sliced || n == 0 || a->sub.index.len > base.expr->type->rank ||
        n >= base.expr->type->rank) {
        elab_error(
            e, a->span, "level",
            "a host function cannot read elements or parts of a tensor: x[r] and x[i, r] give one "
            "slice of the leading dimensions, kernels read the rest");
        return val_bad;
    }
    for (uint32_t i = 0; i < n && base.kind != V_BAD; i++)
        base = leading_row(e, base, a->sub.index.at[i], a->span);
    return base;
}

Val elab_index(Elab *e, Val base, const Ast *a)
{
    if (!base.expr->type || !type_is_shaped(base.expr->type)) {
        elab_error(e, a->span, "type", "%s cannot be indexed", val_describe(e, base));
        return val_bad;
    }
    if (e->fn->level == FN_HOST)
        return host_row(e, base, a);
    BuiltinRegion r = elab_region(e, a, base.expr->type);
    if (!r.ok)
        return val_bad;
    bool tile = base.expr->type->kind == TY_TILE && !base.expr->type->value;
    OpId part = tile ? OP_TILE_SLICE : OP_TENSOR_SLICE;
    Expr *slots[OP_MAX_SLOTS] = {base.expr, r.shape ? r.shape : r.offsets, r.offsets};
    if (r.shape)
        slots[OPND(TENSOR_SLICE, drop_dims)] = r.drop;
    return elab_make_op(e, r.shape ? part : tile ? OP_TILE_READ : OP_READ, slots, a->span);
}
