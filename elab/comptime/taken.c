/* Taken definitions become a module: each is parsed, what its free names are bound to becomes a
 * constant or another function of the module, and the names are written anew where two definitions
 * mean different things by one. */
#include "elab/comptime/taken.h"
#include "base/map.h"
#include "elab/comptime/elab.h"
#include "elab/comptime/given.h"
#include "lexer/brackets.h"
#include "parser/parser.h"
#include <string.h>

/* ---- from the text */

static uint32_t line_end(const TokenList *tokens, uint32_t i)
{
    uint32_t depth = 0;
    do {
        const Token *t = &tokens->at[i++];
        if (t->kind == TOK_END)
            return i - 1;
        depth += token_is_opener(t->kind) ? 1 : 0;
        depth -= token_is_closer(t->kind) && depth ? 1 : 0;
    } while (depth || !tokens->at[i].first);
    return i;
}

/* Where the definition ends: decorators, the line of the def, and what is indented below it. */
static uint32_t definition_end(const TokenList *tokens)
{
    uint32_t i = 0, margin = tokens->at[0].indent;
    while (tokens->at[i].kind == TOK_AT)
        i = line_end(tokens, i);
    i = line_end(tokens, i);
    while (tokens->at[i].kind != TOK_END && tokens->at[i].indent > margin)
        i = line_end(tokens, i);
    return i;
}

static bool begins_definition(uint8_t kind)
{
    return kind == TOK_AT || kind == TOK_DEF || kind == TOK_CLASS || kind == TOK_ASYNC;
}

Ast *taken_parse(Arena *arena, Interner *in, const Source *src, uint32_t at, Diags *diags)
{
    TokenList tokens = {0};
    uint32_t end = source_part(src, at)->end, errors = diags->n_errors;
    lexer_scan(&tokens, arena_strndup(arena, src->text + at, end - at), end - at, at);
    brackets_match(&tokens);
    bool good = begins_definition(tokens.at[0].kind);
    const Token *last = &tokens.at[definition_end(&tokens)];
    if (last->kind != TOK_END)
        end = last->span.begin - last->indent;
    vec_free(&tokens);
    AstModule *m = good ? parse_lines(arena, in, src, (Span){at, end}, diags) : NULL;
    if (diags->n_errors > errors)
        return NULL;
    if (m && m->body.len == 1 &&
        (m->body.at[0]->kind == AST_DEF || m->body.at[0]->kind == AST_CLASS))
        return m->body.at[0];
    diag_error(diags, (Span){at, at + 1}, "syntax", "no definition begins on this line");
    return NULL;
}

/* ---- joining */

/* A definition of the module. */
typedef struct {
    const Taken *taken;
    Ast *ast;    /* NULL: not needed */
    Sym name;    /* in the module */
    bool opaque; /* no code that a program may have */
} Def;

/* A name of the module that is no function. */
typedef struct {
    Sym base, name; /* in the texts, in the module */
    const Given *value;
} Constant;

typedef struct {
    Arena *arena;
    Interner *in;
    const Source *src;
    Diags *diags;
    AstModule *m;
    Def *defs;
    uint32_t n, at, entry; /* definitions; the one at hand; where it starts */
    Map used;              /* every name in the texts or the module: not free for new ones */
    Map claimed;           /* names that a constant cannot have in the module */
    Map names;             /* of the definition at hand: free name -> its GivenName */
    Map bound;             /* names that some definition binds itself */
    VEC(Constant) constants;
    VEC(uint32_t) todo;
    bool math;
} Joint;

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_value(const Given *a, const Given *b)
{
    if (a->kind != b->kind || a->i != b->i || memcmp(&a->f, &b->f, sizeof a->f) != 0 ||
        !same_text(a->text, b->text) || !same_text(a->dtype, b->dtype) || a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!same_value(&a->items[i], &b->items[i]))
            return false;
    return true;
}

/* ---- what is needed, and what it is called */

static const Given *given(const Joint *j, Sym name)
{
    uint64_t at;
    if (!map_get_ptr(&j->names, name, &at))
        return NULL;
    return &j->defs[j->at].taken->names[at].value;
}

