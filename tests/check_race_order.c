/* The race check: who acquires what, when puts have read their source, and what the host orders. */
#include "tests/raceplay.h"
#include "tests/support.h"

#include <string.h>

/* ---- who acquires what ---- */

/* Credits that can take each other's place order nothing; all of them do. */
/* The first two elements of a rank's data. */
static FabRect data(uint32_t of)
{
    return (FabRect){.at.rank = of, .run = 4};
}

START_TEST(two_of_three)
{
    Play p;
    play_start(&p);
    for (uint32_t i = 1; i < RANKS; i++) {
        play_wr(&p, i, i, 0, 4, i);
        play_ntf(&p, i, 0, 0, 1);
    }
    play_ge(&p, 0, 0, 2);
    play_rd(&p, 0, 1, 0, 4, 11);
    play_rd(&p, 0, 2, 0, 4, 12);
    ck_assert_uint_eq(play_races(&p), 2);
    play_rd(&p, 0, 3, 0, 4, 13);
    ck_assert_uint_eq(play_races(&p), 3);
    ck_assert_ptr_nonnull(
        strstr(p.result.reports[0].text, "credits that can take each other's place"));
    play_ge(&p, 0, 0, 3);
    play_rd(&p, 0, 3, 0, 4, 14);
    ck_assert_uint_eq(play_races(&p), 3);
    play_done(&p);
}
END_TEST

START_TEST(eq_acquires_all)
{
    Play p;
    play_start(&p);
    for (uint32_t i = 1; i < RANKS; i++) {
        play_wr(&p, i, i, 0, 4, i);
        play_ntf(&p, i, 0, 0, 1);
    }
    play_wait_lane(&p, 0, 0, 0, 3, WAIT_EQ);
    for (uint32_t i = 1; i < RANKS; i++)
        play_rd(&p, 0, i, 0, 4, 10 + i);
    ck_assert_uint_eq(play_races(&p), 0);
    play_done(&p);
}
END_TEST

/* A reset takes the oldest credits away: what is left opens the next wait. */
START_TEST(reset_consumes_the_front)
{
    Play p;
    play_start(&p);
    play_ntf(&p, 1, 0, 0, 1);
    play_wr(&p, 2, 2, 0, 4, 2);
    play_ntf(&p, 2, 0, 0, 1);
    play_ge(&p, 0, 0, 1);
    play_ntf(&p, 0, 0, 0, -1);
    play_ge(&p, 0, 0, 1);
    play_rd(&p, 0, 2, 0, 4, 12);
    ck_assert_uint_eq(play_races(&p), 0);
    play_done(&p);
}
END_TEST

/* Part of a credit, and more than there is: the wait needs both. */
START_TEST(reset_in_parts)
{
    Play p;
    play_start(&p);
    play_wr(&p, 1, 1, 0, 4, 1);
    play_ntf(&p, 1, 0, 0, 3);
    play_ntf(&p, 0, 0, 0, -2);
    play_ntf(&p, 0, 0, 0, -2);
    play_wr(&p, 2, 2, 0, 4, 2);
    play_ntf(&p, 2, 0, 0, 2);
    play_ge(&p, 0, 0, 1);
    play_rd(&p, 0, 2, 0, 4, 12);
    play_rd(&p, 0, 1, 0, 4, 11);
    ck_assert_uint_eq(play_races(&p), 0);
    play_done(&p);
}
END_TEST

START_TEST(a_notify_to_oneself_is_no_news)
{
    Play p;
    play_start(&p);
    play_wr(&p, 1, 1, 0, 4, 1);
    play_ntf(&p, 0, 0, 0, 1);
    play_ge(&p, 0, 0, 1);
    play_rd(&p, 0, 1, 0, 4, 11);
    ck_assert_uint_eq(play_races(&p), 1);
    play_done(&p);
}
END_TEST

START_TEST(set_replaces)
{
    Play p;
    play_start(&p);
    play_wr(&p, 1, 1, 0, 4, 1);
    play_ntf(&p, 1, 0, 0, 1);
    play_wr(&p, 2, 2, 0, 4, 2);
    play_set(&p, 2, 0, 0, 5);
    play_ge(&p, 0, 0, 5);
    play_rd(&p, 0, 2, 0, 4, 12);
    ck_assert_uint_eq(play_races(&p), 1);
    ck_assert_ptr_nonnull(strstr(p.result.reports[0].text, "Set 5 of"));
    play_rd(&p, 0, 1, 0, 4, 11);
    ck_assert_uint_eq(play_races(&p), 2);
    play_done(&p);
}
END_TEST

/* Either Set will do, so neither is ordered before what follows the wait. */
START_TEST(set_on_a_shared_cell)
{
    Play p;
    play_start(&p);
    for (uint32_t i = 1; i < 3; i++) {
        play_wr(&p, i, i, 0, 4, i);
        play_set(&p, i, 0, 0, 1);
    }
    play_ge(&p, 0, 0, 1);
    play_rd(&p, 0, 1, 0, 4, 11);
    play_rd(&p, 0, 2, 0, 4, 12);
    ck_assert_uint_eq(play_races(&p), 2);
    play_done(&p);
}
END_TEST

