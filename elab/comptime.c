/* Compile-time code: module level and the body of a factory, run statement by statement. */
#include "elab/elab.h"
#include <string.h>

CtScope *elab_scope_new(Elab *e, CtScope *parent)
{
    CtScope *s = arena_new(e->arena, CtScope);
    s->parent = parent;
    return s;
}

void elab_define(Elab *e, CtScope *scope, Sym name, Val val, Span span)
{
    uint64_t at;
    CtName entry = {.name = name, .val = val, .span = span};
    if (map_get_ptr(&scope->index, name, &at)) {
        scope->names.at[at] = entry;
        return;
    }
    map_set_ptr(&scope->index, name, scope->names.len);
    avec_push(e->arena, &scope->names, entry);
}

const CtName *elab_find_name(const CtScope *scope, Sym name)
{
    uint64_t at;
    for (; scope; scope = scope->parent)
        if (map_get_ptr(&scope->index, name, &at))
            return &scope->names.at[at];
    return NULL;
}

/* ---- messages */

static void print_spec(Elab *e, Buf *out, Val v, Sym spec, Span span)
{
    size_t n = strlen(spec);
    bool is_float = n >= 3 && spec[0] == '.' && spec[n - 1] == 'f';
    if (is_float && (v.kind == V_FLOAT || v.kind == V_INT) &&
        strspn(spec + 1, "0123456789") == n - 2 && n < 5) {
        buf_printf(out, "%.*f", atoi(spec + 1), v.kind == V_FLOAT ? v.f : (double)v.i);
        return;
    }
    if (v.kind == V_INT && (strcmp(spec, "d") == 0 || strcmp(spec, "x") == 0)) {
        buf_printf(out, spec[0] == 'd' ? "%lld" : "%llx", (long long)v.i);
        return;
    }
    elab_error(e, span, "value",
               "the format ':%s' is not available: write {x}, {x!r}, {x=}, {x:d}, {x:x} or {x:.3f}",
               spec);
}

static bool print_part(Elab *e, Buf *out, const AstFPart *part)
{
    if (!part->expr) {
        buf_str(out, part->text);
        return true;
    }
    Val v = elab_eval(e, part->expr);
    if (v.kind == V_BAD)
        return false;
    if (!val_all_known(v)) {
        elab_error(e, part->expr->span, "value",
                   "a message is made at compile time, this is a run-time value");
        return false;
    }
    if (part->debug) {
        ast_print_expr(out, part->expr);
        buf_char(out, '=');
    }
    bool repr = part->conversion ? part->conversion != 's' : part->debug && !part->spec;
    if (part->spec && part->spec[0])
        print_spec(e, out, v, part->spec, part->expr->span);
    else
        val_print(out, v, repr);
    return true;
}

/* The text of a message operand: a string, an f-string, or any known value. */
static const char *message_text(Elab *e, const Ast *a)
{
    Buf out = {0};
    bool ok = true;
    if (a->kind == AST_FSTRING) {
        for (uint32_t i = 0; i < a->fstring.len && ok; i++)
            ok = print_part(e, &out, &a->fstring.at[i]);
    } else {
        Val v = elab_eval(e, a);
        ok = v.kind != V_BAD;
        if (ok)
            val_print(&out, v, false);
    }
    const char *text = ok ? arena_strndup(e->arena, out.at ? out.at : "", out.len) : NULL;
    buf_free(&out);
    return text;
}

static bool is_exception(Sym name)
{
    size_t n = strlen(name);
    return strcmp(name, "Exception") == 0 || (n > 5 && strcmp(name + n - 5, "Error") == 0);
}

void elab_raise(Elab *e, const Ast *stmt)
{
    const Ast *r = stmt->raised;
    const Ast *callee = r && r->kind == AST_CALL ? r->call.callee : r;
    if (!r || callee->kind != AST_NAME || !is_exception(callee->name)) {
        elab_error(e, stmt->span, "value",
                   "raise takes an exception with a message: raise ValueError(f\"...\")");
        return;
    }
    const char *text = callee->name;
    if (r->kind == AST_CALL && r->call.args.len)
        text = message_text(e, r->call.args.at[0]);
    if (text)
        elab_error(e, stmt->span, "value", "%s", text);
}

void elab_assert(Elab *e, const Ast *stmt)
{
    Val v = elab_eval(e, stmt->assert_.cond);
    if (v.kind == V_BAD)
        return;
    if (v.kind == V_EXPR || v.kind == V_DIM) {
        elab_error(
            e, stmt->span, "value",
            "assert is checked at compile time, and this condition is known only at run time");
        return;
    }
    if (val_truth(v))
        return;
    const char *text =
        stmt->assert_.message ? message_text(e, stmt->assert_.message) : "assertion failed";
    if (text)
        elab_error(e, stmt->span, "value", "%s", text);
}

/* ---- statements */

bool elab_unpack(Elab *e, const Ast *target, Val v, const Val **items, uint32_t n)
{
    if (v.kind == V_BAD)
        return false;
    if (v.kind != V_TUPLE && v.kind != V_LIST) {
        elab_error(e, target->span, "type", "cannot unpack %s into %u names", val_describe(e, v),
                   n);
        return false;
    }
    if (v.n != n) {
        elab_error(e, target->span, "value", "cannot unpack %u values into %u names", v.n, n);
        return false;
    }
    *items = v.items;
    return true;
}

static void assign_to(Elab *e, const Ast *target, Val v);

static void assign_items(Elab *e, const Ast *target, Val v)
{
    const Val *items = NULL;
    bool ok = elab_unpack(e, target, v, &items, target->items.len);
    for (uint32_t i = 0; i < target->items.len; i++)
        assign_to(e, target->items.at[i], ok ? items[i] : val_bad);
}

