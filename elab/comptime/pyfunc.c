/* Python's functions on values known at compile time: a row each in pyfunc.def. What makes
 * values takes steps, of which there is a limit, so that no text makes the compiler run on. */
#include "elab/comptime/elab.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    Elab *e;
    const char *name;
    const Val *args; /* by position */
    uint32_t n;
    Val key; /* value of the keyword of the row, V_BAD when it is not given */
    Span span;
} PyCall;

static Val fail(const PyCall *c, const char *code, const char *text)
{
    elab_error(c->e, c->span, code, "%s() %s", c->name, text);
    return val_bad;
}

static Val wants(const PyCall *c, const char *what, Val got)
{
    elab_error(c->e, c->span, "type", "%s() takes %s, got %s", c->name, what,
               val_describe(c->e, got));
    return val_bad;
}

/* The items of an argument that is gone through. */
static bool items_of(const PyCall *c, uint32_t i, const Val **items, uint32_t *n)
{
    return elab_iterate(c->e, c->args[i], c->span, items, n);
}

static Val sequence(const PyCall *c, ValKind kind, const Val *items, uint32_t n)
{
    return elab_limit(c->e, val_items(c->e, kind, items, n), c->span);
}

/* ---- numbers */

static Val py_extreme(const PyCall *c)
{
    return elab_fold_extreme(c->e, c->name[1] == 'a', c->args, c->n, c->span);
}

static Val py_abs(const PyCall *c)
{
    return elab_fold_conversion(c->e, SC_ABS, c->args[0], c->span);
}

/* The digits of a string in a base, as int() reads them; -1 where there is none. */
static int digit(char ch)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    char lower = ch >= 'A' && ch <= 'Z' ? (char)(ch - 'A' + 'a') : ch;
    const char *at = lower ? strchr(digits, lower) : NULL;
    return at ? (int)(at - digits) : -1;
}

static bool read_int(const char *s, int64_t base, int64_t *out)
{
    bool minus = *s == '-';
    int64_t v = 0;
    s += *s == '-' || *s == '+';
    for (uint32_t i = 0; s[i] || i == 0; i++)
        if (digit(s[i]) < 0 || digit(s[i]) >= base || !checked_mul(v, base, &v) ||
            !checked_add(v, minus ? -digit(s[i]) : digit(s[i]), &v))
            return false;
    *out = v;
    return true;
}

static Val py_int(const PyCall *c)
{
    int64_t v, base = c->n > 1 && c->args[1].kind == V_INT ? c->args[1].i : 10;
    if (c->n == 0)
        return val_int(0);
    if (c->args[0].kind != V_STR)
        return elab_fold_conversion(c->e, SC_INT, c->args[0], c->span);
    if (base >= 2 && base <= 36 && read_int(c->args[0].s, base, &v))
        return val_int(v);
    return fail(c, "value",
                arena_printf(c->e->arena, "cannot read '%s' as a number of 64 bits", c->args[0].s));
}

static Val py_float(const PyCall *c)
{
    double v;
    char *end;
    if (c->n == 0)
        return val_float(0);
    if (c->args[0].kind != V_STR)
        return elab_fold_conversion(c->e, SC_FLOAT, c->args[0], c->span);
    if (elab_special_float(c->args[0].s, &v))
        return val_float(v);
    v = strtod(c->args[0].s, &end);
    bool good = c->args[0].s[0] && strspn(c->args[0].s, "0123456789+-.eE") == strlen(c->args[0].s);
    return good && !*end ? val_float(v) : fail(c, "value", "cannot read this text as a number");
}

static Val py_bool(const PyCall *c)
{
    return val_bool(c->n && val_truth(c->args[0]));
}

