#include "api/compile.h"

#include "api/cost_forms.h"
#include "base/file.h"
#include "codegen/emit.h"
#include "elab/comptime/modules.h"
#include "elab/comptime/script.h"
#include "ir/print.h"
#include "parser/parser.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef struct {
    Compilation *c;
    const CompileOptions *options;
    const char *dir; /* of the dumps, NULL when none are wanted */
    bool failed;     /* a dump could not be written */
    double last;     /* CPU seconds at the end of the pass before */
} Driver;

const char *path_stem(Arena *arena, const char *path)
{
    if (strcmp(path, "-") == 0)
        return "stdin";
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    const char *dot = strrchr(base, '.');
    return arena_strndup(arena, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void say(Compilation *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(Compilation *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    c->why = arena_vprintf(&c->arena, fmt, ap);
    va_end(ap);
}

static CompileStatus finish(const Compilation *c)
{
    if (diags_internal(&c->diags))
        return STATUS_INTERNAL;
    return diags_failed(&c->diags) ? STATUS_ERRORS : STATUS_OK;
}

static const char warning_names[] =
#define PLD_WARNING(ENUM, name, default_on, description) " " name
#include "base/warnings.def"
    ;

static bool setup_warnings(Compilation *c, const CompileOptions *o)
{
    for (uint32_t i = 0; i < o->n_warnings; i++) {
        if (strcmp(o->warnings[i], "error") == 0) {
            c->diags.werror = true;
        } else if (!diags_set_warning(&c->diags, o->warnings[i])) {
            say(c, "unknown warning '-W%s'; there are: all%s", o->warnings[i], warning_names);
            return !(c->usage = true);
        }
    }
    if (o->quiet)
        memset(c->diags.enabled, 0, sizeof c->diags.enabled);
    return true;
}

static Source *load_all(Compilation *c, const TakenLines *t)
{
    const NamedSource *s = t->sources;
    Source *src = source_from_bytes(&c->arena, s->name, s->text, s->len);
    for (uint32_t i = 1; i < t->n_sources; i++)
        if (!source_append(&c->arena, src, s[i].name, s[i].text, s[i].len))
            say(c, "%s: the texts are too long", s[i].name);
    return c->why ? NULL : src;
}

static CompileStatus load(Compilation *c, const CompileOptions *o)
{
    memset(c, 0, sizeof *c);
    c->src = o->taken  ? load_all(c, o->taken)
             : o->text ? source_from_bytes(&c->arena, o->path, o->text, o->len)
                       : source_load(&c->arena, o->path, &c->why);
    diags_init(&c->diags, &c->arena, c->src);
    if (!c->src)
        return STATUS_USAGE;
    return setup_warnings(c, o) ? STATUS_OK : STATUS_USAGE;
}

static bool is_script(const CompileOptions *o)
{
    size_t n = strlen(o->path);
    return !o->strict && (o->script || (n > 3 && strcmp(o->path + n - 3, ".py") == 0));
}

/* The entry goes into the options: it has its name only now. */
static void take(Compilation *c, CompileOptions *o)
{
    const TakenLines *t = o->taken;
    c->module = arena_new(&c->arena, AstModule);
    c->module->src = c->src;
    if (!parser_check_text(c->src, (Span){0, c->src->len}, &c->diags))
        return;
    Taken *defs = arena_new_n(&c->arena, Taken, t->n_defs);
    Sym entry = NULL;
    for (uint32_t i = 0; i < t->n_defs; i++) {
        const TakenLine *d = &t->defs[i];
        defs[i] = (Taken){.names = d->names, .n_names = d->n_names};
        source_line_begin(c->src, d->source, d->line, &defs[i].at);
    }
    const TakenSet set = {defs, t->n_defs, t->entry};
    c->module = taken_module(&c->arena, &c->in, c->src, &set, &c->diags, &entry);
    if (!o->specialize.entry && entry && !taken_is_class(c->module, entry))
        o->specialize.entry = entry;
    else if (!o->specialize.program && entry)
        o->specialize.program = entry;
}

static const char *folder_of(Arena *arena, const CompileOptions *o)
{
    const char *slash = strrchr(o->path, '/');
    if (o->folder || o->text)
        return o->folder;
    return slash ? arena_strndup(arena, o->path, (size_t)(slash - o->path) + 1) : "";
}

static void parse(Compilation *c, CompileOptions *o)
{
    if (o->taken) {
        take(c, o);
        return;
    }
    ModulesOptions how = {
        .trees = &c->trees, .script = is_script(o), .folder = folder_of(&c->arena, o)};
    c->module = modules_read(&c->arena, &c->in, c->src, &how, &c->diags);
    if (!diags_failed(&c->diags))
        c->note = script_note(&c->arena, c->module, o->verbose);
}

CompileStatus compile_parse(Compilation *c, const CompileOptions *options)
{
    CompileOptions o = *options;
    CompileStatus status = load(c, &o);
    if (status != STATUS_OK)
        return status;
    parse(c, &o);
    return finish(c);
}

const char *compile_dump_dir(Arena *arena, const CompileOptions *o)
{
    return o->dump_dir ? o->dump_dir : arena_printf(arena, "%s.passes", path_stem(arena, o->path));
}

const char *compile_dump_path(Arena *arena, const char *dir, PassId pass)
{
    return arena_printf(arena, "%s/%s.ir", dir, pass_info(pass)->file);
}

/* mkdir -p for the last component only: a missing parent is the user's mistake. */
static bool make_dump_dir(Driver *d)
{
    const CompileOptions *o = d->options;
    d->dir = compile_dump_dir(&d->c->arena, o);
    if (mkdir(d->dir, 0777) == 0 || errno == EEXIST)
        return true;
    say(d->c, "cannot make directory %s: %s", d->dir, strerror(errno));
    d->failed = true;
    return false;
}

static bool write_dump(Driver *d, PassId pass, const Buf *text)
{
    char *why = NULL;
    const char *path = compile_dump_path(&d->c->arena, d->dir, pass);
    if (file_write_atomic(path, text->at, text->len, &why))
        return true;
    say(d->c, "%s", why);
    xfree(why);
    d->failed = true;
    return false;
}

/* Hands out one dump: to its file, and into dump_text when it is the one asked for. */
static bool deliver(Driver *d, PassId pass, Buf *text)
{
    bool ok = !d->dir || write_dump(d, pass, text);
    if (d->options->dump_one && d->options->dump_pass == pass)
        buf_bytes(&d->c->dump_text, text->at, text->len);
    if (d->options->keep[pass])
        buf_bytes(&d->c->kept[pass], text->at, text->len);
    buf_free(text);
    return ok;
}

static bool wanted(const Driver *d, PassId pass)
{
    const CompileOptions *o = d->options;
    return d->dir || o->keep[pass] || (o->dump_one && o->dump_pass == pass);
}

static bool after_pass(void *env, Program *p, PassId pass)
{
    Driver *d = env;
    if (d->options->time_passes) {
        double now = cpu_seconds();
        buf_printf(&d->c->times_text, "%10.3f ms  %s\n", (now - d->last) * 1e3,
                   pass_info(pass)->file);
    }
    bool ok = true;
    if (d->options->cost && pass == PASS_SYNTHESIZE_SIGNALS)
        cost_forms_print(p, &d->c->cost_text);
    if (wanted(d, pass)) {
        Buf text = {0};
        PrintOptions how = {.ssa = pass >= PASS_CONVERT_TO_SSA,
                            .locs = d->options->dump_loc,
                            .pass = pass_info(pass)->file};
        ir_print(&text, p, &how);
        ok = deliver(d, pass, &text);
    }
    d->last = cpu_seconds();
    return ok;
}

static bool is_dump_after(const AstModule *m, PassId pass)
{
    return m->header && !strstr(m->header, pass_info(pass)->file);
}

static bool dump_parsed(Driver *d)
{
    Compilation *c = d->c;
    if (!wanted(d, PASS_PARSED) || is_dump_after(c->module, PASS_PARSED))
        return true;
    Buf text = {0};
    /* A parsed dump prints its own first line. */
    if (!c->module->header && !specialize_header(&c->arena, &c->in, c->module,
                                                 &d->options->specialize, &c->diags, &text)) {
        buf_free(&text);
        return false;
    }
    ast_print_module(&text, c->module);
    return deliver(d, PASS_PARSED, &text);
}

static PassId last_pass(const CompileOptions *o)
{
    if (o->dump_one && o->dump_pass < o->stop_after)
        return o->dump_pass;
    return o->stop_after;
}

/* Everything after parsing; false after a reported error or a dump that could not be written. */
static bool lower(Driver *d)
{
    Compilation *c = d->c;
    const CompileOptions *o = d->options;
    PassId last = last_pass(o);
    if (!dump_parsed(d))
        return false;
    if (last == PASS_PARSED)
        return true;
    c->program = specialize(&c->arena, &c->in, c->module, &o->specialize, &c->diags);
    if (!c->program || diags_failed(&c->diags))
        return false;
    c->module = NULL;
    arena_free(&c->trees);
    PassOptions how = {
        .verify_each = o->verify_each, .stop_after = last, .hook = after_pass, .env = d};
    if (!passes_run(c->program, &how) || d->failed)
        return false;
    if (last < PASS_FINAL || o->dump_one)
        return true;
    c->bytecode = emit_program(&c->arena, c->program);
    return c->bytecode != NULL;
}

/* After mistakes in the text: those in what could be read come in the same run, but not what is
 * said of lines that were mended. */
static void check_rest(Driver *d)
{
    Compilation *c = d->c;
    bool enabled[WARN_COUNT];
    memcpy(enabled, c->diags.enabled, sizeof enabled);
    memset(c->diags.enabled, 0, sizeof enabled);
    uint32_t known = c->diags.list.len;
    (void)specialize(&c->arena, &c->in, c->module, &d->options->specialize, &c->diags);
    diags_drop_repeated_lines(&c->diags, known);
    memcpy(c->diags.enabled, enabled, sizeof enabled);
}

static bool dump_is_later(const Driver *d)
{
    const CompileOptions *o = d->options;
    return o->dump_one && !d->failed && !diags_failed(&d->c->diags) && !d->c->dump_text.len;
}

Ast *compile_take(Compilation *c, const NamedSource *s, uint32_t line)
{
    uint32_t at;
    memset(c, 0, sizeof *c);
    c->src = source_from_bytes(&c->arena, s->name, s->text, s->len);
    diags_init(&c->diags, &c->arena, c->src);
    if (!parser_check_text(c->src, (Span){0, c->src->len}, &c->diags))
        return NULL;
    if (source_line_begin(c->src, 0, line, &at))
        return taken_parse(&c->arena, &c->in, c->src, at, &c->diags);
    say(c, "%s has no line %u", s->name, line);
    return NULL;
}

CompileStatus compile(Compilation *c, const CompileOptions *options)
{
    CompileOptions own = *options, *o = &own;
    Driver d = {.c = c, .options = o};
    CompileStatus status = load(c, o);
    if (status != STATUS_OK)
        return status;
    d.last = cpu_seconds();
    parse(c, o);
    if (o->time_passes)
        buf_printf(&c->times_text, "%10.3f ms  parse\n", (cpu_seconds() - d.last) * 1e3);
    d.last = cpu_seconds();
    bool bad = diags_failed(&c->diags);
    if (bad && !o->taken)
        check_rest(&d);
    bool ok = !bad && (!o->dump_passes || make_dump_dir(&d)) && lower(&d);
    status = finish(c);
    if (status != STATUS_OK)
        return status;
    if (d.failed)
        return STATUS_USAGE;
    if (ok && dump_is_later(&d)) {
        say(c, "%s is a dump of a later pass than %s", o->path, pass_info(o->dump_pass)->name);
        c->usage = true;
        return STATUS_USAGE;
    }
    return ok ? STATUS_OK : STATUS_INTERNAL;
}

void compile_free(Compilation *c)
{
    buf_free(&c->dump_text);
    buf_free(&c->cost_text);
    buf_free(&c->times_text);
    for (int i = 0; i < PASS_COUNT; i++)
        buf_free(&c->kept[i]);
    diags_free(&c->diags);
    interner_free(&c->in);
    arena_free(&c->trees);
    arena_free(&c->arena);
}
