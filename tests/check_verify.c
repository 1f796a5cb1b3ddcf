#include "ir/verify.h"
#include "tests/irtest.h"
#include "tests/support.h"
#include <string.h>

static IrTest t;
static Program *p;
static VarId x, y, signal, n;

static void setup(void)
{
    irtest_setup(&t);
    p = t.p;
    x = irtest_param(&t, "x", irtest_matrix(&t, TY_TENSOR, DT_FP32, 1, 64));
    y = irtest_param(&t, "y", irtest_matrix(&t, TY_TENSOR, DT_FP32, 1, 64));
    signal = irtest_param(&t, "signal", irtest_matrix(&t, TY_DIST, DT_INT32, 4, 1));
    n = irtest_param(&t, "n", type_scalar(p->types, DT_INDEX));
}

static void teardown(void)
{
    irtest_teardown(&t);
}

#define USE(v) irtest_use(&t, (v))
#define SSA (PROP_TYPED | PROP_SSA)

static Sym name(const char *text)
{
    return intern(&t.names, text);
}

static Expr *load(void)
{
    return ex_opv(p, OP_TILE_LOAD, 3, USE(x), irtest_pair(&t, 0, 0), irtest_pair(&t, 1, 64));
}

static Stmt *push(Block *b, StmtKind kind)
{
    Stmt *s = stmt_new(p, kind, (Loc){0});
    avec_push(&t.arena, b, s);
    return s;
}

static Stmt *yield(Block *b, VarId result, Expr *value)
{
    Stmt *s = push(b, ST_YIELD);
    s->n_results = s->n_values = 1;
    s->results = arena_new(&t.arena, VarId);
    s->results[0] = result;
    s->values = arena_new(&t.arena, Expr *);
    s->values[0] = value;
    return s;
}

/* `for i, (acc,) in pl.range(4, init_values=(n,))` with result `out`. */
static Stmt *carried_loop(VarId *acc, VarId *out)
{
    Stmt *s = build_for(&t.b, name("i"), ex_index(p, 0), ex_index(p, 4));
    *acc = func_new_var(p, t.f, name("acc"), type_scalar(p->types, DT_INDEX), (Span){0, 0});
    *out = func_new_var(p, t.f, name("acc"), type_scalar(p->types, DT_INDEX), (Span){0, 0});
    s->n_values = s->n_results = 1;
    s->values = arena_new(&t.arena, Expr *);
    s->values[0] = USE(n);
    s->nest->iters = arena_new(&t.arena, VarId);
    s->nest->iters[0] = *acc;
    s->results = arena_new(&t.arena, VarId);
    s->results[0] = *out;
    return s;
}

#define ck_clean(props) ck_assert_msg(ir_verify(p, (props), "pass"), "%s", irtest_message(&t))
#define ck_broken(props, part)                                                                     \
    do {                                                                                           \
        ck_assert(!ir_verify(p, (props), "pass"));                                                 \
        ck_assert_msg(strstr(irtest_message(&t), part) != NULL, "%s", irtest_message(&t));         \
        ck_assert_msg(strncmp(irtest_message(&t), "pass: in function step: ", 24) == 0, "%s",      \
                      irtest_message(&t));                                                         \
    } while (0)

START_TEST(a_right_program_is_clean)
{
    VarId acc, out;
    VarId tile = build_let(&t.b, name("tile"), load());
    build_expr(&t.b, ex_opv(p, OP_TILE_STORE, 3, USE(tile), irtest_pair(&t, 0, 0), USE(y)));
    Stmt *s = carried_loop(&acc, &out);
    yield(&s->nest->body, out, ex_scalar(p, SC_ADD, USE(acc), USE(s->nest->index)));
    build_let(&t.b, name("last"), USE(out));
    ck_clean(SSA | PROP_FLAT | PROP_TILES | PROP_INLINED | PROP_NO_COMPOSITES | PROP_SIGNALS);
}
END_TEST

