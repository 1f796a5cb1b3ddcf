/* Expressions: names, attributes, operators. Parts that are all known fold with Python's semantics,
 * the rest is handed on. */
#include "elab/comptime/elab.h"
#include <string.h>

Val elab_localise(Elab *e, Val v)
{
    if (e->fn && v.kind == V_DIM)
        return val_expr(ex_dim(e->p, v.dim));
    return v;
}

/* ---- dotted names */

static bool is_alias(const Sym *at, uint32_t n, Sym name)
{
    for (uint32_t i = 0; i < n; i++)
        if (at[i] == name)
            return true;
    return false;
}

bool elab_is_local(Elab *e, Sym name)
{
    return e->fn && e->typed->is_local(e, name);
}

static bool is_shadowed(Elab *e, Sym name)
{
    return elab_is_local(e, name) || elab_find_name(e->scope, name);
}

/* "pypto.language.distributed.rank" and "pypto.language.load", for an import without `as`. */
static Sym shorten(Elab *e, const char *text)
{
    static const char dist[] = "pypto.language.distributed.", lang[] = "pypto.language.";
    if (strncmp(text, dist, sizeof dist - 1) == 0)
        return internf(e->in, "pld.%s", text + sizeof dist - 1);
    if (strncmp(text, lang, sizeof lang - 1) == 0)
        return internf(e->in, "pl.%s", text + sizeof lang - 1);
    return NULL;
}

static void print_dotted(Buf *b, const Ast *a)
{
    if (a->kind == AST_ATTR) {
        print_dotted(b, a->attr.base);
        buf_printf(b, ".%s", a->attr.name);
    } else {
        buf_str(b, a->name);
    }
}

/* The dotted name of what `from pypto.language import ...` brought. */
static Sym from_name(Elab *e, const Ast *a, Sym root)
{
    uint64_t full;
    if (!map_get_ptr(&e->from_names, root, &full) || is_shadowed(e, root))
        return NULL;
    Buf b = {0};
    print_dotted(&b, a);
    Sym name = internf(e->in, "%s%s", (const char *)(uintptr_t)full, b.at + strlen(root));
    buf_free(&b);
    return name;
}

static Sym joined(Elab *e, const Ast *a, Sym root)
{
    if (a->kind != AST_ATTR)
        return root;
    Sym before = joined(e, a->attr.base, root), name = a->attr.name;
    DottedName *d = &e->dotted[(((uintptr_t)before >> 3) ^ ((uintptr_t)name >> 3)) % DOTTED_NAMES];
    if (d->root != before || d->name != name)
        *d = (DottedName){before, name, internf(e->in, "%s.%s", before, name)};
    return d->joined;
}

Sym elab_dotted(Elab *e, const Ast *a)
{
    const Ast *root = a;
    while (root->kind == AST_ATTR)
        root = root->attr.base;
    if (root->kind == AST_NAME && e->from_names.cap)
        if (from_name(e, a, root->name))
            return from_name(e, a, root->name);
    if (a->kind != AST_ATTR || root->kind != AST_NAME || is_shadowed(e, root->name))
        return NULL;
    bool pl = is_alias(e->pl_alias.at, e->pl_alias.len, root->name);
    if (pl || is_alias(e->pld_alias.at, e->pld_alias.len, root->name))
        return joined(e, a, pl ? e->s_pl : e->s_pld);
    if (strcmp(root->name, "pypto") != 0)
        return NULL;
    Buf b = {0};
    print_dotted(&b, a);
    Sym name = shorten(e, b.at);
    buf_free(&b);
    return name;
}

/* ---- names */

static const char *nearest_visible(Elab *e, Sym name)
{
    SymList names = {0};
    for (const CtScope *s = e->scope; s; s = s->parent)
        for (uint32_t i = 0; i < s->names.len; i++)
            vec_push(&names, s->names.at[i].name);
    if (e->fn)
        e->typed->bound_names(e, &names);
    const char *near = nearest_name(name, names.at, names.len);
    vec_free(&names);
    return near;
}

static Val unknown_name(Elab *e, Sym name, Span span)
{
    if (is_alias(e->pl_alias.at, e->pl_alias.len, name) ||
        is_alias(e->pld_alias.at, e->pld_alias.len, name)) {
        elab_error(e, span, "name", "the module %s is no value", name);
        return val_bad;
    }
    if (elab_decl(e, name)) {
        elab_error(e, span, "name", "the function %s is no value: it can only be called", name);
        return val_bad;
    }
    if (name == e->s_self) {
        elab_error(e, span, "name",
                   "there is no self here: this function has no parameter of that name, functions "
                   "of a module are called by their names");
        return val_bad;
    }
    const char *near = nearest_visible(e, name);
    elab_error(e, span, "name", "unknown name %s%s%s%s", name, near ? "; did you mean " : "",
               near ? near : "", near ? "?" : "");
    return val_bad;
}

