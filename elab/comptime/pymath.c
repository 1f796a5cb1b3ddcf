/* The module math in compile-time code: a row each in pymath.def. Results are the same bits on
 * every machine: they come from base/math and from correctly rounded operations. */
#include "base/math.h"
#include "elab/comptime/elab.h"
#include <math.h>
#include <string.h>

double elab_round_even(double v)
{
    double down = floor(v), rest = v - down;
    if (!isfinite(v) || rest == 0)
        return v;
    if (rest != 0.5)
        return rest < 0.5 ? down : down + 1;
    return fmod(down, 2) == 0 ? down : down + 1;
}

bool elab_special_float(const char *s, double *out)
{
    const char *word = s + (*s == '-' || *s == '+');
    *out = strcmp(word, "inf") == 0 ? INFINITY : NAN;
    if (*s == '-')
        *out = -*out;
    return strcmp(word, "inf") == 0 || strcmp(word, "nan") == 0;
}

typedef struct {
    Elab *e;
    const char *name;
    const Val *args;
    uint32_t n;
    Span span;
} MathCall;

static Val domain(const MathCall *c)
{
    elab_error(c->e, c->span, "value", "math.%s of %s has no value", c->name,
               val_text(c->e, c->args[0]));
    return val_bad;
}

static double real(const MathCall *c, uint32_t i)
{
    Number n;
    val_number(c->args[i], &n);
    return num_double(n);
}

/* A result that is no number for operands that are is outside the function's domain. */
static Val result(const MathCall *c, double v)
{
    bool finite = true;
    for (uint32_t i = 0; i < c->n; i++)
        finite &= isfinite(real(c, i)) != 0;
    return finite && !isfinite(v) ? domain(c) : val_float(v);
}

/* Exact for powers of two. */
static double log_two(double x)
{
    int exponent;
    double m = frexp(x, &exponent);
    return m == 0.5 ? exponent - 1 : math_log(m) / 0.6931471805599453 + exponent;
}

static double log_ten(double x)
{
    double guess = elab_round_even(math_log(x) / 2.302585092994046);
    return fabs(guess) < 23 && math_pow(10, guess) == x ? guess : math_log(x) / 2.302585092994046;
}

static Val m_log(const MathCall *c)
{
    double x = real(c, 0);
    if (!(x > 0))
        return isnan(x) ? val_float(x) : domain(c);
    if (c->name[3] == '2')
        return val_float(log_two(x));
    if (c->name[3] == '1')
        return val_float(log_ten(x));
    return c->n == 1 ? val_float(math_log(x)) : result(c, math_log(x) / math_log(real(c, 1)));
}

static Val m_real(const MathCall *c)
{
    double x = real(c, 0);
    switch (c->name[0] == 's' ? c->name[1] : c->name[0]) {
    case 'q': return result(c, sqrt(x));
    case 'i': return result(c, math_sin(x));
    case 'e': return result(c, math_exp(x));
    case 'c': return result(c, math_cos(x));
    case 't': return result(c, math_sin(x) / math_cos(x));
    case 'f': return val_float(fabs(x));
    case 'd': return val_float(x * (180.0 / 3.141592653589793));
    default: return val_float(x * (3.141592653589793 / 180.0));
    }
}

static Val m_whole(const MathCall *c)
{
    double x = real(c, 0);
    if (c->args[0].kind != V_FLOAT)
        return val_int(c->args[0].i);
    x = c->name[0] == 'f' ? floor(x) : c->name[0] == 'c' ? ceil(x) : trunc(x);
    return elab_fold_conversion(c->e, SC_INT, val_float(x), c->span);
}

static Val m_two(const MathCall *c)
{
    double x = real(c, 0), y = real(c, 1);
    switch (c->name[0]) {
    case 'p': return result(c, math_pow(x, y));
    case 'f': return result(c, fmod(x, y));
    case 'h': return val_float(sqrt(x * x + y * y));
    default: return val_float(copysign(x, y));
    }
}

static Val m_test(const MathCall *c)
{
    double x = real(c, 0);
    return val_bool(c->name[2] == 'n' ? isnan(x) : c->name[3] == 'n' ? isinf(x) : isfinite(x));
}

static bool integers(const MathCall *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->args[i].kind == V_INT || c->args[i].kind == V_BOOL)
            continue;
        elab_error(c->e, c->span, "type", "math.%s takes integers, got %s", c->name,
                   val_describe(c->e, c->args[i]));
        return false;
    }
    return true;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static uint64_t magnitude(Val v)
{
    return v.i < 0 ? 0 - (uint64_t)v.i : (uint64_t)v.i;
}

static Val too_large(const MathCall *c)
{
    elab_error(c->e, c->span, "value", "the result of math.%s leaves 64 bits", c->name);
    return val_bad;
}

