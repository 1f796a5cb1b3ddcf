/* Expressions of init and golden functions. */
#include "elab/typed/element.h"
#include <string.h>

enum { MAX_NODES = 1 << 20 };

VarId element_new_var(Element *p, Sym name, Span span)
{
    avec_push(p->e->arena, &p->assigned, true);
    return func_new_var(p->e->p, p->f, name, p->number, span);
}

bool element_find_local(const Element *p, Sym name, VarId *v)
{
    uint64_t n = 0;
    if (!map_get_ptr(&p->locals, name, &n) || n == 0)
        return false;
    *v = (VarId)(n - 1);
    return true;
}

static bool is_local(const Element *p, Sym name)
{
    VarId v;
    return element_find_local(p, name, &v);
}

Expr *element_node(Element *p, ExprKind kind, Span span)
{
    Expr *x = ex_alloc(p->e->arena, kind);
    x->type = p->number;
    x->span = span;
    if (++p->nodes == MAX_NODES)
        elab_error(p->e, p->at, "value", "this init or golden function is too large");
    return x;
}

static void set_args(Element *p, Expr *x, uint32_t n, Expr *const *args)
{
    x->n_args = n;
    x->args = arena_new_n(p->e->arena, Expr *, n);
    for (uint32_t i = 0; i < n; i++)
        x->args[i] = args[i];
}

Expr *element_operation(Element *p, ScalarOp op, Span span, uint32_t n, Expr *const *args)
{
    Expr *x = element_node(p, EX_SCALAR, span);
    x->scalar = op;
    set_args(p, x, n, args);
    return x;
}

Expr *element_op(Element *p, ElementOp op, Span span, uint32_t n, Expr *const *args)
{
    Expr *x = element_node(p, EX_ELEMENT, span);
    x->element = op;
    set_args(p, x, n, args);
    return x;
}

Expr *element_use(Element *p, VarId v, Span span)
{
    Expr *x = element_node(p, EX_VAR, span);
    x->var = v;
    return x;
}

/* ---- values and literals */

Expr *element_literal(Element *p, Val v, Span span)
{
    bool real = v.kind == V_FLOAT;
    if (v.kind != V_BOOL && v.kind != V_INT && !real)
        return NULL;
    Expr *x = element_node(p, real ? EX_FLOAT : v.kind == V_INT ? EX_INT : EX_BOOL, span);
    if (real)
        x->fval = v.f;
    else
        x->ival = v.i;
    return x;
}

bool element_known(const Expr *x, Val *v)
{
    switch (x->kind) {
    case EX_INT: *v = val_int(x->ival); return true;
    case EX_FLOAT: *v = val_float(x->fval); return true;
    case EX_BOOL: *v = val_bool(x->ival != 0); return true;
    default: return false;
    }
}

Expr *element_nothing(Element *p, const Ast *a)
{
    return element_literal(p, val_int(0), a->span);
}

/* The literal of a folded value; `x` itself when it has none (after a mistake, which was reported).
 */
Expr *element_settle(Element *p, Val v, Expr *x)
{
    Expr *lit = v.kind == V_BAD ? NULL : element_literal(p, v, x->span);
    return lit ? lit : x;
}

/* ---- names */

static bool host_param(const Element *p, Sym name, uint32_t *index)
{
    for (uint32_t i = 0; i < p->host->params.len; i++) {
        if (func_var(p->host, p->host->params.at[i].var)->base == name) {
            *index = i;
            return true;
        }
    }
    return false;
}

static const Type *host_type(const Element *p, Sym name)
{
    uint32_t i;
    return host_param(p, name, &i) ? func_var(p->host, p->host->params.at[i].var)->type : NULL;
}

/* A parameter of the host function, which becomes one of this function. */
static Expr *use_host(Element *p, const Ast *name)
{
    uint32_t i = 0;
    host_param(p, name->name, &i);
    const Var *v = func_var(p->host, p->host->params.at[i].var);
    if (p->host_vars[i] == VAR_NONE) {
        p->host_vars[i] = element_new_var(p, v->base, v->span);
        func_var(p->f, p->host_vars[i])->type = v->type;
    }
    Expr *x = element_use(p, p->host_vars[i], name->span);
    if (type_is_memory(v->type))
        x->type = v->type;
    return x;
}

static Expr *dim_expr(Element *p, const Dim *d, Span span);

/* A compile-time value as a number; what has no such form is a mistake. */
Expr *element_value(Element *p, Val v, const Ast *a)
{
    if (v.kind == V_DIM)
        return dim_expr(p, v.dim, a->span);
    Expr *lit = element_literal(p, v, a->span);
    if (lit)
        return lit;
    if (v.kind != V_BAD && a->kind == AST_NAME)
        elab_error(p->e, a->span, "type",
                   "%s is %s: init and golden functions compute with numbers", a->name,
                   val_describe(p->e, v));
    else if (v.kind != V_BAD)
        elab_error(p->e, a->span, "type",
                   "this is %s: init and golden functions compute with numbers",
                   val_describe(p->e, v));
    return element_nothing(p, a);
}

