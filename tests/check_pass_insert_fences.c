/* Pass 12: where fences stand. */
#include "tests/passtest.h"
#include "tests/support.h"
#include <string.h>

START_TEST(one_release_before_the_loop_and_one_acquire_after_it)
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
            "t = pl.load(data, [0, 0], [1, 64])\n",
            PASS_INSERT_FENCES,
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
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(data, [0, 0], [1, 64])\n");
}
END_TEST

START_TEST(no_second_release_without_an_access)
{
    ck_step("me = pld.rank(pld.get_comm_ctx(data))\n"
            "\n"
            "pld.system.notify(signal, peer=1, offsets=[0, 0], value=1)\n"
            "pld.system.notify(signal, peer=2, offsets=[0, 0], value=1)\n"
            "t = pl.load(x, [0, 0], [1, 64])\n"
            "pld.system.notify(signal, peer=3, offsets=[0, 0], value=1)\n"
            "t = pl.load(data, [0, 0], [1, 64])\n"
            "pld.system.notify(signal, peer=1, offsets=[0, 0], value=1)\n",
            PASS_INSERT_FENCES,
            "pld.system.fence(kind=pld.FenceKind.Release)\n"
            "pld.system.notify(signal, peer=1, offsets=[0, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n"
            "pld.system.notify(signal, peer=2, offsets=[0, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n"
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "pld.system.notify(signal, peer=3, offsets=[0, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n"
            "t_1: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(data, [0, 0], [1, 64])\n"
            "pld.system.fence(kind=pld.FenceKind.Release)\n"
            "pld.system.notify(signal, peer=1, offsets=[0, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n");
}
END_TEST

START_TEST(a_loop_that_writes_releases_inside)
{
    ck_step("me = pld.rank(pld.get_comm_ctx(data))\n"
            "\n"
            "t = pl.load(x, [0, 0], [1, 64])\n"
            "for i in pl.range(4):\n"
            "    data = pl.store(t, [i, 0], data)\n"
            "    pld.system.notify(signal, peer=1, offsets=[me, 0], value=1)\n",
            PASS_INSERT_FENCES,
            "me: pld.CommCtx = pld.system.get_comm_ctx(data)\n"
            "me_1: pl.Scalar[pl.INT32] = pld.system.rank(me)\n"
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "for i, (data_1,) in pl.range(4, init_values=(data,)):\n"
            "    data_2: pld.DistributedTensor[[4, 64], pl.FP32] = pl.tile.store(t, [i, "
            "0], data_1)\n"
            "    pld.system.fence(kind=pld.FenceKind.Release)\n"
            "    pld.system.notify(signal, peer=1, offsets=[me_1, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n"
            "    data_3: pld.DistributedTensor[[4, 64], pl.FP32] = pl.yield_(data_2)\n");
}
END_TEST

START_TEST(a_write_on_one_path_counts)
{
    ck_step("me = pld.rank(pld.get_comm_ctx(data))\n"
            "\n"
            "t = pl.load(x, [0, 0], [1, 64])\n"
            "pld.system.notify(signal, peer=1, offsets=[me, 0], value=1)\n"
            "if n > 2:\n"
            "    data = pl.store(t, [0, 0], data)\n"
            "pld.system.notify(signal, peer=2, offsets=[me, 0], value=1)\n",
            PASS_INSERT_FENCES,
            "me: pld.CommCtx = pld.system.get_comm_ctx(data)\n"
            "me_1: pl.Scalar[pl.INT32] = pld.system.rank(me)\n"
            "t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(x, [0, 0], [1, 64])\n"
            "pld.system.fence(kind=pld.FenceKind.Release)\n"
            "pld.system.notify(signal, peer=1, offsets=[me_1, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n"
            "if n > 2:\n"
            "    data_1: pld.DistributedTensor[[4, 64], pl.FP32] = pl.tile.store(t, [0, "
            "0], data)\n"
            "pld.system.fence(kind=pld.FenceKind.Release)\n"
            "pld.system.notify(signal, peer=2, offsets=[me_1, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n");
}
END_TEST

