#include "sim/machine/element_text.h"

static void index_text(Buf *out, uint32_t rank, const int64_t *shape, int64_t element, bool last)
{
    int64_t at[BC_MAX_RANK] = {0};
    for (uint32_t i = rank; i-- > 0;) {
        int64_t extent = shape[i] > 0 ? shape[i] : 1;
        at[i] = i ? element % extent : element;
        element /= extent;
    }
    for (uint32_t i = 0; i + (last ? 0 : 1) < rank; i++)
        buf_printf(out, "%s%lld", i ? ", " : "", (long long)at[i]);
}

static void range_text(Buf *out, const char *name, uint32_t rank, const int64_t *shape,
                       int64_t first, int64_t last)
{
    int64_t row = rank && shape[rank - 1] > 0 ? shape[rank - 1] : 1;
    buf_printf(out, "%s[", name);
    if (rank == 0) {
        buf_printf(out, "%lld:%lld]", (long long)first, (long long)last + 1);
    } else if (first == last) {
        index_text(out, rank, shape, first, true);
        buf_char(out, ']');
    } else if (rank == 1 || first / row == last / row) {
        index_text(out, rank, shape, first, false);
        int64_t a = rank == 1 ? first : first % row, b = rank == 1 ? last : last % row;
        buf_printf(out, "%s%lld:%lld]", rank > 1 ? ", " : "", (long long)a, (long long)b + 1);
    } else {
        index_text(out, rank, shape, first, true);
        buf_printf(out, "] to %s[", name);
        index_text(out, rank, shape, last, true);
        buf_char(out, ']');
    }
}

void elements_window(const World *w, Buf *out, uint32_t window, uint8_t dtype, int64_t first,
                     int64_t end)
{
    const Window *win = &w->windows.at[window];
    uint8_t elem = win->view_rank ? win->view_dtype : dtype;
    int64_t size = dtype_bytes(elem);
    range_text(out, win->name, win->view_rank, win->view_shape, first / size, (end - 1) / size);
}

void elements_region(const World *w, Buf *out, uint32_t dispatch, uint32_t region, int64_t first,
                     int64_t end)
{
    const Region *r = &w->dispatches.at[dispatch].regions[region];
    const HostTensor *t = region_tensor(w, r);
    int64_t size = dtype_bytes(t->dtype);
    range_text(out, t->name, t->rank, t->shape, (r->offset + first) / size,
               (r->offset + end - 1) / size);
}

void elements_who(const World *w, Buf *out, CodePlace at)
{
    buf_printf(out, "rank %u", at.rank);
    if (at.block)
        buf_printf(out, " block %u", at.block - 1);
    else if (at.dispatch < w->dispatches.len && w->dispatches.at[at.dispatch].cores > 1)
        buf_printf(out, " core %u", at.core);
}

const char *elements_op_name(uint16_t insn)
{
    switch (insn) {
    case BC_READ: return "pl.read";
    case BC_WRITE: return "pl.write";
    case BC_LOAD: return "load";
    case BC_STORE: return "store";
    case BC_RLOAD: return "remote_load";
    case BC_RSTORE: return "remote_store";
    case BC_PUT: return "put";
    case BC_GET: return "get";
    case BC_NOTIFY: return "notify";
    case BC_WAIT: return "wait";
    default: return NULL;
    }
}

const char *elements_op(uint16_t insn)
{
    const char *name = elements_op_name(insn);
    return name ? name : "access";
}
