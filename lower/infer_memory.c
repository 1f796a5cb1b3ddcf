/* Pass 12: which memory of the core each tile is in, and the moves between them.
 *
 * An op says where its result is: a load and create_tile where target_memory= says (Vec), a product
 * in Acc, everything else in Vec or where its operand is. An operand that is elsewhere than its op
 * wants it is moved, on the shortest way there is: a Vec tile to Left before a product, an
 * accumulator to Vec before arithmetic. Only accumulators cannot be moved into place, and tiles
 * cannot leave Left, Right and Bias.
 *
 * A carried tile is where it starts; the arms of an if give it in one memory, where they differ in
 * Vec. An accumulator stored into FP16 or BF16 is rounded on its way through Vec. */
#include "lower/pass.h"
#include "lower/util.h"

typedef struct {
    Program *p;
    Func *f;
    const Stmt *owner, *loop; /* of the block at hand: whose block it is, the loop around it */
    bool good;
} KindInference;

static bool is_tile(const KindInference *x, VarId v)
{
    return func_var(x->f, v)->type->kind == TY_TILE;
}

static MemSpace memory_of(const KindInference *x, const Expr *e)
{
    return func_var(x->f, e->var)->type->mem;
}

static void fail(KindInference *x, const Stmt *s, const Expr *at, const char *text)
{
    diag_error(x->p->diags, at && at->span.end ? at->span : s->loc.span, "memory", "%s", text);
    x->good = false;
}

static void set_memory(KindInference *x, const Stmt *s, VarId v, MemSpace memory)
{
    Var *var = func_var(x->f, v);
    if (var->type->mem != MEM_UNSET && var->type->mem != memory && x->good)
        fail(x, s, NULL,
             arena_printf(x->p->arena, "%s is said to be in %s, it is in %s", var->base,
                          mem_kind_name(var->type->mem), mem_kind_name(memory)));
    var->type = type_placed(x->p->types, var->type, memory, -1);
}

static Expr *emit_tile(KindInference *x, Block *out, const Stmt *s, Sym base, Expr *op)
{
    Builder b = {x->p, x->f, out, s->loc};
    VarId v = build_let(&b, base, op);
    set_memory(x, s, v, op_result_memory(op));
    return ex_var(x->p, x->f, v);
}

/* Moves a tile, by way of another memory where there is no direct one. False when it cannot. */
static bool move_to(KindInference *x, Block *out, const Stmt *s, Expr **e, MemSpace to)
{
    Span span = (*e)->span;
    Sym base = func_var(x->f, (*e)->var)->base;
    if (memory_of(x, *e) == to)
        return true;
    if (mem_next(memory_of(x, *e), to) == MEM_UNSET)
        return false;
    while (memory_of(x, *e) != to) {
        Expr *target = ex_enum(x->p, ENUM_Mem, mem_next(memory_of(x, *e), to));
        (*e)->type = func_var(x->f, (*e)->var)->type;
        Expr *move = ex_opv(x->p, OP_TILE_MOVE, 2, *e, target);
        move->span = span;
        *e = emit_tile(x, out, s, base, move);
        (*e)->span = span;
    }
    return true;
}

static const char *way_out(MemSpace from)
{
    switch (from) {
    case MEM_LEFT:
    case MEM_RIGHT:
    case MEM_BIAS: return "what is there is for products only: keep the tile it was moved from";
    default: return "move it by way of Vec or Mat";
    }
}

static void refuse(KindInference *x, const Stmt *s, const Expr *op, uint32_t slot, MemSpace to)
{
    const OpInfo *info = op_info(op->op);
    const Expr *arg = op->args[slot];
    MemSpace from = memory_of(x, arg);
    const char *text =
        to == MEM_ACC
            ? arena_printf(x->p->arena,
                           "%s: %s is in %s, an accumulator comes from a product: start with "
                           "init_cond=, or from pl.create_tile(..., target_memory=pl.Mem.Acc)",
                           info->full, info->slots[slot].name, mem_kind_name(from))
            : arena_printf(x->p->arena, "%s: %s cannot go from %s to %s: %s", info->full,
                           info->slots[slot].name, mem_kind_name(from), mem_kind_name(to),
                           way_out(from));
    fail(x, s, arg, text);
}

