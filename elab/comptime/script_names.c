/* Is an expression of a script one of compile-time code, over names that the reader knows? */
#include "elab/comptime/elab.h"
#include "elab/comptime/script_state.h"

/* Only names that taken code knows, and nothing that it has no word for. */
typedef struct {
    Script *s;
    Map own; /* names of comprehensions, parameters and the like */
    bool good, helpers;
} NameCheck;

static void bind_own(NameCheck *c, const Ast *t)
{
    if (t->kind == AST_NAME)
        map_set_ptr(&c->own, t->name, 1);
    else if (t->kind == AST_TUPLE || t->kind == AST_LIST)
        for (uint32_t i = 0; i < t->items.len; i++)
            bind_own(c, t->items.at[i]);
}

static void bind_params(NameCheck *c, const AstParams *params)
{
    for (uint32_t i = 0; i < params->len; i++)
        if (params->at[i].name)
            map_set_ptr(&c->own, params->at[i].name, 1);
}

static void check_name(NameCheck *c, Sym name)
{
    uint64_t known = 0;
    if (map_get_ptr(&c->own, name, NULL))
        return;
    bool there = map_get_ptr(&c->s->known, name, &known);
    bool helper = map_get_ptr(&c->s->helpers, name, NULL);
    c->good &= there ? known != 0 || helper : helper || elab_is_builtin(name);
}

/* "a.b", or NULL for another expression. */
static Sym dotted(Script *s, const Ast *a)
{
    if (a->kind == AST_NAME)
        return a->name;
    Sym base = a->kind == AST_ATTR ? dotted(s, a->attr.base) : NULL;
    return base ? internf(s->in, "%s.%s", base, a->attr.name) : NULL;
}

/* An attribute of an imported file; false: it is none. */
static bool check_member(NameCheck *c, const Ast *a)
{
    uint64_t import;
    Sym module = c->s->modules.len ? dotted(c->s, a->attr.base) : NULL;
    if (!module || !map_get_ptr(&c->s->modules, module, &import))
        return false;
    c->good &= c->s->imports->has(c->s->imports->env, (const Ast *)(uintptr_t)import, a->attr.name);
    return true;
}

static void check(void *env, Ast *a)
{
    NameCheck *c = env;
    switch (a->kind) {
    case AST_NAME: check_name(c, a->name); return;
    case AST_ATTR:
        if (check_member(c, a))
            return;
        break;
    case AST_GENEXP:
    case AST_LISTCOMP:
    case AST_DICTCOMP:
        for (uint32_t i = 0; i < a->gen.clauses.len; i++)
            bind_own(c, a->gen.clauses.at[i].target);
        break;
    case AST_LAMBDA: bind_params(c, &a->lambda.params); break;
    case AST_YIELD:
    case AST_YIELD_FROM:
    case AST_SET:
    case AST_SETCOMP:
    case AST_STARRED:
    case AST_WALRUS:
    case AST_ERROR: c->good = false; return;
    default: break;
    }
    ast_children(a, check, c);
}

bool script_is_constant(Script *s, Ast *a)
{
    NameCheck c = {.s = s, .good = true};
    check(&c, a);
    map_free(&c.own);
    return c.good;
}
