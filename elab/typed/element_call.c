/* Calls in init and golden functions: functions of numbers, reductions over ranges. */
#include "elab/typed/element.h"
#include <string.h>

bool element_range(Element *p, const Ast *a, Expr *bounds[3])
{
    const Ast *f = a->kind == AST_CALL ? a->call.callee : NULL;
    if (!f || f->kind != AST_NAME || strcmp(f->name, "range") != 0 || a->call.args.len < 1 ||
        a->call.args.len > 3 || a->call.keywords.len) {
        elab_error(p->e, a->span, "syntax",
                   "a `for` in here runs over range(stop), range(start, stop) or range(start, "
                   "stop, step)");
        return false;
    }
    uint32_t n = a->call.args.len;
    bounds[0] =
        n > 1 ? element_expr(p, a->call.args.at[0]) : element_literal(p, val_int(0), a->span);
    bounds[1] = element_expr(p, a->call.args.at[n > 1]);
    bounds[2] =
        n > 2 ? element_expr(p, a->call.args.at[2]) : element_literal(p, val_int(1), a->span);
    return true;
}

/* `value for k in range(n) if cond`: its names are gone after it. */
static Expr *reduction_parts(Element *p, const Ast *a, ElementOp op, const Ast *gen)
{
    uint32_t n = gen->gen.clauses.len;
    Expr *x = element_node(p, EX_ELEMENT, a->span);
    uint64_t *outer = arena_new_n(p->e->arena, uint64_t, n);
    x->element = op;
    x->vars = arena_new_n(p->e->arena, VarId, n);
    x->args = arena_new_n(p->e->arena, Expr *, 1 + 4 * n);
    x->n_args = 1 + 4 * n;
    for (uint32_t i = 0; i < n; i++) {
        const AstForClause *c = &gen->gen.clauses.at[i];
        if (!element_range(p, c->iter, &x->args[1 + 4 * i]))
            return element_nothing(p, a);
        p->guarded++; /* the first range is computed once, what follows for each of its numbers */
        if (c->target->kind != AST_NAME) {
            elab_error(p->e, c->target->span, "syntax", "a `for` in here has one name");
            return element_nothing(p, a);
        }
        map_get_ptr(&p->locals, c->target->name, &outer[i]);
        x->vars[i] = element_new_var(p, c->target->name, c->target->span);
        map_set_ptr(&p->locals, c->target->name, x->vars[i] + (uint64_t)1);
        if (c->cond)
            x->args[4 + 4 * i] = element_expr(p, c->cond);
    }
    x->args[0] = element_expr(p, gen->gen.element);
    for (uint32_t i = n; i-- > 0;)
        map_set_ptr(&p->locals, gen->gen.clauses.at[i].target->name, outer[i]);
    return x;
}

static Expr *reduction(Element *p, const Ast *a, ElementOp op, const Ast *gen)
{
    uint32_t outer = p->guarded;
    Expr *x = reduction_parts(p, a, op, gen);
    p->guarded = outer;
    return x;
}

/* The function of that name in element.def, or EL_COUNT. */
static ElementOp find_element(Sym name, ElementForm form)
{
    for (uint32_t i = 0; i < EL_COUNT; i++)
        if (element_info[i].form == form && strcmp(element_info[i].text, name) == 0)
            return (ElementOp)i;
    return EL_COUNT;
}

/* The scalar operator that is a function of that name, or SC_COUNT. */
static ScalarOp find_scalar(Sym name)
{
    for (uint32_t i = 0; i < SC_COUNT; i++) {
        const char *text = scalar_text((ScalarOp)i);
        bool python = scalar_info[i].form == SCALAR_CALL && i != SC_CAST;
        if (python && strcmp(strncmp(text, "pl.", 3) == 0 ? text + 3 : text, name) == 0)
            return (ScalarOp)i;
    }
    return SC_COUNT;
}

