/* Returns. One stands at the end of the function; those in the arms of an if are values that the
 * arms yield, and what follows the if moves into the arms that go on. */
#include "elab/typed/typed.h"
#include <string.h>

enum { MAX_COPIES = 64 }; /* of statements behind branches that return on one of their paths */

static bool any_returns(const AstList *list)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (list->at[i]->kind == AST_RETURN || elab_returns(list->at[i]))
            return true;
    return false;
}

bool elab_returns(const Ast *s)
{
    return s->kind == AST_IF && (any_returns(&s->if_.then) || any_returns(&s->if_.otherwise));
}

/* The values of a return statement as expressions; false after a mistake. */
static bool return_items(Elab *e, const Ast *value, Val v, Stmt *st)
{
    bool tuple = v.kind == V_TUPLE || v.kind == V_LIST;
    uint32_t n = tuple ? v.n : 1;
    const Type *declared = e->fn->declared_result;
    st->values = arena_new_n(e->arena, Expr *, n ? n : 1);
    st->n_values = n;
    for (uint32_t i = 0; i < n; i++) {
        Val item = tuple ? v.items[i] : v;
        Span span = tuple && value->kind == AST_TUPLE ? value->items.at[i]->span : value->span;
        const Type *want = declared && declared->kind == TY_TUPLE && i < declared->n_elems
                               ? declared->elems[i]
                               : declared;
        Dtype hint = want && want->kind == TY_SCALAR ? want->dtype : DT_COUNT;
        st->values[i] = elab_expr(e, item, val_known(item) ? hint : DT_COUNT, span);
        if (!st->values[i])
            return false;
        if (want && want->kind == TY_SCALAR) {
            Expr *wide = elab_widen(e, st->values[i], want);
            st->values[i] = wide ? wide : st->values[i];
        }
        if (!st->values[i]->span.end)
            st->values[i]->span = span;
    }
    return true;
}

/* Whose memory the results are. */
static bool note_aliases(Elab *e, const Stmt *st)
{
    for (uint32_t i = 0; i < st->n_values; i++) {
        int32_t alias = elab_result_alias(e, st->values[i], (ResultPlace){i, st->n_values});
        if (alias == -2)
            return false;
        avec_push(e->arena, &e->fn->f->alias, alias);
    }
    return true;
}

/* Several results of a call that are returned at once get names first. */
static Val name_results(Elab *e, Expr *call)
{
    const Type *t = call->type;
    Stmt *s = elab_emit(e, ST_LET);
    Val *items = arena_new_n(e->arena, Val, t->n_elems);
    AliasNode *memory = elab_result_memory(e, call, t->n_elems);
    s->value = call;
    s->n_results = t->n_elems;
    s->results = arena_new_n(e->arena, VarId, t->n_elems);
    for (uint32_t i = 0; i < t->n_elems; i++) {
        Sym name = elab_fresh(e, call->callee->name);
        s->results[i] = elab_bind(e, name, t->elems[i], call->span, memory[i]);
        items[i] = val_expr(ex_var(e->p, e->fn->f, s->results[i]));
        items[i].expr->span = call->span;
    }
    return val_items(e, V_TUPLE, items, t->n_elems);
}

Sym elab_fresh(Elab *e, Sym base)
{
    Sym name = base;
    uint64_t i = 0;
    if (map_get_ptr(&e->fn->fresh, base, &i)) /* those before it are taken */
        name = internf(e->in, "%s_r%llu", base, (unsigned long long)++i);
    while (map_get_ptr(&e->fn->locals, name, NULL) || elab_decl(e, name))
        name = internf(e->in, "%s_r%llu", base, (unsigned long long)++i);
    map_set_ptr(&e->fn->locals, name, 1);
    map_set_ptr(&e->fn->fresh, base, i);
    return name;
}

/* What a return statement gives, in `st`; false after a mistake. */
static bool evaluate(Elab *e, const Ast *s, Stmt *st)
{
    if (!s->value)
        return true;
    Val v = elab_eval(e, s->value);
    if (v.kind == V_EXPR && v.expr->type && v.expr->type->kind == TY_TUPLE)
        v = name_results(e, v.expr);
    if (v.kind == V_EXPR && v.expr->type && v.expr->type->kind == TY_NONE) {
        /* As in Python, `return f()` of an f without result calls it and returns nothing. */
        elab_emit(e, ST_EXPR)->value = v.expr;
        v = val_none;
    }
    return v.kind != V_BAD && (v.kind == V_NONE || return_items(e, s->value, v, st));
}

/* ---- in the arms of an if */

/* The names that the results of the function have before it returns them; one set a function. */
static bool name_of_results(Elab *e, uint32_t n, Span span)
{
    Fn *fn = e->fn;
    if (fn->has_results && fn->results.len != n) {
        elab_error(e, span, "type", "this returns %u values, another return of %s has %u", n,
                   fn->f->name, fn->results.len);
        return false;
    }
    for (uint32_t i = 0; i < n && !fn->has_results; i++)
        avec_push(e->arena, &fn->results, elab_fresh(e, intern(e->in, "result")));
    fn->has_results = true;
    return true;
}

