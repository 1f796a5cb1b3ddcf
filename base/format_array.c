/* Arrays as NumPy's array2string lays them out (its defaults: precision 8, threshold 1000, edge
 * items 3, line width 75, floating-point mode maxprec). All elements share one format, chosen from
 * those that are shown. */
#include "base/format.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PRECISION = 8, THRESHOLD = 1000, EDGE = 3, WIDTH = 75, WORD = 360 };

typedef struct {
    const ArrayView *view;
    bool summary;
    /* of the elements shown */
    double largest, smallest; /* of the sizes of finite ones that are not 0; 0: none */
    bool any_special, any_minus_infinity;
    /* the format: integers right-aligned to `left`; floats with the point at one place */
    bool scientific;
    int left, right, precision, exponent_digits;
    Buf *out;
    Buf line;                             /* not yet in `out` */
    void (*shown)(void *env, int64_t at); /* of format_array_shown */
    void *shown_env;
} ArrayLayout;

static bool elided(const ArrayLayout *l, uint32_t axis)
{
    return l->summary && l->view->shape[axis] > 2 * EDGE;
}

/* `at`: bytes from the view's first element. */
typedef void Visit(ArrayLayout *l, int64_t at);

static const char *element(const ArrayView *v, int64_t at)
{
    return v->look ? v->look(v->env, v->first + at) : v->at + v->first + at;
}

/* Every element that is shown. */
static void each_shown(ArrayLayout *l, uint32_t axis, int64_t at, Visit *visit)
{
    if (axis == l->view->rank || axis == FORMAT_MAX_RANK) {
        visit(l, at);
        return;
    }
    int64_t n = l->view->shape[axis];
    for (int64_t i = 0; i < n; i++) {
        if (i == EDGE && elided(l, axis))
            i = n - EDGE;
        each_shown(l, axis + 1, at + i * l->view->stride[axis], visit);
    }
}

/* ---- floats ---- */

/* Trailing zeros of the fraction go, the point stays. */
static void trim_zeros(char *text)
{
    char *end = text + strlen(text);
    while (end[-1] == '0')
        *--end = '\0';
}

/* "-12.5", "3.": at most 8 digits after the point */
static void positional(Dtype t, double v, char *text)
{
    if (v == 0) {
        strcpy(text, signbit(v) ? "-0." : "0.");
        return;
    }
    Decimal d = format_shortest(t, v);
    int digits = (int)strlen(d.digits), fraction = digits - 1 - d.exponent;
    if (fraction > PRECISION)
        fraction = PRECISION;
    if (fraction > 0) {
        snprintf(text, WORD, "%.*f", fraction, v);
        trim_zeros(text);
        return;
    }
    int n = snprintf(text, WORD, "%s%s", v < 0 ? "-" : "", d.digits);
    for (; fraction < 0; fraction++) /* its digits, then zeros: not all that the double has */
        text[n++] = '0';
    strcpy(text + n, ".");
}

/* "-1.25e-05", "3.e+10": at most 8 digits after the point; returns the place of the e. */
static char *scientific(Dtype t, double v, char *text)
{
    Decimal d = {.digits = "0"};
    if (v != 0)
        d = format_shortest(t, v);
    int digits = (int)strlen(d.digits) - 1;
    snprintf(text, WORD, "%.*e", digits > PRECISION ? PRECISION : digits, v);
    char exponent[16], *e = strchr(text, 'e');
    snprintf(exponent, sizeof exponent, "%s", e);
    *e = '\0';
    if (digits == 0)
        strcpy(e, ".");
    else
        trim_zeros(text);
    e = text + strlen(text);
    strcpy(e, exponent);
    return e;
}

static int longer(int a, size_t b)
{
    return a > (int)b ? a : (int)b;
}

