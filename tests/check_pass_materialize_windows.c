/* Pass 11: the layout of windows, and what it refuses. */
#include "tests/passtest.h"
#include "tests/support.h"
#include <string.h>

static const char kernels[] =
    "NR = pl.dynamic(\"NR\")\n"
    "@pl.program\n"
    "class P:\n"
    "    @pl.function(type=pl.FunctionType.InCore)\n"
    "    def step(self, x: pl.Tensor[[1, 64], pl.FP32],\n"
    "             data: pl.InOut[pld.DistributedTensor[[NR, 64], pl.FP32]],\n"
    "             signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):\n"
    "        data = pl.store(pl.load(x, [0, 0], [1, 64]), [0, 0], data)\n"
    "        pld.system.notify(signal, peer=0, offsets=[0, 0], value=1)\n"
    "    @pl.function(type=pl.FunctionType.Orchestration)\n"
    "    def orch(self, x: pl.Tensor[[1, 64], pl.FP32],\n"
    "             data: pl.InOut[pld.DistributedTensor[[NR, 64], pl.FP32]],\n"
    "             signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):\n"
    "        self.step(x, data, signal)\n"
    "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
    "    def host(self, x: pl.Tensor[[NR, 1, 64], pl.FP32]):\n";

static const char *host_program(Arena *arena, const char *body)
{
    return arena_printf(arena, "%s%s", kernels, body);
}

static void ck_host(const char *body, const char *want)
{
    PassTest t;
    Arena arena = {0};
    passtest_open(&t, host_program(&arena, body), PASS_MATERIALIZE_WINDOWS);
    ck_assert_msg(t.p != NULL, "%s", passtest_message(&t));
    ck_assert_str_eq(passtest_body(&t, "host"), want);
    passtest_close(&t);
    ck_rereadable(host_program(&arena, body));
    arena_free(&arena);
}

static void ck_host_error(const char *body, const char *want)
{
    PassTest t;
    Arena arena = {0};
    passtest_open(&t, host_program(&arena, body), PASS_MATERIALIZE_WINDOWS);
    ck_assert_ptr_null(t.p);
    ck_assert_msg(!diags_internal(&t.diags), "internal: %s", passtest_message(&t));
    ck_assert_ptr_nonnull(strstr(passtest_message(&t), want));
    passtest_close(&t);
    arena_free(&arena);
}

START_TEST(buffers_lie_behind_each_other_aligned_and_not_too_small)
{
    ck_host("        a = pld.alloc_window_buffer([4, 512], dtype=pl.FP32)\n"
            "        b = pld.alloc_window_buffer(4100)\n"
            "        for r in pl.range(4):\n"
            "            data = pld.window(a, [4, 64], dtype=pl.FP32)\n"
            "            signal = pld.window(b, [4, 1], dtype=pl.INT32)\n"
            "            self.orch(x[r], data, signal, device=r)\n",
            "a: pld.WindowBuffer = pld.tensor.alloc_window_buffer([4, 512], "
            "dtype=pl.FP32, name=\"a\", offset=0, bytes=8192, align=512, zero=True)\n"
            "b: pld.WindowBuffer = pld.tensor.alloc_window_buffer([4100], name=\"b\", "
            "offset=8192, bytes=4608, align=512, zero=True)\n"
            "for r in pl.range(4):\n"
            "    data: pld.DistributedTensor[[4, 64], pl.FP32] = pld.tensor.window(a, "
            "[4, 64], dtype=pl.FP32)\n"
            "    signal: pld.DistributedTensor[[4, 1], pl.INT32] = pld.tensor.window(b, "
            "[4, 1], dtype=pl.INT32)\n"
            "    x_1: pl.Tensor[[1, 64], pl.FP32] = pl.tensor.row(x, r)\n"
            "    self.orch(x_1, data, signal, device=r)\n");
}
END_TEST

