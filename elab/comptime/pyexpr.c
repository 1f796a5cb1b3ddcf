/* Expressions that only compile-time code has: comprehensions, dicts, f-strings, slices of
 * sequences, methods, and calls of helper functions. */
#include "elab/comptime/elab.h"
#include <string.h>

bool elab_step(Elab *e, uint64_t n, Span span)
{
    e->steps += n;
    if (e->steps <= ELAB_MAX_STEPS)
        return true;
    if (e->steps_reported)
        return false;
    e->steps_reported = true;
    elab_error(e, span, "value", "compile-time code that takes more than %d steps", ELAB_MAX_STEPS);
    return false;
}

bool elab_iterate(Elab *e, Val v, Span span, const Val **items, uint32_t *n)
{
    if (v.kind == V_TUPLE || v.kind == V_LIST) {
        *items = v.items;
        *n = v.n;
        return elab_step(e, v.n, span);
    }
    if (v.kind == V_DICT || v.kind == V_STR) {
        uint32_t most = v.kind == V_DICT ? v.n / 2 : (uint32_t)strlen(v.s);
        Val *out = arena_new_n(e->arena, Val, most ? most : 1);
        *n = 0;
        for (uint32_t i = 0, code; i < most && v.kind == V_STR; i += code) {
            uint32_t ignored;
            code = utf8_decode(v.s + i, most - i, &ignored);
            out[(*n)++] = val_str(intern_n(e->in, v.s + i, code));
        }
        for (uint32_t i = 0; i < most && v.kind == V_DICT; i++)
            out[(*n)++] = v.items[2 * i];
        *items = out;
        return elab_step(e, most, span);
    }
    if (v.kind != V_BAD)
        elab_error(e, span, "type", "%s cannot be gone through: a list, a tuple or a range can",
                   val_describe(e, v));
    return false;
}

/* ---- dicts: keys and values in turn, in the order of insertion */

static int64_t find_key(Val d, Val key)
{
    for (uint32_t i = 0; i < d.n; i += 2)
        if (val_equal(d.items[i], key))
            return i;
    return -1;
}

const Val *elab_dict_get(Elab *e, Val d, Val key, Span span)
{
    int64_t at = elab_step(e, d.n / 2, span) ? find_key(d, key) : -1;
    return at < 0 ? NULL : &d.items[at + 1];
}

static bool can_be_key(Elab *e, Val key, Span span)
{
    bool good = key.kind != V_LIST && key.kind != V_DICT && val_all_known(key);
    if (!good && key.kind != V_BAD)
        elab_error(e, span, "type", "%s cannot be the key of a dict", val_describe(e, key));
    return good;
}

Val elab_dict_with(Elab *e, Val d, Val key, Val value, Span span)
{
    if (!can_be_key(e, key, span) || !elab_step(e, d.n, span))
        return val_bad;
    int64_t at = find_key(d, key);
    Val *items = arena_new_n(e->arena, Val, d.n + 2);
    if (d.n)
        memcpy(items, d.items, d.n * sizeof *items);
    if (at < 0) {
        items[d.n] = key;
        items[d.n + 1] = value;
    } else {
        items[at + 1] = value;
    }
    return elab_limit(e, val_items(e, V_DICT, items, d.n + (at < 0 ? 2 : 0)), span);
}

Val elab_dict(Elab *e, const Ast *a)
{
    Val d = val_items(e, V_DICT, NULL, 0);
    for (uint32_t i = 0; i < a->dict.keys.len && d.kind != V_BAD; i++) {
        if (!a->dict.keys.at[i]) {
            elab_error(e, a->dict.values.at[i]->span, "syntax", "a dict has no ** here");
            return val_bad;
        }
        Val key = elab_eval(e, a->dict.keys.at[i]), value = elab_eval(e, a->dict.values.at[i]);
        if (key.kind == V_BAD || value.kind == V_BAD)
            return val_bad;
        d = elab_dict_with(e, d, key, value, a->dict.keys.at[i]->span);
    }
    return d;
}

/* ---- comprehensions */

typedef struct {
    Elab *e;
    const Ast *a;
    VEC(Val) out; /* key and value in turn for a dict */
    uint32_t errors;
} Gather;

static bool gather(Gather *g, uint32_t clause);

static bool gather_one(Gather *g)
{
    Elab *e = g->e;
    Val key = g->a->kind == AST_DICTCOMP ? elab_eval(e, g->a->gen.key) : val_none;
    Val v = elab_eval(e, g->a->gen.element);
    if (key.kind == V_BAD || v.kind == V_BAD)
        return false;
    if (g->a->kind == AST_DICTCOMP)
        avec_push(e->arena, &g->out, key);
    avec_push(e->arena, &g->out, v);
    return true;
}

