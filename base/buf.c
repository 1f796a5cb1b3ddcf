#include "base/buf.h"
#include "base/arena.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `more` bytes and a NUL. */
static void reserve(Buf *buf, size_t more)
{
    size_t need;
    if (__builtin_add_overflow(buf->len, more, &need) || need > SIZE_MAX / 4)
        need = SIZE_MAX / 4; /* more than any machine has: xrealloc reports it */
    if (need < buf->cap)
        return;
    size_t cap = buf->cap ? buf->cap : 64;
    while (cap <= need)
        cap *= 2;
    buf->at = xrealloc(buf->at, cap);
    buf->cap = cap;
}

void buf_bytes(Buf *buf, const void *bytes, size_t len)
{
    reserve(buf, len);
    if (len)
        memcpy(buf->at + buf->len, bytes, len);
    buf->len += len;
    buf->at[buf->len] = '\0';
}

char *buf_room(Buf *buf, size_t more)
{
    reserve(buf, more);
    return buf->at + buf->len;
}

void buf_str(Buf *buf, const char *text)
{
    buf_bytes(buf, text, strlen(text));
}

void buf_char(Buf *buf, char c)
{
    buf_bytes(buf, &c, 1);
}

void buf_fill(Buf *buf, char c, size_t count)
{
    reserve(buf, count);
    memset(buf->at + buf->len, c, count);
    buf->len += count;
    buf->at[buf->len] = '\0';
}

void buf_vprintf(Buf *buf, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    reserve(buf, 128);
    size_t room = buf->cap - buf->len;
    int len = vsnprintf(buf->at + buf->len, room, fmt, ap);
    if (len >= 0 && (size_t)len >= room) {
        reserve(buf, (size_t)len);
        vsnprintf(buf->at + buf->len, (size_t)len + 1, fmt, again);
    }
    va_end(again);
    if (len > 0)
        buf->len += (size_t)len;
    buf->at[buf->len] = '\0';
}

void buf_printf(Buf *buf, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(buf, fmt, ap);
    va_end(ap);
}

static void put_le(Buf *buf, uint64_t v, int bytes)
{
    char le[8];
    for (int i = 0; i < bytes; i++)
        le[i] = (char)(v >> 8 * i & 0xff);
    buf_bytes(buf, le, (size_t)bytes);
}

void buf_u8(Buf *buf, uint8_t v)
{
    put_le(buf, v, 1);
}

void buf_u16(Buf *buf, uint16_t v)
{
    put_le(buf, v, 2);
}

void buf_u32(Buf *buf, uint32_t v)
{
    put_le(buf, v, 4);
}

void buf_u64(Buf *buf, uint64_t v)
{
    put_le(buf, v, 8);
}

/* Adds one to the last digit of a mantissa "d.ddde-x"; 9.99 is left wrong, no candidate then. */
static void next_decimal(char *text)
{
    char *p = strchr(text, 'e') - 1;
    for (; p > text && (*p == '9' || *p == '.'); p--)
        if (*p == '9')
            *p = '0';
    if (*p != '9')
        ++*p;
}

/* Prints `v` with so many digits; true when the text reads back as `v`. The decimal nearest to a
 * power of two may lie in the narrower half of its interval and fail, the next one up be good. */
static bool try_digits(double v, int precision, char text[32])
{
    snprintf(text, 32, "%.*e", precision - 1, v);
    if (strtod(text, NULL) == v)
        return true;
    int exponent;
    if (frexp(v, &exponent) != 0.5)
        return false;
    next_decimal(text);
    return strtod(text, NULL) == v;
}

/* Shortest significant digits of a positive finite `v`: fills `digits`, returns the exponent of the
 * first one. Any decimal of 15 digits survives a double of normal size, so the search starts there
 * and drops zeros; below that, precision fades and it starts at one digit. */
static int shortest_digits(double v, char digits[20])
{
    char text[32];
    int precision = v < DBL_MIN ? 1 : 15;
    while (!try_digits(v, precision, text))
        precision++; /* 17 digits always do */

    int n = 0;
    const char *p = text;
    for (; *p != 'e'; p++)
        if (*p != '.')
            digits[n++] = *p;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    digits[n] = '\0';
    return atoi(p + 1);
}

void buf_double(Buf *buf, double v)
{
    if (isnan(v)) {
        buf_str(buf, "nan");
        return;
    }
    if (signbit(v))
        buf_char(buf, '-');
    v = fabs(v);
    if (isinf(v) || v == 0) {
        buf_str(buf, v == 0 ? "0.0" : "inf");
        return;
    }
    char digits[20];
    int exponent = shortest_digits(v, digits);
    int n = (int)strlen(digits);
    if (exponent < -4 || exponent >= 16) {
        buf_printf(buf, "%c%s%s", digits[0], n > 1 ? "." : "", digits + 1);
        buf_printf(buf, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
    } else if (exponent < 0) {
        buf_str(buf, "0.");
        buf_fill(buf, '0', (size_t)(-exponent - 1));
        buf_str(buf, digits);
    } else {
        int whole = n < exponent + 1 ? n : exponent + 1;
        buf_bytes(buf, digits, (size_t)whole);
        buf_fill(buf, '0', (size_t)(exponent + 1 - whole));
        buf_printf(buf, ".%s", n > whole ? digits + whole : "0");
    }
}

void buf_clear(Buf *buf)
{
    buf->len = 0;
    if (buf->at)
        buf->at[0] = '\0';
}

void buf_free(Buf *buf)
{
    xfree(buf->at);
    *buf = (Buf){0};
}
