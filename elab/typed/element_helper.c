/* Compile-time functions that init and golden functions call with numbers that only the run knows:
 * the call is the expression that the function returns, its parameters and names replaced by what
 * they are. A return in the arms of an if becomes a conditional expression. A function with loops
 * is written out as statements, with names of its own, before the statement of the call. */
#include "elab/typed/element.h"
#include "parser/parser.h"
#include <string.h>

enum { MAX_CALLS = 64, MAX_SIZE = 1 << 14, MAX_STEPS = 1 << 12, MAX_WRITTEN = 1 << 11 };

/* What a name of the function is here. */
typedef struct {
    Sym name;
    Ast *value;
} Bound;

typedef struct {
    Element *p;
    const Helper *h;
    const Ast *call;
    VEC(Bound) bound; /* the latest last */
    uint32_t steps;   /* statements so far: after an if both arms go on with the rest */
    bool good;
} Inline;

/* Statements still to come. */
typedef struct Todo Todo;
struct Todo {
    const AstList *list;
    uint32_t from;
    const Todo *then;
};

static Ast *as_expression(Inline *x, const Todo *todo);

static Ast *fail(Inline *x, const Ast *at, const char *what)
{
    if (x->good) {
        elab_error(x->p->e, x->call->span, "value",
                   "%s is called with numbers that only the run "
                   "knows: %s",
                   x->h->name, what);
        if (at)
            diag_note(x->p->e->diags, at->span, "here");
    }
    x->good = false;
    return NULL;
}

static Ast *name_node(Inline *x, Sym name, Span span)
{
    Ast *a = arena_new(x->p->e->arena, Ast);
    *a = (Ast){.kind = AST_NAME, .span = span, .height = 1, .name = name};
    return a;
}

static void bind(Inline *x, Sym name, Ast *value)
{
    vec_push(&x->bound, (Bound){name, value});
}

static Ast *subst(void *env, Ast *a);

static Ast *subst_name(Inline *x, Ast *a)
{
    VarId v;
    for (uint32_t i = x->bound.len; i-- > 0;)
        if (x->bound.at[i].name == a->name)
            return x->bound.at[i].value;
    if (element_find_local(x->p, a->name, &v))
        return fail(x, a, "a name of the module that it uses is one of this function too");
    return a;
}

/* The names of a comprehension are its own: fresh ones, so that they hide nothing of an argument.
 */
static Ast *subst_comprehension(Inline *x, Ast *a)
{
    uint32_t mark = x->bound.len;
    for (uint32_t i = 0; i < a->gen.clauses.len; i++) {
        const Ast *t = a->gen.clauses.at[i].target;
        if (t->kind != AST_NAME)
            return fail(x, t, "a `for` in it has one name");
        Sym own = internf(x->p->e->in, "%s_%u", t->name, ++x->p->fresh);
        bind(x, t->name, name_node(x, own, t->span));
    }
    Ast *copy = ast_copy(x->p->e->arena, a, subst, x);
    x->bound.len = mark;
    return copy;
}

static Ast *subst(void *env, Ast *a)
{
    Inline *x = env;
    switch (a->kind) {
    case AST_NAME: {
        Ast *to = subst_name(x, a);
        return to ? to : a;
    }
    case AST_GENEXP:
    case AST_LISTCOMP: {
        Ast *to = subst_comprehension(x, a);
        return to ? to : a;
    }
    case AST_LAMBDA:
    case AST_SETCOMP:
    case AST_DICTCOMP: (void)fail(x, a, "it may not have this then"); return a;
    default: return ast_copy(x->p->e->arena, a, subst, x);
    }
}

/* `a = value`, `a += value`. */
static bool bind_stmt(Inline *x, const Ast *s)
{
    const Ast *target = s->kind == AST_ASSIGN       ? s->assign.targets.at[0]
                        : s->kind == AST_ANN_ASSIGN ? s->ann.target
                                                    : s->aug.target;
    Ast *value = s->kind == AST_ASSIGN       ? s->assign.value
                 : s->kind == AST_ANN_ASSIGN ? s->ann.value
                                             : s->aug.value;
    bool one = s->kind != AST_ASSIGN || s->assign.targets.len == 1;
    if (!one || target->kind != AST_NAME || !value)
        return fail(x, s, "it binds single names then") != NULL;
    if (s->kind == AST_AUG_ASSIGN) {
        Ast *sum = arena_new(x->p->e->arena, Ast);
        *sum = (Ast){.kind = AST_BINARY, .span = s->span, .height = value->height + 1};
        sum->binary.op = s->aug.op;
        sum->binary.left = (Ast *)(uintptr_t)target;
        sum->binary.right = value;
        value = sum;
    }
    bind(x, target->name, subst(x, value));
    return x->good;
}

