/* pldc: the compiler. */
#include "api/outside.h"
#include "api/skeleton.h"
#include "base/file.h"
#include "base/terminal.h"
#include "cli/claims.h"
#include "cli/compare.h"
#include "cli/compile.h"
#include "cli/memory.h"
#include "cli/tool.h"
#include "cli/version.h"
#include "cli/write.h"
#include "codegen/bytecode.h"
#include "ir/print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOL "pldc"

typedef enum {
#define PLD_OPTION(ENUM, name, letter, arg, metavar, help) O_##ENUM,
#include "cli/pldc_options.def"
    O_COUNT
} CompilerOption;

static const OptSpec specs[] = {
#define PLD_OPTION(ENUM, name, letter, arg, metavar, help) {name, letter, arg, metavar, help},
#include "cli/pldc_options.def"
};

static const char usage[] = "Usage: pldc [options] FILE.pld | FILE.ir | - [--PARAM VALUE ...]\n"
                            "Compile a multi-device kernel program to bytecode.\n\n";
static const char tail[] =
    "\nExit status: 0 done, 1 errors in the program, 2 usage, 70 internal error,\n"
    "71 out of memory.\n"
    "Manual: pldc(1), the language: pld(5), the bytecode: pldb(5).\n";

typedef struct {
    Arena arena;
    CompileOptions compile;
    Defines defines;
    VEC(const char *) warnings;
    const char *output;
    EmitKind emit;
    const char *ranks_from; /* the option that set the number of ranks, or NULL */
    bool strip, verbose, skeleton;
    bool memory;         /* --memory */
    const char *picture; /* its file, or NULL */
    bool output_said;    /* -o: texts go there too */
    bool compare;
    const char *other;     /* --compare A B: B */
    bool split;            /* --compare with `--`: */
    CompileOptions before; /* what stood before it */
    uint32_t defines_before;
    size_t max_memory; /* bytes; 0: unsaid */
} Options;

static bool pass_option(const char *value, PassId *out)
{
    if (pass_from_name(value, out))
        return true;
    usage_error(TOOL, "unknown pass '%s' (see --list-passes)", value);
    return false;
}

static bool fail(const char *option, const char *takes, const char *value)
{
    usage_error(TOOL, "%s takes %s, not '%s'", option, takes, value);
    return false;
}

static bool emit_option(Options *o, const char *value)
{
    static const char *const names[] = {"bytecode", "ast", "ir", "asm"};
    for (uint32_t i = 0; i < 4; i++)
        if (strcmp(value, names[i]) == 0)
            return o->emit = (EmitKind)i, true;
    return fail("--emit", "ast, ir, asm or bytecode", value);
}

static bool diagnostics_option(Options *o, const char *value)
{
    if (strcmp(value, "text") && strcmp(value, "json"))
        return fail("--diagnostics", "text or json", value);
    o->compile.diag_format = strcmp(value, "json") ? DIAG_TEXT : DIAG_JSON;
    return true;
}

/* Both options may be there if they agree. */
static bool set_ranks(Options *o, const char *option, uint32_t n)
{
    uint32_t *ranks = &o->compile.specialize.ranks;
    if (o->ranks_from && strcmp(o->ranks_from, option) && *ranks != n) {
        usage_error(TOOL, "%s says %u devices, %s says %u", o->ranks_from, *ranks, option, n);
        return false;
    }
    o->ranks_from = option;
    *ranks = n;
    return true;
}

static bool ranks_option(Options *o, const char *value)
{
    int64_t n;
    if (!parse_int(value, 1, 4096, &n))
        return fail("--ranks", "a number of devices from 1 to 4096", value);
    return set_ranks(o, "--ranks", (uint32_t)n);
}

static bool devices_option(Options *o, const char *value)
{
    Devices devices = {0};
    const char *why;
    if (!devices_parse(&o->arena, value, &devices, &why)) {
        usage_error(TOOL, "-d %s: %s", value, why);
        return false;
    }
    return set_ranks(o, "-d", devices.len);
}

static bool platform_option(Options *o, const char *value)
{
    const char *why;
    o->compile.specialize.platform = platform_from_name(value, &why);
    if (!o->compile.specialize.platform)
        usage_error(TOOL, "%s", why);
    return o->compile.specialize.platform != NULL;
}

