#include "tests/irtest.h"
#include "tests/support.h"

static IrTest t;
static Program *p;
static VarId x, data, half, signal, ring, tile, small, peer;

static void setup(void)
{
    irtest_setup(&t);
    p = t.p;
    x = irtest_param(&t, "x", irtest_matrix(&t, TY_TENSOR, DT_FP32, 1, 64));
    data = irtest_param(&t, "data", irtest_matrix(&t, TY_DIST, DT_FP32, 4, 64));
    half = irtest_param(&t, "half", irtest_matrix(&t, TY_DIST, DT_FP16, 4, 64));
    signal = irtest_param(&t, "signal", irtest_matrix(&t, TY_DIST, DT_INT32, 4, 1));
    ring = irtest_param(&t, "ring", irtest_matrix(&t, TY_DIST, DT_INT32, 6, 4));
    tile = irtest_param(&t, "tile", irtest_matrix(&t, TY_TILE, DT_FP32, 1, 64));
    small = irtest_param(&t, "small", irtest_matrix(&t, TY_TILE, DT_FP32, 1, 32));
    peer = irtest_param(&t, "peer", type_scalar(p->types, DT_INT32));
}

static void teardown(void)
{
    irtest_teardown(&t);
}

#define USE(v) irtest_use(&t, (v))
#define AT(a, b) irtest_pair(&t, (a), (b))
#define N(v) ex_index(p, (v))

/* infer_op on slots given in table order; the type's text, or the message. */
static const char *infer_text_at(FuncKind level, OpId op, uint32_t n, Expr **slots)
{
    Expr *e = ex_alloc(&t.arena, EX_OP);
    e->op = op;
    e->n_args = op_info(op)->n_slots;
    e->args = arena_new_n(&t.arena, Expr *, OP_MAX_SLOTS);
    for (uint32_t i = 0; i < n; i++)
        e->args[i] = slots[i];
    vec_clear(&t.diags.list);
    const Type *type = infer_op(p, e, level);
    ck_assert(type != NULL || t.diags.list.len == 1);
    return type ? type_text(&t.arena, type) : irtest_message(&t);
}

#define ck_infer_at(level, text, op, ...)                                                          \
    do {                                                                                           \
        Expr *slots_[] = {__VA_ARGS__};                                                            \
        ck_assert_str_eq(infer_text_at(level, op, sizeof slots_ / sizeof *slots_, slots_), text);  \
    } while (0)
#define ck_infer(text, ...) ck_infer_at(FN_INCORE, text, __VA_ARGS__)

START_TEST(loads_and_stores)
{
    VarId ints = irtest_param(&t, "ints", irtest_matrix(&t, TY_TILE, DT_INT8, 1, 64));
    ck_infer("pl.Tile[[1, 64], pl.FP32]", OP_TILE_LOAD, USE(x), AT(0, 0), AT(1, 64));
    ck_infer("pl.tile.load needs offsets inside pl.Tensor[[1, 64], pl.FP32]: in dimension 1, 32 + "
             "64 is past "
             "the extent 64",
             OP_TILE_LOAD, USE(x), AT(0, 32), AT(1, 64));
    ck_infer("pl.Tile[[1, 64], pl.FP32]", OP_TILE_LOAD, USE(x), AT(0, 32), AT(1, 64), AT(1, 32));
    ck_infer("pl.tile.load needs non-negative offsets, got -1 in dimension 0", OP_TILE_LOAD, USE(x),
             AT(-1, 0), AT(1, 64));
    ck_infer("pl.tile.load needs 2 items in offsets, one per dimension of pl.Tensor[[1, 64], "
             "pl.FP32], got 1",
             OP_TILE_LOAD, USE(x), ex_listv(p, N(0), NULL), AT(1, 64));
    ck_infer("pl.tile.load needs positive extents in shape, got 0", OP_TILE_LOAD, USE(x), AT(0, 0),
             AT(1, 0));
    ck_infer("pl.tile.load needs a Tensor or a window view for tensor, got pl.Tile[[1, 64], "
             "pl.FP32]: store the tile into memory first",
             OP_TILE_LOAD, USE(tile), AT(0, 0), AT(1, 64));
    ck_infer("pld.DistributedTensor[[4, 64], pl.FP32]", OP_TILE_STORE, USE(tile), AT(1, 0),
             USE(data));
    ck_infer("pl.tile.store needs a tile of the memory's dtype, got pl.Tile[[1, 64], pl.INT8] for "
             "pld.DistributedTensor[[4, 64], pl.FP16]",
             OP_TILE_STORE, USE(ints), AT(1, 0), USE(half));
    ck_infer("pl.tile.load needs the operand shape", OP_TILE_LOAD, USE(x), AT(0, 0));
    ck_infer("pl.tile.load needs compile-time or dynamic extents in shape, item 1 is a run-time "
             "value: tile "
             "shapes must be compile-time",
             OP_TILE_LOAD, USE(x), AT(0, 0), ex_listv(p, N(1), USE(peer), NULL));
}
END_TEST

