#include "cli/options.h"

#include "base/buf.h"
#include "base/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define MAX_DEVICES 4096

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

bool defines_add(Arena *arena, Defines *defines, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment)
        return false;
    const char *name = arena_strndup(arena, assignment, (size_t)(equals - assignment));
    avec_push(arena, defines, ((Define){.name = name, .value = equals + 1}));
    return true;
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

bool parse_int(const char *text, int64_t lo, int64_t hi, int64_t *out)
{
    char *end;
    errno = 0;
    if (!(*text == '-' || (*text >= '0' && *text <= '9')))
        return false;
    long long v = strtoll(text, &end, 10);
    if (errno || *end || end == text || v < lo || v > hi)
        return false;
    *out = v;
    return true;
}

bool parse_number(const char *text, double *out)
{
    char *end;
    if (!(*text == '.' || (*text >= '0' && *text <= '9')))
        return false;
    *out = strtod(text, &end);
    return !*end && end != text && isfinite(*out);
}

static bool device_number(const char **at, const char *end, uint32_t *out)
{
    uint64_t v = 0;
    const char *start = *at;
    while (*at < end && **at >= '0' && **at <= '9' && v < 1000000000u)
        v = v * 10 + (uint64_t)(*(*at)++ - '0');
    *out = (uint32_t)v;
    return *at > start && v <= INT32_MAX;
}

static const char *add_device(Arena *arena, Devices *out, uint32_t id)
{
    for (uint32_t i = 0; i < out->len; i++)
        if (out->at[i] == id)
            return arena_printf(arena, "device %u is named twice", id);
    if (out->len == MAX_DEVICES)
        return arena_printf(arena, "more than %d devices", MAX_DEVICES);
    avec_push(arena, out, id);
    return NULL;
}

static const char *device_item(Arena *arena, const char *at, const char *end, Devices *out)
{
    uint32_t first, last;
    const char *item = at;
    if (at == end)
        return "an empty item";
    if (!device_number(&at, end, &first))
        return arena_printf(arena, "'%.*s' is not a device number", (int)(end - item), item);
    last = first;
    if (at < end && *at == '-') {
        at++;
        if (!device_number(&at, end, &last))
            return arena_printf(arena, "'%.*s' is not a range", (int)(end - item), item);
    }
    if (at != end)
        return arena_printf(arena, "'%.*s' is not a device number or range", (int)(end - item),
                            item);
    if (last < first)
        return arena_printf(arena, "the range %u-%u runs backwards", first, last);
    for (uint32_t id = first;; id++) {
        const char *why = add_device(arena, out, id);
        if (why || id == last)
            return why;
    }
}

bool devices_parse(Arena *arena, const char *text, Devices *out, const char **why)
{
    if (!*text) {
        *why = "no devices";
        return false;
    }
    for (const char *at = text;; at++) {
        const char *end = at + strcspn(at, ",");
        *why = device_item(arena, at, end, out);
        if (*why)
            return false;
        if (!*end)
            return true;
        at = end;
    }
}
