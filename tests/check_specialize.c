/* Bodies of kernels: what they elaborate to, and what is said about mistakes. */
#include "tests/spectest.h"
#include "tests/support.h"

#define LOAD "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"

START_TEST(ops_have_two_spellings_and_operators)
{
    expect_body("t = pl.load(x, [0, 0], [1, 64])\n"
                "t = pl.tile.add(2.0 - t, t * 2)\n"
                "pl.store(-t / 4.0, [0, 0], y)",
                LOAD
                "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(pl.tile.rsub(t, 2.0), "
                "pl.tile.mul(t, 2.0))\n"
                "y: pl.Tensor[[1, 64], pl.FP32] = pl.tile.store(pl.tile.div(pl.tile.neg(t), 4.0), "
                "[0, 0], y)");
}
END_TEST

START_TEST(a_name_in_a_kernel_is_a_run_time_value)
{
    expect_body("k = -7 // 2 + 5\nm = k // 2\nflag = k == 3 and m < 4 * 2\nq = n + k\ns = n + 1",
                "k: pl.Scalar[pl.INDEX] = 1\n"
                "m: pl.Scalar[pl.INDEX] = k // 2\n"
                "flag: pl.Scalar[pl.BOOL] = k == 3 and m < 8\n"
                "q: pl.Scalar[pl.INDEX] = n + k\n"
                "s: pl.Scalar[pl.INT32] = n + 1");
}
END_TEST

START_TEST(typed_constants_do_not_fold)
{
    expect_body("a = pl.const(3, pl.INT32) + 1\nb = pl.cast(n, pl.INDEX)\nc = pl.min(n, 3)\n"
                "d = a if n > 2 else 0",
                "a: pl.Scalar[pl.INT32] = pl.const(3, pl.INT32) + 1\n"
                "b: pl.Scalar[pl.INDEX] = pl.cast(n, pl.INDEX)\n"
                "c: pl.Scalar[pl.INT32] = pl.min(n, 3)\n"
                "d: pl.Scalar[pl.INT32] = a if n > 2 else 0");
}
END_TEST

START_TEST(a_chain_of_comparisons_is_two)
{
    expect_body("if 0 < n + 1 <= 5:\n    pl.write(sig, [0, 0], n)",
                "if 0 < n + 1 and n + 1 <= 5:\n"
                "    sig: pld.DistributedTensor[[2, 1], pl.INT32] = "
                "pl.tensor.write(sig, [0, 0], n)");
    expect_body_messages("if 0 < pl.read(sig, [0, 0]) < 5:\n    pass",
                         "3:12: the middle of a chained comparison reads memory: bind it to a name "
                         "first\n");
}
END_TEST

START_TEST(compile_time_branches_leave_no_trace)
{
    expect_body("if 3 > 2:\n    t = pl.load(x, [0, 0], [1, 64])\nelse:\n    t = nonsense + 1\n"
                "pl.store(t, [0, 0], y)",
                LOAD "y: pl.Tensor[[1, 64], pl.FP32] = pl.tile.store(t, [0, 0], y)");
    expect_body(
        "if True:\n    return pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)\npass\nz = 3",
        "return pl.tile.store(pl.tile.load(x, [0, 0], [1, 64]), [0, 0], y)");
}
END_TEST

START_TEST(a_name_bound_on_one_path)
{
    expect_body_messages("if n == 0:\n    t = pl.load(x, [0, 0], [1, 64])\npl.store(t, [0, 0], y)",
                         "5:14: t may be unbound here: it is bound on one path only\n"
                         "  4:9: t is bound here\n"
                         "  3:5: a path that does not run through it starts here\n");
    expect_body("for i in pl.range(3):\n    if n == i:\n        break\n    else:\n        k = 2\n"
                "    pl.write(sig, [0, 0], k)",
                "for i in pl.range(3):\n"
                "    if n == i:\n"
                "        break\n"
                "    else:\n"
                "        k: pl.Scalar[pl.INDEX] = 2\n"
                "    sig: pld.DistributedTensor[[2, 1], pl.INT32] = "
                "pl.tensor.write(sig, [0, 0], k)");
    expect_body_messages("pl.write(sig, [0, 0], k)\nk = 3", "3:27: k is used before it is bound\n");
}
END_TEST

START_TEST(a_loop_variable_ends_with_its_loop)
{
    expect_body_messages(
        "for i in pl.range(3):\n    pass\npl.write(sig, [0, 0], i)",
        "5:27: i is the variable of a loop that is over: bind its value to another "
        "name in the loop\n  3:9: the loop is here\n");
}
END_TEST

