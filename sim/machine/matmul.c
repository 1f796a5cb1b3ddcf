/* Blocks of the matrix product, as in Goto and van de Geijn, Anatomy of High-Performance Matrix
 * Multiplication (2008): a panel of b stays in the outer cache, one of a in the inner. */
#include "sim/machine/matmul.h"
#include "base/arena.h"
#include "sim/machine/kernel_lanes.h"
#include "sim/machine/kernel_matmul.h"
#include "sim/machine/kernels.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 256, BLOCK_ROWS = 120, BLOCK_COLS = 1024, ALIGN = 64 };

static const MatmulTable *matmul_table(void)
{
#if defined __x86_64__
    switch (kernels_path()) {
    case KERNELS_AVX512: return &matmul_avx512;
    case KERNELS_AVX2: return &matmul_avx2;
    default: break;
    }
#endif
    return &matmul_portable;
}

/* An element as a lane of 32 bits: a float, or an integer. */
static uint32_t widened(Dtype t, const void *row, int64_t i)
{
    switch (t) {
    case DT_FP32: return ((const LaneU32 *)row)[i];
    case DT_FP16: return lane_bits(get_FP16(((const LaneU16 *)row)[i]));
    case DT_BF16: return (uint32_t)((const LaneU16 *)row)[i] << 16;
    default: return (uint32_t)((const LaneI8 *)row)[i];
    }
}

static const void *row_of(const void *base, int64_t row, int64_t step)
{
    return (const char *)base + row * step;
}

typedef struct {
    const Matmul *x;
    Dtype dtype;
    MatmulMicro *micro;
    const MatmulTable *table;
    int64_t i, j, k, rows, cols, depth; /* the block of c at hand, and of what is summed */
} Block;

/* The block's rows of a as panels, as high as the table says. */
static void pack_a(const Block *b, uint32_t *out)
{
    int high = b->table->rows;
    for (int64_t i0 = 0; i0 < b->rows; i0 += high, out += high * b->depth)
        for (int i = 0; i < high; i++) {
            const void *row = row_of(b->x->a, b->i + i0 + i, b->x->a_step);
            for (int64_t j = 0; j < b->depth; j++)
                out[j * high + i] = i0 + i < b->rows ? widened(b->dtype, row, b->k + j) : 0;
        }
}

static void pack_row(Dtype t, const void *row, int64_t from, int64_t n, uint32_t *out)
{
    if (t == DT_FP32) {
        memcpy(out, (const LaneU32 *)row + from, (size_t)n * sizeof *out);
        return;
    }
    for (int64_t j = 0; j < n; j++)
        out[j] = widened(t, row, from + j);
}

/* The block's columns of b as panels, as wide as the table says. */
static void pack_b(const Block *b, uint32_t *out)
{
    int wide = b->table->cols;
    for (int64_t j0 = 0; j0 < b->cols; j0 += wide, out += wide * b->depth) {
        int64_t n = b->cols - j0 < wide ? b->cols - j0 : wide;
        for (int64_t i = 0; i < b->depth; i++) {
            uint32_t *to = out + i * wide;
            pack_row(b->dtype, row_of(b->x->b, b->k + i, b->x->b_step), b->j + j0, n, to);
            memset(to + n, 0, (size_t)(wide - n) * sizeof *to);
        }
    }
}

/* A micro-tile at the edge of c goes through one of full size. */
static void edge(const Block *b, char *c, int64_t rows, int64_t cols, const uint32_t *a,
                 const uint32_t *panel)
{
    uint32_t whole[MATMUL_MAX_ROWS * MATMUL_MAX_COLS] = {0};
    size_t bytes = (size_t)cols * sizeof *whole;
    int wide = b->table->cols;
    for (int64_t i = 0; i < rows; i++)
        memcpy(whole + i * wide, c + i * b->x->c_step, bytes);
    b->micro(whole, wide, a, panel, b->depth);
    for (int64_t i = 0; i < rows; i++)
        memcpy(c + i * b->x->c_step, whole + i * wide, bytes);
}

static void run_block(const Block *b, const uint32_t *a, const uint32_t *panels)
{
    int high = b->table->rows, wide = b->table->cols;
    for (int64_t j = 0; j < b->cols; j += wide)
        for (int64_t i = 0; i < b->rows; i += high) {
            char *c = (char *)b->x->c + (b->i + i) * b->x->c_step + (b->j + j) * 4;
            const uint32_t *pa = a + i * b->depth, *pb = panels + j * b->depth;
            if (b->rows - i >= high && b->cols - j >= wide)
                b->micro(c, b->x->c_step / 4, pa, pb, b->depth);
            else
                edge(b, c, b->rows - i < high ? b->rows - i : high,
                     b->cols - j < wide ? b->cols - j : wide, pa, pb);
        }
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Bytes of a panel, so that the next one is aligned too. */
static size_t panel_bytes(int64_t across, int64_t depth, int unit)
{
    size_t bytes = (size_t)((across + unit - 1) / unit * unit * depth) * sizeof(uint32_t);
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static void canonical(const Matmul *x)
{
    for (int64_t i = 0; i < x->m; i++) {
        LaneF32 *row = (LaneF32 *)((char *)x->c + i * x->c_step);
        for (int64_t j = 0; j < x->n; j++)
            row[j] = put_FP32(row[j]);
    }
}

void matmul_run(Dtype t, const Matmul *x)
{
    const MatmulTable *table = matmul_table();
    Block b = {
        .x = x, .dtype = t, .table = table, .micro = t == DT_INT8 ? table->ints : table->floats};
    if (x->m <= 0 || x->n <= 0)
        return;
    int64_t deep = least(x->k > 0 ? x->k : 1, DEPTH);
    size_t size_b = panel_bytes(least(x->n, BLOCK_COLS), deep, table->cols);
    size_t size_a = panel_bytes(least(x->m, BLOCK_ROWS), deep, table->rows);
    char *panels = xmalloc(size_b + size_a + ALIGN);
    uint32_t *pb = (void *)(panels + (ALIGN - (uintptr_t)panels % ALIGN));
    uint32_t *pa = (void *)((char *)pb + size_b);
    for (b.j = 0; b.j < x->n; b.j += BLOCK_COLS) {
        b.cols = least(x->n - b.j, BLOCK_COLS);
        for (b.k = 0; b.k < x->k; b.k += DEPTH) {
            b.depth = least(x->k - b.k, DEPTH);
            pack_b(&b, pb);
            for (b.i = 0; b.i < x->m; b.i += BLOCK_ROWS) {
                b.rows = least(x->m - b.i, BLOCK_ROWS);
                pack_a(&b, pa);
                run_block(&b, pa, pb);
            }
        }
    }
    xfree(panels);
    if (t != DT_INT8)
        canonical(x);
}
