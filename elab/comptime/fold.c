/* Operators on values known at compile time: Python's semantics on checked 64-bit integers,
 * doubles, strings, tuples and lists; and arithmetic on dynamic extents. */
#include "elab/comptime/elab.h"
#include <string.h>

ScalarOp elab_scalar_op(BinaryOp op)
{
    static const ScalarOp table[] = {
        [OP_ADD] = SC_ADD,     [OP_SUB] = SC_SUB,           [OP_MUL] = SC_MUL,
        [OP_DIV] = SC_DIV,     [OP_FLOORDIV] = SC_FLOORDIV, [OP_MOD] = SC_MOD,
        [OP_POW] = SC_POW,     [OP_MATMUL] = SC_COUNT,      [OP_BITAND] = SC_BITAND,
        [OP_BITOR] = SC_BITOR, [OP_BITXOR] = SC_BITXOR,     [OP_SHL] = SC_SHL,
        [OP_SHR] = SC_SHR};
    return table[op];
}

static Val unsupported(Elab *e, Span span, const char *op, Val a, Val b)
{
    elab_error(e, span, "type", "unsupported operands of %s: %s and %s", op, val_describe(e, a),
               val_describe(e, b));
    return val_bad;
}

static bool is_int(Val v)
{
    return v.kind == V_INT || v.kind == V_BOOL;
}

static bool is_sequence(Val v)
{
    return v.kind == V_TUPLE || v.kind == V_LIST;
}

static Val of_number(Number n)
{
    return n.tag == NUM_INT ? val_int(n.i) : val_float(n.f);
}

/* What arithmetic refuses, in words; ARITH_TYPE is the caller's. */
static Val refuse(Elab *e, Number why, const char *op, Val a, Val b, Span span)
{
    bool ints = is_int(a) && (b.kind == V_BAD || is_int(b));
    switch (why.i) {
    case ARITH_ZERO_DIVISION: elab_error(e, span, "value", "division by zero in %s", op); break;
    case ARITH_ZERO_POWER:
        elab_error(e, span, "value", "0 cannot be raised to a negative power");
        break;
    case ARITH_SHIFT:
        elab_error(e, span, "value", "negative shift count %lld", (long long)b.i);
        break;
    case ARITH_DOMAIN:
        elab_error(e, span, "value", "%s %s %s has no real value", val_text(e, a), op,
                   val_text(e, b));
        break;
    default:
        elab_error(e, span, "value", "the result of %s %s", op,
                   ints ? "leaves 64 bits" : "is too large for a float");
        break;
    }
    return val_bad;
}

Val elab_fold_unary(Elab *e, UnaryOp op, Val a, Span span)
{
    static const ScalarOp ops[] = {[OP_NEG] = SC_NEG, [OP_INVERT] = SC_INVERT};
    Number n, out = num_none(ARITH_TYPE);
    if (op == OP_NOT)
        return val_bool(!val_truth(a));
    if (a.kind == V_DIM && op == OP_NEG)
        return val_dim(dim_sub(e->tt, dim_const(e->tt, 0), a.dim));
    if (val_number(a, &n))
        out = op == OP_POS ? n : py_unary(ops[op], n);
    if (out.tag)
        return of_number(out);
    if (out.i != ARITH_TYPE)
        return refuse(e, out, unary_op_text(op), a, val_bad, span);
    elab_error(e, span, "type", "unsupported operand of unary %s: %s", unary_op_text(op),
               val_describe(e, a));
    return val_bad;
}

static Val number_binary(Elab *e, BinaryOp op, Val a, Val b, Span span)
{
    Number x, y;
    ScalarOp sc = elab_scalar_op(op);
    val_number(a, &x);
    val_number(b, &y);
    Number out = sc == SC_COUNT ? num_none(ARITH_TYPE) : py_binary(sc, x, y);
    if (!out.tag && out.i == ARITH_TYPE)
        return unsupported(e, span, binary_op_text(op), a, b);
    if (!out.tag)
        return refuse(e, out, binary_op_text(op), a, b, span);
    bool bits = sc == SC_BITAND || sc == SC_BITOR || sc == SC_BITXOR;
    return bits && a.kind == V_BOOL && b.kind == V_BOOL ? val_bool(out.i != 0) : of_number(out);
}