START_TEST(types_agree_where_paths_meet)
{
    expect_body_messages("t = pl.load(x, [0, 0], [1, 64])\nfor i in pl.range(3):\n"
                         "    u = pl.add(t, 1.0)\n    t = pl.load(x, [0, 0], [1, 32])",
                         "6:9: t is pl.Tile[[1, 64], pl.FP32] at the start of the loop and "
                         "pl.Tile[[1, 32], pl.FP32] when it starts again\n"
                         "  5:20: it is read here, before it is bound\n");
    expect_body_messages("if n > 1:\n    t = 3\nelse:\n    t = pl.load(x, [0, 0], [1, 64])\nu = t",
                         "7:9: t has different types on two paths: pl.Scalar[pl.INDEX] and "
                         "pl.Tile[[1, 64], pl.FP32]\n"
                         "  4:9: one is bound here\n  6:9: the other here\n");
}
END_TEST

START_TEST(an_int32_widens_where_paths_meet)
{
    expect_body("k = 0\nif n > 1:\n    k = n\npl.write(sig, [k, 0], 1)",
                "k: pl.Scalar[pl.INDEX] = 0\n"
                "if n > 1:\n"
                "    k: pl.Scalar[pl.INT32] = n\n"
                "    k: pl.Scalar[pl.INDEX] = pl.cast(k, pl.INDEX)\n"
                "sig: pld.DistributedTensor[[2, 1], pl.INT32] = pl.tensor.write(sig, [k, 0], 1)");
}
END_TEST

START_TEST(tuples_swap)
{
    expect_body("a, b = 1, 2\na, b = b, a",
                "a: pl.Scalar[pl.INDEX] = 1\nb: pl.Scalar[pl.INDEX] = 2\n"
                "b_next: pl.Scalar[pl.INDEX] = a\n"
                "a: pl.Scalar[pl.INDEX] = b\nb: pl.Scalar[pl.INDEX] = b_next");
    expect_body_messages("a, b = 1, 2, 3", "3:5: cannot unpack 3 values into 2 names\n");
}
END_TEST

START_TEST(loops_carry_values)
{
    expect_body("acc = pl.full([1, 64], dtype=pl.FP32, value=0)\n"
                "for i, (acc,) in pl.range(3, init_values=(acc,)):\n"
                "    acc = pl.yield_(acc + 1)\n"
                "pl.store(acc, [0, 0], y)",
                "acc: pl.Tile[[1, 64], pl.FP32] = "
                "pl.tile.full([1, 64], dtype=pl.FP32, value=0.0)\n"
                "for i, (acc,) in pl.range(3, init_values=(acc,)):\n"
                "    acc: pl.Tile[[1, 64], pl.FP32] = pl.yield_(pl.tile.add(acc, 1.0))\n"
                "y: pl.Tensor[[1, 64], pl.FP32] = pl.tile.store(acc, [0, 0], y)");
    expect_body_messages(
        "for i, (a,) in pl.range(3, init_values=(0,)):\n    pass",
        "3:20: a loop with init_values ends with name = pl.yield_(...) of 1 value\n");
    expect_body_messages("for i in pl.range(3):\n    a = pl.yield_(i)",
                         "4:9: this loop carries no values: for i, (a,) in pl.range(n, "
                         "init_values=(a0,))\n");
    expect_body_messages(
        "for i, (a,) in pl.range(3, init_values=(0,)):\n"
        "    a = pl.yield_(i)\n    b = 3",
        "4:9: pl.yield_ must be the last statement of its block\n"
        "  5:9: this statement follows it\n"
        "3:20: a loop with init_values ends with name = pl.yield_(...) of 1 value\n");
}
END_TEST

START_TEST(both_arms_yield)
{
    expect_body("if n > 1:\n    a = pl.yield_(1)\nelse:\n    a = pl.yield_(2)\n"
                "pl.write(sig, [0, 0], a)",
                "if n > 1:\n    a: pl.Scalar[pl.INDEX] = pl.yield_(1)\n"
                "else:\n    a: pl.Scalar[pl.INDEX] = pl.yield_(2)\n"
                "sig: pld.DistributedTensor[[2, 1], pl.INT32] = pl.tensor.write(sig, [0, 0], a)");
    expect_body_messages("if n > 1:\n    a = pl.yield_(1)",
                         "4:9: pl.yield_ ends both arms of an if, or neither: the other arm has "
                         "none\n");
    expect_body_messages("a = pl.yield_(1)",
                         "3:5: pl.yield_ ends the body of a loop or an arm of an if\n");
}
END_TEST

