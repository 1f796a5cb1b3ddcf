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
        ck_assert_uint_eq((uintptr_t)p % _Alignof(uint64_t), 0);
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

/* Small and large objects keep what they hold; what is new is zero; others stay where they are. */
START_TEST(regrown_memory_keeps_its_bytes)
{
    Arena arena = {0};
    char *other = arena_alloc(&arena, 100000);
    char *p = arena_alloc(&arena, 8);
    memset(other, 7, 100000);
    memset(p, 1, 8);
    for (size_t size = 8; size < 200000; size *= 2) {
        p = arena_regrow(&arena, p, size, 2 * size);
        for (size_t i = 0; i < size; i++)
            ck_assert_int_eq(p[i], 1);
        for (size_t i = size; i < 2 * size; i++)
            ck_assert_int_eq(p[i], 0);
        memset(p, 1, 2 * size);
    }
    ck_assert_int_eq(other[99999], 7);
    arena_free(&arena);
}
END_TEST

/* Also over the ends of blocks, and back to nothing. */
START_TEST(going_back_gives_the_same_memory_again)
{
    Arena arena = {0};
    ArenaMark empty = arena_mark(&arena);
    char *first = arena_alloc(&arena, 16);
    memset(first, 1, 16);
    ArenaMark mark = arena_mark(&arena);
    char *p = arena_alloc(&arena, 16);
    for (int i = 0; i < 100; i++)
        memset(arena_alloc(&arena, 4000), 2, 4000);
    arena_back(&arena, mark);
    ck_assert_ptr_eq(arena_alloc(&arena, 16), p);
    ck_assert_int_eq(p[0], 0);
    ck_assert_int_eq(first[15], 1);
    arena_back(&arena, empty);
    ck_assert_ptr_null(arena.head);
    memset(arena_alloc(&arena, 64), 3, 64);
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
    Trap trap;
    volatile int jumped = 0;
    trap_enter(&trap, NULL);
    if (setjmp(trap.at) == 0)
        arena_array(&arena, SIZE_MAX / 2, 3);
    else
        jumped = 1;
    trap_leave(&trap);
    ck_assert_int_eq(jumped, 1);
}
END_TEST

/* Allocates until memory runs out; what is left then. */
static void exhaust(Heap *heap, void **kept)
{
    Trap trap;
    trap_enter(&trap, heap);
    if (setjmp(trap.at) == 0) {
        void *gone = xmalloc(100);
        char *grown = xrealloc(xstrdup("text"), 100000);
        ck_assert_str_eq(grown, "text");
        *kept = grown;
        xfree(gone);
        xmalloc(SIZE_MAX / 2);
        ck_abort_msg("there is no such memory");
    }
    trap_leave(&trap);
}

START_TEST(what_is_left_after_a_jump_belongs_to_the_heap)
{
    Heap inner = {0}, outer = {0};
    void *kept = NULL;
    Trap trap;
    trap_enter(&trap, &outer);
    if (setjmp(trap.at) == 0) {
        void *mine = xcalloc(3, 5);
        exhaust(&inner, &kept);
        ck_assert_ptr_eq(inner.ring.next + 1, kept);
        ck_assert_ptr_eq(outer.ring.next + 1, mine);
        heap_free(&inner);
        ck_assert_ptr_eq(inner.ring.next, &inner.ring);
        xfree(mine);
        ck_assert_ptr_eq(outer.ring.next, &outer.ring);
        mine = xmalloc(1);
    }
    trap_leave(&trap);
    heap_free(&outer);
    ck_assert_ptr_eq(outer.ring.next, &outer.ring);
    xfree(xmalloc(1)); /* without a trap a block is nobody's */
}
END_TEST

START_TEST(heaps_share_a_budget)
{
    HeapBudget budget = {0};
    Heap heap = {.budget = &budget}, other = {.budget = &budget};
    Trap trap, inner;
    volatile int jumped = 0;
    trap_enter(&trap, &heap);
    if (setjmp(trap.at) == 0) {
        char *kept = xmalloc(1000);
        budget.limit = 10000;
        xfree(xcalloc(100, 80));
        trap_enter(&inner, &other);
        if (setjmp(inner.at) == 0) {
            char *more = xmalloc(6000);
            ck_assert_uint_ge(budget.used, 7000);
            more = xrealloc(more, 2000);
            ck_assert_uint_lt(budget.used, 4000);
            xrealloc(more, 8000);
        } else {
            jumped = 1;
        }
        trap_leave(&inner);
        ck_assert(jumped == 1 && budget.over);
        heap_free(&other);
        kept = xrealloc(kept, 5000);
        xfree(kept);
    }
    trap_leave(&trap);
    ck_assert_uint_eq(budget.used, 0);
}
END_TEST

static void count(void *env)
{
    ++*(int *)env;
}

START_TEST(what_has_to_be_done_is_done_before_the_jump)
{
    Trap trap;
    TrapCleanup a, b, c;
    int first = 0, second = 0, third = 0;
    trap_enter(&trap, NULL);
    if (setjmp(trap.at) == 0) {
        trap_push_cleanup(&a, count, &first);
        trap_push_cleanup(&b, count, &second);
        trap_pop_cleanup(&b);
        trap_push_cleanup(&c, count, &third);
        heap_exhausted();
    }
    trap_leave(&trap);
    ck_assert(first == 1 && second == 0 && third == 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("arena");
    TCase *tc = tcase_create("arena");
    tcase_add_test(tc, memory_is_zeroed_and_aligned);
    tcase_add_test(tc, regrown_memory_keeps_its_bytes);
    tcase_add_test(tc, going_back_gives_the_same_memory_again);
    tcase_add_test(tc, large_objects_do_not_waste_the_newest_block);
    tcase_add_test(tc, text);
    tcase_add_test(tc, overflowing_array);
    tcase_add_test(tc, what_is_left_after_a_jump_belongs_to_the_heap);
    tcase_add_test(tc, heaps_share_a_budget);
    tcase_add_test(tc, what_has_to_be_done_is_done_before_the_jump);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
