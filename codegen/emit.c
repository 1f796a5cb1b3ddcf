/* Program-level code generation: tables that functions share, and the order of the functions.
 * Callees come first, because a parameter is a signal when a callee uses it as one. */
#include "codegen/emit.h"
#include "base/source.h"
#include "base/terminal.h"
#include "codegen/emitter.h"
#include <string.h>

_Static_assert(MAX_RANK == BC_MAX_RANK, "ranks of IR and bytecode");

/* Texts of a file are UTF-8 without control characters: file names may hold anything. */
static const char *clean_text(Emit *em, const char *text)
{
    size_t len = strlen(text);
    char *copy = arena_strndup(em->arena, text, len);
    for (size_t i = 0; i < len;) {
        uint32_t code, n = utf8_decode(copy + i, len - i, &code);
        if (code_is_control(code) || (code == 0xfffd && n == 1))
            memset(copy + i, '?', n);
        i += n;
    }
    return copy;
}

uint32_t emit_string(Emit *em, const char *text)
{
    Sym key = intern(em->p->in, clean_text(em, text));
    uint64_t index;
    if (map_get_ptr(&em->string_index, key, &index))
        return (uint32_t)index;
    index = em->strings.len;
    map_set_ptr(&em->string_index, key, index);
    vec_push(&em->strings, arena_strndup(em->arena, key, strlen(key)));
    return (uint32_t)index;
}

uint32_t emit_const(Emit *em, int64_t value)
{
    uint64_t index;
    if (map_get(&em->const_index, (uint64_t)value, &index))
        return (uint32_t)index;
    index = em->consts.len;
    map_set(&em->const_index, (uint64_t)value, index);
    vec_push(&em->consts, value);
    return (uint32_t)index;
}

/* A shape expression on its way into postfix form. */
typedef struct {
    FuncEmit *fe;
    uint32_t depth, max_depth;
} DimCode;

static void push_step(DimCode *dc, BcDimOp op, int64_t value)
{
    dc->depth += op == BCD_CONST || op == BCD_NAME ? 1 : UINT32_MAX;
    if (dc->depth > dc->max_depth)
        dc->max_depth = dc->depth;
    vec_push(&dc->fe->em->steps, (BcDimStep){.op = op, .value = value});
}

static void push_dim(DimCode *dc, const Dim *d);

/* The number of devices has no declaration: it follows those that have one, where code names it. */
static int64_t extent_index(Emit *em, Sym name)
{
    const Program *p = em->p;
    if (extent_is_world(name)) {
        em->world = true;
        return p->extents.len;
    }
    for (uint32_t i = 0; i < p->extents.len; i++) {
        if (p->extents.at[i] == name)
            return i;
    }
    return -1;
}

static void push_atom(DimCode *dc, const Atom *a)
{
    static const BcDimOp ops[] = {[DIM_FLOORDIV] = BCD_FLOORDIV,
                                  [DIM_MOD] = BCD_MOD,
                                  [DIM_MIN] = BCD_MIN,
                                  [DIM_MAX] = BCD_MAX};
    if (a->kind == DIM_NAME) {
        emit_extent(dc->fe, a->name);
        push_step(dc, BCD_NAME, extent_index(dc->fe->em, a->name));
        return;
    }
    push_dim(dc, a->left);
    push_dim(dc, a->right);
    push_step(dc, ops[a->kind], 0);
}

static void push_dim(DimCode *dc, const Dim *d)
{
    if (dc->depth > BC_MAX_DIM_STACK)
        return; /* too deep already: reported by the caller */
    if (d->n_terms == 0)
        push_step(dc, BCD_CONST, 0);
    for (uint32_t i = 0; i < d->n_terms; i++) {
        const Term *t = &d->terms[i];
        bool coef = t->n_atoms == 0 || t->coef != 1;
        if (coef)
            push_step(dc, BCD_CONST, t->coef);
        for (uint32_t k = 0; k < t->n_atoms; k++) {
            push_atom(dc, t->atoms[k]);
            if (k || coef)
                push_step(dc, BCD_MUL, 0);
        }
        if (i)
            push_step(dc, BCD_ADD, 0);
    }
}

