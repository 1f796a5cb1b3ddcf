/* What transports share. */
#include "sim/machine/fabric.h"
#include "sim/machine/kernels.h"

const char *fab_status_text(FabStatus status)
{
    switch (status) {
    case FAB_OK: return "ok";
    case FAB_RANGE: return "outside the window";
    case FAB_MEMORY: return "out of memory";
    case FAB_ALIGN: return "a signal cell that is not aligned";
    case FAB_BROKEN: return "the transport broke";
    }
    return "?";
}

void fab_add_rect(const FabRect *r, Dtype dtype, char *to, FabLocal from, int dim)
{
    if (dim < FAB_MAX_DIMS && dim < r->n) {
        for (int64_t i = 0; i < r->count[dim]; i++) {
            FabLocal part = from;
            part.at = (char *)from.at + i * from.stride[dim];
            fab_add_rect(r, dtype, to + i * r->stride[dim], part, dim + 1);
        }
        return;
    }
    KernelArgs k = {
        .to = to, .a = to, .b = from.at, .rows = 1, .cols = r->run / dtype_bytes(dtype)};
    k.to_step = k.a_step = k.b_step = (ptrdiff_t)r->run;
    (void)kernel_bin(TOP_ADD, dtype, &k);
}
