/* --print: which part of a tensor, and how NumPy shows it. */
#include "base/format.h"
#include "sim/report/print_tensor.h"
#include "tests/support.h"
#include "tests/values.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static Arena arena;
static HostTensor t;
static const char *why;

static void make(Dtype dtype, uint32_t rank, const int64_t *shape)
{
    t = (HostTensor){.name = "y", .dtype = (uint8_t)dtype, .rank = (uint8_t)rank};
    memcpy(t.shape, shape, rank * sizeof *shape);
    ck_assert(tensor_alloc(&arena, &t, &why));
}

/* 0, 1, 2, ... in the given shape */
static void count_up(Dtype dtype, uint32_t rank, const int64_t *shape)
{
    make(dtype, rank, shape);
    for (int64_t i = 0; i < t.elements; i++)
        dtype_store_int(dtype, t.data + i * dtype_bytes(dtype), i);
}

static void values(Dtype dtype, int n, const double *v)
{
    make(dtype, 1, &(int64_t){n});
    for (int i = 0; i < n; i++)
        dtype_store_double(dtype, t.data + i * (int)dtype_bytes(dtype), v[i]);
}
#define VALUES(dtype, ...)                                                                         \
    values(dtype, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static void prints(const char *spec, const char *want)
{
    Buf out = {0};
    if (!print_tensor(&arena, &out, &t, spec, &why))
        ck_abort_msg("%s", why);
    size_t head = strlen(spec) + 3;
    ck_assert_mem_eq(out.at, spec, strlen(spec));
    ck_assert_int_eq(out.at[out.len - 1], '\n');
    out.at[out.len - 1] = '\0';
    ck_assert_str_eq(out.at + head, want);
    buf_free(&out);
}

static void refuses(const char *spec, const char *want)
{
    Buf out = {0};
    ck_assert(!print_tensor(&arena, &out, &t, spec, &why));
    ck_assert_str_eq(why, want);
    ck_assert_uint_eq(out.len, 0);
}

START_TEST(parts)
{
    count_up(DT_INT32, 3, (int64_t[]){2, 3, 4});
    prints("y[0,0,:3]", "[0 1 2]");
    prints("y[1, 2, 3]", "23");
    prints("y[-1, -1, -1]", "23");
    prints("y[1,0]", "[12 13 14 15]");
    prints("y[0,:,1]", "[1 5 9]");
    prints("y[0,::-1,0]", "[8 4 0]");
    prints("y[0,0,::2]", "[0 2]");
    prints("y[0,0,3:0:-2]", "[3 1]");
    prints("y[0,0,-2:]", "[2 3]");
    prints("y[0,0,5:]", "[]");
    prints("y[0,0,:99]", "[0 1 2 3]");
    prints("y[0,0,1:-1]", "[1 2]");
    prints("y[0,0,::9223372036854775807]", "[0]");
    prints("y[0,0,::-9223372036854775807]", "[3]");
    prints("y[:,1:2,0:2]", "[[[ 4  5]]\n\n [[16 17]]]");
}
END_TEST

START_TEST(parts_that_are_refused)
{
    count_up(DT_INT32, 2, (int64_t[]){2, 3});
    refuses("y[2]", "--print y[2]: index 2 of dimension 0 is outside, which has extent 2");
    refuses("y[0,-4]", "--print y[0,-4]: index -4 of dimension 1 is outside, which has extent 3");
    refuses("y[0,,1]", "--print y[0,,1]: expected an index or a slice at column 5, not ','");
    refuses("y[]", "--print y[]: expected an index or a slice at column 3, not ']'");
    refuses("y[0", "--print y[0: expected ',' or ']' at its end");
    refuses("y[0]x", "--print y[0]x: expected nothing more at column 5, not 'x'");
    refuses("y[0,0,0]", "--print y[0,0,0]: more subscripts than the 2 dimensions of y");
    refuses("y[::0]", "--print y[::0]: a slice with step 0");
    refuses("y[...]", "--print y[...]: expected an index or a slice at column 3, not '.'");
    refuses("y[99999999999999999999]", "--print y[99999999999999999999]: index 1000000000000000000 "
                                       "of dimension 0 is outside, which has extent 2");
}
END_TEST

START_TEST(names_of_specs)
{
    const char *name;
    ck_assert(print_spec_name(&arena, "out_1[0, :]", &name, &why));
    ck_assert_str_eq(name, "out_1");
    ck_assert(print_spec_name(&arena, "x", &name, &why));
    ck_assert_str_eq(name, "x");
    ck_assert(!print_spec_name(&arena, "[0]", &name, &why));
    ck_assert_str_eq(why, "--print [0]: expected the name of a tensor at column 1, not '['");
    ck_assert(!print_spec_name(&arena, "x+1", &name, &why));
    ck_assert_str_eq(why, "--print x+1: expected '[' at column 2, not '+'");
}
END_TEST

START_TEST(floats)
{
    count_up(DT_FP32, 1, (int64_t[]){8});
    prints("y", "[0. 1. 2. 3. 4. 5. 6. 7.]");
    VALUES(DT_FP32, 1.5, 0.25, 100.5);
    prints("y", "[  1.5    0.25 100.5 ]");
    prints("y[1]", "0.25");
    VALUES(DT_FP32, -1, 2.5);
    prints("y", "[-1.   2.5]");
    VALUES(DT_FP32, 1.0 / 3, 0.1);
    prints("y", "[0.33333334 0.1       ]");
    VALUES(DT_FP16, 1.0 / 3, 0.1);
    prints("y", "[0.3333 0.1   ]");
    VALUES(DT_BF16, 1.0 / 3, 256);
    prints("y[0]", "0.334");
    VALUES(DT_FP32, 0.0012345679, 0.5);
    prints("y", "[0.00123457 0.5       ]");
    VALUES(DT_FP32, 16777216, 99999992);
    prints("y", "[16777216. 99999990.]");
    VALUES(DT_FP32, 0, -0.0);
    prints("y", "[ 0. -0.]");
}
END_TEST

START_TEST(floats_with_exponents)
{
    VALUES(DT_FP32, 1e-5, 1);
    prints("y", "[1.e-05 1.e+00]");
    VALUES(DT_FP32, 1e10, 1.5);
    prints("y", "[1.0e+10 1.5e+00]");
    VALUES(DT_FP32, 1e8, 0);
    prints("y", "[1.e+08 0.e+00]");
    VALUES(DT_FP32, 3e38, -1.17549435e-38, 12345.678);
    prints("y", "[ 3.0000000e+38 -1.1754944e-38  1.2345678e+04]");
    VALUES(DT_FP32, 1, 1001);
    prints("y", "[1.000e+00 1.001e+03]");
    VALUES(DT_FP32, 1, 1000);
    prints("y", "[   1. 1000.]");
    VALUES(DT_FP32, 0.0001, 0.01);
    prints("y", "[0.0001 0.01  ]");
    VALUES(DT_FP16, 5.9604645e-8, 65504);
    prints("y", "[6.00e-08 6.55e+04]");
    prints("y[0]", "6e-08");
}
END_TEST

START_TEST(floats_that_are_none)
{
    VALUES(DT_FP32, NAN, 1, INFINITY);
    prints("y", "[nan  1. inf]");
    VALUES(DT_FP32, NAN, -INFINITY, 1.5);
    prints("y", "[ nan -inf  1.5]");
    VALUES(DT_FP32, NAN, NAN);
    prints("y", "[nan nan]");
    VALUES(DT_FP32, -INFINITY, 1e-10);
    prints("y", "[  -inf 1.e-10]");
    prints("y[0]", "-inf");
}
END_TEST

START_TEST(integers_and_bools)
{
    VALUES(DT_INT32, 1, -20, 300);
    prints("y", "[  1 -20 300]");
    VALUES(DT_INT64, -9.223372036854775808e18, 1);
    prints("y", "[-9223372036854775808                    1]");
    VALUES(DT_UINT8, 255, 0);
    prints("y", "[255   0]");
    VALUES(DT_BOOL, 1, 0);
    prints("y", "[ True False]");
    prints("y[0]", "True");
}
END_TEST

START_TEST(rows_and_blocks)
{
    count_up(DT_FP32, 2, (int64_t[]){2, 2});
    prints("y", "[[0. 1.]\n [2. 3.]]");
    count_up(DT_FP32, 3, (int64_t[]){2, 2, 2});
    prints("y", "[[[0. 1.]\n  [2. 3.]]\n\n [[4. 5.]\n  [6. 7.]]]");
    count_up(DT_FP32, 4, (int64_t[]){2, 1, 1, 1});
    prints("y", "[[[[0.]]]\n\n\n [[[1.]]]]");
    count_up(DT_FP32, 2, (int64_t[]){2, 0});
    prints("y", "[]");
}
END_TEST

START_TEST(long_rows_are_wrapped)
{
    count_up(DT_FP32, 1, (int64_t[]){30});
    prints("y", "[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.\n"
                " 18. 19. 20. 21. 22. 23. 24. 25. 26. 27. 28. 29.]");
    count_up(DT_INT32, 2, (int64_t[]){1, 38});
    prints("y", "[[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
                "  24 25 26 27 28 29 30 31 32 33 34 35 36 37]]");
}
END_TEST

START_TEST(large_ones_are_summarised)
{
    count_up(DT_INT32, 1, (int64_t[]){2000});
    prints("y", "[   0    1    2 ... 1997 1998 1999]");
    prints("y[:1000:500]", "[  0 500]");
    count_up(DT_FP32, 1, (int64_t[]){2000});
    prints("y", "[0.000e+00 1.000e+00 2.000e+00 ... 1.997e+03 1.998e+03 1.999e+03]");
    count_up(DT_INT32, 2, (int64_t[]){40, 30});
    prints("y", "[[   0    1    2 ...   27   28   29]\n"
                " [  30   31   32 ...   57   58   59]\n"
                " [  60   61   62 ...   87   88   89]\n"
                " ...\n"
                " [1110 1111 1112 ... 1137 1138 1139]\n"
                " [1140 1141 1142 ... 1167 1168 1169]\n"
                " [1170 1171 1172 ... 1197 1198 1199]]");
    count_up(DT_INT8, 3, (int64_t[]){500, 1, 3});
    prints("y", "[[[  0   1   2]]\n\n [[  3   4   5]]\n\n [[  6   7   8]]\n\n ...\n\n"
                " [[127 127 127]]\n\n [[127 127 127]]\n\n [[127 127 127]]]");
}
END_TEST

/* Digits of every FP16 and BF16 number lead back to it, and no fewer do. */
START_TEST(shortest_digits)
{
    int bad = 0;
    for (uint32_t v = 1; v < 0x7f80; v += 7) {
        double d = (double)bf16_to_float((uint16_t)v), back;
        Decimal text = format_shortest(DT_BF16, d);
        Buf number = {0};
        buf_printf(&number, "%c.%se%d", text.digits[0], text.digits + 1, text.exponent);
        back = strtod(number.at, NULL);
        bad += bf16_from_double(back) != v || strlen(text.digits) > 4;
        buf_free(&number);
    }
    ck_assert_int_eq(bad, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("print");
    TCase *tc = tcase_create("print");
    tcase_add_test(tc, parts);
    tcase_add_test(tc, parts_that_are_refused);
    tcase_add_test(tc, names_of_specs);
    tcase_add_test(tc, floats);
    tcase_add_test(tc, floats_with_exponents);
    tcase_add_test(tc, floats_that_are_none);
    tcase_add_test(tc, integers_and_bools);
    tcase_add_test(tc, rows_and_blocks);
    tcase_add_test(tc, long_rows_are_wrapped);
    tcase_add_test(tc, large_ones_are_summarised);
    tcase_add_test(tc, shortest_digits);
    suite_add_tcase(suite, tc);
    int status = run_suite(suite);
    arena_free(&arena);
    return status;
}
