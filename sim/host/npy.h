/* NumPy .npy files, format versions 1.0 to 3.0, C order, little-endian, the dtypes that NumPy has.
 */
#ifndef PLD_SIM_HOST_NPY_H
#define PLD_SIM_HOST_NPY_H

#include "base/arena.h"
#include "sim/machine/tensor.h"
#include <stdbool.h>

typedef struct NpyArray {
    const char *descr; /* as in the file: "<f4" */
    bool memory;       /* of the caller: any dtype will do that is the parameter's */
    bool known;        /* descr is one of our dtypes */
    uint8_t dtype;     /* when known; INT64 for i8 */
    uint32_t rank;     /* 0..5 */
    int64_t shape[BC_MAX_RANK];
    int64_t start;    /* of the data in the file */
    int64_t bytes;    /* of `data` */
    const char *data; /* dense, row-major, in this machine's order; in the arena */
} NpyArray;

/* Reads a file. On failure false and *why: one line with the file's name (Fortran order, truncated,
 * bytes left over, not an .npy, more than 5 dimensions, big-endian, an unknown type), in the arena.
 */
bool npy_read(Arena *arena, const char *path, NpyArray *out, const char **why);
/* Its header only: `data` and `bytes` are not set. */
bool npy_head(Arena *arena, const char *path, NpyArray *out, const char **why);
/* The header of a regular file, whose size is as it says; `data` is not set. */
bool npy_open(Arena *arena, const char *path, NpyArray *out, const char **why);
/* A range of the data of a file that npy_open has looked at, to `to`. */
bool npy_read_part(Arena *arena, const char *path, const NpyArray *a, TensorSpan part, char *to,
                   const char **why);
/* The same as npy_read from bytes; `path` is only named in messages. */
bool npy_parse(Arena *arena, const char *path, const void *bytes, size_t len, NpyArray *out,
               const char **why);
/* Checks dtype and shape of a file against what a parameter wants; *why names both sides. A BF16
 * parameter takes no file. INDEX takes i8. An extent of -1 accepts anything. */
bool npy_fits(Arena *arena, const char *path, const NpyArray *array, const HostTensor *param,
              const char **why);
/* Writes atomically (base/file.h), version 1.0. false and *why: a dtype NumPy has not, an
 * unwritable file. */
bool npy_write(Arena *arena, const char *path, const HostTensor *t, const char **why);
/* What such a file of a tensor begins with. */
void npy_header(Buf *out, const HostTensor *t);
/* "(3, 4)", as NumPy writes shapes. */
void npy_shape_text(Buf *out, uint32_t rank, const int64_t *shape);

#endif
