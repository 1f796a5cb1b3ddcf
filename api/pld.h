/* pld as a library: compile programs, run them on simulated devices. Manual: pld(3).
 *
 * No call exits, prints, reads the environment, or changes signal handlers, the locale or the
 * working directory; 256 KiB of stack suffice. Handles of different objects may be used from any
 * threads at once; one handle by one thread at a time, but a pld_program is immutable, counted and
 * may be shared, and pld_run_cancel may be called from anywhere. What a call returns by pointer
 * belongs to the handle and lives until the next call on it that is no getter, or its free. Free
 * functions take NULL. */
#ifndef PLD_H
#define PLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef PLD_API
#define PLD_API __attribute__((visibility("default")))
#endif

#define PLD_VERSION_MAJOR 0
#define PLD_VERSION_MINOR 1
#define PLD_VERSION_PATCH 0
/* major << 16 | minor << 8 | patch of the library that is loaded. */
PLD_API uint32_t pld_version(void);

/* What most calls return. After PLD_INTERNAL and PLD_NO_MEMORY a handle may only be freed. */
enum {
    PLD_OK = 0,
    PLD_GOLDEN = 1, /* an output is not what its golden says */
    PLD_USAGE = 2,  /* an option, an argument, a file */
    PLD_DEADLOCK = 3,
    PLD_CHECK = 4,
    PLD_FAULT = 5,
    PLD_STEPS = 6,      /* step limit, time limit */
    PLD_INCOMPLETE = 7, /* an exploration did not see everything */
    PLD_ERRORS = 8,     /* in the program */
    PLD_CANCELLED = 9,
    PLD_INTERNAL = 70, /* an error of ours */
    PLD_NO_MEMORY = 71
};
/* "deadlock"; never NULL. */
PLD_API const char *pld_status_text(int status);

/* Element types. */
enum {
    PLD_FP32 = 0,
    PLD_FP16 = 1,
    PLD_BF16 = 2,
    PLD_INT8 = 3,
    PLD_UINT8 = 4,
    PLD_INT16 = 5,
    PLD_UINT16 = 6,
    PLD_INT32 = 7,
    PLD_UINT32 = 8,
    PLD_INT64 = 9,
    PLD_BOOL = 10,
    PLD_INDEX = 11 /* as INT64 */
};
/* "FP32"; NULL for no dtype. */
PLD_API const char *pld_dtype_name(int dtype);

/* The tables of --list-ops, --list-platforms and --list-passes as JSON: lists of objects with name
 * and doc. Constant text; NULL: out of memory. */
PLD_API const char *pld_ops_json(void);
PLD_API const char *pld_platforms_json(void);
PLD_API const char *pld_passes_json(void);
/* The names of the language, one a call: "dtype FP32 4" with its bytes, "op pl.tile.load" ("op ":
 * none), "call pl.range", "enum Level.HOST 0" with its value, "module Level pl", "alias MemorySpace
 * Mem", "pass 00_parsed". NULL past the last. */
PLD_API const char *pld_word(size_t index);

typedef struct pld_unit pld_unit;       /* one compilation */
typedef struct pld_program pld_program; /* what it gives */
typedef struct pld_run pld_run;         /* a program with its arguments, run as often as wanted */

/* Directions of parameters. */
enum { PLD_IN = 0, PLD_OUT = 1, PLD_INOUT = 2 };

/* A value from outside: of a name in a program, or of an argument. */
enum {
    PLD_V_NONE = 0,
    PLD_V_INT = 1,
    PLD_V_FLOAT = 2,
    PLD_V_BOOL = 3,
    PLD_V_TEXT = 4,
    PLD_V_DTYPE = 5,  /* text: "FP32" */
    PLD_V_ENUM = 6,   /* text: "pl.AtomicType.Add" */
    PLD_V_EXTENT = 7, /* text: "N" of pl.dynamic("N"); "2 * N", "pld.world_size() - 1" */
    PLD_V_LIST = 8,   /* items, n */
    PLD_V_TUPLE = 9,
    PLD_V_DEF = 10,    /* integer: another taken definition */
    PLD_V_OP = 11,     /* text: "pl.add", "pl.jit"; "pl", "pld", "math": the module */
    PLD_V_TYPE = 12,   /* text: "pl.Tensor", "pld.DistributedTensor", "pl.Tile", "pl.Scalar"; NULL:
                          "pl.Tensor"; dtype; items, n: its extents, PLD_V_INT (-1: dynamic, of no
                          name) or PLD_V_EXTENT */
    PLD_V_OPAQUE = 13, /* text: what it is, for the message; an error only where it is used */
    PLD_V_DICT = 14    /* items, n: keys and values in turn */
};

