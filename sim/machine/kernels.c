/* Rows of tiles over the inner loops of sim/machine/kernel_loops.inc. */
#include "sim/machine/kernels.h"
#include "sim/machine/kernel_lanes.h"
#include "sim/machine/kernel_table.h"
#include <pthread.h>
#if KERNELS_HAVE_AVX2
#if __has_include(<sys/platform/x86.h>)
/* What the C library has found out. Asking the processor again is slow in a virtual machine. */
#include <sys/platform/x86.h>
#define HAS(FEATURE, name) x86_cpu_active(x86_cpu_##FEATURE)
#define HAS_F16C x86_cpu_active(x86_cpu_F16C)
#else
#include <cpuid.h>
#define HAS(FEATURE, name) __builtin_cpu_supports(name)
#define HAS_F16C has_f16c()

static bool has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif
#endif

bool kernels_has(KernelPath path)
{
#if KERNELS_HAVE_AVX2
    if (path == KERNELS_AVX2)
        return HAS(AVX2, "avx2") && HAS_F16C;
    if (path == KERNELS_AVX512)
        return kernels_has(KERNELS_AVX2) && HAS(AVX512F, "avx512f") && HAS(AVX512DQ, "avx512dq") &&
               HAS(AVX512BW, "avx512bw");
#endif
    return path == KERNELS_PORTABLE;
}

#if KERNELS_HAVE_AVX2
static KernelTable with_avx512;
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_avx512(void)
{
    with_avx512 = kernels_avx2;
    kernels_avx512_put(&with_avx512);
}
#endif

static const KernelTable *table_of(KernelPath path)
{
#if KERNELS_HAVE_AVX2
    if (path == KERNELS_AVX512) {
        pthread_once(&made, make_avx512);
        return &with_avx512;
    }
    if (path == KERNELS_AVX2)
        return &kernels_avx2;
#endif
    (void)path;
    return &kernels_portable;
}

const KernelTable *kernel_table(void)
{
    return table_of(kernels_path());
}

KernelScalar kernel_scalar(Dtype from, int64_t bits, Dtype to)
{
    char element[8];
    if (dtype_is_float(from)) {
        double v;
        memcpy(&v, &bits, sizeof v);
        dtype_store_double(to, element, v);
    } else {
        dtype_store_int(to, element, bits);
    }
    KernelScalar s = {0};
    if (dtype_is_float(to))
        s.f = dtype_load_double(to, element);
    else
        s.i = dtype_load_int(to, element);
    return s;
}

/* Rows that follow each other without a hole are one. `uses_b`: b is an operand. */
static KernelArgs merge_rows(const KernelArgs *k, int64_t to_bytes, int64_t a_bytes, bool uses_b)
{
    KernelArgs m = *k;
    if (m.to_step == m.cols * to_bytes && m.a_step == m.cols * a_bytes &&
        (!uses_b || m.b_step == m.cols * a_bytes)) {
        m.cols *= m.rows;
        m.rows = 1;
    }
    return m;
}

static void *row_of(void *base, int64_t row, ptrdiff_t step)
{
    return (char *)base + row * step;
}

static const void *const_row(const void *base, int64_t row, ptrdiff_t step)
{
    return (const char *)base + row * step;
}

#define ANY_ZERO(T)                                                                                \
    {                                                                                              \
        const T *v = at;                                                                           \
        T found = 0;                                                                               \
        for (int64_t i = 0; i < n; i++)                                                            \
            found |= v[i] == 0;                                                                    \
        return found != 0;                                                                         \
    }

static bool any_zero(const void *at, int64_t n, uint32_t bytes)
{
    switch (bytes) {
    case 1: ANY_ZERO(LaneU8)
    case 2: ANY_ZERO(LaneU16)
    case 4: ANY_ZERO(LaneU32)
    default: ANY_ZERO(LaneU64)
    }
}

static bool zero_in_rows(const void *at, ptrdiff_t step, const KernelArgs *m, Dtype t)
{
    for (int64_t r = 0; r < m->rows; r++) {
        if (any_zero(const_row(at, r, step), m->cols, dtype_bytes(t)))
            return true;
    }
    return false;
}

static bool shift_ok(Dtype t, int64_t count)
{
    return count >= 0 && count < 8 * (int64_t)dtype_bytes(t);
}