/* A name that a comprehension at hand binds; it hides those of the function. */
static const CtName *inner_name(const Elab *e, Sym name)
{
    uint64_t at;
    for (const CtScope *s = e->scope; s && s != e->program; s = s->parent)
        if (map_get_ptr(&s->index, name, &at))
            return &s->names.at[at];
    return NULL;
}

Val elab_poisoned(Elab *e, const CtName *n, Span span)
{
    if (n->val.s) {
        elab_error(
            e, span, "value",
            "%s is %s: a kernel knows numbers, bools, texts, dtypes, extents, types, lists of "
            "them, operations and kernels",
            n->name, n->val.s);
        return val_bad;
    }
    const Source *src = e->module->src;
    const char *file = source_part(src, n->span.begin)->name;
    bool here = file == source_part(src, span.begin)->name;
    elab_error(e, span, "name",
               "%s is made by line %u%s%s, which is skipped: set it with -D %s=VALUE, or write a "
               "constant",
               n->name, source_line_col(src, n->span.begin).line, here ? "" : " of ",
               here ? "" : file, n->name);
    return val_bad;
}

static Val eval_dotted(Elab *e, const Ast *a, Sym dotted);

static Val eval_name(Elab *e, const Ast *a)
{
    bool found = false;
    const CtName *inner = e->fn ? inner_name(e, a->name) : NULL;
    if (inner && inner->val.kind == V_EXPR)
        return val_expr(expr_clone(e->p, inner->val.expr));
    if (e->fn && !inner) {
        Val v = e->typed->local(e, a->name, a->span, &found);
        if (found)
            return v;
    }
    const CtName *n = elab_find_name(e->scope, a->name);
    if (n && n->val.kind == V_POISON)
        return elab_poisoned(e, n, a->span);
    if (n && e->fn && !e->typed->extents_bound(e, n->val, a->span))
        return val_bad;
    if (!n && elab_dotted(e, a))
        return eval_dotted(e, a, elab_dotted(e, a));
    if (n)
        return elab_localise(e, n->val);
    return unknown_name(e, a->name, a->span);
}

/* ---- attributes */

static Val eval_enum_member(Elab *e, const Ast *a, Sym dotted, EnumType t, const char *member)
{
    int64_t v;
    if (enum_value_from_name(t, member, &v))
        return val_enum(t, v);
    const char *names[16];
    uint32_t n = enum_value_names(t, names, 16);
    const char *list = "";
    for (uint32_t i = 0; i < n && i < 16; i++)
        list = arena_printf(e->arena, "%s%s%s", list, i ? ", " : "", names[i]);
    elab_error(e, a->span, "name", "unknown %s: %s.%s has %s", dotted, enum_type_module(t),
               enum_type_name(t), list);
    return val_bad;
}

/* pl.FP32, pld.ReduceOp.Sum; other dotted names are operations and constructors, which are no
 * values. */
static Val eval_dotted(Elab *e, const Ast *a, Sym dotted)
{
    Dtype dt;
    EnumType et;
    const char *rest = strchr(dotted, '.') + 1, *dot = strchr(rest, '.');
    if (dotted[2] == '.' && dtype_from_name(rest, &dt))
        return val_dtype(dt);
    if (dot && enum_type_from_name(arena_strndup(e->arena, rest, (size_t)(dot - rest)), &et) &&
        strncmp(enum_type_module(et), dotted, (size_t)(rest - 1 - dotted)) == 0)
        return eval_enum_member(e, a, dotted, et, dot + 1);
    if (enum_type_from_name(rest, &et)) {
        const char *first;
        enum_value_names(et, &first, 1);
        elab_error(e, a->span, "type", "%s is an enumeration: name a member, such as %s.%s", dotted,
                   dotted, first);
        return val_bad;
    }
    OpId ids[4];
    if (op_find(dotted, ids, 4) || elab_is_special_call(dotted)) {
        elab_error(e, a->span, "name", "%s is an operation: call it, %s(...)", dotted, dotted);
        return val_bad;
    }
    const char *instead = elab_instead(dotted);
    if (instead) {
        elab_error(e, a->span, "name", "there is no %s: write %s", dotted, instead);
        return val_bad;
    }
    const char *near = elab_nearest_op(dotted);
    elab_error(e, a->span, "name", "unknown name %s%s%s%s", dotted, near ? "; did you mean " : "",
               near ? near : "", near ? "?" : "");
    return val_bad;
}

