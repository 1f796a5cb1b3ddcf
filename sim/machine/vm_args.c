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
    for (uint32_t i = 0; i < seen.rank && m->part; i++) {
        uint32_t k = m->rank + i - seen.rank; /* leading ones come and go */
        bool own = m->rank + i >= seen.rank;
        seen.stride[i] = own ? m->stride[k] : 0;
        seen.limit[i] = own ? m->limit[k] : 1;
    }
    top->mregs[in->a] = seen;
    return true;
}

/* A memory is dense where its strides are those of its extents; dimensions of one element have
 * any. */
static void make_dense(MemRef *m)
{
    int64_t size = dtype_bytes(m->dtype);
    for (uint32_t i = m->rank; i-- > 0;) {
        if (m->limit[i] != m->shape[i] || (m->shape[i] != 1 && m->stride[i] != size))
            return;
        size *= m->shape[i];
    }
    m->part = false;
    memset(m->stride, 0, sizeof m->stride);
    memset(m->limit, 0, sizeof m->limit);
}

bool vm_part(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    const MemRef *m = vm_mem(w, lane, in->b);
    const int64_t *off = top->regs + in->c, *ext = top->regs + in->d;
    int64_t step[BC_MAX_RANK];
    if (!m)
        return false;
    MemRef part = *m;
    mem_strides(m, step);
    part.part = true;
    part.rank = 0;
    for (uint32_t i = 0; i < m->rank; i++) {
        int64_t size = mem_limit(m)[i];
        if (off[i] < 0 || ext[i] < 0 || off[i] > size)
            return vm_fault(w, lane,
                            "slice: offset %lld with extent %lld is outside axis %u of this "
                            "memory (extent %lld)",
                            (long long)off[i], (long long)ext[i], i, (long long)size);
        part.offset += off[i] * step[i];
        if (in->imm >> i & 1)
            continue;
        part.shape[part.rank] = ext[i];
        part.limit[part.rank] = ext[i] < size - off[i] ? ext[i] : size - off[i];
        part.stride[part.rank++] = step[i];
    }
    for (uint32_t i = part.rank; i < BC_MAX_RANK; i++)
        part.shape[i] = part.limit[i] = part.stride[i] = 0;
    make_dense(&part);
    top->mregs[in->a] = part;
    return true;
}

bool vm_seen(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    const MemRef *m = vm_mem(w, lane, in->b);
    const int64_t *extents = top->regs + in->c;
    int64_t have, want;
    if (!m)
        return false;
    if (m->part)
        return vm_fault(w, lane, "reshape: this memory is a part whose rows lie apart");
    (void)shape_elements(m->rank, m->shape, &have);
    for (uint32_t i = 0; i < in->d; i++)
        if (extents[i] < 0)
            return vm_fault(w, lane, "reshape: extent %lld of axis %u is negative",
                            (long long)extents[i], i);
    if (!shape_elements(in->d, extents, &want) || want != have)
        return vm_fault(w, lane, "reshape: %lld elements do not become %lld", (long long)have,
                        (long long)want);
    MemRef seen = *m;
    memset(seen.shape, 0, sizeof seen.shape);
    seen.rank = (uint8_t)in->d;
    memcpy(seen.shape, extents, in->d * sizeof *extents);
    top->mregs[in->a] = seen;
    return true;
}
