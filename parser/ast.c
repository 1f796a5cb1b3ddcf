/* Names of node kinds and operators, and equality of trees. */
#include "parser/ast.h"
#include <string.h>

static const char *const kind_names[] = {
#define PLD_AST(ENUM, name) name,
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

static bool lists_equal(AstList a, AstList b)
{
    if (a.len != b.len)
        return false;
    for (uint32_t i = 0; i < a.len; i++)
        if (!ast_equal(a.at[i], b.at[i]))
            return false;
    return true;
}

/* Names may come from two interners. */
static bool syms_equal(Sym a, Sym b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool fstrings_equal(AstFParts a, AstFParts b)
{
    if (a.len != b.len)
        return false;
    for (uint32_t i = 0; i < a.len; i++) {
        const AstFPart *x = &a.at[i], *y = &b.at[i];
        if (!syms_equal(x->text, y->text) || !ast_equal(x->expr, y->expr) || x->debug != y->debug ||
            !syms_equal(x->spec, y->spec) || x->conversion != y->conversion)
            return false;
    }
    return true;
}

static bool keywords_equal(AstKeywords a, AstKeywords b)
{
    if (a.len != b.len)
        return false;
    for (uint32_t i = 0; i < a.len; i++)
        if (!syms_equal(a.at[i].name, b.at[i].name) || !ast_equal(a.at[i].value, b.at[i].value))
            return false;
    return true;
}

static bool params_equal(AstParams a, AstParams b)
{
    if (a.len != b.len)
        return false;
    for (uint32_t i = 0; i < a.len; i++) {
        const AstParam *x = &a.at[i], *y = &b.at[i];
        if (!syms_equal(x->name, y->name) || !ast_equal(x->annotation, y->annotation) ||
            !ast_equal(x->default_value, y->default_value) || x->keyword_only != y->keyword_only ||
            x->star != y->star)
            return false;
    }
    return true;
}

static bool clauses_equal(AstForClauses a, AstForClauses b)
{
    if (a.len != b.len)
        return false;
    for (uint32_t i = 0; i < a.len; i++)
        if (!ast_equal(a.at[i].target, b.at[i].target) || !ast_equal(a.at[i].iter, b.at[i].iter) ||
            !ast_equal(a.at[i].cond, b.at[i].cond))
            return false;
    return true;
}

static bool compares_equal(const Ast *a, const Ast *b)
{
    if (a->compare.ops.len != b->compare.ops.len)
        return false;
    for (uint32_t i = 0; i < a->compare.ops.len; i++)
        if (a->compare.ops.at[i] != b->compare.ops.at[i])
            return false;
    return ast_equal(a->compare.first, b->compare.first) &&
           lists_equal(a->compare.rest, b->compare.rest);
}

static bool imports_equal(const Ast *a, const Ast *b)
{
    if (!syms_equal(a->import.module, b->import.module) ||
        !syms_equal(a->import.alias, b->import.alias) ||
        !syms_equal(a->import.from, b->import.from) || a->import.more.len != b->import.more.len)
        return false;
    for (uint32_t i = 0; i < a->import.more.len; i++)
        if (!syms_equal(a->import.more.at[i].name, b->import.more.at[i].name) ||
            !syms_equal(a->import.more.at[i].alias, b->import.more.at[i].alias))
            return false;
    return true;
}

static bool globals_equal(const Ast *a, const Ast *b)
{
    if (a->global.nonlocal != b->global.nonlocal || a->global.names.len != b->global.names.len)
        return false;
    for (uint32_t i = 0; i < a->global.names.len; i++)
        if (!syms_equal(a->global.names.at[i], b->global.names.at[i]))
            return false;
    return true;
}

static bool tries_equal(const Ast *a, const Ast *b)
{
    if (a->try_.handlers.len != b->try_.handlers.len)
        return false;
    for (uint32_t i = 0; i < a->try_.handlers.len; i++) {
        const AstHandler *x = &a->try_.handlers.at[i], *y = &b->try_.handlers.at[i];
        if (!ast_equal(x->type, y->type) || !syms_equal(x->name, y->name) ||
            !lists_equal(x->body, y->body))
            return false;
    }
    return lists_equal(a->try_.body, b->try_.body) &&
           lists_equal(a->try_.otherwise, b->try_.otherwise) &&
           lists_equal(a->try_.finally, b->try_.finally);
}

static bool stmts_equal(const Ast *a, const Ast *b)
{
    switch (a->kind) {
    case AST_ASSIGN:
        return lists_equal(a->assign.targets, b->assign.targets) &&
               ast_equal(a->assign.value, b->assign.value);
    case AST_ANN_ASSIGN:
        return ast_equal(a->ann.target, b->ann.target) &&
               ast_equal(a->ann.annotation, b->ann.annotation) &&
               ast_equal(a->ann.value, b->ann.value);
    case AST_AUG_ASSIGN:
        return a->aug.op == b->aug.op && ast_equal(a->aug.target, b->aug.target) &&
               ast_equal(a->aug.value, b->aug.value);
    case AST_IF:
    case AST_WHILE:
        return ast_equal(a->if_.cond, b->if_.cond) && lists_equal(a->if_.then, b->if_.then) &&
               lists_equal(a->if_.otherwise, b->if_.otherwise);
    case AST_FOR:
        return ast_equal(a->for_.target, b->for_.target) && ast_equal(a->for_.iter, b->for_.iter) &&
               lists_equal(a->for_.body, b->for_.body) &&
               lists_equal(a->for_.otherwise, b->for_.otherwise);
    case AST_TRY: return tries_equal(a, b);
    case AST_WITH:
        return lists_equal(a->with.items, b->with.items) &&
               lists_equal(a->with.targets, b->with.targets) &&
               lists_equal(a->with.body, b->with.body);
    case AST_RAISE: return ast_equal(a->raised, b->raised) && ast_equal(a->cause, b->cause);
    case AST_ASSERT:
        return ast_equal(a->assert_.cond, b->assert_.cond) &&
               ast_equal(a->assert_.message, b->assert_.message);
    case AST_GLOBAL: return globals_equal(a, b);
    case AST_IMPORT: return imports_equal(a, b);
    case AST_DEF:
        return syms_equal(a->def.name, b->def.name) && params_equal(a->def.params, b->def.params) &&
               lists_equal(a->def.decorators, b->def.decorators) &&
               ast_equal(a->def.returns, b->def.returns) && lists_equal(a->def.body, b->def.body);
    case AST_CLASS:
        return syms_equal(a->class_.name, b->class_.name) &&
               lists_equal(a->class_.decorators, b->class_.decorators) &&
               lists_equal(a->class_.bases, b->class_.bases) &&
               lists_equal(a->class_.body, b->class_.body);
    default:
        return true; /* pass, break, continue, True, False, None, ..., error: the kind says all */
    }
}

bool ast_equal(const Ast *a, const Ast *b)
{
    if (!a || !b || a->kind != b->kind)
        return a == b;
    switch (a->kind) {
    case AST_NAME: return syms_equal(a->name, b->name);
    case AST_INT: return a->integer.value == b->integer.value && a->integer.hex == b->integer.hex;
    case AST_FLOAT: return memcmp(&a->real, &b->real, sizeof a->real) == 0;
    case AST_STR: return syms_equal(a->str.text, b->str.text) && a->str.triple == b->str.triple;
    case AST_FSTRING: return fstrings_equal(a->fstring, b->fstring);
    case AST_TUPLE:
    case AST_LIST:
    case AST_SET:
    case AST_AND:
    case AST_OR:
    case AST_DELETE: return lists_equal(a->items, b->items);
    case AST_DICT:
        return lists_equal(a->dict.keys, b->dict.keys) &&
               lists_equal(a->dict.values, b->dict.values);
    case AST_ATTR:
        return syms_equal(a->attr.name, b->attr.name) && ast_equal(a->attr.base, b->attr.base);
    case AST_CALL:
        return ast_equal(a->call.callee, b->call.callee) &&
               lists_equal(a->call.args, b->call.args) &&
               keywords_equal(a->call.keywords, b->call.keywords);
    case AST_SUBSCRIPT:
        return ast_equal(a->sub.base, b->sub.base) && lists_equal(a->sub.index, b->sub.index);
    case AST_SLICE:
        return ast_equal(a->slice.lo, b->slice.lo) && ast_equal(a->slice.hi, b->slice.hi) &&
               ast_equal(a->slice.step, b->slice.step);
    case AST_UNARY:
        return a->unary.op == b->unary.op && ast_equal(a->unary.operand, b->unary.operand);
    case AST_BINARY:
        return a->binary.op == b->binary.op && ast_equal(a->binary.left, b->binary.left) &&
               ast_equal(a->binary.right, b->binary.right);
    case AST_COMPARE: return compares_equal(a, b);
    case AST_COND:
        return ast_equal(a->cond.cond, b->cond.cond) && ast_equal(a->cond.then, b->cond.then) &&
               ast_equal(a->cond.otherwise, b->cond.otherwise);
    case AST_GENEXP:
    case AST_LISTCOMP:
    case AST_SETCOMP:
    case AST_DICTCOMP:
        return ast_equal(a->gen.key, b->gen.key) && ast_equal(a->gen.element, b->gen.element) &&
               clauses_equal(a->gen.clauses, b->gen.clauses);
    case AST_LAMBDA:
        return params_equal(a->lambda.params, b->lambda.params) &&
               ast_equal(a->lambda.body, b->lambda.body);
    case AST_WALRUS:
        return ast_equal(a->walrus.target, b->walrus.target) &&
               ast_equal(a->walrus.value, b->walrus.value);
    case AST_STARRED:
    case AST_YIELD:
    case AST_YIELD_FROM:
    case AST_EXPR_STMT:
    case AST_RETURN: return ast_equal(a->value, b->value);
    default: return stmts_equal(a, b);
    }
}
