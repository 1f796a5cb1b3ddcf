/* Register allocation. A virtual register is live from its first touch to its last in program
 * order, and to the end of every loop that is entered while it is live and touches it. Control flow
 * is structured and values are SSA, so this is exact enough, and linear: positions are visited once
 * in order. */
#include "codegen/emitter.h"
#include <string.h>

#define NONE UINT32_MAX

VReg regs_new(RegFile *rf, uint32_t n)
{
    VReg first = rf->regs.len;
    for (uint32_t i = 0; i < n; i++)
        vec_push(&rf->regs, (LiveInterval){.first = first,
                                           .n = i ? 0 : n,
                                           .start = NONE,
                                           .loop = NONE,
                                           .fixed = NONE,
                                           .real = NONE});
    return first;
}

/* The outermost open loop that began after `start`, or NONE; begins increase inwards. */
static uint32_t entered_since(const FuncEmit *fe, uint32_t start)
{
    uint32_t lo = 0, hi = fe->open.len;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (fe->loops.at[fe->open.at[mid]].begin > start)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo < fe->open.len ? fe->open.at[lo] : NONE;
}

void regs_touch(FuncEmit *fe, RegFile *rf, VReg r, uint32_t n, uint32_t pos)
{
    if (n == 0 || r == NO_VREG)
        return;
    LiveInterval *l = &rf->regs.at[rf->regs.at[r].first];
    if (l->start == NONE) {
        l->start = l->end = pos;
        return;
    }
    if (pos > l->end)
        l->end = pos;
    uint32_t loop = entered_since(fe, l->start);
    if (loop != NONE)
        l->loop = loop; /* a later loop ends later */
}

/* Registers by position of their first touch and, as they get real, of their last. */
typedef struct {
    uint32_t *starts, *ends; /* per position: first of a chain */
    uint32_t *next;          /* per register */
    uint32_t n;              /* positions */
} RegTimeline;

static void chain(uint32_t *heads, uint32_t *next, uint32_t pos, uint32_t r)
{
    next[r] = heads[pos];
    heads[pos] = r;
}

static RegTimeline timeline_new(FuncEmit *fe, RegFile *rf)
{
    RegTimeline t = {.n = fe->code.len + 2};
    t.starts = xmalloc(t.n * sizeof *t.starts);
    t.ends = xmalloc(t.n * sizeof *t.ends);
    t.next = xmalloc((rf->regs.len + (size_t)1) * sizeof *t.next);
    memset(t.starts, 0xff, t.n * sizeof *t.starts);
    memset(t.ends, 0xff, t.n * sizeof *t.ends);
    for (uint32_t r = rf->regs.len; r-- > 0;) { /* chains in order of creation */
        LiveInterval *l = &rf->regs.at[r];
        if (l->first != r || l->start == NONE)
            continue;
        if (l->loop != NONE && fe->loops.at[l->loop].end > l->end)
            l->end = fe->loops.at[l->loop].end;
        chain(t.starts, t.next, l->start, r);
    }
    return t;
}

static void timeline_free(RegTimeline *t)
{
    xfree(t->starts);
    xfree(t->ends);
    xfree(t->next);
}

/* The free integer registers, as bits. */
typedef struct {
    uint64_t free[(BC_MAX_REGS + 64) / 64];
    uint32_t lowest; /* no free one in words below */
    uint32_t top;    /* registers in use at most so far */
} Pool;

static bool is_free(const Pool *p, uint32_t r)
{
    return p->free[r / 64] >> (r % 64) & 1;
}

static void set_free(Pool *p, uint32_t first, uint32_t n, bool to)
{
    for (uint32_t r = first; r < first + n; r++) {
        uint64_t bit = (uint64_t)1 << (r % 64);
        p->free[r / 64] = to ? p->free[r / 64] | bit : p->free[r / 64] & ~bit;
    }
    if (to && first / 64 < p->lowest)
        p->lowest = first / 64;
    if (!to && first + n > p->top)
        p->top = first + n;
}

/* The lowest run of `n` free registers, or NONE. The pool has a fixed size, so this is bounded. */
static uint32_t find_run(Pool *p, uint32_t n)
{
    uint32_t words = sizeof p->free / sizeof *p->free;
    while (p->lowest < words && !p->free[p->lowest])
        p->lowest++;
    uint32_t length = 0;
    for (uint32_t r = p->lowest * 64; r < BC_MAX_REGS;) {
        if (r % 64 == 0 && length == 0 && !p->free[r / 64]) {
            r += 64;
            continue;
        }
        length = is_free(p, r) ? length + 1 : 0;
        r++;
        if (length == n)
            return r - n;
    }
    return NONE;
}

