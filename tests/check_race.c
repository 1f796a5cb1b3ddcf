/* The race check, fed with hand-made events: who acquires what, and which bytes conflict. */
#include "sim/checks.h"
#include "sim/race.h"
#include "sim/rects.h"
#include "tests/support.h"

#include <string.h>

enum { RANKS = 4, LINES = 1000, DATA = 0, SIGNAL = 1 };

typedef struct {
    World w;
    RunResult result;
    BcProgram program;
    BcFunc func;
    BcLoc locs[LINES];
    Rank ranks[RANKS];
    Lane lanes[RANKS][4];
    uint32_t queue[RANKS][8];
    Observer *check;
    uint64_t seq;
    int32_t cells[RANKS][64];
    uint32_t dispatch[RANKS]; /* running */
} Play;

static const char *const strings[] = {"k.pld", "data", "signal", "step"};

static void event(Play *p, Event *e)
{
    e->seq = ++p->seq;
    if (p->check->mask & EV_BIT(e->kind))
        p->check->event(p->check, &p->w, e);
}

static void life(Play *p, EventKind kind, uint32_t rank, uint32_t core)
{
    Event e = {.kind = kind, .at = {.rank = rank, .core = core, .dispatch = p->dispatch[rank]}};
    event(p, &e);
}

/* Starts dispatch `index`, with all lanes of its rank. */
static void begin(Play *p, uint32_t index)
{
    uint32_t rank = p->w.dispatches.at[index].rank;
    p->dispatch[rank] = index;
    p->ranks[rank].next++;
    p->ranks[rank].busy = true;
    life(p, EV_DISPATCH_BEGIN, rank, 0);
    for (uint32_t i = 0; i < p->ranks[rank].n_lanes; i++)
        life(p, EV_LANE_BEGIN, rank, i);
}

static void end(Play *p, uint32_t rank)
{
    for (uint32_t i = 0; i < p->ranks[rank].n_lanes; i++)
        life(p, EV_LANE_END, rank, i);
    life(p, EV_DISPATCH_END, rank, 0);
    p->ranks[rank].busy = false;
}

/* `dispatches` of each rank with `lanes` lanes; dispatch d of rank r is d * RANKS + r. */
static void setup(Play *p, uint32_t lanes, uint32_t dispatches)
{
    memset(p, 0, sizeof *p);
    for (uint32_t i = 0; i < LINES; i++)
        p->locs[i] =
            (BcLoc){.pc = i, .line = i, .col = 1, .origin = BC_NO_INDEX, .phase = BC_NO_INDEX};
    p->func = (BcFunc){.name = 3, .n_insns = LINES, .n_locs = LINES, .locs = p->locs};
    p->program = (BcProgram){.n_strings = 4, .strings = strings, .n_funcs = 1, .funcs = &p->func};
    p->w.program = &p->program;
    p->w.n_ranks = RANKS;
    p->w.max_cores = lanes;
    p->w.ranks = p->ranks;
    p->w.result = &p->result;
    Window data = {.name = "data",
                   .bytes = 1 << 20,
                   .data = true,
                   .view_dtype = DT_FP16,
                   .view_rank = 2,
                   .view_shape = {16, 32}};
    Window signal = {.name = "signal",
                     .bytes = 4096,
                     .signal = true,
                     .view_dtype = DT_INT32,
                     .view_rank = 1,
                     .view_shape = {64}};
    vec_push(&p->w.windows, data);
    vec_push(&p->w.windows, signal);
    for (uint32_t d = 0; d < dispatches; d++)
        for (uint32_t r = 0; r < RANKS; r++) {
            vec_push(&p->w.dispatches, (Dispatch){.rank = r, .cores = lanes});
            p->queue[r][d] = d * RANKS + r;
        }
    for (uint32_t r = 0; r < RANKS; r++) {
        p->ranks[r].lanes = p->lanes[r];
        p->ranks[r].n_lanes = lanes;
        p->ranks[r].queue.at = p->queue[r];
        p->ranks[r].queue.len = dispatches;
    }
    p->check = check_race_new(&p->w);
}

static void start(Play *p)
{
    setup(p, 1, 1);
    for (uint32_t r = 0; r < RANKS; r++)
        begin(p, r);
}

static void done(Play *p)
{
    p->check->destroy(p->check);
    vec_free(&p->w.windows);
    vec_free(&p->w.dispatches);
    run_result_free(&p->result);
}

