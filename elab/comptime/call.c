/* Calls: compile-time functions, Python's functions and methods; and where a name is called that
 * cannot be. Operations and functions of the program are handed on. */
#include "elab/comptime/elab.h"
#include <string.h>

static const char *const specials[] = {
#define PLD_CALL(name) name,
#include "elab/comptime/calls.def"
};

bool elab_is_special_call(const char *dotted)
{
    for (uint32_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (strcmp(specials[i], dotted) == 0)
            return true;
    return false;
}

bool elab_args(Elab *e, const Ast *call, Args *out)
{
    bool ok = true;
    for (uint32_t i = 0; i < call->call.args.len; i++) {
        const Ast *a = call->call.args.at[i];
        Arg arg = {.span = a->span, .val = elab_eval(e, a)};
        ok &= arg.val.kind != V_BAD;
        avec_push(&e->temporary, out, arg);
    }
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        const AstKeyword *k = &call->call.keywords.at[i];
        Arg arg = {.name = k->name,
                   .name_span = k->span,
                   .span = k->value->span,
                   .val = elab_eval(e, k->value)};
        ok &= arg.val.kind != V_BAD;
        avec_push(&e->temporary, out, arg);
    }
    return ok;
}

/* Positional arguments only, between `min` and `max` of them. */
bool elab_positional(Elab *e, const Ast *call, const char *name, uint32_t min, uint32_t max,
                     Args *args)
{
    if (call->call.keywords.len) {
        elab_error(e, call->call.keywords.at[0].span, "name", "%s has no keyword %s=", name,
                   call->call.keywords.at[0].name);
        return false;
    }
    if (call->call.args.len < min || call->call.args.len > max) {
        elab_error(e, call->span, "type", "%s takes %u%s argument%s, got %u", name, min,
                   max > min ? " or more" : "", min == 1 && max == 1 ? "" : "s",
                   call->call.args.len);
        return false;
    }
    return elab_args(e, call, args);
}

static bool is_extent(const Elab *e, Val name)
{
    bool known = false;
    for (uint32_t i = 0; name.kind == V_STR && i < e->p->extents.len; i++)
        known |= e->p->extents.at[i] == name.s;
    return known;
}

const Dim *elab_extent(Elab *e, Sym name)
{
    if (!is_extent(e, val_str(name)))
        avec_push(e->arena, &e->p->extents, name);
    return dim_name(e->tt, name);
}

static Val call_dynamic(Elab *e, const Ast *call)
{
    Args args = {0};
    if (!elab_positional(e, call, "pl.dynamic", 1, 1, &args))
        return val_bad;
    bool here = e->fn && !is_extent(e, args.at[0].val); /* not one that the parameters bring */
    if (here || args.at[0].val.kind != V_STR || !args.at[0].val.s[0]) {
        elab_error(e, call->span, "value",
                   "an extent is declared at module level, with its name: NR = pl.dynamic(\"NR\")");
        return val_bad;
    }
    return val_dim(elab_extent(e, args.at[0].val.s));
}

/* The number of devices, in compile-time code. */
static Val world_size(Elab *e, const Ast *call)
{
    if (call->call.args.len || call->call.keywords.len) {
        elab_error(e, call->span, "type", "pld.world_size takes no arguments");
        return val_bad;
    }
    if (e->in_type && !e->whole_default)
        return e->p->ranks_bound ? val_int(e->p->ranks) : val_dim(dim_world(e->p));
    if (!e->whole_default) {
        elab_error(e, call->span, "value",
                   "in compile-time code pld.world_size() is the default of a parameter, "
                   "nr: int = pld.world_size(): compute from that");
        return val_bad;
    }
    e->p->ranks_bound = true;
    return val_int(e->p->ranks);
}

static Val call_dotted(Elab *e, Sym dotted, const Ast *call)
{
    Dtype dt;
    if (e->fn && map_get_ptr(&e->operations, dotted, NULL))
        return e->typed->operation(e, dotted, call);
    size_t n = strlen(dotted);
    if (!e->fn &&
        (strcmp(dotted, "pld.world_size") == 0 || strcmp(dotted, "pld.system.world_size") == 0))
        return world_size(e, call);
    if (strcmp(dotted, "pl.dynamic") == 0)
        return call_dynamic(e, call);
    if (n > 12 && strcmp(dotted + n - 9, ".get_byte") == 0 &&
        dtype_from_name(arena_strndup(e->arena, dotted + 3, n - 12), &dt))
        return val_int(dtype_bytes(dt));
    return e->typed->operation(e, dotted, call);
}