/* The value of a condition that must be known now. */
static bool holds(Elab *e, const Ast *cond, bool *out)
{
    Val v = cond ? elab_eval(e, cond) : val_bool(true);
    *out = val_truth(v);
    if (v.kind != V_EXPR && v.kind != V_DIM)
        return v.kind != V_BAD;
    elab_error(e, cond->span, "value", "the condition of a comprehension is known at compile time");
    return false;
}

/* pl.range and its like mean range here. */
static Val iterable(Elab *e, const Ast *a)
{
    Sym d = a->kind == AST_CALL ? elab_dotted(e, a->call.callee) : NULL;
    Args args = {0};
    if (!d || (strcmp(d, "pl.range") != 0 && strcmp(d, "pl.unroll") != 0))
        return elab_eval(e, a);
    return elab_args(e, a, &args) ? elab_builtin(e, "range", &args, a->span) : val_bad;
}

static bool gather_clause(Gather *g, uint32_t clause)
{
    const AstForClause *c = &g->a->gen.clauses.at[clause];
    const Val *items;
    uint32_t n;
    bool yes;
    if (!elab_iterate(g->e, iterable(g->e, c->iter), c->iter->span, &items, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!elab_step(g->e, 1, g->a->span) || !elab_assign_to(g->e, c->target, items[i]) ||
            !holds(g->e, c->cond, &yes) || (yes && !gather(g, clause + 1)))
            return false;
    }
    return true;
}

static bool gather(Gather *g, uint32_t clause)
{
    return clause == g->a->gen.clauses.len ? gather_one(g) : gather_clause(g, clause);
}

Val elab_comprehension(Elab *e, const Ast *a)
{
    Gather g = {.e = e, .a = a};
    CtScope *outer = e->scope, inner = {.parent = outer};
    e->scope = &inner;
    bool ok = gather(&g, 0);
    e->scope = outer;
    map_free(&inner.index);
    if (!ok)
        return val_bad;
    if (a->kind != AST_DICTCOMP)
        return elab_limit(e, val_items(e, V_LIST, g.out.at, g.out.len), a->span);
    Val d = val_items(e, V_DICT, NULL, 0);
    for (uint32_t i = 0; i < g.out.len && d.kind != V_BAD; i += 2)
        d = elab_dict_with(e, d, g.out.at[i], g.out.at[i + 1], a->span);
    return d;
}

/* ---- parts of sequences */

static bool bound_of(Elab *e, const Ast *a, int64_t n, int64_t unsaid, bool down, int64_t *out)
{
    Val v = a ? elab_eval(e, a) : val_none;
    *out = unsaid;
    if (v.kind == V_NONE)
        return true;
    if (v.kind != V_INT) {
        if (v.kind != V_BAD)
            elab_error(e, a->span, "type", "a bound of a slice is a compile-time int, got %s",
                       val_describe(e, v));
        return false;
    }
    int64_t at = v.i < 0 ? v.i + n : v.i, least = down ? -1 : 0, most = down ? n - 1 : n;
    *out = at < least ? least : at > most ? most : at;
    return true;
}

Val elab_slice(Elab *e, Val v, const Ast *s)
{
    const Val *items;
    uint32_t n;
    int64_t lo, hi;
    Val step = s->slice.step ? elab_eval(e, s->slice.step) : val_int(1);
    if (!elab_iterate(e, v, s->span, &items, &n) || step.kind == V_BAD)
        return val_bad;
    if (step.kind != V_INT || step.i == 0) {
        elab_error(e, s->span, "value", "the step of a slice is an int that is not 0");
        return val_bad;
    }
    bool down = step.i < 0;
    if (!bound_of(e, s->slice.lo, n, down ? (int64_t)n - 1 : 0, down, &lo) ||
        !bound_of(e, s->slice.hi, n, down ? -1 : (int64_t)n, down, &hi))
        return val_bad;
    VEC(Val) out = {0};
    for (int64_t i = lo; down ? i > hi : i < hi;) {
        avec_push(e->arena, &out, items[i]);
        if (!checked_add(i, step.i, &i))
            break;
    }
    if (v.kind != V_STR)
        return elab_limit(e, val_items(e, v.kind, out.at, out.len), s->span);
    Buf b = {0};
    for (uint32_t i = 0; i < out.len; i++)
        buf_str(&b, out.at[i].s);
    Val text = val_str(intern_n(e->in, b.at ? b.at : "", b.len));
    buf_free(&b);
    return text;
}

