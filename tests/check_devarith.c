/* The arithmetic of kernels: known cases, and all pairs of hard operands by other means. */
#include "base/devarith.h"
#include "tests/support.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const struct {
    ScalarOp op;
    Dtype dtype;
    int64_t a, b, want;
} values[] = {
    {SC_ADD, DT_INT32, INT32_MAX, 1, INT32_MIN},
    {SC_ADD, DT_INDEX, INT64_MAX, 1, INT64_MIN},
    {SC_SUB, DT_UINT8, 1, 2, 255},
    {SC_MUL, DT_INT16, 300, 300, 90000 - 65536},
    {SC_MUL, DT_INT64, INT64_MIN, -1, INT64_MIN},
    {SC_FLOORDIV, DT_INDEX, -7, 2, -3},
    {SC_FLOORDIV, DT_INT32, INT32_MIN, -1, INT32_MIN},
    {SC_FLOORDIV, DT_INDEX, INT64_MIN, -1, INT64_MIN},
    {SC_MOD, DT_INDEX, -1, 4, -1},
    {SC_MOD, DT_INDEX, INT64_MIN, -1, 0},
    {SC_MOD, DT_INT32, 7, -4, 3},
    {SC_BITXOR, DT_INT32, 6, 3, 5},
    {SC_SHL, DT_INT32, 1, 31, INT32_MIN},
    {SC_SHL, DT_INDEX, -1, 63, INT64_MIN},
    {SC_SHR, DT_INT32, -8, 1, -4},
    {SC_SHR, DT_UINT32, 0x80000000, 31, 1},
    {SC_LT, DT_INT32, -1, 0, 1},
    {SC_GE, DT_INT32, -1, 0, 0},
    {SC_AND, DT_BOOL, 1, 0, 0},
    {SC_OR, DT_BOOL, 1, 0, 1},
    {SC_NOT, DT_BOOL, 1, 0, 0},
    {SC_NEG, DT_INT8, -128, 0, -128},
    {SC_INVERT, DT_UINT8, 0, 0, 255},
    {SC_INVERT, DT_INT32, 0, 0, -1},
    {SC_MIN, DT_INDEX, -3, 4, -3},
    {SC_MAX, DT_INDEX, -3, 4, 4},
    {SC_ABS, DT_INT32, -5, 0, 5},
    {SC_ABS, DT_INT8, -128, 0, -128},
    {SC_ABS, DT_UINT32, UINT32_MAX, 0, UINT32_MAX},
};

START_TEST(integers)
{
    int64_t a = values[_i].a, b = values[_i].b, got = 0;
    if (scalar_arity(values[_i].op) == 2)
        ck_assert_int_eq(dev_binary(values[_i].op, values[_i].dtype, a, b, &got), ARITH_OK);
    else
        got = dev_unary(values[_i].op, values[_i].dtype, a);
    ck_assert_int_eq(got, values[_i].want);
}
END_TEST

static const struct {
    ScalarOp op;
    double a, b, want;
} floats[] = {
    {SC_ADD, 0x1p24, 1, 0x1p24}, /* a tie goes to the even one */
    {SC_ADD, 0x1p24, 1.0000001192092896, 0x1.000002p24},
    {SC_SUB, 1, 0x1p-25, 1},
    {SC_MUL, 0x1p-140, 0x1p-9, 0x1p-149}, /* subnormals stay */
    {SC_MUL, 0x1p127, 2, INFINITY},
    {SC_MUL, INFINITY, 0, NAN},
    {SC_DIV, 1, 3, 0x1.555556p-2},
    {SC_DIV, 1, 0, INFINITY},
    {SC_DIV, -1, 0, -INFINITY},
    {SC_DIV, 1, -0.0, -INFINITY},
    {SC_DIV, 0, 0, NAN},
    {SC_MIN, 0, -0.0, -0.0},
    {SC_MIN, -0.0, 0, -0.0},
    {SC_MAX, 0, -0.0, 0},
    {SC_MAX, -0.0, 0, 0},
    {SC_MIN, NAN, 1, NAN},
    {SC_MAX, 1, NAN, NAN},
    {SC_MAX, -INFINITY, -3, -3},
    {SC_NEG, 0, 0, -0.0},
    {SC_NEG, -NAN, 0, NAN},
    {SC_ABS, -0.0, 0, 0},
    {SC_ABS, -INFINITY, 0, INFINITY},
};

