/* Calls: dynamic extents are found from what arrives, then every shape is checked against what the
 * callee declares. The same code serves kernels, dispatches and the host function's own tensors. */
#include "sim/machine/bind.h"

#include "base/checked.h"
#include "base/pyarith.h"
#include "sim/machine/fault.h"

static bool dim_step(BcDimOp op, int64_t a, int64_t b, int64_t *out)
{
    static const ScalarOp ops[] = {
        [BCD_ADD] = SC_ADD, [BCD_MUL] = SC_MUL, [BCD_FLOORDIV] = SC_FLOORDIV,
        [BCD_MOD] = SC_MOD, [BCD_MIN] = SC_MIN, [BCD_MAX] = SC_MAX};
    return py_int_binary(ops[op], a, b, out) == ARITH_OK;
}

DimResult dim_value(const BcProgram *p, BcDim d, const int64_t *extents, int64_t *out)
{
    int64_t stack[BC_MAX_DIM_STACK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < d.n; i++) {
        const BcDimStep *s = &p->dim_steps[d.first + i];
        if (s->op == BCD_CONST || s->op == BCD_NAME) {
            if (n == BC_MAX_DIM_STACK)
                return DIM_OVERFLOW;
            int64_t v = s->op == BCD_CONST ? s->value : extents[s->value];
            if (s->op == BCD_NAME && v < 0)
                return DIM_UNKNOWN;
            stack[n++] = v;
        } else {
            if (n < 2 || !dim_step(s->op, stack[n - 2], stack[n - 1], &stack[n - 2]))
                return DIM_OVERFLOW;
            n--;
        }
    }
    if (n != 1)
        return DIM_OVERFLOW;
    *out = stack[0];
    return DIM_OK;
}

bool dim_is_name(const BcProgram *p, BcDim d, uint32_t *extent)
{
    if (d.n != 1 || p->dim_steps[d.first].op != BCD_NAME)
        return false;
    *extent = (uint32_t)p->dim_steps[d.first].value;
    return true;
}

/* The first unknown name of a shape expression, if it has exactly one. */
static bool only_unknown(const BcProgram *p, BcDim d, const int64_t *extents, uint32_t *extent)
{
    bool found = false;
    for (uint32_t i = 0; i < d.n; i++) {
        const BcDimStep *s = &p->dim_steps[d.first + i];
        if (s->op != BCD_NAME || extents[s->value] >= 0)
            continue;
        if (found && *extent != s->value)
            return false;
        *extent = (uint32_t)s->value;
        found = true;
    }
    return found;
}

bool dim_linear(const BcProgram *p, BcDim d, const int64_t *extents, uint32_t *extent, int64_t *mul,
                int64_t *add)
{
    if (!only_unknown(p, d, extents, extent))
        return false;
    int64_t *copy = xmalloc(p->n_extents * sizeof *copy), at[4];
    for (uint32_t i = 0; i < p->n_extents; i++)
        copy[i] = extents[i];
    bool ok = true;
    for (int v = 0; v < 4 && ok; v++) {
        copy[*extent] = v;
        ok = dim_value(p, d, copy, &at[v]) == DIM_OK;
    }
    xfree(copy);
    if (!ok || !checked_sub(at[1], at[0], mul) || *mul == 0)
        return false;
    *add = at[0];
    int64_t second, third;
    return checked_sub(at[2], at[1], &second) && second == *mul &&
           checked_sub(at[3], at[2], &third) && third == *mul;
}

static void describe_operator(const BcDimStep *s, Buf *a, const Buf *b, bool outermost)
{
    static const char *const text[] = {[BCD_ADD] = "+", [BCD_MUL] = "*",   [BCD_FLOORDIV] = "//",
                                       [BCD_MOD] = "%", [BCD_MIN] = "min", [BCD_MAX] = "max"};
    Buf out = {0};
    if (s->op >= BCD_MIN)
        buf_printf(&out, "%s(%s, %s)", text[s->op], a->at, b->at);
    else
        buf_printf(&out, outermost ? "%s %s %s" : "(%s %s %s)", a->at, text[s->op], b->at);
    buf_free(a);
    *a = out;
}

