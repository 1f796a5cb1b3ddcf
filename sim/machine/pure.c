/* Trees of init and golden functions are walked as they are: their depth is bounded by the
 * verifier. Every node counts as a step, so that no loop runs for ever. */
#include "sim/machine/pure.h"
#include "sim/machine/pure_ops.h"
#include "sim/machine/random.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

Value pure_fail(PureMachine *m, const char *fmt, ...)
{
    if (!m->error) {
        va_list ap;
        va_start(ap, fmt);
        m->error = arena_vprintf(m->arena, fmt, ap);
        va_end(ap);
    }
    return (Value){0};
}

static Value eval(PureMachine *m, uint32_t node);

static const char *tensor_name(const PureMachine *m, uint32_t param)
{
    return param < m->env->n_tensors ? m->env->tensors[param].name : "?";
}

static Value element(PureMachine *m, const BcPureNode *n)
{
    int64_t index[BC_MAX_RANK];
    if (n->slot >= m->env->n_tensors || !m->env->tensors[n->slot].initial)
        return pure_fail(m, "%s has no value yet", tensor_name(m, n->slot));
    const HostTensor *t = &m->env->tensors[n->slot];
    for (uint32_t i = 0; i < n->n; i++) {
        Value v = eval(m, m->pure->kids[n->a + i]);
        if (v.tag == VAL_NONE)
            return v;
        if (v.tag == VAL_FLOAT)
            return pure_fail(m, "index %u of %s is a float", i, t->name);
        int64_t from_end = v.i < 0 ? v.i + t->shape[i] : v.i;
        if (from_end < 0 || from_end >= t->shape[i])
            return pure_fail(m, "index %lld of dimension %u is outside %s, which has %lld there",
                             (long long)v.i, i, t->name, (long long)t->shape[i]);
        index[i] = from_end;
    }
    const char *at = t->initial + tensor_offset(t, index);
    if (dtype_is_float(t->dtype))
        return value_float(dtype_load_double(t->dtype, at));
    return value_int(dtype_load_int(t->dtype, at));
}

static Value scalar(PureMachine *m, const BcPureNode *n)
{
    PureValue v = m->env->scalars[n->slot];
    return v.is_float ? value_float(v.f) : value_int(v.i);
}

static Value slot(PureMachine *m, const BcPureNode *n)
{
    Value v = m->slots[n->slot];
    return v.tag == VAL_NONE ? pure_fail(m, "a variable is used that was not set on this path") : v;
}

static Value random_value(PureMachine *m, const BcPureNode *n)
{
    Value seed = eval(m, n->a);
    if (seed.tag == VAL_NONE)
        return seed;
    if (seed.tag == VAL_FLOAT)
        return pure_fail(m, "the seed of %s is a float",
                         n->kind == PURE_RANDN ? "randn" : "uniform");
    uint64_t key = (uint64_t)seed.i + m->env->seed;
    return value_float(n->kind == PURE_RANDN ? random_normal(key, m->position)
                                             : random_uniform(key, m->position));
}

/* ---- sum, prod, min, max, all, any ---- */

typedef struct {
    const BcPureNode *node; /* of the aggregate */
    const uint32_t *kids;   /* element, then the loops, outermost first */
    Value value;            /* so far; NONE: none yet (min, max) */
    bool done;              /* all and any: decided */
} Aggregate;

/* Takes in one element; the two common sums first. */
static void accumulate(PureMachine *m, Aggregate *g, Value v)
{
    switch (g->node->kind) {
    case PURE_SUM:
        if (v.tag == VAL_FLOAT && g->value.tag == VAL_FLOAT)
            g->value.f += v.f;
        else
            g->value = pure_binary(m, PURE_ADD, g->value, v);
        break;
    case PURE_PROD: g->value = pure_binary(m, PURE_MUL, g->value, v); break;
    case PURE_MIN:
    case PURE_MAX:
        if (g->value.tag == VAL_NONE)
            g->value = v;
        else
            g->value =
                pure_binary(m, g->node->kind == PURE_MIN ? PURE_MIN2 : PURE_MAX2, g->value, v);
        break;
    default:
        g->done = value_true(v) == (g->node->kind == PURE_ANY);
        g->value = value_int(value_true(v));
        break;
    }
}

static bool range_value(PureMachine *m, uint32_t node, int64_t *out)
{
    Value v = eval(m, node);
    if (v.tag == VAL_FLOAT)
        pure_fail(m, "range of a float");
    *out = v.tag == VAL_INT ? v.i : 0;
    return v.tag == VAL_INT;
}

