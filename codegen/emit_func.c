/* One function: parameters, body, then virtual registers replaced by real ones. */
#include "codegen/emitter.h"
#include <string.h>

/* One place of the source; within a dump that gives places, spans are of the dump. */
static bool same_loc(const Loc *a, const Loc *b)
{
    bool same_span = a->span.begin == b->span.begin && !a->span.end == !b->span.end;
    const FarPlace *x = a->far, *y = b->far;
    if (!x || !y)
        return x == y && same_span;
    return x == y || (x->file == y->file && x->line == y->line && x->col == y->col);
}

static BcLoc encode_loc(FuncEmit *fe, const Loc *loc, uint32_t pc)
{
    const Source *src = fe->p->src;
    const FarPlace *far = loc->far;
    LineCol at = {0};
    if (far)
        at = (LineCol){far->line, far->col};
    else if (loc->span.end && src)
        at = source_line_col(src, loc->span.begin);
    const char *file = far ? far->file : src ? source_part(src, loc->span.begin)->name : "?";
    return (BcLoc){.pc = pc, .file = emit_string(fe->em, file), .line = at.line, .col = at.col};
}

/* Length of the runs of an instruction. */
static uint32_t run_length(const VInsn *in)
{
    const char *codes = bc_op_fields((BcOp)in->op);
    for (uint32_t i = 0; i < 5; i++) {
        if (codes[i] == 'n' || codes[i] == 'q')
            return in->f[i];
    }
    return codes[5] == 'n' ? (uint32_t)in->imm : 0;
}

static void touch_call(FuncEmit *fe, const VCall *c, uint32_t pos)
{
    for (uint32_t i = 0; i < c->n_mem; i++)
        regs_touch(fe, &fe->mems, c->mem[i], 1, pos);
    for (uint32_t i = 0; i < c->n_scalars; i++)
        regs_touch(fe, &fe->ints, c->scalars[i], 1, pos);
    regs_touch(fe, &fe->ints, c->results, c->n_results, pos);
}

static void touch_fields(FuncEmit *fe, const VInsn *in, uint32_t pos)
{
    const char *codes = bc_op_fields((BcOp)in->op);
    for (uint32_t i = 0; i < 5; i++) {
        switch (codes[i]) {
        case 'r':
        case 'w': regs_touch(fe, &fe->ints, in->f[i], 1, pos); break;
        case 'x':
        case 'v':
        case 'p': regs_touch(fe, &fe->ints, in->f[i], run_length(in), pos); break;
        case 'm':
        case 'M': regs_touch(fe, &fe->mems, in->f[i], 1, pos); break;
        case 'c': touch_call(fe, &fe->calls.at[in->f[i]], pos); break;
        case 'f': {
            const VXfer *x = &fe->xfers.at[in->f[i]];
            regs_touch(fe, &fe->ints, x->run, 3 * x->rank, pos);
            break;
        }
        default: break;
        }
    }
}

/* The expansion that the instruction `at` belongs to, if it is not that of the one before. */
static void mark_region(FuncEmit *fe, uint32_t at)
{
    uint32_t site = fe->loc.site, number = BC_NO_INDEX;
    if (site && !fe->site[site]) {
        vec_push(&fe->sites, (uint8_t)fe->f->sites.at[site - 1]);
        fe->site[site] = fe->sites.len;
    }
    if (site)
        number = fe->site[site] - 1;
    BcRegion r = {.pc = at, .site = number, .phase = site ? (uint8_t)fe->loc.phase : 0};
    const BcRegion *last = fe->regions.len ? &vec_last(&fe->regions) : NULL;
    if (last ? last->site != r.site || last->phase != r.phase : site != 0)
        vec_push(&fe->regions, r);
}

uint32_t emit_insn(FuncEmit *fe, BcOp op, const uint32_t f[5], int64_t imm)
{
    VInsn in = {.op = (uint16_t)op, .f = {f[0], f[1], f[2], f[3], f[4]}, .imm = (int32_t)imm};
    uint32_t at = fe->code.len;
    if (at == 0 || !same_loc(&fe->loc, &fe->mapped)) {
        vec_push(&fe->locs, encode_loc(fe, &fe->loc, at));
        fe->mapped = fe->loc;
    }
    mark_region(fe, at);
    vec_push(&fe->code, in);
    touch_fields(fe, &in, at + 1);
    return at;
}

void emit_patch(FuncEmit *fe, uint32_t at)
{
    fe->code.at[at].imm = (int32_t)fe->code.len;
    fe->patched = fe->code.len;
    fe->label++;
}

