/* Rectangles of bytes, live ranges and vector clocks, against the plain way of doing it. */
#include "sim/check/ranges.h"
#include "sim/check/vclock.h"
#include "sim/machine/rect_overlap.h"
#include "tests/support.h"

#include <string.h>

enum { BYTES = 256 };

static uint32_t seed;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* A rectangle within BYTES, of up to two dimensions around its runs. */
static FabRect random_rect(void)
{
    FabRect r = {.run = 1 + rnd(12)};
    r.n = (uint8_t)rnd(3);
    if (r.n == 2) {
        r.stride[1] = r.run + 1 + rnd(6);
        r.count[1] = 2 + rnd(2);
        r.stride[0] = r.stride[1] * r.count[1] + rnd(9);
        r.count[0] = 2 + rnd(2);
    } else if (r.n == 1) {
        r.stride[0] = rnd(2) ? 16 : r.run + 1 + rnd(10);
        if (r.stride[0] <= r.run)
            r.stride[0] = r.run + 1;
        r.count[0] = 2 + rnd(4);
    }
    r.at.offset = rnd((uint32_t)(BYTES - rect_end(&r)));
    return r;
}

static bool fill(void *env, int64_t offset, int64_t bytes)
{
    memset((char *)env + offset, 1, (size_t)bytes);
    return true;
}

static void bytes_of(const FabRect *r, char *out)
{
    memset(out, 0, BYTES);
    ck_assert(rects_each_run(r, fill, out));
}

START_TEST(geometry_is_exact)
{
    char x[BYTES], y[BYTES], z[BYTES];
    uint32_t touching = 0, joined = 0, covered = 0;
    seed = 7;
    for (int n = 0; n < 20000; n++) {
        FabRect a = random_rect(), b = random_rect(), both = a;
        bytes_of(&a, x);
        bytes_of(&b, y);
        int64_t first = -1, end = -1, lo, hi;
        bool inside = true;
        for (int i = 0; i < BYTES; i++) {
            if (x[i] && y[i]) {
                first = first < 0 ? i : first;
                end = i + 1;
            }
            inside &= !y[i] || x[i];
        }
        ck_assert_int_eq(rects_touch(&a, &b), first >= 0);
        ck_assert_int_eq(rects_touch(&b, &a), first >= 0);
        ck_assert_int_eq(rects_common(&a, &b, &lo, &hi), first >= 0);
        if (first >= 0) {
            ck_assert_int_eq(lo, first);
            ck_assert_int_eq(hi, end);
            touching++;
        }
        if (rects_cover(&a, &b)) {
            ck_assert(inside);
            covered++;
        }
        if (rects_join(&both, &b)) {
            bytes_of(&both, z);
            for (int i = 0; i < BYTES; i++)
                ck_assert_int_eq(z[i], x[i] | y[i]);
            joined++;
        }
    }
    ck_assert_uint_gt(touching, 1000);
    ck_assert_uint_gt(covered, 50);
    ck_assert_uint_gt(joined, 200);
}
END_TEST

/* Chunk by chunk, forwards or backwards, and row by row: one rectangle. */
START_TEST(neighbours_join)
{
    FabRect r = {.at.offset = 64, .run = 16};
    FabRect up = {.at.offset = 80, .run = 16}, down = {.at.offset = 48, .run = 16};
    ck_assert(rects_join(&r, &up));
    ck_assert(rects_join(&r, &down));
    ck_assert_int_eq(r.at.offset, 48);
    ck_assert_int_eq(r.run, 48);
    FabRect column = {.at.offset = 0, .run = 4};
    for (int i = 1; i < 8; i++) {
        FabRect row = {.at.offset = 100 * i, .run = 4};
        ck_assert(rects_join(&column, &row));
    }
    ck_assert_int_eq(column.n, 1);
    ck_assert_int_eq(column.count[0], 8);
    FabRect next = column;
    next.at.offset = 4;
    ck_assert(rects_join(&column, &next));
    ck_assert_int_eq(column.run, 8);
    next.at.offset = 50;
    ck_assert(!rects_touch(&column, &next));
}
END_TEST