/* Reset by its owner and Set again: the second wait needs the second Set. */
START_TEST(set_after_reset)
{
    Play p;
    play_start(&p);
    for (uint32_t i = 0; i < 3; i++) {
        play_wr(&p, 1, 1, 0, 4, 1);
        play_set(&p, 1, 0, 0, 1);
        play_ge(&p, 0, 0, 1);
        play_rd(&p, 0, 1, 0, 4, 11);
        play_set(&p, 0, 0, 0, 0);
        play_ntf(&p, 0, 1, 7, 1);
        play_ge(&p, 1, 7, (int32_t)i + 1);
    }
    ck_assert_uint_eq(play_races(&p), 0);
    play_done(&p);
}
END_TEST

START_TEST(a_store_into_a_cell_orders_nothing)
{
    Play p;
    play_start(&p);
    play_wr(&p, 1, 1, 0, 4, 1);
    p.cells[0][0] = 1;
    play_ge(&p, 0, 0, 1);
    play_rd(&p, 0, 1, 0, 4, 11);
    ck_assert_uint_eq(play_races(&p), 1);
    play_done(&p);
}
END_TEST

/* What one rank learned passes on; what it did after its notify does not. */
START_TEST(news_travels)
{
    Play p;
    play_start(&p);
    play_wr(&p, 0, 0, 0, 4, 1);
    play_ntf(&p, 0, 1, 0, 1);
    play_ge(&p, 1, 0, 1);
    play_ntf(&p, 1, 2, 0, 1);
    play_wr(&p, 1, 1, 0, 4, 2);
    play_ge(&p, 2, 0, 1);
    play_rd(&p, 2, 0, 0, 4, 11);
    ck_assert_uint_eq(play_races(&p), 0);
    play_rd(&p, 2, 1, 0, 4, 12);
    ck_assert_uint_eq(play_races(&p), 1);
    play_done(&p);
}
END_TEST

/* 70,000 notifies on one cell that is never reset: every wait orders its own credit only. */
START_TEST(long_counters_stay_exact)
{
    Play p;
    play_start(&p);
    for (int32_t i = 0; i < 70000; i++) {
        play_wr(&p, 1, 1, 0, 4, 1);
        play_ntf(&p, 1, 0, 0, 1);
        play_ge(&p, 0, 0, i + 1);
        play_rd(&p, 0, 1, 0, 4, 2);
        play_ntf(&p, 0, 1, 0, 1);
        play_ge(&p, 1, 0, i + 1);
    }
    ck_assert_uint_eq(play_races(&p), 0);
    OrderCheck *c = (OrderCheck *)p.check;
    ck_assert_uint_lt(c->snaps.len, 1000);
    ck_assert_uint_lt(c->pool.nodes.len, 1000);
    play_wr(&p, 1, 1, 0, 4, 3);
    play_rd(&p, 0, 1, 0, 4, 2);
    ck_assert_uint_eq(play_races(&p), 1);
    play_done(&p);
}
END_TEST

/* The same many credits waiting at once: a wait orders those it cannot do without. */
START_TEST(many_credits_at_once)
{
    Play p;
    play_start(&p);
    for (int32_t i = 0; i < 70000; i++)
        play_ntf(&p, 1, 0, 0, 1);
    play_wr(&p, 2, 2, 0, 4, 1);
    play_ntf(&p, 2, 0, 0, 1);
    play_ntf(&p, 1, 0, 0, 1);
    play_ge(&p, 0, 0, 70000);
    play_rd(&p, 0, 2, 0, 4, 11);
    ck_assert_uint_eq(play_races(&p), 1);
    play_ge(&p, 0, 0, 70001);
    play_rd(&p, 0, 2, 0, 4, 12);
    ck_assert_uint_eq(play_races(&p), 2);
    play_ge(&p, 0, 0, 70002);
    play_rd(&p, 0, 2, 0, 4, 13);
    ck_assert_uint_eq(play_races(&p), 2);
    play_done(&p);
}
END_TEST

/* Its second wait may come before the wrap. */
START_TEST(a_counter_that_wraps)
{
    Play p;
    play_start(&p);
    play_ntf(&p, 1, 0, 0, INT32_MAX);
    play_ge(&p, 0, 0, 1);
    play_ntf(&p, 1, 0, 0, 1);
    play_ntf(&p, 1, 0, 0, INT32_MAX);
    play_ntf(&p, 1, 0, 0, 1);
    play_wr(&p, 1, 1, 0, 4, 1);
    play_ntf(&p, 1, 0, 0, 1);
    play_ge(&p, 0, 0, 1);
    play_rd(&p, 0, 1, 0, 4, 2);
    ck_assert_uint_eq(play_races(&p), 1);
    play_done(&p);
}
END_TEST

/* ---- puts ---- */

