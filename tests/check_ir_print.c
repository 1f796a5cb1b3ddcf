#include "ir/print.h"
#include "parser/parser.h"
#include "tests/irtest.h"
#include "tests/support.h"
#include <stdlib.h>
#include <string.h>

static IrTest t;
static VarId n, m, flag; /* INT32, INDEX, BOOL parameters */

static void setup(void)
{
    irtest_setup(&t);
    n = irtest_param(&t, "n", type_scalar(t.p->types, DT_INT32));
    m = irtest_param(&t, "m", type_scalar(t.p->types, DT_INDEX));
    flag = irtest_param(&t, "flag", type_scalar(t.p->types, DT_BOOL));
}

static void teardown(void)
{
    irtest_teardown(&t);
}

static Expr *use(VarId v)
{
    return irtest_use(&t, v);
}

static Expr *i32(int64_t v)
{
    return ex_int(t.p, DT_INT32, v);
}

static Expr *index_(int64_t v)
{
    return ex_index(t.p, v);
}

static Expr *sc(ScalarOp op, Expr *a, Expr *b)
{
    return ex_scalar(t.p, op, a, b);
}

static void ck_expr(const Expr *e, const char *want)
{
    Buf out = {0};
    ir_print_expr(&out, t.p, t.f, e);
    ck_assert_str_eq(out.at, want);
    /* The canonical spelling of what it parses as is the text itself. */
    const Source *src = source_from_bytes(&t.arena, "e", out.at, out.len);
    Ast *tree = parse_expression(&t.arena, &t.names, src, &t.diags);
    ck_assert_str_eq(irtest_message(&t), "");
    buf_clear(&out);
    ast_print_expr(&out, tree);
    ck_assert_str_eq(out.at, want);
    buf_free(&out);
}

static void ck_program(bool ssa, bool locs, const char *pass, const char *want)
{
    Buf out = {0};
    ir_print(&out, t.p, &(PrintOptions){.ssa = ssa, .locs = locs, .pass = pass});
    ck_assert_str_eq(out.at, want);
    buf_free(&out);
}

START_TEST(parentheses_follow_precedence)
{
    Expr *sum = sc(SC_ADD, use(m), index_(1));
    ck_expr(sum, "m + 1");
    ck_expr(sc(SC_MUL, sum, index_(2)), "(m + 1) * 2");
    ck_expr(sc(SC_SUB, use(m), sc(SC_SUB, use(m), index_(1))), "m - (m - 1)");
    ck_expr(sc(SC_SUB, sc(SC_SUB, use(m), index_(1)), use(m)), "m - 1 - m");
    ck_expr(sc(SC_NEG, sum, NULL), "-(m + 1)");
    ck_expr(sc(SC_NEG, sc(SC_NEG, use(m), NULL), NULL), "--m");
    ck_expr(sc(SC_INVERT, sc(SC_NEG, use(m), NULL), NULL), "~-m");
    ck_expr(sc(SC_SHL, index_(1), sc(SC_ADD, use(m), index_(1))), "1 << m + 1");
    ck_expr(sc(SC_BITXOR, use(m), sc(SC_SHL, use(m), index_(2))), "m ^ m << 2");
    ck_expr(sc(SC_MIN, sum, index_(4)), "pl.min(m + 1, 4)");
}
END_TEST

START_TEST(comparisons_are_never_chained)
{
    Expr *less = sc(SC_LT, use(m), index_(4));
    ck_expr(less, "m < 4");
    ck_expr(sc(SC_EQ, less, use(flag)), "(m < 4) == flag");
    ck_expr(sc(SC_EQ, use(flag), less), "flag == (m < 4)");
    ck_expr(sc(SC_NOT, less, NULL), "not m < 4");
    ck_expr(sc(SC_EQ, sc(SC_NOT, use(flag), NULL), use(flag)), "(not flag) == flag");
    ck_expr(sc(SC_AND, sc(SC_OR, less, use(flag)), less), "(m < 4 or flag) and m < 4");
    ck_expr(sc(SC_AND, sc(SC_AND, use(flag), use(flag)), use(flag)), "flag and flag and flag");
    ck_expr(sc(SC_AND, use(flag), sc(SC_AND, use(flag), use(flag))), "flag and (flag and flag)");
}
END_TEST

