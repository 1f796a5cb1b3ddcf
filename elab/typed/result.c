/* Results of an entry that are no parameter's memory: created memory that it returns becomes an
 * output of the host function, `result`, or result0, result1, ... */
#include "elab/typed/typed.h"

static bool binds(const Stmt *s, VarId v, uint32_t *at)
{
    for (*at = 0; s->kind == ST_LET && *at < s->n_results; ++*at)
        if (s->results[*at] == v)
            return true;
    return false;
}

typedef struct {
    VarId v;
    bool found;
} CreationSearch;

static void find_creation(void *env, Stmt *s)
{
    CreationSearch *x = env;
    uint32_t at;
    x->found |= binds(s, x->v, &at) && s->value->kind == EX_OP && s->value->op == OP_TENSOR_CREATE;
}

static bool creates_within(Stmt *s, VarId v)
{
    CreationSearch x = {v, false};
    block_walk(&s->nest->body, find_creation, &x);
    block_walk(&s->nest->otherwise, find_creation, &x);
    return x.found;
}

/* The statement at the top of the function that creates what the variable is, or NULL. What scopes
 * and loops bind it to is the same memory, written. */
static Stmt *creation(Func *f, VarId v)
{
    for (uint32_t i = f->body.len; i-- > 0;) {
        Stmt *s = f->body.at[i];
        uint32_t at;
        bool view = false;
        if (creates_within(s, v))
            return NULL;
        if (!binds(s, v, &at))
            continue;
        if (s->value->kind == EX_OP && s->value->op == OP_TENSOR_CREATE)
            return OP_ARG(s->value, TENSOR_CREATE, init_value) ? NULL : s;
        const Expr *from = s->value->kind == EX_VAR ? s->value : expr_memory(s->value, at, &view);
        if (!from || view || from->kind != EX_VAR)
            return NULL;
        v = from->var;
    }
    return NULL;
}

int32_t elab_result_param(Elab *e, const Expr *x, uint32_t i, uint32_t n)
{
    Func *f = e->fn->f;
    Stmt *made = e->fn->decl->outside && f->kind == FN_ORCH && x->kind == EX_VAR
                     ? creation(f, x->var)
                     : NULL;
    if (!made)
        return -1;
    const Type *t = func_var(f, made->results[0])->type;
    Sym name = elab_fresh(e, n == 1 ? intern(e->in, "result") : internf(e->in, "result%u", i));
    VarId v = func_new_var(e->p, f, name, t, x->span);
    avec_push(e->arena, &f->params, (Param){.var = v, .dir = DIR_OUT});
    made->value = ex_var(e->p, f, v);
    made->value->span = x->span;
    return (int32_t)f->params.len - 1;
}
