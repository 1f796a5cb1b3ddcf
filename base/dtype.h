/* Element types and their conversions. */
#ifndef PLD_BASE_DTYPE_H
#define PLD_BASE_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
#define PLD_DTYPE(ENUM, name, bytes, kind, npy) DT_##ENUM,
#include "base/dtype.def"
    DT_COUNT
} Dtype;

typedef enum { DTK_FLOAT, DTK_INT, DTK_UINT, DTK_BOOL, DTK_TASK } DtypeKind;

typedef struct {
    const char *name; /* "FP32" */
    const char *npy;  /* "f4", "" when NumPy has none */
    uint8_t bytes;
    DtypeKind kind;
} DtypeInfo;

extern const DtypeInfo dtype_info[DT_COUNT];

static inline uint32_t dtype_bytes(Dtype t)
{
    return dtype_info[t].bytes;
}
static inline const char *dtype_name(Dtype t)
{
    return dtype_info[t].name;
}
static inline bool dtype_is_float(Dtype t)
{
    return dtype_info[t].kind == DTK_FLOAT;
}
static inline bool dtype_is_int(Dtype t)
{
    return dtype_info[t].kind == DTK_INT || dtype_info[t].kind == DTK_UINT;
}

/* Finds a dtype by name ("FP32"); false when there is none. */
bool dtype_from_name(const char *name, Dtype *out);
/* Smallest and largest value of an integer or BOOL dtype. */
int64_t dtype_min(Dtype t);
int64_t dtype_max(Dtype t);
/* Wraps an integer to the width of `t` (two's complement). */
int64_t dtype_wrap(Dtype t, int64_t v);

/* Stores `v` at `dst` as one element of a float dtype, rounded once to nearest even; a NaN becomes
 * the canonical quiet NaN of the dtype (0x7e00, 0x7fc0, 0x7fc00000). */
void dtype_store_double(Dtype t, void *dst, double v);
/* Stores an integer as one element of any dtype: integers saturate, floats round once, BOOL is
 * v != 0. */
void dtype_store_int(Dtype t, void *dst, int64_t v);
/* Reads one element; integers up to 2^63 are exact with dtype_load_int only. */
double dtype_load_double(Dtype t, const void *src);
int64_t dtype_load_int(Dtype t, const void *src);

#endif