static bool call_ok(Element *p, const Ast *a, Sym name, bool generator)
{
    bool many = find_element(name, ELEMENT_REDUCE) != EL_COUNT;
    bool one =
        !many && (find_scalar(name) != SC_COUNT || find_element(name, ELEMENT_CALL) != EL_COUNT);
    if (!one && !many)
        elab_error(p->e, a->call.callee->span, "name",
                   "init and golden functions have no %s: they have abs exp log sqrt sin cos "
                   "float int randn uniform min max sum prod all any",
                   name);
    else if (a->call.keywords.len)
        elab_error(p->e, a->span, "type", "%s has no keywords", name);
    else if (one && (a->call.args.len != 1 || generator))
        elab_error(p->e, a->span, "type", "%s takes one number, got %u arguments", name,
                   a->call.args.len);
    else if (many && !generator && (name[0] != 'm' || a->call.args.len < 2))
        elab_error(p->e, a->span, "type",
                   name[0] == 'm' ? "%s takes two or more numbers, or `value for k in range(n)`"
                                  : "%s takes `value for k in range(n)`",
                   name);
    else
        return true;
    return false;
}

static Expr *values_call(Element *p, const Ast *a, Sym name)
{
    uint32_t n = a->call.args.len;
    Expr **args = arena_new_n(p->e->arena, Expr *, n);
    Val *v = arena_new_n(p->e->arena, Val, n);
    bool known = elab_is_builtin(name);
    for (uint32_t i = 0; i < n; i++) {
        args[i] = element_expr(p, a->call.args.at[i]);
        known = element_known(args[i], &v[i]) && known;
    }
    ElementOp random = find_element(name, ELEMENT_CALL);
    Expr *x = random != EL_COUNT ? element_op(p, random, a->span, n, args)
                                 : element_operation(p, find_scalar(name), a->span, n, args);
    return known ? element_settle(p, elab_fold_call(p->e, name, v, n, a->span), x) : x;
}

/* Ranges may be long: what goes over them is computed when the program runs. */
static bool over_ranges(const Ast *gen)
{
    for (uint32_t i = 0; i < gen->gen.clauses.len; i++) {
        const Ast *iter = gen->gen.clauses.at[i].iter;
        const Ast *f = iter->kind == AST_CALL ? iter->call.callee : NULL;
        if (!f || f->kind != AST_NAME || strcmp(f->name, "range") != 0)
            return false;
    }
    return true;
}

/* pld.world_size(), the number of devices of the run. */
static bool is_world_size(Element *p, const Ast *a)
{
    Sym d = elab_dotted(p->e, a->call.callee);
    return d && !a->call.args.len && !a->call.keywords.len &&
           (strcmp(d, "pld.world_size") == 0 || strcmp(d, "pld.system.world_size") == 0);
}

Expr *element_call(Element *p, const Ast *a)
{
    if (is_world_size(p, a)) {
        const Program *program = p->e->p;
        return element_value(
            p, program->ranks_bound ? val_int(program->ranks) : val_dim(dim_world(p->e->p)), a);
    }
    const Ast *f = a->call.callee;
    const Ast *first = a->call.args.len == 1 ? a->call.args.at[0] : NULL;
    bool generator = first && (first->kind == AST_GENEXP || first->kind == AST_LISTCOMP);
    if (element_is_static(p, a) && !(generator && over_ranges(first)))
        return element_value(p, elab_eval(p->e, a), a);
    if (f->kind != AST_NAME) {
        /* pl.FP32.get_byte() and the like are compile-time. */
        if (elab_dotted(p->e, f) || f->kind == AST_ATTR)
            return element_value(p, elab_eval(p->e, a), a);
        elab_error(p->e, f->span, "type", "this cannot be called");
        return element_nothing(p, a);
    }
    if (strcmp(f->name, "len") == 0)
        return element_value(p, elab_eval(p->e, a), a);
    const CtName *n = elab_find_name(p->e->scope, f->name);
    if (n && n->val.kind == V_HELPER && !element_find_local(p, f->name, &(VarId){0}))
        return element_helper(p, n->val.helper, a);
    if (!call_ok(p, a, f->name, generator))
        return element_nothing(p, a);
    return generator ? reduction(p, a, find_element(f->name, ELEMENT_REDUCE), first)
                     : values_call(p, a, f->name);
}