static void need(Joint *j, const Given *v)
{
    if (v->kind == GIVEN_DEF && !j->defs[v->i].ast && !j->defs[v->i].opaque)
        vec_push(&j->todo, (uint32_t)v->i);
}

/* The names of the definition at hand. */
static void enter(Joint *j, uint32_t def)
{
    const Taken *t = j->defs[def].taken;
    j->at = def;
    map_clear(&j->names);
    for (uint32_t i = 0; i < t->n_names; i++)
        map_set_ptr(&j->names, intern(j->in, t->names[i].name), i);
}

/* All decorators of a function, where they are no text of the language. */
static void decorate(const Joint *j, Ast *def, const char *of)
{
    const Given *v = given(j, internf(j->in, "%s@", of));
    if (!v)
        return;
    Span span = def->def.decorators.len ? def->def.decorators.at[0]->span : def->def.name_span;
    Ast *a = v->text ? given_expression(j->arena, j->in, v->text, span) : NULL;
    def->def.decorators.len = 0;
    if (a)
        avec_push(j->arena, &def->def.decorators, a);
}

/* Annotations and decorators that were values already; "step." stands before those of method
 * `step`. The entry has no defaults: they were arguments when it was called. */
static void annotate(const Joint *j, Ast *def, const char *of, bool entry)
{
    const Given *v;
    decorate(j, def, of);
    for (uint32_t i = 0; i < def->def.params.len; i++) {
        AstParam *p = &def->def.params.at[i];
        if (p->name && (v = given(j, internf(j->in, "%s%s:", of, p->name)))) {
            Span span = p->annotation ? p->annotation->span : p->span;
            p->annotation = given_ast(j->arena, j->in, v, span);
        }
        if (entry)
            p->default_value = NULL;
    }
    if ((v = given(j, internf(j->in, "%s->", of)))) {
        Span span = def->def.returns ? def->def.returns->span : def->span;
        def->def.returns = given_ast(j->arena, j->in, v, span);
    }
}

static void annotate_all(const Joint *j, Ast *a, bool entry)
{
    if (a->kind == AST_DEF) {
        annotate(j, a, "", entry);
        return;
    }
    for (uint32_t i = 0; i < a->class_.body.len; i++) {
        Ast *method = a->class_.body.at[i];
        if (method->kind == AST_DEF)
            annotate(j, method, arena_printf(j->arena, "%s.", method->def.name), false);
    }
}

/* A path that was given a value becomes a name, which no scope binds; else what it begins with. */
static void name_path(void *env, Ast *a)
{
    const Joint *j = env;
    for (Ast *at = a; at->kind != AST_NAME;
         at = at->kind == AST_ATTR ? at->attr.base : at->sub.base) {
        const char *text = taken_path_text(j->arena, at);
        Sym name = text ? intern(j->in, text) : NULL;
        if (!name || !given(j, name))
            continue;
        Span span = at->span;
        ast_to_name(at, name, span);
        return;
    }
}

static void note_free(void *env, Ast *a)
{
    Joint *j = env;
    const Given *v = given(j, a->name);
    if (v)
        need(j, v);
    else if (!elab_is_builtin(a->name)) /* it keeps its name, which must mean nothing else */
        map_set_ptr(&j->claimed, a->name, 1);
}

static void note_names(void *env, Ast *a)
{
    Joint *j = env;
    if (a->kind == AST_NAME)
        map_set_ptr(&j->used, a->name, 1);
    if (a->kind == AST_DEF || a->kind == AST_LAMBDA) {
        const AstParams *p = a->kind == AST_DEF ? &a->def.params : &a->lambda.params;
        for (uint32_t i = 0; i < p->len; i++)
            if (p->at[i].name)
                map_set_ptr(&j->used, p->at[i].name, 1);
        if (a->kind == AST_DEF)
            map_set_ptr(&j->used, a->def.name, 1);
    }
    ast_children(a, note_names, j);
}

/* Functions of a class have the names that those of the module cannot have. */
static void note_methods(Joint *j, const Ast *def)
{
    for (uint32_t i = 0; def->kind == AST_CLASS && i < def->class_.body.len; i++)
        if (def->class_.body.at[i]->kind == AST_DEF)
            map_set_ptr(&j->claimed, def->class_.body.at[i]->def.name, 1);
}

