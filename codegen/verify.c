/* The tables of a program: everything but instructions (verify_code.c) and what init and golden
 * functions are for (verify_element.c). This is the one place where the simulator's trust in a file
 * is established. */
#include "codegen/verify.h"
#include "base/source.h"
#include "base/terminal.h"
#include <stdlib.h>
#include <string.h>

/* Terms of a shape expression are few; the bound keeps the check of a hostile file linear. */
enum { MAX_DIM_STEPS = 1024 };
#define MAX_ALIGN ((int64_t)1 << 30)

static const char *func_name(const Verify *v)
{
    return v->f->name < v->p->n_strings ? v->p->strings[v->f->name] : "?";
}

bool bcv_fail(Verify *v, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(v->p->arena, fmt, ap);
    va_end(ap);
    *v->why = v->f ? arena_printf(v->p->arena, "function %s: %s", func_name(v), text) : text;
    return false;
}

static bool check_string(Verify *v, uint32_t s, bool optional, const char *what)
{
    if (s < v->p->n_strings || (optional && s == BC_NO_INDEX))
        return true;
    return bcv_fail(v, "%s: string %u of %u", what, s, v->p->n_strings);
}

/* Texts reach the terminal in messages: no control characters, only UTF-8. */
static bool check_text(Verify *v, uint32_t i)
{
    const char *text = v->p->strings[i];
    size_t len = strlen(text);
    if (utf8_check(text, len) != len)
        return bcv_fail(v, "string %u: not UTF-8", i);
    for (size_t k = 0; k < len;) {
        uint32_t code;
        k += utf8_decode(text + k, len - k, &code);
        if (code_is_control(code))
            return bcv_fail(v, "string %u: control character", i);
    }
    return true;
}

static bool check_program(Verify *v)
{
    const BcProgram *p = v->p;
    for (uint32_t i = 0; i < p->n_strings; i++) {
        if (!check_text(v, i))
            return false;
    }
    if (p->platform >= PLATFORM_COUNT)
        return bcv_fail(v, "platform %u", p->platform);
    if (p->entry >= p->n_funcs || p->funcs[p->entry].kind != BCF_HOST)
        return bcv_fail(v, "the entry is not a host function");
    if (p->ranks && p->ranks != p->compiled_ranks)
        return bcv_fail(v, "it is for %u ranks and was compiled for %u", p->ranks,
                        p->compiled_ranks);
    for (uint32_t i = 0; i < p->n_bindings; i++) {
        if (!check_string(v, p->bindings[i][0], false, "compile-time parameter") ||
            !check_string(v, p->bindings[i][1], false, "compile-time parameter"))
            return false;
    }
    for (uint32_t i = 0; i < p->n_extents; i++) {
        if (!check_string(v, p->extents[i], false, "extent"))
            return false;
    }
    return check_string(v, p->program_name, false, "program name");
}

static bool check_windows(Verify *v)
{
    for (uint32_t i = 0; i < v->p->n_windows; i++) {
        const BcWindow *w = &v->p->windows[i];
        if (w->align < 1 || w->align > MAX_ALIGN || (w->align & (w->align - 1)))
            return bcv_fail(v, "window %u: bad alignment", i);
        if (!check_string(v, w->name, false, "window") || !check_string(v, w->file, true, "window"))
            return false;
    }
    return true;
}

/* A postfix expression: steps in range, operands there, one value left, names bound by the
 * function. */
