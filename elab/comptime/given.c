#include "elab/comptime/given.h"

#include "parser/parser.h"
#include <string.h>

Ast *given_node(Arena *arena, AstKind kind, Span span)
{
    Ast *a = ast_new(arena, kind, span);
    a->height = 1;
    return a;
}

/* Where trees are made, and at which place of the text they stand. */
typedef struct {
    Arena *arena;
    Interner *in;
    Span span;
} Maker;

static Ast *node(const Maker *m, AstKind kind)
{
    return given_node(m->arena, kind, m->span);
}

static Ast *dotted(const Maker *m, const char *text)
{
    const char *dot = strrchr(text, '.');
    Ast *a = node(m, dot ? AST_ATTR : AST_NAME);
    if (!dot) {
        a->name = intern(m->in, text);
        return a;
    }
    a->attr.base = dotted(m, arena_strndup(m->arena, text, (size_t)(dot - text)));
    a->attr.name = intern(m->in, dot + 1);
    a->attr.name_span = m->span;
    return a;
}

static Ast *call(const Maker *m, const char *callee, const char *text)
{
    Ast *a = node(m, AST_CALL), *arg = node(m, AST_STR);
    arg->str.text = intern(m->in, text);
    a->call.callee = dotted(m, callee);
    avec_push(m->arena, &a->call.args, arg);
    return a;
}

static Ast *number(const Maker *m, const Given *v)
{
    Ast *a = node(m, v->kind == GIVEN_INT ? AST_INT : AST_FLOAT);
    if (v->kind == GIVEN_FLOAT && v->f != v->f)
        return call(m, "float", "nan");
    if (v->kind == GIVEN_FLOAT)
        a->real = v->f;
    else
        a->integer.value = v->i < 0 && v->i != INT64_MIN ? -v->i : v->i;
    if (v->kind == GIVEN_FLOAT || v->i >= 0 || v->i == INT64_MIN)
        return a;
    Ast *minus = node(m, AST_UNARY);
    minus->unary.op = OP_NEG;
    minus->unary.operand = a;
    return minus;
}

/* ---- extents */

static bool is_name(const char *text)
{
    for (const char *c = text; *c; c++) {
        bool letter = *c == '_' || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        if (!letter && (c == text || *c < '0' || *c > '9'))
            return false;
    }
    return text[0] != '\0';
}

static bool is_world_size(const Ast *a)
{
    return a->kind == AST_CALL && !a->call.args.len && !a->call.keywords.len &&
           a->call.callee->kind == AST_ATTR && a->call.callee->attr.base->kind == AST_NAME &&
           strcmp(a->call.callee->attr.base->name, "pld") == 0 &&
           strcmp(a->call.callee->attr.name, "world_size") == 0;
}

static bool is_arithmetic(const Ast *a)
{
    switch (a->kind) {
    case AST_NAME:
    case AST_INT: return true;
    case AST_UNARY: return a->unary.op == OP_NEG && is_arithmetic(a->unary.operand);
    case AST_BINARY:
        return (a->binary.op <= OP_MUL || a->binary.op == OP_FLOORDIV || a->binary.op == OP_MOD) &&
               is_arithmetic(a->binary.left) && is_arithmetic(a->binary.right);
    default: return is_world_size(a);
    }
}

static Ast *parse(Arena *arena, Interner *in, const char *text)
{
    Diags own;
    const Source *src = source_from_bytes(arena, "extent", text, strlen(text));
    diags_init(&own, arena, src);
    Ast *a = parse_expression(arena, in, src, &own);
    bool good = !diags_failed(&own);
    diags_free(&own);
    return good ? a : NULL;
}

static Ast *parse_extent(Arena *arena, Interner *in, const char *text)
{
    Ast *a = parse(arena, in, text);
    return a && is_arithmetic(a) ? a : NULL;
}

static void move_to(void *env, Ast *a)
{
    a->span = *(Span *)env;
    ast_children(a, move_to, env);
}

Ast *given_expression(Arena *arena, Interner *in, const char *text, Span span)
{
    Ast *a = parse(arena, in, text);
    if (a)
        move_to(&span, a);
    return a;
}

