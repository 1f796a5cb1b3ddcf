/* Python's arithmetic on checked 64-bit integers and doubles: what compile-time expressions, init
 * and golden functions and shape expressions compute with. Truth values are the integers 0 and 1.
 * The bits do not depend on the machine. */
#ifndef PLD_BASE_PYARITH_H
#define PLD_BASE_PYARITH_H

#include "base/checked.h"
#include "base/scalar.h"

typedef enum { NUM_NONE, NUM_INT, NUM_FLOAT } NumKind;

typedef struct {
    int64_t tag; /* NumKind; as wide as the value, so that both travel in registers */
    union {
        int64_t i; /* INT; of a NONE that an operator gave: the ArithStatus that says why */
        double f;
    };
} Number;

static inline Number num_int(int64_t v)
{
    return (Number){.tag = NUM_INT, .i = v};
}

static inline Number num_float(double v)
{
    return (Number){.tag = NUM_FLOAT, .f = v};
}

static inline Number num_none(ArithStatus why)
{
    return (Number){.tag = NUM_NONE, .i = why};
}

/* The nearest double, ties to even. */
static inline double num_double(Number v)
{
    return v.tag == NUM_INT ? (double)v.i : v.f;
}

static inline bool num_truth(Number v)
{
    return v.tag == NUM_INT ? v.i != 0 : v.f != 0;
}

/* -1, 0, 1 as a is below, equal to, above b, exactly, also an integer and a double; 2 when one is a
 * NaN. */
int py_compare(Number a, Number b);

/* The sum and the product, in line for inner loops; NUM_NONE when an integer leaves 64 bits. */
static inline Number py_add(Number a, Number b)
{
    int64_t sum;
    if (a.tag == NUM_INT && b.tag == NUM_INT)
        return checked_add(a.i, b.i, &sum) ? num_int(sum) : num_none(ARITH_OVERFLOW);
    return num_float(num_double(a) + num_double(b));
}

static inline Number py_mul(Number a, Number b)
{
    int64_t product;
    if (a.tag == NUM_INT && b.tag == NUM_INT)
        return checked_mul(a.i, b.i, &product) ? num_int(product) : num_none(ARITH_OVERFLOW);
    return num_float(num_double(a) * num_double(b));
}

/* a OP b, for every operator of two operands, of any kinds (but NONE); SC_AND and SC_OR give the
 * operand that decides. A NUM_NONE with the reason where there is no result. */
Number py_binary(ScalarOp op, Number a, Number b);
/* OP a, for every operator of one operand but SC_CAST; SC_INT truncates. NUM_NONE as above. */
Number py_unary(ScalarOp op, Number a);
/* *out = a OP b on integers, for the operators whose result is one: + - * // % ** & | ^ << >> and
 * SC_MIN, SC_MAX. ARITH_TYPE for the others, and for a negative exponent. */
ArithStatus py_int_binary(ScalarOp op, int64_t a, int64_t b, int64_t *out);

#endif
