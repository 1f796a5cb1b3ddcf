/* What a Python script has around its kernels and a .pld file does not: one message for each such
 * statement, saying what to delete, and none about what follows from it. */
#include "elab/comptime/elab.h"
#include <string.h>

static bool is_pl_module(const char *m)
{
    return strcmp(m, "pypto.language") == 0 || strcmp(m, "pypto") == 0;
}

static bool is_pld_module(const char *m)
{
    return strcmp(m, "pypto.language.distributed") == 0;
}

/* Modules of hints about types, which compile-time code does without. */
static bool is_hint_module(const char *m)
{
    return strcmp(m, "typing") == 0 || strcmp(m, "__future__") == 0;
}

static void import_math_name(Elab *e, Sym name, Sym alias, Span span)
{
    double v;
    Val what = {.kind = V_MATH, .s = name};
    if (elab_math_constant(name, &v))
        what = val_float(v);
    else if (!elab_is_math(name))
        what = elab_math_unknown(e, name, span);
    elab_define(e, e->scope, alias ? alias : name, what, span);
}

/* `import math [as m]`, `from math import sqrt, pi`; false: another module. */
static bool import_math(Elab *e, const Ast *s)
{
    Sym from = s->import.from;
    if (from && strcmp(from, "math") == 0) {
        import_math_name(e, s->import.module, s->import.alias, s->span);
        for (uint32_t i = 0; i < s->import.more.len; i++)
            import_math_name(e, s->import.more.at[i].name, s->import.more.at[i].alias, s->span);
        return true;
    }
    if (from || strcmp(s->import.module, "math") != 0)
        return false;
    avec_push(e->arena, &e->math_alias, s->import.alias ? s->import.alias : s->import.module);
    return true;
}

/* `from pypto import language as pl`, `from pypto.language import distributed as pld, add`. */
static bool import_from(Elab *e, const Ast *s)
{
    const char *from = s->import.from;
    bool pypto = from && strcmp(from, "pypto") == 0, pld = from && is_pld_module(from);
    if (!from || (!pypto && !pld && strcmp(from, "pypto.language") != 0))
        return false;
    for (uint32_t i = 0; i <= s->import.more.len; i++) {
        Sym name = i ? s->import.more.at[i - 1].name : s->import.module;
        Sym alias = i ? s->import.more.at[i - 1].alias : s->import.alias;
        alias = alias ? alias : name;
        if (strcmp(name, "*") == 0 || (pypto && strcmp(name, "language") != 0))
            return false;
        if (pypto)
            avec_push(e->arena, &e->pl_alias, alias);
        else if (!pld && strcmp(name, "distributed") == 0)
            avec_push(e->arena, &e->pld_alias, alias);
        else
            map_set_ptr(&e->from_names, alias,
                        (uint64_t)(uintptr_t)internf(e->in, "%s.%s", pld ? "pld" : "pl", name));
    }
    return true;
}

static bool is_language_import(const Ast *s)
{
    return !s->import.from && s->import.module &&
           (is_pl_module(s->import.module) || is_pld_module(s->import.module));
}

/* What an import that is refused binds: its uses say nothing more. */
static void bad_import(Elab *e, const Ast *s)
{
    for (uint32_t i = 0; !is_language_import(s) && i <= s->import.more.len; i++) {
        Sym name = i ? s->import.more.at[i - 1].name : s->import.module;
        Sym alias = i ? s->import.more.at[i - 1].alias : s->import.alias;
        if (!alias && !name)
            continue;
        elab_define(e, e->scope, alias ? alias : name, val_bad, s->span);
        map_set_ptr(&e->foreign_names, alias ? alias : name, 1);
    }
}

static void import_one(Elab *e, const Ast *s)
{
    Sym module = s->import.module;
    if (import_from(e, s))
        return;
    if (import_math(e, s) || is_hint_module(s->import.from ? s->import.from : module))
        return;
    bad_import(e, s);
    if (s->import.from) {
        elab_error(
            e, s->span, "name",
            "delete this import: a program says `import pypto.language as pl` and "
            "`import pypto.language.distributed as pld`, or nothing; a file named .py is read as "
            "a script, of which the rest is skipped");
        return;
    }
    if (!is_language_import(s)) {
        elab_error(e, s->span, "name",
                   "delete `import %s`: a program uses pypto.language and "
                   "pypto.language.distributed only, or name the file .py to have the rest of a "
                   "script skipped",
                   module ? module : "...");
        return;
    }
    if (!s->import.alias)
        return;
    if (is_pld_module(module))
        avec_push(e->arena, &e->pld_alias, s->import.alias);
    else
        avec_push(e->arena, &e->pl_alias, s->import.alias);
}