/* Numbers in range(start, stop, step). */
static uint64_t range_count(int64_t start, int64_t stop, int64_t step)
{
    if (step > 0 ? start >= stop : start <= stop)
        return 0;
    uint64_t distance =
        step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t size = step > 0 ? (uint64_t)step : -(uint64_t)step;
    return (distance - 1) / size + 1;
}

static void run_loop(PureMachine *m, Aggregate *g, uint32_t depth)
{
    const BcPureNode *loop = &m->nodes[g->kids[depth]];
    int64_t start, stop, step;
    if (!range_value(m, loop->a, &start) || !range_value(m, loop->b, &stop) ||
        !range_value(m, loop->c, &step))
        return;
    if (step == 0) {
        pure_fail(m, "range with step 0");
        return;
    }
    uint64_t count = range_count(start, stop, step);
    for (uint64_t i = 0; i < count && !g->done && !m->error; i++) {
        m->slots[loop->slot] = value_int((int64_t)((uint64_t)start + i * (uint64_t)step));
        if (depth + 1 < g->node->n) {
            m->steps--;
            run_loop(m, g, depth + 1);
            continue;
        }
        Value v = eval(m, g->kids[0]);
        if (!m->error)
            accumulate(m, g, v);
    }
}

static Value aggregate(PureMachine *m, const BcPureNode *n)
{
    Aggregate g = {.node = n, .kids = m->pure->kids + n->a};
    if (n->kind == PURE_SUM || n->kind == PURE_ANY)
        g.value = value_int(0);
    else if (n->kind == PURE_PROD || n->kind == PURE_ALL)
        g.value = value_int(1);
    run_loop(m, &g, 1);
    if (m->error)
        return (Value){0};
    if (g.value.tag == VAL_NONE)
        return pure_fail(m, "%s of nothing", n->kind == PURE_MIN ? "min" : "max");
    return g.value;
}

/* ---- expressions ---- */

static Value binary(PureMachine *m, const BcPureNode *n)
{
    Value a = eval(m, n->a), b = eval(m, n->b);
    if (a.tag && b.tag && (n->kind == PURE_ADD || n->kind == PURE_MUL)) {
        Value v = n->kind == PURE_ADD ? py_add(a, b) : py_mul(a, b);
        if (v.tag)
            return v;
    }
    return pure_binary(m, (PureKind)n->kind, a, b);
}

static Value logic(PureMachine *m, const BcPureNode *n)
{
    Value a = eval(m, n->a);
    if (m->error || value_true(a) == (n->kind == PURE_OR))
        return a;
    return eval(m, n->b);
}

static Value conditional(PureMachine *m, const BcPureNode *n)
{
    Value c = eval(m, n->a);
    if (m->error)
        return c;
    return eval(m, value_true(c) ? n->b : n->c);
}

static Value eval(PureMachine *m, uint32_t node)
{
    const BcPureNode *n = &m->nodes[node];
    if (--m->steps < 0)
        return pure_fail(m, "it takes more than %lld steps", (long long)PURE_MAX_STEPS);
    switch ((PureKind)n->kind) {
    case PURE_INT: return value_int(n->ival);
    case PURE_FLOAT: return value_float(n->fval);
    case PURE_SLOT: return slot(m, n);
    case PURE_EXTENT: return value_int(m->env->extents[n->slot]);
    case PURE_SHAPE: return value_int(m->env->tensors[n->slot].shape[n->ival]);
    case PURE_ELEMENT: return element(m, n);
    case PURE_SCALAR: return scalar(m, n);
    case PURE_AND:
    case PURE_OR: return logic(m, n);
    case PURE_COND: return conditional(m, n);
    case PURE_RANDN:
    case PURE_UNIFORM: return random_value(m, n);
    case PURE_NOT:
    case PURE_NEG:
    case PURE_INVERT:
    case PURE_ABS:
    case PURE_EXP:
    case PURE_LOG:
    case PURE_SQRT:
    case PURE_SIN:
    case PURE_COS:
    case PURE_TO_FLOAT:
    case PURE_TO_INT: return pure_unary(m, (PureKind)n->kind, eval(m, n->a));
    case PURE_SUM:
    case PURE_PROD:
    case PURE_MIN:
    case PURE_MAX:
    case PURE_ALL:
    case PURE_ANY: return aggregate(m, n);
    default: return binary(m, n);
    }
}

/* ---- statements ---- */