START_TEST(remote_memory)
{
    ck_infer("pld.tile.remote_load needs a DistributedTensor for target, got pl.Tensor[[1, 64], "
             "pl.FP32]: make it "
             "a window view",
             OP_REMOTE_LOAD, USE(x), N(0), AT(0, 0), AT(1, 64));
    ck_infer("pl.Tile[[1, 64], pl.FP32]", OP_REMOTE_LOAD, USE(data), USE(peer), AT(3, 0),
             AT(1, 64));
    ck_infer("pld.tile.remote_load needs a peer rank from 0 up, got -1", OP_REMOTE_LOAD, USE(data),
             N(-1), AT(3, 0), AT(1, 64));
    ck_infer("pl.Tile[[1, 64], pl.FP32]", OP_REMOTE_LOAD, USE(data), N(4), AT(3, 0), AT(1, 64));
    p->ranks_bound = true;
    ck_infer("pld.tile.remote_load needs a peer below the rank count 4, got 4", OP_REMOTE_LOAD,
             USE(data), N(4), AT(3, 0), AT(1, 64));
    ck_infer(
        "pld.tensor.put needs dst_offsets, src_offsets and shape, all three or none, got 1 of them",
        OP_PUT, USE(data), N(0), USE(x), AT(0, 0));
    ck_infer("pld.tensor.put needs equal shapes without offsets and shape, got dst [4, 64] and src "
             "[1, 64]",
             OP_PUT, USE(data), N(0), USE(x));
    ck_infer("pld.DistributedTensor[[4, 64], pl.FP32]", OP_PUT, USE(data), N(0), USE(x), AT(1, 0),
             AT(0, 0), AT(1, 64));
    ck_infer("pld.tensor.get needs dst and src of one dtype, got pl.Tensor[[1, 64], pl.FP32] and "
             "pld.DistributedTensor[[4, 64], pl.FP16]",
             OP_GET, USE(x), N(0), USE(half), AT(0, 0), AT(0, 0), AT(1, 64));
    ck_infer("pld.tensor.get needs chunk_rows= and chunk_cols= with pipeline=True", OP_GET, USE(x),
             N(0), USE(data), AT(0, 0), AT(0, 0), AT(1, 64), NULL, N(16), ex_bool(p, true));
}
END_TEST

START_TEST(signals)
{
    ck_infer("None", OP_NOTIFY, USE(signal), USE(peer), AT(3, 0), N(1));
    ck_infer("pld.system.notify needs offsets inside pld.DistributedTensor[[4, 1], pl.INT32]: in "
             "dimension 0, 4 "
             "is past the extent 4",
             OP_NOTIFY, USE(signal), USE(peer), AT(4, 0), N(1));
    ck_infer("pld.system.notify needs an INT32 for value, got 2147483648", OP_NOTIFY, USE(signal),
             USE(peer), AT(0, 0), N(2147483648LL));
    ck_infer("pld.system.wait needs an INT32 signal for signal, got pld.DistributedTensor[[4, 64], "
             "pl.FP32]: "
             "make it a window of dtype pl.INT32",
             OP_WAIT, USE(data), AT(0, 0), N(1));
    ck_infer_at(FN_HOST,
                "pld.system.notify needs an InCore function, it cannot stand in a host function",
                OP_NOTIFY, USE(signal), USE(peer), AT(3, 0), N(1));
}
END_TEST

START_TEST(tile_arithmetic)
{
    ck_infer("pl.Tile[[1, 64], pl.FP32]", OP_TILE_ADD, USE(tile), USE(tile));
    ck_infer("pl.tile.add needs operands of one shape, or with extents 1 where they differ, "
             "got pl.Tile[[1, 64], pl.FP32] and "
             "pl.Tile[[1, 32], pl.FP32]",
             OP_TILE_ADD, USE(tile), USE(small));
    VarId ints = irtest_param(&t, "ints", irtest_matrix(&t, TY_TILE, DT_INT8, 1, 64));
    VarId bools = irtest_param(&t, "bools", irtest_matrix(&t, TY_TILE, DT_BOOL, 1, 64));
    ck_infer("pl.tile.add needs an integer literal for INT8 in rhs, got 1.5", OP_TILE_ADD,
             USE(ints), ex_float(p, 1.5));
    ck_infer("pl.tile.add needs a value that fits INT8 in rhs, got 128", OP_TILE_ADD, USE(ints),
             N(128));
    ck_infer("pl.Tile[[1, 64], pl.INT8]", OP_TILE_ADD, USE(ints), ex_float(p, 2.0));
    ck_infer("pl.tile.neg needs numbers, got pl.Tile[[1, 64], pl.BOOL]: cast it first with pl.cast",
             OP_TILE_NEG, USE(bools));
    ck_infer(
        "pl.tile.add needs a tile for lhs, got pl.Tensor[[1, 64], pl.FP32]: load it first with "
        "pl.load, or write pl.tensor.add",
        OP_TILE_ADD, USE(x), USE(tile));
    ck_infer("pl.Tile[[1, 64], pl.FP16]", OP_TILE_CAST, USE(tile), ex_dtype(p, DT_FP16));
    ck_infer(
        "pl.tile.full needs a value that fits FP16 in value, got 1000000.0: the largest is 65504.0",
        OP_TILE_FULL, AT(1, 4), ex_dtype(p, DT_FP16), ex_float(p, 1e6));
}
END_TEST

