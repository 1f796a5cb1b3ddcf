/* Types as written: pl.Tensor[[1, SIZE], pl.FP32], pl.Out[...], tuples of results, and in .ir files
 * the places of tiles. */
#include "elab/comptime/elab.h"
#include <string.h>

static const Dim *extent(Elab *e, Val v, Span span)
{
    const Dim *d = NULL;
    if (v.kind == V_BAD)
        return NULL;
    if (v.kind == V_INT)
        d = dim_const(e->tt, v.i);
    else if (v.kind == V_DIM)
        d = v.dim;
    else if (v.kind == V_EXPR)
        d = e->typed->extent(e, v.expr);
    int64_t n;
    if (!d)
        elab_error(e, span, "shape",
                   "an extent is a compile-time integer or arithmetic on dynamic extents, got %s",
                   val_describe(e, v));
    else if (dim_is_const(d, &n) && n < 0) {
        elab_error(e, span, "shape", "an extent is not negative, got %lld", (long long)n);
        return NULL;
    }
    return d;
}

static bool is_written_out(const Ast *list)
{
    bool out = list->kind == AST_LIST || list->kind == AST_TUPLE;
    for (uint32_t i = 0; out && i < list->items.len; i++)
        out = list->items.at[i]->kind != AST_STARRED;
    return out;
}

static bool dims_of(Elab *e, const Ast *list, const Dim **dims, uint32_t *rank)
{
    Val v;
    bool ok = true;
    if (is_written_out(list)) {
        uint32_t n = list->items.len;
        if (n < 1 || n > MAX_RANK) {
            elab_error(e, list->span, "shape", "a type has 1 to %d dimensions, got %u", MAX_RANK,
                       n);
            return false;
        }
        for (uint32_t i = 0; i < n; i++) {
            dims[i] = extent(e, elab_eval(e, list->items.at[i]), list->items.at[i]->span);
            ok &= dims[i] != NULL;
        }
        *rank = n;
        return ok;
    }
    v = elab_eval(e, list);
    if ((v.kind != V_LIST && v.kind != V_TUPLE) || v.n < 1 || v.n > MAX_RANK) {
        if (v.kind != V_BAD)
            elab_error(e, list->span, "shape", "a list of 1 to %d extents is wanted, got %s",
                       MAX_RANK, val_describe(e, v));
        return false;
    }
    for (uint32_t i = 0; i < v.n; i++) {
        dims[i] = extent(e, v.items[i], list->span);
        ok &= dims[i] != NULL;
    }
    *rank = v.n;
    return ok;
}

static bool dtype_of(Elab *e, const Ast *a, Dtype *out)
{
    Val v = elab_eval(e, a);
    if (v.kind == V_DTYPE) {
        *out = v.dtype;
        return true;
    }
    if (v.kind != V_BAD)
        elab_error(e, a->span, "type", "a dtype such as pl.FP32 is wanted, got %s",
                   val_describe(e, v));
    return false;
}

static bool is_dotted(Elab *e, const Ast *a, const char *name)
{
    Sym d = elab_dotted(e, a);
    return d && strcmp(d, name) == 0;
}

/* `pl.Mem.Vec` of a tile, and the address of an allocated one, or NULL. */
static const Type *placed(Elab *e, const Type *t, const Ast *mem, const Ast *addr)
{
    Val kind = elab_eval(e, mem), v = addr ? elab_eval(e, addr) : val_int(-1);
    bool memory = kind.kind == V_ENUM && kind.enum_type == ENUM_Mem && kind.i != MEM_DDR;
    if (memory && v.kind == V_INT && v.i >= (addr ? 0 : -1))
        return type_placed(e->tt, t, (MemSpace)kind.i, v.i);
    if (kind.kind != V_BAD && v.kind != V_BAD)
        elab_error(e, mem->span, "type",
                   e->ir
                       ? "a placed tile is pl.Tile[[dims], dtype, pl.Mem.Vec, address]"
                       : "a tile's memory is one of the core: pl.Tile[[dims], dtype, pl.Mem.Vec]");
    return NULL;
}

