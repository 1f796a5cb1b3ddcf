/* f-strings of compile-time code. */
#include "elab/comptime/elab.h"
#include <math.h>
#include <string.h>

/* Python's format specification, as far as numbers and texts of messages want it:
 * [[fill]align][sign][0][width][.digits][type] */
typedef struct {
    char align, sign, type;
    char fill;
    uint32_t width;
    int digits; /* -1: unsaid */
} Spec;

static bool read_count(const char **s, uint32_t most, uint32_t *out)
{
    *out = 0;
    while (**s >= '0' && **s <= '9' && *out <= most)
        *out = *out * 10 + (uint32_t)(*(*s)++ - '0');
    return *out <= most;
}

static bool read_spec(const char *s, Spec *out)
{
    uint32_t digits = 0;
    *out = (Spec){.fill = ' ', .digits = -1};
    if (s[0] && strchr("<>^", s[1]) && s[1]) {
        out->fill = *s++;
        out->align = *s++;
    } else if (*s && strchr("<>^", *s)) {
        out->align = *s++;
    }
    if (*s == '+')
        out->sign = *s++;
    if (*s == '0' && !out->align) {
        out->fill = '0';
        out->align = '=';
    }
    if (!read_count(&s, 200, &out->width))
        return false;
    if (*s == '.') {
        s++;
        if (!read_count(&s, 50, &digits))
            return false;
        out->digits = (int)digits;
    }
    out->type = *s ? *s++ : '\0';
    return !*s;
}

static void print_binary(Buf *out, uint64_t v)
{
    int top = 63;
    while (top > 0 && !(v >> top & 1))
        top--;
    for (; top >= 0; top--)
        buf_char(out, v >> top & 1 ? '1' : '0');
}

/* The magnitude, or the text; false: the type does not fit the value. */
static bool print_body(Buf *out, Val v, const Spec *s)
{
    uint64_t n = v.kind == V_INT && v.i < 0 ? 0 - (uint64_t)v.i : (uint64_t)v.i;
    double x = v.kind == V_FLOAT ? fabs(v.f) : (double)n;
    int digits = s->digits < 0 ? 6 : s->digits;
    bool number = v.kind == V_INT || v.kind == V_FLOAT;
    switch (s->type) {
    case 'd': buf_printf(out, "%llu", (unsigned long long)n); return v.kind == V_INT;
    case 'x': buf_printf(out, "%llx", (unsigned long long)n); return v.kind == V_INT;
    case 'X': buf_printf(out, "%llX", (unsigned long long)n); return v.kind == V_INT;
    case 'o': buf_printf(out, "%llo", (unsigned long long)n); return v.kind == V_INT;
    case 'b': print_binary(out, n); return v.kind == V_INT;
    case 'f': buf_printf(out, "%.*f", digits, x); return number;
    case 'e': buf_printf(out, "%.*e", digits, x); return number;
    case 'g': buf_printf(out, "%.*g", digits, x); return number;
    case '%': buf_printf(out, "%.*f%%", digits, x * 100); return number;
    case 's':
    case '\0':
        if (v.kind == V_INT)
            buf_printf(out, "%llu", (unsigned long long)n);
        else if (v.kind == V_FLOAT && s->digits >= 0)
            buf_printf(out, "%.*g", s->digits, x);
        else
            val_print(out, v.kind == V_FLOAT ? val_float(x) : v, false);
        return s->type != 's' || !number;
    default: return false;
    }
}

static void print_spec(Elab *e, Buf *out, Val v, Sym text, Span span)
{
    Spec s;
    Buf body = {0};
    bool number = v.kind == V_INT || v.kind == V_FLOAT;
    bool minus = number && (v.kind == V_INT ? v.i < 0 : signbit(v.f));
    bool good = read_spec(text, &s) && print_body(&body, v, &s);
    const char *sign = minus ? "-" : number && good && s.sign ? "+" : "";
    if (!good) {
        elab_error(e, span, "value",
                   "the format ':%s' is not available for %s: write {x}, {x!r}, {x=}, {x:04d}, "
                   "{x:x}, {x:>8} or {x:.3f}",
                   text, val_describe(e, v));
    } else {
        uint32_t len = (uint32_t)(body.len + strlen(sign));
        uint32_t room = s.width > len ? s.width - len : 0;
        uint32_t left = s.align == '<' || (!s.align && !number) ? 0
                        : s.align == '^'                        ? room / 2
                                                                : room;
        buf_str(out, s.align == '=' ? sign : "");
        for (uint32_t i = 0; i < left; i++)
            buf_char(out, s.fill);
        buf_str(out, s.align == '=' ? "" : sign);
        buf_bytes(out, body.at ? body.at : "", body.len);
        for (uint32_t i = left; i < room; i++)
            buf_char(out, s.fill);
    }
    buf_free(&body);
}

static bool print_part(Elab *e, Buf *out, const AstFPart *part)
{
    if (!part->expr) {
        buf_str(out, part->text);
        return true;
    }
    Val v = elab_eval(e, part->expr);
    if (v.kind == V_BAD)
        return false;
    if (!val_all_known(v)) {
        elab_error(e, part->expr->span, "value",
                   "a message is made at compile time, this is a run-time value");
        return false;
    }
    if (part->debug) {
        ast_print_expr(out, part->expr);
        buf_char(out, '=');
    }
    bool repr = part->conversion ? part->conversion != 's' : part->debug && !part->spec;
    if (part->spec && part->spec[0])
        print_spec(e, out, v, part->spec, part->expr->span);
    else
        val_print(out, v, repr);
    return true;
}

const char *elab_fstring(Elab *e, const Ast *a)
{
    Buf out = {0};
    bool ok = true;
    for (uint32_t i = 0; i < a->fstring.len && ok; i++)
        ok = print_part(e, &out, &a->fstring.at[i]);
    const char *text = ok ? arena_strndup(e->arena, out.at ? out.at : "", out.len) : NULL;
    buf_free(&out);
    return text;
}
