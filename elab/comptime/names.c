/* Functions that nothing calls are dropped, but their names are looked up first; and which
 * functions the host functions can reach by name at all. */
#include "elab/comptime/elab.h"
#include <string.h>

typedef VEC(const FnDecl *) DeclList;

typedef struct {
    Elab *e;
    const Map *local, *outer;
    bool reach;     /* mark functions that are called, look up nothing */
    bool probe;     /* see whether there is an operation, look up nothing */
    bool found;     /* probe: there is one */
    DeclList *todo; /* marked, and not yet looked into */
    Sym callee;     /* probe: is this function named? */
    bool called;
} NameWalk;

static void walk(NameWalk *w, const Ast *a);

static void walk_list(NameWalk *w, const AstList *list)
{
    for (uint32_t i = 0; i < list->len; i++)
        walk(w, list->at[i]);
}

static void check_name(NameWalk *w, const Ast *a)
{
    Elab *e = w->e;
    Sym n = a->name;
    if (w->reach || w->probe || map_get_ptr(w->local, n, NULL) || map_get_ptr(w->outer, n, NULL) ||
        elab_find_name(e->scope, n) || elab_is_builtin(n) || elab_decl(e, n) || n == e->s_self)
        return;
    for (uint32_t i = 0; i < e->pl_alias.len + e->pld_alias.len; i++)
        if (n == (i < e->pl_alias.len ? e->pl_alias.at[i] : e->pld_alias.at[i - e->pl_alias.len]))
            return;
    for (uint32_t i = 0; i < e->math_alias.len; i++)
        if (n == e->math_alias.at[i])
            return;
    elab_error(e, a->span, "name", "unknown name %s", n);
}

static void mark(NameWalk *w, Sym name)
{
    FnDecl *d = elab_decl(w->e, name);
    if (!d || d->reached)
        return;
    d->reached = true;
    vec_push(w->todo, d);
}

static void check_dotted(NameWalk *w, const Ast *callee, Sym dotted)
{
    OpId ids[4];
    size_t n = strlen(dotted);
    bool method = n > 9 && strcmp(dotted + n - 9, ".get_byte") == 0;
    w->found |= !method && !elab_is_special_call(dotted);
    if (w->reach || w->probe || method || op_find(dotted, ids, 4) || elab_is_special_call(dotted))
        return;
    elab_unknown_op(w->e, dotted, callee->span);
}

static void walk_call(NameWalk *w, const Ast *a)
{
    const Ast *c = a->call.callee;
    Sym dotted = elab_dotted(w->e, c);
    Sym name = c->kind == AST_ATTR ? c->attr.name : c->kind == AST_NAME ? c->name : NULL;
    w->called = w->called || (w->callee && name == w->callee);
    bool self =
        c->kind == AST_ATTR && c->attr.base->kind == AST_NAME && c->attr.base->name == w->e->s_self;
    if (dotted)
        check_dotted(w, c, dotted);
    else if (self && w->reach)
        mark(w, c->attr.name);
    else if (self && !w->probe && !elab_decl(w->e, c->attr.name))
        elab_error(w->e, c->attr.name_span, "name", "unknown function %s", c->attr.name);
    else if (c->kind == AST_NAME && w->reach)
        mark(w, c->name);
    else if (c->kind == AST_NAME && strcmp(c->name, "range") != 0)
        check_name(w, c);
    else if (c->kind == AST_ATTR && !self)
        walk(w, c->attr.base);
    walk_list(w, &a->call.args);
    for (uint32_t i = 0; i < a->call.keywords.len; i++)
        walk(w, a->call.keywords.at[i].value);
}

static void walk_child(void *env, Ast *child)
{
    walk(env, child);
}

static void walk(NameWalk *w, const Ast *a)
{
    if (!a)
        return;
    switch (a->kind) {
    case AST_NAME: check_name(w, a); break;
    case AST_ATTR:
        if (!elab_dotted(w->e, a))
            walk(w, a->attr.base);
        break;
    case AST_CALL: walk_call(w, a); break;
    case AST_ANN_ASSIGN: walk(w, a->ann.value); break;
    case AST_RAISE:  /* names of exceptions */
    case AST_LAMBDA: /* these have names of their own */
    case AST_GENEXP:
    case AST_LISTCOMP:
    case AST_SETCOMP:
    case AST_DICTCOMP:
    case AST_DEF:
    case AST_CLASS: break;
    default: ast_children(a, walk_child, w);
    }
}

/* Names bound anywhere in the module and the factory, whichever branch was taken. */
static void outer_names(Elab *e, Map *out)
{
    elab_collect_bound(e, &e->module->body, out, NULL);
    if (!e->factory)
        return;
    elab_collect_bound(e, &e->factory->def.body, out, NULL);
    for (uint32_t i = 0; i < e->factory->def.params.len; i++)
        map_set_ptr(out, e->factory->def.params.at[i].name, 1);
}

void elab_check_names(Elab *e, const Ast *def)
{
    Map local = {0}, outer = {0};
    NameWalk w = {.e = e, .local = &local, .outer = &outer};
    outer_names(e, &outer);
    elab_collect_bound(e, &def->def.body, &local, NULL);
    for (uint32_t i = 0; i < def->def.params.len; i++)
        map_set_ptr(&local, def->def.params.at[i].name, 1);
    walk_list(&w, &def->def.body);
    map_free(&local);
    map_free(&outer);
}

bool elab_has_operations(Elab *e, const Ast *def)
{
    NameWalk w = {.e = e, .probe = true};
    walk_list(&w, &def->def.body);
    return w.found;
}

void elab_mark_reached(Elab *e, FnDecl *entry)
{
    DeclList todo = {0};
    NameWalk w = {.e = e, .reach = true, .todo = &todo};
    mark(&w, entry->name);
    for (uint32_t i = 0; i < e->decls.len; i++)
        if (e->decls.at[i].kind == FN_HOST)
            mark(&w, e->decls.at[i].name);
    while (todo.len) {
        const FnDecl *d = vec_pop(&todo);
        walk_list(&w, &d->def->def.body);
    }
    vec_free(&todo);
}

bool elab_is_called(Elab *e, const FnDecl *d)
{
    for (uint32_t i = 0; i < e->decls.len; i++) {
        const FnDecl *from = &e->decls.at[i];
        NameWalk w = {.e = e, .probe = true, .callee = d->name};
        if (from == d)
            continue;
        walk_list(&w, &from->def->def.body);
        if (w.called)
            return true;
    }
    return false;
}
