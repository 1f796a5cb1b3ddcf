/* Any bytes as a .npy file: refused with one line, or an array that fits itself and can be printed.
 */
#include "sim/host/npy.h"
#include "sim/report/print_tensor.h"
#include "tests/fuzz/replay.h"
#include <stdlib.h>
#include <string.h>

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_npy: %s\n", what);
        abort();
    }
}

static void print_all(Arena *arena, const NpyArray *a)
{
    HostTensor t = {.name = "y", .dtype = a->dtype, .rank = (uint8_t)a->rank};
    const char *why, *specs[] = {"y", "y[::-1]", "y[-1:]", "y[:2,::3]"};
    memcpy(t.shape, a->shape, sizeof t.shape);
    require(tensor_measure(arena, &t, &why) && t.bytes == a->bytes, "size of the data");
    t.data = arena_alloc(arena, (size_t)a->bytes);
    memcpy(t.data, a->data, (size_t)a->bytes);
    for (int i = 0; i < 4; i++) {
        Buf out = {0};
        bool ok = print_tensor(arena, &out, &t, specs[i], &why);
        require(ok || i > 0, "the whole cannot be printed");
        buf_free(&out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    Arena arena = {0};
    NpyArray a = {0};
    const char *why = NULL;
    bool ok = npy_parse(&arena, "f.npy", bytes, len, &a, &why);
    require(ok || (why && *why && !strchr(why, '\n')), "refused without one line");
    HostTensor param = {.name = "y", .dtype = a.known ? a.dtype : DT_FP32, .rank = (uint8_t)a.rank};
    memcpy(param.shape, a.shape, sizeof param.shape);
    if (ok && a.known) {
        require(npy_fits(&arena, "f.npy", &a, &param, &why), "fits itself");
        print_all(&arena, &a);
    } else if (ok) {
        require(!npy_fits(&arena, "f.npy", &a, &param, &why), "unknown type");
    }
    arena_free(&arena);
    return 0;
}
