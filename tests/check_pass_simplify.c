/* Pass 04: folding, propagation, dead code. */
#include "tests/passtest.h"
#include "tests/support.h"
#include <string.h>

START_TEST(constants_reach_their_uses_and_fold)
{
    ck_step("a = 2\n"
            "b = a + 1\n"
            "pl.write(z, [b, a * 16], m)\n",
            PASS_SIMPLIFY,
            "z_1: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [3, 32], m)\n");
}
END_TEST

START_TEST(identities_and_constants_on_the_right)
{
    ck_step("pl.write(z, [1 + n + 2, 0 * n], m)\n"
            "pl.write(z, [n * 1 + 0, n % 1], m)\n"
            "pl.write(z, [0 + n - 0, 4 // 2 * n], m)\n"
            "if 3 < n:\n"
            "    pl.write(z, [0, 0], m)\n",
            PASS_SIMPLIFY,
            "z_1: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [n + 3, 0], m)\n"
            "z_2: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z_1, [n, 0], m)\n"
            "z_3: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z_2, [n, n * 2], m)\n"
            "if n > 3:\n"
            "    z_4: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z_3, [0, 0], m)\n");
}
END_TEST

START_TEST(a_fault_is_never_folded_away)
{
    ck_step("a = 1 // (n - n)\n"
            "pl.write(z, [n // n * 0, 0], m)\n",
            PASS_SIMPLIFY,
            "a: pl.Scalar[pl.INDEX] = 1 // (n - n)\n"
            "z_1: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [n // n * 0, 0], m)\n");
}
END_TEST

START_TEST(a_branch_on_a_constant_is_its_arm)
{
    ck_step("k = 3\n"
            "if k > 2:\n"
            "    k = n\n"
            "else:\n"
            "    k = n + 1\n"
            "pl.write(z, [k, 0], m)\n",
            PASS_SIMPLIFY, "z_1: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [n, 0], m)\n");
}
END_TEST

START_TEST(loops_without_iterations_go_and_one_iteration_stays)
{
    ck_step("k = n\n"
            "for i in pl.range(0):\n"
            "    k = k + 1\n"
            "for i in pl.range(1):\n"
            "    pl.write(z, [k, i], m)\n",
            PASS_SIMPLIFY,
            "for i, (z_1,) in pl.range(1, init_values=(z,)):\n"
            "    z_2: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z_1, [n, i], m)\n"
            "    z_3: pl.Tensor[[128, 64], pl.INT32] = pl.yield_(z_2)\n");
}
END_TEST

START_TEST(dead_code_goes_but_loads_stay)
{
    ck_step("dead = pl.full([1, 64], dtype=pl.FP32, value=1.0)\n"
            "dead = pl.neg(dead)\n"
            "t = pl.load(x, [n, 0], [1, 64])\n"
            "k = n + 1\n"
            "c = pl.read(x, [n, 0])\n",
            PASS_SIMPLIFY,
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [n, 0], [1, 64])\n"
            "c: pl.Scalar[pl.FP32] = pl.tensor.read(x, [n, 0])\n");
}
END_TEST

START_TEST(a_value_that_no_iteration_changes_is_not_carried)
{
    ck_step("k = n\n"
            "t = pl.load(x, [0, 0], [1, 64])\n"
            "for i in pl.range(n):\n"
            "    t = t\n"
            "    pl.write(z, [k, i], m)\n"
            "y = pl.store(t, [0, 0], y)\n",
            PASS_SIMPLIFY,
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "for i, (z_1,) in pl.range(n, init_values=(z,)):\n"
            "    z_2: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z_1, [n, i], m)\n"
            "    z_3: pl.Tensor[[128, 64], pl.INT32] = pl.yield_(z_2)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t, [0, 0], y)\n");
}
END_TEST

START_TEST(copies_are_seen_through)
{
    ck_step("a = n\n"
            "b = a\n"
            "t = pl.load(x, [b, 0], [1, 64])\n"
            "u = t\n"
            "y = pl.store(u, [a, 0], y)\n",
            PASS_SIMPLIFY,
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [n, 0], [1, 64])\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t, [n, 0], y)\n");
}
END_TEST

START_TEST(rank_arithmetic_keeps_its_type)
{
    ck_step("me = pld.rank(pld.get_comm_ctx(data))\n"
            "zero = 0\n"
            "pl.write(z, [me + zero, 0], m + 0)\n",
            PASS_SIMPLIFY,
            "me: pl.Scalar[pl.INT32] = pld.system.rank(pld.system.get_comm_ctx(data))\n"
            "z_1: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [me + pl.const(0, "
            "pl.INDEX), 0], m)\n");
}
END_TEST

START_TEST(an_offset_that_becomes_constant_is_checked)
{
    ck_step_error("k = 64\n"
                  "t = pl.load(x, [0, k], [1, 64])\n"
                  "y = pl.store(t, [0, 0], y)\n",
                  PASS_SIMPLIFY, "pl.tile.load");
}
END_TEST

/* Simplifying what is simple changes nothing. */
START_TEST(twice_is_once)
{
    PassTest t;
    Arena arena = {0};
    const char *body = "k = 3\n"
                       "acc = pl.load(x, [0, 0], [1, 64])\n"
                       "for i in pl.range(n):\n"
                       "    k = k + 1 - 1\n"
                       "    if k > 2 and i != 1 + 2:\n"
                       "        acc = pl.add(acc, pl.load(x, [k * 1, 0], [1, 64]))\n"
                       "    dead = pl.neg(acc)\n"
                       "y = pl.store(acc, [0 + k, 0 * n], y)\n";
    passtest_open(&t, passtest_program(&arena, "", body), PASS_SIMPLIFY);
    ck_assert_msg(t.p != NULL, "%s", passtest_message(&t));
    const char *once = passtest_body(&t, "step");
    ck_assert(pass_simplify(t.p));
    ck_assert_str_eq(passtest_body(&t, "step"), once);
    passtest_close(&t);
    arena_free(&arena);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_simplify");
    TCase *tc = tcase_create("simplify");
    tcase_add_test(tc, constants_reach_their_uses_and_fold);
    tcase_add_test(tc, identities_and_constants_on_the_right);
    tcase_add_test(tc, a_fault_is_never_folded_away);
    tcase_add_test(tc, a_branch_on_a_constant_is_its_arm);
    tcase_add_test(tc, loops_without_iterations_go_and_one_iteration_stays);
    tcase_add_test(tc, dead_code_goes_but_loads_stay);
    tcase_add_test(tc, a_value_that_no_iteration_changes_is_not_carried);
    tcase_add_test(tc, copies_are_seen_through);
    tcase_add_test(tc, rank_arithmetic_keeps_its_type);
    tcase_add_test(tc, an_offset_that_becomes_constant_is_checked);
    tcase_add_test(tc, twice_is_once);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
