/* Loops and the values they carry. */
#include "elab/typed/widen.h"
#include "elab/typed/with.h"
#include <string.h>

/* A `for` statement taken apart. */
typedef struct {
    LoopKind kind;
    const char *name; /* "pl.range" */
    const Ast *index; /* NAME */
    const Ast *iters; /* TUPLE of names, or NULL */
    Expr *lo, *hi, *step;
    Expr **init;
    uint32_t n_init;
} Head;

static bool loop_kind(Elab *e, const Ast *s, Head *h)
{
    const Ast *iter = s->for_.iter;
    Sym d = iter->kind == AST_CALL ? elab_dotted(e, iter->call.callee) : NULL;
    h->name = d;
    if (d && strcmp(d, "pl.range") == 0)
        h->kind = LOOP_RANGE;
    else if (d && strcmp(d, "pl.parallel") == 0)
        h->kind = LOOP_PARALLEL;
    else if (d && strcmp(d, "pl.pipeline") == 0)
        h->kind = LOOP_RANGE; /* stages change no result */
    else if (d && strcmp(d, "pl.unroll") == 0)
        h->kind = LOOP_UNROLL;
    else if (iter->kind == AST_CALL && iter->call.callee->kind == AST_NAME &&
             strcmp(iter->call.callee->name, "range") == 0) {
        h->kind = LOOP_RANGE;
        h->name = "range";
    } else {
        elab_error(e, iter->span, "syntax",
                   "a loop runs over pl.range(...), pl.parallel(...), pl.pipeline(...), "
                   "pl.unroll(...), or values "
                   "known at compile time");
        return false;
    }
    return true;
}

static bool loop_target(Elab *e, const Ast *t, Head *h)
{
    if (t->kind == AST_NAME) {
        h->index = t;
        return true;
    }
    bool pair = t->kind == AST_TUPLE && t->items.len == 2 && t->items.at[0]->kind == AST_NAME;
    if (pair && (t->items.at[1]->kind == AST_TUPLE || t->items.at[1]->kind == AST_LIST)) {
        h->index = t->items.at[0];
        h->iters = t->items.at[1];
        for (uint32_t i = 0; i < h->iters->items.len; i++)
            pair &= h->iters->items.at[i]->kind == AST_NAME;
        if (pair)
            return true;
    }
    elab_error(e, t->span, "syntax",
               "write `for i in ...` or `for i, (a, b) in ...` with init_values=(a0, b0)");
    return false;
}

static Expr *bound(Elab *e, const Ast *a, const Head *h, const char *what)
{
    int64_t known;
    Val v = elab_eval(e, a);
    if (h->kind == LOOP_UNROLL && v.kind == V_EXPR && elab_constant(e, v.expr, &known))
        v = val_int(known);
    if (h->kind == LOOP_UNROLL && v.kind != V_INT && v.kind != V_BAD) {
        elab_error(e, a->span, "type", "pl.unroll needs a compile-time %s, got %s: use pl.range",
                   what, val_describe(e, v));
        return NULL;
    }
    return elab_int(e, v, a->span, arena_printf(e->arena, "the %s of %s", what, h->name));
}

static bool loop_bounds(Elab *e, const Ast *call, Head *h)
{
    const AstList *a = &call->call.args;
    int64_t step;
    if (a->len < 1 || a->len > 3) {
        elab_error(e, call->span, "type", "%s takes ([start,] stop[, step]), got %u arguments",
                   h->name, a->len);
        return false;
    }
    h->lo = a->len > 1 ? bound(e, a->at[0], h, "start") : ex_index(e->p, 0);
    h->hi = bound(e, a->at[a->len > 1], h, "stop");
    h->step = a->len > 2 ? bound(e, a->at[2], h, "step") : ex_index(e->p, 1);
    if (!h->lo || !h->hi || !h->step)
        return false;
    if (expr_is_int(h->step, &step) && step == 0) {
        elab_error(e, a->at[2]->span, "value", "the step of %s is 0", h->name);
        return false;
    }
    return true;
}

