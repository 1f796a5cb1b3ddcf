/* Can a dividend be negative? Device division truncates toward zero, so `(rank - 1) % nranks` is -1
 * on rank 0; a reader of Python expects nranks - 1. A warning is given where a dividend has a
 * subtraction or a negative literal and is not seen to stay at zero or above.
 *
 * Bounds are linear in variables: loop variables lie between the bounds of their loop, ranks
 * between 0 and nranks - 1. */
#include "base/checked.h"
#include "elab/typed/typed.h"

enum { MAX_TERMS = 8, FUEL = 400 };

/* Symbols: variables by id; above them the rank count and the dynamic extents. */
#define SYM_NRANKS (UINT32_MAX - 1u)
#define SYM_EXTENT 0x80000000u

typedef struct {
    bool ok;
    int64_t c;
    uint32_t n;
    struct {
        uint32_t sym;
        int64_t coef;
    } t[MAX_TERMS];
} Lin;

struct Bounds {
    Lin lo, hi;
    bool suspect; /* made with a subtraction or a negative literal */
};

typedef struct {
    Elab *e;
    uint32_t fuel;
} Ctx;

static const Lin unknown;

static Lin constant(int64_t c)
{
    return (Lin){.ok = true, .c = c};
}

static Lin symbol(uint32_t sym)
{
    Lin l = {.ok = true, .n = 1};
    l.t[0].sym = sym;
    l.t[0].coef = 1;
    return l;
}

static bool add_term(Lin *l, uint32_t sym, int64_t coef)
{
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->t[i].sym != sym)
            continue;
        if (!checked_add(l->t[i].coef, coef, &l->t[i].coef))
            return false;
        if (l->t[i].coef == 0)
            l->t[i] = l->t[--l->n];
        return true;
    }
    if (l->n == MAX_TERMS)
        return false;
    l->t[l->n].sym = sym;
    l->t[l->n++].coef = coef;
    return true;
}

/* a + k * b */
static Lin add_scaled(Lin a, Lin b, int64_t k)
{
    int64_t v;
    if (!a.ok || !b.ok)
        return unknown;
    if (!checked_mul(b.c, k, &v) || !checked_add(a.c, v, &a.c))
        return unknown;
    for (uint32_t i = 0; i < b.n; i++)
        if (!checked_mul(b.t[i].coef, k, &v) || (v && !add_term(&a, b.t[i].sym, v)))
            return unknown;
    return a;
}

static const Bounds *bounds_of_var(Ctx *x, VarId v)
{
    Fn *fn = x->e->fn;
    if (v >= fn->f->vars.len)
        return NULL;
    const Name *n = elab_name(x->e, elab_name_id(x->e, func_var(fn->f, v)->base));
    return n->state == NM_VAR && n->var == v ? n->bounds : NULL;
}

/* Replaces variables by their bounds, innermost loop first; true when what is left is at least 0.
 */
static bool at_least_zero(Ctx *x, Lin l)
{
    for (uint32_t round = 0; l.ok && round < 2 * MAX_TERMS; round++) {
        uint32_t best = MAX_TERMS;
        for (uint32_t i = 0; i < l.n; i++)
            if (l.t[i].sym < SYM_EXTENT && (best == MAX_TERMS || l.t[i].sym > l.t[best].sym))
                best = i;
        if (best == MAX_TERMS)
            break;
        uint32_t sym = l.t[best].sym;
        int64_t coef = l.t[best].coef;
        const Bounds *b = bounds_of_var(x, sym);
        l.t[best] = l.t[--l.n];
        l = b ? add_scaled(l, coef > 0 ? b->lo : b->hi, coef) : unknown;
    }
    if (!l.ok)
        return false;
    for (uint32_t i = 0; i < l.n; i++) {
        if (l.t[i].sym < SYM_EXTENT || l.t[i].coef < 0)
            return false;
        if (l.t[i].sym == SYM_NRANKS && !checked_add(l.c, l.t[i].coef, &l.c))
            return false;
    }
    return l.c >= 0;
}

static Lin range(Ctx *x, const Expr *e, bool low);

