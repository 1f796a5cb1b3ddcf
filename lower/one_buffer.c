/* Source and target of a collective that pushes must be two buffers: peers write into the target
 * while the source is still read. Where both are parameters the callers say what they are. */
#include "lower/one_buffer.h"
#include "ir/alias.h"
#include "lower/util.h"

/* Parameters that must not be one memory, because a collective has them for source and target. */
typedef struct {
    const Func *f;
    uint32_t src, target;
    const Expr *call; /* the collective */
} Pair;

typedef struct {
    Program *p;
    Aliases aliases;
    const FuncAlias *memory; /* of the function at hand */
    const Func *f;
    VEC(Pair) pairs;
    bool good;
} Check;

static AliasNode root_of(const Check *x, const Expr *e)
{
    return e && e->kind == EX_VAR ? alias_root(x->memory, e->var) : ALIAS_NONE;
}

/* The parameter that a memory is, or UINT32_MAX. */
static uint32_t param_of(const Check *x, AliasNode root)
{
    for (uint32_t i = 0; i < x->f->params.len; i++)
        if (root != ALIAS_NONE && alias_root(x->memory, x->f->params.at[i].var) == root)
            return i;
    return UINT32_MAX;
}

static bool known(const Check *x, const Pair *pair)
{
    for (uint32_t i = 0; i < x->pairs.len; i++) {
        const Pair *old = &x->pairs.at[i];
        if (old->f == pair->f && old->src == pair->src && old->target == pair->target)
            return true;
    }
    return false;
}

/* Two memories that are source and target of `call`; true when that is a new pair of parameters. */
static bool meet(Check *x, const Stmt *s, const Expr *src, const Expr *target, const Expr *call)
{
    AliasNode a = root_of(x, src), b = root_of(x, target);
    if (a == ALIAS_NONE || b == ALIAS_NONE)
        return false;
    if (a == b && s->value != call) {
        Span at = s->value->span.end ? s->value->span : s->loc.span;
        diag_error(x->p->diags, at, "value",
                   "%s needs different buffers for src and target, and this call gives it one",
                   op_info(call->op)->full);
        diag_note(x->p->diags, call->span, "the collective");
        x->good = false;
        return false;
    }
    if (a == b && x->f->kind == FN_HOST) {
        diag_error(x->p->diags, s->loc.span, "value",
                   "%s needs different buffers for src and target", op_info(call->op)->full);
        x->good = false;
        return false;
    }
    Pair pair = {x->f, param_of(x, a), param_of(x, b), call};
    if (a == b || pair.src == UINT32_MAX || pair.target == UINT32_MAX || known(x, &pair))
        return false;
    vec_push(&x->pairs, pair);
    return true;
}

static bool walk_call(Check *x, const Stmt *s)
{
    const Expr *call = s->value;
    bool more = false;
    for (uint32_t i = 0; i < x->pairs.len; i++) {
        Pair p = x->pairs.at[i];
        if (p.f == call->callee && p.src < call->n_args && p.target < call->n_args)
            more |= meet(x, s, call->args[p.src], call->args[p.target], p.call);
    }
    return more;
}

static bool walk(Check *x, const Block *b)
{
    bool more = false;
    for (uint32_t i = 0; i < b->len && x->good; i++) {
        const Stmt *s = b->at[i];
        OpId op = low_stmt_op(s);
        bool pushes = op == OP_ALLGATHER || op == OP_ALL_TO_ALL || op == OP_ALL_TO_ALL_V;
        if (pushes)
            more |= meet(x, s, s->value->args[0], s->value->args[1], s->value);
        else if (s->value && s->value->kind == EX_CALL && s->value->callee)
            more |= walk_call(x, s);
        more |= walk(x, &s->nest->body);
        more |= walk(x, &s->nest->otherwise);
    }
    return more;
}

static bool holds_collectives(const Program *p)
{
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (func_may_hold(p->funcs.at[i], HOLDS_COLLECTIVES))
            return true;
    return false;
}

bool low_one_buffer(Program *p)
{
    if (!holds_collectives(p))
        return true;
    Check x = {.p = p, .aliases = {.p = p}, .good = true};
    for (bool more = true; more && x.good;) {
        more = false;
        for (uint32_t i = 0; i < p->funcs.len; i++) {
            x.f = p->funcs.at[i];
            if (func_is_element(x.f))
                continue;
            x.memory = alias_of(&x.aliases, p->funcs.at[i]);
            more |= walk(&x, &x.f->body);
        }
    }
    alias_free(&x.aliases);
    vec_free(&x.pairs);
    return x.good;
}
