/* Pass 10: staging tiles of put and get. */
#include "tests/passtest.h"
#include "tests/support.h"

START_TEST(a_whole_window_of_one_chunk)
{
    ck_step("pld.tensor.put(data, 1, x)\n", PASS_LOWER_TRANSFERS,
            "stage: pl.Tile[[4, 64], pl.FP32] = pl.tile.create([4, 64], dtype=pl.FP32)\n"
            "pld.tensor.put(data, 1, x, [0, 0], [0, 0], [4, 64], "
            "atomic=pld.AtomicType.None_, pipeline=False, stage=[stage])\n");
}
END_TEST

START_TEST(chunks_as_asked_for)
{
    ck_step("pld.tensor.get(y, 1, data, [0, 0], [0, 0], [2, 64], chunk_rows=1, "
            "chunk_cols=32)\n",
            PASS_LOWER_TRANSFERS,
            "stage: pl.Tile[[1, 32], pl.FP32] = pl.tile.create([1, 32], dtype=pl.FP32)\n"
            "pld.tensor.get(y, 1, data, [0, 0], [0, 0], [2, 64], chunk_rows=1, "
            "chunk_cols=32, pipeline=False, stage=[stage])\n");
}
END_TEST

START_TEST(pipelining_takes_two_tiles)
{
    ck_step("pld.tensor.put(data, 1, x, [0, 0], [0, 0], [4, 64], chunk_rows=2, "
            "chunk_cols=64, pipeline=True)\n",
            PASS_LOWER_TRANSFERS,
            "stage: pl.Tile[[2, 64], pl.FP32] = pl.tile.create([2, 64], dtype=pl.FP32)\n"
            "stage_1: pl.Tile[[2, 64], pl.FP32] = pl.tile.create([2, 64], dtype=pl.FP32)\n"
            "pld.tensor.put(data, 1, x, [0, 0], [0, 0], [4, 64], "
            "atomic=pld.AtomicType.None_, chunk_rows=2, chunk_cols=64, pipeline=True, "
            "stage=[stage, stage_1])\n");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_lower_transfers");
    TCase *tc = tcase_create("lower_transfers");
    tcase_add_test(tc, a_whole_window_of_one_chunk);
    tcase_add_test(tc, chunks_as_asked_for);
    tcase_add_test(tc, pipelining_takes_two_tiles);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