START_TEST(a_notify_to_oneself_publishes_nothing)
{
    ck_step("me = pld.rank(pld.get_comm_ctx(data))\n"
            "\n"
            "for src in pl.range(4):\n"
            "    if src != me:\n"
            "        pld.system.wait(signal, offsets=[src, 0], expected=1, "
            "cmp=pld.WaitCmp.Ge)\n"
            "\n"
            "for src in pl.range(4):\n"
            "    if src != me:\n"
            "        pld.system.notify(signal, peer=me, offsets=[src, 0], value=-1)\n",
            PASS_INSERT_FENCES,
            "me: pld.CommCtx = pld.system.get_comm_ctx(data)\n"
            "me_1: pl.Scalar[pl.INT32] = pld.system.rank(me)\n"
            "for src in pl.range(4):\n"
            "    if src != me_1:\n"
            "        pld.system.wait(signal, offsets=[src, 0], expected=1, "
            "cmp=pld.WaitCmp.Ge)\n"
            "pld.system.fence(kind=pld.FenceKind.Acquire)\n"
            "for src_1 in pl.range(4):\n"
            "    if src_1 != me_1:\n"
            "        pld.system.notify(signal, peer=me_1, offsets=[src_1, 0], value=-1, "
            "op=pld.NotifyOp.AtomicAdd)\n");
}
END_TEST

START_TEST(what_a_wait_taught_is_passed_on)
{
    ck_step("me = pld.rank(pld.get_comm_ctx(data))\n"
            "\n"
            "pld.system.notify(signal, peer=1, offsets=[me, 0], value=1)\n"
            "pld.system.wait(signal, offsets=[0, 0], expected=1)\n"
            "pld.system.notify(signal, peer=2, offsets=[me, 0], value=1)\n",
            PASS_INSERT_FENCES,
            "me: pld.CommCtx = pld.system.get_comm_ctx(data)\n"
            "me_1: pl.Scalar[pl.INT32] = pld.system.rank(me)\n"
            "pld.system.fence(kind=pld.FenceKind.Release)\n"
            "pld.system.notify(signal, peer=1, offsets=[me_1, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n"
            "pld.system.wait(signal, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)\n"
            "pld.system.fence(kind=pld.FenceKind.Acquire)\n"
            "pld.system.fence(kind=pld.FenceKind.Release)\n"
            "pld.system.notify(signal, peer=2, offsets=[me_1, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n");
}
END_TEST

START_TEST(rounds_acquire_in_each_iteration)
{
    ck_step("me = pld.rank(pld.get_comm_ctx(data))\n"
            "\n"
            "acc = pl.load(data, [0, 0], [1, 64])\n"
            "for i in pl.range(4):\n"
            "    pld.system.notify(signal, peer=1, offsets=[me, 0], value=1)\n"
            "    pld.system.wait(signal, offsets=[0, 0], expected=i + 1)\n"
            "    acc = pl.add(acc, pld.tile.remote_load(data, peer=1, offsets=[0, 0], "
            "shape=[1, 64]))\n"
            "y = pl.store(acc, [0, 0], y)\n",
            PASS_INSERT_FENCES,
            "me: pld.CommCtx = pld.system.get_comm_ctx(data)\n"
            "me_1: pl.Scalar[pl.INT32] = pld.system.rank(me)\n"
            "acc: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(data, [0, 0], [1, 64])\n"
            "for i, (acc_1,) in pl.range(4, init_values=(acc,)):\n"
            "    pld.system.fence(kind=pld.FenceKind.Release)\n"
            "    pld.system.notify(signal, peer=1, offsets=[me_1, 0], value=1, "
            "op=pld.NotifyOp.AtomicAdd)\n"
            "    pld.system.wait(signal, offsets=[0, 0], expected=i + 1, "
            "cmp=pld.WaitCmp.Ge)\n"
            "    pld.system.fence(kind=pld.FenceKind.Acquire)\n"
            "    acc_2: pl.Tile[[1, 64], pl.FP32] = pld.tile.remote_load(data, peer=1, "
            "offsets=[0, 0], shape=[1, 64])\n"
            "    acc_3: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(acc_1, acc_2)\n"
            "    acc_4: pl.Tile[[1, 64], pl.FP32] = pl.yield_(acc_3)\n"
            "y_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(acc_4, [0, 0], y)\n");
}
END_TEST

