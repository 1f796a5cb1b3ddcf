/* Any bytes as a .pldb file, as they are and with their checksums put right: refused with a reason,
 * or a program that can be printed, written and read again. */
#include "codegen/bytecode.h"
#include "tests/fuzz/replay.h"
#include "tests/pldb_fix.h"
#include <stdlib.h>

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_decode: %s\n", what);
        abort();
    }
}

static void try_decode(const Buf *bytes, int again)
{
    Arena arena = {0};
    const char *why = NULL;
    BcProgram *p = bc_decode(&arena, bytes->at, bytes->len, &why);
    require(p || (why && *why), "refused without a reason");
    if (p && again) {
        Buf text = {0}, out = {0};
        bc_disassemble(p, &text);
        bc_encode(p, false, &out);
        try_decode(&out, again - 1);
        buf_free(&text);
        buf_free(&out);
    }
    require(p || again, "what was written does not load");
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    Buf file = {0};
    buf_bytes(&file, bytes, len);
    try_decode(&file, 1);
    pldb_fix_header(&file);
    try_decode(&file, 1);
    buf_free(&file);
    return 0;
}
