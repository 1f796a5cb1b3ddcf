/* Operations and expressions that are not there: what to write in their place. */
#include "elab/comptime/elab.h"
#include <ctype.h>
#include <string.h>

static const struct {
    const char *word, *text;
} hints[] = {
#define PLD_HINT(word, text) {word, text},
#include "elab/comptime/hints.def"
};

static bool is_meant(const char *pattern, const char *dotted, const char *word)
{
    size_t n = strlen(pattern);
    if (pattern[n - 1] == '*')
        return strncmp(pattern, word, n - 1) == 0;
    return strcmp(pattern, strchr(pattern, '.') ? dotted : word) == 0;
}

const char *elab_instead(const char *dotted)
{
    const char *word = strrchr(dotted, '.') + 1;
    for (uint32_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (is_meant(hints[i].word, dotted, word))
            return hints[i].text;
    return NULL;
}

const char *elab_hint(Elab *e, const char *name)
{
    OpId found[4];
    return op_find(name, found, 4) ? arena_printf(e->arena, ": use %s", name) : "";
}

/* The op with the same last component: pld.wait is pld.system.wait. NULL: there is none. */
static const char *same_word(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (int i = 0; dot && i < OPCODE_COUNT; i++)
        if (!(op_info((OpId)i)->traits & TRAIT_IR_ONLY) && strcmp(op_word((OpId)i), dot + 1) == 0)
            return op_info((OpId)i)->full;
    return NULL;
}

const char *elab_nearest_op(const char *name)
{
    static const char *const more[] = {"pl.range",
                                       "pl.parallel",
                                       "pl.pipeline",
                                       "pl.unroll",
                                       "pl.yield_",
                                       "pl.min",
                                       "pl.max",
                                       "pl.const",
                                       "pl.dynamic",
                                       "pl.Tensor",
                                       "pl.Tile",
                                       "pl.Scalar",
                                       "pl.Out",
                                       "pl.InOut",
                                       "pl.program",
                                       "pl.function",
                                       "pld.DistributedTensor"};
    const char *names[2 * OPCODE_COUNT + sizeof more / sizeof more[0]];
    uint32_t n = 0;
    for (uint32_t i = 0; i < OPCODE_COUNT; i++) {
        const OpInfo *info = op_info((OpId)i);
        if (info->traits & TRAIT_IR_ONLY)
            continue;
        if (info->shorter[0])
            names[n++] = info->shorter;
        names[n++] = info->full;
    }
    for (uint32_t i = 0; i < sizeof more / sizeof more[0]; i++)
        names[n++] = more[i];
    const char *same = same_word(name);
    return same ? same : nearest_name(name, names, n);
}

Val elab_unknown_op(Elab *e, Sym dotted, Span span)
{
    static const char *const types[] = {"pl.Tensor", "pl.Tile",  "pl.Scalar",
                                        "pl.Out",    "pl.InOut", "pld.DistributedTensor"};
    for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(dotted, types[i]) != 0)
            continue;
        elab_error(e, span, "type", "%s is a type: it takes [...], not (...)", dotted);
        return val_bad;
    }
    const char *word = strrchr(dotted, '.') + 1, *near = elab_nearest_op(dotted);
    const char *last = near ? strrchr(near, '.') + 1 : "", *hint = elab_instead(dotted);
    bool same = strcmp(last, word) == 0 && (!hint || strncmp(dotted, "pld.tile.", 9) != 0);
    /* The same word elsewhere, else what the table says, else a name that looks like it: of an
     * operation, as a type cannot be called. */
    if (hint && !same)
        elab_error(e, span, "name", "there is no %s: write %s", dotted, hint);
    else if (near && !isupper((unsigned char)*last))
        elab_error(e, span, "op", "unknown operation %s; did you mean %s?", dotted, near);
    else
        elab_error(e, span, "op", "unknown operation %s: pldc --list-ops lists them", dotted);
    return val_bad;
}

Val elab_unavailable(Elab *e, const Ast *a)
{
    static const char *const instead[AST_COUNT] = {
        [AST_WALRUS] = "there is no `:=`: assign on a line of its own before this",
        [AST_YIELD] = "there is no yield: a loop or branch gives its values with pl.yield_(...)",
        [AST_YIELD_FROM] = "there is no yield: a loop gives its values with pl.yield_(...)",
        [AST_SET] = "there are no sets: use tuples or lists",
        [AST_SETCOMP] = "there are no sets: use tuples or lists",
        [AST_LAMBDA] = "there is no lambda: write the expression where it is used, or a function",
        [AST_STARRED] = "arguments are written out, there is no *",
        [AST_SLICE] = "a slice stands inside [] of a tensor only"};
    elab_error(e, a->span, "syntax", "%s",
               instead[a->kind] ? instead[a->kind] : "this is no expression");
    return val_bad;
}
