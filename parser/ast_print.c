/* Expressions as text: the canonical spelling, with the parentheses that precedence needs. */
#include "parser/print.h"
#include <inttypes.h>
#include <math.h>

static Precedence binary_binding(BinaryOp op)
{
    switch (op) {
    case OP_ADD:
    case OP_SUB: return BIND_SUM;
    case OP_BITAND: return BIND_BITAND;
    case OP_BITOR: return BIND_BITOR;
    case OP_BITXOR: return BIND_BITXOR;
    case OP_SHL:
    case OP_SHR: return BIND_SHIFT;
    case OP_POW: return BIND_POWER;
    default: return BIND_PRODUCT;
    }
}

static Precedence binding(const Ast *expr)
{
    switch (expr->kind) {
    case AST_WALRUS:
    case AST_YIELD:
    case AST_YIELD_FROM: return BIND_NAMED; /* in parentheses everywhere */
    case AST_COND:
    case AST_LAMBDA: return BIND_EXPR;
    case AST_OR: return BIND_OR;
    case AST_AND: return BIND_AND;
    case AST_COMPARE: return BIND_COMPARE;
    case AST_BINARY: return binary_binding(expr->binary.op);
    case AST_UNARY: return expr->unary.op == OP_NOT ? BIND_NOT : BIND_UNARY;
    case AST_INT: return expr->integer.value < 0 ? BIND_UNARY : BIND_POSTFIX;
    case AST_FLOAT: return signbit(expr->real) ? BIND_UNARY : BIND_POSTFIX;
    default: return BIND_POSTFIX;
    }
}

void ast_put_items(Printer *p, AstList items)
{
    for (uint32_t i = 0; i < items.len; i++) {
        buf_str(p->out, i > 0 ? ", " : "");
        ast_put_expr(p, items.at[i], BIND_EXPR);
    }
}

void ast_put_bare(Printer *p, const Ast *expr)
{
    if (expr->kind == AST_TUPLE && expr->items.len >= 2)
        ast_put_items(p, expr->items);
    else
        ast_put_expr(p, expr, BIND_EXPR);
}

static void print_int(Printer *p, const Ast *expr)
{
    int64_t v = expr->integer.value;
    uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;
    buf_printf(p->out, expr->integer.hex ? "%s0x%" PRIx64 : "%s%" PRIu64, v < 0 ? "-" : "", size);
}

static void print_float(Printer *p, double v)
{
    if (isinf(v))
        buf_str(p->out, v < 0 ? "-1e999" : "1e999"); /* read back as infinity */
    else
        buf_double(p->out, v);
}

static void print_tuple(Printer *p, AstList items)
{
    buf_char(p->out, '(');
    ast_put_items(p, items);
    buf_str(p->out, items.len == 1 ? ",)" : ")");
}

static void print_dict(Printer *p, const Ast *expr)
{
    buf_char(p->out, '{');
    for (uint32_t i = 0; i < expr->dict.keys.len; i++) {
        buf_str(p->out, i > 0 ? ", " : "");
        if (expr->dict.keys.at[i]) {
            ast_put_expr(p, expr->dict.keys.at[i], BIND_EXPR);
            buf_str(p->out, ": ");
            ast_put_expr(p, expr->dict.values.at[i], BIND_EXPR);
        } else {
            buf_str(p->out, "**");
            ast_put_expr(p, expr->dict.values.at[i], BIND_BITOR);
        }
    }
    buf_char(p->out, '}');
}

static void print_clauses(Printer *p, const Ast *expr)
{
    if (expr->gen.key) {
        ast_put_expr(p, expr->gen.key, BIND_EXPR);
        buf_str(p->out, ": ");
    }
    ast_put_expr(p, expr->gen.element, BIND_EXPR);
    for (uint32_t i = 0; i < expr->gen.clauses.len; i++) {
        const AstForClause *clause = &expr->gen.clauses.at[i];
        buf_str(p->out, " for ");
        ast_put_bare(p, clause->target);
        buf_str(p->out, " in ");
        ast_put_expr(p, clause->iter, BIND_OR);
        if (clause->cond) {
            buf_str(p->out, " if ");
            ast_put_expr(p, clause->cond, BIND_OR);
        }
    }
}

