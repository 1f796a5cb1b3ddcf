/* One arithmetic, through the whole chain: what the compiler folds and what runs has the same bits.
 * Operators on all pairs of hard operands stand in a program twice, once as constants and once on
 * values that arrive at run time. */
#include "base/devarith.h"
#include "base/pyarith.h"
#include "codegen/emit.h"
#include "elab/specialize.h"
#include "lower/pass.h"
#include "parser/parser.h"
#include "sim/host/run.h"
#include "sim/machine/world.h"
#include "tests/support.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static Arena arena;
static Interner names;
static Diags diags;
static World *world;
static RunResult result;

static const char *const enums[SC_COUNT] = {
#define PLD_SCALAR_OP(ENUM, text, arity, form, prec, result, code, device) #ENUM,
#include "base/scalar.def"
};

static BcProgram *compile(const Buf *text)
{
    Source *src = source_from_bytes(&arena, "t.pld", text->at, text->len);
    diags_init(&diags, &arena, src);
    AstModule *module = parse_module(&arena, &names, src, &diags);
    SpecializeOptions options = {.ranks = 1};
    PassOptions passes = {.stop_after = PASS_FINAL};
    Program *p = diags_failed(&diags) ? NULL : specialize(&arena, &names, module, &options, &diags);
    BcProgram *out = p && passes_run(p, &passes) ? emit_program(&arena, p) : NULL;
    if (!out)
        diags_print(&diags, stdout, DIAG_TEXT, false);
    ck_assert_ptr_nonnull(out);
    return out;
}

/* Compiles and runs on one device; the world stays for its tensors. */
static BcProgram *run(const Buf *text)
{
    static const uint32_t devices[] = {0};
    static RunConfig config;
    BcProgram *p = compile(text);
    config = (RunConfig){
        .host = &host_files, .n_devices = 1, .devices = devices, .rtol = -1, .atol = -1};
    config.no_golden = true;
    int status = sim_run_keep(p, &config, &result, &world);
    ck_assert_msg(status == EXIT_OK, "status %d: %s", status,
                  result.n_reports ? result.reports[result.n_reports - 1].text : "");
    return p;
}

static void done(void)
{
    world_free(world);
    run_result_free(&result);
    diags_free(&diags);
    interner_free(&names);
    arena_free(&arena);
    names = (Interner){0};
    arena = (Arena){0};
    result = (RunResult){0};
}

/* ---- kernels ---- */

static const Dtype dtypes[] = {DT_INT8,  DT_UINT8,  DT_INT16, DT_UINT16,
                               DT_INT32, DT_UINT32, DT_INT64, DT_INDEX};

/* The hard values of a dtype. */
static uint32_t int_operands(Dtype t, int64_t *out)
{
    int64_t lo = dtype_min(t), hi = dtype_max(t);
    const int64_t all[] = {0,   1,       -1,          2,      -2,     3,      -3,      5,
                           7,   -7,      8,           15,     31,     32,     63,      64,
                           -64, lo,      lo + 1,      lo / 2, hi,     hi - 1, hi / 2,  hi / 3,
                           100, 3 << 20, -1000000007, 46341,  -46341, 65535,  1 << 30, 12345};
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] >= lo && all[i] <= hi)
            out[n++] = all[i];
    return n;
}

/* a OP b as source text; unary operators have the first operand only. */
static void operation(Buf *out, ScalarOp op, const char *a, const char *b)
{
    const ScalarInfo *s = &scalar_info[op];
    if (s->form == SCALAR_INFIX)
        buf_printf(out, "((%s) %s (%s))", a, s->text, b);
    else if (s->form == SCALAR_PREFIX)
        buf_printf(out, "(%s (%s))", s->text, a);
    else if (s->arity == 1)
        buf_printf(out, "%s(%s)", s->text, a);
    else
        buf_printf(out, "%s(%s, %s)", s->text, a, b);
}

/* Operators that the language has on integers in kernels. */
static bool on_integers(ScalarOp op)
{
    return (scalar_info[op].device & SCALAR_INTS) && op != SC_AND && op != SC_OR && op != SC_NOT &&
           op != SC_CAST && op != SC_SELECT && op != SC_ABS;
}