static bool loop_init(Elab *e, const Ast *call, Head *h)
{
    const Ast *init = NULL;
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        const AstKeyword *k = &call->call.keywords.at[i];
        if (strcmp(k->name, "stage") == 0 && strcmp(h->name, "pl.pipeline") == 0) {
            elab_say_hint(e, k->span, "stage=");
            Val v = elab_eval(e, k->value);
            if (v.kind == V_INT && v.i >= 1)
                continue;
            if (v.kind != V_BAD)
                elab_error(e, k->value->span, "value",
                           "stage= is a compile-time integer from 1, got %s", val_describe(e, v));
            return false;
        }
        if (strcmp(k->name, "init_values") != 0) {
            elab_error(e, k->span, "name", "%s has no %s=; it takes init_values=", h->name,
                       k->name);
            return false;
        }
        init = k->value;
    }
    if (!init != !h->iters) {
        elab_error(e, init ? init->span : h->iters->span, "syntax",
                   init ? "init_values= needs names: for i, (a,) in %s(...)"
                        : "for i, (a,) in %s(...) needs init_values=",
                   h->name);
        return false;
    }
    if (!init)
        return true;
    const Val *items = NULL;
    Val v = elab_eval(e, init);
    uint32_t n = h->iters->items.len;
    if (!elab_unpack(e, h->iters, v, &items, n))
        return false;
    h->init = arena_new_n(e->arena, Expr *, n ? n : 1);
    h->n_init = n;
    for (uint32_t i = 0; i < n; i++)
        if (!(h->init[i] = elab_expr(e, items[i], DT_COUNT, init->span)) ||
            !(h->init[i] = elab_own_array(e, h->init[i], NULL)))
            return false;
    return true;
}

static bool loop_header(Elab *e, const Ast *s, Head *h)
{
    *h = (Head){0};
    if (!loop_kind(e, s, h) || !loop_target(e, s->for_.target, h) ||
        !elab_plain_call(e, s->for_.iter))
        return false;
    if (!loop_bounds(e, s->for_.iter, h)) {
        /* Reported; any bounds will do to find the mistakes of the body. */
        h->lo = ex_index(e->p, 0);
        h->hi = h->step = ex_index(e->p, 1);
    }
    return loop_init(e, s->for_.iter, h);
}

/* ---- entry */

/* What a value may be that starts as `from` and is carried on. */
static AliasNode joined(Elab *e, AliasNode from)
{
    AliasNode n = alias_join(&e->fn->memory);
    alias_flow(&e->fn->memory, n, from);
    return n;
}

static void enter(Elab *e, const Ast *s, Loop *loop)
{
    SymList names = {0};
    Map seen = {0};
    elab_collect_bound(e, &s->for_.body, &seen, &names);
    map_free(&seen);
    for (uint32_t i = 0; i < names.len; i++) {
        uint32_t id = elab_name_id(e, names.at[i]);
        Name n = *elab_name(e, id);
        if (n.state != NM_VAR && n.state != NM_CONST)
            continue;
        LoopEntry entry = {.id = id, .before = n, .carried = arena_new(e->arena, Carried)};
        entry.carried->outer = n.carried;
        if (n.memory)
            entry.memory = joined(e, n.memory);
        n.memory = entry.memory;
        n.carried = entry.carried;
        n.bounds = NULL;
        n.dim = NULL;
        n.literal = NULL;
        elab_set_name(e, id, n);
        map_set(&loop->carried, id, loop->entries.len);
        avec_push(e->arena, &loop->entries, entry);
    }
}

static VarId own_var(Elab *e, Sym name, const Type *type, Span span, AliasNode memory)
{
    VarId v = func_new_var(e->p, e->fn->f, name, type, span);
    elab_set_name(e, elab_name_id(e, name),
                  (Name){.state = NM_VAR, .var = v, .memory = memory, .where = span});
    return v;
}

