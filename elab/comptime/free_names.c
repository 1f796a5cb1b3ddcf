/* Which names of a definition are bound outside of it, by Python's rules of scopes. */
#include "base/map.h"
#include "elab/comptime/taken.h"

typedef struct Names Names;
struct Names {
    Names *outer;
    Map bound;
};

typedef struct {
    Names *scope;
    FreeName *fn;
    void *env;
} Walk;

static void walk(void *env, Ast *a);

/* ---- what a scope binds: targets anywhere in it, but not in scopes inside it */

static void bind_target(Names *s, const Ast *t)
{
    if (t->kind == AST_NAME)
        map_set_ptr(&s->bound, t->name, 1);
    else if (t->kind == AST_TUPLE || t->kind == AST_LIST)
        for (uint32_t i = 0; i < t->items.len; i++)
            bind_target(s, t->items.at[i]);
}

static void bind_targets(Names *s, const AstList *list)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (list->at[i])
            bind_target(s, list->at[i]);
}

static void bind_import(Names *s, const Ast *a)
{
    Sym first = a->import.alias ? a->import.alias : a->import.module;
    if (first)
        map_set_ptr(&s->bound, first, 1);
    for (uint32_t i = 0; i < a->import.more.len; i++) {
        const AstImportName *n = &a->import.more.at[i];
        map_set_ptr(&s->bound, n->alias ? n->alias : n->name, 1);
    }
}

static void bind(void *env, Ast *a)
{
    Names *s = env;
    switch (a->kind) {
    case AST_ASSIGN: bind_targets(s, &a->assign.targets); break;
    case AST_ANN_ASSIGN: bind_target(s, a->ann.target); break;
    case AST_AUG_ASSIGN: bind_target(s, a->aug.target); break;
    case AST_FOR: bind_target(s, a->for_.target); break;
    case AST_WITH: bind_targets(s, &a->with.targets); break;
    case AST_WALRUS: bind_target(s, a->walrus.target); break;
    case AST_IMPORT: bind_import(s, a); break;
    case AST_DEF: map_set_ptr(&s->bound, a->def.name, 1); return;
    case AST_CLASS: map_set_ptr(&s->bound, a->class_.name, 1); return;
    case AST_LAMBDA: return;
    case AST_TRY:
        for (uint32_t i = 0; i < a->try_.handlers.len; i++)
            if (a->try_.handlers.at[i].name)
                map_set_ptr(&s->bound, a->try_.handlers.at[i].name, 1);
        break;
    default: break;
    }
    ast_children(a, bind, s);
}

static void open_scope(Walk *w, Names *s)
{
    s->outer = w->scope;
    w->scope = s;
}

static void close_scope(Walk *w)
{
    map_free(&w->scope->bound);
    w->scope = w->scope->outer;
}

/* ---- uses */

static void walk_list(Walk *w, const AstList *list)
{
    for (uint32_t i = 0; i < list->len; i++)
        walk(w, list->at[i]);
}

static void walk_params(Walk *w, const AstParams *params)
{
    for (uint32_t i = 0; i < params->len; i++) {
        if (params->at[i].annotation)
            walk(w, params->at[i].annotation);
        if (params->at[i].default_value)
            walk(w, params->at[i].default_value);
    }
}

static void bind_params(Names *s, const AstParams *params)
{
    for (uint32_t i = 0; i < params->len; i++)
        if (params->at[i].name)
            map_set_ptr(&s->bound, params->at[i].name, 1);
}

static void walk_def(Walk *w, const Ast *a)
{
    Names s = {0};
    walk_list(w, &a->def.decorators);
    walk_params(w, &a->def.params);
    if (a->def.returns)
        walk(w, a->def.returns);
    bind_params(&s, &a->def.params);
    for (uint32_t i = 0; i < a->def.body.len; i++)
        bind(&s, a->def.body.at[i]);
    open_scope(w, &s);
    walk_list(w, &a->def.body);
    close_scope(w);
}

static void walk_lambda(Walk *w, const Ast *a)
{
    Names s = {0};
    walk_params(w, &a->lambda.params);
    bind_params(&s, &a->lambda.params);
    open_scope(w, &s);
    walk(w, a->lambda.body);
    close_scope(w);
}

/* What the first loop goes through is evaluated outside. */
static void walk_comprehension(Walk *w, const Ast *a)
{
    Names s = {0};
    walk(w, a->gen.clauses.at[0].iter);
    for (uint32_t i = 0; i < a->gen.clauses.len; i++)
        bind_target(&s, a->gen.clauses.at[i].target);
    open_scope(w, &s);
    for (uint32_t i = 0; i < a->gen.clauses.len; i++) {
        const AstForClause *c = &a->gen.clauses.at[i];
        if (i)
            walk(w, c->iter);
        if (c->cond)
            walk(w, c->cond);
    }
    if (a->gen.key)
        walk(w, a->gen.key);
    walk(w, a->gen.element);
    close_scope(w);
}

static void walk(void *env, Ast *a)
{
    Walk *w = env;
    switch (a->kind) {
    case AST_NAME:
        for (const Names *s = w->scope; s; s = s->outer)
            if (map_get_ptr(&s->bound, a->name, NULL))
                return;
        w->fn(w->env, a);
        return;
    case AST_DEF: walk_def(w, a); return;
    case AST_LAMBDA: walk_lambda(w, a); return;
    case AST_GENEXP:
    case AST_LISTCOMP:
    case AST_SETCOMP:
    case AST_DICTCOMP: walk_comprehension(w, a); return;
    default: ast_children(a, walk, w);
    }
}

void taken_free_names(Ast *def, FreeName *fn, void *env)
{
    Walk w = {.fn = fn, .env = env};
    walk(&w, def);
}
