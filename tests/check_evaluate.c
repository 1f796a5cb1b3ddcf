/* The evaluator of init and golden functions: Python's arithmetic, elements, random numbers,
 * failures, from instructions written by hand. */
#include "base/math.h"
#include "sim/machine/evaluate.h"
#include "sim/machine/random.h"
#include "tests/support.h"
#include "tests/values.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A program with host tensors x [2, 3] FP32 and n [4] INT64, a scalar s, and the code under test:
 * registers are an extent, s, the two indices, then one for each instruction. */
enum { R_EXTENT, R_S, R_I, R_J, R_FREE };
enum { S_X, S_N, S_S, S_I, S_J, S_FILE };
static Arena arena;
static BcInsn code[8192];
static BcElementFunc func;
static BcProgram program;
static int64_t consts[4096];
static HostTensor tensors[2];
static float x_values[] = {0, 1, 2, 10, 11, 12};
static int64_t n_values[] = {5, 6, 7, INT64_MAX}, extents[] = {9}, zero_index[BC_MAX_RANK];
static Number scalars[3];
static EvaluateEnv env;
static const char *why;

static void setup(void)
{
    static const char *strings[] = {"x", "n", "s", "i", "j", "x.pld"};
    static BcParam params[] = {{.name = S_X, .dtype = DT_FP32, .rank = 2},
                               {.name = S_N, .dtype = DT_INT64, .rank = 1},
                               {.name = S_S, .kind = BCP_SCALAR, .dtype = DT_INT32},
                               {.name = S_I, .kind = BCP_SCALAR, .dtype = DT_INDEX},
                               {.name = S_J, .kind = BCP_SCALAR, .dtype = DT_INDEX}};
    static const BcMreg mregs[] = {{BCM_TENSOR, DT_FP32, 2}, {BCM_TENSOR, DT_INT64, 1}};
    static const BcBind binds[] = {{.extent = 0, .param = BC_NO_INDEX}};
    static const uint32_t extent_names[] = {S_S};
    static const BcLoc locs[] = {{.file = S_FILE, .line = 12, .col = 5}};
    static BcFunc host = {.n_params = 3, .params = params};
    program = (BcProgram){.arena = &arena,
                          .strings = strings,
                          .n_strings = 6,
                          .funcs = &host,
                          .n_funcs = 1,
                          .consts = consts,
                          .extents = extent_names,
                          .n_extents = 1};
    tensors[0] = (HostTensor){.name = "x", .dtype = DT_FP32, .rank = 2, .shape = {2, 3}};
    tensors[1] = (HostTensor){.name = "n", .dtype = DT_INT64, .rank = 1, .shape = {4}};
    for (int i = 0; i < 2; i++) {
        const char *unused;
        ck_assert(tensor_alloc(&arena, &tensors[i], &unused));
    }
    memcpy(tensors[0].initial, x_values, sizeof x_values);
    memcpy(tensors[1].initial, n_values, sizeof n_values);
    scalars[2] = num_int(3);
    env = (EvaluateEnv){.program = &program,
                        .extents = extents,
                        .n_tensors = 2,
                        .tensors = tensors,
                        .scalars = scalars};
    func = (BcElementFunc){.golden = true, .n_index = 2};
    func.func = (BcFunc){.name = S_X,
                         .kind = BCF_ELEMENT,
                         .params = params,
                         .n_params = 5,
                         .mregs = mregs,
                         .n_mregs = 2,
                         .binds = binds,
                         .n_binds = 1,
                         .insns = code,
                         .locs = locs,
                         .n_locs = 1,
                         .n_regs = R_FREE};
}

/* Appends an instruction that sets a new register. */
static uint32_t insn(BcInsn in)
{
    in.a = func.func.n_regs++;
    code[func.func.n_insns++] = in;
    return in.a;
}

static uint32_t constant(BcOp op, const void *bits)
{
    memcpy(&consts[program.n_consts], bits, sizeof *consts);
    return insn((BcInsn){.op = (uint16_t)op, .imm = (int32_t)program.n_consts++});
}

static uint32_t num(int64_t v)
{
    return constant(BC_LDK, &v);
}
static uint32_t flt(double v)
{
    return constant(BC_LDF, &v);
}