static Val py_divmod(const PyCall *c)
{
    Val two[2] = {elab_fold_binary(c->e, OP_FLOORDIV, c->args[0], c->args[1], c->span), val_bad};
    if (two[0].kind == V_BAD)
        return val_bad;
    two[1] = elab_fold_binary(c->e, OP_MOD, c->args[0], c->args[1], c->span);
    return two[1].kind == V_BAD ? val_bad : sequence(c, V_TUPLE, two, 2);
}

/* Half to even, as in Python; with digits, of the decimal text. */
static Val py_round(const PyCall *c)
{
    Number v;
    int64_t digits = c->n > 1 && c->args[1].kind == V_INT ? c->args[1].i : 0;
    if (!val_number(c->args[0], &v) || (c->n > 1 && c->args[1].kind != V_INT))
        return wants(c, "a number and a count of digits", c->args[0]);
    if (v.tag == NUM_INT && digits >= 0)
        return val_int(v.i);
    if (digits < 0 || digits > 15)
        return fail(c, "value", "takes 0 to 15 digits");
    if (c->n > 1) {
        char text[400];
        snprintf(text, sizeof text, "%.*f", (int)digits, v.f);
        return val_float(strtod(text, NULL));
    }
    return elab_fold_conversion(c->e, SC_INT, val_float(elab_round_even(v.f)), c->span);
}

static Val py_pow(const PyCall *c)
{
    return elab_fold_binary(c->e, OP_POW, c->args[0], c->args[1], c->span);
}

/* ---- text */

static Val py_str(const PyCall *c)
{
    Buf b = {0};
    if (c->n)
        val_print(&b, c->args[0], c->name[0] == 'r');
    Val v = val_str(intern_n(c->e->in, b.at ? b.at : "", b.len));
    buf_free(&b);
    return elab_limit(c->e, v, c->span);
}

/* ---- sequences */

