/* The fabric in one process, rectangles and the clock. */
#include "sim/fabric/fabrics.h"
#include "tests/support.h"

#include "sim/machine/clock.h"
#include "sim/machine/fabric.h"
#include "sim/machine/mem.h"
#include <limits.h>
#include <string.h>

/* h by w elements at (r0, c0) of a matrix, and in a tile of that size. */
typedef struct {
    int64_t r0, c0, h, w;
} Part;

static RectPair rect2(int64_t rows, int64_t cols, Part p)
{
    int64_t off[] = {p.r0, p.c0}, ext[] = {p.h, p.w};
    MemRef m = {.dtype = DT_FP32, .rank = 2, .offset = 16, .shape = {rows, cols}};
    return rect_make(&m, 1, off, ext, ext, (p.w * 4 + 31) / 32 * 32);
}

START_TEST(rect_merges_rows)
{
    RectPair p = rect2(4, 8, (Part){1, 0, 2, 8}); /* rows of 32 bytes: dense on both sides */
    ck_assert_int_eq(p.rect.n, 0);
    ck_assert_int_eq(p.rect.run, 64);
    ck_assert_int_eq(p.rect.at.offset, 16 + 32);
    p = rect2(4, 8, (Part){1, 2, 2, 3}); /* a hole between the rows */
    ck_assert_int_eq(p.rect.n, 1);
    ck_assert_int_eq(p.rect.run, 12);
    ck_assert_int_eq(p.rect.stride[0], 32);
    ck_assert_int_eq(p.tile_stride[0], 32);
    ck_assert_int_eq(rect_bytes(&p.rect), 24);
    ck_assert_int_eq(rect_end(&p.rect), 16 + 32 + 8 + 32 + 12);
    p = rect2(4, 3, (Part){0, 0, 2, 3}); /* dense in the window, padded in the tile */
    ck_assert_int_eq(p.rect.n, 1);
    FabRect whole = p.rect;
    rect_compact(&whole);
    ck_assert_int_eq(whole.n, 0);
    ck_assert_int_eq(whole.run, 24);
    p = rect2(4, 3, (Part){0, 0, 0, 3});
    ck_assert_int_eq(rect_bytes(&p.rect), 0);
}
END_TEST

START_TEST(shapes_do_not_overflow)
{
    int64_t n, big[] = {INT64_MAX, 2}, zero[] = {0, INT64_MAX}, bad[] = {-1, 0};
    ck_assert(!shape_elements(2, big, &n));
    ck_assert(shape_elements(2, zero, &n));
    ck_assert_int_eq(n, 0);
    ck_assert(!shape_elements(2, bad, &n));
}
END_TEST

START_TEST(read_write_add)
{
    Fabric *f = fabric_local_new(2);
    FabToken tok;
    float tile[16] = {0}, back[16] = {0};
    ck_assert_int_eq(f->ops->window_create(f, 0, 256), FAB_OK);
    ck_assert_ptr_null(f->ops->memory(f, 1, 0));
    for (int i = 0; i < 16; i++)
        tile[i] = (float)i;
    RectPair p = rect2(4, 8, (Part){1, 2, 2, 3});
    FabLocal l = {.at = tile};
    memcpy(l.stride, p.tile_stride, sizeof l.stride);
    ck_assert_int_eq(f->ops->write(f, 0, &p.rect, l, &tok), FAB_OK);
    ck_assert_int_eq(f->ops->add(f, 0, &p.rect, DT_FP32, l, &tok), FAB_OK);
    ck_assert_uint_eq(tok, 0);
    l.at = back;
    ck_assert_int_eq(f->ops->read(f, 1, &p.rect, l, &tok), FAB_OK);
    ck_assert_float_eq(back[2], 4.0f);
    ck_assert_float_eq(back[8], 16.0f);
    ck_assert_float_eq(back[3], 0.0f);
    f->ops->reset(f, false);
    ck_assert_int_eq(f->ops->read(f, 1, &p.rect, l, &tok), FAB_OK);
    ck_assert_float_eq(back[8], 0.0f);
    f->ops->destroy(f);
}
END_TEST

