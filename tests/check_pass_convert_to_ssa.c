/* Pass 03: versions, carried values, merges. */
#include "tests/passtest.h"
#include "tests/support.h"

START_TEST(rebinding_makes_versions)
{
    ck_step("t = pl.load(x, [0, 0], [1, 64])\n"
            "t = pl.add(t, t)\n"
            "t = pl.mul(t, 2.0)\n"
            "y = pl.store(t, [0, 0], y)\n",
            PASS_CONVERT_TO_SSA,
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "t_1: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(t, t)\n"
            "t_2: pl.Tile[[1, 64], pl.FP32] = pl.tile.mul(t_1, 2.0)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t_2, [0, 0], y)\n");
}
END_TEST

START_TEST(a_loop_carries_what_it_rebinds)
{
    ck_step("acc = pl.load(x, [0, 0], [1, 64])\n"
            "for i in pl.range(1, n):\n"
            "    row = pl.load(x, [i, 0], [1, 64])\n"
            "    acc = pl.add(acc, row)\n"
            "y = pl.store(acc, [0, 0], y)\n",
            PASS_CONVERT_TO_SSA,
            "acc: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "for i, (acc_1,) in pl.range(1, n, init_values=(acc,)):\n"
            "    row: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [i, 0], [1, 64])\n"
            "    acc_2: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(acc_1, row)\n"
            "    acc_3: pl.Tile[[1, 64], pl.FP32] = pl.yield_(acc_2)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(acc_3, [0, 0], y)\n");
}
END_TEST

START_TEST(a_branch_merges_what_is_read_after_it)
{
    ck_step("t = pl.load(x, [0, 0], [1, 64])\n"
            "u = pl.load(x, [1, 0], [1, 64])\n"
            "if n > 1:\n"
            "    t = pl.add(t, u)\n"
            "    u = pl.neg(u)\n"
            "y = pl.store(t, [0, 0], y)\n",
            PASS_CONVERT_TO_SSA,
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "u: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [1, 0], [1, 64])\n"
            "if n > 1:\n"
            "    t_1: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(t, u)\n"
            "    u_1: pl.Tile[[1, 64], pl.FP32] = pl.tile.neg(u)\n"
            "    t_2: pl.Tile[[1, 64], pl.FP32] = pl.yield_(t_1)\n"
            "else:\n"
            "    t_2: pl.Tile[[1, 64], pl.FP32] = pl.yield_(t)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t_2, [0, 0], y)\n");
}
END_TEST

START_TEST(a_name_bound_in_both_arms)
{
    ck_step("if n > 1:\n"
            "    k = n\n"
            "else:\n"
            "    k = n + 1\n"
            "pl.write(z, [k, 0], m)\n",
            PASS_CONVERT_TO_SSA,
            "if n > 1:\n"
            "    k: pl.Scalar[pl.INDEX] = n\n"
            "    k_1: pl.Scalar[pl.INDEX] = pl.yield_(k)\n"
            "else:\n"
            "    k_2: pl.Scalar[pl.INDEX] = n + 1\n"
            "    k_1: pl.Scalar[pl.INDEX] = pl.yield_(k_2)\n"
            "z_1: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [k_1, 0], m)\n");
}
END_TEST

START_TEST(nothing_is_carried_that_is_rebound_before_it_is_read)
{
    ck_step("k = n\n"
            "for i in pl.range(n):\n"
            "    k = i + 1\n"
            "    pl.write(z, [k, 0], m)\n"
            "pl.write(z, [0, 0], m)\n",
            PASS_CONVERT_TO_SSA,
            "k: pl.Scalar[pl.INDEX] = n\n"
            "for i, (z_1,) in pl.range(n, init_values=(z,)):\n"
            "    k_1: pl.Scalar[pl.INDEX] = i + 1\n"
            "    z_2: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z_1, [k_1, 0], m)\n"
            "    z_3: pl.Tensor[[128, 64], pl.INT32] = pl.yield_(z_2)\n"
            "z_4: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z_3, [0, 0], m)\n");
}
END_TEST

START_TEST(carried_values_stand_in_the_order_of_first_binding)
{
    ck_step("a = n\n"
            "b = n + 1\n"
            "for i in pl.range(n):\n"
            "    b = b + 1\n"
            "    a = a + b\n"
            "pl.write(z, [a, b], m)\n",
            PASS_CONVERT_TO_SSA,
            "a: pl.Scalar[pl.INDEX] = n\n"
            "b: pl.Scalar[pl.INDEX] = n + 1\n"
            "for i, (a_1, b_1) in pl.range(n, init_values=(a, b)):\n"
            "    b_2: pl.Scalar[pl.INDEX] = b_1 + 1\n"
            "    a_2: pl.Scalar[pl.INDEX] = a_1 + b_2\n"
            "    (a_3, b_3): tuple[pl.Scalar[pl.INDEX], pl.Scalar[pl.INDEX]] = "
            "pl.yield_(a_2, b_2)\n"
            "z_1: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [a_3, b_3], m)\n");
}
END_TEST

START_TEST(break_and_continue_carry_their_values)
{
    ck_step("k = n\n"
            "for i in pl.range(10):\n"
            "    if i == n:\n"
            "        continue\n"
            "    k = k + i\n"
            "    if k > 100:\n"
            "        break\n"
            "pl.write(z, [k, 0], m)\n",
            PASS_CONVERT_TO_SSA,
            "k: pl.Scalar[pl.INDEX] = n\n"
            "for i, (k_1,) in pl.range(10, init_values=(k,)):\n"
            "    if i == n:\n"
            "        k_2: pl.Scalar[pl.INDEX] = pl.yield_(k_1)\n"
            "        continue\n"
            "    k_3: pl.Scalar[pl.INDEX] = k_1 + i\n"
            "    if k_3 > 100:\n"
            "        k_2: pl.Scalar[pl.INDEX] = pl.yield_(k_3)\n"
            "        break\n"
            "    k_2: pl.Scalar[pl.INDEX] = pl.yield_(k_3)\n"
            "z_1: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [k_2, 0], m)\n");
}
END_TEST

