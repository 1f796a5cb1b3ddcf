/* Functions of the two dumps are paired by name, so that one that was added does not shift the
 * rest. The cost cards are measured: each program runs once under the clock. */
#include "cli/compare.h"
#include "sim/host/run.h"

#include "sim/report/cost.h"

#include <string.h>

#define MAX_COST_STEPS UINT64_C(1000000000)
enum { COLUMN = 24 };

/* A part of a dump: what stands before the first function, or a function with its decorators. */
typedef struct {
    const char *name;
    const char *at;
    size_t len;
} CompareSide;
typedef VEC(CompareSide) Parts;

/* One of the two. */
typedef struct {
    const CompileOptions *options;
    const char *name;
    Compilation dumped, whole;
    Parts parts;
    RunResult result;
    World *world;
} Side;

static const char *def_name(Arena *arena, const char *line, size_t len)
{
    size_t indent = 0;
    while (indent < len && line[indent] == ' ')
        indent++;
    if (len - indent < 4 || memcmp(line + indent, "def ", 4) != 0)
        return NULL;
    const char *name = line + indent + 4;
    return arena_strndup(arena, name, strcspn(name, "(\n"));
}

static bool begins(const CompareSide *p, const char *text)
{
    const char *at = p->at + strspn(p->at, " ");
    return strncmp(at, text, strlen(text)) == 0;
}

/* A tensor's init and golden function are both named after it. */
static const char *part_name(Arena *arena, const CompareSide *p, const char *name)
{
    if (begins(p, "@pld.init"))
        return arena_printf(arena, "init %s", name);
    if (begins(p, "@pld.golden"))
        return arena_printf(arena, "golden %s", name);
    return name;
}

/* A decorator of a function opens a part; its `def` names it. Decorators of one function stand in
 * consecutive lines. The first line of a dump, its settings, is no part of the program, and neither
 * is the table of what was expanded, which tells about the lines that are compared. */
static void cut(Arena *arena, Parts *parts, const Buf *text)
{
    bool decorators = false;
    size_t first = text->len && text->at[0] == '#' ? strcspn(text->at, "\n") + 1 : 0;
    if (text->len == 0)
        return;
    vec_push(parts, ((CompareSide){"program", text->at + first, 0}));
    for (size_t at = first; at < text->len;) {
        const char *line = text->at + at;
        size_t len = strcspn(line, "\n");
        size_t indent = strspn(line, " ");
        if (strncmp(line + indent, "@pld.expansion(", 15) == 0) {
            at += len + 1;
            continue;
        }
        const char *name = def_name(arena, line, len);
        if (line[indent] == '@' && !decorators && indent > 0)
            vec_push(parts, ((CompareSide){"?", line, 0}));
        decorators = line[indent] == '@';
        if (name)
            vec_last(parts).name = part_name(arena, &vec_last(parts), name);
        at += len + (text->at[at + len] == '\n');
        vec_last(parts).len = (size_t)(text->at + at - vec_last(parts).at);
    }
}

static const CompareSide *find_part(const Parts *parts, const char *name)
{
    for (uint32_t i = 0; i < parts->len; i++)
        if (strcmp(parts->at[i].name, name) == 0)
            return &parts->at[i];
    return NULL;
}

static bool diff_parts(Side *a, Side *b, Buf *out)
{
    static const CompareSide none = {"", "", 0};
    bool differ = false;
    for (uint32_t i = 0; i < a->parts.len; i++) {
        const CompareSide *p = &a->parts.at[i], *q = find_part(&b->parts, p->name);
        q = q ? q : &none;
        differ |= diff_text(out, p->name, p->at, p->len, q->at, q->len);
    }
    for (uint32_t i = 0; i < b->parts.len; i++) {
        const CompareSide *q = &b->parts.at[i];
        if (!find_part(&a->parts, q->name))
            differ |= diff_text(out, q->name, "", 0, q->at, q->len);
    }
    return differ;
}

/* ---- cost ---- */

static void run_side(Side *s)
{
    Arena *arena = &s->whole.arena;
    uint32_t n =
        s->whole.bytecode->compiled_ranks ? s->whole.bytecode->compiled_ranks : DEFAULT_RANKS;
    uint32_t *ids = arena_array(arena, n, sizeof *ids);
    RunConfig *run = arena_new(arena, RunConfig);
    for (uint32_t i = 0; i < n; i++)
        ids[i] = i;
    *run = (RunConfig){.n_devices = n,
                       .devices = ids,
                       .host = &host_files,
                       .rtol = -1,
                       .atol = -1,
                       .max_steps = MAX_COST_STEPS,
                       .no_golden = true};
    bc_hash(s->whole.bytecode);
    (void)sim_run_keep(s->whole.bytecode, run, &s->result, &s->world);
}