/* pl.ND, pl.TensorLayout.ND or pl.TensorView(layout=pl.TensorLayout.ND): how memory is laid out
 * here anyway. */
static bool layout_slot(Elab *e, const Ast *a)
{
    const Ast *callee = a->kind == AST_CALL ? a->call.callee : NULL;
    if (callee && is_dotted(e, callee, "pl.TensorView") && !a->call.args.len) {
        for (uint32_t i = 0; i < a->call.keywords.len; i++) {
            const AstKeyword *k = &a->call.keywords.at[i];
            if (k->name && strcmp(k->name, "layout") == 0 && layout_slot(e, k->value))
                continue;
            if (k->name && strcmp(k->name, "valid_shape") == 0)
                continue; /* elab/typed/param_view.c */
            if (!k->name || strcmp(k->name, "layout") != 0)
                elab_error(e, k->span, "unsupported",
                           "%s= of a parameter's view is not supported: memory is laid out row by "
                           "row here, slice it with pl.slice",
                           k->name ? k->name : "**");
            return false;
        }
        return true;
    }
    if (is_dotted(e, a, "pl.ND") || is_dotted(e, a, "pl.TensorLayout.ND"))
        return true;
    Sym other = elab_dotted(e, a->kind == AST_CALL ? callee : a);
    elab_error(
        e, a->span, "unsupported",
        "%s is not supported: memory is laid out row by row here, write pl.ND, or leave it out",
        other ? other : "this layout");
    return false;
}

static Val shaped(Elab *e, const Ast *a, TypeKind kind, const char *name)
{
    const Dim *dims[MAX_RANK];
    uint32_t rank = 0, n = a->sub.index.len;
    Dtype dtype;
    int64_t c;
    bool with_place = kind == TY_TILE && (n == 3 || (n == 4 && e->ir));
    bool with_layout = kind != TY_TILE && n == 3;
    if (n != 2 && !with_place && !with_layout) {
        elab_error(e, a->span, "type", "write %s[[extents], dtype]", name);
        return val_bad;
    }
    if (with_layout && !layout_slot(e, a->sub.index.at[2]))
        return val_bad;
    e->in_type++;
    bool ok = dims_of(e, a->sub.index.at[0], dims, &rank);
    e->in_type--;
    if (!dtype_of(e, a->sub.index.at[1], &dtype) || !ok)
        return val_bad;
    if (dtype == DT_INDEX) {
        elab_error(e, a->sub.index.at[1]->span, "type", "memory holds no pl.INDEX: use pl.INT64");
        return val_bad;
    }
    for (uint32_t i = 0; i < rank && kind == TY_TILE; i++)
        if (!dim_is_const(dims[i], &c)) {
            elab_error(e, a->span, "shape", "tile shapes must be compile-time, got the extent %s",
                       dim_text(e->arena, dims[i]));
            return val_bad;
        }
    const Type *t = type_shaped(e->tt, kind, dtype, rank, dims);
    int64_t bytes;
    bool constant = true;
    for (uint32_t i = 0; i < rank; i++)
        constant &= dim_is_const(dims[i], &c);
    if (constant && !type_bytes(t, &bytes)) {
        elab_error(e, a->span, "shape", "%s has 2^63 bytes or more", type_text(e->arena, t));
        return val_bad;
    }
    if (with_place)
        t = placed(e, t, a->sub.index.at[2], n == 4 ? a->sub.index.at[3] : NULL);
    else if (kind == TY_TILE && e->ir && e->header->stage >= PASS_INFER_MEMORY)
        t = type_placed(e->tt, t, MEM_VEC, -1); /* dumps from before there were other memories */
    return t ? (Val){.kind = V_TYPE, .type = t} : val_bad;
}