static bool check_dim(Verify *v, const BcDim *d)
{
    const BcProgram *p = v->p;
    uint32_t depth = 0;
    if (d->n > MAX_DIM_STEPS || d->first > p->n_dim_steps || d->n > p->n_dim_steps - d->first)
        return bcv_fail(v, "shape expression out of range");
    for (uint32_t i = 0; i < d->n; i++) {
        const BcDimStep *s = &p->dim_steps[d->first + i];
        bool leaf = s->op == BCD_CONST || s->op == BCD_NAME;
        if (s->op > BCD_MAX || (!leaf && depth < 2) || (leaf && depth == BC_MAX_DIM_STACK))
            return bcv_fail(v, "malformed shape expression");
        depth = leaf ? depth + 1 : depth - 1;
        if (s->op == BCD_NAME &&
            ((uint64_t)s->value >= p->n_extents || v->seen[s->value] != v->stamp))
            return bcv_fail(v, "a shape names an extent that nothing binds");
    }
    return depth == 1 || bcv_fail(v, "malformed shape expression");
}

static bool check_param(Verify *v, const BcParam *m, bool scalars_begun)
{
    bool scalar = m->kind == BCP_SCALAR;
    if (m->kind > BCP_SCALAR || m->dir > 2 || m->dtype >= DT_COUNT || (scalars_begun && !scalar))
        return bcv_fail(v, "malformed parameter");
    if (scalar ? m->rank != 0 : m->rank < 1 || m->rank > BC_MAX_RANK)
        return bcv_fail(v, "parameter of rank %u", m->rank);
    if (m->signal && (m->kind != BCP_WINDOW || m->dtype != DT_INT32))
        return bcv_fail(v, "a signal that is no INT32 window");
    for (uint32_t i = 0; i < m->rank; i++) {
        if (!check_dim(v, &m->dims[i]))
            return false;
    }
    return check_string(v, m->name, false, "parameter");
}

static bool check_params(Verify *v)
{
    const BcFunc *f = v->f;
    uint32_t mems = 0, scalars = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const BcParam *m = &f->params[i];
        if (!check_param(v, m, scalars > 0))
            return false;
        if (m->kind == BCP_SCALAR) {
            scalars++;
            continue;
        }
        if (f->kind == BCF_HOST && m->kind == BCP_WINDOW)
            return bcv_fail(v, "a host function with a window parameter");
        if (mems >= f->n_mregs || f->mregs[mems].kind != m->kind ||
            f->mregs[mems].dtype != m->dtype || f->mregs[mems].rank != m->rank)
            return bcv_fail(v, "memory register m%u does not fit its parameter", mems);
        mems++;
    }
    if ((uint64_t)f->n_binds + scalars > f->n_regs)
        return bcv_fail(v, "too few registers for the parameters");
    return true;
}

static bool check_binds(Verify *v)
{
    const BcFunc *f = v->f;
    for (uint32_t i = 0; i < f->n_binds; i++) {
        const BcBind *b = &f->binds[i];
        if (b->extent >= v->p->n_extents)
            return bcv_fail(v, "binding of extent %u", b->extent);
        v->seen[b->extent] = v->stamp;
        bool by_name = f->kind == BCF_HOST || f->kind == BCF_ELEMENT;
        if (b->param == BC_NO_INDEX && by_name)
            continue;
        if (b->param >= f->n_params || b->axis >= f->params[b->param].rank)
            return bcv_fail(v, "binding to parameter %u", b->param);
        if (b->mul < 1)
            return bcv_fail(v, "binding with a factor out of range");
    }
    return true;
}

static bool check_mregs(Verify *v)
{
    for (uint32_t i = 0; i < v->f->n_mregs; i++) {
        const BcMreg *m = &v->f->mregs[i];
        bool buffer = m->kind == BCM_BUFFER;
        if (m->kind > BCM_BUFFER || m->dtype >= DT_COUNT || m->rank > BC_MAX_RANK ||
            (buffer ? m->rank || m->dtype : m->rank < 1))
            return bcv_fail(v, "malformed memory register m%u", i);
    }
    return true;
}

