/* Each instruction that synchronises is a site; those of one kind in one step of a builtin call are
 * taken together. A run by the clock tells which notifies fed which waits: cells keep their
 * credits in order of arrival, each with its site, and a wait takes those between what had been
 * waited for and what it expects. The same credits tell what later waits and resets must expect
 * less when a site is gone. */
#include "sim/explore/sync_rows.h"

#include "sim/machine/world.h"
#include "sim/sched/sched.h"
#include <string.h>

typedef struct {
    uint16_t op;            /* BC_NOTIFY, BC_WAIT, BC_FENCE */
    int32_t imm;            /* FENCE: kind */
    uint32_t func, pc;      /* first instruction */
    const BcRegion *region; /* of a builtin call; NULL: written by hand */
    bool seen;              /* executed */
    bool moves;             /* FENCE: landed a write, or something was read behind it */
    bool matched;           /* some credit went from, or to, it */
    uint32_t root;          /* union-find */
} SyncSite;

typedef struct {
    uint32_t site;
    int64_t units;
} Credit;

typedef struct {
    FabAddr at;
    int64_t level; /* waited for so far */
    VEC(Credit) credits;
} CreditCell;

/* So many units of a site's credits lie in what a wait expects or a reset takes back. */
typedef struct {
    uint64_t key;
    Credit part;
} Share;

struct SyncRows {
    Observer watch;
    const BcProgram *program;
    Arena arena;
    uint32_t **site_of; /* [func][pc], UINT32_MAX: none */
    VEC(SyncSite) sites;
    VEC(CreditCell) cells;
    VEC(Share) shares;
    uint32_t *arrivals, *waits; /* per lane: so far */
    bool *wrote;                /* per rank: since its last release */
    uint32_t *acquired;         /* per rank: site of its last acquire + 1, 0: none */
    VEC(SyncRow) rows;
};

/* ---- sites ---- */

static bool is_sync(uint16_t op)
{
    return op == BC_NOTIFY || op == BC_WAIT || op == BC_FENCE;
}

static bool same_step(const SyncSite *a, const SyncSite *b)
{
    return a->region && b->region && a->func == b->func && a->region->site == b->region->site &&
           a->region->phase == b->region->phase;
}

static uint32_t find_site(SyncRows *r, uint32_t func, uint32_t pc)
{
    const BcFunc *f = &r->program->funcs[func];
    const BcInsn *in = &f->insns[pc];
    SyncSite s = {.op = in->op, .imm = in->op == BC_FENCE ? in->imm : 0, .func = func, .pc = pc};
    s.region = bc_region(f, pc);
    for (uint32_t i = 0; i < r->sites.len; i++) {
        const SyncSite *o = &r->sites.at[i];
        if (o->op == s.op && o->imm == s.imm && same_step(o, &s))
            return i;
    }
    s.root = r->sites.len;
    vec_push(&r->sites, s);
    return r->sites.len - 1;
}

static void find_sites(SyncRows *r)
{
    const BcProgram *p = r->program;
    r->site_of = arena_array(&r->arena, p->n_funcs + 1, sizeof *r->site_of);
    for (uint32_t f = 0; f < p->n_funcs; f++) {
        uint32_t n = p->funcs[f].n_insns;
        r->site_of[f] = arena_array(&r->arena, n + 1, sizeof *r->site_of[f]);
        for (uint32_t pc = 0; pc < n; pc++)
            r->site_of[f][pc] =
                is_sync(p->funcs[f].insns[pc].op) ? find_site(r, f, pc) : UINT32_MAX;
    }
}

static uint32_t root_of(const SyncRows *r, uint32_t site)
{
    while (r->sites.at[site].root != site)
        site = r->sites.at[site].root;
    return site;
}

