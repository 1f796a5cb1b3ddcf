/* The abstract syntax tree: what the text says, before any name is looked up. */
#ifndef PLD_PARSER_AST_H
#define PLD_PARSER_AST_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/source.h"
#include "base/vec.h"
#include <stdbool.h>

typedef enum {
#define PLD_AST(ENUM, name, member, fields) AST_##ENUM,
#include "parser/ast.def"
    AST_COUNT
} AstKind;

typedef enum { OP_NEG, OP_POS, OP_NOT, OP_INVERT } UnaryOp;
typedef enum {
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_FLOORDIV,
    OP_MOD,
    OP_POW,
    OP_MATMUL,
    OP_BITAND,
    OP_BITOR,
    OP_BITXOR,
    OP_SHL,
    OP_SHR
} BinaryOp;
typedef enum {
    CMP_EQ,
    CMP_NE,
    CMP_LT,
    CMP_LE,
    CMP_GT,
    CMP_GE,
    CMP_IS,
    CMP_IS_NOT,
    CMP_IN,
    CMP_NOT_IN
} CompareOp;

typedef struct Ast Ast;

typedef VEC(Ast *) AstList;

/* A keyword argument `name=value`, or `**value`. */
typedef struct {
    Sym name;  /* NULL for `**value` */
    Span span; /* of the name */
    Ast *value;
} AstKeyword;

typedef VEC(AstKeyword) AstKeywords;

/* A part of an f-string: literal text, or an expression. */
typedef struct {
    Sym text; /* when expr is NULL */
    Ast *expr;
    Sym spec;        /* format after ':', or NULL */
    char conversion; /* 'r', 's' or 'a' after '!', or 0 */
    bool debug;      /* {expr=} */
} AstFPart;

typedef VEC(AstFPart) AstFParts;

/* A parameter of a def. */
typedef struct {
    Sym name;
    Span span;
    Ast *annotation;    /* or NULL */
    Ast *default_value; /* or NULL */
    bool keyword_only;  /* after a bare `*` */
    char star;          /* 0, '*' for *args, 'k' for **kwargs */
} AstParam;

typedef VEC(AstParam) AstParams;

/* `for target in iter [if cond]` of a generator expression or comprehension. */
typedef struct {
    Ast *target, *iter, *cond; /* cond or NULL */
} AstForClause;

typedef VEC(AstForClause) AstForClauses;

/* `except type as name:` of a try. */
typedef struct {
    Ast *type; /* or NULL */
    Sym name;  /* or NULL */
    AstList body;
} AstHandler;

typedef VEC(AstHandler) AstHandlers;

/* `name as alias` of a from-import. */
typedef struct {
    Sym name, alias; /* alias or NULL */
} AstImportName;

/* A node has room for the member of its kind only (ast.def): ast_new makes one, ast_take copies
 * one.
 *
 * The span of an expression is its text, without parentheses around it (those of a tuple belong to
 * it); of a simple statement, its text; of a compound statement, its header up to the ':'. */
