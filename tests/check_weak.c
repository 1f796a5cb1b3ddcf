/* The fabric with late visibility, call by call. */
#include "sim/fabric/fabrics.h"
#include "sim/machine/fabric.h"
#include "tests/support.h"

#include <string.h>

static Fabric *fabric(uint32_t n_ranks)
{
    Fabric *f = fabric_weak_new(n_ranks);
    ck_assert_int_eq(f->ops->window_create(f, 0, 64), FAB_OK);
    return f;
}

static FabRect at(uint32_t rank, int64_t offset, int64_t bytes)
{
    return (FabRect){.at = {.rank = rank, .offset = offset}, .run = bytes};
}

static void put(Fabric *f, uint32_t self, uint32_t rank, int64_t offset, int32_t value)
{
    FabToken token = 1;
    FabRect r = at(rank, offset, 4);
    ck_assert_int_eq(f->ops->write(f, self, &r, (FabLocal){.at = &value}, &token), FAB_OK);
    ck_assert_uint_eq(token, 0);
}

static int32_t get(Fabric *f, uint32_t self, uint32_t rank, int64_t offset)
{
    int32_t value = -1;
    FabToken token;
    FabRect r = at(rank, offset, 4);
    ck_assert_int_eq(f->ops->read(f, self, &r, (FabLocal){.at = &value}, &token), FAB_OK);
    return value;
}

static void fence(Fabric *f, uint32_t self, int kind)
{
    ck_assert_int_eq(f->ops->fence(f, self, kind), FAB_OK);
}

static int32_t landed(Fabric *f, uint32_t rank, int64_t offset)
{
    int32_t value = 0;
    const char *bytes = f->ops->memory(f, rank, 0);
    if (bytes)
        memcpy(&value, bytes + offset, 4);
    return value;
}

START_TEST(release_and_acquire)
{
    Fabric *f = fabric(3);
    put(f, 0, 1, 8, 7);
    ck_assert_int_eq(get(f, 0, 1, 8), 7); /* the writer sees it */
    ck_assert_int_eq(get(f, 1, 1, 8), 0);
    fence(f, 1, FENCE_ACQUIRE); /* nothing has landed */
    ck_assert_int_eq(get(f, 1, 1, 8), 0);
    fence(f, 0, FENCE_RELEASE);
    ck_assert_int_eq(landed(f, 1, 8), 7);
    ck_assert_int_eq(get(f, 1, 1, 8), 0); /* stale */
    ck_assert_int_eq(get(f, 2, 1, 8), 0);
    fence(f, 1, FENCE_ACQUIRE);
    ck_assert_int_eq(get(f, 1, 1, 8), 7);
    ck_assert_int_eq(get(f, 2, 1, 8), 0);
    f->ops->destroy(f);
}
END_TEST

START_TEST(landings_in_order)
{
    Fabric *f = fabric(3);
    FabLanding l[8];
    put(f, 0, 1, 0, 1);
    put(f, 0, 1, 0, 2);
    put(f, 0, 2, 0, 3);
    ck_assert_uint_eq(f->ops->landings(f, l, 8), 2); /* the oldest of each target */
    ck_assert_uint_eq(l[0].reader, 1);
    ck_assert_uint_eq(l[1].reader, 2);
    ck_assert_uint_eq(f->ops->landings(f, l, 1), 2); /* counts what does not fit */
    ck_assert_int_eq(f->ops->land(f, l[0].id, 0, 1), FAB_OK);
    ck_assert_int_eq(landed(f, 1, 0), 1);
    ck_assert_int_eq(landed(f, 2, 0), 0);
    ck_assert_int_eq(f->ops->land(f, l[0].id, 0, 1), FAB_RANGE); /* gone */
    ck_assert_int_eq(get(f, 0, 1, 0), 2);
    f->ops->destroy(f);
}
END_TEST

START_TEST(refresh)
{
    Fabric *f = fabric(2);
    FabLanding l[8];
    put(f, 0, 1, 0, 5);
    fence(f, 0, FENCE_RELEASE);
    ck_assert_uint_eq(f->ops->landings(f, l, 8), 1); /* rank 1 is stale, rank 0 is not */
    ck_assert_uint_eq(l[0].from, 2);
    ck_assert_uint_eq(l[0].reader, 1);
    ck_assert_int_eq(f->ops->land(f, l[0].id, l[0].from, l[0].reader), FAB_OK);
    ck_assert_int_eq(get(f, 1, 1, 0), 5);
    ck_assert_uint_eq(f->ops->landings(f, l, 8), 0);
    ck_assert_int_eq(f->ops->land(f, 0, 2, 9), FAB_RANGE);
    f->ops->destroy(f);
}
END_TEST

