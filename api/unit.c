/* A unit keeps its settings in one heap and what the last compilation left in another. */
#include "api/border.h"
#include "api/outside.h"
#include "codegen/bytecode.h"

#include <string.h>

struct pld_unit {
    Heap heap; /* settings */
    Arena arena;
    CompileOptions options;
    Defines defines;
    Texts warnings;
    bool strip;
    Heap work; /* below */
    Compilation c;
    Buf text[2], json; /* plain, in colours */
    SortedDiags sorted;
    const char *why;
    int broken; /* PLD_NO_MEMORY or PLD_INTERNAL: may only be freed */
};

typedef struct {
    pld_unit *unit;
    const char *option, *value;
    size_t len;
    pld_program **out;
    int colour;
} UnitCall;

static int finish(pld_unit *u, int status)
{
    if (status == PLD_NO_MEMORY || status == PLD_INTERNAL)
        u->broken = status;
    return status;
}

/* In the heap of the settings. */
static int setting(UnitCall *call, int (*work)(void *env))
{
    pld_unit *u = call->unit;
    u->why = "";
    return u->broken ? u->broken : finish(u, border(&u->heap, work, call));
}

pld_unit *pld_unit_new(void)
{
    pld_unit *u = heap_try(sizeof *u);
    if (!u)
        return NULL;
    u->options = (CompileOptions){.stop_after = PASS_FINAL, .verify_each = true};
    u->why = "";
    return u;
}

void pld_unit_free(pld_unit *unit)
{
    if (!unit)
        return;
    heap_free(&unit->work);
    heap_free(&unit->heap);
    xfree(unit);
}

static int refuse(pld_unit *u, const char *why)
{
    u->why = why;
    return PLD_USAGE;
}

static const char *copy(pld_unit *u, const char *text)
{
    return arena_strndup(&u->arena, text, strlen(text));
}

static int set_devices(pld_unit *u, const char *value)
{
    Devices devices = {0};
    const char *why;
    if (!devices_parse(&u->arena, value, &devices, &why))
        return refuse(u, arena_printf(&u->arena, "devices %s: %s", value, why));
    u->options.specialize.ranks = devices.len;
    return PLD_OK;
}

static int set_platform(pld_unit *u, const char *value)
{
    const char *why;
    u->options.specialize.platform = platform_from_name(value, &why);
    return u->options.specialize.platform ? PLD_OK : refuse(u, copy(u, why));
}

static int set_define(pld_unit *u, const char *value)
{
    if (defines_add(&u->arena, &u->defines, value))
        return PLD_OK;
    return refuse(u, arena_printf(&u->arena, "define takes NAME=VALUE, not '%s'", value));
}

static bool is(const UnitCall *call, const char *name)
{
    return strcmp(call->option, name) == 0;
}

static bool set_flag(pld_unit *u, const UnitCall *call)
{
    if (is(call, "dump-loc"))
        return u->options.dump_loc = true;
    if (is(call, "quiet"))
        return u->options.quiet = true;
    if (is(call, "strip"))
        return u->strip = true;
    if (!is(call, "no-verify-each"))
        return false;
    u->options.verify_each = false;
    return true;
}

static int set(void *env)
{
    UnitCall *call = env;
    pld_unit *u = call->unit;
    if (set_flag(u, call))
        return PLD_OK;
    if (!call->value)
        return refuse(u, arena_printf(&u->arena, "option '%s' needs a value", call->option));
    const char *value = copy(u, call->value);
    if (is(call, "devices"))
        return set_devices(u, value);
    if (is(call, "platform"))
        return set_platform(u, value);
    if (is(call, "tensor"))
        return outside_tensor(&u->arena, &u->defines, value)
                   ? PLD_OK
                   : refuse(u, arena_printf(&u->arena, "tensor takes NAME=DTYPE[EXTENTS], not '%s'",
                                            value));
    if (is(call, "define"))
        return set_define(u, value);
    if (is(call, "program"))
        u->options.specialize.program = value;
    else if (is(call, "entry"))
        u->options.specialize.entry = value;
    else if (is(call, "W"))
        avec_push(&u->arena, &u->warnings, value);
    else
        return refuse(u, arena_printf(&u->arena, "unknown option '%s'", call->option));
    return PLD_OK;
}

int pld_unit_set(pld_unit *unit, const char *option, const char *value)
{
    return setting(&(UnitCall){.unit = unit, .option = option, .value = value}, set);
}

static int set_source(void *env)
{
    UnitCall *call = env;
    pld_unit *u = call->unit;
    u->options.path = copy(u, call->option);
    u->options.text = call->value ? arena_strndup(&u->arena, call->value, call->len) : NULL;
    u->options.len = call->len;
    return PLD_OK;
}

static int source(pld_unit *u, int kind, UnitCall call)
{
    if (kind != PLD_BY_NAME && kind != PLD_STRICT && kind != PLD_SCRIPT)
        return refuse(u, "no such kind of source");
    u->options.script = kind == PLD_SCRIPT;
    u->options.strict = kind == PLD_STRICT;
    return setting(&call, set_source);
}

int pld_unit_file(pld_unit *unit, const char *path, int kind)
{
    return source(unit, kind, (UnitCall){.unit = unit, .option = path});
}