static uint32_t races(const Play *p)
{
    return p->result.n_reports;
}

/* Lane `core` of `rank` accesses rank `of`'s data at `line`. */
static void touch(Play *p, EventKind kind, uint32_t rank, uint32_t core, uint32_t of, FabRect rect,
                  uint32_t line)
{
    uint16_t insn = kind == EV_WRITE ? BC_STORE : kind == EV_READ ? BC_LOAD : BC_RLOAD;
    rect.at.rank = of;
    Event e = {.kind = kind,
               .at = {.rank = rank, .core = core, .dispatch = p->dispatch[rank], .pc = line},
               .rect = rect,
               .target = of,
               .dtype = DT_FP16,
               .insn = insn};
    event(p, &e);
}

static void put(Play *p, uint32_t rank, int64_t offset, int64_t bytes, uint32_t line)
{
    touch(p, EV_PUT_SOURCE, rank, 0, rank, (FabRect){.at.offset = offset, .run = bytes}, line);
}

static void rd(Play *p, uint32_t rank, uint32_t of, int64_t offset, int64_t bytes, uint32_t line)
{
    touch(p, rank == of ? EV_READ : EV_REMOTE_READ, rank, 0, of,
          (FabRect){.at.offset = offset, .run = bytes}, line);
}

static void wr(Play *p, uint32_t rank, uint32_t of, int64_t offset, int64_t bytes, uint32_t line)
{
    touch(p, rank == of ? EV_WRITE : EV_REMOTE_WRITE, rank, 0, of,
          (FabRect){.at.offset = offset, .run = bytes}, line);
}

static void notify_lane(Play *p, uint32_t rank, uint32_t core, uint32_t to, uint32_t cell,
                        int32_t value, int op)
{
    Event e = {.kind = EV_NOTIFY,
               .at = {.rank = rank, .core = core, .dispatch = p->dispatch[rank], .pc = 900},
               .target = to,
               .op = (uint8_t)op,
               .value = value,
               .insn = BC_NOTIFY};
    e.rect = (FabRect){.at = {.rank = to, .window = SIGNAL, .offset = 4 * cell}, .run = 4};
    Buf payload = {0};
    p->check->payload(p->check, &p->w, &e, &payload);
    event(p, &e);
    int32_t *now = &p->cells[to][cell];
    e.kind = EV_ARRIVE;
    e.before = *now;
    *now = op == NOTIFY_SET ? value : (int32_t)((uint32_t)*now + (uint32_t)value);
    e.after = *now;
    e.payload = (FabPayload){payload.at, (uint32_t)payload.len};
    event(p, &e);
    buf_free(&payload);
}

static void ntf(Play *p, uint32_t rank, uint32_t to, uint32_t cell, int32_t value)
{
    notify_lane(p, rank, 0, to, cell, value, NOTIFY_ATOMIC_ADD);
}

static void set(Play *p, uint32_t rank, uint32_t to, uint32_t cell, int32_t value)
{
    notify_lane(p, rank, 0, to, cell, value, NOTIFY_SET);
}

static void wait_lane(Play *p, uint32_t rank, uint32_t core, uint32_t cell, int32_t value, int cmp)
{
    Event e = {.kind = EV_WAIT,
               .at = {.rank = rank, .core = core, .dispatch = p->dispatch[rank], .pc = 901},
               .target = rank,
               .op = (uint8_t)cmp,
               .value = value,
               .after = p->cells[rank][cell],
               .insn = BC_WAIT};
    ck_assert(cmp == WAIT_GE ? e.after >= value : e.after == value);
    e.rect = (FabRect){.at = {.rank = rank, .window = SIGNAL, .offset = 4 * cell}, .run = 4};
    event(p, &e);
}

static void ge(Play *p, uint32_t rank, uint32_t cell, int32_t value)
{
    wait_lane(p, rank, 0, cell, value, WAIT_GE);
}

static void fence(Play *p, uint32_t rank)
{
    Event e = {.kind = EV_FENCE, .at = {.rank = rank, .dispatch = p->dispatch[rank]}};
    event(p, &e);
}

/* ---- bytes ---- */

