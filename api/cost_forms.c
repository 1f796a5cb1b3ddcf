/* The closed forms of the calls in the IR, in P and N where those are not known yet. */
#include "api/cost_forms.h"

#include "lower/composite.h"
#include "sim/machine/cost_form.h"

#include <string.h>

typedef struct {
    Program *p;
    const Func *f;
    Buf *out;
    uint32_t found;
} Forms;

typedef enum {
    VALUE_RECEIVED,
    VALUE_SENT,
    VALUE_STEPS,
    VALUE_NOTIFIES,
    VALUE_SELF,
    VALUE_WAITS,
    VALUE_BARRIERS
} Value; /* positions of cost_counter */

static int64_t int_or(const Expr *e, int64_t missing)
{
    int64_t v = missing;
    if (e)
        expr_is_int(e, &v);
    return v;
}

/* A host tensor is cut into one slice per device. */
static uint32_t first_dim(const Type *t)
{
    return t->kind == TY_TENSOR ? 1 : 0;
}

/* Bytes of the target on one rank, as an expression. */
static const Dim *bytes_of(Forms *x, const Type *t)
{
    const Dim *n = dim_const(x->p->types, dtype_bytes(t->dtype));
    for (uint32_t i = first_dim(t); i < t->rank; i++)
        n = dim_mul(x->p->types, n, t->dims[i]);
    return n;
}

/* The call in numbers; false while P or a dimension is open. */
static bool describe(Forms *x, const Expr *op, Builtin form, const Type *t, CostCall *c)
{
    int64_t bytes;
    const Dim *n = bytes_of(x, t);
    uint32_t first = first_dim(t);
    *c = (CostCall){.op = form,
                    .ranks = x->p->ranks,
                    .elem = dtype_bytes(t->dtype),
                    .grain = t->dtype == DT_FP16 ? 16 : 1,
                    .chunk = x->p->platform->collective_chunk,
                    .lanes = int_or(op_operand(op, OPERAND_core_num), 1),
                    .root = int_or(op_operand(op, OPERAND_root), 0),
                    .own_row = x->f->kind == FN_HOST};
    if (!x->p->ranks_bound || !n || !dim_is_const(n, &bytes) ||
        !dim_is_const(t->dims[first], &c->rows))
        return false;
    c->cols = c->rows ? bytes / c->elem / c->rows : 0;
    return c->rows > 0;
}

/* All lanes of a rank together. */
static CostCount expected_of(CostCall c, int64_t rank)
{
    CostCount sum = {0};
    c.rank = rank;
    for (c.lane = 0; c.lane < c.lanes; c.lane++)
        cost_expect(&c, &sum);
    return sum;
}

static void line(Forms *x, const char *name, const char *form, const CostCall *call, Value value)
{
    buf_printf(x->out, "  %-18s %-16s", name, form);
    if (call) {
        uint64_t lo = UINT64_MAX, hi = 0;
        for (int64_t r = 0; r < call->ranks; r++) {
            CostCount c = expected_of(*call, r);
            uint64_t v = cost_counter(&c, value);
            lo = v < lo ? v : lo;
            hi = v > hi ? v : hi;
        }
        buf_printf(x->out, " = %llu", (unsigned long long)lo);
        if (hi != lo)
            buf_printf(x->out, " to %llu", (unsigned long long)hi);
    }
    buf_char(x->out, '\n');
}

static void lines(Forms *x, const CostForm *form, Builtin op, const CostCall *call)
{
    bool counts = op == BUILTIN_ALL_TO_ALL_V;
    const CostCall *data = counts ? NULL : call; /* rows that only the run knows */
    line(x, "bytes received", form->received, data, VALUE_RECEIVED);
    line(x, "bytes sent", op == BUILTIN_BROADCAST ? "root: (P-1)*N" : form->received, data,
         VALUE_SENT);
    line(x, "data steps", form->steps, data, VALUE_STEPS);
    line(x, "barriers B", form->barriers, call, VALUE_BARRIERS);
    line(x, "notifies", counts ? "(B+1)*(P-1)" : "B*(P-1)", call, VALUE_NOTIFIES);
    line(x, "waits", "B*(P-1)", call, VALUE_WAITS);
    line(x, "notifies to self", form->self, call, VALUE_SELF);
}

static void place(Forms *x, const Loc *loc)
{
    const Source *src = x->p->src;
    if (loc->far) {
        buf_printf(x->out, "%s:%u:%u", loc->far->file, loc->far->line, loc->far->col);
    } else if (src && loc->span.end) {
        LineCol at = source_line_col(src, loc->span.begin);
        buf_printf(x->out, "%s:%u:%u", source_part(src, loc->span.begin)->name, at.line, at.col);
    } else {
        buf_str(x->out, "(no place)");
    }
}

static void numbers(Forms *x, const Type *t, Builtin op, const CostCall *call)
{
    if (x->p->ranks_bound)
        buf_printf(x->out, "  P = %u", x->p->ranks);
    else
        buf_str(x->out, "  P = any");
    if (op != BUILTIN_BARRIER) {
        const Dim *n = bytes_of(x, t);
        buf_printf(x->out, ", N = %s bytes", n ? dim_text(x->p->arena, n) : "too many");
        if (call)
            buf_printf(x->out, ", c = %lld", (long long)cost_chunks(call));
        else
            buf_printf(x->out, ", chunks of %lld bytes",
                       (long long)x->p->platform->collective_chunk);
    }
    buf_char(x->out, '\n');
}

static void one_call(Forms *x, const Expr *op, const Loc *loc)
{
    Builtin form;
    CostCall call;
    if (!builtin_from_call(op_info(op->op)->full, op_mode(op), &form))
        return;
    const Type *t = op->args[comp_target_slot(op->op)]->type;
    bool known = describe(x, op, form, t, &call);
    if (x->found++)
        buf_char(x->out, '\n');
    place(x, loc);
    const BuiltinInfo *info = builtin_info(form);
    buf_printf(x->out, ": %s%s%s in %s\n", info->op, *info->mode ? " mode=" : "", info->mode,
               x->f->name);
    numbers(x, t, form, known ? &call : NULL);
    lines(x, cost_form(form), form, known ? &call : NULL);
}

static void visit(void *env, Stmt *s)
{
    Forms *x = env;
    if ((s->kind == ST_LET || s->kind == ST_EXPR) && s->value->kind == EX_OP &&
        op_is_collective(s->value->op))
        one_call(x, s->value, &s->loc);
}

void cost_forms_print(Program *p, Buf *out)
{
    Forms x = {.p = p, .out = out};
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        x.f = p->funcs.at[i];
        block_walk(&p->funcs.at[i]->body, visit, &x);
    }
    if (x.found == 0)
        buf_str(out, "no builtin collective is called here\n");
}
