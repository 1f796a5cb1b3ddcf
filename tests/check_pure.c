/* Init and golden functions: Python's arithmetic, loops, elements, random numbers, failures. */
#include "base/math.h"
#include "sim/machine/pure.h"
#include "sim/machine/random.h"
#include "tests/support.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A program with host tensors x [2, 3] FP32 and n [4] INT64, a scalar s, and the tree under test.
 */
static Arena arena;
static BcPureNode nodes[4096];
static uint32_t kids[256], n_nodes, n_kids;
static BcPure pure;
static HostTensor tensors[2];
static float x_values[] = {0, 1, 2, 10, 11, 12};
static int64_t n_values[] = {5, 6, 7, INT64_MAX}, extents[] = {9}, zero_index[BC_MAX_RANK];
static PureValue scalars[3] = {[2] = {.i = 3}};
static PureEnv env;
static const char *why;

static void setup(void)
{
    static const char *strings[] = {"x", "n", "s"};
    static BcParam params[] = {{.name = 0, .dtype = DT_FP32, .rank = 2},
                               {.name = 1, .dtype = DT_INT64, .rank = 1},
                               {.name = 2, .kind = BCP_SCALAR, .dtype = DT_INT32}};
    static BcFunc host = {.n_params = 3, .params = params};
    static BcProgram program = {.strings = strings, .n_strings = 3, .funcs = &host, .n_funcs = 1};
    tensors[0] = (HostTensor){.name = "x", .dtype = DT_FP32, .rank = 2, .shape = {2, 3}};
    tensors[1] = (HostTensor){.name = "n", .dtype = DT_INT64, .rank = 1, .shape = {4}};
    for (int i = 0; i < 2; i++) {
        const char *unused;
        ck_assert(tensor_alloc(&arena, &tensors[i], &unused));
    }
    memcpy(tensors[0].initial, x_values, sizeof x_values);
    memcpy(tensors[1].initial, n_values, sizeof n_values);
    env = (PureEnv){.program = &program,
                    .extents = extents,
                    .n_tensors = 2,
                    .tensors = tensors,
                    .scalars = scalars};
    n_nodes = n_kids = 0;
    pure = (BcPure){.golden = true,
                    .param = 0,
                    .n_index = 2,
                    .n_slots = 8,
                    .line = 12,
                    .nodes = nodes,
                    .kids = kids};
}

static uint32_t node(BcPureNode n)
{
    nodes[n_nodes] = n;
    return n_nodes++;
}

static uint32_t num(int64_t v)
{
    return node((BcPureNode){.kind = PURE_INT, .ival = v});
}
static uint32_t flt(double v)
{
    return node((BcPureNode){.kind = PURE_FLOAT, .fval = v});
}
static uint32_t var(uint32_t slot)
{
    return node((BcPureNode){.kind = PURE_SLOT, .slot = slot});
}

static uint32_t op(PureKind kind, uint32_t a, uint32_t b)
{
    return node((BcPureNode){.kind = (uint16_t)kind, .a = a, .b = b});
}

static uint32_t op3(PureKind kind, uint32_t a, uint32_t b, uint32_t c)
{
    return node((BcPureNode){.kind = (uint16_t)kind, .a = a, .b = b, .c = c});
}

static uint32_t list(PureKind kind, uint32_t slot, uint16_t n, const uint32_t *of)
{
    BcPureNode list_node = {.kind = (uint16_t)kind, .n = n, .a = n_kids, .slot = slot};
    memcpy(kids + n_kids, of, n * sizeof *of);
    n_kids += n;
    return node(list_node);
}
#define LIST(kind, slot, ...)                                                                      \
    list(kind, slot, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__})

static uint32_t loop(uint32_t slot, uint32_t start, uint32_t stop, uint32_t step)
{
    return node((BcPureNode){.kind = PURE_LOOP, .slot = slot, .a = start, .b = stop, .c = step});
}

