/* What the library promises of all its calls: nothing is said, threads do not meet, little stack
 * suffices, and another thread ends a run. */
#include "tests/apitest.h"
#include "tests/support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const samples[] = {"samples/08_allreduce_mesh.pld",
                                      "samples/14_reduce_scatter.pld", "samples/21_softmax.pld",
                                      "samples/23_matmul_tiled.pld"};

/* ---- silence */

static void fails_in_many_ways(void)
{
    pld_unit *u = pld_unit_new();
    pld_program *p = NULL;
    pld_unit_text(u, "bad.pld", "def (", 5, PLD_STRICT, NULL);
    ck_assert_int_eq(pld_unit_compile(u, PLD_NO_DEF, &p), PLD_ERRORS);
    ck_assert_int_eq(pld_unit_set(u, "nonsense", "1"), PLD_USAGE);
    pld_unit_file(u, "/no/such/file.pld", PLD_BY_NAME);
    ck_assert_int_eq(pld_unit_compile(u, PLD_NO_DEF, &p), PLD_USAGE);
    pld_unit_free(u);
    ck_assert_int_eq(pld_program_decode("PLDB", 4, &p, NULL, 0), PLD_USAGE);
    p = sample_program(samples[0], "0-3");
    pld_run *r = pld_run_new(p);
    ck_assert_int_eq(pld_run_set(r, "max-steps", "100"), PLD_OK);
    ck_assert_int_eq(pld_run_start(r), PLD_STEPS);
    ck_assert_int_eq(pld_run_set(r, "input", "x=/no/such.npy"), PLD_OK);
    ck_assert_int_eq(pld_run_start(r), PLD_USAGE);
    pld_run_free(r);
    pld_program_free(p);
}

START_TEST(no_call_says_anything)
{
    int said[2], out = dup(1), err = dup(2);
    char byte;
    ck_assert_int_eq(pipe(said), 0);
    dup2(said[1], 1);
    dup2(said[1], 2);
    close(said[1]);
    fails_in_many_ways();
    pld_program *p = sample_program(samples[0], "0-1");
    pld_run *r = pld_run_new(p);
    int ran = pld_run_start(r), explored = pld_explore(r);
    pld_run_free(r);
    pld_program_free(p);
    dup2(out, 1);
    dup2(err, 2);
    ck_assert_int_eq(read(said[0], &byte, 1), 0);
    ck_assert(ran == PLD_OK && explored == PLD_OK);
    close(said[0]);
    close(out);
    close(err);
}
END_TEST

/* ---- threads */

typedef struct {
    const char *path;
    uint64_t hash, steps;
    int64_t time;
} Job;

static void *work(void *env)
{
    Job *j = env;
    pld_program *p = sample_program(j->path, "0-3");
    pld_run *r = pld_run_new(p);
    j->hash = pld_program_hash(p);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(pld_run_start(r) == PLD_OK, "%s", pld_run_text(r));
    j->steps = pld_run_steps(r);
    j->time = pld_run_time_ps(r);
    (void)pld_ops_json();
    pld_run_free(r);
    pld_program_free(p);
    return NULL;
}

START_TEST(threads_do_not_meet)
{
    enum { N = 8 };
    Job alone[N], together[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        together[i] = (Job){.path = samples[i % 4]};
        pthread_create(&threads[i], NULL, work, &together[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++) {
        alone[i] = (Job){.path = samples[i % 4]};
        work(&alone[i]);
        ck_assert(alone[i].hash == together[i].hash && alone[i].steps == together[i].steps &&
                  alone[i].time == together[i].time);
    }
}
END_TEST

static void *run_shared(void *env)
{
    pld_run *r = pld_run_new(env);
    ck_assert_int_eq(pld_run_start(r), PLD_OK);
    ck_assert_ptr_nonnull(pld_program_json(env));
    uint64_t *steps = malloc(sizeof *steps);
    *steps = pld_run_steps(r);
    pld_run_free(r);
    return steps;
}

START_TEST(a_program_is_shared)
{
    enum { N = 4 };
    pthread_t threads[N];
    uint64_t *steps[N];
    pld_program *p = sample_program(samples[0], "0-3");
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, run_shared, p);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], (void **)&steps[i]);
    for (int i = 1; i < N; i++)
        ck_assert_uint_eq(*steps[i], *steps[0]);
    for (int i = 0; i < N; i++)
        free(steps[i]);
    pld_program_free(p);
}
END_TEST

