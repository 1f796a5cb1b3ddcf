/* Operators on values known at compile time: Python's semantics on checked 64-bit integers,
 * doubles, strings, tuples and lists; and arithmetic on dynamic extents. */
#include "elab/elab.h"
#include <math.h>
#include <string.h>

static Val overflow(Elab *e, Span span, const char *op)
{
    elab_error(e, span, "value", "the result of %s leaves 64 bits", op);
    return val_bad;
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

static bool is_number(Val v)
{
    return is_int(v) || v.kind == V_FLOAT;
}

static double as_double(Val v)
{
    return v.kind == V_FLOAT ? v.f : (double)v.i;
}

static bool is_sequence(Val v)
{
    return v.kind == V_TUPLE || v.kind == V_LIST;
}

Val elab_fold_unary(Elab *e, UnaryOp op, Val a, Span span)
{
    if (op == OP_NOT)
        return val_bool(!val_truth(a));
    if (a.kind == V_DIM && op == OP_NEG)
        return val_dim(dim_sub(e->tt, dim_const(e->tt, 0), a.dim));
    if (a.kind == V_FLOAT && op != OP_INVERT)
        return val_float(op == OP_NEG ? -a.f : a.f);
    if (!is_int(a)) {
        elab_error(e, span, "type", "unsupported operand of unary %s: %s", unary_op_text(op),
                   val_describe(e, a));
        return val_bad;
    }
    if (op == OP_INVERT)
        return val_int(~a.i);
    if (op == OP_POS)
        return val_int(a.i);
    return a.i == INT64_MIN ? overflow(e, span, "-") : val_int(-a.i);
}

static bool floor_div(int64_t a, int64_t b, int64_t *q, int64_t *r)
{
    if (a == INT64_MIN && b == -1)
        return false;
    *q = a / b;
    *r = a % b;
    if (*r != 0 && (*r < 0) != (b < 0)) {
        *q -= 1;
        *r += b;
    }
    return true;
}

static bool int_power(int64_t base, int64_t exp, int64_t *out)
{
    int64_t result = 1;
    while (exp > 0) {
        if ((exp & 1) && __builtin_mul_overflow(result, base, &result))
            return false;
        exp >>= 1;
        if (exp && __builtin_mul_overflow(base, base, &base))
            return false;
    }
    *out = result;
    return true;
}

static Val int_shift(Elab *e, BinaryOp op, int64_t a, int64_t b, Span span)
{
    if (b < 0) {
        elab_error(e, span, "value", "negative shift count %lld", (long long)b);
        return val_bad;
    }
    if (op == OP_SHR)
        return val_int(b > 63 ? (a < 0 ? -1 : 0) : a >> b);
    if (a == 0)
        return val_int(0);
    int64_t r = 0;
    if (b > 62 || __builtin_mul_overflow(a, (int64_t)1 << b, &r))
        return overflow(e, span, "<<");
    return val_int(r);
}

static Val int_binary(Elab *e, BinaryOp op, int64_t a, int64_t b, Span span)
{
    int64_t q = 0, r = 0;
    const char *text = binary_op_text(op);
    if ((op == OP_DIV || op == OP_FLOORDIV || op == OP_MOD) && b == 0) {
        elab_error(e, span, "value", "division by zero in %s", text);
        return val_bad;
    }
    switch (op) {
    case OP_ADD: return __builtin_add_overflow(a, b, &r) ? overflow(e, span, text) : val_int(r);
    case OP_SUB: return __builtin_sub_overflow(a, b, &r) ? overflow(e, span, text) : val_int(r);
    case OP_MUL: return __builtin_mul_overflow(a, b, &r) ? overflow(e, span, text) : val_int(r);
    case OP_DIV: return val_float((double)a / (double)b);
    case OP_FLOORDIV: return floor_div(a, b, &q, &r) ? val_int(q) : overflow(e, span, text);
    case OP_MOD: return b == -1 ? val_int(0) : (floor_div(a, b, &q, &r), val_int(r));
    case OP_POW:
        if (b < 0) {
            if (a == 0) {
                elab_error(e, span, "value", "0 cannot be raised to a negative power");
                return val_bad;
            }
            return val_float(pow((double)a, (double)b));
        }
        return int_power(a, b, &r) ? val_int(r) : overflow(e, span, text);
    case OP_BITAND: return val_int(a & b);
    case OP_BITOR: return val_int(a | b);
    case OP_BITXOR: return val_int(a ^ b);
    case OP_SHL:
    case OP_SHR: return int_shift(e, op, a, b, span);
    default: return unsupported(e, span, text, val_int(a), val_int(b));
    }
}

static Val float_binary(Elab *e, BinaryOp op, Val x, Val y, Span span)
{
    double a = as_double(x), b = as_double(y);
    const char *text = binary_op_text(op);
    if ((op == OP_DIV || op == OP_FLOORDIV || op == OP_MOD) && b == 0) {
        elab_error(e, span, "value", "division by zero in %s", text);
        return val_bad;
    }
    switch (op) {
    case OP_ADD: return val_float(a + b);
    case OP_SUB: return val_float(a - b);
    case OP_MUL: return val_float(a * b);
    case OP_DIV: return val_float(a / b);
    case OP_FLOORDIV: return val_float(floor(a / b));
    case OP_MOD: {
        double r = fmod(a, b);
        return val_float(r != 0 && (r < 0) != (b < 0) ? r + b : r);
    }
    case OP_POW:
        if ((a == 0 && b < 0) || (a < 0 && b != floor(b))) {
            elab_error(e, span, "value", "%s has no real value",
                       arena_printf(e->arena, "%g ** %g", a, b));
            return val_bad;
        }
        return val_float(pow(a, b));
    default: return unsupported(e, span, text, x, y);
    }
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
    if (is_int(a) && is_int(b))
        return int_binary(e, op, a.i, b.i, span);
    if (is_number(a) && is_number(b))
        return float_binary(e, op, a, b, span);
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

static int compare_ints(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* -1, 0 or 1; 2 for values without an order (a NaN), -2 for types without one. */
static int order(Val a, Val b)
{
    if (is_int(a) && is_int(b))
        return compare_ints(a.i, b.i);
    if (is_number(a) && is_number(b)) {
        double x = as_double(a), y = as_double(b);
        return isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
    }
    if (a.kind == V_STR && b.kind == V_STR) {
        int c = strcmp(a.s, b.s);
        return (c > 0) - (c < 0);
    }
    if (!is_sequence(a) || a.kind != b.kind)
        return -2;
    for (uint32_t i = 0; i < a.n && i < b.n; i++)
        if (!val_equal(a.items[i], b.items[i]))
            return order(a.items[i], b.items[i]);
    return compare_ints(a.n, b.n);
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
    } else if (is_sequence(b)) {
        for (uint32_t i = 0; i < b.n && !found; i++)
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
    int c = order(a, b);
    if (c == -2)
        return unsupported(e, span, compare_op_text(op), a, b);
    switch (op) {
    case CMP_LT: return val_bool(c == -1);
    case CMP_LE: return val_bool(c == -1 || c == 0);
    case CMP_GT: return val_bool(c == 1);
    default: return val_bool(c == 1 || c == 0);
    }
}

static Val fold_extreme(Elab *e, bool want_max, const Val *args, uint32_t n, Span span)
{
    if (n == 1 && is_sequence(args[0]))
        return fold_extreme(e, want_max, args[0].items, args[0].n, span);
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
        int c = order(args[i], best);
        if (c == -2)
            return unsupported(e, span, want_max ? "max" : "min", best, args[i]);
        if (want_max ? c == 1 : c == -1)
            best = args[i];
    }
    return best;
}

static Val fold_int(Elab *e, Val v, Span span)
{
    if (is_int(v))
        return val_int(v.i);
    if (v.kind == V_FLOAT && v.f > -9.2e18 && v.f < 9.2e18)
        return val_int((int64_t)v.f);
    elab_error(e, span, "value", "int() cannot convert %s", val_describe(e, v));
    return val_bad;
}

static const char *const builtins[] = {"min", "max", "len", "abs", "int", "float", "bool", "str"};

bool elab_is_builtin(const char *name)
{
    for (uint32_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (strcmp(builtins[i], name) == 0)
            return true;
    return false;
}

static Val fold_abs(Elab *e, Val v, Span span)
{
    if (v.kind == V_FLOAT)
        return val_float(fabs(v.f));
    if (is_int(v))
        return v.i < 0 ? elab_fold_unary(e, OP_NEG, v, span) : val_int(v.i);
    elab_error(e, span, "type", "abs() takes a number, got %s", val_describe(e, v));
    return val_bad;
}

static Val fold_len(Elab *e, Val v, Span span)
{
    if (is_sequence(v))
        return val_int(v.n);
    if (v.kind == V_STR)
        return val_int((int64_t)strlen(v.s));
    elab_error(e, span, "type", "len() takes a list, a tuple or a string, got %s",
               val_describe(e, v));
    return val_bad;
}

static Val fold_str(Elab *e, Val v)
{
    Buf b = {0};
    val_print(&b, v, false);
    Sym s = intern_n(e->in, b.at ? b.at : "", b.len);
    buf_free(&b);
    return val_str(s);
}

Val elab_fold_call(Elab *e, Sym name, const Val *args, uint32_t n, Span span)
{
    for (uint32_t i = 0; i < n; i++)
        if (args[i].kind == V_BAD)
            return val_bad;
    if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)
        return fold_extreme(e, name[1] == 'a', args, n, span);
    if (n != 1) {
        elab_error(e, span, "type", "%s() takes one argument, got %u", name, n);
        return val_bad;
    }
    switch (name[0]) {
    case 'l': return fold_len(e, args[0], span);
    case 'a': return fold_abs(e, args[0], span);
    case 'i': return fold_int(e, args[0], span);
    case 's': return fold_str(e, args[0]);
    case 'b': return val_bool(val_truth(args[0]));
    default:
        if (is_number(args[0]))
            return val_float(as_double(args[0]));
        elab_error(e, span, "type", "float() takes a number, got %s", val_describe(e, args[0]));
        return val_bad;
    }
}