BcDim emit_dim(FuncEmit *fe, const Dim *d)
{
    Emit *em = fe->em;
    uint64_t index;
    SymList names = {0};
    dim_names(d, &names);
    for (uint32_t i = 0; i < names.len; i++)
        emit_extent(fe, names.at[i]);
    vec_free(&names);
    if (map_get_ptr(&em->dim_index, d, &index))
        return em->dims.at[index];
    DimCode dc = {.fe = fe};
    BcDim dim = {.first = em->steps.len};
    push_dim(&dc, d);
    if (dc.max_depth > BC_MAX_DIM_STACK)
        diag_error(em->p->diags, fe->span, "shape", "the shape expression %s is nested too deeply",
                   dim_text(em->arena, d));
    dim.n = em->steps.len - dim.first;
    map_set_ptr(&em->dim_index, d, em->dims.len);
    vec_push(&em->dims, dim);
    return dim;
}

/* `axis` is mul * NAME + add with a positive factor. */
static bool determines(const Dim *d, Sym name, BcBind *b)
{
    b->mul = b->add = 0;
    for (uint32_t i = 0; i < d->n_terms; i++) {
        const Term *t = &d->terms[i];
        if (t->n_atoms == 0)
            b->add = t->coef;
        else if (t->n_atoms == 1 && t->atoms[0]->kind == DIM_NAME && t->atoms[0]->name == name)
            b->mul = t->coef;
        else
            return false;
    }
    return b->mul > 0;
}

static bool find_axis(const Func *f, Sym name, BcBind *b)
{
    for (uint32_t i = 0; i < f->params.len; i++) {
        const Type *t = f->vars.at[f->params.at[i].var].type;
        for (uint32_t k = 0; type_is_memory(t) && k < t->rank; k++) {
            if (determines(t->dims[k], name, b)) {
                b->param = emit_param_index(f, i);
                b->axis = k;
                return true;
            }
        }
    }
    return false;
}

VReg emit_local_extent(FuncEmit *fe, const Expr *e)
{
    uint64_t reg;
    if (!map_get_ptr(&fe->own_extents, e->sym, &reg)) {
        reg = regs_new(&fe->ints, 1);
        map_set_ptr(&fe->own_extents, e->sym, reg);
    }
    emit_expr_into(fe, (VReg)reg, e->args[0]);
    return (VReg)reg;
}

VReg emit_extent(FuncEmit *fe, Sym name)
{
    uint64_t index;
    if (map_get_ptr(&fe->own_extents, name, &index))
        return (VReg)index;
    if (map_get_ptr(&fe->bind_index, name, &index))
        return fe->bind_regs.at[index];
    int64_t extent = extent_index(fe->em, name);
    BcBind b = {.extent = (uint32_t)extent, .param = BC_NO_INDEX};
    if (extent < 0) {
        diag_internal(fe->p->diags, fe->span, "extent %s is not declared", name);
    } else if (!func_is_element(fe->f) && !find_axis(fe->f, name, &b)) {
        b = (BcBind){.extent = (uint32_t)extent, .param = BC_NO_INDEX};
        if (fe->f->kind != FN_HOST)
            diag_error(
                fe->p->diags, fe->f->span, "shape",
                "nothing determines %s in %s: give a tensor parameter an extent of %s, or of the "
                "form factor * %s + constant",
                name, fe->f->name, name, name);
    }
    map_set_ptr(&fe->bind_index, name, fe->binds.len);
    vec_push(&fe->binds, b);
    VReg r = regs_new(&fe->ints, 1);
    regs_touch(fe, &fe->ints, r, 1, 0);
    vec_push(&fe->bind_regs, r);
    return r;
}

static void number_funcs(Emit *em)
{
    const Program *p = em->p;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        if (!func_is_element(p->funcs.at[i]))
            map_set_ptr(&em->func_index, p->funcs.at[i], n++);
    }
    em->out->n_funcs = n;
    em->funcs = arena_new_n(em->arena, BcFunc, n);
    em->out->funcs = em->funcs;
}

