/* What the grammar alone does not say: targets, arguments, parameters. */
#include "base/map.h"
#include "parser/state.h"

/* --- targets --- */

/* Reports what cannot stand left of '='. Targets nest at most as deep as trees are high. */
static void check_each(Parser *p, const Ast *target, const char *verb)
{
    switch (target->kind) {
    case AST_NAME:
    case AST_ATTR:
    case AST_SUBSCRIPT:
    case AST_ERROR: return;
    case AST_STARRED: check_each(p, target->value, verb); return;
    case AST_TUPLE:
    case AST_LIST:
        for (uint32_t i = 0; i < target->items.len; i++)
            check_each(p, target->items.at[i], verb);
        return;
    case AST_COMPARE:
        syntax_error(p, target->span, "cannot %s a comparison: is '=' meant instead of '=='?",
                     verb);
        return;
    default: syntax_error(p, target->span, "cannot %s this: %s", verb, ast_kind_name(target->kind));
    }
}

void ast_check_target(Parser *p, const Ast *target)
{
    check_each(p, target, "assign to");
}

void ast_check_deletable(Parser *p, const Ast *target)
{
    check_each(p, target, "delete");
}

void ast_check_augmented(Parser *p, const Ast *target)
{
    if (target->kind == AST_TUPLE || target->kind == AST_LIST)
        syntax_error(p, target->span, "an augmented assignment takes one target, not a %s",
                     ast_kind_name(target->kind));
    else
        ast_check_target(p, target);
}

void ast_check_annotated(Parser *p, const Ast *target)
{
    if (target->kind == AST_LIST)
        syntax_error(p, target->span,
                     "write annotated targets in parentheses: (a, b): tuple[S, T]");
    else
        ast_check_target(p, target);
}

/* --- arguments --- */

static void add_keyword(Parser *p, CallArgs *args, Argument arg)
{
    if (arg.name && arg.name->kind != AST_NAME) {
        syntax_error(p, arg.name->span,
                     "a keyword argument is a name before '=': comparison is '=='");
        return;
    }
    AstKeyword keyword = {.value = arg.value, .span = arg.name ? arg.name->span : arg.unpack};
    keyword.name = arg.name ? arg.name->name : NULL;
    avec_push(p->arena, &args->keywords, keyword);
}

void ast_add_argument(Parser *p, CallArgs *args, Argument arg)
{
    if (arg.name || arg.unpack.end > 0) {
        add_keyword(p, args, arg);
        return;
    }
    if (args->keywords.len > 0 && arg.value->kind != AST_STARRED)
        syntax_error(p, arg.value->span, "a positional argument cannot follow keyword arguments");
    avec_push(p->arena, &args->args, arg.value);
}

AstList ast_class_bases(Parser *p, CallArgs args)
{
    if (args.keywords.len > 0)
        syntax_error(p, args.keywords.at[0].span, "a class takes no keyword arguments");
    return args.args;
}

/* --- parameters --- */

typedef struct {
    Map names;
    bool keyword_only, defaults, keywords; /* seen: a `*`, a default before it, a `**` */
} ParamState;

static void check_param(Parser *p, ParamState *state, AstParam *param)
{
    if (state->keywords)
        syntax_error(p, param->span, "no parameter can follow '**'");
    if (map_get_ptr(&state->names, param->name, NULL))
        syntax_error(p, param->span, "there are two parameters named '%.100s'", param->name);
    map_set_ptr(&state->names, param->name, 1);
    param->keyword_only = state->keyword_only && param->star == 0;
    if (param->star == 'k')
        state->keywords = true;
    if (param->star != 0 || param->keyword_only)
        return;
    if (param->default_value)
        state->defaults = true;
    else if (state->defaults)
        syntax_error(p, param->span, "a parameter without default cannot follow one that has one");
}

/* A `*`, bare or with a name. */
static void check_star(Parser *p, ParamState *state, const AstParam *param, bool last)
{
    if (state->keyword_only)
        syntax_error(p, param->span, "there is more than one '*' in these parameters");
    else if (!param->name && param->annotation)
        syntax_error(p, param->annotation->span, "a bare '*' takes no annotation");
    else if (!param->name && last)
        syntax_error(p, param->span, "parameters must follow a bare '*'");
    state->keyword_only = true;
}

AstParams ast_finish_params(Parser *p, AstParams params)
{
    AstParams kept = {0};
    ParamState state = {0};
    for (uint32_t i = 0; i < params.len; i++) {
        AstParam param = params.at[i];
        if (param.star == '/')
            syntax_error(p, param.span, "'/' in parameters is not supported: delete it");
        if (param.name)
            check_param(p, &state, &param);
        if (param.star == '*')
            check_star(p, &state, &param, i + 1 == params.len);
        if (param.name)
            avec_push(p->arena, &kept, param);
    }
    map_free(&state.names);
    return kept;
}
