#include "elab/specialize.h"
#include "ir/print.h"
#include "lower/pass.h"
#include "tests/irtest.h"
#include "tests/support.h"
#include <string.h>

static IrTest t;
static Program *p;

static void setup(void)
{
    irtest_setup(&t);
    p = t.p;
    p->ranks_bound = true;
}

static void teardown(void)
{
    irtest_teardown(&t);
}

#define USE(v) irtest_use(&t, (v))

static VarId window(const char *name, Dtype dtype, int64_t rows, int64_t cols)
{
    return irtest_param(&t, name, irtest_matrix(&t, TY_DIST, dtype, rows, cols));
}

static Expr *mode(const char *text)
{
    return ex_str(p, intern(&t.names, text));
}

#define FLAT_SSA (PROP_TYPED | PROP_INLINED | PROP_SSA | PROP_FLAT | PROP_TILES | PROP_SIGNALS)

/* The function's body after the pass, which must verify before and after. */
static const char *lowered(void)
{
    ck_assert_msg(ir_verify(p, FLAT_SSA, "test"), "%s", irtest_message(&t));
    ck_assert_msg(pass_lower_composite_ops(p), "%s", irtest_message(&t));
    ck_assert_msg(ir_verify(p, FLAT_SSA | PROP_NO_COMPOSITES, "test"), "%s", irtest_message(&t));
    return irtest_body(&t.arena, p, t.f, true);
}

static void call(OpId op, uint32_t n, Expr **slots)
{
    build_let(&t.b, intern(&t.names, "data"), ex_op(p, op, slots, n));
}

static uint32_t count(const char *text, const char *needle)
{
    uint32_t n = 0;
    for (const char *at = text; (at = strstr(at, needle)) != NULL; at++)
        n++;
    return n;
}

#define ck_has(text, needle)                                                                       \
    ck_assert_msg(strstr(text, needle) != NULL, "no '%s' in:\n%s", needle, text)
#define ck_count(text, needle, n)                                                                  \
    ck_assert_msg(count(text, needle) == (n), "%u of '%s' in:\n%s", count(text, needle), needle,   \
                  text)

#define NOTIFY_ALL(peer)                                                                           \
    "for " peer " in pl.range(nranks):\n"                                                          \
    "    if " peer " != my_rank:\n"                                                                \
    "        pld.system.notify(signal, peer=" peer ", offsets=[my_rank, 0], value=1, "             \
    "op=pld.NotifyOp.AtomicAdd)\n"
#define WAIT_ALL(src, g)                                                                           \
    "for " src " in pl.range(nranks):\n"                                                           \
    "    if " src " != my_rank:\n"                                                                 \
    "        pld.system.wait(signal, offsets=[" src ", 0], expected=" g ", cmp=pld.WaitCmp.Ge)\n"
#define CLEAR(src, c)                                                                              \
    "for " src " in pl.range(nranks):\n"                                                           \
    "    if " src " != my_rank:\n"                                                                 \
    "        pld.system.notify(signal, peer=my_rank, offsets=[" src ", 0], value=-" c ", "         \
    "op=pld.NotifyOp.AtomicAdd)\n"
#define RANKS(view)                                                                                \
    "ctx: pld.CommCtx = pld.system.get_comm_ctx(" view ")\n"                                       \
    "my_rank: pl.Scalar[pl.INT32] = pld.system.rank(ctx)\n"                                        \
    "nranks: pl.Scalar[pl.INT32] = pld.system.nranks(ctx)\n"

START_TEST(barrier_is_a_credit_barrier_and_its_epilogue)
{
    VarId signal = window("signal", DT_INT32, 4, 1);
    call(OP_BARRIER, 1, (Expr *[]){USE(signal)});
    ck_assert_str_eq(lowered(),
                     RANKS("signal") NOTIFY_ALL("peer") WAIT_ALL("src", "1") CLEAR("src_1", "1"));
}
END_TEST