START_TEST(loop_headers)
{
    expect_body("for i in pl.unroll(1, 8, 3):\n    pass\nfor i in pl.parallel(n):\n    pass",
                "for i in pl.unroll(1, 8, 3):\n    pass\nfor i in pl.parallel(n):\n    pass");
    expect_body_messages("for i in pl.unroll(n):\n    pass",
                         "3:24: pl.unroll needs a compile-time stop, got pl.Scalar[pl.INT32]: use "
                         "pl.range\n");
    expect_body_messages("for i in pl.range(4, 0, 0):\n    pass",
                         "3:29: the step of pl.range is 0\n");
    expect_body_messages("for i in pl.range(4, chunk=2):\n    pass",
                         "3:26: pl.range has no chunk=; it takes init_values=\n");
    expect_body_messages("for i in range(4):\n    pass",
                         "3:14: there is no range() in a kernel: write pl.range(...)\n");
    expect_body_messages("for i in pl.unroll(4):\n    break",
                         "4:9: pl.unroll has no break: use pl.range\n");
}
END_TEST

START_TEST(elements_and_slices)
{
    expect_body("for c in pl.range(2):\n"
                "    y[0:1, c * 32:(c + 1) * 32] = x[0:1, c * 32:c * 32 + 32]\n"
                "y[0, 3] = x[0, n]\n",
                "for c in pl.range(2):\n"
                "    y: pl.Tensor[[1, 64], pl.FP32] = pl.tensor.assign(y, [0, c * 32], "
                "pl.tensor.slice(x, [0, c * 32], [1, 32]))\n"
                "y: pl.Tensor[[1, 64], pl.FP32] = pl.tensor.write(y, [0, 3], "
                "pl.tensor.read(x, [0, n]))");
    expect_body_messages("t = x[0:1, 0:n]",
                         "3:16: the length of a slice must be known at compile time: write it "
                         "start:start + LENGTH\n");
    expect_body_messages("y[0:1, 0:4] = x[0:1, 0:8]",
                         "3:19: the slice has the extents of another shape than the value "
                         "pl.Tile[[1, 8], pl.FP32]\n");
    expect_body_messages("v = x[0]",
                         "3:9: pl.Tensor[[1, 64], pl.FP32] has 2 dimensions, got 1 index\n");
}
END_TEST

START_TEST(names_that_hold_lists_and_types)
{
    expect_body("shape = [1, 64]\ndt = pl.FP16\n"
                "t = pl.cast(pl.load(x, [0] * 2, shape), dt)\nu = pl.load(x, [0, 0], x.shape)",
                "t: pl.Tile[[1, 64], pl.FP16] = pl.tile.cast(pl.tile.load(x, [0, 0], [1, 64]), "
                "target_type=pl.FP16, mode=pl.CastMode.Rint)\n"
                "u: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])");
    expect_body_messages("offsets = [0, n]", "3:15: a list of run-time values cannot be bound to a "
                                             "name: write it where it is used\n");
}
END_TEST

START_TEST(annotations_are_checked)
{
    expect_body("a: pl.Scalar[pl.INT32] = 3\nb: int = n",
                "a: pl.Scalar[pl.INT32] = 3\nb: pl.Scalar[pl.INDEX] = pl.cast(n, pl.INDEX)");
    expect_body_messages("a: pl.Tile[[1, 32], pl.FP32] = pl.load(x, [0, 0], [1, 64])",
                         "3:36: a is annotated pl.Tile[[1, 32], pl.FP32], its value is "
                         "pl.Tile[[1, 64], pl.FP32]\n");
}
END_TEST

START_TEST(misspelt_names_get_a_suggestion)
{
    expect_body_messages("t = pl.laod(x, [0, 0], [1, 64])",
                         "3:9: unknown operation pl.laod; did you mean pl.load?\n");
    expect_body_messages("t = pl.load(x, [0, 0], shap=[1, 64])",
                         "3:28: pl.tile.load has no shap=; did you mean shape=? it takes tensor=, "
                         "offsets=, shape=, valid_shape=\n");
    expect_body_messages("pld.system.notify(sig, peer=0, offsets=[0, 0], value=1, "
                         "op=pld.NotifyOp.Add)",
                         "3:64: unknown pld.NotifyOp.Add: pld.NotifyOp has AtomicAdd, Set\n");
    expect_body_messages("my_rank = 1\nz = my_rnk", "4:9: unknown name my_rnk; did you mean "
                                                    "my_rank?\n");
}
END_TEST