bool elab_is_math_name(Elab *e, const Ast *a)
{
    return a->kind == AST_ATTR && a->attr.base->kind == AST_NAME &&
           is_alias(e->math_alias.at, e->math_alias.len, a->attr.base->name) &&
           !is_shadowed(e, a->attr.base->name);
}

static Val eval_math(Elab *e, const Ast *a)
{
    double v;
    if (elab_math_constant(a->attr.name, &v))
        return val_float(v);
    if (elab_is_math(a->attr.name))
        return (Val){.kind = V_MATH, .s = a->attr.name};
    return elab_math_unknown(e, a->attr.name, a->span);
}

static Val eval_attr(Elab *e, const Ast *a)
{
    if (elab_is_math_name(e, a))
        return eval_math(e, a);
    Sym dotted = elab_dotted(e, a);
    if (dotted)
        return eval_dotted(e, a, dotted);
    if (a->attr.base->kind == AST_NAME && a->attr.base->name == e->s_self && e->fn &&
        e->typed->has_self(e)) {
        elab_error(e, a->span, "name", "self.%s is no value: a function can only be called",
                   a->attr.name);
        return val_bad;
    }
    Val v = elab_eval(e, a->attr.base);
    if (v.kind == V_BAD)
        return v;
    if (v.kind == V_EXPR)
        return e->typed->attribute(e, v, a);
    elab_error(e, a->attr.name_span, "name", "%s has no attribute %s", val_describe(e, v),
               a->attr.name);
    return val_bad;
}

static Val eval_unary(Elab *e, const Ast *a)
{
    /* -9223372036854775808 is written as the negation of a literal that does not fit alone. */
    Val v = elab_eval(e, a->unary.operand);
    if (v.kind == V_BAD)
        return v;
    if (val_known(v))
        return elab_fold_unary(e, a->unary.op, v, a->span);
    return e->typed->unary(e, a->unary.op, v, a->span);
}

static Val eval_binary(Elab *e, const Ast *a)
{
    Val l = elab_eval(e, a->binary.left), r = elab_eval(e, a->binary.right);
    if (l.kind == V_BAD || r.kind == V_BAD)
        return val_bad;
    if (val_known(l) && val_known(r))
        return elab_fold_binary(e, a->binary.op, l, r, a->span);
    return e->typed->binary(e, a->binary.op, l, r, a->span);
}

static Val compare(Elab *e, CompareOp op, Val a, Val b, Span span)
{
    if (a.kind == V_BAD || b.kind == V_BAD)
        return val_bad;
    if (val_known(a) && val_known(b))
        return elab_fold_compare(e, op, a, b, span);
    return e->typed->compare(e, op, a, b, span);
}

/* The middle of a chain stands in two comparisons: it must be something that can be evaluated
 * twice. */
static Val twice(Elab *e, Val v, Span span)
{
    if (v.kind != V_EXPR)
        return v;
    if (!expr_is_pure(v.expr)) {
        elab_error(e, span, "value",
                   "the middle of a chained comparison reads memory: bind it to a name first");
        return val_bad;
    }
    return val_expr(expr_clone(e->p, v.expr));
}

static Val both(Elab *e, Val a, Val b, bool is_and, Span span)
{
    if (a.kind == V_BAD || b.kind == V_BAD)
        return val_bad;
    if (val_known(a))
        return val_truth(a) == is_and ? b : a;
    return e->typed->logic(e, is_and, a, b, span);
}

static Val eval_compare(Elab *e, const Ast *a)
{
    Val left = elab_eval(e, a->compare.first), all = val_bool(true);
    for (uint32_t i = 0; i < a->compare.rest.len; i++) {
        const Ast *rhs = a->compare.rest.at[i];
        Val right = elab_eval(e, rhs);
        bool last = i + 1 == a->compare.rest.len;
        Val next = last ? val_none : twice(e, right, rhs->span);
        Val one = compare(e, a->compare.ops.at[i], left, right, a->span);
        all = i == 0 ? one : both(e, all, one, true, a->span);
        if (all.kind == V_BAD || (val_known(all) && !val_truth(all)))
            return all;
        left = next;
    }
    return all;
}

