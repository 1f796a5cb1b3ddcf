/* One call after another: starts that follow each other, memory, searches, tables, owners. */
#include "tests/apitest.h"
#include "tests/support.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* ---- one run after another */

static const char counting[] =
    "@pl.jit.incore\n"
    "def kernel(x: pl.Tensor[[1, 8], pl.INT32], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]],\n"
    "           w: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]]):\n"
    "    t = pl.add(pl.load(w, [0, 0], [1, 8]), pl.load(x, [0, 0], [1, 8]))\n"
    "    w = pl.store(t, [0, 0], w)\n"
    "    pl.debug_print(pl.read(w, [0, 0]), label=\"w\")\n"
    "    return pl.store(t, [0, 0], y)\n"
    "@pl.jit\n"
    "def orch(x, y, w):\n"
    "    return kernel(x, y, w)\n"
    "@pl.jit.host\n"
    "def main(x: pl.Tensor[[1, 8], pl.INT32], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):\n"
    "    b = pld.alloc_window_buffer([1, 8], dtype=pl.INT32)\n"
    "    return orch(x, y, pld.window(b, [1, 8], dtype=pl.INT32), device=0)\n";

static pld_tensor row(int32_t *data)
{
    static const int64_t shape[] = {1, 8};
    return (pld_tensor){sizeof(pld_tensor), PLD_INT32, 2, shape, NULL, data};
}

START_TEST(windows_are_kept_when_asked_for)
{
    pld_program *p = text_program(counting);
    pld_run *r = pld_run_new(p);
    int32_t x[8] = {1}, y[8], z[8] = {5};
    size_t len;
    pld_tensor tx = row(x), ty = row(y), tz = row(z);
    pld_run_set(r, "check", "races,signals,fences");
    ck_assert_int_eq(pld_run_again(r, 1), PLD_USAGE);
    pld_run_tensor(r, "x", &tx);
    pld_run_tensor(r, "y", &ty);
    ck_assert_msg(pld_run_start(r) == PLD_OK, "%s", pld_run_text(r));
    ck_assert_int_eq(y[0], 1);
    pld_run_tensor(r, "x", &tz);
    ck_assert_msg(pld_run_again(r, 1) == PLD_OK, "%s", pld_run_text(r));
    ck_assert_int_eq(y[0], 6);
    ck_assert_int_eq(pld_run_again(r, 0), PLD_OK);
    ck_assert_int_eq(y[0], 5);
    const char *said = pld_run_output(r, "prints", &len);
    ck_assert(said && len == strlen(said));
    ck_assert_ptr_nonnull(strstr(said, "5"));
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(pld_run_again(r, 1), PLD_OK);
        ck_assert_int_eq(y[0], 10 + 5 * i);
    }
    pld_run_set(r, "mem", "weak");
    ck_assert_int_eq(pld_run_again(r, 1), PLD_USAGE); /* it is another world now */
    ck_assert_int_eq(pld_run_start(r), PLD_OK);
    ck_assert_int_eq(y[0], 5);
    ck_assert_int_eq(pld_run_again(r, 1), PLD_OK);
    ck_assert_int_eq(y[0], 10);
    pld_run_free(r);
    pld_program_free(p);
}
END_TEST

static const char rows[] =
    "N = pl.dynamic(\"N\")\n"
    "@pl.jit.incore\n"
    "def kernel(x: pl.Tensor[[N, 8], pl.INT32], y: pl.Out[pl.Tensor[[N, 8], pl.INT32]]):\n"
    "    for i in pl.range(x.shape[0]):\n"
    "        y = pl.store(pl.load(x, [i, 0], [1, 8]) * 2, [i, 0], y)\n"
    "    return y\n"
    "@pl.jit\n"
    "def orch(x, y):\n"
    "    return kernel(x, y)\n"
    "@pl.jit.host\n"
    "def main(x: pl.Tensor[[N, 8], pl.INT32], y: pl.Out[pl.Tensor[[N, 8], pl.INT32]]):\n"
    "    return orch(x, y, device=0)\n";

/* Sizes change from run to run; one of them has no elements, and needs no memory. */
static const char *output(const pld_run *r, const char *what)
{
    size_t len;
    const char *text = pld_run_output(r, what, &len);
    ck_assert(!text || strlen(text) == len);
    return text ? text : "";
}

