#include "tests/simtest.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    S_PROG,
    S_HOST,
    S_ORCH,
    S_STEP,
    S_X,
    S_Y,
    S_N,
    S_DATA,
    S_SIGNAL,
    S_NR,
    S_FILE,
    N_STRINGS = S_CHECK + 1
};
_Static_assert(S_FILE + 1 == S_CHECK, "the last string");

/* Dims: 0 NR, 1 one, 2 eight, 3 four, 4 sixty-four. */
static const BcDimStep steps[] = {
    {BCD_NAME, 0}, {BCD_CONST, 1}, {BCD_CONST, 8}, {BCD_CONST, 4}, {BCD_CONST, 64}};
enum { D_NR, D_1, D_8, D_4, D_64 };

static BcParam mem(uint32_t name, BcParamKind kind, uint8_t dir, uint8_t dtype, uint32_t rows,
                   uint32_t cols)
{
    return (BcParam){.name = name,
                     .kind = kind,
                     .dir = dir,
                     .dtype = dtype,
                     .rank = 2,
                     .dims = {{rows, 1}, {cols, 1}}};
}

static BcParam host_tensor(uint32_t name, uint8_t dir, uint8_t dtype)
{
    return (BcParam){.name = name,
                     .kind = BCP_TENSOR,
                     .dir = dir,
                     .dtype = dtype,
                     .rank = 3,
                     .dims = {{D_NR, 1}, {D_1, 1}, {D_8, 1}}};
}

static void *copy(SimTest *t, const void *from, size_t size)
{
    return memcpy(arena_alloc(&t->arena, size), from, size);
}

#define COPY(t, array) copy((t), (array), sizeof(array))

static const BcLoc *locs(SimTest *t, uint32_t n, uint32_t base)
{
    BcLoc *l = arena_array(&t->arena, n, sizeof *l);
    for (uint32_t i = 0; i < n; i++)
        l[i] = (BcLoc){.pc = i, .file = S_FILE, .line = base + i, .col = 5};
    return l;
}

static void calls(SimTest *t, BcFunc *f, const SimKernel *k)
{
    BcRegion regions[] = {{0, 0, PHASE_BARRIER_1}, {k->second, 1, PHASE_BARRIER_1}};
    uint8_t sites[] = {BUILTIN_BARRIER, BUILTIN_BARRIER};
    if (!k->builtin)
        return;
    f->n_sites = f->n_regions = k->second ? 2 : 1;
    f->sites = COPY(t, sites);
    f->regions = COPY(t, regions);
}

