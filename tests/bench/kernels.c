/* The simulator's kernels by themselves, for a bench that runs them in turns with others: reads
 * names of kernels from standard input, one a line, runs each and prints the seconds of processor
 * time of one call. Operands are the same for every call and lie as a tile's do.
 * usage: build/tests/bench/kernels [avx512|avx2|portable] */
#include "sim/machine/kernels.h"
#include "sim/machine/matmul.h"
#include "tests/kernelpath.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 1024, SUM = TOP_COUNT, MAX, PRODUCT, BY_SCALAR = 128 };

typedef struct {
    const char *name;
    int op; /* a TileOp, perhaps with BY_SCALAR; SUM, MAX: of rows; PRODUCT */
    Dtype dtype;
    int reps; /* calls between two looks at the clock */
} Case;

static const Case cases[] = {
    {"matmul FP32", PRODUCT, DT_FP32, 1},
    {"matmul FP16", PRODUCT, DT_FP16, 1},
    {"matmul INT8", PRODUCT, DT_INT8, 1},
    {"row_sum FP32", SUM, DT_FP32, 20},
    {"row_max FP32", MAX, DT_FP32, 20},
    {"row_sum INT32", SUM, DT_INT32, 20},
    {"add FP32", TOP_ADD, DT_FP32, 20},
    {"exp FP32", TOP_EXP, DT_FP32, 4},
    {"log FP32", TOP_LOG, DT_FP32, 4},
    {"div FP32", TOP_DIV, DT_FP32, 20},
    {"div INT32", TOP_DIV, DT_INT32, 4},
    {"div INT8", TOP_DIV, DT_INT8, 4},
    {"div INT32 scalar", TOP_DIV | BY_SCALAR, DT_INT32, 4},
    {"div INT8 scalar", TOP_DIV | BY_SCALAR, DT_INT8, 4},
};

static char *a, *b, *to;

static void *memory(void)
{
    void *p = aligned_alloc(64, (size_t)SIDE * SIDE * 4);
    if (!p)
        exit(1);
    memset(p, 0, (size_t)SIDE * SIDE * 4);
    return p;
}

/* Numbers from 1 to 12, positive ones of a kind that no function takes an exception to. */
static void fill(Dtype t)
{
    for (int64_t i = 0; i < (int64_t)SIDE * SIDE; i++) {
        double x = dtype_is_float(t) ? (double)(i * 7919 % 1000) / 90 : (double)(i * 7919 % 127);
        double y = dtype_is_float(t) ? x + 1 : (double)(1 + i * 31 % 12);
        dtype_store_double(t, a + i * dtype_bytes(t), x);
        dtype_store_double(t, b + i * dtype_bytes(t), y);
    }
}

static void run(const Case *c)
{
    int64_t step = SIDE * (int64_t)dtype_bytes(c->dtype);
    KernelArgs k = {to, a, b, SIDE, SIDE, step, step, step};
    if (c->op == PRODUCT) {
        Matmul x = {.c = to,
                    .a = a,
                    .b = b,
                    .c_step = SIDE * 4,
                    .a_step = step,
                    .b_step = step,
                    .m = SIDE,
                    .n = SIDE,
                    .k = SIDE};
        memset(to, 0, (size_t)SIDE * SIDE * 4);
        matmul_run(c->dtype, &x);
    } else if (c->op == SUM || c->op == MAX) {
        k.to_step = (ptrdiff_t)dtype_bytes(c->dtype);
        kernel_reduce(c->op == SUM ? RED_ROW_SUM : RED_ROW_MAX, c->dtype, &k);
    } else if (c->op & BY_SCALAR) {
        kernel_bink((TileOp)(c->op & ~BY_SCALAR), c->dtype, &k, (KernelScalar){.f = 7, .i = 7});
    } else if (tileop_arity((TileOp)c->op) == 1) {
        kernel_un((TileOp)c->op, c->dtype, &k);
    } else {
        kernel_bin((TileOp)c->op, c->dtype, &k);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void serve(const char *name)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *c = &cases[i];
        if (strcmp(name, c->name) != 0)
            continue;
        fill(c->dtype);
        run(c);
        double start = now();
        for (int n = 0; n < c->reps; n++)
            run(c);
        printf("%.9g\n", (now() - start) / c->reps);
        fflush(stdout);
        return;
    }
    fprintf(stderr, "kernels: no kernel '%s'\n", name);
    exit(2);
}

static void choose(const char *path)
{
    static const char *const names[] = {"portable", "avx2", "avx512", "best"};
    KernelPath p = KERNELS_PORTABLE;
    while (p < KERNELS_COUNT && strcmp(path, names[p]) != 0)
        p++;
    if (!kernels_use(p))
        exit(3); /* not on this machine */
}

int main(int argc, char **argv)
{
    char line[80];
    choose(argc > 1 ? argv[1] : "best");
    a = memory();
    b = memory();
    to = memory();
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        serve(line);
    }
    free(a);
    free(b);
    free(to);
    return 0;
}
