/* What stands above a function: the level that it is for, and how it comes to its callers. */
#include "elab/comptime/elab.h"
#include <string.h>

typedef struct {
    const char *name;
    FuncKind kind;
    FnForm form;
} Form;

static const Form jit_forms[] = {
    {"pl.jit", FN_ORCH, FORM_PLAIN},           {"pl.jit.host", FN_HOST, FORM_PLAIN},
    {"pl.jit.incore", FN_INCORE, FORM_PLAIN},  {"pl.jit.opaque", FN_ORCH, FORM_OPAQUE},
    {"pl.jit.inline", FN_INCORE, FORM_INLINE}, {"pl.inline", FN_INCORE, FORM_INLINE}};

static const Form type_forms[] = {[FUNCTION_INCORE] = {"InCore", FN_INCORE, FORM_PLAIN},
                                  [FUNCTION_ORCHESTRATION] = {"Orchestration", FN_ORCH, FORM_PLAIN},
                                  [FUNCTION_OPAQUE] = {"Opaque", FN_ORCH, FORM_OPAQUE},
                                  [FUNCTION_INLINE] = {"Inline", FN_INCORE, FORM_INLINE}};

static const Form *jit_form(Sym name)
{
    for (uint32_t i = 0; name && i < sizeof jit_forms / sizeof jit_forms[0]; i++)
        if (strcmp(name, jit_forms[i].name) == 0)
            return &jit_forms[i];
    return NULL;
}

/* The decorator's dotted name, whether it is called or not. */
static Sym decorator_name(Elab *e, const Ast *d)
{
    return elab_dotted(e, d->kind == AST_CALL ? d->call.callee : d);
}

bool elab_is_expansion(Elab *e, const Ast *decorator)
{
    Sym d = e->ir && decorator->kind == AST_CALL ? elab_dotted(e, decorator->call.callee) : NULL;
    return d && strcmp(d, "pld.expansion") == 0;
}

bool elab_place(Elab *e, const Ast *call, Loc *out)
{
    const AstList *a = &call->call.args;
    Val v[3] = {{0}};
    for (uint32_t i = 0; i < a->len && i < 3; i++)
        v[i] = elab_eval(e, a->at[i]);
    if (a->len != 3 || v[0].kind != V_STR || v[1].kind != V_INT || v[2].kind != V_INT) {
        elab_error(e, call->span, "syntax", "write pld.loc(\"FILE\", LINE, COLUMN)");
        return false;
    }
    FarPlace *far = arena_new(e->arena, FarPlace);
    *far = (FarPlace){.file = v[0].s, .line = (uint32_t)v[1].i, .col = (uint32_t)v[2].i};
    *out = (Loc){.far = far};
    return true;
}

bool elab_has_decorator(Elab *e, const AstList *list, const char *name)
{
    for (uint32_t i = 0; i < list->len; i++) {
        Sym d = decorator_name(e, list->at[i]);
        if (d && strcmp(d, name) == 0)
            return true;
    }
    return false;
}

bool elab_is_kernel(Elab *e, const Ast *def)
{
    for (uint32_t i = 0; def->kind == AST_DEF && i < def->def.decorators.len; i++) {
        Sym d = decorator_name(e, def->def.decorators.at[i]);
        if (d && (strcmp(d, "pl.function") == 0 || jit_form(d)))
            return true;
    }
    return false;
}

void elab_bad_decorator(Elab *e, const Ast *d)
{
    Buf b = {0};
    const Ast *name = d->kind == AST_CALL ? d->call.callee : d;
    Sym dotted = elab_dotted(e, name);
    if (dotted && strcmp(dotted, "pl.jit.extern") == 0) {
        elab_error(e, d->span, "unsupported",
                   "@pl.jit.extern is not supported: write the kernel in the language, with "
                   "@pl.jit.incore");
        return;
    }
    ast_print_expr(&b, name);
    elab_error(
        e, d->span, "name",
        "unknown decorator @%s: a function has @pl.function(type=...), @pl.function(level=..., "
        "role=...), @pl.jit, @pl.jit.incore, @pl.jit.inline, @pl.jit.host, @pld.init or "
        "@pld.golden",
        b.at ? b.at : "");
    buf_free(&b);
}

/* Members that other compilers have, for cores that this one does not tell apart. */
static bool is_unsupported(Elab *e, const Ast *value, EnumType t)
{
    static const char *const types[] = {"AIC", "AIV", "Group", "Spmd", "Graph"};
    Sym d = elab_dotted(e, value);
    const char *member = d ? strrchr(d, '.') : NULL;
    bool found = member && t == ENUM_Level && strncmp(d, "pl.Level.", 9) == 0;
    found = found && strcmp(member, ".HOST") != 0;
    for (uint32_t i = 0; member && t == ENUM_FunctionType && i < 5; i++)
        found = found || strcmp(member + 1, types[i]) == 0;
    if (found)
        elab_error(e, value->span, "type",
                   "%s is not supported: one core does cube and vector work here: put the "
                   "statements into one pl.at scope, or an InCore function",
                   d);
    return found;
}