uint32_t emit_slot(FuncEmit *fe, const Type *t, Sym name)
{
    uint64_t slot;
    if (map_get_ptr(&fe->tile_slots, t, &slot))
        return (uint32_t)slot;
    BcTile tile = {.dtype = (uint8_t)t->dtype,
                   .rank = t->rank,
                   .memory = t->mem == MEM_UNSET ? MEM_VEC : t->mem,
                   .addr = t->addr,
                   .name = emit_string(fe->em, name)};
    for (uint32_t i = 0; i < t->rank; i++)
        dim_is_const(t->dims[i], &tile.shape[i]);
    if (!tile_core_bytes(t, fe->p->platform->row_align, &tile.bytes))
        diag_internal(fe->p->diags, fe->span, "a tile of unknown size: %s",
                      type_text(fe->p->arena, t));
    map_set_ptr(&fe->tile_slots, t, fe->tiles.len);
    vec_push(&fe->tiles, tile);
    return fe->tiles.len - 1;
}

/* Tiles that nothing reads have no address: they go behind all others of their memory. Sets the
 * peak of each memory. */
static void place_tiles(FuncEmit *fe, int64_t *peak)
{
    int64_t discarded[MEM_KINDS] = {0};
    for (uint32_t i = 0; i < fe->tiles.len; i++) {
        const BcTile *t = &fe->tiles.at[i];
        if (t->addr >= 0 && t->addr + t->bytes > peak[t->memory])
            peak[t->memory] = t->addr + t->bytes;
        if (t->addr < 0 && t->bytes > discarded[t->memory])
            discarded[t->memory] = t->bytes;
    }
    for (uint32_t i = 0; i < fe->tiles.len; i++) {
        BcTile *t = &fe->tiles.at[i];
        if (t->addr < 0)
            t->addr = peak[t->memory];
    }
    for (MemSpace m = MEM_VEC; m < MEM_KINDS; m++) {
        int64_t size = mem_kind_bytes(fe->p->platform, m);
        peak[m] += discarded[m];
        if (discarded[m] && peak[m] > size)
            diag_error(fe->p->diags, fe->f->span, "memory",
                       "%s needs %lld bytes of %s on the core, it has %lld", fe->f->name,
                       (long long)peak[m], mem_kind_name(m), (long long)size);
    }
}

static BcParam encode_param(FuncEmit *fe, const Param *param)
{
    static const uint8_t dirs[] = {[DIR_IN] = 0, [DIR_OUT] = 1, [DIR_INOUT] = 2};
    const Var *v = func_var(fe->f, param->var);
    const Type *t = v->type;
    BcParam m = {.name = emit_string(fe->em, v->base), .dtype = (uint8_t)t->dtype};
    if (!type_is_memory(t)) {
        m.kind = BCP_SCALAR;
        m.dtype = (uint8_t)(t->kind == TY_NUMBER ? DT_INDEX : t->dtype);
        return m;
    }
    m.kind = t->kind == TY_DIST ? BCP_WINDOW : BCP_TENSOR;
    m.dir = dirs[param->dir];
    m.rank = t->rank;
    for (uint32_t i = 0; i < t->rank; i++)
        m.dims[i] = emit_dim(fe, t->dims[i]);
    return m;
}

static bool is_memory(const Func *f, uint32_t param)
{
    return type_is_memory(f->vars.at[f->params.at[param].var].type);
}

uint32_t emit_param_index(const Func *f, uint32_t at)
{
    uint32_t n = 0;
    bool memory = is_memory(f, at);
    for (uint32_t i = 0; i < f->params.len; i++)
        n += is_memory(f, i) == memory ? i < at : is_memory(f, i);
    return n;
}

/* emit_param_index of every parameter; the caller frees it. */
static uint32_t *param_order(const Func *f)
{
    uint32_t *order = xmalloc((f->params.len + 1) * sizeof *order), n = 0;
    for (int memory = 1; memory >= 0; memory--)
        for (uint32_t i = 0; i < f->params.len; i++)
            if (is_memory(f, i) == memory)
                order[i] = n++;
    return order;
}

/* Parameters arrive in the first registers of their class; extents come before the scalars, and how
 * many there are is known at the end (fix_scalars). Returns the number of memory parameters. */
