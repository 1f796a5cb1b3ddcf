#include "api/pld.h"
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

static const char double_it[] =
    "import pypto.language as pl\n"
    "import pypto.language.distributed as pld\n"
    "@pl.jit.incore\n"
    "def kernel(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):\n"
    "    t = pl.load(x, [0, 0], [4, 8])\n"
    "    return pl.store(pl.add(t, t), [0, 0], y)\n"
    "@pl.jit\n"
    "def orch(x, y):\n"
    "    return kernel(x, y)\n"
    "@pl.jit.host\n"
    "def main(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):\n"
    "    return orch(x, y, device=0)\n";

static const char waits[] =
    "import pypto.language as pl\n"
    "import pypto.language.distributed as pld\n"
    "@pl.jit.incore\n"
    "def kernel(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], s: pl.InOut[pld.DistributedTensor[[1], "
    "pl.INT32]]):\n"
    "    for i in pl.range(1 << 40):\n"
    "        pld.system.notify(s, peer=pld.rank(pld.get_comm_ctx(s)), offsets=[0], value=1,\n"
    "                          op=pld.NotifyOp.AtomicAdd)\n"
    "    return pl.store(pl.full([1, 8], dtype=pl.INT32, value=1), [0, 0], y)\n"
    "@pl.jit\n"
    "def orch(y, s):\n"
    "    return kernel(y, s)\n"
    "@pl.jit.host\n"
    "def main(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):\n"
    "    b = pld.alloc_window_buffer([1], dtype=pl.INT32)\n"
    "    return orch(y, pld.window(b, [1], dtype=pl.INT32), device=0)\n";

static pld_program *compiled(const char *text, const char *devices)
{
    pld_unit *u = pld_unit_new();
    pld_program *p = NULL;
    ck_assert_int_eq(pld_unit_set(u, "devices", devices), PLD_OK);
    ck_assert_int_eq(pld_unit_text(u, "test.pld", text, strlen(text), PLD_BY_NAME, NULL), PLD_OK);
    int status = pld_unit_compile(u, PLD_NO_DEF, &p);
    ck_assert_msg(status == PLD_OK, "%s", pld_unit_diags_text(u, 0));
    pld_unit_free(u);
    return p;
}

static const int64_t shape[] = {4, 8};

static pld_tensor tensor(float *data, const int64_t *strides)
{
    return (pld_tensor){sizeof(pld_tensor), PLD_FP32, 2, shape, strides, data};
}

static int run_arrays(pld_run *r, pld_tensor x, pld_tensor y)
{
    ck_assert_int_eq(pld_run_tensor(r, "x", &x), PLD_OK);
    ck_assert_msg(pld_run_tensor(r, "y", &y) == PLD_OK, "%s", pld_run_why(r));
    return pld_run_start(r);
}

START_TEST(arrays_are_read_and_written_in_place)
{
    pld_program *p = compiled(double_it, "0");
    pld_run *r = pld_run_new(p);
    pld_program_free(p); /* the run has it too */
    float x[32], y[32] = {0};
    for (int round = 1; round < 3; round++) {
        for (int i = 0; i < 32; i++)
            x[i] = (float)(i * round);
        int status = run_arrays(r, tensor(x, NULL), tensor(y, NULL));
        ck_assert_msg(status == PLD_OK, "%s", pld_run_text(r));
        for (int i = 0; i < 32; i++)
            ck_assert(y[i] == 2 * x[i] && x[i] == (float)(i * round));
    }
    ck_assert(pld_run_steps(r) > 0 && pld_run_time_ps(r) > 0);
    ck_assert_str_eq(pld_run_token(r), "");
    pld_run_free(r);
}
END_TEST

