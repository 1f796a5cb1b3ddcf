/* Any program that loads, run on three devices for a while: whatever its values are at run time, a
 * verdict and never a crash. */
#include "sim/host/run.h"
#include "tests/fuzz/replay.h"
#include "tests/pldb_fix.h"

static void run(const BcProgram *p, const char *schedule)
{
    static const uint32_t ids[] = {0, 1, 2};
    RunResult result = {0};
    RunConfig config = {
        .host = &host_files, .n_devices = p->ranks && p->ranks < 3 ? p->ranks : 3, .devices = ids};
    config.rtol = config.atol = -1;
    config.schedule = schedule;
    config.max_steps = 5000;
    (void)sim_run(p, &config, &result);
    run_result_free(&result);
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    Buf file = {0};
    Arena arena = {0};
    const char *why;
    buf_bytes(&file, bytes, len);
    pldb_fix_header(&file);
    const BcProgram *p = bc_decode(&arena, file.at, file.len, &why);
    if (p && small(p)) {
        run(p, "clock");
        run(p, "random:1");
    }
    buf_free(&file);
    arena_free(&arena);
    return 0;
}
