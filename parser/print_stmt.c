/* Statements and files as text: one statement a line, four spaces a level. */
#include "parser/print.h"

#define INDENT_STEP 4

static void print_stmt(Printer *p, const Ast *stmt, uint32_t depth);

static void print_indent(Printer *p, uint32_t depth)
{
    buf_fill(p->out, ' ', (size_t)depth * INDENT_STEP);
}

static bool is_definition(const Ast *stmt)
{
    return stmt->kind == AST_DEF || stmt->kind == AST_CLASS;
}

static void print_stmts(Printer *p, AstList body, uint32_t depth)
{
    for (uint32_t i = 0; i < body.len; i++) {
        if (i > 0 && (is_definition(body.at[i]) || is_definition(body.at[i - 1])))
            buf_str(p->out, depth == 0 ? "\n\n" : "\n");
        print_stmt(p, body.at[i], depth);
    }
}

/* The ':' of a header and the block below it. A block that lost its statements to errors still is
 * one. */
static void print_block(Printer *p, AstList body, uint32_t depth)
{
    buf_str(p->out, ":\n");
    print_stmts(p, body, depth + 1);
    if (body.len == 0) {
        print_indent(p, depth + 1);
        buf_str(p->out, "pass\n");
    }
}

static void print_headed(Printer *p, const char *keyword, AstList body, uint32_t depth)
{
    if (body.len == 0)
        return;
    print_indent(p, depth);
    buf_str(p->out, keyword);
    print_block(p, body, depth);
}

/* An if and the elifs and else that hang on it, iteratively: long chains are flat text. */
static void print_if(Printer *p, const Ast *stmt, uint32_t depth)
{
    buf_str(p->out, "if ");
    for (;;) {
        ast_put_expr(p, stmt->if_.cond, BIND_EXPR);
        print_block(p, stmt->if_.then, depth);
        AstList rest = stmt->if_.otherwise;
        if (rest.len != 1 || rest.at[0]->kind != AST_IF) {
            print_headed(p, "else", rest, depth);
            return;
        }
        stmt = rest.at[0];
        print_indent(p, depth);
        buf_str(p->out, "elif ");
    }
}

static void print_while(Printer *p, const Ast *stmt, uint32_t depth)
{
    buf_str(p->out, "while ");
    ast_put_expr(p, stmt->if_.cond, BIND_EXPR);
    print_block(p, stmt->if_.then, depth);
    print_headed(p, "else", stmt->if_.otherwise, depth);
}

static void print_for(Printer *p, const Ast *stmt, uint32_t depth)
{
    buf_str(p->out, "for ");
    ast_put_bare(p, stmt->for_.target);
    buf_str(p->out, " in ");
    ast_put_expr(p, stmt->for_.iter, BIND_EXPR);
    print_block(p, stmt->for_.body, depth);
    print_headed(p, "else", stmt->for_.otherwise, depth);
}

static void print_try(Printer *p, const Ast *stmt, uint32_t depth)
{
    buf_str(p->out, "try");
    print_block(p, stmt->try_.body, depth);
    for (uint32_t i = 0; i < stmt->try_.handlers.len; i++) {
        const AstHandler *handler = &stmt->try_.handlers.at[i];
        print_indent(p, depth);
        buf_str(p->out, handler->type ? "except " : "except");
        if (handler->type)
            ast_put_expr(p, handler->type, BIND_EXPR);
        if (handler->name)
            buf_printf(p->out, " as %s", handler->name);
        print_block(p, handler->body, depth);
    }
    print_headed(p, "else", stmt->try_.otherwise, depth);
    print_headed(p, "finally", stmt->try_.finally, depth);
}

static void print_with(Printer *p, const Ast *stmt, uint32_t depth)
{
    buf_str(p->out, "with ");
    for (uint32_t i = 0; i < stmt->with.items.len; i++) {
        buf_str(p->out, i > 0 ? ", " : "");
        ast_put_expr(p, stmt->with.items.at[i], BIND_EXPR);
        if (stmt->with.targets.at[i]) {
            buf_str(p->out, " as ");
            ast_put_expr(p, stmt->with.targets.at[i], BIND_BITOR);
        }
    }
    print_block(p, stmt->with.body, depth);
}

/* Each decorator on its line, and the indentation of what follows. */
static void print_decorators(Printer *p, AstList decorators, uint32_t depth)
{
    for (uint32_t i = 0; i < decorators.len; i++) {
        buf_char(p->out, '@');
        ast_put_expr(p, decorators.at[i], BIND_EXPR);
        buf_char(p->out, '\n');
        print_indent(p, depth);
    }
}

static void print_def(Printer *p, const Ast *stmt, uint32_t depth)
{
    print_decorators(p, stmt->def.decorators, depth);
    buf_printf(p->out, "def %s(", stmt->def.name);
    ast_put_params(p, stmt->def.params);
    buf_char(p->out, ')');
    if (stmt->def.returns) {
        buf_str(p->out, " -> ");
        ast_put_expr(p, stmt->def.returns, BIND_EXPR);
    }
    print_block(p, stmt->def.body, depth);
}

