/* Pass 08: a host allreduce without a signal gets one, of a buffer of its own.
 *
 * Buffers are allocated once, outside of loops, so inside a loop the program has to pass a signal.
 */
#include "ir/build.h"
#include "lower/device_set.h"
#include "lower/pass.h"
#include "lower/util.h"
#include <string.h>

typedef struct {
    Program *p;
    Func *f;
    DeviceSets devices;
    Block *top; /* statements of the function so far */
    bool in_loop, ok;
} SignalPass;

/* Rank count of the target's domain, NULL when it is known only at start. */
static const Dim *rank_count(SignalPass *x, VarId target)
{
    Program *p = x->p;
    DeviceSet set = device_set_of(&x->devices, target);
    if (set.kind == DEVICES_LIST)
        return dim_const(p->types, set.count);
    if (set.kind == DEVICES_WORLD && p->ranks_bound)
        return dim_const(p->types, p->ranks);
    if (set.kind != DEVICES_RANGE)
        return NULL;
    const Dim *lo = dim_of_expr(p, set.lo), *hi = dim_of_expr(p, set.hi);
    return lo && hi ? dim_sub(p->types, hi, lo) : NULL;
}

static Expr *refuse(SignalPass *x, const Stmt *s, const char *why)
{
    diag_error(x->p->diags, s->loc.span, "value", "%s %s: pass a signal",
               op_info(OP_ALLREDUCE)->full, why);
    x->ok = false;
    return NULL;
}

/* 2 * ranks - 1: a row for each of 2 * (ranks - 1) rounds, and one for the closing barrier. */
static Expr *ring_rows(Program *p, const Dim *ranks)
{
    const Dim *twice = dim_mul(p->types, dim_const(p->types, 2), ranks);
    const Dim *rows = twice ? dim_sub(p->types, twice, dim_const(p->types, 1)) : NULL;
    return ex_dim(p, rows ? rows : ranks);
}

/* Shape of the signal as a list, or NULL after a mistake; a mesh serves any number of ranks with
 * rows for the most there can be. */
static Expr *signal_shape(SignalPass *x, const Stmt *s)
{
    Program *p = x->p;
    Expr **args = s->value->args;
    bool ring = strcmp(args[OPND(ALLREDUCE, mode)]->sym, "ring") == 0;
    const Expr *cores = args[OPND(ALLREDUCE, core_num)];
    const Dim *ranks = rank_count(x, args[0]->var);
    int64_t lanes = 1;
    if (x->in_loop)
        return refuse(x, s, "without a signal cannot stand in a loop");
    if (ring && !ranks)
        return refuse(x, s, "mode=\"ring\" without a signal needs a known rank count");
    if (ring)
        return ex_listv(p, ring_rows(p, ranks), ex_dim(p, ranks), NULL);
    if (cores)
        expr_is_int(cores, &lanes);
    Expr *rows = ranks ? ex_dim(p, ranks) : ex_index(p, HOST_MAX_DEVICES);
    return ex_listv(p, rows, ex_index(p, lanes), NULL);
}

static void add_signal(SignalPass *x, Stmt *s)
{
    Program *p = x->p;
    Expr *size = signal_shape(x, s);
    if (!size)
        return;
    Builder b = {.p = p, .f = x->f, .block = x->top, .loc = s->loc};
    Expr *alloc = ex_opv(p, OP_ALLOC_WINDOW_BUFFER, 2, size, ex_dtype(p, DT_INT32));
    VarId buffer = build_let(&b, intern(p->in, "signal_buf"), alloc);
    Expr *view = ex_opv(p, OP_WINDOW, 3, ex_var(p, x->f, buffer), expr_clone(p, size),
                        ex_dtype(p, DT_INT32));
    VarId signal = build_let(&b, intern(p->in, "signal"), view);
    s->value->args[OPND(ALLREDUCE, signal)] = ex_var(p, x->f, signal);
}

static void visit(SignalPass *x, Stmt *s)
{
    bool value = s->kind == ST_LET || s->kind == ST_EXPR;
    if (value && s->value->kind == EX_OP && s->value->op == OP_ALLREDUCE &&
        !s->value->args[OPND(ALLREDUCE, signal)])
        add_signal(x, s);
    bool outer = x->in_loop;
    x->in_loop |= s->kind == ST_FOR;
    for (uint32_t i = 0; i < s->nest->body.len; i++)
        visit(x, s->nest->body.at[i]);
    for (uint32_t i = 0; i < s->nest->otherwise.len; i++)
        visit(x, s->nest->otherwise.at[i]);
    x->in_loop = outer;
}

static bool visit_top(void *env, Rewrite *r, Stmt *s)
{
    SignalPass *x = env;
    x->top = r->out;
    visit(x, s);
    low_push(x->p, r->out, s);
    return true;
}

static bool synthesize(Program *p, Func *f)
{
    SignalPass x = {.p = p, .f = f, .ok = true};
    device_sets(&x.devices, p, f);
    block_rewrite(&f->body, visit_top, &x);
    device_sets_free(&x.devices);
    return x.ok;
}

bool pass_synthesize_signals(Program *p)
{
    bool ok = true;
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (p->funcs.at[i]->kind == FN_HOST && !p->funcs.at[i]->untouched)
            ok &= synthesize(p, p->funcs.at[i]);
    return ok;
}