static const Dim *as_dim(Elab *e, Val v)
{
    return v.kind == V_DIM ? v.dim : dim_const(e->tt, v.i);
}

static Val dim_binary(Elab *e, BinaryOp op, Val a, Val b, Span span)
{
    if ((a.kind != V_DIM && !is_int(a)) || (b.kind != V_DIM && !is_int(b)))
        return unsupported(e, span, binary_op_text(op), a, b);
    const Dim *x = as_dim(e, a), *y = as_dim(e, b), *r;
    switch (op) {
    case OP_ADD: r = dim_add(e->tt, x, y); break;
    case OP_SUB: r = dim_sub(e->tt, x, y); break;
    case OP_MUL: r = dim_mul(e->tt, x, y); break;
    case OP_FLOORDIV:
    case OP_MOD: r = dim_atom(e->tt, op == OP_MOD ? DIM_MOD : DIM_FLOORDIV, x, y); break;
    default: return unsupported(e, span, binary_op_text(op), a, b);
    }
    if (!r)
        elab_error(e, span, "shape", "the extent %s %s %s divides by zero or is too large",
                   val_text(e, a), binary_op_text(op), val_text(e, b));
    return val_dim(r);
}

/* Of less than twice the limit of a sequence, which the caller checks. */
static Val join_sequences(Elab *e, Val a, Val b)
{
    Val *items = arena_new_n(e->arena, Val, a.n + b.n ? a.n + b.n : 1);
    if (a.n)
        memcpy(items, a.items, a.n * sizeof *a.items);
    if (b.n)
        memcpy(items + a.n, b.items, b.n * sizeof *b.items);
    return val_items(e, a.kind, items, a.n + b.n);
}

enum { MAX_SEQUENCE = 1 << 16 };

static Val repeat_sequence(Elab *e, Val a, int64_t times, Span span)
{
    if (times > 0 && a.n > 0 && times > (int64_t)(MAX_SEQUENCE / a.n)) {
        elab_error(e, span, "value", "a list of more than %d items", MAX_SEQUENCE);
        return val_bad;
    }
    uint32_t n = times > 0 ? a.n * (uint32_t)times : 0;
    Val *items = arena_new_n(e->arena, Val, n ? n : 1);
    for (uint32_t i = 0; i < n; i++)
        items[i] = a.items[i % a.n];
    return elab_limit(e, val_items(e, a.kind, items, n), span);
}

Val elab_fold_binary(Elab *e, BinaryOp op, Val a, Val b, Span span)
{
    if (a.kind == V_BAD || b.kind == V_BAD)
        return val_bad;
    if (val_is_number(a) && val_is_number(b))
        return number_binary(e, op, a, b, span);
    if (a.kind == V_DIM || b.kind == V_DIM)
        return dim_binary(e, op, a, b, span);
    if (a.kind == V_STR && b.kind == V_STR && op == OP_ADD)
        return elab_limit(e, val_str(internf(e->in, "%s%s", a.s, b.s)), span);
    if (is_sequence(a) && a.kind == b.kind && op == OP_ADD)
        return elab_limit(e, join_sequences(e, a, b), span);
    if (is_sequence(a) && is_int(b) && op == OP_MUL)
        return repeat_sequence(e, a, b.i, span);
    return unsupported(e, span, binary_op_text(op), a, b);
}

int elab_order(Val a, Val b)
{
    Number x, y;
    if (val_number(a, &x) && val_number(b, &y))
        return py_compare(x, y);
    if (a.kind == V_STR && b.kind == V_STR) {
        int c = strcmp(a.s, b.s);
        return (c > 0) - (c < 0);
    }
    if (!is_sequence(a) || a.kind != b.kind)
        return -2;
    for (uint32_t i = 0; i < a.n && i < b.n; i++)
        if (!val_equal(a.items[i], b.items[i]))
            return elab_order(a.items[i], b.items[i]);
    return (a.n > b.n) - (a.n < b.n);
}

