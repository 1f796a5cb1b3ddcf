/* Compile-time parameters: module constants and factory parameters, and what -D or the first line
 * of a dump sets them to. */
#include "elab/comptime/elab.h"
#include "parser/parser.h"
#include <string.h>

static Setting *find_setting(Elab *e, Sym name)
{
    uint64_t at;
    return map_get_ptr(&e->setting_index, name, &at) ? &e->settings.at[at] : NULL;
}

static void add_setting(Elab *e, Setting s)
{
    if (!find_setting(e, s.name))
        map_set_ptr(&e->setting_index, s.name, e->settings.len);
    avec_push(e->arena, &e->settings, s);
}

/* -D NAME=VALUE: the last one counts, and none contradicts the first line of a dump. */
static void add_define(Elab *e, const Define *d)
{
    if (utf8_check(d->name, strlen(d->name)) < strlen(d->name) ||
        utf8_check(d->value, strlen(d->value)) < strlen(d->value)) {
        elab_error(e, elab_top, "option", "-D %s=%s is not valid UTF-8", d->name, d->value);
        return;
    }
    Sym name = intern(e->in, d->name);
    Setting *s = find_setting(e, name);
    if (!s) {
        add_setting(e, (Setting){.name = name, .value = d->value, .used = d->aside});
        return;
    }
    if (d->aside)
        return;
    size_t n = strlen(d->value);
    bool quoted =
        s->value[0] == '"' && strlen(s->value) == n + 2 && strncmp(s->value + 1, d->value, n) == 0;
    if (s->from_header && strcmp(s->value, d->value) != 0 && !quoted)
        elab_error(e, elab_top, "option",
                   "-D %s=%s contradicts the first line of the dump, which has %s=%s", d->name,
                   d->value, s->name, s->value);
    else if (!s->from_header)
        s->value = d->value;
}

bool elab_is_set(Elab *e, Sym name)
{
    return find_setting(e, name) != NULL;
}

void elab_settings(Elab *e)
{
    for (uint32_t i = 0; e->header && i < e->header->bindings.len; i++) {
        const HeaderPair *b = &e->header->bindings.at[i];
        /* NAME=ranks: its default is pld.world_size(), which the line says already. */
        if (strcmp(b->value, "ranks") != 0)
            add_setting(e, (Setting){.name = b->name, .value = b->value, .from_header = true});
    }
    for (uint32_t i = 0; i < e->opt->n_defines; i++)
        add_define(e, &e->opt->defines[i]);
}

/* ---- annotations of parameters */

typedef enum { PT_ANY, PT_INT, PT_FLOAT, PT_BOOL, PT_STR, PT_DTYPE, PT_LITERAL } ParamType;

static bool is_dtype_annotation(Elab *e, const Ast *a)
{
    Sym d = elab_dotted(e, a);
    return d && (strcmp(d, "pl.DataType") == 0 || strcmp(d, "pl.Dtype") == 0 ||
                 strcmp(d, "pl.dtype") == 0);
}

static ParamType param_type(Elab *e, const Ast *a)
{
    static const char *const names[] = {"int", "float", "bool", "str", "dtype", "DataType"};
    static const ParamType types[] = {PT_INT, PT_FLOAT, PT_BOOL, PT_STR, PT_DTYPE, PT_DTYPE};
    if (!a)
        return PT_ANY;
    if (a->kind == AST_NAME)
        for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++)
            if (strcmp(a->name, names[i]) == 0)
                return types[i];
    const Ast *base = a->kind == AST_SUBSCRIPT ? a->sub.base : NULL;
    if (base && ((base->kind == AST_NAME && strcmp(base->name, "Literal") == 0) ||
                 (base->kind == AST_ATTR && strcmp(base->attr.name, "Literal") == 0)))
        return PT_LITERAL;
    if (is_dtype_annotation(e, a))
        return PT_DTYPE;
    EnumType et;
    Sym d = elab_dotted(e, a);
    if (d && strchr(d, '.') && enum_type_from_name(strchr(d, '.') + 1, &et))
        return PT_ANY;
    elab_error(
        e, a->span, "type",
        "a compile-time parameter is annotated with int, float, bool, str, Literal[...] or dtype");
    return PT_ANY;
}