static void add(Joint *j, uint32_t def)
{
    Def *d = &j->defs[def];
    if (d->ast || d->opaque)
        return;
    Ast *a = taken_parse(j->arena, j->in, j->src, d->taken->at, j->diags);
    d->opaque = !a || (a->kind == AST_DEF && a->def.decorators.len == 0 &&
                       !elab_is_compile_time(&a->def.body));
    if (d->opaque)
        return;
    d->ast = a;
    enter(j, def);
    annotate_all(j, a, d == &j->defs[j->entry]);
    taken_free_paths(a, name_path, j);
    note_names(j, a);
    note_methods(j, a);
    taken_free_names(a, note_free, j);
}

/* `base`, or it with a number behind, that nothing else in the module or the texts is. */
static Sym fresh(Joint *j, Sym base)
{
    Sym name = base;
    for (uint32_t i = 1; map_get_ptr(&j->used, name, NULL); i++)
        name = internf(j->in, "%s_%u", base, i);
    map_set_ptr(&j->used, name, 1);
    return name;
}

static Sym own_name(const Ast *a)
{
    return a->kind == AST_DEF ? a->def.name : a->class_.name;
}

/* A name that a definition binds itself is no name for a function that another one calls. */
static void note_bound(Joint *j)
{
    for (uint32_t i = 0; i < j->n; i++) {
        const Ast *a = j->defs[i].ast;
        for (uint32_t k = 0; a && a->kind == AST_DEF && k < a->def.params.len; k++)
            if (a->def.params.at[k].name)
                map_set_ptr(&j->bound, a->def.params.at[k].name, 1);
        if (a && a->kind == AST_DEF)
            elab_collect_bound(NULL, &a->def.body, &j->bound, NULL);
    }
}

static void name_defs(Joint *j, uint32_t entry)
{
    note_bound(j);
    for (uint32_t k = 0; k < j->n; k++) {
        uint32_t i = k == 0 ? entry : k <= entry ? k - 1 : k;
        Def *d = &j->defs[i];
        if (!d->ast)
            continue;
        Sym name = own_name(d->ast);
        bool free = i == entry ||
                    (!map_get_ptr(&j->claimed, name, NULL) && !map_get_ptr(&j->bound, name, NULL));
        d->name = free ? name : fresh(j, name);
        map_set_ptr(&j->claimed, d->name, 1);
        if (d->ast->kind == AST_DEF)
            d->ast->def.name = d->name;
        else
            d->ast->class_.name = d->name;
    }
}