static void unite(SyncRows *r, uint32_t a, uint32_t b)
{
    uint32_t x = root_of(r, a), y = root_of(r, b);
    r->sites.at[a].matched = r->sites.at[b].matched = true;
    r->sites.at[x > y ? x : y].root = x > y ? y : x;
}

/* ---- credits ---- */

#define ACCESSES                                                                                   \
    (EV_BIT(EV_READ) | EV_BIT(EV_WRITE) | EV_BIT(EV_REMOTE_READ) | EV_BIT(EV_REMOTE_WRITE) |       \
     EV_BIT(EV_ATOMIC))

static CreditCell *find_cell(SyncRows *r, FabAddr at)
{
    for (uint32_t i = 0; i < r->cells.len; i++) {
        const FabAddr *c = &r->cells.at[i].at;
        if (c->rank == at.rank && c->window == at.window && c->offset == at.offset)
            return &r->cells.at[i];
    }
    vec_push(&r->cells, (CreditCell){.at = at});
    return &vec_last(&r->cells);
}

static void share(SyncRows *r, uint64_t key, uint32_t site, int64_t units)
{
    vec_push(&r->shares, (Share){key, {site, units}});
}

/* A reset takes from the front. */
static void take_back(SyncRows *r, CreditCell *c, uint64_t key, int64_t units)
{
    c->level = c->level > units ? c->level - units : 0;
    uint32_t gone = 0;
    for (; gone < c->credits.len && units > 0; gone++) {
        Credit *x = &c->credits.at[gone];
        int64_t part = x->units < units ? x->units : units;
        share(r, key, x->site, part);
        units -= part;
        x->units -= part;
        if (x->units)
            break;
    }
    c->credits.len -= gone;
    if (c->credits.len)
        memmove(c->credits.at, c->credits.at + gone, c->credits.len * sizeof *c->credits.at);
}

static void arrive(SyncRows *r, const Event *e, uint32_t site, uint64_t key)
{
    CreditCell *c = find_cell(r, e->rect.at);
    if (e->op == NOTIFY_SET) {
        vec_clear(&c->credits);
        c->level = 0;
    }
    if (e->value > 0)
        vec_push(&c->credits, (Credit){site, e->value});
    else if (e->op != NOTIFY_SET)
        take_back(r, c, key, -(int64_t)e->value);
}

static void waited(SyncRows *r, const Event *e, uint32_t site, uint64_t key)
{
    CreditCell *c = find_cell(r, e->rect.at);
    int64_t sum = 0;
    for (uint32_t i = 0; i < c->credits.len && sum < e->value; i++) {
        const Credit *x = &c->credits.at[i];
        int64_t part = x->units < e->value - sum ? x->units : e->value - sum;
        sum += part;
        share(r, key, x->site, part);
        if (sum > c->level)
            unite(r, x->site, site);
    }
    c->level = e->value > c->level ? e->value : c->level;
}

/* What does a fence do: land writes, show them to reads? */
static void accessed(SyncRows *r, const Event *e)
{
    uint32_t acquire = r->acquired[e->at.rank];
    bool reads = e->kind == EV_READ || e->kind == EV_REMOTE_READ;
    if (e->tensor)
        return;
    r->wrote[e->at.rank] |= !reads;
    if (reads && acquire)
        r->sites.at[acquire - 1].moves = true;
}

static void fenced(SyncRows *r, const Event *e, uint32_t site)
{
    if (e->op == FENCE_ACQUIRE) {
        r->acquired[e->at.rank] = site + 1;
        return;
    }
    r->sites.at[site].moves |= r->wrote[e->at.rank];
    r->wrote[e->at.rank] = false;
}

