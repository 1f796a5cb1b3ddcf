#include "api/skeleton_guess.h"

#include "ir/op.h"

#include <string.h>

/* A local name bound to a tile, and the extents it was loaded with. */
typedef struct {
    Sym name;
    const Ast *shape;
} TileShape;

typedef struct {
    KernelGuess *k;
    VEC(TileShape) tiles;
} GuessWalk;

static ParamGuess *find_param(KernelGuess *k, const Ast *e)
{
    for (uint32_t i = 0; e && e->kind == AST_NAME && i < k->params.len; i++)
        if (k->params.at[i].name == e->name)
            return &k->params.at[i];
    return NULL;
}

/* What a call gives for an operand of an op, by any of its names or by position. */
static const Ast *argument(const Ast *call, OpId op, uint32_t operand)
{
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        const AstKeyword *k = &call->call.keywords.at[i];
        if (k->name && op_slot(op, k->name) == (int)operand)
            return k->value;
    }
    return operand < call->call.args.len ? call->call.args.at[operand] : NULL;
}

static bool is_number(const Ast *e)
{
    return e->kind == AST_INT;
}

/* Widens a parameter by one access of `shape` at `offsets`. */
static void access(ParamGuess *p, const Ast *offsets, const Ast *shape)
{
    bool listed = offsets && offsets->kind == AST_LIST;
    uint32_t rank = listed ? offsets->items.len : 0;
    if (!rank || rank > GUESS_MAX_RANK)
        return;
    p->rank = rank;
    for (uint32_t d = 0; d < rank; d++) {
        if (!is_number(offsets->items.at[d]))
            p->by_rank[d] = true;
        if (!p->extent[d] && shape && shape->kind == AST_LIST && shape->items.len == rank)
            p->extent[d] = shape->items.at[d];
    }
}

static const Ast *shape_of(GuessWalk *w, const Ast *e);

static const char *last_word(const Ast *callee)
{
    return callee->kind == AST_ATTR   ? callee->attr.name
           : callee->kind == AST_NAME ? callee->name
                                      : "";
}

/* The ops that a call can mean: those of its last word that stand in InCore code. */
static uint32_t ops_of_call(const Ast *call, OpId *out, uint32_t max)
{
    const char *word = last_word(call->call.callee);
    uint32_t n = 0;
    for (int id = 0; id < OPCODE_COUNT && n < max; id++) {
        const OpInfo *op = op_info((OpId)id);
        const char *dot = strrchr(op->shorter, '.');
        bool called = strcmp(op_word((OpId)id), word) == 0 || (dot && strcmp(dot + 1, word) == 0);
        if (called && (op->levels & LEVEL_I) && !(op->traits & TRAIT_IR_ONLY))
            out[n++] = (OpId)id;
    }
    return n;
}

static const Ast *shape_of_call(GuessWalk *w, const Ast *e)
{
    OpId ops[4];
    uint32_t n = ops_of_call(e, ops, 4);
    int shape = n ? op_slot_of_kind(ops[0], SLOT_SHAPE) : -1;
    if (shape >= 0 && op_info(ops[0])->result != RES_NONE && !op_is_transfer(ops[0]))
        return argument(e, ops[0], (uint32_t)shape);
    return e->call.args.len ? shape_of(w, e->call.args.at[0]) : NULL;
}

/* The extents of a tile expression, as far as the text tells. */
static const Ast *shape_of(GuessWalk *w, const Ast *e)
{
    if (e->kind == AST_CALL)
        return shape_of_call(w, e);
    if (e->kind == AST_BINARY)
        return shape_of(w, e->binary.left);
    for (uint32_t i = w->tiles.len; e->kind == AST_NAME && i-- > 0;)
        if (w->tiles.at[i].name == e->name)
            return w->tiles.at[i].shape;
    return NULL;
}

