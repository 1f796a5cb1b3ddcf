/* What the grammar's actions share. Internal to parser/. */
#ifndef PLD_PARSER_STATE_H
#define PLD_PARSER_STATE_H

#include "lexer/lexer.h"
#include "parser/parser.h"

typedef struct {
    Arena *arena;
    Interner *in;
    const Source *src;
    Diags *diags;
    Layout layout;
    int start;         /* token that selects what to parse, given first; then 0 */
    AstModule *module; /* when a file is parsed */
    Ast *expr;         /* when an expression is parsed; NULL after a mistake */
    uint32_t nesting;  /* f-strings around the text at hand */
    bool height_reported;
    bool match_reported; /* inside the lines of a match statement that was reported */
    TokenKind before[3]; /* the tokens given last, latest first */
} Parser;

/* The name that a def or class gives. */
typedef struct {
    Sym text;
    Span span;
} AstName;

/* One argument of a call: `value`, `name=value`, or `**value` with its stars at `unpack`. */
typedef struct {
    Ast *name, *value;
    Span unpack;
} Argument;

/* Positional and keyword arguments of a call. */
typedef struct {
    AstList args;
    AstKeywords keywords;
} CallArgs;

/* --- literal.c: text of one literal token -> node or value --- */
Ast *literal_int(Parser *p, Span span);
Ast *literal_float(Parser *p, Span span);
/* Adjacent string literals, joined: a STR, or an FSTRING when one of them is one. */
Ast *literal_strings(Parser *p, const Span *spans, uint32_t n);
/* Appends `len` bytes at source offset `at` to `out`, with escapes resolved unless `raw`. */
void literal_unescape(Parser *p, Buf *out, uint32_t at, uint32_t len, bool raw);

/* --- fstring.c --- */
/* Appends the parts of the f-string body at `body`; text goes through `text`, which holds literal
 * text not yet in a part. */
void fstring_parts(Parser *p, AstFParts *parts, Buf *text, Span body, bool raw);
/* Moves literal text into a part of its own. */
void fstring_flush(Parser *p, AstFParts *parts, Buf *text);

/* --- parse.c --- */
/* Parses the text at `span` as an expression; NULL after a mistake. */
Ast *parse_inner(Parser *p, Span span);

/* Parses what `p->layout` gives; 0 when the grammar accepted or mended all of it. */
int parser_run(Parser *p, bool expression);
/* The line given last, which has a mistake: assignments of AST_ERROR to the names that it would
 * bind, or an AST_ERROR where that is not known. */
AstList parser_bad_line(Parser *p);
/* --- height.c --- */
/* Sets the height of a finished node; one that is too high is reported and becomes an ERROR. */
Ast *ast_finish(Parser *p, Ast *node);

/* --- build.c: nodes of expressions --- */
Ast *ast_node(Parser *p, AstKind kind, Span span);

AstList ast_list_one(Parser *p, Ast *item);
AstList ast_list_join(Parser *p, AstList a, AstList b);
/* The text at `span` without blanks and line joins: the dotted name of a module. */
Sym parser_dotted_name(Parser *p, Span span);

/* A kind with at most one child. */
Ast *ast_make_value(Parser *p, AstKind kind, Ast *value, Span span);
Ast *ast_make_name(Parser *p, Sym name, Span span);
Ast *ast_make_unary(Parser *p, UnaryOp op, Ast *operand, Span span);
Ast *ast_make_binary(Parser *p, BinaryOp op, Ast *left, Ast *right, Span span);
/* AND, OR and COMPARE grow operand by operand and are finished by their user. */
Ast *ast_make_bool(Parser *p, AstKind kind, Ast *left, Ast *right, Span span);
Ast *ast_extend_bool(Parser *p, Ast *list, Ast *item, Span span);
Ast *ast_make_compare(Parser *p, Ast *left, CompareOp op, Ast *right, Span span);
Ast *ast_extend_compare(Parser *p, Ast *list, CompareOp op, Ast *right, Span span);
Ast *ast_make_cond(Parser *p, Ast *then, Ast *cond, Ast *otherwise, Span span);
Ast *ast_make_walrus(Parser *p, Ast *target, Ast *value, Span span);
Ast *ast_make_lambda(Parser *p, AstParams params, Ast *body, Span span);
Ast *ast_make_attr(Parser *p, Ast *base, Sym name, Span name_span, Span span);
Ast *ast_make_call(Parser *p, Ast *callee, CallArgs args, Span span);
Ast *ast_make_subscript(Parser *p, Ast *base, AstList index, bool trailing_comma, Span span);
Ast *ast_make_slice(Parser *p, Ast *lo, Ast *hi, Ast *step, Span span);
/* TUPLE, LIST, SET or DELETE. */
Ast *ast_make_list(Parser *p, AstKind kind, AstList items, Span span);
/* GENEXP, LISTCOMP or SETCOMP. */
Ast *ast_make_comprehension(Parser *p, AstKind kind, Ast *element, AstForClauses clauses,
                            Span span);