START_TEST(conditional_expressions)
{
    Expr *choice = ex_select(t.p, use(flag), use(m), index_(0));
    ck_expr(choice, "m if flag else 0");
    ck_expr(sc(SC_ADD, choice, index_(1)), "(m if flag else 0) + 1");
    ck_expr(ex_select(t.p, use(flag), choice, choice),
            "(m if flag else 0) if flag else m if flag else 0");
    ck_expr(ex_select(t.p, use(flag), i32(1), i32(2)), "pl.const(1, pl.INT32) if flag else 2");
}
END_TEST

START_TEST(constants_are_bare_where_their_type_comes_back)
{
    ck_expr(sc(SC_ADD, use(n), i32(-1)), "n + -1");
    ck_expr(sc(SC_ADD, use(n), index_(1)), "n + pl.const(1, pl.INDEX)");
    ck_expr(sc(SC_SUB, i32(0), use(n)), "0 - n");
    ck_expr(sc(SC_FLOORDIV, i32(1), i32(0)), "pl.const(1, pl.INT32) // 0");
    ck_expr(sc(SC_MAX, use(n), index_(1)), "pl.max(n, pl.const(1, pl.INDEX))");
    ck_expr(sc(SC_AND, use(flag), ex_bool(t.p, true)), "flag and pl.const(True, pl.BOOL)");
    ck_expr(ex_cast(t.p, DT_INT32, use(m)), "pl.cast(m, pl.INT32)");
    ck_expr(i32(5), "pl.const(5, pl.INT32)");
    ck_expr(index_(INT64_MIN), "pl.const(-9223372036854775808, pl.INDEX)");
}
END_TEST

static VarId memory(const char *name, TypeKind kind)
{
    return irtest_param(&t, name, irtest_matrix(&t, kind, DT_INT32, -1, 64));
}

START_TEST(operands_follow_the_table)
{
    VarId x = memory("x", TY_TENSOR), data = memory("data", TY_DIST);
    Expr *offsets = irtest_pair(&t, 0, 0);
    Expr *load = ex_opv(t.p, OP_TILE_LOAD, 3, use(x), offsets, irtest_pair(&t, 1, 64));
    ck_expr(load, "pl.tile.load(x, [0, 0], [1, 64])");
    ck_expr(ex_opv(t.p, OP_TILE_ADD, 2, load, i32(2)),
            "pl.tile.add(pl.tile.load(x, [0, 0], [1, 64]), 2)");
    ck_expr(ex_opv(t.p, OP_NOTIFY, 4, use(data), use(n), irtest_pair(&t, 0, 0), i32(1)),
            "pld.system.notify(data, peer=n, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)");
    ck_expr(ex_opv(t.p, OP_TILE_FULL, 3, irtest_pair(&t, 1, 64), ex_dtype(t.p, DT_FP16),
                   ex_float(t.p, -0.5)),
            "pl.tile.full([1, 64], dtype=pl.FP16, value=-0.5)");
    ck_expr(ex_opv(t.p, OP_PUT, 3, use(data), i32(0), use(x)),
            "pld.tensor.put(data, 0, x, atomic=pld.AtomicType.None_, pipeline=False)");
    Expr *put = ex_opv(t.p, OP_PUT, 6, use(data), i32(0), use(x), irtest_pair(&t, 0, 0),
                       irtest_pair(&t, 0, 0), irtest_pair(&t, 1, 64));
    put->args[3] = NULL; /* after a gap operands need their names */
    ck_expr(put, "pld.tensor.put(data, 0, x, src_offsets=[0, 0], shape=[1, 64], "
                 "atomic=pld.AtomicType.None_, pipeline=False)");
    ck_expr(ex_opv(t.p, OP_WRITE, 3, use(x), irtest_pair(&t, 0, 0), i32(7)),
            "pl.tensor.write(x, [0, 0], 7)");
    ck_assert_str_eq(irtest_message(&t), "");
}
END_TEST

START_TEST(strings_are_escaped)
{
    ck_expr(ex_str(t.p, intern(&t.names, "a\"b\\c\n\x01\xc3\xa9")),
            "\"a\\\"b\\\\c\\n\\x01\xc3\xa9\"");
}
END_TEST

static void bind(Stmt *s, VarId v)
{
    s->results = arena_new_n(&t.arena, VarId, s->n_results + 1);
    s->results[s->n_results++] = v;
}

static Stmt *append(Block *block, StmtKind kind)
{
    Stmt *s = stmt_new(t.p, kind, (Loc){0});
    avec_push(&t.arena, block, s);
    return s;
}

static void set_values(Stmt *s, Expr *value)
{
    s->values = arena_new_n(&t.arena, Expr *, 1);
    s->values[0] = value;
    s->n_values = 1;
}

