/* Elaboration: from the AST to typed IR. */
#ifndef PLD_ELAB_SPECIALIZE_H
#define PLD_ELAB_SPECIALIZE_H

#include "base/buf.h"
#include "ir/ir.h"
#include "parser/ast.h"

/* A setting of a compile-time parameter, -D NAME=VALUE, or, for the name "tensor:x", the dtype and
 * extents of the entry's tensor x: "FP32[64,64]". */
typedef struct {
    const char *name, *value;
    bool aside; /* said by the way: may be of no use, and gives way to others */
} Define;

typedef struct {
    const Define *defines;
    uint32_t n_defines;
    uint32_t ranks;              /* devices; 0: unsaid, two (or what a dump's first line says) */
    const Platform *platform;    /* NULL: unsaid, a2a3sim (or what the first line says) */
    const char *program, *entry; /* NULL: unsaid */
} SpecializeOptions;

/* Pass 01 (elab/): evaluates compile-time code and builds the typed IR. Also reads
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

#endif
