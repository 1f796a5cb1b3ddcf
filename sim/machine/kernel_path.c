/* Which instruction set runs: a file of its own, so that a program may link another choice. */
#include "sim/machine/kernels.h"

#include <stdatomic.h>

KernelPath kernels_path(void)
{
    static _Atomic KernelPath best = KERNELS_COUNT; /* not yet known */
    KernelPath path = atomic_load_explicit(&best, memory_order_relaxed);
    if (path != KERNELS_COUNT)
        return path;
    path = KERNELS_COUNT - 1;
    while (!kernels_has(path))
        path--;
    atomic_store_explicit(&best, path, memory_order_relaxed);
    return path;
}
