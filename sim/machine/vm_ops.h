/* The families of instructions, for the loop in vm.c. Each function executes the instruction
 * `in` of the lane's top frame and returns false after a fault. */
#ifndef PLD_SIM_MACHINE_VM_OPS_H
#define PLD_SIM_MACHINE_VM_OPS_H

#include "base/region.h"
#include "sim/machine/fault.h"
#include "sim/machine/kernels.h"
#include "sim/machine/mover.h"
#include "sim/machine/quick.h"
#include "sim/machine/vm.h"

static inline Frame *lane_top(Lane *lane)
{
    return &vec_last(&lane->frames);
}

/* A store with AtomicType.Add into a window. */
static inline bool vm_adds_to_window(const Frame *top, const BcInsn *in)
{
    return in->imm == ATOMIC_ADD && top->mregs[in->b].kind == MEM_WINDOW;
}

/* What the lane stands before, without what vm_describe adds. Strides of a rectangle that has none
 * are left as they were. */
static inline void vm_stand(Lane *lane, PendKind kind, bool enabled)
{
    Pending *p = &lane->pending;
    p->kind = kind;
    p->enabled = enabled;
    p->rect.at = (FabAddr){0};
    p->rect.run = 0;
    p->rect.n = 0;
    p->op = 0;
    p->value = 0;
    p->token = 0;
    p->at = (CodePlace){0};
}

/* Before memory or tiles are touched by others than moves. */
static inline void vm_settle(const World *w)
{
    if (w->mover)
        mover_settle(w->mover);
}
/* TILE_ENDS_ bits of the instruction at hand, which has been come to by vm_scalars. */
static inline uint8_t vm_ends(const World *w, const Lane *lane)
{
    const Frame *top = &vec_last(&lane->frames);
    const QuickCode *code = w->quick[top->func];
    return code && code->ends ? code->ends[top->pc] : 0;
}
/* May bytes of that memory move later? Signal cells are looked at all the time. */
static inline bool vm_moves(const World *w, const MemRef *m, int64_t bytes)
{
    return w->mover && bytes >= MOVE_LEAST &&
           (m->kind != MEM_WINDOW || !w->windows.at[m->object].signal);
}

/* Puts scalar work on the clock. Called before everything that has a time. */
void vm_flush(World *w, Lane *lane);

/* sim/machine/vm_outside.c: asks the caller of the program, RunConfig.outside. */
bool vm_outside(World *w, Lane *lane);

/* sim/machine/vm_call.c */
bool vm_call(World *w, Lane *lane, const BcInsn *in);
void vm_return(World *w, Lane *lane, const BcInsn *in);

/* sim/machine/vm_mem.c */
/* The memory a register names; NULL after a fault when it was never set. */
const MemRef *vm_mem(World *w, Lane *lane, uint32_t reg);
/* False after a fault: the builtin call at hand works on windows of different domains. */
bool vm_same_group(World *w, Lane *lane, const MemRef *m);
/* World rank of rank `peer` of the view's domain; false after a fault. `what` names the operation.
 */
bool vm_peer(World *w, Lane *lane, const MemRef *m, int64_t peer, const char *what, uint32_t *rank);
/* Checks a rectangle against a view. */
bool vm_bounds(World *w, Lane *lane, const MemRef *m, const int64_t *off, const int64_t *ext);
/* The extents of a tile of `rank` dimensions in memory of `to`: leading ones are 1. */
void vm_pad_leading(uint32_t rank, uint32_t to, const int64_t *extents, int64_t *out);
/* Byte address of an element whose index is a run of registers; checks it. */
bool vm_element(World *w, Lane *lane, const MemRef *m, const int64_t *index, int64_t *offset);
/* Reports what the fabric returned. True for FAB_OK. */
bool vm_fabric_ok(World *w, Lane *lane, FabStatus status);
/* One access of a rectangle of window or device memory on rank `rank`; `local` has the tile's
 * strides. */
bool vm_access(World *w, Lane *lane, const MemRef *m, EventKind kind, const RectPair *p, void *at);
/* The bytes of a rectangle that lies in one piece in memory of this process, to read or to write;
 * NULL: use vm_access. What has been read or written there is told by vm_moved. */
char *vm_direct(World *w, Lane *lane, const MemRef *m, const FabRect *r, bool write);
void vm_moved(World *w, Lane *lane, const MemRef *m, EventKind kind, const RectPair *p);
/* Is a loop variable on this side of its end? */
static inline bool vm_before(int64_t at, int64_t end, int64_t step)
{
    return step > 0 ? at < end : at > end;
}

/* Executes instructions as long as they are scalar ones that can neither fault nor be noticed, at
 * most `budget`; returns how many. */
