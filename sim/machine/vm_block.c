/* pl.spmd: one kernel run as several blocks. They are independent, so that the lane runs one after
 * another, while the clock has each begin when a core of the device is free, in index order, and
 * the lane go on when the last has ended. */
#include "sim/machine/vm_ops.h"

static uint32_t first_free(const Lane *lane)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < lane->core_free.len; i++)
        if (lane->core_free.at[i] < lane->core_free.at[best])
            best = i;
    return best;
}

static bool open_blocks(World *w, Lane *lane, const BcInsn *in, int64_t n)
{
    int64_t cores = w->platform.vector_cores;
    if (n < 1)
        return vm_fault(w, lane, "pl.spmd of %lld blocks: it runs at least one", (long long)n);
    if (in->imm && n > cores)
        return vm_fault(w, lane, "%lld blocks cannot start at once: a device of %s has %lld cores",
                        (long long)n, w->platform.name, (long long)cores);
    lane->n_blocks = n;
    lane->block = 0;
    lane->blocks_end = lane->now;
    vec_clear(&lane->core_free);
    for (int64_t i = 0; i < n && i < cores; i++)
        vec_push(&lane->core_free, lane->now);
    return true;
}

bool vm_block_begin(World *w, Lane *lane, const BcInsn *in)
{
    vm_flush(w, lane);
    if (!lane->n_blocks && !open_blocks(w, lane, in, lane_top(lane)->regs[in->b]))
        return false;
    lane->block_core = first_free(lane);
    lane->now = lane->core_free.at[lane->block_core];
    return true;
}

bool vm_block_end(Lane *lane)
{
    lane->core_free.at[lane->block_core] = lane->now;
    if (lane->now > lane->blocks_end)
        lane->blocks_end = lane->now;
    if (++lane->block < lane->n_blocks)
        return true;
    lane->now = lane->blocks_end;
    lane->block = lane->n_blocks = 0;
    return false;
}