static bool non_negative(Ctx *x, const Expr *e)
{
    return at_least_zero(x, range(x, e, true));
}

static Lin range_mul(Ctx *x, const Expr *e, bool low)
{
    int64_t k;
    for (int i = 0; i < 2; i++)
        if (expr_is_int(e->args[i], &k))
            return add_scaled(constant(0), range(x, e->args[!i], k >= 0 ? low : !low), k);
    return low && non_negative(x, e->args[0]) && non_negative(x, e->args[1]) ? constant(0)
                                                                             : unknown;
}

static Lin range_scalar(Ctx *x, const Expr *e, bool low)
{
    switch (e->scalar) {
    case SC_ADD: return add_scaled(range(x, e->args[0], low), range(x, e->args[1], low), 1);
    case SC_SUB: return add_scaled(range(x, e->args[0], low), range(x, e->args[1], !low), -1);
    case SC_NEG: return add_scaled(constant(0), range(x, e->args[0], !low), -1);
    case SC_CAST: return range(x, e->args[0], low);
    case SC_MUL: return range_mul(x, e, low);
    case SC_MOD:
        if (!non_negative(x, e->args[0]))
            return unknown;
        return low ? constant(0) : add_scaled(range(x, e->args[1], false), constant(1), -1);
    case SC_FLOORDIV:
        if (!non_negative(x, e->args[0]) || !non_negative(x, e->args[1]))
            return unknown;
        return low ? constant(0) : range(x, e->args[0], false);
    case SC_MIN:
        if (!low)
            return range(x, e->args[1], false);
        return non_negative(x, e->args[0]) && non_negative(x, e->args[1]) ? constant(0) : unknown;
    case SC_MAX:
        return low && (non_negative(x, e->args[0]) || non_negative(x, e->args[1])) ? constant(0)
                                                                                   : unknown;
    case SC_BITAND:
        return low && (non_negative(x, e->args[0]) || non_negative(x, e->args[1])) ? constant(0)
                                                                                   : unknown;
    case SC_BITOR:
    case SC_BITXOR:
    case SC_SHL:
    case SC_SHR:
        return low && non_negative(x, e->args[0]) && non_negative(x, e->args[1]) ? constant(0)
                                                                                 : unknown;
    case SC_SELECT:
        return low && non_negative(x, e->args[1]) && non_negative(x, e->args[2]) ? constant(0)
                                                                                 : unknown;
    default: return unknown;
    }
}

static Lin range_op(const Expr *e, bool low)
{
    if (e->op == OP_NRANKS || e->op == OP_WORLD_SIZE)
        return symbol(SYM_NRANKS);
    if (e->op == OP_RANK)
        return low ? constant(0) : add_scaled(symbol(SYM_NRANKS), constant(1), -1);
    return e->op == OP_DIM && low ? constant(0) : unknown;
}

static Lin range_extent(Ctx *x, Sym name)
{
    const SymList *names = &x->e->p->extents;
    for (uint32_t i = 0; i < names->len; i++)
        if (names->at[i] == name)
            return symbol(SYM_EXTENT + i);
    return unknown;
}

/* The least (`low`) or greatest value of an expression, linear in symbols. */
static Lin range(Ctx *x, const Expr *e, bool low)
{
    if (x->fuel == 0)
        return unknown;
    x->fuel--;
    switch (e->kind) {
    case EX_INT: return constant(e->ival);
    case EX_VAR: return symbol(e->var);
    case EX_EXTENT: return range_extent(x, e->sym);
    case EX_SCALAR: return range_scalar(x, e, low);
    case EX_OP: return range_op(e, low);
    default: return unknown;
    }
}

static void look_for_minus(void *env, Expr **e)
{
    Ctx *x = env;
    const Bounds *b = (*e)->kind == EX_VAR ? bounds_of_var(x, (*e)->var) : NULL;
    if (((*e)->kind == EX_SCALAR && ((*e)->scalar == SC_SUB || (*e)->scalar == SC_NEG)) ||
        ((*e)->kind == EX_INT && (*e)->ival < 0) || (b && b->suspect))
        x->fuel = 0;
}