static bool can_be_stored(MemSpace memory)
{
    return memory == MEM_VEC || memory == MEM_MAT || memory == MEM_ACC;
}

/* An accumulator stored into narrower memory goes through Vec, and is rounded there. */
static void narrow_store(KindInference *x, Block *out, const Stmt *s, Expr *op)
{
    Expr **tile = &OP_ARG(op, TILE_STORE, tile);
    const Type *to = OP_ARG(op, TILE_STORE, output_tensor)->type;
    if ((*tile)->type->dtype == to->dtype)
        return;
    if (memory_of(x, *tile) != MEM_ACC) {
        fail(x, s, *tile,
             arena_printf(x->p->arena,
                          "%s needs a tile of the memory's dtype, got %s for %s: only "
                          "accumulators are rounded, cast others with pl.cast",
                          op_info(op->op)->full, type_text(x->p->arena, (*tile)->type),
                          type_text(x->p->arena, to)));
        return;
    }
    Sym base = func_var(x->f, (*tile)->var)->base;
    move_to(x, out, s, tile, MEM_VEC);
    Expr *cast = ex_opv(x->p, OP_TILE_CAST, 3, *tile, ex_dtype(x->p, to->dtype),
                        ex_enum(x->p, ENUM_CastMode, CAST_RINT));
    *tile = emit_tile(x, out, s, base, cast);
}

static void fix_operands(KindInference *x, Block *out, const Stmt *s, Expr *op)
{
    MemSpace want;
    for (uint32_t i = 0; i < op->n_args; i++) {
        Expr *arg = op->args[i];
        bool tile = arg && arg->kind == EX_VAR && is_tile(x, arg->var);
        if (!tile || !op_slot_memory(op_info(op->op)->slots[i].kind, &want))
            continue;
        if (want != MEM_UNSET && !move_to(x, out, s, &op->args[i], want))
            refuse(x, s, op, i, want);
    }
    if (op->op == OP_TILE_MOVE) {
        MemSpace to = op_result_memory(op);
        if (!mem_can_move(memory_of(x, op->args[0]), to))
            refuse(x, s, op, 0, to);
    } else if (op->op == OP_TILE_STORE) {
        MemSpace from = memory_of(x, OP_ARG(op, TILE_STORE, tile));
        if (!can_be_stored(from))
            fail(x, s, op->args[0],
                 arena_printf(x->p->arena, "%s: tile is in %s: %s", op_info(op->op)->full,
                              mem_kind_name(from), way_out(from)));
        else
            narrow_store(x, out, s, op);
    }
}

static MemSpace value_memory(const KindInference *x, const Expr *value)
{
    if (value->kind == EX_VAR)
        return memory_of(x, value);
    MemSpace memory = value->kind == EX_OP ? op_result_memory(value) : MEM_VEC;
    return memory == MEM_UNSET ? memory_of(x, value->args[0]) : memory;
}

/* The memories that a loop or an if takes its values in. */
static void fix_yield(KindInference *x, Block *out, const Stmt *s, const Stmt *owner)
{
    for (uint32_t k = 0; k < s->n_values && k < owner->n_results; k++) {
        if (s->values[k]->kind != EX_VAR || !is_tile(x, s->values[k]->var))
            continue;
        MemSpace to = func_var(x->f, owner->results[k])->type->mem;
        if (move_to(x, out, s, &s->values[k], to))
            continue;
        fail(x, s, s->values[k],
             arena_printf(x->p->arena, "%s is carried in %s and cannot come back from %s: %s",
                          func_var(x->f, owner->results[k])->base, mem_kind_name(to),
                          mem_kind_name(memory_of(x, s->values[k])),
                          to == MEM_ACC ? "an accumulator comes from a product"
                                        : way_out(memory_of(x, s->values[k]))));
    }
}