static bool is_name_char(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

static Sym constant_name(Joint *j, Sym base, const Given *v)
{
    for (uint32_t i = 0; i < j->constants.len; i++)
        if (j->constants.at[i].base == base && same_value(j->constants.at[i].value, v))
            return j->constants.at[i].name;
    return NULL;
}

/* cfg_rows of cfg.rows: a path has no name of its own. */
static Sym constant_of(Joint *j, Sym base)
{
    size_t n = strlen(base), used = 0;
    char *text = arena_alloc(j->arena, n + 1);
    for (size_t i = 0; i < n; i++) {
        bool word = is_name_char(base[i]);
        if (word || (used && text[used - 1] != '_'))
            text[used++] = word ? base[i] : '_';
    }
    while (used > 1 && used < n && text[used - 1] == '_')
        used--;
    return used == n ? base : fresh(j, intern_n(j->in, text, used));
}

static Sym add_constant(Joint *j, Sym base, const Given *v, Span span)
{
    Sym name = v->kind == GIVEN_OPAQUE ? base : constant_of(j, base);
    if (name == base && (map_get_ptr(&j->claimed, base, NULL) || elab_is_builtin(base)))
        name = fresh(j, base);
    avec_push(j->arena, &j->constants, ((Constant){base, name, v}));
    map_set_ptr(&j->claimed, name, 1);
    if (v->kind == GIVEN_OPAQUE) {
        avec_push(j->arena, &j->m->poisoned, ((AstPoison){name, span, 0, v->text, false}));
        return name;
    }
    Ast *a = given_node(j->arena, AST_ASSIGN, span), *target = given_node(j->arena, AST_NAME, span);
    target->name = name;
    avec_push(j->arena, &a->assign.targets, target);
    a->assign.value = given_ast(j->arena, j->in, v, span);
    avec_push(j->arena, &j->m->body, a);
    j->m->constants++;
    return name;
}

/* What no program knows, in a value or in the lists in it, or NULL. */
static const Given *opaque(const Joint *j, const Given *v, bool inside)
{
    static const Given function = {.kind = GIVEN_OPAQUE, .text = "a function of Python"},
                       functions = {.kind = GIVEN_OPAQUE, .text = "a list of functions"};
    if (v->kind == GIVEN_OPAQUE)
        return v;
    if (v->kind == GIVEN_DEF && j->defs[v->i].opaque)
        return &function;
    if (inside && (v->kind == GIVEN_DEF || v->kind == GIVEN_OP))
        return &functions;
    for (uint32_t i = 0; i < v->n; i++) {
        const Given *found = opaque(j, &v->items[i], true);
        if (found)
            return found;
    }
    return NULL;
}

static void rename_free(void *env, Ast *a)
{
    Joint *j = env;
    const Given *v = given(j, a->name);
    if (!v)
        return;
    const Given *unknown = opaque(j, v, false);
    v = unknown ? unknown : v;
    if (v->kind == GIVEN_DEF) {
        a->name = j->defs[v->i].name;
        return;
    }
    if (v->kind == GIVEN_OP) {
        j->math |= strncmp(v->text, "math", 4) == 0;
        ast_take(a, given_ast(j->arena, j->in, v, a->span)); /* a name or an attribute */
        return;
    }
    Sym name = constant_name(j, a->name, v);
    a->name = name ? name : add_constant(j, a->name, v, a->span);
}

/* Parameters of the entry are named from outside, as constants may be. */
static void claim_params(Joint *j, const Ast *def)
{
    for (uint32_t i = 0; def->kind == AST_DEF && i < def->def.params.len; i++)
        if (def->def.params.at[i].name)
            map_set_ptr(&j->claimed, def->def.params.at[i].name, 1);
}

static void import_math(Joint *j)
{
    Ast *a = given_node(j->arena, AST_IMPORT, (Span){0, 1});
    a->import.module = intern(j->in, "math");
    avec_push(j->arena, &j->m->body, a);
}

static void finish(Joint *j)
{
    if (j->math)
        import_math(j);
    for (uint32_t i = 0; i < j->n; i++)
        if (j->defs[i].ast) {
            avec_push(j->arena, &j->m->body, j->defs[i].ast);
            j->m->kernels++;
        }
    vec_free(&j->todo);
    map_free(&j->used);
    map_free(&j->claimed);
    map_free(&j->names);
    map_free(&j->bound);
}

AstModule *taken_module(Arena *arena, Interner *in, const Source *src, const TakenSet *set,
                        Diags *diags, Sym *name)
{
    Joint j = {
        .arena = arena, .in = in, .src = src, .diags = diags, .n = set->n, .entry = set->entry};
    j.m = arena_new(arena, AstModule);
    j.m->src = src;
    j.defs = arena_new_n(arena, Def, set->n);
    for (uint32_t i = 0; i < set->n; i++)
        j.defs[i].taken = &set->defs[i];
    vec_push(&j.todo, set->entry);
    while (j.todo.len)
        add(&j, vec_pop(&j.todo));
    const Def *entry = &j.defs[set->entry];
    if (entry->ast && !diags_failed(diags)) {
        name_defs(&j, set->entry);
        claim_params(&j, entry->ast);
        for (uint32_t i = 0; i < set->n; i++)
            if (j.defs[i].ast) {
                enter(&j, i);
                taken_free_names(j.defs[i].ast, rename_free, &j);
            }
        *name = entry->name;
    }
    finish(&j);
    return j.m;
}

bool taken_is_class(const AstModule *m, Sym name)
{
    for (uint32_t i = 0; i < m->body.len; i++)
        if (m->body.at[i]->kind == AST_CLASS && m->body.at[i]->class_.name == name)
            return true;
    return false;
}
