/* The command line of pldrun, read into one structure. */
#ifndef PLD_CLI_RUN_OPTIONS_H
#define PLD_CLI_RUN_OPTIONS_H

#include "cli/compile.h"
#include "sim/explore/explain.h"
#include "sim/explore/explore.h"

typedef struct {
    Arena arena;
    CompileOptions compile; /* for a .pld or .ir */
    RunSettings set;        /* what is about one run or exploration */
    const char *path;       /* PROGRAM; a.pldb when unsaid */
    Texts warnings, prints, watches;
    bool no_print;
    bool json;         /* --diagnostics=json */
    const char *junit; /* file of --report=junit:, or NULL */
    bool disasm, quiet, verbose, progress;
    bool cost_json;               /* --cost=json: standard output holds one JSON object */
    const char *trace, *timeline; /* files, or NULL */
    bool explores;                /* --explore */
    /* --fabric=mpi */
    bool spread;
    const char *plugin; /* NULL: by the launcher */
    bool cyclic, no_shared, checks_said;
    double stall;  /* seconds; 0: never */
    bool explains; /* --explain-sync */
} RunOptions;

/* Reads the command line. Returns -1 to go on, or an exit status (after --help, or a usage error
 * that has been printed). */
int run_options_parse(RunOptions *o, int argc, char **argv);

#endif