START_TEST(strides_may_be_negative_zero_or_wide)
{
    static const int64_t backwards[] = {-32, -4}, same[] = {0, 4}, wide[] = {80, 8};
    pld_program *p = compiled(double_it, "0");
    pld_run *r = pld_run_new(p);
    float x[32], y[80];
    for (int i = 0; i < 32; i++)
        x[i] = (float)i;
    for (int i = 0; i < 80; i++)
        y[i] = -1;
    ck_assert_int_eq(run_arrays(r, tensor(x + 31, backwards), tensor(y, wide)), PLD_OK);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 10; j++) {
            ck_assert(y[20 * i + 2 * j] == (j < 8 ? 2 * x[31 - 8 * i - j] : -1));
            ck_assert(y[20 * i + 2 * j + 1] == -1);
        }
    ck_assert_int_eq(run_arrays(r, tensor(x, same), tensor(y, NULL)), PLD_OK);
    for (int i = 0; i < 32; i++)
        ck_assert(y[i] == 2 * x[i % 8]);
    pld_tensor bad = tensor(y, same);
    ck_assert_int_eq(pld_run_tensor(r, "y", &bad), PLD_USAGE);
    ck_assert_ptr_nonnull(strstr(pld_run_why(r), "share memory"));
    pld_run_free(r);
    pld_program_free(p);
}
END_TEST

START_TEST(goldens_decide_and_reports_are_structures)
{
    pld_program *p = compiled(double_it, "0");
    pld_run *r = pld_run_new(p);
    float x[32] = {0}, y[32] = {0}, golden[32] = {0};
    pld_tensor g = tensor(golden, NULL);
    golden[9] = 1;
    ck_assert_int_eq(pld_run_golden(r, "y", &g), PLD_OK);
    golden[9] = 0; /* it was copied */
    ck_assert_int_eq(run_arrays(r, tensor(x, NULL), tensor(y, NULL)), PLD_GOLDEN);
    pld_report report = {.size = sizeof report};
    ck_assert(pld_run_report_count(r) > 0);
    ck_assert_int_eq(pld_run_report(r, 0, &report), PLD_OK);
    ck_assert_str_eq(report.kind, "golden");
    ck_assert_int_eq(report.status, PLD_GOLDEN);
    ck_assert_ptr_nonnull(strstr(report.text, "[1, 1]"));
    ck_assert_ptr_nonnull(strstr(pld_run_text(r), report.text));
    ck_assert_int_eq(strncmp(pld_run_token(r), "r", 1), 0);
    ck_assert_uint_eq(pld_run_checked_count(r), 1);
    ck_assert_int_eq(pld_run_report(r, 99, &report), PLD_USAGE);
    pld_run_free(r);
    pld_program_free(p);
}
END_TEST

START_TEST(what_was_recorded_comes_out)
{
    pld_program *p = compiled(double_it, "0");
    pld_run *r = pld_run_new(p);
    float x[32] = {0}, y[32] = {0};
    size_t len;
    ck_assert_int_eq(pld_run_set(r, "cost", NULL), PLD_OK);
    ck_assert_int_eq(pld_run_set(r, "timeline", NULL), PLD_OK);
    ck_assert_int_eq(run_arrays(r, tensor(x, NULL), tensor(y, NULL)), PLD_OK);
    const char *cost = pld_run_output(r, "cost.json", &len);
    ck_assert(cost && len == strlen(cost) && cost[0] == '{');
    ck_assert_ptr_nonnull(strstr(pld_run_output(r, "timeline.svg", &len), "<svg"));
    ck_assert_ptr_null(pld_run_output(r, "trace.json", &len));
    ck_assert_str_eq(pld_run_output(r, "outcome", NULL), "done (nothing checked)");
    pld_run_free(r);
    pld_program_free(p);
}
END_TEST

