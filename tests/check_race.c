/* The race check: which bytes conflict, and that merging, replacing and sweeping of records change
 * no verdict. */
#include "sim/machine/rect_overlap.h"
#include "tests/raceplay.h"
#include "tests/support.h"

#include <string.h>

/* ---- bytes ---- */

START_TEST(bytes_are_exact)
{
    Play p;
    play_start(&p);
    play_wr(&p, 0, 0, 6, 2, 1);
    play_rd(&p, 1, 0, 4, 2, 2);
    play_rd(&p, 1, 0, 8, 2, 3);
    ck_assert_uint_eq(play_races(&p), 0);
    play_rd(&p, 1, 0, 7, 1, 4);
    ck_assert_uint_eq(play_races(&p), 1);
    ck_assert_str_eq(p.result.reports[0].check, "race");
    ck_assert_int_eq(p.result.status, EXIT_CHECK);
    ck_assert_ptr_nonnull(strstr(p.result.reports[0].text,
                                 "k.pld:4:1: race: rank 1 reads data[0, 3] of rank 0 "
                                 "(remote_load), unordered with rank 0, which writes it (store) "
                                 "at k.pld:1:1"));
    play_done(&p);
}
END_TEST

START_TEST(holes_do_not_touch)
{
    Play p;
    play_start(&p);
    FabRect left = {.run = 8, .n = 1, .count = {100}, .stride = {64}}, right = left;
    right.at.offset = 8;
    right.run = 56;
    play_touch(&p, EV_WRITE, 0, 0, left, 1);
    play_touch(&p, EV_REMOTE_WRITE, 1, 0, right, 2);
    ck_assert_uint_eq(play_races(&p), 0);
    right.at.offset = 7;
    play_touch(&p, EV_REMOTE_WRITE, 1, 0, right, 3);
    ck_assert_uint_eq(play_races(&p), 1);
    ck_assert_ptr_nonnull(strstr(p.result.reports[0].text, "data[0, 3] to data["));
    play_done(&p);
}
END_TEST

START_TEST(a_pair_of_lines_once)
{
    Play p;
    play_start(&p);
    for (int i = 0; i < 10; i++) {
        play_wr(&p, 0, 0, 100 * i, 50, 1);
        play_rd(&p, 1, 0, 100 * i, 50, 2);
    }
    ck_assert_uint_eq(play_races(&p), 1);
    play_rd(&p, 1, 0, 0, 4, 3);
    play_rd(&p, 2, 0, 0, 4, 3);
    ck_assert_uint_eq(play_races(&p), 2);
    play_wr(&p, 3, 0, 0, 4, 2);
    ck_assert_uint_eq(play_races(&p), 4);
    play_done(&p);
}
END_TEST

/* Reads are remembered one by one: the last one does not hide an earlier one. */
START_TEST(every_reader_counts)
{
    Play p;
    play_start(&p);
    play_rd(&p, 1, 0, 0, 64, 1);
    play_rd(&p, 2, 0, 0, 64, 2);
    play_ntf(&p, 2, 0, 0, 1);
    play_ge(&p, 0, 0, 1);
    play_wr(&p, 0, 0, 0, 64, 3);
    ck_assert_uint_eq(play_races(&p), 1);
    ck_assert_ptr_nonnull(strstr(p.result.reports[0].text, "k.pld:1:1"));
    play_done(&p);
}
END_TEST

START_TEST(adds_commute)
{
    Play p;
    play_start(&p);
    FabRect r = {.run = 64};
    for (uint32_t i = 0; i < RANKS; i++)
        play_touch(&p, EV_ATOMIC, i, 0, r, 10 + i);
    ck_assert_uint_eq(play_races(&p), 0);
    play_rd(&p, 0, 0, 0, 2, 1);
    ck_assert_uint_eq(play_races(&p), 3);
    play_done(&p);
}
END_TEST

/* A record that every thread has behind it is swept, no other. */
START_TEST(sweeping_loses_nothing)
{
    Play p;
    play_start(&p);
    play_wr(&p, 3, 0, 100000, 4, 1);
    int32_t turn = 0;
    for (int32_t round = 0; round < 200; round++) {
        turn++;
        for (uint32_t i = 0; i < RANKS; i++) {
            play_rd(&p, i, 0, 16 * round, 4, 2 + i);
            if (i != 3)
                play_ntf(&p, i, (i + 1) % 3, 0, 1);
        }
        for (uint32_t i = 0; i < 3; i++)
            play_ge(&p, i, 0, turn);
    }
    ck_assert_uint_eq(play_races(&p), 0);
    play_rd(&p, 0, 0, 100000, 4, 11);
    ck_assert_uint_eq(play_races(&p), 1);
    play_wr(&p, 0, 0, 0, 4000, 12);
    ck_assert_uint_ge(play_races(&p), 3);
    play_done(&p);
}
END_TEST

/* ---- against the plain way ---- */

/* Every access of a run is kept, with the whole clock of its thread at that time. */
typedef struct {
    FabRect rect;
    EventKind kind;
    uint32_t rank, epoch, line;
} Old;

typedef struct {
    uint32_t clock[RANKS][RANKS];            /* [thread][of thread]: the epoch it has behind it */
    uint32_t sent[RANKS][RANKS][256][RANKS]; /* [from][to][number]: clock of the notify */
    uint32_t n_sent[RANKS][RANKS], n_seen[RANKS][RANKS];
    VEC(Old) old;
    uint32_t n_lines;
    VEC(uint32_t) pairs; /* lines that race: two entries each */
} Plain;

enum { FIRST = 1000 }; /* line of the first access */