static Val m_gcd(const MathCall *c)
{
    bool lcm = c->name[0] == 'l';
    uint64_t all = lcm;
    if (!integers(c))
        return val_bad;
    for (uint32_t i = 0; i < c->n; i++) {
        uint64_t v = magnitude(c->args[i]), g = gcd(all, v);
        if (lcm && v && __builtin_mul_overflow(all / (g ? g : 1), v, &all))
            return too_large(c);
        all = lcm ? (v ? all : 0) : g;
    }
    return all > INT64_MAX ? too_large(c) : val_int((int64_t)all);
}

static Val m_isqrt(const MathCall *c)
{
    if (!integers(c))
        return val_bad;
    if (c->args[0].i < 0)
        return domain(c);
    int64_t x = c->args[0].i, r = (int64_t)sqrt((double)x);
    while (r > 3037000499 || r * r > x)
        r--;
    while (r < 3037000499 && (r + 1) * (r + 1) <= x)
        r++;
    return val_int(r);
}

static Val m_combinations(const MathCall *c)
{
    int64_t product = 1;
    if (!integers(c))
        return val_bad;
    int64_t n = c->args[0].i, k = c->n > 1 ? c->args[1].i : n;
    if (n < 0 || k < 0)
        return domain(c);
    if (c->n > 1 && k > n)
        return val_int(0);
    bool comb = c->n > 1;
    for (int64_t i = 1; i <= (comb && k > n - k ? n - k : k); i++) {
        if (!checked_mul(product, comb ? n - i + 1 : i, &product))
            return too_large(c);
        product = comb ? product / i : product;
    }
    return val_int(product);
}

static Val m_prod(const MathCall *c)
{
    const Val *items;
    uint32_t n;
    Val all = val_int(1);
    if (!elab_iterate(c->e, c->args[0], c->span, &items, &n))
        return val_bad;
    for (uint32_t i = 0; i < n && all.kind != V_BAD; i++)
        all = elab_fold_binary(c->e, OP_MUL, all, items[i], c->span);
    return all;
}

static const struct {
    const char *name;
    Val (*fold)(const MathCall *c);
    uint32_t min, max;
} functions[] = {
#define PLD_PYMATH(name, fn, min, max, text) {name, fn, min, max},
#include "elab/comptime/pymath.def"
};

static const struct {
    const char *name;
    double value;
} constants[] = {{"pi", 3.141592653589793},
                 {"e", 2.718281828459045},
                 {"tau", 6.283185307179586},
                 {"inf", INFINITY},
                 {"nan", NAN}};

bool elab_math_constant(const char *name, double *out)
{
    for (uint32_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        *out = constants[i].value;
        if (strcmp(constants[i].name, name) == 0)
            return true;
    }
    return false;
}

bool elab_is_math(const char *name)
{
    for (uint32_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return true;
    return false;
}

Val elab_math_unknown(Elab *e, const char *name, Span span)
{
    Buf b = {0};
    for (uint32_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        buf_printf(&b, "%s ", functions[i].name);
    elab_error(e, span, "name", "math has no %s here: it has %spi e tau inf nan", name, b.at);
    buf_free(&b);
    return val_bad;
}

static bool numbers(const MathCall *c)
{
    Number ignored;
    for (uint32_t i = 0; i < c->n; i++) {
        bool list = c->args[i].kind == V_LIST || c->args[i].kind == V_TUPLE;
        if (val_number(c->args[i], &ignored) || (list && i == 0))
            continue;
        if (c->args[i].kind != V_BAD)
            elab_error(c->e, c->span, "type", "math.%s takes numbers known at compile time, got %s",
                       c->name, val_describe(c->e, c->args[i]));
        return false;
    }
    return true;
}

Val elab_math_call(Elab *e, const char *name, const Ast *call)
{
    Args args = {0};
    if (!elab_args(e, call, &args))
        return val_bad;
    Val *v = arena_new_n(e->arena, Val, args.len ? args.len : 1);
    MathCall c = {.e = e, .name = name, .args = v, .n = args.len, .span = call->span};
    for (uint32_t i = 0; i < args.len; i++)
        v[i] = elab_settled(e, args.at[i].val);
    for (uint32_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, name) != 0)
            continue;
        if (c.n >= functions[i].min && c.n <= functions[i].max && !call->call.keywords.len) {
            bool list = functions[i].fold == m_prod;
            bool sequence = c.n && (v[0].kind == V_LIST || v[0].kind == V_TUPLE);
            if (list == sequence)
                return numbers(&c) ? functions[i].fold(&c) : val_bad;
        }
        elab_error(e, call->span, "type", "math.%s takes %u %s", name, functions[i].min,
                   functions[i].fold == m_prod ? "list of numbers" : "or more numbers");
        return val_bad;
    }
    return elab_math_unknown(e, name, call->call.callee->span);
}
