/* One module out of several: what the file at hand needs of the others comes before its own
 * statements. Names stay what they are unless they would mean something else then. */
#include "elab/comptime/elab.h"
#include "elab/comptime/module.h"
#include <string.h>

enum { MANY = MODULES_MAX + 1 };

typedef struct {
    Module *m;
    Global *g;
} Needed;

typedef struct {
    Modules *ms;
    Module *m; /* of the statement at hand */
    Map bound; /* name -> 1 + number of the only module that binds it, or MANY */
    Map flats; /* names of what is needed -> its Global */
    VEC(Needed) todo;
    AstModule *out;
    Map imported; /* names that imports in `out` bind */
} Flat;

static Module *main_module(const Flat *f)
{
    return f->ms->modules.at[0];
}

/* ---- names of dynamic extents */

/* NAME = pl.dynamic("TEXT") -> TEXT: an extent is one wherever it is declared. */
static Sym dynamic_text(const Ast *s)
{
    const Ast *v = s->kind == AST_ASSIGN && s->assign.targets.len == 1 ? s->assign.value : NULL;
    bool call = v && v->kind == AST_CALL && v->call.args.len == 1 &&
                v->call.callee->kind == AST_ATTR && v->call.args.at[0]->kind == AST_STR;
    return call && strcmp(v->call.callee->attr.name, "dynamic") == 0 ? v->call.args.at[0]->str.text
                                                                     : NULL;
}

static Sym dynamic_of(const Module *m, const Global *g)
{
    return g->kind == GLOBAL_OWN && g->stmts.len == 1
               ? dynamic_text(m->ast->body.at[g->stmts.at[0]])
               : NULL;
}

/* Two modules that declare one extent share the declaration of the first. */
static void share_extents(Modules *ms)
{
    Map first = {0};
    for (uint32_t i = 0; i < ms->order.len; i++) {
        Module *m = ms->order.at[i];
        for (uint32_t k = 0; k < m->globals.len; k++) {
            Global *g = m->globals.at[k];
            Sym text = dynamic_of(m, g);
            uint64_t old;
            if (!text)
                continue;
            if (!map_get_ptr(&first, text, &old)) {
                map_set_ptr(&first, text, (uint64_t)(uintptr_t)m);
                continue;
            }
            Module *of = (Module *)(uintptr_t)old;
            const Global *theirs = module_global(of, g->name);
            if (of == m || !theirs || dynamic_of(of, theirs) != text)
                continue;
            g->kind = GLOBAL_FROM;
            g->of = of;
            g->member = g->name;
            m->ast->body.at[g->stmts.at[0]]->kind = AST_PASS;
        }
    }
    map_free(&first);
}

/* ---- who binds which names */

static void note_bound(void *env, Sym name, Span span)
{
    Flat *f = env;
    uint64_t old, own = f->m->number + (uint64_t)1;
    (void)span;
    bool other = map_get_ptr(&f->bound, name, &old) && old != own;
    map_set_ptr(&f->bound, name, other ? MANY : own);
}

static void find_bound(Flat *f)
{
    for (uint32_t i = 0; i < f->ms->order.len; i++) {
        f->m = f->ms->order.at[i];
        for (uint32_t k = 0; k < f->m->ast->body.len; k++)
            module_bound(f->m->ast->body.at[k], true, note_bound, f);
    }
}

/* The others that have the name have the same thing by it. */
static bool same_language(const Flat *f, const Module *m, const Global *g)
{
    for (uint32_t i = 0; i < f->ms->order.len; i++) {
        const Global *other = module_global(f->ms->order.at[i], g->name);
        if (f->ms->order.at[i] != m && other &&
            (other->kind != GLOBAL_LANGUAGE || other->language != g->language))
            return false;
    }
    return true;
}