static uint32_t set(uint32_t slot, uint32_t value)
{
    return node((BcPureNode){.kind = PURE_SET, .slot = slot, .a = value});
}

static void is_body(uint32_t block)
{
    pure.root = block;
    pure.n_nodes = n_nodes;
    pure.n_kids = n_kids;
}

static void returns(uint32_t expr)
{
    is_body(LIST(PURE_BLOCK, 0, op(PURE_RETURN, expr, 0)));
}

static bool run(PureValue *out, const int64_t *index)
{
    why = NULL;
    return pure_at(pure_new(&arena, &env, &pure), index, out, &why);
}

/* Evaluates one expression and starts over. */
static PureValue value(uint32_t expr)
{
    PureValue v;
    returns(expr);
    if (!run(&v, zero_index))
        ck_abort_msg("%s", why);
    n_nodes = n_kids = 0;
    return v;
}

static void is_int(uint32_t expr, int64_t want)
{
    PureValue v = value(expr);
    ck_assert(!v.is_float);
    ck_assert_int_eq(v.i, want);
}

static void is_float(uint32_t expr, double want)
{
    PureValue v = value(expr);
    ck_assert(v.is_float);
    ck_assert_msg((isnan(want) && isnan(v.f)) || (v.f == want && !signbit(v.f) == !signbit(want)),
                  "%.17g, not %.17g", v.f, want);
}

static void fails(uint32_t expr, const char *message)
{
    PureValue v;
    returns(expr);
    ck_assert(!run(&v, zero_index));
    char all[200];
    snprintf(all, sizeof all, "golden x (line 12): %s at [0, 0]", message);
    ck_assert_str_eq(why, all);
    n_nodes = n_kids = 0;
}

START_TEST(integers_as_in_python)
{
    is_int(op(PURE_FLOORDIV, num(-7), num(2)), -4);
    is_int(op(PURE_FLOORDIV, num(7), num(-2)), -4);
    is_int(op(PURE_MOD, num(-7), num(4)), 1);
    is_int(op(PURE_MOD, num(7), num(-4)), -1);
    is_int(op(PURE_MOD, num(INT64_MIN), num(-1)), 0);
    is_int(op(PURE_POW, num(-3), num(3)), -27);
    is_int(op(PURE_POW, num(2), num(62)), INT64_C(1) << 62);
    is_int(op(PURE_POW, num(-2), num(63)), INT64_MIN);
    is_int(op(PURE_POW, num(7), num(0)), 1);
    is_int(op(PURE_SHR, num(-5), num(100)), -1);
    is_int(op(PURE_SHL, num(-1), num(63)), INT64_MIN);
    is_int(op(PURE_INVERT, num(5), 0), -6);
    is_int(op(PURE_BITXOR, num(6), num(3)), 5);
    is_int(op(PURE_ABS, num(-5), 0), 5);
    is_int(op(PURE_TO_INT, flt(-2.9), 0), -2);
}
END_TEST

START_TEST(floats_as_in_python)
{
    is_float(op(PURE_DIV, num(1), num(4)), 0.25);
    is_float(op(PURE_DIV, num(6), num(3)), 2.0);
    is_float(op(PURE_ADD, num(1), flt(0.5)), 1.5);
    is_float(op(PURE_FLOORDIV, flt(-7.5), num(2)), -4.0);
    is_float(op(PURE_MOD, flt(-7.5), num(2)), 0.5);
    is_float(op(PURE_MOD, flt(5.5), flt(-2)), -0.5);
    is_float(op(PURE_FLOORDIV, flt(-0.0), num(2)), -0.0);
    is_float(op(PURE_MOD, flt(4), flt(-2)), -0.0);
    is_float(op(PURE_FLOORDIV, flt(1), flt(0.1)), 9.0);
    is_float(op(PURE_POW, num(2), num(-1)), 0.5);
    is_float(op(PURE_POW, flt(2), flt(0.5)), math_pow(2, 0.5));
    is_float(op(PURE_POW, flt(-2), num(3)), -8.0);
    is_float(op(PURE_NEG, flt(0.0), 0), -0.0);
    is_float(op(PURE_EXP, num(0), 0), 1.0);
    is_float(op(PURE_SQRT, num(2), 0), sqrt(2));
    is_float(op(PURE_ADD, flt(INFINITY), flt(-INFINITY)), NAN);
    is_float(op(PURE_EXP, flt(INFINITY), 0), INFINITY);
    is_float(op(PURE_SIN, flt(NAN), 0), NAN);
    is_float(op(PURE_TO_FLOAT, num(3), 0), 3.0);
}
END_TEST