START_TEST(run_time_sizes_are_expressions)
{
    ck_host("        a = pld.alloc_window_buffer([NR, 64], dtype=pl.FP32)\n"
            "        b = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)\n"
            "        for r in pl.range(pld.world_size()):\n"
            "            data = pld.window(a, [NR, 64], dtype=pl.FP32)\n"
            "            signal = pld.window(b, [NR, 1], dtype=pl.INT32)\n"
            "            self.orch(x[r], data, signal, device=r)\n",
            "a: pld.WindowBuffer = pld.tensor.alloc_window_buffer([NR, 64], "
            "dtype=pl.FP32, name=\"a\", offset=0, bytes=(pl.max(NR * 256, 4096) + 511) "
            "// 512 * 512, align=512, zero=True)\n"
            "b: pld.WindowBuffer = pld.tensor.alloc_window_buffer([NR, 1], "
            "dtype=pl.INT32, name=\"b\", offset=(pl.max(NR * 256, 4096) + 511) // 512 * "
            "512, bytes=(pl.max(NR * 4, 4096) + 511) // 512 * 512, align=512, zero=True)\n"
            "stop: pl.Scalar[pl.INDEX] = pld.system.world_size()\n"
            "for r in pl.range(stop):\n"
            "    data: pld.DistributedTensor[[NR, 64], pl.FP32] = pld.tensor.window(a, "
            "[NR, 64], dtype=pl.FP32)\n"
            "    signal: pld.DistributedTensor[[NR, 1], pl.INT32] = pld.tensor.window(b, "
            "[NR, 1], dtype=pl.INT32)\n"
            "    x_1: pl.Tensor[[1, 64], pl.FP32] = pl.tensor.row(x, r)\n"
            "    self.orch(x_1, data, signal, device=r)\n");
}
END_TEST

START_TEST(a_view_larger_than_its_buffer)
{
    ck_host_error("        a = pld.alloc_window_buffer([NR, 32], dtype=pl.FP32)\n"
                  "        b = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)\n"
                  "        for r in pl.range(4):\n"
                  "            data = pld.window(a, [NR, 64], dtype=pl.FP32)\n"
                  "            signal = pld.window(b, [NR, 1], dtype=pl.INT32)\n"
                  "            self.orch(x[r], data, signal, device=r)\n",
                  "the view pld.DistributedTensor[[NR, 64], pl.FP32] needs");
}
END_TEST

START_TEST(data_and_signal_in_one_buffer)
{
    ck_host_error("        a = pld.alloc_window_buffer([NR, 64], dtype=pl.FP32)\n"
                  "        for r in pl.range(4):\n"
                  "            data = pld.window(a, [NR, 64], dtype=pl.FP32)\n"
                  "            signal = pld.window(a, [NR, 1], dtype=pl.INT32)\n"
                  "            self.orch(x[r], data, signal, device=r)\n",
                  "signal is used as signal, and data of the same buffer as data");
}
END_TEST

START_TEST(a_buffer_in_a_loop)
{
    ck_host_error("        b = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)\n"
                  "        for r in pl.range(4):\n"
                  "            a = pld.alloc_window_buffer([NR, 64], dtype=pl.FP32)\n"
                  "            data = pld.window(a, [NR, 64], dtype=pl.FP32)\n"
                  "            signal = pld.window(b, [NR, 1], dtype=pl.INT32)\n"
                  "            self.orch(x[r], data, signal, device=r)\n",
                  "in a loop");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_materialize_windows");
    TCase *tc = tcase_create("materialize_windows");
    tcase_add_test(tc, buffers_lie_behind_each_other_aligned_and_not_too_small);
    tcase_add_test(tc, run_time_sizes_are_expressions);
    tcase_add_test(tc, a_view_larger_than_its_buffer);
    tcase_add_test(tc, data_and_signal_in_one_buffer);
    tcase_add_test(tc, a_buffer_in_a_loop);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
