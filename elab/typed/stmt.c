/* Statements of function bodies, but for assignments and loops. */
#include "elab/typed/with.h"
#include <string.h>

void elab_open(Elab *e, BlockFrame *frame, BlockKind kind, Block *block)
{
    *frame = (BlockFrame){.outer = e->fn->frame, .kind = kind, .block = block};
    e->fn->frame = frame;
    e->fn->block = block;
}

void elab_close(Elab *e, BlockFrame *frame)
{
    e->fn->frame = frame->outer;
    e->fn->block = frame->outer ? frame->outer->block : NULL;
}

Stmt *elab_emit(Elab *e, StmtKind kind)
{
    Stmt *s = stmt_new(e->p, kind, e->fn->loc);
    avec_push_long(e->arena, e->fn->block, s);
    return s;
}

/* ---- if */

static void known_if(Elab *e, const Ast *s, bool taken)
{
    bool was_dead = e->fn->frame->dead;
    elab_block(e, taken ? &s->if_.then : &s->if_.otherwise);
    if (!was_dead && e->fn->frame->dead)
        e->fn->frame->quiet = true;
}

bool elab_claim_yields(Elab *e, Stmt *s, const BlockFrame *then, const BlockFrame *otherwise)
{
    const Stmt *a = then->dead ? NULL : then->yield, *b = otherwise->dead ? NULL : otherwise->yield;
    if (!a && !b)
        return true;
    if ((!a && !then->dead) || (!b && !otherwise->dead)) {
        elab_error(e, (a ? a : b)->loc.span, "syntax",
                   "pl.yield_ ends both arms of an if, or neither: the other arm has none");
        return false;
    }
    const Stmt *one = a ? a : b;
    bool same = !a || !b || a->n_results == b->n_results;
    for (uint32_t i = 0; same && a && b && i < a->n_results; i++)
        same = a->results[i] == b->results[i];
    if (!same) {
        elab_error(e, b->loc.span, "type", "the two arms yield different names or types");
        diag_note(e->diags, a->loc.span, "the other pl.yield_ is here");
        return false;
    }
    s->n_results = one->n_results;
    s->results = arena_new_n(e->arena, VarId, one->n_results);
    memcpy(s->results, one->results, one->n_results * sizeof *one->results);
    return true;
}

static void run_arm(Elab *e, const AstList *body, Block *block, BlockFrame *frame, Path *path)
{
    uint32_t mark = paths_mark(&e->fn->paths);
    elab_open(e, frame, BLOCK_ARM, block);
    elab_block(e, body);
    elab_close(e, frame);
    paths_changes(&e->fn->paths, mark, &path->changes);
    path->dead = frame->dead;
    path->block = block;
    paths_back(&e->fn->paths, mark);
    if (e->fn->loop && e->fn->loop->noted > mark)
        e->fn->loop->noted = mark;
}

static void run_time_if(Elab *e, const Ast *s, Expr *cond)
{
    Stmt *st = elab_emit(e, ST_IF);
    BlockFrame then = {0}, otherwise = {0};
    Path a = {0}, b = {0};
    Span head = span_join((Span){s->span.begin, s->span.begin + 2}, s->if_.cond->span);
    st->nest->cond = cond;
    st->loc.span = head;
    run_arm(e, &s->if_.then, &st->nest->body, &then, &a);
    run_arm(e, &s->if_.otherwise, &st->nest->otherwise, &otherwise, &b);
    elab_claim_yields(e, st, &then, &otherwise);
    elab_join(e, &a, &b, head, false);
    vec_free(&a.changes);
    vec_free(&b.changes);
    if (a.dead && b.dead) {
        e->fn->frame->dead = true;
        e->fn->frame->quiet |= then.quiet || otherwise.quiet;
    }
}

Expr *elab_if_condition(Elab *e, const Ast *s, bool *known, bool *taken)
{
    int64_t value;
    Val c = elab_eval(e, s->if_.cond);
    if (c.kind == V_EXPR && elab_constant(e, c.expr, &value))
        c = val_bool(value != 0);
    *known = val_known(c) && c.kind != V_BAD && c.kind != V_DIM;
    if (*known) {
        *taken = val_truth(c);
        return NULL;
    }
    Expr *cond = elab_condition(e, c, s->if_.cond->span, "if");
    bool skip = !cond && c.kind != V_BAD && !diags_failed(e->diags);
    return cond || skip ? cond : ex_bool(e->p, true);
}

static void branch(Elab *e, const Ast *s)
{
    bool known, taken;
    Expr *cond = elab_if_condition(e, s, &known, &taken);
    if (known)
        known_if(e, s, taken);
    else if (cond)
        run_time_if(e, s, cond);
}

/* ---- the rest */

/* What names are where a loop is left early. One that was unbound before the loop may be unbound
 * after it however it is left: noting that once is enough. */
static Meanings leaving(Elab *e, Loop *loop)
{
    const Paths *p = &e->fn->paths;
    Meanings kept = {0};
    for (uint32_t i = 0; i < loop->entries.len; i++) {
        uint32_t id = loop->entries.at[i].id;
        avec_push(e->arena, &kept, (Meaning){id, paths_now(p, id)});
    }
    for (uint32_t i = loop->noted; i < p->trail.len; i++) {
        uint32_t id = p->trail.at[i].name;
        if (map_get(&loop->carried, id, NULL) || map_get(&loop->left, id, NULL))
            continue;
        map_set(&loop->left, id, 1);
        avec_push(e->arena, &kept, (Meaning){id, paths_now(p, id)});
    }
    loop->noted = paths_mark(p);
    return kept;
}

