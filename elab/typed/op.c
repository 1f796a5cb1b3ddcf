/* Calls of operations: which row of the op table a name and its operands mean, and its slots. */
#include "elab/typed/typed.h"
#include <string.h>

static bool is_memory(Val v)
{
    return v.kind == V_EXPR && v.expr->type && type_is_memory(v.expr->type);
}

static bool is_tile(Val v)
{
    return v.kind == V_EXPR && v.expr->type && v.expr->type->kind == TY_TILE;
}

bool elab_is_neutral(Elab *e, const Expr *x)
{
    return (x->kind == EX_OP && (x->op == OP_TILE_FULL || x->op == OP_TILE_CI)) ||
           (x->kind == EX_VAR && func_var(e->fn->f, x->var)->neutral);
}

/* Memory, or a tensor value. */
static bool is_tensor(Val v)
{
    return is_memory(v) || (is_tile(v) && v.expr->type->value);
}

/* A tile that stands for either: pl.full gave it. */
static bool is_neutral(Elab *e, Val v)
{
    return v.kind == V_EXPR && elab_is_neutral(e, v.expr);
}

static bool is_scalar(Val v)
{
    return v.kind == V_EXPR && v.expr->type && v.expr->type->kind == TY_SCALAR;
}

/* Whether `dotted` says which twin it means: pl.tile.add and pl.tensor.add do, pl.add does not. */
static bool names_twin(const char *dotted)
{
    return strncmp(dotted, "pl.tile.", 8) == 0 || strncmp(dotted, "pl.tensor.", 10) == 0;
}

/* The operand that stands first, by position or by name. */
static const Arg *first_operand(OpId op, const Args *args)
{
    for (uint32_t i = 0; i < args->len; i++)
        if (!args->at[i].name || op_slot(op, args->at[i].name) == 0)
            return &args->at[i];
    return NULL;
}

static bool any_tensor(OpId op, const Args *args)
{
    for (uint32_t i = 0; i < args->len; i++) {
        int slot = args->at[i].name ? op_slot(op, args->at[i].name) : (int)i;
        SlotKind kind =
            slot >= 0 && slot < op_info(op)->n_slots ? op_info(op)->slots[slot].kind : SLOT_KINDS;
        if (kind != SLOT_KINDS && is_tensor(args->at[i].val))
            return true;
    }
    return false;
}

/* The row for tiles or its twin for tensors, by the kind of the first operand; of the others where
 * that stands for either. */
static OpId pick(Elab *e, OpId op, const char *dotted, const Args *args)
{
    OpId tensor = op_info(op)->tensor;
    const Arg *first = first_operand(op, args);
    if (tensor == OP_NONE || names_twin(dotted) || !first)
        return op;
    if (is_neutral(e, first->val))
        return any_tensor(op, args) ? tensor : op;
    return is_tensor(first->val) ? tensor : op;
}

/* One op works on tiles or on tensors. What it moves between them may be both. */
static bool mixes(Elab *e, OpId op, Expr *const *slots)
{
    const OpInfo *info = op_info(op);
    bool on_tensors = op_is_on_values(info);
    if (e->ir || info->family == FAMILY_MOVE || info->tensor == OP_NONE)
        return false;
    for (uint32_t i = 0; i < info->n_slots; i++) {
        Val v = slots[i] ? val_expr(slots[i]) : val_none;
        if (!is_tile(v) || is_neutral(e, v) || v.expr->type->value == on_tensors)
            continue;
        OpId twin = on_tensors ? info->tile : info->tensor;
        const char *other = op_info(twin)->traits & TRAIT_IR_ONLY ? "" : op_info(twin)->full;
        elab_error(e, v.expr->span, "type", "%s works on %s, and %s is %s%s", info->full,
                   on_tensors ? "tensors" : "tiles", info->slots[i].name,
                   v.expr->type->value ? "a tensor value" : "a tile",
                   !*other      ? ""
                   : on_tensors ? arena_printf(e->arena,
                                               ": load the tensors first with pl.load, or write %s "
                                               "for tiles",
                                               other)
                                : arena_printf(e->arena, ": write %s for tensors", other));
        return true;
    }
    return false;
}

