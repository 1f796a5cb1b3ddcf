/* The instructions of init and golden functions. What goes back counts the instructions of the loop
 * as steps, so that no loop runs for ever; what goes forward is bounded by the size of the code. */
#include "sim/machine/evaluate.h"
#include "sim/machine/evaluate_ops.h"
#include "sim/machine/random.h"
#include <math.h>
#include <string.h>

/* ---- instructions ---- */

static const char *find_element(Evaluator *m, const HostTensor *t, int64_t offset)
{
    const EvaluateEnv *env = m->env;
    const char *why, *at = tensor_at(t, t->initial, offset);
    if (!at)
        at = env->look(env->look_env, (uint32_t)(t - env->tensors), offset, &why);
    if (!at)
        evaluate_fail(m, "%s", why);
    return at;
}

static Number read_element(Evaluator *m, const BcInsn *in)
{
    const HostTensor *t = m->memory[in->b];
    const Number *at = m->regs + in->c;
    int64_t index[BC_MAX_RANK];
    if (!t->initial && !t->partial)
        return evaluate_fail(m, "%s has no value yet", t->name);
    for (uint32_t i = 0; i < in->d; i++) {
        if (at[i].tag != NUM_INT)
            return evaluate_fail(m, "index %u of %s is %s", i, t->name,
                                 at[i].tag == NUM_FLOAT ? "a float" : "not set on this path");
        int64_t from_end = at[i].i < 0 ? at[i].i + t->shape[i] : at[i].i;
        if (from_end < 0 || from_end >= t->shape[i])
            return evaluate_fail(m,
                                 "index %lld of dimension %u is outside %s, which has %lld there",
                                 (long long)at[i].i, i, t->name, (long long)t->shape[i]);
        index[i] = from_end;
    }
    const char *from = find_element(m, t, tensor_offset(t, index));
    if (!from)
        return (Number){0};
    if (dtype_is_float(t->dtype))
        return num_float(dtype_load_double(t->dtype, from));
    return num_int(dtype_load_int(t->dtype, from));
}

static Number random_number(Evaluator *m, bool normal, Number seed)
{
    if (seed.tag != NUM_INT)
        return evaluate_fail(m, "the seed of %s is %s", normal ? "randn" : "uniform",
                             seed.tag == NUM_FLOAT ? "a float" : "not set on this path");
    uint64_t key = (uint64_t)seed.i + m->env->seed;
    return num_float(normal ? random_normal(key, m->position) : random_uniform(key, m->position));
}

/* Sums and products, which most functions are made of, in line. */
static inline Number binary(Evaluator *m, ScalarOp op, Number a, Number b)
{
    if (a.tag && b.tag && (op == SC_ADD || op == SC_MUL)) {
        Number out = op == SC_ADD ? py_add(a, b) : py_mul(a, b);
        if (out.tag)
            return out;
    }
    return evaluate_binary(m, op, a, b);
}

/* Is the counter before the end? */
static inline bool is_before(int64_t at, int64_t end, int64_t step)
{
    return step > 0 ? at < end : at > end;
}

/* Does the loop of FORPREP run at all? false with an error: a bound that is no integer. */
static bool enters(Evaluator *m, const Number *r, const BcInsn *in)
{
    Number at = r[in->a], end = r[in->b], step = r[in->c];
    if (at.tag != NUM_INT || end.tag != NUM_INT || step.tag != NUM_INT)
        evaluate_fail(m, "range of a float");
    else if (step.i == 0)
        evaluate_fail(m, "range with step 0");
    else
        return is_before(at.i, end.i, step.i);
    return false;
}

static bool goes_on(Number *r, const BcInsn *in)
{
    int64_t next;
    if (r[in->a].tag != NUM_INT || !checked_add(r[in->a].i, r[in->c].i, &next))
        return false;
    r[in->a].i = next;
    return is_before(next, r[in->b].i, r[in->c].i);
}

