/* Any bytes: elaboration ends; it gives messages or a program that verifies, and whose dump is a
 * program that gives the same dump. */
#include "elab/specialize.h"
#include "ir/pass_table.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "parser/parser.h"
#include "tests/fuzz/replay.h"
#include <stdlib.h>
#include <string.h>

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_specialize: %s\n", what);
        abort();
    }
}

static const SpecializeOptions no_options;

/* NULL after messages. Appends the dump to `out`. */
static Program *elaborate(Arena *arena, Interner *in, Diags *diags, const Source *src, Buf *out)
{
    diags_init(diags, arena, src);
    AstModule *module = parse_module(arena, in, src, diags);
    if (diags_failed(diags))
        return NULL;
    Program *p = specialize(arena, in, module, &no_options, diags);
    require((p != NULL) != diags_failed(diags), "no program and no message, or both");
    require(!diags_internal(diags), "an internal error");
    if (!p)
        return NULL;
    require(ir_verify(p, p->properties, "specialize"), "a program that does not verify");
    PrintOptions o = {.ssa = (p->properties & PROP_SSA) != 0,
                      .pass = pass_info((PassId)p->stage)->file};
    ir_print(out, p, &o);
    return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    Arena arena = {0};
    Interner names = {0};
    Diags diags, again_diags = {0};
    Buf dump = {0}, again = {0};
    Source *src = source_from_bytes(&arena, "fuzz", (const char *)bytes, len);
    Program *p = elaborate(&arena, &names, &diags, src, &dump);
    /* A dump of a later pass may be any text: only those that come from a program read back. */
    if (p && p->stage == PASS_SPECIALIZE && src->text[0] != '#') {
        src = source_from_bytes(&arena, "dump", dump.at, dump.len);
        require(elaborate(&arena, &names, &again_diags, src, &again), "a dump that is refused");
        require(strcmp(dump.at, again.at) == 0, "a dump that reads as another program");
    }
    buf_free(&dump);
    buf_free(&again);
    diags_free(&diags);
    diags_free(&again_diags);
    interner_free(&names);
    arena_free(&arena);
    return 0;
}
