/* Arguments that the compiler cannot tell to fit: integers in the dtype of their parameter, memory
 * with its extents. */
#include "base/dtype.h"
#include "sim/machine/vm_ops.h"

#include <string.h>

bool vm_fit(World *w, Lane *lane, const BcInsn *in)
{
    int64_t *regs = lane_top(lane)->regs;
    int64_t v = regs[in->b];
    regs[in->a] = v;
    if (v >= dtype_min(in->d) && v <= dtype_max(in->d))
        return true;
    return vm_fault(w, lane, "%s is a %s, %lld does not fit", world_string(w, (uint32_t)in->imm),
                    dtype_name(in->d), (long long)v);
}

static void print_shape(Buf *out, const int64_t *extents, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        buf_printf(out, "%s%lld", i ? ", " : "[", (long long)extents[i]);
    buf_char(out, ']');
}

static bool same_extents(const MemRef *m, const int64_t *extents, uint32_t n)
{
    for (uint32_t i = 0; i < n || i < m->rank; i++) {
        int64_t have = i < m->rank ? m->shape[m->rank - 1 - i] : 1;
        if (have != (i < n ? extents[n - 1 - i] : 1))
            return false;
    }
    return true;
}

bool vm_as_shape(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    const MemRef *m = vm_mem(w, lane, in->b);
    const int64_t *extents = top->regs + in->c;
    if (!m)
        return false;
    if (!same_extents(m, extents, in->d)) {
        Buf text = {0};
        print_shape(&text, extents, in->d);
        buf_str(&text, ", but ");
        print_shape(&text, m->shape, m->rank);
        vm_fault(w, lane, "%s is declared as %s arrives", world_string(w, (uint32_t)in->imm),
                 text.at);
        buf_free(&text);
        return false;
    }
    MemRef seen = *m;
    seen.rank = (uint8_t)in->d;
    memcpy(seen.shape, extents, in->d * sizeof *extents);
    top->mregs[in->a] = seen;
    return true;
}