/* The number of the instruction that RET is, or where it failed. */
static uint32_t run(Evaluator *m)
{
    const BcInsn *insns = m->of->func.insns, *in;
    const BcProgram *p = m->env->program;
    Number *r = m->regs;
    uint32_t pc = 0;
    bool back;
    for (;; pc++) {
        in = &insns[pc];
        back = false;
        switch (in->op) {
        case BC_MOV: r[in->a] = r[in->b]; continue;
        case BC_LDI: r[in->a] = num_int(in->imm); continue;
        case BC_LDK: r[in->a] = num_int(p->consts[in->imm]); continue;
        case BC_LDF:
            r[in->a].tag = NUM_FLOAT;
            memcpy(&r[in->a].f, &p->consts[in->imm], sizeof r->f);
            continue;
        case BC_PBIN: r[in->a] = binary(m, (ScalarOp)in->imm, r[in->b], r[in->c]); break;
        case BC_PUN: r[in->a] = evaluate_unary(m, (ScalarOp)in->imm, r[in->b]); break;
        case BC_READ: r[in->a] = read_element(m, in); break;
        case BC_RANDN:
        case BC_UNIFORM: r[in->a] = random_number(m, in->op == BC_RANDN, r[in->b]); break;
        case BC_JMP: pc = (uint32_t)in->imm - 1; continue;
        case BC_JZ: pc = num_truth(r[in->a]) ? pc : (uint32_t)in->imm - 1; continue;
        case BC_JNZ: pc = num_truth(r[in->a]) ? (uint32_t)in->imm - 1 : pc; continue;
        case BC_FORPREP:
            if (enters(m, r, in))
                continue;
            if (m->error)
                return pc;
            pc = (uint32_t)in->imm - 1;
            continue;
        case BC_FORLOOP: back = goes_on(r, in); break;
        case BC_LOOP: back = num_truth(r[in->a]); break;
        case BC_CHECK:
            if (num_truth(r[in->a]))
                continue;
            evaluate_fail(m, "%s", p->strings[in->imm]);
            return pc;
        case BC_RET: return pc;
        default: continue; /* NOP */
        }
        if (back) {
            m->steps -= pc - (uint32_t)in->imm + 1;
            if (m->steps < 0)
                evaluate_fail(m, "it takes more than %lld steps", (long long)EVALUATE_MAX_STEPS);
            pc = (uint32_t)in->imm - 1;
        }
        if (m->error)
            return pc;
    }
}

/* ---- evaluators ---- */

uint32_t evaluate_host_param(const BcProgram *p, const BcElementFunc *of, uint32_t param)
{
    const BcFunc *host = &p->funcs[p->entry];
    uint32_t i = 0;
    while (i < host->n_params && host->params[i].name != of->func.params[param].name)
        i++;
    return i;
}

/* Extents, then scalars of the host function, then the index; tensors in their own registers. */
static void bind(Evaluator *m)
{
    const BcFunc *f = &m->of->func;
    uint32_t reg = 0, mem = 0;
    for (uint32_t i = 0; i < f->n_binds; i++)
        m->start[reg++] = num_int(m->env->extents[f->binds[i].extent]);
    for (uint32_t i = 0; i < f->n_params - m->of->n_index; i++) {
        uint32_t param = evaluate_host_param(m->env->program, m->of, i);
        if (f->params[i].kind == BCP_SCALAR)
            m->start[reg++] = m->env->scalars[param];
        else
            m->memory[mem++] = &m->env->tensors[param];
    }
    m->at = m->regs + reg;
}

Evaluator *evaluator_new(Arena *arena, const EvaluateEnv *env, const BcElementFunc *of)
{
    Evaluator *m = arena_new(arena, Evaluator);
    m->arena = arena;
    m->env = env;
    m->of = of;
    m->start = arena_new_n(arena, Number, of->func.n_regs + (size_t)1);
    m->regs = arena_new_n(arena, Number, of->func.n_regs + (size_t)1);
    m->memory = arena_new_n(arena, const HostTensor *, of->func.n_mregs + (size_t)1);
    m->total = EVALUATE_MAX_TOTAL_STEPS;
    bind(m);
    return m;
}