START_TEST(ranges_find_all)
{
    RangePool pool = {0};
    RangeTree t;
    RangeIds found = {0};
    uint32_t ids[300], n = 0;
    ranges_init(&t);
    seed = 11;
    for (int step = 0; step < 6000; step++) {
        if (n < 300 && rnd(5) < 3) {
            Access a = {.rect = random_rect(), .epoch = (uint32_t)step};
            ids[n++] = ranges_insert(&pool, &t, &a);
        } else if (n && rnd(2)) {
            uint32_t i = rnd(n);
            ranges_remove(&pool, &t, ids[i]);
            ids[i] = ids[--n];
        } else if (n) {
            uint32_t id = ids[rnd(n)];
            FabRect r = {.at.offset = pool.nodes.at[id].lo - rnd(2), .run = 0};
            if (r.at.offset < 0)
                r.at.offset = 0;
            r.run = pool.nodes.at[id].hi + rnd(3) - r.at.offset;
            ranges_grow(&pool, &t, id, &r);
        }
        int64_t lo = rnd(BYTES), hi = lo + 1 + rnd(40), before = -1;
        uint32_t want = 0;
        for (uint32_t i = 0; i < n; i++)
            want += pool.nodes.at[ids[i]].lo < hi && pool.nodes.at[ids[i]].hi > lo;
        vec_clear(&found);
        ranges_find(&pool, &t, lo, hi, &found);
        ck_assert_uint_eq(found.len, want);
        ck_assert_uint_eq(t.n, n);
        for (uint32_t i = 0; i < found.len; i++) {
            ck_assert_int_ge(pool.nodes.at[found.at[i]].lo, before);
            before = pool.nodes.at[found.at[i]].lo;
        }
    }
    vec_free(&found);
    ranges_free(&pool);
}
END_TEST

enum { CLOCKS = 6, THREADS = 70 };

START_TEST(clocks_are_maps)
{
    VClock c[CLOCKS] = {0};
    uint32_t plain[CLOCKS][THREADS] = {0};
    seed = 3;
    for (int step = 0; step < 5000; step++) {
        uint32_t i = rnd(CLOCKS), k = rnd(CLOCKS), t = rnd(THREADS);
        bool changed = false;
        switch (rnd(5)) {
        case 0:
            vclock_copy(&c[i], &c[k]);
            memcpy(plain[i], plain[k], sizeof plain[i]);
            break;
        case 1:
            for (uint32_t x = 0; x < THREADS; x++)
                if (plain[k][x] > plain[i][x]) {
                    plain[i][x] = plain[k][x];
                    changed = true;
                }
            ck_assert_int_eq(vclock_join(&c[i], &c[k]), changed);
            break;
        case 2:
            if (rnd(8))
                break;
            for (uint32_t x = 0; x < THREADS; x++)
                plain[i][x] = plain[k][x] < plain[i][x] ? plain[k][x] : plain[i][x];
            vclock_meet(&c[i], &c[k]);
            break;
        default:
            plain[i][t] = (uint32_t)step;
            vclock_set(&c[i], t, (uint32_t)step);
            break;
        }
        for (uint32_t x = 0; x < THREADS; x++)
            ck_assert_uint_eq(vclock_get(&c[i], x), plain[i][x]);
    }
    for (uint32_t i = 0; i < CLOCKS; i++)
        vclock_free(&c[i]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("ranges");
    TCase *c = tcase_create("ranges");
    tcase_add_test(c, geometry_is_exact);
    tcase_add_test(c, neighbours_join);
    tcase_add_test(c, ranges_find_all);
    tcase_add_test(c, clocks_are_maps);
    suite_add_tcase(s, c);
    return run_suite(s);
}