typedef struct pld_value pld_value;
struct pld_value {
    size_t size; /* of this struct, set by the caller; the same in `items` */
    int tag;
    int dtype;       /* of a type */
    int dir;         /* of a type: PLD_IN (or nothing said), PLD_OUT, PLD_INOUT */
    int64_t integer; /* PLD_V_INT, PLD_V_BOOL, PLD_V_DEF */
    double real;     /* PLD_V_FLOAT */
    const char *text;
    const pld_value *items;
    size_t n;
};

/* ---- compile ---- */

/* How a source is read: by its name (.py: a script), or as said. */
enum { PLD_BY_NAME = 0, PLD_STRICT = 1, PLD_SCRIPT = 2 };

enum { PLD_ERROR = 0, PLD_WARNING = 1, PLD_NOTE = 2 };

typedef struct {
    size_t size; /* of this struct, set by the caller */
    int severity;
    const char *code; /* "syntax", "type", name of a warning */
    const char *file; /* NULL: no place */
    uint32_t line, col, end_line, end_col;
    const char *message;
    int64_t parent; /* of a note: index of the diagnostic it belongs to; else -1 */
} pld_diag;

/* A compilation, and its end. NULL: out of memory. */
PLD_API pld_unit *pld_unit_new(void);
PLD_API void pld_unit_free(pld_unit *unit);
/* Names and values as on the command line: devices, platform, entry, program, define ("NR=4"),
 * tensor ("x=FP32[64,64]"), W ("error", "no-NAME"), max-memory ("512M"), stop-after, cost,
 * dump-loc, no-verify-each, quiet, strip; flags take NULL or "". Texts are copied. */
PLD_API int pld_unit_set(pld_unit *unit, const char *option, const char *value);
/* What to compile: a file that is read when compiling, or a text, which is copied; the last one
 * counts. *source (which may be NULL) is the text's number for pld_unit_take: texts stay. */
PLD_API int pld_unit_file(pld_unit *unit, const char *path, int kind);
PLD_API int pld_unit_text(pld_unit *unit, const char *name, const char *text, size_t len, int kind,
                          uint32_t *source);

/* A program can also be made of single definitions, functions and classes, of one text or several:
 * each is taken by its line, and its free names are bound to values. One line may be taken
 * several times, with other bindings each. */
#define PLD_NO_DEF UINT32_MAX
/* The definition that begins at a line (from 1): that of its first decorator, or of its def or
 * class. It may be indented. PLD_ERRORS: it has mistakes; its diagnostics are the unit's. */
PLD_API int pld_unit_take(pld_unit *unit, uint32_t source, uint32_t line, uint32_t *def);
/* Its free names, in the order of the text: used in its body, annotations, defaults or decorators,
 * and bound nowhere in it. Names of modules ("pl") and of Python's functions are among them: what
 * is not bound means what it means in a file. The array is the unit's, until it is freed. */
PLD_API const char *const *pld_unit_names(pld_unit *unit, uint32_t def, size_t *n);
/* What it takes from free names by constants: "cfg.rows", "table['k'][0].rows". Each is as long as
 * the text has it; beginnings of it may be bound as well, and the longest that is bound counts. A
 * path that is not bound is what its name is, of which the text takes an attribute or an item. */
PLD_API const char *const *pld_unit_paths(pld_unit *unit, uint32_t def, size_t *n);
/* What a free name or path is; copied. "x:" is the annotation of parameter x and "->" that of the
 * result, "step.x:" and "step.->" those of a method of a class, for those that are no text of the
 * language: they take PLD_V_TYPE or PLD_V_EXTENT. "@" and "step.@" are its decorators, PLD_V_TEXT
 * with the one that they come to: "pl.function(type=pl.FunctionType.InCore)". NULL: it is bound no
 * more. */
PLD_API int pld_unit_bind(pld_unit *unit, uint32_t def, const char *name, const pld_value *value);
/* What comes for a parameter of the entry, by name or, "#0", by its number: PLD_V_TYPE for one that
 * is annotated pl.Tensor without a type, or a number to compile for; such a parameter is a constant
 * of the program and none of its parameters any more. What the text says already counts. NULL:
 * nothing is said. */
