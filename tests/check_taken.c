/* Definitions taken by line, their names bound from outside. */
#include "api/pld.h"
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

#define TENSOR "L.Tensor[[ROWS, 8], DT]"

/* A factory of kernels in a text with other things in it. The tests take line 5, which is kernel,
 * and 11, which is both. */
static const char script[] = "import torch\n"
                             "from pypto import language as L\n"
                             "\n"
                             "def make(SCALE):\n"
                             "    @L.jit.incore\n"
                             "    def kernel(x: " TENSOR ", y: L.Out[" TENSOR "]):\n"
                             "        t = L.load(x, [0, 0], [ROWS, 8])\n"
                             "        return L.store(combine(t, SCALE), [0, 0], y)\n"
                             "    return kernel\n"
                             "\n"
                             "@L.jit\n"
                             "def both(x: L.Tensor, y: L.Out[L.Tensor], n: int):\n"
                             "    y = first(x, y)\n"
                             "    if n > 1:\n"
                             "        y = second(y, y)\n"
                             "    return y\n"
                             "print('never read: ' \"\"\"\n"
                             "\"\"\", torch.zeros(3))\n"
                             "def rows(a):\n"
                             "    return a * 2\n";

static pld_value number(int64_t v)
{
    return (pld_value){.size = sizeof(pld_value), .tag = PLD_V_INT, .integer = v};
}

static pld_value text(int tag, const char *s)
{
    return (pld_value){.size = sizeof(pld_value), .tag = tag, .text = s};
}

static pld_value def(uint32_t d)
{
    return (pld_value){.size = sizeof(pld_value), .tag = PLD_V_DEF, .integer = d};
}

static void bind(pld_unit *u, uint32_t d, const char *name, pld_value v)
{
    int status = pld_unit_bind(u, d, name, &v);
    ck_assert_msg(status == PLD_OK, "%s: %s", name, pld_unit_why(u));
}

static uint32_t take(pld_unit *u, uint32_t source, uint32_t line)
{
    uint32_t d;
    int status = pld_unit_take(u, source, line, &d);
    ck_assert_msg(status == PLD_OK, "%s%s", pld_unit_diags_text(u, 0), pld_unit_why(u));
    return d;
}

static pld_unit *unit(uint32_t *source)
{
    pld_unit *u = pld_unit_new();
    ck_assert_int_eq(pld_unit_text(u, "first.py", "x = 1\n", 6, PLD_SCRIPT, NULL), PLD_OK);
    ck_assert_int_eq(pld_unit_text(u, "script.py", script, strlen(script), PLD_SCRIPT, source),
                     PLD_OK);
    return u;
}

static uint32_t kernel(pld_unit *u, uint32_t source, int64_t scale, int64_t rows)
{
    uint32_t d = take(u, source, 5);
    bind(u, d, "L", text(PLD_V_OP, "pl"));
    bind(u, d, "ROWS", number(rows));
    bind(u, d, "DT", text(PLD_V_DTYPE, "FP32"));
    bind(u, d, "SCALE", number(scale));
    bind(u, d, "combine", text(PLD_V_OP, "pl.muls"));
    return d;
}

static pld_program *built(pld_unit *u, uint32_t entry)
{
    pld_program *p = NULL;
    int status = pld_unit_compile(u, entry, &p);
    ck_assert_msg(status == PLD_OK, "%s%s", pld_unit_diags_text(u, 0), pld_unit_why(u));
    return p;
}

static void argument(pld_unit *u, const char *name, int64_t rows)
{
    pld_value dims[] = {number(rows), number(8)};
    pld_value t = {.size = sizeof t, .tag = PLD_V_TYPE, .dtype = PLD_FP32, .items = dims, .n = 2};
    ck_assert_int_eq(pld_unit_argument(u, name, &t), PLD_OK);
}

static void check_run(pld_program *p, float factor)
{
    float x[16], y[16] = {0};
    int64_t shape[] = {2, 8};
    pld_run *r = pld_run_new(p);
    for (int i = 0; i < 16; i++)
        x[i] = (float)i;
    pld_tensor tx = {sizeof tx, PLD_FP32, 2, shape, NULL, x}, ty = tx;
    ty.data = y;
    ck_assert_int_eq(pld_run_tensor(r, "x", &tx), PLD_OK);
    ck_assert_int_eq(pld_run_tensor(r, "y", &ty), PLD_OK);
    ck_assert_msg(pld_run_start(r) == PLD_OK, "%s", pld_run_text(r));
    for (int i = 0; i < 16; i++)
        ck_assert(y[i] == factor * x[i]);
    pld_run_free(r);
    pld_program_free(p);
}