static bool define_option(Options *o, const char *value)
{
    return defines_add(&o->arena, &o->defines, value) || fail("-D", "NAME=VALUE", value);
}

/* What of --input and --golden is of the compiler's interest. */
static bool file_option(Options *o, const char *option, const char *value)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value)
        return fail(option, "NAME=FILE", value);
    outside_file(&o->arena, &o->defines, arena_strndup(&o->arena, value, (size_t)(equals - value)),
                 equals + 1);
    return true;
}

static bool tensor_option(Options *o, const char *value)
{
    return outside_tensor(&o->arena, &o->defines, value) ||
           fail("--tensor", "NAME=DTYPE[EXTENTS]", value);
}

/* Options that print a list and end the program. */
static bool list_option(CompilerOption id)
{
    if (id == O_LIST_PASSES)
        pass_print_table(stdout);
    else if (id == O_LIST_OPS)
        op_print_table(stdout);
    else if (id == O_LIST_PLATFORMS)
        platform_print_table(stdout);
    else if (id == O_VERSION)
        puts("pldc " PLD_VERSION);
    else if (id == O_HELP)
        opt_print_help(stdout, usage, specs, O_COUNT, tail);
    else
        return false;
    return true;
}

/* Every row of the table has its case here: a missing one does not compile. */
static bool set_option(Options *o, CompilerOption id, const char *value)
{
    CompileOptions *c = &o->compile;
    switch (id) {
    case O_DEFINE: return define_option(o, value);
    case O_DEVICES: return devices_option(o, value);
    case O_RANKS: return ranks_option(o, value);
    case O_PLATFORM: return platform_option(o, value);
    case O_DUMP_PASS: c->dump_one = true; return pass_option(value, &c->dump_pass);
    case O_DUMP_PASSES:
        c->dump_passes = true;
        c->dump_dir = value;
        return true;
    case O_STOP_AFTER: return pass_option(value, &c->stop_after);
    case O_EMIT: return emit_option(o, value);
    case O_DIAGNOSTICS: return diagnostics_option(o, value);
    case O_OUTPUT: o->output = value; return o->output_said = true;
    case O_PROGRAM: c->specialize.program = value; return true;
    case O_ENTRY: c->specialize.entry = value; return true;
    case O_SCRIPT: return c->script = true;
    case O_WARNING: avec_push(&o->arena, &o->warnings, value); return true;
    case O_TENSOR: return tensor_option(o, value);
    case O_INPUT: return file_option(o, "--input", value);
    case O_GOLDEN: return file_option(o, "--golden", value);
    case O_NO_PRINT: return c->specialize.no_print = true;
    case O_MAX_MEMORY:
        return size_parse(value, &o->max_memory) || fail("--max-memory", SIZE_FORM, value);
    case O_STRIP: return o->strip = true;
    case O_DUMP_LOC: return c->dump_loc = true;
    case O_TIME_PASSES: return c->time_passes = true;
    case O_VERIFY_EACH: return c->verify_each = true;
    case O_NO_VERIFY_EACH: c->verify_each = false; return true;
    case O_COST: return c->cost = true;
    case O_MEMORY:
        o->memory = true;
        o->picture = value;
        return !value || memory_file_ok(TOOL, value);
    case O_COMPARE: return o->compare = true;
    case O_SKELETON: return o->skeleton = true;
    case O_QUIET: return c->quiet = true;
    case O_VERBOSE: return o->verbose = c->verbose = true;
    case O_LIST_PASSES:
    case O_LIST_OPS:
    case O_LIST_PLATFORMS:
    case O_VERSION:
    case O_HELP: /* list_option */
    case O_COUNT: break;
    }
    return false;
}

static bool positional(Options *o, const char *word)
{
    if (o->compare && o->compile.path && !o->other) {
        o->other = word;
        return true;
    }
    if (o->compile.path) {
        usage_error(TOOL, "one file at a time: '%s' and '%s'", o->compile.path, word);
        return false;
    }
    o->compile.path = word;
    return true;
}

/* `--`: with --compare, what follows is for the second program. */
static bool separator(Options *o, OptScan *scan)
{
    if (!o->compare || o->split)
        return true;
    scan->only_positional = false;
    o->split = true;
    o->before = o->compile;
    o->defines_before = o->defines.len;
    return true;
}