START_TEST(windows)
{
    VarId buf = irtest_param(&t, "buf", type_simple(p->types, TY_BUFFER));
    ck_infer_at(FN_HOST, "pld.DistributedTensor[[0, 1], pl.INT32]", OP_WINDOW, USE(buf), AT(0, 1),
                ex_dtype(p, DT_INT32));
    ck_infer_at(FN_HOST,
                "pld.tensor.alloc_window_buffer needs dtype= with a shape, or one byte count, got "
                "2 extents",
                OP_ALLOC_WINDOW_BUFFER, AT(4, 64));
    ck_infer_at(FN_HOST, "pld.tensor.alloc_window_buffer needs a size below 2^63 bytes",
                OP_ALLOC_WINDOW_BUFFER, AT(INT64_MAX / 2, 64), ex_dtype(p, DT_FP32));
    ck_infer("pld.tensor.alloc_window_buffer needs a host function, it cannot stand in an InCore "
             "function",
             OP_ALLOC_WINDOW_BUFFER, AT(4, 64));
    ck_infer_at(FN_HOST, "pl.Tensor[[64], pl.FP32]", OP_TENSOR_ROW, USE(x), N(0));
    ck_infer_at(FN_HOST, "pl.tensor.row needs a row inside pl.Tensor[[1, 64], pl.FP32], got 1",
                OP_TENSOR_ROW, USE(x), N(1));
    ck_infer("pld.DistributedTensor[[1, 256], pl.FP32]", OP_FLATTEN, USE(data));
}
END_TEST

START_TEST(allreduce)
{
    Expr *mesh = ex_str(p, intern(&t.names, "mesh")), *mode = ex_str(p, intern(&t.names, "ring"));
    p->ranks_bound = true;
    ck_infer("pld.DistributedTensor[[4, 64], pl.FP32]", OP_ALLREDUCE, USE(data), USE(signal));
    ck_infer("pld.tensor.allreduce needs one column, [nr, 1] = [4, 1], for signal, got [6, 4]",
             OP_ALLREDUCE, USE(data), USE(ring), NULL, mesh);
    ck_infer(
        "pld.tensor.allreduce mode=\"ring\" needs a signal [2*(nr-1), nr] = [6, 4], got [4, 1]",
        OP_ALLREDUCE, USE(data), USE(signal), NULL, mode);
    ck_infer("pld.DistributedTensor[[4, 64], pl.FP16]", OP_ALLREDUCE, USE(half), USE(ring), NULL,
             mode);
    ck_infer_at(
        FN_HOST,
        "pld.tensor.allreduce mode=\"ring\" on the host needs a signal [2*(nr-1) + 1, nr] = "
        "[7, 4], got [6, 4]",
        OP_ALLREDUCE, USE(data), USE(ring), NULL, mode);
    ck_infer_at(FN_HOST, "pld.DistributedTensor[[4, 64], pl.FP32]", OP_ALLREDUCE, USE(data));
    ck_infer("pld.tensor.allreduce needs the operand signal in an InCore function", OP_ALLREDUCE,
             USE(data));
    ck_infer("pld.tensor.allreduce needs FP32 or FP16 for target, got pld.DistributedTensor[[4, "
             "1], pl.INT32]",
             OP_ALLREDUCE, USE(signal), USE(signal));
    ck_infer_at(
        FN_HOST,
        "pld.tensor.allreduce needs core_num from 1 to the platform's 48 vector cores, got 49",
        OP_ALLREDUCE, USE(data), NULL, NULL, mesh, N(49));
    VarId pair = irtest_param(&t, "pair", irtest_matrix(&t, TY_DIST, DT_INT32, 2, 2));
    ck_infer("pld.DistributedTensor[[4, 64], pl.FP32]", OP_ALLREDUCE, USE(data), USE(pair), NULL,
             mode);
}
END_TEST

