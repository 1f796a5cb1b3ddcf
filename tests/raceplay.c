#include "tests/raceplay.h"

#include <check.h>
#include <string.h>

static const char *const strings[] = {"k.pld", "data", "signal", "step"};

static const RunConfig config = {.checks = CHECK_RACES};

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

void play_begin(Play *p, uint32_t index)
{
    uint32_t rank = p->w.dispatches.at[index].rank;
    p->dispatch[rank] = index;
    p->ranks[rank].next++;
    p->ranks[rank].busy = true;
    life(p, EV_DISPATCH_BEGIN, rank, 0);
    for (uint32_t i = 0; i < p->ranks[rank].n_lanes; i++)
        life(p, EV_LANE_BEGIN, rank, i);
}

void play_end(Play *p, uint32_t rank)
{
    for (uint32_t i = 0; i < p->ranks[rank].n_lanes; i++)
        life(p, EV_LANE_END, rank, i);
    life(p, EV_DISPATCH_END, rank, 0);
    p->ranks[rank].busy = false;
}

void play_setup(Play *p, uint32_t lanes, uint32_t dispatches)
{
    memset(p, 0, sizeof *p);
    for (uint32_t i = 0; i < LINES; i++)
        p->locs[i] = (BcLoc){.pc = i, .line = i, .col = 1};
    p->func = (BcFunc){.name = 3, .n_insns = LINES, .n_locs = LINES, .locs = p->locs};
    p->program = (BcProgram){.n_strings = 4, .strings = strings, .n_funcs = 1, .funcs = &p->func};
    p->w.program = &p->program;
    p->w.n_ranks = RANKS;
    p->w.max_cores = p->w.host_cores = lanes;
    p->w.ranks = p->ranks;
    p->w.result = &p->result;
    p->w.config = &config;
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
    p->w.host_cores = p->w.max_cores = lanes;
    vec_push(&p->w.windows, data);
    vec_push(&p->w.windows, signal);
    for (uint32_t d = 0; d < dispatches; d++)
        for (uint32_t r = 0; r < RANKS; r++) {
            vec_push(&p->w.dispatches, (Dispatch){.rank = r, .cores = lanes, .shared = lanes > 1});
            p->queue[r][d] = d * RANKS + r;
        }
    for (uint32_t r = 0; r < RANKS; r++) {
        p->ranks[r].lanes = p->lanes[r];
        p->ranks[r].n_lanes = lanes;
        p->ranks[r].queue.at = p->queue[r];
        p->ranks[r].queue.len = dispatches;
    }
    p->check = check_order_new(&p->w);
}

void play_start(Play *p)
{
    play_setup(p, 1, 1);
    for (uint32_t r = 0; r < RANKS; r++)
        play_begin(p, r);
}

void play_done(Play *p)
{
    p->check->destroy(p->check);
    vec_free(&p->w.windows);
    vec_free(&p->w.dispatches);
    run_result_free(&p->result);
}

uint32_t play_races(Play *p)
{
    map_clear(&((OrderCheck *)p->check)->reported);
    p->result.n_reports = 0;
    p->check->finish(p->check, &p->w, false);
    return p->result.n_reports;
}

void play_touch(Play *p, EventKind kind, uint32_t rank, uint32_t core, FabRect rect, uint32_t line)
{
    uint16_t insn = kind == EV_WRITE ? BC_STORE : kind == EV_READ ? BC_LOAD : BC_RLOAD;
    Event e = {.kind = kind,
               .at = {.rank = rank, .core = core, .dispatch = p->dispatch[rank], .pc = line},
               .rect = rect,
               .target = rect.at.rank,
               .dtype = DT_FP16,
               .insn = insn};
    event(p, &e);
}

static FabRect data(uint32_t of, int64_t offset, int64_t bytes)
{
    return (FabRect){.at = {.rank = of, .offset = offset}, .run = bytes};
}

void play_put(Play *p, uint32_t rank, int64_t offset, int64_t bytes, uint32_t line)
{
    play_touch(p, EV_PUT_SOURCE, rank, 0, data(rank, offset, bytes), line);
}

void play_rd(Play *p, uint32_t rank, uint32_t of, int64_t offset, int64_t bytes, uint32_t line)
{
    EventKind kind = rank == of ? EV_READ : EV_REMOTE_READ;
    play_touch(p, kind, rank, 0, data(of, offset, bytes), line);
}

void play_wr(Play *p, uint32_t rank, uint32_t of, int64_t offset, int64_t bytes, uint32_t line)
{
    EventKind kind = rank == of ? EV_WRITE : EV_REMOTE_WRITE;
    play_touch(p, kind, rank, 0, data(of, offset, bytes), line);
}

static void notify(Play *p, uint32_t rank, uint32_t to, uint32_t cell, int32_t value, int op)
{
    Event e = {.kind = EV_NOTIFY,
               .at = {.rank = rank, .dispatch = p->dispatch[rank], .pc = 900},
               .target = to,
               .op = (uint8_t)op,
               .value = value,
               .insn = BC_NOTIFY};
    e.rect = (FabRect){.at = {.rank = to, .window = SIGNAL, .offset = 4 * cell}, .run = 4};
    event(p, &e);
    int32_t *now = &p->cells[to][cell];
    e.kind = EV_ARRIVE;
    e.before = *now;
    *now = op == NOTIFY_SET ? value : (int32_t)((uint32_t)*now + (uint32_t)value);
    e.after = *now;
    event(p, &e);
}

void play_ntf(Play *p, uint32_t rank, uint32_t to, uint32_t cell, int32_t value)
{
    notify(p, rank, to, cell, value, NOTIFY_ATOMIC_ADD);
}

void play_set(Play *p, uint32_t rank, uint32_t to, uint32_t cell, int32_t value)
{
    notify(p, rank, to, cell, value, NOTIFY_SET);
}

void play_wait_lane(Play *p, uint32_t rank, uint32_t core, uint32_t cell, int32_t value, int cmp)
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

void play_ge(Play *p, uint32_t rank, uint32_t cell, int32_t value)
{
    play_wait_lane(p, rank, 0, cell, value, WAIT_GE);
}

void play_fence(Play *p, uint32_t rank)
{
    Event e = {.kind = EV_FENCE, .at = {.rank = rank, .dispatch = p->dispatch[rank]}};
    event(p, &e);
}