static bool enum_annotation(Elab *e, const Ast *a, EnumType *et)
{
    Sym d = a ? elab_dotted(e, a) : NULL;
    return d && strchr(d, '.') && enum_type_from_name(strchr(d, '.') + 1, et);
}

static bool literal_allows(Elab *e, const Ast *annotation, Val v)
{
    for (uint32_t i = 0; i < annotation->sub.index.len; i++) {
        Val item = elab_eval(e, annotation->sub.index.at[i]);
        if (item.kind == v.kind && val_equal(item, v))
            return true;
    }
    return false;
}

/* Is each of them a value, also those that nobody compares with? A dump may be compiled with
 * others.
 */
static bool literal_is_valid(Elab *e, const Ast *annotation)
{
    bool ok = true;
    for (uint32_t i = 0; i < annotation->sub.index.len; i++)
        ok &= elab_eval(e, annotation->sub.index.at[i]).kind != V_BAD;
    return ok;
}

static const char *allowed_text(Elab *e, ParamType t, const Ast *annotation)
{
    static const char *const names[] = {
        "", "an int", "a float", "True or False", "a str", "a dtype such as pl.FP16"};
    EnumType et;
    if (t == PT_ANY && enum_annotation(e, annotation, &et))
        return arena_printf(e->arena, "a member of %s.%s", enum_type_module(et),
                            enum_type_name(et));
    if (t != PT_LITERAL)
        return names[t];
    Buf b = {0};
    for (uint32_t i = 0; i < annotation->sub.index.len; i++) {
        if (i)
            buf_str(&b, i + 1 == annotation->sub.index.len ? " or " : ", ");
        ast_print_expr(&b, annotation->sub.index.at[i]);
    }
    const char *text = arena_strndup(e->arena, b.at ? b.at : "", b.len);
    buf_free(&b);
    return text;
}

/* Converts where Python's typing would (an int for a float); false when the annotation forbids `v`.
 */
static bool accepts(Elab *e, ParamType t, const Ast *annotation, Val *v)
{
    EnumType et;
    switch (t) {
    case PT_INT: return v->kind == V_INT;
    case PT_FLOAT:
        if (v->kind == V_INT)
            *v = val_float((double)v->i);
        return v->kind == V_FLOAT;
    case PT_BOOL: return v->kind == V_BOOL;
    case PT_STR: return v->kind == V_STR;
    case PT_DTYPE: return v->kind == V_DTYPE;
    case PT_LITERAL: return literal_allows(e, annotation, *v);
    default:
        return !enum_annotation(e, annotation, &et) || (v->kind == V_ENUM && v->enum_type == et);
    }
}

/* ---- values of settings */

/* Evaluates the text as an expression; muted, as its spans lie in another text. */
static Val eval_text(Elab *e, const char *text)
{
    Diags quiet;
    const Source *src = source_from_bytes(e->arena, "-D", text, strlen(text));
    diags_init(&quiet, e->arena, src);
    Diags *saved = e->diags;
    CtScope *scope = e->scope;
    e->diags = &quiet;
    e->p->diags = &quiet;
    e->scope = elab_scope_new(e, NULL);
    const Ast *a = parse_expression(e->arena, e->in, src, &quiet);
    Val v = a ? elab_eval(e, a) : val_bad;
    if (diags_failed(&quiet))
        v = val_bad;
    map_free(&e->scope->index);
    e->scope = scope;
    e->diags = saved;
    e->p->diags = saved;
    diags_free(&quiet);
    return v;
}

static bool is_bool_word(const char *s)
{
    return strcmp(s, "true") == 0 || strcmp(s, "false") == 0;
}

static Val setting_value(Elab *e, const Setting *s, ParamType t, const Ast *annotation,
                         Val fallback)
{
    Val word = val_str(intern(e->in, s->value));
    bool text = t == PT_STR || (t == PT_ANY && fallback.kind == V_STR);
    if (text && s->value[0] != '"' && s->value[0] != '\'')
        return word;
    if (t == PT_LITERAL && literal_allows(e, annotation, word))
        return word;
    if ((t == PT_BOOL || fallback.kind == V_BOOL) && is_bool_word(s->value))
        return val_bool(s->value[0] == 't');
    double special;
    if ((t == PT_FLOAT || fallback.kind == V_FLOAT) && elab_special_float(s->value, &special))
        return val_float(special);
    Dtype dt;
    if ((t == PT_DTYPE || fallback.kind == V_DTYPE) && dtype_from_name(s->value, &dt))
        return val_dtype(dt);
    Val v = eval_text(e, s->value);
    if (v.kind == V_BAD && t == PT_LITERAL)
        return word;
    return v;
}

