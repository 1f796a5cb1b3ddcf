/* Any text as Python out of which definitions are taken: names and paths are bound to values of all
 * kinds, each definition is compiled, and what compiles runs a little. Nothing crashes, and no
 * status but those of programs comes back. */
#include "api/pld.h"
#include "tests/fuzz/replay.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_DEFS = 12, MOST_TRIES = 200 };

static void require(bool holds, const char *what, const char *why)
{
    if (!holds) {
        fprintf(stderr, "fuzz_taken: %s: %s\n", what, why);
        abort();
    }
}

static uint32_t hash(const char *s, uint32_t h)
{
    for (; *s; s++)
        h = (h ^ (uint8_t)*s) * 16777619u;
    return h ^ h >> 15;
}

#define VALUE(...) ((pld_value){.size = sizeof(pld_value), __VA_ARGS__})

/* A value that the name decides, and the number of the definition that it stands in. */
static void bind(pld_unit *u, uint32_t def, uint32_t n_defs, const char *name)
{
    pld_value items[] = {
        VALUE(.tag = PLD_V_INT, .integer = 16), VALUE(.tag = PLD_V_INT, .integer = 32),
        VALUE(.tag = PLD_V_TEXT, .text = "rows"), VALUE(.tag = PLD_V_OPAQUE, .text = "a thing")};
    pld_value all[] = {VALUE(.tag = PLD_V_INT, .integer = 8),
                       VALUE(.tag = PLD_V_FLOAT, .real = 0.5),
                       VALUE(.tag = PLD_V_BOOL, .integer = 1),
                       VALUE(.tag = PLD_V_TEXT, .text = "text"),
                       VALUE(.tag = PLD_V_DTYPE, .text = "FP16"),
                       VALUE(.tag = PLD_V_ENUM, .text = "pl.AtomicType.Add"),
                       VALUE(.tag = PLD_V_EXTENT, .text = "(N * 2)"),
                       VALUE(.tag = PLD_V_LIST, .items = items, .n = 2),
                       VALUE(.tag = PLD_V_TUPLE, .items = items, .n = 4),
                       VALUE(.tag = PLD_V_DICT, .items = items + 1, .n = 2),
                       VALUE(.tag = PLD_V_DEF, .integer = def ? def - 1 : n_defs - 1),
                       VALUE(.tag = PLD_V_DEF, .integer = (def + 1) % n_defs),
                       VALUE(.tag = PLD_V_OP, .text = "pl.add"),
                       VALUE(.tag = PLD_V_TYPE, .items = items, .n = 2),
                       VALUE(.tag = PLD_V_OPAQUE, .text = "a torch.Tensor"),
                       VALUE(.tag = PLD_V_NONE)};
    pld_value module = VALUE(.tag = PLD_V_OP, .text = name);
    bool known = strcmp(name, "pl") == 0 || strcmp(name, "pld") == 0;
    uint32_t kinds = sizeof all / sizeof all[0];
    (void)pld_unit_bind(u, def, name, known ? &module : &all[hash(name, def * 7 + 1) % kinds]);
}

static void bind_all(pld_unit *u, uint32_t def, uint32_t n_defs)
{
    size_t n, m;
    const char *const *names = pld_unit_names(u, def, &n);
    for (size_t i = 0; i < n; i++)
        if (strncmp(names[i], "pl", 2) == 0 || hash(names[i], def) % 4)
            bind(u, def, n_defs, names[i]);
    const char *const *paths = pld_unit_paths(u, def, &m);
    for (size_t i = 0; i < m; i++)
        if (strncmp(paths[i], "pl", 2) != 0 && hash(paths[i], def) % 2)
            bind(u, def, n_defs, paths[i]);
}

/* Definitions begin where a line does, behind its spaces. */
static uint32_t take_all(pld_unit *u, uint32_t source, const char *text, size_t len)
{
    uint32_t n = 0, tries = 0, def;
    for (uint32_t line = 1; len && n < MOST_DEFS && tries < MOST_TRIES; line++) {
        const char *end = memchr(text, '\n', len);
        size_t size = end ? (size_t)(end - text) : len, at = 0;
        while (at < size && (text[at] == ' ' || text[at] == '\t'))
            at++;
        bool begins = at < size && (text[at] == '@' || text[at] == 'd' || text[at] == 'c');
        if (begins && ++tries && pld_unit_take(u, source, line, &def) == PLD_OK)
            n++;
        text += size + (end != NULL);
        len -= size + (end != NULL);
    }
    return n;
}

static void run(pld_program *p)
{
    pld_run *r = pld_run_new(p);
    pld_run_set(r, "max-steps", "2000");
    pld_run_set(r, "max-memory", "256M");
    int status = pld_run_start(r);
    require(status != PLD_INTERNAL, "a run", pld_run_text(r));
    pld_run_free(r);
}

static void compile(pld_unit *u, uint32_t def)
{
    pld_program *p;
    int status = pld_unit_compile(u, def, &p);
    bool known =
        status == PLD_OK || status == PLD_ERRORS || status == PLD_USAGE || status == PLD_NO_MEMORY;
    if (!known)
        fprintf(stderr, "status %d: %s\n", status, pld_unit_why(u));
    require(known, "a status", pld_unit_diags_text(u, 0));
    require(status != PLD_ERRORS || pld_unit_diag_count(u) > 0, "errors", "without a diagnostic");
    if (status == PLD_OK)
        run(p);
    pld_program_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    uint32_t source;
    if (len > 1 << 16)
        return 0;
    pld_unit *u = pld_unit_new();
    pld_value dims[] = {VALUE(.tag = PLD_V_INT, .integer = 16),
                        VALUE(.tag = PLD_V_INT, .integer = 32)};
    pld_value type = VALUE(.tag = PLD_V_TYPE, .items = dims, .n = 2);
    pld_unit_set(u, "max-memory", "256M");
    if (pld_unit_text(u, "fuzz.py", (const char *)bytes, len, PLD_SCRIPT, &source) == PLD_OK) {
        uint32_t n = take_all(u, source, (const char *)bytes, len);
        for (uint32_t i = 0; i < n; i++)
            bind_all(u, i, n);
        (void)pld_unit_argument(u, "#0", &type);
        (void)pld_unit_argument(u, "#1", &type);
        for (uint32_t i = 0; i < n; i++)
            compile(u, i);
    }
    pld_unit_free(u);
    return 0;
}