/* Runs a block; true when it has returned (or failed), with the value in *out. */
static bool run_block(PureMachine *m, uint32_t block, Value *out)
{
    const BcPureNode *b = &m->nodes[block];
    for (uint32_t i = 0; i < b->n; i++) {
        const BcPureNode *s = &m->nodes[m->pure->kids[b->a + i]];
        Value v = eval(m, s->a);
        if (m->error)
            return true;
        if (s->kind == PURE_RETURN) {
            *out = v;
            return true;
        }
        if (s->kind == PURE_SET)
            m->slots[s->slot] = v;
        else if (run_block(m, value_true(v) ? s->b : s->c, out))
            return true;
    }
    return false;
}

/* ---- machines ---- */

PureMachine *pure_new(Arena *arena, const PureEnv *env, const BcPure *pure)
{
    PureMachine *m = arena_new(arena, PureMachine);
    m->arena = arena;
    m->env = env;
    m->pure = pure;
    m->nodes = pure->nodes;
    m->slots = arena_new_n(arena, Value, pure->n_slots + (size_t)1);
    m->total = PURE_MAX_TOTAL_STEPS;
    return m;
}

/* The failure with its place. */
static const char *located(PureMachine *m, const char *error)
{
    const BcProgram *p = m->env->program;
    const BcParam *param = &p->funcs[p->entry].params[m->pure->param];
    Buf text = {0};
    buf_printf(&text, "%s %s", m->pure->golden ? "golden" : "init", p->strings[param->name]);
    if (m->pure->line)
        buf_printf(&text, " (line %u)", m->pure->line);
    buf_printf(&text, ": %s", error);
    if (m->pure->n_index) {
        buf_str(&text, " at ");
        tensor_index_text(&text, m->pure->n_index, m->index);
    }
    const char *out = arena_strndup(m->arena, text.at, text.len);
    buf_free(&text);
    return out;
}

/* The number of the element, by the shape of the tensor that the function is for. */
static uint64_t position_of(const PureMachine *m)
{
    if (!m->pure->n_index || m->pure->param >= m->env->n_tensors)
        return 0;
    const HostTensor *t = &m->env->tensors[m->pure->param];
    return (uint64_t)tensor_offset(t, m->index) / dtype_bytes(t->dtype);
}

bool pure_at(PureMachine *m, const int64_t *index, PureValue *out, const char **why)
{
    const BcPure *u = m->pure;
    Value v = {0};
    int64_t allowed = m->total < PURE_MAX_STEPS ? m->total : PURE_MAX_STEPS;
    m->index = index;
    m->error = NULL;
    m->position = position_of(m);
    m->steps = allowed - (int64_t)(u->n_slots / 8);
    memset(m->slots, 0, u->n_slots * sizeof *m->slots);
    for (uint32_t i = 0; i < u->n_index; i++)
        m->slots[i] = value_int(index[i]);
    if (!run_block(m, u->root, &v))
        pure_fail(m, "it ends without return");
    m->total -= allowed - m->steps;
    if (m->error) {
        *why = located(m, m->error);
        return false;
    }
    *out = value_out(v);
    return true;
}

/* Whether an integer dtype holds the value; *out is it as an integer. */
static bool fits(Dtype t, PureValue v, int64_t *out)
{
    *out = v.i;
    if (v.is_float) {
        if (!(v.f >= -0x1p63 && v.f < 0x1p63) || v.f != floor(v.f))
            return false;
        *out = (int64_t)v.f;
    }
    return *out >= dtype_min(t) && *out <= dtype_max(t);
}

static bool store(PureMachine *m, const HostTensor *t, char *at, PureValue v)
{
    int64_t whole;
    if (dtype_is_float(t->dtype)) {
        if (v.is_float)
            dtype_store_double(t->dtype, at, v.f);
        else
            dtype_store_int(t->dtype, at, v.i);
        return true;
    }
    if (fits(t->dtype, v, &whole)) {
        dtype_store_int(t->dtype, at, whole);
        return true;
    }
    if (v.is_float)
        pure_fail(m, "%.17g is no value of %s", v.f, dtype_name(t->dtype));
    else
        pure_fail(m, "%lld is no value of %s", (long long)v.i, dtype_name(t->dtype));
    return false;
}

bool pure_fill(PureMachine *m, HostTensor *t, const char **why)
{
    int64_t index[BC_MAX_RANK] = {0};
    uint32_t bytes = dtype_bytes(t->dtype);
    for (int64_t i = 0; i < t->elements; i++) {
        PureValue v;
        if (!pure_at(m, index, &v, why))
            return false;
        if (!store(m, t, t->data + i * bytes, v)) {
            *why = located(m, m->error);
            return false;
        }
        tensor_next(t, index);
    }
    return true;
}
