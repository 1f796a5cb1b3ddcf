#include "sim/machine/tile_life.h"

#include "base/arena.h"

enum { MOST = 64 }; /* tiles: bits of a word */

typedef struct {
    const BcFunc *f;
    uint64_t shares[MOST]; /* tiles that have bytes in common with this one, itself among them */
    uint64_t *live;        /* per instruction: tiles that are read at it or later */
} Life;

static uint64_t bit(uint32_t slot)
{
    return UINT64_C(1) << slot;
}

static void find_shares(Life *x)
{
    for (uint32_t i = 0; i < x->f->n_tiles; i++)
        for (uint32_t k = 0; k < x->f->n_tiles; k++) {
            const BcTile *a = &x->f->tiles[i], *b = &x->f->tiles[k];
            if (a->at < b->at + b->bytes && b->at < a->at + a->bytes)
                x->shares[i] |= bit(k);
        }
}

static uint64_t reads(const BcInsn *in)
{
    const uint16_t fields[] = {in->a, in->b, in->c, in->d, in->e};
    const char *codes = bc_op_fields((BcOp)in->op);
    uint64_t set = 0;
    for (int i = 0; i < 5; i++)
        set |= codes[i] == 't' ? bit(fields[i]) : 0;
    return set;
}

/* The tile that gets a new value as a whole. */
static uint64_t replaces(const BcInsn *in)
{
    bool whole = (in->op == BC_LOAD && !in->imm) || in->op == BC_RLOAD;
    return whole && in->e == BC_NONE ? bit(in->a) : 0;
}

static uint64_t live_after(const Life *x, uint32_t pc)
{
    const BcInsn *in = &x->f->insns[pc];
    uint64_t set = bc_op_fields((BcOp)in->op)[5] == 'j' ? x->live[in->imm] : 0;
    if (in->op != BC_JMP && in->op != BC_RET && pc + 1 < x->f->n_insns)
        set |= x->live[pc + 1];
    return set;
}

static void find_live(Life *x)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t pc = x->f->n_insns; pc-- > 0;) {
            const BcInsn *in = &x->f->insns[pc];
            uint64_t set = reads(in) | (live_after(x, pc) & ~replaces(in));
            changed |= set != x->live[pc];
            x->live[pc] = set;
        }
    }
}

static bool ends(const Life *x, uint32_t pc, uint16_t slot)
{
    return !(live_after(x, pc) & x->shares[slot]);
}

static uint8_t ends_at(const Life *x, uint32_t pc)
{
    const BcInsn *in = &x->f->insns[pc];
    if (in->op == BC_STORE || in->op == BC_RSTORE)
        return ends(x, pc, in->a) ? TILE_ENDS_FIRST : 0;
    if (in->op != BC_TBIN)
        return 0;
    uint64_t result = x->shares[in->a];
    bool first = !(result & bit(in->b)) && ends(x, pc, in->b);
    bool second = !(result & bit(in->c)) && ends(x, pc, in->c);
    return (uint8_t)((first ? TILE_ENDS_FIRST : 0) | (second ? TILE_ENDS_SECOND : 0));
}

const uint8_t *tile_life(Arena *arena, const BcFunc *f)
{
    if (f->n_tiles == 0 || f->n_tiles > MOST)
        return NULL;
    Life x = {.f = f, .live = xcalloc(f->n_insns + (size_t)1, sizeof *x.live)};
    uint8_t *at = arena_array(arena, f->n_insns + (size_t)1, sizeof *at);
    find_shares(&x);
    find_live(&x);
    for (uint32_t pc = 0; pc < f->n_insns; pc++)
        at[pc] = ends_at(&x, pc);
    xfree(x.live);
    return at;
}
