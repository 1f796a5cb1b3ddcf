/* Subscripts: types, items of tuples, lists, dicts and strings. */
#include "elab/comptime/elab.h"

static Val value_at(Elab *e, Val d, const Ast *a)
{
    int64_t value;
    Val key = a->sub.index.len == 1 ? elab_eval(e, a->sub.index.at[0]) : val_bad;
    if (key.kind == V_EXPR && e->typed->constant(e, key.expr, &value))
        key = val_int(value);
    const Val *v = key.kind == V_BAD ? NULL : elab_dict_get(e, d, key, a->span);
    if (!v && key.kind != V_BAD)
        elab_error(e, a->sub.index.at[0]->span, "value", "the dict has no key %s",
                   val_text(e, key));
    return v ? *v : val_bad;
}

static Val item_of(Elab *e, Val base, const Ast *a)
{
    if (a->sub.index.len == 1 && a->sub.index.at[0]->kind == AST_SLICE)
        return elab_slice(e, base, a->sub.index.at[0]);
    if (a->sub.index.len != 1) {
        elab_error(e, a->span, "type", "a %s has one index", val_kind_name(base));
        return val_bad;
    }
    int64_t value;
    Val i = elab_eval(e, a->sub.index.at[0]);
    if (i.kind == V_EXPR && e->typed->constant(e, i.expr, &value))
        i = val_int(value);
    if (i.kind == V_BAD)
        return i;
    if (i.kind != V_INT) {
        elab_error(e, a->sub.index.at[0]->span, "type",
                   "the index of a %s is a compile-time int, got %s", val_kind_name(base),
                   val_describe(e, i));
        return val_bad;
    }
    int64_t at = i.i < 0 ? i.i + base.n : i.i;
    if (at < 0 || at >= base.n) {
        elab_error(e, a->sub.index.at[0]->span, "value", "index %lld is outside a %s of %u items",
                   (long long)i.i, val_kind_name(base), base.n);
        return val_bad;
    }
    Val item = base.items[at];
    /* The tuple may be read again: a node of the tree stands in one place. */
    return item.kind == V_EXPR ? val_expr(expr_clone(e->p, item.expr)) : elab_localise(e, item);
}

Val elab_subscript(Elab *e, const Ast *a)
{
    Val type;
    if (elab_type_form(e, a, &type))
        return type;
    Val base = elab_eval(e, a->sub.base);
    if (base.kind == V_BAD)
        return base;
    if (base.kind == V_DICT)
        return value_at(e, base, a);
    if (base.kind == V_STR) {
        Val chars = {.kind = V_TUPLE};
        const Val *items;
        bool part = a->sub.index.len == 1 && a->sub.index.at[0]->kind == AST_SLICE;
        if (part)
            return elab_slice(e, base, a->sub.index.at[0]);
        if (!elab_iterate(e, base, a->span, &items, &chars.n))
            return val_bad;
        return item_of(e, val_items(e, V_TUPLE, items, chars.n), a);
    }
    if (base.kind == V_TUPLE || base.kind == V_LIST)
        return item_of(e, base, a);
    if (base.kind == V_EXPR)
        return e->typed->subscript(e, base, a);
    elab_error(e, a->span, "type", "%s cannot be indexed", val_describe(e, base));
    return val_bad;
}