START_TEST(mistakes_are_diagnostics)
{
    static const char wrong[] = "import pypto.language as pl\nX = \n";
    pld_unit *u = pld_unit_new();
    pld_program *p = NULL;
    pld_diag d = {.size = sizeof d};
    ck_assert_int_eq(pld_unit_compile(u, PLD_NO_DEF, &p), PLD_USAGE);
    ck_assert_int_eq(pld_unit_set(u, "nonsense", "1"), PLD_USAGE);
    ck_assert_str_eq(pld_unit_why(u), "unknown option 'nonsense'");
    ck_assert_int_eq(pld_unit_text(u, "w.pld", wrong, strlen(wrong), PLD_STRICT, NULL), PLD_OK);
    ck_assert_int_eq(pld_unit_compile(u, PLD_NO_DEF, &p), PLD_ERRORS);
    ck_assert_ptr_null(p);
    ck_assert(pld_unit_diag_count(u) > 0);
    ck_assert_int_eq(pld_unit_diag(u, 0, &d), PLD_OK);
    ck_assert(d.severity == PLD_ERROR && d.line == 2 && d.parent == -1);
    ck_assert_str_eq(d.file, "w.pld");
    ck_assert_ptr_nonnull(strstr(pld_unit_diags_text(u, 0), "w.pld:2:"));
    ck_assert_ptr_nonnull(strstr(pld_unit_diags_text(u, 1), "\033["));
    ck_assert_ptr_nonnull(strstr(pld_unit_diags_json(u), "\"line\":2"));
    ck_assert_int_eq(pld_unit_file(u, "/no/such.pld", PLD_BY_NAME), PLD_OK);
    ck_assert_int_eq(pld_unit_compile(u, PLD_NO_DEF, &p), PLD_USAGE);
    ck_assert_ptr_nonnull(strstr(pld_unit_why(u), "/no/such.pld"));
    pld_unit_free(u);
}
END_TEST

