/* Local names: what each means at this point, and what it means where paths meet. */
#include "elab/typed/with.h"

uint32_t elab_name_id(Elab *e, Sym name)
{
    Fn *fn = e->fn;
    uint64_t at;
    if (map_get_ptr(&fn->ids, name, &at))
        return (uint32_t)at;
    uint32_t id = paths_add(&fn->paths, 0);
    map_set_ptr(&fn->ids, name, id);
    avec_push_long(&fn->scratch, &fn->name_syms, name);
    avec_push_long(&fn->scratch, &fn->read, false);
    avec_push_long(&fn->scratch, &fn->vars, (VarList){0});
    return id;
}

void elab_set_name(Elab *e, uint32_t id, Name n)
{
    Arena *scratch = &e->fn->scratch;
    Name *own = arena_new(scratch, Name);
    *own = n;
    avec_push_long(scratch, &e->fn->meanings, own);
    paths_set(&e->fn->paths, id, e->fn->meanings.len - 1);
}

/* Of that type; a tile of pl.full may be a tensor value too. */
static bool stands_for(Elab *e, VarId v, const Type *type)
{
    const Var *var = func_var(e->fn->f, v);
    return var->type == type || (var->neutral && elab_type_fits(e, var->type, type));
}

/* The variable of this name and type; a name has one a type, so that paths that bind it alike
 * agree. */
static VarId variable(Elab *e, uint32_t id, const Type *type, Span span)
{
    Fn *fn = e->fn;
    const Name *now = elab_name(e, id);
    if (now->state == NM_VAR && stands_for(e, now->var, type))
        return now->var;
    VarList *list = &fn->vars.at[id];
    for (uint32_t i = 0; i < list->len; i++)
        if (stands_for(e, list->at[i], type))
            return list->at[i];
    VarId v = func_new_var(e->p, fn->f, fn->name_syms.at[id], type, span);
    avec_push(&fn->scratch, &fn->vars.at[id], v);
    return v;
}

VarId elab_bind(Elab *e, Sym name, const Type *type, Span span, AliasNode memory)
{
    uint32_t id = elab_name_id(e, name);
    Name n = {.state = NM_VAR, .memory = memory, .where = span};
    n.var = variable(e, id, type, span);
    elab_set_name(e, id, n);
    return n.var;
}

void elab_bind_bad(Elab *e, Sym name, Span span)
{
    elab_set_name(e, elab_name_id(e, name), (Name){.state = NM_BAD, .where = span});
}

static void note_read(const Name *n, Span span)
{
    for (Carried *c = n->carried; c && !c->read; c = c->outer) {
        c->read = true;
        c->where = span;
    }
}

/* The parameter that a value is the whole memory of: it has its type. Inside of a loop joins may
 * yet grow. */
static AliasNode whole_param(Elab *e, const Name *n)
{
    AliasGraph *g = &e->fn->memory;
    AliasNodes sources = {0};
    if (!n->memory || (e->fn->loop && g->nodes.at[n->memory].tag == ALIAS_JOIN))
        return ALIAS_NONE;
    alias_sources(g, n->memory, &sources);
    AliasNode only = sources.len == 1 ? sources.at[0] : ALIAS_NONE;
    vec_free(&sources);
    const Param *p = only ? &e->fn->f->params.at[g->nodes.at[only].tag] : NULL;
    bool whole = p && func_var(e->fn->f, p->var)->type == func_var(e->fn->f, n->var)->type;
    return whole ? only : ALIAS_NONE;
}

/* A name that is bound on one path only, to memory that another name is on every path: it is that
 * memory. */
static const Name *same_memory(Elab *e, const Name *n)
{
    AliasNode own = whole_param(e, n);
    for (uint32_t id = 0; own && id < e->fn->name_syms.len; id++) {
        const Name *other = elab_name(e, id);
        if (other->state == NM_VAR && whole_param(e, other) == own)
            return other;
    }
    return NULL;
}

static Val partial(Elab *e, Sym name, const Name *n, Span span)
{
    const Name *same = same_memory(e, n);
    if (same) {
        note_read(same, span);
        return val_expr(ex_var(e->p, e->fn->f, same->var));
    }
    elab_error(e, span, "name", "%s may be unbound here: it is bound on one path only", name);
    diag_note(e->diags, n->where, "%s is bound here", name);
    if (n->path.end)
        diag_note(e->diags, n->path, "a path that does not run through it starts here");
    return val_bad;
}