/* Ends at a position come before starts: an instruction reads its operands before it writes. */
static bool assign_at(RegTimeline *t, RegFile *rf, Pool *pool, uint32_t pos)
{
    for (uint32_t r = t->ends[pos], next; r != NONE; r = next) {
        next = t->next[r];
        set_free(pool, rf->regs.at[r].real, rf->regs.at[r].n, true);
    }
    for (uint32_t r = t->starts[pos], next; r != NONE; r = next) {
        LiveInterval *l = &rf->regs.at[r];
        next = t->next[r];
        l->real = l->fixed != NONE ? l->fixed : find_run(pool, l->n);
        if (l->real == NONE)
            return false;
        set_free(pool, l->real, l->n, false);
        /* A value that nothing reads still needs its register while it is written. */
        chain(t->ends, t->next, l->end > pos ? l->end : pos + 1, r);
    }
    return true;
}

/* Fixed registers are taken from the start: nothing else may sit there when the function is
 * entered. */
static void reserve_fixed(RegFile *rf, Pool *pool)
{
    for (uint32_t r = 0; r < rf->regs.len; r++) {
        const LiveInterval *l = &rf->regs.at[r];
        if (l->fixed != NONE && l->start != NONE)
            set_free(pool, l->fixed, l->n, false);
    }
}

bool regs_assign_ints(FuncEmit *fe, uint32_t *n_regs)
{
    RegTimeline t = timeline_new(fe, &fe->ints);
    Pool *pool = xmalloc(sizeof *pool);
    memset(pool->free, 0xff, sizeof pool->free);
    pool->lowest = pool->top = 0;
    reserve_fixed(&fe->ints, pool);
    bool ok = true;
    for (uint32_t pos = 0; ok && pos < t.n; pos++)
        ok = assign_at(&t, &fe->ints, pool, pos);
    if (pool->top > *n_regs)
        *n_regs = pool->top;
    for (uint32_t r = 0; r < fe->ints.regs.len; r++) {
        LiveInterval *l = &fe->ints.regs.at[r];
        l->real = fe->ints.regs.at[l->first].real + (r - l->first);
    }
    xfree(pool);
    timeline_free(&t);
    return ok;
}

/* Memory registers have types that never change, so each type has free ones of its own, in a chain.
 */
typedef struct {
    BcMreg *types; /* of the real registers */
    uint32_t n, max;
    uint32_t *free_of_type; /* per type: real register, or NONE */
    uint32_t *next_free;    /* per real register */
} MemPool;

static uint32_t take_mem(MemPool *pool, uint32_t type, BcMreg m)
{
    uint32_t r = pool->free_of_type[type];
    if (r != NONE) {
        pool->free_of_type[type] = pool->next_free[r];
        return r;
    }
    if (pool->n == BC_MAX_REGS)
        return NONE;
    pool->types[pool->n] = m;
    return pool->n++;
}

static bool assign_mems_at(FuncEmit *fe, RegTimeline *t, MemPool *pool, uint32_t pos)
{
    for (uint32_t r = t->ends[pos], next; r != NONE; r = next) {
        const LiveInterval *l = &fe->mems.regs.at[r];
        next = t->next[r];
        pool->next_free[l->real] = pool->free_of_type[l->type];
        pool->free_of_type[l->type] = l->real;
    }
    for (uint32_t r = t->starts[pos], next; r != NONE; r = next) {
        LiveInterval *l = &fe->mems.regs.at[r];
        next = t->next[r];
        l->real = l->fixed != NONE ? l->fixed : take_mem(pool, l->type, fe->mem_types.at[l->type]);
        if (l->real == NONE)
            return false;
        chain(t->ends, t->next, l->end > pos ? l->end : pos + 1, r);
    }
    return true;
}

bool regs_assign_mems(FuncEmit *fe, BcMreg **types, uint32_t *n_mregs)
{
    RegTimeline t = timeline_new(fe, &fe->mems);
    uint32_t most = fe->mems.regs.len + *n_mregs;
    MemPool pool = {.n = *n_mregs, .types = *types};
    pool.types = xrealloc(pool.types, (most + (size_t)1) * sizeof *pool.types);
    pool.free_of_type = xmalloc((fe->mem_types.len + (size_t)1) * sizeof *pool.free_of_type);
    memset(pool.free_of_type, 0xff, fe->mem_types.len * sizeof *pool.free_of_type);
    pool.next_free = xmalloc((most + (size_t)1) * sizeof *pool.next_free);
    bool ok = true;
    for (uint32_t pos = 0; ok && pos < t.n; pos++)
        ok = assign_mems_at(fe, &t, &pool, pos);
    *types = pool.types;
    *n_mregs = pool.n;
    xfree(pool.free_of_type);
    xfree(pool.next_free);
    timeline_free(&t);
    return ok;
}
