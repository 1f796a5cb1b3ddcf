/* Stores that reach past the end of their memory. Only the valid part of a tile is stored, so that
 * types alone do not tell; here its definition does: a tile that was loaded or made as a whole, and
 * what is computed of such tiles, is valid as a whole. */
#include "lower/store_bounds.h"
#include "base/checked.h"
#include "ir/infer.h"
#include "lower/util.h"

typedef struct {
    Program *p;
    bool *whole; /* by variable: a tile that is valid as a whole */
    bool good;
} Bounds;

static bool is_tile(const Type *t)
{
    return t && t->kind == TY_TILE;
}

/* Is the result of the op valid as a whole? */
static bool is_whole(const Bounds *x, const Expr *op)
{
    if (op->op == OP_TILE_SET_VALIDSHAPE || op_operand(op, OPERAND_valid_shape))
        return false;
    for (uint32_t i = 0; i < op->n_args; i++) {
        const Expr *a = op->args[i];
        bool tile = a && is_tile(a->type);
        if (tile && (a->kind != EX_VAR || !x->whole[a->var]))
            return false;
    }
    return true;
}

static void check(Bounds *x, const Stmt *s, const Expr *tile, const Expr *offsets, const Expr *mem)
{
    uint32_t lead = mem->type->rank - tile->type->rank;
    for (uint32_t i = 0; i < mem->type->rank; i++) {
        int64_t at, extent = 1, size, end;
        bool known = low_const(offsets->args[i], &at) && dim_is_const(mem->type->dims[i], &size) &&
                     (i < lead || dim_is_const(tile->type->dims[i - lead], &extent));
        if (!known || (checked_add(at, extent, &end) && end <= size))
            continue;
        diag_error(x->p->diags, offsets->span.end ? offsets->span : s->loc.span, "value",
                   "%s needs offsets inside %s: in dimension %u, %lld + %lld is past the extent "
                   "%lld",
                   op_info(s->value->op)->full, type_text(x->p->arena, mem->type), i, (long long)at,
                   (long long)extent, (long long)size);
        x->good = false;
        return;
    }
}

static void check_store(Bounds *x, const Stmt *s, const Expr *tile, const Expr *offsets,
                        const Expr *mem)
{
    if (tile->kind == EX_VAR && is_tile(tile->type) && x->whole[tile->var])
        check(x, s, tile, offsets, mem);
}

static void walk(Bounds *x, const Block *b)
{
    for (uint32_t i = 0; i < b->len; i++) {
        const Stmt *s = b->at[i];
        const Expr *e = s->value;
        OpId op = low_stmt_op(s);
        if (op == OP_TILE_STORE)
            check_store(x, s, OP_ARG(e, TILE_STORE, tile), OP_ARG(e, TILE_STORE, offsets),
                        OP_ARG(e, TILE_STORE, output_tensor));
        if (op == OP_REMOTE_STORE)
            check_store(x, s, OP_ARG(e, REMOTE_STORE, src_tile), OP_ARG(e, REMOTE_STORE, offsets),
                        OP_ARG(e, REMOTE_STORE, target));
        if (s->kind == ST_LET && op != OPCODE_COUNT && is_tile(e->type) && is_whole(x, e))
            x->whole[s->results[0]] = true;
        walk(x, &s->nest->body);
        walk(x, &s->nest->otherwise);
    }
}

bool low_store_bounds(Program *p, const Func *f)
{
    Bounds x = {.p = p, .good = true, .whole = xcalloc(f->vars.len + (size_t)1, sizeof *x.whole)};
    walk(&x, &f->body);
    xfree(x.whole);
    return x.good;
}
