/* Python's arithmetic against Python: tests/pyarith/make.py wrote what it gives for every operator
 * on all pairs of some two hundred operands; and cases to read. */
#include "base/crc32.h"
#include "base/file.h"
#include "base/pyarith.h"
#include "tests/support.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPERANDS = 400 };
static Number operands[MAX_OPERANDS];
static int n_operands;

static const char *const names[SC_COUNT] = {
#define PLD_SCALAR_OP(ENUM, text, arity, form, prec, result, code, device) #ENUM,
#include "base/scalar.def"
};

static uint64_t hash_result(uint64_t hash, Number v)
{
    static const char why[] = {
        [ARITH_OVERFLOW] = 'o', [ARITH_ZERO_DIVISION] = 'z', [ARITH_ZERO_POWER] = 'p',
        [ARITH_SHIFT] = 's',    [ARITH_DOMAIN] = 'd',        [ARITH_TYPE] = 't'};
    char kind = v.tag == NUM_INT ? 'i' : v.tag == NUM_FLOAT ? 'f' : why[v.i];
    if (v.tag == NUM_FLOAT && isnan(v.f))
        v = num_float(fabs((double)NAN));
    else if (v.tag == NUM_NONE)
        v.i = 0;
    return hash64(hash64(hash, &kind, 1), &v.i, 8);
}

/* Whether a ** b is the same with every C library. */
static bool exact_power(Number a, Number b)
{
    static const double special[] = {0, 1, INFINITY, -INFINITY};
    if (a.tag == NUM_INT && b.tag == NUM_INT && b.i >= 0)
        return true;
    double x = num_double(a), y = num_double(b);
    for (int i = 0; i < 4; i++)
        if (x == special[i] || y == special[i])
            return true;
    return x == -1 || isnan(x) || isnan(y) || (x < 0 && y != floor(y));
}

static uint64_t hash_all(ScalarOp op, Number left)
{
    uint64_t hash = HASH64_INIT;
    for (int i = 0; i < n_operands; i++)
        if (op != SC_POW || exact_power(left, operands[i]))
            hash = hash_result(hash, py_binary(op, left, operands[i]));
    return hash;
}

static uint64_t hash_unary(ScalarOp op)
{
    uint64_t hash = HASH64_INIT;
    for (int i = 0; i < n_operands; i++)
        hash = hash_result(hash, py_unary(op, operands[i]));
    return hash;
}

static ScalarOp op_named(const char *name)
{
    for (int op = 0; op < SC_COUNT; op++)
        if (strcmp(names[op], name) == 0)
            return (ScalarOp)op;
    ck_abort_msg("no operator %s", name);
    return SC_COUNT;
}

/* One line of the file; returns 1 where it held a result. */
static int check_line(char *line)
{
    char name[16];
    int left;
    uint64_t bits;
    if (line[0] == 'i') {
        operands[n_operands++] = num_int(strtoll(line + 2, NULL, 10));
        return 0;
    }
    if (line[0] == 'f') {
        bits = strtoull(line + 2, NULL, 16);
        memcpy(&operands[n_operands].f, &bits, 8);
        operands[n_operands++].tag = NUM_FLOAT;
        return 0;
    }
    ck_assert_int_eq(sscanf(line + 2, "%15s %d %" SCNx64, name, &left, &bits), 3);
    ck_assert_int_lt(left, n_operands);
    ScalarOp op = op_named(name);
    ck_assert_uint_eq(scalar_arity(op), (unsigned)(line[0] - '0'));
    uint64_t got = line[0] == '1' ? hash_unary(op) : hash_all(op, operands[left]);
    ck_assert_msg(got == bits, "%s, operand %d of expected.txt on the left: not as in Python", name,
                  left);
    return 1;
}

START_TEST(as_in_python)
{
    Buf file = {0};
    char *why;
    int results = 0;
    ck_assert(file_read("tests/pyarith/expected.txt", &file, 1 << 24, &why));
    n_operands = 0;
    for (char *line = strtok(file.at, "\n"); line; line = strtok(NULL, "\n")) {
        ck_assert_int_lt(n_operands, MAX_OPERANDS);
        results += check_line(line);
    }
    ck_assert_int_gt(n_operands, 200);
    ck_assert_int_eq(results, 7 + 22 * n_operands);
    buf_free(&file);
}
END_TEST

#define I(v)                                                                                       \
    {                                                                                              \
        .tag = NUM_INT, .i = v                                                                     \
    }
#define F(v)                                                                                       \
    {                                                                                              \
        .tag = NUM_FLOAT, .f = v                                                                   \
    }
#define NONE(why)                                                                                  \
    {                                                                                              \
        .tag = NUM_NONE, .i = why                                                                  \
    }

static const struct {
    ScalarOp op;
    Number a, b, want;
} cases[] = {
    {SC_FLOORDIV, F(1.0), F(0.1), F(9.0)},
    {SC_MOD, F(1.0), F(0.1), F(0.09999999999999995)},
    {SC_FLOORDIV, I(-7), I(2), I(-4)},
    {SC_MOD, I(-7), I(2), I(1)},
    {SC_MOD, F(-7.5), I(2), F(0.5)},
    {SC_MOD, F(7.5), I(-2), F(-0.5)},
    {SC_MOD, F(-1.0), F(INFINITY), F(INFINITY)},
    {SC_FLOORDIV, F(-1.0), F(INFINITY), F(-1.0)},
    {SC_DIV, I(3509319858730095995), I(544461693100611747), F(6.445485335699466)},
    {SC_DIV, I(0), I(-5), F(-0.0)},
    {SC_DIV, I(1), I(0), NONE(ARITH_ZERO_DIVISION)},
    {SC_POW, I(2), I(-3), F(0.125)},
    {SC_POW, I(0), I(-1), NONE(ARITH_ZERO_POWER)},
    {SC_POW, F(-8.0), F(0.5), NONE(ARITH_DOMAIN)},
    {SC_POW, F(10.0), I(400), NONE(ARITH_OVERFLOW)},
    {SC_POW, I(-2), I(63), I(INT64_MIN)},
    {SC_POW, I(2), I(63), NONE(ARITH_OVERFLOW)},
    {SC_GT, I(9007199254740993), F(9007199254740992.0), I(1)},
    {SC_EQ, I(9007199254740993), F(9007199254740992.0), I(0)},
    {SC_LT, I(INT64_MAX), F(0x1p63), I(1)},
    {SC_LE, I(1), F(NAN), I(0)},
    {SC_SHL, I(-1), I(63), I(INT64_MIN)},
    {SC_SHL, I(1), I(63), NONE(ARITH_OVERFLOW)},
    {SC_SHR, I(-5), I(200), I(-1)},
    {SC_SHL, I(1), I(-1), NONE(ARITH_SHIFT)},
    {SC_BITAND, I(1), F(1.0), NONE(ARITH_TYPE)},
    {SC_MIN, F(0.0), F(-0.0), F(0.0)},
    {SC_ADD, I(INT64_MAX), F(1.0), F(0x1p63)},
};

START_TEST(known_cases)
{
    Number got = py_binary(cases[_i].op, cases[_i].a, cases[_i].b);
    ck_assert_int_eq(got.tag, cases[_i].want.tag);
    ck_assert_mem_eq(&got.i, &cases[_i].want.i, 8);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("pyarith");
    tcase_add_test(tc, as_in_python);
    tcase_add_loop_test(tc, known_cases, 0, sizeof cases / sizeof cases[0]);
    Suite *suite = suite_create("pyarith");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
