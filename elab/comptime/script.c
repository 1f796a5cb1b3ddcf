/* The reader of scripts. Logical lines and indentation alone say where a top-level statement ends;
 * its first token says what it is. Only what may belong to a program is parsed. */
#include "elab/comptime/elab.h"
#include "elab/comptime/script_state.h"
#include "lexer/brackets.h"
#include "parser/parser.h"
#include <string.h>

static Token at(const Script *s, uint32_t i)
{
    return s->tokens.at[i < s->tokens.len ? i : s->tokens.len - 1];
}

static Sym name_at(const Script *s, uint32_t i)
{
    Token t = at(s, i);
    return t.kind == TOK_NAME
               ? intern_n(s->in, s->src->text + t.span.begin, t.span.end - t.span.begin)
               : NULL;
}

static bool is_text(const Script *s, uint32_t i, const char *text)
{
    Token t = at(s, i);
    return t.span.end - t.span.begin == strlen(text) &&
           memcmp(s->src->text + t.span.begin, text, strlen(text)) == 0;
}

/* ---- statements */

/* What is never closed swallows the rest of the file: nothing can be skipped over it. */
static bool check_tokens(Script *s)
{
    bool good = true;
    for (uint32_t i = 0; i < s->tokens.len; i++) {
        Token t = s->tokens.at[i];
        bool text = t.kind == TOK_ERROR && (t.error == LEX_STRING || t.error == LEX_TRIPLE_STRING);
        if (!text && !t.unclosed)
            continue;
        diag_error(s->diags, (Span){t.span.begin, t.span.begin + 1}, "syntax",
                   text ? "this string is never closed" : "this bracket is never closed");
        good = false;
    }
    return good;
}

/* The token after the logical line that starts at `i`. */
static uint32_t line_end(const Script *s, uint32_t i)
{
    uint32_t depth = 0;
    do {
        Token t = at(s, i++);
        if (t.kind == TOK_END)
            return i - 1;
        depth += token_is_opener(t.kind) ? 1 : 0;
        depth -= token_is_closer(t.kind) && depth ? 1 : 0;
    } while (depth || !at(s, i).first);
    return i;
}

static bool continues(Token t)
{
    return t.indent > 0 || t.kind == TOK_ELSE || t.kind == TOK_ELIF || t.kind == TOK_EXCEPT ||
           t.kind == TOK_FINALLY;
}

static void split(Script *s)
{
    for (uint32_t i = 0; at(s, i).kind != TOK_END;) {
        Part p = {.begin = i};
        while (at(s, i).kind == TOK_AT)
            i = line_end(s, i);
        if (at(s, i).kind != TOK_END)
            i = line_end(s, i);
        while (at(s, i).kind != TOK_END && continues(at(s, i)))
            i = line_end(s, i);
        p.end = i;
        avec_push(s->arena, &s->parts, p);
    }
}

static Span part_span(const Script *s, const Part *p)
{
    uint32_t end = at(s, p->end).span.begin;
    return (Span){at(s, p->begin).span.begin,
                  at(s, p->end).kind == TOK_END ? s->file.end : end - at(s, p->end).indent};
}

/* The only statement of a part; NULL when it is none, or, with `quiet`, has mistakes. */
static Ast *parse_part(Script *s, const Part *p, bool quiet)
{
    Diags own;
    diags_init(&own, s->arena, s->src);
    AstModule *m = parse_lines(s->arena, s->in, s->src, part_span(s, p), quiet ? &own : s->diags);
    bool good = !diags_failed(&own) && m->body.len == 1;
    diags_free(&own);
    return good ? m->body.at[0] : NULL;
}

/* ---- what is skipped */

static void poison(Script *s, Sym name, Span span)
{
    uint64_t part;
    if (!name)
        return;
    if (map_get_ptr(&s->known, name, &part) && part > 1)
        s->parts.at[part - 2].taken = NULL;
    map_set_ptr(&s->known, name, 0);
    avec_push(s->arena, &s->m->poisoned, ((AstPoison){name, span, s->at, NULL, false}));
}