START_TEST(other_collectives)
{
    Expr *max = ex_enum(p, ENUM_ReduceOp, REDUCE_MAX);
    p->ranks_bound = true;
    ck_infer("pld.tensor.reduce_scatter op must be ReduceOp.Sum (got int 1); Max / Min / Prod "
             "lowerings are not "
             "yet implemented",
             OP_REDUCE_SCATTER, USE(data), USE(signal), max);
    ck_infer("pld.DistributedTensor[[4, 64], pl.FP32]", OP_REDUCE_SCATTER, USE(data), USE(signal));
    VarId other = irtest_param(&t, "other", irtest_matrix(&t, TY_DIST, DT_FP32, 5, 64));
    ck_infer("pld.tensor.reduce_scatter needs [nr, SIZE] = [4, SIZE] for target, got [5, 64]",
             OP_REDUCE_SCATTER, USE(other), USE(signal));
    ck_infer("pld.tensor.broadcast needs a root below the rank count 4, got 4", OP_BROADCAST,
             USE(data), USE(signal), N(4));
    ck_infer("pld.DistributedTensor[[4, 64], pl.FP32]", OP_ALLGATHER, USE(x), USE(data),
             USE(signal));
    ck_infer("pld.tensor.allgather needs [1, 64] for src, got [4, 64]", OP_ALLGATHER, USE(data),
             USE(data), USE(signal));
    ck_infer("pld.tensor.all_to_all needs different buffers for src and target", OP_ALL_TO_ALL,
             USE(data), USE(data), USE(signal));
    ck_infer("pld.tensor.barrier needs one column, [nr, 1] = [4, 1], for signal, got [6, 4]",
             OP_BARRIER, USE(ring));
    ck_infer("pld.tensor.barrier needs a DistributedTensor for signal, got pl.Tensor[[1, 64], "
             "pl.FP32]: make it a "
             "window view",
             OP_BARRIER, USE(x));
}
END_TEST

START_TEST(scalars)
{
    Expr *e = ex_scalar(p, SC_ADD, USE(peer), ex_index(p, 1));
    ck_assert_str_eq(type_text(&t.arena, e->type), "pl.Scalar[pl.INDEX]");
    e = ex_scalar(p, SC_FLOORDIV, ex_index(p, -7), ex_index(p, 2));
    ck_assert_int_eq(e->kind, EX_INT);
    ck_assert_int_eq(e->ival, -3);
    e = ex_scalar(p, SC_MOD, ex_index(p, 1), ex_index(p, 0));
    ck_assert_int_eq(e->kind, EX_SCALAR);
    e = ex_scalar(p, SC_ADD, ex_int(p, DT_INT32, INT32_MAX), ex_int(p, DT_INT32, 1));
    ck_assert_int_eq(e->ival, INT32_MIN);
    e = ex_scalar(p, SC_LT, ex_index(p, 1), ex_index(p, 2));
    ck_assert(e->kind == EX_BOOL && e->ival == 1);
    const Dim *nr = dim_name(p->types, intern(&t.names, "NR"));
    const Dim *d =
        dim_sub(p->types, dim_mul(p->types, dim_const(p->types, 2), nr), dim_const(p->types, 2));
    ck_assert_ptr_eq(dim_of_expr(p, ex_dim(p, d)), d);
    ck_assert_ptr_eq(dim_of_expr(p, USE(peer)), NULL);
}
END_TEST

START_TEST(scalar_mistakes)
{
    VarId f = irtest_param(&t, "f", type_scalar(p->types, DT_FP32));
    Expr *args[2] = {USE(f), ex_index(p, 1)};
    Expr e = {.kind = EX_SCALAR, .scalar = SC_ADD, .n_args = 2, .args = args};
    ck_assert_ptr_eq(infer_scalar(p, &e), NULL);
    ck_assert_str_eq(irtest_message(&t),
                     "operator '+' needs floating-point numbers on both sides (convert with "
                     "pl.cast), got pl.Scalar[pl.INDEX]");
    vec_clear(&t.diags.list);
    args[0] = ex_int(p, DT_INT32, 1);
    args[1] = ex_int(p, DT_UINT32, 1);
    ck_assert_ptr_eq(infer_scalar(p, &e), NULL);
    ck_assert_str_eq(irtest_message(&t),
                     "operator '+' needs operands of one dtype, got pl.INT32 and pl.UINT32: "
                     "convert one with pl.cast");
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("infer");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, loads_and_stores);
    tcase_add_test(tc, remote_memory);
    tcase_add_test(tc, signals);
    tcase_add_test(tc, tile_arithmetic);
    tcase_add_test(tc, windows);
    tcase_add_test(tc, allreduce);
    tcase_add_test(tc, other_collectives);
    tcase_add_test(tc, scalars);
    tcase_add_test(tc, scalar_mistakes);
    Suite *suite = suite_create("infer");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