/* -1: go on; otherwise an exit status. */
static int parse_options(Options *o, int argc, char **argv)
{
    OptScan scan;
    opt_init(&scan, specs, O_COUNT, argc, argv);
    for (int id; (id = opt_next(&scan)) != OPT_END;) {
        bool ok;
        if (id == OPT_BAD || id == OPT_UNKNOWN_LETTER)
            return opt_usage_error(TOOL, &scan, id);
        if (id >= 0 && list_option((CompilerOption)id))
            return 0;
        if (id >= 0)
            ok = set_option(o, (CompilerOption)id, scan.value);
        else if (id == OPT_POSITIONAL)
            ok = positional(o, scan.value);
        else
            ok = id == OPT_SEPARATOR
                     ? separator(o, &scan)
                     : defines_take(TOOL, &o->arena, &o->defines, &scan, o->compile.path);
        if (!ok)
            return STATUS_USAGE;
    }
    return o->compile.path ? -1 : usage_error(TOOL, "no input file");
}

/* What --emit makes: into the file of -o, else to standard output. */
static int emit_text(Options *o, const Buf *text, bool program)
{
    if (o->output_said && strcmp(o->output, "-") != 0)
        return write_output(o->output, text);
    return program ? print_text(text) : show_text(text);
}

static int emit_ast(Options *o)
{
    Compilation c;
    Buf text = {0};
    int status = (int)tool_parse(TOOL, &c, &o->compile);
    if (status == STATUS_OK) {
        const char *why = NULL;
        if (o->skeleton)
            why = skeleton_print(&c.arena, c.module, &text);
        else
            ast_print_module(&text, c.module);
        if (why) {
            terminal_line(stderr, TOOL ": error: %s: %s", o->compile.path, why);
            status = STATUS_ERRORS;
        }
        if (status == STATUS_OK)
            status = emit_text(o, &text, true);
    }
    buf_free(&text);
    compile_free(&c);
    return status;
}

static int finish_bytecode(Options *o, Compilation *c)
{
    Buf out = {0};
    int status;
    if (o->memory) {
        memory_map(c->program, c->src, o->picture != NULL, &out);
        status = o->picture ? write_output(o->picture, &out) : show_text(&out);
    } else if (o->emit == EMIT_IR) {
        PrintOptions how = {.ssa = true, .locs = o->verbose, .pass = pass_info(PASS_FINAL)->file};
        ir_print(&out, c->program, &how);
        status = emit_text(o, &out, true);
    } else if (o->emit == EMIT_ASM) {
        bc_disassemble(c->bytecode, &out);
        status = emit_text(o, &out, false);
    } else {
        bc_encode(c->bytecode, o->strip, &out);
        status = write_output(o->output, &out);
    }
    buf_free(&out);
    return status;
}

static int print_cost(Compilation *c)
{
    if (!c->cost_text.len)
        buf_str(&c->cost_text, "no builtin collective is left in this dump\n");
    return show_text(&c->cost_text);
}

/* The settings of the first program that the second one does not make itself, then its own. */
static void second_defines(Options *o, Defines *out)
{
    for (uint32_t i = 0; i < o->defines_before; i++) {
        bool again = false;
        for (uint32_t k = o->defines_before; k < o->defines.len; k++)
            again |= strcmp(o->defines.at[i].name, o->defines.at[k].name) == 0;
        if (!again)
            avec_push(&o->arena, out, o->defines.at[i]);
    }
    for (uint32_t k = o->defines_before; k < o->defines.len; k++)
        avec_push(&o->arena, out, o->defines.at[k]);
}

/* "A: mode=hand": what tells the two apart. */
static const char *side_name(Options *o, char letter, const char *path, const Define *at,
                             uint32_t n)
{
    Buf text = {0};
    buf_printf(&text, "%c:", letter);
    if (!o->split || o->other)
        buf_printf(&text, " %s", path_stem(&o->arena, path));
    for (uint32_t i = 0; i < n && o->split; i++)
        buf_printf(&text, " %s=%s", at[i].name, at[i].value);
    const char *name = arena_strndup(&o->arena, text.at, text.len);
    buf_free(&text);
    return name;
}

