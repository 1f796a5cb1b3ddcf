/* Loops on a condition. They are loops over pl.range without an end that anybody reaches, whose
 * first statement leaves them when the condition does not hold: everything after elaboration knows
 * one kind of loop.
 *
 *     while c:                              for trip in pl.range(2 ** 63 - 1):
 *         body                                  if c: pass
 *                                               else: break
 *                                               body
 *
 * for (x,) in pl.while_(init_values=(x0,)) with pl.cond(c) first carries its values likewise; where
 * it ends, they are handed on as they came. */
#include "elab/typed/typed.h"
#include <string.h>

static Ast *node(Elab *e, AstKind kind, Span span)
{
    return ast_new(e->arena, kind, span);
}

static Ast *name_node(Elab *e, Sym name, Span span)
{
    Ast *a = node(e, AST_NAME, span);
    a->name = name;
    return a;
}

static Ast *attr_node(Elab *e, Ast *base, const char *name)
{
    Ast *a = node(e, AST_ATTR, base->span);
    a->attr.base = base;
    a->attr.name = intern(e->in, name);
    a->attr.name_span = base->span;
    return a;
}

/* A call of pl.NAME, whatever the file calls the module. */
static Ast *pl_call(Elab *e, const char *name, Span span)
{
    Ast *module = attr_node(e, name_node(e, intern(e->in, "pypto"), span), "language");
    Ast *call = node(e, AST_CALL, span);
    call->call.callee = attr_node(e, module, name);
    return call;
}

static Ast *leave_unless(Elab *e, Ast *cond, Ast *hand_on)
{
    Ast *test = node(e, AST_IF, cond->span);
    test->if_.cond = cond;
    avec_push(e->arena, &test->if_.then, node(e, AST_PASS, cond->span));
    if (hand_on)
        avec_push(e->arena, &test->if_.otherwise, hand_on);
    avec_push(e->arena, &test->if_.otherwise, node(e, AST_BREAK, cond->span));
    return test;
}

static void endless(Elab *e, Ast *loop, Ast *carried, const AstKeyword *init, Span span)
{
    Ast *call = pl_call(e, "range", span), *end = node(e, AST_INT, span);
    Ast *trip = name_node(e, elab_fresh(e, intern(e->in, "trip")), span);
    end->integer.value = INT64_MAX;
    avec_push(e->arena, &call->call.args, end);
    if (init)
        avec_push(e->arena, &call->call.keywords, *init);
    loop->for_.iter = call;
    loop->for_.target = trip;
    if (!carried)
        return;
    loop->for_.target = node(e, AST_TUPLE, carried->span);
    avec_push(e->arena, &loop->for_.target->items, trip);
    avec_push(e->arena, &loop->for_.target->items, carried);
}

void elab_while(Elab *e, const Ast *s)
{
    Ast *loop = node(e, AST_FOR, s->span);
    if (s->if_.otherwise.len)
        elab_error(e, s->if_.otherwise.at[0]->span, "syntax",
                   "a loop has no else: write the statements after the loop");
    endless(e, loop, NULL, NULL, s->if_.cond->span);
    avec_push(e->arena, &loop->for_.body, leave_unless(e, s->if_.cond, NULL));
    for (uint32_t i = 0; i < s->if_.then.len; i++)
        avec_push(e->arena, &loop->for_.body, s->if_.then.at[i]);
    elab_for(e, loop);
}

static bool calls(Elab *e, const Ast *a, const char *name)
{
    Sym d = a && a->kind == AST_CALL ? elab_dotted(e, a->call.callee) : NULL;
    return d && strcmp(d, name) == 0;
}

/* The statement that binds what the loop yields, with the values as they came. */
static Ast *hand_on(Elab *e, const Ast *last, const Ast *carried)
{
    Ast *yield = pl_call(e, "yield_", last->span), *bind = node(e, AST_ASSIGN, last->span);
    for (uint32_t i = 0; i < carried->items.len; i++)
        avec_push(e->arena, &yield->call.args, carried->items.at[i]);
    avec_push(e->arena, &bind->assign.targets, last->assign.targets.at[0]);
    bind->assign.value = yield;
    return bind;
}

bool elab_while_call(Elab *e, const Ast *s)
{
    const Ast *iter = s->for_.iter;
    const AstList *body = &s->for_.body;
    if (!calls(e, iter, "pl.while_"))
        return false;
    Ast *carried = s->for_.target;
    bool names = carried->kind == AST_TUPLE || carried->kind == AST_LIST;
    bool init = iter->call.args.len == 0 && iter->call.keywords.len == 1 &&
                iter->call.keywords.at[0].name &&
                strcmp(iter->call.keywords.at[0].name, "init_values") == 0;
    const Ast *first = body->len ? body->at[0] : NULL, *last = first ? body->at[body->len - 1] : s;
    const Ast *cond = first && first->kind == AST_EXPR_STMT && calls(e, first->value, "pl.cond") &&
                              first->value->call.args.len == 1
                          ? first->value->call.args.at[0]
                          : NULL;
    bool yields = last->kind == AST_ASSIGN && elab_is_yield(e, last->assign.value);
    if (!names || !init || !cond || !yields) {
        elab_error(e, s->for_.target->span, "syntax",
                   "write `for (x,) in pl.while_(init_values=(x0,)):` with pl.cond(c) as its first "
                   "statement and x = pl.yield_(value) as its last");
        return true;
    }
    Ast *loop = node(e, AST_FOR, s->span);
    endless(e, loop, carried, &iter->call.keywords.at[0], iter->span);
    avec_push(e->arena, &loop->for_.body,
              leave_unless(e, (Ast *)(uintptr_t)cond, hand_on(e, last, carried)));
    for (uint32_t i = 1; i < body->len; i++)
        avec_push(e->arena, &loop->for_.body, body->at[i]);
    elab_for(e, loop);
    return true;
}