/* Where operands rounded to doubles first would give another quotient; from Python. */
START_TEST(true_division_rounds_once)
{
    is_float(op(PURE_DIV, num(9007199254740993), num(3)), 3002399751580331.0);
    is_float(op(PURE_DIV, num(INT64_MAX), num(INT64_MAX - 2)), 1.0);
    is_float(op(PURE_DIV, num(INT64_MIN), num(-1)), 0x1p63);
    is_float(op(PURE_DIV, num(9223372036854775807), num(9007199254740993)), 1023.9999999999999);
    is_float(op(PURE_DIV, num(-9223372036854775283), num(10)), -9.223372036854775e17);
    is_float(op(PURE_DIV, num(3), num(9007199254740995)), 3.3306690738754686e-16);
    is_float(op(PURE_DIV, num(0), num(INT64_MIN)), -0.0);
}
END_TEST

START_TEST(comparisons_are_exact)
{
    is_int(op(PURE_LT, num(9007199254740993), flt(9007199254740992.0)), 0);
    is_int(op(PURE_GT, num(9007199254740993), flt(9007199254740992.0)), 1);
    is_int(op(PURE_EQ, num(9007199254740993), flt(9007199254740992.0)), 0);
    is_int(op(PURE_LT, num(INT64_MAX), flt(0x1p63)), 1);
    is_int(op(PURE_GE, num(INT64_MIN), flt(-0x1p63)), 1);
    is_int(op(PURE_EQ, flt(2.0), num(2)), 1);
    is_int(op(PURE_LT, flt(-2.5), num(-2)), 1);
    is_int(op(PURE_EQ, flt(NAN), flt(NAN)), 0);
    is_int(op(PURE_NE, flt(NAN), num(1)), 1);
    is_int(op(PURE_LE, num(1), flt(NAN)), 0);
    is_int(op(PURE_MIN2, num(3), num(2)), 2);
    is_float(op(PURE_MAX2, flt(3), num(3)), 3);
}
END_TEST

START_TEST(logic_gives_operands)
{
    is_int(op(PURE_AND, num(3), num(4)), 4);
    is_int(op(PURE_AND, num(0), op(PURE_DIV, num(1), num(0))), 0);
    is_int(op(PURE_OR, num(3), op(PURE_DIV, num(1), num(0))), 3);
    is_float(op(PURE_OR, num(0), flt(0.0)), 0.0);
    is_int(op(PURE_NOT, flt(0.5), 0), 0);
    is_int(op3(PURE_COND, num(0), op(PURE_DIV, num(1), num(0)), num(9)), 9);
}
END_TEST