static bool has_minus(Elab *e, const Expr *e_)
{
    Ctx x = {e, 1};
    Expr *root = (Expr *)(uintptr_t)e_;
    expr_walk(&root, look_for_minus, &x);
    return x.fuel == 0;
}

const Bounds *elab_bounds_of(Elab *e, const Expr *x)
{
    if (!x->type || !type_is_int_scalar(x->type))
        return NULL;
    Bounds *b = arena_new(e->arena, Bounds);
    Ctx low = {e, FUEL}, high = {e, FUEL};
    b->lo = range(&low, x, true);
    b->hi = range(&high, x, false);
    b->suspect = has_minus(e, x) && !non_negative(&low, x);
    int64_t known;
    if (elab_constant(e, x, &known))
        b->lo = b->hi = constant(known);
    return b->lo.ok || b->hi.ok || b->suspect ? b : NULL;
}

const Bounds *elab_bounds_loop(Elab *e, const Expr *lo, const Expr *hi, const Expr *step)
{
    int64_t s;
    Ctx x = {e, FUEL};
    if (!expr_is_int(step, &s))
        return NULL;
    Bounds *b = arena_new(e->arena, Bounds);
    b->lo = s > 0 ? range(&x, lo, true) : add_scaled(range(&x, hi, true), constant(1), 1);
    b->hi = s > 0 ? add_scaled(range(&x, hi, false), constant(1), -1) : range(&x, lo, false);
    return b;
}

/* Only what is the same on both paths, but the suspicion stays. */
const Bounds *elab_bounds_join(Elab *e, const Bounds *a, const Bounds *b)
{
    if (a == b)
        return a;
    Bounds *j = arena_new(e->arena, Bounds);
    Ctx x = {e, FUEL};
    j->suspect = (a && a->suspect) || (b && b->suspect);
    if (a && b && at_least_zero(&x, a->lo) && at_least_zero(&x, b->lo))
        j->lo = constant(0);
    return j;
}

void elab_check_dividend(Elab *e, const Expr *dividend, const char *op, Span span)
{
    Ctx x = {e, FUEL};
    if (e->ir || !has_minus(e, dividend) || non_negative(&x, dividend))
        return;
    diag_warn(e->diags, span, WARN_NEGATIVE_DIVIDEND,
              "the dividend of %s can be negative, and devices divide toward zero: add a multiple "
              "of the divisor first",
              op);
}

enum { CONSTANT_DEPTH = 64 };

static bool known_value(Ctx *x, const Expr *e, uint32_t depth, int64_t *out)
{
    int64_t args[3];
    const Bounds *b;
    switch (e->kind) {
    case EX_INT:
    case EX_BOOL: *out = e->ival; return true;
    case EX_VAR:
        b = bounds_of_var(x, e->var);
        if (!b || !b->lo.ok || !b->hi.ok || b->lo.n || b->hi.n || b->lo.c != b->hi.c)
            return false;
        *out = b->lo.c;
        return true;
    case EX_SCALAR:
        if (e->n_args > 3 || depth == CONSTANT_DEPTH)
            return false;
        for (uint32_t i = 0; i < e->n_args; i++)
            if (!known_value(x, e->args[i], depth + 1, &args[i]))
                return false;
        return scalar_apply(e, args, out);
    default: return false;
    }
}

const Expr *elab_literal(Elab *e, const Expr *x)
{
    if (e->ir || x->kind != EX_VAR || !x->type || x->type->kind != TY_SCALAR)
        return NULL;
    const Name *n = elab_name(e, elab_name_id(e, func_var(e->fn->f, x->var)->base));
    return n->state == NM_VAR && n->var == x->var ? n->literal : NULL;
}

/* In a dump what is a run-time value is meant to be one. */
bool elab_constant(Elab *e, const Expr *x, int64_t *out)
{
    Ctx c = {e, FUEL};
    bool scalar = x->type && x->type->kind == TY_SCALAR && !dtype_is_float(x->type->dtype);
    return !e->ir && scalar && known_value(&c, x, 0, out);
}
