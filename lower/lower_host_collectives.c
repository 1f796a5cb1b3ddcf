/* Pass 10: a collective in a host function becomes one dispatch per device of a builtin kernel, an
 * orchestration function and the InCore function it calls, which is expanded by the same code as
 * InCore collectives. Calls of one signature share a kernel; names are fixed words, with a number
 * by first use where there are several signatures. */
#include "lower/composite.h"
#include "lower/device_set.h"
#include "lower/pass.h"
#include "lower/util.h"
#include <string.h>

typedef struct {
    const Expr *call; /* the first call of this signature */
    Func *dispatch;   /* its orchestration function */
} Kernel;

typedef struct {
    Program *p;
    Func *f; /* the host function at hand */
    DeviceSets devices;
    VEC(Kernel) kernels;
    VEC(VarId) renamed; /* per variable of f: what took its place, or VAR_NONE */
    bool ok;
} HostPass;

static bool is_memory(const Expr *e)
{
    return e && e->kind == EX_VAR && type_is_memory(e->type);
}

/* Type of a memory operand on one rank: a host tensor is cut into one slice per device. */
static const Type *rank_type(Program *p, const Expr *e)
{
    if (e->type->kind != TY_TENSOR)
        return e->type;
    return type_shaped(p->types, TY_TENSOR, e->type->dtype, e->type->rank - 1u, e->type->dims + 1);
}

static bool same_signature(const Expr *a, const Expr *b)
{
    if (a->op != b->op)
        return false;
    for (uint32_t i = 0; i < a->n_args; i++) {
        const Expr *x = a->args[i], *y = b->args[i];
        if (is_memory(x) && is_memory(y) ? x->type != y->type : !expr_equal(x, y))
            return false;
    }
    return true;
}

/* builtin_allreduce_mesh, builtin_barrier: free of clashes with what the program has. */
static Sym kernel_name(HostPass *x, const Expr *op, const char *suffix)
{
    const char *word = op_word(op->op);
    const char *kind = op_mode(op), *joint = kind[0] ? "_" : "";
    for (uint32_t n = 0;; n++) {
        Sym name = n ? internf(x->p->in, "builtin_%s%s%s_%u%s", word, joint, kind, n, suffix)
                     : internf(x->p->in, "builtin_%s%s%s%s", word, joint, kind, suffix);
        if (!program_func(x->p, name))
            return name;
    }
}

static Func *new_func(HostPass *x, FuncKind kind, Sym name, Loc loc)
{
    Func *f = arena_new(x->p->arena, Func);
    f->kind = kind;
    f->name = name;
    f->loc = loc;
    f->span = loc.span;
    f->result = type_none(x->p->types);
    f->rtol = f->atol = -1;
    f->generated = true;
    avec_push(x->p->arena, &x->p->funcs, f);
    return f;
}

/* One parameter per memory operand, named as in the op table. */
static void add_params(HostPass *x, Func *f, const Expr *op, VarId *slots)
{
    const OpInfo *info = op_info(op->op);
    for (uint32_t i = 0; i < op->n_args; i++) {
        if (!is_memory(op->args[i]))
            continue;
        uint8_t changes = EFFECT_WRITE | EFFECT_PEER_WRITE | EFFECT_ATOMIC;
        Param param = {.dir = info->slots[i].effects & changes ? DIR_INOUT : DIR_IN};
        param.var = slots[i] = func_new_var(x->p, f, intern(x->p->in, info->slots[i].name),
                                            rank_type(x->p, op->args[i]), f->span);
        avec_push(x->p->arena, &f->params, param);
    }
}

/* The call with the kernel's parameters for operands. */
static Expr *inner_call(HostPass *x, const Func *f, const Expr *op, const VarId *slots)
{
    Expr *e = expr_clone(x->p, op);
    for (uint32_t i = 0; i < op->n_args; i++)
        if (is_memory(op->args[i]))
            e->args[i] = ex_var(x->p, f, slots[i]);
    return e;
}

