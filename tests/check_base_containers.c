/* Vectors, interning, maps. */
#include "base/intern.h"
#include "base/map.h"
#include "base/vec.h"
#include "tests/support.h"
#include <string.h>

START_TEST(vec_grows_on_the_heap)
{
    VEC(uint32_t) v = {0};
    for (uint32_t i = 0; i < 10000; i++)
        vec_push(&v, i * 3);
    ck_assert_uint_eq(v.len, 10000);
    ck_assert_uint_ge(v.cap, v.len);
    for (uint32_t i = 0; i < 10000; i++)
        ck_assert_uint_eq(v.at[i], i * 3);
    ck_assert_uint_eq(vec_pop(&v), 29997);
    ck_assert_uint_eq(vec_last(&v), 29994);
    vec_clear(&v);
    ck_assert_uint_eq(v.len, 0);
    vec_free(&v);
    ck_assert_ptr_null(v.at);
}
END_TEST

START_TEST(vec_grows_in_an_arena)
{
    typedef struct {
        int a, b;
    } Pair;
    Arena arena = {0};
    VEC(Pair) v = {0};
    for (int i = 0; i < 1000; i++)
        avec_push(&arena, &v, (Pair){i, -i});
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(v.at[i].a, i);
        ck_assert_int_eq(v.at[i].b, -i);
    }
    arena_free(&arena);
}
END_TEST

START_TEST(vec_refuses_more_than_its_length_can_count)
{
    uint32_t cap = UINT32_MAX;
    Trap trap;
    trap_enter(&trap, NULL);
    if (setjmp(trap.at) == 0) {
        vec_grow(NULL, NULL, UINT32_MAX, &cap, 1);
        ck_abort_msg("it does not");
    }
    trap_leave(&trap);
}
END_TEST

START_TEST(intern_gives_one_address_per_text)
{
    Interner in = {0};
    Sym first[2000];
    for (int i = 0; i < 2000; i++)
        first[i] = internf(&in, "name_%d", i);
    for (int i = 0; i < 2000; i++) {
        ck_assert_ptr_eq(internf(&in, "name_%d", i), first[i]);
        if (i)
            ck_assert_ptr_ne(first[i], first[i - 1]);
    }
    ck_assert_uint_eq(in.len, 2000);
    ck_assert_ptr_eq(intern_n(&in, "name_12 and more", 7), first[12]);
    ck_assert_ptr_ne(intern(&in, "name_"), first[0]);
    ck_assert_ptr_eq(intern(&in, ""), intern_n(&in, "x", 0));
    interner_free(&in);
    ck_assert_uint_eq(in.len, 0);
}
END_TEST

START_TEST(intern_formats_long_text)
{
    Interner in = {0};
    Sym wide = internf(&in, "%01000d", 7);
    ck_assert_uint_eq(strlen(wide), 1000);
    ck_assert_ptr_eq(internf(&in, "%01000d", 7), wide);
    Sym edge = internf(&in, "%0256d", 1);
    ck_assert_uint_eq(strlen(edge), 256);
    interner_free(&in);
}
END_TEST

START_TEST(map_sets_replaces_and_finds)
{
    Map map = {0};
    uint64_t v = 99;
    ck_assert(!map_get(&map, 0, &v));
    ck_assert(!map_get(&map, 5, &v));
    ck_assert_uint_eq(v, 99);
    for (uint64_t k = 0; k < 5000; k++)
        map_set(&map, k * 0x100000000u, k);
    for (uint64_t k = 0; k < 5000; k++)
        map_set(&map, k * 0x100000000u, k + 1);
    ck_assert_uint_eq(map.len, 4999);
    for (uint64_t k = 0; k < 5000; k++) {
        ck_assert(map_get(&map, k * 0x100000000u, &v));
        ck_assert_uint_eq(v, k + 1);
    }
    ck_assert(!map_get(&map, 1, NULL));
    map_clear(&map);
    ck_assert(!map_get(&map, 0, NULL));
    ck_assert(!map_get(&map, 0x100000000u, NULL));
    int key;
    map_set_ptr(&map, &key, 7);
    ck_assert(map_get_ptr(&map, &key, &v));
    ck_assert_uint_eq(v, 7);
    map_free(&map);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("containers");
    TCase *tc = tcase_create("containers");
    tcase_add_test(tc, vec_grows_on_the_heap);
    tcase_add_test(tc, vec_grows_in_an_arena);
    tcase_add_test(tc, vec_refuses_more_than_its_length_can_count);
    tcase_add_test(tc, intern_gives_one_address_per_text);
    tcase_add_test(tc, intern_formats_long_text);
    tcase_add_test(tc, map_sets_replaces_and_finds);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
