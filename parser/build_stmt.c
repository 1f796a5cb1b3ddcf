/* Nodes of statements. */
#include "parser/state.h"

Ast *ast_make_annotated(Parser *p, Ast *target, Ast *annotation, Ast *value, Span span)
{
    ast_check_annotated(p, target);
    Ast *node = ast_node(p, AST_ANN_ASSIGN, span);
    node->ann.target = target;
    node->ann.annotation = annotation;
    node->ann.value = value;
    return ast_finish(p, node);
}

Ast *ast_make_assert(Parser *p, Ast *cond, Ast *message, Span span)
{
    Ast *node = ast_node(p, AST_ASSERT, span);
    node->assert_.cond = cond;
    node->assert_.message = message;
    return ast_finish(p, node);
}

Ast *ast_make_delete(Parser *p, Ast *targets, Span span)
{
    ast_check_deletable(p, targets);
    bool several = targets->kind == AST_TUPLE && p->src->text[targets->span.begin] != '(';
    return ast_make_list(p, AST_DELETE, several ? targets->items : ast_list_one(p, targets), span);
}

Ast *ast_make_global(Parser *p, AstList names, bool nonlocal, Span span)
{
    Ast *node = ast_node(p, AST_GLOBAL, span);
    node->global.nonlocal = nonlocal;
    for (uint32_t i = 0; i < names.len; i++)
        avec_push(p->arena, &node->global.names, names.at[i]->name);
    return ast_finish(p, node);
}

Ast *ast_make_import(Parser *p, Sym module, Sym alias, Span span)
{
    Ast *node = ast_node(p, AST_IMPORT, span);
    node->import.module = module;
    node->import.alias = alias;
    return ast_finish(p, node);
}

Ast *ast_make_if(Parser *p, Ast *cond, AstList then, AstList otherwise, Span span)
{
    Ast *node = ast_node(p, AST_IF, span);
    node->if_.cond = cond;
    node->if_.then = then;
    node->if_.otherwise = otherwise;
    return ast_finish(p, node);
}

Ast *ast_make_with(Parser *p, Ast *with, Ast *item, Ast *target)
{
    if (!with)
        with = ast_node(p, AST_WITH, item->span);
    if (target)
        ast_check_target(p, target);
    avec_push(p->arena, &with->with.items, item);
    avec_push(p->arena, &with->with.targets, target);
    return with;
}

Ast *ast_decorate(Parser *p, Ast *definition, AstList decorators)
{
    if (definition->kind == AST_DEF)
        definition->def.decorators = decorators;
    else if (definition->kind == AST_CLASS)
        definition->class_.decorators = decorators;
    return ast_finish(p, definition);
}

AstParam ast_make_param(Sym name, Span span, Ast *annotation, Ast *default_value, char star)
{
    return (AstParam){ .name = name, .span = span, .annotation = annotation,
                       .default_value = default_value, .star = star };
}