static uint32_t op(ScalarOp o, uint32_t a, uint32_t b)
{
    bool one = scalar_arity(o) == 1;
    return insn((BcInsn){
        .op = one ? BC_PUN : BC_PBIN, .b = (uint16_t)a, .c = (uint16_t)(one ? 0 : b), .imm = o});
}

static uint32_t element(uint32_t tensor, uint32_t first, uint32_t n)
{
    return insn(
        (BcInsn){.op = BC_READ, .b = (uint16_t)tensor, .c = (uint16_t)first, .d = (uint16_t)n});
}

static uint32_t random_of(BcOp o, uint32_t seed)
{
    return insn((BcInsn){.op = (uint16_t)o, .b = (uint16_t)seed});
}

static void add(BcInsn in)
{
    code[func.func.n_insns++] = in;
}

static void returns(uint32_t reg)
{
    add((BcInsn){.op = BC_RET, .a = (uint16_t)reg, .b = 1});
}

static void start_over(void)
{
    func.func.n_insns = 0;
    func.func.n_regs = R_FREE;
    program.n_consts = 0;
}

static bool run(Number *out, const int64_t *index)
{
    why = NULL;
    return evaluate_at(evaluator_new(&arena, &env, &func), index, out, &why);
}

/* Evaluates one expression and starts over. */
static Number value(uint32_t reg)
{
    Number v;
    returns(reg);
    if (!run(&v, zero_index))
        ck_abort_msg("%s", why);
    start_over();
    return v;
}

static void is_int(uint32_t reg, int64_t want)
{
    Number v = value(reg);
    ck_assert_int_eq(v.tag, NUM_INT);
    ck_assert_int_eq(v.i, want);
}

static void is_float(uint32_t reg, double want)
{
    Number v = value(reg);
    ck_assert_int_eq(v.tag, NUM_FLOAT);
    ck_assert_msg((isnan(want) && isnan(v.f)) || (v.f == want && !signbit(v.f) == !signbit(want)),
                  "%.17g, not %.17g", v.f, want);
}

static void fails(uint32_t reg, const char *message)
{
    Number v;
    returns(reg);
    ck_assert(!run(&v, zero_index));
    char all[200];
    snprintf(all, sizeof all, "golden x (x.pld:12:5): %s at [0, 0]", message);
    ck_assert_str_eq(why, all);
    start_over();
}

START_TEST(integers_as_in_python)
{
    is_int(op(SC_FLOORDIV, num(-7), num(2)), -4);
    is_int(op(SC_FLOORDIV, num(7), num(-2)), -4);
    is_int(op(SC_MOD, num(-7), num(4)), 1);
    is_int(op(SC_MOD, num(7), num(-4)), -1);
    is_int(op(SC_MOD, num(INT64_MIN), num(-1)), 0);
    is_int(op(SC_POW, num(-3), num(3)), -27);
    is_int(op(SC_POW, num(2), num(62)), INT64_C(1) << 62);
    is_int(op(SC_POW, num(-2), num(63)), INT64_MIN);
    is_int(op(SC_POW, num(7), num(0)), 1);
    is_int(op(SC_SHR, num(-5), num(100)), -1);
    is_int(op(SC_SHL, num(-1), num(63)), INT64_MIN);
    is_int(op(SC_INVERT, num(5), 0), -6);
    is_int(op(SC_BITXOR, num(6), num(3)), 5);
    is_int(op(SC_ABS, num(-5), 0), 5);
    is_int(op(SC_INT, flt(-2.9), 0), -2);
}
END_TEST

