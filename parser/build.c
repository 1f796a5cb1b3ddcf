/* Nodes of expressions. */
#include "parser/state.h"
#include <ctype.h>
#include <string.h>

Ast *ast_node(Parser *p, AstKind kind, Span span)
{
    return ast_new(p->arena, kind, span);
}

/* --- lists --- */

AstList ast_list_one(Parser *p, Ast *item)
{
    AstList list = {.at = arena_new(p->arena, Ast *), .len = 1, .cap = 1};
    list.at[0] = item;
    return list;
}

AstList ast_list_join(Parser *p, AstList a, AstList b)
{
    for (uint32_t i = 0; i < b.len; i++)
        avec_push(p->arena, &a, b.at[i]);
    return a;
}

Sym parser_dotted_name(Parser *p, Span span)
{
    Buf text = {0};
    for (uint32_t i = span.begin; i < span.end; i++)
        if (!strchr(" \t\f\\\n", p->src->text[i]))
            buf_char(&text, p->src->text[i]);
    Sym name = intern_n(p->in, text.at, text.len);
    buf_free(&text);
    return name;
}

/* --- expressions --- */

Ast *ast_make_value(Parser *p, AstKind kind, Ast *value, Span span)
{
    Ast *node = ast_node(p, kind, span);
    node->value = value;
    return ast_finish(p, node);
}

Ast *ast_make_name(Parser *p, Sym name, Span span)
{
    Ast *node = ast_node(p, AST_NAME, span);
    node->name = name;
    return ast_finish(p, node);
}

/* The literal 9223372036854775808, which only its minus makes fit. */
static bool awaits_minus(const Parser *p, const Ast *node)
{
    return node->kind == AST_INT && node->integer.value == INT64_MIN &&
           isdigit((unsigned char)p->src->text[node->span.begin]);
}

Ast *ast_make_unary(Parser *p, UnaryOp op, Ast *operand, Span span)
{
    if (op == OP_NEG && awaits_minus(p, operand)) {
        operand->span = span;
        return operand;
    }
    Ast *node = ast_node(p, AST_UNARY, span);
    node->unary.op = op;
    node->unary.operand = operand;
    return ast_finish(p, node);
}

Ast *ast_make_binary(Parser *p, BinaryOp op, Ast *left, Ast *right, Span span)
{
    if (op == OP_POW && awaits_minus(p, left))
        syntax_error(p, left->span, "this integer does not fit in 64 bits");
    Ast *node = ast_node(p, AST_BINARY, span);
    node->binary.op = op;
    node->binary.left = left;
    node->binary.right = right;
    return ast_finish(p, node);
}

Ast *ast_make_bool(Parser *p, AstKind kind, Ast *left, Ast *right, Span span)
{
    Ast *node = ast_node(p, kind, span);
    avec_push(p->arena, &node->items, left);
    avec_push(p->arena, &node->items, right);
    return node;
}

Ast *ast_extend_bool(Parser *p, Ast *list, Ast *item, Span span)
{
    list->span = span;
    avec_push(p->arena, &list->items, item);
    return list;
}

Ast *ast_make_compare(Parser *p, Ast *left, CompareOp op, Ast *right, Span span)
{
    Ast *node = ast_node(p, AST_COMPARE, span);
    node->compare.first = left;
    return ast_extend_compare(p, node, op, right, span);
}

Ast *ast_extend_compare(Parser *p, Ast *list, CompareOp op, Ast *right, Span span)
{
    list->span = span;
    avec_push(p->arena, &list->compare.ops, op);
    avec_push(p->arena, &list->compare.rest, right);
    return list;
}

Ast *ast_make_cond(Parser *p, Ast *then, Ast *cond, Ast *otherwise, Span span)
{
    Ast *node = ast_node(p, AST_COND, span);
    node->cond.then = then;
    node->cond.cond = cond;
    node->cond.otherwise = otherwise;
    return ast_finish(p, node);
}

Ast *ast_make_walrus(Parser *p, Ast *target, Ast *value, Span span)
{
    if (target->kind != AST_NAME)
        syntax_error(p, target->span, "':=' assigns to a name");
    Ast *node = ast_node(p, AST_WALRUS, span);
    node->walrus.target = target;
    node->walrus.value = value;
    return ast_finish(p, node);
}

Ast *ast_make_lambda(Parser *p, AstParams params, Ast *body, Span span)
{
    Ast *node = ast_node(p, AST_LAMBDA, span);
    node->lambda.params = params;
    node->lambda.body = body;
    return ast_finish(p, node);
}

Ast *ast_make_attr(Parser *p, Ast *base, Sym name, Span name_span, Span span)
{
    Ast *node = ast_node(p, AST_ATTR, span);
    node->attr.base = base;
    node->attr.name = name;
    node->attr.name_span = name_span;
    return ast_finish(p, node);
}

Ast *ast_make_call(Parser *p, Ast *callee, CallArgs args, Span span)
{
    Ast *node = ast_node(p, AST_CALL, span);
    node->call.callee = callee;
    node->call.args = args.args;
    node->call.keywords = args.keywords;
    return ast_finish(p, node);
}

/* `x[a,]` has a tuple of one as its index. */
Ast *ast_make_subscript(Parser *p, Ast *base, AstList index, bool trailing_comma, Span span)
{
    Ast *node = ast_node(p, AST_SUBSCRIPT, span);
    node->sub.base = base;
    node->sub.index = index;
    if (trailing_comma && index.len == 1 && index.at[0]->kind != AST_SLICE)
        node->sub.index = ast_list_one(p, ast_make_list(p, AST_TUPLE, index, index.at[0]->span));
    return ast_finish(p, node);
}

Ast *ast_make_slice(Parser *p, Ast *lo, Ast *hi, Ast *step, Span span)
{
    Ast *node = ast_node(p, AST_SLICE, span);
    node->slice.lo = lo;
    node->slice.hi = hi;
    node->slice.step = step;
    return ast_finish(p, node);
}

Ast *ast_make_list(Parser *p, AstKind kind, AstList items, Span span)
{
    Ast *node = ast_node(p, kind, span);
    node->items = items;
    return ast_finish(p, node);
}

Ast *ast_make_comprehension(Parser *p, AstKind kind, Ast *element, AstForClauses clauses, Span span)
{
    Ast *node = ast_node(p, kind, span);
    node->gen.element = element;
    node->gen.clauses = clauses;
    return ast_finish(p, node);
}

Ast *ast_make_dict_comprehension(Parser *p, Ast *key, Ast *value, AstForClauses clauses, Span span)
{
    Ast *node = ast_node(p, AST_DICTCOMP, span);
    node->gen.key = key;
    node->gen.element = value;
    node->gen.clauses = clauses;
    return ast_finish(p, node);
}

void ast_add_condition(Parser *p, AstForClause *clause, Ast *cond)
{
    if (!clause->cond) {
        clause->cond = cond;
        return;
    }
    Span span = span_join(clause->cond->span, cond->span);
    clause->cond = ast_finish(p, ast_make_bool(p, AST_AND, clause->cond, cond, span));
}

Ast *ast_make_pair(Parser *p, Ast *dict, Ast *key, Ast *value)
{
    if (!dict)
        dict = ast_node(p, AST_DICT, value->span);
    avec_push(p->arena, &dict->dict.keys, key);
    avec_push(p->arena, &dict->dict.values, value);
    return dict;
}

void ast_widen_tuple(Ast *expr, Span span)
{
    if (expr->kind == AST_TUPLE)
        expr->span = span;
}
