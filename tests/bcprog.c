#include "tests/bcprog.h"
#include <string.h>

/* Strings of the program, by number. */
enum {
    S_P,
    S_HOST,
    S_ORCH,
    S_STEP,
    S_X,
    S_Y,
    S_N,
    S_DATA,
    S_NR,
    S_BUF,
    S_FILE,
    S_MODE,
    S_VALUE,
    S_CHECK,
    S_ACC,
    S_I,
    S_J
};
static const char *const strings[] = {
    "P",    "host", "orch", "step",  "x",    "y",        "n",
    "data", "NR",   "buf",  "a.pld", "mode", "\"hand\"", "n must be positive",
    "acc",  "i",    "j",
};
static const int64_t consts[] = {INT64_C(1) << 40, INT64_C(0x4000000000000000), 7};
static const uint32_t extents[] = {S_NR};
static const uint32_t bindings[][2] = {{S_MODE, S_VALUE}};

static BcParam mem_param(uint32_t name, BcParamKind kind, uint8_t dir, uint8_t dtype, BcDim rows,
                         BcDim cols)
{
    return (BcParam){
        .name = name, .kind = kind, .dir = dir, .dtype = dtype, .rank = 2, .dims = {rows, cols}};
}

static void params(BcProg *t)
{
    /* dims: [0] NR, [1] 64, [2..6] min(NR * 2, 8) */
    static const BcDimStep steps[] = {{BCD_NAME, 0}, {BCD_CONST, 64}, {BCD_NAME, 0}, {BCD_CONST, 2},
                                      {BCD_MUL, 0},  {BCD_CONST, 8},  {BCD_MIN, 0}};
    const BcDim nr = {0, 1}, size = {1, 1}, cells = {2, 5};
    memcpy(t->steps, steps, sizeof steps);
    t->host_params[0] = mem_param(S_X, BCP_TENSOR, 0, DT_FP32, nr, size);
    t->host_params[1] = mem_param(S_Y, BCP_TENSOR, 1, DT_FP32, nr, size);
    t->host_params[2] = (BcParam){.name = S_N, .kind = BCP_SCALAR, .dtype = DT_INT32};
    t->orch_params[0] = mem_param(S_X, BCP_TENSOR, 0, DT_FP32, nr, size);
    t->orch_params[1] = mem_param(S_Y, BCP_TENSOR, 1, DT_FP32, nr, size);
    t->orch_params[2] = mem_param(S_DATA, BCP_WINDOW, 2, DT_INT32, nr, cells);
    t->orch_params[2].signal = true;
    t->orch_params[3] = t->host_params[2];
    memcpy(t->incore_params, t->orch_params, sizeof t->incore_params);
    t->binds[0] = (BcBind){.extent = 0, .param = 0, .axis = 0, .mul = 1, .add = 0};
}

