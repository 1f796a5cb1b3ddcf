/* The graph is solved by going over it until nothing changes: nodes stand in source order, so that
 * only the values that loops carry around need more than one round. */
#include "ir/alias.h"

AliasGraph alias_graph(Arena *arena)
{
    AliasGraph g = {.arena = arena};
    avec_push(arena, &g.nodes, (AliasInfo){.tag = ALIAS_JOIN});
    return g;
}

AliasNode alias_source(AliasGraph *g, uint32_t tag, AliasNode base)
{
    avec_push(g->arena, &g->nodes, (AliasInfo){.tag = tag, .base = base});
    return g->nodes.len - 1;
}

AliasNode alias_join(AliasGraph *g)
{
    return alias_source(g, ALIAS_JOIN, ALIAS_NONE);
}

void alias_flow(AliasGraph *g, AliasNode join, AliasNode from)
{
    AliasInfo *n = &g->nodes.at[join];
    if (join == from || join == ALIAS_NONE)
        return;
    for (uint32_t i = 0; i < n->from.len; i++)
        if (n->from.at[i] == from)
            return;
    n->written |= g->nodes.at[from].written;
    avec_push(g->arena, &n->from, from);
}

AliasNode alias_either(AliasGraph *g, AliasNode a, AliasNode b)
{
    if (a == b)
        return a;
    AliasNode n = alias_join(g);
    alias_flow(g, n, a);
    alias_flow(g, n, b);
    return n;
}

/* Adds uses to a node; true when it had not all of them. */
static bool add_uses(AliasInfo *n, uint8_t uses, const AliasPlace *write, const AliasPlace *read)
{
    uint8_t fresh = uses & (uint8_t)~n->uses;
    if (fresh & USE_WRITE)
        n->write = *write;
    if (fresh & USE_CALL_READ)
        n->read = *read;
    n->uses |= fresh;
    return fresh != 0;
}

void alias_use(AliasGraph *g, AliasNode n, uint8_t uses, AliasPlace place)
{
    AliasInfo *info = &g->nodes.at[n];
    if (n == ALIAS_NONE)
        return;
    info->written |= (uses & USE_WRITE) != 0;
    add_uses(info, uses, &place, &place);
}

/* What a join is, of what its values are so far: 0 unknown, a source, ALIAS_JOIN: several. */
static AliasNode meet(const AliasGraph *g, const AliasInfo *n, bool root)
{
    AliasNode all = 0;
    for (uint32_t i = 0; i < n->from.len; i++) {
        const AliasInfo *from = &g->nodes.at[n->from.at[i]];
        AliasNode one = n->from.at[i] == ALIAS_NONE ? ALIAS_JOIN : root ? from->root : from->value;
        if (all && one && one != all)
            return ALIAS_JOIN;
        all = one ? one : all;
    }
    return all;
}

static bool solve_node(AliasGraph *g, AliasNode i)
{
    AliasInfo *n = &g->nodes.at[i];
    AliasNode value = i, root = n->base ? g->nodes.at[n->base].root : i;
    if (n->tag == ALIAS_JOIN) {
        value = meet(g, n, false);
        root = meet(g, n, true);
    }
    bool changed = value != n->value || root != n->root;
    n->value = value;
    n->root = root;
    return changed;
}

static bool pass_on(AliasGraph *g, AliasNode to, const AliasInfo *n)
{
    return to != ALIAS_NONE && add_uses(&g->nodes.at[to], n->uses, &n->write, &n->read);
}

static bool uses_flow(AliasGraph *g, AliasNode i)
{
    const AliasInfo *n = &g->nodes.at[i];
    bool changed = pass_on(g, n->base, n);
    for (uint32_t k = 0; k < n->from.len; k++)
        changed |= pass_on(g, n->from.at[k], n);
    return changed;
}

