/* The names that a module's statements bind and see, its imports among them. */
#include "elab/comptime/module.h"
#include <string.h>

enum { CHAIN_MAX = 2 * MODULES_MAX }; /* imports of imports */

Global *module_global(const Module *m, Sym name)
{
    uint64_t at;
    return map_get_ptr(&m->index, name, &at) ? m->globals.at[at] : NULL;
}

Global *module_resolve(Global *g, Module **owner, uint32_t depth)
{
    if (!g || g->kind != GLOBAL_FROM || depth > CHAIN_MAX)
        return g && g->kind != GLOBAL_FROM ? g : NULL;
    *owner = g->of;
    return module_resolve(module_global(g->of, g->member), owner, depth + 1);
}

/* ---- what statements bind */

typedef struct {
    bool inner;
    ModuleBind *bind;
    void *env;
} Bound;

static void bind_target(const Bound *b, const Ast *t)
{
    if (t && t->kind == AST_NAME)
        b->bind(b->env, t->name, t->span);
    else if (t && (t->kind == AST_TUPLE || t->kind == AST_LIST))
        for (uint32_t i = 0; i < t->items.len; i++)
            bind_target(b, t->items.at[i]);
}

static void bind_targets(const Bound *b, const AstList *list)
{
    for (uint32_t i = 0; i < list->len; i++)
        bind_target(b, list->at[i]);
}

static void bind_params(const Bound *b, const AstParams *params)
{
    for (uint32_t i = 0; i < params->len; i++)
        if (params->at[i].name)
            b->bind(b->env, params->at[i].name, params->at[i].span);
}

static Sym import_name_at(const Ast *s, uint32_t i, Sym *alias)
{
    Sym name = i ? s->import.more.at[i - 1].name : s->import.module;
    *alias = i ? s->import.more.at[i - 1].alias : s->import.alias;
    *alias = *alias ? *alias : name;
    return name;
}

static void bind_import(const Bound *b, const Ast *a)
{
    for (uint32_t i = 0; i <= a->import.more.len; i++) {
        Sym alias;
        import_name_at(a, i, &alias);
        b->bind(b->env, alias, a->span);
    }
}

static void bind_child(void *env, Ast *a)
{
    const Bound *b = env;
    module_bound(a, b->inner, b->bind, b->env);
}

/* What a node that has names of its own binds in itself; false: it has none. */
static bool bind_inner(const Bound *b, const Ast *a)
{
    switch (a->kind) {
    case AST_DEF: bind_params(b, &a->def.params); return true;
    case AST_LAMBDA: bind_params(b, &a->lambda.params); return true;
    case AST_CLASS: return true;
    case AST_GENEXP:
    case AST_LISTCOMP:
    case AST_SETCOMP:
    case AST_DICTCOMP:
        for (uint32_t i = 0; i < a->gen.clauses.len; i++)
            bind_target(b, a->gen.clauses.at[i].target);
        return true;
    default: return false;
    }
}

static void bind_none(void *env, Sym name, Span span)
{
    (void)env, (void)name, (void)span;
}

void module_bound(const Ast *a, bool inner, ModuleBind *bind, void *env)
{
    Bound b = {inner, bind, env}, none = {inner, bind_none, env};
    switch (a->kind) {
    case AST_ASSIGN: bind_targets(&b, &a->assign.targets); break;
    case AST_ANN_ASSIGN: bind_target(&b, a->ann.target); break;
    case AST_AUG_ASSIGN: bind_target(&b, a->aug.target); break;
    case AST_FOR: bind_target(&b, a->for_.target); break;
    case AST_WITH: bind_targets(&b, &a->with.targets); break;
    case AST_WALRUS: bind_target(&b, a->walrus.target); break;
    case AST_IMPORT: bind_import(&b, a); break;
    case AST_DEF: bind(env, a->def.name, a->def.name_span); break;
    case AST_CLASS: bind(env, a->class_.name, a->class_.name_span); break;
    default: break;
    }
    if (!bind_inner(inner ? &b : &none, a) || inner)
        ast_children(a, bind_child, &b);
}

void module_bound_inside(const Ast *a, ModuleBind *bind, void *env)
{
    Bound b = {false, bind, env};
    (void)bind_inner(&b, a);
    for (uint32_t i = 0; a->kind == AST_DEF && i < a->def.body.len; i++)
        module_bound(a->def.body.at[i], false, bind, env);
}

/* ---- globals */

static Global *add(Modules *ms, Module *m, Sym name, GlobalKind kind, Span span)
{
    Global *g = arena_new(ms->arena, Global);
    *g = (Global){.name = name, .kind = kind, .span = span};
    map_set_ptr(&m->index, name, m->globals.len);
    avec_push(ms->arena, &m->globals, g);
    return g;
}

static bool strict(const Module *m)
{
    return !m->ast->script;
}