/* In code points. */
static int64_t text_length(const char *s)
{
    int64_t n = 0;
    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static Val py_len(const PyCall *c)
{
    Val v = c->args[0];
    if (v.kind == V_TUPLE || v.kind == V_LIST)
        return val_int(v.n);
    if (v.kind == V_DICT)
        return val_int(v.n / 2);
    if (v.kind == V_STR)
        return val_int(text_length(v.s));
    return wants(c, "a list, a tuple, a dict or a string", v);
}

static Val py_range(const PyCall *c)
{
    int64_t lo = 0, step = 1, n;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->args[i].kind != V_INT && c->args[i].kind != V_BOOL)
            return wants(c, "integers known at compile time", c->args[i]);
    if (c->n > 1)
        lo = c->args[0].i;
    if (c->n > 2)
        step = c->args[2].i;
    if (step == 0)
        return fail(c, "value", "has a step that is not 0");
    Number ends[2] = {num_int(c->args[c->n > 1].i), num_int(lo)};
    Number gap = py_binary(SC_SUB, ends[step < 0], ends[step > 0]);
    /* From the first to the last, both counted. */
    uint64_t by = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
    if (gap.tag == NUM_INT && gap.i <= 0)
        return sequence(c, V_LIST, NULL, 0);
    uint64_t count = gap.tag == NUM_INT ? ((uint64_t)gap.i - 1) / by + 1 : UINT64_MAX;
    if (count > ELAB_MAX_ITEMS)
        return fail(
            c, "value",
            arena_printf(c->e->arena, "of more than %d items at compile time", ELAB_MAX_ITEMS));
    n = (int64_t)count;
    Val *items = arena_new_n(c->e->arena, Val, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        items[i] = val_int((int64_t)((uint64_t)lo + (uint64_t)i * (uint64_t)step));
    return sequence(c, V_LIST, items, (uint32_t)n);
}

static Val py_list(const PyCall *c)
{
    const Val *items = NULL;
    uint32_t n = 0;
    if (c->n && !items_of(c, 0, &items, &n))
        return val_bad;
    return sequence(c, c->name[0] == 't' ? V_TUPLE : V_LIST, items, n);
}

static Val py_sum(const PyCall *c)
{
    const Val *items;
    uint32_t n;
    Val sum = c->n > 1 ? c->args[1] : c->key.kind != V_BAD ? c->key : val_int(0);
    if (!items_of(c, 0, &items, &n))
        return val_bad;
    for (uint32_t i = 0; i < n && sum.kind != V_BAD; i++)
        sum = elab_fold_binary(c->e, OP_ADD, sum, items[i], c->span);
    return sum;
}

static Val py_any(const PyCall *c)
{
    const Val *items;
    uint32_t n;
    bool all = c->name[1] == 'l';
    if (!items_of(c, 0, &items, &n))
        return val_bad;
    for (uint32_t i = 0; i < n; i++)
        if (val_truth(items[i]) != all)
            return val_bool(!all);
    return val_bool(all);
}

static Val py_enumerate(const PyCall *c)
{
    const Val *items;
    uint32_t n;
    Val from = c->n > 1 ? c->args[1] : c->key.kind != V_BAD ? c->key : val_int(0);
    if (from.kind != V_INT)
        return wants(c, "an integer start=", from);
    if (!items_of(c, 0, &items, &n))
        return val_bad;
    Val *pairs = arena_new_n(c->e->arena, Val, n ? n : 1);
    for (uint32_t i = 0; i < n; i++) {
        Val two[2] = {elab_fold_binary(c->e, OP_ADD, from, val_int(i), c->span), items[i]};
        if (two[0].kind == V_BAD)
            return val_bad;
        pairs[i] = val_items(c->e, V_TUPLE, two, 2);
    }
    return sequence(c, V_LIST, pairs, n);
}

static Val py_zip(const PyCall *c)
{
    const Val **items = arena_new_n(c->e->arena, const Val *, c->n + 1);
    uint32_t least = c->n ? UINT32_MAX : 0;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t n;
        if (!items_of(c, i, &items[i], &n))
            return val_bad;
        least = n < least ? n : least;
    }
    Val *rows = arena_new_n(c->e->arena, Val, least ? least : 1);
    Val *row = arena_new_n(c->e->arena, Val, c->n + 1);
    for (uint32_t k = 0; k < least; k++) {
        for (uint32_t i = 0; i < c->n; i++)
            row[i] = items[i][k];
        rows[k] = val_items(c->e, V_TUPLE, row, c->n);
    }
    return sequence(c, V_LIST, rows, least);
}

static Val py_reversed(const PyCall *c)
{
    const Val *items;
    uint32_t n;
    if (!items_of(c, 0, &items, &n))
        return val_bad;
    Val *out = arena_new_n(c->e->arena, Val, n ? n : 1);
    for (uint32_t i = 0; i < n; i++)
        out[i] = items[n - 1 - i];
    return sequence(c, V_LIST, out, n);
}

/* Merges the first `na` of `n` items with the others, both sorted; equal items stay in their order.
 * false: items without an order. */
static bool merge(const PyCall *c, const Val *a, uint32_t na, uint32_t n, bool down, Val *out)
{
    const Val *b = a + na;
    uint32_t i = 0, k = 0, nb = n - na;
    while (i < na || k < nb) {
        int order = i < na && k < nb ? elab_order(a[i], b[k]) : 0;
        if (order == -2) {
            elab_error(c->e, c->span, "type", "sorted() cannot compare %s and %s",
                       val_describe(c->e, a[i]), val_describe(c->e, b[k]));
            return false;
        }
        bool right = k < nb && (i == na || (down ? order == -1 : order == 1));
        out[i + k] = right ? b[k] : a[i];
        right ? k++ : i++;
    }
    return true;
}

static bool sort(const PyCall *c, Val *at, uint32_t n, bool down, Val *room)
{
    uint32_t half = n / 2;
    if (n < 2)
        return true;
    if (!sort(c, at, half, down, room) || !sort(c, at + half, n - half, down, room) ||
        !merge(c, at, half, n, down, room))
        return false;
    memcpy(at, room, n * sizeof *at);
    return true;
}

