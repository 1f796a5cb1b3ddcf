/* Init and golden functions from source to value: statements, reductions, what fails where. */
#include "codegen/emit.h"
#include "elab/specialize.h"
#include "lower/pass.h"
#include "parser/parser.h"
#include "sim/machine/evaluate.h"
#include "tests/support.h"
#include "tests/values.h"
#include <string.h>

static Arena arena;
static BcElementFunc func;
static BcProgram program;
static HostTensor tensors[2];
static const float x_values[] = {0, 1, 2, 10, 11, 12};
static const int64_t n_values[] = {5, 6, 7, INT64_MAX}, extents[] = {9};
static const int64_t zero_index[BC_MAX_RANK];
static Number scalars[3];
static EvaluateEnv env;
static const char *why;

static void setup(void)
{
    tensors[0] = (HostTensor){.name = "x", .dtype = DT_FP32, .rank = 2, .shape = {2, 3}};
    tensors[1] = (HostTensor){.name = "n", .dtype = DT_INT64, .rank = 1, .shape = {4}};
    for (int i = 0; i < 2; i++)
        ck_assert(tensor_alloc(&arena, &tensors[i], &why));
    memcpy(tensors[0].initial, x_values, sizeof x_values);
    memcpy(tensors[1].initial, n_values, sizeof n_values);
    scalars[2] = num_int(3);
    env = (EvaluateEnv){.program = &program,
                        .extents = extents,
                        .n_tensors = 2,
                        .tensors = tensors,
                        .scalars = scalars};
}

static bool run(Number *out, const int64_t *index)
{
    why = NULL;
    return evaluate_at(evaluator_new(&arena, &env, &func), index, out, &why);
}

#define SOURCE                                                                                     \
    "import pypto.language as pl\nimport pypto.language.distributed as pld\n"                      \
    "NR = pl.dynamic(\"NR\")\n"                                                                    \
    "@pl.jit\ndef chip(x: pl.InOut[pl.Tensor[[NR, 3], pl.FP32]], n: pl.Tensor[[4], pl.INT64],\n"   \
    "         s: pl.Scalar[pl.INT32]):\n    pl.write(x, [0, 0], 1.0)\n    return x\n"              \
    "@pl.jit.host\ndef host(x: pl.InOut[pl.Tensor[[NR, 3], pl.FP32]], "                            \
    "n: pl.Tensor[[4], pl.INT64],\n         s: pl.Scalar[pl.INT32]):\n"                            \
    "    chip(x, n, s, device=0)\n    return x\n"                                                  \
    "@pld.golden\ndef x(i, j):\n"

/* The function as compiled, in `func`; its messages in *why when it is refused. */
static bool compiled(const char *body)
{
    static Interner names;
    static Diags diags;
    const char *text = arena_printf(&arena, "%s%s", SOURCE, body);
    Source *src = source_from_bytes(&arena, "x.pld", text, strlen(text));
    diags_init(&diags, &arena, src);
    AstModule *module = parse_module(&arena, &names, src, &diags);
    SpecializeOptions options = {.ranks = 2};
    PassOptions passes = {.verify_each = true, .stop_after = PASS_FINAL};
    Program *p = diags_failed(&diags) ? NULL : specialize(&arena, &names, module, &options, &diags);
    BcProgram *out = p && passes_run(p, &passes) ? emit_program(&arena, p) : NULL;
    why = diags.list.len ? diags.list.at[0].message : "";
    if (!out)
        return false;
    program = *out;
    func = out->element_funcs[0];
    return true;
}

static Number source_value(const char *body, int64_t i, int64_t j)
{
    const int64_t index[] = {i, j};
    Number v;
    if (!compiled(body) || !run(&v, index))
        ck_abort_msg("%s\n%s", body, why);
    return v;
}

