#include "ir/build.h"
#include "tests/support.h"
#include <stdlib.h>
#include <string.h>

static Arena arena;
static Interner names;
static Program program;
static Func *f;

static void setup(void)
{
    arena = (Arena){0};
    names = (Interner){0};
    program = (Program){.arena = &arena, .in = &names, .types = type_table_new(&arena)};
    f = arena_new(&arena, Func);
}

static void teardown(void)
{
    interner_free(&names);
    arena_free(&arena);
}

static VarId new_var(const char *base)
{
    return func_new_var(&program, f, intern(&names, base), type_scalar(program.types, DT_INDEX),
                        (Span){0, 0});
}

static Stmt *new_stmt(StmtKind kind, Block *block)
{
    Stmt *s = stmt_new(&program, kind, (Loc){0});
    avec_push(&arena, block, s);
    return s;
}

static void bind(Stmt *s, VarId v)
{
    s->results = arena_new_n(&arena, VarId, 1);
    s->results[0] = v;
    s->n_results = 1;
}

static void let(const char *base)
{
    bind(new_stmt(ST_LET, &f->body), new_var(base));
}

/* Lets for the names separated by blanks. */
static void lets(const char *text)
{
    for (const char *at = text; *at; at += strcspn(at, " "), at += *at == ' ')
        let(intern_n(&names, at, strcspn(at, " ")));
}

static const char *shown(bool base)
{
    Buf out = {0};
    for (uint32_t i = 0; i < f->vars.len; i++) {
        const Var *var = &f->vars.at[i];
        buf_printf(&out, "%s%s", i ? " " : "", base ? var->base : var->display);
    }
    const char *text = arena_strndup(&arena, out.at ? out.at : "", out.len);
    buf_free(&out);
    return text;
}

START_TEST(before_ssa_names_are_bases)
{
    lets("acc acc x acc");
    func_number_names(&program, f, false);
    ck_assert_str_eq(shown(false), "acc acc x acc");
}
END_TEST

START_TEST(versions_are_numbered_per_base)
{
    lets("acc acc x acc x");
    func_number_names(&program, f, true);
    ck_assert_str_eq(shown(false), "acc acc_1 x acc_2 x_1");
}
END_TEST

START_TEST(versions_skip_names_of_the_user)
{
    lets("acc acc acc_1 acc acc_1");
    func_number_names(&program, f, true);
    ck_assert_str_eq(shown(false), "acc acc_2 acc_1 acc_3 acc_1_1");
}
END_TEST

START_TEST(versions_skip_dynamic_extents)
{
    avec_push(&arena, &program.extents, intern(&names, "n_1"));
    lets("n n");
    func_number_names(&program, f, true);
    ck_assert_str_eq(shown(false), "n n_2");
    func_settle_names(&program, f);
    ck_assert_str_eq(shown(true), "n n");
}
END_TEST

START_TEST(variables_that_do_not_appear_take_no_number)
{
    lets("acc");
    new_var("acc_1");
    new_var("acc");
    lets("acc");
    func_number_names(&program, f, true);
    ck_assert_str_eq(shown(false), "acc acc_1 acc acc_1");
}
END_TEST

/* for i, (acc_1,): r = pl.yield_(...)   then both arms of an if bind one name */
START_TEST(loops_and_branches_count_in_the_order_of_the_text)
{
    lets("acc");
    Stmt *loop = new_stmt(ST_FOR, &f->body);
    VarId result = new_var("acc"), inner = new_var("acc"), iter = new_var("acc");
    loop->nest->index = new_var("i");
    loop->n_values = 1;
    loop->values = arena_new_n(&arena, Expr *, 1);
    loop->nest->iters = arena_new_n(&arena, VarId, 1);
    loop->nest->iters[0] = iter;
    bind(loop, result);
    bind(new_stmt(ST_LET, &loop->nest->body), inner);
    bind(new_stmt(ST_YIELD, &loop->nest->body), result);
    Stmt *branch = new_stmt(ST_IF, &f->body);
    VarId joined = new_var("acc");
    bind(branch, joined);
    bind(new_stmt(ST_YIELD, &branch->nest->body), joined);
    bind(new_stmt(ST_LET, &branch->nest->otherwise), new_var("acc"));
    bind(new_stmt(ST_YIELD, &branch->nest->otherwise), joined);
    func_number_names(&program, f, true);
    ck_assert_str_eq(shown(false), "acc acc_3 acc_2 acc_1 i acc_4 acc_5");
}
END_TEST

static const struct {
    const char *text, *bases;
} recovered[] = {
    {"acc acc_1 acc_2", "acc acc acc"},
    {"acc acc_2", "acc acc_2"},
    {"acc_1 acc acc_2", "acc_1 acc acc"},
    {"acc acc_1 acc_1_1", "acc acc acc_1_1"},
    {"acc_1 acc_1_1", "acc_1 acc_1"},
    {"acc acc_01 acc_1", "acc acc_01 acc"},
    {"acc acc_0 acc_", "acc acc_0 acc_"},
    {"acc_1 acc_2", "acc_1 acc_2"},
    {"_1 _1_1", "_1 _1"},
    {"a a_99999999999999999999", "a a_99999999999999999999"},
};

START_TEST(bases_are_recovered)
{
    lets(recovered[_i].text);
    func_recover_bases(&program, f);
    ck_assert_str_eq(shown(true), recovered[_i].bases);
    func_number_names(&program, f, true);
    ck_assert_str_eq(shown(false), recovered[_i].text);
}
END_TEST

/* Whatever the names: they are distinct, and reading and numbering them again changes nothing. */
START_TEST(reading_and_numbering_is_stable)
{
    static const char *const bases[] = {"acc", "acc_1", "acc_2", "acc_3", "acc_1_1", "x"};
    uint32_t seed = 12345u + (uint32_t)_i;
    uint32_t n = 1 + (uint32_t)_i % 12;
    for (uint32_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        let(bases[(seed >> 16) % 6]);
    }
    func_number_names(&program, f, true);
    const char *text = shown(false);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            ck_assert_ptr_ne(f->vars.at[i].display, f->vars.at[k].display);
    func_settle_names(&program, f);
    const char *settled = shown(true);
    func_number_names(&program, f, true);
    ck_assert_str_eq(shown(false), text);
    func_settle_names(&program, f);
    ck_assert_str_eq(shown(true), settled);
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("names");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, before_ssa_names_are_bases);
    tcase_add_test(tc, versions_are_numbered_per_base);
    tcase_add_test(tc, versions_skip_names_of_the_user);
    tcase_add_test(tc, versions_skip_dynamic_extents);
    tcase_add_test(tc, variables_that_do_not_appear_take_no_number);
    tcase_add_test(tc, loops_and_branches_count_in_the_order_of_the_text);
    tcase_add_loop_test(tc, bases_are_recovered, 0, sizeof recovered / sizeof recovered[0]);
    tcase_add_loop_test(tc, reading_and_numbering_is_stable, 0, 300);
    Suite *suite = suite_create("names");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
