/* The pass manager: order, names, properties, the hook. */
#include "elab/specialize.h"
#include "lower/pass.h"
#include "tests/irtest.h"
#include "tests/support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static IrTest t;
static VarId x, y;

static void setup(void)
{
    irtest_setup(&t);
    x = irtest_param(&t, "x", irtest_matrix(&t, TY_TENSOR, DT_FP32, 4, 64));
    y = irtest_param(&t, "y", irtest_matrix(&t, TY_TENSOR, DT_FP32, 4, 64));
    t.p->properties = PROP_TYPED;
    t.p->stage = PASS_SPECIALIZE;
}

static void teardown(void)
{
    irtest_teardown(&t);
}

/* y = store(load(x)), nested. */
static void copy_kernel(void)
{
    Expr *load = ex_opv(t.p, OP_TILE_LOAD, 3, irtest_use(&t, x), irtest_pair(&t, 0, 0),
                        irtest_pair(&t, 1, 64));
    Expr *store = ex_opv(t.p, OP_TILE_STORE, 3, load, irtest_pair(&t, 0, 0), irtest_use(&t, y));
    build_let(&t.b, intern(&t.names, "y"), store);
}

typedef struct {
    PassId seen[PASS_COUNT];
    uint32_t n;
    PassId fail_at;
} Seen;

static bool see(void *env, Program *p, PassId pass)
{
    Seen *s = env;
    ck_assert_uint_eq(p->stage, pass);
    s->seen[s->n++] = pass;
    return pass != s->fail_at;
}

START_TEST(names_with_and_without_number)
{
    PassId id;
    ck_assert(pass_from_name("lower_composite_ops", &id));
    ck_assert_int_eq(id, PASS_LOWER_COMPOSITE_OPS);
    ck_assert(pass_from_name("09_lower_composite_ops", &id));
    ck_assert_int_eq(id, PASS_LOWER_COMPOSITE_OPS);
    ck_assert(pass_from_name("07_lower_composite_ops", &id)); /* of an older dump */
    ck_assert_int_eq(id, PASS_LOWER_COMPOSITE_OPS);
    ck_assert(!pass_from_name("7_lower_composite_ops", &id));
    ck_assert(!pass_from_name("", &id));
    ck_assert_str_eq(pass_info(PASS_PARSED)->file, "00_parsed");
    ck_assert_str_eq(pass_info(PASS_FINAL)->file, "16_final");
}
END_TEST

START_TEST(every_pass_runs_in_order_and_the_hook_sees_the_stage_at_hand_first)
{
    copy_kernel();
    Seen s = {.fail_at = PASS_COUNT};
    ck_assert(passes_run(t.p, &(PassOptions){true, PASS_FINAL, see, &s}));
    ck_assert_uint_eq(s.n, PASS_COUNT - PASS_SPECIALIZE);
    for (uint32_t i = 0; i < s.n; i++)
        ck_assert_int_eq(s.seen[i], PASS_SPECIALIZE + i);
    ck_assert(t.p->properties & PROP_PLACED);
}
END_TEST

START_TEST(stops_where_asked_and_goes_on_from_there)
{
    copy_kernel();
    Seen s = {.fail_at = PASS_COUNT};
    ck_assert(passes_run(t.p, &(PassOptions){true, PASS_SIMPLIFY, see, &s}));
    ck_assert_uint_eq(t.p->stage, PASS_SIMPLIFY);
    ck_assert_uint_eq(s.n, 5);
    ck_assert(passes_run(t.p, &(PassOptions){true, PASS_FLATTEN_CALLS, see, &s}));
    ck_assert_int_eq(s.seen[5], PASS_SIMPLIFY);
    ck_assert_int_eq(s.seen[6], PASS_FLATTEN_CALLS);
    ck_assert_uint_eq(s.n, 7);
}
END_TEST

START_TEST(a_hook_can_stop)
{
    copy_kernel();
    Seen s = {.fail_at = PASS_CONVERT_TO_SSA};
    ck_assert(!passes_run(t.p, &(PassOptions){true, PASS_FINAL, see, &s}));
    ck_assert_uint_eq(t.p->stage, PASS_CONVERT_TO_SSA);
}
END_TEST

START_TEST(a_missing_property_is_an_internal_error)
{
    copy_kernel();
    t.p->properties = 0;
    ck_assert(!passes_run(t.p, &(PassOptions){true, PASS_FINAL, NULL, NULL}));
    ck_assert(diags_internal(&t.diags));
    ck_assert_str_eq(
        irtest_message(&t),
        "pass inline_unroll needs the property typed, which specialize does not leave");
}
END_TEST

/* What no pass works on is left alone, and looked at in the end. */
START_TEST(a_function_is_left_alone_by_passes_that_find_nothing)
{
    copy_kernel();
    ck_assert(passes_run(t.p, &(PassOptions){true, PASS_FLATTEN_CALLS, NULL, NULL}));
    ck_assert(!func_may_hold(t.f, HOLDS_NESTED | HOLDS_COLLECTIVES | HOLDS_TRANSFERS));
    ck_assert(func_may_hold(t.f, HOLDS_TILES) && func_may_hold(t.f, HOLDS_STORES));
    ck_assert(passes_run(t.p, &(PassOptions){true, PASS_LOWER_TRANSFERS, NULL, NULL}));
    ck_assert(t.f->untouched);
    ck_assert_uint_eq(t.f->verified, t.p->properties);
    ck_assert(passes_run(t.p, &(PassOptions){true, PASS_ALLOCATE_MEMORY, NULL, NULL}));
    ck_assert(!t.f->untouched);
}
END_TEST

/* The verifier names the pass at fault, the function and the op. */
START_TEST(broken_ir_is_blamed_on_its_pass)
{
    copy_kernel();
    t.f->body.at[0]->value->type = type_scalar(t.p->types, DT_INT32);
    ck_assert(!passes_run(t.p, &(PassOptions){true, PASS_FINAL, NULL, NULL}));
    ck_assert(diags_internal(&t.diags));
    ck_assert_ptr_nonnull(strstr(irtest_message(&t), "specialize: in function step"));
    ck_assert_ptr_nonnull(strstr(irtest_message(&t), "pl.tile.store"));
}
END_TEST

START_TEST(the_table_lists_every_pass)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    pass_print_table(out);
    fclose(out);
    for (int i = 0; i < PASS_COUNT; i++)
        ck_assert_ptr_nonnull(strstr(text, pass_info((PassId)i)->file));
    free(text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_manager");
    TCase *tc = tcase_create("manager");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, names_with_and_without_number);
    tcase_add_test(tc, every_pass_runs_in_order_and_the_hook_sees_the_stage_at_hand_first);
    tcase_add_test(tc, stops_where_asked_and_goes_on_from_there);
    tcase_add_test(tc, a_hook_can_stop);
    tcase_add_test(tc, a_missing_property_is_an_internal_error);
    tcase_add_test(tc, a_function_is_left_alone_by_passes_that_find_nothing);
    tcase_add_test(tc, broken_ir_is_blamed_on_its_pass);
    tcase_add_test(tc, the_table_lists_every_pass);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