static const struct {
    const char *body;
    int64_t i, j, want;
} bodies[] = {
    /* logic gives operands and stops early */
    {"    return i and j\n", 3, 4, 4},
    {"    return i and 1 // i\n", 0, 0, 0},
    {"    return i or 1 // j\n", 3, 0, 3},
    {"    return 1 // i if i else 9\n", 0, 0, 9},
    {"    i = i and j and i\n    return i\n", 3, 4, 3},
    {"    return 0 < i < 5 < j\n", 3, 6, 1},
    {"    return min(i, j, 2) + max(i, j, 2)\n", 5, 1, 6},
    {"    return not i\n", 0, 0, 1},
    /* reductions */
    {"    return sum(k for k in range(5))\n", 0, 0, 10},
    {"    return sum(k for k in range(5, 0, -2))\n", 0, 0, 9},
    {"    return sum(1 for k in range(i, i))\n", 3, 0, 0},
    {"    return prod(k for k in range(1, 6))\n", 0, 0, 120},
    {"    return sum(q for k in range(4) for q in range(k))\n", 0, 0, 4},
    {"    return sum(q for k in range(4) if k != 2 for q in range(k) if q % 2)\n", 0, 0, 1},
    {"    return max(k * (6 - k) for k in range(6))\n", 0, 0, 9},
    {"    return max(x[a, b] > 0 and a * 3 + b for a in range(2) for b in range(3))\n", 0, 0, 5},
    {"    return min(6 - k for k in range(6))\n", 0, 0, 1},
    {"    return any(k == 2 for k in range(1))\n", 0, 0, 0},
    {"    return all(k < 2 for k in range(0))\n", 0, 0, 1},
    {"    return any(k == 2 for k in range(9223372036854775807))\n", 0, 0, 1},
    {"    return all(k < 2 for k in range(9223372036854775807))\n", 0, 0, 0},
    {"    return sum(n[k] for k in range(3)) + s + NR\n", 0, 0, 30},
    {"    k = 7\n    k = sum(k + k for k in range(3)) + k\n    return k\n", 0, 0, 13},
    {"    i = sum(i for k in range(j))\n    return i\n", 4, 3, 12},
    /* statements */
    {"    if j:\n        a = 1\n    else:\n        return 7\n    return a\n", 0, 0, 7},
    {"    if j:\n        a = 1\n    else:\n        return 7\n    return a\n", 0, 1, 1},
    {"    a, b = j, i\n    a, b = b, a\n    return a * 10 + b\n", 1, 2, 12},
    {"    a = b = i + 1\n    a += 5\n    a **= 2\n    return a * 100 + b\n", 1, 0, 4902},
    {"    t = 0\n    for k in range(1, j):\n        t += k\n        k = 100\n    return t\n", 0, 5,
     10},
    {"    t = j\n    for k in range(t):\n        t -= 1\n    return t\n", 0, 5, 0},
    {"    t = 0\n    for k in range(9):\n        if k == i:\n            continue\n"
     "        if k == j:\n            break\n        t += k\n    return t\n",
     1, 4, 5},
    {"    t = 1\n    while t < j:\n        t *= 2\n    return t\n", 0, 100, 128},
    {"    a, b = i, j\n    while b:\n        a, b = b, a % b\n    return a\n", 84, 36, 12},
    {"    t = 0\n    while True:\n        t += 1\n        if t * t > j:\n            break\n"
     "    return t\n",
     0, 50, 8},
    {"    t = 0\n    for k in range(3):\n        q = 0\n        while q < k:\n            q += 1\n"
     "            t += 1\n    return t\n",
     0, 0, 3},
    {"    while i:\n        return 5\n    return 6\n", 1, 0, 5},
};

START_TEST(statements_and_reductions)
{
    Number v = source_value(bodies[_i].body, bodies[_i].i, bodies[_i].j);
    ck_assert_int_eq(v.tag, NUM_INT);
    ck_assert_msg(v.i == bodies[_i].want, "%s gives %lld", bodies[_i].body, (long long)v.i);
}
END_TEST

static const struct {
    const char *body, *message;
} failures[] = {
    {"    return max(k for k in range(i))\n", "(x.pld:16:5): max of nothing at [0, 0]"},
    {"    a = 1\n    b = a // i\n    return b\n", "(x.pld:17:5): division by zero at [0, 0]"},
    {"    while i == 0:\n        i = i * 2\n    return i\n", "it takes more than 100000000 steps"},
    {"    return sum(1 for k in range(1.5 + i))\n", "range of a float"},
};

START_TEST(failures_have_a_place)
{
    Number v;
    ck_assert(compiled(failures[_i].body));
    ck_assert(!run(&v, zero_index));
    ck_assert_msg(strstr(why, failures[_i].message) != NULL, "%s", why);
}
END_TEST

static const struct {
    const char *body, *message;
} mistakes[] = {
    {"    for k in range(i):\n        a = k\n    return a\n",
     "a has no value on some path to here"},
    {"    for k in range(i):\n        pass\n    return k\n", "k has no value on some path to here"},
    {"    while i:\n        return 1\n", "x does not return a value on every path"},
    {"    break\n    return 1\n", "break stands outside of a loop"},
    {"    for k in range(3):\n        pass\n    else:\n        pass\n    return 1\n",
     "a loop has no else here"},
    {"    for k in n:\n        pass\n    return 1\n", "a `for` in here runs over range(stop)"},
    {"    a, b = i\n    return a\n", "as many values as names are needed"},
};

START_TEST(mistakes_are_named)
{
    ck_assert(!compiled(mistakes[_i].body));
    ck_assert_msg(strstr(why, mistakes[_i].message) != NULL, "%s", why);
}
END_TEST

/* Variables do not survive from one element to the next. */
START_TEST(elements_are_apart)
{
    const int64_t with[] = {0, 1};
    Number v;
    ck_assert(compiled("    t = 0\n    if j:\n        t = 5\n    return t\n"));
    Evaluator *m = evaluator_new(&arena, &env, &func);
    ck_assert(evaluate_at(m, with, &v, &why) && v.i == 5);
    ck_assert(evaluate_at(m, zero_index, &v, &why) && v.i == 0);
}
END_TEST

START_TEST(long_sums_are_compiled)
{
    Buf body = {0};
    buf_str(&body, "    return i");
    for (int k = 0; k < 180; k++)
        buf_str(&body, " + i * (j + 1)");
    buf_str(&body, "\n");
    ck_assert_int_eq(source_value(body.at, 1, 2).i, 541);
    buf_free(&body);
}
END_TEST

#define LOOP(tc, test, table) tcase_add_loop_test((tc), test, 0, sizeof table / sizeof *table)

int main(void)
{
    Suite *suite = suite_create("element");
    TCase *tc = tcase_create("element");
    tcase_add_checked_fixture(tc, setup, NULL);
    LOOP(tc, statements_and_reductions, bodies);
    LOOP(tc, failures_have_a_place, failures);
    LOOP(tc, mistakes_are_named, mistakes);
    tcase_add_test(tc, elements_are_apart);
    tcase_add_test(tc, long_sums_are_compiled);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
