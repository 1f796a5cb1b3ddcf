/* Pass 05: one op a line. */
#include "tests/passtest.h"
#include "tests/support.h"

START_TEST(one_op_a_line)
{
    ck_step("y = pl.store(pl.add(pl.load(x, [0, 0], [1, 64]), pl.load(x, [1, 0], [1, "
            "64])), [0, 0], y)\n",
            PASS_FLATTEN_CALLS,
            "y_1: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "y_2: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [1, 0], [1, 64])\n"
            "y_3: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(y_1, y_2)\n"
            "y_4: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(y_3, [0, 0], y)\n");
}
END_TEST

START_TEST(temporaries_of_a_statement_take_the_name_of_its_op)
{
    ck_step("pld.system.notify(signal, peer=pl.read(z, [0, 0]), offsets=[0, 0], value=1)\n",
            PASS_FLATTEN_CALLS,
            "notify: pl.Scalar[pl.INT32] = pl.tensor.read(z, [0, 0])\n"
            "pld.system.notify(signal, peer=notify, offsets=[0, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n");
}
END_TEST

START_TEST(scalar_arithmetic_stays_nested)
{
    ck_step("me = pld.rank(pld.get_comm_ctx(data))\n"
            "t = pl.load(x, [(me + 1) % 4, n * 2 - n], [1, 64])\n"
            "y = pl.store(t, [0, 0], y)\n",
            PASS_FLATTEN_CALLS,
            "me: pld.CommCtx = pld.system.get_comm_ctx(data)\n"
            "me_1: pl.Scalar[pl.INT32] = pld.system.rank(me)\n"
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [(me_1 + 1) % 4, n * 2 - n], "
            "[1, 64])\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t, [0, 0], y)\n");
}
END_TEST

START_TEST(ops_below_scalars_are_hoisted)
{
    ck_step("if pld.rank(pld.get_comm_ctx(data)) + 1 > n:\n"
            "    for i in pl.range(pld.nranks(pld.get_comm_ctx(data))):\n"
            "        pl.write(z, [i, 0], m)\n",
            PASS_FLATTEN_CALLS,
            "cond: pld.CommCtx = pld.system.get_comm_ctx(data)\n"
            "cond_1: pl.Scalar[pl.INT32] = pld.system.rank(cond)\n"
            "if cond_1 + 1 > n:\n"
            "    stop: pld.CommCtx = pld.system.get_comm_ctx(data)\n"
            "    stop_1: pl.Scalar[pl.INT32] = pld.system.nranks(stop)\n"
            "    for i, (z_1,) in pl.range(stop_1, init_values=(z,)):\n"
            "        z_2: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z_1, [i, 0], "
            "m)\n"
            "        z_3: pl.Tensor[[128, 64], pl.INT32] = pl.yield_(z_2)\n");
}
END_TEST

START_TEST(the_right_side_of_and_runs_only_when_needed)
{
    ck_step("if n > 0 and pl.read(signal, [n, 0]) > 3:\n"
            "    pl.write(z, [0, 0], m)\n"
            "if n > 0 or pld.rank(pld.get_comm_ctx(data)) == 0:\n"
            "    pl.write(z, [1, 0], m)\n",
            PASS_FLATTEN_CALLS,
            "if n > 0:\n"
            "    cond: pl.Scalar[pl.INT32] = pl.tensor.read(signal, [n, 0])\n"
            "    cond_1: pl.Scalar[pl.BOOL] = pl.yield_(cond > 3)\n"
            "else:\n"
            "    cond_1: pl.Scalar[pl.BOOL] = pl.yield_(False)\n"
            "if cond_1:\n"
            "    z_1: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [0, 0], m)\n"
            "    z_2: pl.Tensor[[128, 64], pl.INT32] = pl.yield_(z_1)\n"
            "else:\n"
            "    z_2: pl.Tensor[[128, 64], pl.INT32] = pl.yield_(z)\n"
            "cond_2: pld.CommCtx = pld.system.get_comm_ctx(data)\n"
            "cond_3: pl.Scalar[pl.INT32] = pld.system.rank(cond_2)\n"
            "if n > 0 or cond_3 == 0:\n"
            "    z_3: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z_2, [1, 0], m)\n");
}
END_TEST

START_TEST(the_arms_of_a_conditional_expression)
{
    ck_step("k = pl.read(signal, [0, 0]) if n > 2 else m\n"
            "pl.write(z, [0, 0], k)\n",
            PASS_FLATTEN_CALLS,
            "if n > 2:\n"
            "    k: pl.Scalar[pl.INT32] = pl.tensor.read(signal, [0, 0])\n"
            "    k_1: pl.Scalar[pl.INT32] = pl.yield_(k)\n"
            "else:\n"
            "    k_1: pl.Scalar[pl.INT32] = pl.yield_(m)\n"
            "k_2: pl.Scalar[pl.INT32] = k_1\n"
            "z_1: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [0, 0], k_2)\n");
}
END_TEST

START_TEST(what_may_fault_is_evaluated_in_order)
{
    ck_step("k = m // pl.cast(n, pl.INT32) + pl.read(signal, [0, 0])\n"
            "pl.write(z, [0, 0], k)\n",
            PASS_FLATTEN_CALLS,
            "k: pl.Scalar[pl.INT32] = m // pl.cast(n, pl.INT32)\n"
            "k_1: pl.Scalar[pl.INT32] = pl.tensor.read(signal, [0, 0])\n"
            "k_2: pl.Scalar[pl.INT32] = k + k_1\n"
            "z_1: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [0, 0], k_2)\n");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_flatten_calls");
    TCase *tc = tcase_create("flatten_calls");
    tcase_add_test(tc, one_op_a_line);
    tcase_add_test(tc, temporaries_of_a_statement_take_the_name_of_its_op);
    tcase_add_test(tc, scalar_arithmetic_stays_nested);
    tcase_add_test(tc, ops_below_scalars_are_hoisted);
    tcase_add_test(tc, the_right_side_of_and_runs_only_when_needed);
    tcase_add_test(tc, the_arms_of_a_conditional_expression);
    tcase_add_test(tc, what_may_fault_is_evaluated_in_order);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