/* Yields the values under the names of the results. */
static void hand_on(Elab *e, Stmt *st)
{
    Fn *fn = e->fn;
    AliasNode *memory = arena_new_n(e->arena, AliasNode, st->n_values + 1);
    for (uint32_t i = 0; i < st->n_values; i++)
        memory[i] = elab_memory_of(e, st->values[i]);
    st->kind = ST_YIELD;
    st->n_results = st->n_values;
    st->results = arena_new_n(e->arena, VarId, st->n_values + 1);
    for (uint32_t i = 0; i < st->n_values; i++) {
        const Type *t = st->values[i]->type;
        VarId first = i < fn->result_vars.len ? fn->result_vars.at[i] : VAR_NONE;
        const Type *want = first != VAR_NONE ? func_var(fn->f, first)->type : t;
        Expr *wide = t == want ? st->values[i] : elab_widen(e, st->values[i], want);
        if (!wide) {
            elab_error(e, st->values[i]->span, "type", "this return gives %s, another one %s",
                       type_text(e->arena, t), type_text(e->arena, want));
            wide = ex_var(e->p, fn->f, first);
        }
        st->values[i] = wide;
        st->results[i] = elab_bind(e, fn->results.at[i], want, st->values[i]->span, memory[i]);
        if (first == VAR_NONE)
            avec_push(e->arena, &fn->result_vars, st->results[i]);
    }
    if (st->n_values) {
        avec_push(e->arena, fn->block, st);
        fn->frame->yield = st;
    }
    fn->frame->returned = true;
}

void elab_return(Elab *e, const Ast *s)
{
    Fn *fn = e->fn;
    Stmt *st = stmt_new(e->p, ST_RETURN, fn->loc);
    if (!fn->frame->tail) {
        elab_error(
            e, s->span, "syntax",
            "return stands at the end of a function or in the arms of an if there: bind the value "
            "in the %s and return it after",
            fn->loop ? "loop" : "branch");
        return;
    }
    if (fn->frame->kind == BLOCK_FUNCTION) {
        fn->frame->dead = true;
        if (evaluate(e, s, st) && note_aliases(e, st))
            avec_push(e->arena, fn->block, st);
        return;
    }
    if (evaluate(e, s, st) && name_of_results(e, st->n_values, s->span))
        hand_on(e, st);
    fn->frame->returned = true;
}

static void run_arm(Elab *e, const AstList *body, Block *block, const Rest *rest, BlockFrame *frame,
                    Path *path)
{
    uint32_t mark = paths_mark(&e->fn->paths);
    elab_open(e, frame, BLOCK_ARM, block);
    frame->tail = true;
    elab_statements(e, body, 0, rest);
    elab_close(e, frame);
    paths_changes(&e->fn->paths, mark, &path->changes);
    path->dead = frame->dead;
    path->block = block;
    paths_back(&e->fn->paths, mark);
}

/* After the if that returned: the values are those of the function, or of the arm around it. */
static void return_results(Elab *e, const Ast *s)
{
    Fn *fn = e->fn;
    Stmt *st = stmt_new(e->p, ST_RETURN, fn->loc);
    st->n_values = fn->results.len;
    st->values = arena_new_n(e->arena, Expr *, st->n_values + 1);
    for (uint32_t i = 0; i < st->n_values; i++) {
        bool found;
        Val v = elab_local(e, fn->results.at[i], s->if_.cond->span, &found);
        if (v.kind != V_EXPR)
            return;
        st->values[i] = v.expr;
        v.expr->span = s->if_.cond->span;
    }
    if (fn->frame->kind != BLOCK_FUNCTION) {
        hand_on(e, st);
        return;
    }
    fn->frame->dead = fn->frame->quiet = true;
    if (st->n_values && note_aliases(e, st))
        avec_push(e->arena, fn->block, st);
}

static bool too_many(Elab *e, const Ast *s)
{
    if (++e->fn->copies <= MAX_COPIES)
        return false;
    elab_error(e, s->span, "syntax",
               "the branches of %s return in too many places: bind the value and return it once",
               e->fn->f->name);
    return true;
}

void elab_return_if(Elab *e, const Ast *s, const Rest *rest)
{
    Fn *fn = e->fn;
    BlockFrame then = {0}, otherwise = {0};
    Path a = {0}, b = {0};
    bool known, taken;
    if (too_many(e, s))
        return;
    fn->loc = fn->far;
    fn->loc.span = s->span;
    elab_mark_site(e, s);
    Expr *cond = elab_if_condition(e, s, &known, &taken);
    if (known) {
        elab_statements(e, taken ? &s->if_.then : &s->if_.otherwise, 0, rest);
        return;
    }
    if (!cond)
        return;
    if (fn->frame->unrolled) {
        elab_error(e, s->span, "syntax",
                   "a loop over compile-time values returns on conditions that are known when it "
                   "is compiled: bind the value in the loop and return it after");
        return;
    }
    Span head = span_join((Span){s->span.begin, s->span.begin + 2}, s->if_.cond->span);
    Stmt *st = elab_emit(e, ST_IF);
    st->nest->cond = cond;
    st->loc.span = head;
    run_arm(e, &s->if_.then, &st->nest->body, rest, &then, &a);
    run_arm(e, &s->if_.otherwise, &st->nest->otherwise, rest, &otherwise, &b);
    bool falls = (!then.returned && !then.dead) || (!otherwise.returned && !otherwise.dead);
    if (falls && fn->results.len) {
        elab_error(e, head, "type", "%s returns a value on one path and none on another",
                   fn->f->name);
        return;
    }
    elab_claim_yields(e, st, &then, &otherwise);
    elab_join(e, &a, &b, head, false);
    vec_free(&a.changes);
    vec_free(&b.changes);
    return_results(e, s);
}