/* A name that an import binds. In a script the last binding counts. */
static Global *import_name(Modules *ms, Module *m, Sym name, GlobalKind kind, Span span)
{
    Global *old = module_global(m, name);
    if (!old || (old->kind == GLOBAL_FROM && old->star))
        return add(ms, m, name, kind, span);
    if (old->kind == GLOBAL_OWN && strict(m)) {
        diag_error(ms->diags, span, "name", "%s is bound twice", name);
        diag_note(ms->diags, old->span, "it is bound here first");
    }
    return add(ms, m, name, kind, span);
}

static Global *own_name(Modules *ms, Module *m, Sym name, uint32_t stmt, Span span)
{
    Global *g = module_global(m, name);
    bool imported = g && (g->kind == GLOBAL_FROM || g->kind == GLOBAL_MODULE);
    if (imported && !g->star && strict(m)) {
        diag_error(ms->diags, span, "name", "%s is bound twice", name);
        diag_note(ms->diags, g->span, "it is imported here");
    }
    if (!g || imported || g->kind == GLOBAL_POISON)
        g = add(ms, m, name, GLOBAL_OWN, span);
    if (g->kind == GLOBAL_OWN)
        avec_push(ms->arena, &g->stmts, stmt);
    return g;
}

/* ---- imports */

static const char *const language_modules[] = {
    "pypto.language.distributed", "pypto.language", "pypto", "math", "typing", "__future__"};

static bool is_language(Sym module)
{
    for (size_t i = 0; i < sizeof language_modules / sizeof *language_modules; i++)
        if (strcmp(module, language_modules[i]) == 0)
            return true;
    return false;
}

/* `import pypto.language as pl` and `from pypto import language as pl` mean one thing. */
static void collect_language(Modules *ms, Module *m, const Ast *s)
{
    for (uint32_t i = 0; i <= s->import.more.len; i++) {
        Sym alias, name = import_name_at(s, i, &alias);
        const char *from = s->import.from;
        Sym key = from ? internf(ms->in, "%s.%s", from, name) : name;
        if (!from && !s->import.alias && strchr(name, '.'))
            continue;
        Global *old = module_global(m, alias);
        if (old && old->kind == GLOBAL_LANGUAGE && old->language == key)
            continue;
        import_name(ms, m, alias, GLOBAL_LANGUAGE, s->span)->language = key;
    }
}

static void collect_star(Modules *ms, Module *m, Module *of, Span span)
{
    for (uint32_t i = 0; i < of->globals.len; i++) {
        const Global *g = of->globals.at[i];
        if (*g->name == '_' || g->kind == GLOBAL_LANGUAGE || g->kind == GLOBAL_POISON ||
            module_global(of, g->name) != g || module_global(m, g->name))
            continue;
        Global *new = add(ms, m, g->name, GLOBAL_FROM, span);
        new->of = of;
        new->member = g->name;
        new->star = true;
    }
}

static const char *names_of(Modules *ms, const Module *m)
{
    const char *text = "";
    for (uint32_t i = 0; i < m->globals.len; i++) {
        const Global *g = m->globals.at[i];
        if (g->kind == GLOBAL_OWN || g->kind == GLOBAL_FROM)
            text = arena_printf(ms->arena, "%s%s%s", text, *text ? ", " : "", g->name);
    }
    return *text ? text : "none";
}

void module_no_member(Modules *ms, const Module *of, Sym name, Span span)
{
    if (!of->busy)
        diag_error(ms->diags, span, "name", "%s has no %s; its names are: %s", of->path, name,
                   names_of(ms, of));
}

/* One name of `from of import`. */
static void collect_from(Modules *ms, Module *m, Module *of, const Ast *s, uint32_t i)
{
    Sym alias, name = import_name_at(s, i, &alias);
    if (strcmp(name, "*") == 0) {
        collect_star(ms, m, of, s->span);
        return;
    }
    Global *theirs = module_global(of, name);
    Module *inside = theirs ? NULL : module_inside(ms, of, name, s->span);
    if (!theirs && !inside) {
        /* Of a script the names that are not there are skipped ones. */
        if (strict(m))
            module_no_member(ms, of, name, s->span);
        if (strict(m))
            import_name(ms, m, alias, GLOBAL_BAD, s->span);
        return;
    }
    Global *g = import_name(ms, m, alias, inside ? GLOBAL_MODULE : GLOBAL_FROM, s->span);
    g->of = inside ? inside : of;
    g->member = name;
}

static void collect_bad(Modules *ms, Module *m, const Ast *s)
{
    for (uint32_t i = 0; i <= s->import.more.len; i++) {
        Sym alias;
        import_name_at(s, i, &alias);
        import_name(ms, m, alias, GLOBAL_BAD, s->span);
    }
}

