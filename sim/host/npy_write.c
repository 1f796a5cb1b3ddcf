/* Writing .npy files, byte for byte as NumPy 2 does. */
#include "base/file.h"
#include "sim/host/npy.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, PREFIX = 10, GROWTH_DIGITS = 21 };

void npy_shape_text(Buf *out, uint32_t rank, const int64_t *shape)
{
    buf_char(out, '(');
    for (uint32_t i = 0; i < rank; i++)
        buf_printf(out, "%s%lld", i ? ", " : "", (long long)shape[i]);
    buf_str(out, rank == 1 ? ",)" : ")");
}

/* The dictionary, room for the first extent to grow, and blanks up to a multiple of 64 bytes. */
static void put_header(Buf *text, uint8_t dtype, uint32_t rank, const int64_t *shape)
{
    buf_printf(text, "{'descr': '%c%s', 'fortran_order': False, 'shape': ",
               dtype_bytes(dtype) == 1 ? '|' : '<', dtype_info[dtype].npy);
    npy_shape_text(text, rank, shape);
    buf_str(text, ", }");
    if (rank > 0) {
        char digits[32];
        int n = snprintf(digits, sizeof digits, "%lld", (long long)shape[0]);
        buf_fill(text, ' ', (size_t)(GROWTH_DIGITS - n));
    }
    buf_fill(text, ' ', ALIGN - (PREFIX + text->len + 1) % ALIGN);
    buf_char(text, '\n');
}

void npy_header(Buf *out, const HostTensor *t)
{
    Buf header = {0};
    put_header(&header, t->dtype, t->rank, t->shape);
    buf_bytes(out, "\x93NUMPY\x01", 8);
    buf_u16(out, (uint16_t)header.len);
    buf_bytes(out, header.at, header.len);
    buf_free(&header);
}

bool npy_write(Arena *arena, const char *path, const HostTensor *t, const char **why)
{
    if (!dtype_info[t->dtype].npy[0]) {
        *why = arena_printf(arena, "%s: NumPy has no type for %s", path, dtype_name(t->dtype));
        return false;
    }
    Buf file = {0};
    char *reason = NULL;
    size_t bytes = dtype_bytes(t->dtype);
    for (uint32_t i = 0; i < t->rank; i++)
        bytes *= (size_t)t->shape[i];
    npy_header(&file, t);
    if (bytes)
        buf_bytes(&file, t->data, bytes);
    bool ok = file_write_atomic(path, file.at, file.len, &reason);
    if (!ok)
        *why = arena_strndup(arena, reason, strlen(reason));
    xfree(reason);
    buf_free(&file);
    return ok;
}