START_TEST(a_run_shows_what_it_is_asked_for)
{
    pld_program *p = text_program(counting);
    pld_run *r = pld_run_new(p);
    int32_t x[8] = {3}, y[8];
    pld_tensor tx = row(x), ty = row(y);
    pld_run_tensor(r, "x", &tx);
    pld_run_tensor(r, "y", &ty);
    pld_run_set(r, "check", "races,signals");
    ck_assert_int_eq(pld_run_set(r, "print", NULL), PLD_USAGE);
    ck_assert_int_eq(pld_run_set(r, "diagnostics", "xml"), PLD_USAGE);
    ck_assert_str_eq(pld_run_why(r), "diagnostics is text or json");
    ck_assert_int_eq(pld_run_set(r, "report", NULL), PLD_USAGE);
    ck_assert_int_eq(pld_run_set(r, "report", "junit"), PLD_OK);
    ck_assert_int_eq(pld_run_set(r, "print", "y[0,:2]"), PLD_OK);
    ck_assert_int_eq(pld_run_set(r, "watch", "b[0][0,0]"), PLD_OK);
    ck_assert_int_eq(pld_run_set(r, "diagnostics", "json"), PLD_OK);
    for (int again = 0; again < 2; again++) {
        ck_assert_msg(pld_run_start(r) == PLD_OK, "%s", pld_run_text(r));
        ck_assert_msg(strstr(output(r, "prints"), "b[0, 0]: 0 -> 3"), "%s", output(r, "prints"));
        ck_assert_ptr_nonnull(strstr(output(r, "prints"), "y[0,:2] =\n[3 0]\n"));
        ck_assert_ptr_nonnull(strstr(output(r, "prints"), ": w = 3"));
        ck_assert_ptr_nonnull(strstr(output(r, "reports.json"), "\"code\":\"unchecked\""));
        ck_assert_ptr_nonnull(strstr(output(r, "reports.json"), "\n{\"verdict\":"));
        ck_assert_ptr_nonnull(strstr(output(r, "junit.xml"), "<skipped message"));
    }
    pld_run_set(r, "quiet", NULL);
    pld_run_set(r, "no-print", NULL);
    pld_run_set(r, "print", "nothing");
    ck_assert_int_eq(pld_run_start(r), PLD_USAGE);
    ck_assert_ptr_nonnull(strstr(pld_run_why(r), "no such host tensor"));
    ck_assert_ptr_null(strstr(output(r, "prints"), ": w = 3"));
    ck_assert_ptr_null(strstr(output(r, "reports.json"), "nobody checked"));
    ck_assert_ptr_nonnull(strstr(output(r, "reports.json"), "\"status\":2"));
    pld_run_free(r);
    pld_program_free(p);
}
END_TEST

/* ---- sub-workers */

static const char watched[] =
    "@pl.program\n"
    "class P:\n"
    "    @pl.function(type=pl.FunctionType.Orchestration)\n"
    "    def chip(self, x, y):\n"
    "        with pl.at(level=pl.Level.CORE_GROUP):\n"
    "            pl.store(pl.load(x, [0, 0], [1, 8]) + 1, [0, 0], y)\n"
    "    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)\n"
    "    def mend(self, y: pl.InOut[pl.Tensor[[1, 8], pl.INT32]], n: pl.Scalar[pl.INT32],\n"
    "             x: pl.Tensor[[1, 8], pl.INT32]):\n"
    "        y[:] += n * x\n"
    "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
    "    def main(self, x: pl.Tensor[[1, 8], pl.INT32], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]],\n"
    "             z: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):\n"
    "        self.chip(x, y, device=1)\n"
    "        self.mend(y, 5, x)\n"
    "        self.chip(y, z, device=1)\n"
    "        self.mend(z, 7, y)\n";

typedef struct {
    uint32_t calls;
    int64_t numbers[4];
    int cancel; /* at this call */
} Mend;

