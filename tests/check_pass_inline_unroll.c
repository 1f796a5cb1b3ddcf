/* Pass 02: helpers inlined, pl.unroll expanded. */
#include "tests/passtest.h"
#include "tests/support.h"

START_TEST(helper_body_takes_the_place_of_the_call)
{
    ck_step_with("@pl.function(type=pl.FunctionType.InCore)\n"
                 "def scale(self, t: pl.Tile[[1, 64], pl.FP32], k: pl.Scalar[pl.INDEX]) "
                 "-> pl.Tile[[1, 64], pl.FP32]:\n"
                 "    r = pl.mul(t, 2.0)\n"
                 "    for i in pl.range(k):\n"
                 "        r = pl.add(r, t)\n"
                 "    return r\n",
                 "t = pl.load(x, [0, 0], [1, 64])\n"
                 "u = self.scale(t, n)\n"
                 "y = pl.store(u, [0, 0], y)\n",
                 PASS_INLINE_UNROLL,
                 "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
                 "r: pl.Tile[[1, 64], pl.FP32] = pl.tile.mul(t, 2.0)\n"
                 "for i in pl.range(n):\n"
                 "    r: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(r, t)\n"
                 "u: pl.Tile[[1, 64], pl.FP32] = r\n"
                 "y: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(u, [0, 0], y)\n");
}
END_TEST

START_TEST(a_local_that_the_caller_has_too_is_renamed)
{
    ck_step_with("@pl.function(type=pl.FunctionType.InCore)\n"
                 "def scale(self, t: pl.Tile[[1, 64], pl.FP32], k: pl.Scalar[pl.INDEX]) "
                 "-> pl.Tile[[1, 64], pl.FP32]:\n"
                 "    r = pl.mul(t, 2.0)\n"
                 "    for i in pl.range(k):\n"
                 "        r = pl.add(r, t)\n"
                 "    return r\n",
                 "r = pl.load(x, [0, 0], [1, 64])\n"
                 "u = self.scale(r, 3)\n"
                 "y = pl.store(u, [0, 0], y)\n"
                 "y = pl.store(r, [1, 0], y)\n",
                 PASS_INLINE_UNROLL,
                 "r: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
                 "scale_r: pl.Tile[[1, 64], pl.FP32] = pl.tile.mul(r, 2.0)\n"
                 "for i in pl.range(3):\n"
                 "    scale_r: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(scale_r, r)\n"
                 "u: pl.Tile[[1, 64], pl.FP32] = scale_r\n"
                 "y: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(u, [0, 0], y)\n"
                 "y: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(r, [1, 0], y)\n");
}
END_TEST

START_TEST(a_call_inside_an_expression_is_hoisted_first)
{
    ck_step_with("@pl.function(type=pl.FunctionType.InCore)\n"
                 "def scale(self, t: pl.Tile[[1, 64], pl.FP32], k: pl.Scalar[pl.INDEX]) "
                 "-> pl.Tile[[1, 64], pl.FP32]:\n"
                 "    r = pl.mul(t, 2.0)\n"
                 "    for i in pl.range(k):\n"
                 "        r = pl.add(r, t)\n"
                 "    return r\n"
                 "@pl.function(type=pl.FunctionType.InCore)\n"
                 "def twice(self, t: pl.Tile[[1, 64], pl.FP32]) -> pl.Tile[[1, 64], "
                 "pl.FP32]:\n"
                 "    return self.scale(self.scale(t, 1), 1)\n",
                 "t = pl.load(x, [0, 0], [1, 64])\n"
                 "t = pl.add(t, self.twice(t))\n"
                 "y = pl.store(t, [0, 0], y)\n",
                 PASS_INLINE_UNROLL,
                 "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
                 "r: pl.Tile[[1, 64], pl.FP32] = pl.tile.mul(t, 2.0)\n"
                 "for i in pl.range(1):\n"
                 "    r: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(r, t)\n"
                 "scale_t: pl.Tile[[1, 64], pl.FP32] = r\n"
                 "r: pl.Tile[[1, 64], pl.FP32] = pl.tile.mul(scale_t, 2.0)\n"
                 "for i in pl.range(1):\n"
                 "    r: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(r, scale_t)\n"
                 "scale_result: pl.Tile[[1, 64], pl.FP32] = r\n"
                 "twice_t: pl.Tile[[1, 64], pl.FP32] = scale_result\n"
                 "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(t, twice_t)\n"
                 "y: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t, [0, 0], y)\n");
}
END_TEST

