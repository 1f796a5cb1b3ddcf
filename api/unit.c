/* A unit keeps its settings in one heap and what the last compilation left in another. */
#include "api/unit.h"

#include "api/outside.h"
#include "api/skeleton.h"
#include "codegen/bytecode.h"

#include <string.h>

static int finish(pld_unit *u, int status)
{
    if (status == PLD_NO_MEMORY || status == PLD_INTERNAL)
        u->broken = status;
    return status;
}

int unit_setting(UnitCall *call, int (*work)(void *env), void *env)
{
    pld_unit *u = call->unit;
    u->why = "";
    return u->broken ? u->broken : finish(u, border(&u->heap, work, env));
}

static int setting(UnitCall *call, int (*work)(void *env))
{
    return unit_setting(call, work, call);
}

pld_unit *pld_unit_new(void)
{
    pld_unit *u = heap_try(sizeof *u);
    if (!u)
        return NULL;
    u->options = (CompileOptions){.stop_after = PASS_FINAL, .verify_each = true};
    u->why = "";
    u->work.budget = &u->budget;
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

int unit_refuse(pld_unit *u, const char *why)
{
    u->why = why;
    return PLD_USAGE;
}

const char *unit_copy(pld_unit *u, const char *text)
{
    return arena_strndup(&u->arena, text, strlen(text));
}

static int set_devices(pld_unit *u, const char *value)
{
    Devices devices = {0};
    const char *why;
    if (!devices_parse(&u->arena, value, &devices, &why))
        return unit_refuse(u, arena_printf(&u->arena, "devices %s: %s", value, why));
    u->options.specialize.ranks = devices.len;
    return PLD_OK;
}

static int set_platform(pld_unit *u, const char *value)
{
    const char *why;
    u->options.specialize.platform = platform_from_name(value, &why);
    return u->options.specialize.platform ? PLD_OK : unit_refuse(u, unit_copy(u, why));
}

static int set_stop(pld_unit *u, const char *value)
{
    if (pass_from_name(value, &u->options.stop_after))
        return PLD_OK;
    return unit_refuse(u, arena_printf(&u->arena, "unknown pass '%s'", value));
}

static int set_define(pld_unit *u, const char *value)
{
    if (defines_add(&u->arena, &u->defines, value))
        return PLD_OK;
    return unit_refuse(u, arena_printf(&u->arena, "define takes NAME=VALUE, not '%s'", value));
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
    if (is(call, "cost"))
        return u->options.cost = true;
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
        return unit_refuse(u, arena_printf(&u->arena, "option '%s' needs a value", call->option));
    const char *value = unit_copy(u, call->value);
    if (is(call, "devices"))
        return set_devices(u, value);
    if (is(call, "platform"))
        return set_platform(u, value);
    if (is(call, "stop-after"))
        return set_stop(u, value);
    if (is(call, "tensor"))
        return outside_tensor(&u->arena, &u->defines, value)
                   ? PLD_OK
                   : unit_refuse(u,
                                 arena_printf(&u->arena,
                                              "tensor takes NAME=DTYPE[EXTENTS], not '%s'", value));
    if (is(call, "define"))
        return set_define(u, value);
    if (is(call, "max-memory"))
        return size_parse(value, &u->budget.limit)
                   ? PLD_OK
                   : unit_refuse(u, arena_printf(&u->arena, "max-memory takes %s, not '%s'",
                                                 SIZE_FORM, value));
    if (is(call, "program"))
        u->options.specialize.program = value;
    else if (is(call, "entry"))
        u->options.specialize.entry = value;
    else if (is(call, "W"))
        avec_push(&u->arena, &u->warnings, value);
    else
        return unit_refuse(u, arena_printf(&u->arena, "unknown option '%s'", call->option));
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
    u->options.path = unit_copy(u, call->option);
    u->options.text = NULL;
    if (!call->value)
        return PLD_OK;
    u->options.text = arena_strndup(&u->arena, call->value, call->len);
    u->options.len = call->len;
    avec_push(&u->arena, &u->sources, ((NamedSource){u->options.path, u->options.text, call->len}));
    return PLD_OK;
}

static int source(pld_unit *u, int kind, UnitCall call)
{
    if (kind != PLD_BY_NAME && kind != PLD_STRICT && kind != PLD_SCRIPT)
        return unit_refuse(u, "no such kind of source");
    u->options.script = kind == PLD_SCRIPT;
    u->options.strict = kind == PLD_STRICT;
    return setting(&call, set_source);
}

int pld_unit_file(pld_unit *unit, const char *path, int kind)
{
    return source(unit, kind, (UnitCall){.unit = unit, .option = path});
}

int pld_unit_text(pld_unit *unit, const char *name, const char *text, size_t len, int kind,
                  uint32_t *number)
{
    int status =
        source(unit, kind, (UnitCall){.unit = unit, .option = name, .value = text, .len = len});
    if (number)
        *number = status == PLD_OK ? unit->sources.len - 1 : UINT32_MAX;
    return status;
}

static int keep(void *env)
{
    UnitCall *call = env;
    pld_unit *u = call->unit;
    PassId pass = PASS_FINAL;
    bool all = is(call, "all");
    if (!all && !pass_from_name(call->option, &pass))
        return unit_refuse(u, arena_printf(&u->arena, "unknown pass '%s'", call->option));
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
    Defines defines = {0};
    for (uint32_t i = 0; i < u->defines.len + u->arguments.len; i++)
        vec_push(&defines,
                 i < u->defines.len ? u->defines.at[i] : u->arguments.at[i - u->defines.len]);
    o.specialize.defines = defines.at;
    o.specialize.n_defines = defines.len;
    if (call->def != PLD_NO_DEF)
        o.taken = unit_taken(u, call->def);
    o.warnings = u->warnings.at;
    o.n_warnings = u->warnings.len;
    CompileStatus status = compile(&u->c, &o);
    diags_sort(&u->c.diags, &u->c.arena, &u->sorted);
    if (u->c.why)
        u->why = u->c.why;
    if (status == STATUS_ERRORS)
        return PLD_ERRORS;
    return status == STATUS_OK && u->c.bytecode ? encode(u, call->out) : (int)status;
}

static void forget(pld_unit *u)
{
    heap_free(&u->work);
    memset(&u->c, 0, sizeof u->c);
    memset(u->text, 0, sizeof u->text);
    memset(&u->json, 0, sizeof u->json);
    memset(&u->skeleton, 0, sizeof u->skeleton);
    memset(&u->sorted, 0, sizeof u->sorted);
    u->why = "";
}

int unit_working(UnitCall *call, int (*work)(void *env), void *env)
{
    pld_unit *u = call->unit;
    if (u->broken)
        return u->broken;
    forget(u);
    int status = finish(u, border(&u->work, work, env));
    if (status == PLD_NO_MEMORY && u->budget.over)
        u->why = "it takes more memory than max-memory";
    return status;
}

int pld_unit_compile(pld_unit *unit, uint32_t entry, pld_program **program)
{
    UnitCall call = {.unit = unit, .def = entry, .out = program};
    *program = NULL;
    if (!unit->broken && !unit->options.path)
        return unit_refuse(unit, "there is no source: pld_unit_file or pld_unit_text comes first");
    if (!unit->broken && entry != PLD_NO_DEF && entry >= unit->defs.len)
        return unit_refuse(unit, "a definition that was not taken");
    return unit_working(&call, compile_unit, &call);
}

const char *pld_unit_dump(pld_unit *unit, const char *pass, size_t *len)
{
    PassId id;
    const Buf *text = NULL;
    if (strcmp(pass, "cost") == 0)
        text = &unit->c.cost_text;
    else if (pass_from_name(pass, &id))
        text = &unit->c.kept[id];
    if (unit->broken || !text || !text->len)
        return NULL;
    if (len)
        *len = text->len;
    return text->at;
}

static int skeleton(void *env)
{
    pld_unit *u = ((UnitCall *)env)->unit;
    CompileStatus status = compile_parse(&u->c, &u->options);
    diags_sort(&u->c.diags, &u->c.arena, &u->sorted);
    if (u->c.why)
        u->why = u->c.why;
    if (status != STATUS_OK)
        return status == STATUS_ERRORS ? PLD_ERRORS : (int)status;
    const char *why = skeleton_print(&u->c.arena, u->c.module, &u->skeleton);
    return why ? unit_refuse(u, why) : PLD_OK;
}

int pld_unit_skeleton(pld_unit *unit, const char **text)
{
    UnitCall call = {.unit = unit};
    *text = NULL;
    if (!unit->broken && !unit->options.path)
        return unit_refuse(unit, "there is no source: pld_unit_file or pld_unit_text comes first");
    int status = unit_working(&call, skeleton, &call);
    if (status == PLD_OK)
        *text = unit->skeleton.at;
    return status;
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
