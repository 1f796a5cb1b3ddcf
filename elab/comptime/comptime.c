/* Compile-time code: module level and the body of a factory, run statement by statement. */
#include "elab/comptime/elab.h"
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
    for (; scope; scope = scope->parent) {
        if (map_get_ptr(&scope->index, name, &at))
            return &scope->names.at[at];
        /* As in Python, a name that the function binds later is not the one outside. */
        if (map_get_ptr(&scope->locals, name, NULL))
            return NULL;
    }
    return NULL;
}

/* ---- messages */

/* The text of a message operand: a string, an f-string, or any known value. */
static const char *message_text(Elab *e, const Ast *a)
{
    if (a->kind == AST_FSTRING)
        return elab_fstring(e, a);
    Buf out = {0};
    Val v = elab_eval(e, a);
    if (v.kind != V_BAD)
        val_print(&out, v, false);
    const char *text =
        v.kind == V_BAD ? NULL : arena_strndup(e->arena, out.at ? out.at : "", out.len);
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
    const Ast *r = stmt->raise.raised;
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

Val elab_settled(Elab *e, Val v)
{
    int64_t known;
    if (!e->fn || v.kind != V_EXPR || !e->typed->constant(e, v.expr, &known))
        return v;
    return v.expr->type->dtype == DT_BOOL ? val_bool(known != 0) : val_int(known);
}

void elab_assert(Elab *e, const Ast *stmt)
{
    Val v = elab_settled(e, elab_eval(e, stmt->assert_.cond));
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

typedef enum { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN } Flow;

static Flow run(Elab *e, const AstList *body, Val *result);

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

static bool assign_items(Elab *e, const Ast *target, Val v)
{
    const Val *items = NULL;
    bool ok = elab_unpack(e, target, v, &items, target->items.len);
    for (uint32_t i = 0; i < target->items.len; i++)
        ok &= elab_assign_to(e, target->items.at[i], ok ? items[i] : val_bad);
    return ok;
}

bool elab_assign_to(Elab *e, const Ast *target, Val v)
{
    switch (target->kind) {
    case AST_NAME: elab_define(e, e->scope, target->name, v, target->span); return true;
    case AST_TUPLE:
    case AST_LIST: return assign_items(e, target, v);
    case AST_ERROR: return false;
    case AST_SUBSCRIPT:
        elab_error(e, target->span, "value",
                   "lists and dicts of compile-time code do not change: write them whole, "
                   "[f(k) for k in range(n)] or {k: f(k) for k in keys}");
        return false;
    default:
        elab_error(e, target->span, "value", "compile-time code assigns to names, not to %s",
                   ast_kind_name(target->kind));
        return false;
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
    /* What a loop binds has many values. */
    bool module_level = !e->scope->parent && target->kind == AST_NAME && !e->ct_loops;
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
        elab_assign_to(e, s->assign.targets.at[i], v);
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
    elab_assign_to(e, s->ann.target, constant(e, s->ann.target, s->ann.annotation, s->ann.value));
}

static void run_aug_assign(Elab *e, const Ast *s)
{
    if (s->aug.target->kind != AST_NAME) {
        elab_error(e, s->aug.target->span, "value", "compile-time code assigns to names only");
        return;
    }
    Val a = elab_eval(e, s->aug.target), b = elab_eval(e, s->aug.value);
    elab_assign_to(e, s->aug.target, elab_fold_binary(e, s->aug.op, a, b, s->span));
}

/* A condition of compile-time code; false after a mistake. */
static bool condition(Elab *e, const Ast *a, bool *out)
{
    Val c = elab_eval(e, a);
    *out = val_truth(c);
    if (c.kind == V_DIM || c.kind == V_EXPR)
        elab_error(e, a->span, "value", "%s is known only when the program is started",
                   val_text(e, c));
    return c.kind != V_BAD && c.kind != V_DIM && c.kind != V_EXPR;
}

/* After a mistake nobody knows which branch is meant: what either one binds has no value, and its
 * uses are no further mistakes. */
static void bind_nothing(Elab *e, const Ast *s)
{
    Map seen = {0};
    SymList names = {0};
    elab_collect_bound(e, &s->if_.then, &seen, &names);
    elab_collect_bound(e, &s->if_.otherwise, &seen, &names);
    for (uint32_t i = 0; i < names.len; i++)
        elab_define(e, e->scope, names.at[i], val_bad, s->span);
    map_free(&seen);
}

static Flow run_if(Elab *e, const Ast *s, Val *result)
{
    bool yes;
    if (!condition(e, s->if_.cond, &yes)) {
        bind_nothing(e, s);
        return FLOW_NEXT;
    }
    return run(e, yes ? &s->if_.then : &s->if_.otherwise, result);
}

/* One trip; false when the loop is over, with what leaves it in *flow. A mistake ends it too: the
 * next trip would repeat it. */
static bool trip(Elab *e, const AstList *body, Val *result, Flow *flow)
{
    uint32_t errors = e->diags->n_errors;
    *flow = run(e, body, result);
    if (e->diags->n_errors > errors)
        *flow = FLOW_RETURN;
    return *flow != FLOW_BREAK && *flow != FLOW_RETURN;
}

static Flow run_loop(Elab *e, const Ast *s, Val *result)
{
    bool is_for = s->kind == AST_FOR, ended = true, yes = true;
    const AstList *body = is_for ? &s->for_.body : &s->if_.then;
    const Val *items = NULL;
    uint32_t n = 0;
    Flow flow = FLOW_NEXT;
    if (is_for && !elab_iterate(e, elab_eval(e, s->for_.iter), s->for_.iter->span, &items, &n))
        return FLOW_NEXT;
    e->ct_loops++;
    for (uint32_t i = 0; ended && (is_for ? i < n : true); i++) {
        bool go = elab_step(e, 1, s->span) && (is_for ? elab_assign_to(e, s->for_.target, items[i])
                                                      : condition(e, s->if_.cond, &yes));
        if (!go || !yes)
            break;
        ended = trip(e, body, result, &flow);
    }
    e->ct_loops--;
    if (ended && e->steps <= ELAB_MAX_STEPS)
        return run(e, is_for ? &s->for_.otherwise : &s->if_.otherwise, result);
    return flow == FLOW_RETURN ? FLOW_RETURN : FLOW_NEXT;
}

static Flow run_jump(Elab *e, const Ast *s)
{
    if (e->ct_loops)
        return s->kind == AST_BREAK ? FLOW_BREAK : FLOW_CONTINUE;
    elab_error(e, s->span, "syntax", "%s outside a loop", ast_kind_name(s->kind));
    return FLOW_NEXT;
}

static void run_def(Elab *e, const Ast *s)
{
    if (elab_is_element(e, s)) {
        avec_push(e->arena, &e->elements, s);
        return;
    }
    if (elab_is_kernel(e, s) && e->helper_depth)
        elab_define(e, e->scope, s->def.name, elab_make_kernel(e, s), s->def.name_span);
    else if (elab_is_kernel(e, s))
        avec_push(e->arena, &e->nested, s);
    else if (s->def.decorators.len)
        elab_error(e, s->def.decorators.at[0]->span, "name",
                   "a function of compile-time code has no decorator");
    else
        elab_define(e, e->scope, s->def.name, elab_helper(e, s), s->def.name_span);
}

static void run_expr_stmt(Elab *e, const Ast *s)
{
    if (s->value->kind == AST_STR || s->value->kind == AST_ERROR)
        return;
    if (s->value->kind == AST_CALL && elab_eval(e, s->value).kind == V_BAD)
        return;
    elab_error(e, s->span, "value", "this statement has no effect in compile-time code: delete it");
}

static void run_class(Elab *e, const Ast *s)
{
    bool good = elab_is_program_class(e, s);
    elab_define(e, e->scope, s->class_.name, good ? (Val){.kind = V_PROGRAM, .class_ = s} : val_bad,
                s->class_.name_span);
    if (!good)
        elab_error(e, s->class_.name_span, "name",
                   "class %s is no program: decorate it with @pl.program", s->class_.name);
}

static Flow run_stmt(Elab *e, const Ast *s, Val *result)
{
    switch (s->kind) {
    case AST_ASSIGN: run_assign(e, s); break;
    case AST_ANN_ASSIGN: run_ann_assign(e, s); break;
    case AST_AUG_ASSIGN: run_aug_assign(e, s); break;
    case AST_IF: return run_if(e, s, result);
    case AST_FOR:
    case AST_WHILE: return run_loop(e, s, result);
    case AST_BREAK:
    case AST_CONTINUE: return run_jump(e, s);
    case AST_RAISE: elab_raise(e, s); break;
    case AST_ASSERT: elab_assert(e, s); break;
    case AST_RETURN: *result = s->value ? elab_eval(e, s->value) : val_none; return FLOW_RETURN;
    case AST_CLASS: run_class(e, s); break;
    case AST_DEF: run_def(e, s); break;
    case AST_EXPR_STMT: run_expr_stmt(e, s); break;
    case AST_PASS:
    case AST_IMPORT:
    case AST_ERROR: break;
    default:
        elab_error(e, s->span, "value",
                   "compile-time code has no %s: it has assignments, if, for, while, def, raise "
                   "and assert",
                   ast_kind_name(s->kind));
    }
    return FLOW_NEXT;
}

static Flow run(Elab *e, const AstList *body, Val *result)
{
    for (uint32_t i = 0; i < body->len; i++) {
        uint32_t errors = e->diags->n_errors;
        if (!elab_step(e, 1, body->at[i]->span))
            return FLOW_RETURN;
        Flow flow = run_stmt(e, body->at[i], result);
        if (flow != FLOW_NEXT)
            return flow;
        /* After a raise nothing that follows was meant to run; nor in a function after a mistake.
         */
        bool ends = body->at[i]->kind == AST_RAISE || e->helper_depth > 0;
        if (ends && e->diags->n_errors > errors)
            return FLOW_RETURN;
    }
    return FLOW_NEXT;
}

bool elab_run(Elab *e, const AstList *body, Val *result)
{
    uint32_t loops = e->ct_loops;
    e->ct_loops = 0;
    Flow flow = run(e, body, result);
    e->ct_loops = loops;
    return flow == FLOW_RETURN;
}