static int run_compare(Options *o)
{
    CompileOptions a = o->split ? o->before : o->compile, b = o->compile;
    Defines second = {0};
    uint32_t n = o->split ? o->defines_before : o->defines.len;
    if (!o->split && !o->other)
        return usage_error(TOOL,
                           "--compare takes two files, or one and `--` between two sets of -D");
    second_defines(o, &second);
    a.specialize.n_defines = n;
    if (o->split) {
        a.specialize.defines = o->defines.at;
        b.specialize.defines = second.at;
        b.specialize.n_defines = second.len;
    }
    if (o->other)
        b.path = o->other;
    if (!a.dump_one)
        a.dump_pass = PASS_LOWER_COMPOSITE_OPS;
    if (!b.dump_one)
        b.dump_pass = PASS_LOWER_COMPOSITE_OPS;
    a.warnings = b.warnings;
    a.n_warnings = b.n_warnings;
    const Define *from = o->defines.at + o->defines_before;
    Buf out = {0};
    int status = compare(&a, &b, side_name(o, 'A', a.path, o->defines.at, n),
                         side_name(o, 'B', b.path, from, o->defines.len - o->defines_before), &out);
    int printed = show_text(&out);
    buf_free(&out);
    return printed == STATUS_OK ? status : printed;
}

static bool writes_bytecode(const Options *o)
{
    const CompileOptions *c = &o->compile;
    return o->emit == EMIT_BYTECODE && !o->compare && !o->skeleton && !c->dump_one && !c->cost &&
           !o->memory && c->stop_after == PASS_FINAL;
}

/* The folder of the dumps and what is in it. */
static bool claim_dumps(Options *o, Claims *claims)
{
    const char *dir = compile_dump_dir(&o->arena, &o->compile);
    if (!claims_output(claims, "--dump-passes", dir))
        return false;
    for (int pass = 0; pass < PASS_COUNT; pass++)
        if (!claims_output(claims, "--dump-passes",
                           compile_dump_path(&o->arena, dir, (PassId)pass)))
            return false;
    return true;
}

/* Is every file that will be written another one than those read, and than each other? */
static bool claim_files(Options *o)
{
    Claims claims = {.arena = &o->arena, .tool = TOOL};
    claims_input(&claims, "the program", o->compile.path);
    if (o->other)
        claims_input(&claims, "the program", o->other);
    bool text = o->output_said && (o->emit != EMIT_BYTECODE || o->skeleton);
    text = text && strcmp(o->output, "-") != 0;
    if ((text || writes_bytecode(o)) && !claims_output(&claims, "-o", o->output))
        return false;
    if (o->picture && !claims_output(&claims, "--memory", o->picture))
        return false;
    return !o->compile.dump_passes || claim_dumps(o, &claims);
}

static int run(Options *o)
{
    Compilation c;
    if (!claim_files(o))
        return STATUS_USAGE;
    if (o->compare)
        return run_compare(o);
    if (o->emit == EMIT_AST || o->skeleton)
        return emit_ast(o);
    int status = (int)tool_compile(TOOL, &c, &o->compile);
    if (status == STATUS_OK && o->compile.dump_one)
        status = print_text(&c.dump_text);
    else if (status == STATUS_OK && o->compile.cost)
        status = print_cost(&c);
    else if (status == STATUS_OK && c.bytecode)
        status = finish_bytecode(o, &c);
    compile_free(&c);
    return status;
}

static int tool(int argc, char **argv)
{
    Options o = {.output = "a.pldb", .compile = {.stop_after = PASS_FINAL, .verify_each = true}};
    int status = parse_options(&o, argc, argv);
    if (status < 0) {
        tool_limit_memory(o.max_memory);
        o.compile.specialize.defines = o.defines.at;
        o.compile.specialize.n_defines = o.defines.len;
        o.compile.warnings = o.warnings.at;
        o.compile.n_warnings = o.warnings.len;
        status = run(&o);
    } else if (status == STATUS_OK) {
        char *why = NULL;
        status = stdout_finish(&why) ? STATUS_OK : write_failed(why);
    }
    arena_free(&o.arena);
    return status;
}

int main(int argc, char **argv)
{
    return tool_run(TOOL, argc, argv, tool);
}
