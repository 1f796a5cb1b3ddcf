/* How long a run goes on after pld_run_cancel: wall time, the worst of several tries for each kind
 * of work. The library promises 100 ms. */
#include "api/pld.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEAD                                                                                       \
    "@pl.jit.incore\n"                                                                             \
    "def kernel(y: pl.Out[pl.Tensor[[64, 256], pl.FP32]]):\n"
#define TAIL                                                                                       \
    "    return pl.store(t, [0, 0], y)\n"                                                          \
    "@pl.jit\n"                                                                                    \
    "def orch(y):\n"                                                                               \
    "    return kernel(y)\n"                                                                       \
    "@pl.jit.host\n"                                                                               \
    "def main(y: pl.Out[pl.Tensor[[64, 256], pl.FP32]]):\n"                                        \
    "    return orch(y, device=0)\n"

typedef struct {
    const char *name, *text;
} Work;

static const Work works[] = {
    {"scalar loop", HEAD "    s = 0\n"
                         "    for i in pl.range(1 << 40):\n"
                         "        s = s + i\n"
                         "    t = pl.full([64, 256], dtype=pl.FP32, value=1)\n"
                         "    t = pl.muls(t, pl.cast(s, pl.FP32))\n" TAIL},
    {"tiles", HEAD "    t = pl.full([64, 256], dtype=pl.FP32, value=1)\n"
                   "    for i in pl.range(1 << 40):\n"
                   "        t = pl.exp(t)\n" TAIL},
    {"host function", HEAD "    t = pl.full([64, 256], dtype=pl.FP32, value=1)\n"
                           "    return pl.store(t, [0, 0], y)\n"
                           "@pl.jit\n"
                           "def orch(y):\n"
                           "    return kernel(y)\n"
                           "@pl.jit.host\n"
                           "def main(y: pl.Out[pl.Tensor[[64, 256], pl.FP32]]):\n"
                           "    s = 0\n"
                           "    for i in pl.range(1 << 40):\n"
                           "        s = s + i\n"
                           "    if s > 3:\n"
                           "        orch(y, device=0)\n"},
    {"init function", "@pld.init\n"
                      "def x(i, j):\n"
                      "    return randn(i)\n"
                      "@pl.jit.incore\n"
                      "def kernel(x: pl.Tensor[[1000, 100000], pl.FP32],\n"
                      "           y: pl.Out[pl.Tensor[[64, 256], pl.FP32]]):\n"
                      "    return pl.store(pl.load(x, [0, 0], [64, 256]), [0, 0], y)\n"
                      "@pl.jit\n"
                      "def orch(x, y):\n"
                      "    return kernel(x, y)\n"
                      "@pl.jit.host\n"
                      "def main(x: pl.Tensor[[1000, 100000], pl.FP32],\n"
                      "         y: pl.Out[pl.Tensor[[64, 256], pl.FP32]]):\n"
                      "    return orch(x, y, device=0)\n"},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double cancelled_at;

static void *cancel(void *env)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    cancelled_at = now();
    pld_run_cancel(env);
    return NULL;
}

/* Seconds from the call to the end of the run; negative when it did not end so. */
static double one(pld_program *p)
{
    static float y[64 * 256];
    static const int64_t shape[] = {64, 256};
    pld_tensor t = {sizeof t, PLD_FP32, 2, shape, NULL, y};
    pthread_t thread;
    pld_run *r = pld_run_new(p);
    pld_run_tensor(r, "y", &t);
    pthread_create(&thread, NULL, cancel, r);
    int status = pld_run_start(r);
    double end = now();
    pthread_join(thread, NULL);
    pld_run_free(r);
    if (status != PLD_CANCELLED)
        fprintf(stderr, "status %d: %s\n", status, pld_status_text(status));
    return status == PLD_CANCELLED ? end - cancelled_at : -1;
}

int main(void)
{
    bool good = true;
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        pld_unit *u = pld_unit_new();
        pld_program *p = NULL;
        double worst = 0;
        pld_unit_text(u, "bench.pld", works[i].text, strlen(works[i].text), PLD_STRICT, NULL);
        if (pld_unit_compile(u, PLD_NO_DEF, &p) != PLD_OK) {
            fputs(pld_unit_diags_text(u, 0), stderr);
            return 1;
        }
        pld_unit_free(u);
        for (int k = 0; k < 5; k++) {
            double s = one(p);
            good = good && s >= 0 && s < 0.1;
            worst = s > worst ? s : worst;
        }
        printf("cancel, %-14s %8.3f ms\n", works[i].name, worst * 1e3);
        pld_program_free(p);
    }
    return good ? 0 : 1;
}