/* Appends it as source text. */
static void dim_describe(const BcProgram *p, BcDim d, Buf *out)
{
    Buf stack[BC_MAX_DIM_STACK] = {{0}};
    uint32_t n = 0;
    for (uint32_t i = 0; i < d.n; i++) {
        const BcDimStep *s = &p->dim_steps[d.first + i];
        if (s->op <= BCD_NAME && n < BC_MAX_DIM_STACK) {
            buf_clear(&stack[n]);
            if (s->op == BCD_NAME)
                buf_str(&stack[n++], p->strings[p->extents[s->value]]);
            else
                buf_printf(&stack[n++], "%lld", (long long)s->value);
        } else if (s->op > BCD_NAME && n >= 2) {
            describe_operator(s, &stack[n - 2], &stack[n - 1], i + 1 == d.n);
            n--;
        }
    }
    buf_str(out, n == 1 ? stack[0].at : "?");
    for (uint32_t i = 0; i < BC_MAX_DIM_STACK; i++)
        buf_free(&stack[i]);
}

/* An extent that arrives for an axis that declares another one. */
static bool misfit(World *w, Lane *lane, const BcFunc *f, const BcParam *par, uint32_t axis,
                   const int64_t sizes[2])
{
    const BcProgram *p = w->program;
    Buf dim = {0};
    dim_describe(p, par->dims[axis], &dim);
    vm_fault(w, lane, "%s: axis %u of %s is declared as %s = %lld, but %lld arrives",
             p->strings[f->name], axis, p->strings[par->name], dim.at, (long long)sizes[1],
             (long long)sizes[0]);
    buf_free(&dim);
    return false;
}

static bool check_param(World *w, Lane *lane, const BcFunc *f, uint32_t i, const MemRef *m)
{
    const BcProgram *p = w->program;
    const BcParam *par = &f->params[i];
    if (m->kind == MEM_EMPTY || m->dtype != par->dtype || m->rank != par->rank)
        return vm_fault(w, lane, "%s: argument %s has another type than declared",
                        p->strings[f->name], p->strings[par->name]);
    for (uint32_t axis = 0; axis < par->rank; axis++) {
        int64_t want;
        DimResult r = dim_value(p, par->dims[axis], w->bind_extents, &want);
        if (r == DIM_UNKNOWN)
            continue;
        if (r == DIM_OVERFLOW)
            return vm_fault(w, lane, "%s: axis %u of %s leaves 64 bits", p->strings[f->name], axis,
                            p->strings[par->name]);
        if (want != m->shape[axis])
            return misfit(w, lane, f, par, axis, (int64_t[]){m->shape[axis], want});
    }
    return true;
}

static bool bind_one(World *w, Lane *lane, const BcFunc *f, const BcBind *b, const MemRef *mem,
                     int64_t *value)
{
    const BcProgram *p = w->program;
    int64_t got = mem[b->param].shape[b->axis];
    if (!checked_solve(b->mul, b->add, got, value)) {
        const BcParam *par = &f->params[b->param];
        return vm_fault(w, lane, "%s: axis %u of %s is %lld, which no value of %s gives",
                        p->strings[f->name], b->axis, p->strings[par->name], (long long)got,
                        p->strings[p->extents[b->extent]]);
    }
    return true;
}

bool bind_call(World *w, Lane *lane, const BcFunc *f, const MemRef *mem, int64_t *regs)
{
    bool ok = true;
    uint32_t done = 0;
    for (; done < f->n_binds && ok; done++) {
        const BcBind *b = &f->binds[done];
        if (b->param == BC_NO_INDEX)
            regs[done] = w->extents[b->extent];
        else
            ok = bind_one(w, lane, f, b, mem, &regs[done]);
        w->bind_extents[b->extent] = ok ? regs[done] : -1;
    }
    for (uint32_t i = 0; i < f->n_params && ok && f->params[i].kind != BCP_SCALAR; i++)
        ok = check_param(w, lane, f, i, &mem[i]);
    for (uint32_t i = 0; i < done; i++)
        w->bind_extents[f->binds[i].extent] = -1;
    return ok;
}