START_TEST(bytes_are_exact)
{
    Play p;
    start(&p);
    wr(&p, 0, 0, 6, 2, 1);
    rd(&p, 1, 0, 4, 2, 2);
    rd(&p, 1, 0, 8, 2, 3);
    ck_assert_uint_eq(races(&p), 0);
    rd(&p, 1, 0, 7, 1, 4);
    ck_assert_uint_eq(races(&p), 1);
    ck_assert_str_eq(p.result.reports[0].check, "race");
    ck_assert_int_eq(p.result.status, EXIT_CHECK);
    ck_assert_ptr_nonnull(strstr(p.result.reports[0].text,
                                 "k.pld:4:1: race: rank 1 reads data[0, 3] of rank 0 "
                                 "(remote_load), unordered with rank 0, which writes it (store) "
                                 "at k.pld:1:1"));
    done(&p);
}
END_TEST

START_TEST(holes_do_not_touch)
{
    Play p;
    start(&p);
    FabRect left = {.run = 8, .n = 1, .count = {100}, .stride = {64}}, right = left;
    right.at.offset = 8;
    right.run = 56;
    touch(&p, EV_WRITE, 0, 0, 0, left, 1);
    touch(&p, EV_REMOTE_WRITE, 1, 0, 0, right, 2);
    ck_assert_uint_eq(races(&p), 0);
    right.at.offset = 7;
    touch(&p, EV_REMOTE_WRITE, 1, 0, 0, right, 3);
    ck_assert_uint_eq(races(&p), 1);
    ck_assert_ptr_nonnull(strstr(p.result.reports[0].text, "data[0, 3] to data["));
    done(&p);
}
END_TEST

START_TEST(a_pair_of_lines_once)
{
    Play p;
    start(&p);
    for (int i = 0; i < 10; i++) {
        wr(&p, 0, 0, 100 * i, 50, 1);
        rd(&p, 1, 0, 100 * i, 50, 2);
    }
    ck_assert_uint_eq(races(&p), 1);
    rd(&p, 1, 0, 0, 4, 3);
    rd(&p, 2, 0, 0, 4, 3);
    ck_assert_uint_eq(races(&p), 2);
    wr(&p, 3, 0, 0, 4, 2);
    ck_assert_uint_eq(races(&p), 4);
    done(&p);
}
END_TEST

/* Reads are remembered one by one: the last one does not hide an earlier one. */
START_TEST(every_reader_counts)
{
    Play p;
    start(&p);
    rd(&p, 1, 0, 0, 64, 1);
    rd(&p, 2, 0, 0, 64, 2);
    ntf(&p, 2, 0, 0, 1);
    ge(&p, 0, 0, 1);
    wr(&p, 0, 0, 0, 64, 3);
    ck_assert_uint_eq(races(&p), 1);
    ck_assert_ptr_nonnull(strstr(p.result.reports[0].text, "k.pld:1:1"));
    done(&p);
}
END_TEST

START_TEST(adds_commute)
{
    Play p;
    start(&p);
    FabRect r = {.run = 64};
    for (uint32_t i = 0; i < RANKS; i++)
        touch(&p, EV_ATOMIC, i, 0, 0, r, 10 + i);
    ck_assert_uint_eq(races(&p), 0);
    rd(&p, 0, 0, 0, 2, 1);
    ck_assert_uint_eq(races(&p), 3);
    done(&p);
}
END_TEST

/* ---- who acquires what ---- */