void alias_solve(AliasGraph *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (AliasNode i = 1; i < g->nodes.len; i++)
            changed |= solve_node(g, i);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (AliasNode i = g->nodes.len; i-- > 1;)
            changed |= uses_flow(g, i);
    }
}

void alias_sources(AliasGraph *g, AliasNode n, AliasNodes *out)
{
    AliasNodes todo = {0};
    g->stamp++;
    vec_push(&todo, n);
    while (todo.len) {
        AliasNode at = vec_pop(&todo);
        AliasInfo *info = &g->nodes.at[at];
        if (info->stamp == g->stamp)
            continue;
        info->stamp = g->stamp;
        if (info->base)
            vec_push(&todo, info->base);
        else if (at == ALIAS_NONE || info->tag != ALIAS_JOIN)
            vec_push(out, at);
        for (uint32_t i = 0; i < info->from.len; i++)
            vec_push(&todo, info->from.at[i]);
    }
    vec_free(&todo);
}

const Expr *expr_memory(const Expr *e, uint32_t i, bool *view)
{
    *view = false;
    if (e->kind == EX_VAR)
        return e;
    if (e->kind == EX_CALL) {
        int32_t param = i < e->callee->alias.len ? e->callee->alias.at[i] : -1;
        return param >= 0 && (uint32_t)param < e->n_args ? e->args[param] : NULL;
    }
    if (e->kind != EX_OP)
        return NULL;
    *view = (op_info(e->op)->traits & TRAIT_VIEW) != 0 || expr_is_view(e);
    switch (op_info(e->op)->result) {
    case RES_CTX:
    case RES_ARG0: return e->args[0];
    case RES_ARG1: return e->args[1];
    case RES_ARG2: return e->args[2];
    default: return *view ? e->args[0] : NULL;
    }
}

uint8_t slot_uses(const OpSlot *slot)
{
    uint8_t uses = 0;
    if (slot->effects & (EFFECT_READ | EFFECT_PEER_READ | EFFECT_ATOMIC))
        uses |= USE_READ;
    if (slot->effects & (EFFECT_WRITE | EFFECT_PEER_WRITE | EFFECT_ATOMIC))
        uses |= USE_WRITE;
    if (slot->kind == SLOT_SIGNAL)
        return uses | USE_SIGNAL;
    return uses ? uses | USE_DATA : 0;
}

/* ---- functions in SSA form */

typedef struct {
    Aliases *all;
    Func *f;
    FuncAlias *a;
} AliasWalk;

/* The memory of an operand, also of one that is an expression: in front of flatten_calls. */
static AliasNode node_of(const AliasWalk *w, const Expr *e)
{
    bool view;
    while (e && e->kind != EX_VAR)
        e = e->type && type_is_memory(e->type) ? expr_memory(e, 0, &view) : NULL;
    return e ? w->a->node[e->var] : ALIAS_NONE;
}

/* Buffers and contexts name memory too. */
static bool names_memory(const Type *t)
{
    return type_is_memory(t) || t->kind == TY_BUFFER || t->kind == TY_CTX;
}

static void walk_results(AliasWalk *w, const Stmt *s)
{
    for (uint32_t i = 0; i < s->n_results; i++) {
        VarId v = s->results[i];
        bool view;
        if (!names_memory(func_var(w->f, v)->type))
            continue;
        AliasNode from = node_of(w, expr_memory(s->value, i, &view));
        w->a->node[v] = from && !view ? from : alias_source(&w->a->graph, v, from);
    }
}

/* Uses by callees are known from their own analysis. */
static void walk_uses(AliasWalk *w, const Expr *e)
{
    AliasGraph *g = &w->a->graph;
    const AliasPlace place = {.span = e->span};
    const FuncAlias *callee = e->kind == EX_CALL ? alias_of(w->all, e->callee) : NULL;
    for (uint32_t i = 0; i < e->n_args; i++) {
        if (e->args[i] && e->args[i]->n_args)
            walk_uses(w, e->args[i]);
        AliasNode n = node_of(w, e->args[i]);
        if (n && callee && i < e->callee->params.len)
            alias_use(g, n, alias_uses(callee, e->callee->params.at[i].var), place);
        else if (n && e->kind == EX_OP && !expr_is_view(e) && i < op_info(e->op)->n_slots)
            alias_use(g, n, slot_uses(&op_info(e->op)->slots[i]), place);
    }
}

