/* Names of node kinds and operators; what a node is made of, walked and compared. */
#include "parser/ast.h"
#include <stddef.h>
#include <string.h>

static const char *const kind_names[] = {
#define PLD_AST(ENUM, name, member, fields) name,
#include "parser/ast.def"
};

const char *ast_kind_name(AstKind kind)
{
    return kind_names[kind];
}

const char *unary_op_text(UnaryOp op)
{
    static const char *const texts[] = {"-", "+", "not", "~"};
    return texts[op];
}

const char *binary_op_text(BinaryOp op)
{
    static const char *const texts[] = {
        "+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>",
    };
    return texts[op];
}

const char *compare_op_text(CompareOp op)
{
    static const char *const texts[] = {
        "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in",
    };
    return texts[op];
}

/* ---- fields */

typedef enum { FIELD_END, FIELD_CHILD, FIELD_TEXT, FIELD_PLAIN, FIELD_ARRAY } FieldKind;

typedef struct AstField AstField;
struct AstField {
    FieldKind kind;
    uint32_t offset;       /* in the node, or in the element of an array */
    uint32_t size;         /* PLAIN; ARRAY: of an element */
    const AstField *parts; /* ARRAY: of an element */
};

#define FIELD(T, what, m)                                                                          \
    {                                                                                              \
        FIELD_##what, offsetof(T, m), sizeof(((T *)0)->m), NULL                                    \
    }
#define END                                                                                        \
    {                                                                                              \
        FIELD_END, 0, 0, NULL                                                                      \
    }

static const AstField child[] = {{FIELD_CHILD, 0, 0, NULL}, END};
static const AstField text[] = {{FIELD_TEXT, 0, 0, NULL}, END};
static const AstField compare_op[] = {{FIELD_PLAIN, 0, sizeof(CompareOp), NULL}, END};
static const AstField keyword[] = {FIELD(AstKeyword, TEXT, name), FIELD(AstKeyword, CHILD, value),
                                   END};
static const AstField part[] = {FIELD(AstFPart, TEXT, text),   FIELD(AstFPart, CHILD, expr),
                                FIELD(AstFPart, TEXT, spec),   FIELD(AstFPart, PLAIN, conversion),
                                FIELD(AstFPart, PLAIN, debug), END};
static const AstField param[] = {
    FIELD(AstParam, TEXT, name),           FIELD(AstParam, CHILD, annotation),
    FIELD(AstParam, CHILD, default_value), FIELD(AstParam, PLAIN, keyword_only),
    FIELD(AstParam, PLAIN, star),          END};
static const AstField import_name[] = {FIELD(AstImportName, TEXT, name),
                                       FIELD(AstImportName, TEXT, alias), END};

#define ARRAY(T, m, parts)                                                                         \
    {                                                                                              \
        FIELD_ARRAY, offsetof(T, m), sizeof *((T *)0)->m.at, parts                                 \
    }
static const AstField clause[] = {FIELD(AstForClause, CHILD, target),
                                  FIELD(AstForClause, CHILD, iter),
                                  FIELD(AstForClause, CHILD, cond), END};
static const AstField handler[] = {FIELD(AstHandler, CHILD, type), FIELD(AstHandler, TEXT, name),
                                   ARRAY(AstHandler, body, child), END};

#define ONE(m) FIELD(Ast, CHILD, m),
#define TEXT(m) FIELD(Ast, TEXT, m),
#define PLAIN(m) FIELD(Ast, PLAIN, m),
#define LIST(m) ARRAY(Ast, m, child),
#define TEXTS(m) ARRAY(Ast, m, text),
#define OPS(m) ARRAY(Ast, m, compare_op),
#define KEYWORDS(m) ARRAY(Ast, m, keyword),
#define PARTS(m) ARRAY(Ast, m, part),
#define PARAMS(m) ARRAY(Ast, m, param),
#define CLAUSES(m) ARRAY(Ast, m, clause),
#define HANDLERS(m) ARRAY(Ast, m, handler),
#define NAMES(m) ARRAY(Ast, m, import_name),

#define PLD_AST(ENUM, name, member, fields) static const AstField fields_##ENUM[] = {fields END};
#include "parser/ast.def"

static const AstField *const kind_fields[] = {
#define PLD_AST(ENUM, name, member, fields) fields_##ENUM,
#include "parser/ast.def"
};

static const uint8_t kind_sizes[] = {
#define PLD_AST(ENUM, name, member, fields) offsetof(Ast, member) + sizeof(((Ast *)0)->member),
#include "parser/ast.def"
};