uint64_t vm_scalars(World *w, Lane *lane, uint64_t budget);
bool vm_read(World *w, Lane *lane, const BcInsn *in);
bool vm_write(World *w, Lane *lane, const BcInsn *in);
bool vm_load(World *w, Lane *lane, const BcInsn *in);
bool vm_store(World *w, Lane *lane, const BcInsn *in);
bool vm_rload(World *w, Lane *lane, const BcInsn *in);
bool vm_rstore(World *w, Lane *lane, const BcInsn *in);

/* sim/machine/vm_tile.c */
/* Bytes of the tile's memory on the core. */
char *vm_tile_at(Lane *lane, const BcTile *t);
/* The tile's elements matter: reported when they are uninitialised. */
void vm_tile_used(World *w, Lane *lane, uint32_t slot);
/* A tile got its value: valid extents, and whether the elements were written. */
void vm_tile_made(Lane *lane, uint32_t slot, const TileRegion *r, bool written);
/* Constant `k` of the program, of the range of `dtype`: bits of a double, or an integer. */
KernelScalar vm_constant(const World *w, int32_t k, Dtype dtype);
/* The element at `at` as an operand of a kernel. */
KernelScalar vm_element_scalar(Dtype t, const void *at);
/* Time of an op that makes `bytes`; op TOP_NONE: none of ir/tileop.def. */
void vm_spend(World *w, Lane *lane, int64_t bytes, TileOp op, Dtype dtype);
bool vm_tile_op(World *w, Lane *lane, const BcInsn *in);

/* sim/machine/vm_holes.c: uninitialised elements. Those of a tile that got its value are gone. */
void vm_holes_clear(Lane *lane, uint32_t slot);
void vm_holes_forget(Lane *lane);
/* All elements of the tile are uninitialised. */
void vm_holes_everywhere(Lane *lane, uint32_t slot);
/* Is there one in its valid region? The number of its load, 0: none. */
bool vm_holes_find(Lane *lane, uint32_t slot, uint64_t *load);
/* The tile was loaded: those in `runs` are uninitialised. */
void vm_holes_loaded(Lane *lane, const BcTile *t, const RectPair *p, HoleRuns *runs);
/* The tile is to be stored: appends the bytes of memory that become uninitialised. */
void vm_holes_stored(Lane *lane, const BcTile *t, const RectPair *p, HoleRuns *runs);
/* Executes an instruction that moves elements, and moves the uninitialised ones along. */
typedef bool TileExecute(World *w, Lane *lane, const BcInsn *in);
bool vm_holes_carry(World *w, Lane *lane, const BcInsn *in, TileExecute *op);
/* Reported where the tile as a whole is uninitialised. */
void vm_tile_written(World *w, Lane *lane, uint32_t slot);

/* sim/machine/vm_make.c */
bool vm_make(World *w, Lane *lane, const BcInsn *in);
bool vm_fill(World *w, Lane *lane, const BcInsn *in);

/* sim/machine/vm_call.c: EV_KERNEL_BEGIN or EV_KERNEL_END of the lane's innermost function. */
void vm_kernel_event(World *w, Lane *lane, EventKind kind);
/* sim/machine/vm_select.c: TCMP to TCOUNT. */
bool vm_tile_select(World *w, Lane *lane, const BcInsn *in);
/* sim/machine/vm_shape.c: TSLICE to TBYTES, TWRITE; TREAD. */
bool vm_tile_shape(World *w, Lane *lane, const BcInsn *in);
bool vm_tile_read(World *w, Lane *lane, const BcInsn *in);
/* sim/machine/vm_matrix.c: products, and tiles turned. */
bool vm_matrix(World *w, Lane *lane, const BcInsn *in);

/* sim/machine/vm_show.c: SHOW, SHOWT, SHOWM. Changes nothing that anybody can notice. */
bool vm_show(World *w, Lane *lane, const BcInsn *in);

/* sim/machine/vm_xfer.c */
bool vm_xfer(World *w, Lane *lane, const BcInsn *in);

/* sim/machine/vm_comm.c */
/* Describes the communication operation at the lane's pc in lane->pending. False after a fault. */
bool vm_describe(World *w, Lane *lane, const BcInsn *in);
/* Executes it. */
bool vm_communicate(World *w, Lane *lane, const BcInsn *in);

/* sim/machine/vm_host.c: ALLOC, VIEW, DISPATCH, ROW. */
bool vm_host_op(World *w, Lane *lane, const BcInsn *in);

/* Arguments against their parameters: faults that name both sides. */
bool vm_fit(World *w, Lane *lane, const BcInsn *in);
bool vm_as_shape(World *w, Lane *lane, const BcInsn *in);
bool vm_part(World *w, Lane *lane, const BcInsn *in);
bool vm_seen(World *w, Lane *lane, const BcInsn *in);

#endif