static bool is_free(const Flat *f, const Module *m, const Global *g, Sym name)
{
    uint64_t by, used;
    if (map_get_ptr(&f->flats, name, &used) && used != (uint64_t)(uintptr_t)g)
        return false;
    return !elab_is_builtin(name) &&
           (!map_get_ptr(&f->bound, name, &by) || (name == g->name && by == m->number + 1u));
}

static void give_name(Flat *f, const Module *m, Global *g)
{
    Sym name = g->name;
    bool keeps =
        m == main_module(f) || g->element || (g->kind == GLOBAL_LANGUAGE && same_language(f, m, g));
    for (uint32_t i = 0; !keeps && !is_free(f, m, g, name); i++)
        name = i ? internf(f->ms->in, "%s_%s_%u", m->label, g->name, i)
                 : internf(f->ms->in, "%s_%s", m->label, g->name);
    g->flat = name;
    map_set_ptr(&f->flats, name, (uint64_t)(uintptr_t)g);
}

/* ---- what is needed */

static void need(void *env, Ast *node, Module *owner, Global *g)
{
    Flat *f = env;
    (void)node;
    /* An init or golden function is needed where it is imported: a name in a body is a tensor. */
    if (!g || g->needed || (g->element && node))
        return;
    g->needed = true;
    give_name(f, owner, g);
    avec_push(f->ms->arena, &f->todo, (Needed){owner, g});
}

static void keep(Flat *f, Module *m, uint32_t stmt)
{
    if (m->stmts.at[stmt].kept)
        return;
    m->stmts.at[stmt].kept = true;
    module_walk(f->ms, m, m->ast->body.at[stmt], need, f);
}

static void follow(Flat *f)
{
    while (f->todo.len) {
        Needed n = vec_pop(&f->todo);
        for (uint32_t i = 0; i < n.g->stmts.len; i++)
            keep(f, n.m, n.g->stmts.at[i]);
    }
}

static bool has_definitions(const Module *m)
{
    for (uint32_t i = 0; i < m->ast->body.len; i++) {
        const Ast *s = m->ast->body.at[i];
        if (s->kind == AST_CLASS || (s->kind == AST_DEF && s->def.decorators.len))
            return true;
    }
    return false;
}

/* A file that only imports its program names it by importing it. */
static void need_main(Flat *f)
{
    Module *m = main_module(f);
    bool own = has_definitions(m);
    for (uint32_t i = 0; i < m->ast->body.len; i++)
        keep(f, m, i);
    for (uint32_t i = 0; i < m->globals.len; i++) {
        Module *owner = m;
        Global *g = m->globals.at[i];
        bool from = g->kind == GLOBAL_FROM && module_global(m, g->name) == g;
        g = from ? module_resolve(g, &owner, 0) : NULL;
        if (g && (g->element || (!own && g->kind == GLOBAL_OWN)))
            need(f, NULL, owner, g);
    }
    follow(f);
}

/* asserts and the like run when a module is imported. */
static void need_actions(Flat *f)
{
    for (uint32_t i = 0; i < f->ms->order.len; i++) {
        Module *m = f->ms->order.at[i];
        for (uint32_t k = 0; k < m->ast->body.len; k++) {
            const Ast *s = m->ast->body.at[k];
            bool docstring = s->kind == AST_EXPR_STMT && s->value->kind == AST_STR;
            if (!m->stmts.at[k].binds && s->kind != AST_IMPORT && s->kind != AST_PASS && !docstring)
                keep(f, m, k);
        }
    }
    follow(f);
}

/* ---- writing it */

static void rename_use(void *env, Ast *node, Module *owner, Global *g)
{
    Flat *f = env;
    uint64_t other;
    (void)owner;
    if (g && node->kind == AST_NAME) {
        node->name = g->element ? node->name : g->flat;
    } else if (g) {
        ast_to_name(node, g->flat, node->span);
    } else if (map_get_ptr(&f->flats, node->name, &other) && !elab_is_builtin(node->name) &&
               ((Global *)(uintptr_t)other)->kind != GLOBAL_LANGUAGE) {
        diag_error(f->ms->diags, node->span, "name",
                   "unknown name %s: this file does not import it", node->name);
    }
}