START_TEST(an_arm_that_leaves_takes_no_part_in_the_merge)
{
    ck_step("k = n\n"
            "for i in pl.range(10):\n"
            "    if i == n:\n"
            "        k = k + 2\n"
            "        break\n"
            "    else:\n"
            "        k = k + 1\n"
            "    pl.write(z, [k, 0], m)\n"
            "pl.write(z, [k, 1], m)\n",
            PASS_CONVERT_TO_SSA,
            "k: pl.Scalar[pl.INDEX] = n\n"
            "for i, (z_1, k_1) in pl.range(10, init_values=(z, k)):\n"
            "    if i == n:\n"
            "        k_2: pl.Scalar[pl.INDEX] = k_1 + 2\n"
            "        (z_2, k_3): tuple[pl.Tensor[[128, 64], pl.INT32], "
            "pl.Scalar[pl.INDEX]] = pl.yield_(z_1, k_2)\n"
            "        break\n"
            "    else:\n"
            "        k_4: pl.Scalar[pl.INDEX] = k_1 + 1\n"
            "        k_5: pl.Scalar[pl.INDEX] = pl.yield_(k_4)\n"
            "    z_3: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z_1, [k_5, 0], m)\n"
            "    (z_2, k_3): tuple[pl.Tensor[[128, 64], pl.INT32], pl.Scalar[pl.INDEX]] "
            "= pl.yield_(z_3, k_5)\n"
            "z_4: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z_2, [k_3, 1], m)\n");
}
END_TEST

START_TEST(values_carried_by_hand_come_first)
{
    ck_step("k = n\n"
            "t = pl.load(x, [0, 0], [1, 64])\n"
            "for i, (acc,) in pl.range(n, init_values=(t,)):\n"
            "    k = k + 1\n"
            "    u = pl.add(acc, t)\n"
            "    acc = pl.yield_(u)\n"
            "y = pl.store(acc, [k, 0], y)\n",
            PASS_CONVERT_TO_SSA,
            "k: pl.Scalar[pl.INDEX] = n\n"
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "for i, (acc, k_1) in pl.range(n, init_values=(t, k)):\n"
            "    k_2: pl.Scalar[pl.INDEX] = k_1 + 1\n"
            "    u: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(acc, t)\n"
            "    (acc_1, k_3): tuple[pl.Tile[[1, 64], pl.FP32], pl.Scalar[pl.INDEX]] = "
            "pl.yield_(u, k_2)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(acc_1, [k_3, 0], y)\n");
}
END_TEST

START_TEST(memory_is_carried_like_a_value)
{
    ck_step("t = pl.load(x, [0, 0], [1, 64])\n"
            "for i in pl.range(n):\n"
            "    data = pl.store(t, [i, 0], data)\n"
            "u = pl.load(data, [0, 0], [1, 64])\n"
            "y = pl.store(u, [0, 0], y)\n",
            PASS_CONVERT_TO_SSA,
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "for i, (data_1,) in pl.range(n, init_values=(data,)):\n"
            "    data_2: pld.DistributedTensor[[4, 64], pl.FP32] = pl.tile.store(t, [i, "
            "0], data_1)\n"
            "    data_3: pld.DistributedTensor[[4, 64], pl.FP32] = pl.yield_(data_2)\n"
            "u: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(data_3, [0, 0], [1, 64])\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(u, [0, 0], y)\n");
}
END_TEST

START_TEST(nested_loops)
{
    ck_step("k = n\n"
            "for i in pl.range(n):\n"
            "    for j in pl.range(i):\n"
            "        k = k + j\n"
            "    pl.write(z, [k, 0], m)\n",
            PASS_CONVERT_TO_SSA,
            "k: pl.Scalar[pl.INDEX] = n\n"
            "for i, (z_1, k_1) in pl.range(n, init_values=(z, k)):\n"
            "    for j, (k_2,) in pl.range(i, init_values=(k_1,)):\n"
            "        k_3: pl.Scalar[pl.INDEX] = k_2 + j\n"
            "        k_4: pl.Scalar[pl.INDEX] = pl.yield_(k_3)\n"
            "    z_2: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z_1, [k_4, 0], m)\n"
            "    (z_3, k_5): tuple[pl.Tensor[[128, 64], pl.INT32], pl.Scalar[pl.INDEX]] "
            "= pl.yield_(z_2, k_4)\n");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_convert_to_ssa");
    TCase *tc = tcase_create("convert_to_ssa");
    tcase_add_test(tc, rebinding_makes_versions);
    tcase_add_test(tc, a_loop_carries_what_it_rebinds);
    tcase_add_test(tc, a_branch_merges_what_is_read_after_it);
    tcase_add_test(tc, a_name_bound_in_both_arms);
    tcase_add_test(tc, nothing_is_carried_that_is_rebound_before_it_is_read);
    tcase_add_test(tc, carried_values_stand_in_the_order_of_first_binding);
    tcase_add_test(tc, break_and_continue_carry_their_values);
    tcase_add_test(tc, an_arm_that_leaves_takes_no_part_in_the_merge);
    tcase_add_test(tc, values_carried_by_hand_come_first);
    tcase_add_test(tc, memory_is_carried_like_a_value);
    tcase_add_test(tc, nested_loops);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