static void infer_block(KindInference *x, Block *b, const Stmt *owner, const Stmt *loop);

static void infer_for(KindInference *x, Stmt *s)
{
    for (uint32_t k = 0; k < s->n_values; k++)
        if (is_tile(x, s->nest->iters[k])) {
            set_memory(x, s, s->nest->iters[k], memory_of(x, s->values[k]));
            set_memory(x, s, s->results[k], memory_of(x, s->values[k]));
        }
    infer_block(x, &s->nest->body, s, s);
}

/* Puts moves before the yield that ends an arm. */
static void fix_arm(KindInference *x, Block *arm, const Stmt *owner)
{
    Stmt *yield = low_end_yield(arm);
    if (!yield)
        return;
    (void)vec_pop(arm);
    fix_yield(x, arm, yield, owner);
    low_push(x->p, arm, yield);
}

static void infer_if(KindInference *x, Stmt *s, const Stmt *loop)
{
    infer_block(x, &s->nest->body, s, loop);
    infer_block(x, &s->nest->otherwise, s, loop);
    const Stmt *arms[] = {low_end_yield(&s->nest->body), low_end_yield(&s->nest->otherwise)};
    for (uint32_t k = 0; k < s->n_results; k++) {
        MemSpace memory = MEM_UNSET;
        if (!is_tile(x, s->results[k]))
            continue;
        for (int i = 0; i < 2; i++) {
            MemSpace one = arms[i] ? memory_of(x, arms[i]->values[k]) : memory;
            memory = memory == MEM_UNSET || memory == one ? one : MEM_VEC;
        }
        set_memory(x, s, s->results[k], memory == MEM_UNSET ? MEM_VEC : memory);
    }
    fix_arm(x, &s->nest->body, s);
    fix_arm(x, &s->nest->otherwise, s);
}

static bool infer_stmt(void *env, Rewrite *r, Stmt *s)
{
    KindInference *x = env;
    const Stmt *owner = x->owner, *loop = x->loop;
    if (s->kind == ST_FOR) {
        infer_for(x, s);
    } else if (s->kind == ST_IF) {
        infer_if(x, s, loop);
    } else if (s->kind == ST_YIELD) {
        const Stmt *to = r->n_rest ? loop : owner;
        if (to && to->kind == ST_FOR)
            fix_yield(x, r->out, s, to);
    } else if (s->value) {
        if (s->value->kind == EX_OP)
            fix_operands(x, r->out, s, s->value);
        for (uint32_t i = 0; s->kind == ST_LET && i < s->n_results && x->good; i++)
            if (is_tile(x, s->results[i]))
                set_memory(x, s, s->results[i], value_memory(x, s->value));
    }
    x->owner = owner;
    x->loop = loop;
    low_push(x->p, r->out, s);
    return x->good;
}

static void infer_block(KindInference *x, Block *b, const Stmt *owner, const Stmt *loop)
{
    x->owner = owner;
    x->loop = loop;
    block_rewrite(b, infer_stmt, x);
}

static void retype_use(void *env, Expr **e)
{
    KindInference *x = env;
    if ((*e)->kind == EX_VAR)
        (*e)->type = func_var(x->f, (*e)->var)->type;
}

static void retype_stmt(void *env, Stmt *s)
{
    stmt_exprs(s, retype_use, env);
}

bool pass_infer_memory(Program *p)
{
    bool good = true;
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        KindInference x = {.p = p, .f = p->funcs.at[i], .good = true};
        if (x.f->kind != FN_INCORE || x.f->untouched)
            continue;
        infer_block(&x, &x.f->body, NULL, NULL);
        block_walk(&x.f->body, retype_stmt, &x);
        good = good && x.good;
    }
    return good;
}
