/* Integer quotients, which kernels make of reciprocals: all pairs of bytes, all numbers of 16 bits
 * against many divisors, and of 32 bits the neighbours of multiples, on every instruction set. */
#include "sim/machine/kernels.h"
#include "tests/kernelpath.h"
#include "tests/support.h"

#include <string.h>

enum { N = 65536 };

/* Truncated; the most negative number by -1 wraps. */
static int64_t quotient(Dtype t, int64_t p, int64_t q)
{
    uint32_t spare = 64 - 8 * dtype_bytes(t);
    return p < 0 && q == -1 ? (int64_t)((uint64_t)-p << spare) >> spare : p / q;
}

/* p[i] / q for all i, with q as a tile and as a scalar; q / p[i] where nothing is divided by 0. */
static void try_divisor(Dtype t, const char *p, int64_t n, int64_t q)
{
    static char by[N * 4], got[N * 4];
    for (int64_t i = 0; i < n; i++)
        dtype_store_int(t, by + i * dtype_bytes(t), q);
    KernelArgs k = {got, p, by, 1, n, 0, 0, 0};
    for (int scalar = 0; scalar < 2; scalar++) {
        memset(got, 0, sizeof got);
        if (scalar)
            ck_assert(kernel_bink(TOP_DIV, t, &k, (KernelScalar){.i = q}));
        else
            ck_assert(kernel_bin(TOP_DIV, t, &k));
        for (int64_t i = 0; i < n; i++) {
            int64_t x = dtype_load_int(t, p + i * dtype_bytes(t));
            char want[4];
            dtype_store_int(t, want, quotient(t, x, q));
            if (memcmp(want, got + i * dtype_bytes(t), dtype_bytes(t)) != 0)
                ck_abort_msg("%s %lld / %lld", dtype_name(t), (long long)x, (long long)q);
        }
    }
}

/* All numbers of a dtype of up to 16 bits. */
static void try_narrow(Dtype t, int64_t lowest, int64_t highest, int64_t step)
{
    static char p[N * 2];
    for (int64_t x = lowest; x <= highest; x++)
        dtype_store_int(t, p + (x - lowest) * dtype_bytes(t), x);
    for (int64_t q = lowest; q <= highest; q += q > -20 && q < 20 ? 1 : step)
        if (q != 0)
            try_divisor(t, p, highest - lowest + 1, q);
}

/* Neighbours of multiples of q, and of the ends of the range. */
static void try_wide(Dtype t, int64_t q, uint64_t *state)
{
    static char p[N * 4];
    for (int64_t i = 0; i < 1024; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        int64_t x = (int64_t)(*state >> 32);
        x = t == DT_INT32 ? (int32_t)x : x;
        x = x / q * q + (int64_t)(*state >> 20 & 3) - 1;
        dtype_store_int(t, p + i * 4, i < 4 ? (t == DT_INT32 ? INT32_MIN + i : i - 2) : x);
    }
    try_divisor(t, p, 1024, q);
}

START_TEST(quotients_of_bytes)
{
    if (!kernels_use((KernelPath)_i))
        return; /* this machine has it not */
    try_narrow(DT_INT8, -128, 127, 1);
    try_narrow(DT_UINT8, 0, 255, 1);
}
END_TEST

START_TEST(quotients_of_16_bits)
{
    if (!kernels_use((KernelPath)_i))
        return;
    try_narrow(DT_INT16, -32768, 32767, 1511);
    try_narrow(DT_UINT16, 0, 65535, 1511);
}
END_TEST

START_TEST(quotients_of_32_bits)
{
    uint64_t state = 1;
    if (!kernels_use((KernelPath)_i))
        return;
    for (int i = 0; i < 600; i++) {
        int64_t q = i < 200 ? i + 1 : (int64_t)(state >> 33) >> i % 31;
        q = q == 0 ? 3 : q;
        try_wide(DT_UINT32, q, &state);
        try_wide(DT_INT32, q, &state);
        try_wide(DT_INT32, -q, &state);
    }
    try_wide(DT_INT32, INT32_MIN, &state);
    try_wide(DT_UINT32, UINT32_MAX, &state);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("kernel_div");
    TCase *t = tcase_create("kernel_div");
    tcase_set_timeout(t, 0);
    tcase_add_loop_test(t, quotients_of_bytes, 0, KERNELS_COUNT);
    tcase_add_loop_test(t, quotients_of_16_bits, 0, KERNELS_COUNT);
    tcase_add_loop_test(t, quotients_of_32_bits, 0, KERNELS_COUNT);
    suite_add_tcase(s, t);
    return run_suite(s);
}