static int64_t lane_count(const Expr *op)
{
    int64_t lanes = 1;
    const Expr *count = op_operand(op, OPERAND_core_num);
    if (count)
        expr_is_int(count, &lanes);
    return lanes;
}

static void fill_kernel(HostPass *x, Func *f, const Expr *op, Loc loc)
{
    VarId slots[OP_MAX_SLOTS];
    add_params(x, f, op, slots);
    Expr *call = inner_call(x, f, op, slots);
    Expansion e = {.p = x->p,
                   .f = f,
                   .op = call,
                   .out = &f->body,
                   .loc = loc,
                   .lane = VAR_NONE,
                   .lanes = lane_count(op),
                   .signal = slots[comp_signal_slot(op->op)],
                   .data = slots[comp_target_slot(op->op)]};
    VarId ctx = comp_let(&e, "ctx", ex_opv(x->p, OP_GET_COMM_CTX, 1, comp_use(&e, e.data)));
    e.my_rank = comp_let(&e, "my_rank", ex_opv(x->p, OP_RANK, 1, comp_use(&e, ctx)));
    e.nranks = comp_let(&e, "nranks", ex_opv(x->p, OP_NRANKS, 1, comp_use(&e, ctx)));
    comp_begin(&e);
    if (e.lanes > 1)
        e.lane = comp_let(&e, "lane", ex_opv(x->p, OP_CORE, 0));
    comp_expand(&e, true);
}

/* The orchestration function hands its parameters on. */
static Func *new_dispatch(HostPass *x, const Expr *op, Loc loc)
{
    VarId slots[OP_MAX_SLOTS];
    Sym name = kernel_name(x, op, ""), core_name = kernel_name(x, op, "_core");
    Func *kernel = new_func(x, FN_INCORE, core_name, loc);
    fill_kernel(x, kernel, op, loc);
    Func *f = new_func(x, FN_ORCH, name, loc);
    add_params(x, f, op, slots);
    Expr *args[OP_MAX_SLOTS];
    for (uint32_t i = 0; i < f->params.len; i++)
        args[i] = ex_var(x->p, f, f->params.at[i].var);
    Builder b = {.p = x->p, .f = f, .block = &f->body, .loc = loc};
    build_expr(&b, ex_call(x->p, kernel, args, f->params.len, NULL));
    return f;
}

static Func *dispatch_of(HostPass *x, const Expr *op, Loc loc)
{
    for (uint32_t i = 0; i < x->kernels.len; i++)
        if (same_signature(x->kernels.at[i].call, op))
            return x->kernels.at[i].dispatch;
    Kernel k = {op, new_dispatch(x, op, loc)};
    vec_push(&x->kernels, k);
    return k.dispatch;
}

/* `kernel(views, device=r)` for r from lo up to hi. */
static void dispatch_range(HostPass *x, Builder *b, const Expr *op, Func *callee, Expr *lo,
                           Expr *hi)
{
    Program *p = x->p;
    Expr *args[OP_MAX_SLOTS];
    uint32_t n = 0;
    Stmt *loop = build_for(b, intern(p->in, "r"), lo, hi);
    Builder in = {.p = p, .f = x->f, .block = &loop->nest->body, .loc = b->loc};
    for (uint32_t i = 0; i < op->n_args; i++) {
        const Expr *arg = op->args[i];
        if (!is_memory(arg))
            continue;
        args[n] = ex_var(p, x->f, arg->var);
        if (arg->type->kind == TY_TENSOR) {
            Expr *row = ex_opv(p, OP_TENSOR_ROW, 2, args[n], ex_var(p, x->f, loop->nest->index));
            args[n] = ex_var(p, x->f, build_let(&in, func_var(x->f, arg->var)->base, row));
        }
        n++;
    }
    Expr *call = ex_call(p, callee, args, n, ex_var(p, x->f, loop->nest->index));
    if (lane_count(op) > 1)
        call->cores = ex_index(p, lane_count(op));
    build_expr(&in, call);
}