START_TEST(ranges_are_checked)
{
    Fabric *f = fabric_local_new(2);
    FabToken tok;
    char bytes[64];
    bool yes;
    FabRect r = {.at = {0, 0, 60}, .run = 8};
    ck_assert_int_eq(f->ops->window_create(f, 0, 64), FAB_OK);
    ck_assert_int_eq(f->ops->window_create(f, 5, 64), FAB_RANGE);
    ck_assert_int_eq(f->ops->window_create(f, 1, INT64_MAX), FAB_MEMORY);
    ck_assert_int_eq(f->ops->read(f, 0, &r, (FabLocal){.at = bytes}, &tok), FAB_RANGE);
    r.at = (FabAddr){2, 0, 0};
    ck_assert_int_eq(f->ops->read(f, 0, &r, (FabLocal){.at = bytes}, &tok), FAB_RANGE);
    ck_assert_int_eq(f->ops->test(f, 0, (FabAddr){0, 0, 2}, WAIT_GE, 0, &yes), FAB_ALIGN);
    ck_assert_int_eq(f->ops->test(f, 0, (FabAddr){0, 0, 64}, WAIT_GE, 0, &yes), FAB_RANGE);
    ck_assert_ptr_null(f->ops->direct(f, 0, (FabAddr){0, 0, 0}, 65, false));
    ck_assert_ptr_nonnull(f->ops->direct(f, 0, (FabAddr){0, 0, 0}, 64, false));
    f->ops->destroy(f);
}
END_TEST

static FabArrival last;

static void deliver(void *env, const FabArrival *a)
{
    ++*(int *)env;
    last = *a;
}

START_TEST(notify_and_test)
{
    Fabric *f = fabric_local_new(3);
    FabToken tok;
    FabAddr cell = {2, 0, 8};
    int delivered = 0;
    bool yes;
    f->deliver = deliver;
    f->deliver_env = &delivered;
    ck_assert_int_eq(f->ops->window_create(f, 0, 64), FAB_OK);
    ck_assert_int_eq(
        f->ops->notify(f, 1, &(FabNotify){cell, NOTIFY_SET, INT32_MAX, {"abc", 3}}, &tok), FAB_OK);
    ck_assert_uint_eq(last.payload.len, 3);
    ck_assert_int_eq(f->ops->notify(f, 1, &(FabNotify){cell, NOTIFY_ATOMIC_ADD, 1, {0}}, &tok),
                     FAB_OK);
    ck_assert_int_eq(delivered, 2);
    ck_assert_int_eq(last.before, INT32_MAX);
    ck_assert_int_eq(last.after, INT32_MIN); /* wraps */
    ck_assert_int_eq(f->ops->test(f, 2, cell, WAIT_GE, 0, &yes), FAB_OK);
    ck_assert(!yes);
    ck_assert_int_eq(f->ops->test(f, 2, cell, WAIT_EQ, INT32_MIN, &yes), FAB_OK);
    ck_assert(yes);
    f->ops->destroy(f);
}
END_TEST

/* Without contention: alpha and beta by hand. */
START_TEST(clock_formula)
{
    const Platform *pf = &platforms[PLATFORM_A2A3SIM];
    Ports a = {0}, b = {0};
    int64_t kib = 8 * pf->link_ps_per_kib;
    ClockStep s = clock_remote_read(pf, &a, &b, 1000, 8192);
    ck_assert_int_eq(s.issue, 1000 + pf->link_overhead + pf->link_latency + kib);
    a = b = (Ports){0};
    s = clock_remote_write(pf, &a, &b, 0, 8192);
    ck_assert_int_eq(s.issue, pf->link_overhead + kib);
    ck_assert_int_eq(s.arrive, pf->link_overhead + pf->link_latency + kib);
    ck_assert_int_eq(clock_memory(pf, 5, 1024), 5 + pf->mem_latency + pf->mem_ps_per_kib);
    ck_assert_int_eq(clock_notify(pf, &a, &a, 7).arrive, 7 + pf->notify_overhead);
}
END_TEST

/* Two writers to one receiver: its port takes one after the other. */
START_TEST(clock_contention)
{
    const Platform *pf = &platforms[PLATFORM_A2A3SIM];
    Ports a = {0}, b = {0}, to = {0};
    ClockStep first = clock_remote_write(pf, &a, &to, 0, 65536);
    ClockStep second = clock_remote_write(pf, &b, &to, 0, 65536);
    ck_assert_int_eq(second.arrive - first.arrive, 64 * pf->link_ps_per_kib);
    ck_assert_int_eq(second.issue, first.issue);
}
END_TEST

START_TEST(clock_saturates)
{
    Platform slow = {.mem_ps_per_kib = 1000000000000}, fast = {.mem_ps_per_kib = 1000};
    ck_assert_int_gt(clock_memory(&slow, 0, INT64_MAX), 0);
    ck_assert_int_gt(clock_add(INT64_MAX / 4, INT64_MAX / 4), 0);
    ck_assert_int_eq(clock_memory(&fast, 0, 1), 1); /* rounded up */
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fabric");
    TCase *c = tcase_create("fabric");
    tcase_add_test(c, rect_merges_rows);
    tcase_add_test(c, shapes_do_not_overflow);
    tcase_add_test(c, read_write_add);
    tcase_add_test(c, ranges_are_checked);
    tcase_add_test(c, notify_and_test);
    tcase_add_test(c, clock_formula);
    tcase_add_test(c, clock_contention);
    tcase_add_test(c, clock_saturates);
    suite_add_tcase(s, c);
    return run_suite(s);
}