/* y = (x + 3 + 3) * (3 * 7) */
static void check_sums(pld_program *p)
{
    float x[16], y[16] = {0};
    int64_t shape[] = {2, 8};
    pld_run *r = pld_run_new(p);
    for (int i = 0; i < 16; i++)
        x[i] = (float)i;
    pld_tensor tx = {sizeof tx, PLD_FP32, 2, shape, NULL, x}, ty = tx;
    ty.data = y;
    pld_run_tensor(r, "x", &tx);
    pld_run_tensor(r, "y", &ty);
    ck_assert_msg(pld_run_start(r) == PLD_OK, "%s", pld_run_text(r));
    for (int i = 0; i < 16; i++)
        ck_assert(y[i] == (x[i] + 6) * 21);
    pld_run_free(r);
    pld_program_free(p);
}

START_TEST(free_names_are_those_of_the_environment)
{
    uint32_t source;
    size_t n;
    pld_unit *u = unit(&source);
    const char *const *names = pld_unit_names(u, take(u, source, 5), &n);
    static const char *const want[] = {"L", "ROWS", "DT", "combine", "SCALE"};
    ck_assert_uint_eq(n, 5);
    for (size_t i = 0; i < n; i++)
        ck_assert_str_eq(names[i], want[i]);
    names = pld_unit_names(u, take(u, source, 11), &n);
    ck_assert_uint_eq(n, 4); /* L, int, first, second */
    ck_assert_str_eq(names[2], "first");
    ck_assert_ptr_null(pld_unit_names(u, 99, &n));
    pld_unit_free(u);
}
END_TEST

START_TEST(one_text_is_taken_twice_with_other_bindings)
{
    uint32_t source;
    size_t len;
    pld_unit *u = unit(&source);
    uint32_t a = kernel(u, source, 3, 2), b = kernel(u, source, 5, 2), e = take(u, source, 11);
    pld_value one = number(1), two = number(2);
    bind(u, e, "L", text(PLD_V_OP, "pl"));
    bind(u, e, "first", def(a));
    bind(u, e, "second", def(b));
    argument(u, "x", 2);
    argument(u, "y", 2);
    pld_unit_keep(u, "parsed");
    ck_assert_int_eq(pld_unit_argument(u, "n", &two), PLD_OK);
    pld_program *p = built(u, e);
    ck_assert_uint_eq(pld_program_param_count(p), 2);
    check_run(p, 15);
    ck_assert_int_eq(pld_unit_argument(u, "n", &one), PLD_OK);
    check_run(built(u, e), 3);

    /* The dump is a program by itself. */
    const char *dump = pld_unit_dump(u, "parsed", &len);
    pld_unit *again = pld_unit_new();
    ck_assert_int_eq(pld_unit_text(again, "d.ir", dump, len, PLD_STRICT, NULL), PLD_OK);
    check_run(built(again, PLD_NO_DEF), 3);
    pld_unit_free(again);
    pld_unit_free(u);
}
END_TEST

START_TEST(places_are_those_of_the_text)
{
    uint32_t source, d;
    pld_unit *u = unit(&source);
    uint32_t k = kernel(u, source, 3, 2);
    pld_program *p;
    pld_diag diag = {.size = sizeof diag};
    argument(u, "x", 2);
    bind(u, k, "SCALE", text(PLD_V_OPAQUE, "a torch.Tensor"));
    ck_assert_int_eq(pld_unit_compile(u, k, &p), PLD_ERRORS);
    ck_assert_int_eq(pld_unit_diag(u, 0, &diag), PLD_OK);
    ck_assert_str_eq(diag.file, "script.py");
    ck_assert(diag.line == 8 && diag.col == 35);
    ck_assert_ptr_nonnull(strstr(diag.message, "SCALE is a torch.Tensor"));
    ck_assert_ptr_nonnull(strstr(pld_unit_diags_text(u, 0), "combine(t, SCALE)"));

    static const char broken[] = "\n@pl.jit\ndef f(x:\n    return x +\n";
    ck_assert_int_eq(pld_unit_text(u, "cell", broken, strlen(broken), PLD_SCRIPT, &source), PLD_OK);
    ck_assert_int_eq(pld_unit_take(u, source, 2, &d), PLD_ERRORS);
    ck_assert_uint_eq(d, PLD_NO_DEF);
    ck_assert_int_eq(pld_unit_diag(u, 0, &diag), PLD_OK);
    ck_assert_str_eq(diag.file, "cell");
    ck_assert_uint_eq(diag.line, 3);
    pld_unit_free(u);
}
END_TEST

