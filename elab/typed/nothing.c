/* Calls that change no result: words for hardware that runs several pipes, and what is said and
 * asked at compile time. */
#include "elab/typed/typed.h"
#include <string.h>

/* A simulated core runs its statements in order, on one memory. */
static const char *const hints[] = {
    "pl.system.bar_",         "pl.system.sync_src", "pl.system.sync_dst", "pl.system.fence",
    "pl.system.cacheinvalid", "pl.dump_tag",        "pl.prefetch",        "pl.func_attr"};

static bool is_hint(const char *dotted)
{
    for (uint32_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strncmp(dotted, hints[i], strlen(hints[i])) == 0)
            return true;
    return false;
}

void elab_say_hint(Elab *e, Span span, const char *what)
{
    if (!e->ir)
        diag_warn(e->diags, span, WARN_HINT, "%s changes no result here", what);
}

/* Names of pipes and events are those of other machines: what is no name of a value is let be. */
static void hint(Elab *e, Sym dotted, const Ast *call)
{
    for (uint32_t i = 0; i < call->call.args.len; i++)
        if (!elab_dotted(e, call->call.args.at[i]))
            (void)elab_eval(e, call->call.args.at[i]);
    for (uint32_t i = 0; i < call->call.keywords.len; i++)
        if (!elab_dotted(e, call->call.keywords.at[i].value))
            (void)elab_eval(e, call->call.keywords.at[i].value);
    elab_say_hint(e, call->span, dotted);
}

static void static_assert_call(Elab *e, const Ast *call)
{
    const AstList *args = &call->call.args;
    int64_t known;
    Val c = args->len && args->len < 3 ? elab_eval(e, args->at[0]) : val_none;
    if (c.kind == V_EXPR && elab_constant(e, c.expr, &known))
        c = val_bool(known != 0);
    Val text = args->len == 2 ? elab_eval(e, args->at[1]) : val_str(intern(e->in, ""));
    if (c.kind == V_BAD || text.kind == V_BAD)
        return;
    if (!val_known(c) || c.kind == V_NONE || text.kind != V_STR)
        elab_error(e, call->span, "value",
                   "pl.static_assert takes a compile-time condition and a text, got %s",
                   val_describe(e, c));
    else if (!val_truth(c))
        elab_error(e, call->span, "assert", "pl.static_assert: %s",
                   text.s[0] ? text.s : "the condition does not hold");
}

static void static_print_call(Elab *e, const Ast *call)
{
    Buf text = {0};
    bool good = true;
    for (uint32_t i = 0; i < call->call.args.len; i++) {
        Val v = elab_eval(e, call->call.args.at[i]);
        good &= v.kind != V_BAD;
        if (i)
            buf_char(&text, ' ');
        if (v.kind == V_EXPR)
            buf_str(&text, v.expr->type ? type_text(e->arena, v.expr->type) : "?");
        else if (v.kind != V_BAD)
            val_print(&text, v, false);
    }
    if (good)
        diag_tell(e->diags, call->span, "%s", text.at ? text.at : "");
    buf_free(&text);
}

/* Cores of the platform, as INT32. */
static bool core_count(Elab *e, Sym dotted, const Ast *call, Val *out)
{
    bool vector = strcmp(dotted, "pl.system.available_aiv_count") == 0;
    if (!vector && strcmp(dotted, "pl.system.available_cluster_count") != 0)
        return false;
    int64_t n = vector ? e->p->platform->vector_cores : e->p->platform->cube_cores;
    Expr *x = ex_int(e->p, DT_INT32, n);
    x->span = call->span;
    *out = val_expr(x);
    return true;
}

bool elab_nothing_call(Elab *e, Sym dotted, const Ast *call, Val *out)
{
    *out = val_none;
    if (core_count(e, dotted, call, out))
        return true;
    if (strcmp(dotted, "pl.static_assert") == 0)
        static_assert_call(e, call);
    else if (strcmp(dotted, "pl.static_print") == 0)
        static_print_call(e, call);
    else if (is_hint(dotted))
        hint(e, dotted, call);
    else
        return false;
    return true;
}
