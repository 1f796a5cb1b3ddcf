#include "base/arena.h"
#include "tests/support.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

START_TEST(memory_is_zeroed_and_aligned)
{
    Arena arena = {0};
    for (size_t size = 0; size < 300; size++) {
        unsigned char *p = arena_alloc(&arena, size);
        ck_assert_ptr_nonnull(p);
        ck_assert_uint_eq((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            ck_assert_uint_eq(p[i], 0);
        memset(p, 0xff, size);
    }
    arena_free(&arena);
    ck_assert_ptr_null(arena.head);
    ck_assert_ptr_nonnull(arena_alloc(&arena, 1));
    arena_free(&arena);
}
END_TEST

START_TEST(large_objects_do_not_waste_the_newest_block)
{
    Arena arena = {0};
    char *small = arena_alloc(&arena, 16);
    char *large = arena_alloc(&arena, 1 << 20);
    char *next = arena_alloc(&arena, 16);
    ck_assert_ptr_eq(next, small + 16);
    memset(large, 1, 1 << 20);
    ck_assert_int_eq(small[0], 0);
    arena_free(&arena);
}
END_TEST

START_TEST(text)
{
    Arena arena = {0};
    ck_assert_str_eq(arena_strndup(&arena, "hello world", 5), "hello");
    ck_assert_str_eq(arena_printf(&arena, "%d %s", 42, "x"), "42 x");
    ck_assert_str_eq(arena_printf(&arena, "%s", ""), "");
    char *wide = arena_printf(&arena, "%*d", 100000, 7);
    ck_assert_uint_eq(strlen(wide), 100000);
    arena_free(&arena);
}
END_TEST

START_TEST(overflowing_array)
{
    Arena arena = {0};
    arena_array(&arena, SIZE_MAX / 2, 3);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("arena");
    TCase *tc = tcase_create("arena");
    tcase_add_test(tc, memory_is_zeroed_and_aligned);
    tcase_add_test(tc, large_objects_do_not_waste_the_newest_block);
    tcase_add_test(tc, text);
    tcase_add_exit_test(tc, overflowing_array, 70);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
