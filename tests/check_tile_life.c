/* Which tiles are read again: straight code, loops, branches, tiles that share memory. */
#include "base/arena.h"
#include "sim/machine/tile_life.h"
#include "tests/support.h"

#define LOAD(t)                                                                                    \
    {                                                                                              \
        BC_LOAD, t, 0, 0, 2, BC_NONE, 0                                                            \
    }
#define PART(t)                                                                                    \
    {                                                                                              \
        BC_LOAD, t, 0, 0, 2, 0, 0                                                                  \
    }
#define ADD(to, x, y)                                                                              \
    {                                                                                              \
        BC_TBIN, to, x, y, 0, 0, TOP_ADD                                                           \
    }
#define STORE(t)                                                                                   \
    {                                                                                              \
        BC_STORE, t, 1, 0, 2, 0, 0                                                                 \
    }
#define RET                                                                                        \
    {                                                                                              \
        BC_RET, 0, 0, 0, 0, 0, 0                                                                   \
    }

enum { FIRST = TILE_ENDS_FIRST, SECOND = TILE_ENDS_SECOND, BOTH = FIRST | SECOND };

/* Tiles 0 to 2 lie one behind the other, tile 3 where tile 1 does. */
static const BcTile tiles[] = {{.at = 0, .bytes = 64},
                               {.at = 64, .bytes = 64},
                               {.at = 128, .bytes = 64},
                               {.at = 96, .bytes = 32}};

static void holds(const BcInsn *code, uint32_t n, const uint8_t *wanted)
{
    Arena arena = {0};
    BcFunc f = {.n_tiles = 4, .tiles = tiles, .n_insns = n, .insns = code};
    const uint8_t *got = tile_life(&arena, &f);
    for (uint32_t pc = 0; pc < n; pc++)
        ck_assert_msg(got[pc] == wanted[pc], "%u: %u, not %u", pc, got[pc], wanted[pc]);
    arena_free(&arena);
}
#define HOLDS(code, ...) holds(code, sizeof(code) / sizeof *(code), (const uint8_t[]){__VA_ARGS__})

START_TEST(straight_code)
{
    const BcInsn once[] = {LOAD(0), LOAD(1), ADD(0, 0, 1), STORE(0), RET};
    HOLDS(once, 0, 0, SECOND, FIRST, 0);
    const BcInsn apart[] = {LOAD(0), LOAD(1), ADD(2, 0, 1), STORE(2), RET};
    HOLDS(apart, 0, 0, BOTH, FIRST, 0);
    const BcInsn again[] = {LOAD(0), LOAD(1), ADD(2, 0, 1), STORE(2), ADD(2, 1, 1), STORE(2), RET};
    HOLDS(again, 0, 0, FIRST, 0, BOTH, FIRST, 0); /* a sum may leave part of a tile as it was */
    const BcInsn stored_twice[] = {LOAD(0), STORE(0), STORE(0), RET};
    HOLDS(stored_twice, 0, 0, FIRST, 0);
}
END_TEST

/* A load of a part leaves the rest of a tile as it was. */
START_TEST(loaded_anew)
{
    const BcInsn whole[] = {LOAD(0), LOAD(1), ADD(2, 0, 1), LOAD(1), STORE(1), RET};
    HOLDS(whole, 0, 0, BOTH, 0, FIRST, 0);
    const BcInsn part[] = {LOAD(0), LOAD(1), ADD(2, 0, 1), PART(1), STORE(1), RET};
    HOLDS(part, 0, 0, FIRST, 0, FIRST, 0);
}
END_TEST

START_TEST(loops_and_branches)
{
    const BcInsn sum[] = {LOAD(0),      {BC_FORPREP, 0, 1, 2, 0, 0, 5}, LOAD(1),
                          ADD(0, 0, 1), {BC_FORLOOP, 0, 1, 2, 0, 0, 2}, STORE(0),
                          RET};
    HOLDS(sum, 0, 0, 0, SECOND, 0, FIRST, 0);
    const BcInsn carried[] = {LOAD(1),      {BC_FORPREP, 0, 1, 2, 0, 0, 5}, LOAD(0),
                              ADD(2, 0, 1), {BC_FORLOOP, 0, 1, 2, 0, 0, 2}, STORE(2),
                              RET};
    HOLDS(carried, 0, 0, 0, FIRST, 0, FIRST, 0);
    const BcInsn branch[] = {LOAD(0),  LOAD(1),  ADD(2, 0, 1), {BC_JZ, 0, 0, 0, 0, 0, 5},
                             STORE(1), STORE(2), RET};
    HOLDS(branch, 0, 0, FIRST, 0, FIRST, FIRST, 0);
}
END_TEST

START_TEST(shared_memory)
{
    const BcInsn code[] = {LOAD(0), LOAD(1), ADD(2, 0, 1), STORE(3), RET};
    HOLDS(code, 0, 0, FIRST, FIRST, 0);
    BcFunc many = {.n_tiles = 65};
    ck_assert_ptr_null(tile_life(NULL, &many));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tile_life");
    TCase *c = tcase_create("tile_life");
    tcase_add_test(c, straight_code);
    tcase_add_test(c, loaded_anew);
    tcase_add_test(c, loops_and_branches);
    tcase_add_test(c, shared_memory);
    suite_add_tcase(s, c);
    return run_suite(s);
}