int pld_unit_text(pld_unit *unit, const char *name, const char *text, size_t len, int kind)
{
    return source(unit, kind, (UnitCall){.unit = unit, .option = name, .value = text, .len = len});
}

static int keep(void *env)
{
    UnitCall *call = env;
    pld_unit *u = call->unit;
    PassId pass = PASS_FINAL;
    bool all = is(call, "all");
    if (!all && !pass_from_name(call->option, &pass))
        return refuse(u, arena_printf(&u->arena, "unknown pass '%s'", call->option));
    for (int i = 0; i < PASS_COUNT; i++)
        u->options.keep[i] |= all || i == (int)pass;
    return PLD_OK;
}

int pld_unit_keep(pld_unit *unit, const char *pass)
{
    return setting(&(UnitCall){.unit = unit, .option = pass}, keep);
}

/* ---- compiling ---- */

static int encode(pld_unit *u, pld_program **out)
{
    Buf bytes = {0};
    char why[200];
    bc_encode(u->c.bytecode, u->strip, &bytes);
    int status = program_from_bytes(bytes.at, bytes.len, out, why, sizeof why);
    buf_free(&bytes);
    return status == PLD_USAGE ? PLD_INTERNAL : status;
}

static int compile_unit(void *env)
{
    UnitCall *call = env;
    pld_unit *u = call->unit;
    CompileOptions o = u->options;
    o.specialize.defines = u->defines.at;
    o.specialize.n_defines = u->defines.len;
    o.warnings = u->warnings.at;
    o.n_warnings = u->warnings.len;
    CompileStatus status = compile(&u->c, &o);
    diags_sort(&u->c.diags, &u->c.arena, &u->sorted);
    if (u->c.why)
        u->why = u->c.why;
    if (status == STATUS_ERRORS)
        return PLD_ERRORS;
    return status == STATUS_OK ? encode(u, call->out) : (int)status;
}

static void forget(pld_unit *u)
{
    heap_free(&u->work);
    memset(&u->c, 0, sizeof u->c);
    memset(u->text, 0, sizeof u->text);
    memset(&u->json, 0, sizeof u->json);
    memset(&u->sorted, 0, sizeof u->sorted);
    u->why = "";
}

int pld_unit_compile(pld_unit *unit, pld_program **program)
{
    *program = NULL;
    if (unit->broken)
        return unit->broken;
    forget(unit);
    if (!unit->options.path)
        return refuse(unit, "there is no source: pld_unit_file or pld_unit_text comes first");
    return finish(unit,
                  border(&unit->work, compile_unit, &(UnitCall){.unit = unit, .out = program}));
}

const char *pld_unit_dump(pld_unit *unit, const char *pass, size_t *len)
{
    PassId id;
    if (unit->broken || !pass_from_name(pass, &id) || !unit->c.kept[id].len)
        return NULL;
    if (len)
        *len = unit->c.kept[id].len;
    return unit->c.kept[id].at;
}

/* ---- diagnostics ---- */

size_t pld_unit_diag_count(const pld_unit *unit)
{
    return unit->broken ? 0 : unit->sorted.n;
}

int pld_unit_diag(const pld_unit *unit, size_t index, pld_diag *out)
{
    if (index >= pld_unit_diag_count(unit))
        return PLD_USAGE;
    const SortedDiag *s = &unit->sorted.at[index];
    const Diag *d = &unit->c.diags.list.at[s->index];
    DiagPlace at = diag_place(&unit->c.diags, d);
    int severity = d->severity == DIAG_WARNING ? PLD_WARNING
                   : d->severity == DIAG_NOTE  ? PLD_NOTE
                                               : PLD_ERROR;
    pld_diag diag = {.severity = severity,
                     .code = d->code,
                     .file = at.from.line ? at.file : NULL,
                     .line = at.from.line,
                     .col = at.from.col,
                     .end_line = at.to.line,
                     .end_col = at.to.col,
                     .message = d->message,
                     .parent = s->parent};
    return border_copy_out(out, &diag, sizeof diag);
}

static int print_text(void *env)
{
    UnitCall *call = env;
    pld_unit *u = call->unit;
    Buf *out = &u->text[call->colour != 0];
    diags_text(&u->c.diags, DIAG_TEXT, call->colour != 0, out);
    if (u->c.why)
        buf_printf(out, "error: %s\n", u->c.why);
    buf_str(out, "");
    return PLD_OK;
}

static int print_json(void *env)
{
    UnitCall *call = env;
    diags_text(&call->unit->c.diags, DIAG_JSON, false, &call->unit->json);
    buf_str(&call->unit->json, "");
    return PLD_OK;
}

/* Made once; "" when memory does not suffice. */
static const char *made(pld_unit *u, Buf *text, int (*print)(void *env), int colour)
{
    if (!u->broken && !text->at)
        finish(u, border(&u->work, print, &(UnitCall){.unit = u, .colour = colour}));
    return u->broken || !text->at ? "" : text->at;
}

const char *pld_unit_diags_text(pld_unit *unit, int colour)
{
    return made(unit, &unit->text[colour != 0], print_text, colour);
}

const char *pld_unit_diags_json(pld_unit *unit)
{
    return made(unit, &unit->json, print_json, 0);
}

const char *pld_unit_why(const pld_unit *unit)
{
    return unit->why;
}