static void note_size(ArrayLayout *l, int64_t at)
{
    double v = dtype_load_double(l->view->dtype, element(l->view, at)), size = fabs(v);
    if (!isfinite(v)) {
        l->any_special = true;
        l->any_minus_infinity |= v < 0;
    } else if (v != 0) {
        l->largest = fmax(l->largest, size);
        l->smallest = l->smallest == 0 ? size : fmin(l->smallest, size);
    }
}

static void note_width(ArrayLayout *l, int64_t at)
{
    char text[WORD];
    double v = dtype_load_double(l->view->dtype, element(l->view, at));
    if (!isfinite(v))
        return;
    if (l->scientific) {
        char *e = scientific(l->view->dtype, v, text);
        l->exponent_digits = longer(l->exponent_digits, strlen(e) - 2);
        *e = '\0';
    } else {
        positional(l->view->dtype, v, text);
    }
    char *point = strchr(text, '.');
    l->left = longer(l->left, (size_t)(point - text));
    l->precision = longer(l->precision, strlen(point + 1));
}

/* A number in the array's dtype: NumPy compares there. */
static double in_dtype(Dtype t, double v)
{
    char element[8];
    dtype_store_double(t, element, v);
    return dtype_load_double(t, element);
}

static void choose_float_format(ArrayLayout *l)
{
    Dtype t = l->view->dtype;
    each_shown(l, 0, 0, note_size);
    l->scientific =
        l->largest != 0 && (l->largest >= in_dtype(t, 1e8) || l->smallest < in_dtype(t, 0.0001) ||
                            in_dtype(t, l->largest / l->smallest) > 1000);
    each_shown(l, 0, 0, note_width);
    l->right = l->precision + (l->scientific ? 2 + l->exponent_digits : 0);
    if (l->any_special) {
        int room = 3 - (l->right + 1);
        l->left = l->left > room + l->any_minus_infinity ? l->left : room + l->any_minus_infinity;
    }
}

static void special_word(const ArrayLayout *l, double v, Buf *word)
{
    const char *text = isnan(v) ? "nan" : v < 0 ? "-inf" : "inf";
    int width = l->left + l->right + 1;
    buf_printf(word, "%*s", width, text);
}

static void float_word(const ArrayLayout *l, double v, Buf *word)
{
    char text[WORD];
    if (!isfinite(v)) {
        special_word(l, v, word);
        return;
    }
    char *e = l->scientific ? scientific(l->view->dtype, v, text) : NULL;
    if (!e)
        positional(l->view->dtype, v, text);
    char *point = strchr(text, '.');
    int fraction = (int)((e ? e : text + strlen(text)) - point - 1);
    buf_fill(word, ' ', (size_t)(l->left - (point - text)));
    if (e) {
        buf_bytes(word, text, (size_t)(e - text));
        buf_fill(word, '0', (size_t)(l->precision - fraction));
        buf_bytes(word, e, 2);
        buf_fill(word, '0', (size_t)l->exponent_digits - strlen(e + 2));
        buf_str(word, e + 2);
    } else {
        buf_str(word, text);
        buf_fill(word, ' ', (size_t)(l->right - fraction));
    }
}

/* ---- integers and BOOL ---- */

static void note_integer(ArrayLayout *l, int64_t at)
{
    char text[WORD];
    int64_t v = dtype_load_int(l->view->dtype, element(l->view, at));
    int n = snprintf(text, sizeof text, "%lld", (long long)v);
    l->left = l->left > n ? l->left : n;
}

static void put_word(const ArrayLayout *l, const char *at, Buf *word)
{
    Dtype t = l->view->dtype;
    if (dtype_is_float(t))
        float_word(l, dtype_load_double(t, at), word);
    else if (t == DT_BOOL)
        buf_printf(word, "%5s", dtype_load_int(t, at) ? "True" : "False");
    else
        buf_printf(word, "%*lld", l->left, (long long)dtype_load_int(t, at));
}

/* ---- rows ---- */

static void end_line(ArrayLayout *l)
{
    while (l->line.len && l->line.at[l->line.len - 1] == ' ')
        l->line.len--;
    buf_bytes(l->out, l->line.at, l->line.len);
    buf_char(l->out, '\n');
    buf_clear(&l->line);
}

