/* Statements of init and golden functions and of the helpers with loops that they call:
 * assignments, if, for, while, return. Names after a branch or loop are those that have a value on
 * every path to there. */
#include "elab/typed/element.h"
#include <string.h>

static void run_block(Element *p, const AstList *in, Block *out);

/* The end of a block is never reached. */
static bool leaves(const Block *b)
{
    const Stmt *last = b->len ? b->at[b->len - 1] : NULL;
    return last &&
           (last->kind == ST_RETURN || last->kind == ST_BREAK || last->kind == ST_CONTINUE ||
            (last->kind == ST_IF && leaves(&last->nest->body) && leaves(&last->nest->otherwise)));
}

static Stmt *emit(Element *p, StmtKind kind, const Ast *a)
{
    Loc loc = p->far;
    loc.span = a->span;
    Stmt *s = stmt_new(p->e->p, kind, loc);
    avec_push(p->e->arena, p->block, s);
    return s;
}

/* ---- assignments */

static bool name_target(Element *p, const Ast *t, VarId *v)
{
    if (t->kind == AST_NAME && element_find_local(p, t->name, v))
        return true;
    elab_error(p->e, t->span, "syntax", "init and golden functions assign to names only");
    return false;
}

void element_set(Element *p, const Ast *at, VarId v, Expr *value)
{
    Stmt *let = emit(p, ST_LET, at);
    let->n_results = 1;
    let->results = arena_new(p->e->arena, VarId);
    let->results[0] = v;
    let->value = value;
    p->assigned.at[v] = true;
}

/* a, b = x, y: all values are taken before any name is set. */
static void set_tuple(Element *p, const Ast *s, const Ast *target, const Ast *value)
{
    uint32_t n = target->items.len;
    if ((value->kind != AST_TUPLE && value->kind != AST_LIST) || value->items.len != n || n == 0) {
        elab_error(p->e, target->span, "type", "as many values as names are needed");
        return;
    }
    Expr **items = arena_new_n(p->e->arena, Expr *, n);
    const Type **types = arena_new_n(p->e->arena, const Type *, n);
    VarId *vars = arena_new_n(p->e->arena, VarId, n);
    for (uint32_t i = 0; i < n; i++) {
        items[i] = element_expr(p, value->items.at[i]);
        types[i] = p->number;
        if (!name_target(p, target->items.at[i], &vars[i]))
            return;
    }
    if (n == 1) {
        element_set(p, s, vars[0], items[0]);
        return;
    }
    Stmt *let = emit(p, ST_LET, s);
    let->n_results = n;
    let->results = vars;
    let->value = ex_list(p->e->p, items, n);
    let->value->type = type_tuple(p->e->tt, types, n);
    for (uint32_t i = 0; i < n; i++)
        p->assigned.at[vars[i]] = true;
}

/* In a = b = v the value is that of the first name. */
static void run_assign(Element *p, const Ast *s)
{
    VarId first = VAR_NONE, v;
    for (uint32_t i = 0; i < s->assign.targets.len; i++) {
        const Ast *t = s->assign.targets.at[i];
        if (t->kind == AST_TUPLE || t->kind == AST_LIST) {
            set_tuple(p, s, t, s->assign.value);
            continue;
        }
        Expr *value = first == VAR_NONE ? element_expr(p, s->assign.value)
                                        : element_use(p, first, s->assign.value->span);
        if (!name_target(p, t, &v))
            return;
        element_set(p, s, v, value);
        first = first == VAR_NONE ? v : first;
    }
}

/* An annotation says nothing that the numbers do not show: it goes. */
static void run_ann(Element *p, const Ast *s)
{
    VarId v;
    if (!s->ann.value) {
        elab_error(p->e, s->span, "syntax", "a name needs a value here");
        return;
    }
    Expr *value = element_expr(p, s->ann.value);
    if (name_target(p, s->ann.target, &v))
        element_set(p, s, v, value);
}

static void run_aug(Element *p, const Ast *s)
{
    VarId v;
    if (!name_target(p, s->aug.target, &v))
        return;
    Expr *left = element_expr(p, s->aug.target);
    Expr *right = element_expr(p, s->aug.value);
    element_set(p, s, v, element_binary(p, s->aug.op, left, right, s->span));
}

/* ---- if and loops */

typedef struct {
    bool *at;
    uint32_t n;
} Flags;