START_TEST(floats_as_in_python)
{
    is_float(op(SC_DIV, num(1), num(4)), 0.25);
    is_float(op(SC_DIV, num(6), num(3)), 2.0);
    is_float(op(SC_ADD, num(1), flt(0.5)), 1.5);
    is_float(op(SC_FLOORDIV, flt(-7.5), num(2)), -4.0);
    is_float(op(SC_MOD, flt(-7.5), num(2)), 0.5);
    is_float(op(SC_MOD, flt(5.5), flt(-2)), -0.5);
    is_float(op(SC_FLOORDIV, flt(-0.0), num(2)), -0.0);
    is_float(op(SC_MOD, flt(4), flt(-2)), -0.0);
    is_float(op(SC_FLOORDIV, flt(1), flt(0.1)), 9.0);
    is_float(op(SC_POW, num(2), num(-1)), 0.5);
    is_float(op(SC_POW, flt(2), flt(0.5)), math_pow(2, 0.5));
    is_float(op(SC_POW, flt(-2), num(3)), -8.0);
    is_float(op(SC_NEG, flt(0.0), 0), -0.0);
    is_float(op(SC_EXP, num(0), 0), 1.0);
    is_float(op(SC_SQRT, num(2), 0), sqrt(2));
    is_float(op(SC_ADD, flt(INFINITY), flt(-INFINITY)), NAN);
    is_float(op(SC_EXP, flt(INFINITY), 0), INFINITY);
    is_float(op(SC_SIN, flt(NAN), 0), NAN);
    is_float(op(SC_FLOAT, num(3), 0), 3.0);
}
END_TEST

/* Where operands rounded to doubles first would give another quotient; from Python. */
START_TEST(true_division_rounds_once)
{
    is_float(op(SC_DIV, num(9007199254740993), num(3)), 3002399751580331.0);
    is_float(op(SC_DIV, num(INT64_MAX), num(INT64_MAX - 2)), 1.0);
    is_float(op(SC_DIV, num(INT64_MIN), num(-1)), 0x1p63);
    is_float(op(SC_DIV, num(9223372036854775807), num(9007199254740993)), 1023.9999999999999);
    is_float(op(SC_DIV, num(-9223372036854775283), num(10)), -9.223372036854775e17);
    is_float(op(SC_DIV, num(3), num(9007199254740995)), 3.3306690738754686e-16);
    is_float(op(SC_DIV, num(0), num(INT64_MIN)), -0.0);
}
END_TEST

START_TEST(comparisons_are_exact)
{
    is_int(op(SC_LT, num(9007199254740993), flt(9007199254740992.0)), 0);
    is_int(op(SC_GT, num(9007199254740993), flt(9007199254740992.0)), 1);
    is_int(op(SC_EQ, num(9007199254740993), flt(9007199254740992.0)), 0);
    is_int(op(SC_LT, num(INT64_MAX), flt(0x1p63)), 1);
    is_int(op(SC_GE, num(INT64_MIN), flt(-0x1p63)), 1);
    is_int(op(SC_EQ, flt(2.0), num(2)), 1);
    is_int(op(SC_LT, flt(-2.5), num(-2)), 1);
    is_int(op(SC_EQ, flt(NAN), flt(NAN)), 0);
    is_int(op(SC_NE, flt(NAN), num(1)), 1);
    is_int(op(SC_LE, num(1), flt(NAN)), 0);
    is_int(op(SC_MIN, num(3), num(2)), 2);
    is_float(op(SC_MAX, flt(3), num(3)), 3);
}
END_TEST

START_TEST(what_fails_says_why)
{
    fails(op(SC_ADD, num(INT64_MAX), num(1)), "9223372036854775807 + 1 leaves 64 bits");
    fails(op(SC_MUL, num(INT64_MIN), num(-1)), "-9223372036854775808 * -1 leaves 64 bits");
    fails(op(SC_POW, num(3), num(40)), "3 ** 40 leaves 64 bits");
    fails(op(SC_SHL, num(1), num(63)), "1 << 63 leaves 64 bits");
    fails(op(SC_SHL, num(1), num(-1)), "negative shift count -1");
    fails(op(SC_FLOORDIV, num(INT64_MIN), num(-1)), "-9223372036854775808 // -1 leaves 64 bits");
    fails(op(SC_NEG, num(INT64_MIN), 0), "- -9223372036854775808 leaves 64 bits");
    fails(op(SC_DIV, num(1), num(0)), "division by zero");
    fails(op(SC_DIV, flt(1), flt(0)), "division by zero");
    fails(op(SC_MOD, num(1), flt(0)), "modulo by zero");
    fails(op(SC_POW, num(0), num(-1)), "zero to a negative power");
    fails(op(SC_POW, flt(-1), flt(0.5)), "a negative number to a power that is no integer");
    fails(op(SC_BITAND, num(1), flt(1)), "& of a float");
    fails(op(SC_LOG, num(0), 0), "log of 0 is not defined");
    fails(op(SC_SQRT, num(-1), 0), "sqrt of -1 is not defined");
    fails(op(SC_EXP, num(1000), 0), "exp of 1000 is too large for a float");
    fails(op(SC_SIN, flt(INFINITY), 0), "sin of inf is not defined");
    fails(op(SC_INT, flt(1e30), 0), "int of 1e+30 leaves 64 bits");
    fails(insn((BcInsn){.op = BC_NOP}), "a variable is used that was not set on this path");
    fails(random_of(BC_RANDN, flt(1)), "the seed of randn is a float");
}
END_TEST

