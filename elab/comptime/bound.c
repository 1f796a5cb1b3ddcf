/* Which names a body binds, anywhere in it. */
#include "elab/comptime/elab.h"

static void collect(Elab *e, Sym name, Map *seen, SymList *out)
{
    if (map_get_ptr(seen, name, NULL))
        return;
    map_set_ptr(seen, name, 1);
    if (out)
        avec_push(e->arena, out, name);
}

static void collect_target(Elab *e, const Ast *t, Map *seen, SymList *out)
{
    if (t->kind == AST_NAME)
        collect(e, t->name, seen, out);
    else if (t->kind == AST_TUPLE || t->kind == AST_LIST)
        for (uint32_t i = 0; i < t->items.len; i++)
            collect_target(e, t->items.at[i], seen, out);
    else if (t->kind == AST_SUBSCRIPT)
        collect_target(e, t->sub.base, seen, out);
}

static void collect_stmt(Elab *e, const Ast *s, Map *seen, SymList *out)
{
    switch (s->kind) {
    case AST_ASSIGN:
        for (uint32_t i = 0; i < s->assign.targets.len; i++)
            collect_target(e, s->assign.targets.at[i], seen, out);
        break;
    case AST_ANN_ASSIGN: collect_target(e, s->ann.target, seen, out); break;
    case AST_AUG_ASSIGN: collect_target(e, s->aug.target, seen, out); break;
    case AST_IF:
        elab_collect_bound(e, &s->if_.then, seen, out);
        elab_collect_bound(e, &s->if_.otherwise, seen, out);
        break;
    case AST_WITH:
        for (uint32_t i = 0; i < s->with.targets.len; i++)
            if (s->with.targets.at[i])
                collect_target(e, s->with.targets.at[i], seen, out);
        elab_collect_bound(e, &s->with.body, seen, out);
        break;
    case AST_WHILE:
        elab_collect_bound(e, &s->if_.then, seen, out);
        elab_collect_bound(e, &s->if_.otherwise, seen, out);
        break;
    case AST_FOR:
        collect_target(e, s->for_.target, seen, out);
        elab_collect_bound(e, &s->for_.body, seen, out);
        elab_collect_bound(e, &s->for_.otherwise, seen, out);
        break;
    default: break;
    }
}

void elab_collect_bound(Elab *e, const AstList *body, Map *seen, SymList *out)
{
    for (uint32_t i = 0; i < body->len; i++)
        collect_stmt(e, body->at[i], seen, out);
}