static void host(BcProg *t)
{
    static const BcInsn code[] = {
        {BC_WORLD, 2, 0, 0, 0, 0, 0},       {BC_LDK, 3, 0, 0, 0, 0, 0},
        {BC_LDI, 4, 0, 0, 0, 0, 8},         {BC_ALLOC, 2, 3, 4, 0, 0, 0},
        {BC_VIEW, 3, 2, 3, 2, DT_INT32, 0}, {BC_LDI, 3, 0, 0, 0, 0, 0},
        {BC_LDI, 4, 0, 0, 0, 0, 1},         {BC_FORPREP, 3, 2, 4, 0, 0, 10},
        {BC_DISPATCH, 0, 3, 4, 0, 0, 0},    {BC_FORLOOP, 3, 2, 4, 0, 0, 8},
        {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    static const BcMreg mregs[] = {{BCM_TENSOR, DT_FP32, 2},
                                   {BCM_TENSOR, DT_FP32, 2},
                                   {BCM_BUFFER, 0, 0},
                                   {BCM_WINDOW, DT_INT32, 2}};
    memcpy(t->host, code, sizeof code);
    memcpy(t->host_mregs, mregs, sizeof mregs);
    t->regs[0] = 0, t->regs[1] = 1, t->regs[2] = 3, t->regs[3] = 1;
    t->dispatch =
        (BcCall){.func = 1, .n_mem = 3, .mem = t->regs, .n_scalars = 1, .scalars = t->regs + 3};
    t->funcs[0] = (BcFunc){.name = S_HOST,
                           .kind = BCF_HOST,
                           .n_regs = 5,
                           .n_mregs = 4,
                           .n_params = 3,
                           .n_binds = 1,
                           .n_calls = 1,
                           .n_insns = sizeof code / sizeof *code,
                           .params = t->host_params,
                           .binds = t->binds,
                           .calls = &t->dispatch,
                           .insns = t->host,
                           .mregs = t->host_mregs};
}

static void orch(BcProg *t)
{
    static const BcInsn code[] = {
        {BC_LDI, 2, 0, 0, 0, 0, 0},        {BC_MOV, 3, 2, 0, 0, 0, 0},
        {BC_READ, 4, 0, 2, 2, 0, 0},       {BC_WRITE, 1, 2, 2, 4, DT_FP32, 0},
        {BC_PAR, 0, 0, 0, 0, 0, 0},        {BC_ITER, 2, 0, 0, 0, 0, 0},
        {BC_TASK, 4, 2, 2, 0, 0, 0},       {BC_AS, 4, 0, 0, 0, 0, 5},
        {BC_CALL, 0, 0, 0, 0, 0, 0},       {BC_SPMD, 0, 2, 0, 0, 0, 1},
        {BC_MAKE, 0, 2, 2, DT_FP32, 0, 0}, {BC_OUTSIDE, 0, 0, 0, 0, 0, 0},
        {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    memcpy(t->orch, code, sizeof code);
    memcpy(t->orch_mregs, t->incore_mregs, sizeof t->orch_mregs);
    t->regs[4] = 0, t->regs[5] = 1, t->regs[6] = 2, t->regs[7] = 1;
    t->call = (BcCall){.func = 2,
                       .n_mem = 3,
                       .mem = t->regs + 4,
                       .n_scalars = 1,
                       .scalars = t->regs + 7,
                       .results = 4,
                       .n_results = 1};
    t->funcs[1] = (BcFunc){.name = S_ORCH,
                           .kind = BCF_ORCH,
                           .n_regs = 5,
                           .n_mregs = 3,
                           .n_params = 4,
                           .n_binds = 1,
                           .n_calls = 1,
                           .n_insns = sizeof code / sizeof *code,
                           .params = t->orch_params,
                           .binds = t->binds,
                           .calls = &t->call,
                           .insns = t->orch,
                           .mregs = t->orch_mregs};
}

static void incore(BcProg *t)
{
    static const BcInsn code[] = {
        {BC_NOP, 0, 0, 0, 0, 0, 0},
        {BC_CHECK, 1, 0, 0, 0, 0, S_CHECK},
        {BC_LDI, 2, 0, 0, 0, 0, 0},
        {BC_LDI, 3, 0, 0, 0, 0, 16},
        {BC_BIN, 4, 2, 3, DT_INT32, 0, SC_MOD},
        {BC_UN, 4, 4, 0, DT_INT32, 0, SC_NEG},
        {BC_JZ, 4, 0, 0, 0, 0, 8},
        {BC_JNZ, 4, 0, 0, 0, 0, 9},
        {BC_JMP, 0, 0, 0, 0, 0, 9},
        {BC_MMOV, 0, 0, 0, 0, 0, 0},
        {BC_FLATTEN, 0, 1, 0, 0, 0, 0},
        {BC_DIM, 4, 0, 0, 0, 0, 1},
        {BC_RANK, 4, 2, 0, 0, 0, 0},
        {BC_NRANKS, 5, 2, 0, 0, 0, 0},
        {BC_CORE, 6, 0, 0, 0, 0, 0},
        {BC_LOAD, 0, 0, 2, 2, BC_NONE, 0},
        {BC_LOAD, 1, 0, 2, 2, 3, 0},
        {BC_TCREATE, 1, 0, 0, 0, 0, 0},
        {BC_TFULL, 1, 0, 0, 0, 0, 1},
        {BC_TCOPY, 0, 1, 0, 0, 0, 0},
        {BC_TBIN, 0, 0, 1, 0, 0, TOP_ADD},
        {BC_TBINK, 0, 1, 0, 0, TOP_MUL, 1},
        {BC_TBINR, 0, 1, 4, DT_INT32, 0, TOP_RSUB},
        {BC_TUN, 0, 1, 0, 0, 0, TOP_ABS},
        {BC_TCAST, 2, 0, 0, 0, 0, CAST_ROUND},
        {BC_STORE, 0, 1, 2, 2, 0, 0},
        {BC_RLOAD, 2, 2, 4, 2, 3, 2},
        {BC_RSTORE, 2, 2, 4, 2, 2, ATOMIC_ADD},
        {BC_PUT, 2, 4, 2, 0, 0, 0},
        {BC_GET, 2, 4, 2, 1, 0, 0},
        {BC_FENCE, 0, 0, 0, 0, 0, FENCE_RELEASE},
        {BC_NOTIFY, 2, 4, 2, 2, 5, NOTIFY_SET},
        {BC_WAIT, 2, 2, 2, 5, 0, WAIT_GE},
        {BC_CAST, 4, 4, 0, DT_INT32, DT_INT64, 0},
        {BC_TRED, 5, 0, 0, 0, 0, RED_ROW_SUM},
        {BC_SHAPE, 0, 1, 2, 2, 0, S_CHECK},
        {BC_FIT, 4, 4, 0, DT_INT8, 0, S_CHECK},
        {BC_BLOCK, 6, 0, 0, 0, 0, 1},
        {BC_TSLICE, 5, 0, 2, 2, BC_NONE, 0},
        {BC_TPASTE, 1, 0, 5, 2, 2, 0},
        {BC_TCONCAT, 6, 0, 1, 0, 0, 0},
        {BC_TRESHAPE, 7, 0, 0, 0, 0, 0},
        {BC_TSWAP, 8, 0, 0, 0, 0, 1},
        {BC_TPAD, 6, 0, 0, 0, 0, 1},
        {BC_TVALID, 1, 0, 2, 2, 0, 0},
        {BC_TBYTES, 2, 0, 0, 0, 0, 0},
        {BC_TREAD, 4, 0, 2, 2, 0, 0},
        {BC_TWRITE, 1, 0, 2, 2, 4, DT_INT32},
        {BC_TMATMUL, 9, 10, 11, 0, 0, 0},
        {BC_TMATACC, 9, 10, 11, 9, 4, 0},
        {BC_TMATBIAS, 9, 10, 11, 12, 0, 0},
        {BC_TTURN, 13, 10, 0, 0, 0, 0},
        {BC_TCMP, 14, 0, 1, 0, 0, 2},
        {BC_TSEL, 0, 14, 0, 1, 0, 0},
        {BC_TPARTS, 0, 0, 1, 0, 0, TOP_MAX},
        {BC_TCOUNT, 2, 4, 0, 0, 0, 1},
        {BC_PART, 0, 1, 2, 2, 2, 0},
        {BC_SEEN, 0, 1, 2, 2, 0, 0},
        {BC_FILL, 0, 0, 0, 0, 0, 1},
        {BC_APART, 0, 0, 0, 0, 0, 0},
        {BC_SHOW, 4, DT_INT32, 0, 0, 0, S_VALUE},
        {BC_SHOWT, 0, 0, 2, 2, BC_NONE, S_VALUE},
        {BC_SHOWM, 2, BC_NONE, 2, 2, 0, S_VALUE},
        {BC_RET, 4, 1, 0, 0, 0, 0},
    };
    static const BcMreg mregs[] = {
        {BCM_TENSOR, DT_FP32, 2}, {BCM_TENSOR, DT_FP32, 2}, {BCM_WINDOW, DT_INT32, 2}};
    static const BcTile tiles[] = {
        {.dtype = DT_FP32, .rank = 2, .shape = {1, 64}, .addr = 0, .bytes = 256, .name = S_ACC},
        {.dtype = DT_FP32, .rank = 2, .shape = {1, 64}, .addr = 256, .bytes = 256, .name = S_X},
        {.dtype = DT_INT32, .rank = 2, .shape = {1, 64}, .addr = 512, .bytes = 256, .name = S_ACC},
        {.dtype = DT_INT32, .rank = 2, .shape = {3, 1}, .addr = 768, .bytes = 32, .name = S_ACC},
        {.dtype = DT_INT32, .rank = 2, .shape = {1, 64}, .addr = 0, .bytes = 256, .name = S_ACC},
        {.dtype = DT_FP32, .rank = 2, .shape = {1, 1}, .addr = 864, .bytes = 32, .name = S_ACC},
        {.dtype = DT_FP32, .rank = 2, .shape = {1, 128}, .addr = 1024, .bytes = 512, .name = S_ACC},
        {.dtype = DT_FP32, .rank = 2, .shape = {8, 8}, .addr = 2048, .bytes = 256, .name = S_ACC},
        {.dtype = DT_FP32, .rank = 2, .shape = {64, 1}, .addr = 4096, .bytes = 256, .name = S_ACC},
        {.dtype = DT_FP32, .rank = 2, .shape = {16, 16}, .addr = 0, .bytes = 1024, .name = S_ACC},
        {.dtype = DT_FP32, .rank = 2, .shape = {16, 16}, .addr = 0, .bytes = 1024, .name = S_ACC},
        {.dtype = DT_FP32, .rank = 2, .shape = {16, 16}, .addr = 0, .bytes = 1024, .name = S_ACC},
        {.dtype = DT_FP32, .rank = 2, .shape = {1, 16}, .addr = 0, .bytes = 64, .name = S_ACC},
        {.dtype = DT_FP32,
         .rank = 2,
         .shape = {16, 16},
         .addr = 1024,
         .bytes = 1024,
         .name = S_ACC},
        {.dtype = DT_UINT8, .rank = 2, .shape = {1, 32}, .addr = 0, .bytes = 32, .name = S_ACC},
    };
    static const BcLoc locs[] = {
        {0, S_FILE, 3, 5},
        {15, S_FILE, 4, 9},
    };
    memcpy(t->incore, code, sizeof code);
    memcpy(t->incore_mregs, mregs, sizeof mregs);
    memcpy(t->tiles, tiles, sizeof tiles);
    static const MemSpace memories[] = {MEM_ACC, MEM_LEFT, MEM_RIGHT, MEM_BIAS, MEM_LEFT};
    for (uint32_t i = 0; i < 15; i++)
        t->tiles[i].memory = i < 9 || i == 14 ? MEM_VEC : memories[i - 9];
    memcpy(t->locs, locs, sizeof locs);
    t->sites[0] = BUILTIN_BARRIER;
    t->regions[0] = (BcRegion){15, 0, PHASE_BARRIER_1};
    t->regions[1] = (BcRegion){30, BC_NO_INDEX, PHASE_NONE};
    t->xfers[0] = (BcXfer){.run = 2,
                           .rank = 2,
                           .atomic = ATOMIC_ADD,
                           .pipeline = true,
                           .n_stages = 2,
                           .stages = {2, 4}};
    t->xfers[1] = (BcXfer){.run = 2, .rank = 2, .n_stages = 1, .stages = {3}};
    t->funcs[2] = (BcFunc){.name = S_STEP,
                           .kind = BCF_INCORE,
                           .generated = true,
                           .n_regs = 8,
                           .n_mregs = 3,
                           .n_params = 4,
                           .n_binds = 1,
                           .n_tiles = 15,
                           .n_xfers = 2,
                           .n_locs = 2,
                           .n_sites = 1,
                           .n_regions = 2,
                           .sites = t->sites,
                           .regions = t->regions,
                           .n_insns = sizeof code / sizeof *code,
                           .params = t->incore_params,
                           .binds = t->binds,
                           .tiles = t->tiles,
                           .xfers = t->xfers,
                           .insns = t->incore,
                           .locs = t->locs,
                           .mregs = t->incore_mregs,
                           .core_bytes = {[MEM_VEC] = 8192,
                                          [MEM_LEFT] = 2048,
                                          [MEM_RIGHT] = 1024,
                                          [MEM_ACC] = 1024,
                                          [MEM_BIAS] = 64}};
    bc_place_tiles(&t->funcs[2], t->tiles, 32);
}

/* def x(i, j): return i * 2.0 */
static BcFunc init(BcProg *t)
{
    static const BcInsn code[] = {
        {BC_LDF, 2, 0, 0, 0, 0, 1},
        {BC_PBIN, 2, 0, 2, 0, 0, SC_MUL},
        {BC_RET, 2, 1, 0, 0, 0, 0},
    };
    memcpy(t->init, code, sizeof code);
    t->init_params[0] = (BcParam){.name = S_I, .kind = BCP_SCALAR, .dtype = DT_INDEX};
    t->init_params[1] = (BcParam){.name = S_J, .kind = BCP_SCALAR, .dtype = DT_INDEX};
    t->element_locs[0] = (BcLoc){0, S_FILE, 10, 5};
    return (BcFunc){.name = S_X,
                    .kind = BCF_ELEMENT,
                    .n_regs = 3,
                    .n_params = 2,
                    .n_insns = sizeof code / sizeof *code,
                    .n_locs = 1,
                    .params = t->init_params,
                    .insns = t->init,
                    .locs = t->element_locs};
}

/* def y(i, j): t = sum(x[k, j] for k in range(NR)), a few that do nothing, return abs(t) * n */
static BcFunc golden(BcProg *t)
{
    static const BcInsn code[] = {
        {BC_LDI, 4, 0, 0, 0, 0, 0},       {BC_LDI, 5, 0, 0, 0, 0, 0},
        {BC_LDI, 6, 0, 0, 0, 0, 1},       {BC_FORPREP, 5, 0, 6, 0, 0, 9},
        {BC_MOV, 7, 5, 0, 0, 0, 0},       {BC_MOV, 8, 3, 0, 0, 0, 0},
        {BC_READ, 7, 0, 7, 2, 0, 0},      {BC_PBIN, 4, 4, 7, 0, 0, SC_ADD},
        {BC_FORLOOP, 5, 0, 6, 0, 0, 4},   {BC_PUN, 7, 4, 0, 0, 0, SC_ABS},
        {BC_RANDN, 8, 6, 0, 0, 0, 0},     {BC_UNIFORM, 8, 6, 0, 0, 0, 0},
        {BC_LDI, 8, 0, 0, 0, 0, 0},       {BC_LOOP, 8, 0, 0, 0, 0, 13},
        {BC_PBIN, 7, 7, 1, 0, 0, SC_MUL}, {BC_RET, 7, 1, 0, 0, 0, 0},
    };
    memcpy(t->golden, code, sizeof code);
    t->golden_params[0] = t->host_params[0];
    t->golden_params[1] = t->host_params[2];
    memcpy(t->golden_params + 2, t->init_params, sizeof t->init_params);
    t->golden_mregs[0] = (BcMreg){BCM_TENSOR, DT_FP32, 2};
    t->golden_binds[0] = (BcBind){.extent = 0, .param = BC_NO_INDEX};
    t->element_locs[1] = (BcLoc){0, S_FILE, 14, 5};
    return (BcFunc){.name = S_Y,
                    .kind = BCF_ELEMENT,
                    .n_regs = 9,
                    .n_mregs = 1,
                    .n_params = 4,
                    .n_binds = 1,
                    .n_insns = sizeof code / sizeof *code,
                    .n_locs = 1,
                    .params = t->golden_params,
                    .binds = t->golden_binds,
                    .insns = t->golden,
                    .locs = t->element_locs + 1,
                    .mregs = t->golden_mregs};
}

static void elements(BcProg *t)
{
    t->elements[0] =
        (BcElementFunc){.param = 0, .n_index = 2, .rtol = -1, .atol = -1, .func = init(t)};
    t->elements[1] = (BcElementFunc){
        .golden = true, .param = 1, .n_index = 2, .rtol = 1e-5, .atol = 0, .func = golden(t)};
}

void bcprog_new(BcProg *t)
{
    memset(t, 0, sizeof *t);
    params(t);
    incore(t);
    orch(t);
    host(t);
    elements(t);
    t->windows[0] =
        (BcWindow){.name = S_BUF, .file = S_FILE, .line = 7, .col = 3, .align = 512, .zero = true};
    t->p = (BcProgram){.arena = &t->arena,
                       .platform = PLATFORM_A2A3SIM,
                       .compiled_ranks = 2,
                       .program_name = S_P,
                       .n_strings = sizeof strings / sizeof *strings,
                       .n_consts = sizeof consts / sizeof *consts,
                       .n_extents = 1,
                       .n_dim_steps = 7,
                       .n_funcs = 3,
                       .n_windows = 1,
                       .n_element_funcs = 2,
                       .n_bindings = 1,
                       .strings = strings,
                       .consts = consts,
                       .extents = extents,
                       .dim_steps = t->steps,
                       .funcs = t->funcs,
                       .windows = t->windows,
                       .element_funcs = t->elements,
                       .bindings = bindings};
}

void bcprog_free(BcProg *t)
{
    arena_free(&t->arena);
}