/* Joins for what a loop or an if hands on; within a loop, what an iteration begins with is the same
 * node as what comes out. */
static void walk_carried(AliasWalk *w, const Stmt *s)
{
    AliasGraph *g = &w->a->graph;
    for (uint32_t i = 0; i < s->n_results; i++) {
        if (!names_memory(func_var(w->f, s->results[i])->type))
            continue;
        AliasNode n = w->a->node[s->results[i]] = alias_join(g);
        if (s->kind == ST_FOR) {
            w->a->node[s->nest->iters[i]] = n;
            alias_flow(g, n, node_of(w, s->values[i]));
        }
    }
}

/* `owner`: the loop or if whose block ends here; `loop`: the innermost loop. */
static void walk_block(AliasWalk *w, const Block *b, const Stmt *owner, const Stmt *loop)
{
    for (uint32_t i = 0; i < b->len; i++) {
        const Stmt *s = b->at[i], *to = i + 1 == b->len ? owner : loop;
        if (s->value)
            walk_uses(w, s->value);
        if (s->kind == ST_LET)
            walk_results(w, s);
        for (uint32_t k = 0; s->kind == ST_YIELD && to && k < to->n_results; k++)
            alias_flow(&w->a->graph, w->a->node[to->results[k]], node_of(w, s->values[k]));
        if (s->kind == ST_SCOPE)
            walk_block(w, &s->nest->body, NULL, NULL);
        if (s->kind != ST_FOR && s->kind != ST_IF)
            continue;
        walk_carried(w, s);
        walk_block(w, &s->nest->body, s, s->kind == ST_FOR ? s : loop);
        walk_block(w, &s->nest->otherwise, s, loop);
    }
}

FuncAlias *alias_of(Aliases *all, Func *f)
{
    uint64_t known;
    if (map_get_ptr(&all->done, f, &known))
        return (FuncAlias *)(uintptr_t)known;
    FuncAlias *a = arena_new(all->p->arena, FuncAlias);
    a->graph = alias_graph(all->p->arena);
    a->n_vars = f->vars.len;
    a->node = arena_new_n(all->p->arena, AliasNode, a->n_vars + (size_t)1);
    map_set_ptr(&all->done, f, (uint64_t)(uintptr_t)a);
    AliasWalk w = {all, f, a};
    for (uint32_t i = 0; i < f->params.len; i++) {
        VarId v = f->params.at[i].var;
        if (names_memory(func_var(f, v)->type))
            a->node[v] = alias_source(&a->graph, v, ALIAS_NONE);
    }
    walk_block(&w, &f->body, NULL, NULL);
    alias_solve(&a->graph);
    return a;
}

void alias_free(Aliases *all)
{
    map_free(&all->done);
}

AliasNode alias_value(const FuncAlias *a, VarId v)
{
    AliasNode n = alias_node(a, v), one = a->graph.nodes.at[n].value;
    return one == ALIAS_JOIN ? n : one;
}

AliasNode alias_root(const FuncAlias *a, VarId v)
{
    const AliasInfo *nodes = a->graph.nodes.at;
    AliasNode n = alias_node(a, v);
    while (nodes[n].root == ALIAS_JOIN && nodes[n].base)
        n = nodes[n].base;
    return nodes[n].root == ALIAS_JOIN ? n : nodes[n].root;
}

bool alias_is_one(const FuncAlias *a, VarId v)
{
    return a->graph.nodes.at[alias_node(a, v)].value != ALIAS_JOIN;
}