static Flags flags_save(const Element *p)
{
    Flags f = {.at = arena_new_n(p->e->arena, bool, p->assigned.len), .n = p->assigned.len};
    memcpy(f.at, p->assigned.at, f.n);
    return f;
}

/* Variables made since then are of generators: nobody sees them any more. */
static void flags_restore(Element *p, Flags f)
{
    memcpy(p->assigned.at, f.at, f.n);
}

static void run_if(Element *p, const Ast *a)
{
    Val v;
    Expr *cond = element_expr(p, a->if_.cond);
    if (element_known(cond, &v)) {
        run_block(p, val_truth(v) ? &a->if_.then : &a->if_.otherwise, p->block);
        return;
    }
    Stmt *s = emit(p, ST_IF, a);
    s->nest->cond = cond;
    Flags before = flags_save(p);
    run_block(p, &a->if_.then, &s->nest->body);
    Flags then = flags_save(p);
    flags_restore(p, before);
    run_block(p, &a->if_.otherwise, &s->nest->otherwise);
    bool then_gone = leaves(&s->nest->body), else_gone = leaves(&s->nest->otherwise);
    for (uint32_t i = 0; i < before.n; i++)
        p->assigned.at[i] = (then_gone || then.at[i]) && (else_gone || p->assigned.at[i]);
}

/* A helper that returned inside of the loop is left after it, too. */
static void leave_after(Element *p, const Ast *a)
{
    Stmt *s = emit(p, ST_IF, a);
    Block *outer = p->block;
    s->nest->cond = element_operation(p, SC_NE, a->span, 2,
                                      (Expr *[]){element_use(p, p->call->done, a->span),
                                                 element_literal(p, val_int(0), a->span)});
    p->block = &s->nest->body;
    emit(p, ST_BREAK, a);
    p->block = outer;
}

/* A loop may run zero times: what has a value after it had one before. */
static void run_body(Element *p, const Ast *a, const AstList *body, Stmt *s, Flags before)
{
    uint32_t returns = p->call ? p->call->returns_in_loops : 0;
    p->loops++;
    run_block(p, body, &s->nest->body);
    p->loops--;
    flags_restore(p, before);
    if (p->call && p->call->returns_in_loops > returns)
        leave_after(p, a);
}

static bool no_else(Element *p, const AstList *otherwise)
{
    if (otherwise->len)
        elab_error(p->e, otherwise->at[0]->span, "syntax", "a loop has no else here");
    return otherwise->len == 0;
}

static void run_for(Element *p, const Ast *a)
{
    Expr *bounds[3];
    VarId index;
    if (!no_else(p, &a->for_.otherwise) || !element_range(p, a->for_.iter, bounds) ||
        !name_target(p, a->for_.target, &index))
        return;
    Stmt *s = emit(p, ST_FOR, a);
    s->nest->loop = LOOP_RANGE;
    s->nest->index = index;
    s->nest->lo = bounds[0];
    s->nest->hi = bounds[1];
    s->nest->step = bounds[2];
    Flags before = flags_save(p);
    p->assigned.at[index] = true;
    run_body(p, a, &a->for_.body, s, before);
}

static void run_while(Element *p, const Ast *a)
{
    Val v;
    if (!no_else(p, &a->if_.otherwise))
        return;
    p->guarded++;
    Expr *cond = element_expr(p, a->if_.cond);
    p->guarded--;
    if (element_known(cond, &v) && !val_truth(v))
        return;
    Stmt *s = emit(p, ST_FOR, a);
    s->nest->loop = LOOP_WHILE;
    s->nest->index = VAR_NONE;
    s->nest->cond = cond;
    run_body(p, a, &a->if_.then, s, flags_save(p));
}

static void run_jump(Element *p, const Ast *a)
{
    if (p->loops)
        emit(p, a->kind == AST_BREAK ? ST_BREAK : ST_CONTINUE, a);
    else
        elab_error(p->e, a->span, "syntax", "%s stands outside of a loop", ast_kind_name(a->kind));
}

/* ---- the rest */

static void return_to_caller(Element *p, const Ast *a, Expr *value)
{
    ElementFrame *call = p->call;
    element_set(p, a, call->result, value);
    if (call->done == VAR_NONE)
        return;
    if (p->loops) {
        element_set(p, a, call->done, element_literal(p, val_int(1), a->span));
        call->returns_in_loops++;
    }
    emit(p, ST_BREAK, a);
}

