/* Pass 06: tensor arithmetic and subscripts on tiles. */
#include "tests/passtest.h"
#include "tests/support.h"

START_TEST(subscripts_are_loads_and_stores)
{
    ck_step("t = x[0:1, 0:64]\n"
            "y[n:n + 1, 0:64] = t\n",
            PASS_LOWER_TENSOR_OPS,
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t, [n, 0], y)\n");
}
END_TEST

START_TEST(whole_tensors_become_tiles)
{
    ck_step("y = pl.store(x + x, [0, 0], y)\n", PASS_LOWER_TENSOR_OPS,
            "y_1: pl.Tile[[4, 64], pl.FP32] = pl.tile.load(x, [0, 0], [4, 64])\n"
            "y_2: pl.Tile[[4, 64], pl.FP32] = pl.tile.load(x, [0, 0], [4, 64])\n"
            "y_3: pl.Tile[[4, 64], pl.FP32] = pl.tile.add(y_1, y_2)\n"
            "y_4: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(y_3, [0, 0], y)\n");
}
END_TEST

START_TEST(a_tensor_and_a_number)
{
    ck_step("t = 1.0 - x\n"
            "y = pl.store(t, [0, 0], y)\n",
            PASS_LOWER_TENSOR_OPS,
            "t: pl.Tile[[4, 64], pl.FP32] = pl.tile.load(x, [0, 0], [4, 64])\n"
            "t_1: pl.Tile[[4, 64], pl.FP32] = pl.tile.rsub(t, 1.0)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t_1, [0, 0], y)\n");
}
END_TEST

START_TEST(single_elements_stay_scalar_accesses)
{
    ck_step("z[0, n] = signal[1, 0]\n", PASS_LOWER_TENSOR_OPS,
            "z_1: pl.Scalar[pl.INT32] = pl.tensor.read(signal, [1, 0])\n"
            "z_2: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [0, n], z_1)\n");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_lower_tensor_ops");
    TCase *tc = tcase_create("lower_tensor_ops");
    tcase_add_test(tc, subscripts_are_loads_and_stores);
    tcase_add_test(tc, whole_tensors_become_tiles);
    tcase_add_test(tc, a_tensor_and_a_number);
    tcase_add_test(tc, single_elements_stay_scalar_accesses);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