/* The value of an enumeration keyword of @pl.function; -1 after a mistake. */
static int64_t decorator_enum(Elab *e, const AstKeyword *k, EnumType t)
{
    if (is_unsupported(e, k->value, t))
        return -1;
    Val v = elab_eval(e, k->value);
    if (v.kind == V_ENUM && v.enum_type == t)
        return v.i;
    if (v.kind != V_BAD)
        elab_error(e, k->value->span, "type", "%s= takes a member of pl.%s, got %s", k->name,
                   enum_type_name(t), val_describe(e, v));
    return -1;
}

/* builtin=True, in dumps: the function was made by lower_host_collectives. */
static bool is_builtin_mark(const Elab *e, const AstKeyword *k)
{
    return e->ir && strcmp(k->name, "builtin") == 0 && k->value->kind == AST_TRUE;
}

/* What has no effect on results: checked, and that is all, but that strict_ssa=True forbids. */
static bool is_hint(Elab *e, const AstKeyword *k, FnDecl *out)
{
    static const char *const names[] = {"strict_ssa", "auto_scope", "attrs"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (k->name && strcmp(k->name, names[i]) == 0) {
            if (i < 2 && k->value->kind != AST_TRUE && k->value->kind != AST_FALSE)
                elab_error(e, k->value->span, "type", "%s= is True or False", k->name);
            out->strict |= i == 0 && k->value->kind == AST_TRUE;
            if (!e->ir && !(i == 0 && k->value->kind == AST_TRUE))
                diag_warn(e->diags, k->span, WARN_HINT, "%s= changes no result here", k->name);
            return true;
        }
    return false;
}

typedef struct {
    int64_t type, level, role;
} Words;

static bool read_word(Elab *e, const AstKeyword *k, Words *w)
{
    EnumType t = ENUM_Role;
    int64_t *v = &w->role;
    if (strcmp(k->name, "type") == 0) {
        t = ENUM_FunctionType;
        v = &w->type;
    } else if (strcmp(k->name, "level") == 0) {
        t = ENUM_Level;
        v = &w->level;
    } else if (strcmp(k->name, "external_source") == 0) {
        elab_error(e, k->span, "unsupported",
                   "external_source= is not supported: write the kernel in the language");
        return false;
    } else if (strcmp(k->name, "role") != 0) {
        elab_error(e, k->span, "name",
                   "@pl.function has no %s=: it takes type=, or level= and role=", k->name);
        return false;
    }
    *v = decorator_enum(e, k, t);
    return *v >= 0;
}

static bool function_kind(Elab *e, const Ast *d, FnDecl *out)
{
    Words w = {-1, -1, -1};
    bool ok = d->kind != AST_CALL || d->call.args.len == 0;
    if (d->kind == AST_CALL && ok && !elab_plain_call(e, d))
        return false;
    for (uint32_t i = 0; ok && d->kind == AST_CALL && i < d->call.keywords.len; i++) {
        const AstKeyword *k = &d->call.keywords.at[i];
        if (is_builtin_mark(e, k))
            out->generated = true;
        else if (!is_hint(e, k, out) && !read_word(e, k, &w))
            return false;
    }
    if (ok && w.level < 0 && w.role < 0) {
        /* Without a word it is what orchestrates: it may hold scopes. */
        const Form *f = &type_forms[w.type < 0 ? FUNCTION_OPAQUE : w.type];
        out->kind = f->kind;
        out->form = f->form;
        return true;
    }
    if (ok && w.type < 0 && w.level >= 0) {
        out->kind = FN_HOST;
        out->form = w.role == ROLE_SUB_WORKER ? FORM_SUBWORKER : FORM_PLAIN;
        return true;
    }
    elab_error(
        e, d->span, "type",
        "@pl.function takes type=pl.FunctionType.InCore, type=pl.FunctionType.Orchestration, or "
        "level=pl.Level.HOST, role=pl.Role.Orchestrator");
    return false;
}

static bool jit_kind(Elab *e, const Form *f, const Ast *d, FnDecl *out)
{
    bool ok = d->kind != AST_CALL || d->call.args.len == 0;
    for (uint32_t i = 0; ok && d->kind == AST_CALL && i < d->call.keywords.len; i++)
        ok = is_hint(e, &d->call.keywords.at[i], out);
    if (!ok)
        elab_error(e, d->span, "type", "@%s takes no arguments", f->name);
    out->kind = f->kind;
    out->form = f->form;
    return ok;
}

/* In .ir files a function may have its place, @pld.loc(...), and expansions above its own
 * decorator. */
const Ast *elab_decorator(Elab *e, const Ast *def, Loc *place)
{
    const AstList *list = &def->def.decorators;
    Sym first = e->ir && list->len > 1 ? decorator_name(e, list->at[0]) : NULL;
    uint32_t skip = first && strcmp(first, "pld.loc") == 0 && list->at[0]->kind == AST_CALL;
    *place = (Loc){0};
    if (skip && !elab_place(e, list->at[0], place))
        return NULL;
    while (skip + 1 < list->len && elab_is_expansion(e, list->at[skip]))
        skip++;
    if (list->len == 1 + skip)
        return list->at[skip];
    elab_error(e, def->def.name_span, "name", "%s has %u decorators, a function has one",
               def->def.name, list->len);
    return NULL;
}

bool elab_kernel_kind(Elab *e, const Ast *def, FnDecl *out)
{
    const Ast *d = elab_decorator(e, def, &out->place);
    if (!d)
        return false;
    const Form *f = jit_form(decorator_name(e, d));
    return f ? jit_kind(e, f, d, out) : function_kind(e, d, out);
}