Ast *ast_new(Arena *arena, AstKind kind, Span span)
{
    Ast *a = arena_alloc(arena, kind_sizes[kind]);
    a->kind = kind;
    a->span = span;
    return a;
}

void ast_take(Ast *to, const Ast *from)
{
    memcpy(to, from, kind_sizes[from->kind]);
}

void ast_to_name(Ast *a, Sym name, Span span)
{
    a->kind = AST_NAME;
    a->height = 1;
    a->span = span;
    a->name = name;
}

/* Any VEC. */
typedef struct {
    const char *at;
    uint32_t len, cap;
} Elements;

static Elements elements(const char *base, const AstField *f)
{
    Elements v;
    memcpy(&v, base + f->offset, sizeof v);
    return v;
}

static Ast *child_at(const char *base, const AstField *f)
{
    return *(Ast *const *)(base + f->offset);
}

static void visit(const char *base, const AstField *f, AstFn *fn, void *env)
{
    for (; f->kind != FIELD_END; f++) {
        Ast *one = f->kind == FIELD_CHILD ? child_at(base, f) : NULL;
        if (one)
            fn(env, one);
        Elements v = f->kind == FIELD_ARRAY ? elements(base, f) : (Elements){0};
        for (const char *at = v.at; v.len > 0; v.len--, at += f->size)
            visit(at, f->parts, fn, env);
    }
}

void ast_children(const Ast *a, AstFn *fn, void *env)
{
    visit((const char *)a, kind_fields[a->kind], fn, env);
}

/* Texts may come from two interners. */
static bool texts_equal(Sym a, Sym b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool equal(const char *a, const char *b, const AstField *f);

static bool arrays_equal(const char *a, const char *b, const AstField *f)
{
    Elements x = elements(a, f), y = elements(b, f);
    for (uint32_t i = 0; x.len == y.len && i < x.len; i++)
        if (!equal(x.at + (size_t)i * f->size, y.at + (size_t)i * f->size, f->parts))
            return false;
    return x.len == y.len;
}

static bool field_equal(const char *a, const char *b, const AstField *f)
{
    switch (f->kind) {
    case FIELD_CHILD: return ast_equal(child_at(a, f), child_at(b, f));
    case FIELD_TEXT:
        return texts_equal(*(const Sym *)(a + f->offset), *(const Sym *)(b + f->offset));
    case FIELD_PLAIN: return memcmp(a + f->offset, b + f->offset, f->size) == 0;
    case FIELD_ARRAY: return arrays_equal(a, b, f);
    default: return true;
    }
}

static bool equal(const char *a, const char *b, const AstField *f)
{
    for (; f->kind != FIELD_END; f++)
        if (!field_equal(a, b, f))
            return false;
    return true;
}

bool ast_equal(const Ast *a, const Ast *b)
{
    if (!a || !b || a->kind != b->kind)
        return a == b;
    return equal((const char *)a, (const char *)b, kind_fields[a->kind]);
}

/* ---- copies */

static void copy_fields(Arena *arena, char *to, const AstField *f, AstCopy *fn, void *env)
{
    for (; f->kind != FIELD_END; f++) {
        Ast *one = f->kind == FIELD_CHILD ? child_at(to, f) : NULL;
        if (one) {
            one = fn(env, one);
            memcpy(to + f->offset, &one, sizeof one);
        }
        Elements v = f->kind == FIELD_ARRAY ? elements(to, f) : (Elements){0};
        if (!v.len)
            continue;
        char *at = arena_alloc(arena, (size_t)v.len * f->size);
        memcpy(at, v.at, (size_t)v.len * f->size);
        for (uint32_t i = 0; i < v.len; i++)
            copy_fields(arena, at + (size_t)i * f->size, f->parts, fn, env);
        v.at = at;
        v.cap = v.len;
        memcpy(to + f->offset, &v, sizeof v);
    }
}

static void highest(void *env, Ast *a)
{
    uint32_t *height = env;
    *height = a->height > *height ? a->height : *height;
}

Ast *ast_copy(Arena *arena, const Ast *a, AstCopy *fn, void *env)
{
    Ast *copy = ast_new(arena, a->kind, a->span);
    uint32_t height = 0;
    ast_take(copy, a);
    copy_fields(arena, (char *)copy, kind_fields[a->kind], fn, env);
    ast_children(copy, highest, &height);
    copy->height = height + 1;
    return copy;
}
