/* The loops of one KernelTable, included once per instruction set. Before it:
 *   KERNEL_TARGET   attribute of every loop      KERNEL_TABLE   name of the table
 *   KERNEL_F16C     1: halves eight at a time with F16C
 *
 * Arithmetic of FP16 and BF16 is done in FP32 and rounded once more. Two roundings give what one
 * would: FP32 has at least 2p + 2 bits for p = 11 and 8 (Figueroa, "When is double rounding
 * innocuous?", 1995), products are exact, and where results are subnormal sums are exact and
 * quotients keep further than 2^-24 of their size away from the middle of two neighbours. */
#include "sim/kernel_lanes.h"
#include "sim/kernel_table.h"
#if KERNEL_F16C
#include <immintrin.h>
#endif

/* `to` may be `a` or `b` itself, which compilers take for a reason not to vectorise. */
#if defined __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define MAY_BE_SCALAR

#define LOOP_VV(NAME, T, HINT, EXPR)                                                               \
    static KERNEL_TARGET void NAME(void *to, const void *pa, const void *pb, int64_t n)            \
    {                                                                                              \
        T *out = to;                                                                               \
        const T *va = pa, *vb = pb;                                                                \
        HINT for (int64_t i = 0; i < n; i++)                                                       \
        {                                                                                          \
            const T a = va[i], b = vb[i];                                                          \
            out[i] = EXPR;                                                                         \
        }                                                                                          \
    }

/* A scalar operand `b` of type S */
#define LOOP_VS(NAME, T, S, SCALAR, HINT, EXPR)                                                    \
    static KERNEL_TARGET void NAME(void *to, const void *pa, KernelScalar s, int64_t n)            \
    {                                                                                              \
        T *out = to;                                                                               \
        const T *va = pa;                                                                          \
        const S b = SCALAR;                                                                        \
        HINT for (int64_t i = 0; i < n; i++)                                                       \
        {                                                                                          \
            const T a = va[i];                                                                     \
            out[i] = EXPR;                                                                         \
        }                                                                                          \
    }

#define LOOP_V(NAME, TO, T, EXPR)                                                                  \
    static KERNEL_TARGET void NAME(void *to, const void *pa, int64_t n)                            \
    {                                                                                              \
        TO *out = to;                                                                              \
        const T *va = pa;                                                                          \
        INDEPENDENT for (int64_t i = 0; i < n; i++)                                                \
        {                                                                                          \
            const T a = va[i];                                                                     \
            out[i] = EXPR;                                                                         \
        }                                                                                          \
    }

/* ---- floats ---- */