START_TEST(what_fails_says_why)
{
    fails(op(PURE_ADD, num(INT64_MAX), num(1)), "9223372036854775807 + 1 leaves 64 bits");
    fails(op(PURE_MUL, num(INT64_MIN), num(-1)), "-9223372036854775808 * -1 leaves 64 bits");
    fails(op(PURE_POW, num(3), num(40)), "3 ** 40 leaves 64 bits");
    fails(op(PURE_SHL, num(1), num(63)), "1 << 63 leaves 64 bits");
    fails(op(PURE_SHL, num(1), num(-1)), "negative shift count -1");
    fails(op(PURE_FLOORDIV, num(INT64_MIN), num(-1)), "-9223372036854775808 // -1 leaves 64 bits");
    fails(op(PURE_NEG, num(INT64_MIN), 0), "- -9223372036854775808 leaves 64 bits");
    fails(op(PURE_DIV, num(1), num(0)), "division by zero");
    fails(op(PURE_DIV, flt(1), flt(0)), "division by zero");
    fails(op(PURE_MOD, num(1), flt(0)), "modulo by zero");
    fails(op(PURE_POW, num(0), num(-1)), "zero to a negative power");
    fails(op(PURE_POW, flt(-1), flt(0.5)), "a negative number to a power that is no integer");
    fails(op(PURE_BITAND, num(1), flt(1)), "& of a float");
    fails(op(PURE_LOG, num(0), 0), "log of 0 is not defined");
    fails(op(PURE_SQRT, num(-1), 0), "sqrt of -1 is not defined");
    fails(op(PURE_EXP, num(1000), 0), "exp of 1000 is too large for a float");
    fails(op(PURE_SIN, flt(INFINITY), 0), "sin of inf is not defined");
    fails(op(PURE_TO_INT, flt(1e30), 0), "int of 1e+30 leaves 64 bits");
    fails(var(5), "a variable is used that was not set on this path");
    fails(op(PURE_RANDN, flt(1), 0), "the seed of randn is a float");
    fails(LIST(PURE_MAX, 0, num(1), loop(4, num(0), num(0), num(1))), "max of nothing");
    fails(LIST(PURE_SUM, 0, num(1), loop(4, num(0), num(5), num(0))), "range with step 0");
    fails(LIST(PURE_SUM, 0, num(1), loop(4, num(0), flt(5), num(1))), "range of a float");
}
END_TEST

START_TEST(places_are_named)
{
    PureValue v;
    const int64_t index[] = {1, 2};
    pure.golden = false;
    pure.line = 0;
    returns(op(PURE_DIV, num(1), op(PURE_SUB, var(1), num(2))));
    ck_assert(run(&v, zero_index) && v.f == -0.5);
    ck_assert(!run(&v, index));
    ck_assert_str_eq(why, "init x: division by zero at [1, 2]");
    n_nodes = n_kids = 0;
    is_body(LIST(PURE_BLOCK, 0, set(3, num(1))));
    ck_assert(!run(&v, index));
    ck_assert_str_eq(why, "init x: it ends without return at [1, 2]");
}
END_TEST

START_TEST(aggregates)
{
    is_int(LIST(PURE_SUM, 0, var(4), loop(4, num(0), num(5), num(1))), 10);
    is_int(LIST(PURE_SUM, 0, var(4), loop(4, num(5), num(0), num(-2))), 9);
    is_int(LIST(PURE_SUM, 0, num(1), loop(4, num(3), num(3), num(1))), 0);
    is_int(LIST(PURE_PROD, 0, var(4), loop(4, num(1), num(6), num(1))), 120);
    is_float(LIST(PURE_SUM, 0, op(PURE_DIV, var(4), num(2)), loop(4, num(0), num(4), num(1))), 3.0);
    is_int(
        LIST(PURE_SUM, 0, var(5), loop(4, num(0), num(4), num(1)), loop(5, num(0), var(4), num(1))),
        4);
    is_int(LIST(PURE_MAX, 0, op(PURE_MUL, var(4), op(PURE_SUB, num(6), var(4))),
                loop(4, num(0), num(6), num(1))),
           9);
    is_int(LIST(PURE_MIN, 0, op(PURE_SUB, num(6), var(4)), loop(4, num(0), num(6), num(1))), 1);
    is_int(LIST(PURE_ANY, 0, op(PURE_EQ, var(4), num(2)), loop(4, num(0), num(1), num(1))), 0);
    is_int(LIST(PURE_ALL, 0, op(PURE_LT, var(4), num(2)), loop(4, num(0), num(0), num(1))), 1);
    /* decided early: the rest is not evaluated */
    is_int(LIST(PURE_ANY, 0, op(PURE_EQ, var(4), num(2)), loop(4, num(0), num(INT64_MAX), num(1))),
           1);
    is_int(LIST(PURE_ALL, 0, op(PURE_LT, var(4), num(2)), loop(4, num(0), num(INT64_MAX), num(1))),
           0);
    /* counters at the ends of 64 bits */
    is_int(LIST(PURE_SUM, 0, num(1), loop(4, num(INT64_MIN), num(INT64_MAX), num(INT64_MAX))), 3);
    is_int(LIST(PURE_SUM, 0, num(1), loop(4, num(INT64_MAX), num(INT64_MIN), num(INT64_MIN))), 2);
}
END_TEST