START_TEST(floats_are_fp32)
{
    int64_t a = dev_from_double(floats[_i].a), b = dev_from_double(floats[_i].b), got = 0;
    static const Dtype dtypes[] = {DT_FP32, DT_FP16, DT_BF16}; /* the narrow ones widen */
    for (int i = 0; i < 3; i++) {
        if (scalar_arity(floats[_i].op) == 2)
            ck_assert_int_eq(dev_binary(floats[_i].op, dtypes[i], a, b, &got), ARITH_OK);
        else
            got = dev_unary(floats[_i].op, dtypes[i], a);
        ck_assert_int_eq(got, dev_from_double(floats[_i].want));
    }
}
END_TEST

START_TEST(float_comparisons)
{
    static const double v[] = {-INFINITY, -1, -0.0, 0, 0x1p-149, 1, INFINITY, NAN};
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < 8; k++) {
            int64_t a = dev_from_double(v[i]), b = dev_from_double(v[k]), got;
            const bool want[] = {v[i] == v[k], v[i] != v[k], v[i]<v[k], v[i] <= v[k], v[i]> v[k],
                                 v[i] >= v[k]};
            for (int op = 0; op < 6; op++) {
                dev_binary((ScalarOp)(SC_EQ + op), DT_FP32, a, b, &got);
                ck_assert_int_eq(got, want[op]);
            }
        }
}
END_TEST

/* Casts: an integer or the double's bits go in, an integer or a double comes out. */
static const struct {
    Dtype from, to;
    double real, want;
    int64_t whole;
} casts[] = {
    {DT_INT32, DT_INT8, 0, 127, 1000},
    {DT_INT32, DT_UINT16, 0, 0, -5},
    {DT_INT32, DT_BOOL, 0, 1, 2},
    {DT_INT64, DT_FP32, 0, 0x1p24, 1 << 24},
    {DT_INT64, DT_FP32, 0, 0x1.000002p24, (1 << 24) + 1}, /* ties go away from zero */
    {DT_INT64, DT_FP32, 0, -0x1.000002p24, -(1 << 24) - 1},
    {DT_INT64, DT_FP32, 0, 0x1p62, (INT64_C(1) << 62) + (INT64_C(1) << 38) - 1},
    {DT_INT64, DT_FP32, 0, 0x1.000002p62, (INT64_C(1) << 62) + (INT64_C(1) << 38)},
    {DT_INT64, DT_FP32, 0, -0x1p63, INT64_MIN},
    {DT_INDEX, DT_FP16, 0, 2050, 2049},
    {DT_INDEX, DT_FP16, 0, 65504, 65519},
    {DT_INDEX, DT_FP16, 0, INFINITY, 65520},
    {DT_INT32, DT_BF16, 0, 258, 257},
    {DT_FP32, DT_INT32, 2.5, 3, 0},
    {DT_FP32, DT_INT32, -2.5, -3, 0},
    {DT_FP32, DT_INT32, 0x1.fffffep-2, 0, 0},
    {DT_FP32, DT_INT32, 3e9, INT32_MAX, 0},
    {DT_FP32, DT_UINT8, -1, 0, 0},
    {DT_FP32, DT_INT64, -0x1p63, -0x1p63, 0},
    {DT_FP32, DT_INT32, NAN, 0, 0},
    {DT_FP32, DT_INT16, -INFINITY, INT16_MIN, 0},
    {DT_FP32, DT_BOOL, 0.25, 1, 0},
    {DT_FP32, DT_BOOL, -0.0, 0, 0},
    {DT_FP32, DT_FP16, 0x1.002p0, 0x1.004p0, 0}, /* a tie, away */
    {DT_FP32, DT_FP16, 0x1p-25, 0x1p-24, 0},
    {DT_FP32, DT_FP16, -0x1.fffffep-26, -0.0, 0},
    {DT_FP32, DT_FP16, -65520, -INFINITY, 0},
    {DT_FP32, DT_BF16, 0x1.01p0, 0x1.02p0, 0},
    {DT_FP32, DT_BF16, 0x1.fffffep127, INFINITY, 0},
    {DT_FP16, DT_FP32, 0x1p-24, 0x1p-24, 0},
    {DT_BF16, DT_FP16, NAN, NAN, 0},
};