START_TEST(put_reads_until_notify_or_fence)
{
    Play p;
    play_start(&p);
    play_put(&p, 0, 0, 64, 1);
    play_wr(&p, 0, 0, 64, 8, 2);
    play_rd(&p, 0, 0, 0, 64, 3);
    ck_assert_uint_eq(play_races(&p), 0);
    play_wr(&p, 0, 0, 60, 8, 4);
    ck_assert_uint_eq(play_races(&p), 1);
    play_put(&p, 0, 0, 64, 5);
    play_fence(&p, 0);
    play_wr(&p, 0, 0, 0, 8, 6);
    play_put(&p, 0, 0, 64, 7);
    play_ntf(&p, 0, 1, 0, 1);
    play_wr(&p, 0, 0, 0, 8, 8);
    ck_assert_uint_eq(play_races(&p), 1);
    play_done(&p);
}
END_TEST

/* ---- dispatches and lanes ---- */

START_TEST(lanes_are_threads)
{
    Play p;
    play_setup(&p, 2, 2);
    play_begin(&p, 0);
    FabRect r = {.run = 4};
    play_touch(&p, EV_WRITE, 0, 0, r, 1);
    play_touch(&p, EV_READ, 0, 1, r, 2);
    ck_assert_uint_eq(play_races(&p), 1);
    ck_assert_ptr_nonnull(strstr(p.result.reports[0].text, "rank 0 core 1 reads"));
    play_end(&p, 0);
    play_begin(&p, RANKS);
    play_touch(&p, EV_WRITE, 0, 1, r, 3);
    ck_assert_uint_eq(play_races(&p), 1);
    play_done(&p);
}
END_TEST

/* Each lane's wait orders what it needs itself: one of two credits, or both. */
START_TEST(lanes_wait_for_themselves)
{
    Play p;
    play_setup(&p, 2, 1);
    for (uint32_t r = 0; r < RANKS; r++)
        play_begin(&p, r);
    for (uint32_t i = 1; i < 3; i++) {
        play_touch(&p, EV_WRITE, i, 0, data(i), i);
        play_ntf(&p, i, 0, 0, 1);
    }
    play_wait_lane(&p, 0, 0, 0, 2, WAIT_GE);
    play_wait_lane(&p, 0, 1, 0, 1, WAIT_GE);
    play_touch(&p, EV_REMOTE_READ, 0, 1, data(1), 11);
    ck_assert_uint_eq(play_races(&p), 1);
    play_touch(&p, EV_REMOTE_READ, 0, 1, data(2), 12);
    ck_assert_uint_eq(play_races(&p), 2);
    play_touch(&p, EV_REMOTE_READ, 0, 0, data(2), 13);
    ck_assert_uint_eq(play_races(&p), 2);
    play_done(&p);
}
END_TEST

START_TEST(host_order)
{
    Play p;
    play_setup(&p, 1, 2);
    DispatchDep on_end = {.dispatch = 0}, on_start = {.dispatch = 2, .at_start = true};
    p.w.dispatches.at[1].deps = &on_end;
    p.w.dispatches.at[1].n_deps = 1;
    p.w.dispatches.at[3].deps = &on_start;
    p.w.dispatches.at[3].n_deps = 1;
    p.check->destroy(p.check);
    p.check = check_order_new(&p.w);
    play_begin(&p, 0);
    play_wr(&p, 0, 0, 0, 4, 1);
    play_end(&p, 0);
    play_begin(&p, 1);
    play_rd(&p, 1, 0, 0, 4, 2);
    ck_assert_uint_eq(play_races(&p), 0);
    play_begin(&p, 2);
    play_wr(&p, 2, 2, 0, 4, 3);
    play_begin(&p, 3);
    play_rd(&p, 3, 2, 0, 4, 4);
    ck_assert_uint_eq(play_races(&p), 1);
    play_done(&p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("race order");
    TCase *c = tcase_create("order");
    tcase_add_test(c, two_of_three);
    tcase_add_test(c, eq_acquires_all);
    tcase_add_test(c, reset_consumes_the_front);
    tcase_add_test(c, reset_in_parts);
    tcase_add_test(c, a_notify_to_oneself_is_no_news);
    tcase_add_test(c, set_replaces);
    tcase_add_test(c, set_on_a_shared_cell);
    tcase_add_test(c, set_after_reset);
    tcase_add_test(c, a_store_into_a_cell_orders_nothing);
    tcase_add_test(c, news_travels);
    tcase_add_test(c, long_counters_stay_exact);
    tcase_add_test(c, many_credits_at_once);
    tcase_add_test(c, a_counter_that_wraps);
    suite_add_tcase(s, c);
    c = tcase_create("threads");
    tcase_add_test(c, put_reads_until_notify_or_fence);
    tcase_add_test(c, lanes_are_threads);
    tcase_add_test(c, lanes_wait_for_themselves);
    tcase_add_test(c, host_order);
    suite_add_tcase(s, c);
    return run_suite(s);
}