struct Ast {
    AstKind kind : 8;
    uint32_t height : 24; /* levels of nodes; set by the parser, at most PARSER_MAX_HEIGHT */
    Span span;
    union {
        /* NAME */
        Sym name;
        /* INT: not negative, but for INT64_MIN, which `-9223372036854775808` gives */
        struct {
            int64_t value;
            bool hex;
        } integer;
        /* FLOAT */
        double real;
        /* STR: after escapes, adjacent ones joined */
        struct {
            Sym text;
            bool triple;
        } str;
        /* FSTRING */
        AstFParts fstring;
        /* TUPLE, LIST, SET, DELETE; AND, OR (two or more) */
        AstList items;
        /* DICT: a NULL key for `**value` */
        struct {
            AstList keys, values;
        } dict;
        /* ATTR */
        struct {
            Ast *base;
            Sym name;
            Span name_span;
        } attr;
        /* CALL */
        struct {
            Ast *callee;
            AstList args;
            AstKeywords keywords;
        } call;
        /* SUBSCRIPT: x[a, b:c] has two items */
        struct {
            Ast *base;
            AstList index;
        } sub;
        /* SLICE: each may be NULL */
        struct {
            Ast *lo, *hi, *step;
        } slice;
        /* UNARY */
        struct {
            UnaryOp op;
            Ast *operand;
        } unary;
        /* BINARY */
        struct {
            BinaryOp op;
            Ast *left, *right;
        } binary;
        /* COMPARE: first ops[0] rest[0] ops[1] rest[1] ... */
        struct {
            Ast *first;
            VEC(CompareOp) ops;
            AstList rest;
        } compare;
        /* COND: then if cond else otherwise */
        struct {
            Ast *cond, *then, *otherwise;
        } cond;
        /* GENEXP, LISTCOMP, SETCOMP; DICTCOMP, which alone has a key */
        struct {
            Ast *key, *element;
            AstForClauses clauses;
        } gen;
        /* LAMBDA */
        struct {
            AstParams params;
            Ast *body;
        } lambda;
        /* STARRED, YIELD_FROM, EXPR_STMT; RETURN, YIELD (may be NULL) */
        Ast *value;
        /* RAISE: each may be NULL */
        struct {
            Ast *raised, *cause;
        } raise;
        /* WALRUS: target := value */
        struct {
            Ast *target, *value;
        } walrus;
        /* ASSIGN: a = b = v has two targets */
        struct {
            AstList targets;
            Ast *value;
        } assign;
        /* ANN_ASSIGN: value may be NULL; the target may be a TUPLE: (a, b): tuple[S, T] = v */
        struct {
            Ast *target, *annotation, *value;
        } ann;
        /* AUG_ASSIGN */
        struct {
            BinaryOp op;
            Ast *target, *value;
        } aug;
        /* IF, WHILE: an elif is an IF alone in `otherwise` */
        struct {
            Ast *cond;
            AstList then, otherwise;
        } if_;
        /* FOR */
        struct {
            Ast *target, *iter;
            AstList body, otherwise;
        } for_;
        /* ASSERT: message may be NULL */
        struct {
            Ast *cond, *message;
        } assert_;
        /* TRY */
        struct {
            AstList body;
            AstHandlers handlers;
            AstList otherwise, finally;
        } try_;
        /* WITH items[i] as targets[i] (or NULL) */
        struct {
            AstList items, targets, body;
        } with;
        /* GLOBAL */
        struct {
            VEC(Sym) names;
            bool nonlocal;
        } global;
        /* IMPORT: import module [as alias]; from FROM import module [as alias], more */
        struct {
            Sym module, alias, from;
            VEC(AstImportName) more;
        } import;
        /* DEF */
        struct {
            Sym name;
            Span name_span;
            AstList decorators;
            AstParams params;
            Ast *returns; /* or NULL */
            AstList body;
        } def;
        /* CLASS */
        struct {
            Sym name;
            Span name_span;
            AstList decorators, bases, body;
        } class_;
    };
};

/* Lines of a script that are no part of the program. */
typedef struct {
    Span span;
    const char *what; /* "import", "def", "if", ... */
    uint32_t part;    /* which top-level statement they are */
} AstSkipped;

/* A name that skipped lines give a value. */
typedef struct {
    Sym name;
    Span span;
    uint32_t part;
    const char *what; /* that it is, where it was not in the text, or NULL */
    bool reported;    /* what makes it is a mistake that has its message */
} AstPoison;

/* A parsed file, or several that are compiled as one. */
typedef struct AstModule AstModule;
struct AstModule {
    const Source *src;
    Span span;    /* of the file */
    Sym header;   /* text of a first line `# pld-ir ...` without the newline, or NULL */
    AstList body; /* top-level statements in source order */
    bool script;  /* read by elab/comptime/script.c, which skips what is no part of a program */
    uint32_t kernels, constants; /* of a script: taken */
    VEC(AstSkipped) skipped;
    VEC(AstPoison) poisoned;
    VEC(AstModule *) scripts; /* imported ones, of which something is in `body` */
};

/* Appends the canonical spelling of a module, statement (indented by `depth` steps of 4) or
 * expression. Parsing that text gives an equal tree; printing that tree gives equal text.
 * Parentheses only where precedence needs them; one statement a line; two blank lines around
 * top-level defs and classes, one around nested ones. */
void ast_print_module(Buf *out, const AstModule *module);
void ast_print_stmt(Buf *out, const Ast *stmt, uint32_t depth);
void ast_print_expr(Buf *out, const Ast *expr);

/* A node of a kind, otherwise zero. */
Ast *ast_new(Arena *arena, AstKind kind, Span span);
/* Makes `*to` what `*from` is; there is room for that. The children are the same. */
void ast_take(Ast *to, const Ast *from);
/* Makes an attribute, subscript or name a name. */
void ast_to_name(Ast *a, Sym name, Span span);
/* Visits the children of a node, those of its keywords, parameters and the like included, in the
 * order of ast.def. */
typedef void AstFn(void *env, Ast *child);
void ast_children(const Ast *a, AstFn *fn, void *env);
/* A node like `a` whose children are what `fn` gives for those of `a`. */
typedef Ast *AstCopy(void *env, Ast *child);
Ast *ast_copy(Arena *arena, const Ast *a, AstCopy *fn, void *env);
/* Same tree, ignoring spans and heights. */
bool ast_equal(const Ast *a, const Ast *b);

const char *ast_kind_name(AstKind kind);
/* "+", "//", ...; for UNARY "-", "+", "not", "~"; for COMPARE "==", "is not", ... */
const char *unary_op_text(UnaryOp op);
const char *binary_op_text(BinaryOp op);
const char *compare_op_text(CompareOp op);

#endif