static void print_call(Printer *p, const Ast *expr)
{
    AstList args = expr->call.args;
    AstKeywords keywords = expr->call.keywords;
    ast_put_expr(p, expr->call.callee, BIND_POSTFIX);
    buf_char(p->out, '(');
    if (args.len == 1 && keywords.len == 0 && args.at[0]->kind == AST_GENEXP)
        print_clauses(p, args.at[0]); /* its parentheses are those of the call */
    else
        ast_put_items(p, args);
    for (uint32_t i = 0; i < keywords.len; i++) {
        buf_str(p->out, i > 0 || args.len > 0 ? ", " : "");
        if (keywords.at[i].name)
            buf_printf(p->out, "%s=", keywords.at[i].name);
        else
            buf_str(p->out, "**");
        ast_put_expr(p, keywords.at[i].value, BIND_EXPR);
    }
    buf_char(p->out, ')');
}

static void print_slice(Printer *p, const Ast *expr)
{
    if (expr->slice.lo)
        ast_put_expr(p, expr->slice.lo, BIND_EXPR);
    buf_char(p->out, ':');
    if (expr->slice.hi)
        ast_put_expr(p, expr->slice.hi, BIND_EXPR);
    if (expr->slice.step) {
        buf_char(p->out, ':');
        ast_put_expr(p, expr->slice.step, BIND_EXPR);
    }
}

static void print_subscript(Printer *p, const Ast *expr)
{
    ast_put_expr(p, expr->sub.base, BIND_POSTFIX);
    buf_char(p->out, '[');
    ast_put_items(p, expr->sub.index);
    buf_char(p->out, ']');
}

static void print_attr(Printer *p, const Ast *expr)
{
    AstKind base = expr->attr.base->kind;
    bool number = base == AST_INT || base == AST_FLOAT; /* "1.real" reads as a number */
    buf_str(p->out, number ? "(" : "");
    ast_put_expr(p, expr->attr.base, number ? BIND_EXPR : BIND_POSTFIX);
    buf_printf(p->out, number ? ").%s" : ".%s", expr->attr.name);
}

static void print_unary(Printer *p, const Ast *expr)
{
    bool is_not = expr->unary.op == OP_NOT;
    buf_str(p->out, is_not ? "not " : unary_op_text(expr->unary.op));
    ast_put_expr(p, expr->unary.operand, is_not ? BIND_NOT : BIND_UNARY);
}

static void print_binary(Printer *p, const Ast *expr)
{
    Precedence own = binary_binding(expr->binary.op);
    bool power = expr->binary.op == OP_POW;
    ast_put_expr(p, expr->binary.left, power ? BIND_POSTFIX : own);
    buf_printf(p->out, " %s ", binary_op_text(expr->binary.op));
    ast_put_expr(p, expr->binary.right, power ? BIND_UNARY : own + 1);
}

static void print_bool(Printer *p, const Ast *expr)
{
    bool is_and = expr->kind == AST_AND;
    for (uint32_t i = 0; i < expr->items.len; i++) {
        buf_str(p->out, i == 0 ? "" : is_and ? " and " : " or ");
        ast_put_expr(p, expr->items.at[i], is_and ? BIND_NOT : BIND_AND);
    }
}

static void print_compare(Printer *p, const Ast *expr)
{
    ast_put_expr(p, expr->compare.first, BIND_BITOR);
    for (uint32_t i = 0; i < expr->compare.ops.len; i++) {
        buf_printf(p->out, " %s ", compare_op_text(expr->compare.ops.at[i]));
        ast_put_expr(p, expr->compare.rest.at[i], BIND_BITOR);
    }
}

static void print_cond(Printer *p, const Ast *expr)
{
    ast_put_expr(p, expr->cond.then, BIND_OR);
    buf_str(p->out, " if ");
    ast_put_expr(p, expr->cond.cond, BIND_OR);
    buf_str(p->out, " else ");
    ast_put_expr(p, expr->cond.otherwise, BIND_EXPR);
}