/* ---- slots */

/* What follows an error in how an op is called. Always false. */
static bool note_signature(Elab *e, OpId op)
{
    diag_note(e->diags, (Span){0}, "%s", op_signature(e->arena, op, e->ir));
    return false;
}

/* May the file at hand name this operand? */
static bool is_visible(const Elab *e, const OpSlot *slot)
{
    return e->ir || !(slot->flags & OPND_IR_ONLY);
}

/* Operands by position, up to the first that is given by name only. */
static uint32_t n_positional(const OpInfo *info)
{
    uint32_t n = 0;
    while (n < info->n_slots && !(info->slots[n].flags & OPND_KEYWORD))
        n++;
    return n;
}

static bool unknown_keyword(Elab *e, OpId op, const Arg *arg)
{
    const OpInfo *info = op_info(op);
    const char *names[OP_MAX_SLOTS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < info->n_slots; i++)
        if (is_visible(e, &info->slots[i]))
            names[n++] = info->slots[i].name;
    const char *near = nearest_name(arg->name, names, n);
    elab_error(e, arg->name_span, "name", "%s has no %s=%s%s%s", info->full, arg->name,
               near ? "; did you mean " : "", near ? near : "", near ? "=?" : "");
    return note_signature(e, op);
}

static bool place_positional(Elab *e, OpId op, uint32_t i, const Arg *arg, const Arg **placed)
{
    const OpInfo *info = op_info(op);
    uint32_t n = n_positional(info);
    if (i < n && !placed[i]) {
        placed[i] = arg;
        return true;
    }
    const char *next = i >= n && i < info->n_slots && is_visible(e, &info->slots[i])
                           ? arena_printf(e->arena, ": write %s=", info->slots[i].name)
                           : "";
    elab_error(e, arg->span, "type", "%s takes %u operand%s by position%s", info->full, n,
               n == 1 ? "" : "s", next);
    return note_signature(e, op);
}

static bool place_keyword(Elab *e, OpId op, const Arg *arg, const Arg **placed)
{
    int slot = op_slot(op, arg->name);
    if (slot < 0)
        return unknown_keyword(e, op, arg);
    const OpSlot *s = &op_info(op)->slots[slot];
    if (!is_visible(e, s)) {
        elab_error(e, arg->name_span, "name", "%s: %s= is for .ir files only", op_info(op)->full,
                   arg->name);
        return false;
    }
    if (placed[slot]) {
        elab_error(e, arg->name_span, "type", "%s: %s is given twice", op_info(op)->full, s->name);
        return note_signature(e, op);
    }
    placed[slot] = arg;
    return true;
}

static bool missing(Elab *e, OpId op, const Arg **placed, Span span)
{
    const OpInfo *info = op_info(op);
    for (uint32_t i = 0; i < info->n_slots; i++) {
        const OpSlot *s = &info->slots[i];
        if (placed[i] || opnd_may_be_left_out(s))
            continue;
        elab_error(e, span, "type", "%s needs %s%s", info->full, s->name,
                   s->flags & OPND_KEYWORD ? "=" : "");
        note_signature(e, op);
        return true;
    }
    return false;
}

/* A Python programmer takes `n = 4` in the body for a constant. */
static void note_local_extents(Elab *e, const Expr *op)
{
    for (uint32_t i = 0; i < op->n_args; i++) {
        const Expr *list = op_info(op->op)->slots[i].kind == SLOT_SHAPE ? op->args[i] : NULL;
        for (uint32_t k = 0; list && k < list->n_args; k++) {
            const Expr *item = list->args[k];
            if (item->kind == EX_VAR)
                diag_note(e->diags, func_var(e->fn->f, item->var)->span,
                          "%s is bound in the function, so it is a run-time value: module "
                          "constants, parameters of the factory and those annotated int are "
                          "compile-time ones",
                          func_var(e->fn->f, item->var)->base);
        }
    }
}

/* Do parts of these extents lie within memory or a tile at these offsets, as far as constants say?
 */