/* ---- methods */

static uint32_t bit_length(int64_t v)
{
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    uint32_t n = 0;
    for (; u; u >>= 1)
        n++;
    return n;
}

static Val dict_items(Elab *e, Val d, const char *what)
{
    uint32_t n = d.n / 2;
    Val *out = arena_new_n(e->arena, Val, n ? n : 1);
    for (uint32_t i = 0; i < n; i++)
        out[i] = what[0] == 'k'   ? d.items[2 * i]
                 : what[0] == 'v' ? d.items[2 * i + 1]
                                  : val_items(e, V_TUPLE, &d.items[2 * i], 2);
    return val_items(e, V_LIST, out, n);
}

static Val find_in(Elab *e, Val list, Val v, bool count, Span span)
{
    int64_t n = 0;
    if (!elab_step(e, list.n, span))
        return val_bad;
    for (uint32_t i = 0; i < list.n; i++) {
        if (!val_equal(list.items[i], v))
            continue;
        if (!count)
            return val_int(i);
        n++;
    }
    if (count)
        return val_int(n);
    elab_error(e, span, "value", "%s is not in the %s", val_describe(e, v), val_kind_name(list));
    return val_bad;
}

static Val join_texts(Elab *e, Val with, Val list, Span span)
{
    const Val *items;
    uint32_t n;
    Buf b = {0};
    bool ok = elab_iterate(e, list, span, &items, &n);
    for (uint32_t i = 0; ok && i < n; i++) {
        ok = items[i].kind == V_STR && b.len <= ELAB_MAX_ITEMS;
        if (ok)
            buf_printf(&b, "%s%s", i ? with.s : "", items[i].s);
        else
            elab_error(e, span, "type", "join() takes strings, got %s", val_describe(e, items[i]));
    }
    Val v = ok ? val_str(intern_n(e->in, b.at ? b.at : "", b.len)) : val_bad;
    buf_free(&b);
    return v.kind == V_BAD ? v : elab_limit(e, v, span);
}

/* A method that would change its object: values of compile-time code do not change. */
static Val changing(Elab *e, Val base, const char *name, Span span)
{
    static const char *const names[] = {"append", "extend", "insert", "remove", "pop",
                                        "sort",   "update", "clear",  "reverse"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) != 0)
            continue;
        elab_error(e, span, "value", "a %s of compile-time code does not change: %s",
                   val_kind_name(base),
                   base.kind == V_DICT
                       ? "write it whole, d = {k: f(k) for k in keys}"
                       : "write it whole, x = [f(k) for k in range(n)], or x = x + [item]");
        return val_bad;
    }
    elab_error(e, span, "name", "%s has no method %s", val_describe(e, base), name);
    return val_bad;
}

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

Val elab_method(Elab *e, Val base, Sym name, const Ast *call)
{
    Args args = {0};
    if (!elab_args(e, call, &args))
        return val_bad;
    uint32_t n = args.len;
    Val first = n ? args.at[0].val : val_none;
    Span span = call->span;
    bool sequence = base.kind == V_LIST || base.kind == V_TUPLE;
    if ((base.kind == V_INT || base.kind == V_BOOL) && is(name, "bit_length") && n == 0)
        return val_int(bit_length(base.i));
    if (base.kind == V_FLOAT && is(name, "is_integer") && n == 0)
        return val_bool(base.f == elab_round_even(base.f));
    if (base.kind == V_DICT && n == 0 &&
        (is(name, "keys") || is(name, "values") || is(name, "items")))
        return dict_items(e, base, name);
    if (base.kind == V_DICT && is(name, "get") && (n == 1 || n == 2)) {
        const Val *v = elab_dict_get(e, base, first, span);
        return v ? *v : n == 2 ? args.at[1].val : val_none;
    }
    if (sequence && n == 1 && (is(name, "index") || is(name, "count")))
        return find_in(e, base, first, name[0] == 'c', span);
    if (base.kind == V_STR && is(name, "join") && n == 1)
        return join_texts(e, base, first, span);
    if (base.kind == V_STR && first.kind == V_STR && n == 1) {
        size_t len = strlen(base.s), part = strlen(first.s);
        if (is(name, "startswith"))
            return val_bool(strncmp(base.s, first.s, part) == 0);
        if (is(name, "endswith"))
            return val_bool(len >= part && is(base.s + len - part, first.s));
    }
    return changing(e, base, name, call->call.callee->attr.name_span);
}

/* ---- helper functions */