START_TEST(operands_are_checked)
{
    expect_body_messages("pld.system.wait(sig, [0, 0], 1, pld.WaitCmp.Ge)",
                         "3:37: pld.system.wait takes 3 positional operands: write cmp=\n");
    expect_body_messages("pl.load(x, [0, 0])", "3:5: pl.tile.load needs shape\n");
    expect_body_messages("pl.load(x, [0, 0], [1, 4], shape=[1, 4])",
                         "3:32: pl.tile.load: shape is given twice\n");
    expect_body_messages("pl.load(x, 0, [1, 4])",
                         "3:16: pl.tile.load: offsets must be a list of integers, got int 0\n");
    expect_body_messages("pld.system.notify(sig, peer=0, offsets=[0, 0], value=1 << 40)",
                         "3:58: pld.system.notify: value must be an INT32, got int "
                         "1099511627776\n");
    expect_body_messages("pl.load(x, *[1])", "3:16: arguments are written out, there is no *\n");
    expect_body_messages("pl.load(**x)", "3:15: arguments are written out, there is no **\n");
}
END_TEST

START_TEST(a_local_name_is_no_extent_of_a_tile)
{
    expect_body_messages(
        "w = 4\npl.load(x, [0, 0], [1, w])",
        "4:24: pl.tile.load needs compile-time or dynamic extents in shape, item 1 "
        "is a run-time value: tile shapes must be compile-time\n"
        "  3:5: w is bound in the function, so it is a run-time value: module "
        "constants and parameters of the factory are compile-time ones\n");
}
END_TEST

START_TEST(the_first_operand_of_a_signal_op_has_two_names)
{
    const char *ir = "pld.system.notify(sig, peer=1, offsets=[0, 0], value=1, "
                     "op=pld.NotifyOp.AtomicAdd)";
    expect_body("pld.system.notify(target=sig, peer=1, offsets=[0, 0], value=1)", ir);
    expect_body("pld.system.notify(signal=sig, peer=1, offsets=[0, 0], value=1)", ir);
}
END_TEST

START_TEST(floats_are_no_scalars_to_compute_with)
{
    expect_body_messages("v = pl.read(x, [0, 3])\nw = v + 1.0",
                         "4:9: floating-point scalar arithmetic is not available on the device "
                         "('+' on pl.Scalar[pl.FP32]): fold it into a tile op, such as "
                         "pl.mul(tile, scalar)\n");
    expect_body("s = 2.5\nt = pl.load(x, [0, 0], [1, 64]) * s",
                "s: pl.Scalar[pl.FP32] = 2.5\n"
                "t: pl.Tile[[1, 64], pl.FP32] = "
                "pl.tile.mul(pl.tile.load(x, [0, 0], [1, 64]), s)");
}
END_TEST

START_TEST(dividends_that_can_be_negative)
{
    const char *warning =
        ": the dividend of % can be negative, and devices divide toward zero: add "
        "a multiple of the divisor first\n";
    char text[200];
    snprintf(text, sizeof text, "6:9%s", warning);
    expect_body_messages("ctx = pld.get_comm_ctx(data)\nme = pld.rank(ctx)\n"
                         "p = pld.nranks(ctx)\na = (me - 1) % p",
                         text);
    snprintf(text, sizeof text, "8:9%s", warning);
    expect_body_messages("ctx = pld.get_comm_ctx(data)\nme = pld.rank(ctx)\n"
                         "p = pld.nranks(ctx)\nb = (me - 1 + p) % p\nleft = me - 1\na = left % p",
                         text);
    expect_body_messages("ctx = pld.get_comm_ctx(data)\nme = pld.rank(ctx)\np = pld.nranks(ctx)\n"
                         "for s in pl.range(p - 1):\n    a = (me - s - 1 + p) % p\n"
                         "    b = (a - s + p) // 2\n    for q in pl.range(me):\n"
                         "        c = (me - q) % p",
                         "");
}
END_TEST

START_TEST(warnings)
{
    expect_body_messages("pld.tensor.allreduce(data, sig)",
                         "3:5: the result of pld.tensor.allreduce is not rebound: write data = "
                         "pld.tensor.allreduce(...)\n");
    expect_body_messages("for i in pl.range(3):\n    break\n    k = 3",
                         "5:9: this statement can never run\n");
}
END_TEST

START_TEST(warnings_that_are_off_until_asked_for)
{
    Spec s;
    static const char text[] =
        "@pl.jit.host\ndef host(x: pl.Out[pl.Tensor[[2, 4], pl.FP32]]):\n    a = 3\n    b = a\n";
    spec_run(&s, text, NULL);
    ck_assert_str_eq(spec_messages(&s), "");
    spec_free(&s);
    spec_run_warned(&s, text, NULL, "unused-variable", "unchecked-output");
    ck_assert_str_eq(spec_messages(&s), "4:5: b is bound and never read\n"
                                        "2:10: the output x has no @pld.golden\n");
    spec_free(&s);
}
END_TEST