static bool lies_within(const Type *t, const Expr *shape, const Expr *offset)
{
    int64_t size, at, extent;
    if (shape->n_args != t->rank || offset->n_args != t->rank)
        return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (!dim_is_const(t->dims[i], &extent) || !expr_is_int(shape->args[i], &size) ||
            !expr_is_int(offset->args[i], &at) || size < 1 || at < 0 || at > extent - size)
            return false;
    return true;
}

/* A load has its offsets first, a slice its shape: swapped by mistake they may fit. */
static void note_swapped(Elab *e, const Expr *op)
{
    TypeRule rule = op_info(op->op)->rule;
    if (rule != RULE_LOAD && rule != RULE_SLICE && op->op != OP_TILE_SLICE)
        return;
    const Type *t = op->args[0] ? op->args[0]->type : NULL;
    const Expr *first = op->args[1], *second = op->args[2];
    const char *names[] = {op_info(op->op)->slots[1].name, op_info(op->op)->slots[2].name};
    const Expr *offset = rule == RULE_LOAD ? first : second;
    const Expr *shape = rule == RULE_LOAD ? second : first;
    if (t && type_is_shaped(t) && first && second && first->kind == EX_LIST &&
        second->kind == EX_LIST && !lies_within(t, shape, offset) && lies_within(t, offset, shape))
        diag_note(e->diags, op->span,
                  "%s takes %s before %s; the other way round they fit: give both by name",
                  op_info(op->op)->full, names[0], names[1]);
}

Expr *elab_value_of(Elab *e, Val v, Span span)
{
    if (is_tile(v))
        return v.expr;
    if (!is_memory(v) || e->fn->level != FN_INCORE)
        return NULL;
    const Type *t = v.expr->type;
    Expr *items[MAX_RANK], *zeros[MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        items[i] = ex_dim(e->p, t->dims[i]);
        zeros[i] = ex_index(e->p, 0);
    }
    Expr *slots[OP_MAX_SLOTS] = {v.expr, elab_list(e, items, t->rank, span),
                                 elab_list(e, zeros, t->rank, span)};
    Val part = elab_make_op(e, OP_TENSOR_SLICE, slots, span);
    return part.kind == V_EXPR ? part.expr : NULL;
}

/* Memory as the source of a remote store: a tensor value of all of it, on the core as a whole. */
static bool remote_source(Elab *e, OpId op, Sym dotted, Args *args)
{
    Arg *a = NULL;
    for (uint32_t i = 0; i < args->len && op == OP_REMOTE_STORE; i++)
        if (args->at[i].name ? op_slot(op, args->at[i].name) == 0 : i == 0)
            a = &args->at[i];
    if (!a || strcmp(dotted, "pld.tile.remote_store") == 0)
        return true;
    if (is_tile(a->val) && !a->val.expr->type->value &&
        strcmp(dotted, "pld.tensor.remote_store") == 0) {
        elab_error(e, a->span, "type",
                   "pld.tensor.remote_store takes a tensor, got %s: write "
                   "pld.tile.remote_store",
                   val_describe(e, a->val));
        return false;
    }
    int64_t bytes;
    if (!is_memory(a->val))
        return true;
    if (!type_bytes(a->val.expr->type, &bytes) || bytes > e->p->platform->vec_bytes) {
        elab_error(e, a->span, "memory",
                   "%s brings its source onto the core, and %s does not fit there: write "
                   "pld.tensor.put, which goes chunk by chunk",
                   dotted, type_text(e->arena, a->val.expr->type));
        return false;
    }
    Expr *value = elab_value_of(e, a->val, a->span);
    a->val = value ? val_expr(value) : val_bad;
    return value != NULL;
}

Val elab_make_op(Elab *e, OpId op, Expr **slots, Span span)
{
    const OpInfo *info = op_info(op);
    Expr *x = ex_alloc(e->arena, EX_OP);
    x->op = op;
    x->span = span;
    x->n_args = info->n_slots;
    x->args = arena_new_n(e->arena, Expr *, info->n_slots ? info->n_slots : 1);
    for (uint32_t i = 0; i < info->n_slots; i++)
        x->args[i] = slots[i];
    if (op == OP_DEFER_WAIT && e->fn->f->kind != FN_ORCH) {
        elab_error(e, span, "level",
                   "%s stands in a scope of an orchestration function, with pl.at(...) as tid: "
                   "here pld.system.wait blocks the kernel",
                   op_info(op)->full);
        return val_bad;
    }
    x->type = infer_op(e->p, x, e->fn->level);
    if (!x->type) {
        note_local_extents(e, x);
        note_swapped(e, x);
        return val_bad;
    }
    elab_op_effects(e, x);
    return val_expr(x);
}

