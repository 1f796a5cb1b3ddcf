/* Any bytes: parsing ends, every error has a place, and what parses prints to text that parses to
 * the same tree and prints the same. */
#include "parser/parser.h"
#include "tests/fuzz/replay.h"
#include <stdlib.h>
#include <string.h>

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_parse: %s\n", what);
        abort();
    }
}

static void check_diags(const Diags *diags, const Source *src)
{
    for (uint32_t i = 0; i < diags->list.len; i++) {
        Span span = diags->list.at[i].span;
        require(span.end > span.begin && span.end <= src->len + 1, "a message without a place");
    }
}

static void check_same(const AstModule *a, const AstModule *b)
{
    require(a->body.len == b->body.len, "another number of statements");
    for (uint32_t i = 0; i < a->body.len; i++)
        require(ast_equal(a->body.at[i], b->body.at[i]), "another tree");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    Arena arena = {0};
    Interner names = {0};
    Diags diags, again_diags;
    Buf printed = {0}, again = {0};
    Source *src = source_from_bytes(&arena, "fuzz", (const char *)bytes, len);
    diags_init(&diags, &arena, src);
    AstModule *module = parse_module(&arena, &names, src, &diags);
    check_diags(&diags, src);
    ast_print_module(&printed, module);
    buf_str(&printed, "");
    Source *printed_src = source_from_bytes(&arena, "again", printed.at, printed.len);
    diags_init(&again_diags, &arena, printed_src);
    if (!diags_failed(&diags)) {
        AstModule *second = parse_module(&arena, &names, printed_src, &again_diags);
        require(!diags_failed(&again_diags), "printed text does not parse");
        check_same(module, second);
        ast_print_module(&again, second);
        buf_str(&again, "");
        require(printed.len == again.len && memcmp(printed.at, again.at, again.len) == 0,
                "printed text changes when printed again");
    }
    buf_free(&printed);
    buf_free(&again);
    diags_free(&diags);
    diags_free(&again_diags);
    interner_free(&names);
    arena_free(&arena);
    return 0;
}