static Expr *name_expr(Element *p, const Ast *a)
{
    VarId v;
    const Type *t = host_type(p, a->name);
    if (element_find_local(p, a->name, &v)) {
        if (!p->assigned.at[v])
            elab_error(p->e, a->span, "name", "%s has no value on some path to here",
                       func_var(p->f, v)->display);
        return element_use(p, v, a->span);
    }
    if (t && t->kind == TY_SCALAR)
        return use_host(p, a);
    if (!t)
        return element_value(p, elab_eval(p->e, a), a);
    elab_error(p->e, a->span, "type", "%s is a tensor: give it an index for each dimension",
               a->name);
    return element_nothing(p, a);
}

Expr *element_binary(Element *p, BinaryOp op, Expr *l, Expr *r, Span span)
{
    static const uint8_t ops[] = {
        [OP_ADD] = SC_ADD,       [OP_SUB] = SC_SUB,           [OP_MUL] = SC_MUL,
        [OP_DIV] = SC_DIV,       [OP_FLOORDIV] = SC_FLOORDIV, [OP_MOD] = SC_MOD,
        [OP_POW] = SC_POW,       [OP_BITAND] = SC_BITAND,     [OP_BITOR] = SC_BITOR,
        [OP_BITXOR] = SC_BITXOR, [OP_SHL] = SC_SHL,           [OP_SHR] = SC_SHR,
    };
    Val a, b;
    if (op == OP_MATMUL) {
        elab_error(p->e, span, "type", "@ has no meaning for elements: write a sum over a range");
        return l;
    }
    Expr *x = element_operation(p, (ScalarOp)ops[op], span, 2, (Expr *[]){l, r});
    if (!element_known(l, &a) || !element_known(r, &b))
        return x;
    return element_settle(p, elab_fold_binary(p->e, op, a, b, span), x);
}

/* A polynomial in dynamic extents. */
static Expr *atom_expr(Element *p, const Atom *at, Span span)
{
    if (at->kind == DIM_NAME) {
        Expr *x = element_node(p, EX_EXTENT, span);
        x->sym = at->name;
        return x;
    }
    Expr *sides[] = {dim_expr(p, at->left, span), dim_expr(p, at->right, span)};
    if (at->kind == DIM_FLOORDIV || at->kind == DIM_MOD)
        return element_binary(p, at->kind == DIM_MOD ? OP_MOD : OP_FLOORDIV, sides[0], sides[1],
                              span);
    return element_operation(p, at->kind == DIM_MIN ? SC_MIN : SC_MAX, span, 2, sides);
}

static Expr *term_expr(Element *p, const Term *t, Span span)
{
    Expr *product = t->coef == 1 && t->n_atoms ? NULL : element_literal(p, val_int(t->coef), span);
    for (uint32_t i = 0; i < t->n_atoms; i++) {
        Expr *x = atom_expr(p, t->atoms[i], span);
        product = product ? element_binary(p, OP_MUL, product, x, span) : x;
    }
    return product;
}

static Expr *dim_expr(Element *p, const Dim *d, Span span)
{
    Expr *sum = NULL;
    for (uint32_t i = 0; i < d->n_terms; i++) {
        Expr *t = term_expr(p, &d->terms[i], span);
        sum = sum ? element_binary(p, OP_ADD, sum, t, span) : t;
    }
    return sum ? sum : element_literal(p, val_int(0), span);
}

/* ---- expressions */

static Expr *unary_expr(Element *p, const Ast *a)
{
    static const uint8_t ops[] = {[OP_NEG] = SC_NEG, [OP_NOT] = SC_NOT, [OP_INVERT] = SC_INVERT};
    Val v;
    Expr *operand = element_expr(p, a->unary.operand);
    if (element_known(operand, &v))
        return element_settle(p, elab_fold_unary(p->e, a->unary.op, v, a->span), operand);
    if (a->unary.op == OP_POS)
        return operand;
    return element_operation(p, (ScalarOp)ops[a->unary.op], a->span, 1, &operand);
}

static Expr *binary_expr(Element *p, const Ast *a)
{
    Expr *left = element_expr(p, a->binary.left);
    return element_binary(p, a->binary.op, left, element_expr(p, a->binary.right), a->span);
}

/* Names of comprehensions and lambdas around the node at hand. */
typedef struct {
    const Element *p;
    VEC(Sym) bound;
    bool good;
} Static;

static bool is_bound(const Static *s, Sym name)
{
    for (uint32_t i = 0; i < s->bound.len; i++)
        if (s->bound.at[i] == name)
            return true;
    return false;
}