static void assign_to(Elab *e, const Ast *target, Val v)
{
    switch (target->kind) {
    case AST_NAME: elab_define(e, e->scope, target->name, v, target->span); break;
    case AST_TUPLE:
    case AST_LIST: assign_items(e, target, v); break;
    case AST_ERROR: break;
    default:
        elab_error(e, target->span, "value", "compile-time code assigns to names, not to %s",
                   ast_kind_name(target->kind));
    }
}

/* A constant has one value, which -D may set and the first line of a dump records. */
static bool bound_before(Elab *e, const Ast *target)
{
    const CtName *old = target->kind == AST_NAME ? elab_find_name(e->scope, target->name) : NULL;
    if (!old || old->span.begin == target->span.begin)
        return false;
    elab_error(e, target->span, "name", "the constant %s is bound twice", target->name);
    diag_note(e->diags, old->span, "it is bound here first");
    return true;
}

/* A module constant is a parameter: -D may set it. Names that hold a type or an extent are not. */
static Val constant(Elab *e, const Ast *target, const Ast *annotation, const Ast *value)
{
    bool module_level = !e->scope->parent && target->kind == AST_NAME;
    if (module_level && bound_before(e, target))
        return val_bad;
    return module_level ? elab_param(e, target->name, target->span, annotation, value)
                        : elab_eval(e, value);
}

static void run_assign(Elab *e, const Ast *s)
{
    const Ast *first = s->assign.targets.at[0];
    Val v = s->assign.targets.len == 1 ? constant(e, first, NULL, s->assign.value)
                                       : elab_eval(e, s->assign.value);
    for (uint32_t i = 0; i < s->assign.targets.len; i++)
        assign_to(e, s->assign.targets.at[i], v);
}

static void run_ann_assign(Elab *e, const Ast *s)
{
    if (!s->ann.value) {
        elab_error(e, s->span, "value", "a compile-time name needs a value: NAME: %s = ...", "int");
        return;
    }
    if (s->ann.target->kind != AST_NAME) {
        elab_error(e, s->ann.target->span, "value", "only a name can be annotated");
        return;
    }
    assign_to(e, s->ann.target, constant(e, s->ann.target, s->ann.annotation, s->ann.value));
}

static void run_aug_assign(Elab *e, const Ast *s)
{
    if (s->aug.target->kind != AST_NAME) {
        elab_error(e, s->aug.target->span, "value", "compile-time code assigns to names only");
        return;
    }
    Val a = elab_eval(e, s->aug.target), b = elab_eval(e, s->aug.value);
    assign_to(e, s->aug.target, elab_fold_binary(e, s->aug.op, a, b, s->span));
}

static bool run_if(Elab *e, const Ast *s, Val *result)
{
    Val c = elab_eval(e, s->if_.cond);
    if (c.kind == V_BAD)
        return false;
    if (c.kind == V_DIM) {
        elab_error(e, s->if_.cond->span, "value", "%s is known only when the program is started",
                   val_text(e, c));
        return false;
    }
    return elab_run(e, val_truth(c) ? &s->if_.then : &s->if_.otherwise, result);
}

static void run_def(Elab *e, const Ast *s)
{
    if (elab_is_element(e, s)) {
        avec_push(e->arena, &e->elements, s);
        return;
    }
    if (elab_is_kernel(e, s))
        elab_error(e, s->def.name_span, "name",
                   "the kernel %s stands outside a class: put the kernels of a factory into a "
                   "@pl.program class",
                   s->def.name);
    else
        elab_error(e, s->def.name_span, "name",
                   "a factory cannot define the function %s: write its code where it is used",
                   s->def.name);
}

static void run_expr_stmt(Elab *e, const Ast *s)
{
    if (s->value->kind == AST_STR || s->value->kind == AST_ERROR)
        return;
    elab_error(e, s->span, "value", "this statement has no effect in compile-time code: delete it");
}

static void run_loop(Elab *e, const Ast *s)
{
    elab_error(e, s->span, "value",
               "compile-time code has no %s: it has assignments, if, raise and assert",
               ast_kind_name(s->kind));
}

static bool run_stmt(Elab *e, const Ast *s, Val *result)
{
    switch (s->kind) {
    case AST_ASSIGN: run_assign(e, s); break;
    case AST_ANN_ASSIGN: run_ann_assign(e, s); break;
    case AST_AUG_ASSIGN: run_aug_assign(e, s); break;
    case AST_IF: return run_if(e, s, result);
    case AST_RAISE: elab_raise(e, s); break;
    case AST_ASSERT: elab_assert(e, s); break;
    case AST_RETURN: *result = s->value ? elab_eval(e, s->value) : val_none; return true;
    case AST_CLASS:
        elab_define(e, e->scope, s->class_.name,
                    elab_is_program_class(e, s) ? (Val){.kind = V_PROGRAM, .class_ = s} : val_bad,
                    s->class_.name_span);
        if (!elab_is_program_class(e, s))
            elab_error(e, s->class_.name_span, "name",
                       "class %s is no program: decorate it with @pl.program", s->class_.name);
        break;
    case AST_DEF: run_def(e, s); break;
    case AST_EXPR_STMT: run_expr_stmt(e, s); break;
    case AST_PASS:
    case AST_IMPORT:
    case AST_ERROR: break;
    default: run_loop(e, s);
    }
    return false;
}

bool elab_run(Elab *e, const AstList *body, Val *result)
{
    for (uint32_t i = 0; i < body->len; i++) {
        uint32_t errors = e->diags->n_errors;
        if (run_stmt(e, body->at[i], result))
            return true;
        /* After a raise nothing that follows was meant to run. */
        if (body->at[i]->kind == AST_RAISE && e->diags->n_errors > errors)
            return true;
    }
    return false;
}