START_TEST(reduce_scatter_is_the_hand_written_form_and_a_second_barrier)
{
    VarId data = window("data", DT_FP32, 4, 64), signal = window("signal", DT_INT32, 4, 1);
    call(OP_REDUCE_SCATTER, 2, (Expr *[]){USE(data), USE(signal)});
    ck_assert_str_eq(
        lowered(),
        RANKS("data") NOTIFY_ALL("peer") WAIT_ALL(
            "src",
            "1") "acc: pl.Tile[[1, 64], pl.FP32] = pl.tile.load(data, [my_rank, 0], [1, 64])\n"
                 "for peer_1, (acc_1,) in pl.range(nranks, init_values=(acc,)):\n"
                 "    if peer_1 != my_rank:\n"
                 "        recv: pl.Tile[[1, 64], pl.FP32] = pld.tile.remote_load(data, "
                 "peer=peer_1, "
                 "offsets=[my_rank, 0], shape=[1, 64])\n"
                 "        acc_2: pl.Tile[[1, 64], pl.FP32] = pl.tile.add(acc_1, recv)\n"
                 "        acc_3: pl.Tile[[1, 64], pl.FP32] = pl.yield_(acc_2)\n"
                 "    else:\n"
                 "        acc_3: pl.Tile[[1, 64], pl.FP32] = pl.yield_(acc_1)\n"
                 "    acc_4: pl.Tile[[1, 64], pl.FP32] = pl.yield_(acc_3)\n" NOTIFY_ALL("peer_2")
                     WAIT_ALL("src_1", "2") "data_1: pld.DistributedTensor[[4, 64], pl.FP32] = "
                                            "pl.tile.store(acc_4, [my_rank, 0], data)\n" CLEAR(
                                                "src_2", "2"));
}
END_TEST

START_TEST(ranks_at_hand_are_used_again)
{
    VarId data = window("data", DT_FP32, 4, 64), signal = window("signal", DT_INT32, 4, 1);
    VarId ctx = build_let(&t.b, intern(&t.names, "c"), ex_opv(p, OP_GET_COMM_CTX, 1, USE(data)));
    build_let(&t.b, intern(&t.names, "me"), ex_opv(p, OP_RANK, 1, USE(ctx)));
    call(OP_REDUCE_SCATTER, 2, (Expr *[]){USE(data), USE(signal)});
    call(OP_BARRIER, 1, (Expr *[]){USE(signal)});
    const char *text = lowered();
    ck_count(text, "pld.system.rank(", 2);
    ck_has(text, "if peer != me:");
    ck_count(text, "get_comm_ctx(data)", 1);
    ck_count(text, "get_comm_ctx(signal)", 1);
}
END_TEST

START_TEST(a_mesh_of_one_chunk_has_no_loop_over_chunks)
{
    VarId data = window("data", DT_FP32, 4, 64), signal = window("signal", DT_INT32, 4, 1);
    call(OP_ALLREDUCE, 3,
         (Expr *[]){USE(data), USE(signal), ex_enum(p, ENUM_ReduceOp, REDUCE_MAX)});
    const char *text = lowered();
    ck_has(text,
           "acc: pl.Tile[[4, 64], pl.FP32] = pld.tile.remote_load(data, peer=0, offsets=[0, 0], "
           "shape=[4, 64])\n");
    ck_has(text, "for peer_1, (acc_1,) in pl.range(1, nranks, init_values=(acc,)):\n");
    ck_has(text, "pl.tile.maximum(acc_1, recv)");
    ck_has(text, "expected=2");
    ck_has(text, "value=-2");
    ck_count(text, "chunk", 0);
    ck_count(text, "valid_shape", 0);
    ck_count(text, "flatten", 0);
}
END_TEST

START_TEST(a_long_mesh_goes_in_chunks_with_a_ragged_last_one)
{
    VarId data = window("data", DT_FP16, 5, 4097), signal = window("signal", DT_INT32, 4, 1);
    call(OP_ALLREDUCE, 2, (Expr *[]){USE(data), USE(signal)});
    const char *text = lowered();
    ck_has(text, "flat: pld.DistributedTensor[[1, 20485], pl.FP16] = pld.tensor.flatten(data)\n");
    ck_has(text, "for chunk, (flat_1,) in pl.range(3, init_values=(flat,)):\n");
    ck_has(text, "valid_shape=[1, pl.min(8192, 20485 - chunk * 8192)]");
    ck_has(text, "expected=chunk + 2");
    ck_has(text, "value=-4");
}
END_TEST