static void bind_header(Elab *e, const Head *h, Stmt *st, Loop *loop)
{
    st->nest->loop = h->kind;
    st->nest->lo = h->lo;
    st->nest->hi = h->hi;
    st->nest->step = h->step;
    st->n_values = h->n_init;
    st->values = h->init;
    st->nest->iters = arena_new_n(e->arena, VarId, h->n_init ? h->n_init : 1);
    loop->iter_memory = arena_new_n(e->arena, AliasNode, h->n_init ? h->n_init : 1);
    for (uint32_t i = 0; i < h->n_init; i++) {
        AliasNode from = elab_memory_of(e, h->init[i]);
        loop->iter_memory[i] = from ? joined(e, from) : ALIAS_NONE;
    }
    st->nest->index = own_var(e, h->index->name, type_scalar(e->tt, DT_INDEX), h->index->span, 0);
    elab_name(e, elab_name_id(e, h->index->name))->bounds =
        elab_bounds_loop(e, h->lo, h->hi, h->step);
    for (uint32_t i = 0; i < h->n_init; i++) {
        const Ast *name = h->iters->items.at[i];
        bool neutral = elab_is_neutral(e, h->init[i]);
        st->nest->iters[i] =
            own_var(e, name->name, h->init[i]->type, name->span, loop->iter_memory[i]);
        func_var(e->fn->f, st->nest->iters[i])->neutral = neutral;
        func_var(e->fn->f, st->nest->iters[i])->array = elab_is_array(e, h->init[i]);
    }
}

static void end_yield(Elab *e, Loop *loop, const BlockFrame *frame, const Ast *s)
{
    Stmt *st = loop->stmt;
    if (frame->yield && st->n_values == 0)
        elab_error(e, frame->yield->loc.span, "syntax",
                   "this loop carries no values: for i, (a,) in pl.range(n, init_values=(a0,))");
    else if (frame->yield)
        elab_claim_yield(e, loop, frame->yield);
    else if (st->n_values && !frame->dead)
        elab_error(e, s->for_.iter->span, "syntax",
                   "a loop with init_values ends with name = pl.yield_(...) of %u value%s",
                   st->n_values, st->n_values == 1 ? "" : "s");
    if (!loop->yield)
        return;
    st->n_results = loop->yield->n_results;
    st->results = arena_new_n(e->arena, VarId, st->n_results);
    memcpy(st->results, loop->yield->results, st->n_results * sizeof *st->results);
}

/* ---- end */

/* A list, string or dtype has no run-time form: it is one in the whole loop. */
static void const_error(Elab *e, const LoopEntry *entry, const Name *end)
{
    Sym name = e->fn->name_syms.at[entry->id];
    if (end->state == NM_BAD)
        return;
    if (entry->before.val.kind == V_NONE && end->state == NM_VAR &&
        type_is_task(func_var(e->fn->f, end->var)->type)) {
        elab_error(
            e, end->where, "type",
            "%s is None at the start of the loop and a task when it starts again: begin with "
            "%s = pl.system.task_invalid()",
            name, name);
        return;
    }
    const char *now = end->state == NM_CONST ? val_text(e, end->val)
                      : end->state == NM_VAR ? "a run-time value"
                                             : "something else";
    elab_error(e, end->where, "type",
               "%s is %s at the start of the loop and %s when it starts again: a list, text or "
               "dtype does not change while a loop runs; keep numbers in names of their own",
               name, val_text(e, entry->before.val), now);
    diag_note(e->diags, entry->carried->where, "it is read here, before it is bound");
}