static uint32_t bind_params(FuncEmit *fe, BcParam *params)
{
    uint32_t mems = 0;
    for (uint32_t i = 0; i < fe->f->params.len; i++) {
        const Param *param = &fe->f->params.at[i];
        const Type *t = func_var(fe->f, param->var)->type;
        params[fe->param_at[i]] = encode_param(fe, param);
        if (type_is_memory(t)) {
            VReg m = emit_memory_result(fe, param->var, emit_mem_type(t));
            fe->mems.regs.at[m].fixed = mems++;
            regs_touch(fe, &fe->mems, m, 1, 0);
        } else {
            VReg r = fe->var_reg[param->var] = regs_new(&fe->ints, 1);
            regs_touch(fe, &fe->ints, r, 1, 0);
        }
    }
    return mems;
}

static uint32_t fix_scalars(FuncEmit *fe)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < fe->bind_regs.len; i++)
        fe->ints.regs.at[fe->bind_regs.at[i]].fixed = n++;
    for (uint32_t i = 0; i < fe->f->params.len; i++) {
        VarId v = fe->f->params.at[i].var;
        if (!type_is_memory(func_var(fe->f, v)->type))
            fe->ints.regs.at[fe->var_reg[v]].fixed = n++;
    }
    return n;
}

static uint16_t real(FuncEmit *fe, const RegFile *rf, VReg r)
{
    if (r < rf->regs.len && rf->regs.at[r].real < BC_MAX_REGS)
        return (uint16_t)rf->regs.at[r].real;
    diag_internal(fe->p->diags, fe->f->span, "%s: a value without a register", fe->f->name);
    return 0;
}

static uint16_t real_field(FuncEmit *fe, const VInsn *in, uint32_t i)
{
    uint32_t v = in->f[i];
    switch (bc_op_fields((BcOp)in->op)[i]) {
    case 'r':
    case 'w':
    case 'x': return real(fe, &fe->ints, v);
    case 'v': return v == NO_VREG ? BC_NONE : real(fe, &fe->ints, v);
    case 'p': return v == NO_VREG ? 0 : real(fe, &fe->ints, v);
    case 'm':
    case 'M': return real(fe, &fe->mems, v);
    default: return (uint16_t)v;
    }
}

static BcInsn real_insn(FuncEmit *fe, const VInsn *in)
{
    BcInsn out = {.op = in->op, .imm = in->imm};
    uint16_t *const fields[] = {&out.a, &out.b, &out.c, &out.d, &out.e};
    for (uint32_t i = 0; i < 5; i++)
        *fields[i] = real_field(fe, in, i);
    if (bc_op_fields((BcOp)in->op)[5] == 'j')
        out.imm += (int32_t)fe->prologue.len;
    return out;
}

static void finish_code(FuncEmit *fe, BcFunc *out)
{
    uint32_t n = fe->prologue.len;
    BcInsn *insns = arena_new_n(fe->em->arena, BcInsn, n + fe->code.len);
    for (uint32_t i = 0; i < n; i++)
        insns[i] = real_insn(fe, &fe->prologue.at[i]);
    for (uint32_t i = 0; i < fe->code.len; i++)
        insns[n + i] = real_insn(fe, &fe->code.at[i]);
    BcLoc *locs = arena_new_n(fe->em->arena, BcLoc, fe->locs.len + 1);
    uint32_t n_locs = 0;
    Loc start = fe->f->loc.far || fe->f->loc.span.end ? fe->f->loc : (Loc){.span = fe->f->span};
    if (n)
        locs[n_locs++] = encode_loc(fe, &start, 0);
    for (uint32_t i = 0; i < fe->locs.len; i++) {
        locs[n_locs] = fe->locs.at[i];
        locs[n_locs++].pc += n;
    }
    out->insns = insns;
    out->n_insns = n + fe->code.len;
    out->locs = locs;
    out->n_locs = n_locs;
}

static void finish_sites(FuncEmit *fe, BcFunc *out)
{
    BcRegion *regions = arena_new_n(fe->em->arena, BcRegion, fe->regions.len);
    uint8_t *sites = arena_new_n(fe->em->arena, uint8_t, fe->sites.len);
    for (uint32_t i = 0; i < fe->regions.len; i++) {
        regions[i] = fe->regions.at[i];
        regions[i].pc += fe->prologue.len;
    }
    for (uint32_t i = 0; i < fe->sites.len; i++)
        sites[i] = fe->sites.at[i];
    out->regions = regions;
    out->n_regions = fe->regions.len;
    out->sites = sites;
    out->n_sites = fe->sites.len;
}

static const uint16_t *real_regs(FuncEmit *fe, const RegFile *rf, const VReg *regs, uint32_t n)
{
    uint16_t *out = arena_new_n(fe->em->arena, uint16_t, n);
    for (uint32_t i = 0; i < n; i++)
        out[i] = real(fe, rf, regs[i]);
    return out;
}