START_TEST(extents_of_the_callee_become_the_callers)
{
    ck_step_with("@pl.function(type=pl.FunctionType.InCore)\n"
                 "def arrive(self, signal: pl.InOut[pld.DistributedTensor[[R, 1], "
                 "pl.INT32]], data: pl.InOut[pld.DistributedTensor[[R, 64], pl.FP32]]):\n"
                 "    me = pld.rank(pld.get_comm_ctx(data))\n"
                 "    for peer in pl.range(R):\n"
                 "        if peer != me:\n"
                 "            pld.system.notify(signal, peer=peer, offsets=[me, 0], "
                 "value=1, op=pld.NotifyOp.AtomicAdd)\n",
                 "self.arrive(signal, data)\n", PASS_INLINE_UNROLL,
                 "me: pl.Scalar[pl.INT32] = "
                 "pld.system.rank(pld.system.get_comm_ctx(data))\n"
                 "for peer in pl.range(4):\n"
                 "    if peer != me:\n"
                 "        pld.system.notify(signal, peer=peer, offsets=[me, 0], value=1, "
                 "op=pld.NotifyOp.AtomicAdd)\n");
}
END_TEST

START_TEST(effects_of_an_unused_result_stay)
{
    ck_step_with("@pl.function(type=pl.FunctionType.InCore)\n"
                 "def put_row(self, t: pl.Tile[[1, 64], pl.FP32], out: "
                 "pl.Out[pl.Tensor[[4, 64], pl.FP32]], i: pl.Scalar[pl.INDEX]):\n"
                 "    return pl.store(t, [i, 0], out)\n",
                 "t = pl.load(x, [0, 0], [1, 64])\n"
                 "self.put_row(t, y, 2)\n",
                 PASS_INLINE_UNROLL,
                 "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
                 "pl.tile.store(t, [2, 0], y)\n");
}
END_TEST

START_TEST(results_are_bound_at_once)
{
    ck_step_with("@pl.function(type=pl.FunctionType.InCore)\n"
                 "def swapped(self, a: pl.Scalar[pl.INDEX], b: pl.Scalar[pl.INDEX]):\n"
                 "    return b, a\n",
                 "a = n + 1\n"
                 "b = n + 2\n"
                 "a, b = self.swapped(a, b)\n"
                 "pl.write(z, [a, b], 1)\n",
                 PASS_INLINE_UNROLL,
                 "a: pl.Scalar[pl.INDEX] = n + 1\n"
                 "b: pl.Scalar[pl.INDEX] = n + 2\n"
                 "swapped_b: pl.Scalar[pl.INDEX] = a\n"
                 "a: pl.Scalar[pl.INDEX] = b\n"
                 "b: pl.Scalar[pl.INDEX] = swapped_b\n"
                 "z: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [a, b], 1)\n");
}
END_TEST

START_TEST(the_index_becomes_a_constant_of_index_type)
{
    ck_step("for i in pl.unroll(0, 4, 2):\n"
            "    t = pl.load(x, [i, 0], [1, 64])\n"
            "    y = pl.store(t, [i + 1, 0], y)\n",
            PASS_INLINE_UNROLL,
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "y: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t, [1, 0], y)\n"
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [2, 0], [1, 64])\n"
            "y: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t, [3, 0], y)\n");
}
END_TEST

