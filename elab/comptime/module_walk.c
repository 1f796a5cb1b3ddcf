/* Names in a statement that mean globals of its module: Python's scopes. */
#include "elab/comptime/module.h"
#include <string.h>

typedef struct Scope Scope;
struct Scope {
    const Scope *outer;
    Map names;
};

typedef struct {
    Modules *ms;
    Module *m;
    const Scope *scope;
    ModuleUse *use;
    void *env;
} Walk;

static void walk(void *env, Ast *a);

static void walk_list(Walk *w, const AstList *list)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (list->at[i])
            walk(w, list->at[i]);
}

static bool is_local(const Walk *w, Sym name)
{
    for (const Scope *s = w->scope; s; s = s->outer)
        if (map_get_ptr(&s->names, name, NULL))
            return true;
    return false;
}

/* ---- modules and their members */

/* "a.b.c", or NULL for another expression or a name of the function. */
static Sym dotted(const Walk *w, const Ast *a)
{
    if (a->kind == AST_NAME)
        return is_local(w, a->name) ? NULL : a->name;
    Sym base = a->kind == AST_ATTR ? dotted(w, a->attr.base) : NULL;
    return base ? internf(w->ms->in, "%s.%s", base, a->attr.name) : NULL;
}

/* Can a chain of attributes be of a module? Most are not. */
static bool may_be_module(const Walk *w, const Ast *a)
{
    uint32_t depth = 0;
    for (; a->kind == AST_ATTR && depth < MODULES_MAX; depth++)
        a = a->attr.base;
    const Global *g =
        a->kind == AST_NAME && !is_local(w, a->name) ? module_global(w->m, a->name) : NULL;
    return g && (g->kind == GLOBAL_MODULE || g->kind == GLOBAL_FROM || g->kind == GLOBAL_PACKAGE);
}

/* The module that an expression is, or NULL. */
static Module *module_of(const Walk *w, const Ast *a)
{
    Module *owner = w->m;
    if (!may_be_module(w, a))
        return NULL;
    Sym name = dotted(w, a);
    Global *g = name ? module_resolve(module_global(w->m, name), &owner, 0) : NULL;
    if (g && g->kind != GLOBAL_PACKAGE)
        return g->kind == GLOBAL_MODULE ? g->of : NULL;
    Module *base = a->kind == AST_ATTR ? module_of(w, a->attr.base) : NULL;
    if (!base)
        return NULL;
    g = module_resolve(module_global(base, a->attr.name), &owner, 0);
    if (g)
        return g->kind == GLOBAL_MODULE ? g->of : NULL;
    return module_inside(w->ms, base, a->attr.name, a->span);
}

static void member(Walk *w, Ast *a, Module *of)
{
    Module *owner = of;
    Global *g = module_resolve(module_global(of, a->attr.name), &owner, 0);
    if (g && g->kind != GLOBAL_MODULE)
        w->use(w->env, a, owner, g);
    else if (!g && !module_of(w, a))
        module_no_member(w->ms, of, a->attr.name, a->attr.name_span);
}

static void name(Walk *w, Ast *a)
{
    Module *owner = w->m;
    Global *g = is_local(w, a->name) ? NULL : module_global(w->m, a->name);
    g = module_resolve(g, &owner, 0);
    if (g && (g->kind == GLOBAL_MODULE || g->kind == GLOBAL_PACKAGE))
        diag_error(w->ms->diags, a->span, "name", "%s is a module: write %s.NAME", a->name,
                   a->name);
    else if (g)
        w->use(w->env, a, owner, g);
    else if (!is_local(w, a->name))
        w->use(w->env, a, w->m, NULL);
}

/* ---- scopes */

static void bind(void *env, Sym n, Span span)
{
    Scope *s = env;
    (void)span;
    map_set_ptr(&s->names, n, 1);
}

/* A function: its head belongs to what is around it. */
static void walk_def(Walk *w, Ast *a)
{
    Scope own = {.outer = w->scope};
    walk_list(w, &a->def.decorators);
    for (uint32_t i = 0; i < a->def.params.len; i++) {
        if (a->def.params.at[i].annotation)
            walk(w, a->def.params.at[i].annotation);
        if (a->def.params.at[i].default_value)
            walk(w, a->def.params.at[i].default_value);
    }
    if (a->def.returns)
        walk(w, a->def.returns);
    module_bound_inside(a, bind, &own);
    w->scope = &own;
    walk_list(w, &a->def.body);
    w->scope = own.outer;
    map_free(&own.names);
}

/* A lambda or a comprehension. */
static void walk_inner(Walk *w, Ast *a)
{
    Scope own = {.outer = w->scope};
    module_bound_inside(a, bind, &own);
    w->scope = &own;
    ast_children(a, walk, w);
    w->scope = own.outer;
    map_free(&own.names);
}

static void walk(void *env, Ast *a)
{
    Walk *w = env;
    switch (a->kind) {
    case AST_NAME: name(w, a); return;
    case AST_ATTR: {
        Module *of = module_of(w, a->attr.base);
        if (of)
            member(w, a, of);
        else
            walk(w, a->attr.base);
        return;
    }
    case AST_DEF: walk_def(w, a); return;
    case AST_LAMBDA:
    case AST_GENEXP:
    case AST_LISTCOMP:
    case AST_SETCOMP:
    case AST_DICTCOMP: walk_inner(w, a); return;
    default: ast_children(a, walk, w);
    }
}

void module_walk(Modules *ms, Module *m, Ast *stmt, ModuleUse *use, void *env)
{
    Walk w = {.ms = ms, .m = m, .use = use, .env = env};
    walk(&w, stmt);
}
