/* The passes on a hand-built kernel: what each of them leaves, printed. */
#include "ir/print.h"
#include "ir/verify.h"
#include "lower/pass.h"
#include "tests/irtest.h"
#include "tests/support.h"
#include <stdlib.h>
#include <string.h>

static IrTest t;
static VarId x, y, data, signal_;

static Sym name(const char *text)
{
    return intern(&t.names, text);
}

static Expr *use(VarId v)
{
    return irtest_use(&t, v);
}

static void assign(Builder *b, VarId v, Expr *e)
{
    Stmt *s = stmt_new(t.p, ST_LET, b->loc);
    s->value = e;
    s->n_results = 1;
    s->results = arena_new(&t.arena, VarId);
    s->results[0] = v;
    avec_push(&t.arena, b->block, s);
}

static Builder in(Block *block)
{
    Builder b = t.b;
    b.block = block;
    return b;
}

static Expr *cell(VarId row)
{
    return ex_listv(t.p, use(row), ex_index(t.p, 0), NULL);
}

static Expr *not_me(VarId peer, VarId me)
{
    return ex_scalar(t.p, SC_NE, use(peer), use(me));
}

/* acc = load; notify and wait for all; acc += peers' rows; store: the reduce-scatter kernel by hand. */
static void reduce_kernel(void)
{
    Program *p = t.p;
    Expr *ctx = ex_opv(p, OP_GET_COMM_CTX, 1, use(data));
    VarId me = build_let(&t.b, name("me"), ex_opv(p, OP_RANK, 1, ctx));
    VarId nr = build_let(&t.b, name("nr"), ex_opv(p, OP_NRANKS, 1, ex_opv(p, OP_GET_COMM_CTX, 1, use(data))));
    Expr *whole = ex_opv(p, OP_TILE_LOAD, 3, use(x), irtest_pair(&t, 0, 0), irtest_pair(&t, 1, 64));
    assign(&t.b, data, ex_opv(p, OP_TILE_STORE, 3, whole, cell(me), use(data)));
    Stmt *send = build_for(&t.b, name("peer"), ex_index(p, 0), use(nr));
    Builder b = in(&send->body);
    Stmt *c = build_if(&b, not_me(send->index, me));
    b = in(&c->body);
    Expr *slots[] = {use(signal_), use(send->index), cell(me), ex_int(p, DT_INT32, 1)};
    build_expr(&b, ex_op(p, OP_NOTIFY, slots, 4));
    Stmt *recv = build_for(&t.b, name("src"), ex_index(p, 0), use(nr));
    b = in(&recv->body);
    c = build_if(&b, not_me(recv->index, me));
    b = in(&c->body);
    build_expr(&b, ex_opv(p, OP_WAIT, 3, use(signal_), cell(recv->index), ex_int(p, DT_INT32, 1)));
    Expr *own = ex_opv(p, OP_TILE_LOAD, 3, use(data), cell(me), irtest_pair(&t, 1, 64));
    VarId acc = build_let(&t.b, name("acc"), own);
    Stmt *sum = build_for(&t.b, name("peer"), ex_index(p, 0), use(nr));
    b = in(&sum->body);
    c = build_if(&b, not_me(sum->index, me));
    b = in(&c->body);
    Expr *theirs = ex_opv(p, OP_REMOTE_LOAD, 4, use(data), use(sum->index), cell(me), irtest_pair(&t, 1, 64));
    VarId part = build_let(&b, name("recv"), theirs);
    assign(&b, acc, ex_opv(p, OP_TILE_ADD, 2, use(acc), use(part)));
    assign(&t.b, y, ex_opv(p, OP_TILE_STORE, 3, use(acc), irtest_pair(&t, 0, 0), use(y)));
}

static void setup(void)
{
    irtest_setup(&t);
    x = irtest_param(&t, "x", irtest_matrix(&t, TY_TENSOR, DT_FP32, 1, 64));
    y = irtest_param(&t, "y", irtest_matrix(&t, TY_TENSOR, DT_FP32, 1, 64));
    data = irtest_param(&t, "data", irtest_matrix(&t, TY_DIST, DT_FP32, 4, 64));
    signal_ = irtest_param(&t, "signal", irtest_matrix(&t, TY_DIST, DT_INT32, 4, 1));
    t.p->properties = PROP_TYPED | PROP_INLINED;
}

static void teardown(void)
{
    irtest_teardown(&t);
}

static bool (*const chain[])(Program *p) = {
    pass_convert_to_ssa, pass_simplify, pass_flatten_calls, pass_lower_tensor_ops, pass_lower_transfers,
    pass_materialize_windows, pass_insert_fences, pass_allocate_memory, pass_final};
static const uint32_t produced[] = {PROP_SSA, 0, PROP_FLAT, PROP_TILES, PROP_STAGED,
                                    PROP_WINDOWS, PROP_FENCED, PROP_PLACED, 0};

static void run(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        ck_assert(chain[i](t.p));
        t.p->properties |= produced[i];
        bool clean = ir_verify(t.p, t.p->properties, "test");
        ck_assert_str_eq(irtest_message(&t), "");
        ck_assert(clean);
    }
}

static char *printed(void)
{
    Buf out = {0};
    for (uint32_t i = 0; i < t.p->funcs.len; i++)
        func_number_names(t.p, t.p->funcs.at[i], true);
    for (uint32_t i = 0; i < t.f->body.len; i++)
        ir_print_stmt(&out, t.p, t.f, t.f->body.at[i], 0);
    char *text = arena_strndup(&t.arena, out.at, out.len);
    buf_free(&out);
    return text;
}

START_TEST(ssa)
{
    reduce_kernel();
    run(1);
    puts(printed());
}
END_TEST

START_TEST(all)
{
    reduce_kernel();
    run(9);
    puts(printed());
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_chain");
    TCase *tc = tcase_create("chain");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, ssa);
    tcase_add_test(tc, all);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