bool given_is_extent(const char *text)
{
    Arena arena = {0};
    Interner in = {0};
    bool good = is_name(text) || parse_extent(&arena, &in, text) != NULL;
    interner_free(&in);
    arena_free(&arena);
    return good;
}

static Ast *same(void *env, Ast *a)
{
    (void)env;
    return a;
}

/* The tree stands at the place of what it is put for; its names are those of extents. */
static Ast *transplant(void *env, Ast *a)
{
    const Maker *m = env;
    if (a->kind == AST_NAME)
        return call(m, "pl.dynamic", a->name);
    Ast *copy = ast_copy(m->arena, a, is_world_size(a) ? same : transplant, env);
    copy->span = m->span;
    if (is_world_size(a))
        copy->call.callee = dotted(m, "pld.world_size");
    return copy;
}

static Ast *extent(const Maker *m, const char *text)
{
    Ast *a = is_name(text) ? NULL : parse_extent(m->arena, m->in, text);
    if (!a)
        return call(m, "pl.dynamic", text);
    return transplant((void *)(uintptr_t)m, a);
}

/* ---- lists and types */

static Ast *value(const Maker *m, const Given *v);

static void values(const Maker *m, const Given *v, AstList *out)
{
    for (uint32_t i = 0; i < v->n; i++)
        avec_push(m->arena, out, value(m, &v->items[i]));
}

static Ast *sequence(const Maker *m, const Given *v)
{
    Ast *a = node(m, v->kind == GIVEN_LIST ? AST_LIST : AST_TUPLE);
    values(m, v, &a->items);
    return a;
}

/* Keys and values in turn. */
static Ast *dict(const Maker *m, const Given *v)
{
    Ast *a = node(m, AST_DICT);
    for (uint32_t i = 0; i + 1 < v->n; i += 2) {
        avec_push(m->arena, &a->dict.keys, value(m, &v->items[i]));
        avec_push(m->arena, &a->dict.values, value(m, &v->items[i + 1]));
    }
    return a;
}

static Ast *subscript(const Maker *m, const char *base, Ast *index)
{
    Ast *a = node(m, AST_SUBSCRIPT);
    a->sub.base = dotted(m, base);
    avec_push(m->arena, &a->sub.index, index);
    return a;
}

static Ast *type(const Maker *m, const Given *v)
{
    Ast *dtype = dotted(m, arena_printf(m->arena, "pl.%s", v->dtype));
    Ast *a = NULL;
    if (strcmp(v->text, "pl.Scalar") == 0) {
        a = subscript(m, v->text, dtype);
    } else {
        Ast *dims = node(m, AST_LIST);
        values(m, v, &dims->items);
        a = subscript(m, v->text, dims);
        avec_push(m->arena, &a->sub.index, dtype);
    }
    if (v->i <= 0)
        return a;
    return subscript(m, v->i == 1 ? "pl.Out" : "pl.InOut", a);
}

static Ast *value(const Maker *m, const Given *v)
{
    Ast *a;
    switch (v->kind) {
    case GIVEN_NONE:
    case GIVEN_DEF: return node(m, AST_NONE);
    case GIVEN_INT:
    case GIVEN_FLOAT: return number(m, v);
    case GIVEN_BOOL: return node(m, v->i ? AST_TRUE : AST_FALSE);
    case GIVEN_TEXT:
    case GIVEN_OPAQUE:
        a = node(m, AST_STR);
        a->str.text = intern(m->in, v->text);
        return a;
    case GIVEN_DTYPE: return dotted(m, arena_printf(m->arena, "pl.%s", v->text));
    case GIVEN_ENUM:
    case GIVEN_OP: return dotted(m, v->text);
    case GIVEN_EXTENT: return extent(m, v->text);
    case GIVEN_LIST:
    case GIVEN_TUPLE: return sequence(m, v);
    case GIVEN_TYPE: return type(m, v);
    case GIVEN_DICT: return dict(m, v);
    }
    return NULL;
}

Ast *given_ast(Arena *arena, Interner *in, const Given *v, Span span)
{
    return value(&(Maker){arena, in, span}, v);
}