static void static_name(Static *s, Sym name)
{
    const Element *p = s->p;
    if (is_bound(s, name))
        return;
    const CtName *n =
        is_local(p, name) || host_type(p, name) ? NULL : elab_find_name(p->e->scope, name);
    s->good &= n ? n->val.kind != V_DIM : !is_local(p, name) && elab_is_builtin(name);
}

static void bind_targets(Static *s, const Ast *t)
{
    if (t->kind == AST_NAME)
        vec_push(&s->bound, t->name);
    else if (t->kind == AST_TUPLE || t->kind == AST_LIST)
        for (uint32_t i = 0; i < t->items.len; i++)
            bind_targets(s, t->items.at[i]);
}

static void look(void *env, Ast *a);

static void look_at_comprehension(Static *s, const Ast *a)
{
    uint32_t n = s->bound.len;
    for (uint32_t i = 0; i < a->gen.clauses.len; i++) {
        look(s, a->gen.clauses.at[i].iter);
        bind_targets(s, a->gen.clauses.at[i].target);
        if (a->gen.clauses.at[i].cond)
            look(s, a->gen.clauses.at[i].cond);
    }
    if (a->gen.key)
        look(s, a->gen.key);
    look(s, a->gen.element);
    s->bound.len = n;
}

static void look(void *env, Ast *a)
{
    Static *s = env;
    if (!s->good)
        return;
    switch (a->kind) {
    case AST_NAME: static_name(s, a->name); break;
    case AST_ATTR:
        if (!elab_dotted(s->p->e, a) && !elab_is_math_name(s->p->e, a))
            look(s, a->attr.base);
        break;
    case AST_LISTCOMP:
    case AST_DICTCOMP:
    case AST_GENEXP: look_at_comprehension(s, a); break;
    case AST_LAMBDA:
    case AST_ERROR: s->good = false; break;
    default: ast_children(a, look, s);
    }
}

/* Nothing but compile-time names below: no local, no tensor, no dynamic extent. */
bool element_is_static(const Element *p, const Ast *a)
{
    Static s = {.p = p, .good = true};
    look(&s, (Ast *)(uintptr_t)a);
    vec_free(&s.bound);
    return s.good;
}

/* a < b < c is a < b and b < c; the middle has no effects, so it may be evaluated twice. */
static Expr *copy(Element *p, const Expr *x)
{
    Expr *c = element_node(p, x->kind, x->span);
    memcpy(c, x, ex_size(x->kind));
    c->args = arena_new_n(p->e->arena, Expr *, x->n_args);
    for (uint32_t i = 0; i < x->n_args && p->nodes < MAX_NODES; i++)
        c->args[i] = x->args[i] ? copy(p, x->args[i]) : NULL;
    return c;
}

static Expr *compare_two(Element *p, CompareOp op, Expr *l, Expr *r, Span span)
{
    static const uint8_t ops[] = {[CMP_EQ] = SC_EQ, [CMP_NE] = SC_NE, [CMP_LT] = SC_LT,
                                  [CMP_LE] = SC_LE, [CMP_GT] = SC_GT, [CMP_GE] = SC_GE};
    Val a, b;
    Expr *x = element_operation(p, (ScalarOp)ops[op], span, 2, (Expr *[]){l, r});
    if (!element_known(l, &a) || !element_known(r, &b))
        return x;
    return element_settle(p, elab_fold_compare(p->e, op, a, b, span), x);
}

/* Comparisons of compile-time values, strings and dtypes too, are decided here. */
static Expr *compare_expr(Element *p, const Ast *a)
{
    bool decided = element_is_static(p, a->compare.first);
    for (uint32_t i = 0; i < a->compare.rest.len; i++)
        decided = decided && element_is_static(p, a->compare.rest.at[i]);
    if (decided)
        return element_settle(p, elab_eval(p->e, a), element_nothing(p, a));
    Expr *all = NULL, *left = element_expr(p, a->compare.first);
    for (uint32_t i = 0; i < a->compare.ops.len; i++) {
        if (a->compare.ops.at[i] > CMP_GE) {
            elab_error(p->e, a->span, "type", "numbers are compared with == != < <= > >=");
            return left;
        }
        p->guarded += i > 0;
        Expr *right = element_expr(p, a->compare.rest.at[i]);
        p->guarded -= i > 0;
        Expr *one = compare_two(p, a->compare.ops.at[i], left, right, a->span);
        all = all ? element_operation(p, SC_AND, a->span, 2, (Expr *[]){all, one}) : one;
        left = i + 1 < a->compare.ops.len ? copy(p, right) : right;
    }
    return all;
}

