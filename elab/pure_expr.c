/* Expressions of init and golden functions. */
#include "elab/pure.h"
#include <math.h>
#include <string.h>

static bool pure_is_local(const Pure *p, Sym name)
{
    uint64_t n = 0;
    return map_get_ptr(&p->locals, name, &n) && n > 0;
}

void pure_count_local(Pure *p, Sym name, int by)
{
    uint64_t n = 0;
    map_get_ptr(&p->locals, name, &n);
    map_set_ptr(&p->locals, name, by > 0 ? n + 1 : n - 1);
}

Ast *pure_copy(Pure *p, const Ast *a)
{
    Ast *c = arena_new(p->e->arena, Ast);
    *c = *a;
    return c;
}

static Ast *node(Pure *p, AstKind kind, Span span)
{
    Ast *a = arena_new(p->e->arena, Ast);
    a->kind = kind;
    a->span = span;
    return a;
}

/* ---- values and literals */

static Ast *negated(Pure *p, Ast *operand)
{
    Ast *a = node(p, AST_UNARY, operand->span);
    a->unary.op = OP_NEG;
    a->unary.operand = operand;
    return a;
}

static Ast *literal(Pure *p, Val v, Span span)
{
    Ast *a;
    switch (v.kind) {
    case V_BOOL: return node(p, v.i ? AST_TRUE : AST_FALSE, span);
    case V_INT:
        /* The smallest integer has no literal of its own. */
        if (v.i == INT64_MIN)
            return NULL;
        a = node(p, AST_INT, span);
        a->integer.value = v.i < 0 ? -v.i : v.i;
        return v.i < 0 ? negated(p, a) : a;
    case V_FLOAT:
        if (isnan(v.f))
            return NULL;
        a = node(p, AST_FLOAT, span);
        a->real = fabs(v.f);
        return signbit(v.f) ? negated(p, a) : a;
    default: return NULL;
    }
}

bool pure_known(const Ast *a, Val *v)
{
    bool minus = a->kind == AST_UNARY && a->unary.op == OP_NEG;
    const Ast *n = minus ? a->unary.operand : a;
    switch (n->kind) {
    case AST_INT: *v = val_int(minus ? -n->integer.value : n->integer.value); return true;
    case AST_FLOAT: *v = val_float(minus ? -n->real : n->real); return true;
    case AST_TRUE:
    case AST_FALSE: *v = val_bool(n->kind == AST_TRUE); return !minus;
    default: return false;
    }
}

/* The literal of a folded value; `a` itself when it has none (after a mistake, which was reported).
 */
static Ast *settle(Pure *p, Val v, Ast *a)
{
    Ast *lit = v.kind == V_BAD ? NULL : literal(p, v, a->span);
    return lit ? lit : a;
}

/* ---- names */

static const Param *host_param(const Pure *p, Sym name)
{
    for (uint32_t i = 0; i < p->host->params.len; i++)
        if (p->host->vars.at[p->host->params.at[i].var].base == name)
            return &p->host->params.at[i];
    return NULL;
}

static const Type *host_type(const Pure *p, Sym name)
{
    const Param *m = host_param(p, name);
    return m ? p->host->vars.at[m->var].type : NULL;
}

static Ast *dim_ast(Pure *p, const Dim *d, const Ast *a);

static Ast *fold_name(Pure *p, const Ast *a)
{
    const Type *t = host_type(p, a->name);
    if (pure_is_local(p, a->name))
        return pure_copy(p, a);
    if (t && t->kind == TY_SCALAR)
        return pure_copy(p, a);
    if (t) {
        elab_error(p->e, a->span, "type", "%s is a tensor: give it an index for each dimension",
                   a->name);
        return pure_copy(p, a);
    }
    Val v = elab_eval(p->e, a);
    if (v.kind == V_DIM)
        return dim_ast(p, v.dim, a);
    Ast *lit = v.kind == V_BAD ? NULL : literal(p, v, a->span);
    if (!lit && v.kind != V_BAD && v.kind != V_STR && v.kind != V_TUPLE && v.kind != V_LIST)
        elab_error(p->e, a->span, "type",
                   "%s is %s: init and golden functions compute with numbers", a->name,
                   val_describe(p->e, v));
    return lit ? lit : pure_copy(p, a);
}

static Ast *binary(Pure *p, BinaryOp op, Ast *l, Ast *r, Span span)
{
    Ast *a = node(p, AST_BINARY, span);
    a->binary.op = op;
    a->binary.left = l;
    a->binary.right = r;
    return a;
}

