#include "base/format.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number as the dtype rounds it. */
static double in_dtype(Dtype t, double v)
{
    char element[8];
    dtype_store_double(t, element, v);
    return dtype_load_double(t, element);
}

Decimal format_shortest(Dtype t, double v)
{
    Decimal d = {0};
    char text[40];
    double size = fabs(v);
    bool narrow = dtype_is_float(t) && in_dtype(t, size) == size;
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, size);
        double back = strtod(text, NULL);
        if ((narrow ? in_dtype(t, back) : back) == size)
            break;
    }
    char *e = strchr(text, 'e'), *out = d.digits;
    d.exponent = atoi(e + 1);
    for (const char *c = text; c < e; c++) {
        if (*c != '.')
            *out++ = *c;
    }
    while (out > d.digits + 1 && out[-1] == '0')
        *--out = '\0';
    return d;
}

void format_float(Buf *out, Dtype t, double v)
{
    if (isnan(v) || isinf(v) || v == 0) {
        buf_double(out, v);
        return;
    }
    Decimal d = format_shortest(t, v);
    int n = (int)strlen(d.digits);
    buf_str(out, v < 0 ? "-" : "");
    if (d.exponent < -4 || d.exponent >= 16) {
        buf_printf(out, "%c%s%s", d.digits[0], n > 1 ? "." : "", d.digits + 1);
        buf_printf(out, "e%c%02d", d.exponent < 0 ? '-' : '+', abs(d.exponent));
    } else if (d.exponent < 0) {
        buf_str(out, "0.");
        buf_fill(out, '0', (size_t)(-d.exponent - 1));
        buf_str(out, d.digits);
    } else {
        int whole = n < d.exponent + 1 ? n : d.exponent + 1;
        buf_bytes(out, d.digits, (size_t)whole);
        buf_fill(out, '0', (size_t)(d.exponent + 1 - whole));
        buf_printf(out, ".%s", n > whole ? d.digits + whole : "0");
    }
}