static void collect_module(Modules *ms, Module *m, Module *of, const Ast *s)
{
    Sym name = s->import.alias ? s->import.alias : s->import.module;
    const char *dot = s->import.alias ? NULL : strchr(name, '.');
    import_name(ms, m, name, GLOBAL_MODULE, s->span)->of = of;
    Sym root = dot ? intern_n(ms->in, name, (size_t)(dot - name)) : NULL;
    if (root && !module_global(m, root))
        add(ms, m, root, GLOBAL_PACKAGE, s->span);
}

/* `import a.b` binds a, of which only a.b.NAME is known; `import a.b as k` binds k. */
static void collect_import(Modules *ms, Module *m, Ast *s)
{
    bool reported = false;
    Sym module = s->import.from ? s->import.from : s->import.module;
    if (is_language(module)) {
        collect_language(ms, m, s);
        return;
    }
    Module *of = module_find(ms, m, module, s->span, &reported);
    if (!of && !reported)
        return; /* elaboration says what to delete */
    if (!of)
        collect_bad(ms, m, s);
    for (uint32_t i = 0; of && s->import.from && i <= s->import.more.len; i++)
        collect_from(ms, m, of, s, i);
    if (of && !s->import.from)
        collect_module(ms, m, of, s);
    s->kind = AST_PASS;
}

/* ---- a whole module */

static bool is_element(const Ast *s)
{
    for (uint32_t i = 0; s->kind == AST_DEF && i < s->def.decorators.len; i++) {
        const Ast *d = s->def.decorators.at[i];
        d = d->kind == AST_CALL ? d->call.callee : d;
        Sym name = d->kind == AST_ATTR ? d->attr.name : d->kind == AST_NAME ? d->name : "";
        if (strcmp(name, "init") == 0 || strcmp(name, "golden") == 0)
            return true;
    }
    return false;
}

typedef struct {
    Modules *ms;
    Module *m;
    uint32_t stmt;
} Collect;

static void own(void *env, Sym name, Span span)
{
    const Collect *c = env;
    c->m->stmts.at[c->stmt].binds = true;
    own_name(c->ms, c->m, name, c->stmt, span)->element |= is_element(c->m->ast->body.at[c->stmt]);
}

/* Imports in the body of a factory count as the module's. */
static void imports_inside(void *env, Ast *a)
{
    const Collect *c = env;
    if (a->kind != AST_IMPORT)
        ast_children(a, imports_inside, env);
    else if (!is_language(a->import.from ? a->import.from : a->import.module))
        collect_import(c->ms, c->m, a);
}

void module_collect(Modules *ms, Module *m)
{
    const AstList *body = &m->ast->body;
    Collect c = {ms, m, 0};
    for (; c.stmt < body->len; c.stmt++) {
        Ast *s = body->at[c.stmt];
        if (s->kind == AST_IMPORT)
            collect_import(ms, m, s);
        else if (s->kind == AST_DEF && !s->def.decorators.len)
            ast_children(s, imports_inside, &c);
        avec_push(ms->arena, &m->stmts, (ModuleStmt){0});
        if (s->kind != AST_IMPORT && s->kind != AST_PASS)
            module_bound(s, false, own, &c);
    }
    for (uint32_t i = 0; i < m->ast->poisoned.len; i++) {
        const AstPoison *p = &m->ast->poisoned.at[i];
        Global *old = module_global(m, p->name);
        if (!old || old->kind != GLOBAL_OWN)
            add(ms, m, p->name, GLOBAL_POISON, p->span)->poison = p;
    }
}

/* ---- imports of scripts */

static bool usable(Modules *ms, const Module *of, Sym name, Span span)
{
    Module *owner;
    const Global *g = module_resolve(module_global(of, name), &owner, 0);
    if (g)
        return g->kind != GLOBAL_POISON && g->kind != GLOBAL_BAD;
    return module_inside(ms, of, name, span) != NULL;
}

bool module_offers(Modules *ms, const Module *m, const Ast *s, SymList *names)
{
    bool reported;
    const char *from = s->import.from, *module = from ? from : s->import.module;
    Module *of = module_find(ms, m, module, s->span, &reported);
    for (uint32_t i = 0; of && i <= s->import.more.len; i++) {
        Sym alias, name = import_name_at(s, i, &alias);
        if (from && strcmp(name, "*") == 0) {
            for (uint32_t k = 0; k < of->globals.len; k++)
                if (*of->globals.at[k]->name != '_' &&
                    usable(ms, of, of->globals.at[k]->name, s->span))
                    avec_push(ms->arena, names, of->globals.at[k]->name);
        } else if (!from || usable(ms, of, name, s->span)) {
            avec_push(ms->arena, names, alias);
        }
    }
    return of != NULL;
}

bool module_has(Modules *ms, const Module *m, const Ast *s, Sym member)
{
    bool reported;
    Module *of = module_find(ms, m, s->import.module, s->span, &reported);
    return of && usable(ms, of, member, s->span);
}