/* Appends a word to a row's line, or begins a new line when it does not fit. */
static void extend_line(ArrayLayout *l, const Buf *word, uint32_t axis)
{
    size_t indent = axis + 1, width = WIDTH - axis - 1;
    if (l->line.len + word->len > width && l->line.len > indent) {
        end_line(l);
        buf_fill(&l->line, ' ', indent);
    }
    buf_bytes(&l->line, word->at, word->len);
}

static void put_row(ArrayLayout *l, uint32_t axis, int64_t at)
{
    Buf word = {0};
    int64_t n = l->view->shape[axis];
    for (int64_t i = 0; i < n; i++) {
        buf_clear(&word);
        if (i == EDGE && elided(l, axis)) {
            buf_str(&word, "...");
            i = n - EDGE - 1;
        } else {
            put_word(l, element(l->view, at + i * l->view->stride[axis]), &word);
        }
        extend_line(l, &word, axis);
        if (i + 1 < n)
            buf_char(&l->line, ' ');
    }
    buf_free(&word);
}

static void put_axis(ArrayLayout *l, uint32_t axis, int64_t at);

/* Rows, or matrices of rows, below each other. */
static void put_rows(ArrayLayout *l, uint32_t axis, int64_t at)
{
    int64_t n = l->view->shape[axis];
    for (int64_t i = 0; i < n; i++) {
        if (i > 0) {
            buf_bytes(l->out, l->line.at, l->line.len);
            buf_clear(&l->line);
            buf_fill(l->out, '\n', l->view->rank - axis - 1);
            buf_fill(&l->line, ' ', axis + 1);
        }
        if (i == EDGE && elided(l, axis)) {
            buf_str(&l->line, "...");
            i = n - EDGE - 1;
        } else {
            put_axis(l, axis + 1, at + i * l->view->stride[axis]);
        }
    }
}

static void put_axis(ArrayLayout *l, uint32_t axis, int64_t at)
{
    buf_char(&l->line, '[');
    if (axis + 1 == l->view->rank)
        put_row(l, axis, at);
    else
        put_rows(l, axis, at);
    buf_char(&l->line, ']');
}

static void put_scalar(const ArrayView *view, Buf *out)
{
    if (dtype_is_float(view->dtype))
        format_float(out, view->dtype, dtype_load_double(view->dtype, element(view, 0)));
    else if (view->dtype == DT_BOOL)
        buf_str(out, dtype_load_int(view->dtype, element(view, 0)) ? "True" : "False");
    else
        buf_printf(out, "%lld", (long long)dtype_load_int(view->dtype, element(view, 0)));
}

static int64_t count(const ArrayView *view)
{
    int64_t elements = 1;
    for (uint32_t i = 0; i < view->rank; i++)
        elements *= view->shape[i];
    return elements;
}

static void tell(ArrayLayout *l, int64_t at)
{
    l->shown(l->shown_env, l->view->first + at);
}

void format_array_shown(const ArrayView *view, void (*each)(void *env, int64_t at), void *env)
{
    ArrayLayout l = {.view = view, .shown = each, .shown_env = env};
    l.summary = count(view) > THRESHOLD;
    each_shown(&l, 0, 0, tell);
}

void format_array(Buf *out, const ArrayView *view)
{
    ArrayLayout l = {.view = view, .out = out};
    int64_t elements = count(view);
    if (view->rank == 0) {
        put_scalar(view, out);
        return;
    }
    if (elements == 0) {
        buf_str(out, "[]");
        return;
    }
    l.summary = elements > THRESHOLD;
    if (dtype_is_float(view->dtype))
        choose_float_format(&l);
    else
        each_shown(&l, 0, 0, note_integer);
    put_axis(&l, 0, 0);
    buf_bytes(out, l.line.at, l.line.len);
    buf_free(&l.line);
}