static void print_const(char *out, size_t size, int64_t v, Dtype t)
{
    if (v == INT64_MIN)
        snprintf(out, size, "pl.const(%" PRId64 " - 1, pl.%s)", v + 1, dtype_name(t));
    else
        snprintf(out, size, "pl.const(%" PRId64 ", pl.%s)", v, dtype_name(t));
}

typedef struct {
    Dtype t;
    int64_t v[64];
    uint32_t n;
} Hard;

static void write_run(Buf *out, const Hard *h)
{
    const char *t = dtype_name(h->t);
    buf_printf(out,
               "@pl.jit.incore\ndef run(x: pl.Tensor[[1, N], X], y: pl.Out[pl.Tensor[[1, M], "
               "pl.INT64]]):\n    for i in pl.range(N):\n        for k in pl.range(N):\n"
               "            a = %spl.read(x, [0, i])%s\n            b = %spl.read(x, [0, k])%s\n",
               h->t == DT_INDEX ? "pl.cast(" : "", h->t == DT_INDEX ? ", pl.INDEX)" : "",
               h->t == DT_INDEX ? "pl.cast(" : "", h->t == DT_INDEX ? ", pl.INDEX)" : "");
    for (int op = 0; op < SC_COUNT; op++) {
        if (!on_integers((ScalarOp)op))
            continue;
        if (op == SC_FLOORDIV || op == SC_MOD)
            buf_printf(out, "            if b != 0:\n    ");
        else if (op == SC_SHL || op == SC_SHR)
            buf_printf(out, "            if b >= 0 and b < pl.const(%u, pl.%s):\n    ",
                       8 * dtype_bytes(h->t), t);
        buf_printf(out, "            y = pl.write(y, [0, (%d * N + i) * N + k], pl.cast(", op);
        operation(out, (ScalarOp)op, "a", "b");
        buf_str(out, ", pl.INT64))\n");
    }
    buf_str(out, "    return y\n");
}

static bool defined(const Hard *h, int op, uint32_t i, uint32_t k, int64_t *want)
{
    if (!on_integers((ScalarOp)op))
        return false;
    if (scalar_arity((ScalarOp)op) == 2)
        return dev_binary((ScalarOp)op, h->t, h->v[i], h->v[k], want) == ARITH_OK;
    *want = dev_unary((ScalarOp)op, h->t, h->v[i]);
    return true;
}

static void write_fold(Buf *out, const Hard *h)
{
    char a[64], b[64];
    int64_t unused;
    buf_str(out, "@pl.jit.incore\ndef fold(z: pl.Out[pl.Tensor[[1, M], pl.INT64]]):\n");
    for (int op = 0; op < SC_COUNT; op++)
        for (uint32_t i = 0; i < h->n; i++)
            for (uint32_t k = 0; k < h->n; k++) {
                if (!defined(h, op, i, k, &unused))
                    continue;
                print_const(a, sizeof a, h->v[i], h->t);
                print_const(b, sizeof b, h->v[k], h->t);
                buf_printf(out, "    z = pl.write(z, [0, %u], pl.cast(",
                           ((unsigned)op * h->n + i) * h->n + k);
                operation(out, (ScalarOp)op, a, b);
                buf_str(out, ", pl.INT64))\n");
            }
    buf_str(out, "    return z\n");
}

static void write_kernels(Buf *out, const Hard *h)
{
    buf_printf(out, "N = %u\nM = N * N * %d\nX = pl.%s\n", h->n, SC_COUNT,
               dtype_name(h->t == DT_INDEX ? DT_INT64 : h->t));
    write_run(out, h);
    write_fold(out, h);
    buf_str(out, "@pl.jit\ndef per_device(x, y, z):\n    run(x, y)\n    fold(z)\n"
                 "@pl.jit.host\ndef host(x: pl.Tensor[[1, 1, N], X], "
                 "y: pl.Out[pl.Tensor[[1, 1, M], pl.INT64]], "
                 "z: pl.Out[pl.Tensor[[1, 1, M], pl.INT64]]):\n"
                 "    per_device(x[0], y[0], z[0], device=0)\n"
                 "@pld.init\ndef x(r, i, j):\n");
    for (uint32_t i = 0; i < h->n; i++)
        buf_printf(out,
                   h->v[i] == INT64_MIN ? "    if j == %u:\n        return %" PRId64 " - 1\n"
                                        : "    if j == %u:\n        return %" PRId64 "\n",
                   i, h->v[i] == INT64_MIN ? h->v[i] + 1 : h->v[i]);
    buf_str(out, "    return 0\n");
}

