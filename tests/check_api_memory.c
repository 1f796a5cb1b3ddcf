/* Memory that does not suffice, at every allocation in turn: a status, and nothing left behind.
 * This is linked with a copy of libpld.a that calls the four functions below in place of malloc's.
 */
#include "api/pld.h"
#include "tests/support.h"

#include <stdbool.h>
#include <stdlib.h>

void *test_malloc(size_t size);
void *test_calloc(size_t n, size_t size);
void *test_realloc(void *old, size_t size);
void test_free(void *block);

static long made, fail_at, blocks; /* fail_at: this one and all after it; 0: none */

static bool fails(void)
{
    return fail_at && ++made >= fail_at;
}

void *test_malloc(size_t size)
{
    void *p = fails() ? NULL : malloc(size);
    blocks += p != NULL;
    return p;
}

void *test_calloc(size_t n, size_t size)
{
    void *p = fails() ? NULL : calloc(n, size);
    blocks += p != NULL;
    return p;
}

void *test_realloc(void *old, size_t size)
{
    void *p = fails() ? NULL : realloc(old, size);
    blocks += p != NULL && old == NULL;
    return p;
}

void test_free(void *block)
{
    blocks -= block != NULL;
    free(block);
}

static int compile_sample(const char *path, pld_program **p)
{
    pld_unit *u = pld_unit_new();
    if (!u)
        return PLD_NO_MEMORY;
    int status = pld_unit_file(u, path, PLD_BY_NAME);
    if (status == PLD_OK)
        status = pld_unit_keep(u, "all");
    if (status == PLD_OK)
        status = pld_unit_compile(u, PLD_NO_DEF, p);
    pld_unit_free(u);
    return status;
}

static int run_program(pld_program *p)
{
    pld_run *r = pld_run_new(p);
    if (!r)
        return PLD_NO_MEMORY;
    int status = pld_run_set(r, "cost", NULL);
    if (status == PLD_OK)
        status = pld_run_set(r, "timeline", NULL);
    if (status == PLD_OK)
        status = pld_run_start(r);
    if (status == PLD_NO_MEMORY)
        ck_assert_int_eq(pld_run_start(r), PLD_NO_MEMORY); /* it may only be freed */
    pld_run_free(r);
    return status;
}

static pld_program *sample;

static int compile_one(void)
{
    pld_program *p = NULL;
    int status = compile_sample("samples/14_reduce_scatter.pld", &p);
    ck_assert((p != NULL) == (status == PLD_OK));
    pld_program_free(p);
    return status;
}

static int run_one(void)
{
    return run_program(sample);
}

static const char outside[] = "@pl.program\n"
                              "class P:\n"
                              "    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)\n"
                              "    def fill(self, y: pl.Out[pl.Tensor[[2, 8], pl.FP32]]):\n"
                              "        y[:] = 1\n"
                              "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
                              "    def main(self, y: pl.Out[pl.Tensor[[2, 8], pl.FP32]]):\n"
                              "        self.fill(y)\n";

static int fill(void *user, const pld_tensor *args, size_t n)
{
    float *y = args[0].data;
    (void)user;
    for (size_t i = 0; i < 16 * n; i++)
        y[i] = 1;
    return 0;
}

/* A run that calls back and shows itself in every form. */
static int show_one(void)
{
    float y[16] = {0};
    int64_t shape[] = {2, 8};
    pld_tensor t = {sizeof t, PLD_FP32, 2, shape, NULL, y};
    pld_run *r = pld_run_new(sample);
    int s = r ? pld_run_callback(r, "fill", fill, NULL) : PLD_NO_MEMORY;
    s = s ? s : pld_run_tensor(r, "y", &t);
    s = s ? s : pld_run_set(r, "print", "y[0]");
    s = s ? s : pld_run_set(r, "watch", "y[0,0]");
    s = s ? s : pld_run_set(r, "diagnostics", "json");
    s = s ? s : pld_run_set(r, "report", "junit");
    s = s ? s : pld_run_set(r, "dispatches", NULL);
    s = s ? s : pld_run_set(r, "quiet", NULL);
    s = s ? s : pld_run_start(r);
    ck_assert(s != PLD_OK || y[15] == 1);
    pld_run_free(r);
    return s;
}

static int describe_one(void)
{
    size_t len;
    pld_program *p = NULL;
    const void *bytes = pld_program_encode(sample, &len);
    int status = pld_program_decode(bytes, len, &p, NULL, 0);
    if (status != PLD_OK)
        return status;
    int ok = pld_program_json(p) && pld_program_disassemble(p);
    pld_program_free(p);
    return ok ? PLD_OK : PLD_NO_MEMORY;
}

static const char script[] =
    "@mine\n"
    "def k(x: pl.Tensor[[N, 8], pl.FP32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]], a: int = "
    "cfg.by):\n"
    "    return pl.store(pl.load(x, [0, 0], [N, sizes['w'] * a]), [0, 0], y)\n"
    "@pl.jit\n"
    "def f(x: pl.Tensor, y: pl.Out[pl.Tensor]):\n"
    "    return g(x, y)\n";

/* A decorator that is no text, a path, a dict. */
static int bind_objects(pld_unit *u, uint32_t k)
{
    pld_value one = {.size = sizeof one, .tag = PLD_V_INT, .integer = 1}, pair[2], dict, jit;
    pair[1] = one;
    pair[1].integer = 8;
    pair[0] = (pld_value){.size = sizeof pair[0], .tag = PLD_V_TEXT, .text = "w"};
    dict = (pld_value){.size = sizeof dict, .tag = PLD_V_DICT, .items = pair, .n = 2};
    jit = (pld_value){.size = sizeof jit, .tag = PLD_V_TEXT, .text = "pl.jit.incore"};
    int s = pld_unit_bind(u, k, "@", &jit);
    s = s ? s : pld_unit_bind(u, k, "cfg.by", &one);
    return s ? s : pld_unit_bind(u, k, "sizes", &dict);
}

