/* Any program that loads, run on three devices for a while in every mode, and explored: whatever
 * its values are at run time, a verdict and never a crash. */
#include "sim/explore/certify.h"
#include "sim/explore/explain.h"
#include "sim/host/run.h"
#include "tests/fuzz/replay.h"
#include "tests/pldb_fix.h"

static const uint32_t ids[] = {0, 1, 2};

static RunConfig config_for(const BcProgram *p)
{
    return (RunConfig){.host = &host_files,
                       .n_devices = p->ranks && p->ranks < 3 ? p->ranks : 3,
                       .devices = ids,
                       .rtol = -1,
                       .atol = -1,
                       .max_steps = 5000};
}

static void run(const BcProgram *p, const char *schedule, unsigned checks, bool weak)
{
    RunResult result = {0};
    RunConfig config = config_for(p);
    config.schedule = schedule;
    config.checks = checks;
    config.weak = weak;
    config.certify = checks != 0;
    config.cost = checks != 0 && !weak;
    (void)sim_run(p, &config, &result);
    run_result_free(&result);
}

static void explore_some(const BcProgram *p, const ExploreOptions *options, bool weak)
{
    RunConfig config = config_for(p);
    config.max_steps = 1000; /* the order of a trace costs the cube of its notifies */
    ExploreResult result = {0};
    config.checks = CHECK_ALL;
    config.weak = weak;
    (void)explore(p, &config, options, &result);
    explore_free(&result);
}

static void explain(const BcProgram *p)
{
    RunConfig config = config_for(p);
    ExplainResult result = {0};
    config.checks = CHECK_ALL;
    (void)explain_sync(p, &config, 3, &result);
    explain_free(&result);
}

/* Which modes: all of them on every input would be a tenth of the inputs. */
static void run_modes(const BcProgram *p, unsigned mode)
{
    static const ExploreOptions some = {.bound = 8}, brute = {.bound = 4, .brute = true},
                                outcomes = {.bound = 8, .outcomes = true};
    switch (mode % 8) {
    case 0: run(p, "random:1", 0, false); break;
    case 1: run(p, "clock", CHECK_ALL, false); break;
    case 2: run(p, "random:2", CHECK_ALL, true); break;
    case 3: run(p, "pct:3:2", CHECK_ALL, false); break;
    case 4: explore_some(p, &some, mode & 8); break;
    case 5: explore_some(p, &brute, mode & 8); break;
    case 6: explore_some(p, &outcomes, mode & 8); break;
    default: explain(p);
    }
}

/* Programs that only take long are of no interest: tensors and windows of some size, deep init
 * functions. */
static bool small(const BcProgram *p)
{
    for (uint32_t i = 0; i < p->n_dim_steps; i++)
        if (p->dim_steps[i].op == BCD_CONST && p->dim_steps[i].value > 256)
            return false;
    return p->n_element_funcs < 4;
}

static void load_and_run(const uint8_t *bytes, size_t len)
{
    Buf file = {0};
    Arena arena = {0};
    const char *why;
    buf_bytes(&file, bytes, len);
    pldb_fix_header(&file);
    const BcProgram *p = bc_decode(&arena, file.at, file.len, &why);
    if (p && small(p)) {
        run(p, "clock", 0, false);
        unsigned sum = 0;
        for (size_t i = 0; i < len; i++)
            sum += bytes[i];
        run_modes(p, sum);
    }
    buf_free(&file);
    arena_free(&arena);
}

/* A window may be as large as memory is: within a limit, as the tools and the library run it. What
 * a run that did not suffice has left is freed like theirs. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    HeapBudget budget = {.limit = (size_t)512 << 20};
    Heap heap = {.budget = &budget};
    Trap trap;
    trap_enter(&trap, &heap);
    if (setjmp(trap.at) == 0)
        load_and_run(bytes, len);
    trap_leave(&trap);
    heap_free(&heap);
    return 0;
}
