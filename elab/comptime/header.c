/* The first line of a dump: the pass it was made after, and what was bound.
 *
 *     # pld-ir 09_lower_composite_ops ranks=4 nr=ranks mode="builtin" platform=a2a3sim program=P
 * entry=host
 *
 * `ranks` comes first and platform, program and entry last, so a parameter may have one of these
 * names. A parameter bound to pld.world_size() is written NAME=ranks. */
#include "elab/comptime/elab.h"
#include <ctype.h>
#include <string.h>

/* The next `key=value` (value maybe quoted); false at the end or at what is none. */
static bool next_pair(Elab *e, const char **at, HeaderPair *out)
{
    const char *s = *at + strspn(*at, " ");
    size_t key = strcspn(s, "= ");
    if (key == 0 || s[key] != '=')
        return false;
    const char *v = s + key + 1, *end = v;
    if (*v == '"') {
        for (end = v + 1; *end && *end != '"'; end++)
            if (*end == '\\' && end[1])
                end++;
        if (*end != '"')
            return false;
        end++;
    } else {
        end = v + strcspn(v, " ");
    }
    *out = (HeaderPair){.name = intern_n(e->in, s, key),
                        .value = intern_n(e->in, v, (size_t)(end - v))};
    *at = end;
    return true;
}

static bool bad_header(Elab *e, const char *what)
{
    Span span = {0, (uint32_t)strlen(e->module->header)};
    elab_error(e, span, "syntax",
               "the first line of the dump %s: wanted `# pld-ir NN_pass ranks=N ... platform=P "
               "program=P entry=F`",
               what);
    return false;
}

static bool read_number(const char *s, uint32_t *out)
{
    char *end;
    unsigned long v = strtoul(s, &end, 10);
    if (!isdigit((unsigned char)*s) || *end || v < 1 || v > 65536)
        return false;
    *out = (uint32_t)v;
    return true;
}

static bool read_fixed(Elab *e, Header *h, const char *name, const char *value)
{
    const char *why = NULL;
    if (strcmp(name, "platform") == 0) {
        h->platform = platform_from_name(value, &why);
        return h->platform ? true
                           : bad_header(e, arena_printf(e->arena, "names the platform %s", value));
    }
    if (strcmp(name, "program") == 0)
        h->program = intern(e->in, value);
    else
        h->entry = intern(e->in, value);
    return true;
}

static bool is_fixed(const char *name)
{
    return strcmp(name, "platform") == 0 || strcmp(name, "program") == 0 ||
           strcmp(name, "entry") == 0;
}

static bool read_pairs(Elab *e, Header *h, const char *at)
{
    VEC(HeaderPair) pairs = {0};
    HeaderPair pair;
    bool ok = true;
    while (next_pair(e, &at, &pair))
        avec_push(e->arena, &pairs, pair);
    if (at[strspn(at, " ")])
        return bad_header(e, arena_printf(e->arena, "has '%s'", at + strspn(at, " ")));
    uint32_t tail = pairs.len;
    while (tail > 0 && is_fixed(pairs.at[tail - 1].name) && pairs.len - tail < 3)
        tail--;
    for (uint32_t i = tail; i < pairs.len && ok; i++)
        ok = read_fixed(e, h, pairs.at[i].name, pairs.at[i].value);
    uint32_t first = 0;
    if (tail > 0 && strcmp(pairs.at[0].name, "ranks") == 0) {
        ok = ok && (read_number(pairs.at[0].value, &h->ranks) || bad_header(e, "has a bad ranks="));
        first = 1;
    }
    for (uint32_t i = first; i < tail; i++)
        avec_push(e->arena, &h->bindings, pairs.at[i]);
    return ok;
}

static bool agrees(Elab *e, Header *h)
{
    const SpecializeOptions *o = e->opt;
    /* ranks=1 may be that of an entry without a host function (entry.c). */
    if (o->ranks && h->ranks > 1 && o->ranks != h->ranks)
        elab_error(e, elab_top, "option", "%u devices, but the first line of the dump has ranks=%u",
                   o->ranks, h->ranks);
    else if (o->platform && h->platform && o->platform->id != h->platform->id)
        elab_error(e, elab_top, "option",
                   "platform %s, but the first line of the dump has platform=%s", o->platform->name,
                   h->platform->name);
    else if (o->program && h->program && strcmp(o->program, h->program) != 0)
        elab_error(e, elab_top, "option",
                   "--program %s, but the first line of the dump has program=%s", o->program,
                   h->program);
    else if (o->entry && h->entry && strcmp(o->entry, h->entry) != 0)
        elab_error(e, elab_top, "option", "--entry %s, but the first line of the dump has entry=%s",
                   o->entry, h->entry);
    else
        return true;
    return false;
}

bool elab_read_header(Elab *e)
{
    if (!e->module->header)
        return true;
    const char *at = e->module->header;
    at += strcspn(at, "#");
    at += strspn(at, "# ");
    if (strncmp(at, "pld-ir ", 7) != 0)
        return bad_header(e, "names no pass");
    at += 7 + strspn(at + 7, " ");
    size_t n = strcspn(at, " ");
    Header *h = arena_new(e->arena, Header);
    const char *pass = arena_strndup(e->arena, at, n);
    if (!pass_from_name(pass, &h->stage))
        return bad_header(e, arena_printf(e->arena, "names no pass ('%s')", pass));
    if (!read_pairs(e, h, at + n))
        return false;
    e->header = h;
    e->ir = h->stage >= PASS_SPECIALIZE;
    e->p->ranks = h->ranks ? h->ranks : e->p->ranks;
    e->p->platform = h->platform ? h->platform : e->p->platform;
    return agrees(e, h);
}

void elab_print_header(Elab *e, Buf *out)
{
    const Program *p = e->p;
    buf_printf(out, "# pld-ir %s ranks=%u", pass_info(PASS_PARSED)->file, p->ranks);
    for (uint32_t i = 0; i < p->bindings.len; i++)
        buf_printf(out, " %s=%s", p->bindings.at[i].name,
                   p->bindings.at[i].ranks ? "ranks" : p->bindings.at[i].value);
    buf_printf(out, " platform=%s program=%s entry=%s\n", p->platform->name, p->name,
               p->entry->name);
}
