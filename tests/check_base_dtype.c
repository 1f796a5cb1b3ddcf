/* Element types, their conversions, and the enumerations. */
#include "base/dtype.h"
#include "base/enums.h"
#include "tests/support.h"
#include "tests/values.h"
#include <math.h>
#include <string.h>

static bool half_is_nan(uint16_t v)
{
    return (v & 0x7c00) == 0x7c00 && (v & 0x3ff);
}

static bool bf16_is_nan(uint16_t v)
{
    return (v & 0x7f80) == 0x7f80 && (v & 0x7f);
}

START_TEST(every_half_round_trips)
{
    for (uint32_t i = 0; i < 65536; i++) {
        uint16_t v = (uint16_t)i, want = half_is_nan(v) ? 0x7e00 : v;
        float f = half_to_float(v);
        ck_assert_uint_eq(half_from_double((double)f), want);
        ck_assert_uint_eq(half_from_double((double)f), want);
    }
}
END_TEST

START_TEST(every_bf16_round_trips)
{
    for (uint32_t i = 0; i < 65536; i++) {
        uint16_t v = (uint16_t)i, want = bf16_is_nan(v) ? 0x7fc0 : v;
        float f = bf16_to_float(v);
        ck_assert_uint_eq(bf16_from_double((double)f), want);
        ck_assert_uint_eq(bf16_from_double((double)f), want);
    }
}
END_TEST

/* Between each two neighbours: the middle goes to the even one, anything beside it to the nearer.
 */
START_TEST(half_ties_go_to_even)
{
    for (uint16_t v = 0; v < 0x7bff; v++) {
        double low = (double)half_to_float(v), high = (double)half_to_float(v + 1);
        double middle = (low + high) / 2;
        uint16_t even = v & 1 ? v + 1 : v;
        ck_assert_uint_eq(half_from_double(middle), even);
        ck_assert_uint_eq(half_from_double(-middle), even | 0x8000);
        ck_assert_uint_eq(half_from_double(nextafter(middle, 0)), v);
        ck_assert_uint_eq(half_from_double(nextafter(middle, 1e9)), v + 1);
        ck_assert_uint_eq(half_from_double((double)(float)middle), even);
    }
}
END_TEST

START_TEST(bf16_ties_go_to_even)
{
    for (uint16_t v = 0; v < 0x7f7f; v++) {
        double low = (double)bf16_to_float(v), high = (double)bf16_to_float(v + 1);
        double middle = low + (high - low) / 2;
        uint16_t even = v & 1 ? v + 1 : v;
        ck_assert_uint_eq(bf16_from_double(middle), even);
        ck_assert_uint_eq(bf16_from_double((double)(float)middle), even);
        ck_assert_uint_eq(bf16_from_double(nextafter(middle, 0)), v);
        ck_assert_uint_eq(bf16_from_double(nextafter(middle, INFINITY)), v + 1);
    }
}
END_TEST

/* Through float first these would round twice and come out one too low or too high. */
START_TEST(doubles_round_once)
{
    double above_tie = 1 + 0x1p-11 + 0x1p-40;
    ck_assert_uint_eq(half_from_double(above_tie), 0x3c01);
    ck_assert_uint_eq(half_from_double((double)(float)above_tie), 0x3c00);
    double below_tie = 1 + 3 * 0x1p-11 - 0x1p-40;
    ck_assert_uint_eq(half_from_double(below_tie), 0x3c01);
    ck_assert_uint_eq(half_from_double((double)(float)below_tie), 0x3c02);
    ck_assert_uint_eq(bf16_from_double(1 + 0x1p-8 + 0x1p-40), 0x3f81);
    ck_assert_uint_eq(bf16_from_double((double)(float)(1 + 0x1p-8 + 0x1p-40)), 0x3f80);
}
END_TEST

