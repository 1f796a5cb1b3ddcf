/* Nodes of expressions, and the height of every tree. */
#include "parser/state.h"
#include <ctype.h>
#include <string.h>

Ast *ast_node(Parser *p, AstKind kind, Span span)
{
    Ast *node = arena_new(p->arena, Ast);
    node->kind = kind;
    node->span = span;
    return node;
}

/* --- heights --- */

static void raise_to(uint32_t *height, const Ast *child)
{
    if (child && child->height > *height)
        *height = child->height;
}

static void raise_to_list(uint32_t *height, AstList list)
{
    for (uint32_t i = 0; i < list.len; i++)
        raise_to(height, list.at[i]);
}

static void raise_to_params(uint32_t *height, AstParams params)
{
    for (uint32_t i = 0; i < params.len; i++) {
        raise_to(height, params.at[i].annotation);
        raise_to(height, params.at[i].default_value);
    }
}

static void raise_to_clauses(uint32_t *height, AstForClauses clauses)
{
    for (uint32_t i = 0; i < clauses.len; i++) {
        raise_to(height, clauses.at[i].target);
        raise_to(height, clauses.at[i].iter);
        raise_to(height, clauses.at[i].cond);
    }
}

/* The height of the highest child of an expression. */
static uint32_t expr_children(const Ast *node)
{
    uint32_t h = 0;
    switch (node->kind) {
    case AST_FSTRING:
        for (uint32_t i = 0; i < node->fstring.len; i++)
            raise_to(&h, node->fstring.at[i].expr);
        break;
    case AST_TUPLE: case AST_LIST: case AST_AND: case AST_OR:
        raise_to_list(&h, node->items);
        break;
    case AST_DICT:
        raise_to_list(&h, node->dict.keys);
        raise_to_list(&h, node->dict.values);
        break;
    case AST_ATTR:
        raise_to(&h, node->attr.base);
        break;
    case AST_CALL:
        raise_to(&h, node->call.callee);
        raise_to_list(&h, node->call.args);
        for (uint32_t i = 0; i < node->call.keywords.len; i++)
            raise_to(&h, node->call.keywords.at[i].value);
        break;
    case AST_SUBSCRIPT:
        raise_to(&h, node->sub.base);
        raise_to_list(&h, node->sub.index);
        break;
    case AST_SLICE:
        raise_to(&h, node->slice.lo);
        raise_to(&h, node->slice.hi);
        raise_to(&h, node->slice.step);
        break;
    case AST_UNARY:
        raise_to(&h, node->unary.operand);
        break;
    case AST_BINARY:
        raise_to(&h, node->binary.left);
        raise_to(&h, node->binary.right);
        break;
    case AST_COMPARE:
        raise_to(&h, node->compare.first);
        raise_to_list(&h, node->compare.rest);
        break;
    case AST_COND:
        raise_to(&h, node->cond.cond);
        raise_to(&h, node->cond.then);
        raise_to(&h, node->cond.otherwise);
        break;
    case AST_GENEXP: case AST_LISTCOMP:
        raise_to(&h, node->gen.element);
        raise_to_clauses(&h, node->gen.clauses);
        break;
    case AST_LAMBDA:
        raise_to_params(&h, node->lambda.params);
        raise_to(&h, node->lambda.body);
        break;
    case AST_STARRED: case AST_EXPR_STMT: case AST_RETURN: case AST_RAISE:
        raise_to(&h, node->value);
        break;
    default:
        break;
    }
    return h;
}

static uint32_t try_children(const Ast *node)
{
    uint32_t h = 0;
    raise_to_list(&h, node->try_.body);
    raise_to_list(&h, node->try_.otherwise);
    raise_to_list(&h, node->try_.finally);
    for (uint32_t i = 0; i < node->try_.handlers.len; i++) {
        raise_to(&h, node->try_.handlers.at[i].type);
        raise_to_list(&h, node->try_.handlers.at[i].body);
    }
    return h;
}

/* The same of a statement that is more than one expression. */
static uint32_t stmt_children(const Ast *node)
{
    uint32_t h = 0;
    switch (node->kind) {
    case AST_ASSIGN:
        raise_to_list(&h, node->assign.targets);
        raise_to(&h, node->assign.value);
        break;
    case AST_ANN_ASSIGN:
        raise_to(&h, node->ann.target);
        raise_to(&h, node->ann.annotation);
        raise_to(&h, node->ann.value);
        break;
    case AST_AUG_ASSIGN:
        raise_to(&h, node->aug.target);
        raise_to(&h, node->aug.value);
        break;
    case AST_ASSERT:
        raise_to(&h, node->assert_.cond);
        raise_to(&h, node->assert_.message);
        break;
    case AST_DELETE:
        raise_to_list(&h, node->items);
        break;
    case AST_IF: case AST_WHILE:
        raise_to(&h, node->if_.cond);
        raise_to_list(&h, node->if_.then);
        raise_to_list(&h, node->if_.otherwise);
        break;
    case AST_FOR:
        raise_to(&h, node->for_.target);
        raise_to(&h, node->for_.iter);
        raise_to_list(&h, node->for_.body);
        raise_to_list(&h, node->for_.otherwise);
        break;
    case AST_TRY:
        return try_children(node);
    case AST_WITH:
        raise_to_list(&h, node->with.items);
        raise_to_list(&h, node->with.targets);
        raise_to_list(&h, node->with.body);
        break;
    case AST_DEF:
        raise_to_list(&h, node->def.decorators);
        raise_to_params(&h, node->def.params);
        raise_to(&h, node->def.returns);
        raise_to_list(&h, node->def.body);
        break;
    case AST_CLASS:
        raise_to_list(&h, node->class_.decorators);
        raise_to_list(&h, node->class_.bases);
        raise_to_list(&h, node->class_.body);
        break;
    default:
        return expr_children(node);
    }
    return h;
}

Ast *ast_finish(Parser *p, Ast *node)
{
    node->height = 1 + stmt_children(node);
    if (node->height <= PARSER_MAX_HEIGHT)
        return node;
    if (!p->height_reported)
        diag_error(p->diags, node->span, "syntax", "nested too deeply (more than %d levels)",
                   PARSER_MAX_HEIGHT);
    p->height_reported = true;
    Ast *stub = ast_node(p, AST_ERROR, node->span);
    stub->height = 1;
    return stub;
}

/* --- lists --- */

AstList ast_list_one(Parser *p, Ast *item)
{
    AstList list = { 0 };
    avec_push(p->arena, &list, item);
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
    Buf text = { 0 };
    for (uint32_t i = span.begin; i < span.end; i++)
        if (!strchr(" \t\f\\\n", p->src->text[i]))
            buf_char(&text, p->src->text[i]);
    Sym name = intern_n(p->in, text.at, text.len);
    buf_free(&text);
    return name;
}

/* --- expressions --- */

Ast *ast_make_name(Parser *p, Sym name, Span span)
{
    Ast *node = ast_node(p, AST_NAME, span);
    node->name = name;
    return ast_finish(p, node);
}

/* The literal 9223372036854775808, which only its minus makes fit. */
static bool awaits_minus(const Parser *p, const Ast *node)
{
    return node->kind == AST_INT && node->integer.value == INT64_MIN
        && isdigit((unsigned char)p->src->text[node->span.begin]);
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