/* A polynomial in dynamic extents as an expression. */
static Ast *term_ast(Pure *p, const Term *t, Span span)
{
    Ast *product = t->coef == 1 && t->n_atoms ? NULL : literal(p, val_int(t->coef), span);
    for (uint32_t i = 0; i < t->n_atoms; i++) {
        const Atom *at = t->atoms[i];
        Ast *x = node(p, AST_NAME, span);
        x->name = at->name;
        if (at->kind == DIM_FLOORDIV || at->kind == DIM_MOD) {
            x = binary(p, at->kind == DIM_MOD ? OP_MOD : OP_FLOORDIV, dim_ast(p, at->left, x),
                       dim_ast(p, at->right, x), span);
        } else if (at->kind != DIM_NAME) {
            x->name = intern(p->e->in, at->kind == DIM_MIN ? "min" : "max");
            Ast *call = node(p, AST_CALL, span);
            call->call.callee = x;
            avec_push(p->e->arena, &call->call.args, dim_ast(p, at->left, x));
            avec_push(p->e->arena, &call->call.args, dim_ast(p, at->right, x));
            x = call;
        }
        product = product ? binary(p, OP_MUL, product, x, span) : x;
    }
    return product;
}

static Ast *dim_ast(Pure *p, const Dim *d, const Ast *a)
{
    Ast *sum = NULL;
    for (uint32_t i = 0; i < d->n_terms; i++) {
        Ast *t = term_ast(p, &d->terms[i], a->span);
        if (!t)
            return pure_copy(p, a);
        sum = sum ? binary(p, OP_ADD, sum, t, a->span) : t;
    }
    return sum ? sum : literal(p, val_int(0), a->span);
}

/* ---- expressions */

static void fold_list(Pure *p, const AstList *in, AstList *out)
{
    *out = (AstList){0};
    for (uint32_t i = 0; i < in->len; i++)
        avec_push(p->e->arena, out, pure_fold(p, in->at[i]));
}

static Ast *fold_unary(Pure *p, const Ast *a)
{
    Val v;
    Ast *c = pure_copy(p, a);
    c->unary.operand = pure_fold(p, a->unary.operand);
    if (!pure_known(c->unary.operand, &v))
        return c;
    return settle(p, elab_fold_unary(p->e, a->unary.op, v, a->span), c);
}

static Ast *fold_binary(Pure *p, const Ast *a)
{
    Val l, r;
    Ast *c = pure_copy(p, a);
    c->binary.left = pure_fold(p, a->binary.left);
    c->binary.right = pure_fold(p, a->binary.right);
    if (a->binary.op == OP_MATMUL)
        elab_error(p->e, a->span, "type",
                   "@ has no meaning for elements: write a sum over a range");
    if (a->binary.op == OP_MATMUL || !pure_known(c->binary.left, &l) ||
        !pure_known(c->binary.right, &r))
        return c;
    return settle(p, elab_fold_binary(p->e, a->binary.op, l, r, a->span), c);
}

/* Nothing but compile-time names below: no local, no tensor, no dynamic extent. */
static bool is_static(const Pure *p, const Ast *a)
{
    const CtName *n;
    switch (a->kind) {
    case AST_INT:
    case AST_FLOAT:
    case AST_STR:
    case AST_TRUE:
    case AST_FALSE:
    case AST_NONE: return true;
    case AST_NAME:
        n = pure_is_local(p, a->name) || host_param(p, a->name)
                ? NULL
                : elab_find_name(p->e->scope, a->name);
        return n && n->val.kind != V_DIM;
    case AST_ATTR: return elab_dotted(p->e, a) || is_static(p, a->attr.base);
    case AST_UNARY: return is_static(p, a->unary.operand);
    case AST_BINARY: return is_static(p, a->binary.left) && is_static(p, a->binary.right);
    case AST_TUPLE:
    case AST_LIST:
        for (uint32_t i = 0; i < a->items.len; i++)
            if (!is_static(p, a->items.at[i]))
                return false;
        return true;
    default: return false;
    }
}

/* Comparisons of compile-time values, strings and dtypes too, are decided here. */
static Ast *fold_compare(Pure *p, const Ast *a)
{
    bool decided = is_static(p, a->compare.first);
    for (uint32_t i = 0; i < a->compare.rest.len; i++)
        decided = decided && is_static(p, a->compare.rest.at[i]);
    if (decided)
        return settle(p, elab_eval(p->e, a), pure_copy(p, a));
    Ast *c = pure_copy(p, a);
    c->compare.first = pure_fold(p, a->compare.first);
    fold_list(p, &a->compare.rest, &c->compare.rest);
    for (uint32_t i = 0; i < a->compare.ops.len; i++)
        if (a->compare.ops.at[i] > CMP_GE)
            elab_error(p->e, a->span, "type", "numbers are compared with == != < <= > >=");
    return c;
}