static const char *origin_text(Elab *e, const Setting *s)
{
    return arena_printf(e->arena, s->from_header ? "%s=%s of the dump's first line" : "-D %s=%s",
                        s->name, s->value);
}

static Val set_value(Elab *e, Setting *s, ParamType t, const Ast *annotation, Val fallback,
                     Span span)
{
    s->used = true;
    Val v = setting_value(e, s, t, annotation, fallback);
    const char *want = allowed_text(e, t, annotation);
    if (v.kind == V_BAD) {
        if (!*want && fallback.kind != V_BAD)
            want = arena_printf(e->arena, "a value like %s", val_text(e, fallback));
        elab_error(e, span, "option", "%s: not a value%s%s", origin_text(e, s),
                   *want ? "; wanted " : "", want);
        return val_bad;
    }
    if (t == PT_ANY && fallback.kind == V_FLOAT && v.kind == V_INT)
        v = val_float((double)v.i);
    bool extent = fallback.kind == V_DIM && v.kind == V_INT;
    bool same_kind = t != PT_ANY || fallback.kind == V_BAD || fallback.kind == v.kind ||
                     fallback.kind == V_NONE || extent;
    if (!accepts(e, t, annotation, &v) || !same_kind) {
        if (!same_kind)
            want = arena_printf(e->arena, "a value like %s", val_text(e, fallback));
        elab_error(e, span, "option", "%s: wanted %s, got %s", origin_text(e, s), want,
                   val_describe(e, v));
        return val_bad;
    }
    return v;
}

/* ---- binding */

static bool printable(Val v)
{
    return v.kind == V_INT || v.kind == V_FLOAT || v.kind == V_BOOL || v.kind == V_STR ||
           v.kind == V_DTYPE || v.kind == V_ENUM;
}

static Sym binding_text(Elab *e, Val v)
{
    Buf b = {0};
    if (v.kind == V_STR) {
        Ast lit = {.kind = AST_STR};
        lit.str.text = v.s;
        ast_print_expr(&b, &lit);
    } else {
        val_print(&b, v, true);
    }
    Sym s = intern_n(e->in, b.at ? b.at : "", b.len);
    buf_free(&b);
    return s;
}

/* One number for the devices: -d and a parameter bound to pld.world_size() must agree. */
static Val bind_ranks(Elab *e, Val v, const Setting *s, Span span)
{
    if (!s || v.kind != V_INT)
        return v;
    bool said = e->opt->ranks || (e->header && e->header->ranks);
    if (said && v.i != (int64_t)e->p->ranks) {
        elab_error(e, span, "option", "%s, but the program is compiled for %u devices",
                   origin_text(e, s), e->p->ranks);
        return val_bad;
    }
    if (v.i < 1 || v.i > 65536) {
        elab_error(e, span, "option", "%s: the number of devices is between 1 and 65536",
                   origin_text(e, s));
        return val_bad;
    }
    e->p->ranks = (uint32_t)v.i;
    return v;
}

static void record(Elab *e, Sym name, Val v, bool ranks)
{
    if (!printable(v))
        return;
    Binding b = {.name = name, .value = binding_text(e, v), .ranks = ranks};
    uint64_t at;
    if (map_get_ptr(&e->binding_index, name, &at)) {
        e->p->bindings.at[at] = b;
        return;
    }
    map_set_ptr(&e->binding_index, name, e->p->bindings.len);
    avec_push(e->arena, &e->p->bindings, b);
}

static bool is_world_size(Elab *e, const Ast *a)
{
    Sym d = a && a->kind == AST_CALL ? elab_dotted(e, a->call.callee) : NULL;
    return d && (strcmp(d, "pld.world_size") == 0 || strcmp(d, "pld.system.world_size") == 0);
}