enum { MAX_HELPERS = 100 };

Val elab_helper(Elab *e, const Ast *def)
{
    Helper *h = arena_new(e->arena, Helper);
    h->def = def;
    h->scope = e->scope;
    h->params = def->kind == AST_LAMBDA ? &def->lambda.params : &def->def.params;
    h->defaults = arena_new_n(e->arena, Val, h->params->len + 1);
    h->name = def->kind == AST_LAMBDA ? intern(e->in, "lambda") : def->def.name;
    e->helpers++;
    for (uint32_t i = 0; i < h->params->len; i++) {
        const AstParam *p = &h->params->at[i];
        if (p->star) {
            elab_error(e, p->span, "value", "%s takes no %s%s: every parameter has a name", h->name,
                       p->star == '*' ? "*" : "**", p->name);
            return val_bad;
        }
        h->defaults[i] = p->default_value ? elab_eval(e, p->default_value) : val_bad;
    }
    return (Val){.kind = V_HELPER, .helper = h};
}

static bool place(Elab *e, const Helper *h, Val *vals, uint32_t i, Arg *a)
{
    a->val = elab_settled(e, a->val);
    if (i >= h->params->len)
        elab_error(e, a->name ? a->name_span : a->span, "type", "%s() has no such parameter",
                   h->name);
    else if (vals[i].kind != V_BAD)
        elab_error(e, a->span, "type", "the parameter %s of %s() is given twice",
                   h->params->at[i].name, h->name);
    else if (!val_all_known(a->val))
        elab_error(e, a->span, "type",
                   "%s is a function of compile-time code, and this is a run-time value: decorate "
                   "it with @pl.jit.incore to call it in a kernel",
                   h->name);
    else
        vals[i] = a->val;
    return vals[i].kind != V_BAD && val_all_known(a->val);
}

static bool bind(Elab *e, const Helper *h, const Args *args, Span span, Val *vals)
{
    for (uint32_t k = 0; k < args->len; k++) {
        Arg *a = &args->at[k];
        uint32_t i = k;
        for (i = a->name ? 0 : k; a->name && i < h->params->len; i++)
            if (h->params->at[i].name == a->name)
                break;
        if (a->val.kind == V_BAD || !place(e, h, vals, i, a))
            return false;
    }
    for (uint32_t i = 0; i < h->params->len; i++) {
        if (vals[i].kind == V_BAD)
            vals[i] = h->defaults[i];
        if (vals[i].kind != V_BAD)
            continue;
        if (!h->params->at[i].default_value)
            elab_error(e, span, "type", "%s() lacks its parameter %s", h->name,
                       h->params->at[i].name);
        return false;
    }
    return true;
}

static Val run(Elab *e, const Helper *h, const Val *vals, Span span)
{
    Val result = val_none;
    CtScope *outer = e->scope, *own = elab_scope_new(e, h->scope);
    Fn *fn = e->fn;
    uint32_t helpers = e->helpers, errors = e->diags->n_errors;
    e->scope = own;
    e->fn = NULL;
    for (uint32_t i = 0; i < h->params->len; i++)
        elab_define(e, own, h->params->at[i].name, vals[i], h->params->at[i].span);
    if (h->def->kind == AST_LAMBDA) {
        result = elab_eval(e, h->def->lambda.body);
    } else {
        elab_collect_bound(e, &h->def->def.body, &own->locals, NULL);
        elab_run(e, &h->def->def.body, &result);
    }
    e->scope = outer;
    e->fn = fn;
    /* A function that was made in it may still look names up. */
    if (e->helpers == helpers) {
        map_free(&own->index);
        map_free(&own->locals);
    } else {
        avec_push(e->arena, &e->kept, own);
    }
    if (e->diags->n_errors == errors)
        return result;
    if (e->helper_depth == 1)
        diag_note(e->diags, span, "in this call of %s", h->name);
    return val_bad;
}

Val elab_helper_call(Elab *e, const Helper *h, const Ast *call)
{
    Args args = {0};
    Val *vals = arena_new_n(e->arena, Val, h->params->len + 1);
    if (!elab_args(e, call, &args) || !bind(e, h, &args, call->span, vals) ||
        !elab_step(e, 1, call->span))
        return val_bad;
    if (e->helper_depth >= MAX_HELPERS) {
        elab_error(e, call->span, "value", "calls of %s nest more than %d deep", h->name,
                   MAX_HELPERS);
        return val_bad;
    }
    e->helper_depth++;
    Val v = run(e, h, vals, call->span);
    e->helper_depth--;
    return v;
}
