/* Which program of the file is compiled, and what belongs to it. */
#include "elab/elab.h"
#include <string.h>

/* The decorator's dotted name, whether it is called or not. */
static Sym decorator_name(Elab *e, const Ast *d)
{
    return elab_dotted(e, d->kind == AST_CALL ? d->call.callee : d);
}

static bool has_decorator(Elab *e, const AstList *list, const char *name)
{
    for (uint32_t i = 0; i < list->len; i++) {
        Sym d = decorator_name(e, list->at[i]);
        if (d && strcmp(d, name) == 0)
            return true;
    }
    return false;
}

bool elab_is_program_class(Elab *e, const Ast *a)
{
    return a->kind == AST_CLASS && has_decorator(e, &a->class_.decorators, "pl.program");
}

bool elab_is_element(Elab *e, const Ast *def)
{
    return def->kind == AST_DEF && (has_decorator(e, &def->def.decorators, "pld.init") ||
                                    has_decorator(e, &def->def.decorators, "pld.golden"));
}

bool elab_is_kernel(Elab *e, const Ast *def)
{
    static const char *const names[] = {"pl.function", "pl.jit", "pl.jit.host", "pl.jit.incore"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (def->kind == AST_DEF && has_decorator(e, &def->def.decorators, names[i]))
            return true;
    return false;
}

static bool holds_class(Elab *e, const AstList *body)
{
    for (uint32_t i = 0; i < body->len; i++) {
        const Ast *s = body->at[i];
        if (elab_is_program_class(e, s))
            return true;
        if (s->kind == AST_IF &&
            (holds_class(e, &s->if_.then) || holds_class(e, &s->if_.otherwise)))
            return true;
    }
    return false;
}

bool elab_is_factory(Elab *e, const Ast *a)
{
    return a->kind == AST_DEF && a->def.decorators.len == 0 && holds_class(e, &a->def.body);
}

/* ---- choosing */

typedef struct {
    const char *name;
    const Ast *at; /* class or factory; NULL: the functions of the module */
} Candidate;

typedef VEC(Candidate) Candidates;

static void first_class_name(Elab *e, const AstList *body, const char **name)
{
    for (uint32_t i = 0; i < body->len && !*name; i++) {
        const Ast *s = body->at[i];
        if (elab_is_program_class(e, s))
            *name = s->class_.name;
        else if (s->kind == AST_IF) {
            first_class_name(e, &s->if_.then, name);
            first_class_name(e, &s->if_.otherwise, name);
        }
    }
}

static void find_candidates(Elab *e, Candidates *out)
{
    bool module_form = false;
    for (uint32_t i = 0; i < e->module->body.len; i++) {
        const Ast *s = e->module->body.at[i];
        if (elab_is_program_class(e, s))
            avec_push(e->arena, out, (Candidate){s->class_.name, s});
        else if (elab_is_factory(e, s))
            avec_push(e->arena, out, (Candidate){s->def.name, s});
        else if (elab_is_kernel(e, s) && !module_form) {
            module_form = true;
            avec_push(e->arena, out, (Candidate){"Program", NULL});
        }
    }
}

static bool names_candidate(Elab *e, const Candidate *c, const char *name)
{
    if (strcmp(c->name, name) == 0)
        return true;
    const char *class_name = NULL;
    if (c->at && c->at->kind == AST_DEF)
        first_class_name(e, &c->at->def.body, &class_name);
    return class_name && strcmp(class_name, name) == 0;
}

static const char *list_candidates(Elab *e, const Candidates *c)
{
    const char *text = "";
    for (uint32_t i = 0; i < c->len; i++)
        text = arena_printf(e->arena, "%s%s%s", text, i ? ", " : "", c->at[i].name);
    return text;
}

static const Candidate *choose(Elab *e, const Candidates *c)
{
    const char *name = e->opt->program ? e->opt->program : e->header ? e->header->program : NULL;
    if (name) {
        for (uint32_t i = 0; i < c->len; i++)
            if (names_candidate(e, &c->at[i], name))
                return &c->at[i];
        elab_error(e, elab_top, "option", "no program %s in this file; it has: %s", name,
                   list_candidates(e, c));
        return NULL;
    }
    if (c->len > 1) {
        elab_error(e, elab_top, "option",
                   "this file holds several programs: %s; choose one with --program NAME",
                   list_candidates(e, c));
        return NULL;
    }
    return &c->at[0];
}

static bool no_program(Elab *e)
{
    /* After other messages this one would only repeat that the file is not a program. */
    if (!diags_failed(e->diags))
        elab_error(
            e, elab_top, "name",
            "no program in this file: it needs functions with @pl.jit decorators, a @pl.program "
            "class, or a factory def that returns one");
    return false;
}

/* Constants first: a factory sees all of the module's names, as in Python when it is called. */
static void run_module(Elab *e)
{
    Val ignored;
    for (uint32_t i = 0; i < e->module->body.len; i++) {
        const Ast *s = e->module->body.at[i];
        if (elab_is_program_class(e, s) || elab_is_factory(e, s) || elab_is_kernel(e, s) ||
            elab_foreign(e, s))
            continue;
        AstList one = {.at = (Ast **)(uintptr_t)&e->module->body.at[i], .len = 1};
        elab_run(e, &one, &ignored);
    }
}

static bool run_factory(Elab *e, const Ast *def)
{
    Val result = val_none;
    e->factory = def;
    e->scope = elab_scope_new(e, e->scope);
    elab_bind_factory(e);
    uint32_t errors = e->diags->n_errors;
    bool returned = elab_run(e, &def->def.body, &result);
    if (e->diags->n_errors > errors || result.kind == V_BAD)
        return false;
    if (returned && result.kind == V_PROGRAM) {
        e->class_ = result.class_;
        return true;
    }
    if (!diags_failed(e->diags))
        elab_error(e, def->def.name_span, "value",
                   "the factory %s must end with `return CLASS`, the @pl.program class%s%s",
                   def->def.name, returned ? ", not " : "",
                   returned ? val_describe(e, result) : "");
    return false;
}

/* What a helper names must be there, also when nothing calls it. */
static void check_helpers(Elab *e)
{
    for (uint32_t i = 0; i < e->module->body.len && !e->ir; i++)
        if (elab_is_helper(e, e->module->body.at[i]))
            elab_check_names(e, e->module->body.at[i]);
}

bool elab_find_program(Elab *e)
{
    Candidates candidates = {0};
    run_module(e);
    e->program = e->scope;
    find_candidates(e, &candidates);
    if (candidates.len == 0)
        return no_program(e);
    const Candidate *c = choose(e, &candidates);
    if (!c)
        return false;
    e->p->name = intern(e->in, c->name);
    if (c->at && c->at->kind == AST_CLASS)
        e->class_ = c->at;
    else if (c->at && !run_factory(e, c->at))
        return false;
    if (e->class_)
        e->p->name = e->class_->class_.name;
    e->program = e->scope;
    return true;
}

/* ---- functions */

static void bad_decorator(Elab *e, const Ast *d)
{
    Buf b = {0};
    ast_print_expr(&b, d->kind == AST_CALL ? d->call.callee : d);
    elab_error(
        e, d->span, "name",
        "unknown decorator @%s: a function has @pl.function(type=...), @pl.function(level=..., "
        "role=...), @pl.jit, @pl.jit.incore, @pl.jit.host, @pld.init or @pld.golden",
        b.at ? b.at : "");
    buf_free(&b);
}

/* The value of an enumeration keyword of @pl.function; -1 after a mistake. */
static int64_t decorator_enum(Elab *e, const AstKeyword *k, EnumType t)
{
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

static bool function_kind(Elab *e, const Ast *d, FuncKind *kind, bool *generated)
{
    int64_t type = -1, level = -1, role = -1;
    bool ok = d->kind == AST_CALL && d->call.args.len == 0;
    if (ok && !elab_plain_call(e, d))
        return false;
    for (uint32_t i = 0; ok && i < d->call.keywords.len; i++) {
        const AstKeyword *k = &d->call.keywords.at[i];
        if (is_builtin_mark(e, k)) {
            *generated = true;
            continue;
        }
        int64_t *v = strcmp(k->name, "type") == 0    ? &type
                     : strcmp(k->name, "level") == 0 ? &level
                                                     : &role;
        if (v == &role && strcmp(k->name, "role") != 0) {
            elab_error(e, k->span, "name",
                       "@pl.function has no %s=: it takes type=, or level= and role=", k->name);
            return false;
        }
        *v = decorator_enum(e, k,
                            v == &type    ? ENUM_FunctionType
                            : v == &level ? ENUM_Level
                                          : ENUM_Role);
        if (*v < 0)
            return false;
    }
    if (ok && type >= 0 && level < 0 && role < 0) {
        *kind = type == FUNCTION_INCORE ? FN_INCORE : FN_ORCH;
        return true;
    }
    if (ok && type < 0 && level >= 0) {
        *kind = FN_HOST;
        return true;
    }
    elab_error(
        e, d->span, "type",
        "@pl.function takes type=pl.FunctionType.InCore, type=pl.FunctionType.Orchestration, or "
        "level=pl.Level.HOST, role=pl.Role.Orchestrator");
    return false;
}

static bool jit_kind(Elab *e, Sym name, const Ast *d, FuncKind *kind)
{
    if (d->kind == AST_CALL && (d->call.args.len || d->call.keywords.len)) {
        elab_error(e, d->span, "type", "@%s takes no arguments", name);
        return false;
    }
    *kind = strcmp(name, "pl.jit") == 0        ? FN_ORCH
            : strcmp(name, "pl.jit.host") == 0 ? FN_HOST
                                               : FN_INCORE;
    return true;
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

static bool kernel_kind(Elab *e, const Ast *def, FnDecl *out)
{
    const Ast *d = elab_decorator(e, def, &out->place);
    if (!d)
        return false;
    Sym name = decorator_name(e, d);
    if (name && strcmp(name, "pl.function") == 0)
        return function_kind(e, d, &out->kind, &out->generated);
    return jit_kind(e, name, d, &out->kind);
}

static bool has_self(const Elab *e, const Ast *def)
{
    return def->def.params.len && def->def.params.at[0].name == e->s_self;
}

static bool add_function(Elab *e, const Ast *def, bool in_class)
{
    /* A kernel of a class that was pasted into a module keeps its self. */
    FnDecl d = {.def = def, .name = def->def.name, .method = has_self(e, def)};
    uint64_t at;
    if (!kernel_kind(e, def, &d))
        return false;
    if (in_class && !d.method) {
        elab_error(e, def->def.name_span, "type",
                   "%s stands in a class: its first parameter must be self", def->def.name);
        return false;
    }
    if (map_get_ptr(&e->decl_index, def->def.name, &at)) {
        elab_error(e, def->def.name_span, "name", "the function %s is defined twice",
                   def->def.name);
        diag_note(e->diags, e->decls.at[at].def->def.name_span, "the first one is here");
        return false;
    }
    map_set_ptr(&e->decl_index, def->def.name, e->decls.len);
    avec_push(e->arena, &e->decls, d);
    return true;
}

static bool class_member(Elab *e, const Ast *s)
{
    if (s->kind == AST_PASS || s->kind == AST_ERROR ||
        (s->kind == AST_EXPR_STMT && s->value->kind == AST_STR))
        return true;
    if (elab_is_element(e, s)) {
        avec_push(e->arena, &e->elements, s);
        return true;
    }
    if (elab_is_kernel(e, s))
        return add_function(e, s, true);
    if (s->kind == AST_DEF && s->def.decorators.len)
        bad_decorator(e, s->def.decorators.at[0]);
    else if (s->kind == AST_DEF)
        elab_error(e, s->def.name_span, "name",
                   "%s has no decorator: say which level it is for, "
                   "@pl.function(type=pl.FunctionType.InCore) for a kernel or a helper of one",
                   s->def.name);
    else
        elab_error(e, s->span, "value",
                   "a program class holds functions only: put constants before the class");
    return false;
}

bool elab_collect(Elab *e)
{
    bool ok = true;
    const AstList *body = e->class_ ? &e->class_->class_.body : &e->module->body;
    if (e->class_ && e->class_->class_.bases.len) {
        elab_error(e, e->class_->class_.name_span, "value", "a program class has no base classes");
        ok = false;
    }
    for (uint32_t i = 0; i < body->len; i++) {
        if (e->class_)
            ok &= class_member(e, body->at[i]);
        else if (elab_is_kernel(e, body->at[i]))
            ok &= add_function(e, body->at[i], false);
    }
    check_helpers(e);
    return ok;
}

FnDecl *elab_decl(Elab *e, Sym name)
{
    uint64_t at;
    return map_get_ptr(&e->decl_index, name, &at) ? &e->decls.at[at] : NULL;
}

FnDecl *elab_find_entry(Elab *e)
{
    FnDecl *found = NULL;
    Span second = {0};
    const char *names = "";
    uint32_t n = 0;
    const char *want = e->opt->entry ? e->opt->entry : e->header ? e->header->entry : NULL;
    for (uint32_t i = 0; i < e->decls.len; i++) {
        FnDecl *d = &e->decls.at[i];
        if (d->kind != FN_HOST)
            continue;
        names = arena_printf(e->arena, "%s%s%s", names, n++ ? ", " : "", d->name);
        if (n == 2)
            second = d->def->def.name_span;
        if (!found && (!want || strcmp(want, d->name) == 0))
            found = d;
    }
    if (n == 0)
        elab_error(e, e->decls.len ? e->decls.at[0].def->def.name_span : elab_top, "name",
                   "this program has kernels and no host function to start them: `pldc --skeleton "
                   "FILE` prints one that fits");
    else if (want && !found)
        elab_error(e, elab_top, "option", "no host function %s; there is: %s", want, names);
    else if (!want && n > 1)
        elab_error(e, second, "option", "several host functions: %s; choose one with --entry NAME",
                   names);
    else
        return found;
    return NULL;
}