static bool check_tiles(Verify *v)
{
    const BcFunc *f = v->f;
    int64_t align = platforms[v->p->platform].row_align;
    if (f->n_tiles > BC_MAX_REGS || (f->n_tiles && f->kind != BCF_INCORE))
        return bcv_fail(v, "%u tiles", f->n_tiles);
    for (MemSpace m = MEM_VEC; m < MEM_KINDS; m++)
        if (f->core_bytes[m] < 0 || f->core_bytes[m] > BC_MAX_CORE_BYTES)
            return bcv_fail(v, "on-core memory out of range");
    for (uint32_t i = 0; i < f->n_tiles; i++) {
        const BcTile *t = &f->tiles[i];
        int64_t bytes = bc_tile_layout(t, align).bytes;
        if (!bytes || bytes != t->bytes)
            return bcv_fail(v, "malformed tile t%u", i);
        if (t->addr < 0 || t->addr % align || t->addr > f->core_bytes[t->memory] - bytes)
            return bcv_fail(v, "tile t%u is outside its function's memory", i);
        if (!check_string(v, t->name, true, "tile"))
            return false;
    }
    return true;
}

static bool check_call_scalars(Verify *v, const BcCall *c)
{
    for (uint32_t i = 0; i < c->n_scalars; i++) {
        if (c->scalars[i] >= v->f->n_regs)
            return bcv_fail(v, "call with register r%u", c->scalars[i]);
    }
    if (c->n_results != v->n_results[c->func])
        return bcv_fail(v, "call that takes %u results of %u", c->n_results, v->n_results[c->func]);
    if (c->n_results && (uint32_t)c->results + c->n_results > v->f->n_regs)
        return bcv_fail(v, "call with results out of range");
    return true;
}

/* Levels go down only, so calls cannot be cyclic. */
static bool check_call(Verify *v, const BcCall *c)
{
    const BcFunc *f = v->f;
    if (c->func >= v->p->n_funcs || v->p->funcs[c->func].kind <= f->kind)
        return bcv_fail(v, "call of a function of the wrong level");
    const BcFunc *callee = &v->p->funcs[c->func];
    uint32_t mems = 0;
    while (mems < callee->n_params && callee->params[mems].kind != BCP_SCALAR)
        mems++;
    if (c->n_mem != mems || c->n_scalars != callee->n_params - mems)
        return bcv_fail(v, "call with the wrong number of arguments");
    for (uint32_t i = 0; i < mems; i++) {
        const BcParam *m = &callee->params[i];
        if (c->mem[i] >= f->n_mregs || f->mregs[c->mem[i]].kind != m->kind ||
            f->mregs[c->mem[i]].dtype != m->dtype || f->mregs[c->mem[i]].rank != m->rank)
            return bcv_fail(v, "call with an argument of the wrong type");
    }
    return check_call_scalars(v, c);
}

static bool check_xfer(Verify *v, const BcXfer *x)
{
    const BcFunc *f = v->f;
    if (x->rank < 1 || x->rank > BC_MAX_RANK || (uint32_t)x->run + 3u * x->rank > f->n_regs)
        return bcv_fail(v, "transfer with registers out of range");
    if (!enum_value_name(ENUM_AtomicType, x->atomic) || x->n_stages != (x->pipeline ? 2 : 1))
        return bcv_fail(v, "malformed transfer");
    for (uint32_t i = 0; i < x->n_stages; i++) {
        if (x->stages[i] >= f->n_tiles)
            return bcv_fail(v, "transfer with tile t%u", x->stages[i]);
        /* Chunks are cut to the first tile, and pass through each of them. */
        if (!bcv_same_tile(&f->tiles[x->stages[i]], &f->tiles[x->stages[0]]))
            return bcv_fail(v, "transfer with staging tiles of different types");
    }
    return true;
}

static bool check_locs(Verify *v)
{
    const BcFunc *f = v->f;
    for (uint32_t i = 0; i < f->n_locs; i++) {
        const BcLoc *l = &f->locs[i];
        if (l->pc >= f->n_insns || (i && l->pc <= l[-1].pc))
            return bcv_fail(v, "source map out of order");
        if (!check_string(v, l->file, true, "source map"))
            return false;
    }
    return true;
}