static void rename_definition(void *env, Ast *a)
{
    Flat *f = env;
    if (a->kind != AST_DEF && a->kind != AST_CLASS) {
        ast_children(a, rename_definition, env);
        return;
    }
    Sym *name = a->kind == AST_DEF ? &a->def.name : &a->class_.name;
    const Global *g = module_global(f->m, *name);
    if (g && g->flat)
        *name = g->flat;
}

/* The names that an import binds; false: `out` binds them all already. */
static bool rename_import(Flat *f, Ast *s)
{
    bool new = f->m == main_module(f);
    for (uint32_t i = 0; i <= s->import.more.len; i++) {
        Sym name = i ? s->import.more.at[i - 1].name : s->import.module;
        Sym *alias = i ? &s->import.more.at[i - 1].alias : &s->import.alias;
        const Global *g = module_global(f->m, *alias ? *alias : name);
        if (!g || !g->flat)
            continue;
        if (g->flat != (*alias ? *alias : name))
            *alias = g->flat;
        new |= !map_get_ptr(&f->imported, g->flat, NULL);
        map_set_ptr(&f->imported, g->flat, 1);
    }
    return new;
}

static void write_stmt(Flat *f, uint32_t stmt)
{
    Ast *s = f->m->ast->body.at[stmt];
    bool into = f->m->stmts.at[stmt].kept || s->kind == AST_IMPORT;
    if (!into || s->kind == AST_PASS || (s->kind == AST_IMPORT && !rename_import(f, s)))
        return;
    if (s->kind != AST_IMPORT) {
        module_walk(f->ms, f->m, s, rename_use, f);
        rename_definition(f, s);
    }
    avec_push(f->ms->arena, &f->out->body, s);
    bool kernel = s->kind == AST_CLASS || (s->kind == AST_DEF && s->def.decorators.len);
    bool constant = s->kind == AST_ASSIGN || s->kind == AST_ANN_ASSIGN;
    f->m->ast->kernels += f->m != main_module(f) && kernel;
    f->m->ast->constants += f->m != main_module(f) && constant;
}

/* Names that skipped lines of other files make, and those whose import is a mistake. */
static void write_poisons(Flat *f, const Module *m)
{
    for (uint32_t i = 0; i < m->globals.len; i++) {
        const Global *g = m->globals.at[i];
        AstPoison p = {.name = g->flat, .span = g->span, .reported = g->kind == GLOBAL_BAD};
        bool other = g->kind == GLOBAL_POISON && m != main_module(f);
        if (g->needed && (other || p.reported))
            avec_push(f->ms->arena, &f->out->poisoned, p);
    }
}

static void write_module(Flat *f, Module *m)
{
    bool imported = m != main_module(f);
    f->m = m;
    m->ast->kernels = imported ? 0 : m->ast->kernels;
    m->ast->constants = imported ? 0 : m->ast->constants;
    for (uint32_t i = 0; i < m->ast->body.len; i++)
        write_stmt(f, i);
    write_poisons(f, m);
    if (imported && m->ast->script)
        avec_push(f->ms->arena, &f->out->scripts, m->ast);
    f->out->kernels += m->ast->kernels;
}

AstModule *module_flatten(Modules *ms)
{
    Flat f = {.ms = ms};
    const AstModule *first = ms->modules.at[0]->ast;
    f.out = arena_new(ms->arena, AstModule);
    *f.out = *first;
    f.out->body = (AstList){0};
    f.out->kernels = 0;
    share_extents(ms);
    find_bound(&f);
    need_main(&f);
    need_actions(&f);
    for (uint32_t i = 0; i < ms->order.len; i++)
        write_module(&f, ms->order.at[i]);
    map_free(&f.bound);
    map_free(&f.flats);
    map_free(&f.imported);
    return f.out;
}