static void imports_of(Elab *e, const AstList *body)
{
    for (uint32_t i = 0; i < body->len; i++)
        if (body->at[i]->kind == AST_IMPORT)
            import_one(e, body->at[i]);
        else if (body->at[i]->kind == AST_DEF && body->at[i]->def.decorators.len == 0)
            imports_of(e, &body->at[i]->def.body);
}

/* Names of skipped lines: a parameter where -D gives a value, else an error where they are used. */
static void poisoned(Elab *e)
{
    for (uint32_t i = 0; i < e->module->poisoned.len; i++) {
        const AstPoison *p = &e->module->poisoned.at[i];
        Val v = p->reported ? val_bad : (Val){.kind = V_POISON, .s = p->what};
        if (elab_is_set(e, p->name))
            v = elab_param(e, p->name, p->span, NULL, NULL);
        elab_define(e, e->scope, p->name, v, p->span);
    }
}

void elab_imports(Elab *e)
{
    poisoned(e);
    avec_push(e->arena, &e->pl_alias, e->s_pl);
    avec_push(e->arena, &e->pld_alias, e->s_pld);
    for (uint32_t i = 0; i < e->module->body.len; i++) {
        const Ast *s = e->module->body.at[i];
        if (s->kind == AST_IMPORT)
            import_one(e, s);
        else if (elab_is_factory(e, s))
            imports_of(e, &s->def.body);
    }
}

/* The first name below `a` that a program cannot know (torch, os, argparse, ...), or NULL. */
static Sym root_name(const Ast *a)
{
    while (a) {
        switch (a->kind) {
        case AST_NAME: return a->name;
        case AST_ATTR: a = a->attr.base; break;
        case AST_CALL: a = a->call.callee; break;
        case AST_SUBSCRIPT: a = a->sub.base; break;
        default: return NULL;
        }
    }
    return NULL;
}

static bool has_meaning(const Elab *e, Sym name)
{
    return elab_find_name(e->scope, name) && !map_get_ptr(&e->foreign_names, name, NULL);
}

static bool is_known(Elab *e, Sym name)
{
    for (uint32_t i = 0; i < e->pl_alias.len; i++)
        if (e->pl_alias.at[i] == name)
            return true;
    for (uint32_t i = 0; i < e->pld_alias.len; i++)
        if (e->pld_alias.at[i] == name)
            return true;
    for (uint32_t i = 0; i < e->math_alias.len; i++)
        if (e->math_alias.at[i] == name)
            return true;
    return has_meaning(e, name) || elab_is_builtin(name);
}

static void poison(Elab *e, const Ast *target)
{
    if (target->kind == AST_NAME)
        elab_define(e, e->scope, target->name, val_bad, target->span);
    else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
        for (uint32_t i = 0; i < target->items.len; i++)
            poison(e, target->items.at[i]);
}

/* `x = torch.f(...)`, `program = build(2)`: names made by code that is not of this language. */
static bool foreign_assign(Elab *e, const Ast *s)
{
    const Ast *value = s->kind == AST_ASSIGN ? s->assign.value : s->ann.value;
    Sym root = value && value->kind != AST_NAME ? root_name(value) : NULL;
    if (!root || is_known(e, root))
        return false;
    elab_error(
        e, s->span, "name", "delete this statement: %s is nothing that a program knows%s", root,
        value->kind == AST_CALL ? ", pldc and pldrun build and start programs themselves" : "");
    if (s->kind == AST_ANN_ASSIGN)
        poison(e, s->ann.target);
    for (uint32_t i = 0; s->kind == AST_ASSIGN && i < s->assign.targets.len; i++)
        poison(e, s->assign.targets.at[i]);
    return true;
}

static bool is_main_guard(const Ast *s)
{
    const Ast *c = s->if_.cond;
    return c->kind == AST_COMPARE && c->compare.first->kind == AST_NAME &&
           strcmp(c->compare.first->name, "__name__") == 0;
}

