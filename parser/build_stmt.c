/* Nodes of statements. */
#include "parser/state.h"

Ast *ast_make_assign(Parser *p, AstList targets, Ast *value, Span span)
{
    Ast *node = ast_node(p, AST_ASSIGN, span);
    node->assign.targets = targets;
    node->assign.value = value;
    return ast_finish(p, node);
}

Ast *ast_make_augmented(Parser *p, Ast *target, BinaryOp op, Ast *value, Span span)
{
    ast_check_augmented(p, target);
    Ast *node = ast_node(p, AST_AUG_ASSIGN, span);
    node->aug.op = op;
    node->aug.target = target;
    node->aug.value = value;
    return ast_finish(p, node);
}

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

Ast *ast_make_raise(Parser *p, Ast *raised, Ast *cause, Span span)
{
    Ast *node = ast_node(p, AST_RAISE, span);
    node->raise.raised = raised;
    node->raise.cause = cause;
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

Ast *ast_import_from(Parser *p, Ast *import, Span module, Span span)
{
    import->span = span;
    import->import.from = parser_dotted_name(p, module);
    return import;
}

Ast *ast_import_more(Parser *p, Ast *import, Sym name, Sym alias)
{
    AstImportName more = {.name = name, .alias = alias};
    avec_push(p->arena, &import->import.more, more);
    return import;
}

Ast *ast_make_if(Parser *p, AstKind kind, Ast *cond, AstList then, AstList otherwise, Span span)
{
    Ast *node = ast_node(p, kind, span);
    node->if_.cond = cond;
    node->if_.then = then;
    node->if_.otherwise = otherwise;
    return ast_finish(p, node);
}

Ast *ast_make_for(Parser *p, Ast *target, Ast *iter, AstList body, AstList otherwise, Span span)
{
    Ast *node = ast_node(p, AST_FOR, span);
    node->for_.target = target;
    node->for_.iter = iter;
    node->for_.body = body;
    node->for_.otherwise = otherwise;
    return ast_finish(p, node);
}

Ast *ast_make_try(Parser *p, AstList body, AstHandlers handlers, AstList otherwise, AstList finally,
                  Span span)
{
    if (handlers.len == 0 && finally.len == 0)
        diag_error(p->diags, span, "syntax", "this 'try' has no 'except' and no 'finally'");
    Ast *node = ast_node(p, AST_TRY, span);
    node->try_.body = body;
    node->try_.handlers = handlers;
    node->try_.otherwise = otherwise;
    node->try_.finally = finally;
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

Ast *ast_finish_with(Parser *p, Ast *with, AstList body, Span span)
{
    with->span = span;
    with->with.body = body;
    return ast_finish(p, with);
}

Ast *ast_make_def(Parser *p, AstName name, AstParams params, Ast *returns, AstList body, Span span)
{
    Ast *node = ast_node(p, AST_DEF, span);
    node->def.name = name.text;
    node->def.name_span = name.span;
    node->def.params = params;
    node->def.returns = returns;
    node->def.body = body;
    return ast_finish(p, node);
}

Ast *ast_make_class(Parser *p, AstName name, AstList bases, AstList body, Span span)
{
    Ast *node = ast_node(p, AST_CLASS, span);
    node->class_.name = name.text;
    node->class_.name_span = name.span;
    node->class_.bases = bases;
    node->class_.body = body;
    return ast_finish(p, node);
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
    return (AstParam){.name = name,
                      .span = span,
                      .annotation = annotation,
                      .default_value = default_value,
                      .star = star};
}