static int mend(void *user, const pld_tensor *args, size_t n)
{
    Mend *m = user;
    ck_assert_uint_eq(n, 3); /* tensors come before numbers */
    ck_assert(args[0].dtype == PLD_INT32 && args[0].rank == 2 && args[0].shape[1] == 8);
    ck_assert(args[0].strides[0] == 32 && args[0].strides[1] == 4);
    ck_assert(args[2].dtype == PLD_INT64 && args[2].rank == 0);
    int32_t *y = args[0].data;
    const int32_t *x = args[1].data;
    m->numbers[m->calls++] = *(int64_t *)args[2].data;
    for (int i = 0; i < 8; i++)
        y[i] += (int32_t)m->numbers[m->calls - 1] * x[i];
    return m->calls == (uint32_t)m->cancel;
}

START_TEST(sub_workers_are_functions_of_the_caller)
{
    pld_program *p = text_program(watched);
    pld_run *r = pld_run_new(p);
    int32_t x[8] = {1}, y[8], z[8];
    pld_tensor tx = row(x), ty = row(y), tz = row(z);
    Mend m = {0};
    ck_assert_ptr_nonnull(strstr(pld_program_json(p), "\"subworker\":true"));
    pld_run_tensor(r, "x", &tx);
    pld_run_tensor(r, "y", &ty);
    pld_run_tensor(r, "z", &tz);
    ck_assert_int_eq(pld_run_start(r), PLD_OK);
    ck_assert(y[0] == 2 && z[0] == 3);
    ck_assert_int_eq(pld_run_callback(r, "chip", mend, &m), PLD_USAGE);
    ck_assert_int_eq(pld_run_callback(r, "nobody", mend, &m), PLD_USAGE);
    ck_assert_str_eq(pld_run_why(r), "the program has no sub-worker nobody");
    ck_assert_int_eq(pld_run_callback(r, "mend", mend, &m), PLD_OK);
    for (int again = 0; again < 2; again++) {
        m.calls = 0;
        ck_assert_msg(pld_run_start(r) == PLD_OK, "%s", pld_run_text(r));
        ck_assert_uint_eq(m.calls, 2);
        ck_assert(m.numbers[0] == 5 && m.numbers[1] == 7);
        ck_assert(y[0] == 2 + 5 && z[0] == 8 + 7 * 7);
    }
    ck_assert_int_eq(pld_explore(r), PLD_USAGE);
    m = (Mend){.cancel = 1};
    z[0] = 99;
    ck_assert_int_eq(pld_run_start(r), PLD_CANCELLED);
    ck_assert(m.calls == 1 && z[0] == 99);
    ck_assert_int_eq(pld_run_callback(r, "mend", NULL, NULL), PLD_OK);
    ck_assert_int_eq(pld_run_start(r), PLD_OK);
    ck_assert_int_eq(z[0], 3);
    pld_run_free(r);
    pld_program_free(p);
}
END_TEST

START_TEST(extents_may_be_zero)
{
    static const int64_t sizes[] = {3, 0, 1, 5, 0, 3};
    pld_program *p = text_program(rows);
    pld_run *r = pld_run_new(p);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        int32_t x[40], y[40] = {0};
        int64_t n = sizes[k] * 8, shape[] = {sizes[k], 8};
        for (int i = 0; i < 40; i++)
            x[i] = i;
        pld_tensor tx = {sizeof tx, PLD_INT32, 2, shape, NULL, x}, ty = tx;
        ty.data = y;
        ck_assert_int_eq(pld_run_tensor(r, "x", &tx), PLD_OK);
        ck_assert_int_eq(pld_run_tensor(r, "y", &ty), PLD_OK);
        ck_assert_msg(pld_run_start(r) == PLD_OK, "%s", pld_run_text(r));
        for (int i = 0; i < 40; i++)
            ck_assert_int_eq(y[i], i < n ? 2 * i : 0);
    }
    pld_run_free(r);
    pld_program_free(p);
}
END_TEST

/* ---- again and again: LONG=1 for 100,000 times */

static long long in_use(void)
{
    struct mallinfo2 m = mallinfo2();
    return (long long)(m.uordblks + m.hblkhd);
}

static int rounds(int few)
{
    return getenv("LONG") ? 100000 : few;
}