START_TEST(places_are_named)
{
    Number v;
    const int64_t index[] = {1, 2};
    func.golden = false;
    func.func.n_locs = 0;
    returns(op(SC_DIV, num(1), op(SC_SUB, R_J, num(2))));
    ck_assert(run(&v, zero_index) && v.f == -0.5);
    ck_assert(!run(&v, index));
    ck_assert_str_eq(why, "init x: division by zero at [1, 2]");
}
END_TEST

/* r = 0; for k in range(lo, hi, step): r = r + 1 */
static uint32_t counted(uint32_t lo, uint32_t hi, uint32_t step)
{
    uint32_t one = num(1), r = num(0);
    uint32_t prep = func.func.n_insns;
    add((BcInsn){.op = BC_FORPREP,
                 .a = (uint16_t)lo,
                 .b = (uint16_t)hi,
                 .c = (uint16_t)step,
                 .imm = (int32_t)prep + 3});
    add((BcInsn){
        .op = BC_PBIN, .a = (uint16_t)r, .b = (uint16_t)r, .c = (uint16_t)one, .imm = SC_ADD});
    add((BcInsn){.op = BC_FORLOOP,
                 .a = (uint16_t)lo,
                 .b = (uint16_t)hi,
                 .c = (uint16_t)step,
                 .imm = (int32_t)prep + 1});
    return r;
}

START_TEST(loops_count)
{
    is_int(counted(num(0), num(5), num(1)), 5);
    is_int(counted(num(5), num(0), num(-2)), 3);
    is_int(counted(num(3), num(3), num(1)), 0);
    /* counters at the ends of 64 bits */
    is_int(counted(num(INT64_MIN), num(INT64_MAX), num(INT64_MAX)), 3);
    is_int(counted(num(INT64_MAX), num(INT64_MIN), num(INT64_MIN)), 2);
    fails(counted(num(0), num(5), num(0)), "range with step 0");
    fails(counted(num(0), flt(5), num(1)), "range of a float");
}
END_TEST

START_TEST(hostile_loops_end)
{
    char message[80];
    snprintf(message, sizeof message, "it takes more than %lld steps",
             (long long)EVALUATE_MAX_STEPS);
    fails(counted(num(0), num(INT64_MAX), num(1)), message);
    uint32_t one = num(1);
    add((BcInsn){.op = BC_LOOP, .a = (uint16_t)one, .imm = (int32_t)func.func.n_insns});
    fails(one, message);
}
END_TEST

/* Two numbers in registers that follow each other. */
static uint32_t pair(int64_t a, int64_t b)
{
    uint32_t first = num(a);
    num(b);
    return first;
}

START_TEST(elements_extents_scalars)
{
    is_float(element(0, pair(1, 2), 2), 12);
    is_float(element(0, pair(-1, -3), 2), 10);
    is_int(element(1, num(3), 1), INT64_MAX);
    is_int(R_S, 3);
    is_int(R_EXTENT, 9);
    fails(element(0, pair(1, 3), 2), "index 3 of dimension 1 is outside x, which has 3 there");
    fails(element(0, pair(-3, 0), 2), "index -3 of dimension 0 is outside x, which has 2 there");
    fails(element(1, flt(1), 1), "index 0 of n is a float");
    char *initial = tensors[1].initial;
    tensors[1].initial = NULL;
    fails(element(1, num(0), 1), "n has no value yet");
    tensors[1].initial = initial;
}
END_TEST