/* What a notification does and what a wait compares is to be read in the text; what changes nothing
 * is told to who asks for it. */
static void warn_operands(Elab *e, OpId op, const Arg **placed, Span span)
{
    for (uint32_t i = 0; i < op_info(op)->n_slots && !e->ir; i++) {
        const OpSlot *s = &op_info(op)->slots[i];
        if (!placed[i] && (s->flags & OPND_TO_SAY))
            diag_warn(e->diags, span, WARN_UNSAID_OP, "%s= is not written: %s=%s is meant", s->name,
                      s->name, val_text(e, val_enum(s->enum_type, s->value)));
        if (placed[i] && (s->flags & OPND_DROPPED))
            elab_say_hint(e, span, arena_printf(e->arena, "%s=", s->name));
    }
}

/* fillpad without a value fills with what the slice of its operand said. */
static void recorded_padding(Elab *e, OpId op, Expr **slots)
{
    int pad = op_info(op)->rule == RULE_FILLPAD ? op_slot(op, "pad_value") : -1;
    if (pad >= 0 && !slots[pad] && slots[0] && slots[0]->kind == EX_VAR &&
        func_var(e->fn->f, slots[0]->var)->pad)
        slots[pad] = ex_enum(e->p, ENUM_PadValue, func_var(e->fn->f, slots[0]->var)->pad - 1);
}

/* pl.sels(mask, src, tmp, scalar): what stands third of four is scratch. */
static void drop_scratch(OpId op, Args *args)
{
    if (op != OP_TILE_SELS || args->len != 4 || args->at[2].name || args->at[3].name)
        return;
    Arg tmp = args->at[2];
    args->at[2] = args->at[3];
    args->at[3] = tmp;
}

static Val build(Elab *e, OpId op, const Args *args, Span span)
{
    const OpInfo *info = op_info(op);
    const Arg *placed[OP_MAX_SLOTS] = {0};
    Expr *slots[OP_MAX_SLOTS] = {0};
    bool ok = true, known = true;
    uint32_t positional = 0;
    for (uint32_t i = 0; i < args->len; i++) {
        const Arg *a = &args->at[i];
        known &= a->val.kind != V_BAD;
        ok &= a->name ? place_keyword(e, op, a, placed)
                      : place_positional(e, op, positional++, a, placed);
    }
    if (ok)
        warn_operands(e, op, placed, span);
    if (!ok || (known && missing(e, op, placed, span)))
        return val_bad;
    for (uint32_t i = 0; i < info->n_slots; i++) {
        if (!placed[i] || ((info->slots[i].flags & OPND_OPTIONAL) && placed[i]->val.kind == V_NONE))
            continue;
        bool whole = op == OP_TENSOR_ASSEMBLE && i == OPND(TENSOR_ASSEMBLE, source);
        if (whole)
            slots[i] = elab_value_of(e, placed[i]->val, placed[i]->span);
        if (!slots[i])
            slots[i] = elab_slot(e, op, i, placed[i]->val, placed[i]->span, slots);
        ok &= slots[i] != NULL;
    }
    recorded_padding(e, op, slots);
    return ok && !mixes(e, op, slots) ? elab_make_op(e, op, slots, span) : val_bad;
}

/* A window reserved in every iteration would be many windows under one name. */
static bool alloc_in_loop(Elab *e, OpId op, Span span)
{
    if (op != OP_ALLOC_WINDOW_BUFFER || !e->fn->loop || e->fn->level != FN_HOST)
        return false;
    elab_error(e, span, "level", "%s in a loop: reserve the window before the loop",
               op_info(op)->full);
    return true;
}

