/* For machines with AVX-512: functions of FP32 elements, eight doubles at a time, and division by a
 * scalar, which arithmetic bounds. All else is bound by memory and as fast with AVX2. */
#include "sim/machine/kernel_lanes.h"
#include "sim/machine/kernel_math.h"
#include "sim/machine/kernel_table.h"

#if KERNELS_HAVE_AVX2
#include <immintrin.h>

#if defined __clang__
#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw"), min_vector_width(512)))
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,prefer-vector-width=512")))
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define FUNCTION(NAME, OF)                                                                         \
    static TARGET void NAME(void *to, const void *a, int64_t n)                                    \
    {                                                                                              \
        LaneF32 *out = to;                                                                         \
        const LaneF32 *in = a;                                                                     \
        INDEPENDENT for (int64_t i = 0; i < n; i++) out[i] = put_FP32(OF(in[i]));                  \
    }
FUNCTION(row_exp, lane_exp)
FUNCTION(row_log, lane_log)
FUNCTION(row_rsqrt, lane_rsqrt)

static TARGET void expdif_vv(void *to, const void *a, const void *b, int64_t n)
{
    LaneF32 *out = to;
    const LaneF32 *x = a, *y = b;
    INDEPENDENT for (int64_t i = 0; i < n; i++) out[i] = put_FP32(lane_exp(put_FP32(x[i] - y[i])));
}

static TARGET void expdif_vs(void *to, const void *a, KernelScalar s, int64_t n)
{
    LaneF32 *out = to;
    const LaneF32 *x = a;
    float y = (float)s.f;
    INDEPENDENT for (int64_t i = 0; i < n; i++) out[i] = put_FP32(lane_exp(put_FP32(x[i] - y)));
}

/* Quotients of 32 bits as lane_quotient has them; the conversion gives -2^31 where the quotient is
 * 2^31, which is how it wraps. */
static TARGET __m256i quotient8(__m512d p, __m512d by)
{
    return _mm512_cvttpd_epi32(_mm512_mul_pd(p, by));
}

static TARGET __m512d load8(const LaneI32 *at)
{
    return _mm512_cvtepi32_pd(_mm256_loadu_si256((const void *)at));
}

static TARGET void div_vs(void *to, const void *a, KernelScalar s, int64_t n)
{
    LaneI32 *out = to;
    const LaneI32 *in = a;
    __m512d by = _mm512_set1_pd(lane_up(1 / (double)(int32_t)s.i));
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_si256((void *)(out + i), quotient8(load8(in + i), by));
    for (; i < n; i++)
        out[i] = (int32_t)lane_quotient(in[i], (double)(int32_t)s.i);
}

static TARGET void div_bytes_vs(void *to, const void *a, KernelScalar s, int64_t n)
{
    LaneI8 *out = to;
    const LaneI8 *in = a;
    int8_t q = (int8_t)s.i;
    INDEPENDENT for (int64_t i = 0; i < n; i++) out[i] = lane_quotient_byte(in[i], q);
}

void kernels_avx512_put(KernelTable *table)
{
    table->un[TOP_EXP][DT_FP32] = row_exp;
    table->un[TOP_LOG][DT_FP32] = row_log;
    table->un[TOP_RSQRT][DT_FP32] = row_rsqrt;
    table->vv[TOP_EXPDIF][DT_FP32] = expdif_vv;
    table->vs[TOP_DIV][DT_INT32] = div_vs;
    table->vs[TOP_DIV][DT_INT8] = div_bytes_vs;
    table->vs[TOP_EXPDIF][DT_FP32] = expdif_vs;
}
#endif
