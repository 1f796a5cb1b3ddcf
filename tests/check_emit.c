/* Programs, tests/emit/NAME.pld, and their code, NAME.asm: the listing without the places. `make
 * update-goldens` writes it anew. */
#include "base/devarith.h"
#include "codegen/emit.h"
#include "elab/specialize.h"
#include "lower/pass.h"
#include "parser/parser.h"
#include "tests/files.h"
#include "tests/support.h"
#include <glob.h>
#include <stdlib.h>
#include <string.h>

static Arena arena;
static Interner names;
static Diags diags;
static Buf text; /* disassembly of the program compiled last */

static void setup(void)
{
    arena = (Arena){0};
    names = (Interner){0};
    text = (Buf){0};
}

static void teardown(void)
{
    diags_free(&diags);
    buf_free(&text);
    interner_free(&names);
    arena_free(&arena);
}

/* Compiles source text for four ranks. */
static BcProgram *compile(const char *source)
{
    Source *src = source_from_bytes(&arena, "t.pld", source, strlen(source));
    diags_init(&diags, &arena, src);
    AstModule *module = parse_module(&arena, &names, src, &diags);
    SpecializeOptions options = {.ranks = 4};
    PassOptions passes = {.verify_each = true, .stop_after = PASS_FINAL};
    Program *p = diags_failed(&diags) ? NULL : specialize(&arena, &names, module, &options, &diags);
    BcProgram *out = p && passes_run(p, &passes) ? emit_program(&arena, p) : NULL;
    if (!out)
        diags_print(&diags, stdout, DIAG_TEXT, false);
    ck_assert_ptr_nonnull(out);
    buf_clear(&text);
    bc_disassemble(out, &text);
    return out;
}

static const BcFunc *func(const BcProgram *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_funcs; i++)
        if (strcmp(p->strings[p->funcs[i].name], name) == 0)
            return &p->funcs[i];
    ck_abort_msg("no function %s", name);
    return NULL;
}

static glob_t cases;

/* The listing without places, which stand behind " ; ". */
static const char *listing(void)
{
    Buf out = {0};
    char *rest = arena_strndup(&arena, text.at, text.len);
    for (char *line; (line = strsep(&rest, "\n")) && rest;) {
        char *place = strstr(line, " ; ");
        size_t len = place ? (size_t)(place - line) : strlen(line);
        while (len && line[len - 1] == ' ')
            len--;
        buf_bytes(&out, line, len);
        buf_char(&out, '\n');
    }
    const char *kept = arena_strndup(&arena, out.at, out.len);
    buf_free(&out);
    return kept;
}

START_TEST(code)
{
    const char *path = cases.gl_pathv[_i];
    compile(files_read(&arena, path));
    files_expect(&arena, path, ".asm", listing());
}
END_TEST

START_TEST(windows_and_extents)
{
    BcProgram *p = compile(files_read(&arena, "tests/emit/windows_signals_and_extents.pld"));
    const BcFunc *step = func(p, "step"), *chip = func(p, "chip"), *host = func(p, "host");
    ck_assert(step->params[2].signal && !step->params[1].signal && !step->params[0].signal);
    ck_assert(chip->params[2].signal && !chip->params[1].signal);
    ck_assert_uint_eq(host->n_binds, 1);
    ck_assert_int_eq(host->binds[0].mul, 3);
    ck_assert_int_eq(host->binds[0].add, 2);
    ck_assert_uint_eq(p->n_windows, 2);
    ck_assert_str_eq(p->strings[p->windows[1].name], "sig");
    ck_assert_uint_eq(p->windows[1].line, 22);
    ck_assert_uint_eq(p->ranks, 0);
}
END_TEST

/* Runs scalar code; memory and tile instructions do nothing. Returns the value of the last scalar
 * that was written to memory. */