START_TEST(shortest_prefix)
{
    Play p;
    start(&p);
    for (uint32_t i = 1; i < RANKS; i++) {
        wr(&p, i, i, 0, 4, i);
        ntf(&p, i, 0, 0, 1);
    }
    ge(&p, 0, 0, 2);
    rd(&p, 0, 1, 0, 4, 11);
    rd(&p, 0, 2, 0, 4, 12);
    ck_assert_uint_eq(races(&p), 0);
    rd(&p, 0, 3, 0, 4, 13);
    ck_assert_uint_eq(races(&p), 1);
    ge(&p, 0, 0, 3);
    rd(&p, 0, 3, 0, 4, 14);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

START_TEST(eq_acquires_all)
{
    Play p;
    start(&p);
    for (uint32_t i = 1; i < RANKS; i++) {
        wr(&p, i, i, 0, 4, i);
        ntf(&p, i, 0, 0, 1);
    }
    wait_lane(&p, 0, 0, 0, 3, WAIT_EQ);
    for (uint32_t i = 1; i < RANKS; i++)
        rd(&p, 0, i, 0, 4, 10 + i);
    ck_assert_uint_eq(races(&p), 0);
    done(&p);
}
END_TEST

/* A reset takes the oldest credits away: what is left opens the next wait. */
START_TEST(reset_consumes_the_front)
{
    Play p;
    start(&p);
    ntf(&p, 1, 0, 0, 1);
    wr(&p, 2, 2, 0, 4, 2);
    ntf(&p, 2, 0, 0, 1);
    ge(&p, 0, 0, 1);
    ntf(&p, 0, 0, 0, -1);
    ge(&p, 0, 0, 1);
    rd(&p, 0, 2, 0, 4, 12);
    ck_assert_uint_eq(races(&p), 0);
    done(&p);
}
END_TEST

/* Part of a credit, and more than there is. */
START_TEST(reset_in_parts)
{
    Play p;
    start(&p);
    wr(&p, 1, 1, 0, 4, 1);
    ntf(&p, 1, 0, 0, 3);
    ntf(&p, 0, 0, 0, -2);
    ntf(&p, 0, 0, 0, -2);
    wr(&p, 2, 2, 0, 4, 2);
    ntf(&p, 2, 0, 0, 2);
    ge(&p, 0, 0, 1);
    rd(&p, 0, 2, 0, 4, 12);
    ck_assert_uint_eq(races(&p), 0);
    rd(&p, 0, 1, 0, 4, 11);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

START_TEST(a_notify_to_oneself_is_no_news)
{
    Play p;
    start(&p);
    wr(&p, 1, 1, 0, 4, 1);
    ntf(&p, 0, 0, 0, 1);
    ge(&p, 0, 0, 1);
    rd(&p, 0, 1, 0, 4, 11);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

START_TEST(set_replaces)
{
    Play p;
    start(&p);
    wr(&p, 1, 1, 0, 4, 1);
    ntf(&p, 1, 0, 0, 1);
    wr(&p, 2, 2, 0, 4, 2);
    set(&p, 2, 0, 0, 5);
    ge(&p, 0, 0, 5);
    rd(&p, 0, 2, 0, 4, 12);
    ck_assert_uint_eq(races(&p), 0);
    rd(&p, 0, 1, 0, 4, 11);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

/* A wait that held before the Set came does not depend on it, whichever came first in this run. */
START_TEST(set_on_a_shared_cell)
{
    Play p;
    start(&p);
    for (uint32_t i = 1; i < 3; i++) {
        wr(&p, i, i, 0, 4, i);
        set(&p, i, 0, 0, 1);
    }
    ge(&p, 0, 0, 1);
    rd(&p, 0, 1, 0, 4, 11);
    rd(&p, 0, 2, 0, 4, 12);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

/* Reset by its owner and Set again: the second wait needs the second Set. */
START_TEST(set_after_reset)
{
    Play p;
    start(&p);
    for (uint32_t i = 0; i < 3; i++) {
        wr(&p, 1, 1, 0, 4, 1);
        set(&p, 1, 0, 0, 1);
        ge(&p, 0, 0, 1);
        rd(&p, 0, 1, 0, 4, 11);
        set(&p, 0, 0, 0, 0);
        ntf(&p, 0, 1, 7, 1);
        ge(&p, 1, 7, (int32_t)i + 1);
    }
    ck_assert_uint_eq(races(&p), 0);
    done(&p);
}
END_TEST

START_TEST(a_store_into_a_cell_orders_nothing)
{
    Play p;
    start(&p);
    wr(&p, 1, 1, 0, 4, 1);
    p.cells[0][0] = 1;
    ge(&p, 0, 0, 1);
    rd(&p, 0, 1, 0, 4, 11);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

/* What one rank learned passes on; what it did after its notify does not. */
START_TEST(news_travels)
{
    Play p;
    start(&p);
    wr(&p, 0, 0, 0, 4, 1);
    ntf(&p, 0, 1, 0, 1);
    ge(&p, 1, 0, 1);
    ntf(&p, 1, 2, 0, 1);
    wr(&p, 1, 1, 0, 4, 2);
    ge(&p, 2, 0, 1);
    rd(&p, 2, 0, 0, 4, 11);
    ck_assert_uint_eq(races(&p), 0);
    rd(&p, 2, 1, 0, 4, 12);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

/* 70,000 notifies on one cell that is never reset: every wait orders its own credit only. */
START_TEST(long_counters_stay_exact)
{
    Play p;
    start(&p);
    for (int32_t i = 0; i < 70000; i++) {
        wr(&p, 1, 1, 0, 4, 1);
        ntf(&p, 1, 0, 0, 1);
        ge(&p, 0, 0, i + 1);
        rd(&p, 0, 1, 0, 4, 2);
        ntf(&p, 0, 1, 0, 1);
        ge(&p, 1, 0, i + 1);
    }
    ck_assert_uint_eq(races(&p), 0);
    RaceCheck *c = (RaceCheck *)p.check;
    ck_assert_uint_lt(c->cells.at[0].credits.cap, 1000);
    ck_assert_uint_lt(c->pool.nodes.len, 1000);
    wr(&p, 1, 1, 0, 4, 3);
    rd(&p, 0, 1, 0, 4, 2);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

/* The same many credits waiting at once. */
START_TEST(many_credits_at_once)
{
    Play p;
    start(&p);
    for (int32_t i = 0; i < 70000; i++)
        ntf(&p, 1, 0, 0, 1);
    wr(&p, 2, 2, 0, 4, 1);
    ntf(&p, 2, 0, 0, 1);
    ntf(&p, 1, 0, 0, 1);
    ge(&p, 0, 0, 70000);
    rd(&p, 0, 2, 0, 4, 11);
    ck_assert_uint_eq(races(&p), 1);
    ge(&p, 0, 0, 70001);
    rd(&p, 0, 2, 0, 4, 12);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

START_TEST(a_counter_that_wraps)
{
    Play p;
    start(&p);
    ntf(&p, 1, 0, 0, INT32_MAX);
    ge(&p, 0, 0, 1);
    ntf(&p, 1, 0, 0, 1);
    ntf(&p, 1, 0, 0, INT32_MAX);
    ntf(&p, 1, 0, 0, 1);
    wr(&p, 1, 1, 0, 4, 1);
    ntf(&p, 1, 0, 0, 1);
    ge(&p, 0, 0, 1);
    rd(&p, 0, 1, 0, 4, 2);
    ck_assert_uint_eq(races(&p), 0);
    done(&p);
}
END_TEST

/* ---- puts ---- */

START_TEST(put_reads_until_notify_or_fence)
{
    Play p;
    start(&p);
    put(&p, 0, 0, 64, 1);
    wr(&p, 0, 0, 64, 8, 2);
    rd(&p, 0, 0, 0, 64, 3);
    ck_assert_uint_eq(races(&p), 0);
    wr(&p, 0, 0, 60, 8, 4);
    ck_assert_uint_eq(races(&p), 1);
    put(&p, 0, 0, 64, 5);
    fence(&p, 0);
    wr(&p, 0, 0, 0, 8, 6);
    put(&p, 0, 0, 64, 7);
    ntf(&p, 0, 1, 0, 1);
    wr(&p, 0, 0, 0, 8, 8);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

/* ---- dispatches and lanes ---- */

START_TEST(lanes_are_threads)
{
    Play p;
    setup(&p, 2, 2);
    begin(&p, 0);
    FabRect r = {.run = 4};
    touch(&p, EV_WRITE, 0, 0, 0, r, 1);
    touch(&p, EV_READ, 0, 1, 0, r, 2);
    ck_assert_uint_eq(races(&p), 1);
    ck_assert_ptr_nonnull(strstr(p.result.reports[0].text, "rank 0 core 1 reads"));
    end(&p, 0);
    begin(&p, RANKS);
    touch(&p, EV_WRITE, 0, 1, 0, r, 3);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

/* A lane's credit stays until every lane knows of it: each acquires its own prefix. */
START_TEST(lanes_wait_for_themselves)
{
    Play p;
    setup(&p, 2, 1);
    for (uint32_t r = 0; r < RANKS; r++)
        begin(&p, r);
    FabRect r = {.run = 4};
    for (uint32_t i = 1; i < 3; i++) {
        touch(&p, EV_WRITE, i, 0, i, r, i);
        ntf(&p, i, 0, 0, 1);
    }
    wait_lane(&p, 0, 0, 0, 2, WAIT_GE);
    wait_lane(&p, 0, 1, 0, 1, WAIT_GE);
    touch(&p, EV_REMOTE_READ, 0, 1, 1, r, 11);
    ck_assert_uint_eq(races(&p), 0);
    touch(&p, EV_REMOTE_READ, 0, 1, 2, r, 12);
    ck_assert_uint_eq(races(&p), 1);
    touch(&p, EV_REMOTE_READ, 0, 0, 2, r, 13);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

START_TEST(host_order)
{
    Play p;
    setup(&p, 1, 2);
    DispatchDep on_end = {.dispatch = 0}, on_start = {.dispatch = 2, .at_start = true};
    p.w.dispatches.at[1].deps = &on_end;
    p.w.dispatches.at[1].n_deps = 1;
    p.w.dispatches.at[3].deps = &on_start;
    p.w.dispatches.at[3].n_deps = 1;
    p.check->destroy(p.check);
    p.check = check_race_new(&p.w);
    begin(&p, 0);
    wr(&p, 0, 0, 0, 4, 1);
    end(&p, 0);
    begin(&p, 1);
    rd(&p, 1, 0, 0, 4, 2);
    ck_assert_uint_eq(races(&p), 0);
    begin(&p, 2);
    wr(&p, 2, 2, 0, 4, 3);
    begin(&p, 3);
    rd(&p, 3, 2, 0, 4, 4);
    ck_assert_uint_eq(races(&p), 1);
    done(&p);
}
END_TEST

/* A record that every thread has behind it is swept, no other. */
START_TEST(sweeping_loses_nothing)
{
    Play p;
    start(&p);
    wr(&p, 3, 0, 100000, 4, 1);
    int32_t turn = 0;
    for (int32_t round = 0; round < 200; round++) {
        turn++;
        for (uint32_t i = 0; i < RANKS; i++) {
            rd(&p, i, 0, 16 * round, 4, 2 + i);
            if (i != 3)
                ntf(&p, i, (i + 1) % 3, 0, 1);
        }
        for (uint32_t i = 0; i < 3; i++)
            ge(&p, i, 0, turn);
    }
    ck_assert_uint_eq(races(&p), 0);
    rd(&p, 0, 0, 100000, 4, 11);
    ck_assert_uint_eq(races(&p), 1);
    wr(&p, 0, 0, 0, 4000, 12);
    ck_assert_uint_ge(races(&p), 3);
    done(&p);
}
END_TEST

/* ---- against the plain way ---- */

/* Every access of a run is kept, with the whole clock of its thread at that time. */
typedef struct {
    FabRect rect;
    EventKind kind;
    uint32_t rank, epoch;
} Old;

typedef struct {
    uint32_t clock[RANKS][RANKS];            /* [thread][of thread]: the epoch it has behind it */
    uint32_t sent[RANKS][RANKS][256][RANKS]; /* [from][to][number]: clock of the notify */
    uint32_t n_sent[RANKS][RANKS], n_seen[RANKS][RANKS];
    VEC(Old) old;
} Plain;

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

static bool plain_access(Plain *x, uint32_t rank, EventKind kind, const FabRect *rect)
{
    bool race = false;
    for (uint32_t i = 0; i < x->old.len; i++) {
        const Old *o = &x->old.at[i];
        race |= o->rank != rank && conflict(o->kind, kind) && rects_touch(&o->rect, rect) &&
                x->clock[rank][o->rank] < o->epoch;
    }
    vec_push(&x->old, (Old){*rect, kind, rank, x->clock[rank][rank] + 1});
    return race;
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
    uint32_t rows = 1 + 3 * (rnd(4) == 0), line = 10 * rank + kind;
    for (uint32_t i = 0; i < rows; i++) {
        map_clear(&((RaceCheck *)p->check)->reported);
        uint32_t before = races(p);
        bool want = plain_access(x, rank, kind, &rect);
        touch(p, kind, rank, 0, 0, rect, line);
        ck_assert_int_eq(races(p) > before, want);
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
    ntf(p, from, to, from, 1);
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
    ge(p, to, from, (int32_t)*seen);
}

/* Merging, replacing and sweeping of records change no verdict. */
START_TEST(same_as_the_plain_way)
{
    Play p;
    Plain *x = xcalloc(1, sizeof *x);
    start(&p);
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
    ck_assert_uint_gt(races(&p), 0);
    vec_free(&x->old);
    free(x);
    done(&p);
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
    c = tcase_create("order");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, shortest_prefix);
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
    c = tcase_create("plain");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, same_as_the_plain_way, 0, 150);
    suite_add_tcase(s, c);
    c = tcase_create("threads");
    tcase_add_test(c, put_reads_until_notify_or_fence);
    tcase_add_test(c, lanes_are_threads);
    tcase_add_test(c, lanes_wait_for_themselves);
    tcase_add_test(c, host_order);
    suite_add_tcase(s, c);
    return run_suite(s);
}
