/* Where a program starts: its host function, or the orchestration function that nobody calls, which
 * gets a host function of its own. Types that such an entry does not say come from outside. */
#include "elab/typed/typed.h"
#include <string.h>

static bool may_start(const FnDecl *d, FuncKind kind)
{
    return d->kind == kind && d->form != FORM_INLINE && d->form != FORM_SUBWORKER;
}

typedef struct {
    FnDecl *found;
    const char *names;
    uint32_t n;
    Span second; /* of the second candidate */
} EntryChoice;

/* Functions of a level, those that nobody calls where `free` says so. */
static EntryChoice candidates(Elab *e, FuncKind kind, bool free, const char *want)
{
    EntryChoice c = {.names = ""};
    for (uint32_t i = 0; i < e->decls.len; i++) {
        FnDecl *d = &e->decls.at[i];
        if (!may_start(d, kind) || (free && elab_is_called(e, d)))
            continue;
        c.names = arena_printf(e->arena, "%s%s%s", c.names, c.n++ ? ", " : "", d->name);
        if (c.n == 2)
            c.second = d->def->def.name_span;
        if (!c.found && (!want || strcmp(want, d->name) == 0))
            c.found = d;
    }
    return c;
}

static FnDecl *choose(Elab *e, const EntryChoice *c, const char *what, const char *want)
{
    if (want && !c->found)
        elab_error(e, elab_top, "option", "no %s function %s; there is: %s", what, want, c->names);
    else if (!want && c->n > 1)
        elab_error(e, c->second, "option", "several %s functions: %s; choose one with --entry NAME",
                   what, c->names);
    else
        return c->found;
    return NULL;
}

static FnDecl *find_entry(Elab *e)
{
    static const FuncKind kinds[] = {FN_HOST, FN_ORCH, FN_INCORE};
    static const char *const what[] = {"host", "entry", "entry"};
    const char *want = e->opt->entry ? e->opt->entry : e->header ? e->header->entry : NULL;
    EntryChoice own = want ? candidates(e, FN_ORCH, true, want) : (EntryChoice){0};
    if (own.found)
        return own.found;
    for (uint32_t i = 0; i < 3; i++) {
        EntryChoice c = candidates(e, kinds[i], i > 0, want);
        if (c.n)
            return choose(e, &c, what[i], want);
    }
    elab_error(e, e->decls.len ? e->decls.at[0].def->def.name_span : elab_top, "name",
               "this program has no function to start: each one is called by another, or inlined");
    return NULL;
}

/* ---- what the entry's parameters are */

static bool is_name_char(char c, bool first)
{
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (!first && c >= '0' && c <= '9');
}

/* A number, or the name of a dynamic extent; NULL when it is neither. */
static const Dim *read_extent(Elab *e, const char **s)
{
    char *end;
    size_t n = 0;
    if (is_name_char(**s, true)) {
        while (is_name_char((*s)[n], false))
            n++;
        Sym name = intern_n(e->in, *s, n);
        *s += n;
        return elab_extent(e, name);
    }
    long long v = strtoll(*s, &end, 10);
    const Dim *d = end == *s || v < 0 ? NULL : dim_const(e->tt, v);
    *s = end;
    return d;
}

static bool read_extents(Elab *e, const char *s, const Dim **dims, uint32_t *rank)
{
    for (*rank = 0; *rank < MAX_RANK; s++) {
        const Dim *d = read_extent(e, &s);
        if (!d)
            return false;
        dims[(*rank)++] = d;
        if (*s == ']')
            return s[1] == '\0';
        if (*s != ',')
            return false;
    }
    return false;
}

/* "FP32[64,N]" */
static const Type *read_type(Elab *e, const char *text)
{
    const Dim *dims[MAX_RANK];
    uint32_t rank;
    Dtype dtype;
    size_t n = strcspn(text, "[");
    if (text[n] != '[' || !dtype_from_name(arena_strndup(e->arena, text, n), &dtype) ||
        dtype == DT_INDEX || !read_extents(e, text + n + 1, dims, &rank))
        return NULL;
    return type_shaped(e->tt, TY_TENSOR, dtype, rank, dims);
}

static bool is_window(Val a)
{
    return a.kind == V_BARE ? a.i == TY_DIST : a.kind == V_TYPE && a.type->kind == TY_DIST;
}

static const Type *outside_type(Elab *e, const AstParam *p, bool window, bool hint)
{
    const char *text = window ? NULL : elab_outside(e, p->name);
    if (!text) {
        if (window)
            elab_error(e, p->span, "type", "%s is a window, which a host function makes", p->name);
        else
            elab_error(e, p->span, "type",
                       "the extents and dtype of %s are not known: give --input %s=F.npy, --golden "
                       "%s=F.npy or --tensor %s=FP32[64,64], or annotate it",
                       p->name, p->name, p->name, p->name);
        if (hint)
            diag_note(e->diags, p->span,
                      "this program has no host function: `pldc --skeleton FILE` prints one that "
                      "fits");
        return NULL;
    }
    const Type *t = read_type(e, text);
    if (!t)
        elab_error(e, p->span, "option",
                   "--tensor %s=%s: wanted a dtype and extents, such as FP32[64,64]", p->name,
                   text);
    return t;
}

