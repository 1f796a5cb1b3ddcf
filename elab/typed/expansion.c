/* @pld.expansion("NAME", ("PHASE", FIRST, LAST), ...) above a function of an .ir file: which of its
 * statements are the code of an expanded builtin call. The counterpart of ir/print_sites.c. */
#include "elab/typed/typed.h"
#include <string.h>

/* The statements of a function in the order of the text. */
typedef VEC(const Ast *) Statements;

static bool is_place(Elab *e, const Ast *s)
{
    Sym d = s->kind == AST_EXPR_STMT && s->value->kind == AST_CALL
                ? elab_dotted(e, s->value->call.callee)
                : NULL;
    return d && strcmp(d, "pld.loc") == 0;
}

static void number(Elab *e, const AstList *body, Statements *out)
{
    for (uint32_t i = 0; i < body->len; i++) {
        const Ast *s = body->at[i];
        if (is_place(e, s))
            continue;
        vec_push(out, s);
        if (s->kind == AST_IF) {
            number(e, &s->if_.then, out);
            number(e, &s->if_.otherwise, out);
        } else if (s->kind == AST_FOR) {
            number(e, &s->for_.body, out);
        }
    }
}

static bool wrong(Elab *e, Span span, const char *what)
{
    elab_error(e, span, "syntax",
               "%s: write @pld.expansion(\"NAME\", (\"PHASE\", FIRST, LAST), ...)", what);
    return false;
}

/* A value of the module: names of the function mean nothing here. */
static Val constant(Elab *e, const Ast *at)
{
    Fn *fn = e->fn;
    e->fn = NULL;
    Val v = elab_eval(e, at);
    e->fn = fn;
    return v;
}

/* One ("PHASE", FIRST, LAST): statements that come after those before, and are no other's. */
static bool take_run(Elab *e, const Ast *arg, const Statements *all, int64_t *before)
{
    Val v = constant(e, arg);
    Phase phase;
    if (v.kind != V_TUPLE || v.n != 3 || v.items[0].kind != V_STR || v.items[1].kind != V_INT ||
        v.items[2].kind != V_INT)
        return wrong(e, arg->span, "no run of statements");
    if (!phase_from_text(v.items[0].s, &phase))
        return wrong(e, arg->span, "no such phase");
    int64_t first = v.items[1].i, last = v.items[2].i;
    if (first <= *before || last < first || last > all->len)
        return wrong(e, arg->span, "no such statements");
    *before = last;
    uint64_t mark = (uint64_t)e->fn->f->sites.len << 8 | phase;
    for (int64_t i = first; i <= last; i++) {
        const Ast *s = all->at[i - 1];
        if (map_get_ptr(&e->fn->sites, s, NULL))
            return wrong(e, arg->span, "a statement of two expansions");
        map_set_ptr(&e->fn->sites, s, mark);
    }
    return true;
}

static bool take_site(Elab *e, const Ast *d, const Statements *all)
{
    const AstList *args = &d->call.args;
    Val name = args->len ? constant(e, args->at[0]) : val_bad;
    Builtin builtin;
    int64_t before = 0;
    if (!elab_plain_call(e, d))
        return false;
    if (name.kind != V_STR || !builtin_from_name(name.s, &builtin) || d->call.keywords.len)
        return wrong(e, d->span, "no such builtin");
    avec_push(e->arena, &e->fn->f->sites, builtin);
    for (uint32_t i = 1; i < args->len; i++)
        if (!take_run(e, args->at[i], all, &before))
            return false;
    return true;
}

void elab_expansions(Elab *e, const Ast *def)
{
    const AstList *list = &def->def.decorators;
    Statements all = {0};
    for (uint32_t i = 0; i < list->len; i++) {
        if (!elab_is_expansion(e, list->at[i]))
            continue;
        if (all.len == 0)
            number(e, &def->def.body, &all);
        if (!take_site(e, list->at[i], &all))
            break;
    }
    vec_free(&all);
}

void elab_mark_site(Elab *e, const Ast *s)
{
    uint64_t mark;
    if (!map_get_ptr(&e->fn->sites, s, &mark))
        return;
    e->fn->loc.site = (uint32_t)(mark >> 8);
    e->fn->loc.phase = (Phase)(mark & 0xff);
}
