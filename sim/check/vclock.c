/* Blocks are counted and never changed while somebody else holds them. */
#include "sim/check/vclock.h"

#include "base/arena.h"
#include <stdlib.h>
#include <string.h>

struct VcBlock {
    uint32_t refs;
    uint32_t at[VC_BLOCK];
};

static void block_drop(VcBlock *b)
{
    if (b && --b->refs == 0)
        xfree(b);
}

static VcBlock *block_keep(VcBlock *b)
{
    if (b)
        b->refs++;
    return b;
}

static void make_room(VClock *c, uint32_t n)
{
    if (n <= c->n)
        return;
    c->at = xrealloc(c->at, n * sizeof *c->at);
    memset(c->at + c->n, 0, (n - c->n) * sizeof *c->at);
    c->n = n;
}

/* The block at `i`, for changing. */
static VcBlock *own_block(VClock *c, uint32_t i)
{
    VcBlock *b = c->at[i];
    if (b && b->refs == 1)
        return b;
    VcBlock *mine = xcalloc(1, sizeof *mine);
    if (b)
        *mine = *b;
    mine->refs = 1;
    block_drop(b);
    return c->at[i] = mine;
}

uint32_t vclock_get(const VClock *c, uint32_t thread)
{
    uint32_t i = thread / VC_BLOCK;
    return i < c->n && c->at[i] ? c->at[i]->at[thread % VC_BLOCK] : 0;
}

void vclock_set(VClock *c, uint32_t thread, uint32_t epoch)
{
    make_room(c, thread / VC_BLOCK + 1);
    own_block(c, thread / VC_BLOCK)->at[thread % VC_BLOCK] = epoch;
}

/* Which of two blocks has an entry above the other's: bit 0 for a, bit 1 for b. */
static unsigned block_above(const VcBlock *a, const VcBlock *b)
{
    uint32_t over_a = 0, over_b = 0;
    for (uint32_t i = 0; i < VC_BLOCK; i++) {
        over_a |= a->at[i] > b->at[i];
        over_b |= b->at[i] > a->at[i];
    }
    return over_a | over_b << 1;
}

static void block_share(VClock *to, uint32_t i, VcBlock *b)
{
    block_drop(to->at[i]);
    to->at[i] = block_keep(b);
}

bool vclock_join(VClock *to, const VClock *from)
{
    bool changed = false;
    make_room(to, from->n);
    for (uint32_t i = 0; i < from->n; i++) {
        VcBlock *a = to->at[i], *b = from->at[i];
        if (!b || a == b)
            continue;
        unsigned above = a ? block_above(a, b) : 2;
        if (!(above & 2))
            continue;
        changed = true;
        if (above == 2) {
            block_share(to, i, b);
            continue;
        }
        a = own_block(to, i);
        for (uint32_t k = 0; k < VC_BLOCK; k++)
            a->at[k] = a->at[k] > b->at[k] ? a->at[k] : b->at[k];
    }
    return changed;
}

void vclock_meet(VClock *to, const VClock *from)
{
    for (uint32_t i = 0; i < to->n; i++) {
        VcBlock *a = to->at[i], *b = i < from->n ? from->at[i] : NULL;
        if (!a || a == b)
            continue;
        if (!b) {
            block_share(to, i, NULL);
            continue;
        }
        if (!(block_above(a, b) & 1))
            continue;
        a = own_block(to, i);
        for (uint32_t k = 0; k < VC_BLOCK; k++)
            a->at[k] = a->at[k] < b->at[k] ? a->at[k] : b->at[k];
    }
}

void vclock_copy(VClock *to, const VClock *from)
{
    make_room(to, from->n);
    for (uint32_t i = 0; i < to->n; i++) {
        VcBlock *b = i < from->n ? from->at[i] : NULL;
        if (to->at[i] != b)
            block_share(to, i, b);
    }
}

void vclock_free(VClock *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        block_drop(c->at[i]);
    xfree(c->at);
    *c = (VClock){0};
}

bool vclock_equal(const VClock *a, const VClock *b)
{
    uint32_t n = a->n > b->n ? a->n : b->n;
    for (uint32_t i = 0; i < n; i++) {
        const VcBlock *x = i < a->n ? a->at[i] : NULL, *y = i < b->n ? b->at[i] : NULL;
        for (uint32_t k = 0; k < VC_BLOCK && x != y; k++)
            if ((x ? x->at[k] : 0) != (y ? y->at[k] : 0))
                return false;
    }
    return true;
}
