/* The compile driver: text to bytecode in memory. It prints nothing. */
#ifndef PLD_API_COMPILE_H
#define PLD_API_COMPILE_H

#include "api/settings.h"
#include "codegen/bytecode.h"
#include "elab/comptime/taken.h"

typedef enum {
    STATUS_OK = 0,
    STATUS_ERRORS = 1,
    STATUS_USAGE = 2,
    STATUS_INTERNAL = 70,
} CompileStatus;

typedef enum { EMIT_BYTECODE, EMIT_AST, EMIT_IR, EMIT_ASM } EmitKind;

/* A text, and what messages call it. */
typedef struct {
    const char *name, *text;
    size_t len;
} NamedSource;

/* A definition to take: the one that begins on this line of that text. */
typedef struct {
    uint32_t source, line;
    const GivenName *names;
    uint32_t n_names;
} TakenLine;

/* Definitions that make the program instead of what stands in one file. */
typedef struct {
    const NamedSource *sources;
    const TakenLine *defs;
    uint32_t n_sources, n_defs, entry;
} TakenLines;

typedef struct {
    const char *path; /* "-": standard input */
    const char *text; /* what the file would hold, `len` bytes; NULL: it is read */
    size_t len;
    const TakenLines *taken; /* NULL: all of the file, by the rules for it */
    const char *folder; /* where files are that it imports, "" or with a '/' at the end; NULL: that
                           of `path`, and none for a text */
    SpecializeOptions specialize;
    PassId stop_after; /* PASS_FINAL: go on to bytecode */
    bool verify_each;
    bool dump_passes;
    const char *dump_dir; /* NULL: ./STEM.passes */
    bool dump_one;        /* --dump-pass: into `dump_text`, then stop */
    PassId dump_pass;
    bool dump_loc;
    bool cost;                   /* closed forms of the collectives, into `cost_text` */
    bool time_passes;            /* the CPU time of each pass, into `times_text` */
    bool keep[PASS_COUNT];       /* the dumps after these, into `kept` */
    const char *const *warnings; /* -W names, in order */
    uint32_t n_warnings;
    DiagFormat diag_format;
    bool quiet;   /* no warnings */
    bool script;  /* read it as a script, whatever its name */
    bool strict;  /* read it as a program, whatever its name */
    bool verbose; /* list what a script has skipped */
} CompileOptions;

typedef struct {
    Arena arena; /* owns everything below */
    Interner in;
    Diags diags;
    Source *src;
    Arena trees;       /* what `module` is made of; freed once there is a program */
    AstModule *module; /* NULL once there is a program */
    Program *program;
    BcProgram *bytecode; /* NULL when stopped before */
    Buf dump_text;       /* --dump-pass */
    Buf cost_text;       /* --cost */
    Buf times_text;      /* --time-passes */
    Buf kept[PASS_COUNT];
    const char *note; /* what was taken of scripts, a line each; NULL: there is none */
    const char *why;  /* a message that has no place, or NULL */
    bool usage;       /* it is about an option */
} Compilation;

/* Runs the front end, the passes and code generation as far as the options say. The messages are in
 * c->diags and c->why. Returns an exit status; `c` is to be freed with compile_free either way. */
CompileStatus compile(Compilation *c, const CompileOptions *options);

/* Only loads and parses; for --emit=ast and --skeleton. */
CompileStatus compile_parse(Compilation *c, const CompileOptions *options);

/* Only reads the definition that begins on a line; NULL after a reported mistake. */
Ast *compile_take(Compilation *c, const NamedSource *source, uint32_t line);

void compile_free(Compilation *c);

/* Where --dump-passes writes: its folder, and the file of a pass in it. */
const char *compile_dump_dir(Arena *arena, const CompileOptions *options);
const char *compile_dump_path(Arena *arena, const char *dir, PassId pass);

/* "kernel" for "dir/kernel.pld"; "stdin" for "-". */
const char *path_stem(Arena *arena, const char *path);

#endif
