/* Numbers as NumPy prints them: the shortest digits that tell a number from its neighbours in its
 * own dtype. */
#ifndef PLD_SIM_FORMAT_H
#define PLD_SIM_FORMAT_H

#include "base/buf.h"
#include "base/dtype.h"

/* The digits of a finite number that is not 0: digits[0].digits[1]digits[2]... * 10^exponent. */
typedef struct {
    char digits[20];   /* NUL-terminated, without trailing zeros */
    int exponent;
} Decimal;

/* The fewest digits that a conversion to `t` takes back to the number; of a number that `t` does not
 * have, the fewest for a double. */
Decimal format_shortest(Dtype t, double v);
/* "1.5", "1e-05", "nan", "-inf": as NumPy's str of one number. */
void format_float(Buf *out, Dtype t, double v);

#endif