static Val op_call(Elab *e, Sym dotted, const Ast *call)
{
    OpId found[4];
    Args args = {0};
    uint64_t known_op;
    Span name = call->call.callee->span;
    if (map_get_ptr(&e->operations, dotted, &known_op))
        found[0] = (OpId)known_op;
    else if (!op_find(dotted, found, 4))
        return elab_unknown_op(e, dotted, name);
    OpId op = found[0];
    if (!e->fn) {
        elab_error(e, call->span, "level",
                   "%s runs on the devices: it cannot stand in compile-time code", dotted);
        return val_bad;
    }
    if ((op_info(op)->traits & TRAIT_IR_ONLY) && !e->ir && !e->fn->decl->outside_body) {
        elab_error(e, name, "name", "%s is for .ir files only", dotted);
        return val_bad;
    }
    bool known = elab_args(e, call, &args);
    if (alloc_in_loop(e, op, call->span))
        return val_bad;
    /* A mistake in one operand does not hide those in the others; which row is meant may depend
     * on the first. */
    if (!known && op_info(op)->tensor != OP_NONE)
        return val_bad;
    bool scalar = known && args.len && !args.at[0].name && !is_memory(args.at[0].val) &&
                  !is_tile(args.at[0].val);
    if (scalar && op == OP_TILE_CAST)
        return elab_cast_call(e, &args, call->span);
    if (scalar && op == OP_TILE_ABS && args.len == 1 && is_scalar(args.at[0].val))
        return elab_scalar(e, SC_ABS, &args.at[0].val.expr, 1, call->span);
    drop_scratch(op, &args);
    if (known && !remote_source(e, op, dotted, &args))
        return val_bad;
    return build(e, pick(e, op, dotted, &args), &args, call->span);
}

/* Nobody needs the arguments any more when their operation is made. */
Val elab_op_call(Elab *e, Sym dotted, const Ast *call)
{
    ArenaMark mark = arena_mark(&e->temporary);
    Val v = op_call(e, dotted, call);
    arena_back(&e->temporary, mark);
    return v;
}

/* ---- operators on tiles and tensors */

/* The operators that tiles have, and their rows. */
static const struct {
    BinaryOp op;
    OpId tile;
} tile_rows[] = {
    {OP_ADD, OP_TILE_ADD}, {OP_SUB, OP_TILE_SUB}, {OP_MUL, OP_TILE_MUL}, {OP_DIV, OP_TILE_DIV}};

static OpId tile_row(BinaryOp op)
{
    for (size_t i = 0; i < sizeof tile_rows / sizeof *tile_rows; i++)
        if (tile_rows[i].op == op)
            return tile_rows[i].tile;
    return OP_NONE;
}

Val elab_shaped_binary(Elab *e, BinaryOp op, Val a, Val b, Span span)
{
    OpId id = tile_row(op);
    if (id == OP_NONE) {
        elab_error(e, span, "type", "tiles and tensors have no %s%s", binary_op_text(op),
                   op == OP_MATMUL ? elab_hint(e, "pl.matmul")
                                   : ": they have + - * /, and the functions of --list-ops");
        return val_bad;
    }
    /* A tensor makes it an operation on whole tensors; else the tile is the first operand. */
    bool tensor = is_tensor(a) || is_tensor(b);
    bool swap = tensor && !is_tile(a) ? !is_memory(a) : !is_tile(a) && !is_memory(a);
    id = tensor ? op_info(id)->tensor : id;
    id = swap ? op_info(id)->reversed : id;
    Args args = {0};
    Arg first = {.val = swap ? b : a}, second = {.val = swap ? a : b};
    first.span = first.val.kind == V_EXPR ? first.val.expr->span : span;
    second.span = second.val.kind == V_EXPR ? second.val.expr->span : span;
    avec_push(e->arena, &args, first);
    avec_push(e->arena, &args, second);
    return build(e, id, &args, span);
}

Val elab_shaped_unary(Elab *e, UnaryOp op, Val a, Span span)
{
    if (op != OP_NEG) {
        elab_error(e, span, "type", "tiles and tensors have no unary %s", unary_op_text(op));
        return val_bad;
    }
    Args args = {0};
    avec_push(e->arena, &args, (Arg){.val = a, .span = a.expr->span});
    return build(e, is_tensor(a) ? OP_TENSOR_NEG : OP_TILE_NEG, &args, span);
}