static void finish_tables(FuncEmit *fe, BcFunc *out)
{
    Arena *arena = fe->em->arena;
    BcCall *calls = arena_new_n(arena, BcCall, out->n_calls = fe->calls.len);
    for (uint32_t i = 0; i < fe->calls.len; i++) {
        const VCall *c = &fe->calls.at[i];
        calls[i] = (BcCall){.func = c->func,
                            .n_mem = c->n_mem,
                            .n_scalars = c->n_scalars,
                            .n_results = (uint16_t)c->n_results};
        calls[i].mem = real_regs(fe, &fe->mems, c->mem, c->n_mem);
        calls[i].scalars = real_regs(fe, &fe->ints, c->scalars, c->n_scalars);
        calls[i].results = c->n_results ? real(fe, &fe->ints, c->results) : 0;
    }
    BcXfer *xfers = arena_new_n(arena, BcXfer, out->n_xfers = fe->xfers.len);
    for (uint32_t i = 0; i < fe->xfers.len; i++) {
        const VXfer *x = &fe->xfers.at[i];
        xfers[i] = (BcXfer){.run = real(fe, &fe->ints, x->run),
                            .rank = (uint8_t)x->rank,
                            .atomic = x->atomic,
                            .pipeline = x->pipeline,
                            .n_stages = (uint8_t)x->n_stages,
                            .stages = {(uint16_t)x->stages[0], (uint16_t)x->stages[1]}};
    }
    BcBind *binds = arena_new_n(arena, BcBind, out->n_binds = fe->binds.len);
    for (uint32_t i = 0; i < fe->binds.len; i++)
        binds[i] = fe->binds.at[i];
    BcTile *tiles = arena_new_n(arena, BcTile, out->n_tiles = fe->tiles.len);
    for (uint32_t i = 0; i < fe->tiles.len; i++)
        tiles[i] = fe->tiles.at[i];
    bc_place_tiles(out, tiles, fe->p->platform->row_align);
    out->calls = calls;
    out->xfers = xfers;
    out->binds = binds;
    out->tiles = tiles;
}

static bool finish_regs(FuncEmit *fe, BcFunc *out, uint32_t n_mem_params)
{
    uint32_t n_regs = fix_scalars(fe), n_mregs = n_mem_params;
    BcMreg *types = xcalloc(n_mem_params + (size_t)1, sizeof *types), *copy;
    for (uint32_t i = 0; i < fe->f->params.len; i++) {
        const Type *t = func_var(fe->f, fe->f->params.at[i].var)->type;
        if (type_is_memory(t))
            types[fe->param_at[i]] = emit_mem_type(t);
    }
    bool ok = n_regs <= BC_MAX_REGS && n_mem_params <= BC_MAX_REGS &&
              regs_assign_ints(fe, &n_regs) && regs_assign_mems(fe, &types, &n_mregs) &&
              fe->calls.len <= BC_MAX_REGS && fe->xfers.len <= BC_MAX_REGS &&
              fe->tiles.len <= BC_MAX_REGS;
    if (ok) {
        copy = arena_new_n(fe->em->arena, BcMreg, n_mregs);
        memcpy(copy, types, n_mregs * sizeof *copy);
        out->mregs = copy;
        out->n_regs = (uint16_t)n_regs;
        out->n_mregs = (uint16_t)n_mregs;
    } else {
        diag_error(
            fe->p->diags, fe->f->span, "memory",
            "%s is too large: it needs more than %d registers, tiles, calls or transfers; split it",
            fe->f->name, BC_MAX_REGS);
    }
    xfree(types);
    return ok;
}

static void mark_signals(FuncEmit *fe, BcParam *params)
{
    for (uint32_t i = 0; i < fe->f->params.len; i++) {
        VarId v = fe->f->params.at[i].var;
        BcParam *param = &params[fe->param_at[i]];
        param->signal = param->kind == BCP_WINDOW && param->dtype == DT_INT32 &&
                        alias_uses(fe->memory, v) & USE_SIGNAL;
    }
}