START_TEST(hostile_loops_end)
{
    char message[80];
    snprintf(message, sizeof message, "it takes more than %lld steps", (long long)PURE_MAX_STEPS);
    fails(LIST(PURE_SUM, 0, num(1), loop(4, num(0), num(INT64_C(1000000000000000000)), num(1))),
          message);
    fails(LIST(PURE_SUM, 0, num(1), loop(4, num(0), num(INT64_MAX), num(1)),
               loop(5, num(0), num(0), num(1))),
          message);
}
END_TEST

START_TEST(elements_shapes_scalars)
{
    is_float(LIST(PURE_ELEMENT, 0, num(1), num(2)), 12);
    is_float(LIST(PURE_ELEMENT, 0, num(-1), num(-3)), 10);
    is_int(LIST(PURE_ELEMENT, 1, num(3)), INT64_MAX);
    is_int(node((BcPureNode){.kind = PURE_SHAPE, .slot = 0, .ival = 1}), 3);
    is_int(node((BcPureNode){.kind = PURE_SCALAR, .slot = 2}), 3);
    is_int(node((BcPureNode){.kind = PURE_EXTENT, .slot = 0}), 9);
    fails(LIST(PURE_ELEMENT, 0, num(1), num(3)),
          "index 3 of dimension 1 is outside x, which has 3 there");
    fails(LIST(PURE_ELEMENT, 0, num(-3), num(0)),
          "index -3 of dimension 0 is outside x, which has 2 there");
    fails(LIST(PURE_ELEMENT, 1, flt(1)), "index 0 of n is a float");
    char *initial = tensors[1].initial;
    tensors[1].initial = NULL;
    fails(LIST(PURE_ELEMENT, 1, num(0)), "n has no value yet");
    tensors[1].initial = initial;
}
END_TEST

/* if j: a = 1 else: return 7; return a */
START_TEST(statements)
{
    uint32_t then = LIST(PURE_BLOCK, 0, set(4, num(1)));
    uint32_t other = LIST(PURE_BLOCK, 0, op(PURE_RETURN, num(7), 0));
    uint32_t branch = op3(PURE_IF, var(1), then, other);
    is_body(LIST(PURE_BLOCK, 0, branch, op(PURE_RETURN, var(4), 0)));
    PureValue v;
    const int64_t index[] = {0, 1};
    ck_assert(run(&v, zero_index) && v.i == 7);
    ck_assert(run(&v, index) && v.i == 1);
    /* Variables do not survive from one element to the next. */
    PureMachine *m = pure_new(&arena, &env, &pure);
    ck_assert(pure_at(m, index, &v, &why) && pure_at(m, zero_index, &v, &why) && v.i == 7);
}
END_TEST