static uint32_t seed;

static uint32_t rnd(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static bool conflict(EventKind a, EventKind b)
{
    bool reads = (a == EV_READ || a == EV_REMOTE_READ) && (b == EV_READ || b == EV_REMOTE_READ);
    return !reads && !(a == EV_ATOMIC && b == EV_ATOMIC);
}

static void plain_access(Plain *x, uint32_t rank, EventKind kind, const FabRect *rect,
                         uint32_t line)
{
    for (uint32_t i = 0; i < x->old.len; i++) {
        const Old *o = &x->old.at[i];
        if (o->rank == rank || !conflict(o->kind, kind) || !rects_touch(&o->rect, rect) ||
            x->clock[rank][o->rank] >= o->epoch)
            continue;
        vec_push(&x->pairs, o->line);
        vec_push(&x->pairs, line);
    }
    vec_push(&x->old, (Old){*rect, kind, rank, x->clock[rank][rank] + 1, line});
}

static FabRect random_rect(void)
{
    FabRect r = {.at.offset = 8 * rnd(8), .run = 8 * (1 + rnd(3))};
    if (rnd(3) == 0) {
        r.n = 1;
        r.count[0] = 2 + rnd(3);
        r.stride[0] = 32;
    } else if (rnd(4) == 0) {
        r.run = 96;
    }
    return r;
}

static void random_access(Play *p, Plain *x)
{
    static const EventKind kinds[] = {EV_READ, EV_READ, EV_READ, EV_WRITE, EV_ATOMIC};
    uint32_t rank = rnd(RANKS);
    EventKind kind = kinds[rnd(5)];
    if (rank && kind != EV_ATOMIC)
        kind = kind == EV_READ ? EV_REMOTE_READ : EV_REMOTE_WRITE;
    FabRect rect = random_rect();
    /* Some come in rows, as loops make them. */
    uint32_t rows = 1 + 3 * (rnd(4) == 0), line = FIRST + x->n_lines++;
    for (uint32_t i = 0; i < rows; i++) {
        plain_access(x, rank, kind, &rect, line);
        play_touch(p, kind, rank, 0, rect, line);
        rect.at.offset += rect.n ? 8 : 32;
    }
}

static void random_notify(Play *p, Plain *x)
{
    uint32_t from = rnd(RANKS), to = (from + 1 + rnd(RANKS - 1)) % RANKS;
    uint32_t n = x->n_sent[from][to];
    if (n == 256)
        return;
    x->clock[from][from]++;
    memcpy(x->sent[from][to][n], x->clock[from], sizeof x->clock[from]);
    x->n_sent[from][to]++;
    play_ntf(p, from, to, from, 1);
}

static void random_wait(Play *p, Plain *x)
{
    uint32_t to = rnd(RANKS), from = (to + 1 + rnd(RANKS - 1)) % RANKS;
    uint32_t *seen = &x->n_seen[from][to];
    if (*seen == x->n_sent[from][to])
        return;
    const uint32_t *clock = x->sent[from][to][(*seen)++];
    for (uint32_t i = 0; i < RANKS; i++)
        if (x->clock[to][i] < clock[i])
            x->clock[to][i] = clock[i];
    play_ge(p, to, from, (int32_t)*seen);
}

/* Lines of accesses that a report names. */
static void mark_named(const char *text, bool *named)
{
    for (const char *at = text; (at = strstr(at, "k.pld:")); at += 6) {
        long line = strtol(at + 6, NULL, 10);
        if (line >= FIRST)
            named[line - FIRST] = true;
    }
}

static bool races(const Plain *x, uint32_t line)
{
    for (uint32_t i = 0; i < x->pairs.len; i++)
        if (x->pairs.at[i] == line)
            return true;
    return false;
}

/* Merging, replacing and sweeping of records change no verdict: every access that is named races,
 * and of two that race one is named at least (a later write may stand for the other). */
START_TEST(same_as_the_plain_way)
{
    Play p;
    Plain *x = xcalloc(1, sizeof *x);
    play_start(&p);
    seed = (uint32_t)_i;
    for (int step = 0; step < 700; step++) {
        uint32_t what = rnd(6);
        if (what < 2)
            random_access(&p, x);
        else if (what == 2)
            random_notify(&p, x);
        else
            random_wait(&p, x);
    }
    ck_assert_uint_gt(play_races(&p), 0);
    bool *named = xcalloc(x->n_lines + 1, sizeof *named);
    for (uint32_t i = 0; i < p.result.n_reports; i++)
        mark_named(p.result.reports[i].text, named);
    for (uint32_t i = 0; i < x->n_lines; i++)
        ck_assert_msg(!named[i] || races(x, FIRST + i), "access %u is named", i);
    for (uint32_t i = 0; i < x->pairs.len; i += 2)
        ck_assert(named[x->pairs.at[i] - FIRST] || named[x->pairs.at[i + 1] - FIRST]);
    xfree(named);
    vec_free(&x->old);
    vec_free(&x->pairs);
    xfree(x);
    play_done(&p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("race");
    TCase *c = tcase_create("bytes");
    tcase_add_test(c, bytes_are_exact);
    tcase_add_test(c, holes_do_not_touch);
    tcase_add_test(c, a_pair_of_lines_once);
    tcase_add_test(c, every_reader_counts);
    tcase_add_test(c, adds_commute);
    tcase_add_test(c, sweeping_loses_nothing);
    suite_add_tcase(s, c);
    c = tcase_create("plain");
    tcase_add_loop_test(c, same_as_the_plain_way, 0, 150);
    suite_add_tcase(s, c);
    return run_suite(s);
}
