/* Whose memory a value is: joins, views, loops, and uses that flow to all it may be. */
#include "ir/alias.h"
#include "tests/irtest.h"
#include "tests/support.h"

static IrTest t;
static AliasGraph g;

static void setup(void)
{
    irtest_setup(&t);
    g = alias_graph(&t.arena);
}

static void teardown(void)
{
    irtest_teardown(&t);
}

static bool is_source_of(AliasNode n, AliasNode source)
{
    AliasNodes sources = {0};
    bool found = false;
    alias_sources(&g, n, &sources);
    for (uint32_t i = 0; i < sources.len; i++)
        found = found || sources.at[i] == source;
    vec_free(&sources);
    return found;
}

START_TEST(a_join_of_one_memory_is_that_memory)
{
    AliasNode a = alias_source(&g, 0, ALIAS_NONE), outer = alias_join(&g), inner = alias_join(&g);
    alias_flow(&g, outer, a);
    alias_flow(&g, inner, outer);
    alias_flow(&g, inner, inner);
    alias_flow(&g, outer, inner);
    alias_solve(&g);
    ck_assert_uint_eq(g.nodes.at[inner].value, a);
    ck_assert_uint_eq(g.nodes.at[outer].value, a);
}
END_TEST

START_TEST(a_join_of_two_is_neither_whatever_the_order)
{
    AliasNode a = alias_source(&g, 0, ALIAS_NONE), b = alias_source(&g, 1, ALIAS_NONE);
    AliasNode ab = alias_either(&g, a, b), ba = alias_either(&g, b, a);
    alias_solve(&g);
    ck_assert_uint_eq(g.nodes.at[ab].value, ALIAS_JOIN);
    ck_assert_uint_eq(g.nodes.at[ba].value, ALIAS_JOIN);
    ck_assert(is_source_of(ab, a) && is_source_of(ab, b));
    ck_assert(is_source_of(ba, a) && is_source_of(ba, b));
}
END_TEST

START_TEST(what_the_second_round_of_a_loop_brings_counts)
{
    AliasNode a = alias_source(&g, 0, ALIAS_NONE), b = alias_source(&g, 1, ALIAS_NONE);
    AliasNode first = alias_join(&g), second = alias_join(&g);
    alias_flow(&g, first, a);
    alias_flow(&g, second, a);
    alias_flow(&g, first, second); /* the iteration exchanges them */
    alias_flow(&g, second, b);
    alias_solve(&g);
    ck_assert_uint_eq(g.nodes.at[first].value, ALIAS_JOIN);
    ck_assert(is_source_of(first, a) && is_source_of(first, b));
}
END_TEST

START_TEST(two_views_of_a_memory_are_two_values_of_one_root)
{
    AliasNode buffer = alias_source(&g, 0, ALIAS_NONE);
    AliasNode a = alias_source(&g, 1, buffer), b = alias_source(&g, 2, buffer);
    AliasNode either = alias_either(&g, a, b);
    alias_solve(&g);
    ck_assert_uint_eq(g.nodes.at[a].value, a);
    ck_assert_uint_eq(g.nodes.at[either].value, ALIAS_JOIN);
    ck_assert_uint_eq(g.nodes.at[either].root, buffer);
    ck_assert(is_source_of(either, buffer) && !is_source_of(either, a));
}
END_TEST

START_TEST(uses_flow_to_all_that_a_value_may_be)
{
    AliasNode buffer = alias_source(&g, 0, ALIAS_NONE), a = alias_source(&g, 1, buffer);
    AliasNode b = alias_source(&g, 2, ALIAS_NONE), other = alias_source(&g, 3, ALIAS_NONE);
    AliasNode n = alias_either(&g, a, b);
    Sym by = intern(&t.names, "notify");
    alias_use(&g, n, USE_WRITE | USE_SIGNAL, (AliasPlace){.span = {3, 7}, .by = by});
    alias_use(&g, other, USE_READ, (AliasPlace){.by = by});
    alias_solve(&g);
    ck_assert_uint_eq(g.nodes.at[buffer].uses, USE_WRITE | USE_SIGNAL);
    ck_assert_uint_eq(g.nodes.at[b].uses, USE_WRITE | USE_SIGNAL);
    ck_assert_uint_eq(g.nodes.at[b].write.span.begin, 3);
    ck_assert_ptr_eq(g.nodes.at[b].write.by, by);
    ck_assert_uint_eq(g.nodes.at[other].uses, USE_READ);
}
END_TEST

START_TEST(a_memory_that_nobody_knows_is_no_known_one)
{
    AliasNode a = alias_source(&g, 0, ALIAS_NONE), n = alias_either(&g, a, ALIAS_NONE);
    alias_solve(&g);
    ck_assert_uint_eq(g.nodes.at[n].value, ALIAS_JOIN);
    ck_assert(is_source_of(n, a) && is_source_of(n, ALIAS_NONE));
}
END_TEST

/* x = store(..., x) in the function at hand; the arms of an if take x or y. */
START_TEST(results_of_an_if_are_what_its_arms_yield)
{
    VarId x = irtest_param(&t, "x", irtest_matrix(&t, TY_TENSOR, DT_FP32, 1, 64));
    VarId y = irtest_param(&t, "y", irtest_matrix(&t, TY_TENSOR, DT_FP32, 1, 64));
    Expr *write = ex_opv(t.p, OP_WRITE, 3, irtest_use(&t, x), irtest_pair(&t, 0, 0),
                         ex_int(t.p, DT_INT32, 1));
    VarId newer = build_let(&t.b, intern(&t.names, "x"), write);
    Stmt *s = build_if(&t.b, ex_bool(t.p, true));
    VarId result = func_new_var(t.p, t.f, intern(&t.names, "z"), func_var(t.f, x)->type, (Span){0});
    s->n_results = 1;
    s->results = &result;
    Expr *values[2] = {irtest_use(&t, newer), irtest_use(&t, y)};
    for (uint32_t i = 0; i < 2; i++) {
        Stmt *yield = stmt_new(t.p, ST_YIELD, (Loc){0});
        yield->n_results = yield->n_values = 1;
        yield->results = &result;
        yield->values = &values[i];
        avec_push(&t.arena, i ? &s->nest->otherwise : &s->nest->body, yield);
    }
    Aliases all = {.p = t.p};
    FuncAlias *a = alias_of(&all, t.f);
    ck_assert_uint_eq(alias_value(a, newer), alias_node(a, x));
    ck_assert(alias_is_one(a, newer) && !alias_is_one(a, result));
    ck_assert_uint_ne(alias_value(a, result), alias_value(a, x));
    ck_assert_uint_ne(alias_value(a, result), alias_value(a, y));
    ck_assert_uint_eq(alias_uses(a, x), USE_WRITE | USE_DATA);
    ck_assert_uint_eq(alias_uses(a, y), 0);
    alias_free(&all);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("alias");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, a_join_of_one_memory_is_that_memory);
    tcase_add_test(c, a_join_of_two_is_neither_whatever_the_order);
    tcase_add_test(c, what_the_second_round_of_a_loop_brings_counts);
    tcase_add_test(c, two_views_of_a_memory_are_two_values_of_one_root);
    tcase_add_test(c, uses_flow_to_all_that_a_value_may_be);
    tcase_add_test(c, a_memory_that_nobody_knows_is_no_known_one);
    tcase_add_test(c, results_of_an_if_are_what_its_arms_yield);
    Suite *suite = suite_create("alias");
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