START_TEST(full_chunks_have_no_valid_shape)
{
    VarId data = window("data", DT_FP32, 1, 8192), signal = window("signal", DT_INT32, 4, 1);
    call(OP_ALLREDUCE, 2, (Expr *[]){USE(data), USE(signal)});
    const char *text = lowered();
    ck_count(text, "valid_shape", 0);
    ck_count(text, "flatten", 0);
    ck_has(text, "in pl.range(2, init_values=(data,))");
}
END_TEST

START_TEST(an_even_ring_pulls_constant_segments)
{
    VarId data = window("data", DT_FP32, 1, 64), signal = window("signal", DT_INT32, 6, 4);
    call(OP_ALLREDUCE, 4, (Expr *[]){USE(data), USE(signal), NULL, mode("ring")});
    const char *text = lowered();
    ck_has(text, "left: pl.Scalar[pl.INT32] = (my_rank + nranks - 1) % nranks\n");
    ck_has(text, "seg: pl.Scalar[pl.INDEX] = (my_rank + 2 * nranks - step - 2) % nranks\n");
    ck_has(text, "pld.tile.remote_load(data_1, peer=left, offsets=[0, seg * 16], shape=[1, 16])");
    ck_has(text, "offsets=[step, my_rank], value=1");
    ck_has(text, "offsets=[nranks - 1 + step_1, my_rank], value=1");
    ck_count(text, "chunk", 0);
    ck_count(text, "wait(", 3);
    ck_count(text, "notify(", 4);
}
END_TEST

START_TEST(an_uneven_ring_computes_its_boundaries)
{
    VarId data = window("data", DT_FP16, 1, 70), signal = window("signal", DT_INT32, 6, 4);
    call(OP_ALLREDUCE, 4, (Expr *[]){USE(data), USE(signal), NULL, mode("ring")});
    const char *text = lowered();
    ck_has(text, "begin: pl.Scalar[pl.INDEX] = seg * 70 // nranks // 16 * 16\n");
    ck_has(text, "end: pl.Scalar[pl.INDEX] = 70 if seg + 1 == nranks else (seg + 1) * 70 // nranks "
                 "// 16 * 16\n");
    ck_has(text, "for chunk, ");
}
END_TEST

START_TEST(long_rows_are_scattered_chunk_by_chunk_before_the_second_barrier)
{
    VarId data = window("data", DT_FP32, 4, 5000), signal = window("signal", DT_INT32, 4, 1);
    call(OP_REDUCE_SCATTER, 2, (Expr *[]){USE(data), USE(signal)});
    const char *text = lowered();
    ck_has(text, "for chunk, (data_1,) in pl.range(2, init_values=(data,)):\n");
    ck_assert(strstr(text, "tile.store(") < strstr(text, "expected=2"));
    ck_count(text, "wait(", 2);
}
END_TEST

START_TEST(push_forms_begin_with_a_barrier)
{
    VarId x = irtest_param(&t, "x", irtest_matrix(&t, TY_TENSOR, DT_FP32, 1, 64));
    VarId data = window("data", DT_FP32, 4, 64), signal = window("signal", DT_INT32, 4, 1);
    call(OP_ALLGATHER, 3, (Expr *[]){USE(x), USE(data), USE(signal)});
    const char *text = lowered();
    ck_has(text, "pld.tensor.put(data_1, peer_1, x, [my_rank, 0], [0, 0], [1, 64]");
    ck_assert(strstr(text, "expected=1") < strstr(text, "put("));
    ck_assert(strstr(text, "put(") < strstr(text, "expected=2"));
}
END_TEST