/* Names that a statement binds as a whole: not those of functions in it. */
static void poison_part(Script *s, const Part *p)
{
    Token first = at(s, p->begin);
    uint32_t end = p->end;
    bool whole = first.kind == TOK_DEF || first.kind == TOK_CLASS || first.kind == TOK_AT ||
                 first.kind == TOK_ASYNC;
    for (uint32_t i = p->begin; i < end; i++) {
        TokenKind before = i > p->begin ? at(s, i - 1).kind : TOK_END, after = at(s, i + 1).kind;
        Token t = at(s, i);
        bool bound = before == TOK_DEF || before == TOK_CLASS || before == TOK_AS;
        bool start = t.first || before == TOK_COLON || before == TOK_SEMICOLON;
        bool import = !whole && (first.kind == TOK_IMPORT || first.kind == TOK_FROM) &&
                      (before == TOK_IMPORT || before == TOK_COMMA || before == TOK_LPAREN) &&
                      after != TOK_AS;
        bool assigned =
            !whole && (start || before == TOK_COMMA || before == TOK_FOR || before == TOK_ASSIGN) &&
            (after == TOK_ASSIGN || after == TOK_COMMA || after == TOK_COLON || after == TOK_IN ||
             (after >= TOK_ADD_ASSIGN && after <= TOK_SHR_ASSIGN));
        if (t.kind == TOK_NAME && (bound || import || assigned))
            poison(s, name_at(s, i), t.span);
        if (whole && bound)
            return;
    }
}

static void skip(Script *s, const Part *p)
{
    Token t = at(s, p->begin);
    const char *what = t.kind == TOK_STRING ? "docstring"
                       : t.kind == TOK_NAME ? "statement"
                       : t.kind == TOK_AT   ? "decorated definition"
                                            : token_text(t.kind);
    if (t.kind == TOK_FROM)
        what = "import";
    avec_push(s->arena, &s->m->skipped, (AstSkipped){part_span(s, p), what, s->at});
    if (t.kind != TOK_STRING)
        poison_part(s, p);
}

/* ---- what is taken */

/* `i` is a name of the language: pl, pld, their aliases, what was imported out of them. */
static bool is_language(const Script *s, uint32_t i)
{
    Sym name = name_at(s, i);
    return name && (map_get_ptr(&s->aliases, name, NULL) || strcmp(name, "pypto") == 0);
}

/* Does a definition of the language begin in the part? */
static bool has_definition(const Script *s, const Part *p)
{
    for (uint32_t i = p->begin; i < p->end; i++)
        if (at(s, i).kind == TOK_AT && at(s, i).first && is_language(s, i + 1))
            return true;
    return false;
}

static bool language_module(const char *m)
{
    return strcmp(m, "pypto.language") == 0 || strcmp(m, "pypto.language.distributed") == 0;
}

static void note_alias(Script *s, Sym name)
{
    map_set_ptr(&s->aliases, name, 1);
    map_set_ptr(&s->known, name, 1);
}

/* An import of a file of the user's; what it has not is skipped. */
static bool take_file(Script *s, Part *p, Ast *a)
{
    SymList names = {0};
    if (!s->imports || !s->imports->names(s->imports->env, a, &names))
        return false;
    poison_part(s, p);
    for (uint32_t i = 0; i < names.len; i++)
        map_set_ptr(&s->known, names.at[i], 1);
    if (!a->import.from)
        map_set_ptr(&s->modules, names.at[0], (uint64_t)(uintptr_t)a);
    p->taken = a;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->m->poisoned.len; i++) {
        uint64_t known;
        AstPoison old = s->m->poisoned.at[i];
        bool offered = old.part == s->at && map_get_ptr(&s->known, old.name, &known) && known;
        if (!offered)
            s->m->poisoned.at[n++] = old;
    }
    s->m->poisoned.len = n;
    return true;
}