static Ast *arms(Inline *x, const Ast *s, const Todo *rest)
{
    uint32_t mark = x->bound.len;
    Ast *c = arena_new(x->p->e->arena, Ast);
    *c = (Ast){.kind = AST_COND, .span = s->span};
    c->cond.cond = subst(x, s->if_.cond);
    c->cond.then = as_expression(x, &(Todo){&s->if_.then, 0, rest});
    x->bound.len = mark;
    c->cond.otherwise = as_expression(x, &(Todo){&s->if_.otherwise, 0, rest});
    x->bound.len = mark;
    if (!x->good)
        return NULL;
    const Ast *parts[] = {c->cond.cond, c->cond.then, c->cond.otherwise};
    for (int i = 0; i < 3; i++)
        c->height = parts[i]->height >= c->height ? parts[i]->height + 1 : c->height;
    return c;
}

/* What the statements return. */
static Ast *as_expression(Inline *x, const Todo *todo)
{
    while (todo && todo->from == todo->list->len)
        todo = todo->then;
    if (++x->steps > MAX_STEPS)
        return fail(x, NULL, "written out it is too large");
    if (!todo)
        return fail(x, NULL, "it returns a number on every path then");
    const Ast *s = todo->list->at[todo->from];
    Todo rest = {todo->list, todo->from + 1, todo->then};
    bool text = s->kind == AST_EXPR_STMT && s->value->kind == AST_STR;
    switch (s->kind) {
    case AST_RETURN: return s->value ? subst(x, s->value) : fail(x, s, "it returns a number then");
    case AST_IF: return arms(x, s, &rest);
    case AST_ASSIGN:
    case AST_ANN_ASSIGN:
    case AST_AUG_ASSIGN: return bind_stmt(x, s) ? as_expression(x, &rest) : NULL;
    default:
        return s->kind == AST_PASS || text
                   ? as_expression(x, &rest)
                   : fail(x, s, "it has assignments, if, for, while and return then");
    }
}

/* ---- arguments */

static bool given(const Inline *x, Sym name)
{
    for (uint32_t i = 0; i < x->bound.len; i++)
        if (x->bound.at[i].name == name)
            return true;
    return false;
}

static bool bind_args(Inline *x)
{
    const AstParams *params = x->h->params;
    const Ast *call = x->call;
    if (call->call.args.len > params->len)
        return fail(x, NULL, "there are more arguments than parameters") != NULL;
    for (uint32_t i = 0; i < call->call.args.len; i++)
        bind(x, params->at[i].name, call->call.args.at[i]);
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        Sym name = call->call.keywords.at[i].name;
        bool known = false;
        for (uint32_t k = 0; k < params->len; k++)
            known |= params->at[k].name == name;
        if (!name || !known || given(x, name))
            return fail(x, NULL, "a keyword is no parameter, or one that has its value") != NULL;
        bind(x, name, call->call.keywords.at[i].value);
    }
    for (uint32_t i = 0; i < params->len; i++) {
        if (given(x, params->at[i].name))
            continue;
        if (!params->at[i].default_value)
            return fail(x, NULL, "a parameter has no value") != NULL;
        bind(x, params->at[i].name, params->at[i].default_value);
    }
    return true;
}

/* ---- the call */

static void count(void *env, Ast *a)
{
    uint32_t *n = env;
    if (++*n < MAX_SIZE)
        ast_children(a, count, env);
}

static Ast *body_of(Inline *x)
{
    const Ast *def = x->h->def;
    uint32_t size = 0;
    if (!bind_args(x))
        return NULL;
    Ast *body = def->kind == AST_LAMBDA ? subst(x, def->lambda.body)
                                        : as_expression(x, &(Todo){&def->def.body, 0, NULL});
    if (!x->good || !body)
        return NULL;
    count(&size, body);
    if (size >= MAX_SIZE || body->height > PARSER_MAX_HEIGHT)
        return fail(x, NULL, "written out it is too large");
    return body;
}

/* ---- helpers with loops: their statements before the one at hand */

typedef struct {
    const Element *p;
    VEC(const Helper *) seen;
    bool loops;
} Search;

