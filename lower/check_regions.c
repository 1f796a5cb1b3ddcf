/* The region of each tile as far as constants say it; base/region.h has what operations make of
 * regions. What loops and branches carry is not known. */
#include "base/region.h"
#include "lower/check_tiles.h"
#include "lower/util.h"
#include <string.h>

typedef struct {
    Program *p;
    Func *f;
    TileRegion *region; /* by variable; rank 0: no tile, or not met */
    uint32_t n;
} RegionWalk;

static TileRegion of_type(const Type *t, bool valid)
{
    TileRegion r = {.rank = t->rank};
    for (uint32_t i = 0; i < t->rank; i++) {
        if (!dim_is_const(t->dims[i], &r.shape[i]))
            r.shape[i] = REGION_UNKNOWN;
        r.valid[i] = valid ? r.shape[i] : REGION_UNKNOWN;
    }
    return r;
}

static TileRegion region_of(const RegionWalk *w, const Expr *e)
{
    if (e->kind == EX_VAR && e->var < w->n && w->region[e->var].rank)
        return w->region[e->var];
    return of_type(e->type, type_is_memory(e->type));
}

/* Cuts a region to the extents that a list gives. */
static void cut(TileRegion *r, const Expr *list)
{
    for (uint32_t i = 0; list && i < list->n_args && i < r->rank; i++) {
        int64_t v;
        if (!expr_is_int(list->args[i], &v))
            r->valid[i] = REGION_UNKNOWN;
        else if (r->valid[i] != REGION_UNKNOWN && v < r->valid[i])
            r->valid[i] = v;
    }
}

static void swap(TileRegion *r, uint32_t a, uint32_t b)
{
    int64_t v = r->valid[a];
    r->valid[a] = r->valid[b];
    r->valid[b] = v;
}

static void offsets_of(const Expr *list, int64_t *out)
{
    for (uint32_t i = 0; i < list->n_args && i < REGION_RANK; i++)
        if (!expr_is_int(list->args[i], &out[i]))
            out[i] = REGION_UNKNOWN;
}

/* Also memory that an operation on tensors reads. */
static bool is_tile(const Expr *e)
{
    return e && e->type && type_is_shaped(e->type);
}

static bool part(const RegionWalk *w, const Expr *e, TileRegion *out, char *why)
{
    TileRegion a = region_of(w, e->args[0]);
    int64_t offset[REGION_RANK] = {0};
    if (a.rank != out->rank) /* dimensions are dropped */
        return true;
    offsets_of(OP_ARG(e, TILE_SLICE, offset), offset);
    bool good = region_slice(&a, offset, out, why);
    if (good)
        cut(out, OP_ARG(e, TILE_SLICE, valid_shape));
    return good;
}

/* Of memory or of a value, perhaps cut where that ends. */
static bool slice(const RegionWalk *w, const Expr *e, TileRegion *out, char *why)
{
    const Expr *input = OP_ARG(e, TENSOR_SLICE, input), *clamp = OP_ARG(e, TENSOR_SLICE, clamp);
    const Expr *drop = OP_ARG(e, TENSOR_SLICE, drop_dims);
    if ((drop && drop->n_args) || (clamp && clamp->ival) || !type_is_shaped(e->type))
        return true;
    if (!type_is_memory(input->type))
        return part(w, e, out, why);
    *out = of_type(e->type, true);
    cut(out, OP_ARG(e, TENSOR_SLICE, valid_shape));
    return true;
}

/* Of [M, K] and [K, N]: rows and columns of the result, and K that rhs must have. */
static bool product(const RegionWalk *w, const Expr *e, TileRegion *out, char *why)
{
    TileRegion a = region_of(w, e->args[op_slot(e->op, "lhs")]);
    TileRegion b = region_of(w, e->args[op_slot(e->op, "rhs")]);
    out->valid[0] = a.valid[0];
    out->valid[1] = b.valid[1];
    if (a.valid[1] == REGION_UNKNOWN || b.valid[0] == REGION_UNKNOWN || a.valid[1] <= b.valid[0])
        return true;
    snprintf(why, REGION_TEXT, "lhs has %lld valid columns, rhs only %lld valid rows",
             (long long)a.valid[1], (long long)b.valid[0]);
    return false;
}