/* What was said of a parameter by its number is said of its name. */
static void name_settings(Elab *e, const FnDecl *d)
{
    for (uint32_t i = 0; i < e->settings.len; i++) {
        Setting *s = &e->settings.at[i];
        bool tensor = strncmp(s->name, "tensor:#", 8) == 0;
        if (!tensor && s->name[0] != '#')
            continue;
        unsigned long n = strtoul(s->name + (tensor ? 8 : 1), NULL, 10);
        if (n >= elab_n_params(d))
            continue;
        Sym name = elab_param_ast(d, (uint32_t)n)->name;
        s->name = tensor ? internf(e->in, "tensor:%s", name) : name;
        if (!elab_is_set(e, s->name))
            map_set_ptr(&e->setting_index, s->name, i);
    }
}

/* Scalars that -D sets, and those with a default, are compile-time values and parameters no more.
 */
static void take_settings(Elab *e, FnDecl *d)
{
    uint32_t n = elab_n_params(d);
    Val *known = arena_new_n(e->arena, Val, n + 1);
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        const AstParam *p = elab_param_ast(d, i);
        Val a = d->annotations.at[i];
        known[i] = val_none;
        if (a.kind == V_BARE || (a.kind == V_TYPE && a.type->kind != TY_SCALAR) ||
            (!elab_is_set(e, p->name) && !p->default_value))
            continue;
        known[i] = elab_param(e, p->name, p->span, NULL, p->default_value);
        elab_define(e, e->scope, p->name, known[i], p->span); /* for init and golden functions */
        any = true;
    }
    if (any)
        elab_take_consts(e, d, known);
}

static bool prepare(Elab *e, FnDecl *d)
{
    bool host = d->kind == FN_HOST;
    if (host && !d->generated && e->header && e->header->ranks == 1 && e->opt->ranks > 1) {
        elab_error(e, elab_top, "option", "%u devices, but the first line of the dump has ranks=1",
                   e->opt->ranks);
        return false;
    }
    if (!host)
        e->p->ranks = 1;
    if (!elab_signature(e, d))
        return false;
    name_settings(e, d);
    take_settings(e, d);
    d->outside = arena_new_n(e->arena, const Type *, elab_n_params(d) + 1);
    bool ok = true;
    for (uint32_t i = 0; i < elab_n_params(d); i++) {
        Val a = d->annotations.at[i];
        d->outside[i] = a.kind == V_TYPE && !is_window(a)
                            ? a.type
                            : outside_type(e, elab_param_ast(d, i), is_window(a), ok && !host);
        if (d->outside[i])
            d->outside[i] = elab_bind_dynamic(e, d->def, elab_param_ast(d, i)->name, d->outside[i]);
        ok &= d->outside[i] != NULL;
    }
    return ok;
}

FnDecl *elab_take_entry(Elab *e)
{
    FnDecl *d = find_entry(e);
    return d && prepare(e, d) ? d : NULL;
}

/* ---- the functions that are added */

static Sym fresh_name(Elab *e, const FnDecl *d, const char *ending)
{
    Sym name = internf(e->in, "%s_%s", d->name, ending);
    for (uint32_t i = 1; elab_decl(e, name); i++)
        name = internf(e->in, "%s_%s_%u", d->name, ending, i);
    return name;
}

/* A function with the callee's parameters that calls it once. */
static Func *add_caller(Elab *e, FuncKind kind, Sym name, Func *callee)
{
    Program *p = e->p;
    Func *f = arena_new(e->arena, Func);
    f->kind = kind;
    f->name = name;
    f->span = callee->span;
    f->loc = callee->loc;
    f->rtol = f->atol = -1;
    f->generated = true;
    f->result = type_none(e->tt);
    uint32_t n = callee->params.len;
    Expr **args = arena_new_n(e->arena, Expr *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const Var *v = func_var(callee, callee->params.at[i].var);
        VarId var = func_new_var(p, f, v->base, v->type, v->span);
        avec_push(e->arena, &f->params, (Param){.var = var, .dir = callee->params.at[i].dir});
        args[i] = ex_var(p, f, var);
    }
    Stmt *s = stmt_new(p, ST_EXPR, callee->loc);
    s->value = ex_call(p, callee, args, n, kind == FN_HOST ? ex_index(p, 0) : NULL);
    s->value->span = callee->span;
    avec_push(e->arena, &f->body, s);
    avec_push(e->arena, &e->added, f);
    return f;
}

/* Nobody takes a number or a tile from the function that is started. */
static bool returns_memory(Elab *e, const FnDecl *d)
{
    const Type *t = d->func->result;
    uint32_t n = t->kind == TY_TUPLE ? t->n_elems : t->kind != TY_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const Type *one = t->kind == TY_TUPLE ? t->elems[i] : t;
        if (type_is_memory(one))
            continue;
        elab_error(e, d->def->def.name_span, "type",
                   "%s is where the program starts, and returns %s: write it into a tensor and "
                   "return that",
                   d->name, type_text(e->arena, one));
        return false;
    }
    return true;
}

bool elab_entry(Elab *e, FnDecl *d)
{
    bool ok = elab_function(e, d, d->outside, d->def->def.name_span);
    if (!ok || d->kind == FN_HOST) {
        e->p->entry = d->func;
        return ok;
    }
    if (!returns_memory(e, d))
        return false;
    Func *f = d->func;
    if (d->kind == FN_INCORE)
        f = add_caller(e, FN_ORCH, fresh_name(e, d, "orch"), f);
    e->p->entry = add_caller(e, FN_HOST, fresh_name(e, d, "host"), f);
    return true;
}
