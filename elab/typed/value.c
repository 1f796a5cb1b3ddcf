/* Tensor values that outlive their scope. The scope ends by storing them: in front of it stands
 *
 *     c_kept = pl.tensor.create([...], dtype=...)
 *
 * at its end `c_kept = pl.tensor.assign(c_kept, [0, 0], c)`, and behind it `c = c_kept`. That is
 * written when the first use behind the scope is met. */
#include "elab/typed/with.h"
#include <string.h>

/* The open block that a statement stands in, and where. */
static Block *block_of(Elab *e, const Stmt *s, uint32_t *at)
{
    for (BlockFrame *f = e->fn->frame; f; f = f->outer)
        for (*at = 0; *at < f->block->len; ++*at)
            if (f->block->at[*at] == s)
                return f->block;
    return NULL;
}

static void insert(Elab *e, Block *b, uint32_t at, Stmt *s)
{
    avec_push(e->arena, b, s);
    memmove(&b->at[at + 1], &b->at[at], (b->len - 1 - at) * sizeof(Stmt *));
    b->at[at] = s;
}

static Stmt *let(Elab *e, const Stmt *like, VarId to, Expr *value)
{
    Stmt *s = stmt_new(e->p, ST_LET, like->loc);
    value->span = like->loc.span;
    s->value = value;
    s->n_results = 1;
    s->results = arena_new(e->arena, VarId);
    s->results[0] = to;
    return s;
}

/* The extents as a list, or zeros. */
static Expr *list_of(Elab *e, const Type *t, bool extents)
{
    Expr *items[MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        items[i] = extents ? ex_dim(e->p, t->dims[i]) : ex_index(e->p, 0);
    return ex_list(e->p, items, t->rank);
}

static Expr *value_op(Elab *e, OpId op, FuncKind level, uint32_t n, Expr **slots)
{
    Expr *x = ex_alloc(e->arena, EX_OP);
    x->op = op;
    x->n_args = op_info(op)->n_slots;
    x->args = arena_new_n(e->arena, Expr *, x->n_args);
    for (uint32_t i = 0; i < n; i++)
        x->args[i] = slots[i];
    x->type = infer_op(e->p, x, level);
    return x;
}

bool elab_keep_value(Elab *e, Sym name, const Name *n)
{
    uint32_t at;
    Func *f = e->fn->f;
    Stmt *scope = n->scope;
    VarId value = n->var;
    const Type *t = func_var(f, value)->type;
    Block *b =
        t->kind == TY_TILE && t->value && !scope->nest->blocks ? block_of(e, scope, &at) : NULL;
    if (!b)
        return false;
    const Type *memory = type_shaped(e->tt, TY_TENSOR, t->dtype, t->rank, t->dims);
    Span where = n->where;
    Sym own = elab_fresh(e, internf(e->in, "%s_kept", name));
    VarId kept = elab_bind(e, own, memory, where, ALIAS_NONE);
    Expr *made[] = {list_of(e, t, true), ex_dtype(e->p, t->dtype)};
    Expr *stored[] = {ex_var(e->p, f, kept), list_of(e, t, false), ex_var(e->p, f, value)};
    avec_push(e->arena, &scope->nest->body,
              let(e, scope, kept, value_op(e, OP_TENSOR_ASSIGN, FN_INCORE, 3, stored)));
    insert(e, b, at, let(e, scope, kept, value_op(e, OP_TENSOR_CREATE, FN_ORCH, 2, made)));
    VarId outside = elab_bind(e, name, memory, where, ALIAS_NONE);
    insert(e, b, at + 2, let(e, scope, outside, ex_var(e->p, f, kept)));
    return true;
}
