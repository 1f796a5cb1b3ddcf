/* Pass 13: addresses, sharing, copies, the budget. */
#include "tests/passtest.h"
#include "tests/support.h"

START_TEST(an_element_wise_result_takes_the_place_of_a_dying_operand)
{
    ck_step("a = pl.load(x, [0, 0], [1, 64])\n"
            "b = pl.load(x, [1, 0], [1, 64])\n"
            "c = pl.add(a, b)\n"
            "d = pl.mul(c, b)\n"
            "y = pl.store(d, [0, 0], y)\n",
            PASS_ALLOCATE_MEMORY,
            "a: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.load(x, [0, 0], [1, "
            "64])\n"
            "b: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 256] = pl.tile.load(x, [1, 0], [1, "
            "64])\n"
            "c: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.add(a, b)\n"
            "d: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.mul(c, b)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(d, [0, 0], y)\n");
}
END_TEST

START_TEST(a_cast_does_not)
{
    ck_step("a = pl.load(x, [0, 0], [1, 64])\n"
            "b = pl.cast(a, target_type=pl.INT32)\n"
            "c = pl.cast(b, target_type=pl.FP32)\n"
            "y = pl.store(c, [0, 0], y)\n",
            PASS_ALLOCATE_MEMORY,
            "a: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.load(x, [0, 0], [1, "
            "64])\n"
            "b: pl.Tile[[1, 64], pl.INT32, pl.Mem.Vec, 256] = pl.tile.cast(a, "
            "target_type=pl.INT32, mode=pl.CastMode.Rint)\n"
            "c: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.cast(b, "
            "target_type=pl.FP32, mode=pl.CastMode.Rint)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(c, [0, 0], y)\n");
}
END_TEST

START_TEST(a_carried_tile_has_one_address)
{
    ck_step("acc = pl.load(x, [0, 0], [1, 64])\n"
            "for i in pl.range(1, 4):\n"
            "    if i != n:\n"
            "        acc = pl.add(acc, pl.load(x, [i, 0], [1, 64]))\n"
            "y = pl.store(acc, [0, 0], y)\n",
            PASS_ALLOCATE_MEMORY,
            "acc: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.load(x, [0, 0], [1, "
            "64])\n"
            "for i, (acc_1,) in pl.range(1, 4, init_values=(acc,)):\n"
            "    if i != n:\n"
            "        acc_2: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 256] = pl.tile.load(x, "
            "[i, 0], [1, 64])\n"
            "        acc_3: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = "
            "pl.tile.add(acc_1, acc_2)\n"
            "        acc_4: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.yield_(acc_3)\n"
            "    else:\n"
            "        acc_4: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.yield_(acc_1)\n"
            "    acc_5: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.yield_(acc_4)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(acc_5, [0, 0], y)\n");
}
END_TEST

START_TEST(a_start_value_that_is_needed_later_is_copied)
{
    ck_step("t = pl.load(x, [0, 0], [1, 64])\n"
            "acc = t\n"
            "for i in pl.range(n):\n"
            "    acc = pl.add(acc, t)\n"
            "y = pl.store(acc, [0, 0], y)\n"
            "y = pl.store(t, [1, 0], y)\n",
            PASS_ALLOCATE_MEMORY,
            "t: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.load(x, [0, 0], [1, "
            "64])\n"
            "acc: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 256] = pl.tile.copy(t)\n"
            "for i, (acc_1,) in pl.range(n, init_values=(acc,)):\n"
            "    acc_2: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 256] = pl.tile.add(acc_1, "
            "t)\n"
            "    acc_3: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 256] = pl.yield_(acc_2)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(acc_3, [0, 0], y)\n"
            "y_2: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t, [1, 0], y_1)\n");
}
END_TEST

START_TEST(two_tiles_exchanged_in_a_loop)
{
    ck_step("a = pl.load(x, [0, 0], [1, 64])\n"
            "b = pl.load(x, [1, 0], [1, 64])\n"
            "for i in pl.range(n):\n"
            "    a, b = b, a\n"
            "y = pl.store(a, [0, 0], y)\n"
            "y = pl.store(b, [1, 0], y)\n",
            PASS_ALLOCATE_MEMORY,
            "a: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.load(x, [0, 0], [1, "
            "64])\n"
            "b: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 256] = pl.tile.load(x, [1, 0], [1, "
            "64])\n"
            "for i, (a_1, b_1) in pl.range(n, init_values=(a, b)):\n"
            "    a_2: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 512] = pl.tile.copy(b_1)\n"
            "    b_2: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 256] = pl.tile.copy(a_1)\n"
            "    a_3: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.copy(a_2)\n"
            "    (a_4, b_3): tuple[pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0], pl.Tile[[1, "
            "64], pl.FP32, pl.Mem.Vec, 256]] = pl.yield_(a_3, b_2)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(a_4, [0, 0], y)\n"
            "y_2: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(b_3, [1, 0], y_1)\n");
}
END_TEST

START_TEST(arms_of_an_if_share_memory)
{
    ck_step("if n > 1:\n"
            "    a = pl.load(x, [0, 0], [1, 64])\n"
            "    b = pl.load(x, [1, 0], [1, 64])\n"
            "    t = pl.add(a, b)\n"
            "else:\n"
            "    c = pl.load(x, [2, 0], [1, 64])\n"
            "    t = pl.neg(c)\n"
            "y = pl.store(t, [0, 0], y)\n",
            PASS_ALLOCATE_MEMORY,
            "if n > 1:\n"
            "    a: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.load(x, [0, 0], "
            "[1, 64])\n"
            "    b: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 256] = pl.tile.load(x, [1, 0], "
            "[1, 64])\n"
            "    t: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.add(a, b)\n"
            "    t_1: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.yield_(t)\n"
            "else:\n"
            "    c: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.load(x, [2, 0], "
            "[1, 64])\n"
            "    t_2: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.neg(c)\n"
            "    t_1: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.yield_(t_2)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t_1, [0, 0], y)\n");
}
END_TEST