static Val directed(Elab *e, const Ast *a, Direction dir, const char *name)
{
    if (a->sub.index.len != 1) {
        elab_error(e, a->span, "type", "write %s[TYPE]", name);
        return val_bad;
    }
    Val v = elab_annotation(e, a->sub.index.at[0]);
    if (v.kind == V_BAD)
        return v;
    if (v.has_dir || !type_is_memory(v.type)) {
        elab_error(e, a->span, "type", "%s is for tensors and windows, got %s%s", name,
                   v.has_dir ? "a second direction of " : "", type_text(e->arena, v.type));
        return val_bad;
    }
    v.has_dir = true;
    v.dir = dir;
    return v;
}

bool elab_type_form(Elab *e, const Ast *a, Val *out)
{
    static const struct {
        const char *name;
        TypeKind kind;
    } forms[] = {
        {"pl.Tensor", TY_TENSOR}, {"pld.DistributedTensor", TY_DIST}, {"pl.Tile", TY_TILE}};
    Sym d = a->kind == AST_SUBSCRIPT ? elab_dotted(e, a->sub.base) : NULL;
    if (!d)
        return false;
    for (uint32_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(d, forms[i].name) != 0)
            continue;
        *out = shaped(e, a, forms[i].kind, d);
        return true;
    }
    if (strcmp(d, "pl.Out") == 0 || strcmp(d, "pl.InOut") == 0) {
        *out = directed(e, a, d[3] == 'O' ? DIR_OUT : DIR_INOUT, d);
        return true;
    }
    if (strcmp(d, "pl.Scalar") == 0) {
        Dtype dtype;
        bool ok = a->sub.index.len == 1 && dtype_of(e, a->sub.index.at[0], &dtype);
        if (a->sub.index.len != 1)
            elab_error(e, a->span, "type", "write pl.Scalar[dtype]");
        *out = ok ? (Val){.kind = V_TYPE, .type = type_scalar(e->tt, dtype)} : val_bad;
        return true;
    }
    return false;
}

/* tuple[T1, T2] and its old spelling Tuple[...]. */
static Val tuple_type(Elab *e, const Ast *a)
{
    const Type **elems =
        arena_new_n(e->arena, const Type *, a->sub.index.len ? a->sub.index.len : 1);
    for (uint32_t i = 0; i < a->sub.index.len; i++) {
        Val v = elab_annotation(e, a->sub.index.at[i]);
        if (v.kind == V_BAD)
            return v;
        elems[i] = v.type;
    }
    return (Val){.kind = V_TYPE, .type = type_tuple(e->tt, elems, a->sub.index.len)};
}

static bool python_type(Elab *e, const Ast *a, Val *out)
{
    static const struct {
        const char *name;
        Dtype dtype;
    } scalars[] = {{"int", DT_INDEX}, {"bool", DT_BOOL}, {"float", DT_FP32}};
    if (a->kind == AST_NONE) {
        *out = (Val){.kind = V_TYPE, .type = type_none(e->tt)};
        return true;
    }
    for (uint32_t i = 0; a->kind == AST_NAME && i < sizeof scalars / sizeof scalars[0]; i++) {
        if (strcmp(a->name, scalars[i].name) != 0)
            continue;
        *out = (Val){.kind = V_TYPE, .type = type_scalar(e->tt, scalars[i].dtype)};
        return true;
    }
    bool tuple =
        a->kind == AST_SUBSCRIPT && a->sub.base->kind == AST_NAME &&
        (strcmp(a->sub.base->name, "tuple") == 0 || strcmp(a->sub.base->name, "Tuple") == 0);
    if (tuple)
        *out = tuple_type(e, a);
    return tuple;
}

