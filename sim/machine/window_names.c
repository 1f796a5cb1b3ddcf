/* Which window a parameter is follows from the code alone: a register that names memory is a
 * parameter, or made once from another one. */
#include "sim/machine/window_names.h"

#include <string.h>

#define NOBODY UINT32_MAX

/* The instruction that makes a memory register; NULL: none does, or several. */
static const BcInsn *maker(const BcFunc *f, uint32_t reg)
{
    const BcInsn *found = NULL;
    for (uint32_t i = 0; i < f->n_insns; i++) {
        const BcInsn *in = &f->insns[i];
        if (bc_op_fields((BcOp)in->op)[0] != 'M' || in->a != reg)
            continue;
        if (found)
            return NULL;
        found = in;
    }
    return found;
}

/* The parameter that a memory register of `f` is, or NOBODY. */
static uint32_t param_of(const BcFunc *f, uint32_t reg)
{
    for (int depth = 0; depth < 16; depth++) {
        const BcInsn *in = maker(f, reg);
        if (!in)
            return reg < bc_memory_params(f) ? reg : NOBODY;
        if (in->op != BC_MMOV && in->op != BC_SHAPE && in->op != BC_FLATTEN)
            return NOBODY;
        reg = in->b;
    }
    return NOBODY;
}

static uint32_t argument(const Dispatch *d, uint32_t param)
{
    bool window = param < d->n_mem && d->mem[param].kind == MEM_WINDOW;
    return window ? d->mem[param].object : NOBODY;
}

/* Called with each window parameter of each function that the dispatch runs; true ends it. */
typedef bool ParamFn(void *env, const BcFunc *f, uint32_t param, uint32_t window);

static bool own_params(const BcFunc *f, const Dispatch *d, ParamFn *fn, void *env)
{
    for (uint32_t i = 0; i < bc_memory_params(f); i++)
        if (argument(d, i) != NOBODY && fn(env, f, i, argument(d, i)))
            return true;
    return false;
}

static bool call_params(const World *w, const BcFunc *f, const Dispatch *d, ParamFn *fn, void *env)
{
    for (uint32_t c = 0; c < f->n_calls; c++)
        for (uint32_t i = 0; i < f->calls[c].n_mem; i++) {
            uint32_t from = param_of(f, f->calls[c].mem[i]);
            uint32_t window = from == NOBODY ? NOBODY : argument(d, from);
            if (window != NOBODY && fn(env, &w->program->funcs[f->calls[c].func], i, window))
                return true;
        }
    return false;
}

static bool each_param(const World *w, const Dispatch *d, ParamFn *fn, void *env)
{
    const BcFunc *f = &w->program->funcs[d->func];
    return own_params(f, d, fn, env) || call_params(w, f, d, fn, env);
}

typedef struct {
    const World *w;
    const BcFunc *func; /* whose parameters; NULL: of all */
    const char *name;   /* looked for, or found */
    uint32_t window;    /* the same; NOBODY: none so far */
    bool several;
} Search;

static bool take_name(void *env, const BcFunc *f, uint32_t param, uint32_t window)
{
    Search *s = env;
    if (f != s->func || window != s->window)
        return false;
    s->name = world_string(s->w, f->params[param].name);
    return true;
}

const char *window_param(const World *w, CodePlace at, uint32_t window)
{
    if (at.dispatch >= w->dispatches.len || window >= w->windows.len ||
        at.func >= w->program->n_funcs)
        return NULL;
    Search s = {.w = w, .func = &w->program->funcs[at.func], .window = window};
    bool found = each_param(w, &w->dispatches.at[at.dispatch], take_name, &s);
    return found && strcmp(s.name, w->windows.at[window].name) != 0 ? s.name : NULL;
}

void window_param_text(const World *w, Buf *out, CodePlace at, uint32_t window)
{
    const char *name = window_param(w, at, window);
    if (name)
        buf_printf(out, " (parameter %s)", name);
}

static bool take_window(void *env, const BcFunc *f, uint32_t param, uint32_t window)
{
    Search *s = env;
    if (strcmp(world_string(s->w, f->params[param].name), s->name) != 0)
        return false;
    s->several |= s->window != NOBODY && s->window != window;
    s->window = window;
    return s->several;
}

bool window_find(const World *w, const char *name, int64_t rank, uint32_t *window, bool *several)
{
    Search s = {.w = w, .name = name, .window = NOBODY};
    for (uint32_t i = 0; i < w->windows.len; i++)
        if (strcmp(w->windows.at[i].name, name) == 0) {
            s.several |= s.window != NOBODY;
            s.window = i;
        }
    bool buffer = s.window != NOBODY;
    for (uint32_t i = 0; i < w->dispatches.len && !buffer && !s.several; i++)
        if (rank < 0 || w->dispatches.at[i].rank == rank)
            (void)each_param(w, &w->dispatches.at[i], take_window, &s);
    if (s.window == NOBODY && rank >= 0) /* not there: then which one is not there */
        return window_find(w, name, -1, window, several);
    *window = s.window;
    *several = s.several;
    return s.window != NOBODY && !s.several;
}