START_TEST(rows_are_padded)
{
    ck_step("a = pl.load(x, [0, 0], [2, 3])\n"
            "b = pl.load(x, [0, 0], [1, 8])\n"
            "y = pl.store(a, [0, 0], y)\n"
            "y = pl.store(b, [0, 0], y)\n",
            PASS_ALLOCATE_MEMORY,
            "a: pl.Tile[[2, 3], pl.FP32, pl.Mem.Vec, 0] = pl.tile.load(x, [0, 0], [2, 3])\n"
            "b: pl.Tile[[1, 8], pl.FP32, pl.Mem.Vec, 64] = pl.tile.load(x, [0, 0], [1, "
            "8])\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(a, [0, 0], y)\n"
            "y_2: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(b, [0, 0], y_1)\n");
}
END_TEST

START_TEST(break_keeps_the_address)
{
    ck_step("acc = pl.load(x, [0, 0], [1, 64])\n"
            "for i in pl.range(1, 4):\n"
            "    acc = pl.add(acc, pl.load(x, [i, 0], [1, 64]))\n"
            "    if i == n:\n"
            "        break\n"
            "y = pl.store(acc, [0, 0], y)\n",
            PASS_ALLOCATE_MEMORY,
            "acc: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.load(x, [0, 0], [1, "
            "64])\n"
            "for i, (acc_1,) in pl.range(1, 4, init_values=(acc,)):\n"
            "    acc_2: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 256] = pl.tile.load(x, [i, "
            "0], [1, 64])\n"
            "    acc_3: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.add(acc_1, "
            "acc_2)\n"
            "    if i == n:\n"
            "        acc_4: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.yield_(acc_3)\n"
            "        break\n"
            "    acc_4: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.yield_(acc_3)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(acc_4, [0, 0], y)\n");
}
END_TEST

START_TEST(staging_tiles_of_a_pipeline_are_two)
{
    ck_step("pld.tensor.put(data, 1, x, [0, 0], [0, 0], [4, 64], chunk_rows=2, "
            "chunk_cols=64, pipeline=True)\n",
            PASS_ALLOCATE_MEMORY,
            "stage: pl.Tile[[2, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.create([2, 64], "
            "dtype=pl.FP32)\n"
            "stage_1: pl.Tile[[2, 64], pl.FP32, pl.Mem.Vec, 512] = pl.tile.create([2, "
            "64], dtype=pl.FP32)\n"
            "pld.tensor.put(data, 1, x, [0, 0], [0, 0], [4, 64], "
            "atomic=pld.AtomicType.None_, chunk_rows=2, chunk_cols=64, pipeline=True, "
            "stage=[stage, stage_1])\n");
}
END_TEST

START_TEST(over_budget)
{
    ck_step_error("a = pl.full([400, 64], dtype=pl.FP32, value=1.0)\n"
                  "b = pl.full([400, 64], dtype=pl.FP32, value=2.0)\n"
                  "c = pl.add(a, b)\n"
                  "y = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], y)\n"
                  "d = pl.create_tile([1, 64], dtype=pl.FP32)\n"
                  "pl.store(c, [0, 0], y)\n"
                  "pl.store(b, [0, 0], y)\n",
                  PASS_ALLOCATE_MEMORY, "204800 bytes");
}
END_TEST

START_TEST(the_error_lists_what_is_alive_and_how_many_chunks_fit)
{
    static const char *const want[] = {
        "b: pl.Tile[[400, 64], pl.FP32], 102400 bytes",
        "a: pl.Tile[[400, 64], pl.FP32], 102400 bytes",
        "for c in pl.range(2): with 32 columns of 64 at a time, from c * 32, it fits"};
    PassTest t;
    Arena arena = {0};
    const char *body = "a = pl.full([400, 64], dtype=pl.FP32, value=1.0)\n"
                       "b = pl.full([400, 64], dtype=pl.FP32, value=2.0)\n"
                       "pl.store(pl.add(a, b), [0, 0], y)\n";
    passtest_open(&t, passtest_program(&arena, "", body), PASS_ALLOCATE_MEMORY);
    ck_assert_ptr_null(t.p);
    ck_assert_uint_eq(t.diags.list.len, 4);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_str_eq(t.diags.list.at[i + 1].message, want[i]);
    passtest_close(&t);
    arena_free(&arena);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_allocate_memory");
    TCase *tc = tcase_create("allocate_memory");
    tcase_add_test(tc, an_element_wise_result_takes_the_place_of_a_dying_operand);
    tcase_add_test(tc, a_cast_does_not);
    tcase_add_test(tc, a_carried_tile_has_one_address);
    tcase_add_test(tc, a_start_value_that_is_needed_later_is_copied);
    tcase_add_test(tc, two_tiles_exchanged_in_a_loop);
    tcase_add_test(tc, arms_of_an_if_share_memory);
    tcase_add_test(tc, rows_are_padded);
    tcase_add_test(tc, break_keeps_the_address);
    tcase_add_test(tc, staging_tiles_of_a_pipeline_are_two);
    tcase_add_test(tc, over_budget);
    tcase_add_test(tc, the_error_lists_what_is_alive_and_how_many_chunks_fit);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