START_TEST(all_to_all_v_moves_and_publishes_clamped_counts)
{
    VarId x = irtest_param(&t, "x", irtest_matrix(&t, TY_TENSOR, DT_FP32, 8, 64));
    VarId send = irtest_param(&t, "send", irtest_matrix(&t, TY_TENSOR, DT_INT32, 4, 1));
    VarId data = window("data", DT_FP32, 8, 64), signal = window("signal", DT_INT32, 4, 1);
    VarId got = window("got", DT_INT32, 4, 1);
    call(OP_ALL_TO_ALL_V, 5, (Expr *[]){USE(x), USE(data), USE(signal), USE(send), USE(got)});
    const char *text = lowered();
    ck_has(text, "wanted: pl.Scalar[pl.INT32] = pl.tensor.read(send, [dest, 0])\n");
    ck_has(text, "= pl.min(pl.max(wanted, 0), pl.const(2, pl.INDEX))\n");
    ck_has(text, "[my_rank * pl.const(2, pl.INDEX) + row, 0], [dest * 2 + row, 0], [1, 64]");
    ck_has(text, "pld.system.notify(got, peer=dest, offsets=[my_rank, 0], value=count, "
                 "op=pld.NotifyOp.Set)");
}
END_TEST

START_TEST(unknown_rank_counts_are_checked_at_start)
{
    VarId data = window("data", DT_FP32, -1, 64), signal = window("signal", DT_INT32, -1, 1);
    call(OP_REDUCE_SCATTER, 2, (Expr *[]){USE(data), USE(signal)});
    call(OP_BROADCAST, 3, (Expr *[]){USE(data), USE(signal), ex_index(p, 3)});
    p->ranks_bound = false;
    const char *text = lowered();
    ck_has(
        text,
        "pld.system.check(nranks == NR, message=\"pld.tensor.reduce_scatter needs one row of the "
        "target per rank\")");
    ck_has(text, "pld.system.check(3 < nranks, ");
}
END_TEST

START_TEST(results_of_collectives_feed_the_next)
{
    VarId data = window("data", DT_FP32, 4, 64), signal = window("signal", DT_INT32, 4, 1);
    VarId y = irtest_param(&t, "y", irtest_matrix(&t, TY_TENSOR, DT_FP32, 4, 64));
    for (int i = 0; i < 3; i++) {
        call(OP_ALLREDUCE, 2, (Expr *[]){USE(data), USE(signal)});
        data = t.f->body.at[t.f->body.len - 1]->results[0];
    }
    Expr *load =
        ex_opv(p, OP_TILE_LOAD, 3, USE(data), irtest_pair(&t, 0, 0), irtest_pair(&t, 4, 64));
    VarId tile = build_let(&t.b, intern(&t.names, "out"), load);
    build_expr(&t.b, ex_opv(p, OP_TILE_STORE, 3, USE(tile), irtest_pair(&t, 0, 0), USE(y)));
    const char *text = lowered();
    ck_has(text, "pl.tile.load(data_3, [0, 0], [4, 64])");
    ck_count(text, "get_comm_ctx", 1);
}
END_TEST

START_TEST(one_buffer_cannot_be_source_and_target)
{
    VarId data = window("data", DT_FP32, 4, 64), signal = window("signal", DT_INT32, 4, 1);
    Expr *store = ex_opv(p, OP_BROADCAST, 3, USE(data), USE(signal), ex_index(p, 0));
    VarId same = build_let(&t.b, intern(&t.names, "data"), store);
    call(OP_ALL_TO_ALL, 3, (Expr *[]){USE(same), USE(data), USE(signal)});
    ck_assert(!pass_lower_composite_ops(p));
    ck_assert_str_eq(irtest_message(&t),
                     "pld.tensor.all_to_all needs different buffers for src and target");
}
END_TEST

/* Host rail: a host function that dispatches nothing but what the test adds. */
static Func *host(void)
{
    Func *f = arena_new(&t.arena, Func);
    f->kind = FN_HOST;
    f->name = intern(&t.names, "host");
    f->result = type_none(p->types);
    avec_push(&t.arena, &p->funcs, f);
    t.b = (Builder){.p = p, .f = f, .block = &f->body};
    return f;
}

static VarId view(Func *f, const char *name, Dtype dtype, int64_t rows, int64_t cols)
{
    Expr *alloc =
        ex_opv(p, OP_ALLOC_WINDOW_BUFFER, 2, irtest_pair(&t, rows, cols), ex_dtype(p, dtype));
    VarId buffer = build_let(&t.b, internf(&t.names, "%s_buf", name), alloc);
    Expr *w = ex_opv(p, OP_WINDOW, 3, ex_var(p, f, buffer), irtest_pair(&t, rows, cols),
                     ex_dtype(p, dtype));
    return build_let(&t.b, intern(&t.names, name), w);
}