static void search(void *env, Ast *a)
{
    Search *s = env;
    const Ast *f = a->kind == AST_CALL ? a->call.callee : NULL;
    const CtName *n = f && f->kind == AST_NAME ? elab_find_name(s->p->e->scope, f->name) : NULL;
    s->loops |= a->kind == AST_FOR || a->kind == AST_WHILE;
    bool known = !n || n->val.kind != V_HELPER;
    for (uint32_t i = 0; i < s->seen.len && !known; i++)
        known = s->seen.at[i] == n->val.helper;
    if (!known) {
        vec_push(&s->seen, n->val.helper);
        search(s, (Ast *)(uintptr_t)n->val.helper->def);
    }
    if (!s->loops)
        ast_children(a, search, s);
}

/* Has the function a loop, or one that it calls? */
static bool has_loops(const Element *p, const Helper *h)
{
    Search s = {.p = p};
    search(&s, (Ast *)(uintptr_t)h->def);
    vec_free(&s.seen);
    return s.loops && h->def->kind != AST_LAMBDA;
}

static bool has_var(const Func *f, Sym name)
{
    for (uint32_t i = 0; i < f->vars.len; i++)
        if (f->vars.at[i].base == name)
            return true;
    return false;
}

VarId element_own_var(Element *p, Sym name, Span span)
{
    Sym own;
    do
        own = internf(p->e->in, "%s_%u", name, ++p->fresh);
    while (has_var(p->f, own) || has_var(p->host, own) || elab_find_name(p->e->scope, own));
    VarId v = element_new_var(p, own, span);
    func_var(p->f, v)->display = name; /* in messages */
    map_set_ptr(&p->locals, own, v + (uint64_t)1);
    return v;
}

/* A variable for a name of the function. */
static VarId own_var(Inline *x, Sym name, Ast **node)
{
    VarId v = element_own_var(x->p, name, x->call->span);
    *node = name_node(x, func_var(x->p->f, v)->base, x->call->span);
    return v;
}

/* Arguments that are names or known at compile time stand where the parameter does, unless the
 * function gives it another value; the others are computed once. */
static void bind_own(Inline *x)
{
    Map seen = {0};
    SymList names = {0};
    elab_collect_bound(x->p->e, &x->h->def->def.body, &seen, &names);
    uint32_t n = x->bound.len;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t changed = 0;
        Bound *b = &x->bound.at[i];
        map_get_ptr(&seen, b->name, &changed);
        if (!changed && (b->value->kind == AST_NAME || element_is_static(x->p, b->value)))
            continue;
        Expr *value = element_expr(x->p, b->value);
        element_set(x->p, x->call, own_var(x, b->name, &b->value), value);
    }
    for (uint32_t i = 0; i < names.len; i++) {
        Ast *node;
        if (given(x, names.at[i]))
            continue;
        VarId v = own_var(x, names.at[i], &node);
        x->p->assigned.at[v] = false;
        bind(x, names.at[i], node);
    }
    map_free(&seen);
}

static Expr *written_out(Inline *x)
{
    const AstList *body = &x->h->def->def.body;
    AstList own = {0};
    if (x->p->guarded) {
        (void)fail(x, x->h->def,
                   "it has a loop, or calls one that has: bind the call to a name first, outside "
                   "of and, or, conditional expressions, generators and the condition of a while");
        return NULL;
    }
    if (++x->p->written > MAX_WRITTEN)
        (void)fail(x, NULL, "written out it is too large");
    if (!x->good || !bind_args(x))
        return NULL;
    bind_own(x);
    for (uint32_t i = 0; i < body->len && x->good; i++) {
        Ast *s = subst(x, body->at[i]);
        avec_push(x->p->e->arena, &own, s);
        if (s->height > PARSER_MAX_HEIGHT)
            (void)fail(x, NULL, "written out it is too large");
    }
    return x->good ? element_written_out(x->p, &own, x->call) : NULL;
}

static Expr *expression(Inline *x)
{
    Ast *body = body_of(x);
    return body ? element_expr(x->p, body) : NULL;
}

Expr *element_helper(Element *p, const Helper *h, const Ast *call)
{
    Inline x = {.p = p, .h = h, .call = call, .good = !elab_failed(p->e)};
    if (p->inlined >= MAX_CALLS)
        (void)fail(&x, NULL, "it may not call itself then; write a loop");
    if (!x.good)
        return element_nothing(p, call);
    p->inlined++;
    Expr *value = has_loops(p, h) ? written_out(&x) : expression(&x);
    p->inlined--;
    vec_free(&x.bound);
    return value ? value : element_nothing(p, call);
}