static Val report_conflict(Elab *e, Sym name, const Name *n, Span span)
{
    if (n->var == VAR_NONE) {
        elab_error(e, span, "type", "%s has different compile-time values on two paths", name);
    } else {
        elab_error(e, span, "type", "%s has different types on two paths: %s and %s", name,
                   type_text(e->arena, func_var(e->fn->f, n->var)->type),
                   type_text(e->arena, func_var(e->fn->f, n->other)->type));
    }
    diag_note(e->diags, n->where, "one is bound here");
    diag_note(e->diags, n->path, "the other here");
    return val_bad;
}

Val elab_local(Elab *e, Sym name, Span span, bool *found)
{
    *found = map_get_ptr(&e->fn->locals, name, NULL);
    if (!*found)
        return val_bad;
    uint32_t id = elab_name_id(e, name);
    const Name *n = elab_name(e, id);
    e->fn->read.at[id] = true;
    switch (n->state) {
    case NM_VAR: note_read(n, span); return val_expr(ex_var(e->p, e->fn->f, n->var));
    case NM_CONST: note_read(n, span); return n->val;
    case NM_PARTIAL: return partial(e, name, n, span);
    case NM_CONFLICT: return report_conflict(e, name, n, span);
    case NM_LOOP:
        elab_error(
            e, span, "name",
            "%s is the variable of a loop that is over: bind its value to another name in the loop",
            name);
        diag_note(e->diags, n->where, "the loop is here");
        return val_bad;
    case NM_SCOPE:
        if (elab_keep_value(e, name, n))
            return elab_local(e, name, span, found);
        elab_error(e, span, "name",
                   "%s is %s that lives on the core, and its scope is over: store it, or move the "
                   "use into the scope",
                   name, type_text(e->arena, func_var(e->fn->f, n->var)->type));
        diag_note(e->diags, n->path, "the scope is here");
        return val_bad;
    case NM_BAD: return val_bad;
    default:
        elab_error(e, span, "name", "%s is used before it is bound%s", name,
                   elab_find_name(e->scope, name)
                       ? ": this function binds the name, so it is not the compile-time one"
                   : e->fn->loop
                       ? ": the first trip of the loop comes here without it; bind it before the "
                         "loop, and a product starts with init_cond= of pl.matmul_acc"
                       : "");
        return val_bad;
    }
}

/* ---- paths */

static void forget(Meanings *c, uint32_t id)
{
    uint32_t to = 0;
    for (uint32_t i = 0; i < c->len; i++)
        if (c->at[i].name != id)
            c->at[to++] = c->at[i];
    c->len = to;
}

void elab_forget_index(Loop *loop, Meanings *end, uint32_t id)
{
    forget(end, id);
    for (uint32_t i = 0; i < loop->continues.len; i++)
        forget(&loop->continues.at[i], id);
    for (uint32_t i = 0; i < loop->breaks.len; i++)
        forget(&loop->breaks.at[i], id);
}

/* Appends `to = from` (widened when the types differ) to the path's block; false when it cannot. */
static bool convert(Elab *e, const Path *path, VarId from, VarId to, Span span)
{
    Fn *fn = e->fn;
    if (!path->block || (path->block->len && vec_last(path->block)->kind == ST_YIELD))
        return false;
    Expr *x = ex_var(e->p, fn->f, from);
    x->span = span;
    x = elab_widen(e, x, func_var(fn->f, to)->type);
    if (!x)
        return false;
    Loc loc = fn->loc;
    loc.span = span;
    Stmt *s = stmt_new(e->p, ST_LET, loc);
    s->value = x;
    s->n_results = 1;
    s->results = arena_new(e->arena, VarId);
    s->results[0] = to;
    avec_push(e->arena, path->block, s);
    return true;
}

static Name conflict(const Name *a, const Name *b)
{
    Name n = {.state = NM_CONFLICT,
              .where = a->where,
              .path = b->where,
              .var = VAR_NONE,
              .other = VAR_NONE};
    if (a->state == NM_VAR && b->state == NM_VAR) {
        n.var = a->var;
        n.other = b->var;
    }
    return n;
}