static void run_return(Element *p, const Ast *a)
{
    if (!a->value) {
        elab_error(p->e, a->span, "type", "an init or golden function returns a number");
        return;
    }
    Expr *value = element_expr(p, a->value);
    if (p->call) {
        return_to_caller(p, a, value);
        return;
    }
    Stmt *s = emit(p, ST_RETURN, a);
    s->n_values = 1;
    s->values = arena_new(p->e->arena, Expr *);
    s->values[0] = value;
}

/* A docstring, or the place of what follows in a dump. */
static void run_expr(Element *p, const Ast *a)
{
    Sym d = a->value->kind == AST_CALL ? elab_dotted(p->e, a->value->call.callee) : NULL;
    if (p->e->ir && d && strcmp(d, "pld.loc") == 0)
        elab_place(p->e, a->value, &p->far);
    else if (a->value->kind != AST_STR)
        elab_error(p->e, a->span, "syntax", "this statement has no effect: delete it");
}

static void run_stmt(Element *p, const Ast *a)
{
    switch (a->kind) {
    case AST_ASSIGN: run_assign(p, a); break;
    case AST_ANN_ASSIGN: run_ann(p, a); break;
    case AST_AUG_ASSIGN: run_aug(p, a); break;
    case AST_IF: run_if(p, a); break;
    case AST_FOR: run_for(p, a); break;
    case AST_WHILE: run_while(p, a); break;
    case AST_BREAK:
    case AST_CONTINUE: run_jump(p, a); break;
    case AST_RETURN: run_return(p, a); break;
    case AST_EXPR_STMT: run_expr(p, a); break;
    case AST_PASS:
    case AST_ERROR: break;
    default:
        elab_error(p->e, a->span, "syntax",
                   "init and golden functions have assignments, if, for, while and return, no %s",
                   ast_kind_name(a->kind));
    }
}

static void run_block(Element *p, const AstList *in, Block *out)
{
    Block *outer = p->block;
    p->block = out;
    for (uint32_t i = 0; i < in->len && !leaves(out); i++)
        run_stmt(p, in->at[i]);
    p->block = outer;
}

static void count_returns(void *env, Ast *a)
{
    uint32_t *n = env;
    *n += a->kind == AST_RETURN;
    ast_children(a, count_returns, env);
}

static bool returns_at_end_only(const AstList *body)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < body->len; i++)
        count_returns(&n, body->at[i]);
    return n == 1 && body->at[body->len - 1]->kind == AST_RETURN;
}

/* Returns on the way are breaks of a loop that runs once. */
static void run_once(Element *p, const AstList *body, const Ast *call)
{
    static const char *const names[] = {"done", "once"};
    VarId v[2];
    for (int i = 0; i < 2; i++)
        v[i] = element_own_var(p, intern(p->e->in, names[i]), call->span);
    p->call->done = v[0];
    element_set(p, call, p->call->result, element_nothing(p, call));
    element_set(p, call, v[0], element_nothing(p, call));
    Stmt *s = emit(p, ST_FOR, call);
    s->nest->loop = LOOP_RANGE;
    s->nest->index = v[1];
    s->nest->lo = element_literal(p, val_int(0), call->span);
    s->nest->hi = element_literal(p, val_int(1), call->span);
    s->nest->step = element_literal(p, val_int(1), call->span);
    Flags before = flags_save(p);
    run_block(p, body, &s->nest->body);
    flags_restore(p, before);
    if (!diags_failed(p->e->diags) && !leaves(&s->nest->body))
        elab_error(p->e, call->span, "value", "%s does not return a value on every path",
                   call->call.callee->name);
}

Expr *element_written_out(Element *p, const AstList *body, const Ast *call)
{
    VarId result = element_own_var(p, call->call.callee->name, call->span);
    ElementFrame frame = {.result = result, .done = VAR_NONE}, *outer = p->call;
    uint32_t loops = p->loops;
    p->call = &frame;
    p->loops = 0;
    if (returns_at_end_only(body))
        run_block(p, body, p->block);
    else
        run_once(p, body, call);
    p->loops = loops;
    p->call = outer;
    return element_use(p, result, call->span);
}

void element_body(Element *p, const AstList *body)
{
    run_block(p, body, &p->f->body);
    if (!diags_failed(p->e->diags) && !leaves(&p->f->body))
        elab_error(p->e, p->f->span, "value", "%s does not return a value on every path",
                   p->f->name);
}