/* A dynamic extent that -D sets is a constant of this compilation. */
static void forget_extent(Elab *e, const Dim *d)
{
    SymList *all = &e->p->extents;
    uint32_t n = 0;
    for (uint32_t i = 0; i < all->len; i++)
        if (dim_name(e->tt, all->at[i]) != d)
            all->at[n++] = all->at[i];
    all->len = n;
}

Val elab_param(Elab *e, Sym name, Span span, const Ast *annotation, const Ast *fallback)
{
    Setting *s = find_setting(e, name);
    ParamType t = param_type(e, annotation);
    bool ranks = is_world_size(e, fallback);
    if (t == PT_LITERAL && !literal_is_valid(e, annotation))
        return val_bad;
    if (!fallback && !s) {
        elab_error(e, span, "option",
                   "the parameter %s has no default: give it with -D %s=VALUE, or write one here "
                   "(`%s: int = pld.world_size()` is the number of devices)",
                   name, name, name);
        return val_bad;
    }
    uint32_t errors = e->diags->n_errors;
    e->whole_default = ranks;
    Val v = fallback ? elab_eval(e, fallback) : val_bad;
    e->whole_default = false;
    if (v.kind == V_BAD && e->diags->n_errors > errors)
        return val_bad;
    bool whole = v.kind == V_TUPLE || v.kind == V_LIST || v.kind == V_DICT;
    if (v.kind == V_TYPE || v.kind == V_PROGRAM || v.kind == V_HELPER || v.kind == V_MATH ||
        (whole && s)) {
        if (s)
            elab_error(e, span, "option", "%s: %s holds %s, which cannot be set", origin_text(e, s),
                       name, val_describe(e, v));
        return v;
    }
    const Dim *extent = v.kind == V_DIM ? v.dim : NULL;
    if (s)
        v = set_value(e, s, t, annotation, v, span);
    if (!s && fallback && !accepts(e, t, annotation, &v)) {
        elab_error(e, fallback->span, "type", "%s: wanted %s, got %s", name,
                   allowed_text(e, t, annotation), val_describe(e, v));
        return val_bad;
    }
    if (v.kind == V_INT && extent)
        forget_extent(e, extent);
    if (ranks)
        v = bind_ranks(e, v, s, span);
    record(e, name, v, ranks);
    return v;
}

const char *elab_outside(Elab *e, Sym name)
{
    Sym key = internf(e->in, "tensor:%s", name);
    Setting *s = find_setting(e, key);
    if (!s)
        return NULL;
    uint64_t at;
    s->used = true;
    if (!map_get_ptr(&e->binding_index, key, &at)) {
        map_set_ptr(&e->binding_index, key, e->p->bindings.len);
        avec_push(e->arena, &e->p->bindings, ((Binding){.name = key, .value = s->value}));
    }
    return s->value;
}

void elab_bind_factory(Elab *e)
{
    const Ast *f = e->factory;
    for (uint32_t i = 0; i < f->def.params.len; i++) {
        const AstParam *p = &f->def.params.at[i];
        if (p->star) {
            elab_error(e, p->span, "value", "a factory takes no %s%s: every parameter has a name",
                       p->star == '*' ? "*" : "**", p->name);
            continue;
        }
        elab_define(e, e->scope, p->name,
                    elab_param(e, p->name, p->span, p->annotation, p->default_value), p->span);
    }
}

void elab_unused_settings(Elab *e)
{
    for (uint32_t i = 0; i < e->settings.len; i++) {
        const Setting *s = &e->settings.at[i];
        if (s->used || s->from_header)
            continue;
        uint32_t n = e->p->bindings.len;
        const char **names = arena_new_n(e->arena, const char *, n ? n : 1);
        Buf list = {0};
        for (uint32_t k = 0; k < n; k++) {
            names[k] = e->p->bindings.at[k].name;
            buf_printf(&list, "%s%s", k ? ", " : "", names[k]);
        }
        const char *near = nearest_name(s->name, names, n);
        elab_error(e, elab_top, "option",
                   "-D %s=%s: the program has no parameter %s%s%s%s it has: %s", s->name, s->value,
                   s->name, near ? "; did you mean " : "", near ? near : "", near ? "?" : ";",
                   list.at ? list.at : "none");
        buf_free(&list);
    }
}