static uint32_t arithmetic_in(const BcProgram *p, const char *name)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_funcs; i++)
        for (uint32_t k = 0; strcmp(p->strings[p->funcs[i].name], name) == 0; k++) {
            if (k == p->funcs[i].n_insns)
                return n;
            n += p->funcs[i].insns[k].op == BC_BIN || p->funcs[i].insns[k].op == BC_CAST ||
                 p->funcs[i].insns[k].op == BC_UN;
        }
    ck_abort_msg("no function %s", name);
    return n;
}

START_TEST(kernels)
{
    Hard h = {.t = dtypes[_i]};
    h.n = int_operands(h.t, h.v);
    Buf text = {0};
    write_kernels(&text, &h);
    const BcProgram *p = run(&text);
    ck_assert_uint_eq(arithmetic_in(p, "fold"), 0);
    ck_assert_uint_gt(arithmetic_in(p, "run"), 20);
    const int64_t *ran = (const int64_t *)(const void *)world->tensors[1].data;
    const int64_t *folded = (const int64_t *)(const void *)world->tensors[2].data;
    for (int op = 0; op < SC_COUNT; op++)
        for (uint32_t i = 0; i < h.n; i++)
            for (uint32_t k = 0; k < h.n; k++) {
                uint32_t at = ((uint32_t)op * h.n + i) * h.n + k;
                int64_t want;
                if (!defined(&h, op, i, k, &want))
                    continue;
                ck_assert_msg(ran[at] == want && folded[at] == want,
                              "%s %s: %" PRId64 ", %" PRId64 ": run %" PRId64 ", folded %" PRId64,
                              dtype_name(h.t), enums[op], h.v[i], h.v[k], ran[at], folded[at]);
            }
    buf_free(&text);
    done();
}
END_TEST

/* ---- init functions ---- */

/* Each as Python writes it; what has no literal is an expression. */
static const struct {
    const char *text;
    Number v;
} numbers[] = {
#define INT_(V)                                                                                    \
    {                                                                                              \
#V,                                                                                        \
        {                                                                                          \
            .tag = NUM_INT, .i = V                                                                 \
        }                                                                                          \
    }
#define FLT_(V)                                                                                    \
    {                                                                                              \
#V,                                                                                        \
        {                                                                                          \
            .tag = NUM_FLOAT, .f = V                                                               \
        }                                                                                          \
    }
    INT_(0),
    INT_(1),
    INT_(-1),
    INT_(2),
    INT_(-3),
    INT_(7),
    INT_(62),
    INT_(63),
    INT_(64),
    INT_(2147483648),
    INT_(-2147483648),
    INT_(9007199254740993),
    INT_(-9007199254740993),
    INT_(4611686018427387905),
    INT_(9223372036854775807),
    INT_(-9223372036854775807),
    {"(-9223372036854775807 - 1)", {.tag = NUM_INT, .i = INT64_MIN}},
    FLT_(0.0),
    FLT_(-0.0),
    FLT_(0.1),
    FLT_(-0.5),
    FLT_(1.0),
    FLT_(2.5),
    FLT_(-7.5),
    FLT_(3.141592653589793),
    FLT_(5e-324),
    FLT_(-2.2250738585072014e-308),
    FLT_(1e-160),
    FLT_(9007199254740992.0),
    FLT_(9223372036854775808.0),
    FLT_(-1e22),
    FLT_(1.7976931348623157e+308),
    {"1e999", {.tag = NUM_FLOAT, .f = INFINITY}},
    {"-1e999", {.tag = NUM_FLOAT, .f = -INFINITY}},
    {"(1e999 - 1e999)", {.tag = NUM_FLOAT, .f = NAN}},
};
enum { N_NUMBERS = sizeof numbers / sizeof numbers[0] };