START_TEST(memory_stays_flat)
{
    long long before = 0;
    for (int i = 0; i < rounds(200); i++) {
        if (i == 20)
            before = in_use();
        pld_program *p = text_program(counting);
        pld_run *r = pld_run_new(p);
        int32_t x[8] = {i}, y[8];
        pld_tensor tx = row(x), ty = row(y);
        pld_run_set(r, "check", "races");
        pld_run_tensor(r, "x", &tx);
        pld_run_tensor(r, "y", &ty);
        ck_assert_int_eq(pld_run_start(r), PLD_OK);
        ck_assert_int_eq(y[0], i);
        pld_run_free(r);
        pld_program_free(p);
    }
    /* malloc keeps some small blocks for itself */
    ck_assert_int_le(in_use(), before + 32768);
}
END_TEST

START_TEST(runs_in_a_row_take_no_more_memory)
{
    long long before = 0;
    pld_program *p = text_program(counting);
    pld_run *r = pld_run_new(p);
    pld_run_set(r, "check", "races");
    for (int i = 0; i < rounds(2000); i++) {
        if (i == 100)
            before = in_use();
        int32_t x[8] = {i}, y[8];
        pld_tensor tx = row(x), ty = row(y);
        pld_run_tensor(r, "x", &tx);
        pld_run_tensor(r, "y", &ty);
        ck_assert_int_eq(pld_run_start(r), PLD_OK);
        ck_assert_int_eq(y[0], i);
    }
    ck_assert_int_le(in_use(), before + 65536);
    pld_run_free(r);
    pld_program_free(p);
}
END_TEST

/* ---- searches and tables */

static const char racing[] =
    "@pl.jit.incore\n"
    "def kernel(y: pl.Out[pl.Tensor[[1, 8], pl.INT32]],\n"
    "           w: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]]):\n"
    "    t = pl.full([1, 8], dtype=pl.INT32, value=1)\n"
    "    pld.tile.remote_store(t, w, peer=1 - pld.rank(pld.get_comm_ctx(w)), offsets=[0, 0])\n"
    "    return pl.store(pl.load(w, [0, 0], [1, 8]), [0, 0], y)\n"
    "@pl.jit\n"
    "def orch(y, w):\n"
    "    return kernel(y, w)\n"
    "@pl.jit.host\n"
    "def main(y: pl.Out[pl.Tensor[[2, 1, 8], pl.INT32]]):\n"
    "    b = pld.alloc_window_buffer([1, 8], dtype=pl.INT32)\n"
    "    for r in pl.range(2):\n"
    "        orch(y[r], pld.window(b, [1, 8], dtype=pl.INT32), device=r)\n";

/* A token of another program. */
static void is_refused(pld_program *p, const char *token)
{
    pld_run *r = pld_run_new(p);
    pld_report report = {.size = sizeof report};
    ck_assert_int_eq(pld_run_set(r, "schedule", token), PLD_OK);
    ck_assert_int_eq(pld_run_start(r), PLD_USAGE);
    ck_assert_int_eq(pld_run_report(r, 0, &report), PLD_OK);
    ck_assert_str_eq(report.kind, "usage");
    ck_assert_str_eq(report.check, "token");
    ck_assert_str_eq(pld_run_why(r), report.text);
    pld_run_free(r);
    ck_assert_uint_eq(pld_token_hash("random:1"), 0);
    ck_assert_uint_eq(pld_token_hash("r2.bad"), 0);
    ck_assert_uint_eq(pld_token_hash(""), 0);
}

