/* Any text as a Python script: what is taken prints as a program that parses; nothing crashes. */
#include "elab/comptime/script.h"
#include "parser/parser.h"
#include "tests/fuzz/replay.h"
#include <stdlib.h>
#include <string.h>

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_script: %s\n", what);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    Arena arena = {0};
    Interner names = {0};
    Diags diags, again;
    Buf printed = {0};
    Source *src = source_from_bytes(&arena, "fuzz.py", (const char *)bytes, len);
    diags_init(&diags, &arena, src);
    AstModule *m = script_read(&arena, &names, src, (Span){0, src->len}, NULL, &diags);
    require(script_note(&arena, m, true) != NULL, "no note");
    for (uint32_t i = 0; i < m->skipped.len; i++)
        require(m->skipped.at[i].span.begin < m->skipped.at[i].span.end &&
                    m->skipped.at[i].span.end <= src->len,
                "skipped lines outside of the text");
    if (!diags_failed(&diags)) {
        ast_print_module(&printed, m);
        buf_str(&printed, "");
        Source *text = source_from_bytes(&arena, "again", printed.at, printed.len);
        diags_init(&again, &arena, text);
        parse_module(&arena, &names, text, &again);
        require(!diags_failed(&again), "what was taken does not parse");
        diags_free(&again);
    }
    buf_free(&printed);
    diags_free(&diags);
    interner_free(&names);
    arena_free(&arena);
    return 0;
}