static const ScalarOp py_ops[] = {SC_ADD, SC_SUB, SC_MUL, SC_DIV,    SC_FLOORDIV, SC_MOD,   SC_POW,
                                  SC_SHL, SC_SHR, SC_LT,  SC_LE,     SC_EQ,       SC_NE,    SC_GT,
                                  SC_GE,  SC_NEG, SC_ABS, SC_BITAND, SC_BITOR,    SC_BITXOR};

static Number py_result(ScalarOp op, uint32_t i, uint32_t k)
{
    return scalar_arity(op) == 2 ? py_binary(op, numbers[i].v, numbers[k].v)
                                 : py_unary(op, numbers[i].v);
}

/* A name that takes one of the numbers by the value of an index. */
static void choose(Buf *out, const char *name, const char *index)
{
    buf_printf(out, "    %s = ", name);
    for (uint32_t i = 0; i + 1 < N_NUMBERS; i++)
        buf_printf(out, "%s if %s == %u else ", numbers[i].text, index, i);
    buf_printf(out, "%s\n", numbers[N_NUMBERS - 1].text);
}

/* x[i, k, 0] is the result of what arrives at run time, [.., 1] that of constants, [.., 2] whether
 * the two are equal in all bits but a zero's sign. Refused pairs are 0, 0, 1. */
static void write_init(Buf *out, ScalarOp op)
{
    buf_printf(out,
               "N = %d\n@pl.jit.host\ndef host(x: pl.Tensor[[N, N, 3], pl.FP32]):\n    pass\n"
               "@pld.init\ndef x(i, k, c):\n",
               N_NUMBERS);
    choose(out, "a", "i");
    choose(out, "b", "k");
    buf_str(out, "    w = 77.0\n");
    for (uint32_t i = 0; i < N_NUMBERS; i++) {
        buf_printf(out, "    if i == %u:\n        w = w\n", i);
        for (uint32_t k = 0; k < N_NUMBERS; k++) {
            if (!py_result(op, i, k).tag)
                continue;
            buf_printf(out, "        if k == %u:\n            w = ", k);
            operation(out, op, numbers[i].text, numbers[k].text);
            buf_char(out, '\n');
        }
    }
    buf_str(out, "    if w == 77.0:\n        return c // 2\n    v = ");
    operation(out, op, "a", "b");
    buf_str(out, "\n    if c == 2:\n        return 1 if v == w or (v != v and w != w) else 0\n"
                 "    return w if c == 1 else v\n");
}

START_TEST(init_functions)
{
    ScalarOp op = py_ops[_i];
    Buf text = {0};
    write_init(&text, op);
    run(&text);
    const uint32_t *x = (const uint32_t *)(const void *)world->tensors[0].data;
    for (uint32_t i = 0; i < N_NUMBERS; i++)
        for (uint32_t k = 0; k < N_NUMBERS; k++) {
            const uint32_t *at = &x[3 * (i * N_NUMBERS + k)];
            Number want = py_result(op, i, k);
            float single = want.tag ? (float)num_double(want) : 0;
            uint32_t bits = 0x7fc00000;
            if (!isnan(single))
                memcpy(&bits, &single, 4);
            ck_assert_msg(at[0] == bits && at[1] == bits && at[2] == 0x3f800000,
                          "%s on %s, %s: run %08x, folded %08x, wanted %08x", enums[op],
                          numbers[i].text, numbers[k].text, at[0], at[1], bits);
        }
    buf_free(&text);
    done();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("folding");
    TCase *tc = tcase_create("folding");
    tcase_add_loop_test(tc, kernels, 0, sizeof dtypes / sizeof dtypes[0]);
    tcase_add_loop_test(tc, init_functions, 0, sizeof py_ops / sizeof py_ops[0]);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