START_TEST(use_before_binding)
{
    VarId v = func_new_var(p, t.f, name("v"), type_scalar(p->types, DT_INDEX), (Span){0, 0});
    build_let(&t.b, name("w"), USE(v));
    ck_broken(PROP_TYPED, "variable v is used where no binding reaches");
}
END_TEST

START_TEST(a_loop_body_binds_nothing_outside)
{
    Stmt *s = build_for(&t.b, name("i"), ex_index(p, 0), ex_index(p, 4));
    Builder in = {.p = p, .f = t.f, .block = &s->nest->body};
    VarId v = build_let(&in, name("v"), USE(n));
    build_let(&t.b, name("w"), USE(v));
    ck_broken(PROP_TYPED, "variable v is used");
}
END_TEST

START_TEST(below_ssa_both_arms_bind)
{
    Stmt *s = build_if(&t.b, ex_scalar(p, SC_EQ, USE(n), ex_index(p, 1)));
    Builder in = {.p = p, .f = t.f, .block = &s->nest->body};
    VarId v = build_let(&in, name("v"), USE(n));
    Stmt *other = push(&s->nest->otherwise, ST_LET);
    other->value = ex_index(p, 2);
    other->n_results = 1;
    other->results = &s->nest->body.at[0]->results[0];
    build_let(&t.b, name("w"), USE(v));
    ck_clean(PROP_TYPED);
    ck_broken(SSA, "variable v is bound twice");
}
END_TEST

START_TEST(one_arm_alone_does_not_bind)
{
    Stmt *s = build_if(&t.b, ex_scalar(p, SC_EQ, USE(n), ex_index(p, 1)));
    Builder in = {.p = p, .f = t.f, .block = &s->nest->body};
    VarId v = build_let(&in, name("v"), USE(n));
    build_let(&t.b, name("w"), USE(v));
    ck_broken(PROP_TYPED, "variable v is used");
}
END_TEST

START_TEST(a_carried_value_needs_its_yield)
{
    VarId acc, out;
    carried_loop(&acc, &out);
    ck_broken(SSA, "does not end in the yield");
}
END_TEST

START_TEST(a_yield_names_the_results_of_its_loop)
{
    VarId acc, out;
    Stmt *s = carried_loop(&acc, &out);
    yield(&s->nest->body, acc, USE(acc));
    ck_broken(SSA, "a yield does not match");
}
END_TEST

START_TEST(a_yield_has_the_type_of_its_result)
{
    VarId acc, out;
    Stmt *s = carried_loop(&acc, &out);
    yield(&s->nest->body, out, ex_int(p, DT_INT32, 1));
    ck_broken(SSA, "yield of acc for another type");
}
END_TEST

START_TEST(break_needs_the_yield_before_it)
{
    VarId acc, out;
    Stmt *s = carried_loop(&acc, &out);
    push(&s->nest->body, ST_BREAK);
    ck_broken(SSA, "without the yield of the values its loop carries");
}
END_TEST

START_TEST(break_outside_of_a_loop)
{
    push(&t.f->body, ST_BREAK);
    ck_broken(PROP_TYPED, "break or continue outside of a loop");
}
END_TEST

START_TEST(recorded_types_are_compared)
{
    VarId v = build_let(&t.b, name("v"), load());
    func_var(t.f, v)->type = irtest_matrix(&t, TY_TILE, DT_FP32, 1, 32);
    ck_broken(PROP_TYPED,
              "v is recorded as pl.Tile[[1, 32], pl.FP32], its value is pl.Tile[[1, 64], pl.FP32]");
}
END_TEST

START_TEST(operands_are_inferred_again)
{
    Expr *e = load();
    e->args[2]->args[1]->ival = 128;
    build_let(&t.b, name("v"), e);
    ck_broken(PROP_TYPED, "pl.tile.load needs offsets inside");
}
END_TEST