static void jump(Elab *e, const Ast *s)
{
    Fn *fn = e->fn;
    bool is_break = s->kind == AST_BREAK;
    if (!fn->loop) {
        elab_error(e, s->span, "syntax", "%s outside a loop", is_break ? "break" : "continue");
        return;
    }
    if (fn->loop->unroll) {
        elab_error(e, s->span, "syntax", "pl.unroll has no %s: use pl.range",
                   is_break ? "break" : "continue");
        return;
    }
    Stmt *yield = fn->frame->yield;
    Stmt *loop = fn->loop->stmt;
    if (loop->n_values && !yield) {
        elab_error(e, s->span, "syntax",
                   "a loop with init_values needs name = pl.yield_(...) before its %s",
                   is_break ? "break" : "continue");
        return;
    }
    if (yield)
        elab_claim_yield(e, fn->loop, yield);
    fn->frame->yield = NULL;
    elab_emit(e, is_break ? ST_BREAK : ST_CONTINUE);
    Meanings c = leaving(e, fn->loop);
    if (is_break)
        avec_push(e->arena, &fn->loop->breaks, c);
    else
        avec_push(e->arena, &fn->loop->continues, c);
    fn->frame->dead = true;
}

static void do_raise(Elab *e, const Ast *s)
{
    for (const BlockFrame *f = e->fn->frame; f; f = f->outer) {
        if (f->kind == BLOCK_FUNCTION)
            break;
        elab_error(e, s->span, "syntax",
                   "raise stands under compile-time conditions only: a device has no exceptions");
        return;
    }
    elab_raise(e, s);
    e->fn->frame->dead = e->fn->frame->quiet = true;
}

static void unavailable(Elab *e, const Ast *s)
{
    static const char *const instead[AST_COUNT] = {
        [AST_TRY] = "there is no try: a device has no exceptions",
        [AST_DELETE] = "there is no del: names end with their function",
        [AST_GLOBAL] = "there are no global variables: pass values as parameters",
        [AST_IMPORT] = "imports stand at the top of the file",
        [AST_DEF] = "functions do not nest: make it a kernel of the class",
        [AST_CLASS] = "a function holds no class"};
    Span span = s->span;
    if (s->kind == AST_DEF)
        span = s->def.name_span;
    else if (s->kind == AST_TRY)
        span.end = span.begin + (uint32_t)strlen(ast_kind_name(s->kind));
    elab_error(e, span, "syntax", "%s",
               instead[s->kind] ? instead[s->kind] : "this statement cannot stand in a kernel");
}

/* pld.loc("file.pld", line, col): where the statements that follow are from. */
static bool set_location(Elab *e, const Ast *s)
{
    Sym d = s->value->kind == AST_CALL ? elab_dotted(e, s->value->call.callee) : NULL;
    if (!e->ir || !d || strcmp(d, "pld.loc") != 0)
        return false;
    elab_place(e, s->value, &e->fn->far);
    return true;
}

/* A line that was no statement: what it was to bind or do is not known, nor what follows from it.
 */
static void bad_line(Elab *e)
{
    e->fn->frame->dead = e->fn->frame->quiet = true;
}

static void statement(Elab *e, const Ast *s)
{
    e->fn->loc = e->fn->far;
    e->fn->loc.span = s->span;
    elab_mark_site(e, s);
    switch (s->kind) {
    case AST_ASSIGN: elab_assign(e, s); break;
    case AST_ANN_ASSIGN: elab_ann_assign(e, s); break;
    case AST_AUG_ASSIGN: elab_aug_assign(e, s); break;
    case AST_EXPR_STMT:
        if (!set_location(e, s) && !elab_is_bind_dynamic(s))
            elab_expr_stmt(e, s);
        break;
    case AST_IF: branch(e, s); break;
    case AST_FOR: elab_for(e, s); break;
    case AST_WHILE: elab_while(e, s); break;
    case AST_WITH: elab_with(e, s); break;
    case AST_RETURN: elab_return(e, s); break;
    case AST_BREAK:
    case AST_CONTINUE: jump(e, s); break;
    case AST_RAISE: do_raise(e, s); break;
    case AST_ASSERT: elab_assert(e, s); break;
    case AST_PASS: break;
    case AST_ERROR: bad_line(e); break;
    default: unavailable(e, s);
    }
}

void elab_statements(Elab *e, const AstList *body, uint32_t from, const Rest *rest)
{
    BlockFrame *f = e->fn->frame;
    for (uint32_t i = from; i < body->len; i++) {
        const Ast *s = body->at[i];
        if (f->dead) {
            if (!f->quiet && s->kind != AST_PASS)
                diag_warn(e->diags, s->span, WARN_UNREACHABLE, "this statement can never run");
            return;
        }
        if (f->yield && s->kind != AST_BREAK && s->kind != AST_CONTINUE && s->kind != AST_PASS) {
            elab_error(e, f->yield->loc.span, "syntax",
                       "pl.yield_ must be the last statement of its block");
            diag_note(e->diags, s->span, "this statement follows it");
            f->yield = NULL;
        }
        if (f->tail && elab_returns(s)) {
            elab_return_if(e, s, &(Rest){body, i + 1, rest});
            return;
        }
        statement(e, s);
        if (f->returned)
            return;
    }
    if (rest && !f->dead)
        elab_statements(e, rest->list, rest->from, rest->then);
}

void elab_block(Elab *e, const AstList *body)
{
    elab_statements(e, body, 0, NULL);
}
