/* Numbers and arrays as NumPy prints them: the shortest digits that tell a number from its
 * neighbours in its own dtype. */
#ifndef PLD_BASE_FORMAT_H
#define PLD_BASE_FORMAT_H

#include "base/buf.h"
#include "base/dtype.h"

#define FORMAT_MAX_RANK 5

/* The digits of a finite number that is not 0: digits[0].digits[1]digits[2]... * 10^exponent. */
typedef struct {
    char digits[20]; /* NUL-terminated, without trailing zeros */
    int exponent;
} Decimal;

/* The fewest digits that a conversion to `t` takes back to the number; of a number that `t` does
 * not have, the fewest for a double. */
Decimal format_shortest(Dtype t, double v);
/* "1.5", "1e-05", "nan", "-inf": as NumPy's str of one number. */
void format_float(Buf *out, Dtype t, double v);

/* An array in memory with any strides. */
typedef struct {
    const char *at;
    int64_t first; /* byte from `at` of the first element */
    /* Where the byte `at` of what the view is of lies; NULL: at + `at`. */
    const char *(*look)(void *env, int64_t at);
    void *env;
    Dtype dtype;
    uint32_t rank;
    int64_t shape[FORMAT_MAX_RANK];
    int64_t stride[FORMAT_MAX_RANK]; /* bytes */
} ArrayView;

/* Appends what NumPy prints: columns aligned, 75 columns wide, 8 digits after the point, the middle
 * of more than 1000 elements left out. No line end after it. */
void format_array(Buf *out, const ArrayView *view);
/* The byte of each element that format_array would print, in order; nothing is looked at. */
void format_array_shown(const ArrayView *view, void (*each)(void *env, int64_t at), void *env);

#endif