static VarId index_var(const char *base)
{
    return func_new_var(t.p, t.f, intern(&t.names, base), type_scalar(t.p->types, DT_INDEX),
                        (Span){0, 0});
}

/* A loop that carries acc, with a branch inside. */
static void build_loop(void)
{
    VarId acc = build_let(&t.b, intern(&t.names, "acc"), index_(5));
    Stmt *loop = build_for(&t.b, intern(&t.names, "i"), index_(0), use(n));
    VarId iter = index_var("acc"), result = index_var("acc"), joined = index_var("acc");
    loop->nest->iters = arena_new_n(&t.arena, VarId, 1);
    loop->nest->iters[0] = iter;
    set_values(loop, use(acc));
    bind(loop, result);
    Stmt *branch = append(&loop->nest->body, ST_IF);
    branch->nest->cond = sc(SC_LT, use(loop->nest->index), use(m));
    bind(branch, joined);
    Stmt *then = append(&branch->nest->body, ST_YIELD),
         *other = append(&branch->nest->otherwise, ST_YIELD);
    set_values(then, sc(SC_ADD, use(iter), index_(1)));
    set_values(other, index_(3));
    bind(then, joined);
    bind(other, joined);
    Stmt *yield = append(&loop->nest->body, ST_YIELD);
    set_values(yield, use(joined));
    bind(yield, result);
    Stmt *back = append(&t.f->body, ST_RETURN);
    set_values(back, use(result));
    t.f->result = type_scalar(t.p->types, DT_INDEX);
}

#define HEAD                                                                                       \
    "@pl.program\nclass P:\n    @pl.function(type=pl.FunctionType.InCore)\n    def step(self, "
#define SCALARS "n: pl.Scalar[pl.INT32], m: pl.Scalar[pl.INDEX], flag: pl.Scalar[pl.BOOL]"

START_TEST(loops_and_branches)
{
    build_loop();
    ck_program(true, false, NULL,
               HEAD SCALARS ") -> pl.Scalar[pl.INDEX]:\n"
                            "        acc: pl.Scalar[pl.INDEX] = 5\n"
                            "        for i, (acc_1,) in pl.range(n, init_values=(acc,)):\n"
                            "            if i < m:\n"
                            "                acc_2: pl.Scalar[pl.INDEX] = pl.yield_(acc_1 + 1)\n"
                            "            else:\n"
                            "                acc_2: pl.Scalar[pl.INDEX] = pl.yield_(3)\n"
                            "            acc_3: pl.Scalar[pl.INDEX] = pl.yield_(acc_2)\n"
                            "        return acc_3\n");
}
END_TEST

