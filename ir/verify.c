/* Structure and types. One walk in program order keeps the set of names bound so far: a binding
 * made in a loop body or a branch is undone when the walk leaves it, except for what all branches
 * bind (below SSA) or what the yields hand out. */
#include "ir/verify.h"
#include "ir/build.h"
#include "ir/verify_types.h"
#include <string.h>

const char *property_name(Property property)
{
    static const char *const names[] = {
        "typed",    "inlined", "ssa",           "flat",
        "tiles",    "signals", "no_composites", "no_host_collectives",
        "staged",   "windows", "fenced",        "placed",
        "outlined", "kinds"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (property == (Property)(1u << i))
            return names[i];
    return "unknown";
}

/* The loop around the statement at hand, for yields, break and continue. */
typedef struct VerifyLoop {
    const Stmt *stmt;
    const struct VerifyLoop *outer;
} VerifyLoop;

typedef struct {
    IrVerify v;
    bool ssa;
    uint8_t *bound;   /* per variable: visible here */
    uint8_t *ever;    /* per variable: bound somewhere (SSA) */
    VEC(VarId) trail; /* variables in order of becoming visible */
} VerifyWalk;

static void walk_block(VerifyWalk *w, const Block *b, const VerifyLoop *loop, const Stmt *owner);

static void bind(VerifyWalk *w, const Stmt *s, VarId var)
{
    if (var >= w->v.f->vars.len) {
        verify_fail(&w->v, s, "a binding of variable %u, which does not exist", var);
        return;
    }
    const Var *info = func_var(w->v.f, var);
    if (!info->type)
        verify_fail(&w->v, s, "variable %s has no type", info->base);
    if (w->ssa && w->ever[var])
        verify_fail(&w->v, s, "variable %s is bound twice", info->base);
    w->ever[var] = 1;
    if (!w->bound[var]) {
        w->bound[var] = 1;
        vec_push(&w->trail, var);
    }
}

static void check_expr(VerifyWalk *w, const Stmt *s, Expr *e, bool top);

static void unwind(VerifyWalk *w, uint32_t mark)
{
    while (w->trail.len > mark)
        w->bound[vec_pop(&w->trail)] = 0;
}

/* The names that a reduction binds are seen by what follows their range, and by its value. */
static void check_operands(VerifyWalk *w, const Stmt *s, Expr *e)
{
    bool binds = e->kind == EX_ELEMENT && e->vars;
    for (uint32_t i = binds ? 1 : 0; i < e->n_args; i++) {
        if (binds && i % 4 == 0)
            bind(w, s, e->vars[i / 4 - 1]);
        check_expr(w, s, e->args[i], false);
    }
    if (binds && e->n_args)
        check_expr(w, s, e->args[0], false);
}

static void check_expr(VerifyWalk *w, const Stmt *s, Expr *e, bool top)
{
    if (!e)
        return;
    if (e->kind == EX_VAR && (e->var >= w->v.f->vars.len || !w->bound[e->var])) {
        verify_fail(&w->v, s, "variable %s is used where no binding reaches",
                    e->var < w->v.f->vars.len ? func_var(w->v.f, e->var)->base : "?");
        return;
    }
    if (e->n_args && !e->args) {
        verify_fail(&w->v, s, "an expression without its operands");
        return;
    }
    uint32_t mark = w->trail.len;
    check_operands(w, s, e);
    unwind(w, mark);
    if (e->kind == EX_CALL) {
        check_expr(w, s, e->device, false);
        check_expr(w, s, e->cores, false);
        check_expr(w, s, e->task, false);
    }
    verify_expr(&w->v, s, e, top);
}

static void check_values(VerifyWalk *w, const Stmt *s)
{
    for (uint32_t i = 0; i < s->n_values; i++)
        check_expr(w, s, s->values[i], true);
}

static bool same_results(const Stmt *a, const Stmt *b)
{
    return a->n_results == b->n_results &&
           (!a->n_results ||
            memcmp(a->results, b->results, a->n_results * sizeof *a->results) == 0);
}

/* A yield hands its values to `target` (the loop or if it belongs to). */
static void check_yield(VerifyWalk *w, const Stmt *s, const Stmt *target)
{
    if (!target || !same_results(s, target) || s->n_values != s->n_results) {
        verify_fail(&w->v, s, "a yield does not match the results of its loop or if");
        return;
    }
    for (uint32_t i = 0; i < s->n_values; i++)
        if (s->values[i] &&
            !verify_same_type(s->values[i]->type, func_var(w->v.f, s->results[i])->type))
            verify_fail(&w->v, s, "yield of %s for %s: %s", func_var(w->v.f, s->results[i])->base,
                        "another type", type_text(w->v.p->arena, s->values[i]->type));
}

static bool jumps(const Stmt *s)
{
    return s->kind == ST_BREAK || s->kind == ST_CONTINUE;
}

static bool ends_block(const Stmt *s);

/* The end of a block is never reached: a jump or return, or an if whose arms both end in one. */
static bool never_falls_through(const Block *b)
{
    return b->len && ends_block(b->at[b->len - 1]);
}

/* Ends of a block that must yield: a yield, or a jump with the loop's yield before it. */
static void check_end(VerifyWalk *w, const Block *b, const Stmt *owner)
{
    const Stmt *last = b->len ? b->at[b->len - 1] : NULL;
    if (owner->n_results && !(last && (last->kind == ST_YIELD || never_falls_through(b))))
        verify_fail(&w->v, owner,
                    "a branch or body does not end in the yield that its results need");
}

static void bind_results(VerifyWalk *w, const Stmt *s)
{
    for (uint32_t i = 0; i < s->n_results; i++)
        bind(w, s, s->results[i]);
}

static bool is_number(const Expr *e)
{
    return e && e->type && e->type->kind == TY_NUMBER;
}

/* In init and golden functions it shows when they run. */
static bool is_integer(const VerifyWalk *w, const Expr *e)
{
    return func_is_element(w->v.f) ? is_number(e) : e && e->type && type_is_int_scalar(e->type);
}

static void check_condition(VerifyWalk *w, const Stmt *s)
{
    const Type *t = s->nest->cond ? s->nest->cond->type : NULL;
    check_expr(w, s, s->nest->cond, true);
    if (func_is_element(w->v.f) ? !is_number(s->nest->cond)
                                : !t || t->kind != TY_SCALAR || t->dtype != DT_BOOL)
        verify_fail(&w->v, s, "a condition that is no BOOL scalar");
}

static void check_loop_header(VerifyWalk *w, const Stmt *s)
{
    Expr *bounds[3] = {s->nest->lo, s->nest->hi, s->nest->step};
    for (int i = 0; i < 3; i++) {
        if (!is_integer(w, bounds[i]))
            verify_fail(&w->v, s, "a loop without integer bounds");
        check_expr(w, s, bounds[i], false);
    }
    check_values(w, s);
    if (s->n_values != s->n_results)
        verify_fail(&w->v, s, "a loop carries %u values and has %u results", s->n_values,
                    s->n_results);
}

static void check_for(VerifyWalk *w, const Stmt *s, const VerifyLoop *outer)
{
    VerifyLoop loop = {s, outer};
    bool counts = s->nest->loop != LOOP_WHILE;
    if (counts)
        check_loop_header(w, s);
    else
        check_condition(w, s);
    uint32_t mark = w->trail.len;
    if (counts)
        bind(w, s, s->nest->index);
    for (uint32_t i = 0; i < s->n_values; i++) {
        bind(w, s, s->nest->iters[i]);
        if (s->values[i] && s->nest->iters[i] < w->v.f->vars.len &&
            !verify_same_type(s->values[i]->type, func_var(w->v.f, s->nest->iters[i])->type))
            verify_fail(&w->v, s, "the loop carries %s as another type than its init value",
                        func_var(w->v.f, s->nest->iters[i])->base);
    }
    walk_block(w, &s->nest->body, &loop, s);
    check_end(w, &s->nest->body, s);
    unwind(w, mark);
    bind_results(w, s);
}

/* Below SSA, what both arms bind is bound after the if. */
static void check_if(VerifyWalk *w, const Stmt *s, const VerifyLoop *loop)
{
    check_condition(w, s);
    uint32_t mark = w->trail.len;
    VEC(VarId) both = {0};
    walk_block(w, &s->nest->body, loop, s);
    for (uint32_t i = mark; i < w->trail.len; i++)
        vec_push(&both, w->trail.at[i]);
    unwind(w, mark);
    walk_block(w, &s->nest->otherwise, loop, s);
    bool first_jumps = never_falls_through(&s->nest->body),
         second_jumps = never_falls_through(&s->nest->otherwise);
    if (first_jumps && !second_jumps) {
        vec_clear(&both);
        for (uint32_t i = mark; i < w->trail.len; i++)
            vec_push(&both, w->trail.at[i]);
    }
    VEC(VarId) keep = {0};
    for (uint32_t i = 0; i < both.len; i++)
        if (w->bound[both.at[i]] || second_jumps)
            vec_push(&keep, both.at[i]);
    unwind(w, mark);
    for (uint32_t i = 0; i < keep.len && !w->ssa; i++) {
        w->bound[keep.at[i]] = 1;
        vec_push(&w->trail, keep.at[i]);
    }
    vec_free(&both);
    vec_free(&keep);
    if (s->n_results) {
        check_end(w, &s->nest->body, s);
        check_end(w, &s->nest->otherwise, s);
        bind_results(w, s);
    }
}

static void check_let(VerifyWalk *w, const Stmt *s)
{
    const Type *t = s->value ? s->value->type : NULL;
    check_expr(w, s, s->value, true);
    if (!t || t->kind == TY_NONE || s->n_results < 1) {
        verify_fail(&w->v, s, "a binding without a value");
        return;
    }
    bool many = t->kind == TY_TUPLE;
    if (s->n_results != (many ? t->n_elems : 1)) {
        verify_fail(&w->v, s, "%u names for a value of type %s", s->n_results,
                    type_text(w->v.p->arena, t));
        return;
    }
    for (uint32_t i = 0; i < s->n_results; i++) {
        bind(w, s, s->results[i]);
        const Type *want = many ? t->elems[i] : t;
        const Type *have =
            s->results[i] < w->v.f->vars.len ? func_var(w->v.f, s->results[i])->type : want;
        if (have && !verify_same_type(want, have))
            verify_fail(&w->v, s, "%s is recorded as %s, its value is %s",
                        func_var(w->v.f, s->results[i])->base, type_text(w->v.p->arena, have),
                        type_text(w->v.p->arena, want));
    }
}

static const Type *result_at(const Type *result, uint32_t i)
{
    return result && result->kind == TY_TUPLE ? result->elems[i] : result;
}

static void check_return(VerifyWalk *w, const Stmt *s)
{
    const Type *result = w->v.f->result;
    uint32_t n = !result || result->kind == TY_NONE ? 0
                 : result->kind == TY_TUPLE         ? result->n_elems
                                                    : 1;
    check_values(w, s);
    if (s->n_values != n) {
        verify_fail(&w->v, s, "returns %u values of %u", s->n_values, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!verify_same_type(s->values[i]->type, result_at(result, i)))
            verify_fail(&w->v, s, "returns %s, declared is %s",
                        type_text(w->v.p->arena, s->values[i]->type),
                        type_text(w->v.p->arena, result_at(result, i)));
}

static void check_jump(VerifyWalk *w, const Stmt *s, const Stmt *before, const VerifyLoop *loop)
{
    if (!loop)
        verify_fail(&w->v, s, "break or continue outside of a loop");
    else if (w->ssa && loop->stmt->n_results && !(before && before->kind == ST_YIELD))
        verify_fail(&w->v, s, "break or continue without the yield of the values its loop carries");
}

/* What is bound in a scope is bound after it. */
static void check_scope(VerifyWalk *w, const Stmt *s)
{
    FuncKind level = w->v.level;
    check_expr(w, s, s->nest->blocks, false);
    check_values(w, s);
    if (level != FN_ORCH || (w->v.properties & PROP_OUTLINED))
        verify_fail(&w->v, s, "a scope that is not in an orchestration function");
    w->v.level = FN_INCORE;
    walk_block(w, &s->nest->body, NULL, NULL);
    w->v.level = level;
}

static void walk_stmt(VerifyWalk *w, const Block *b, uint32_t at, const VerifyLoop *loop,
                      const Stmt *owner)
{
    const Stmt *s = b->at[at];
    const Stmt *next = at + 1 < b->len ? b->at[at + 1] : NULL;
    switch (s->kind) {
    case ST_LET: check_let(w, s); break;
    case ST_EXPR: check_expr(w, s, s->value, true); break;
    case ST_FOR: check_for(w, s, loop); break;
    case ST_IF: check_if(w, s, loop); break;
    case ST_RETURN: check_return(w, s); break;
    case ST_BREAK:
    case ST_CONTINUE: check_jump(w, s, at ? b->at[at - 1] : NULL, loop); break;
    case ST_SCOPE: check_scope(w, s); break;
    case ST_YIELD:
        check_values(w, s);
        check_yield(w, s, next && jumps(next) && loop ? loop->stmt : owner);
        break;
    }
    if (next && s->kind == ST_YIELD && !jumps(next))
        verify_fail(&w->v, s, "a yield that is not the last statement");
    verify_stmt(&w->v, s);
}

/* No statement behind it in its block is ever reached. */
static bool ends_block(const Stmt *s)
{
    return jumps(s) || s->kind == ST_RETURN ||
           (s->kind == ST_IF && never_falls_through(&s->nest->body) &&
            never_falls_through(&s->nest->otherwise));
}

static void walk_block(VerifyWalk *w, const Block *b, const VerifyLoop *loop, const Stmt *owner)
{
    for (uint32_t i = 0; i < b->len; i++) {
        walk_stmt(w, b, i, loop, owner);
        if (i + 1 < b->len && ends_block(b->at[i]))
            w->v.holds |= HOLDS_DEAD;
    }
}

bool ir_verify_func(Program *p, Func *f, uint32_t properties, const char *blame)
{
    IrVerify v = {.p = p, .f = f, .level = f->kind, .blame = blame, .clean = true};
    v.properties = func_is_element(f) ? properties & PROP_TYPED : properties;
    diags_init(&v.caught, p->arena, NULL);
    VerifyWalk w = {.v = v, .ssa = (v.properties & PROP_SSA) != 0};
    w.bound = xcalloc(f->vars.len + 1, 1);
    w.ever = xcalloc(f->vars.len + 1, 1);
    for (uint32_t i = 0; i < f->params.len; i++)
        bind(&w, NULL, f->params.at[i].var);
    walk_block(&w, &f->body, NULL, NULL);
    f->lacks = w.v.clean ? ~w.v.holds : 0;
    f->verified = w.v.clean ? properties : 0;
    xfree(w.bound);
    xfree(w.ever);
    vec_free(&w.trail);
    diags_free(&w.v.caught);
    return w.v.clean;
}

bool ir_verify(Program *p, uint32_t properties, const char *blame)
{
    bool clean = true;
    for (uint32_t i = 0; i < p->funcs.len; i++)
        clean = ir_verify_func(p, p->funcs.at[i], properties, blame) && clean;
    return clean;
}
