/* Subscripts: items of tuples, rows of host tensors, elements and rectangles of memory. */
#include "elab/comptime/elab.h"
#include <string.h>

static Val value_at(Elab *e, Val d, const Ast *a)
{
    int64_t value;
    Val key = a->sub.index.len == 1 ? elab_eval(e, a->sub.index.at[0]) : val_bad;
    if (key.kind == V_EXPR && elab_constant(e, key.expr, &value))
        key = val_int(value);
    const Val *v = key.kind == V_BAD ? NULL : elab_dict_get(e, d, key, a->span);
    if (!v && key.kind != V_BAD)
        elab_error(e, a->sub.index.at[0]->span, "value", "the dict has no key %s",
                   val_text(e, key));
    return v ? *v : val_bad;
}

static Val item_of(Elab *e, Val base, const Ast *a)
{
    if (a->sub.index.len == 1 && a->sub.index.at[0]->kind == AST_SLICE)
        return elab_slice(e, base, a->sub.index.at[0]);
    if (a->sub.index.len != 1) {
        elab_error(e, a->span, "type", "a %s has one index", val_kind_name(base));
        return val_bad;
    }
    int64_t value;
    Val i = elab_eval(e, a->sub.index.at[0]);
    if (i.kind == V_EXPR && elab_constant(e, i.expr, &value))
        i = val_int(value);
    if (i.kind == V_BAD)
        return i;
    if (i.kind != V_INT) {
        elab_error(e, a->sub.index.at[0]->span, "type",
                   "the index of a %s is a compile-time int, got %s", val_kind_name(base),
                   val_describe(e, i));
        return val_bad;
    }
    int64_t at = i.i < 0 ? i.i + base.n : i.i;
    if (at < 0 || at >= base.n) {
        elab_error(e, a->sub.index.at[0]->span, "value", "index %lld is outside a %s of %u items",
                   (long long)i.i, val_kind_name(base), base.n);
        return val_bad;
    }
    Val item = base.items[at];
    /* The tuple may be read again: a node of the tree stands in one place. */
    return item.kind == V_EXPR ? val_expr(expr_clone(e->p, item.expr)) : elab_localise(e, item);
}

/* ---- rectangles */

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

static BuiltinRegion element(Elab *e, const Ast *sub, const Type *t)
{
    BuiltinRegion r = {.ok = sub->sub.index.len == t->rank};
    Expr *items[MAX_RANK];
    if (!r.ok) {
        elab_error(e, sub->span, "shape", "%s has %u dimensions, got %u ind%s",
                   type_text(e->arena, t), t->rank, sub->sub.index.len,
                   sub->sub.index.len == 1 ? "ex" : "ices");
        return r;
    }
    for (uint32_t i = 0; i < t->rank; i++) {
        items[i] =
            elab_int(e, elab_eval(e, sub->sub.index.at[i]), sub->sub.index.at[i]->span, "an index");
        r.ok &= items[i] != NULL;
    }
    if (r.ok)
        r.offsets = elab_list(e, items, t->rank, sub->span);
    return r;
}

BuiltinRegion elab_region(Elab *e, const Ast *sub, const Type *t)
{
    uint32_t slices = 0, n = sub->sub.index.len;
    Expr *lo[MAX_RANK], *extent[MAX_RANK];
    BuiltinRegion r = {.ok = true};
    for (uint32_t i = 0; i < n; i++)
        slices += sub->sub.index.at[i]->kind == AST_SLICE;
    if (slices == 0)
        return element(e, sub, t);
    if (slices != n || n != t->rank) {
        elab_error(e, sub->span, "shape",
                   "a rectangle of %s has %u slices: write i:i + 1 for a single row",
                   type_text(e->arena, t), t->rank);
        return (BuiltinRegion){0};
    }
    for (uint32_t i = 0; i < n; i++)
        r.ok &= slice_bounds(e, sub->sub.index.at[i], t->dims[i], &lo[i], &extent[i]);
    if (r.ok) {
        r.offsets = elab_list(e, lo, n, sub->span);
        r.shape = elab_list(e, extent, n, sub->span);
    }
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

Val elab_subscript(Elab *e, const Ast *a)
{
    Val type;
    if (elab_type_form(e, a, &type))
        return type;
    Val base = elab_eval(e, a->sub.base);
    if (base.kind == V_BAD)
        return base;
    if (base.kind == V_DICT)
        return value_at(e, base, a);
    if (base.kind == V_STR) {
        Val chars = {.kind = V_TUPLE};
        const Val *items;
        bool part = a->sub.index.len == 1 && a->sub.index.at[0]->kind == AST_SLICE;
        if (part)
            return elab_slice(e, base, a->sub.index.at[0]);
        if (!elab_iterate(e, base, a->span, &items, &chars.n))
            return val_bad;
        return item_of(e, val_items(e, V_TUPLE, items, chars.n), a);
    }
    if (base.kind == V_TUPLE || base.kind == V_LIST)
        return item_of(e, base, a);
    if (base.kind != V_EXPR || !base.expr->type || !type_is_shaped(base.expr->type)) {
        elab_error(e, a->span, "type", "%s cannot be indexed", val_describe(e, base));
        return val_bad;
    }
    if (base.expr->type->kind == TY_TILE) {
        elab_error(e, a->span, "type", "a tile cannot be indexed: store it and read the memory%s",
                   elab_hint(e, "pl.slice"));
        return val_bad;
    }
    if (e->fn->level == FN_HOST)
        return host_row(e, base, a);
    BuiltinRegion r = elab_region(e, a, base.expr->type);
    if (!r.ok)
        return val_bad;
    Expr *slots[4] = {base.expr, r.shape ? r.shape : r.offsets, r.offsets};
    return elab_make_op(e, r.shape ? OP_TENSOR_SLICE : OP_READ, slots, a->span);
}
