/* Elaboration: from the AST to typed IR. */
#ifndef PLD_ELAB_SPECIALIZE_H
#define PLD_ELAB_SPECIALIZE_H

#include "base/buf.h"
#include "elab/comptime/settings.h"
#include "parser/ast.h"

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
