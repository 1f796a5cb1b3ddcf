#include "cli/options.h"

#include "base/buf.h"
#include "base/terminal.h"

#include <stdarg.h>
#include <string.h>

void opt_init(OptScan *scan, const OptSpec *specs, uint32_t n_specs, int argc, char **argv)
{
    *scan = (OptScan){.specs = specs, .n_specs = n_specs, .argc = argc, .argv = argv, .at = 1};
}

/* Takes the next word as an argument; NULL at the end. */
static const char *opt_take(OptScan *scan)
{
    return scan->at < scan->argc ? scan->argv[scan->at++] : NULL;
}

static int find_long(const OptScan *scan, const char *name, size_t len)
{
    for (uint32_t i = 0; i < scan->n_specs; i++) {
        const char *have = scan->specs[i].name;
        if (have && strlen(have) == len && memcmp(have, name, len) == 0)
            return (int)i;
    }
    return OPT_UNKNOWN;
}

static int find_short(const OptScan *scan, char letter)
{
    for (uint32_t i = 0; i < scan->n_specs; i++)
        if (scan->specs[i].letter == letter)
            return (int)i;
    return OPT_UNKNOWN;
}

static int long_option(OptScan *scan, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) : strlen(word);
    scan->name = word;
    scan->value = equals ? equals + 1 : NULL;
    int id = find_long(scan, word, len);
    if (id < 0)
        return id;
    scan->name = scan->specs[id].name;
    switch (scan->specs[id].arg) {
    case ARG_NONE: return scan->value ? OPT_BAD : id;
    case ARG_REQUIRED:
        if (!scan->value)
            scan->value = opt_take(scan);
        return scan->value ? id : OPT_BAD;
    default: return id;
    }
}

static int short_option(OptScan *scan, const char *letters)
{
    int id = find_short(scan, letters[0]);
    scan->name = letters;
    scan->cluster = NULL;
    if (id < 0)
        return OPT_UNKNOWN_LETTER;
    const char *rest = letters + 1;
    if (scan->specs[id].arg == ARG_NONE) {
        scan->cluster = *rest ? rest : NULL;
        return id;
    }
    if (scan->specs[id].arg == ARG_GLUED) {
        scan->value = rest;
        return *rest ? id : OPT_BAD;
    }
    scan->value = *rest ? rest : opt_take(scan);
    return scan->value ? id : OPT_BAD;
}

int opt_next(OptScan *scan)
{
    scan->value = NULL;
    if (scan->cluster)
        return short_option(scan, scan->cluster);
    const char *word = opt_take(scan);
    if (!word)
        return OPT_END;
    if (!scan->only_positional && strcmp(word, "--") == 0) {
        scan->only_positional = true;
        return OPT_SEPARATOR;
    }
    if (!scan->only_positional && word[0] == '-' && word[1] == '-')
        return long_option(scan, word + 2);
    if (!scan->only_positional && word[0] == '-' && word[1])
        return short_option(scan, word + 1);
    scan->value = word;
    return OPT_POSITIONAL;
}

static int option_words(char *out, size_t size, const OptSpec *s)
{
    const char *equals = s->arg == ARG_OPTIONAL ? "[=" : s->arg == ARG_REQUIRED ? " " : "";
    const char *close = s->arg == ARG_OPTIONAL ? "]" : "";
    const char *meta = s->metavar ? s->metavar : "";
    if (!s->name)
        return snprintf(out, size, "-%c%s%s", s->letter, s->arg == ARG_REQUIRED ? " " : "", meta);
    if (s->letter)
        return snprintf(out, size, "-%c, --%s%s%s%s", s->letter, s->name, equals, meta, close);
    return snprintf(out, size, "--%s%s%s%s", s->name, equals, meta, close);
}

void opt_print_help(FILE *out, const char *usage, const OptSpec *specs, uint32_t n_specs,
                    const char *tail)
{
    fputs(usage, out);
    for (uint32_t i = 0; i < n_specs; i++) {
        if (!specs[i].help)
            continue;
        char words[96];
        int width = option_words(words, sizeof words, &specs[i]);
        if (width > 24)
            fprintf(out, "  %s  %s\n", words, specs[i].help);
        else
            fprintf(out, "  %-24s  %s\n", words, specs[i].help);
    }
    fputs(tail, out);
}

int usage_error(const char *tool, const char *fmt, ...)
{
    Buf text = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&text, fmt, ap);
    va_end(ap);
    terminal_line(stderr, "%s: error: %s", tool, text.at);
    terminal_line(stderr, "Try '%s --help'.", tool);
    buf_free(&text);
    return 2;
}

int opt_usage_error(const char *tool, const OptScan *scan, int id)
{
    if (id == OPT_UNKNOWN_LETTER)
        return usage_error(tool, "unknown option '-%c'", scan->name[0]);
    return usage_error(tool, "option '%s' %s", scan->name,
                       scan->value ? "takes no argument" : "needs an argument");
}

bool defines_take(const char *tool, Arena *arena, Defines *defines, OptScan *scan, const char *path)
{
    if (!path || scan->name[0] == '\0' || scan->name[0] == '=') {
        usage_error(tool, "unknown option '--%s'", scan->name);
        return false;
    }
    if (scan->value)
        return defines_add(arena, defines, scan->name);
    const char *value = opt_take(scan);
    if (!value) {
        usage_error(tool, "parameter --%s needs a value", scan->name);
        return false;
    }
    avec_push(arena, defines, ((Define){.name = scan->name, .value = value}));
    return true;
}