START_TEST(a_script_is_read_by_its_name_or_as_said)
{
    static const char head[] = "import numpy\n";
    char script[sizeof head + sizeof double_it];
    pld_unit *u = pld_unit_new();
    pld_program *p = NULL;
    strcat(strcpy(script, head), double_it);
    static const struct {
        const char *name;
        int kind, status;
    } rows[] = {{"a.py", PLD_BY_NAME, PLD_OK},
                {"a.pld", PLD_BY_NAME, PLD_ERRORS},
                {"a.pld", PLD_SCRIPT, PLD_OK},
                {"a.py", PLD_STRICT, PLD_ERRORS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pld_unit_text(u, rows[i].name, script, strlen(script), rows[i].kind, NULL);
        ck_assert_int_eq(pld_unit_compile(u, PLD_NO_DEF, &p), rows[i].status);
        pld_program_free(p);
    }
    ck_assert_int_eq(pld_unit_file(u, "a.py", 3), PLD_USAGE);
    pld_unit_free(u);
}
END_TEST

START_TEST(programs_describe_and_encode_themselves)
{
    pld_program *p = compiled(double_it, "0"), *again = NULL;
    pld_param param = {.size = sizeof param};
    char why[100];
    size_t len;
    ck_assert_uint_eq(pld_program_param_count(p), 2);
    ck_assert_int_eq(pld_program_param(p, 1, &param), PLD_OK);
    ck_assert_str_eq(param.name, "y");
    ck_assert(param.kind == PLD_TENSOR && param.dtype == PLD_FP32 && param.dir == PLD_OUT);
    ck_assert(param.rank == 2 && param.dims[0] == 4 && param.dims[1] == 8);
    ck_assert_str_eq(param.dims_text, "[4, 8]");
    const void *bytes = pld_program_encode(p, &len);
    ck_assert_int_eq(pld_program_decode(bytes, len, &again, why, sizeof why), PLD_OK);
    ck_assert_uint_eq(pld_program_hash(again), pld_program_hash(p));
    ck_assert_str_eq(pld_program_disassemble(again), pld_program_disassemble(p));
    ck_assert_ptr_nonnull(strstr(pld_program_json(p), "\"entry\":\"main\""));
    pld_program_free(again);
    ck_assert_int_eq(pld_program_decode("x", 1, &again, why, sizeof why), PLD_USAGE);
    ck_assert(why[0] && !again);
    pld_program_free(p);
}
END_TEST

START_TEST(dumps_are_kept)
{
    pld_unit *u = pld_unit_new();
    pld_program *p = NULL;
    size_t len;
    ck_assert_int_eq(pld_unit_keep(u, "nonsense"), PLD_USAGE);
    ck_assert_int_eq(pld_unit_keep(u, "all"), PLD_OK);
    ck_assert_int_eq(pld_unit_text(u, "t.pld", double_it, strlen(double_it), 0, NULL), PLD_OK);
    ck_assert_int_eq(pld_unit_compile(u, PLD_NO_DEF, &p), PLD_OK);
    const char *dump = pld_unit_dump(u, "convert_to_ssa", &len);
    ck_assert(dump && strlen(dump) == len);
    ck_assert_ptr_null(pld_unit_dump(u, "nonsense", &len));
    pld_program_free(p);
    pld_unit_free(u);
}
END_TEST

START_TEST(memory_has_a_limit_where_one_is_set)
{
    pld_unit *u = pld_unit_new();
    pld_program *p = NULL;
    ck_assert_int_eq(pld_unit_set(u, "max-memory", "much"), PLD_USAGE);
    ck_assert_int_eq(pld_unit_set(u, "max-memory", "64K"), PLD_OK);
    ck_assert_int_eq(pld_unit_text(u, "t.pld", double_it, strlen(double_it), 0, NULL), PLD_OK);
    ck_assert_int_eq(pld_unit_compile(u, PLD_NO_DEF, &p), PLD_NO_MEMORY);
    ck_assert(!p && strstr(pld_unit_why(u), "max-memory"));
    pld_unit_free(u);
    p = compiled(double_it, "0");
    for (int enough = 0; enough < 2; enough++) {
        pld_run *r = pld_run_new(p);
        float x[32] = {0}, y[32] = {0};
        ck_assert_int_eq(pld_run_set(r, "max-memory", enough ? "16M" : "64K"), PLD_OK);
        int status = run_arrays(r, tensor(x, NULL), tensor(y, NULL));
        ck_assert_int_eq(status, enough ? PLD_OK : PLD_NO_MEMORY);
        ck_assert(enough || strstr(pld_run_why(r), "max-memory"));
        pld_run_free(r);
    }
    pld_program_free(p);
}
END_TEST

static int cancel_at_once(void *user, uint64_t steps, int64_t time_ps)
{
    ++*(int *)user;
    return steps > 0 && time_ps > 0;
}

START_TEST(a_run_can_be_cancelled)
{
    pld_program *p = compiled(waits, "0");
    pld_run *r = pld_run_new(p);
    int32_t y[8] = {7};
    int64_t shape_y[] = {1, 8};
    int calls = 0;
    pld_tensor t = {sizeof t, PLD_INT32, 2, shape_y, NULL, y};
    ck_assert_int_eq(pld_run_tensor(r, "y", &t), PLD_OK);
    pld_run_progress(r, cancel_at_once, &calls);
    ck_assert_int_eq(pld_run_start(r), PLD_CANCELLED);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(y[0], 7);
    pld_run_cancel(r); /* the next one */
    ck_assert_int_eq(pld_run_start(r), PLD_CANCELLED);
    pld_run_set(r, "max-steps", "1000");
    pld_run_progress(r, NULL, NULL);
    ck_assert_int_eq(pld_run_start(r), PLD_STEPS);
    pld_run_free(r);
    pld_program_free(p);
}
END_TEST

static const char scaled[] =
    "import pypto.language as pl\n"
    "import pypto.language.distributed as pld\n"
    "@pl.jit.incore\n"
    "def kernel(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], n: pl.Scalar[pl.INT32]):\n"
    "    return pl.store(pl.add(pl.full([1, 8], dtype=pl.INT32, value=0), n), [0, 0], y)\n"
    "@pl.jit\n"
    "def orch(y, n):\n"
    "    return kernel(y, n)\n"
    "@pl.jit.host\n"
    "def main(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]], n: pl.Scalar[pl.INT32]):\n"
    "    return orch(y, n, device=0)\n";

START_TEST(scalars_are_set_again_and_again)
{
    pld_program *p = compiled(scaled, "0");
    pld_run *r = pld_run_new(p);
    int32_t y[8] = {0};
    int64_t shape_y[] = {1, 8};
    pld_tensor t = {sizeof t, PLD_INT32, 2, shape_y, NULL, y};
    ck_assert_int_eq(pld_run_tensor(r, "y", &t), PLD_OK);
    for (int n = -2; n < 3; n++) {
        pld_value v = {.size = sizeof v, .tag = PLD_V_INT, .integer = n};
        ck_assert_int_eq(pld_run_scalar(r, "n", &v), PLD_OK);
        ck_assert_msg(pld_run_start(r) == PLD_OK, "%s", pld_run_text(r));
        ck_assert(y[0] == n && y[7] == n);
    }
    pld_value half = {.size = sizeof half, .tag = PLD_V_FLOAT, .real = 0.5}, text = half;
    text.tag = PLD_V_TEXT;
    ck_assert_int_eq(pld_run_scalar(r, "n", &half), PLD_OK);
    ck_assert_int_eq(pld_run_start(r), PLD_USAGE);
    ck_assert_int_eq(pld_run_scalar(r, "y", &half), PLD_USAGE);
    ck_assert_int_eq(pld_run_scalar(r, "n", &text), PLD_USAGE);
    pld_run_free(r);
    pld_program_free(p);
}
END_TEST

START_TEST(an_older_caller_gets_what_it_knows)
{
    struct {
        size_t size;
        const char *kind;
        int sentinel;
    } old = {.size = offsetof(pld_report, check), .sentinel = 5};
    pld_program *p = compiled(double_it, "0");
    pld_run *r = pld_run_new(p);
    ck_assert_int_eq(pld_run_start(r), PLD_USAGE); /* no x */
    ck_assert_ptr_nonnull(strstr(pld_run_why(r), "x has no value"));
    ck_assert_int_eq(pld_run_report(r, 0, (pld_report *)(void *)&old), PLD_OK);
    ck_assert_str_eq(old.kind, "usage");
    ck_assert_int_eq(old.sentinel, 5);
    pld_run_free(r);
    pld_program_free(p);
    pld_run_free(NULL);
    pld_unit_free(NULL);
    pld_program_free(NULL);
    ck_assert_str_eq(pld_status_text(PLD_DEADLOCK), "deadlock");
    ck_assert_str_eq(pld_dtype_name(PLD_BF16), "BF16");
    ck_assert_ptr_null(pld_dtype_name(-1));
    ck_assert_uint_eq(pld_version(), PLD_VERSION_MINOR << 8);
}
END_TEST

START_TEST(words_are_the_names_of_the_language)
{
    static const char *const some[] = {
        "dtype BF16 2",    "op pl.tile.load",       "call pl.range", "enum Level.HOST 0",
        "module Level pl", "alias MemorySpace Mem", "pass 00_parsed"};
    uint32_t found = 0;
    size_t n = 0;
    for (const char *word; (word = pld_word(n)); n++)
        for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
            found |= (uint32_t)(strcmp(word, some[i]) == 0) << i;
    ck_assert_uint_eq(found, (1u << sizeof some / sizeof some[0]) - 1);
    ck_assert_uint_gt(n, 300);
    ck_assert_ptr_null(pld_word(n + 1000));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("api");
    TCase *tc = tcase_create("api");
    tcase_add_test(tc, words_are_the_names_of_the_language);
    tcase_add_test(tc, arrays_are_read_and_written_in_place);
    tcase_add_test(tc, strides_may_be_negative_zero_or_wide);
    tcase_add_test(tc, goldens_decide_and_reports_are_structures);
    tcase_add_test(tc, what_was_recorded_comes_out);
    tcase_add_test(tc, mistakes_are_diagnostics);
    tcase_add_test(tc, a_script_is_read_by_its_name_or_as_said);
    tcase_add_test(tc, programs_describe_and_encode_themselves);
    tcase_add_test(tc, dumps_are_kept);
    tcase_add_test(tc, memory_has_a_limit_where_one_is_set);
    tcase_add_test(tc, a_run_can_be_cancelled);
    tcase_add_test(tc, scalars_are_set_again_and_again);
    tcase_add_test(tc, an_older_caller_gets_what_it_knows);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