static void print_class(Printer *p, const Ast *stmt, uint32_t depth)
{
    print_decorators(p, stmt->class_.decorators, depth);
    buf_printf(p->out, "class %s", stmt->class_.name);
    if (stmt->class_.bases.len > 0) {
        buf_char(p->out, '(');
        ast_put_items(p, stmt->class_.bases);
        buf_char(p->out, ')');
    }
    print_block(p, stmt->class_.body, depth);
}

/* Statements with blocks; false for others. Each ends its own line. */
static bool print_compound(Printer *p, const Ast *stmt, uint32_t depth)
{
    switch (stmt->kind) {
    case AST_IF: print_if(p, stmt, depth); return true;
    case AST_WHILE: print_while(p, stmt, depth); return true;
    case AST_FOR: print_for(p, stmt, depth); return true;
    case AST_TRY: print_try(p, stmt, depth); return true;
    case AST_WITH: print_with(p, stmt, depth); return true;
    case AST_DEF: print_def(p, stmt, depth); return true;
    case AST_CLASS: print_class(p, stmt, depth); return true;
    default: return false;
    }
}

static void print_assign(Printer *p, const Ast *stmt)
{
    for (uint32_t i = 0; i < stmt->assign.targets.len; i++) {
        ast_put_bare(p, stmt->assign.targets.at[i]);
        buf_str(p->out, " = ");
    }
    ast_put_bare(p, stmt->assign.value);
}

static void print_ann_assign(Printer *p, const Ast *stmt)
{
    ast_put_expr(p, stmt->ann.target, BIND_EXPR);
    buf_str(p->out, ": ");
    ast_put_expr(p, stmt->ann.annotation, BIND_EXPR);
    if (stmt->ann.value) {
        buf_str(p->out, " = ");
        ast_put_expr(p, stmt->ann.value, BIND_EXPR);
    }
}

static void print_import_name(Printer *p, Sym name, Sym alias)
{
    buf_str(p->out, name);
    if (alias)
        buf_printf(p->out, " as %s", alias);
}

static void print_import(Printer *p, const Ast *stmt)
{
    if (stmt->import.from)
        buf_printf(p->out, "from %s ", stmt->import.from);
    buf_str(p->out, "import ");
    print_import_name(p, stmt->import.module, stmt->import.alias);
    for (uint32_t i = 0; i < stmt->import.more.len; i++) {
        buf_str(p->out, ", ");
        print_import_name(p, stmt->import.more.at[i].name, stmt->import.more.at[i].alias);
    }
}

static void print_global(Printer *p, const Ast *stmt)
{
    buf_str(p->out, stmt->global.nonlocal ? "nonlocal " : "global ");
    for (uint32_t i = 0; i < stmt->global.names.len; i++)
        buf_printf(p->out, "%s%s", i > 0 ? ", " : "", stmt->global.names.at[i]);
}

static void print_simple(Printer *p, const Ast *stmt)
{
    switch (stmt->kind) {
    case AST_EXPR_STMT: ast_put_expr(p, stmt->value, BIND_EXPR); break;
    case AST_ASSIGN: print_assign(p, stmt); break;
    case AST_ANN_ASSIGN: print_ann_assign(p, stmt); break;
    case AST_AUG_ASSIGN:
        ast_put_expr(p, stmt->aug.target, BIND_EXPR);
        buf_printf(p->out, " %s= ", binary_op_text(stmt->aug.op));
        ast_put_expr(p, stmt->aug.value, BIND_EXPR);
        break;
    case AST_RETURN:
        buf_str(p->out, stmt->value ? "return " : "return");
        if (stmt->value)
            ast_put_bare(p, stmt->value);
        break;
    case AST_RAISE:
        buf_str(p->out, stmt->raise.raised ? "raise " : "raise");
        if (stmt->raise.raised)
            ast_put_expr(p, stmt->raise.raised, BIND_EXPR);
        buf_str(p->out, stmt->raise.cause ? " from " : "");
        if (stmt->raise.cause)
            ast_put_expr(p, stmt->raise.cause, BIND_EXPR);
        break;
    case AST_ASSERT:
        buf_str(p->out, "assert ");
        ast_put_expr(p, stmt->assert_.cond, BIND_EXPR);
        buf_str(p->out, stmt->assert_.message ? ", " : "");
        if (stmt->assert_.message)
            ast_put_expr(p, stmt->assert_.message, BIND_EXPR);
        break;
    case AST_DELETE:
        buf_str(p->out, "del ");
        ast_put_items(p, stmt->items);
        break;
    case AST_GLOBAL: print_global(p, stmt); break;
    case AST_IMPORT: print_import(p, stmt); break;
    default: /* pass, break, continue */ buf_str(p->out, ast_kind_name(stmt->kind)); break;
    }
}

static void print_stmt(Printer *p, const Ast *stmt, uint32_t depth)
{
    print_indent(p, depth);
    if (print_compound(p, stmt, depth))
        return;
    print_simple(p, stmt);
    buf_char(p->out, '\n');
}

void ast_print_stmt(Buf *out, const Ast *stmt, uint32_t depth)
{
    Printer p = {.out = out};
    print_stmt(&p, stmt, depth);
}

void ast_print_module(Buf *out, const AstModule *module)
{
    Printer p = {.out = out};
    if (module->header)
        buf_printf(out, "%s\n", module->header);
    print_stmts(&p, module->body, 0);
}