START_TEST(nested_loops_may_depend_on_the_index)
{
    ck_step("for i in pl.unroll(3):\n"
            "    for j in pl.unroll(2):\n"
            "        pl.write(z, [i, j], m)\n",
            PASS_INLINE_UNROLL,
            "z: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [0, 0], m)\n"
            "z: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [0, 1], m)\n"
            "z: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [1, 0], m)\n"
            "z: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [1, 1], m)\n"
            "z: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [2, 0], m)\n"
            "z: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [2, 1], m)\n");
}
END_TEST

START_TEST(a_branch_on_the_index_is_resolved)
{
    ck_step("for i in pl.unroll(2):\n"
            "    if i < 1:\n"
            "        y = pl.store(pl.load(x, [i + 3, 0], [1, 64]), [i, 0], y)\n"
            "    else:\n"
            "        y = pl.store(pl.load(x, [i, 0], [1, 64]), [i, 0], y)\n",
            PASS_INLINE_UNROLL,
            "y: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(pl.tile.load(x, [3, 0], [1, "
            "64]), [0, 0], y)\n"
            "y: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(pl.tile.load(x, [1, 0], [1, "
            "64]), [1, 0], y)\n");
}
END_TEST

START_TEST(division_by_the_index_truncates_as_at_run_time)
{
    ck_step("for i in pl.unroll(2):\n"
            "    a = (i - 1) % 4\n"
            "    pl.write(z, [a + 1, 0], m)\n",
            PASS_INLINE_UNROLL,
            "a: pl.Scalar[pl.INDEX] = -1\n"
            "z: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [a + 1, 0], m)\n"
            "a: pl.Scalar[pl.INDEX] = 0\n"
            "z: pl.Tensor[[128, 64], pl.INT32] = pl.tensor.write(z, [a + 1, 0], m)\n");
}
END_TEST

START_TEST(values_carried_through_an_unrolled_loop)
{
    ck_step("t = pl.load(x, [0, 0], [1, 64])\n"
            "for i, (acc,) in pl.unroll(2, init_values=(t,)):\n"
            "    u = pl.add(acc, t)\n"
            "    acc = pl.yield_(u)\n"
            "y = pl.store(acc, [0, 0], y)\n",
            PASS_INLINE_UNROLL,
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "acc: pl.Tile[[1, 64], pl.FP32] = t\n"
            "u: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(acc, t)\n"
            "acc: pl.Tile[[1, 64], pl.FP32] = u\n"
            "u: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(acc, t)\n"
            "acc: pl.Tile[[1, 64], pl.FP32] = u\n"
            "y: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(acc, [0, 0], y)\n");
}
END_TEST

START_TEST(too_many_repeats)
{
    ck_step_error("for i in pl.unroll(100000000):\n"
                  "    pl.write(z, [0, 0], m)\n",
                  PASS_INLINE_UNROLL, "pl.unroll would repeat its body 100000000 times");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_inline_unroll");
    TCase *tc = tcase_create("inline_unroll");
    tcase_add_test(tc, helper_body_takes_the_place_of_the_call);
    tcase_add_test(tc, a_local_that_the_caller_has_too_is_renamed);
    tcase_add_test(tc, a_call_inside_an_expression_is_hoisted_first);
    tcase_add_test(tc, extents_of_the_callee_become_the_callers);
    tcase_add_test(tc, effects_of_an_unused_result_stay);
    tcase_add_test(tc, results_are_bound_at_once);
    tcase_add_test(tc, the_index_becomes_a_constant_of_index_type);
    tcase_add_test(tc, nested_loops_may_depend_on_the_index);
    tcase_add_test(tc, a_branch_on_the_index_is_resolved);
    tcase_add_test(tc, division_by_the_index_truncates_as_at_run_time);
    tcase_add_test(tc, values_carried_through_an_unrolled_loop);
    tcase_add_test(tc, too_many_repeats);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
