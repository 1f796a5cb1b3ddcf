/* Passes and their manager. */
#ifndef PLD_LOWER_PASS_H
#define PLD_LOWER_PASS_H

#include "base/buf.h"
#include "ir/ir.h"
#include "ir/verify.h"
#include "parser/ast.h"

typedef enum {
#define PLD_PASS(ENUM, name, requires, produces, breaks, doc) PASS_##ENUM,
#include "lower/passes.def"
    PASS_COUNT
} PassId;

typedef struct {
    PassId id;
    const char *name; /* "lower_composite_ops" */
    const char *file; /* "08_lower_composite_ops" */
    const char *doc;
    uint32_t requires, produces, breaks;
} PassInfo;

const PassInfo *pass_info(PassId id);
/* By name, with or without number ("lower_composite_ops", "08_lower_composite_ops"); false if
 * unknown. */
bool pass_from_name(const char *name, PassId *id);
void pass_print_table(FILE *out);

/* A setting of a compile-time parameter: -D NAME=VALUE. */
typedef struct {
    const char *name, *value;
} Define;

typedef struct {
    const Define *defines;
    uint32_t n_defines;
    uint32_t ranks;              /* devices; 0: unsaid, two (or what a dump's first line says) */
    const Platform *platform;    /* NULL: unsaid, a2a3sim (or what the first line says) */
    const char *program, *entry; /* NULL: unsaid */
} SpecializeOptions;

/* Pass 01 (lower/specialize*.c): evaluates compile-time code and builds the typed IR. Also reads
 * dumps: for a module with a `# pld-ir` first line it takes bindings, platform, program and entry
 * from there (options that contradict are errors), accepts .ir-only ops and attributes, sets
 * p->stage to the pass named, and p->properties to what holds after it. Returns NULL after errors.
 */
Program *specialize(Arena *arena, Interner *in, const AstModule *module,
                    const SpecializeOptions *options, Diags *diags);

/* The first line for a dump of the AST (00_parsed): binds what `options` bind. Reported errors:
 * false. */
bool specialize_header(Arena *arena, Interner *in, const AstModule *module,
                       const SpecializeOptions *options, Diags *diags, Buf *out);

/* Called after each pass (also for p->stage as read, when a dump is continued), in order. false
 * stops. */
typedef bool PassHook(void *env, Program *p, PassId pass);

typedef struct {
    bool verify_each;
    PassId stop_after; /* PASS_FINAL for all */
    PassHook *hook;    /* may be NULL */
    void *env;
} PassOptions;

/* Runs the passes after p->stage. A pass that breaks what it promised is an internal error that
 * names the pass, the function and the op. false after errors. */
bool passes_run(Program *p, const PassOptions *options);

/* The passes, one file each (lower/<name>.c). false after reported errors. */
bool pass_inline_unroll(Program *p);
bool pass_convert_to_ssa(Program *p);
bool pass_simplify(Program *p);
bool pass_flatten_calls(Program *p);
bool pass_lower_tensor_ops(Program *p);
bool pass_synthesize_signals(Program *p);
bool pass_lower_composite_ops(Program *p);
bool pass_lower_host_collectives(Program *p);
bool pass_lower_transfers(Program *p);
bool pass_materialize_windows(Program *p);
bool pass_insert_fences(Program *p);
bool pass_allocate_memory(Program *p);
bool pass_final(Program *p);

#endif