static void host(SimTest *t, BcFunc *f, const SimKernel *k)
{
    BcInsn code[] = {
        {BC_LDI, 1, 0, 0, 0, 0, 4096},      {BC_LDI, 2, 0, 0, 0, 0, 0},
        {BC_ALLOC, 2, 1, 2, 0, 0, 0},       {BC_ALLOC, 3, 1, 1, 0, 0, 1},
        {BC_LDI, 3, 0, 0, 0, 0, 4},         {BC_LDI, 4, 0, 0, 0, 0, 8},
        {BC_VIEW, 4, 2, 3, 2, t->dtype, 0}, {BC_LDI, 3, 0, 0, 0, 0, 64},
        {BC_LDI, 4, 0, 0, 0, 0, 1},         {BC_VIEW, 5, 3, 3, 2, DT_INT32, 0},
        {BC_LDI, 5, 0, 0, 0, 0, 0},         {BC_WORLD, 6, 0, 0, 0, 0, 0},
        {BC_LDI, 7, 0, 0, 0, 0, 1},         {BC_LDI, 8, 0, 0, 0, 0, 1},
        {BC_LDI, 9, 0, 0, 0, 0, 1},         {BC_FORPREP, 5, 8, 7, 0, 0, 24},
        {BC_LDI, 10, 0, 0, 0, 0, 0},        {BC_FORPREP, 10, 6, 7, 0, 0, 23},
        {BC_ROW, 6, 0, 10, 0, 0, 0},        {BC_MOV, 11, 10, 0, 0, 0, 0},
        {BC_ROW, 7, 1, 11, 0, 0, 0},        {BC_DISPATCH, 0, 10, 9, 0, 0, 0},
        {BC_FORLOOP, 10, 6, 7, 0, 0, 18},   {BC_FORLOOP, 5, 8, 7, 0, 0, 16},
        {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    BcMreg mregs[] = {{BCM_TENSOR, t->dtype, 3}, {BCM_TENSOR, t->dtype, 3},
                      {BCM_BUFFER, 0, 0},        {BCM_BUFFER, 0, 0},
                      {BCM_WINDOW, t->dtype, 2}, {BCM_WINDOW, DT_INT32, 2},
                      {BCM_TENSOR, t->dtype, 2}, {BCM_TENSOR, t->dtype, 2}};
    BcParam params[] = {host_tensor(S_X, 0, t->dtype), host_tensor(S_Y, 1, t->dtype)};
    BcBind binds[] = {{.extent = 0, .param = 0, .axis = 0, .mul = 1}};
    uint16_t args[] = {6, 7, 4, 5}, scalars[] = {5};
    code[13].imm = k->times ? k->times : 1;
    code[14].imm = k->cores ? k->cores : 1;
    if (k->share_y)
        code[19] = (BcInsn){BC_LDI, 11, 0, 0, 0, 0, 0};
    if (k->devices)
        code[11] = (BcInsn){BC_LDI, 6, 0, 0, 0, 0, (int32_t)k->devices};
    BcCall call = {
        .func = 1, .n_mem = 4, .mem = COPY(t, args), .n_scalars = 1, .scalars = COPY(t, scalars)};
    *f = (BcFunc){.name = S_HOST,
                  .kind = BCF_HOST,
                  .n_regs = 12,
                  .n_mregs = 8,
                  .n_params = 2,
                  .n_binds = 1,
                  .n_calls = 1,
                  .n_insns = sizeof code / sizeof code[0],
                  .params = COPY(t, params),
                  .binds = COPY(t, binds),
                  .calls = copy(t, &call, sizeof call),
                  .insns = COPY(t, code),
                  .mregs = COPY(t, mregs)};
    f->n_locs = f->n_insns;
    f->locs = locs(t, f->n_insns, 10);
}

static const BcParam *kernel_params(SimTest *t)
{
    BcParam params[] = {mem(S_X, BCP_TENSOR, 0, t->dtype, D_1, D_8),
                        mem(S_Y, BCP_TENSOR, 1, t->dtype, D_1, D_8),
                        mem(S_DATA, BCP_WINDOW, 2, t->dtype, D_4, D_8),
                        mem(S_SIGNAL, BCP_WINDOW, 2, DT_INT32, D_64, D_1),
                        {.name = S_N, .kind = BCP_SCALAR, .dtype = DT_INDEX}};
    params[3].signal = true;
    return COPY(t, params);
}

static void orch(SimTest *t, BcFunc *f)
{
    BcInsn code[] = {{BC_CALL, 0, 0, 0, 0, 0, 0}, {BC_RET, 0, 0, 0, 0, 0, 0}};
    BcMreg mregs[] = {{BCM_TENSOR, t->dtype, 2},
                      {BCM_TENSOR, t->dtype, 2},
                      {BCM_WINDOW, t->dtype, 2},
                      {BCM_WINDOW, DT_INT32, 2}};
    uint16_t args[] = {0, 1, 2, 3}, scalars[] = {0};
    BcCall call = {
        .func = 2, .n_mem = 4, .mem = COPY(t, args), .n_scalars = 1, .scalars = COPY(t, scalars)};
    *f = (BcFunc){.name = S_ORCH,
                  .kind = BCF_ORCH,
                  .n_regs = 1,
                  .n_mregs = 4,
                  .n_params = 5,
                  .n_calls = 1,
                  .n_insns = 2,
                  .params = kernel_params(t),
                  .calls = copy(t, &call, sizeof call),
                  .insns = COPY(t, code),
                  .mregs = COPY(t, mregs),
                  .n_locs = 2,
                  .locs = locs(t, 2, 50)};
}

static void kernel(SimTest *t, BcFunc *f, const SimKernel *k)
{
    BcMreg mregs[] = {{BCM_TENSOR, t->dtype, 2}, {BCM_TENSOR, t->dtype, 2},
                      {BCM_WINDOW, t->dtype, 2}, {BCM_WINDOW, DT_INT32, 2},
                      {BCM_WINDOW, t->dtype, 2}, {BCM_TENSOR, t->dtype, 2},
                      {BCM_WINDOW, DT_INT32, 2}, {BCM_TENSOR, t->dtype, 2}};
    BcTile *tiles = arena_array(&t->arena, 7, sizeof *tiles);
    for (uint32_t i = 0; i < 7; i++)
        tiles[i] = (BcTile){.dtype = i == 6 ? DT_FP16 : t->dtype,
                            .rank = 2,
                            .memory = MEM_VEC,
                            .name = S_X,
                            .addr = 32 * i,
                            .bytes = 32,
                            .shape = {1, i == 4 || i == 5 ? 4 : 8}};
    /* Transfers: 0 all of [1, 8] in one chunk, 1 in two chunks, 2 in two with two tiles, 3 atomic.
     * The run of registers 20 .. 25 holds offsets and shape. */
    BcXfer xfers[] = {{20, 2, 0, false, 1, {0, 0}},
                      {20, 2, 0, false, 1, {4, 0}},
                      {20, 2, 0, true, 2, {4, 5}},
                      {20, 2, ATOMIC_ADD, false, 1, {0, 0}}};
    *f = (BcFunc){.name = S_STEP,
                  .kind = BCF_INCORE,
                  .n_regs = 32,
                  .n_mregs = 8,
                  .n_params = 5,
                  .n_tiles = 7,
                  .n_xfers = 4,
                  .n_insns = k->n,
                  .params = kernel_params(t),
                  .tiles = tiles,
                  .xfers = COPY(t, xfers),
                  .insns = copy(t, k->code, k->n * sizeof *k->code),
                  .mregs = COPY(t, mregs),
                  .n_locs = k->n,
                  .locs = locs(t, k->n, 100),
                  .core_bytes = {[MEM_VEC] = 224}};
    ck_assert(bc_place_tiles(f, tiles, 32));
    calls(t, f, k);
}

/* x[r, i, j] = 100 r + j */
static void init(SimTest *t)
{
    BcInsn code[] = {
        {BC_LDI, 3, 0, 0, 0, 0, 100},     {BC_PBIN, 3, 0, 3, 0, 0, SC_MUL},
        {BC_PBIN, 3, 3, 2, 0, 0, SC_ADD}, {BC_PUN, 3, 3, 0, 0, 0, SC_FLOAT},
        {BC_RET, 3, 1, 0, 0, 0, 0},
    };
    if (t->dtype == DT_INT32)
        code[3] = (BcInsn){BC_MOV, 3, 3, 0, 0, 0, 0};
    const BcParam index = {
        .name = t->p.funcs[t->p.entry].params[0].name, .kind = BCP_SCALAR, .dtype = DT_INDEX};
    const BcParam params[] = {index, index, index};
    BcElementFunc *f = arena_new(&t->arena, BcElementFunc);
    *f = (BcElementFunc){.param = 0, .n_index = 3, .rtol = -1, .atol = -1};
    f->func = (BcFunc){.name = index.name,
                       .kind = BCF_ELEMENT,
                       .n_regs = 4,
                       .n_params = 3,
                       .n_insns = sizeof code / sizeof *code,
                       .params = COPY(t, params),
                       .insns = COPY(t, code)};
    t->p.element_funcs = f;
    t->p.n_element_funcs = 1;
}

static void strip(BcProgram *p, BcFunc *funcs)
{
    for (uint32_t i = 0; i < p->n_funcs; i++)
        funcs[i].n_locs = 0;
    p->stripped = true;
}

void simtest_new(SimTest *t, uint32_t n, SimKernel k)
{
    memset(t, 0, sizeof *t);
    t->dtype = k.ints ? DT_INT32 : DT_FP32;
    const char *strings[N_STRINGS] = {"P", "host", "orch",   "step", "x",     "y",
                                      "n", "data", "signal", "NR",   "k.pld", "checked"};
    int64_t consts[] = {
        INT64_C(0x4000000000000000), INT64_C(1) << 40, INT64_C(3000000000), 1, 2, 3, 4, 5};
    uint32_t extents[] = {S_NR};
    BcWindow windows[] = {
        {.name = S_DATA, .file = S_FILE, .line = 12, .col = 1, .align = 512, .zero = true},
        {.name = S_SIGNAL, .file = S_FILE, .line = 13, .col = 1, .align = 512, .zero = true}};
    BcFunc *funcs = arena_array(&t->arena, 3, sizeof *funcs);
    host(t, &funcs[0], &k);
    orch(t, &funcs[1]);
    kernel(t, &funcs[2], &k);
    t->p = (BcProgram){.arena = &t->arena,
                       .compiled_ranks = n,
                       .n_strings = N_STRINGS,
                       .n_consts = 8,
                       .n_extents = 1,
                       .n_dim_steps = 5,
                       .n_funcs = 3,
                       .n_windows = 2,
                       .strings = COPY(t, strings),
                       .consts = COPY(t, consts),
                       .extents = COPY(t, extents),
                       .dim_steps = steps,
                       .funcs = funcs,
                       .windows = COPY(t, windows)};
    init(t);
    if (k.stripped)
        strip(&t->p, funcs);
    const char *why = "";
    ck_assert_msg(bc_verify(&t->p, &why), "%s", why);
    for (uint32_t i = 0; i < n; i++)
        t->ids[i] = i;
    t->config =
        (RunConfig){.host = &host_files, .n_devices = n, .devices = t->ids, .rtol = -1, .atol = -1};
}

int simtest_run(SimTest *t)
{
    if (t->world)
        world_free(t->world);
    run_result_free(&t->result);
    return sim_run_keep(&t->p, &t->config, &t->result, &t->world);
}

void simtest_free(SimTest *t)
{
    world_free(t->world);
    run_result_free(&t->result);
    arena_free(&t->arena);
}

float simtest_y(const SimTest *t, uint32_t rank, uint32_t j)
{
    float v;
    memcpy(&v, t->world->tensors[1].data + (rank * 8 + j) * sizeof v, sizeof v);
    return v;
}

const char *simtest_text(const SimTest *t)
{
    return t->result.n_reports ? t->result.reports[0].text : "";
}

Policy *simtest_random(uint64_t seed)
{
    char text[40];
    const char *why;
    snprintf(text, sizeof text, "random:%" PRIu64, seed);
    return policy_parse(text, &why);
}