/* A known operand that does not decide is dropped; one that does ends the list. */
static Ast *fold_logic(Pure *p, const Ast *a)
{
    Ast *c = pure_copy(p, a);
    c->items = (AstList){0};
    for (uint32_t i = 0; i < a->items.len; i++) {
        Val v;
        Ast *x = pure_fold(p, a->items.at[i]);
        bool last = i + 1 == a->items.len, is_known = pure_known(x, &v);
        bool decides = is_known && val_truth(v) != (a->kind == AST_AND);
        if (is_known && !decides && !last)
            continue;
        avec_push(p->e->arena, &c->items, x);
        if (decides)
            break;
    }
    return c->items.len == 1 ? c->items.at[0] : c;
}

static Ast *fold_cond(Pure *p, const Ast *a)
{
    Val v;
    Ast *cond = pure_fold(p, a->cond.cond);
    if (pure_known(cond, &v))
        return pure_fold(p, val_truth(v) ? a->cond.then : a->cond.otherwise);
    Ast *c = pure_copy(p, a);
    c->cond.cond = cond;
    c->cond.then = pure_fold(p, a->cond.then);
    c->cond.otherwise = pure_fold(p, a->cond.otherwise);
    return c;
}

static bool is_shape(const Ast *a)
{
    return a->kind == AST_ATTR && strcmp(a->attr.name, "shape") == 0 &&
           a->attr.base->kind == AST_NAME;
}

static Ast *fold_shape(Pure *p, const Ast *a, const Type *t)
{
    Val v;
    Ast *axis = a->sub.index.len == 1 ? pure_fold(p, a->sub.index.at[0]) : NULL;
    if (!axis || !pure_known(axis, &v) || v.kind != V_INT || v.i >= t->rank ||
        v.i < -(int64_t)t->rank) {
        elab_error(p->e, a->span, "shape", "shape[] of %s takes one constant from 0 to %d",
                   a->sub.base->attr.base->name, t->rank - 1);
        return pure_copy(p, a);
    }
    return dim_ast(p, t->dims[v.i < 0 ? v.i + t->rank : v.i], a);
}

static Ast *fold_item(Pure *p, const Ast *a)
{
    Val v = elab_eval(p->e, a);
    Ast *lit = v.kind == V_BAD ? NULL : literal(p, v, a->span);
    if (!lit && v.kind != V_BAD)
        elab_error(p->e, a->span, "type",
                   "this is %s: init and golden functions compute with numbers",
                   val_describe(p->e, v));
    return lit ? lit : pure_copy(p, a);
}

static Ast *fold_subscript(Pure *p, const Ast *a)
{
    const Ast *name = is_shape(a->sub.base) ? a->sub.base->attr.base : a->sub.base;
    const Type *t = name->kind == AST_NAME ? host_type(p, name->name) : NULL;
    if (!t) {
        if (name->kind == AST_NAME && elab_find_name(p->e->scope, name->name) &&
            !pure_is_local(p, name->name))
            return fold_item(p, a);
        elab_error(p->e, a->span, "name", "only tensors of the host function take an index here");
        return pure_copy(p, a);
    }
    if (!type_is_memory(t)) {
        elab_error(p->e, a->span, "type", "%s is a scalar, it takes no index", name->name);
        return pure_copy(p, a);
    }
    if (name != a->sub.base)
        return fold_shape(p, a, t);
    Ast *c = pure_copy(p, a);
    fold_list(p, &a->sub.index, &c->sub.index);
    if (a->sub.index.len != t->rank)
        elab_error(p->e, a->span, "shape", "%s has %u dimensions, got %u ind%s", name->name,
                   t->rank, a->sub.index.len, a->sub.index.len == 1 ? "ex" : "ices");
    return c;
}

/* ---- calls */

static const char *const of_one[] = {"abs", "exp",   "log", "sqrt",  "sin",
                                     "cos", "float", "int", "randn", "uniform"};
static const char *const of_many[] = {"min", "max", "sum", "prod", "all", "any"};