static void watch(Observer *o, World *w, const Event *e)
{
    SyncRows *r = (SyncRows *)o;
    if (EV_BIT(e->kind) & ACCESSES) {
        accessed(r, e);
        return;
    }
    uint32_t site = r->site_of[e->at.func][e->at.pc];
    uint32_t lane = e->at.rank * w->max_cores + e->at.core;
    if (site == UINT32_MAX)
        return;
    r->sites.at[site].seen = true;
    if (e->kind == EV_ARRIVE)
        arrive(r, e, site, omission_key(lane, r->arrivals[lane]++, false));
    else if (e->kind == EV_WAIT)
        waited(r, e, site, omission_key(lane, r->waits[lane]++, true));
    else if (e->kind == EV_FENCE)
        fenced(r, e, site);
}

/* ---- rows ---- */

static const char *op_text(const SyncSite *s)
{
    if (s->op == BC_FENCE)
        return s->imm == FENCE_ACQUIRE ? "fence Acquire" : "fence Release";
    return s->op == BC_WAIT ? "wait" : "notify";
}

static bool is_builtin(const SyncSite *s)
{
    return s->region != NULL;
}

static void place(const SyncRows *r, Buf *out, const SyncSite *s)
{
    const char *const *strings = r->program->strings;
    const BcFunc *f = &r->program->funcs[s->func];
    const BcLoc *loc = bc_loc(f, s->pc);
    if (loc && loc->line)
        buf_printf(out, "%s:%u", strings[loc->file], loc->line);
    else
        buf_printf(out, "%s+%u", strings[f->name], s->pc);
    if (!is_builtin(s))
        return;
    buf_printf(out, ": %s", builtin_info((Builtin)f->sites[s->region->site])->op);
    if (s->region->phase)
        buf_printf(out, " %s", phase_text((Phase)s->region->phase));
}

static bool in_row(const SyncRows *r, const SyncRow *row, uint32_t site)
{
    const SyncSite *s = &r->sites.at[site];
    if (row->kind != ROW_SET)
        return site == row->site;
    return s->op != BC_FENCE && s->matched && root_of(r, site) == root_of(r, row->site);
}

static const char *row_text(SyncRows *r, const SyncRow *row)
{
    Buf out = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->sites.len; i++) {
        const SyncSite *s = &r->sites.at[i], *head = &r->sites.at[row->site];
        if (!in_row(r, row, i) || (!s->seen && row->kind != ROW_UNREACHED))
            continue;
        if (n++)
            buf_str(&out, " + ");
        if (n == 1 || !same_step(s, head)) {
            place(r, &out, s);
            buf_str(&out, ": ");
        }
        buf_str(&out, op_text(s));
    }
    const char *text = arena_strndup(&r->arena, out.at, out.len);
    buf_free(&out);
    return text;
}

static void add_row(SyncRows *r, SyncRowKind kind, uint32_t site)
{
    const SyncSite *s = &r->sites.at[site];
    SyncRow row = {.kind = (uint8_t)kind, .site = site, .builtin = is_builtin(s)};
    row.fence = (uint8_t)s->imm;
    row.reads_only = kind == ROW_FENCE && !s->moves;
    row.text = row_text(r, &row);
    vec_push(&r->rows, row);
}

/* A set stands where its first site does. */
static void make_rows(SyncRows *r)
{
    for (uint32_t i = 0; i < r->sites.len; i++) {
        const SyncSite *s = &r->sites.at[i];
        if (!s->seen && s->op != BC_FENCE && !is_builtin(s))
            add_row(r, ROW_UNREACHED, i);
        if (!s->seen)
            continue;
        if (s->op == BC_FENCE)
            add_row(r, ROW_FENCE, i);
        if (s->matched && root_of(r, i) == i)
            add_row(r, ROW_SET, i);
        if (s->op == BC_NOTIFY && !s->matched)
            add_row(r, ROW_NOTIFY, i);
        if (s->op == BC_WAIT && !is_builtin(s))
            add_row(r, ROW_WAIT, i);
    }
}

/* ---- around it ---- */