PLD_API int pld_unit_argument(pld_unit *unit, const char *param, const pld_value *value);
/* Keeps the dump after a pass ("parsed"), or "all". */
PLD_API int pld_unit_keep(pld_unit *unit, const char *pass);
/* Compiles definition `entry` and what it needs, or, for PLD_NO_DEF, the source, by the rules of
 * pldc. May be called again, after other settings too. *program (NULL after errors, and with
 * stop-after) is the caller's: pld_program_free. */
PLD_API int pld_unit_compile(pld_unit *unit, uint32_t entry, pld_program **program);
/* The dump after a pass that was kept, or "cost": closed forms, set by the option of that name;
 * NULL when there is none. */
PLD_API const char *pld_unit_dump(pld_unit *unit, const char *pass, size_t *len);
/* A whole program around the kernels of the source, as pldc --skeleton prints it. */
PLD_API int pld_unit_skeleton(pld_unit *unit, const char **text);
/* Diagnostics in source order, each followed by its notes. */
PLD_API size_t pld_unit_diag_count(const pld_unit *unit);
PLD_API int pld_unit_diag(const pld_unit *unit, size_t index, pld_diag *out);
/* All of them as pldc prints them, and what it says without a place; "" when there are none. */
PLD_API const char *pld_unit_diags_text(pld_unit *unit, int colour);
PLD_API const char *pld_unit_diags_json(pld_unit *unit);
/* Why the last call returned PLD_USAGE; "" when it did not. */
PLD_API const char *pld_unit_why(const pld_unit *unit);

/* ---- programs ---- */

enum { PLD_TENSOR = 0, PLD_SCALAR = 1 };

typedef struct {
    size_t size; /* of this struct, set by the caller */
    const char *name;
    int kind, dtype, dir;
    uint32_t rank;
    int64_t dims[8];       /* -1: dynamic */
    const char *dims_text; /* "[NR, 16]" */
} pld_param;

/* Reads a .pldb. PLD_USAGE: it is none; what is wrong with it is written to `why`,
 * cut to `why_size` bytes; `why` may be NULL. */
PLD_API int pld_program_decode(const void *bytes, size_t len, pld_program **program, char *why,
                               size_t why_size);
/* The .pldb, as pldc writes it. */
PLD_API const void *pld_program_encode(const pld_program *program, size_t *len);
/* One owner more, returned; and one less: the last one takes it away. */
PLD_API pld_program *pld_program_ref(pld_program *program);
PLD_API void pld_program_free(pld_program *program);
/* Of the code without its places: what replay tokens hold. */
PLD_API uint64_t pld_program_hash(const pld_program *program);
/* That of the program that a replay token is for; 0: the text is no token. */
PLD_API uint64_t pld_token_hash(const char *token);
/* Its instructions as text. NULL: out of memory. */
PLD_API const char *pld_program_disassemble(pld_program *program);
/* Name, entry, platform, devices, extents, parameters and functions, as JSON. NULL: out of memory.
 */
PLD_API const char *pld_program_json(pld_program *program);
/* Parameters of the host function: tensors, then scalars. */
PLD_API size_t pld_program_param_count(const pld_program *program);
PLD_API int pld_program_param(const pld_program *program, size_t index, pld_param *out);

/* ---- run ---- */

typedef struct {
    size_t size; /* of this struct, set by the caller */
    int dtype;
    uint32_t rank;
    const int64_t *shape;
    const int64_t *strides; /* bytes; NULL: dense, row-major. Negative and zero only for inputs */
    void *data;
} pld_tensor;

typedef struct {
    size_t size;       /* of this struct, set by the caller */
    const char *kind;  /* "usage", "fault", "deadlock", "check", "warning", "golden", "steps",
                          "internal", "note" */
    const char *check; /* "race", "uninit", "signal", ...; "token": of usage, it is for another
                          program, platform or inputs */
    int64_t rank;      /* -1: none */
    const char *file;  /* NULL: no place */
    uint32_t line, col;
    const char *text; /* complete, one line or several */
    int status;
} pld_report;