START_TEST(cast)
{
    bool real = dtype_is_float(casts[_i].from);
    int64_t a = real ? dev_from_double(casts[_i].real) : casts[_i].whole;
    int64_t got = dev_cast(casts[_i].from, casts[_i].to, a);
    if (dtype_is_float(casts[_i].to))
        ck_assert_int_eq(got, dev_from_double(casts[_i].want));
    else
        ck_assert_int_eq(got, (int64_t)casts[_i].want);
}
END_TEST

START_TEST(faults)
{
    int64_t got;
    ck_assert_int_eq(dev_binary(SC_FLOORDIV, DT_INT32, 1, 0, &got), ARITH_ZERO_DIVISION);
    ck_assert_int_eq(dev_binary(SC_MOD, DT_INDEX, 1, 0, &got), ARITH_ZERO_DIVISION);
    ck_assert_int_eq(dev_binary(SC_SHL, DT_INT32, 1, 32, &got), ARITH_SHIFT);
    ck_assert_int_eq(dev_binary(SC_SHR, DT_INDEX, 1, -1, &got), ARITH_SHIFT);
    ck_assert_int_eq(dev_binary(SC_DIV, DT_INT32, 1, 1, &got), ARITH_TYPE);
    ck_assert_int_eq(dev_binary(SC_FLOORDIV, DT_FP32, 1, 1, &got), ARITH_TYPE);
}
END_TEST

/* Every operator that the table gives to devices is there, and no other. */
START_TEST(the_table_tells_the_truth)
{
    ck_assert_str_eq(scalar_text(SC_FLOORDIV), "//");
    ck_assert_uint_eq(scalar_arity(SC_SELECT), 3);
    for (int op = 0; op < SC_COUNT; op++) {
        int64_t got;
        ScalarDevice device = scalar_info[op].device;
        if (scalar_arity((ScalarOp)op) != 2)
            continue;
        ck_assert_int_eq(dev_binary((ScalarOp)op, DT_INT32, 1, 1, &got) == ARITH_OK,
                         (device & SCALAR_INTS) != 0);
        ck_assert_int_eq(dev_binary((ScalarOp)op, DT_FP32, 0, 0, &got) == ARITH_OK,
                         (device & SCALAR_FLOATS) != 0);
    }
}
END_TEST

/* ---- all pairs, by other means ---- */

__extension__ typedef __int128 Wide;

static const Dtype int_dtypes[] = {DT_INT8,   DT_UINT8, DT_INT16, DT_UINT16, DT_INT32,
                                   DT_UINT32, DT_INT64, DT_INDEX, DT_BOOL};
enum { MAX_OPERANDS = 512 };

/* Around every power of two and the ends of the dtype. */
static int hard_ints(Dtype t, int64_t *out)
{
    int n = 0;
    for (int bit = 0; bit < 64; bit++)
        for (int delta = -1; delta <= 1; delta++)
            for (int sign = -1; sign <= 1; sign += 2) {
                Wide v = ((Wide)1 << bit) * sign + delta;
                if (v >= dtype_min(t) && v <= dtype_max(t))
                    out[n++] = (int64_t)v;
            }
    return n;
}

static int64_t wrapped(Dtype t, Wide v)
{
    if (t == DT_BOOL)
        return v != 0;
    int bits = 8 * (int)dtype_bytes(t);
    Wide span = (Wide)1 << bits;
    v %= span;
    if (v < 0)
        v += span;
    if (dtype_min(t) < 0 && v >= span / 2)
        v -= span;
    return (int64_t)v;
}

static ArithStatus wide(ScalarOp op, Dtype t, Wide a, Wide b, int64_t *out)
{
    int bits = 8 * (int)dtype_bytes(t);
    bool divides = op == SC_FLOORDIV || op == SC_MOD, shifts = op == SC_SHL || op == SC_SHR;
    if (divides && b == 0)
        return ARITH_ZERO_DIVISION;
    if (shifts && (b < 0 || b >= bits))
        return ARITH_SHIFT;
    Wide power = (Wide)1 << (shifts ? (int)b : 0), v = 0;
    switch (op) {
    case SC_ADD: v = a + b; break;
    case SC_SUB: v = a - b; break;
    case SC_MUL: v = a * b; break;
    case SC_FLOORDIV: v = a / b; break;
    case SC_MOD: v = a % b; break;
    case SC_SHL: v = a * power; break;
    case SC_SHR: v = (a - (a < 0 ? power - 1 : 0)) / power; break;
    case SC_MIN: v = a < b ? a : b; break;
    case SC_MAX: v = a < b ? b : a; break;
    default: return ARITH_TYPE;
    }
    *out = wrapped(t, v);
    return ARITH_OK;
}

