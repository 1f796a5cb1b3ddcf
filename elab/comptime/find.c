/* Which program of the file is compiled, and what belongs to it. */
#include "elab/comptime/elab.h"
#include <string.h>

bool elab_is_program_class(Elab *e, const Ast *a)
{
    return a->kind == AST_CLASS && elab_has_decorator(e, &a->class_.decorators, "pl.program");
}

bool elab_is_element(Elab *e, const Ast *def)
{
    return def->kind == AST_DEF && (elab_has_decorator(e, &def->def.decorators, "pld.init") ||
                                    elab_has_decorator(e, &def->def.decorators, "pld.golden"));
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

static const char *wanted_program(const Elab *e)
{
    return e->opt->program ? e->opt->program : e->header ? e->header->program : NULL;
}

static bool names_module(const Elab *e)
{
    const char *name = wanted_program(e);
    return name && strcmp(name, "Program") == 0;
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
        else
            module_form = module_form || elab_is_kernel(e, s);
    }
    /* Kernels beside a class are helpers of it. */
    if (module_form && (out->len == 0 || names_module(e)))
        avec_push(e->arena, out, (Candidate){"Program", NULL});
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
    const char *name = wanted_program(e);
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

static bool target_is_set(Elab *e, const Ast *t)
{
    bool set = t->kind == AST_NAME && elab_is_set(e, t->name);
    for (uint32_t i = 0; t->kind != AST_NAME && i < t->items.len; i++)
        set |= target_is_set(e, t->items.at[i]);
    return set;
}

static void poison_target(Elab *e, AstModule *m, const Ast *t)
{
    if (t->kind == AST_NAME) {
        elab_define(e, e->scope, t->name, (Val){.kind = V_POISON}, t->span);
        avec_push(e->arena, &m->poisoned, (AstPoison){.name = t->name, .span = t->span});
    }
    for (uint32_t i = 0; t->kind != AST_NAME && i < t->items.len; i++)
        poison_target(e, m, t->items.at[i]);
}

/* An assignment of a script that compile-time code cannot do is one that is skipped: it is a
 * mistake where its name is used. The module loses it, so that a dump is a program. */
static void run_script_constant(Elab *e, const AstList *one, const Ast *target)
{
    AstModule *m = (AstModule *)(uintptr_t)e->module;
    Val ignored;
    bool muted = e->diags->muted;
    uint32_t errors = e->diags->n_errors, bindings = e->p->bindings.len;
    e->diags->muted = true;
    elab_run(e, one, &ignored);
    e->diags->muted = muted;
    if (e->diags->n_errors == errors)
        return;
    e->diags->n_errors = errors;
    e->p->bindings.len = bindings;
    poison_target(e, m, target);
    one->at[0]->kind = AST_PASS;
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
        const Ast *target = s->kind == AST_ASSIGN       ? s->assign.targets.at[0]
                            : s->kind == AST_ANN_ASSIGN ? s->ann.target
                                                        : NULL;
        if (e->module->script && target && !target_is_set(e, target))
            run_script_constant(e, &one, target);
        else
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
        if (!e->module->script && elab_is_helper(e, e->module->body.at[i]))
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
    e->program = e->home = e->scope;
    return true;
}

/* ---- functions */

static bool has_self(const Elab *e, const Ast *def)
{
    return def->def.params.len && def->def.params.at[0].name == e->s_self;
}

static bool add_function(Elab *e, const Ast *def, bool in_class)
{
    /* A kernel of a class that was pasted into a module keeps its self. */
    FnDecl d = {.def = def, .name = def->def.name, .method = has_self(e, def)};
    uint64_t at;
    if (!elab_kernel_kind(e, def, &d))
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
    bool bad = s->kind == AST_ASSIGN && s->assign.value->kind == AST_ERROR;
    if (bad || s->kind == AST_PASS || s->kind == AST_ERROR ||
        (s->kind == AST_EXPR_STMT && s->value->kind == AST_STR))
        return true;
    if (elab_is_element(e, s)) {
        avec_push(e->arena, &e->elements, s);
        return true;
    }
    if (elab_is_kernel(e, s))
        return add_function(e, s, true);
    if (s->kind == AST_DEF && s->def.decorators.len)
        elab_bad_decorator(e, s->def.decorators.at[0]);
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

/* Kernels at module level and in the factory, which those of the class call by their names. */
static bool beside_class(Elab *e)
{
    bool ok = true;
    for (uint32_t i = 0; e->class_ && i < e->module->body.len; i++)
        if (elab_is_kernel(e, e->module->body.at[i]))
            ok &= add_function(e, e->module->body.at[i], false);
    for (uint32_t i = 0; i < e->nested.len; i++)
        ok &= add_function(e, e->nested.at[i], false);
    return ok;
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
    return ok && beside_class(e);
}

FnDecl *elab_decl(Elab *e, Sym name)
{
    uint64_t at;
    if (map_get_ptr(&e->decl_index, name, &at))
        return &e->decls.at[at];
    const CtName *n = elab_find_name(e->scope, name);
    return n && n->val.kind == V_KERNEL ? &e->decls.at[n->val.i] : NULL;
}

/* ---- factories of kernels */

static bool holds_kernel(Elab *e, const AstList *body)
{
    for (uint32_t i = 0; i < body->len; i++) {
        const Ast *s = body->at[i];
        bool branches = s->kind == AST_IF;
        if (elab_is_kernel(e, s) || (s->kind == AST_FOR && holds_kernel(e, &s->for_.body)) ||
            (branches && (holds_kernel(e, &s->if_.then) || holds_kernel(e, &s->if_.otherwise))))
            return true;
    }
    return false;
}

bool elab_makes_kernels(Elab *e, const Ast *def)
{
    return def->kind == AST_DEF && !def->def.decorators.len && holds_kernel(e, &def->def.body) &&
           !elab_is_factory(e, def);
}

/* k, k_1, ...: a copy of the definition under a name that no other has. */
Val elab_make_kernel(Elab *e, const Ast *def)
{
    Ast *own = arena_new(e->arena, Ast);
    *own = *def;
    uint64_t at;
    for (uint32_t i = 1; map_get_ptr(&e->decl_index, own->def.name, &at); i++)
        own->def.name = internf(e->in, "%s_%u", def->def.name, i);
    if (!add_function(e, own, false))
        return val_bad;
    vec_last(&e->decls).scope = e->scope;
    e->helpers++; /* the scope is kept */
    return (Val){.kind = V_KERNEL, .i = e->decls.len - 1};
}

ScopeMark elab_enter_scope(Elab *e, const FnDecl *d)
{
    ScopeMark mark = {e->scope, e->program};
    e->scope = d->scope ? d->scope : e->home;
    e->program = e->scope;
    return mark;
}

void elab_leave_scope(Elab *e, ScopeMark mark)
{
    e->scope = mark.scope;
    e->program = mark.program;
}
