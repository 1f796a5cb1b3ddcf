/* pl.debug_print. It stands outside of the run: no step, no time, no event, and bytes are read past
 * the probe, so that a program behaves the same with it and without. */
#include "base/format.h"
#include "sim/machine/element_text.h"
#include "sim/machine/vm_ops.h"
#include "sim/machine/vm_rows.h"

#include <string.h>

/* "sum.pld:14:9: rank 1 core 0, 1.250000 us: acc = ". Over processes no time is modelled: "core 0,
 * -: " */
static void head(const World *w, const Lane *lane, const BcInsn *in, Buf *out)
{
    const char *label = world_string(w, (uint32_t)in->imm);
    int64_t now = clock_add(lane->now, lane->scalar_ps);
    place_text(w, out, lane_place(lane));
    buf_printf(out, ": rank %u core %u", lane->rank, lane->core);
    if (lane->n_blocks)
        buf_printf(out, " block %lld", (long long)lane->block);
    if (w->processes)
        buf_str(out, ", -");
    else
        buf_printf(out, ", %lld.%06lld us", (long long)(now / 1000000), (long long)(now % 1000000));
    buf_printf(out, ": %s%s", label, *label ? " = " : "");
}

static void scalar(Buf *out, uint8_t dtype, int64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    if (dtype_is_float(dtype))
        format_float(out, (Dtype)dtype, number);
    else if (dtype == DT_BOOL)
        buf_str(out, bits ? "True" : "False");
    else
        buf_printf(out, "%lld", (long long)bits);
}

/* A rectangle, cut at the end of what there is. */
typedef struct {
    int64_t off[BC_MAX_RANK], ext[BC_MAX_RANK];
    bool empty;
} Part;

static int64_t clamp(int64_t v, int64_t hi)
{
    return v < 0 ? 0 : v > hi ? hi : v;
}

static Part part(const Lane *lane, uint16_t off, uint16_t ext, uint32_t rank, const int64_t *shape)
{
    const int64_t *r = lane->frames.at[lane->frames.len - 1].regs;
    Part p = {0};
    for (uint32_t i = 0; i < rank; i++) {
        p.off[i] = off == BC_NONE ? 0 : clamp(r[off + i], shape[i]);
        int64_t rest = shape[i] - p.off[i];
        p.ext[i] = ext == BC_NONE ? rest : clamp(r[ext + i], rest);
        p.empty |= p.ext[i] == 0;
    }
    return p;
}

static void tile(Lane *lane, const BcInsn *in, Buf *out)
{
    const BcTile *t = &lane_top(lane)->f->tiles[in->b];
    const TileState *s = &lane_top(lane)->tiles[in->b];
    if (!s->written) {
        buf_printf(out, "a tile of %s that nobody has written", dtype_name((Dtype)t->dtype));
        return;
    }
    Part p = part(lane, in->c, in->e, t->rank, s->valid);
    ArrayView v = {.at = vm_tile_at(lane, t), .dtype = (Dtype)t->dtype, .rank = t->rank};
    int64_t stride = dtype_bytes(t->dtype);
    for (uint32_t i = t->rank; i-- > 0;) {
        v.shape[i] = p.ext[i];
        v.stride[i] = stride;
        v.at += p.off[i] * stride;
        stride = i == t->rank - 1u ? t->pitch : stride * t->shape[i];
    }
    format_array(out, &v);
}

/* The bytes of a rectangle of memory as this rank sees them now; NULL: out of reach. */
static char *fetch(World *w, const Lane *lane, const MemRef *m, const Part *p)
{
    int64_t n = 1;
    (void)shape_elements(m->rank, p->ext, &n);
    char *bytes = xcalloc((size_t)n + 1, dtype_bytes(m->dtype));
    RectPair pair = rect_make(m, lane->rank, p->off, p->ext, p->ext, 0);
    FabLocal to = {.at = bytes};
    FabToken token = 0;
    FabStatus status = FAB_OK;
    memcpy(to.stride, pair.tile_stride, sizeof to.stride);
    if (m->kind == MEM_WINDOW && !p->empty)
        status = w->fabric->ops->read(w->fabric, lane->rank, &pair.rect, to, &token);
    else if (!p->empty)
        rect_copy(&pair.rect, bytes, to.stride,
                  w->dispatches.at[lane->dispatch].regions[m->object].data + pair.rect.at.offset,
                  pair.rect.stride);
    if (status == FAB_OK && token == 0)
        return bytes;
    xfree(bytes);
    return NULL;
}

static bool memory(World *w, Lane *lane, const BcInsn *in, Buf *out)
{
    const MemRef *m = vm_mem(w, lane, in->a);
    if (!m)
        return false;
    Part p = part(lane, in->b, in->d, m->rank, mem_limit(m));
    char *bytes = fetch(w, lane, m, &p);
    ArrayView v = {.at = bytes, .dtype = (Dtype)m->dtype, .rank = m->rank};
    int64_t stride = dtype_bytes(m->dtype);
    for (uint32_t i = m->rank; i-- > 0;) {
        v.shape[i] = p.ext[i];
        v.stride[i] = stride;
        stride *= p.ext[i];
    }
    if (bytes)
        format_array(out, &v);
    else
        buf_str(out, "memory that cannot be read now");
    xfree(bytes);
    return true;
}

/* The lines of an array stand under each other. */
static void indent(Buf *out, size_t from)
{
    Buf text = {0};
    if (!memchr(out->at + from, '\n', out->len - from))
        return;
    buf_str(&text, "\n    ");
    for (size_t i = from; i < out->len; i++) {
        buf_char(&text, out->at[i]);
        if (out->at[i] == '\n')
            buf_str(&text, "    ");
    }
    out->len = from > 0 && out->at[from - 1] == ' ' ? from - 1 : from;
    buf_bytes(out, text.at, text.len);
    buf_free(&text);
}

bool vm_show(World *w, Lane *lane, const BcInsn *in)
{
    const RunConfig *c = w->config;
    Buf out = {0};
    bool ok = true;
    if (!c->print || w->dispatches.at[lane->dispatch].rehearsal)
        return true;
    head(w, lane, in, &out);
    size_t from = out.len;
    if (in->op == BC_SHOW)
        scalar(&out, (uint8_t)in->b, lane_top(lane)->regs[in->a]);
    else if (in->op == BC_SHOWT)
        tile(lane, in, &out);
    else
        ok = memory(w, lane, in, &out);
    indent(&out, from);
    buf_char(&out, '\n');
    w->print_rank = lane->rank;
    if (ok)
        c->print(c->print_env, out.at, out.len);
    buf_free(&out);
    return ok;
}