START_TEST(explorations_are_json)
{
    pld_program *p = sample_program("samples/08_allreduce_mesh.pld", "0-1"),
                *bad = text_program(racing);
    pld_run *r = pld_run_new(p);
    ck_assert_str_eq(pld_explore_json(r), "");
    ck_assert_msg(pld_explore(r) == PLD_OK, "%s", pld_run_text(r));
    ck_assert_ptr_nonnull(strstr(pld_explore_json(r), "\"complete\":true"));
    ck_assert_ptr_nonnull(strstr(pld_explore_json(r), "\"failures\":[]"));
    ck_assert_str_eq(pld_run_token(r), "");
    ck_assert_int_eq(pld_explain(r), PLD_OK);
    ck_assert_ptr_nonnull(strstr(pld_explore_json(r), "\"needed\":true"));
    pld_run_free(r);
    r = pld_run_new(bad);
    ck_assert_int_eq(pld_explore(r), PLD_CHECK);
    ck_assert_ptr_nonnull(strstr(pld_explore_json(r), "\"kind\":\"race\""));
    ck_assert_ptr_nonnull(strstr(pld_run_text(r), "replay: "));
    char *token = strdup(pld_run_token(r));
    ck_assert_int_eq(pld_run_set(r, "schedule", token), PLD_OK);
    ck_assert_int_eq(pld_run_start(r), PLD_CHECK);
    ck_assert_uint_eq(pld_token_hash(token), pld_program_hash(bad));
    is_refused(p, token);
    free(token);
    pld_run_cancel(r);
    pld_run_set(r, "schedule", "clock");
    ck_assert_int_eq(pld_run_start(r), PLD_CANCELLED);
    pld_run_free(r);
    pld_program_free(p);
    pld_program_free(bad);
}
END_TEST

START_TEST(a_program_lives_as_long_as_an_owner)
{
    pld_program *p = text_program(counting), *other = pld_program_ref(p);
    size_t n;
    ck_assert_ptr_eq(p, other);
    pld_run *r = pld_run_new(p);
    pld_program_free(p);
    ck_assert_uint_eq(pld_program_param_count(other), 2);
    pld_program_free(other);
    int32_t x[8] = {0}, y[8];
    pld_tensor tx = row(x), ty = row(y);
    pld_run_tensor(r, "x", &tx);
    pld_run_tensor(r, "y", &ty);
    pld_run_set(r, "check", "races");
    ck_assert_int_eq(pld_run_start(r), PLD_OK);
    const char *const *unchecked = pld_run_unchecked(r, &n);
    ck_assert_uint_eq(n, 1);
    ck_assert_str_eq(unchecked[0], "y");
    pld_run_free(r);
}
END_TEST

START_TEST(skeletons_are_programs)
{
    static const char kernel[] =
        "@pl.jit.incore\n"
        "def k(x: pl.Tensor[[4], pl.FP32], y: pl.Out[pl.Tensor[[4], pl.FP32]]):\n"
        "    return pl.store(pl.load(x, [0], [4]), [0], y)\n";
    const char *text;
    pld_unit *u = pld_unit_new();
    ck_assert_int_eq(pld_unit_skeleton(u, &text), PLD_USAGE);
    pld_unit_text(u, "k.pld", kernel, strlen(kernel), PLD_STRICT, NULL);
    ck_assert_int_eq(pld_unit_skeleton(u, &text), PLD_OK);
    pld_program_free(text_program(text));
    pld_unit_text(u, "k.pld", "def (", 5, PLD_STRICT, NULL);
    ck_assert_int_eq(pld_unit_skeleton(u, &text), PLD_ERRORS);
    ck_assert_ptr_null(text);
    pld_unit_free(u);
}
END_TEST

START_TEST(tables_are_json)
{
    ck_assert_ptr_nonnull(strstr(pld_ops_json(), "\"name\":\"pl.tile.load\""));
    ck_assert_ptr_eq(pld_ops_json(), pld_ops_json());
    ck_assert_ptr_nonnull(strstr(pld_platforms_json(), "\"name\":\"a5sim\""));
    ck_assert_ptr_nonnull(strstr(pld_passes_json(), "\"name\":\"lower_composite_ops\""));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("api calls");
    TCase *tc = tcase_create("api calls");
    tcase_set_timeout(tc, getenv("LONG") ? 3600 : 120);
    tcase_add_test(tc, windows_are_kept_when_asked_for);
    tcase_add_test(tc, a_run_shows_what_it_is_asked_for);
    tcase_add_test(tc, sub_workers_are_functions_of_the_caller);
    tcase_add_test(tc, extents_may_be_zero);
    tcase_add_test(tc, memory_stays_flat);
    tcase_add_test(tc, runs_in_a_row_take_no_more_memory);
    tcase_add_test(tc, explorations_are_json);
    tcase_add_test(tc, a_program_lives_as_long_as_an_owner);
    tcase_add_test(tc, skeletons_are_programs);
    tcase_add_test(tc, tables_are_json);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
