/* `with`: scopes of InCore code in orchestration functions, and words around statements that change
 * no result. */
#include "elab/typed/with.h"
#include <ctype.h>
#include <string.h>

typedef struct {
    const char *name;  /* pl.at */
    const Ast *call;   /* NULL: the name alone */
    const Ast *target; /* of `as`, or NULL */
    Sym hint;          /* name_hint= */
    const Ast *deps;   /* deps=, or NULL */
    const Ast *blocks; /* of pl.spmd */
    bool level;        /* level= was given */
    bool sync_start;
    const Ast *predicate; /* of pl.spmd, or NULL */
    Expr *task;           /* that it is part of, or NULL */
    uint8_t how;          /* CALL_... */
    bool manual;          /* pl.scope(mode=pl.ScopeMode.MANUAL) */
    Span span;
} With;

static bool is_one_of(const char *name, const char *words)
{
    size_t n = strlen(name);
    for (const char *at = words; (at = strstr(at, name)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

static bool word_error(Elab *e, const AstKeyword *k, const char *want)
{
    elab_error(e, k->value->span, "type", "%s= is %s", k->name, want);
    return false;
}

static bool is_name(const char *s)
{
    if (!isalpha((unsigned char)*s) && *s != '_')
        return false;
    while (isalnum((unsigned char)*s) || *s == '_')
        s++;
    return !*s;
}

static bool name_hint(Elab *e, const AstKeyword *k, With *w)
{
    Val v = elab_eval(e, k->value);
    if (v.kind == V_BAD)
        return false;
    if (v.kind != V_STR || !is_name(v.s))
        return word_error(e, k, "a text that is a name, such as \"softmax\"");
    w->hint = v.s;
    return true;
}

static bool at_level(Elab *e, const AstKeyword *k, With *w)
{
    Sym d = elab_dotted(e, k->value);
    w->level = true;
    if (d && strcmp(d, "pl.Level.CORE_GROUP") == 0)
        return true;
    elab_error(e, k->value->span, "level",
               "%s is not supported: a scope is for one core group, level=pl.Level.CORE_GROUP",
               d ? d : "this level");
    return false;
}

/* optimizations=[pl.split(pl.SplitMode.UP_DOWN), pl.cross_core_slot(slot_num=2)] */
static bool optimizations(Elab *e, const AstKeyword *k)
{
    bool good = k->value->kind == AST_LIST;
    for (uint32_t i = 0; good && i < k->value->items.len; i++) {
        const Ast *a = k->value->items.at[i];
        Sym d = elab_dotted(e, a->kind == AST_CALL ? a->call.callee : a);
        good = d && is_one_of(d, "pl.split pl.cross_core_slot");
    }
    return good || word_error(e, k, "a literal list of pl.split(...) and pl.cross_core_slot(...)");
}

static bool mode(Elab *e, const AstKeyword *k, With *w)
{
    Sym d = elab_dotted(e, k->value);
    w->manual = d && strcmp(d, "pl.ScopeMode.MANUAL") == 0;
    return true;
}

static bool is_truth(const Ast *a)
{
    return a->kind == AST_TRUE || a->kind == AST_FALSE;
}

/* What dumps say of a scope. */
static bool ir_keyword(Elab *e, const AstKeyword *k, With *w)
{
    if (e->ir && strcmp(k->name, "manual") == 0) {
        w->how |= CALL_MANUAL;
        return true;
    }
    if (!e->ir || strcmp(k->name, "task") != 0)
        return false;
    Val v = elab_eval(e, k->value);
    w->task = elab_is_task(v) ? v.expr : NULL;
    return true;
}

static bool keyword(Elab *e, const AstKeyword *k, With *w)
{
    if (ir_keyword(e, k, w))
        return true;
    bool at = strcmp(w->name, "pl.at") == 0, spmd = strcmp(w->name, "pl.spmd") == 0;
    if (strcmp(k->name, "name_hint") == 0)
        return name_hint(e, k, w);
    if (at && strcmp(k->name, "level") == 0)
        return at_level(e, k, w);
    if ((at || spmd) && is_one_of(k->name, "optimizations allow_early_resolve"))
        elab_say_hint(e, k->span, arena_printf(e->arena, "%s=", k->name));
    if ((at || spmd) && strcmp(k->name, "optimizations") == 0)
        return optimizations(e, k);
    if ((at || spmd) && strcmp(k->name, "deps") == 0) {
        w->deps = k->value;
        return true;
    }
    if (spmd && strcmp(k->name, "core_num") == 0 && !w->blocks) {
        w->blocks = k->value;
        return true;
    }
    if (spmd && strcmp(k->name, "sync_start") == 0) {
        w->sync_start = k->value->kind == AST_TRUE;
        return is_truth(k->value) || word_error(e, k, "True or False");
    }
    if (spmd && strcmp(k->name, "predicate") == 0) {
        w->predicate = k->value;
        return true;
    }
    if ((at || spmd) && strcmp(k->name, "allow_early_resolve") == 0)
        return is_truth(k->value) || word_error(e, k, "True or False");
    if (at && is_one_of(k->name, "no_dep_args dumps windowize")) {
        elab_say_hint(e, k->span, arena_printf(e->arena, "%s=", k->name));
        return true;
    }
    if (!at && !spmd && is_one_of(k->name, "mode"))
        return mode(e, k, w);
    if (at && strcmp(k->name, "role") == 0)
        elab_error(e, k->span, "name",
                   "role= is not supported: one core does cube and vector work here: put the "
                   "statements into one pl.at scope");
    else
        elab_error(e, k->span, "name", "%s has no %s=", w->name, k->name);
    return false;
}

static bool header(Elab *e, const Ast *call, With *w)
{
    const AstList *args = &call->call.args;
    bool spmd = strcmp(w->name, "pl.spmd") == 0;
    if (!elab_plain_call(e, call))
        return false;
    if (args->len > (spmd ? 1u : 0u)) {
        elab_error(e, args->at[spmd]->span, "type",
                   spmd ? "pl.spmd takes the number of blocks" : "%s takes keywords only", w->name);
        return false;
    }
    w->blocks = args->len ? args->at[0] : NULL;
    for (uint32_t i = 0; i < call->call.keywords.len; i++)
        if (!keyword(e, &call->call.keywords.at[i], w))
            return false;
    if (spmd && !w->blocks) {
        elab_error(e, call->span, "type", "pl.spmd needs the number of blocks: pl.spmd(8)");
        return false;
    }
    if (strcmp(w->name, "pl.at") == 0 && !w->level) {
        elab_error(e, call->span, "type", "write pl.at(level=pl.Level.CORE_GROUP)");
        return false;
    }
    return true;
}

/* ---- the scope */

/* What is bound in a scope lives on the core; only memory is there after it. */
static void leave(Elab *e, uint32_t mark, Stmt *scope)
{
    Meanings changes = {0};
    paths_changes(&e->fn->paths, mark, &changes);
    for (uint32_t i = 0; i < changes.len; i++) {
        Name n = *e->fn->meanings.at[changes.at[i].value];
        if (n.state != NM_VAR || type_is_memory(func_var(e->fn->f, n.var)->type))
            continue;
        n.state = NM_SCOPE;
        n.path = scope->loc.span;
        n.scope = scope;
        elab_set_name(e, changes.at[i].name, n);
    }
    vec_free(&changes);
}

static Expr *block_count(Elab *e, const With *w)
{
    int64_t n;
    Expr *x = elab_int(e, elab_eval(e, w->blocks), w->blocks->span, "the number of blocks");
    if (x && expr_is_int(x, &n) && n < 1) {
        elab_error(e, w->blocks->span, "value", "pl.spmd runs at least one block, got %lld",
                   (long long)n);
        return NULL;
    }
    if (x && x->type->dtype != DT_INDEX)
        x = elab_widen(e, x, type_scalar(e->tt, DT_INDEX));
    return x;
}

static bool scope_level(Elab *e, const With *w)
{
    if (e->fn->level == FN_ORCH)
        return true;
    elab_error(e, w->span, "level",
               e->fn->level == FN_HOST
                   ? "%s stands in an orchestration function: a host function dispatches those"
                   : "%s inside of InCore code: its statements already run on a core, write them "
                     "without it",
               w->name);
    return false;
}

static void scope_body(Elab *e, Stmt *st, const Ast *index, const AstList *body)
{
    Fn *fn = e->fn;
    BlockFrame frame;
    Loop *loop = fn->loop;
    uint32_t mark = paths_mark(&fn->paths);
    fn->level = FN_INCORE;
    fn->loop = NULL;
    elab_open(e, &frame, BLOCK_SCOPE, &st->nest->body);
    if (index) {
        Stmt *let = elab_emit(e, ST_LET);
        let->loc.span = index->span;
        let->value = ex_op(e->p, OP_BLOCK_IDX, NULL, 0);
        let->value->span = index->span;
        let->n_results = 1;
        let->results = arena_new(e->arena, VarId);
        let->results[0] = elab_bind(e, index->name, let->value->type, index->span, ALIAS_NONE);
    }
    NameList before = {0};
    elab_param_views(e, body, &before);
    elab_block(e, body);
    elab_close(e, &frame);
    fn->loop = loop;
    fn->level = FN_ORCH;
    leave(e, mark, st);
    elab_end_views(e, &before);
}

static void find_use(void *env, Expr **x)
{
    bool *found = env;
    *found = *found || (*x)->kind == EX_CALL ||
             ((*x)->kind == EX_OP && ((*x)->op == OP_BLOCK_IDX || (*x)->op == OP_BLOCK_NUM));
}

static void find_use_in(void *env, Stmt *s)
{
    stmt_exprs(s, find_use, env);
}

static bool uses_blocks(const Block *b)
{
    bool found = false;
    block_walk((Block *)(uintptr_t)b, find_use_in, &found);
    return found;
}

/* A body that is one call of an InCore function: that is what runs as blocks. */
static bool is_one_call(Elab *e, const AstList *body)
{
    const Ast *s = body->len == 1 ? body->at[0] : NULL;
    const Ast *v = !s                          ? NULL
                   : s->kind == AST_ASSIGN     ? s->assign.value
                   : s->kind == AST_ANN_ASSIGN ? s->ann.value
                   : s->kind == AST_EXPR_STMT  ? s->value
                                               : NULL;
    const Ast *callee = v && v->kind == AST_CALL ? v->call.callee : NULL;
    if (!callee || elab_dotted(e, callee))
        return false;
    const FnDecl *d = callee->kind == AST_NAME   ? elab_decl(e, callee->name)
                      : callee->kind == AST_ATTR ? elab_decl(e, callee->attr.name)
                                                 : NULL;
    return d && d->kind == FN_INCORE && d->form == FORM_PLAIN;
}

/* The task of a scope, where it has to have one, in front of it. */
static bool make_task(Elab *e, With *w)
{
    if (w->target && w->target->kind != AST_NAME) {
        elab_error(e, w->target->span, "syntax", "a scope is bound to one name: as tid");
        return false;
    }
    w->how |= e->fn->manual ? CALL_MANUAL : 0;
    if (!w->task && (w->target || w->deps || w->how))
        w->task = elab_new_task(e, w->deps, w->target ? w->target->span : w->span);
    return w->task || !(w->target || w->deps);
}

static void task_result(Elab *e, const With *w)
{
    if (!w->target)
        return;
    Stmt *s = elab_emit(e, ST_LET);
    s->loc.span = w->target->span;
    s->value = w->task;
    s->n_results = 1;
    s->results = arena_new(e->arena, VarId);
    s->results[0] = elab_bind(e, w->target->name, w->task->type, w->target->span, ALIAS_NONE);
}

static void set_task(Elab *e, Stmt *st, const With *w)
{
    st->nest->how = w->how;
    st->values = arena_new(e->arena, Expr *);
    st->values[0] = w->task;
    st->n_values = w->task != NULL;
}

/* ---- deferred waits */

typedef struct {
    Elab *e;
    uint32_t n; /* pld.system.defer_wait */
    const Stmt *other;
} Deferred;

static bool is_scalar_code(const Expr *x)
{
    const Type *t = x->type;
    return x->kind != EX_CALL && t && (t->kind == TY_SCALAR || t->kind == TY_CTX);
}

static void look_at(void *env, Stmt *s)
{
    Deferred *d = env;
    bool defers = s->kind == ST_EXPR && s->value->kind == EX_OP && s->value->op == OP_DEFER_WAIT;
    d->n += defers;
    if (defers) {
        int64_t v;
        const Expr *expected = s->value->args[OPND(DEFER_WAIT, expected)];
        if (expr_is_int(expected, &v) && v < 0)
            elab_error(d->e, s->loc.span, "value", "expected= is from 0 to 2147483647, got %lld",
                       (long long)v);
    } else if (!d->other && (s->kind == ST_LET || s->kind == ST_EXPR) &&
               !is_scalar_code(s->value)) {
        d->other = s;
    }
}

/* A scope of pld.system.defer_wait holds nothing that a core would do, and its task is what others
 * wait for. */
static void check_deferred(Elab *e, Stmt *st, const With *w)
{
    Deferred d = {.e = e};
    block_walk(&st->nest->body, look_at, &d);
    if (!d.n)
        return;
    st->nest->how |= CALL_DEFERRED;
    if (d.other)
        elab_error(
            e, d.other->loc.span, "level",
            "a scope with pld.system.defer_wait holds scalar code, pl.read and nothing else: "
            "put this into a scope of its own, with deps=");
    else if (w->blocks)
        elab_error(e, w->span, "level", "pld.system.defer_wait is no work for blocks: write pl.at");
    else if (!st->n_values)
        elab_error(e, w->span, "syntax",
                   "a scope with pld.system.defer_wait is bound: with pl.at(...) as tid");
}

/* What the statement emitted since `from`, in an if of the predicate. */
static void guard(Elab *e, Expr *predicate, uint32_t from)
{
    Block *b = e->fn->block;
    Stmt *s = stmt_new(e->p, ST_IF, e->fn->loc);
    s->nest->cond = predicate;
    for (uint32_t i = from; i < b->len; i++)
        avec_push(e->arena, &s->nest->body, b->at[i]);
    b->len = from;
    avec_push(e->arena, b, s);
}

static void run_scope(Elab *e, const Ast *s, const With *w, Expr *blocks);

static void scope(Elab *e, const Ast *s, With *w)
{
    Expr *blocks = NULL, *predicate = NULL;
    if (!scope_level(e, w) || (w->blocks && !(blocks = block_count(e, w))))
        return;
    if (w->predicate && !(predicate = elab_condition(e, elab_eval(e, w->predicate),
                                                     w->predicate->span, "predicate=")))
        return;
    if (!make_task(e, w))
        return;
    uint32_t from = e->fn->block->len;
    run_scope(e, s, w, blocks);
    if (predicate)
        guard(e, predicate, from);
    task_result(e, w);
}

static void run_scope(Elab *e, const Ast *s, const With *w, Expr *blocks)
{
    if (blocks && is_one_call(e, &s->with.body)) {
        e->fn->blocks = blocks;
        e->fn->task = w->task;
        e->fn->sync_start = w->sync_start;
        elab_block(e, &s->with.body);
        e->fn->blocks = e->fn->task = NULL;
        return;
    }
    Stmt *st = elab_emit(e, ST_SCOPE);
    st->loc.span = w->span;
    st->nest->hint = w->hint;
    st->nest->blocks = blocks;
    st->nest->sync_start = w->sync_start;
    set_task(e, st, w);
    scope_body(e, st, NULL, &s->with.body);
    check_deferred(e, st, w);
    if (blocks && !diags_failed(e->diags) && !uses_blocks(&st->nest->body))
        elab_error(e, w->span, "value",
                   "the blocks of this pl.spmd all do the same: read pl.tile.get_block_idx(), "
                   "or write for i in pl.spmd(n)");
}

/* for i in pl.spmd(n): */
bool elab_spmd_for(Elab *e, const Ast *s)
{
    const Ast *iter = s->for_.iter;
    Sym d = iter->kind == AST_CALL ? elab_dotted(e, iter->call.callee) : NULL;
    if (!d || strcmp(d, "pl.spmd") != 0)
        return false;
    With w = {.name = d,
              .call = iter,
              .span = span_join((Span){s->span.begin, s->span.begin + 3}, iter->span)};
    Expr *blocks = NULL;
    if (!header(e, iter, &w) || !scope_level(e, &w) || !(blocks = block_count(e, &w)))
        return true;
    if (s->for_.target->kind != AST_NAME) {
        elab_error(e, s->for_.target->span, "syntax", "write for i in pl.spmd(n)");
        return true;
    }
    if (!make_task(e, &w))
        return true;
    Stmt *st = elab_emit(e, ST_SCOPE);
    st->loc.span = w.span;
    st->nest->hint = w.hint;
    st->nest->blocks = blocks;
    st->nest->sync_start = w.sync_start;
    set_task(e, st, &w);
    scope_body(e, st, s->for_.target, &s->for_.body);
    return true;
}

static void transparent(Elab *e, const Ast *s, const With *w)
{
    if (e->fn->level != FN_ORCH && strcmp(w->name, "pl.scope") != 0) {
        elab_error(e, w->span, "level", "%s stands in orchestration functions", w->name);
        return;
    }
    bool manual = strcmp(w->name, "pl.manual_scope") == 0 || w->manual;
    elab_say_hint(e, w->span, w->name);
    e->fn->manual += manual;
    elab_block(e, &s->with.body);
    e->fn->manual -= manual;
}

void elab_with(Elab *e, const Ast *s)
{
    const Ast *item = s->with.items.at[0];
    With w = {.call = item->kind == AST_CALL ? item : NULL, .target = s->with.targets.at[0]};
    w.name = elab_dotted(e, w.call ? w.call->call.callee : item);
    w.span = span_join((Span){s->span.begin, s->span.begin + 4}, item->span);
    if (w.name && strcmp(w.name, "pl.split_aiv") == 0) {
        elab_error(e, w.span, "syntax",
                   "pl.split_aiv is not supported: write the body once, without lanes");
        return;
    }
    if (!w.call || !w.name || s->with.items.len != 1 ||
        !is_one_of(w.name, "pl.at pl.spmd pl.manual_scope pl.scope pl.cluster")) {
        elab_error(e, w.span, "syntax",
                   "with stands before pl.at(level=pl.Level.CORE_GROUP), pl.spmd(n), "
                   "pl.manual_scope(), pl.scope() or pl.cluster(): else write the statements of "
                   "its body");
        return;
    }
    if (!header(e, w.call, &w))
        return;
    if (is_one_of(w.name, "pl.at pl.spmd"))
        scope(e, s, &w);
    else
        transparent(e, s, &w);
}