Ast *ast_make_dict_comprehension(Parser *p, Ast *key, Ast *value, AstForClauses clauses, Span span);
void ast_add_condition(Parser *p, AstForClause *clause, Ast *cond);
/* Adds to `dict`, a new one when NULL; the user finishes it. */
Ast *ast_make_pair(Parser *p, Ast *dict, Ast *key, Ast *value);
/* The parentheses of a tuple belong to it. */
void ast_widen_tuple(Ast *expr, Span span);

/* --- build_stmt.c: statements --- */
Ast *ast_make_assign(Parser *p, AstList targets, Ast *value, Span span);
Ast *ast_make_augmented(Parser *p, Ast *target, BinaryOp op, Ast *value, Span span);
Ast *ast_make_annotated(Parser *p, Ast *target, Ast *annotation, Ast *value, Span span);
Ast *ast_make_assert(Parser *p, Ast *cond, Ast *message, Span span);
Ast *ast_make_raise(Parser *p, Ast *raised, Ast *cause, Span span);
Ast *ast_make_delete(Parser *p, Ast *targets, Span span);
Ast *ast_make_global(Parser *p, AstList names, bool nonlocal, Span span);
Ast *ast_make_import(Parser *p, Sym module, Sym alias, Span span);
/* Makes it `from` the module at `module`. */
Ast *ast_import_from(Parser *p, Ast *import, Span module, Span span);
Ast *ast_import_more(Parser *p, Ast *import, Sym name, Sym alias);
/* IF or WHILE. */
Ast *ast_make_if(Parser *p, AstKind kind, Ast *cond, AstList then, AstList otherwise, Span span);
Ast *ast_make_for(Parser *p, Ast *target, Ast *iter, AstList body, AstList otherwise, Span span);
Ast *ast_make_try(Parser *p, AstList body, AstHandlers handlers, AstList otherwise, AstList finally,
                  Span span);
/* Adds to `with`, a new one when NULL. */
Ast *ast_make_with(Parser *p, Ast *with, Ast *item, Ast *target);
Ast *ast_finish_with(Parser *p, Ast *with, AstList body, Span span);
Ast *ast_make_def(Parser *p, AstName name, AstParams params, Ast *returns, AstList body, Span span);
Ast *ast_make_class(Parser *p, AstName name, AstList bases, AstList body, Span span);
Ast *ast_decorate(Parser *p, Ast *definition, AstList decorators);
AstParam ast_make_param(Sym name, Span span, Ast *annotation, Ast *default_value, char star);

/* --- checks.c: what the grammar alone does not say --- */
/* Reports a target that cannot be assigned to. */
void ast_check_target(Parser *p, const Ast *target);
void ast_check_augmented(Parser *p, const Ast *target);
void ast_check_annotated(Parser *p, const Ast *target);
void ast_check_deletable(Parser *p, const Ast *target);
void ast_add_argument(Parser *p, CallArgs *args, Argument arg);
/* Resolves the bare `*` and checks order and names. */
AstParams ast_finish_params(Parser *p, AstParams params);
/* Reports class bases that are keyword arguments. */
AstList ast_class_bases(Parser *p, CallArgs args);

#define syntax_error(p, ...) layout_error(&(p)->layout, __VA_ARGS__)

#endif