static bool shifts_ok(const KernelArgs *m, Dtype t)
{
    for (int64_t r = 0; r < m->rows; r++) {
        const char *at = const_row(m->b, r, m->b_step);
        for (int64_t i = 0; i < m->cols; i++)
            if (!shift_ok(t, dtype_load_int(t, at + i * dtype_bytes(t))))
                return false;
    }
    return true;
}

bool kernel_bin(TileOp op, Dtype t, const KernelArgs *k)
{
    KernelArgs m = merge_rows(k, dtype_bytes(t), dtype_bytes(t), true);
    if (tileop_shifts(op) && !shifts_ok(&m, t))
        return false;
    int divisor = dtype_is_float(t) ? -1 : tileop_divisor(op);
    if (divisor >= 0 && zero_in_rows(divisor ? m.b : m.a, divisor ? m.b_step : m.a_step, &m, t))
        return false;
    KernelVV *loop = kernel_table()->vv[op][t];
    for (int64_t r = 0; r < m.rows; r++)
        loop(row_of(m.to, r, m.to_step), const_row(m.a, r, m.a_step), const_row(m.b, r, m.b_step),
             m.cols);
    return true;
}

bool kernel_bink(TileOp op, Dtype t, const KernelArgs *k, KernelScalar s)
{
    KernelArgs m = merge_rows(k, dtype_bytes(t), dtype_bytes(t), false);
    int divisor = dtype_is_float(t) || !m.rows || !m.cols ? -1 : tileop_divisor(op);
    if (divisor == 0 ? zero_in_rows(m.a, m.a_step, &m, t) : divisor == 1 && s.i == 0)
        return false;
    if (tileop_shifts(op) && m.rows && m.cols && !shift_ok(t, s.i))
        return false;
    KernelVS *loop = kernel_table()->vs[op][t];
    for (int64_t r = 0; r < m.rows; r++)
        loop(row_of(m.to, r, m.to_step), const_row(m.a, r, m.a_step), s, m.cols);
    return true;
}

bool kernel_un(TileOp op, Dtype t, const KernelArgs *k)
{
    KernelArgs m = merge_rows(k, dtype_bytes(t), dtype_bytes(t), false);
    KernelV *loop = kernel_table()->un[op][t];
    for (int64_t r = 0; r < m.rows; r++)
        loop(row_of(m.to, r, m.to_step), const_row(m.a, r, m.a_step), m.cols);
    return true;
}

void kernel_reduce(TileReduce r, Dtype t, const KernelArgs *k)
{
    if (!reduce_along_rows(r)) {
        kernel_table()->reduce_cols[reduce_how(r)][t](k->to, k->a, k->rows, k->a_step, k->cols);
        return;
    }
    KernelReduceRow *row = kernel_table()->reduce_rows[reduce_how(r)][t];
    for (int64_t i = 0; i < k->rows; i++)
        row(row_of(k->to, i, k->to_step), const_row(k->a, i, k->a_step), k->cols);
}

static uint64_t element_bits(Dtype t, KernelScalar s)
{
    char element[8] = {0};
    uint64_t bits;
    if (dtype_is_float(t))
        dtype_store_double(t, element, s.f);
    else
        dtype_store_int(t, element, s.i);
    memcpy(&bits, element, sizeof bits);
    return bits;
}

#define FILL(T)                                                                                    \
    {                                                                                              \
        T *v = at;                                                                                 \
        for (int64_t i = 0; i < n; i++)                                                            \
            v[i] = (T)bits;                                                                        \
        break;                                                                                     \
    }

static void fill_row(void *at, int64_t n, uint32_t bytes, uint64_t bits)
{
    switch (bytes) {
    case 1: FILL(LaneU8)
    case 2: FILL(LaneU16)
    case 4: FILL(LaneU32)
    default: FILL(LaneU64)
    }
}

void kernel_fill(Dtype t, const KernelArgs *k, KernelScalar s)
{
    uint64_t bits = element_bits(t, s);
    KernelArgs m = *k;
    m.a_step = m.to_step;
    m = merge_rows(&m, dtype_bytes(t), dtype_bytes(t), false);
    for (int64_t r = 0; r < m.rows; r++)
        fill_row(row_of(m.to, r, m.to_step), m.cols, dtype_bytes(t), bits);
}