static void back_edge_error(Elab *e, const LoopEntry *entry, const Name *end)
{
    Sym name = e->fn->name_syms.at[entry->id];
    if (entry->before.state == NM_CONST) {
        const_error(e, entry, end);
        return;
    }
    const Type *before = func_var(e->fn->f, entry->before.var)->type;
    if (end->state == NM_BAD)
        return;
    if (end->state == NM_VAR) {
        const char *was = type_text(e->arena, before),
                   *is = type_text(e->arena, func_var(e->fn->f, end->var)->type);
        /* Memory and a value of its extents look alike. */
        bool alike = strcmp(was, is) == 0;
        elab_error(e, end->where, "type",
                   "%s is %s%s at the start of the loop and %s%s when it starts again%s", name,
                   alike ? "memory, " : "", was, alike ? "a value, " : "", is,
                   alike ? ": begin with a value, pl.add(..., 0), say" : "");
    } else
        elab_error(
            e, end->where, "type",
            "%s is %s at the start of the loop and may be something else when it starts again",
            name, type_text(e->arena, before));
    diag_note(e->diags, entry->carried->where, "it is read here, before it is bound");
}

static bool same_at_back_edge(Elab *e, const LoopEntry *entry, const Name *end, bool can_widen)
{
    if (entry->before.state == NM_CONST)
        return !entry->carried->read ||
               (end->state == NM_CONST && val_equal(end->val, entry->before.val));
    if (end->state == NM_VAR && end->var == entry->before.var) {
        alias_flow(&e->fn->memory, entry->memory, end->memory);
        return true;
    }
    if (!entry->carried->read)
        return true;
    if (end->state != NM_VAR)
        return false;
    const Type *a = func_var(e->fn->f, entry->before.var)->type,
               *b = func_var(e->fn->f, end->var)->type;
    return can_widen && (a == b || (a->kind == TY_SCALAR && b->kind == TY_SCALAR &&
                                    a->dtype == DT_INDEX && b->dtype == DT_INT32));
}

/* Integers of two dtypes, one of which holds the other, are of that one in the whole loop. */
static bool unify(Elab *e, const Loop *loop, const LoopEntry *entry, const Name *end)
{
    if (end->state != NM_VAR || entry->before.state != NM_VAR)
        return false;
    const Type *a = func_var(e->fn->f, entry->before.var)->type,
               *b = func_var(e->fn->f, end->var)->type;
    if (!type_is_int_scalar(a) || !type_is_int_scalar(b))
        return false;
    Dtype to = dtype_max(a->dtype) >= dtype_max(b->dtype) ? a->dtype : b->dtype;
    if (dtype_min(to) > dtype_min(a->dtype) || dtype_min(to) > dtype_min(b->dtype))
        return false;
    return elab_note_widening(e, loop, e->fn->name_syms.at[entry->id], to);
}

/* A name that starts an iteration with the value of the one before must keep its type. */
static void check_back_edge(Elab *e, const Loop *loop, const Meanings *path, bool can_widen)
{
    uint64_t i;
    for (uint32_t k = 0; k < path->len; k++) {
        const Name *n = e->fn->meanings.at[path->at[k].value];
        if (map_get(&loop->carried, path->at[k].name, &i) &&
            !same_at_back_edge(e, &loop->entries.at[i], n, can_widen) &&
            !unify(e, loop, &loop->entries.at[i], n))
            back_edge_error(e, &loop->entries.at[i], n);
    }
}

/* A name that is only rebound has one type after the loop too. */
static void unify_unread(Elab *e, const Loop *loop, const Meanings *path)
{
    uint64_t i;
    for (uint32_t k = 0; k < path->len; k++) {
        const Name *n = e->fn->meanings.at[path->at[k].value];
        const LoopEntry *entry =
            map_get(&loop->carried, path->at[k].name, &i) ? &loop->entries.at[i] : NULL;
        if (entry && entry->before.state == NM_VAR && !entry->carried->read && n->state == NM_VAR &&
            n->var != entry->before.var &&
            func_var(e->fn->f, entry->before.var)->type->dtype != DT_INDEX)
            unify(e, loop, entry, n);
    }
}