static uint64_t value_of(const Side *s, uint32_t rank, unsigned row)
{
    CostCount c = cost_rank(s->world, rank);
    const int64_t more[] = {
        cost_core_peak(s->world, rank), c.compute_ps, c.memory_ps, c.link_ps, c.waiting_ps,
        cost_rank_time(s->world, rank)};
    return row < COST_COUNTERS ? cost_counter(&c, row) : (uint64_t)more[row - COST_COUNTERS];
}

static void number(Buf *out, uint64_t v, bool time)
{
    if (time)
        buf_printf(out, "%llu.%02llu", (unsigned long long)(v / 1000000),
                   (unsigned long long)(v % 1000000 / 10000));
    else
        buf_printf(out, "%llu", (unsigned long long)v);
}

/* "768", or "0 to 768" where ranks differ. */
static void cell(const Side *s, unsigned row, bool time, Buf *out)
{
    uint64_t lo = UINT64_MAX, hi = 0;
    Buf text = {0};
    for (uint32_t i = 0; s->world && i < s->world->n_ranks; i++) {
        uint64_t v = value_of(s, i, row);
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    if (!s->world) {
        buf_str(&text, "-");
    } else {
        number(&text, lo, time);
        if (hi != lo) {
            buf_str(&text, " to ");
            number(&text, hi, time);
        }
    }
    buf_printf(out, "  %*s", COLUMN, text.at);
    buf_free(&text);
}

static void no_card(const Side *s, Buf *out)
{
    if (s->result.status != EXIT_OK)
        buf_printf(out, "%s: its run ended with %s: %s\n", s->name, cost_verdict(&s->result),
                   s->result.n_reports ? s->result.reports[0].text : "");
}

static void cost_cards(const Side *a, const Side *b, Buf *out)
{
    static const char *const rows[] = {
        "bytes received", "bytes sent", "data steps",   "notifies",   "notifies to self",
        "waits",          "barriers",   "on-core peak", "compute us", "memory us",
        "link us",        "waiting us", "time us"};
    buf_printf(out, "%scost of a rank     %*s  %*s\n", out->len ? "\n" : "", COLUMN, a->name,
               COLUMN, b->name);
    buf_printf(out, "%-18s  %*u  %*u\n", "devices", COLUMN,
               a->world ? a->world->n_ranks : a->whole.bytecode->compiled_ranks, COLUMN,
               b->world ? b->world->n_ranks : b->whole.bytecode->compiled_ranks);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        buf_printf(out, "%-18s", rows[i]);
        cell(a, i, i > COST_COUNTERS, out);
        cell(b, i, i > COST_COUNTERS, out);
        buf_char(out, '\n');
    }
    no_card(a, out);
    no_card(b, out);
}

static bool compile_side(Side *s)
{
    CompileOptions dump = *s->options, whole = *s->options;
    dump.dump_one = true;
    whole.dump_one = false;
    if (tool_compile("pldc", &s->dumped, &dump) != STATUS_OK)
        return false;
    whole.quiet = true; /* its warnings have been said */
    if (tool_compile("pldc", &s->whole, &whole) != STATUS_OK)
        return false;
    cut(&s->dumped.arena, &s->parts, &s->dumped.dump_text);
    return true;
}

static void side_free(Side *s)
{
    world_free(s->world);
    run_result_free(&s->result);
    vec_free(&s->parts);
    compile_free(&s->dumped);
    compile_free(&s->whole);
}

int compare(const CompileOptions *a, const CompileOptions *b, const char *name_a,
            const char *name_b, Buf *out)
{
    Side sides[2] = {{.options = a, .name = name_a}, {.options = b, .name = name_b}};
    int status = STATUS_USAGE;
    if (compile_side(&sides[0]) && compile_side(&sides[1])) {
        Buf diff = {0};
        status = diff_parts(&sides[0], &sides[1], &diff);
        if (status)
            buf_printf(out, "--- %s\n+++ %s\n%s", name_a, name_b, diff.at);
        buf_free(&diff);
        run_side(&sides[0]);
        run_side(&sides[1]);
        cost_cards(&sides[0], &sides[1], out);
    }
    side_free(&sides[0]);
    side_free(&sides[1]);
    return status;
}
