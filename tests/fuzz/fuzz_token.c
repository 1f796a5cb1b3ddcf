/* Any bytes as the schedule of a run, words and tokens, sealed or not: refused with a reason, or a
 * run with a verdict. */
#include "base/crc32.h"
#include "sim/host/run.h"
#include "sim/sched/replay.h"
#include "tests/fuzz/replay.h"
#include <stdlib.h>
#include <string.h>

/* Read once: the program that the tokens of the corpus are for. */
static const BcProgram *program(void)
{
    static Arena arena;
    static const BcProgram *p;
    Buf file = {0};
    const char *why = NULL;
    char *reason = NULL;
    if (p)
        return p;
    if (!file_read("tests/fuzz/corpus/run/04_barrier.pldb", &file, 1 << 20, &reason))
        abort();
    p = bc_decode(&arena, arena_strndup(&arena, file.at, file.len), file.len, &why);
    if (!p)
        abort();
    buf_free(&file);
    return p;
}

static void run(const char *schedule)
{
    static const uint32_t ids[] = {0, 1, 2};
    RunResult result = {0};
    RunConfig config = {.host = &host_files, .n_devices = 2, .devices = ids};
    config.rtol = config.atol = -1;
    config.schedule = schedule;
    config.max_steps = 5000;
    config.checks = CHECK_ALL;
    int status = sim_run(program(), &config, &result);
    if (status == EXIT_INTERNAL || (status != EXIT_OK && !result.n_reports)) {
        fprintf(stderr, "fuzz_token: status %d, %u reports\n", status, result.n_reports);
        abort();
    }
    run_result_free(&result);
}

enum { SEAL = 3, REST = 12 }; /* r2.SEALSEAL.REST */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    Arena arena = {0};
    const char *text = arena_strndup(&arena, (const char *)bytes, len);
    run(text);
    if (replay_is_token(text) && strlen(text) > REST)
        run(arena_printf(&arena, "%.*s%08x.%s", SEAL, text,
                         (unsigned)crc32_bytes(0, text + REST, strlen(text + REST)), text + REST));
    arena_free(&arena);
    return 0;
}