#define FLOAT_OP(F, T, OP, X)                                                                      \
    LOOP_VV(OP##_##F, T, INDEPENDENT, put_##F(get_##F(a) X get_##F(b)))                            \
    LOOP_VS(OP##_##F##_s, T, float, (float)s.f, INDEPENDENT, put_##F(get_##F(a) X b))
#define FLOAT_REVERSED(F, T, OP, X)                                                                \
    LOOP_VS(r##OP##_##F##_s, T, float, (float)s.f, INDEPENDENT, put_##F(b X get_##F(a)))

#define FLOAT_ARITHMETIC(F, T)                                                                     \
    FLOAT_OP(F, T, add, +)                                                                       \
    FLOAT_OP(F, T, sub, -)                                                                       \
    FLOAT_OP(F, T, mul, *)                                                                       \
    FLOAT_OP(F, T, div, /)                                                                       \
    FLOAT_REVERSED(F, T, sub, -)                                                                   \
    FLOAT_REVERSED(F, T, div, /)                                                                   \
    LOOP_V(widen_##F, LaneF32, T, put_FP32(get_##F(a)))                                            \
    LOOP_V(narrow_##F, T, LaneF32, put_##F(a))

/* Bits of floats as integers that compare as the numbers do, -0 below +0. */
#define FLOAT_ORDER(F, T, S, SIGN, INFINITE, NAN_BITS)                                             \
    static inline KERNEL_TARGET S order_##F(T v)                                                   \
    {                                                                                              \
        return (S)(v ^ ((S)v < 0 ? SIGN - 1 : 0));                                                 \
    }                                                                                              \
    static inline KERNEL_TARGET T max_of_##F(T a, T b)                                             \
    {                                                                                              \
        T size_a = a & (SIGN - 1), size_b = b & (SIGN - 1);                                        \
        T larger = order_##F(a) > order_##F(b) ? a : b;                                            \
        return (size_a > size_b ? size_a : size_b) > INFINITE ? NAN_BITS : larger;                 \
    }                                                                                              \
    static inline KERNEL_TARGET T min_of_##F(T a, T b)                                             \
    {                                                                                              \
        T size_a = a & (SIGN - 1), size_b = b & (SIGN - 1);                                        \
        T smaller = order_##F(a) < order_##F(b) ? a : b;                                           \
        return (size_a > size_b ? size_a : size_b) > INFINITE ? NAN_BITS : smaller;                \
    }                                                                                              \
    static inline KERNEL_TARGET T sign_of_##F(T a, T changed)                                      \
    {                                                                                              \
        return (a & (SIGN - 1)) > INFINITE ? NAN_BITS : changed;                                   \
    }

#define FLOAT_BITWISE(F, T, SCALAR, SIGN)                                                          \
    LOOP_VV(max_##F, T, INDEPENDENT, max_of_##F(a, b))                                             \
    LOOP_VV(min_##F, T, INDEPENDENT, min_of_##F(a, b))                                             \
    LOOP_VS(max_##F##_s, T, T, SCALAR, INDEPENDENT, max_of_##F(a, b))                              \
    LOOP_VS(min_##F##_s, T, T, SCALAR, INDEPENDENT, min_of_##F(a, b))                              \
    LOOP_V(neg_##F, T, T, sign_of_##F(a, a ^ SIGN))                                                \
    LOOP_V(abs_##F, T, T, sign_of_##F(a, a & (SIGN - 1)))

FLOAT_ORDER(FP32, uint32_t, int32_t, 0x80000000u, 0x7f800000u, 0x7fc00000u)
FLOAT_ORDER(FP16, uint16_t, int16_t, 0x8000, 0x7c00, 0x7e00)
FLOAT_ORDER(BF16, uint16_t, int16_t, 0x8000, 0x7f80, 0x7fc0)
FLOAT_BITWISE(FP32, LaneU32, lane_bits((float)s.f), 0x80000000u)
FLOAT_BITWISE(FP16, LaneU16, put_FP16((float)s.f), 0x8000)
FLOAT_BITWISE(BF16, LaneU16, put_BF16((float)s.f), 0x8000)

FLOAT_ARITHMETIC(FP32, LaneF32)
FLOAT_ARITHMETIC(BF16, LaneU16)

#if KERNEL_F16C
static inline KERNEL_TARGET __m256 load8(const LaneU16 *at)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)at));
}

static inline KERNEL_TARGET __m256 canonical8(__m256 v)
{
    __m256 quiet = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
    return _mm256_blendv_ps(v, quiet, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
}

static inline KERNEL_TARGET void store8(LaneU16 *at, __m256 v)
{
    __m128i halves = _mm256_cvtps_ph(canonical8(v), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128((__m128i *)(void *)at, halves);
}

#define HALF_VV(OP, X)                                                                             \
    static KERNEL_TARGET void OP##_FP16(void *to, const void *pa, const void *pb, int64_t n)       \
    {                                                                                              \
        LaneU16 *out = to;                                                                         \
        const LaneU16 *a = pa, *b = pb;                                                            \
        int64_t i = 0;                                                                             \
        for (; i + 8 <= n; i += 8)                                                                 \
            store8(out + i, _mm256_##OP##_ps(load8(a + i), load8(b + i)));                         \
        for (; i < n; i++)                                                                         \
            out[i] = put_FP16(get_FP16(a[i]) X get_FP16(b[i]));                                    \
    }

#define HALF_VS(NAME, OP, FIRST, SECOND, EXPR)                                                     \
    static KERNEL_TARGET void NAME##_FP16_s(void *to, const void *pa, KernelScalar s, int64_t n)   \
    {                                                                                              \
        LaneU16 *out = to;                                                                         \
        const LaneU16 *a = pa;                                                                     \
        const float b = (float)s.f;                                                                \
        const __m256 b8 = _mm256_set1_ps(b);                                                       \
        int64_t i = 0;                                                                             \
        for (; i + 8 <= n; i += 8) {                                                               \
            const __m256 a8 = load8(a + i);                                                        \
            store8(out + i, _mm256_##OP##_ps(FIRST, SECOND));                                      \
        }                                                                                          \
        for (; i < n; i++)                                                                         \
            out[i] = put_FP16(EXPR);                                                               \
    }

HALF_VV(add, +)
HALF_VV(sub, -)
HALF_VV(mul, *)
HALF_VV(div, /)
HALF_VS(add, add, a8, b8, get_FP16(a[i]) + b)
HALF_VS(sub, sub, a8, b8, get_FP16(a[i]) - b)
HALF_VS(mul, mul, a8, b8, get_FP16(a[i]) * b)
HALF_VS(div, div, a8, b8, get_FP16(a[i]) / b)
HALF_VS(rsub, sub, b8, a8, b - get_FP16(a[i]))
HALF_VS(rdiv, div, b8, a8, b / get_FP16(a[i]))

static KERNEL_TARGET void widen_FP16(void *to, const void *from, int64_t n)
{
    float *out = to;
    const LaneU16 *in = from;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(out + i, canonical8(load8(in + i)));
    for (; i < n; i++)
        out[i] = put_FP32(get_FP16(in[i]));
}

static KERNEL_TARGET void narrow_FP16(void *to, const void *from, int64_t n)
{
    LaneU16 *out = to;
    const float *in = from;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        store8(out + i, _mm256_loadu_ps(in + i));
    for (; i < n; i++)
        out[i] = put_FP16(in[i]);
}
#else
FLOAT_ARITHMETIC(FP16, LaneU16)
#endif

/* ---- integers: W is unsigned and wide enough that nothing is promoted to int ---- */

#define INT_OP(NAME, T, W, X)                                                                      \
    LOOP_VV(NAME, T, INDEPENDENT, (T)((W)a X (W)b))                                                \
    LOOP_VS(NAME##_s, T, T, (T)s.i, INDEPENDENT, (T)((W)a X (W)b))

#define INT_COMMON(D, T, W, QUOTIENT, REVERSED)                                                    \
    INT_OP(add_##D, T, W, +)                                                                       \
    INT_OP(sub_##D, T, W, -)                                                                       \
    INT_OP(mul_##D, T, W, *)                                                                       \
    LOOP_VS(rsub_##D##_s, T, T, (T)s.i, INDEPENDENT, (T)((W)b - (W)a))                             \
    LOOP_VV(div_##D, T, MAY_BE_SCALAR, (T)(QUOTIENT))                                              \
    LOOP_VS(div_##D##_s, T, T, (T)s.i, MAY_BE_SCALAR, (T)(QUOTIENT))                               \
    LOOP_VS(rdiv_##D##_s, T, T, (T)s.i, MAY_BE_SCALAR, (T)(REVERSED))                              \
    LOOP_VV(max_##D, T, INDEPENDENT, a > b ? a : b)                                                \
    LOOP_VV(min_##D, T, INDEPENDENT, a < b ? a : b)                                                \
    LOOP_VS(max_##D##_s, T, T, (T)s.i, INDEPENDENT, a > b ? a : b)                                 \
    LOOP_VS(min_##D##_s, T, T, (T)s.i, INDEPENDENT, a < b ? a : b)                                 \
    LOOP_V(neg_##D, T, T, (T)(0 - (W)a))

/* The most negative number divided by -1 wraps; in C it traps. */
#define SIGNED(D, T, W)                                                                            \
    INT_COMMON(D, T, W, b == -1 ? (T)(0 - (W)a) : a / b, a == -1 ? (T)(0 - (W)b) : b / a)          \
    LOOP_V(abs_##D, T, T, a < 0 ? (T)(0 - (W)a) : a)
#define UNSIGNED(D, T, W)                                                                          \
    INT_COMMON(D, T, W, a / b, b / a)                                                              \
    LOOP_V(abs_##D, T, T, a)

SIGNED(INT8, LaneI8, unsigned)
UNSIGNED(UINT8, LaneU8, unsigned)
SIGNED(INT16, LaneI16, unsigned)
UNSIGNED(UINT16, LaneU16, unsigned)
SIGNED(INT32, LaneI32, uint32_t)
UNSIGNED(UINT32, LaneU32, uint32_t)
SIGNED(INT64, LaneI64, uint64_t)

/* BOOL: the integer result, != 0 */
#define BOOL_OP(NAME, EXPR)                                                                        \
    LOOP_VV(NAME##_BOOL, LaneU8, INDEPENDENT, EXPR)                                                \
    LOOP_VS(NAME##_BOOL_s, LaneU8, LaneU8, s.i != 0, INDEPENDENT, EXPR)

BOOL_OP(add, (a | b) != 0)
BOOL_OP(sub, (a != 0) != (b != 0))
BOOL_OP(mul, ((a != 0) & (b != 0)))
LOOP_V(neg_BOOL, LaneU8, LaneU8, a != 0)

#define OP_ROW(OP, BOOLEAN, NAME)                                                                  \
    [TOP_##OP] = {                                                                                 \
        [DT_INT8] = NAME(INT8),     [DT_UINT8] = NAME(UINT8), [DT_INT16] = NAME(INT16),            \
        [DT_UINT16] = NAME(UINT16), [DT_INT32] = NAME(INT32), [DT_UINT32] = NAME(UINT32),          \
        [DT_INT64] = NAME(INT64),   [DT_INDEX] = NAME(INT64), [DT_FP32] = NAME(FP32),              \
        [DT_FP16] = NAME(FP16),     [DT_BF16] = NAME(BF16),   [DT_BOOL] = BOOLEAN,                 \
    }
#define ADD_(D) add_##D
#define SUB_(D) sub_##D
#define MUL_(D) mul_##D
#define DIV_(D) div_##D
#define MAX_(D) max_##D
#define MIN_(D) min_##D
#define NEG_(D) neg_##D
#define ABS_(D) abs_##D
#define ADDS_(D) add_##D##_s
#define SUBS_(D) sub_##D##_s
#define RSUBS_(D) rsub_##D##_s
#define MULS_(D) mul_##D##_s
#define DIVS_(D) div_##D##_s
#define RDIVS_(D) rdiv_##D##_s
#define MAXS_(D) max_##D##_s
#define MINS_(D) min_##D##_s

/* Of BOOL, max is `or`, min is `and`, a quotient is the dividend times the divisor (which is 1). */
const KernelTable KERNEL_TABLE = {
    .vv = {OP_ROW(ADD, add_BOOL, ADD_), OP_ROW(SUB, sub_BOOL, SUB_), OP_ROW(MUL, mul_BOOL, MUL_),
           OP_ROW(DIV, mul_BOOL, DIV_), OP_ROW(MAX, add_BOOL, MAX_),
           OP_ROW(MIN, mul_BOOL, MIN_)},
    .vs = {OP_ROW(ADD, add_BOOL_s, ADDS_), OP_ROW(SUB, sub_BOOL_s, SUBS_),
           OP_ROW(RSUB, sub_BOOL_s, RSUBS_), OP_ROW(MUL, mul_BOOL_s, MULS_),
           OP_ROW(DIV, mul_BOOL_s, DIVS_), OP_ROW(RDIV, mul_BOOL_s, RDIVS_),
           OP_ROW(MAX, add_BOOL_s, MAXS_), OP_ROW(MIN, mul_BOOL_s, MINS_)},
    .un = {OP_ROW(NEG, neg_BOOL, NEG_), OP_ROW(ABS, neg_BOOL, ABS_)},
    .widen = {[DT_FP32] = widen_FP32, [DT_FP16] = widen_FP16, [DT_BF16] = widen_BF16},
    .narrow = {[DT_FP32] = narrow_FP32, [DT_FP16] = narrow_FP16, [DT_BF16] = narrow_BF16},
};