START_TEST(range_ends)
{
    ck_assert_uint_eq(half_from_double(65519.99), 0x7bff);
    ck_assert_uint_eq(half_from_double(65520), 0x7c00);
    ck_assert_uint_eq(half_from_double(-1e300), 0xfc00);
    ck_assert_uint_eq(half_from_double(0x1p-25), 0);
    ck_assert_uint_eq(half_from_double(0x1.000001p-25), 1);
    ck_assert_uint_eq(half_from_double(-0x1p-26), 0x8000);
    ck_assert_uint_eq(half_from_double(5e-324), 0);
    ck_assert_uint_eq(half_from_double(-(double)NAN), 0x7e00);
    ck_assert_uint_eq(bf16_from_double(1e39), 0x7f80);
    ck_assert_uint_eq(bf16_from_double(0x1p-134), 0);
    ck_assert_uint_eq(bf16_from_double(0x1.8p-134), 1);
    ck_assert_uint_eq(bf16_from_double((double)-NAN), 0x7fc0);
}
END_TEST

START_TEST(integers_store_saturated_and_load_exactly)
{
    unsigned char cell[8];
    static const struct {
        Dtype t;
        int64_t v, want;
    } cases[] = {
        {DT_INT8, 127, 127},
        {DT_INT8, 128, 127},
        {DT_INT8, -200, -128},
        {DT_UINT8, -1, 0},
        {DT_UINT8, 300, 255},
        {DT_INT16, 40000, 32767},
        {DT_UINT16, 70000, 65535},
        {DT_INT32, INT64_MAX, INT32_MAX},
        {DT_INT32, INT64_MIN, INT32_MIN},
        {DT_UINT32, -5, 0},
        {DT_UINT32, 1LL << 40, UINT32_MAX},
        {DT_INT64, INT64_MIN, INT64_MIN},
        {DT_INDEX, INT64_MAX, INT64_MAX},
        {DT_BOOL, 256, 1},
        {DT_FP32, 16777217, 16777216},
        {DT_FP16, 2049, 2048},
        {DT_BF16, 257, 256},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dtype_store_int(cases[i].t, cell, cases[i].v);
        ck_assert_int_eq(dtype_load_int(cases[i].t, cell), cases[i].want);
        ck_assert(dtype_load_double(cases[i].t, cell) == (double)cases[i].want);
    }
}
END_TEST

START_TEST(large_integers_round_once_to_floats)
{
    /* one above a tie of BF16, lost if the integer became a double first */
    int64_t v = (INT64_C(1) << 62) + (INT64_C(1) << 54) + 1;
    uint16_t bits;
    dtype_store_int(DT_BF16, &bits, v);
    ck_assert_uint_eq(bits, bf16_from_double(0x1p62) + 1);
    dtype_store_int(DT_BF16, &bits, v - 1);
    ck_assert_uint_eq(bits, bf16_from_double(0x1p62));
    dtype_store_int(DT_BF16, &bits, -v);
    ck_assert_uint_eq(bits, (bf16_from_double(0x1p62) + 1) | 0x8000);
    for (int shift = 0; shift < 38; shift++) {
        int64_t i = (INT64_C(0x1000001) << shift) + 1;
        float f;
        dtype_store_int(DT_FP32, &f, i);
        ck_assert(f == (float)i);
    }
}
END_TEST

START_TEST(doubles_store_in_every_dtype)
{
    unsigned char cell[8];
    uint32_t bits;
    dtype_store_double(DT_FP32, &bits, -(double)NAN);
    ck_assert_uint_eq(bits, 0x7fc00000);
    dtype_store_double(DT_FP32, cell, 0.1);
    ck_assert(dtype_load_double(DT_FP32, cell) == (double)0.1f);
    dtype_store_double(DT_INT32, cell, -2.9);
    ck_assert_int_eq(dtype_load_int(DT_INT32, cell), -2);
    dtype_store_double(DT_UINT8, cell, 1e30);
    ck_assert_int_eq(dtype_load_int(DT_UINT8, cell), 255);
    dtype_store_double(DT_INT64, cell, (double)NAN);
    ck_assert_int_eq(dtype_load_int(DT_INT64, cell), 0);
    dtype_store_double(DT_BOOL, cell, 0.25);
    ck_assert_int_eq(dtype_load_int(DT_BOOL, cell), 1);
}
END_TEST