static bool look(SyncRows *r, const RunConfig *config, RunResult *result)
{
    Observer *observers[] = {&r->watch};
    RunConfig own = *config;
    own.weak = false;
    own.checks = 0;
    own.no_golden = true;
    own.without = 0;
    own.observers = observers;
    own.n_observers = 1;
    World *w = session_new(r->program, &own, result);
    if (!w)
        return false;
    size_t lanes = (size_t)w->n_ranks * w->max_cores + 1;
    r->arrivals = arena_array(&r->arena, lanes, sizeof *r->arrivals);
    r->waits = arena_array(&r->arena, lanes, sizeof *r->waits);
    r->wrote = arena_array(&r->arena, w->n_ranks + 1, sizeof *r->wrote);
    r->acquired = arena_array(&r->arena, w->n_ranks + 1, sizeof *r->acquired);
    Policy *clock = policy_clock();
    int status = session_run(w, clock);
    policy_free(clock);
    world_free(w);
    return status == EXIT_OK;
}

SyncRows *sync_rows_new(const BcProgram *program, const RunConfig *config, RunResult *result)
{
    SyncRows *r = xcalloc(1, sizeof *r);
    r->program = program;
    r->watch = (Observer){.name = "sync", .event = watch};
    r->watch.mask =
        ACCESSES | EV_BIT(EV_NOTIFY) | EV_BIT(EV_ARRIVE) | EV_BIT(EV_WAIT) | EV_BIT(EV_FENCE);
    find_sites(r);
    if (!look(r, config, result)) {
        sync_rows_free(r);
        return NULL;
    }
    make_rows(r);
    return r;
}

uint32_t sync_rows_count(const SyncRows *rows)
{
    return rows->rows.len;
}

const SyncRow *sync_rows_at(const SyncRows *rows, uint32_t i)
{
    return &rows->rows.at[i];
}

uint32_t sync_rows_same(const SyncRows *rows, const SyncRows *in, uint32_t i)
{
    for (uint32_t k = 0; k < in->rows.len; k++)
        if (in->rows.at[k].kind == rows->rows.at[i].kind &&
            strcmp(in->rows.at[k].text, rows->rows.at[i].text) == 0)
            return k;
    return UINT32_MAX;
}

static Omission *sync_rows_without(const SyncRows *rows, uint32_t i)
{
    const SyncRow *row = &rows->rows.at[i];
    Omission *p = omission_new(rows->program);
    for (uint32_t f = 0; f < rows->program->n_funcs; f++)
        for (uint32_t pc = 0; pc < rows->program->funcs[f].n_insns; pc++)
            if (rows->site_of[f][pc] != UINT32_MAX && in_row(rows, row, rows->site_of[f][pc]))
                omission_skip(p, rows->program, f, pc);
    for (uint32_t k = 0; k < rows->shares.len; k++) {
        const Share *s = &rows->shares.at[k];
        uint64_t units = 0;
        if (rows->sites.at[s->part.site].op != BC_NOTIFY || !in_row(rows, row, s->part.site))
            continue;
        (void)map_get(&p->less, s->key, &units);
        map_set(&p->less, s->key, units + (uint64_t)s->part.units);
    }
    return p;
}

void sync_rows_free(SyncRows *rows)
{
    if (!rows)
        return;
    for (uint32_t i = 0; i < rows->cells.len; i++)
        vec_free(&rows->cells.at[i].credits);
    vec_free(&rows->cells);
    vec_free(&rows->sites);
    vec_free(&rows->shares);
    vec_free(&rows->rows);
    arena_free(&rows->arena);
    xfree(rows);
}

World *session_without(const BcProgram *program, const RunConfig *config, RunResult *result)
{
    if (!config->without)
        return session_new(program, config, result);
    SyncRows *rows = sync_rows_new(program, config, result);
    World *w = rows ? session_new(program, config, result) : NULL;
    if (w && config->without <= sync_rows_count(rows))
        w->omission = sync_rows_without(rows, config->without - 1);
    sync_rows_free(rows);
    return w;
}