/* The region of what an op gives; false when it cannot be. */
static bool result_of(const RegionWalk *w, const Expr *e, TileRegion *out, char *why)
{
    TileRegion a = is_tile(e->args[0]) ? region_of(w, e->args[0]) : (TileRegion){0}, b;
    int64_t offset[REGION_RANK] = {0};
    const OpInfo *info = op_info(e->op);
    *out = of_type(e->type, false);
    switch (info->rule) {
    case RULE_CREATE:
    case RULE_CI:
    case RULE_FILLPAD: *out = of_type(e->type, true); return true;
    case RULE_LOAD:
        *out = of_type(e->type, true);
        cut(out, OP_ARG(e, TILE_LOAD, valid_shape));
        if (OP_ARG(e, TILE_LOAD, clamp) && OP_ARG(e, TILE_LOAD, clamp)->ival)
            *out = of_type(e->type, false);
        return true;
    case RULE_REMOTE_LOAD:
        *out = of_type(e->type, true);
        cut(out, OP_ARG(e, REMOTE_LOAD, valid_shape));
        return true;
    case RULE_ELEMENTWISE:
    case RULE_EXPAND:
    case RULE_CAST:
    case RULE_MOVE:
        if (e->n_args > 1 && is_tile(e->args[1])) {
            b = region_of(w, e->args[1]);
            return region_broadcast(&a, &b, out, why);
        }
        memcpy(out->valid, a.valid, sizeof out->valid);
        return true;
    case RULE_REDUCE:
        return region_reduce(&a, a.rank - (reduce_along_rows(info->reduce) ? 1u : 2u), out, why);
    case RULE_SLICE: return slice(w, e, out, why);
    case RULE_PART: return e->op == OP_TILE_SLICE ? part(w, e, out, why) : true;
    case RULE_ASSEMBLE:
        b = region_of(w, e->args[1]);
        offsets_of(OP_ARG(e, TILE_ASSEMBLE, offset), offset);
        return region_assemble(&a, &b, offset, out, why);
    case RULE_RESHAPE: return region_reshape(&a, out, why);
    case RULE_CONCAT: b = region_of(w, e->args[1]); return region_concat(&a, &b, out, why);
    case RULE_TRANSPOSE:
        memcpy(out->valid, a.valid, sizeof out->valid);
        swap(out, (uint32_t)OP_ARG(e, TILE_TRANSPOSE, axis1)->ival,
             (uint32_t)OP_ARG(e, TILE_TRANSPOSE, axis2)->ival);
        return true;
    case RULE_TRANSPOSE_VIEW:
        memcpy(out->valid, a.valid, sizeof out->valid);
        swap(out, a.rank - 1, a.rank - 2);
        return true;
    case RULE_SET_VALIDSHAPE:
        *out = of_type(e->type, true);
        for (uint32_t i = 0; i < 2; i++)
            if (!expr_is_int(e->args[1 + i], &out->valid[i]))
                out->valid[i] = REGION_UNKNOWN;
        return true;
    case RULE_MATMUL:
    case RULE_MATMUL_ACC: return info->emit == EMIT_MATMUL ? product(w, e, out, why) : true;
    default: return true;
    }
}

static void check_stmt(void *env, Stmt *s)
{
    RegionWalk *w = env;
    char why[REGION_TEXT] = "";
    OpId op = low_stmt_op(s);
    if (s->kind != ST_LET || op == OPCODE_COUNT || !is_tile(s->value) ||
        type_is_memory(s->value->type))
        return;
    TileRegion out;
    if (!result_of(w, s->value, &out, why)) {
        diag_error(w->p->diags, s->value->span.end ? s->value->span : s->loc.span, "shape",
                   "%s: %s", op_info(op)->full, why);
        out = of_type(s->value->type, false);
    }
    w->region[s->results[0]] = out;
}

void check_regions(Program *p, Func *f)
{
    RegionWalk w = {.p = p, .f = f, .n = f->vars.len};
    w.region = xcalloc(w.n + (size_t)1, sizeof *w.region);
    block_walk(&f->body, check_stmt, &w);
    xfree(w.region);
}
