#include "ir/type.h"
#include "tests/support.h"
#include <stdio.h>
#include <stdlib.h>

static Arena arena;
static Interner names;
static TypeTable *tt;

static void setup(void)
{
    arena = (Arena){0};
    names = (Interner){0};
    tt = type_table_new(&arena);
}

static void teardown(void)
{
    interner_free(&names);
    arena_free(&arena);
}

static const Dim *num(int64_t v)
{
    return dim_const(tt, v);
}

static const Dim *var(const char *name)
{
    return dim_name(tt, intern(&names, name));
}

#define ck_dim(d, text) ck_assert_str_eq(dim_text(&arena, d), text)

START_TEST(equal_polynomials_are_one_dim)
{
    const Dim *nr = var("NR"), *a = var("A");
    const Dim *left = dim_sub(tt, dim_mul(tt, num(2), nr), num(2));
    const Dim *right = dim_mul(tt, num(2), dim_sub(tt, nr, num(1)));
    ck_assert_ptr_eq(left, right);
    ck_dim(left, "2 * NR - 2");
    ck_assert_ptr_eq(dim_mul(tt, a, nr), dim_mul(tt, nr, a));
    ck_assert_ptr_eq(dim_sub(tt, nr, nr), num(0));
    ck_dim(num(0), "0");
}
END_TEST

START_TEST(terms_are_sorted_by_degree_then_text)
{
    const Dim *a = var("A"), *b = var("B");
    const Dim *d = dim_add(tt, num(7), dim_add(tt, b, a));
    d = dim_add(tt, d, dim_mul(tt, b, dim_mul(tt, a, num(-3))));
    d = dim_add(tt, d, dim_mul(tt, a, a));
    ck_dim(d, "A * A - 3 * A * B + A + B + 7");
    ck_dim(dim_sub(tt, num(1), a), "-A + 1");
}
END_TEST

START_TEST(opaque_atoms_print_with_the_parentheses_they_need)
{
    const Dim *nr = var("NR");
    const Dim *half = dim_atom(tt, DIM_FLOORDIV, nr, num(2));
    ck_dim(half, "NR // 2");
    ck_dim(dim_add(tt, half, num(1)), "NR // 2 + 1");
    ck_dim(dim_mul(tt, num(3), half), "3 * (NR // 2)");
    ck_dim(dim_sub(tt, num(0), half), "-(NR // 2)");
    ck_dim(dim_atom(tt, DIM_MOD, dim_add(tt, nr, num(1)), dim_add(tt, nr, num(2))),
           "(NR + 1) % (NR + 2)");
    ck_dim(dim_atom(tt, DIM_FLOORDIV, dim_mul(tt, num(2), nr), num(3)), "2 * NR // 3");
    ck_dim(dim_atom(tt, DIM_FLOORDIV, half, half), "1");
    ck_dim(dim_atom(tt, DIM_FLOORDIV, num(8), half), "8 // (NR // 2)");
    ck_assert_ptr_eq(dim_atom(tt, DIM_MIN, nr, num(4)), dim_atom(tt, DIM_MIN, num(4), nr));
    ck_dim(dim_atom(tt, DIM_MIN, nr, num(4)), "pl.min(4, NR)");
}
END_TEST

START_TEST(opaque_atoms_fold)
{
    const Dim *nr = var("NR"), *size = var("SIZE");
    ck_assert_ptr_eq(dim_atom(tt, DIM_FLOORDIV, num(-7), num(2)), num(-4));
    ck_assert_ptr_eq(dim_atom(tt, DIM_MOD, num(-7), num(2)), num(1));
    ck_assert_ptr_null(dim_atom(tt, DIM_MOD, nr, num(0)));
    ck_assert_ptr_eq(dim_atom(tt, DIM_FLOORDIV, dim_mul(tt, nr, size), size), nr);
    ck_assert_ptr_eq(dim_atom(tt, DIM_MOD, dim_mul(tt, nr, num(6)), num(3)), num(0));
    ck_assert_ptr_eq(dim_atom(tt, DIM_MAX, nr, dim_add(tt, nr, num(1))), dim_add(tt, nr, num(1)));
    ck_assert_ptr_eq(dim_atom(tt, DIM_MIN, nr, dim_add(tt, nr, num(1))), nr);
}
END_TEST

START_TEST(overflow_gives_null)
{
    const Dim *nr = var("NR"), *power = nr;
    ck_assert_ptr_null(dim_add(tt, num(INT64_MAX), num(1)));
    ck_assert_ptr_null(dim_mul(tt, num(INT64_MAX), num(2)));
    ck_assert_ptr_null(num(INT64_MIN));
    for (int i = 1; i < 6; i++)
        ck_assert_ptr_nonnull(power = dim_mul(tt, power, nr));
    ck_assert_ptr_null(dim_mul(tt, power, nr));
    ck_assert_ptr_null(dim_add(tt, NULL, nr));
}
END_TEST

START_TEST(nesting_is_bounded)
{
    const Dim *d = var("NR");
    for (int i = 3; i < 100000 && d; i++)
        d = dim_atom(tt, DIM_FLOORDIV, dim_add(tt, d, num(1)), num(i));
    ck_assert_ptr_null(d);
}
END_TEST

static const Dim *nr_is_5(void *env, Sym name)
{
    return name == (Sym)env ? num(5) : NULL;
}