/* Where an access to operand `memory` begins, and how large it is. */
static void note_shape(GuessWalk *w, ParamGuess *p, const Ast *call, OpId op, uint32_t memory)
{
    int offsets = op_slot_of_kind(op, SLOT_IDX), shape = op_slot_of_kind(op, SLOT_SHAPE);
    int tile = op_slot_of_kind(op, SLOT_TILE);
    if (tile < 0)
        tile = op_slot_of_kind(op, SLOT_ANY_TILE);
    if (op_is_transfer(op) && memory == OPND(PUT, src))
        offsets = OPND(PUT, src_offsets);
    if (offsets < 0 || op_info(op)->family == FAMILY_COLLECTIVE)
        return;
    const Ast *extents = shape >= 0  ? argument(call, op, (uint32_t)shape)
                         : tile >= 0 ? argument(call, op, (uint32_t)tile)
                                     : NULL;
    access(p, argument(call, op, (uint32_t)offsets),
           extents && shape < 0 ? shape_of(w, extents) : extents);
}

static bool is_memory(SlotKind kind)
{
    return kind == SLOT_MEM || kind == SLOT_TENSOR || kind == SLOT_DIST || kind == SLOT_SIGNAL;
}

static void look_operand(GuessWalk *w, const Ast *call, OpId op, uint32_t i)
{
    const OpSlot *slot = &op_info(op)->slots[i];
    ParamGuess *p = is_memory(slot->kind) ? find_param(w->k, argument(call, op, i)) : NULL;
    if (!p)
        return;
    bool collective = op_is_collective(op);
    bool window = slot->kind == SLOT_DIST || slot->kind == SLOT_SIGNAL;
    p->window |= window;
    p->signal |= slot->kind == SLOT_SIGNAL;
    p->read |= (slot->effects & (EFFECT_READ | EFFECT_PEER_READ)) || (collective && window);
    p->written |= (slot->effects & (EFFECT_WRITE | EFFECT_PEER_WRITE | EFFECT_ATOMIC)) != 0;
    p->scalar = false;
    note_shape(w, p, call, op, i);
}

static void look_call(GuessWalk *w, const Ast *call)
{
    OpId ops[4];
    uint32_t n = ops_of_call(call, ops, 4);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < op_info(ops[k])->n_slots; i++)
            look_operand(w, call, ops[k], i);
}

static void look_expr(GuessWalk *w, const Ast *e);

static void look_list(GuessWalk *w, const AstList *list)
{
    for (uint32_t i = 0; i < list->len; i++)
        look_expr(w, list->at[i]);
}

static void look_expr(GuessWalk *w, const Ast *e)
{
    if (!e)
        return;
    switch (e->kind) {
    case AST_CALL:
        look_list(w, &e->call.args);
        for (uint32_t i = 0; i < e->call.keywords.len; i++)
            look_expr(w, e->call.keywords.at[i].value);
        look_call(w, e);
        break;
    case AST_BINARY:
        look_expr(w, e->binary.left);
        look_expr(w, e->binary.right);
        break;
    case AST_TUPLE:
    case AST_LIST: look_list(w, &e->items); break;
    case AST_UNARY: look_expr(w, e->unary.operand); break;
    default: break;
    }
}

static void look_block(GuessWalk *w, const AstList *body);

static void look_assign(GuessWalk *w, const Ast *target, const Ast *value)
{
    look_expr(w, value);
    if (target->kind == AST_NAME && value) {
        const Ast *shape = shape_of(w, value);
        if (shape)
            avec_push(w->k->arena, &w->tiles, (TileShape){target->name, shape});
    }
}

static void look_stmt(GuessWalk *w, const Ast *s)
{
    switch (s->kind) {
    case AST_ASSIGN:
        for (uint32_t i = 0; i < s->assign.targets.len; i++)
            look_assign(w, s->assign.targets.at[i], s->assign.value);
        break;
    case AST_ANN_ASSIGN: look_assign(w, s->ann.target, s->ann.value); break;
    case AST_AUG_ASSIGN: look_expr(w, s->aug.value); break;
    case AST_EXPR_STMT:
    case AST_RETURN: look_expr(w, s->value); break;
    case AST_IF:
        look_expr(w, s->if_.cond);
        look_block(w, &s->if_.then);
        look_block(w, &s->if_.otherwise);
        break;
    case AST_FOR:
        look_expr(w, s->for_.iter);
        look_block(w, &s->for_.body);
        break;
    default: break;
    }
}