/* Imports of the language, of math, of hints and of files; the others are skipped. */
static bool take_import(Script *s, Part *p)
{
    Ast *a = parse_part(s, p, true);
    if (!a || a->kind != AST_IMPORT)
        return false;
    Sym from = a->import.from, module = a->import.module;
    Sym name = a->import.alias ? a->import.alias : module;
    const char *source = from ? from : module;
    bool math = strcmp(source, "math") == 0;
    bool hint = strcmp(source, "typing") == 0 || strcmp(source, "__future__") == 0;
    bool language = language_module(source) ||
                    (from && strcmp(from, "pypto") == 0 && strcmp(module, "language") == 0);
    if (!math && !hint && !language)
        return take_file(s, p, a);
    if (strcmp(module, "*") == 0)
        return false;
    for (uint32_t i = 0; i <= a->import.more.len; i++) {
        if (i)
            name = a->import.more.at[i - 1].alias ? a->import.more.at[i - 1].alias
                                                  : a->import.more.at[i - 1].name;
        if (language)
            note_alias(s, name);
        map_set_ptr(&s->known, name, 1);
    }
    p->taken = a;
    return true;
}

static void note_use(void *env, Ast *a)
{
    Script *s = env;
    if (a->kind == AST_NAME)
        map_set_ptr(&s->used, a->name, 1);
    ast_children(a, note_use, s);
}

/* The last binding of a name counts, as in Python at the time of a call; a constant that was made
 * from an earlier one would mean another value here. */
static void bind(Script *s, const Ast *target, uint32_t part)
{
    uint64_t old;
    if (target->kind != AST_NAME) {
        for (uint32_t i = 0; i < target->items.len; i++)
            bind(s, target->items.at[i], part);
        return;
    }
    if (map_get_ptr(&s->known, target->name, &old) && old > 1 && s->parts.at[old - 2].constant) {
        s->parts.at[old - 2].taken = NULL;
        if (map_get_ptr(&s->used, target->name, NULL))
            diag_error(s->diags, target->span, "name",
                       "%s is bound again after its first value was used: give the second another "
                       "name",
                       target->name);
    }
    map_set_ptr(&s->known, target->name, part + (uint64_t)2);
}

static bool only_names(const Ast *t)
{
    if (t->kind != AST_TUPLE && t->kind != AST_LIST)
        return t->kind == AST_NAME;
    for (uint32_t i = 0; i < t->items.len; i++)
        if (!only_names(t->items.at[i]))
            return false;
    return true;
}

static bool take_constant(Script *s, uint32_t part)
{
    Part *p = &s->parts.at[part];
    Ast *a = parse_part(s, p, true);
    bool assign = a && a->kind == AST_ASSIGN && a->assign.targets.len == 1;
    if (!a || (!assign && (a->kind != AST_ANN_ASSIGN || !a->ann.value)))
        return false;
    Ast *target = assign ? a->assign.targets.at[0] : a->ann.target;
    Ast *value = assign ? a->assign.value : a->ann.value;
    if (!only_names(target) || !script_is_constant(s, value))
        return false;
    p->taken = a;
    p->constant = true;
    bind(s, target, part);
    note_use(s, value);
    return true;
}

/* Of two definitions of one name the last one counts; init and golden of one name are two. */
static void define(Script *s, Sym name, uint32_t part)
{
    uint64_t old;
    Ast *now = s->parts.at[part].taken, *before = NULL;
    if (map_get_ptr(&s->known, name, &old) && old > 1)
        before = s->parts.at[old - 2].taken;
    bool pair = before && before->kind == AST_DEF && now->kind == AST_DEF &&
                before->def.decorators.len && now->def.decorators.len &&
                !ast_equal(before->def.decorators.at[0], now->def.decorators.at[0]);
    if (before && !pair)
        s->parts.at[old - 2].taken = NULL;
    map_set_ptr(&s->known, name, part + (uint64_t)2);
}

static void take(Script *s, uint32_t part)
{
    Part *p = &s->parts.at[part];
    Token t = at(s, p->begin);
    bool good = false;
    s->at = part;
    if (t.kind == TOK_IMPORT || t.kind == TOK_FROM) {
        good = take_import(s, p);
    } else if ((t.kind == TOK_AT || t.kind == TOK_DEF) && has_definition(s, p)) {
        p->taken = parse_part(s, p, false);
        good = true;
        if (p->taken && (p->taken->kind == AST_DEF || p->taken->kind == AST_CLASS))
            define(s, p->taken->kind == AST_DEF ? p->taken->def.name : p->taken->class_.name, part);
    } else if (t.kind == TOK_DEF) {
        Sym name = name_at(s, p->begin + 1);
        p->helper = parse_part(s, p, true);
        if (p->helper && name && !is_text(s, p->begin + 1, "main"))
            map_set_ptr(&s->helpers, name, part + (uint64_t)1);
    } else if (t.kind == TOK_NAME) {
        good = take_constant(s, part);
    }
    if (!good)
        skip(s, p);
}

