/* Pass 14: simplified, with addresses and fences kept. */
#include "tests/passtest.h"
#include "tests/support.h"

START_TEST(fences_and_addresses_stay)
{
    ck_step("me = pld.rank(pld.get_comm_ctx(data))\n"
            "\n"
            "for peer in pl.range(4):\n"
            "    if peer != me:\n"
            "        pld.system.notify(signal, peer=peer, offsets=[me, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n"
            "\n"
            "for src in pl.range(4):\n"
            "    if src != me:\n"
            "        pld.system.wait(signal, offsets=[src, 0], expected=1, "
            "cmp=pld.WaitCmp.Ge)\n"
            "\n"
            "acc = pl.load(data, [0, 0], [1, 64])\n"
            "for i in pl.range(1, 4):\n"
            "    acc = pl.add(acc, pld.tile.remote_load(data, peer=i, offsets=[0, 0], "
            "shape=[1, 64]))\n"
            "y = pl.store(acc, [0, 0], y)\n",
            PASS_FINAL,
            "me: pld.CommCtx = pld.system.get_comm_ctx(data)\n"
            "me_1: pl.Scalar[pl.INT32] = pld.system.rank(me)\n"
            "pld.system.fence(kind=pld.FenceKind.Release)\n"
            "for peer in pl.range(4):\n"
            "    if peer != me_1:\n"
            "        pld.system.notify(signal, peer=peer, offsets=[me_1, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n"
            "for src in pl.range(4):\n"
            "    if src != me_1:\n"
            "        pld.system.wait(signal, offsets=[src, 0], expected=1, "
            "cmp=pld.WaitCmp.Ge)\n"
            "pld.system.fence(kind=pld.FenceKind.Acquire)\n"
            "acc: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.load(data, [0, 0], "
            "[1, 64])\n"
            "for i, (acc_1,) in pl.range(1, 4, init_values=(acc,)):\n"
            "    acc_2: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 256] = "
            "pld.tile.remote_load(data, peer=i, offsets=[0, 0], shape=[1, 64])\n"
            "    acc_3: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.tile.add(acc_1, "
            "acc_2)\n"
            "    acc_4: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec, 0] = pl.yield_(acc_3)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(acc_4, [0, 0], y)\n");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_final");
    TCase *tc = tcase_create("final");
    tcase_add_test(tc, fences_and_addresses_stay);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