static const Dim *nr_is_m_plus_1(void *env, Sym name)
{
    return name == (Sym)env ? dim_add(tt, var("M"), num(1)) : NULL;
}

START_TEST(substitution)
{
    const Dim *nr = var("NR");
    Sym sym = intern(&names, "NR");
    const Dim *d = dim_add(tt, dim_mul(tt, nr, nr), dim_atom(tt, DIM_FLOORDIV, nr, num(2)));
    ck_dim(dim_subst(tt, d, nr_is_5, (void *)(uintptr_t)sym), "27");
    ck_assert_ptr_null(
        dim_subst(tt, dim_mul(tt, num(INT64_MAX), nr), nr_is_5, (void *)(uintptr_t)sym));
    const Dim *s = dim_subst(tt, d, nr_is_m_plus_1, (void *)(uintptr_t)sym);
    ck_dim(s, "M * M + (M + 1) // 2 + 2 * M + 1");
    SymList list = {0};
    dim_names(dim_mul(tt, s, var("K")), &list);
    ck_assert_uint_eq(list.len, 2);
    ck_assert_str_eq(list.at[0], "K");
    vec_free(&list);
}
END_TEST

static const Type *shaped(TypeKind kind, Dtype dtype, const Dim *rows, const Dim *cols)
{
    return type_shaped(tt, kind, dtype, 2, (const Dim *[]){rows, cols});
}

START_TEST(types_are_interned_and_print_as_source)
{
    const Type *t = shaped(TY_TENSOR, DT_FP32, var("NR"), num(64));
    ck_assert_ptr_eq(t, shaped(TY_TENSOR, DT_FP32, var("NR"), num(64)));
    ck_assert_ptr_ne(t, shaped(TY_DIST, DT_FP32, var("NR"), num(64)));
    ck_assert_str_eq(type_text(&arena, t), "pl.Tensor[[NR, 64], pl.FP32]");
    ck_assert_str_eq(type_text(&arena, shaped(TY_DIST, DT_INT32, num(1), num(0))),
                     "pld.DistributedTensor[[1, 0], pl.INT32]");
    const Type *tile = shaped(TY_TILE, DT_FP16, num(1), num(20));
    const Type *placed = type_placed(tt, tile, MEM_VEC, 1024);
    ck_assert_str_eq(type_text(&arena, placed), "pl.Tile[[1, 20], pl.FP16, pl.Mem.Vec, 1024]");
    ck_assert_ptr_eq(type_placed(tt, placed, MEM_UNSET, -1), tile);
    const Type *pair = type_tuple(tt, (const Type *[]){t, type_scalar(tt, DT_INDEX)}, 2);
    ck_assert_str_eq(type_text(&arena, pair),
                     "tuple[pl.Tensor[[NR, 64], pl.FP32], pl.Scalar[pl.INDEX]]");
    ck_assert_ptr_eq(type_simple(tt, TY_CTX), type_simple(tt, TY_CTX));
    ck_assert_str_eq(type_text(&arena, type_none(tt)), "None");
}
END_TEST

START_TEST(sizes_are_checked)
{
    int64_t v;
    ck_assert(type_bytes(shaped(TY_TENSOR, DT_FP32, num(3), num(5)), &v));
    ck_assert_int_eq(v, 60);
    ck_assert(!type_bytes(shaped(TY_TENSOR, DT_FP32, var("NR"), num(5)), &v));
    ck_assert(!type_elements(shaped(TY_TENSOR, DT_INT8, num(INT64_MAX), num(2)), &v));
    ck_assert(!type_bytes(shaped(TY_TENSOR, DT_FP32, num(INT64_MAX / 2), num(1)), &v));
    ck_assert(type_elements(shaped(TY_DIST, DT_INT8, num(0), num(2)), &v));
    ck_assert_int_eq(v, 0);
    ck_assert(tile_core_bytes(shaped(TY_TILE, DT_FP16, num(3), num(20)), 32, &v));
    ck_assert_int_eq(v, 3 * 64);
    ck_assert(!tile_core_bytes(shaped(TY_TILE, DT_FP16, num(3), num(INT64_MAX / 2)), 32, &v));
}
END_TEST

START_TEST(many_types_stay_distinct)
{
    const Type *made[2000];
    for (int i = 0; i < 2000; i++)
        made[i] = shaped(TY_TILE, DT_FP32, num(1), num(i));
    for (int i = 0; i < 2000; i++)
        ck_assert_ptr_eq(made[i], shaped(TY_TILE, DT_FP32, num(1), num(i)));
}
END_TEST

int main(void)
{
    TCase *tc = tcase_create("type");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, equal_polynomials_are_one_dim);
    tcase_add_test(tc, terms_are_sorted_by_degree_then_text);
    tcase_add_test(tc, opaque_atoms_print_with_the_parentheses_they_need);
    tcase_add_test(tc, opaque_atoms_fold);
    tcase_add_test(tc, overflow_gives_null);
    tcase_add_test(tc, nesting_is_bounded);
    tcase_add_test(tc, substitution);
    tcase_add_test(tc, types_are_interned_and_print_as_source);
    tcase_add_test(tc, sizes_are_checked);
    tcase_add_test(tc, many_types_stay_distinct);
    Suite *suite = suite_create("type");
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