/* After the loop a name has the value of before it, of its end, or of where it was left. */
static void join_exits(Elab *e, const Loop *loop, const Meanings *end, Span at)
{
    Path entry = {0}, exit = {0};
    if (end) {
        exit.changes = *end;
        exit.block = &loop->stmt->nest->body;
        elab_join(e, &entry, &exit, at, true);
    }
    exit.block = NULL;
    for (uint32_t i = 0; i < loop->continues.len; i++) {
        exit.changes = loop->continues.at[i];
        elab_join(e, &entry, &exit, at, true);
    }
    for (uint32_t i = 0; i < loop->breaks.len; i++) {
        exit.changes = loop->breaks.at[i];
        elab_join(e, &entry, &exit, at, true);
    }
}

static void bind_results(Elab *e, const Loop *loop)
{
    const Stmt *st = loop->stmt;
    for (uint32_t i = 0; i < st->n_results && i < st->n_values; i++) {
        const Var *v = func_var(e->fn->f, st->results[i]);
        Name n = {.state = NM_VAR,
                  .var = st->results[i],
                  .memory = loop->iter_memory[i],
                  .where = v->span};
        elab_set_name(e, elab_name_id(e, v->base), n);
    }
}

static void recover(Elab *e, const Ast *s)
{
    /* The header was no good: what the body binds is unknown, so that nothing is said about it. */
    SymList names = {0};
    Map seen = {0};
    AstList one = {.at = (Ast **)(uintptr_t)&s, .len = 1};
    elab_collect_bound(e, &one, &seen, &names);
    map_free(&seen);
    for (uint32_t i = 0; i < names.len; i++)
        elab_bind_bad(e, names.at[i], s->span);
}

void elab_for(Elab *e, const Ast *s)
{
    Head h;
    Span head = span_join((Span){s->span.begin, s->span.begin + 3}, s->for_.iter->span);
    if (s->for_.otherwise.len)
        elab_error(e, s->for_.otherwise.at[0]->span, "syntax",
                   "a loop has no else: write the statements after the loop");
    if (elab_while_call(e, s) || elab_spmd_for(e, s) || elab_unrolled(e, s))
        return;
    if (!loop_header(e, s, &h)) {
        recover(e, s);
        return;
    }
    elab_widen_entries(e, s);
    Stmt *st = elab_emit(e, ST_FOR);
    st->loc.span = head;
    Loop loop = {.outer = e->fn->loop,
                 .stmt = st,
                 .place = s->span,
                 .mark = paths_mark(&e->fn->paths),
                 .noted = paths_mark(&e->fn->paths),
                 .unroll = h.kind == LOOP_UNROLL};
    BlockFrame frame;
    enter(e, s, &loop);
    bind_header(e, &h, st, &loop);
    e->fn->loop = &loop;
    elab_open(e, &frame, BLOCK_LOOP, &st->nest->body);
    elab_block(e, &s->for_.body);
    end_yield(e, &loop, &frame, s);
    elab_close(e, &frame);
    e->fn->loop = loop.outer;
    Meanings end = {0};
    paths_changes(&e->fn->paths, loop.mark, &end);
    if (!frame.dead)
        check_back_edge(e, &loop, &end, !frame.yield);
    for (uint32_t i = 0; i < loop.continues.len; i++)
        check_back_edge(e, &loop, &loop.continues.at[i], false);
    if (!frame.dead)
        unify_unread(e, &loop, &end);
    for (uint32_t i = 0; i < loop.continues.len; i++)
        unify_unread(e, &loop, &loop.continues.at[i]);
    for (uint32_t i = 0; i < loop.breaks.len; i++)
        unify_unread(e, &loop, &loop.breaks.at[i]);
    paths_back(&e->fn->paths, loop.mark);
    elab_forget_index(&loop, &end, elab_name_id(e, h.index->name));
    join_exits(e, &loop, frame.dead ? NULL : &end, head);
    bind_results(e, &loop);
    elab_forget_widened(e, &loop);
    vec_free(&end);
    map_free(&loop.carried);
    map_free(&loop.left);
    elab_set_name(e, elab_name_id(e, h.index->name),
                  (Name){.state = NM_LOOP, .where = h.index->span});
}