/* ---- helper functions */

typedef struct {
    Script *s;
    VEC(uint32_t) todo;
} Need;

static void need(void *env, Ast *a)
{
    Need *n = env;
    uint64_t part;
    if (a->kind == AST_NAME && map_get_ptr(&n->s->helpers, a->name, &part) && part) {
        map_set_ptr(&n->s->helpers, a->name, 0);
        avec_push(n->s->arena, &n->todo, (uint32_t)part - 1);
    }
    ast_children(a, need, n);
}

/* What was skipped at first and is taken after all. */
static void unskip(Script *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->m->poisoned.len; i++)
        if (!s->parts.at[s->m->poisoned.at[i].part].taken)
            s->m->poisoned.at[n++] = s->m->poisoned.at[i];
    s->m->poisoned.len = n;
    for (uint32_t i = n = 0; i < s->m->skipped.len; i++)
        if (!s->parts.at[s->m->skipped.at[i].part].taken)
            s->m->skipped.at[n++] = s->m->skipped.at[i];
    s->m->skipped.len = n;
}

static bool is_last_helper(const Script *s, uint32_t part)
{
    uint64_t last;
    const Ast *helper = s->parts.at[part].helper;
    return helper && map_get_ptr(&s->helpers, helper->def.name, &last) &&
           last == part + (uint64_t)1;
}

/* Undecorated functions that taken code names, all in an imported script, and those that they name.
 */
static void take_helpers(Script *s)
{
    Need n = {.s = s};
    for (uint32_t i = 0; i < s->parts.len; i++) {
        if (s->parts.at[i].taken)
            need(&n, s->parts.at[i].taken);
        else if (s->imports && s->imports->imported && is_last_helper(s, i))
            avec_push(s->arena, &n.todo, i);
    }
    for (uint32_t i = 0; i < n.todo.len; i++) {
        Part *p = &s->parts.at[n.todo.at[i]];
        if (!elab_is_compile_time(&p->helper->def.body))
            continue;
        p->taken = p->helper;
        need(&n, p->helper);
    }
    unskip(s);
}

static void finish(Script *s)
{
    for (uint32_t i = 0; i < s->parts.len; i++) {
        const Part *p = &s->parts.at[i];
        if (!p->taken)
            continue;
        s->m->constants += p->constant;
        s->m->kernels +=
            p->taken->kind == AST_CLASS || (p->taken->kind == AST_DEF && p->taken != p->helper);
        avec_push(s->arena, &s->m->body, p->taken);
    }
}

AstModule *script_read(Arena *arena, Interner *in, const Source *src, Span file,
                       const ScriptImports *imports, Diags *diags)
{
    Script s = {.arena = arena, .in = in, .src = src, .file = file, .diags = diags};
    s.imports = imports;
    s.m = arena_new(arena, AstModule);
    s.m->src = src;
    s.m->span = file;
    s.m->script = true;
    if (!parser_check_text(src, file, diags))
        return s.m;
    uint32_t len = file.end - file.begin;
    lexer_scan(&s.tokens, arena_strndup(arena, src->text + file.begin, len), len, file.begin);
    brackets_match(&s.tokens);
    note_alias(&s, intern(in, "pl"));
    note_alias(&s, intern(in, "pld"));
    if (check_tokens(&s)) {
        split(&s);
        for (uint32_t i = 0; i < s.parts.len; i++)
            take(&s, i);
        take_helpers(&s);
        finish(&s);
    }
    vec_free(&s.tokens);
    map_free(&s.aliases);
    map_free(&s.known);
    map_free(&s.used);
    map_free(&s.helpers);
    map_free(&s.modules);
    return s.m;
}