static bool is_in(const char *name, const char *const *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

static Ast *fold_range(Pure *p, const Ast *a)
{
    const Ast *f = a->kind == AST_CALL ? a->call.callee : NULL;
    Ast *c = pure_copy(p, a);
    if (!f || f->kind != AST_NAME || strcmp(f->name, "range") != 0 || a->call.args.len < 1 ||
        a->call.args.len > 3 || a->call.keywords.len) {
        elab_error(p->e, a->span, "syntax",
                   "a `for` in here runs over range(stop), range(start, stop) or range(start, "
                   "stop, step)");
        return c;
    }
    fold_list(p, &a->call.args, &c->call.args);
    return c;
}

static Ast *fold_generator(Pure *p, const Ast *a)
{
    Ast *c = pure_copy(p, a);
    c->gen.clauses = (AstForClauses){0};
    for (uint32_t i = 0; i < a->gen.clauses.len; i++) {
        AstForClause clause = a->gen.clauses.at[i];
        clause.iter = fold_range(p, clause.iter);
        if (clause.target->kind == AST_NAME)
            pure_count_local(p, clause.target->name, 1);
        else
            elab_error(p->e, clause.target->span, "syntax", "a `for` in here has one name");
        if (clause.cond)
            clause.cond = pure_fold(p, clause.cond);
        avec_push(p->e->arena, &c->gen.clauses, clause);
    }
    c->gen.element = pure_fold(p, a->gen.element);
    for (uint32_t i = 0; i < a->gen.clauses.len; i++)
        if (a->gen.clauses.at[i].target->kind == AST_NAME)
            pure_count_local(p, a->gen.clauses.at[i].target->name, -1);
    return c;
}

static bool call_ok(Pure *p, const Ast *a, Sym name, bool generator)
{
    bool one = is_in(name, of_one, sizeof of_one / sizeof of_one[0]);
    bool many = is_in(name, of_many, sizeof of_many / sizeof of_many[0]);
    if (!one && !many)
        elab_error(p->e, a->call.callee->span, "name",
                   "init and golden functions have no %s: they have abs exp log sqrt sin cos "
                   "float int randn uniform min max sum prod all any",
                   name);
    else if (a->call.keywords.len)
        elab_error(p->e, a->span, "type", "%s has no keywords", name);
    else if (one && (a->call.args.len != 1 || generator))
        elab_error(p->e, a->span, "type", "%s takes one number, got %u arguments", name,
                   a->call.args.len);
    else if (many && !generator && (name[0] != 'm' || a->call.args.len < 2))
        elab_error(p->e, a->span, "type",
                   name[0] == 'm' ? "%s takes two or more numbers, or `value for k in range(n)`"
                                  : "%s takes `value for k in range(n)`",
                   name);
    else
        return true;
    return false;
}

static Ast *fold_call(Pure *p, const Ast *a)
{
    const Ast *f = a->call.callee;
    Ast *c = pure_copy(p, a);
    const Ast *first = a->call.args.len == 1 ? a->call.args.at[0] : NULL;
    bool generator = first && (first->kind == AST_GENEXP || first->kind == AST_LISTCOMP);
    if (f->kind != AST_NAME) {
        /* pl.FP32.get_byte() and the like are compile-time. */
        if (elab_dotted(p->e, f) || f->kind == AST_ATTR)
            return fold_item(p, a);
        elab_error(p->e, f->span, "type", "this cannot be called");
        return c;
    }
    if (strcmp(f->name, "len") == 0)
        return fold_item(p, a);
    if (!call_ok(p, a, f->name, generator))
        return c;
    if (generator) {
        c->call.args = (AstList){0};
        avec_push(p->e->arena, &c->call.args, fold_generator(p, first));
        return c;
    }
    fold_list(p, &a->call.args, &c->call.args);
    Val *v = arena_new_n(p->e->arena, Val, c->call.args.len);
    for (uint32_t i = 0; i < c->call.args.len; i++)
        if (!pure_known(c->call.args.at[i], &v[i]))
            return c;
    if (!elab_is_builtin(f->name))
        return c;
    return settle(p, elab_fold_call(p->e, f->name, v, c->call.args.len, a->span), c);
}

Ast *pure_fold(Pure *p, const Ast *a)
{
    switch (a->kind) {
    case AST_INT:
    case AST_FLOAT:
    case AST_TRUE:
    case AST_FALSE:
    case AST_STR:
    case AST_ERROR: return pure_copy(p, a);
    case AST_NAME: return fold_name(p, a);
    case AST_UNARY: return fold_unary(p, a);
    case AST_BINARY: return fold_binary(p, a);
    case AST_COMPARE: return fold_compare(p, a);
    case AST_AND:
    case AST_OR: return fold_logic(p, a);
    case AST_COND: return fold_cond(p, a);
    case AST_SUBSCRIPT: return fold_subscript(p, a);
    case AST_CALL: return fold_call(p, a);
    case AST_TUPLE:
    case AST_LIST: {
        Ast *c = pure_copy(p, a);
        fold_list(p, &a->items, &c->items);
        return c;
    }
    default:
        elab_error(p->e, a->span, "syntax", "there is no %s in init and golden functions",
                   ast_kind_name(a->kind));
        return pure_copy(p, a);
    }
}