START_TEST(a_wait_before_a_jump_is_seen)
{
    ck_step("me = pld.rank(pld.get_comm_ctx(data))\n"
            "\n"
            "for i in pl.range(4):\n"
            "    t = pl.load(data, [i, 0], [1, 64])\n"
            "    y = pl.store(t, [i, 0], y)\n"
            "    if i > n:\n"
            "        pld.system.wait(signal, offsets=[0, 0], expected=1)\n"
            "        continue\n"
            "    pld.system.wait(signal, offsets=[1, 0], expected=1)\n",
            PASS_INSERT_FENCES,
            "for i, (y_1,) in pl.range(4, init_values=(y,)):\n"
            "    t: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(data, [i, 0], [1, 64])\n"
            "    y_2: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t, [i, 0], y_1)\n"
            "    if i > n:\n"
            "        pld.system.wait(signal, offsets=[0, 0], expected=1, "
            "cmp=pld.WaitCmp.Ge)\n"
            "        pld.system.fence(kind=pld.FenceKind.Acquire)\n"
            "        y_3: pl.Tensor[[4, 64], pl.FP32] = pl.yield_(y_2)\n"
            "        continue\n"
            "    pld.system.wait(signal, offsets=[1, 0], expected=1, cmp=pld.WaitCmp.Ge)\n"
            "    pld.system.fence(kind=pld.FenceKind.Acquire)\n"
            "    y_3: pl.Tensor[[4, 64], pl.FP32] = pl.yield_(y_2)\n");
}
END_TEST

/* Window a spans four devices, b two of them: a rank in the one is somebody else in the other. */
static const char two_domains[] =
    "@pl.program\n"
    "class P:\n"
    "    @pl.function(type=pl.FunctionType.InCore)\n"
    "    def step(self, a: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],\n"
    "             b: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):\n"
    "        me = pld.rank(pld.get_comm_ctx(a))\n"
    "        pld.system.wait(a, offsets=[0, 0], expected=0)\n"
    "        pld.system.notify(%s, peer=me, offsets=[0, 0], value=1)\n"
    "    @pl.function(type=pl.FunctionType.Orchestration)\n"
    "    def orch(self, a: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],\n"
    "             b: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):\n"
    "        self.step(a, b)\n"
    "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
    "    def host(self):\n"
    "        a_buf = pld.alloc_window_buffer([4, 1], dtype=pl.INT32)\n"
    "        b_buf = pld.alloc_window_buffer([4, 1], dtype=pl.INT32)\n"
    "        for r in pl.range(4):\n"
    "            a = pld.window(a_buf, [4, 1], dtype=pl.INT32)\n"
    "            self.orch(a, a, device=r)\n"
    "        for r in pl.range(2, 4):\n"
    "            a = pld.window(a_buf, [4, 1], dtype=pl.INT32)\n"
    "            b = pld.window(b_buf, [4, 1], dtype=pl.INT32)\n"
    "            self.orch(a, b, device=r)\n";

static void ck_release(const char *signal, bool want)
{
    PassTest t;
    Arena arena = {0};
    passtest_open(&t, arena_printf(&arena, two_domains, signal), PASS_INSERT_FENCES);
    ck_assert_msg(t.p != NULL, "%s", passtest_message(&t));
    ck_assert_int_eq(strstr(passtest_body(&t, "step"), "FenceKind.Release") != NULL, want);
    passtest_close(&t);
    arena_free(&arena);
}

START_TEST(a_rank_of_another_domain_is_not_oneself)
{
    ck_release("a", false);
    ck_release("b", true);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_insert_fences");
    TCase *tc = tcase_create("insert_fences");
    tcase_add_test(tc, one_release_before_the_loop_and_one_acquire_after_it);
    tcase_add_test(tc, no_second_release_without_an_access);
    tcase_add_test(tc, a_loop_that_writes_releases_inside);
    tcase_add_test(tc, a_write_on_one_path_counts);
    tcase_add_test(tc, a_notify_to_oneself_publishes_nothing);
    tcase_add_test(tc, what_a_wait_taught_is_passed_on);
    tcase_add_test(tc, rounds_acquire_in_each_iteration);
    tcase_add_test(tc, a_wait_before_a_jump_is_seen);
    tcase_add_test(tc, a_rank_of_another_domain_is_not_oneself);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
