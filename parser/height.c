/* How high trees are: each node is one level above its highest child. Whatever walks a tree may
 * recurse because this is limited. */
#include "parser/state.h"

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
    case AST_TUPLE:
    case AST_LIST:
    case AST_SET:
    case AST_AND:
    case AST_OR: raise_to_list(&h, node->items); break;
    case AST_DICT:
        raise_to_list(&h, node->dict.keys);
        raise_to_list(&h, node->dict.values);
        break;
    case AST_ATTR: raise_to(&h, node->attr.base); break;
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
    case AST_UNARY: raise_to(&h, node->unary.operand); break;
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
    case AST_GENEXP:
    case AST_LISTCOMP:
    case AST_SETCOMP:
    case AST_DICTCOMP:
        raise_to(&h, node->gen.key);
        raise_to(&h, node->gen.element);
        raise_to_clauses(&h, node->gen.clauses);
        break;
    case AST_LAMBDA:
        raise_to_params(&h, node->lambda.params);
        raise_to(&h, node->lambda.body);
        break;
    case AST_WALRUS:
        raise_to(&h, node->walrus.target);
        raise_to(&h, node->walrus.value);
        break;
    case AST_STARRED:
    case AST_YIELD:
    case AST_YIELD_FROM:
    case AST_EXPR_STMT:
    case AST_RETURN: raise_to(&h, node->value); break;
    default: break;
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
    case AST_RAISE:
        raise_to(&h, node->raised);
        raise_to(&h, node->cause);
        break;
    case AST_ASSERT:
        raise_to(&h, node->assert_.cond);
        raise_to(&h, node->assert_.message);
        break;
    case AST_DELETE: raise_to_list(&h, node->items); break;
    case AST_IF:
    case AST_WHILE:
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
    case AST_TRY: return try_children(node);
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
    default: return expr_children(node);
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