START_TEST(a_placed_tile_is_still_its_type)
{
    VarId v = build_let(&t.b, name("v"), load());
    func_var(t.f, v)->type = type_placed(p->types, func_var(t.f, v)->type, MEM_VEC, 64);
    ck_clean(SSA | PROP_FLAT | PROP_PLACED);
    func_var(t.f, v)->type = type_placed(p->types, func_var(t.f, v)->type, MEM_UNSET, -1);
    ck_broken(SSA | PROP_FLAT | PROP_PLACED, "property placed: v has no address");
}
END_TEST

START_TEST(returns_match_the_declaration)
{
    push(&t.f->body, ST_RETURN);
    t.f->result = func_var(t.f, y)->type;
    ck_broken(PROP_TYPED, "returns 0 values of 1");
}
END_TEST

START_TEST(flat_code_nests_no_ops)
{
    Expr *add = ex_opv(p, OP_TILE_NEG, 1, load());
    build_let(&t.b, name("v"), add);
    ck_clean(SSA);
    ck_broken(SSA | PROP_FLAT, "property flat: pl.tile.load stands inside another expression");
}
END_TEST

START_TEST(properties_of_ops)
{
    build_expr(&t.b, ex_opv(p, OP_BARRIER, 1, USE(signal)));
    ck_clean(SSA | PROP_FLAT | PROP_NO_HOST_COLLECTIVES);
    ck_broken(SSA | PROP_NO_COMPOSITES,
              "property no_composites: pld.tensor.barrier is left in InCore code");
}
END_TEST

START_TEST(tensor_arithmetic_is_gone)
{
    build_let(&t.b, name("v"), ex_opv(p, OP_TENSOR_ADD, 2, USE(x), USE(y)));
    ck_broken(SSA | PROP_TILES, "property tiles: pl.tensor.add is left");
}
END_TEST

START_TEST(transfers_are_staged)
{
    VarId data = irtest_param(&t, "data", irtest_matrix(&t, TY_DIST, DT_FP32, 1, 64));
    build_expr(&t.b, ex_opv(p, OP_PUT, 3, USE(data), ex_index(p, 0), USE(x)));
    ck_broken(SSA | PROP_STAGED, "property staged: pld.tensor.put has no staging tiles");
}
END_TEST

START_TEST(unrolling_and_inlining_are_done)
{
    Stmt *s = build_for(&t.b, name("i"), ex_index(p, 0), ex_index(p, 4));
    s->nest->loop = LOOP_UNROLL;
    ck_broken(SSA | PROP_INLINED, "property inlined: pl.unroll is left");
}
END_TEST

START_TEST(levels_hold_for_calls)
{
    t.f->kind = FN_HOST;
    build_expr(&t.b, ex_call(p, t.f, NULL, 0, NULL));
    ck_broken(PROP_TYPED, "which this level cannot call");
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("verify");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_right_program_is_clean);
    tcase_add_test(tc, use_before_binding);
    tcase_add_test(tc, a_loop_body_binds_nothing_outside);
    tcase_add_test(tc, below_ssa_both_arms_bind);
    tcase_add_test(tc, one_arm_alone_does_not_bind);
    tcase_add_test(tc, a_carried_value_needs_its_yield);
    tcase_add_test(tc, a_yield_names_the_results_of_its_loop);
    tcase_add_test(tc, a_yield_has_the_type_of_its_result);
    tcase_add_test(tc, break_needs_the_yield_before_it);
    tcase_add_test(tc, break_outside_of_a_loop);
    tcase_add_test(tc, recorded_types_are_compared);
    tcase_add_test(tc, operands_are_inferred_again);
    tcase_add_test(tc, a_placed_tile_is_still_its_type);
    tcase_add_test(tc, returns_match_the_declaration);
    tcase_add_test(tc, flat_code_nests_no_ops);
    tcase_add_test(tc, properties_of_ops);
    tcase_add_test(tc, tensor_arithmetic_is_gone);
    tcase_add_test(tc, transfers_are_staged);
    tcase_add_test(tc, unrolling_and_inlining_are_done);
    tcase_add_test(tc, levels_hold_for_calls);
    Suite *suite = suite_create("verify");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