START_TEST(random_numbers_depend_on_seed_and_element_only)
{
    const int64_t index[] = {1, 2}; /* element 5 */
    Number v;
    returns(random_of(BC_RANDN, num(3)));
    ck_assert(run(&v, index) && v.f == random_normal(3, 5));
    env.seed = 4;
    ck_assert(run(&v, index) && v.f == random_normal(7, 5));
    start_over();
    returns(random_of(BC_UNIFORM, num(-1)));
    ck_assert(run(&v, index) && v.f == random_uniform(3, 5));
}
END_TEST

static void fill_fails(Dtype t, uint32_t expr, const char *message)
{
    HostTensor to = tensors[0];
    to.dtype = (uint8_t)t;
    returns(expr);
    TensorSpan all = {.bytes = to.elements * dtype_bytes(t)};
    ck_assert(!evaluate_fill(evaluator_new(&arena, &env, &func), &to, all, to.data, &why));
    ck_assert_str_eq(why, message);
    start_over();
}

START_TEST(fill_converts_to_the_dtype)
{
    HostTensor *x = &tensors[0];
    returns(op(SC_DIV, op(SC_ADD, op(SC_MUL, R_I, num(3)), R_J), num(3)));
    TensorSpan all = {.bytes = x->bytes};
    ck_assert(evaluate_fill(evaluator_new(&arena, &env, &func), x, all, x->data, &why));
    for (int i = 0; i < 6; i++) {
        float got;
        memcpy(&got, x->data + 4 * i, 4);
        ck_assert_float_eq(got, (float)(i / 3.0));
    }
    start_over();
    fill_fails(DT_INT8, op(SC_ADD, R_J, num(126)),
               "golden x (x.pld:12:5): 128 is no value of INT8 at [0, 2]");
    fill_fails(DT_INT32, op(SC_DIV, R_J, num(2)),
               "golden x (x.pld:12:5): 0.5 is no value of INT32 at [0, 1]");
    fill_fails(DT_UINT8, flt(-1), "golden x (x.pld:12:5): -1 is no value of UINT8 at [0, 0]");
    fill_fails(DT_BOOL, R_J, "golden x (x.pld:12:5): 2 is no value of BOOL at [0, 2]");
    fill_fails(DT_INT64, flt(NAN), "golden x (x.pld:12:5): nan is no value of INT64 at [0, 0]");
}
END_TEST

START_TEST(tensors_are_measured)
{
    HostTensor t = {.name = "t", .dtype = DT_FP32, .rank = 3, .shape = {2, 3, 4}};
    int64_t index[BC_MAX_RANK] = {1, 2, 3};
    ck_assert(tensor_measure(&arena, &t, &why) && t.elements == 24 && t.bytes == 96);
    ck_assert_int_eq(tensor_offset(&t, index), 92);
    ck_assert(!tensor_next(&t, index) && index[0] == 0);
    t.shape[1] = INT64_MAX;
    ck_assert(!tensor_measure(&arena, &t, &why));
    t.shape[2] = 0; /* what is not 0 must fit all the same, as strides do */
    ck_assert(!tensor_measure(&arena, &t, &why));
    t.shape[1] = 3;
    ck_assert(tensor_measure(&arena, &t, &why) && t.elements == 0);
    t.shape[0] = -1;
    ck_assert(!tensor_measure(&arena, &t, &why));
    ck_assert_str_eq(why, "t: negative extent -1");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("evaluate");
    TCase *tc = tcase_create("evaluate");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, integers_as_in_python);
    tcase_add_test(tc, floats_as_in_python);
    tcase_add_test(tc, true_division_rounds_once);
    tcase_add_test(tc, comparisons_are_exact);
    tcase_add_test(tc, what_fails_says_why);
    tcase_add_test(tc, places_are_named);
    tcase_add_test(tc, loops_count);
    tcase_add_test(tc, hostile_loops_end);
    tcase_add_test(tc, elements_extents_scalars);
    tcase_add_test(tc, random_numbers_depend_on_seed_and_element_only);
    tcase_add_test(tc, fill_converts_to_the_dtype);
    tcase_add_test(tc, tensors_are_measured);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