/* A known operand that does not decide is dropped; one that does ends the list. */
static Expr *logic_expr(Element *p, const Ast *a)
{
    Expr *all = NULL;
    for (uint32_t i = 0; i < a->items.len; i++) {
        Val v;
        p->guarded += all != NULL;
        Expr *x = element_expr(p, a->items.at[i]);
        p->guarded -= all != NULL;
        bool last = i + 1 == a->items.len, is_known = element_known(x, &v);
        bool decides = is_known && val_truth(v) != (a->kind == AST_AND);
        if (is_known && !decides && !last)
            continue;
        ScalarOp op = a->kind == AST_AND ? SC_AND : SC_OR;
        all = all ? element_operation(p, op, a->span, 2, (Expr *[]){all, x}) : x;
        if (decides)
            break;
    }
    return all;
}

static Expr *cond_expr(Element *p, const Ast *a)
{
    Val v;
    Expr *parts[3] = {element_expr(p, a->cond.cond)};
    if (element_known(parts[0], &v))
        return element_expr(p, val_truth(v) ? a->cond.then : a->cond.otherwise);
    p->guarded++;
    parts[1] = element_expr(p, a->cond.then);
    parts[2] = element_expr(p, a->cond.otherwise);
    p->guarded--;
    return element_operation(p, SC_SELECT, a->span, 3, parts);
}

static bool is_shape(const Ast *a)
{
    return a->kind == AST_ATTR && strcmp(a->attr.name, "shape") == 0 &&
           a->attr.base->kind == AST_NAME;
}

static Expr *shape_expr(Element *p, const Ast *a, const Type *t)
{
    Val v;
    Expr *axis = a->sub.index.len == 1 ? element_expr(p, a->sub.index.at[0]) : NULL;
    if (!axis || !element_known(axis, &v) || v.kind != V_INT || v.i >= t->rank ||
        v.i < -(int64_t)t->rank) {
        elab_error(p->e, a->span, "shape", "shape[] of %s takes one constant from 0 to %d",
                   a->sub.base->attr.base->name, t->rank - 1);
        return element_nothing(p, a);
    }
    return dim_expr(p, t->dims[v.i < 0 ? v.i + t->rank : v.i], a->span);
}

static Expr *read_expr(Element *p, const Ast *a, const Type *t)
{
    Expr *args[1 + MAX_RANK] = {use_host(p, a->sub.base)};
    for (uint32_t i = 0; i < a->sub.index.len && i < t->rank; i++)
        args[1 + i] = element_expr(p, a->sub.index.at[i]);
    if (a->sub.index.len == t->rank)
        return element_op(p, EL_READ, a->span, 1 + (uint32_t)t->rank, args);
    elab_error(p->e, a->span, "shape", "%s has %u dimensions, got %u ind%s", a->sub.base->name,
               t->rank, a->sub.index.len, a->sub.index.len == 1 ? "ex" : "ices");
    return element_nothing(p, a);
}

static Expr *subscript_expr(Element *p, const Ast *a)
{
    const Ast *name = is_shape(a->sub.base) ? a->sub.base->attr.base : a->sub.base;
    bool local = name->kind == AST_NAME && is_local(p, name->name);
    const Type *t = name->kind == AST_NAME && !local ? host_type(p, name->name) : NULL;
    if (!t) {
        bool known = name->kind == AST_NAME && elab_find_name(p->e->scope, name->name) && !local;
        if (known || element_is_static(p, a))
            return element_value(p, elab_eval(p->e, a), a);
        elab_error(p->e, a->span, "name", "only tensors of the host function take an index here");
        return element_nothing(p, a);
    }
    if (!type_is_memory(t)) {
        elab_error(p->e, a->span, "type", "%s is a scalar, it takes no index", name->name);
        return element_nothing(p, a);
    }
    return name != a->sub.base ? shape_expr(p, a, t) : read_expr(p, a, t);
}

Expr *element_expr(Element *p, const Ast *a)
{
    switch (a->kind) {
    case AST_INT: return element_literal(p, val_int(a->integer.value), a->span);
    case AST_FLOAT: return element_value(p, val_float(a->real), a);
    case AST_TRUE:
    case AST_FALSE: return element_literal(p, val_bool(a->kind == AST_TRUE), a->span);
    case AST_NAME: return name_expr(p, a);
    case AST_UNARY: return unary_expr(p, a);
    case AST_BINARY: return binary_expr(p, a);
    case AST_COMPARE: return compare_expr(p, a);
    case AST_AND:
    case AST_OR: return logic_expr(p, a);
    case AST_COND: return cond_expr(p, a);
    case AST_SUBSCRIPT: return subscript_expr(p, a);
    case AST_CALL: return element_call(p, a);
    case AST_ERROR: return element_nothing(p, a);
    default:
        elab_error(p->e, a->span, "syntax", "there is no %s in init and golden functions",
                   ast_kind_name(a->kind));
        return element_nothing(p, a);
    }
}