static int64_t run_scalars(const BcProgram *p, const BcFunc *f, int64_t n)
{
    int64_t *r = calloc(f->n_regs + 1u, sizeof *r), written = 0, steps = 0;
    r[f->n_binds] = n;
    for (uint32_t pc = 0; f->insns[pc].op != BC_RET;) {
        const BcInsn *in = &f->insns[pc++];
        int64_t b = in->b < f->n_regs ? r[in->b] : 0, c = in->c < f->n_regs ? r[in->c] : 0;
        ck_assert_int_lt(steps++, 100000);
        switch (in->op) {
        case BC_MOV: r[in->a] = b; break;
        case BC_LDI: r[in->a] = in->imm; break;
        case BC_LDK: r[in->a] = p->consts[in->imm]; break;
        case BC_JMP: pc = (uint32_t)in->imm; break;
        case BC_JZ: pc = r[in->a] ? pc : (uint32_t)in->imm; break;
        case BC_JNZ: pc = r[in->a] ? (uint32_t)in->imm : pc; break;
        case BC_FORPREP: pc = (c > 0 ? r[in->a] < b : r[in->a] > b) ? pc : (uint32_t)in->imm; break;
        case BC_FORLOOP:
            r[in->a] += c;
            pc = (c > 0 ? r[in->a] < b : r[in->a] > b) ? (uint32_t)in->imm : pc;
            break;
        case BC_WRITE: written = r[in->d]; break;
        case BC_BIN: {
            ArithStatus status = dev_binary((ScalarOp)in->imm, (Dtype)in->d, b, c, &r[in->a]);
            ck_assert_msg(status == ARITH_OK, "fault at %u", pc - 1);
            break;
        }
        case BC_UN: r[in->a] = dev_unary((ScalarOp)in->imm, (Dtype)in->d, b); break;
        case BC_CAST: r[in->a] = dev_cast((Dtype)in->e, (Dtype)in->d, b); break;
        default: break;
        }
    }
    free(r);
    return written;
}

#define SIGNATURE "(out: pl.Out[pl.Tensor[[1], pl.INT64]]"

/* Many values alive at once, then dead: registers are used again. */
START_TEST(registers_are_reused)
{
    Buf body = {0};
    int64_t expected = 0;
    buf_str(&body, "    v = 0\n");
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 50; i++)
            buf_printf(&body, "    a%d_%d = n * %d + v\n", round, i, i + round + 2);
        for (int i = 0; i < 50; i++)
            buf_printf(&body, "    v = v ^ a%d_%d\n", round, i);
    }
    for (int64_t round = 0, v = 0; round < 3; round++) {
        int64_t values[50];
        for (int64_t i = 0; i < 50; i++)
            values[i] = 13 * (i + round + 2) + v;
        for (int i = 0; i < 50; i++)
            v ^= values[i];
        expected = v;
    }
    const char *source = arena_printf(
        &arena, "%s%s%s",
        "import pypto.language as pl\n"
        "@pl.jit.incore\ndef step" SIGNATURE ", n: pl.Scalar[pl.INT32]):\n",
        body.at,
        "    pl.write(out, [0], pl.cast(v, pl.INT64))\n    return out\n"
        "@pl.jit\ndef chip" SIGNATURE "):\n    return step(out, 7)\n"
        "@pl.jit.host\ndef host" SIGNATURE "):\n    chip(out, device=0)\n    return out\n");
    BcProgram *p = compile(source);
    ck_assert_int_eq(run_scalars(p, func(p, "step"), 13), expected);
    ck_assert_uint_lt(func(p, "step")->n_regs, 130);
    buf_free(&body);
}
END_TEST

/* Places go into the source map and nowhere else. */
START_TEST(stripped_bytes_do_not_depend_on_places)
{
    const char *body = files_read(&arena, "tests/emit/loops_set_no_constants.pld");
    Buf bytes[4] = {{0}, {0}, {0}, {0}};
    for (uint32_t i = 0; i < 2; i++) {
        BcProgram *p = compile(arena_printf(&arena, "%s%s", i ? "# comment\n\n\n" : "", body));
        bc_encode(p, true, &bytes[i]);
        bc_encode(p, false, &bytes[2 + i]);
    }
    ck_assert(bytes[0].len == bytes[1].len && memcmp(bytes[0].at, bytes[1].at, bytes[0].len) == 0);
    ck_assert(bytes[2].len != bytes[3].len || memcmp(bytes[2].at, bytes[3].at, bytes[2].len) != 0);
    for (uint32_t i = 0; i < 4; i++)
        buf_free(&bytes[i]);
}
END_TEST

int main(void)
{
    if (glob("tests/emit/*.pld", 0, NULL, &cases) != 0)
        return 1;
    Suite *s = suite_create("emit");
    TCase *tc = tcase_create("emit");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, code, 0, (int)cases.gl_pathc);
    tcase_add_test(tc, windows_and_extents);
    tcase_add_test(tc, registers_are_reused);
    tcase_add_test(tc, stripped_bytes_do_not_depend_on_places);
    suite_add_tcase(s, tc);
    int status = run_suite(s);
    globfree(&cases);
    return status;
}
