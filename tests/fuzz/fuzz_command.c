/* Any lines as the words of a command, the first the tool: an exit status, or options. Nothing is
 * read, compiled or run. */
#include "cli/run_options.h"
#include "tests/fuzz/replay.h"
#include <string.h>

/* The options of pldc are its own. */
int pldc_main(int argc, char **argv);
#define main pldc_main
#include "cli/pldc.c"
#undef main

enum { MAX_WORDS = 64 };

/* What is said goes nowhere. */
static void be_quiet(void)
{
    static bool quiet;
    if (quiet)
        return;
    quiet = freopen("/dev/null", "w", stdout) != NULL;
}

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_command: %s\n", what);
    abort();
}

static void try_pldrun(int argc, char **argv)
{
    RunOptions o;
    int status = run_options_parse(&o, argc, argv);
    require(status == -1 || status == STATUS_OK || status == STATUS_USAGE, "a status");
    require(o.set.run.command && *o.set.run.command, "how to ask for it again");
    require(status != -1 || o.path, "a program");
    arena_free(&o.set.arena);
    arena_free(&o.arena);
}

static void try_pldc(int argc, char **argv)
{
    Options o = {.output = "a.pldb", .compile = {.stop_after = PASS_FINAL}};
    int status = parse_options(&o, argc, argv);
    require(status == -1 || status == STATUS_OK || status == STATUS_USAGE, "a status");
    require(status != -1 || o.compile.path, "a program");
    arena_free(&o.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    Arena arena = {0};
    char *argv[MAX_WORDS + 1] = {0}, *text = arena_strndup(&arena, (const char *)bytes, len);
    int argc = 0;
    be_quiet();
    for (char *next = text; next && argc < MAX_WORDS; argc++) {
        argv[argc] = next;
        next = strchr(next, '\n');
        if (next)
            *next++ = '\0';
    }
    if (strcmp(argv[0], "pldc") == 0)
        try_pldc(argc, argv);
    else
        try_pldrun(argc, argv);
    arena_free(&arena);
    return 0;
}