START_TEST(random_numbers_depend_on_seed_and_element_only)
{
    const int64_t index[] = {1, 2}; /* element 5 */
    PureValue v;
    returns(op(PURE_RANDN, num(3), 0));
    ck_assert(run(&v, index) && v.f == random_normal(3, 5));
    env.seed = 4;
    ck_assert(run(&v, index) && v.f == random_normal(7, 5));
    n_nodes = n_kids = 0;
    returns(op(PURE_UNIFORM, num(-1), 0));
    ck_assert(run(&v, index) && v.f == random_uniform(3, 5));
}
END_TEST

static void fill_fails(Dtype t, uint32_t expr, const char *message)
{
    HostTensor to = tensors[0];
    to.dtype = (uint8_t)t;
    returns(expr);
    ck_assert(!pure_fill(pure_new(&arena, &env, &pure), &to, &why));
    ck_assert_str_eq(why, message);
    n_nodes = n_kids = 0;
}

START_TEST(fill_converts_to_the_dtype)
{
    HostTensor *x = &tensors[0];
    returns(op(PURE_DIV, op(PURE_ADD, op(PURE_MUL, var(0), num(3)), var(1)), num(3)));
    ck_assert(pure_fill(pure_new(&arena, &env, &pure), x, &why));
    for (int i = 0; i < 6; i++) {
        float got;
        memcpy(&got, x->data + 4 * i, 4);
        ck_assert_float_eq(got, (float)(i / 3.0));
    }
    n_nodes = n_kids = 0;
    fill_fails(DT_INT8, op(PURE_ADD, var(1), num(126)),
               "golden x (line 12): 128 is no value of INT8 at [0, 2]");
    fill_fails(DT_INT32, op(PURE_DIV, var(1), num(2)),
               "golden x (line 12): 0.5 is no value of INT32 at [0, 1]");
    fill_fails(DT_UINT8, flt(-1), "golden x (line 12): -1 is no value of UINT8 at [0, 0]");
    fill_fails(DT_BOOL, var(1), "golden x (line 12): 2 is no value of BOOL at [0, 2]");
    fill_fails(DT_INT64, flt(NAN), "golden x (line 12): nan is no value of INT64 at [0, 0]");
}
END_TEST

START_TEST(deep_trees_are_walked)
{
    uint32_t e = num(1);
    for (int i = 0; i < BC_MAX_PURE_DEPTH; i++)
        e = op(PURE_ADD, e, num(1));
    is_int(e, BC_MAX_PURE_DEPTH + 1);
}
END_TEST

START_TEST(tensors_are_measured)
{
    HostTensor t = {.name = "t", .dtype = DT_FP32, .rank = 3, .shape = {2, 3, 4}};
    int64_t index[BC_MAX_RANK] = {1, 2, 3};
    ck_assert(tensor_measure(&arena, &t, &why) && t.elements == 24 && t.bytes == 96);
    ck_assert_int_eq(tensor_offset(&t, index), 92);
    ck_assert(!tensor_next(&t, index) && index[0] == 0);
    tensor_unravel(&t, 17, index);
    ck_assert(index[0] == 1 && index[1] == 1 && index[2] == 1);
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
    Suite *suite = suite_create("pure");
    TCase *tc = tcase_create("pure");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, integers_as_in_python);
    tcase_add_test(tc, floats_as_in_python);
    tcase_add_test(tc, true_division_rounds_once);
    tcase_add_test(tc, comparisons_are_exact);
    tcase_add_test(tc, logic_gives_operands);
    tcase_add_test(tc, what_fails_says_why);
    tcase_add_test(tc, places_are_named);
    tcase_add_test(tc, aggregates);
    tcase_add_test(tc, hostile_loops_end);
    tcase_add_test(tc, elements_shapes_scalars);
    tcase_add_test(tc, statements);
    tcase_add_test(tc, random_numbers_depend_on_seed_and_element_only);
    tcase_add_test(tc, fill_converts_to_the_dtype);
    tcase_add_test(tc, deep_trees_are_walked);
    tcase_add_test(tc, tensors_are_measured);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