/* A known left side decides whether the rest is looked at, as in Python. */
static Val eval_logic(Elab *e, const Ast *a)
{
    bool is_and = a->kind == AST_AND;
    Val all = elab_eval(e, a->items.at[0]);
    for (uint32_t i = 1; i < a->items.len; i++) {
        if (all.kind == V_BAD || (val_known(all) && val_truth(all) != is_and))
            return all;
        Val next = elab_eval(e, a->items.at[i]);
        all = both(e, all, next, is_and, a->span);
    }
    return all;
}

static Val eval_cond(Elab *e, const Ast *a)
{
    int64_t value;
    Val c = elab_eval(e, a->cond.cond);
    if (c.kind == V_EXPR && e->typed->constant(e, c.expr, &value))
        c = val_bool(value != 0);
    if (c.kind == V_BAD)
        return c;
    if (c.kind == V_DIM) {
        elab_error(e, a->cond.cond->span, "value", "%s is known only when the program is started",
                   val_text(e, c));
        return val_bad;
    }
    if (val_known(c))
        return elab_eval(e, val_truth(c) ? a->cond.then : a->cond.otherwise);
    Val x = elab_eval(e, a->cond.then), y = elab_eval(e, a->cond.otherwise);
    return e->typed->select(e, c, x, y, a->span);
}

typedef VEC(Val) Items;

/* *x among items: those of x. */
static bool spread(Elab *e, const Ast *a, Items *out)
{
    Val v = elab_eval(e, a->value);
    bool good = v.kind == V_LIST || v.kind == V_TUPLE;
    if (!good && v.kind != V_BAD)
        elab_error(e, a->span, "type", "* takes the items of a list or a tuple, got %s",
                   val_describe(e, v));
    if (!good || !elab_step(e, v.n, a->span))
        return false;
    for (uint32_t i = 0; i < v.n; i++)
        avec_push(e->arena, out, v.items[i]);
    return true;
}

static Val eval_items(Elab *e, const Ast *a)
{
    Items items = {0};
    bool good = true;
    for (uint32_t i = 0; i < a->items.len; i++) {
        const Ast *item = a->items.at[i];
        if (item->kind == AST_STARRED) {
            good &= spread(e, item, &items);
            continue;
        }
        Val v = elab_eval(e, item);
        good &= v.kind != V_BAD;
        avec_push(e->arena, &items, v);
    }
    if (!good)
        return val_bad;
    ValKind kind = a->kind == AST_TUPLE ? V_TUPLE : V_LIST;
    return elab_limit(e, val_items(e, kind, items.at, items.len), a->span);
}

static Val eval_fstring(Elab *e, const Ast *a)
{
    const char *text = elab_fstring(e, a);
    return text ? elab_limit(e, val_str(intern(e->in, text)), a->span) : val_bad;
}

static Val eval(Elab *e, const Ast *a)
{
    switch (a->kind) {
    case AST_NAME: return eval_name(e, a);
    case AST_INT: return val_int(a->integer.value);
    case AST_FLOAT: return val_float(a->real);
    case AST_STR: return val_str(a->str.text);
    case AST_TRUE:
    case AST_FALSE: return val_bool(a->kind == AST_TRUE);
    case AST_NONE: return val_none;
    case AST_TUPLE:
    case AST_LIST: return eval_items(e, a);
    case AST_ATTR: return eval_attr(e, a);
    case AST_CALL: return elab_call(e, a);
    case AST_SUBSCRIPT: return elab_subscript(e, a);
    case AST_UNARY: return eval_unary(e, a);
    case AST_BINARY: return eval_binary(e, a);
    case AST_COMPARE: return eval_compare(e, a);
    case AST_AND:
    case AST_OR: return eval_logic(e, a);
    case AST_COND: return eval_cond(e, a);
    case AST_FSTRING: return eval_fstring(e, a);
    case AST_DICT: return elab_dict(e, a);
    case AST_GENEXP:
    case AST_LISTCOMP:
    case AST_DICTCOMP: return elab_comprehension(e, a);
    case AST_LAMBDA: return e->fn ? elab_unavailable(e, a) : elab_helper(e, a);
    case AST_ERROR: return val_bad;
    default: return elab_unavailable(e, a);
    }
}

/* Trees have a height, but calls of helpers stack them up. */
enum { MAX_EVAL_DEPTH = 3000 };

Val elab_eval(Elab *e, const Ast *a)
{
    if (e->eval_depth >= MAX_EVAL_DEPTH) {
        elab_error(e, a->span, "value", "expressions and calls nest more than %d deep",
                   MAX_EVAL_DEPTH);
        return val_bad;
    }
    e->eval_depth++;
    Val v = eval(e, a);
    e->eval_depth--;
    if (v.kind == V_EXPR)
        v.expr->span = a->span;
    return v;
}
