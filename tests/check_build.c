#include "tests/irtest.h"
#include "tests/support.h"
#include <string.h>

static IrTest t;
static Program *p;

static void setup(void)
{
    irtest_setup(&t);
    p = t.p;
}

static void teardown(void)
{
    irtest_teardown(&t);
}

static const Dim *extent(const char *text)
{
    return dim_name(p->types, intern(&t.names, text));
}

START_TEST(dims_survive_the_way_through_expressions)
{
    TypeTable *tt = p->types;
    const Dim *nr = extent("NR"), *m = extent("M"), *three = dim_const(tt, 3);
    const Dim *dims[] = {
        dim_const(tt, 0),
        dim_const(tt, -5),
        nr,
        dim_mul(tt, nr, dim_mul(tt, m, three)),
        dim_sub(tt, three, nr),
        dim_atom(tt, DIM_FLOORDIV, dim_add(tt, nr, three), dim_const(tt, 4)),
        dim_atom(tt, DIM_MIN, dim_atom(tt, DIM_MOD, nr, three), m),
    };
    for (uint32_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        Expr *e = ex_dim(p, dims[i]);
        ck_assert_ptr_eq(dim_of_expr(p, e), dims[i]);
        ck_assert_ptr_eq(e->type, type_scalar(tt, DT_INDEX));
    }
}
END_TEST

START_TEST(the_extent_of_memory_is_its_dim)
{
    int64_t shape[2] = {-1, 64};
    VarId x = irtest_param(&t, "x", irtest_type(&t, TY_TENSOR, DT_FP32, 2, shape));
    Expr *e = ex_opv(p, OP_DIM, 2, irtest_use(&t, x), ex_index(p, 0));
    ck_assert_ptr_eq(dim_of_expr(p, e), extent("NR"));
}
END_TEST

START_TEST(casts_and_choices_fold)
{
    Expr *e = ex_cast(p, DT_INT8, ex_index(p, 300));
    ck_assert(e->kind == EX_INT && e->ival == 127 && e->type->dtype == DT_INT8);
    e = ex_select(p, ex_bool(p, false), ex_index(p, 1), ex_int(p, DT_INT32, 2));
    ck_assert(e->kind == EX_INT && e->ival == 2 && e->type->dtype == DT_INDEX);
    e = ex_scalar(p, SC_SHL, ex_int(p, DT_INT32, 1), ex_int(p, DT_INT32, 40));
    ck_assert_int_eq(e->kind, EX_SCALAR);
    e = ex_scalar(p, SC_NOT, ex_bool(p, true), NULL);
    ck_assert(e->kind == EX_BOOL && e->ival == 0);
}
END_TEST

START_TEST(defaults_of_the_table_are_filled_in)
{
    VarId signal = irtest_param(&t, "signal", irtest_matrix(&t, TY_DIST, DT_INT32, 4, 1));
    VarId data = irtest_param(&t, "data", irtest_matrix(&t, TY_DIST, DT_FP32, 4, 64));
    Expr *e = ex_opv(p, OP_ALLREDUCE, 2, irtest_use(&t, data), irtest_use(&t, signal));
    ck_assert_int_eq(e->n_args, 5);
    ck_assert_int_eq(e->args[2]->ival, REDUCE_SUM);
    ck_assert_str_eq(e->args[3]->sym, "mesh");
    ck_assert_ptr_eq(e->args[4], NULL);
    e = ex_opv(p, OP_PUT, 3, irtest_use(&t, data), ex_index(p, 1), irtest_use(&t, data));
    ck_assert(e->args[OPND(PUT, pipeline)]->kind == EX_BOOL);
    ck_assert_int_eq(e->args[OPND(PUT, atomic)]->ival, ATOMIC_NONE);
}
END_TEST

START_TEST(extents_of_a_callee_bind_at_the_call)
{
    int64_t shape[2] = {-1, 64};
    VarId own = irtest_param(&t, "own", irtest_type(&t, TY_TENSOR, DT_FP32, 2, shape));
    t.f->result = func_var(t.f, own)->type;
    Func caller = {.kind = FN_ORCH};
    const Dim *dims[2] = {extent("M"), dim_const(p->types, 64)};
    VarId x = func_new_var(p, &caller, intern(&t.names, "x"),
                           type_shaped(p->types, TY_TENSOR, DT_FP32, 2, dims), (Span){0, 0});
    Expr *arg = ex_var(p, &caller, x);
    Expr *e = ex_call(p, t.f, &arg, 1, NULL);
    ck_assert_str_eq(type_text(&t.arena, e->type), "pl.Tensor[[M, 64], pl.FP32]");
}
END_TEST

START_TEST(mistakes_of_a_pass_are_an_internal_error)
{
    VarId x = irtest_param(&t, "x", irtest_matrix(&t, TY_TENSOR, DT_FP32, 1, 64));
    ex_opv(p, OP_BARRIER, 1, irtest_use(&t, x));
    ck_assert(diags_internal(&t.diags));
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("build");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, dims_survive_the_way_through_expressions);
    tcase_add_test(tc, the_extent_of_memory_is_its_dim);
    tcase_add_test(tc, casts_and_choices_fold);
    tcase_add_test(tc, defaults_of_the_table_are_filled_in);
    tcase_add_test(tc, extents_of_a_callee_bind_at_the_call);
    tcase_add_test(tc, mistakes_of_a_pass_are_an_internal_error);
    Suite *suite = suite_create("build");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
