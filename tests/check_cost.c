/* Counters, closed forms and the clock: what a run must have counted, and how long it must take. */
#include "sim/check/session.h"
#include "sim/report/cost.h"
#include "tests/simtest.h"
#include "tests/support.h"

/* Tells the right neighbour, waits for the left one, reads its slice. */
static const BcInsn neighbours[] = {
    {BC_LDI, 1, 0, 0, 0, 0, 1},
    {BC_LDI, 2, 0, 0, 0, 0, 0},
    {BC_LDI, 3, 0, 0, 0, 0, 0},
    {BC_RANK, 4, 2, 0, 0, 0, 0},
    {BC_NRANKS, 5, 2, 0, 0, 0, 0},
    {BC_BIN, 6, 4, 1, DT_INT32, 0, SC_ADD},
    {BC_BIN, 6, 6, 5, DT_INT32, 0, SC_MOD},
    {BC_NOTIFY, 3, 6, 2, 2, 1, NOTIFY_ATOMIC_ADD},
    {BC_WAIT, 3, 2, 2, 1, 0, WAIT_GE},
    {BC_RLOAD, 0, 2, 6, 2, BC_NONE, 2},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

/* Everybody but rank 0 reads slice of rank 0, nothing else. */
static const BcInsn readers[] = {
    {BC_LDI, 1, 0, 0, 0, 0, 0},  {BC_LDI, 2, 0, 0, 0, 0, 0},         {BC_LDI, 3, 0, 0, 0, 0, 0},
    {BC_RANK, 4, 2, 0, 0, 0, 0}, {BC_RLOAD, 0, 2, 1, 2, BC_NONE, 2}, {BC_RET, 0, 0, 0, 0, 0, 0},
};

START_TEST(counts_what_was_done)
{
    SimTest t;
    simtest_new(&t, 3, (SimKernel){KERNEL(neighbours)});
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    for (uint32_t r = 0; r < 3; r++) {
        CostCount c = cost_rank(t.world, r);
        ck_assert_uint_eq(c.bytes_received, 32);
        ck_assert_uint_eq(c.bytes_sent, 32);
        ck_assert_uint_eq(c.data_steps, 1);
        ck_assert_uint_eq(c.notifies, 1);
        ck_assert_uint_eq(c.self_notifies, 0);
        ck_assert_uint_eq(c.waits, 1);
    }
    simtest_free(&t);
}
END_TEST

/* What the events of a run say of each rank. */
typedef struct {
    Observer base;
    CostCount ranks[3];
} Recount;

static void recount(Observer *o, World *w, const Event *e)
{
    CostCount *self = &((Recount *)o)->ranks[e->at.rank], *peer = &((Recount *)o)->ranks[e->target];
    (void)w;
    if (e->kind == EV_WAIT) {
        self->waits++;
    } else if (e->kind == EV_NOTIFY) {
        *(e->target == e->at.rank ? &self->self_notifies : &self->notifies) += 1;
    } else {
        self->data_steps++;
        self->bytes_received += (uint64_t)rect_bytes(&e->rect);
        peer->bytes_sent += (uint64_t)rect_bytes(&e->rect);
    }
}

static void nothing_to_free(Observer *o)
{
    (void)o;
}

/* Counters and observers have one source: what is in the card is what was told. */
START_TEST(the_card_is_what_observers_saw)
{
    SimTest t;
    RunResult result = {0};
    Recount seen = {.base = {.mask = EV_BIT(EV_WAIT) | EV_BIT(EV_NOTIFY) | EV_BIT(EV_REMOTE_READ),
                             .event = recount,
                             .destroy = nothing_to_free}};
    simtest_new(&t, 3, (SimKernel){KERNEL(neighbours)});
    ck_assert_int_eq(simtest_run(&t), EXIT_OK);
    world_reset(t.world, &result);
    probe_add(&t.world->probe, &seen.base);
    Policy *p = policy_clock();
    ck_assert_int_eq(session_run(t.world, p), EXIT_OK);
    for (uint32_t r = 0; r < 3; r++) {
        CostCount c = cost_rank(t.world, r);
        ck_assert_uint_eq(c.waits, seen.ranks[r].waits);
        ck_assert_uint_eq(c.notifies, seen.ranks[r].notifies);
        ck_assert_uint_eq(c.self_notifies, seen.ranks[r].self_notifies);
        ck_assert_uint_eq(c.data_steps, seen.ranks[r].data_steps);
        ck_assert_uint_eq(c.bytes_received, seen.ranks[r].bytes_received);
        ck_assert_uint_eq(c.bytes_sent, seen.ranks[r].bytes_sent);
    }
    policy_free(p);
    run_result_free(&result);
    simtest_free(&t);
}
END_TEST

/* One message on a free link: o + L + n G, after the start of the dispatch and some scalars. */
START_TEST(alpha_beta)
{
    SimTest t;
    const Platform *pf = &platforms[0];
    simtest_new(&t, 2, (SimKernel){KERNEL(readers)});
    ck_assert_int_eq(simtest_run(&t), EXIT_OK);
    int64_t beta = (32 * pf->link_ps_per_kib + 1023) / 1024;
    ck_assert_int_eq(cost_rank(t.world, 1).link_ps, pf->link_overhead + pf->link_latency + beta);
    ck_assert_int_eq(cost_rank(t.world, 1).waiting_ps, 0);
    ck_assert_int_eq(cost_rank_time(t.world, 1), pf->dispatch_overhead +
                                                     cost_rank(t.world, 1).compute_ps +
                                                     cost_rank(t.world, 1).link_ps);
    simtest_free(&t);
}
END_TEST

/* The messages of one port go one after the other: each may start a gap after the one before. */
START_TEST(ports_serialise)
{
    SimTest t;
    const Platform *pf = &platforms[0];
    simtest_new(&t, 5, (SimKernel){KERNEL(readers)});
    ck_assert_int_eq(simtest_run(&t), EXIT_OK);
    int64_t beta = (32 * pf->link_ps_per_kib + 1023) / 1024;
    int64_t gap = beta > pf->link_gap ? beta : pf->link_gap;
    int64_t first = INT64_MAX, sum = 0;
    for (uint32_t r = 1; r < 5; r++) {
        int64_t link = cost_rank(t.world, r).link_ps;
        first = link < first ? link : first;
        sum += link;
    }
    ck_assert_int_eq(first, pf->link_overhead + pf->link_latency + beta);
    ck_assert_int_eq(sum, 4 * first + (1 + 2 + 3) * gap);
    simtest_free(&t);
}
END_TEST

/* What the table of the specification says, in numbers worked out by hand. */
static const struct {
    CostCall call;
    uint64_t want[COST_COUNTERS]; /* received, sent, steps, notifies, self, waits, barriers */
} forms[] = {
    {{BUILTIN_BARRIER, .ranks = 5}, {0, 0, 0, 4, 4, 4, 1}},
    {{BUILTIN_BARRIER, .ranks = 1}, {0}},
    {{BUILTIN_MESH, .ranks = 4, .rows = 1, .cols = 64, .lanes = 1}, {768, 768, 3, 6, 3, 6, 2}},
    {{BUILTIN_MESH, .ranks = 4, .rows = 1, .cols = 5000, .lanes = 1},
     {60000, 60000, 6, 9, 3, 9, 3}},
    {{BUILTIN_MESH, .ranks = 3, .rows = 1, .cols = 7, .lane = 1, .lanes = 2},
     {32, 32, 2, 4, 2, 4, 2}},
    {{BUILTIN_RING, .ranks = 4, .rank = 2, .rows = 1, .cols = 64, .grain = 1},
     {384, 384, 6, 21, 18, 21, 7}},
    {{BUILTIN_RING, .ranks = 3, .rank = 1, .rows = 1, .cols = 7, .grain = 1}, /* segments 2, 2, 3 */
     {40, 36, 4, 10, 8, 10, 5}},
    {{BUILTIN_RING, .ranks = 4, .rank = 3, .rows = 1, .cols = 2, .grain = 1}, /* 0, 1, 0, 1 */
     {12, 12, 3, 21, 18, 21, 7}},
    {{BUILTIN_RING, .ranks = 2, .rows = 1, .cols = 8, .grain = 1, .own_row = true},
     {32, 32, 2, 3, 3, 3, 3}},
    {{BUILTIN_REDUCE_SCATTER, .ranks = 4, .rows = 4, .cols = 5000}, {60000, 60000, 6, 6, 3, 6, 2}},
    {{BUILTIN_BROADCAST, .ranks = 3, .rank = 0, .rows = 1, .cols = 8, .root = 2},
     {32, 0, 1, 4, 2, 4, 2}},
    {{BUILTIN_BROADCAST, .ranks = 3, .rank = 2, .rows = 1, .cols = 8, .root = 2},
     {0, 64, 0, 4, 2, 4, 2}},
    {{BUILTIN_ALLGATHER, .ranks = 4, .rows = 4, .cols = 8}, {96, 96, 3, 6, 3, 6, 2}},
    {{BUILTIN_ALL_TO_ALL, .ranks = 2, .rows = 2, .cols = 8}, {32, 32, 1, 2, 1, 2, 2}},
    {{BUILTIN_ALL_TO_ALL_V, .ranks = 3, .rows = 9, .cols = 8}, {0, 0, 0, 6, 3, 4, 2}},
};

START_TEST(closed_forms)
{
    CostCall call = forms[_i].call;
    CostCount c = {0};
    call.elem = 4;
    call.chunk = 16384;
    cost_expect(&call, &c);
    ck_assert_uint_eq(c.calls, 1);
    for (unsigned i = 0; i < COST_COUNTERS; i++)
        ck_assert_msg(cost_counter(&c, i) == forms[_i].want[i], "form %d: %s is %llu, wanted %llu",
                      _i, cost_counter_name(i), (unsigned long long)cost_counter(&c, i),
                      (unsigned long long)forms[_i].want[i]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cost");
    TCase *c = tcase_create("cost");
    tcase_add_test(c, counts_what_was_done);
    tcase_add_test(c, the_card_is_what_observers_saw);
    tcase_add_test(c, alpha_beta);
    tcase_add_test(c, ports_serialise);
    tcase_add_loop_test(c, closed_forms, 0, sizeof forms / sizeof forms[0]);
    suite_add_tcase(s, c);
    return run_suite(s);
}