static void emit_funcs(Emit *em)
{
    static const FuncKind order[] = {FN_INCORE, FN_ORCH, FN_HOST};
    const Program *p = em->p;
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < p->funcs.len; i++) {
            uint64_t index;
            if (p->funcs.at[i]->kind == order[k] &&
                map_get_ptr(&em->func_index, p->funcs.at[i], &index))
                emit_func(em, p->funcs.at[i], (uint32_t)index);
        }
    }
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        if (func_is_element(p->funcs.at[i]))
            emit_element(em, p->funcs.at[i]);
    }
}

static void emit_header(Emit *em)
{
    const Program *p = em->p;
    BcProgram *out = em->out;
    uint64_t entry = 0;
    out->arena = em->arena;
    out->platform = (uint8_t)p->platform->id;
    out->ranks = p->ranks_bound ? p->ranks : 0;
    out->compiled_ranks = p->ranks;
    map_get_ptr(&em->func_index, p->entry, &entry);
    out->entry = (uint32_t)entry;
    out->program_name = emit_string(em, p->name ? p->name : "Program");
    out->n_bindings = p->bindings.len;
    uint32_t(*pairs)[2] = arena_array(em->arena, p->bindings.len, sizeof *pairs);
    for (uint32_t i = 0; i < p->bindings.len; i++) {
        pairs[i][0] = emit_string(em, p->bindings.at[i].name);
        pairs[i][1] = emit_string(em, p->bindings.at[i].value);
    }
    out->bindings = (const uint32_t(*)[2])pairs;
    out->n_extents = p->extents.len;
    uint32_t *extents = arena_new_n(em->arena, uint32_t, p->extents.len + 1);
    for (uint32_t i = 0; i < p->extents.len; i++)
        extents[i] = emit_string(em, p->extents.at[i]);
    out->extents = em->extents = extents;
}

static void emit_world(Emit *em)
{
    if (em->world)
        em->extents[em->out->n_extents++] = emit_string(em, WORLD_EXTENT);
}

/* Moves a heap vector into the arena. */
static void *settle(Arena *arena, void *at, uint32_t n, size_t size)
{
    void *copy = arena_array(arena, n, size);
    if (n)
        memcpy(copy, at, n * size);
    xfree(at);
    return copy;
}

static void emit_tables(Emit *em)
{
    BcProgram *out = em->out;
    out->n_strings = em->strings.len;
    out->n_consts = em->consts.len;
    out->n_dim_steps = em->steps.len;
    out->n_windows = em->windows.len;
    out->n_element_funcs = em->element_funcs.len;
    out->strings = settle(em->arena, em->strings.at, em->strings.len, sizeof *em->strings.at);
    out->consts = settle(em->arena, em->consts.at, em->consts.len, sizeof *em->consts.at);
    out->dim_steps = settle(em->arena, em->steps.at, em->steps.len, sizeof *em->steps.at);
    out->windows = settle(em->arena, em->windows.at, em->windows.len, sizeof *em->windows.at);
    alias_free(&em->memory);
    out->element_funcs = settle(em->arena, em->element_funcs.at, em->element_funcs.len,
                                sizeof *em->element_funcs.at);
    map_free(&em->func_index);
    map_free(&em->string_index);
    map_free(&em->const_index);
    map_free(&em->dim_index);
    vec_free(&em->dims);
}

BcProgram *emit_program(Arena *arena, Program *p)
{
    Emit em = {.arena = arena, .p = p, .out = arena_new(arena, BcProgram), .memory = {.p = p}};
    const char *why = NULL;
    number_funcs(&em);
    emit_header(&em);
    emit_funcs(&em);
    emit_world(&em);
    emit_tables(&em);
    if (diags_failed(p->diags))
        return NULL;
    /* What the loader would refuse must not be written. */
    if (!bc_verify(em.out, &why)) {
        diag_internal(p->diags, p->entry ? p->entry->span : (Span){0}, "bytecode: %s", why);
        return NULL;
    }
    return em.out;
}