static Val call_builtin(Elab *e, const Ast *call)
{
    Args args = {0};
    Sym name = call->call.callee->name;
    if (!elab_args(e, call, &args))
        return val_bad;
    for (uint32_t i = 0; i < args.len; i++) {
        Val v = args.at[i].val;
        int64_t known;
        if (e->fn && v.kind == V_EXPR && e->typed->constant(e, v.expr, &known))
            v = args.at[i].val = val_int(known);
        bool whole = v.kind != V_EXPR && name[0] != 'm'; /* a list of run-time values */
        if (val_all_known(v) || whole)
            continue;
        return e->typed->builtin(e, name, args.at, args.len, call->span);
    }
    return elab_builtin(e, name, &args, call->span);
}

static Val call_unknown(Elab *e, const Ast *callee)
{
    if (strcmp(callee->name, "print") == 0) {
        elab_error(e, callee->span, "name",
                   "there is no print(): use pldrun --print NAME, after the run");
        return val_bad;
    }
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < e->decls.len; i++)
        vec_push(&names, e->decls.at[i].name);
    const char *near = nearest_name(callee->name, names.at, names.len);
    if (!e->syntax_errors)
        elab_error(e, callee->span, "name", "unknown function %s%s%s%s", callee->name,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    vec_free(&names);
    return val_bad;
}

static Val call_name(Elab *e, const Ast *call)
{
    const Ast *callee = call->call.callee;
    FnDecl *d = elab_decl(e, callee->name);
    bool local = elab_is_local(e, callee->name);
    const CtName *n = local ? NULL : elab_find_name(e->scope, callee->name);
    if (n && n->val.kind == V_BAD)
        return val_bad;
    if (n && n->val.kind == V_POISON)
        return elab_poisoned(e, n, callee->span);
    if (n && n->val.kind == V_HELPER)
        return elab_helper_call(e, n->val.helper, call);
    if (n && n->val.kind == V_MATH)
        return elab_math_call(e, n->val.s, call);
    if (d && !local) {
        if (!e->fn) {
            elab_error(e, call->span, "level",
                       "%s is a function of the program: compile-time code cannot call it",
                       d->name);
            return val_bad;
        }
        if (d->method && e->class_) {
            elab_error(e, callee->span, "name", "%s is a method: write self.%s(...)", d->name,
                       d->name);
            return val_bad;
        }
        return e->typed->function_call(e, d, call);
    }
    if (!local && !n && elab_is_builtin(callee->name))
        return call_builtin(e, call);
    if (n && n->val.kind == V_PROGRAM) {
        elab_error(e, call->span, "type", "%s is a program: name the class, do not call it",
                   callee->name);
        return val_bad;
    }
    if (local || n) {
        elab_error(e, callee->span, "type", "%s is no function", callee->name);
        return val_bad;
    }
    return call_unknown(e, callee);
}

static Val call_method(Elab *e, const Ast *call)
{
    const Ast *callee = call->call.callee;
    if (callee->attr.base->kind == AST_NAME && callee->attr.base->name == e->s_self && e->fn &&
        e->typed->has_self(e)) {
        FnDecl *d = elab_decl(e, callee->attr.name);
        if (d)
            return e->typed->function_call(e, d, call);
        Ast name = {.kind = AST_NAME, .span = callee->attr.name_span, .name = callee->attr.name};
        return call_unknown(e, &name);
    }
    Val base = elab_eval(e, callee->attr.base);
    if (base.kind == V_BAD)
        return base;
    if (base.kind == V_DTYPE && strcmp(callee->attr.name, "get_byte") == 0 &&
        !call->call.args.len && !call->call.keywords.len)
        return val_int(dtype_bytes(base.dtype));
    if (val_known(base))
        return elab_method(e, base, callee->attr.name, call);
    elab_error(e, callee->attr.name_span, "name", "%s has no method %s", val_describe(e, base),
               callee->attr.name);
    return val_bad;
}

bool elab_plain_call(Elab *e, const Ast *call)
{
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        if (call->call.keywords.at[i].name)
            continue;
        elab_error(e, call->call.keywords.at[i].value->span, "syntax",
                   "arguments are written out, there is no **");
        return false;
    }
    return true;
}

Val elab_call(Elab *e, const Ast *call)
{
    const Ast *callee = call->call.callee;
    if (!elab_plain_call(e, call))
        return val_bad;
    Sym dotted = elab_dotted(e, callee);
    if (dotted)
        return call_dotted(e, dotted, call);
    if (callee->kind == AST_NAME)
        return call_name(e, call);
    if (elab_is_math_name(e, callee))
        return elab_math_call(e, callee->attr.name, call);
    if (callee->kind == AST_ATTR)
        return call_method(e, call);
    Val f = elab_eval(e, callee);
    if (f.kind == V_HELPER)
        return elab_helper_call(e, f.helper, call);
    if (f.kind == V_MATH)
        return elab_math_call(e, f.s, call);
    if (f.kind != V_BAD)
        elab_error(e, callee->span, "type", "this cannot be called");
    return val_bad;
}