/* A run of a program, which stays the caller's too, and its end. NULL: out of memory. */
PLD_API pld_run *pld_run_new(pld_program *program);
PLD_API void pld_run_free(pld_run *run);
/* Every option of pldrun about one run, by its long name (devices, mem, check, schedule, seed,
 * max-steps, max-memory, time-limit, rtol, atol, input, golden, define, platform-set, ...). cost,
 * trace, timeline, dispatches, diagnostics ("json"), report ("junit"): record what pld_run_output
 * shows. print ("y[0]") and watch ("w[2][0]"), once each: its "prints" have them, too. no-print:
 * debug_print says nothing; quiet: no notes and warnings in texts. command: what reports put before
 * --schedule=TOKEN to be pasted; unsaid they end in schedule=TOKEN. Texts are copied. */
PLD_API int pld_run_set(pld_run *run, const char *option, const char *value);
/* The caller's memory: read by pld_run_start, and written by it where the parameter is an output
 * and the status is 0, 1 or 4. What nobody writes keeps its value. data NULL: the tensor is taken
 * away.
 */
PLD_API int pld_run_tensor(pld_run *run, const char *param, const pld_tensor *tensor);
/* What an output must be; copied at once. */
PLD_API int pld_run_golden(pld_run *run, const char *param, const pld_tensor *tensor);
/* PLD_V_INT, PLD_V_FLOAT or PLD_V_BOOL. */
PLD_API int pld_run_scalar(pld_run *run, const char *param, const pld_value *value);
/* Called in the calling thread while it runs, at most 20 times a second; not 0: cancel. */
PLD_API int pld_run_progress(pld_run *run, int (*f)(void *user, uint64_t steps, int64_t time_ps),
                             void *user);
/* What a sub-worker of the host program does: a function with role=pl.Role.SubWorker, by its name.
 * Called in the calling thread at that point of the host program, when those before it that touch
 * its arrays are done, with its parameters: tensors, then scalars as INT64 of rank 0. Arrays that
 * the function declares Out or InOut may be written. They are the library's, until it returns; not
 * 0: cancel. f NULL: the sub-worker does nothing, as for pldrun. */
PLD_API int pld_run_callback(pld_run *run, const char *name,
                             int (*f)(void *user, const pld_tensor *args, size_t n), void *user);
/* Runs; returns the verdict. */
PLD_API int pld_run_start(pld_run *run);
/* Runs once more; with `keep_windows` the windows start as the last run left them, and nothing but
 * arrays of the same shapes may have been set since. */
PLD_API int pld_run_again(pld_run *run, int keep_windows);
/* Runs every interleaving, up to `explore` (an option of the run) executions; the status is that of
 * pldrun --explore. pld_run_text is what failed, pld_run_token replays the first of it. Progress
 * counts executions. */
PLD_API int pld_explore(pld_run *run);
/* Tries the program without each of its synchronisations, as pldrun --explain-sync. */
PLD_API int pld_explain(pld_run *run);
/* What the last exploration or explanation found, as JSON; "" when there was none. */
PLD_API const char *pld_explore_json(const pld_run *run);
/* The run under way, or the next one, ends with PLD_CANCELLED. Also from a signal handler. */
PLD_API void pld_run_cancel(pld_run *run);
/* What the last run reported, one thing after another. */
PLD_API size_t pld_run_report_count(const pld_run *run);
PLD_API int pld_run_report(const pld_run *run, size_t index, pld_report *out);
/* The reports as pldrun prints them; "" when there are none. */
PLD_API const char *pld_run_text(const pld_run *run);
/* Replays what failed; "" when nothing did. */
PLD_API const char *pld_run_token(const pld_run *run);
/* "cost.json", "trace.json", "timeline.svg", "timeline.html", "dispatches.json" (who waits for
 * whom, and where the host queued it), "reports.json" (an object a line) and "junit.xml" of a run
 * that recorded them; "prints": what pl.debug_print said, and print and watch; "outcome": "OK",
 * "deadlock", ... NULL: there is none. */
PLD_API const char *pld_run_output(const pld_run *run, const char *what, size_t *len);
/* Instructions and modelled picoseconds of the last run. */
PLD_API uint64_t pld_run_steps(const pld_run *run);
PLD_API int64_t pld_run_time_ps(const pld_run *run);
/* Outputs that had a golden in the last run, and names of those that had none. */
PLD_API size_t pld_run_checked_count(const pld_run *run);
PLD_API const char *const *pld_run_unchecked(const pld_run *run, size_t *n);
/* Why the last call returned PLD_USAGE; "" when it did not. */
PLD_API const char *pld_run_why(const pld_run *run);

#ifdef __cplusplus
}
#endif
#endif
