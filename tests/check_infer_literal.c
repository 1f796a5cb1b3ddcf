#include "tests/irtest.h"
#include "tests/support.h"

static IrTest t;

static void setup(void)
{
    irtest_setup(&t);
}

static void teardown(void)
{
    irtest_teardown(&t);
}

static Expr *memory(TypeKind kind, Dtype dtype)
{
    return irtest_use(&t, irtest_param(&t, "x", irtest_matrix(&t, kind, dtype, 4, 64)));
}

static Expr *i32(int64_t v)
{
    return ex_int(t.p, DT_INT32, v);
}

static void ck_int(const Expr *e, Dtype dtype, int64_t v)
{
    ck_assert_int_eq(e->kind, EX_INT);
    ck_assert_int_eq(e->type->dtype, dtype);
    ck_assert_int_eq(e->ival, v);
}

START_TEST(indices_are_index_and_signal_values_int32)
{
    Expr *signal = memory(TY_DIST, DT_INT32);
    Expr *at = ex_listv(t.p, i32(1), i32(0), NULL);
    Expr *op = ex_opv(t.p, OP_NOTIFY, 4, signal, i32(2), at, ex_index(t.p, 7));
    ck_int(op->args[1], DT_INDEX, 2);
    ck_int(op->args[2]->args[0], DT_INDEX, 1);
    ck_int(op->args[3], DT_INT32, 7);
}
END_TEST

START_TEST(numbers_take_the_dtype_of_the_tile)
{
    Expr *op = ex_opv(t.p, OP_TILE_ADD, 2, memory(TY_TILE, DT_FP16), i32(2));
    ck_assert_int_eq(op->args[1]->kind, EX_FLOAT);
    ck_assert_int_eq(op->args[1]->type->dtype, DT_FP16);
    ck_assert_double_eq(op->args[1]->fval, 2.0);
    op = ex_opv(t.p, OP_TILE_MUL, 2, memory(TY_TILE, DT_INT8), ex_float(t.p, -3.0));
    ck_int(op->args[1], DT_INT8, -3);
    op = ex_opv(t.p, OP_WRITE, 3, memory(TY_TENSOR, DT_UINT8), irtest_pair(&t, 0, 0), i32(200));
    ck_int(op->args[2], DT_UINT8, 200);
    op = ex_opv(t.p, OP_TILE_FULL, 3, irtest_pair(&t, 1, 8), ex_dtype(t.p, DT_BOOL), i32(1));
    ck_assert_int_eq(op->args[2]->kind, EX_BOOL);
}
END_TEST

START_TEST(what_does_not_fit_stays)
{
    Expr *tile = memory(TY_TILE, DT_INT8);
    Expr *op = ex_opv(t.p, OP_TILE_ADD, 2, tile, i32(2));
    op->args[1] = i32(300);
    ex_settle_literals(t.p, op);
    ck_int(op->args[1], DT_INT32, 300);
}
END_TEST

START_TEST(run_time_operands_stay)
{
    VarId n = irtest_param(&t, "n", type_scalar(t.p->types, DT_INT32));
    Expr *op = ex_opv(t.p, OP_TILE_ADD, 2, memory(TY_TILE, DT_FP32), irtest_use(&t, n));
    ck_assert_int_eq(op->args[1]->kind, EX_VAR);
    ck_assert_int_eq(op->args[1]->type->dtype, DT_INT32);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("infer_literal");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, indices_are_index_and_signal_values_int32);
    tcase_add_test(tc, numbers_take_the_dtype_of_the_tile);
    tcase_add_test(tc, what_does_not_fit_stays);
    tcase_add_test(tc, run_time_operands_stay);
    Suite *suite = suite_create("infer_literal");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
