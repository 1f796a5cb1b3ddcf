/* The matrix product on every path of this machine, against three loops that say what it is. */
#include "sim/machine/kernels.h"
#include "sim/machine/matmul.h"
#include "tests/kernelpath.h"
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Matrices of one product, rows padded by a few bytes. */
typedef struct {
    Dtype dtype;
    int64_t m, n, k, a_step, b_step, c_step;
    unsigned char *a, *b, *c, *want;
} Case;

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Values with many digits, and now and then a special one. */
typedef struct {
    uint32_t state;
    bool special;
} Values;

static void fill(Values *v, Dtype t, unsigned char *at, int64_t rows, int64_t cols, int64_t step)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 3e38, 1e-40};
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            unsigned char *to = at + i * step + j * dtype_bytes(t);
            if (t == DT_INT8)
                *to = (unsigned char)next(&v->state);
            else if (v->special && next(&v->state) % 29 == 0)
                dtype_store_double(t, to, specials[next(&v->state) % 7]);
            else
                dtype_store_double(t, to, (double)(int32_t)(next(&v->state) - (1u << 23)) / 1e5);
        }
}

static void add_product(const Case *x, int64_t i, int64_t j)
{
    unsigned char *c = x->want + i * x->c_step + j * 4;
    uint32_t bytes = dtype_bytes(x->dtype);
    float sum;
    uint32_t whole;
    memcpy(&sum, c, sizeof sum);
    memcpy(&whole, c, sizeof whole);
    for (int64_t k = 0; k < x->k; k++) {
        const unsigned char *a = x->a + i * x->a_step + k * bytes;
        const unsigned char *b = x->b + k * x->b_step + j * bytes;
        if (x->dtype == DT_INT8) {
            whole += (uint32_t)((int32_t)(signed char)*a * (signed char)*b);
            continue;
        }
        volatile float product =
            (float)dtype_load_double(x->dtype, a) * (float)dtype_load_double(x->dtype, b);
        volatile float next_sum = sum + product;
        sum = next_sum;
    }
    uint32_t nan = 0x7fc00000;
    if (x->dtype == DT_INT8)
        memcpy(c, &whole, sizeof whole);
    else
        memcpy(c, sum == sum ? (void *)&sum : (void *)&nan, sizeof sum);
}

static void run_case(Dtype t, int64_t m, int64_t n, int64_t k, bool special)
{
    Case x = {.dtype = t, .m = m, .n = n, .k = k};
    Values v = {(uint32_t)(m * 31 + n * 7 + k), special};
    x.a_step = k * dtype_bytes(t) + 3 * dtype_bytes(t);
    x.b_step = n * dtype_bytes(t) + dtype_bytes(t);
    x.c_step = n * 4 + 8;
    x.a = calloc((size_t)(m + 1), (size_t)x.a_step);
    x.b = calloc((size_t)(k + 1), (size_t)x.b_step);
    x.c = calloc((size_t)m, (size_t)x.c_step);
    x.want = calloc((size_t)m, (size_t)x.c_step);
    fill(&v, t, x.a, m, k, x.a_step);
    fill(&v, t, x.b, k, n, x.b_step);
    v.special = false;
    fill(&v, t == DT_INT8 ? DT_INT32 : DT_FP32, x.c, m, n, x.c_step);
    memcpy(x.want, x.c, (size_t)(m * x.c_step));
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            add_product(&x, i, j);
    Matmul run = {x.c, x.a, x.b, x.c_step, x.a_step, x.b_step, m, n, k};
    matmul_run(t, &run);
    ck_assert_msg(memcmp(x.c, x.want, (size_t)(m * x.c_step)) == 0, "%s [%d, %d, %d]%s",
                  dtype_name(t), (int)m, (int)n, (int)k, special ? " with special values" : "");
    free(x.a);
    free(x.b);
    free(x.c);
    free(x.want);
}

START_TEST(every_path_has_the_bits_of_the_loops)
{
    static const Dtype dtypes[] = {DT_FP32, DT_FP16, DT_BF16, DT_INT8};
    static const int sizes[][3] = {{1, 1, 1},     {1, 70, 5},   {6, 16, 8},    {12, 32, 256},
                                   {13, 33, 257}, {121, 40, 3}, {5, 1030, 17}, {37, 29, 600}};
    if (!kernels_use((KernelPath)_i))
        return; /* this machine has it not */
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int special = 0; special < 2; special++)
                run_case(dtypes[d], sizes[s][0], sizes[s][1], sizes[s][2], special);
    kernels_use(KERNELS_COUNT);
}
END_TEST

START_TEST(without_k_the_sums_stay)
{
    float c[4] = {1, 2, 3, 4};
    Matmul run = {c, c, c, 8, 8, 8, 2, 2, 0};
    matmul_run(DT_FP32, &run);
    ck_assert(c[0] == 1 && c[3] == 4);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("matmul");
    TCase *tc = tcase_create("matmul");
    tcase_add_loop_test(tc, every_path_has_the_bits_of_the_loops, 0, KERNELS_COUNT + 1);
    tcase_add_test(tc, without_k_the_sums_stay);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