START_TEST(python_that_is_not_there)
{
    expect_body_messages("while True:\n    pass",
                         "3:5: there is no while: write for i in pl.range(N) with a break\n");
    expect_body_messages("a = [i for i in pl.range(3)]",
                         "3:9: there are no comprehensions: write the list out, or a loop\n");
    expect_body_messages("f = lambda v: v",
                         "3:9: there is no lambda: write the expression where it "
                         "is used, or a function\n");
    expect_body_messages("print(n)", "3:5: there is no print(): use pldrun --print NAME, after the "
                                     "run\n");
    expect_body_messages("a = min(n, 3)", "3:9: min() is for compile-time values: use pl.min on "
                                          "run-time ones\n");
    expect_body_messages("n + 1", "3:5: this statement has no effect: delete it\n");
}
END_TEST

START_TEST(return_stands_at_the_end)
{
    expect_body_messages(
        "if n > 1:\n    return y",
        "4:9: return stands at the end of a function: bind the value in the branch "
        "and return it after\n");
    expect_body_messages("if n > 1:\n    z = x\nelse:\n    z = y\nreturn z",
                         "7:12: this result is the memory of x or of y, depending on the path: "
                         "return one of them\n");
}
END_TEST

START_TEST(directions_are_checked)
{
    expect_body_messages("pl.store(pl.load(x, [0, 0], [1, 4]), [0, 0], x)",
                         "3:5: pl.tile.store writes x, which step declares as input: write "
                         "pl.Out[...] or pl.InOut[...]\n  2:10: x is declared here\n");
    expect_body_messages("z = x\nfor i in pl.range(n):\n    z[0, 1] = 0.0\n",
                         "5:9: pl.tensor.write writes x, which step declares as input: write "
                         "pl.Out[...] or pl.InOut[...]\n  2:10: x is declared here\n");
}
END_TEST

START_TEST(levels_are_checked)
{
    expect_body_messages(
        "b = pld.alloc_window_buffer(64)",
        "3:9: pld.tensor.alloc_window_buffer needs a host function, it cannot stand "
        "in an InCore function\n");
    expect_body_messages(
        "orch(x, y, data, sig, n)",
        "3:5: orch is an orchestration function and this is an InCore function: an "
        "InCore function calls InCore helpers\n  5:5: orch is declared here\n");
    expect_body_messages("step(x, y, data, sig, n)",
                         "3:5: step calls itself: there is no recursion on a device, write a "
                         "loop\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("specialize");
    TCase *tc = tcase_create("bodies");
    tcase_add_test(tc, ops_have_two_spellings_and_operators);
    tcase_add_test(tc, a_name_in_a_kernel_is_a_run_time_value);
    tcase_add_test(tc, typed_constants_do_not_fold);
    tcase_add_test(tc, a_chain_of_comparisons_is_two);
    tcase_add_test(tc, compile_time_branches_leave_no_trace);
    tcase_add_test(tc, a_name_bound_on_one_path);
    tcase_add_test(tc, a_loop_variable_ends_with_its_loop);
    tcase_add_test(tc, types_agree_where_paths_meet);
    tcase_add_test(tc, an_int32_widens_where_paths_meet);
    tcase_add_test(tc, tuples_swap);
    tcase_add_test(tc, loops_carry_values);
    tcase_add_test(tc, both_arms_yield);
    tcase_add_test(tc, loop_headers);
    tcase_add_test(tc, elements_and_slices);
    tcase_add_test(tc, names_that_hold_lists_and_types);
    tcase_add_test(tc, annotations_are_checked);
    tcase_add_test(tc, misspelt_names_get_a_suggestion);
    tcase_add_test(tc, operands_are_checked);
    tcase_add_test(tc, a_local_name_is_no_extent_of_a_tile);
    tcase_add_test(tc, the_first_operand_of_a_signal_op_has_two_names);
    tcase_add_test(tc, floats_are_no_scalars_to_compute_with);
    tcase_add_test(tc, dividends_that_can_be_negative);
    tcase_add_test(tc, warnings);
    tcase_add_test(tc, warnings_that_are_off_until_asked_for);
    tcase_add_test(tc, python_that_is_not_there);
    tcase_add_test(tc, return_stands_at_the_end);
    tcase_add_test(tc, directions_are_checked);
    tcase_add_test(tc, levels_are_checked);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