static void look_block(GuessWalk *w, const AstList *body)
{
    for (uint32_t i = 0; i < body->len; i++)
        look_stmt(w, body->at[i]);
}

/* The subscripted type inside pl.Out[...] and pl.InOut[...]. */
static const Ast *inner_type(const Ast *a)
{
    while (a && a->kind == AST_SUBSCRIPT && a->sub.index.len == 1) {
        const char *word = last_word(a->sub.base);
        if (strcmp(word, "Out") && strcmp(word, "InOut"))
            break;
        a = a->sub.index.at[0];
    }
    return a;
}

/* Kind and extents from an annotation. */
static void take_annotation(ParamGuess *p)
{
    const Ast *t = inner_type(p->annotation);
    if (!t || t->kind != AST_SUBSCRIPT)
        return;
    const char *word = last_word(t->sub.base), *outer = last_word(p->annotation->sub.base);
    p->window = strcmp(word, "DistributedTensor") == 0;
    p->scalar = strcmp(word, "Scalar") == 0;
    p->written = strcmp(outer, "Out") == 0 || strcmp(outer, "InOut") == 0;
    p->read = strcmp(outer, "Out") != 0;
    const Ast *dims = t->sub.index.len ? t->sub.index.at[0] : NULL;
    if (!dims || dims->kind != AST_LIST || dims->items.len > GUESS_MAX_RANK)
        return;
    p->rank = dims->items.len;
    for (uint32_t d = 0; d < p->rank; d++) {
        p->extent[d] = dims->items.at[d];
        p->by_rank[d] = false;
    }
}

void kernel_guess(Arena *arena, const Ast *def, KernelGuess *out)
{
    GuessWalk w = {.k = out};
    *out = (KernelGuess){.arena = arena, .def = def};
    for (uint32_t i = 0; i < def->def.params.len; i++) {
        const AstParam *p = &def->def.params.at[i];
        if (strcmp(p->name, "self"))
            avec_push(arena, &out->params,
                      (ParamGuess){
                          .name = p->name, .annotation = p->annotation, .scalar = !p->annotation});
    }
    look_block(&w, &def->def.body);
    for (uint32_t i = 0; i < out->params.len; i++)
        if (out->params.at[i].annotation)
            take_annotation(&out->params.at[i]);
}

static void print_extent(Buf *out, const ParamGuess *p, uint32_t d)
{
    const Ast *e = p->extent[d];
    bool one = !e || (is_number(e) && e->integer.value == 1);
    if (p->signal && !p->annotation)
        buf_str(out, p->by_rank[d] ? "nr" : "1");
    else if (p->by_rank[d] && one)
        buf_str(out, "nr");
    else {
        buf_str(out, p->by_rank[d] ? "nr * " : "");
        if (e)
            ast_print_expr(out, e);
        else
            buf_str(out, "1");
    }
}

void guess_print_dims(Buf *out, const ParamGuess *p, const char *lead)
{
    buf_printf(out, "[%s%s", lead ? lead : "", lead ? ", " : "");
    if (p->rank == 0)
        buf_str(out, p->signal ? "nr, 1" : "1, SIZE");
    for (uint32_t d = 0; d < p->rank; d++) {
        buf_str(out, d ? ", " : "");
        print_extent(out, p, d);
    }
    buf_char(out, ']');
}

void guess_print_dtype(Buf *out, const ParamGuess *p)
{
    const Ast *t = inner_type(p->annotation);
    const AstList *index = t && t->kind == AST_SUBSCRIPT ? &t->sub.index : NULL;
    if (index && index->len)
        ast_print_expr(out, index->at[index->len - 1]);
    else
        buf_str(out, p->signal ? "pl.INT32" : p->scalar ? "pl.INDEX" : "pl.FP32");
}
