/* Any bytes as a program or a dump, through every pass: messages with a place, or bytecode that
 * loads; never an internal error. */
#include "codegen/bytecode.h"
#include "codegen/emit.h"
#include "elab/specialize.h"
#include "lower/pass.h"
#include "parser/parser.h"
#include "tests/fuzz/replay.h"
#include <stdlib.h>

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_compile: %s\n", what);
        abort();
    }
}

static void check_bytecode(Arena *arena, BcProgram *p, bool strip)
{
    Buf out = {0};
    const char *why = "";
    bc_encode(p, strip, &out);
    if (!bc_decode(arena, out.at, out.len, &why)) {
        fprintf(stderr, "%s\n", why);
        require(false, "bytecode that does not load");
    }
    buf_free(&out);
}

static void compile(Arena *arena, Interner *in, Diags *diags, const AstModule *module)
{
    static const SpecializeOptions options = {.ranks = 2};
    static const PassOptions how = {.verify_each = true, .stop_after = PASS_FINAL};
    Program *p = specialize(arena, in, module, &options, diags);
    if (!p || diags_failed(diags))
        return;
    BcProgram *b = passes_run(p, &how) ? emit_program(arena, p) : NULL;
    require(b || diags_failed(diags), "neither bytecode nor a message");
    if (b) {
        check_bytecode(arena, b, false);
        check_bytecode(arena, b, true);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    Arena arena = {0};
    Interner names = {0};
    Diags diags;
    Source *src = source_from_bytes(&arena, "fuzz", (const char *)bytes, len);
    diags_init(&diags, &arena, src);
    AstModule *module = parse_module(&arena, &names, src, &diags);
    if (!diags_failed(&diags))
        compile(&arena, &names, &diags, module);
    require(!diags_internal(&diags), "an internal error");
    diags_free(&diags);
    interner_free(&names);
    arena_free(&arena);
    return 0;
}
