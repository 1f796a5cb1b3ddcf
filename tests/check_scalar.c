#include "ir/ir.h"
#include "tests/support.h"
#include <stdlib.h>

static const struct {
    ScalarOp op;
    Dtype dtype;
    int64_t a, b, want;
} values[] = {
    {SC_ADD, DT_INT32, INT32_MAX, 1, INT32_MIN},
    {SC_ADD, DT_INDEX, INT64_MAX, 1, INT64_MIN},
    {SC_SUB, DT_UINT8, 1, 2, 255},
    {SC_MUL, DT_INT16, 300, 300, 90000 - 65536},
    {SC_MUL, DT_INT64, INT64_MIN, -1, INT64_MIN},
    {SC_FLOORDIV, DT_INDEX, -7, 2, -3},
    {SC_FLOORDIV, DT_INT32, INT32_MIN, -1, INT32_MIN},
    {SC_FLOORDIV, DT_INDEX, INT64_MIN, -1, INT64_MIN},
    {SC_MOD, DT_INDEX, -1, 4, -1},
    {SC_MOD, DT_INDEX, INT64_MIN, -1, 0},
    {SC_MOD, DT_INT32, 7, -4, 3},
    {SC_BITXOR, DT_INT32, 6, 3, 5},
    {SC_SHL, DT_INT32, 1, 31, INT32_MIN},
    {SC_SHL, DT_INDEX, -1, 63, INT64_MIN},
    {SC_SHR, DT_INT32, -8, 1, -4},
    {SC_SHR, DT_UINT32, 0x80000000, 31, 1},
    {SC_LT, DT_INT32, -1, 0, 1},
    {SC_GE, DT_INT32, -1, 0, 0},
    {SC_AND, DT_BOOL, 1, 0, 0},
    {SC_OR, DT_BOOL, 1, 0, 1},
    {SC_NOT, DT_BOOL, 1, 0, 0},
    {SC_NEG, DT_INT8, -128, 0, -128},
    {SC_INVERT, DT_UINT8, 0, 0, 255},
    {SC_INVERT, DT_INT32, 0, 0, -1},
    {SC_MIN, DT_INDEX, -3, 4, -3},
    {SC_MAX, DT_INDEX, -3, 4, 4},
    {SC_CAST, DT_INT8, 1000, 0, 127},
    {SC_CAST, DT_UINT16, -5, 0, 0},
    {SC_CAST, DT_BOOL, 2, 0, 1},
};

START_TEST(operators_follow_the_device)
{
    int64_t args[2] = {values[_i].a, values[_i].b}, got;
    ck_assert(scalar_eval(values[_i].op, values[_i].dtype, args, &got));
    ck_assert_int_eq(got, values[_i].want);
}
END_TEST

START_TEST(faults)
{
    int64_t got;
    ck_assert(!scalar_eval(SC_FLOORDIV, DT_INT32, (int64_t[]){1, 0}, &got));
    ck_assert(!scalar_eval(SC_MOD, DT_INDEX, (int64_t[]){1, 0}, &got));
    ck_assert(!scalar_eval(SC_SHL, DT_INT32, (int64_t[]){1, 32}, &got));
    ck_assert(!scalar_eval(SC_SHR, DT_INDEX, (int64_t[]){1, -1}, &got));
}
END_TEST

START_TEST(select_takes_the_condition_first)
{
    int64_t got;
    ck_assert(scalar_eval(SC_SELECT, DT_INDEX, (int64_t[]){1, 5, 6}, &got));
    ck_assert_int_eq(got, 5);
    ck_assert(scalar_eval(SC_SELECT, DT_INDEX, (int64_t[]){0, 5, 6}, &got));
    ck_assert_int_eq(got, 6);
}
END_TEST

START_TEST(the_table)
{
    ck_assert_str_eq(scalar_text(SC_FLOORDIV), "//");
    ck_assert_uint_eq(scalar_arity(SC_SELECT), 3);
    ck_assert_uint_eq(scalar_arity(SC_NEG), 1);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("scalar");
    tcase_add_loop_test(tc, operators_follow_the_device, 0, sizeof values / sizeof values[0]);
    tcase_add_test(tc, faults);
    tcase_add_test(tc, select_takes_the_condition_first);
    tcase_add_test(tc, the_table);
    Suite *suite = suite_create("scalar");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