/* ex_op as a host function has it. */
static Expr *host_op(OpId op, Expr **slots, uint32_t n)
{
    Expr *e = ex_alloc(&t.arena, EX_OP);
    e->op = op;
    e->n_args = op_info(op)->n_slots;
    e->args = arena_new_n(&t.arena, Expr *, OP_MAX_SLOTS);
    for (uint32_t i = 0; i < n; i++)
        e->args[i] = slots[i];
    e->type = infer_op(p, e, FN_HOST);
    ck_assert_msg(e->type != NULL, "%s", irtest_message(&t));
    return e;
}

static const char *host_lowered(void)
{
    Buf out = {0};
    uint32_t props =
        PROP_TYPED | PROP_INLINED | PROP_SSA | PROP_FLAT | PROP_TILES | PROP_NO_COMPOSITES;
    ck_assert_msg(pass_synthesize_signals(p), "%s", irtest_message(&t));
    ck_assert_msg(ir_verify(p, props | PROP_SIGNALS, "test"), "%s", irtest_message(&t));
    ck_assert_msg(pass_lower_host_collectives(p), "%s", irtest_message(&t));
    ck_assert_msg(ir_verify(p, props | PROP_SIGNALS | PROP_NO_HOST_COLLECTIVES, "test"), "%s",
                  irtest_message(&t));
    for (uint32_t i = 0; i < p->funcs.len; i++)
        func_number_names(p, p->funcs.at[i], true);
    ir_print(&out, p, &(PrintOptions){.ssa = true});
    const char *text = arena_strndup(&t.arena, out.at, out.len);
    buf_free(&out);
    return text;
}

START_TEST(host_allreduce_gets_a_signal_and_becomes_dispatches)
{
    Func *f = host();
    VarId data = view(f, "data", DT_FP32, 1, 64);
    Expr *slots[] = {ex_var(p, f, data), NULL, NULL, NULL, ex_index(p, 2)};
    build_let(&t.b, intern(&t.names, "data"), host_op(OP_ALLREDUCE, slots, 5));
    const char *text = host_lowered();
    ck_has(text, "pld.tensor.alloc_window_buffer([4, 2], dtype=pl.INT32)");
    ck_has(text, "for r in pl.range(4):\n            self.builtin_allreduce_mesh(data, signal, "
                 "device=r, cores=2)\n");
    ck_has(text, "def builtin_allreduce_mesh_core(self, target: pl.InOut[pld.DistributedTensor[[1, "
                 "64], pl.FP32]], "
                 "signal: pl.InOut[pld.DistributedTensor[[4, 2], pl.INT32]])");
    ck_has(text, "lane: pl.Scalar[pl.INDEX] = pld.system.core()\n");
    ck_has(text, "offsets=[my_rank, lane]");
    ck_has(text, "offsets=[0, lane * 32], shape=[1, 32])");
}
END_TEST

START_TEST(host_kernels_are_shared_by_signature)
{
    Func *f = host();
    VarId data = view(f, "data", DT_FP32, 1, 64), other = view(f, "other", DT_FP32, 1, 32);
    VarId signal = view(f, "signal", DT_INT32, 4, 1);
    VarId targets[] = {data, data, other};
    for (int i = 0; i < 3; i++) {
        Expr *slots[] = {ex_var(p, f, targets[i]), ex_var(p, f, signal), ex_index(p, 0)};
        build_expr(&t.b, host_op(OP_BROADCAST, slots, 3));
    }
    const char *text = host_lowered();
    ck_count(text, "def builtin_broadcast(", 1);
    ck_count(text, "def builtin_broadcast_1(", 1);
    ck_count(text, "self.builtin_broadcast(data, signal, device=", 2);
    ck_count(text, "self.builtin_broadcast_1(other, signal, device=", 1);
}
END_TEST