START_TEST(adds)
{
    Fabric *f = fabric(3);
    int32_t one = 1;
    FabToken token;
    FabRect r = at(0, 0, 4);
    for (uint32_t rank = 1; rank < 3; rank++)
        ck_assert_int_eq(f->ops->add(f, rank, &r, DT_INT32, (FabLocal){.at = &one}, &token),
                         FAB_OK);
    ck_assert_int_eq(get(f, 1, 0, 0), 1);
    ck_assert_int_eq(get(f, 0, 0, 0), 0);
    fence(f, 1, FENCE_RELEASE);
    fence(f, 2, FENCE_RELEASE);
    fence(f, 0, FENCE_ACQUIRE);
    ck_assert_int_eq(get(f, 0, 0, 0), 2);
    f->ops->destroy(f);
}
END_TEST

/* A cell is the same to everybody, and stays so when older states of its surroundings are shown. */
START_TEST(cells_are_coherent)
{
    Fabric *f = fabric(2);
    FabToken token;
    FabAddr cell = {.rank = 1, .offset = 4};
    int32_t words[3] = {1, 0, 3};
    FabRect r = at(1, 0, 12);
    bool yes = false;
    ck_assert_int_eq(f->ops->write(f, 0, &r, (FabLocal){.at = words}, &token), FAB_OK);
    fence(f, 0, FENCE_RELEASE);
    ck_assert_int_eq(f->ops->notify(f, 0, &(FabNotify){cell, NOTIFY_ATOMIC_ADD, 6, {0}}, &token),
                     FAB_OK);
    ck_assert_int_eq(f->ops->test(f, 1, cell, WAIT_EQ, 6, &yes), FAB_OK);
    ck_assert(yes);
    ck_assert_int_eq(get(f, 1, 1, 4), 6);
    ck_assert_int_eq(get(f, 1, 1, 0), 0);
    ck_assert_int_eq(get(f, 1, 1, 8), 0);
    cell.offset = 2;
    ck_assert_int_eq(f->ops->test(f, 1, cell, WAIT_EQ, 6, &yes), FAB_ALIGN);
    f->ops->destroy(f);
}
END_TEST

/* Own writes stay visible when a peer's later ones of the same bytes are not yet. */
START_TEST(own_over_stale)
{
    Fabric *f = fabric(2);
    put(f, 1, 1, 0, 10);
    fence(f, 1, FENCE_RELEASE);
    put(f, 0, 1, 0, 20);
    fence(f, 0, FENCE_RELEASE);
    ck_assert_int_eq(get(f, 1, 1, 0), 10);
    fence(f, 1, FENCE_ACQUIRE);
    ck_assert_int_eq(get(f, 1, 1, 0), 20);
    f->ops->destroy(f);
}
END_TEST

START_TEST(holes)
{
    Fabric *f = fabric(2);
    FabToken token;
    int32_t rows[2] = {1, 2}, back[2] = {9, 9};
    FabRect r = {.at = {.rank = 1}, .run = 4, .n = 1, .count = {2}, .stride = {16}};
    FabLocal local = {.at = rows, .stride = {4}}, to = {.at = back, .stride = {4}};
    ck_assert_int_eq(f->ops->write(f, 0, &r, local, &token), FAB_OK);
    put(f, 1, 1, 4, 3); /* between them */
    fence(f, 0, FENCE_RELEASE);
    fence(f, 1, FENCE_ACQUIRE);
    ck_assert_int_eq(f->ops->read(f, 1, &r, to, &token), FAB_OK);
    ck_assert_int_eq(back[0], 1);
    ck_assert_int_eq(back[1], 2);
    ck_assert_int_eq(get(f, 1, 1, 4), 3);
    ck_assert_int_eq(landed(f, 1, 4), 0);
    f->ops->destroy(f);
}
END_TEST

START_TEST(edges)
{
    Fabric *f = fabric(2);
    FabToken token;
    int32_t v = 1;
    FabLanding l[2];
    FabRect past = at(1, 62, 4), nobody = at(2, 0, 4), empty = at(1, 64, 0);
    ck_assert_int_eq(f->ops->write(f, 0, &past, (FabLocal){.at = &v}, &token), FAB_RANGE);
    ck_assert_int_eq(f->ops->read(f, 0, &past, (FabLocal){.at = &v}, &token), FAB_RANGE);
    ck_assert_int_eq(f->ops->write(f, 0, &nobody, (FabLocal){.at = &v}, &token), FAB_RANGE);
    ck_assert_int_eq(f->ops->write(f, 0, &empty, (FabLocal){.at = &v}, &token), FAB_OK);
    ck_assert_uint_eq(f->ops->landings(f, l, 2), 0);
    put(f, 0, 1, 0, 1);
    f->ops->reset(f, false);
    ck_assert_uint_eq(f->ops->landings(f, l, 2), 0);
    ck_assert_int_eq(get(f, 0, 1, 0), 0);
    f->ops->destroy(f);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("weak");
    TCase *c = tcase_create("weak");
    tcase_add_test(c, release_and_acquire);
    tcase_add_test(c, landings_in_order);
    tcase_add_test(c, refresh);
    tcase_add_test(c, adds);
    tcase_add_test(c, cells_are_coherent);
    tcase_add_test(c, own_over_stale);
    tcase_add_test(c, holes);
    tcase_add_test(c, edges);
    suite_add_tcase(s, c);
    return run_suite(s);
}
