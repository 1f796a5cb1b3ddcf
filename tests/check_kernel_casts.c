/* Casts between all pairs of dtypes in every mode, against neighbours found one by one. */
#include "tests/kernelpath.h"
#include "tests/kerneltest.h"
#include "tests/values.h"

static double rounded(double v, int mode)
{
    switch (mode) {
    case CAST_RINT: return rint(v);
    case CAST_ROUND: return round(v);
    case CAST_FLOOR: return floor(v);
    case CAST_CEIL: return ceil(v);
    default: return trunc(v);
    }
}

static long double near_below(Dtype t, uint32_t bits)
{
    char at[8];
    bits--;
    memcpy(at, &bits, sizeof bits);
    return dtype_load_double(t, at);
}

static long double source(Dtype from, const char *in, int i)
{
    return dtype_is_float(from) ? (long double)kt_load(from, in, i)
                                : (long double)(int64_t)kt_load_int(from, in, i);
}

/* Neighbours of a format are tried until they lie on both sides of the value. */
static void nearest_in_mode(Dtype to, char *out, long double v, int mode)
{
    dtype_store_double(to, out, (double)v);
    double near = dtype_load_double(to, out);
    if (isnan((double)v) || isinf((double)v) || (long double)near == v)
        return;
    uint32_t bits = 0;
    memcpy(&bits, out, dtype_bytes(to));
    uint32_t sign = v < 0 ? 1u << (8 * dtype_bytes(to) - 1) : 0;
    bits &= ~sign;
    /* magnitudes below and above */
    char at[8];
    long double low, high, size = v < 0 ? -v : v;
    for (bits += 2;; bits--) {
        memcpy(at, &bits, sizeof bits);
        if (dtype_load_double(to, at) <= (double)INFINITY &&
            (long double)dtype_load_double(to, at) < size)
            break;
    }
    low = dtype_load_double(to, at);
    uint32_t above = bits + 1;
    memcpy(at, &above, sizeof above);
    high = dtype_load_double(to, at);
    bool infinite = isinf((double)high), up;
    if (infinite) /* where the next number would be */
        high = low + (low - near_below(to, bits));
    switch (mode) {
    case CAST_ROUND: up = size - low >= high - size; break;
    case CAST_FLOOR: up = v < 0; break;
    case CAST_CEIL: up = v > 0; break;
    case CAST_TRUNC: up = false; break;
    case CAST_ODD: up = !(bits & 1); break;
    default: up = size - low > high - size || (size - low == high - size && (bits & 1)); break;
    }
    if (infinite && (mode == CAST_ODD))
        up = false;
    bits = (up ? above : bits) | sign;
    memcpy(out, &bits, dtype_bytes(to));
}

static void reference_cast(Dtype from, Dtype to, int mode, char *out, const char *in)
{
    for (int i = 0; i < KT_N; i++) {
        char *o = out + i * (int)dtype_bytes(to);
        if (dtype_is_float(to))
            nearest_in_mode(to, o, source(from, in, i), mode);
        else if (!dtype_is_float(from))
            dtype_store_int(to, o, (int64_t)kt_load_int(from, in, i));
        else if (to == DT_BOOL)
            dtype_store_double(to, o, kt_load(from, in, i));
        else
            dtype_store_double(to, o, rounded(kt_load(from, in, i), mode));
    }
}

static void try_casts(void)
{
    char in[KT_N * 8], got[KT_N * 8], want[KT_N * 8];
    for (int i = 0; i < DT_COUNT * DT_COUNT * 6 * 8; i++) {
        Dtype from = (Dtype)(i % DT_COUNT), to = (Dtype)(i / DT_COUNT % DT_COUNT);
        int mode = CAST_RINT + i / DT_COUNT / DT_COUNT % 6;
        kt_random(from, in, KT_N);
        KernelArgs k = {got, in, NULL, 1, KT_N, 0, 0, 0};
        kernel_cast(from, to, mode, &k);
        reference_cast(from, to, mode, want, in);
        kt_compare("cast", (TileOp)from, to, got, want);
    }
}

START_TEST(casts_of_all_pairs)
{
    kt_seed(2);
    for (KernelPath path = KERNELS_PORTABLE; path <= KERNELS_COUNT; path++)
        if (kernels_use(path))
            try_casts();
}
END_TEST

static void cast_one(float v, int mode, int32_t want)
{
    int32_t got;
    kernel_cast(DT_FP32, DT_INT32, mode, &(KernelArgs){&got, &v, NULL, 1, 1, 0, 0, 0});
    ck_assert_int_eq(got, want);
}

START_TEST(cast_modes)
{
    cast_one(2.5f, CAST_RINT, 2);
    cast_one(3.5f, CAST_RINT, 4);
    cast_one(2.5f, CAST_ROUND, 3);
    cast_one(-2.5f, CAST_ROUND, -3);
    cast_one(0.49999997f, CAST_ROUND, 0);
    cast_one(-2.5f, CAST_FLOOR, -3);
    cast_one(-2.5f, CAST_CEIL, -2);
    cast_one(-2.9f, CAST_TRUNC, -2);
    cast_one(NAN, CAST_RINT, 0);
    cast_one(INFINITY, CAST_RINT, INT32_MAX);
    cast_one(-3e9f, CAST_TRUNC, INT32_MIN);
}
END_TEST

START_TEST(integers_to_halves_round_once)
{
    int64_t v = (INT64_C(0x101) << 52) + 1; /* just above a tie of BF16 that FP32 cannot see */
    uint16_t got;
    kernel_cast(DT_INT64, DT_BF16, CAST_RINT, &(KernelArgs){&got, &v, NULL, 1, 1, 0, 0, 0});
    ck_assert_uint_eq(got, bf16_from_double(0x1.02p60));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernel_casts");
    TCase *tc = tcase_create("kernel_casts");
    tcase_add_test(tc, casts_of_all_pairs);
    tcase_add_test(tc, cast_modes);
    tcase_add_test(tc, integers_to_halves_round_once);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