/* Two definitions, a name that is the other one, a list, the type of an argument. */
static int build(pld_unit *u, pld_program **p)
{
    uint32_t source, k = 0, f;
    pld_value n = {.size = sizeof n, .tag = PLD_V_INT, .integer = 2}, eight = n, dims[2], type, g;
    eight.integer = 8;
    dims[0] = n;
    dims[1] = eight;
    type = (pld_value){.size = sizeof type, .tag = PLD_V_TYPE, .items = dims, .n = 2};
    g = (pld_value){.size = sizeof g, .tag = PLD_V_DEF};
    int s = pld_unit_text(u, "s.py", script, sizeof script - 1, PLD_SCRIPT, &source);
    s = s ? s : pld_unit_take(u, source, 1, &k);
    s = s ? s : pld_unit_take(u, source, 4, &f);
    g.integer = k;
    s = s ? s : pld_unit_bind(u, k, "N", &n);
    s = s ? s : bind_objects(u, k);
    s = s ? s : pld_unit_bind(u, f, "g", &g);
    s = s ? s : pld_unit_argument(u, "x", &type);
    s = s ? s : pld_unit_argument(u, "#1", &type);
    return s ? s : pld_unit_compile(u, f, p);
}

static int take_one(void)
{
    pld_program *p = NULL;
    pld_unit *u = pld_unit_new();
    int status = u ? build(u, &p) : PLD_NO_MEMORY;
    pld_unit_free(u);
    pld_program_free(p);
    return status;
}

static int explore_one(void)
{
    pld_run *r = pld_run_new(sample);
    int status = r ? pld_run_set(r, "explore", "search") : PLD_NO_MEMORY;
    status = status ? status : pld_run_set(r, "explore", "40");
    status = status ? status : pld_explore(r);
    pld_run_free(r);
    return status == PLD_INCOMPLETE ? PLD_OK : status;
}

static int skeleton_one(void)
{
    const char *text;
    pld_unit *u = pld_unit_new();
    int s =
        u ? pld_unit_text(u, "s.py", script, sizeof script - 1, PLD_SCRIPT, NULL) : PLD_NO_MEMORY;
    s = s ? s : pld_unit_skeleton(u, &text);
    ck_assert((s == PLD_OK) == (u && text != NULL) || s == PLD_NO_MEMORY);
    pld_unit_free(u);
    return s;
}

/* Fails at the first allocation and all after it, then at the second, until nothing fails. */
static void exhaust(int (*work)(void))
{
    int status = PLD_NO_MEMORY;
    long n = 0;
    fail_at = 0;
    ck_assert_int_eq(work(), PLD_OK);
    long before = blocks;
    for (long at = 1; status == PLD_NO_MEMORY; at++) {
        made = 0;
        fail_at = at;
        status = work();
        fail_at = 0;
        ck_assert_msg(blocks == before, "%ld blocks are left at %ld", blocks - before, at);
        n += status == PLD_NO_MEMORY;
    }
    ck_assert_int_eq(status, PLD_OK);
    ck_assert_int_gt(n, 20);
}

START_TEST(compiling)
{
    exhaust(compile_one);
}
END_TEST

START_TEST(taking_definitions)
{
    exhaust(take_one);
    exhaust(skeleton_one);
}
END_TEST

START_TEST(exploring)
{
    ck_assert_int_eq(compile_sample("samples/08_allreduce_mesh.pld", &sample), PLD_OK);
    exhaust(explore_one);
    pld_program_free(sample);
}
END_TEST

START_TEST(tables)
{
    const char *text = NULL;
    long before = blocks;
    for (long at = 1; !text; at++) {
        made = 0;
        fail_at = at;
        text = pld_passes_json();
        fail_at = 0;
        ck_assert_int_eq(blocks == before, text == NULL);
    }
    ck_assert_str_eq(text, pld_passes_json());
}
END_TEST

START_TEST(running)
{
    ck_assert_int_eq(compile_sample("samples/14_reduce_scatter.pld", &sample), PLD_OK);
    exhaust(run_one);
    pld_program_free(sample);
}
END_TEST

START_TEST(showing)
{
    pld_unit *u = pld_unit_new();
    pld_unit_text(u, "o.pld", outside, sizeof outside - 1, PLD_STRICT, NULL);
    ck_assert_msg(pld_unit_compile(u, PLD_NO_DEF, &sample) == PLD_OK, "%s",
                  pld_unit_diags_text(u, 0));
    exhaust(show_one);
    pld_unit_free(u);
    pld_program_free(sample);
}
END_TEST

START_TEST(describing)
{
    ck_assert_int_eq(compile_sample("samples/07_dynamic_rank_count.pld", &sample), PLD_OK);
    exhaust(describe_one);
    pld_program_free(sample);
}
END_TEST

START_TEST(many_compilations_and_runs_leave_nothing)
{
    long before = blocks;
    for (int i = 0; i < 300; i++) {
        ck_assert_int_eq(compile_sample("samples/01_hello_rank.pld", &sample), PLD_OK);
        ck_assert_int_eq(run_program(sample), PLD_OK);
        pld_program_free(sample);
        ck_assert_int_eq(blocks, before);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("api memory");
    TCase *tc = tcase_create("api memory");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, compiling);
    tcase_add_test(tc, running);
    tcase_add_test(tc, showing);
    tcase_add_test(tc, describing);
    tcase_add_test(tc, many_compilations_and_runs_leave_nothing);
    tcase_add_test(tc, taking_definitions);
    tcase_add_test(tc, exploring);
    tcase_add_test(tc, tables);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