/* Two paths meet. */
typedef struct {
    Elab *e;
    const Path *a, *b;
    Span at;
    bool loop;
} Join;

static Name merge_vars(const Join *j, const Name *a, const Name *b)
{
    Elab *e = j->e;
    Name n = *a;
    const Type *ta = func_var(e->fn->f, a->var)->type, *tb = func_var(e->fn->f, b->var)->type;
    if (a->var != b->var) {
        bool to_a = tb == ta || (ta->kind == TY_SCALAR && ta->dtype == DT_INDEX);
        if (to_a ? !convert(e, j->b, b->var, a->var, b->where)
                 : !convert(e, j->a, a->var, b->var, a->where))
            return conflict(a, b);
        for (Carried *c = to_a ? b->carried : a->carried; c && !c->read; c = c->outer) {
            c->read = true; /* what is converted is read */
            c->where = j->at;
        }
        if (!to_a)
            n.var = b->var;
    }
    n.memory = alias_either(&e->fn->memory, a->memory, b->memory);
    n.bounds = elab_bounds_join(e, a->bounds, b->bounds);
    n.dim = a->dim == b->dim ? a->dim : NULL;
    n.literal = a->literal == b->literal ? a->literal : NULL;
    n.carried = a->carried || j->loop ? a->carried : b->carried;
    return n;
}

/* Bound on one of the paths at most. */
static Name merge_partial(const Join *j, const Name *a, const Name *b)
{
    Name n = a->state == NM_PARTIAL ? *a : *b;
    const Name *other = a->state == NM_PARTIAL ? b : a;
    bool bound = other->state == NM_VAR || other->state == NM_PARTIAL;
    if (bound && (other->memory != n.memory || !n.memory ||
                  func_var(j->e->fn->f, other->var)->type != func_var(j->e->fn->f, n.var)->type))
        n.memory = ALIAS_NONE;
    if (other->state == NM_CONST)
        n.memory = ALIAS_NONE;
    return n;
}

static Name merge(const Join *j, const Name *a, const Name *b)
{
    if (a->state == NM_BAD || b->state == NM_BAD)
        return (Name){.state = NM_BAD};
    if (a->state == NM_VAR && b->state == NM_VAR)
        return merge_vars(j, a, b);
    if (a->state == NM_CONFLICT || b->state == NM_CONFLICT)
        return a->state == NM_CONFLICT ? *a : *b;
    if (a->state == NM_CONST && b->state == NM_CONST)
        return val_equal(a->val, b->val) ? *a : conflict(a, b);
    if (a->state == NM_PARTIAL || b->state == NM_PARTIAL)
        return merge_partial(j, a, b);
    if (a->state == b->state)
        return *a;
    bool a_bound = a->state == NM_VAR || a->state == NM_CONST,
         b_bound = b->state == NM_VAR || b->state == NM_CONST;
    if (a_bound && b_bound)
        return conflict(a, b);
    if (!a_bound && !b_bound)
        return a->state == NM_LOOP ? *a : *b;
    const Name *bound = a_bound ? a : b;
    return (Name){.state = NM_PARTIAL,
                  .var = bound->var,
                  .memory = bound->state == NM_VAR ? bound->memory : ALIAS_NONE,
                  .where = bound->where,
                  .path = j->at};
}

static bool same_meaning(const Name *a, const Name *b)
{
    return a->state == b->state && a->state != NM_CONST && a->var == b->var &&
           a->other == b->other && a->memory == b->memory && a->carried == b->carried &&
           a->bounds == b->bounds && a->dim == b->dim && a->literal == b->literal;
}

static void join_name(void *env, uint32_t id, uint32_t a, uint32_t b)
{
    const Join *j = env;
    Name *const *meanings = j->e->fn->meanings.at;
    Name n = j->a->dead   ? *meanings[b]
             : j->b->dead ? *meanings[a]
                          : merge(j, meanings[a], meanings[b]);
    if (!same_meaning(&n, elab_name(j->e, id)))
        elab_set_name(j->e, id, n);
}

void elab_join(Elab *e, const Path *a, const Path *b, Span at, bool loop)
{
    Join j = {e, a, b, at, loop};
    if (!a->dead || !b->dead)
        paths_join(&e->fn->paths, &a->changes, &b->changes, join_name, &j);
}