START_TEST(what_cannot_be_taken_or_bound_is_refused)
{
    uint32_t source, d;
    pld_unit *u = unit(&source);
    ck_assert_int_eq(pld_unit_take(u, 7, 1, &d), PLD_USAGE);
    ck_assert_int_eq(pld_unit_take(u, source, 99, &d), PLD_USAGE);
    ck_assert_ptr_nonnull(strstr(pld_unit_why(u), "no line 99"));
    ck_assert_int_eq(pld_unit_take(u, source, 7, &d), PLD_ERRORS);
    ck_assert_ptr_nonnull(strstr(pld_unit_diags_text(u, 0), "no definition begins"));
    d = kernel(u, source, 1, 2);
    const pld_value bad[] = {
        def(5),
        text(PLD_V_TEXT, NULL),
        text(PLD_V_DTYPE, "FP 32"),
        text(PLD_V_OP, "pl..add"),
        text(PLD_V_TEXT, "\xff"),
        {.size = sizeof bad[0], .tag = 99},
        {.size = 3, .tag = PLD_V_INT},
        {.size = sizeof bad[0], .tag = PLD_V_TYPE, .dtype = 77},
        {.size = sizeof bad[0], .tag = PLD_V_TYPE, .text = "pl.Window"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(pld_unit_bind(u, d, "SCALE", &bad[i]) == PLD_USAGE, "%zu", i);
    ck_assert_int_eq(pld_unit_bind(u, 9, "SCALE", &bad[0]), PLD_USAGE);
    pld_value list = {.size = sizeof list, .tag = PLD_V_LIST};
    ck_assert_int_eq(pld_unit_argument(u, "x", &list), PLD_USAGE);
    pld_program *p;
    ck_assert_int_eq(pld_unit_compile(u, 9, &p), PLD_USAGE);
    pld_unit_free(u);
}
END_TEST

/* The same name for different things, names that are bound in one and not in another, an annotation
 * that is a value, lists, extents, helper functions, and recursion into a second text. */
static const char module_a[] = "@pl.jit.incore\n"
                               "def k(x: make_type(1), y: pl.Out[pl.Tensor[[N, 8], pl.FP32]]):\n"
                               "    t = pl.load(x, [0, 0], [2, 8])\n"
                               "    for i in range(SIZES[1]):\n"
                               "        t = pl.adds(t, V)\n"
                               "    return pl.store(pl.muls(t, helper(V)), [0, 0], y)\n"
                               "def helper(a):\n"
                               "    return a * V\n"
                               "def torch_thing(a):\n"
                               "    a.append(2)\n"
                               "    return a\n";
static const char module_b[] = "@jit\n"
                               "def k(x: pl.Tensor[[N, 8], pl.FP32],\n"
                               "      y: pl.Out[pl.Tensor[[N, 8], pl.FP32]]):\n"
                               "    V = 1\n"
                               "    return other(x, y)\n";

START_TEST(modules_keep_their_names_apart)
{
    uint32_t a, b;
    pld_unit *u = pld_unit_new();
    pld_unit_text(u, "a.py", module_a, strlen(module_a), PLD_SCRIPT, &a);
    pld_unit_text(u, "b.py", module_b, strlen(module_b), PLD_SCRIPT, &b);
    uint32_t entry = take(u, b, 1), k = take(u, a, 1), helper = take(u, a, 7);
    pld_value sizes[] = {number(9), number(2)}, dims[] = {text(PLD_V_EXTENT, "N"), number(8)};
    pld_value list = {.size = sizeof list, .tag = PLD_V_TUPLE, .items = sizes, .n = 2};
    pld_value type = {.size = sizeof type, .tag = PLD_V_TYPE, .items = dims, .n = 2};
    bind(u, entry, "jit", text(PLD_V_OP, "pl.jit"));
    bind(u, entry, "N", text(PLD_V_EXTENT, "N"));
    bind(u, entry, "other", def(k));
    bind(u, k, "N", text(PLD_V_EXTENT, "N"));
    bind(u, k, "V", number(3));
    bind(u, k, "SIZES", list);
    bind(u, k, "helper", def(helper));
    bind(u, k, "x:", type);
    bind(u, helper, "V", number(7));
    check_sums(built(u, entry));
    pld_unit_free(u);
}
END_TEST

/* Arithmetic on extents as a value, annotations of a method that are values, defaults of a kernel
 * (its caller has them as arguments). */
static const char methods[] =
    "@pl.program\n"
    "class P:\n"
    "    @pl.function(type=pl.FunctionType.InCore)\n"
    "    def k(self, x: shape(1), y: shape(2)):\n"
    "        return pl.store(pl.load(x, [0, 0], [1, 8]), [0, 0], y)\n"
    "    @pl.function(type=pl.FunctionType.Orchestration)\n"
    "    def main(self, x: pl.Tensor[[N, 8], pl.FP32], y: pl.Out[pl.Tensor[[TWICE, 8], "
    "pl.FP32]]):\n"
    "        return self.k(x, y)\n"
    "@pl.jit\n"
    "def f(x: pl.Tensor[[2, 8], pl.FP32], y: pl.Out[pl.Tensor[[2, 8], pl.FP32]],\n"
    "      n: pl.INDEX = 3):\n"
    "    with pl.at(level=pl.Level.CORE_GROUP):\n"
    "        y = pl.store(pl.load(x, [0, 0], [2, 8]) * float(n), [0, 0], y)\n"
    "    return y\n";

START_TEST(values_stand_where_the_text_says_none)
{
    uint32_t source;
    pld_param param = {.size = sizeof param};
    pld_unit *u = pld_unit_new();
    pld_unit_text(u, "methods.py", methods, strlen(methods), PLD_SCRIPT, &source);
    uint32_t class = take(u, source, 1), f = take(u, source, 9);
    pld_value in[] = {text(PLD_V_EXTENT, "N"), number(8)},
              out[] = {text(PLD_V_EXTENT, "(N * 2)"), number(8)};
    pld_value x = {.size = sizeof x, .tag = PLD_V_TYPE, .items = in, .n = 2};
    pld_value y = {.size = sizeof y, .tag = PLD_V_TYPE, .dir = PLD_OUT, .items = out, .n = 2};
    bind(u, class, "N", in[0]);
    bind(u, class, "TWICE", out[0]);
    bind(u, class, "k.x:", x);
    bind(u, class, "k.y:", y);
    pld_program *p = built(u, class);
    ck_assert_int_eq(pld_program_param(p, 1, &param), PLD_OK);
    ck_assert_str_eq(param.dims_text, "[(2 * N), 8]");
    pld_program_free(p);
    pld_value n = number(4);
    ck_assert_int_eq(pld_unit_argument(u, "n", &n), PLD_OK);
    p = built(u, f);
    ck_assert_uint_eq(pld_program_param_count(p), 2);
    pld_program_free(p);
    static const char *const wrong[] = {"N +", "N.x", "f(N)", "", "N / 2", "a b"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        pld_value v = text(PLD_V_EXTENT, wrong[i]);
        ck_assert_msg(pld_unit_bind(u, class, "N", &v) == PLD_USAGE, "%s", wrong[i]);
    }
    pld_unit_free(u);
}
END_TEST

/* Attributes and items of what no program knows, a dict, and a decorator that is no text. */
static const char paths[] =
    "@mine\n"
    "def k(x: pl.Tensor[[cfg.rows, 8], pl.FP32],\n"
    "      y: pl.Out[pl.Tensor[[cfg.rows, 8], pl.FP32]], cfg_by=cfg.by):\n"
    "    t = pl.load(x, [0, 0], [cfg.rows, table['a\\'b'][1]])\n"
    "    for table in range(sizes['n']):\n"
    "        t = pl.add(t, [c.rows for c in (1,)][0] if False else cfg.by)\n"
    "    return pl.store(t, [table.q, cfg[0].deep][0:0] or [0, 0], y)\n";

START_TEST(parts_of_objects_are_given_by_path)
{
    uint32_t source;
    size_t n;
    pld_unit *u = pld_unit_new();
    pld_unit_text(u, "p.py", paths, strlen(paths), PLD_SCRIPT, &source);
    uint32_t k = take(u, source, 1);
    const char *const *got = pld_unit_paths(u, k, &n);
    static const char *const want[] = {"pl.Tensor", "cfg.rows",   "pl.FP32",    "pl.Out",
                                       "cfg.by",    "pl.load",    "sizes['n']", "pl.add",
                                       "pl.store",  "cfg[0].deep"};
    ck_assert_uint_eq(n, sizeof want / sizeof want[0]);
    for (size_t i = 0; i < n; i++)
        ck_assert_str_eq(got[i], want[i]);
    ck_assert_ptr_null(pld_unit_paths(u, 7, &n));
    ck_assert_uint_eq(n, 0);
    pld_unit_free(u);
}
END_TEST

static const char config[] =
    "@mine\n"
    "def k(x: pl.Tensor[[cfg.rows, 8], pl.FP32],\n"
    "      y: pl.Out[pl.Tensor[[cfg.rows, 8], pl.FP32]]):\n"
    "    with pl.at(level=pl.Level.CORE_GROUP):\n"
    "        cfg_rows = pl.load(x, [0, 0], [cfg.rows, table['a\\'b'][1]])\n"
    "        for i in range(sizes['n'] + sizes.get('m', 0)):\n"
    "            cfg_rows = pl.add(cfg_rows, cfg.by.amount)\n"
    "        y = pl.store(pl.mul(cfg_rows, 21.0), [0, 0], y)\n"
    "    return y\n";

START_TEST(parts_of_objects_are_constants)
{
    uint32_t source;
    pld_unit *u = pld_unit_new();
    pld_program *p;
    pld_unit_text(u, "c.py", config, strlen(config), PLD_SCRIPT, &source);
    uint32_t k = take(u, source, 1);
    pld_value pairs[] = {text(PLD_V_TEXT, "n"), number(1), text(PLD_V_TEXT, "m"), number(2)};
    pld_value dict = {.size = sizeof dict, .tag = PLD_V_DICT, .items = pairs, .n = 3};
    ck_assert_int_eq(pld_unit_bind(u, k, "sizes", &dict), PLD_USAGE);
    dict.n = 4;
    bind(u, k, "@", text(PLD_V_TEXT, "pl.jit"));
    bind(u, k, "cfg", text(PLD_V_OPAQUE, "a config"));
    bind(u, k, "table", text(PLD_V_OPAQUE, "a table"));
    bind(u, k, "cfg.rows", number(2));
    bind(u, k, "table['a\\'b'][1]", number(8));
    bind(u, k, "sizes", dict);
    ck_assert_int_eq(pld_unit_compile(u, k, &p), PLD_ERRORS);
    ck_assert_ptr_nonnull(strstr(pld_unit_diags_text(u, 0), "cfg is a config"));
    bind(u, k, "cfg.by", text(PLD_V_OPAQUE, "an amount"));
    ck_assert_int_eq(pld_unit_compile(u, k, &p), PLD_ERRORS);
    ck_assert_ptr_nonnull(strstr(pld_unit_diags_text(u, 0), "cfg.by is an amount"));
    bind(u, k, "cfg.by.amount", number(2));
    check_sums(built(u, k));
    pld_unit_free(u);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("taken");
    TCase *tc = tcase_create("taken");
    tcase_add_test(tc, free_names_are_those_of_the_environment);
    tcase_add_test(tc, one_text_is_taken_twice_with_other_bindings);
    tcase_add_test(tc, places_are_those_of_the_text);
    tcase_add_test(tc, what_cannot_be_taken_or_bound_is_refused);
    tcase_add_test(tc, modules_keep_their_names_apart);
    tcase_add_test(tc, values_stand_where_the_text_says_none);
    tcase_add_test(tc, parts_of_objects_are_given_by_path);
    tcase_add_test(tc, parts_of_objects_are_constants);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
