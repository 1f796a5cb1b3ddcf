#include "cli/skeleton_guess.h"

#include <string.h>

/* Which operand of a call is memory, and what the call does to it. */
typedef struct {
    const char *name; /* last word of the operation */
    int position;
    const char *keyword;
    bool window, signal, read, write;
} Use;

static const Use uses[] = {
    {"get_comm_ctx", 0, "view", true, false, false, false},
    {"load", 0, "src", false, false, true, false},
    {"store", 2, "dst", false, false, false, true},
    {"read", 0, "src", false, false, true, false},
    {"write", 0, "dst", false, false, false, true},
    {"notify", 0, "signal", true, true, false, true},
    {"notify", -1, "target", true, true, false, true},
    {"wait", 0, "signal", true, true, true, false},
    {"wait", -1, "target", true, true, true, false},
    {"remote_load", 0, "src", true, false, true, false},
    {"remote_store", 1, "dst", true, false, false, true},
    {"put", 0, "dst", true, false, false, true},
    {"put", 2, "src", false, false, true, false},
    {"get", 0, "dst", false, false, false, true},
    {"get", 2, "src", true, false, true, false},
    {"barrier", 0, "signal", true, true, true, true},
    {"broadcast", 0, "target", true, false, true, true},
    {"broadcast", 1, "signal", true, true, true, true},
    {"allreduce", 0, "target", true, false, true, true},
    {"allreduce", 1, "signal", true, true, true, true},
    {"reduce_scatter", 0, "target", true, false, true, true},
    {"reduce_scatter", 1, "signal", true, true, true, true},
    {"allgather", 0, "src", false, false, true, false},
    {"allgather", 1, "target", true, false, true, true},
    {"allgather", 2, "signal", true, true, true, true},
    {"all_to_all", 0, "src", false, false, true, false},
    {"all_to_all", 1, "target", true, false, true, true},
    {"all_to_all", 2, "signal", true, true, true, true},
};

/* A local name bound to a tile, and the extents it was loaded with. */
typedef struct {
    Sym name;
    const Ast *shape;
} TileShape;

typedef struct {
    KernelGuess *k;
    VEC(TileShape) tiles;
} Walk;

static ParamGuess *find_param(KernelGuess *k, const Ast *e)
{
    for (uint32_t i = 0; e && e->kind == AST_NAME && i < k->params.len; i++)
        if (k->params.at[i].name == e->name)
            return &k->params.at[i];
    return NULL;
}

static const Ast *argument(const Ast *call, int position, const char *keyword)
{
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        const AstKeyword *k = &call->call.keywords.at[i];
        if (k->name && strcmp(k->name, keyword) == 0)
            return k->value;
    }
    if (position >= 0 && (uint32_t)position < call->call.args.len)
        return call->call.args.at[position];
    return NULL;
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

static const Ast *shape_of(Walk *w, const Ast *e);

static const char *last_word(const Ast *callee)
{
    return callee->kind == AST_ATTR   ? callee->attr.name
           : callee->kind == AST_NAME ? callee->name
                                      : "";
}

static const Ast *shape_of_call(Walk *w, const Ast *e)
{
    const char *word = last_word(e->call.callee);
    if (strcmp(word, "load") == 0)
        return argument(e, 2, "shape");
    if (strcmp(word, "remote_load") == 0)
        return argument(e, 3, "shape");
    if (strcmp(word, "full") == 0 || strcmp(word, "create_tile") == 0)
        return argument(e, 0, "shape");
    return e->call.args.len ? shape_of(w, e->call.args.at[0]) : NULL;
}

/* The extents of a tile expression, as far as the text tells. */
static const Ast *shape_of(Walk *w, const Ast *e)
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

static void note_shape(Walk *w, ParamGuess *p, const Ast *call, const char *word)
{
    if (strcmp(word, "load") == 0)
        access(p, argument(call, 1, "offsets"), argument(call, 2, "shape"));
    else if (strcmp(word, "store") == 0)
        access(p, argument(call, 1, "offsets"),
               call->call.args.len ? shape_of(w, call->call.args.at[0]) : NULL);
    else if (strcmp(word, "remote_load") == 0)
        access(p, argument(call, 2, "offsets"), argument(call, 3, "shape"));
    else if (strcmp(word, "notify") == 0 || strcmp(word, "wait") == 0)
        access(p, argument(call, -1, "offsets"), NULL);
    else if (strcmp(word, "put") == 0 || strcmp(word, "get") == 0)
        access(p,
               argument(call, find_param(w->k, argument(call, 0, "dst")) == p ? 3 : 4,
                        find_param(w->k, argument(call, 0, "dst")) == p ? "dst_offsets"
                                                                        : "src_offsets"),
               argument(call, 5, "shape"));
}

static void look_call(Walk *w, const Ast *call)
{
    const char *word = last_word(call->call.callee);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const Use *u = &uses[i];
        if (strcmp(u->name, word))
            continue;
        ParamGuess *p = find_param(w->k, argument(call, u->position, u->keyword));
        if (!p)
            continue;
        p->window |= u->window;
        p->signal |= u->signal;
        p->read |= u->read;
        p->written |= u->write;
        p->scalar = false;
        note_shape(w, p, call, word);
    }
}

static void look_expr(Walk *w, const Ast *e);

static void look_list(Walk *w, const AstList *list)
{
    for (uint32_t i = 0; i < list->len; i++)
        look_expr(w, list->at[i]);
}

static void look_expr(Walk *w, const Ast *e)
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

static void look_block(Walk *w, const AstList *body);

static void look_assign(Walk *w, const Ast *target, const Ast *value)
{
    look_expr(w, value);
    if (target->kind == AST_NAME && value) {
        const Ast *shape = shape_of(w, value);
        if (shape)
            avec_push(w->k->arena, &w->tiles, (TileShape){target->name, shape});
    }
}

static void look_stmt(Walk *w, const Ast *s)
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

static void look_block(Walk *w, const AstList *body)
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
    Walk w = {.k = out};
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