static void dispatch_list(HostPass *x, Builder *b, const Expr *op, Func *callee,
                          const DeviceSet *set)
{
    for (uint32_t i = 0; i < HOST_MAX_DEVICES; i++) {
        uint32_t first = i;
        while (i < HOST_MAX_DEVICES && set->has[i])
            i++;
        if (i > first)
            dispatch_range(x, b, op, callee, ex_index(x->p, first), ex_index(x->p, i));
    }
}

static void dispatch_world(HostPass *x, Builder *b, const Expr *op, Func *callee)
{
    Program *p = x->p;
    Expr *hi = ex_index(p, p->ranks);
    if (!p->ranks_bound) {
        VarId world = build_let(b, intern(p->in, "world"), ex_opv(p, OP_WORLD_SIZE, 0));
        hi = ex_var(p, x->f, world);
    }
    dispatch_range(x, b, op, callee, ex_index(p, 0), hi);
}

static void lower_call(HostPass *x, Stmt *s, Block *out)
{
    const Expr *op = s->value;
    VarId target = op->args[comp_target_slot(op->op)]->var;
    DeviceSet set = device_set_of(&x->devices, target);
    if (set.kind == DEVICES_UNKNOWN) {
        diag_error(
            x->p->diags, s->loc.span, "value",
            "%s needs devices known at compile time: dispatch the kernels that use %s with device= "
            "over pl.range of constants or of pld.world_size()",
            op_info(op->op)->full, func_var(x->f, target)->base);
        x->ok = false;
        return;
    }
    Builder b = {.p = x->p, .f = x->f, .block = out, .loc = s->loc};
    Func *callee = dispatch_of(x, op, s->loc);
    if (set.kind == DEVICES_LIST)
        dispatch_list(x, &b, op, callee, &set);
    else if (set.kind == DEVICES_RANGE)
        dispatch_range(x, &b, op, callee, expr_clone(x->p, set.lo), expr_clone(x->p, set.hi));
    else
        dispatch_world(x, &b, op, callee);
    while (x->renamed.len < x->f->vars.len)
        vec_push(&x->renamed, VAR_NONE);
    if (s->kind == ST_LET)
        x->renamed.at[s->results[0]] = target;
}

static bool lower_stmt(void *env, Rewrite *r, Stmt *s)
{
    HostPass *x = env;
    if (low_is_collective(s)) {
        lower_call(x, s, r->out);
        return true;
    }
    block_rewrite(&s->nest->body, lower_stmt, x);
    block_rewrite(&s->nest->otherwise, lower_stmt, x);
    low_push(x->p, r->out, s);
    return true;
}

static void rename_use(void *env, Expr **e)
{
    HostPass *x = env;
    while ((*e)->kind == EX_VAR && (*e)->var < x->renamed.len &&
           x->renamed.at[(*e)->var] != VAR_NONE)
        (*e)->var = x->renamed.at[(*e)->var];
}

static void rename_stmt(void *env, Stmt *s)
{
    stmt_exprs(s, rename_use, env);
}

bool pass_lower_host_collectives(Program *p)
{
    HostPass x = {.p = p, .ok = true};
    uint32_t n = p->funcs.len;
    for (uint32_t i = 0; i < n; i++) {
        x.f = p->funcs.at[i];
        if (x.f->kind != FN_HOST || x.f->untouched)
            continue;
        device_sets(&x.devices, p, x.f);
        vec_clear(&x.renamed);
        block_rewrite(&x.f->body, lower_stmt, &x);
        block_walk(&x.f->body, rename_stmt, &x);
        device_sets_free(&x.devices);
    }
    vec_free(&x.kernels);
    vec_free(&x.renamed);
    return x.ok;
}