START_TEST(host_ring_has_a_row_for_the_closing_barrier)
{
    Func *f = host();
    VarId data = view(f, "data", DT_FP32, 1, 64);
    Expr *slots[] = {ex_var(p, f, data), NULL, NULL, mode("ring")};
    build_expr(&t.b, host_op(OP_ALLREDUCE, slots, 4));
    const char *text = host_lowered();
    ck_has(text, "pld.tensor.alloc_window_buffer([7, 4], dtype=pl.INT32)");
    ck_has(text, "offsets=[2 * nranks - 2, src_2], expected=1");
    ck_has(text, "for row in pl.range(2 * nranks - 1):");
}
END_TEST

START_TEST(a_signal_left_out_in_a_loop_is_refused)
{
    Func *f = host();
    VarId data = view(f, "data", DT_FP32, 1, 64);
    Stmt *loop = build_for(&t.b, intern(&t.names, "i"), ex_index(p, 0), ex_index(p, 3));
    Builder in = {.p = p, .f = f, .block = &loop->nest->body};
    Expr *slots[] = {ex_var(p, f, data)};
    build_expr(&in, host_op(OP_ALLREDUCE, slots, 1));
    ck_assert(!pass_synthesize_signals(p));
    ck_assert_str_eq(irtest_message(&t),
                     "pld.tensor.allreduce without a signal cannot stand in a loop: pass a signal");
}
END_TEST

START_TEST(a_group_is_the_devices_its_views_go_to)
{
    Func *f = host();
    VarId data = view(f, "data", DT_FP32, 1, 64);
    Func *orch = arena_new(&t.arena, Func);
    orch->kind = FN_ORCH;
    orch->name = intern(&t.names, "stage");
    orch->result = type_none(p->types);
    VarId param =
        func_new_var(p, orch, intern(&t.names, "data"), func_var(f, data)->type, (Span){0, 0});
    avec_push(&t.arena, &orch->params, (Param){.var = param, .dir = DIR_INOUT});
    avec_push(&t.arena, &p->funcs, orch);
    Stmt *loop = build_for(&t.b, intern(&t.names, "r"), ex_index(p, 2), ex_index(p, 4));
    Builder in = {.p = p, .f = f, .block = &loop->nest->body};
    Expr *args[] = {ex_var(p, f, data)};
    build_expr(&in, ex_call(p, orch, args, 1, ex_var(p, f, loop->nest->index)));
    Expr *slots[] = {ex_var(p, f, data)};
    build_expr(&t.b, host_op(OP_ALLREDUCE, slots, 1));
    const char *text = host_lowered();
    ck_has(text, "pld.tensor.alloc_window_buffer([2, 1], dtype=pl.INT32)");
    ck_has(text, "for r_1 in pl.range(2, 4):\n            self.builtin_allreduce_mesh(data, "
                 "signal, device=r_1)\n");
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("composite");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, barrier_is_a_credit_barrier_and_its_epilogue);
    tcase_add_test(tc, reduce_scatter_is_the_hand_written_form_and_a_second_barrier);
    tcase_add_test(tc, ranks_at_hand_are_used_again);
    tcase_add_test(tc, a_mesh_of_one_chunk_has_no_loop_over_chunks);
    tcase_add_test(tc, a_long_mesh_goes_in_chunks_with_a_ragged_last_one);
    tcase_add_test(tc, full_chunks_have_no_valid_shape);
    tcase_add_test(tc, an_even_ring_pulls_constant_segments);
    tcase_add_test(tc, an_uneven_ring_computes_its_boundaries);
    tcase_add_test(tc, long_rows_are_scattered_chunk_by_chunk_before_the_second_barrier);
    tcase_add_test(tc, push_forms_begin_with_a_barrier);
    tcase_add_test(tc, all_to_all_v_moves_and_publishes_clamped_counts);
    tcase_add_test(tc, unknown_rank_counts_are_checked_at_start);
    tcase_add_test(tc, results_of_collectives_feed_the_next);
    tcase_add_test(tc, one_buffer_cannot_be_source_and_target);
    tcase_add_test(tc, host_allreduce_gets_a_signal_and_becomes_dispatches);
    tcase_add_test(tc, host_kernels_are_shared_by_signature);
    tcase_add_test(tc, host_ring_has_a_row_for_the_closing_barrier);
    tcase_add_test(tc, a_signal_left_out_in_a_loop_is_refused);
    tcase_add_test(tc, a_group_is_the_devices_its_views_go_to);
    Suite *suite = suite_create("composite");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