static bool simple_type(Elab *e, const Ast *a, Val *out)
{
    if (is_dotted(e, a, "pld.WindowBuffer"))
        *out = (Val){.kind = V_TYPE, .type = type_simple(e->tt, TY_BUFFER)};
    else if (is_dotted(e, a, "pld.CommCtx"))
        *out = (Val){.kind = V_TYPE, .type = type_simple(e->tt, TY_CTX)};
    else if (is_dotted(e, a, "pl.TaskId")) {
        *out = (Val){.kind = V_TYPE, .type = type_scalar(e->tt, DT_TASK_ID)};
        return true;
    } else
        return false;
    if (!e->ir) {
        elab_error(e, a->span, "type",
                   "this type is written in .ir files only: leave the annotation out");
        *out = val_bad;
    }
    return true;
}

Val elab_annotation(Elab *e, const Ast *a)
{
    static const char *const needs_args[] = {
        "pl.Tensor", "pl.Tile", "pl.Scalar", "pld.DistributedTensor", "pl.Out", "pl.InOut"};
    Val v;
    if (python_type(e, a, &v) || simple_type(e, a, &v))
        return v;
    for (uint32_t i = 0; i < sizeof needs_args / sizeof needs_args[0]; i++) {
        if (!is_dotted(e, a, needs_args[i]))
            continue;
        elab_error(e, a->span, "type", "%s needs its %s: %s[...]", needs_args[i],
                   i == 2  ? "dtype"
                   : i < 4 ? "extents and dtype"
                           : "type",
                   needs_args[i]);
        return val_bad;
    }
    v = elab_eval(e, a);
    if (v.kind == V_DTYPE)
        return (Val){.kind = V_TYPE, .type = type_scalar(e->tt, v.dtype)};
    if (v.kind == V_TYPE || v.kind == V_BAD)
        return v;
    elab_error(e, a->span, "type", "a type is wanted, such as pl.Tensor[[1, 64], pl.FP32], got %s",
               val_describe(e, v));
    return val_bad;
}

static bool bare(Elab *e, const Ast *a, Val *out)
{
    Sym d = a->kind == AST_SUBSCRIPT ? elab_dotted(e, a->sub.base) : NULL;
    bool out_dir = d && strcmp(d, "pl.Out") == 0;
    if ((out_dir || (d && strcmp(d, "pl.InOut") == 0)) && a->sub.index.len == 1 &&
        bare(e, a->sub.index.at[0], out) && !out->has_dir) {
        out->has_dir = true;
        out->dir = out_dir ? DIR_OUT : DIR_INOUT;
        return true;
    }
    if (!is_dotted(e, a, "pl.Tensor") && !is_dotted(e, a, "pld.DistributedTensor"))
        return false;
    *out = (Val){.kind = V_BARE, .i = is_dotted(e, a, "pl.Tensor") ? TY_TENSOR : TY_DIST};
    return true;
}

/* tuple[pl.Tensor, ...], of results. */
static bool bare_tuple(Elab *e, const Ast *a, Val *out)
{
    if (a->kind != AST_SUBSCRIPT || a->sub.base->kind != AST_NAME ||
        (strcmp(a->sub.base->name, "tuple") != 0 && strcmp(a->sub.base->name, "Tuple") != 0))
        return false;
    for (uint32_t i = 0; i < a->sub.index.len; i++)
        if (bare(e, a->sub.index.at[i], out)) {
            out->i = TY_TUPLE;
            return true;
        }
    return false;
}

Val elab_param_annotation(Elab *e, const Ast *a)
{
    Val v;
    return bare(e, a, &v) || bare_tuple(e, a, &v) ? v : elab_annotation(e, a);
}

bool elab_type_fits(Elab *e, const Type *a, const Type *b)
{
    if (a == b)
        return true;
    if (a->kind == TY_TENSOR && b->kind == TY_TILE && b->value) /* what it is annotated as */
        return a == type_shaped(e->tt, TY_TENSOR, b->dtype, b->rank, b->dims);
    return a->kind == TY_TILE && b->kind == TY_TILE &&
           type_placed(e->tt, a, MEM_UNSET, -1) == type_placed(e->tt, b, MEM_UNSET, -1);
}