START_TEST(bounds_are_as_short_as_they_read_back)
{
    static const struct {
        int64_t lo, step;
        LoopKind kind;
        const char *text;
    } cases[] = {
        {0, 1, LOOP_RANGE, "for i in pl.range(m):\n    pass\n"},
        {2, 1, LOOP_PARALLEL, "for i in pl.parallel(2, m):\n    pass\n"},
        {0, -1, LOOP_UNROLL, "for i in pl.unroll(0, m, -1):\n    pass\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Stmt *loop = build_for(&t.b, intern(&t.names, "i"), index_(cases[i].lo), use(m));
        loop->nest->step = index_(cases[i].step);
        loop->nest->loop = cases[i].kind;
        ck_assert_str_eq(irtest_body(&t.arena, t.p, t.f, false), cases[i].text);
        t.f->body.len = 0;
    }
}
END_TEST

START_TEST(an_empty_arm_is_left_out_and_a_typed_condition_decides_nothing)
{
    Stmt *branch = build_if(&t.b, ex_bool(t.p, true));
    append(&branch->nest->body, ST_BREAK);
    append(&branch->nest->otherwise, ST_YIELD);
    ck_program(false, false, NULL,
               HEAD SCALARS "):\n"
                            "        if pl.const(True, pl.BOOL):\n"
                            "            break\n");
}
END_TEST

START_TEST(several_results)
{
    Func *callee = arena_new(&t.arena, Func);
    callee->name = intern(&t.names, "pair");
    callee->kind = FN_INCORE;
    const Type *elems[2] = {type_scalar(t.p->types, DT_INDEX), type_scalar(t.p->types, DT_INT32)};
    callee->result = type_tuple(t.p->types, elems, 2);
    VarId p = func_new_var(t.p, callee, intern(&t.names, "v"), elems[1], (Span){0, 0});
    avec_push(&t.arena, &callee->params, (Param){.var = p});
    Stmt *let = append(&t.f->body, ST_LET);
    let->value = ex_call(t.p, callee, (Expr *[]){i32(4)}, 1, index_(2));
    let->results = arena_new_n(&t.arena, VarId, 2);
    let->results[0] = index_var("a");
    let->results[1] = func_new_var(t.p, t.f, intern(&t.names, "b"), elems[1], (Span){0, 0});
    let->n_results = 2;
    ck_program(false, false, NULL,
               HEAD SCALARS "):\n"
                            "        (a, b): tuple[pl.Scalar[pl.INDEX], pl.Scalar[pl.INT32]] = "
                            "self.pair(4, device=2)\n");
}
END_TEST

START_TEST(the_first_line_names_what_was_bound)
{
    t.p->entry = t.f;
    t.f->kind = FN_HOST;
    t.f->params.len = 0;
    Sym size = intern(&t.names, "SIZE"), nr = intern(&t.names, "nr");
    avec_push(&t.arena, &t.p->bindings, (Binding){size, intern(&t.names, "64"), false});
    avec_push(&t.arena, &t.p->bindings, (Binding){nr, intern(&t.names, "4"), true});
    avec_push(&t.arena, &t.p->bindings,
              (Binding){intern(&t.names, "mode"), intern(&t.names, "\"hand\""), false});
    avec_push(&t.arena, &t.p->extents, intern(&t.names, "NR"));
    VarId x = memory("x", TY_TENSOR);
    t.f->params.at[t.f->params.len - 1] = (Param){.var = x, .dir = DIR_OUT};
    ck_program(true, false, "05_simplify",
               "# pld-ir 05_simplify ranks=4 SIZE=64 nr=ranks mode=\"hand\" "
               "platform=a2a3sim program=P entry=step\n"
               "NR = pl.dynamic(\"NR\")\n"
               "\n"
               "@pl.program\n"
               "class P:\n"
               "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
               "    def step(self, x: pl.Out[pl.Tensor[[NR, 64], pl.INT32]]):\n"
               "        pass\n");
}
END_TEST

START_TEST(places_are_printed_when_they_change)
{
    t.f->params.len = 0;
    t.p->src = source_from_bytes(&t.arena, "k.pld", "one\n  two\n", 10);
    t.b.loc.span = (Span){0, 3};
    build_let(&t.b, intern(&t.names, "a"), index_(1));
    build_let(&t.b, intern(&t.names, "b"), index_(2));
    t.b.loc.span = (Span){6, 9};
    build_let(&t.b, intern(&t.names, "c"), index_(3));
    t.b.loc.span = (Span){0, 0};
    build_let(&t.b, intern(&t.names, "d"), index_(4));
    t.b.loc = (Loc){.far = &(FarPlace){"o.pld", 7, 9}};
    build_let(&t.b, intern(&t.names, "e"), index_(5));
    Buf out = {0};
    ir_print(&out, t.p, &(PrintOptions){.locs = true});
    ck_assert_ptr_nonnull(strstr(out.at, "def step(self):\n"
                                         "        pld.loc(\"k.pld\", 1, 1)\n"
                                         "        a: pl.Scalar[pl.INDEX] = 1\n"
                                         "        b: pl.Scalar[pl.INDEX] = 2\n"
                                         "        pld.loc(\"k.pld\", 2, 3)\n"
                                         "        c: pl.Scalar[pl.INDEX] = 3\n"
                                         "        d: pl.Scalar[pl.INDEX] = 4\n"
                                         "        pld.loc(\"o.pld\", 7, 9)\n"
                                         "        e: pl.Scalar[pl.INDEX] = 5\n"));
    buf_free(&out);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("print");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, parentheses_follow_precedence);
    tcase_add_test(tc, comparisons_are_never_chained);
    tcase_add_test(tc, conditional_expressions);
    tcase_add_test(tc, constants_are_bare_where_their_type_comes_back);
    tcase_add_test(tc, operands_follow_the_table);
    tcase_add_test(tc, strings_are_escaped);
    tcase_add_test(tc, loops_and_branches);
    tcase_add_test(tc, bounds_are_as_short_as_they_read_back);
    tcase_add_test(tc, an_empty_arm_is_left_out_and_a_typed_condition_decides_nothing);
    tcase_add_test(tc, several_results);
    tcase_add_test(tc, the_first_line_names_what_was_bound);
    tcase_add_test(tc, places_are_printed_when_they_change);
    Suite *suite = suite_create("ir_print");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