/* ---- small stacks: sanitizers need more of them */

static void *high_tree(void *env)
{
    static const char tail[] =
        "\n"
        "    return pl.store(pl.full([8], dtype=pl.INT32, value=1), [0], y)\n"
        "@pl.jit\n"
        "def orch(y, n):\n"
        "    return kernel(y, n)\n"
        "@pl.jit.host\n"
        "def main(y: pl.Out[pl.Tensor[[8], pl.INT32]]):\n"
        "    return orch(y, 3, device=0)\n";
    char *text = calloc(8192, 1);
    strcpy(text, "@pl.jit.incore\n"
                 "def kernel(y: pl.Out[pl.Tensor[[8], pl.INT32]], n: pl.Scalar[pl.INT32]):\n"
                 "    m = n");
    for (int i = 0; i < 990; i++)
        strcat(text, " + n");
    strcat(text, tail);
    pld_program *p = text_program(text);
    pld_run *r = pld_run_new(p);
    int32_t y[8];
    pld_tensor t = {sizeof t, PLD_INT32, 1, (int64_t[]){8}, NULL, y};
    pld_run_tensor(r, "y", &t);
    ck_assert_int_eq(pld_run_start(r), PLD_OK);
    ck_assert_int_eq(y[7], 1);
    pld_run_free(r);
    pld_program_free(p);
    free(text);
    return env;
}

START_TEST(a_small_stack_suffices)
{
    pthread_attr_t attr;
    pthread_t thread;
    void *done = NULL;
    pthread_attr_init(&attr);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    pthread_attr_setstacksize(&attr, 256 << 10);
#endif
    ck_assert_int_eq(pthread_create(&thread, &attr, high_tree, &done), 0);
    pthread_join(thread, &done);
    ck_assert_ptr_nonnull(done);
    pthread_attr_destroy(&attr);
}
END_TEST

/* ---- cancelling: a loop of large tiles would go on for hours */

static const char endless[] = "@pl.jit.incore\n"
                              "def kernel(y: pl.Out[pl.Tensor[[64, 256], pl.FP32]]):\n"
                              "    t = pl.full([64, 256], dtype=pl.FP32, value=1)\n"
                              "    for i in pl.range(1 << 40):\n"
                              "        t = pl.exp(t)\n"
                              "    return pl.store(t, [0, 0], y)\n"
                              "@pl.jit\n"
                              "def orch(y):\n"
                              "    return kernel(y)\n"
                              "@pl.jit.host\n"
                              "def main(y: pl.Out[pl.Tensor[[64, 256], pl.FP32]]):\n"
                              "    return orch(y, device=0)\n";

static atomic_bool begun;

static int note_begin(void *user, uint64_t steps, int64_t time_ps)
{
    (void)user, (void)time_ps;
    if (steps)
        atomic_store(&begun, true);
    return 0;
}

static void *cancel_soon(void *env)
{
    while (!atomic_load(&begun))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    pld_run_cancel(env);
    return NULL;
}

START_TEST(another_thread_cancels)
{
    pthread_t thread;
    pld_program *p = text_program(endless);
    pld_run *r = pld_run_new(p);
    float *y = calloc(64 * 256, sizeof *y);
    int64_t shape[] = {64, 256};
    pld_tensor t = {sizeof t, PLD_FP32, 2, shape, NULL, y};
    pld_run_tensor(r, "y", &t);
    pld_run_progress(r, note_begin, NULL);
    pthread_create(&thread, NULL, cancel_soon, r);
    ck_assert_int_eq(pld_run_start(r), PLD_CANCELLED);
    pthread_join(thread, NULL);
    ck_assert(y[0] == 0); /* not written back */
    free(y);
    pld_run_free(r);
    pld_program_free(p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("api threads");
    TCase *tc = tcase_create("api threads");
    tcase_set_timeout(tc, getenv("LONG") ? 3600 : 120);
    tcase_add_test(tc, no_call_says_anything);
    tcase_add_test(tc, threads_do_not_meet);
    tcase_add_test(tc, a_program_is_shared);
    tcase_add_test(tc, a_small_stack_suffices);
    tcase_add_test(tc, another_thread_cancels);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
