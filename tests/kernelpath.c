#include "tests/kernelpath.h"

static KernelPath chosen = KERNELS_COUNT;

bool kernels_use(KernelPath path)
{
    bool there = path == KERNELS_COUNT || kernels_has(path);
    chosen = there ? path : KERNELS_COUNT;
    return there;
}

KernelPath kernels_path(void)
{
    KernelPath path = chosen == KERNELS_COUNT ? KERNELS_COUNT - 1 : chosen;
    while (!kernels_has(path))
        path--;
    return path;
}
