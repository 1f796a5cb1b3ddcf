/* The compile driver that pldc and pldrun share: text to bytecode in memory. */
#ifndef PLD_CLI_COMPILE_H
#define PLD_CLI_COMPILE_H

#include "cli/options.h"
#include "codegen/bytecode.h"

typedef enum {
    STATUS_OK = 0,
    STATUS_ERRORS = 1,
    STATUS_USAGE = 2,
    STATUS_INTERNAL = 70,
} CompileStatus;

typedef enum { EMIT_BYTECODE, EMIT_AST, EMIT_IR, EMIT_ASM } EmitKind;

typedef struct {
    const char *tool; /* for messages without a place */
    const char *path; /* "-": standard input */
    SpecializeOptions specialize;
    PassId stop_after; /* PASS_FINAL: go on to bytecode */
    bool verify_each;
    bool dump_passes;
    const char *dump_dir; /* NULL: ./STEM.passes */
    bool dump_one;        /* --dump-pass: into `dump_text`, then stop */
    PassId dump_pass;
    bool dump_loc;
    bool cost;                   /* closed forms of the collectives, into `cost_text` */
    bool time_passes;            /* print the CPU time of each pass on standard error */
    const char *const *warnings; /* -W names, in order */
    uint32_t n_warnings;
    DiagFormat diag_format;
    bool quiet;   /* no warnings */
    bool verbose; /* all that was skipped in a script */
    bool script;  /* a Python script, whatever its name */
} CompileOptions;

typedef struct {
    Arena arena; /* owns everything below */
    Interner in;
    Diags diags;
    const Source *src;
    AstModule *module;
    Program *program;
    BcProgram *bytecode; /* NULL when stopped before */
    Buf dump_text;       /* --dump-pass */
    Buf cost_text;       /* --cost */
} Compilation;

/* Runs the front end, the passes and code generation as far as the options say, printing
 * diagnostics on standard error. Returns an exit status; `c` is to be freed with compile_free
 * either way. */
CompileStatus compile(Compilation *c, const CompileOptions *options);

/* Only loads and parses; for --emit=ast and --skeleton. */
CompileStatus compile_parse(Compilation *c, const CompileOptions *options);

void compile_free(Compilation *c);

/* "kernel" for "dir/kernel.pld"; "stdin" for "-". */
const char *path_stem(Arena *arena, const char *path);

#endif