/* The failure with its place. */
static const char *located(Evaluator *m)
{
    const BcProgram *p = m->env->program;
    const BcLoc *loc = bc_loc(&m->of->func, m->pc);
    Buf text = {0};
    buf_printf(&text, "%s %s", m->of->golden ? "golden" : "init", p->strings[m->of->func.name]);
    if (loc && loc->line)
        buf_printf(&text, " (%s:%u:%u)", p->strings[loc->file], loc->line, loc->col);
    buf_printf(&text, ": %s", m->error);
    if (m->of->n_index) {
        buf_str(&text, " at ");
        tensor_index_text(&text, m->of->n_index, m->index);
    }
    const char *out = arena_strndup(m->arena, text.at, text.len);
    buf_free(&text);
    return out;
}

/* The number of the element, by the shape of the tensor that the function is for. */
static uint64_t position_of(const Evaluator *m)
{
    if (!m->of->n_index || m->of->param >= m->env->n_tensors)
        return 0;
    const HostTensor *t = &m->env->tensors[m->of->param];
    return (uint64_t)tensor_offset(t, m->index) / dtype_bytes(t->dtype);
}

bool evaluate_at(Evaluator *m, const int64_t *index, Number *out, const char **why)
{
    const BcFunc *f = &m->of->func;
    int64_t allowed = m->total < EVALUATE_MAX_STEPS ? m->total : EVALUATE_MAX_STEPS;
    m->index = index;
    m->error = NULL;
    m->position = position_of(m);
    m->steps = allowed - (int64_t)(f->n_regs / 8) - (int64_t)f->n_insns;
    memcpy(m->regs, m->start, f->n_regs * sizeof *m->regs);
    for (uint32_t i = 0; i < m->of->n_index; i++)
        m->at[i] = num_int(index[i]);
    m->pc = run(m);
    m->total -= allowed - m->steps;
    if (!m->error) {
        *out = m->regs[f->insns[m->pc].a];
        if (out->tag == NUM_NONE)
            evaluate_fail(m, "a variable is used that was not set on this path");
    }
    if (m->error)
        *why = located(m);
    return !m->error;
}

/* Whether an integer dtype holds the value; *out is it as an integer. */
static bool fits(Dtype t, Number v, int64_t *out)
{
    *out = v.i;
    if (v.tag == NUM_FLOAT) {
        if (!(v.f >= -0x1p63 && v.f < 0x1p63) || v.f != floor(v.f))
            return false;
        *out = (int64_t)v.f;
    }
    return *out >= dtype_min(t) && *out <= dtype_max(t);
}

static bool store(Evaluator *m, const HostTensor *t, char *at, Number v)
{
    int64_t whole;
    if (dtype_is_float(t->dtype)) {
        if (v.tag == NUM_FLOAT)
            dtype_store_double(t->dtype, at, v.f);
        else
            dtype_store_int(t->dtype, at, v.i);
        return true;
    }
    if (fits(t->dtype, v, &whole)) {
        dtype_store_int(t->dtype, at, whole);
        return true;
    }
    if (v.tag == NUM_FLOAT)
        evaluate_fail(m, "%.17g is no value of %s", v.f, dtype_name(t->dtype));
    else
        evaluate_fail(m, "%lld is no value of %s", (long long)v.i, dtype_name(t->dtype));
    return false;
}

/* Why the caller wants an end; asked every so many elements. */
static const char *stopped(const Evaluator *m, int64_t element)
{
    if (element % 4096 || !m->env->stop)
        return NULL;
    return m->env->stop(m->env->stop_env);
}

void evaluator_renew(Evaluator *m)
{
    m->total = EVALUATE_MAX_TOTAL_STEPS;
}

bool evaluate_fill(Evaluator *m, const HostTensor *t, TensorSpan part, char *to, const char **why)
{
    int64_t index[BC_MAX_RANK] = {0};
    uint32_t bytes = dtype_bytes(t->dtype);
    int64_t first = part.offset / bytes, count = part.bytes / bytes;
    if (count > 0)
        tensor_unravel(t, first, index);
    for (int64_t i = first; i < first + count; i++, to += bytes) {
        Number v;
        const char *stop = stopped(m, i);
        if (stop) {
            *why = stop;
            return false;
        }
        if (!evaluate_at(m, index, &v, why))
            return false;
        if (!store(m, t, to, v)) {
            *why = located(m);
            return false;
        }
        tensor_next(t, index);
    }
    return true;
}