static bool is_compile_time_stmt(const Ast *s)
{
    switch (s->kind) {
    case AST_ASSIGN: return s->assign.targets.at[0]->kind != AST_SUBSCRIPT;
    case AST_ANN_ASSIGN: return s->ann.target->kind == AST_NAME;
    case AST_AUG_ASSIGN: return s->aug.target->kind == AST_NAME;
    case AST_RETURN:
    case AST_PASS:
    case AST_BREAK:
    case AST_CONTINUE:
    case AST_RAISE:
    case AST_ASSERT:
    case AST_ERROR: return true;
    case AST_EXPR_STMT: return s->value->kind == AST_STR || s->value->kind == AST_ERROR;
    case AST_IF:
    case AST_WHILE:
        return elab_is_compile_time(&s->if_.then) && elab_is_compile_time(&s->if_.otherwise);
    case AST_FOR:
        return elab_is_compile_time(&s->for_.body) && elab_is_compile_time(&s->for_.otherwise);
    case AST_DEF: return s->def.decorators.len == 0 && elab_is_compile_time(&s->def.body);
    default: return false;
    }
}

bool elab_is_compile_time(const AstList *body)
{
    for (uint32_t i = 0; i < body->len; i++)
        if (!is_compile_time_stmt(body->at[i]))
            return false;
    return true;
}

bool elab_is_helper(Elab *e, const Ast *s)
{
    if (elab_makes_kernels(e, s))
        return true;
    return s->kind == AST_DEF && s->def.decorators.len == 0 && strcmp(s->def.name, "main") != 0 &&
           elab_is_compile_time(&s->def.body) && !elab_has_operations(e, s) &&
           !elab_is_factory(e, s);
}

static bool foreign_def(Elab *e, const Ast *s)
{
    if (elab_is_element(e, s) || elab_is_helper(e, s))
        return false;
    elab_define(e, e->scope, s->def.name, val_bad, s->def.name_span);
    if (s->def.decorators.len) {
        elab_bad_decorator(e, s->def.decorators.at[0]);
        return true;
    }
    bool main = strcmp(s->def.name, "main") == 0;
    if (!main && elab_has_operations(e, s)) {
        elab_error(e, s->def.name_span, "name",
                   "%s has no decorator: write @pl.jit.incore above it, as above the kernels that "
                   "call it, or @pl.jit for an orchestration function",
                   s->def.name);
        return true;
    }
    elab_error(e, s->def.name_span, "name",
               main ? "delete the function %s: pldrun starts the program, @pld.init and "
                      "@pld.golden give its inputs and check its outputs"
                    : "delete the function %s: it is no kernel (those have a decorator) and no "
                      "factory (it holds no @pl.program class)",
               s->def.name);
    return true;
}

static bool foreign_class(Elab *e, const Ast *s)
{
    elab_error(e, s->class_.name_span, "name",
               "delete the class %s, or decorate it with @pl.program", s->class_.name);
    elab_define(e, e->scope, s->class_.name, val_bad, s->class_.name_span);
    return true;
}

/* X.append(2): compile-time code says what it has instead. */
static bool is_method_call(Elab *e, const Ast *a)
{
    const Ast *f = a->kind == AST_CALL ? a->call.callee : a;
    return f->kind == AST_ATTR && f->attr.base->kind == AST_NAME &&
           has_meaning(e, f->attr.base->name);
}

bool elab_foreign(Elab *e, const Ast *s)
{
    switch (s->kind) {
    case AST_IMPORT: return true;
    case AST_DEF: return foreign_def(e, s);
    case AST_CLASS: return foreign_class(e, s);
    case AST_IF:
        if (!is_main_guard(s))
            return false;
        elab_error(e, span_join((Span){s->span.begin, s->span.begin + 1}, s->if_.cond->span),
                   "name",
                   "delete this block: pldrun is what starts a program; or name the file .py");
        return true;
    case AST_ASSIGN:
    case AST_ANN_ASSIGN: return foreign_assign(e, s);
    case AST_EXPR_STMT:
        if (s->value->kind == AST_STR || s->value->kind == AST_ERROR || is_method_call(e, s->value))
            return false;
        if (e->syntax_errors)
            return true; /* of a block that lost its head, perhaps */
        elab_error(e, s->span, "name",
                   "delete this statement: at module level a program has constants, functions and "
                   "classes");
        return true;
    case AST_TRY:
    case AST_WITH:
    case AST_DELETE:
    case AST_GLOBAL:
        elab_error(
            e, (Span){s->span.begin, s->span.begin + 1}, "name",
            "delete this `%s`: at module level a program has constants, functions and classes",
            ast_kind_name(s->kind));
        return true;
    default: return false;
    }
}