static Val py_sorted(const PyCall *c)
{
    const Val *items;
    uint32_t n;
    if (!items_of(c, 0, &items, &n))
        return val_bad;
    Val *out = arena_new_n(c->e->arena, Val, n + 1), *room = arena_new_n(c->e->arena, Val, n + 1);
    if (n)
        memcpy(out, items, n * sizeof *out);
    if (!sort(c, out, n, c->key.kind != V_BAD && val_truth(c->key), room))
        return val_bad;
    return sequence(c, V_LIST, out, n);
}

static Val py_dict(const PyCall *c)
{
    const Val *items = NULL;
    uint32_t n = 0;
    if (c->n && c->args[0].kind == V_DICT)
        return c->args[0];
    if (c->n && !items_of(c, 0, &items, &n))
        return val_bad;
    Val d = val_items(c->e, V_DICT, NULL, 0);
    for (uint32_t i = 0; i < n && d.kind != V_BAD; i++) {
        if ((items[i].kind != V_TUPLE && items[i].kind != V_LIST) || items[i].n != 2)
            return wants(c, "pairs of key and value", items[i]);
        d = elab_dict_with(c->e, d, items[i].items[0], items[i].items[1], c->span);
    }
    return d;
}

/* ---- the table */

typedef struct {
    const char *name;
    Val (*fold)(const PyCall *c);
    uint32_t min, max; /* arguments by position */
    const char *key;   /* the keyword it takes, or "" */
    const char *run_time;
} Function;

static const Function functions[] = {
#define PLD_PYFUNC(name, fn, min, max, key, run_time, text) {name, fn, min, max, key, run_time},
#include "elab/comptime/pyfunc.def"
};

enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

static const Function *find(const char *name)
{
    for (uint32_t i = 0; i < N_FUNCTIONS; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

bool elab_is_builtin(const char *name)
{
    return find(name) != NULL;
}

const char *elab_builtin_run_time(const char *name)
{
    const Function *f = find(name);
    return f ? f->run_time : "";
}

static bool take_keyword(PyCall *c, const Function *f, const Arg *a)
{
    if (!f->key[0] || strcmp(f->key, a->name) != 0) {
        elab_error(c->e, a->name_span, "name", "%s() has no keyword %s=%s%s%s", f->name, a->name,
                   f->key[0] ? ": it takes " : "", f->key, f->key[0] ? "=" : "");
        return false;
    }
    c->key = a->val;
    return true;
}

Val elab_builtin(Elab *e, const char *name, const Args *args, Span span)
{
    const Function *f = find(name);
    Val *v = arena_new_n(e->arena, Val, args->len ? args->len : 1);
    PyCall c = {.e = e, .name = name, .args = v, .span = span};
    for (uint32_t i = 0; i < args->len; i++) {
        const Arg *a = &args->at[i];
        if (a->val.kind == V_BAD || (a->name && !take_keyword(&c, f, a)))
            return val_bad;
        if (!a->name)
            v[c.n++] = a->val;
    }
    if (c.n >= f->min && c.n <= f->max)
        return f->fold(&c);
    elab_error(e, span, "type", "%s() takes %s%u%s%s argument%s, got %u", name,
               f->min == f->max ? "" : "from ", f->min, f->min == f->max ? "" : " to ",
               f->min == f->max ? "" : arena_printf(e->arena, "%u", f->max), f->max == 1 ? "" : "s",
               c.n);
    return val_bad;
}

Val elab_fold_call(Elab *e, Sym name, const Val *values, uint32_t n, Span span)
{
    Args args = {0};
    for (uint32_t i = 0; i < n; i++)
        avec_push(e->arena, &args, (Arg){.val = values[i], .span = span});
    return elab_builtin(e, name, &args, span);
}