void ast_put_params(Printer *p, AstParams params)
{
    bool starred = false;
    for (uint32_t i = 0; i < params.len; i++) {
        const AstParam *param = &params.at[i];
        buf_str(p->out, i > 0 ? ", " : "");
        if (param->keyword_only && !starred)
            buf_str(p->out, "*, ");
        starred |= param->keyword_only || param->star == '*';
        buf_str(p->out, param->star == 0 ? "" : param->star == '*' ? "*" : "**");
        buf_str(p->out, param->name);
        if (param->annotation) {
            buf_str(p->out, ": ");
            ast_put_expr(p, param->annotation, BIND_EXPR);
        }
        if (param->default_value) {
            buf_str(p->out, param->annotation ? " = " : "=");
            ast_put_expr(p, param->default_value, BIND_EXPR);
        }
    }
}

static void print_lambda(Printer *p, const Ast *expr)
{
    buf_str(p->out, expr->lambda.params.len > 0 ? "lambda " : "lambda");
    ast_put_params(p, expr->lambda.params);
    buf_str(p->out, ": ");
    ast_put_expr(p, expr->lambda.body, BIND_EXPR);
}

/* An expression without parentheses around it. */
static void print_plain(Printer *p, const Ast *expr)
{
    switch (expr->kind) {
    case AST_NAME: buf_str(p->out, expr->name); break;
    case AST_INT: print_int(p, expr); break;
    case AST_FLOAT: print_float(p, expr->real); break;
    case AST_STR: ast_put_str(p, expr); break;
    case AST_FSTRING: ast_put_fstring(p, expr); break;
    case AST_TUPLE: print_tuple(p, expr->items); break;
    case AST_LIST:
    case AST_SET:
        buf_char(p->out, expr->kind == AST_LIST ? '[' : '{');
        ast_put_items(p, expr->items);
        buf_char(p->out, expr->kind == AST_LIST ? ']' : '}');
        break;
    case AST_DICT: print_dict(p, expr); break;
    case AST_ATTR: print_attr(p, expr); break;
    case AST_CALL: print_call(p, expr); break;
    case AST_SUBSCRIPT: print_subscript(p, expr); break;
    case AST_SLICE: print_slice(p, expr); break;
    case AST_UNARY: print_unary(p, expr); break;
    case AST_BINARY: print_binary(p, expr); break;
    case AST_COMPARE: print_compare(p, expr); break;
    case AST_AND:
    case AST_OR: print_bool(p, expr); break;
    case AST_COND: print_cond(p, expr); break;
    case AST_GENEXP:
    case AST_LISTCOMP:
    case AST_SETCOMP:
    case AST_DICTCOMP:
        buf_char(p->out, expr->kind == AST_GENEXP ? '(' : expr->kind == AST_LISTCOMP ? '[' : '{');
        print_clauses(p, expr);
        buf_char(p->out, expr->kind == AST_GENEXP ? ')' : expr->kind == AST_LISTCOMP ? ']' : '}');
        break;
    case AST_LAMBDA: print_lambda(p, expr); break;
    case AST_WALRUS:
        ast_put_expr(p, expr->walrus.target, BIND_EXPR);
        buf_str(p->out, " := ");
        ast_put_expr(p, expr->walrus.value, BIND_EXPR);
        break;
    case AST_YIELD:
    case AST_YIELD_FROM:
        buf_str(p->out, ast_kind_name(expr->kind));
        buf_str(p->out, expr->value ? " " : "");
        if (expr->value)
            ast_put_expr(p, expr->value, BIND_EXPR);
        break;
    case AST_STARRED:
        buf_char(p->out, '*');
        ast_put_expr(p, expr->value, BIND_BITOR);
        break;
    default: /* True, False, None, ..., and what could not be parsed */
        buf_str(p->out, ast_kind_name(expr->kind));
        break;
    }
}

void ast_put_expr(Printer *p, const Ast *expr, Precedence least)
{
    bool parens = binding(expr) < least;
    if (parens)
        buf_char(p->out, '(');
    print_plain(p, expr);
    if (parens)
        buf_char(p->out, ')');
}

void ast_print_expr(Buf *out, const Ast *expr)
{
    Printer p = {.out = out};
    ast_put_expr(&p, expr, BIND_EXPR);
}
