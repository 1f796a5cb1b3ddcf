/* The command line of pldrun, read into one structure. */
#ifndef PLD_CLI_RUN_OPTIONS_H
#define PLD_CLI_RUN_OPTIONS_H

#include "cli/compile.h"
#include "sim/explore/explain.h"
#include "sim/explore/explore.h"

typedef VEC(NamedText) NamedTexts;
typedef VEC(const char *) Texts;

typedef struct {
    Arena arena;
    CompileOptions compile; /* for a .pld or .ir */
    RunConfig run;
    const char *path; /* PROGRAM; a.pldb when unsaid */
    Devices devices;
    Defines defines; /* -D and --PARAM VALUE */
    NamedTexts inputs, goldens, outputs;
    Texts warnings, prints, platform_sets;
    const Platform *platform; /* NULL: unsaid */
    bool disasm, quiet, verbose, progress;
    double time_limit;            /* seconds; 0: none */
    bool cost_json;               /* --cost=json: standard output holds one JSON object */
    const char *trace, *timeline; /* files, or NULL */
    bool explores;                /* --explore */
    bool explains;                /* --explain-sync */
    ExploreOptions explore;
} RunOptions;

/* Reads the command line. Returns -1 to go on, or an exit status (after --help, or a usage error
 * that has been printed). */
int run_options_parse(RunOptions *o, int argc, char **argv);

#endif