/* Regions in order; only kernels hold expanded builtins. */
static bool check_sites(Verify *v)
{
    const BcFunc *f = v->f;
    if (f->n_sites && f->kind != BCF_INCORE)
        return bcv_fail(v, "builtin calls at the wrong level");
    for (uint32_t i = 0; i < f->n_sites; i++) {
        if (f->sites[i] >= BUILTIN_COUNT)
            return bcv_fail(v, "builtin %u", f->sites[i]);
    }
    for (uint32_t i = 0; i < f->n_regions; i++) {
        const BcRegion *r = &f->regions[i];
        bool none = r->site == BC_NO_INDEX;
        if (r->pc >= f->n_insns || (i && r->pc <= r[-1].pc))
            return bcv_fail(v, "code of builtin calls out of order");
        if ((!none && r->site >= f->n_sites) || r->phase >= PHASE_COUNT || (none && r->phase))
            return bcv_fail(v, "code of no builtin call");
    }
    return true;
}

static bool check_func(Verify *v)
{
    const BcFunc *f = v->f;
    v->stamp++;
    if (!check_binds(v) || !check_params(v) || !check_mregs(v) || !check_tiles(v))
        return false;
    for (uint32_t i = 0; i < f->n_calls; i++) {
        if (!check_call(v, &f->calls[i]))
            return false;
    }
    for (uint32_t i = 0; i < f->n_xfers; i++) {
        if (!check_xfer(v, &f->xfers[i]))
            return false;
    }
    return check_sites(v) && check_locs(v) && bcv_code(v);
}

/* All returns of a function return the same number of scalars. */
static bool check_results(Verify *v, uint32_t *n_results)
{
    const BcFunc *f = v->f;
    bool found = false;
    for (uint32_t i = 0; i < f->n_insns; i++) {
        if (f->insns[i].op != BC_RET)
            continue;
        if (found && f->insns[i].b != *n_results)
            return bcv_fail(v, "returns differ in their number of results");
        *n_results = f->insns[i].b;
        found = true;
    }
    return true;
}

static bool check_funcs(Verify *v)
{
    const BcProgram *p = v->p;
    for (uint32_t i = 0; i < p->n_funcs; i++) {
        v->f = &p->funcs[i];
        if (!check_string(v, v->f->name, false, "function") || !check_results(v, &v->n_results[i]))
            return false;
        if (v->f->kind > BCF_INCORE)
            return bcv_fail(v, "malformed function");
    }
    for (uint32_t i = 0; i < p->n_funcs; i++) {
        v->f = &p->funcs[i];
        if (!check_func(v))
            return false;
    }
    v->f = NULL;
    return true;
}

static bool check_element(Verify *v, const BcElementFunc *u)
{
    uint32_t n_results = 0;
    v->f = &u->func;
    bool ok = check_string(v, v->f->name, false, "function") && check_results(v, &n_results) &&
              bcv_element(v, u) && check_func(v);
    if (ok && n_results != 1)
        ok = bcv_fail(v, "returns no number");
    v->f = NULL;
    return ok;
}

static bool check_all(Verify *v)
{
    if (!check_program(v) || !check_windows(v) || !check_funcs(v))
        return false;
    for (uint32_t i = 0; i < v->p->n_element_funcs; i++) {
        if (!check_element(v, &v->p->element_funcs[i]))
            return false;
    }
    return true;
}

bool bc_verify(const BcProgram *p, const char **why)
{
    Verify v = {.p = p, .why = why};
    v.n_results = xcalloc(p->n_funcs + (size_t)1, sizeof *v.n_results);
    v.seen = xcalloc(p->n_extents + (size_t)1, sizeof *v.seen);
    bool ok = check_all(&v);
    xfree(v.n_results);
    xfree(v.seen);
    return ok;
}
