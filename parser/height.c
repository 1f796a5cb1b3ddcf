/* How high trees are: each node is one level above its highest child. Whatever walks a tree may
 * recurse because this is limited. */
#include "parser/state.h"

static void raise_to(void *env, Ast *child)
{
    uint32_t *height = env;
    if (child->height > *height)
        *height = child->height;
}

Ast *ast_finish(Parser *p, Ast *node)
{
    uint32_t below = 0;
    ast_children(node, raise_to, &below);
    node->height = 1 + below;
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