static Val dim_compare(Elab *e, CompareOp op, Val a, Val b, Span span)
{
    int64_t diff;
    if ((a.kind == V_DIM || is_int(a)) && (b.kind == V_DIM || is_int(b))) {
        const Dim *d = dim_sub(e->tt, as_dim(e, a), as_dim(e, b));
        if (d && dim_is_const(d, &diff))
            return elab_fold_compare(e, op, val_int(diff), val_int(0), span);
    }
    elab_error(e, span, "value",
               "%s is known only when the program is started: compile-time code cannot compare it",
               val_text(e, a.kind == V_DIM ? a : b));
    return val_bad;
}

static Val fold_in(Elab *e, bool negate, Val a, Val b, Span span)
{
    bool found = false;
    if (a.kind == V_STR && b.kind == V_STR) {
        found = strstr(b.s, a.s) != NULL;
    } else if (is_sequence(b) || b.kind == V_DICT) {
        if (!elab_step(e, b.n, span))
            return val_bad;
        for (uint32_t i = 0; i < b.n && !found; i += 1 + (b.kind == V_DICT))
            found = val_equal(a, b.items[i]);
    } else {
        return unsupported(e, span, "in", a, b);
    }
    return val_bool(found != negate);
}

Val elab_fold_compare(Elab *e, CompareOp op, Val a, Val b, Span span)
{
    if (a.kind == V_BAD || b.kind == V_BAD)
        return val_bad;
    if (op == CMP_IN || op == CMP_NOT_IN)
        return fold_in(e, op == CMP_NOT_IN, a, b, span);
    if (a.kind == V_DIM || b.kind == V_DIM)
        return dim_compare(e, op, a, b, span);
    if (op == CMP_EQ || op == CMP_NE)
        return val_bool(val_equal(a, b) == (op == CMP_EQ));
    if (op == CMP_IS || op == CMP_IS_NOT)
        return val_bool((a.kind == b.kind && val_equal(a, b)) == (op == CMP_IS));
    int c = elab_order(a, b);
    if (c == -2)
        return unsupported(e, span, compare_op_text(op), a, b);
    switch (op) {
    case CMP_LT: return val_bool(c == -1);
    case CMP_LE: return val_bool(c == -1 || c == 0);
    case CMP_GT: return val_bool(c == 1);
    default: return val_bool(c == 1 || c == 0);
    }
}

Val elab_fold_extreme(Elab *e, bool want_max, const Val *args, uint32_t n, Span span)
{
    if (n == 1 && is_sequence(args[0]))
        return elab_fold_extreme(e, want_max, args[0].items, args[0].n, span);
    if (n == 0) {
        elab_error(e, span, "value", "%s() of nothing", want_max ? "max" : "min");
        return val_bad;
    }
    Val best = args[0];
    for (uint32_t i = 1; i < n; i++) {
        if (best.kind == V_DIM || args[i].kind == V_DIM) {
            if ((best.kind != V_DIM && !is_int(best)) ||
                (args[i].kind != V_DIM && !is_int(args[i])))
                return unsupported(e, span, want_max ? "max" : "min", best, args[i]);
            best = val_dim(
                dim_atom(e->tt, want_max ? DIM_MAX : DIM_MIN, as_dim(e, best), as_dim(e, args[i])));
            continue;
        }
        int c = elab_order(args[i], best);
        if (c == -2)
            return unsupported(e, span, want_max ? "max" : "min", best, args[i]);
        if (want_max ? c == 1 : c == -1)
            best = args[i];
    }
    return best;
}

Val elab_fold_conversion(Elab *e, ScalarOp op, Val v, Span span)
{
    Number n;
    const char *name = scalar_text(op);
    if (!val_number(v, &n)) {
        elab_error(e, span, "type", "%s() takes a number, got %s", name, val_describe(e, v));
        return val_bad;
    }
    Number out = py_unary(op, n);
    if (out.tag)
        return of_number(out);
    if (op != SC_INT)
        return refuse(e, out, name, v, val_bad, span);
    elab_error(e, span, "value", "int() cannot convert %s", val_describe(e, v));
    return val_bad;
}