static void func_emit_free(FuncEmit *fe)
{
    xfree(fe->var_reg), xfree(fe->mem_reg), xfree(fe->param_at);
    vec_free(&fe->prologue), vec_free(&fe->code), vec_free(&fe->ints.regs),
        vec_free(&fe->mems.regs);
    vec_free(&fe->mem_types), vec_free(&fe->loops), vec_free(&fe->open), vec_free(&fe->locs);
    vec_free(&fe->tiles), vec_free(&fe->calls), vec_free(&fe->xfers), vec_free(&fe->binds);
    vec_free(&fe->bind_regs);
    map_free(&fe->tile_slots), map_free(&fe->bind_index), map_free(&fe->own_extents);
    map_free(&fe->const_regs), map_free(&fe->float_regs), map_free(&fe->run_index);
    vec_free(&fe->runs);
    vec_free(&fe->regions), vec_free(&fe->sites);
    xfree(fe->site);
}

static FuncEmit func_emit_new(Emit *em, Func *f)
{
    FuncEmit fe = {.em = em, .p = em->p, .f = f, .loc = f->loc, .span = f->span, .label = 1};
    size_t n = f->vars.len + (size_t)1;
    fe.param_at = param_order(f);
    fe.var_reg = xmalloc(n * sizeof *fe.var_reg);
    memset(fe.var_reg, 0xff, n * sizeof *fe.var_reg); /* NO_VREG */
    fe.memory = alias_of(&em->memory, f);
    fe.mem_reg = xcalloc(fe.memory->graph.nodes.len, sizeof *fe.mem_reg);
    for (uint32_t i = 0; i < fe.memory->graph.nodes.len; i++)
        fe.mem_reg[i] = NO_VREG;
    fe.site = xcalloc(f->sites.len + (size_t)1, sizeof *fe.site);
    return fe;
}

/* Variables of init and golden functions are bound several times: a register each. */
static void number_regs(FuncEmit *fe)
{
    for (uint32_t i = 0; i < fe->f->vars.len; i++) {
        if (fe->f->vars.at[i].type->kind == TY_NUMBER && fe->var_reg[i] == NO_VREG)
            fe->var_reg[i] = regs_new(&fe->ints, 1);
    }
}

/* Nothing falls off the end; where it cannot be reached either, the verifier sees a return. */
static void end_body(FuncEmit *fe)
{
    const Block *body = &fe->f->body;
    if (body->len && body->at[body->len - 1]->kind == ST_RETURN)
        return;
    bool number = func_is_element(fe->f);
    emit_insn(fe, BC_RET, FIELDS(number ? emit_const_reg(fe, 0) : NO_VREG, number), 0);
}

static void emit_body(FuncEmit *fe, BcFunc *out, BcParam *params)
{
    uint32_t mems = bind_params(fe, params);
    if (func_is_element(fe->f))
        number_regs(fe);
    emit_block(fe, &fe->f->body, NULL);
    end_body(fe);
    mark_signals(fe, params);
    place_tiles(fe, out->core_bytes);
    if (finish_regs(fe, out, mems)) {
        finish_code(fe, out);
        finish_sites(fe, out);
        finish_tables(fe, out);
    }
}

static BcFunc new_func(Emit *em, const Func *f, BcParam *params)
{
    static const uint8_t kinds[] = {[FN_HOST] = BCF_HOST,
                                    [FN_ORCH] = BCF_ORCH,
                                    [FN_INCORE] = BCF_INCORE,
                                    [FN_INIT] = BCF_ELEMENT,
                                    [FN_GOLDEN] = BCF_ELEMENT};
    return (BcFunc){.name = emit_string(em, f->name),
                    .kind = kinds[f->kind],
                    .generated = f->generated,
                    .n_params = f->params.len,
                    .params = params};
}

void emit_func(Emit *em, Func *f, uint32_t index)
{
    FuncEmit fe = func_emit_new(em, f);
    BcParam *params = arena_new_n(em->arena, BcParam, f->params.len);
    em->funcs[index] = new_func(em, f, params);
    emit_body(&fe, &em->funcs[index], params);
    func_emit_free(&fe);
}

void emit_element(Emit *em, Func *f)
{
    const Func *host = em->p->entry;
    FuncEmit fe = func_emit_new(em, f);
    BcParam *params = arena_new_n(em->arena, BcParam, f->params.len);
    BcElementFunc u = {.golden = f->kind == FN_GOLDEN,
                       .n_index = f->n_index,
                       .rtol = f->rtol,
                       .atol = f->atol,
                       .func = new_func(em, f, params)};
    while (u.param < host->params.len &&
           host->vars.at[host->params.at[u.param].var].base != f->name)
        u.param++;
    if (u.param < host->params.len)
        u.param = emit_param_index(host, u.param);
    emit_body(&fe, &u.func, params);
    vec_push(&em->element_funcs, u);
    func_emit_free(&fe);
}