START_TEST(wrap_and_limits)
{
    ck_assert_int_eq(dtype_wrap(DT_INT8, 128), -128);
    ck_assert_int_eq(dtype_wrap(DT_UINT8, -1), 255);
    ck_assert_int_eq(dtype_wrap(DT_INT32, 0x80000000LL), INT32_MIN);
    ck_assert_int_eq(dtype_wrap(DT_UINT32, -1), UINT32_MAX);
    ck_assert_int_eq(dtype_wrap(DT_INT64, INT64_MIN), INT64_MIN);
    ck_assert_int_eq(dtype_wrap(DT_BOOL, 256), 1);
    for (int t = 0; t < DT_COUNT; t++) {
        if (dtype_is_float((Dtype)t))
            continue;
        ck_assert_int_eq(dtype_wrap((Dtype)t, dtype_min((Dtype)t)), dtype_min((Dtype)t));
        ck_assert_int_eq(dtype_wrap((Dtype)t, dtype_max((Dtype)t)), dtype_max((Dtype)t));
    }
    ck_assert_int_eq(dtype_min(DT_INT64), INT64_MIN);
    ck_assert_int_eq(dtype_max(DT_INT64), INT64_MAX);
    ck_assert_int_eq(dtype_max(DT_UINT32), UINT32_MAX);
    ck_assert_int_eq(dtype_min(DT_INT16), -32768);
    ck_assert_int_eq(dtype_max(DT_BOOL), 1);
}
END_TEST

START_TEST(names)
{
    Dtype t;
    for (int i = 0; i < DT_COUNT; i++) {
        ck_assert(dtype_from_name(dtype_name((Dtype)i), &t));
        ck_assert_int_eq(t, i);
    }
    ck_assert(!dtype_from_name("fp32", &t));
    ck_assert_uint_eq(dtype_bytes(DT_BF16), 2);
}
END_TEST

START_TEST(enums)
{
    EnumType type;
    int64_t value;
    const char *members[8];
    ck_assert(enum_type_from_name("NotifyOp", &type));
    ck_assert_int_eq(type, ENUM_NotifyOp);
    ck_assert(!enum_type_from_name("Notify", &type));
    ck_assert(enum_value_from_name(ENUM_NotifyOp, "Set", &value));
    ck_assert_int_eq(value, NOTIFY_SET);
    ck_assert(!enum_value_from_name(ENUM_ReduceOp, "Set", &value));
    ck_assert_str_eq(enum_value_name(ENUM_ReduceOp, REDUCE_MAX), "Max");
    ck_assert_ptr_null(enum_value_name(ENUM_ReduceOp, 99));
    ck_assert_str_eq(enum_type_module(ENUM_Level), "pl");
    ck_assert_str_eq(enum_type_name(ENUM_WaitCmp), "WaitCmp");
    ck_assert_uint_eq(enum_value_names(ENUM_ReduceOp, members, 2), 4);
    ck_assert_str_eq(members[1], "Max");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dtype");
    TCase *tc = tcase_create("dtype");
    tcase_add_test(tc, every_half_round_trips);
    tcase_add_test(tc, every_bf16_round_trips);
    tcase_add_test(tc, half_ties_go_to_even);
    tcase_add_test(tc, bf16_ties_go_to_even);
    tcase_add_test(tc, doubles_round_once);
    tcase_add_test(tc, range_ends);
    tcase_add_test(tc, integers_store_saturated_and_load_exactly);
    tcase_add_test(tc, large_integers_round_once_to_floats);
    tcase_add_test(tc, doubles_store_in_every_dtype);
    tcase_add_test(tc, wrap_and_limits);
    tcase_add_test(tc, names);
    tcase_add_test(tc, enums);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