START_TEST(integer_pairs)
{
    static const ScalarOp ops[] = {SC_ADD, SC_SUB, SC_MUL, SC_FLOORDIV, SC_MOD,
                                   SC_SHL, SC_SHR, SC_MIN, SC_MAX};
    Dtype t = int_dtypes[_i];
    int64_t v[MAX_OPERANDS], want = 0, got = 0;
    int n = hard_ints(t, v);
    for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                ArithStatus status = wide(ops[o], t, v[i], v[k], &want);
                ck_assert(dev_binary(ops[o], t, v[i], v[k], &got) == status);
                if (status == ARITH_OK && got != want)
                    ck_abort_msg("%s %s: %" PRId64 ", %" PRId64 ": %" PRId64 ", not %" PRId64,
                                 dtype_name(t), scalar_text(ops[o]), v[i], v[k], got, want);
            }
}
END_TEST

/* The double nearest to a result of two floats rounds to the float nearest to it: 53 bits are
 * more than twice 24 and two. */
START_TEST(float_pairs)
{
    float v[MAX_OPERANDS];
    int n = 0;
    for (int e = -149; e < 128; e += 7)
        for (uint32_t k = 0; k < 4; k++) {
            float one = 1 + (float)(k == 3 ? 0x7fffff : k) * 0x1p-23f;
            v[n++] = ldexpf(k & 1 ? -one : one, e);
        }
    v[n++] = 0.0f, v[n++] = -0.0f, v[n++] = INFINITY, v[n++] = -INFINITY, v[n++] = NAN;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double a = (double)v[i], b = (double)v[k];
            const double want[] = {a + b, a - b, a * b, a / b};
            static const ScalarOp ops[] = {SC_ADD, SC_SUB, SC_MUL, SC_DIV};
            for (int o = 0; o < 4; o++) {
                int64_t got;
                double rounded = isnan(want[o]) ? NAN : (double)(float)want[o];
                dev_binary(ops[o], DT_FP32, dev_from_double(a), dev_from_double(b), &got);
                ck_assert_msg(got == dev_from_double(rounded), "%a %s %a: %a, not %a", a,
                              scalar_text(ops[o]), b, dev_to_double(got), rounded);
            }
        }
}
END_TEST

/* Float to integer and back, against the double's own rounding. */
START_TEST(cast_pairs)
{
    Dtype t = int_dtypes[_i];
    for (int e = -4; e < 70; e++)
        for (int k = -3; k <= 3; k++) {
            double v = ldexp(1, e) + k * 0.25;
            for (int sign = -1; sign <= 1; sign += 2) {
                double r =
                    (fabs(v) < 0x1p52 ? floor(fabs(v) + 0.5) : fabs(v)) * (v * sign < 0 ? -1 : 1);
                double lo = (double)dtype_min(t), hi = (double)dtype_max(t);
                int64_t want = r <= lo ? dtype_min(t) : r >= hi ? dtype_max(t) : (int64_t)r;
                if (t == DT_BOOL)
                    want = v * sign != 0;
                ck_assert_int_eq(dev_cast(DT_FP32, t, dev_from_double(v * sign)), want);
            }
        }
    int64_t ints[MAX_OPERANDS];
    int n = hard_ints(t, ints);
    for (int i = 0; i < n; i++) /* within 24 bits nothing is rounded */
        if (ints[i] > -(1 << 24) && ints[i] < 1 << 24)
            ck_assert_int_eq(dev_cast(DT_FP32, t, dev_cast(t, DT_FP32, ints[i])), ints[i]);
}
END_TEST

#define EACH(tc, test, of) tcase_add_loop_test(tc, test, 0, sizeof of / sizeof of[0])

int main(void)
{
    TCase *tc = tcase_create("devarith");
    EACH(tc, integers, values);
    EACH(tc, floats_are_fp32, floats);
    EACH(tc, cast, casts);
    EACH(tc, integer_pairs, int_dtypes);
    EACH(tc, cast_pairs, int_dtypes);
    tcase_add_test(tc, float_pairs);
    tcase_add_test(tc, float_comparisons);
    tcase_add_test(tc, faults);
    tcase_add_test(tc, the_table_tells_the_truth);
    Suite *suite = suite_create("devarith");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
