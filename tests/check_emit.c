#include "base/devarith.h"
#include "codegen/emit.h"
#include "elab/specialize.h"
#include "lower/pass.h"
#include "parser/parser.h"
#include "tests/support.h"
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

/* Compiles source text for four ranks; NULL after errors, which stay in `diags`. */
static BcProgram *compile(const char *source)
{
    Source *src = source_from_bytes(&arena, "t.pld", source, strlen(source));
    diags_init(&diags, &arena, src);
    AstModule *module = parse_module(&arena, &names, src, &diags);
    SpecializeOptions options = {.ranks = 4};
    PassOptions passes = {.verify_each = true, .stop_after = PASS_FINAL};
    Program *p = diags_failed(&diags) ? NULL : specialize(&arena, &names, module, &options, &diags);
    BcProgram *out = p && passes_run(p, &passes) ? emit_program(&arena, p) : NULL;
    buf_clear(&text);
    if (out)
        bc_disassemble(out, &text);
    return out;
}

static BcProgram *compile_ok(const char *source)
{
    BcProgram *p = compile(source);
    if (!p)
        diags_print(&diags, stdout, DIAG_TEXT, false);
    ck_assert_ptr_nonnull(p);
    return p;
}

static const BcFunc *func(const BcProgram *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_funcs; i++)
        if (strcmp(p->strings[p->funcs[i].name], name) == 0)
            return &p->funcs[i];
    ck_abort_msg("no function %s", name);
    return NULL;
}

#define HEAD                                                                                       \
    "import pypto.language as pl\n"                                                                \
    "import pypto.language.distributed as pld\n"

/* A kernel `step(x, y, n)` on [4, 64] with the given body, and its callers. */
#define KERNEL(body)                                                                               \
    HEAD "@pl.jit.incore\n"                                                                        \
         "def step(x: pl.Tensor[[4, 64], pl.FP32], y: pl.InOut[pl.Tensor[[4, 64], pl.FP32]],\n"    \
         "         n: pl.Scalar[pl.INT32]):\n" body "@pl.jit\n"                                    \
         "def chip(x: pl.Tensor[[4, 64], pl.FP32], y: pl.InOut[pl.Tensor[[4, 64], pl.FP32]]):\n"   \
         "    return step(x, y, 3)\n"                                                              \
         "@pl.jit.host\n"                                                                          \
         "def host(x: pl.Tensor[[4, 64], pl.FP32], y: pl.InOut[pl.Tensor[[4, 64], pl.FP32]]):\n"   \
         "    chip(x, y, device=0)\n"                                                              \
         "    return y\n"

/* Code of the function whose listing starts there, without places: "load t0, m0, r0..r1, -" lines.
 */
static const char *code_lines(const char *from)
{
    Buf out = {0};
    char *rest = arena_strndup(&arena, from, strlen(from));
    strsep(&rest, "\n");
    for (char *line; (line = strsep(&rest, "\n")) && !strstr(line, " registers, ");) {
        char *place = strstr(line, " ; ");
        if (strncmp(line, "    ", 4) != 0)
            continue;
        if (place)
            *place = '\0';
        char *op = line + strspn(line, " 0123456789");
        for (char *word; (word = strsep(&op, " "));)
            if (*word)
                buf_printf(&out, "%s ", word);
        buf_str(&out, "\n");
    }
    const char *kept = arena_strndup(&arena, out.at ? out.at : "", out.len);
    buf_free(&out);
    return kept;
}

static const char *code_of(const BcProgram *p, const char *name)
{
    func(p, name);
    const char *start = strstr(text.at, arena_printf(&arena, " %s: ", name));
    ck_assert_ptr_nonnull(start);
    return code_lines(start);
}

START_TEST(straight_code)
{
    BcProgram *p = compile_ok(KERNEL("    a = pl.load(x, [0, 0], [1, 64])\n"
                                     "    b = pl.add(pl.mul(a, 0.5), a)\n"
                                     "    y = pl.store(b, [1, 0], y)\n"
                                     "    return y\n"));
    ck_assert_str_eq(code_of(p, "step"), "ldi r1, 0 \nldi r2, 0 \nldi r3, 1 \nldi r4, 0 \n"
                                         "load t0, m0, r1..r2, -, 0 \n"
                                         "tbink t1, t0, mul, 0.5 \n"
                                         "tbin t0, t1, t0, add \n"
                                         "store t0, m1, r3..r4, None_ \n"
                                         "ret - \n");
    ck_assert_str_eq(code_of(p, "chip"), "ldi r0, 3 \ncall step(m0, m1, r0) \nret - \n");
    ck_assert(strstr(code_of(p, "host"), "dispatch chip(m0, m1), ") != NULL);
}
END_TEST

/* In a loop nothing constant is set again, and memories that are carried around need no moves. */
START_TEST(loops_set_no_constants)
{
    BcProgram *p = compile_ok(KERNEL("    for i in pl.range(n):\n"
                                     "        for j in pl.range(0, 64, 16):\n"
                                     "            a = pl.load(x, [i, j], [1, 16])\n"
                                     "            if i > 1:\n"
                                     "                y = pl.store(a, [i, j], y)\n"
                                     "            else:\n"
                                     "                y = pl.store(pl.add(a, 1.0), [i, 0], y)\n"
                                     "    return y\n"));
    const BcFunc *f = func(p, "step");
    uint32_t depth = 0, loads = 0;
    for (uint32_t i = 0; i < f->n_insns; i++) {
        uint16_t op = f->insns[i].op;
        depth += op == BC_FORPREP;
        ck_assert_msg(depth == 0 || op != BC_LDK, "constant in a loop: %s", text.at);
        loads += depth == 1 && op == BC_LDI; /* the start of the inner loop */
        ck_assert_msg(depth < 2 || op != BC_LDI, "constant in the inner loop: %s", text.at);
        ck_assert_uint_ne(op, BC_MMOV);
        depth -= op == BC_FORLOOP;
    }
    ck_assert_uint_eq(loads, 1);
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

#define RESULT "    pl.write(out, [0], pl.cast(v, pl.INT64))\n    return out\n"

#define SCALARS(body)                                                                              \
    HEAD "@pl.jit.incore\n"                                                                        \
         "def step(out: pl.Out[pl.Tensor[[1], pl.INT64]], n: pl.Scalar[pl.INT32]):\n" body RESULT  \
         "@pl.jit\n"                                                                               \
         "def chip(out: pl.Out[pl.Tensor[[1], pl.INT64]]):\n"                                      \
         "    return step(out, 7)\n"                                                               \
         "@pl.jit.host\n"                                                                          \
         "def host(out: pl.Out[pl.Tensor[[1], pl.INT64]]):\n"                                      \
         "    chip(out, device=0)\n"                                                               \
         "    return out\n"

/* Scalar programs with their value for some n. */
static const struct {
    const char *source;
    int64_t n, value;
} scalars[] = {
    {SCALARS("    v = (n * 3 + 1) // 2 - n % 4\n"), 7, 8},
    {SCALARS("    v = (0 - n) // 2 + (0 - n) % 4\n"), 7, -6},
    {SCALARS("    v = 0\n    for i in pl.range(n):\n        v = v + i * i\n"), 5, 30},
    {SCALARS("    v = 0\n    for i in pl.range(n, 0, -2):\n        v = v * 10 + i\n"), 5, 531},
    {SCALARS("    v = 9\n    for i in pl.range(n):\n        v = v + 1\n"), 0, 9},
    /* exchange: the yields of a loop are one parallel copy */
    {SCALARS("    a = 1\n    b = 2\n    c = 3\n    for i in pl.range(n):\n        t = a\n        a "
             "= b\n"
             "        b = c\n        c = t\n    v = a * 100 + b * 10 + c\n"),
     2, 312},
    {SCALARS("    a = 0\n    b = 1\n    for i in pl.range(n):\n        t = a + b\n        a = b\n"
             "        b = t\n    v = a\n"),
     10, 55},
    {SCALARS("    v = 0\n    for i in pl.range(n):\n        if i == 3:\n            break\n"
             "        v = v + 10\n"),
     9, 30},
    {SCALARS("    v = 0\n    for i in pl.range(n):\n        if i % 2 == 0:\n            continue\n"
             "        v = v + i\n"),
     6, 9},
    {SCALARS("    v = 0\n    for i in pl.range(n):\n        for j in pl.range(i):\n"
             "            if j == 2:\n                break\n            if i == 3:\n"
             "                continue\n            v = v + i * 10 + j\n        v = v + 1\n"),
     5, 137},
    {SCALARS("    if n > 3:\n        v = n\n    elif n > 1:\n        v = n * 2\n    else:\n"
             "        v = 100\n"),
     2, 4},
    {SCALARS("    v = 0\n    if n > 3:\n        v = 5\n"), 3, 0},
    {SCALARS("    v = 5 if n > 3 else n // (n - 3)\n"), 4, 5},
    {SCALARS("    v = n // (n - 4) if n != 4 else 11\n"), 4, 11},
    /* the right side would fault */
    {SCALARS("    v = 0\n    if n != 0 and 12 // n > 3:\n        v = 1\n"), 0, 0},
    {SCALARS("    v = 0\n    if n == 0 or 12 // n > 3:\n        v = 1\n"), 0, 1},
    {SCALARS("    v = 0\n    if not (n > 1 and n < 5):\n        v = 1\n"), 3, 0},
    {SCALARS("    v = 0\n    if 1 < n < 5:\n        v = 1\n"), 3, 1},
    {SCALARS("    v = pl.max(pl.min(n, 5), 2) + (n ^ 1) + (n << 2) + (~n)\n"), 6, 5 + 7 + 24 - 7},
    {SCALARS("    v = pl.const(2147483647, pl.INT32) + n\n"), 1, INT32_MIN},
    {SCALARS("    v = pl.cast(n, pl.INT64) + 1099511627776\n"), 1, INT64_C(1099511627777)},
    /* the value a loop starts from is needed after it; the two arms make their values in place */
    {SCALARS(
         "    a = n * 2\n    v = a\n    for i in pl.range(3):\n        v = v * 2\n    v = v + a\n"),
     3, 54},
    {SCALARS("    a = n + 1\n    if n > 2:\n        v = a * 2\n    else:\n        v = a * 3\n"
             "    v = v + a\n"),
     3, 12},
    {SCALARS("    v = n\n    for i in pl.range(4):\n        v = v + 1 if i != 2 else v * 2\n"), 3,
     11},
    /* values of before a loop that are needed in it and after it keep their registers */
    {SCALARS(
         "    a = n * 2\n    b = n * 3\n    v = 0\n    for i in pl.range(3):\n        c = a + i\n"
         "        for j in pl.range(2):\n            d = b + j\n            v = v + c * d\n"
         "        e = v + a\n        v = e - a\n    v = v + a + b\n"),
     1, (2 + 3 + 4) * (3 + 4) + 2 + 3},
};

START_TEST(scalar_programs)
{
    BcProgram *p = compile_ok(scalars[_i].source);
    int64_t value = run_scalars(p, func(p, "step"), scalars[_i].n);
    ck_assert_msg(value == scalars[_i].value, "case %d: %lld\n%s", _i, (long long)value, text.at);
}
END_TEST

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
        HEAD "@pl.jit.incore\n"
             "def step(out: pl.Out[pl.Tensor[[1], pl.INT64]], n: pl.Scalar[pl.INT32]):\n",
        body.at,
        RESULT
        "@pl.jit\ndef chip(out: pl.Out[pl.Tensor[[1], pl.INT64]]):\n    return step(out, 7)\n"
        "@pl.jit.host\ndef host(out: pl.Out[pl.Tensor[[1], pl.INT64]]):\n"
        "    chip(out, device=0)\n    return out\n");
    BcProgram *p = compile_ok(source);
    ck_assert_int_eq(run_scalars(p, func(p, "step"), 13), expected);
    ck_assert_uint_lt(func(p, "step")->n_regs, 130);
    buf_free(&body);
}
END_TEST

static const char windows[] = HEAD
    "NR = pl.dynamic(\"NR\")\n"
    "@pl.jit.incore\n"
    "def step(x: pl.Tensor[[3 * NR + 2, 64], pl.FP32], data: pl.InOut[pld.DistributedTensor[[NR, "
    "64], pl.FP32]],\n"
    "         signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):\n"
    "    ctx = pld.get_comm_ctx(data)\n"
    "    me = pld.rank(ctx)\n"
    "    pld.system.notify(signal, peer=0, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd)\n"
    "    for r in pl.range(NR):\n"
    "        pld.system.wait(signal, offsets=[r, 0], expected=1, cmp=pld.WaitCmp.Ge)\n"
    "    t = pld.tile.remote_load(data, peer=0, offsets=[me, 0], shape=[1, 64])\n"
    "    data = pl.store(t, [me, 0], data)\n"
    "    return data\n"
    "@pl.jit\n"
    "def chip(x: pl.Tensor[[3 * NR + 2, 64], pl.FP32], data: pl.InOut[pld.DistributedTensor[[NR, "
    "64], pl.FP32]],\n"
    "         signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):\n"
    "    return step(x, data, signal)\n"
    "@pl.jit.host\n"
    "def host(x: pl.Tensor[[3 * NR + 2, 64], pl.FP32]):\n"
    "    buf = pld.alloc_window_buffer([NR, 64], dtype=pl.FP32)\n"
    "    sig = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)\n"
    "    for r in pl.range(pld.world_size()):\n"
    "        data = pld.window(buf, [NR, 64], dtype=pl.FP32)\n"
    "        signal = pld.window(sig, [NR, 1], dtype=pl.INT32)\n"
    "        chip(x, data, signal, device=r)\n";

START_TEST(windows_signals_and_extents)
{
    BcProgram *p = compile_ok(windows);
    const BcFunc *step = func(p, "step"), *chip = func(p, "chip"), *host = func(p, "host");
    ck_assert(step->params[2].signal && !step->params[1].signal && !step->params[0].signal);
    ck_assert(chip->params[2].signal && !chip->params[1].signal);
    ck_assert_uint_eq(host->n_binds, 1);
    ck_assert_int_eq(host->binds[0].mul, 3);
    ck_assert_int_eq(host->binds[0].add, 2);
    ck_assert(strstr(text.at, "param x: tensor FP32 [((3 * NR) + 2), 64]") != NULL);
    ck_assert(strstr(text.at, "NR = (x.shape[0] - 2) / 3") != NULL);
    ck_assert_uint_eq(p->n_windows, 2);
    ck_assert_str_eq(p->strings[p->windows[1].name], "sig");
    ck_assert_uint_eq(p->windows[1].line, 22);
    ck_assert_uint_eq(p->ranks, 0);
}
END_TEST

/* Where two memories meet, their registers are moved. */
START_TEST(memories_that_meet)
{
    BcProgram *p = compile_ok(
        HEAD "@pl.jit.incore\n"
             "def step(a: pl.Tensor[[4, 64], pl.FP32], b: pl.Tensor[[4, 64], pl.FP32],\n"
             "         y: pl.Out[pl.Tensor[[4, 64], pl.FP32]], n: pl.Scalar[pl.INT32]):\n"
             "    if n > 2:\n        c = a\n    else:\n        c = b\n"
             "    y = pl.store(pl.load(c, [0, 0], [1, 64]), [0, 0], y)\n    return y\n"
             "@pl.jit\n"
             "def chip(a: pl.Tensor[[4, 64], pl.FP32], b: pl.Tensor[[4, 64], pl.FP32],\n"
             "         y: pl.Out[pl.Tensor[[4, 64], pl.FP32]]):\n    return step(a, b, y, 1)\n"
             "@pl.jit.host\n"
             "def host(a: pl.Tensor[[4, 64], pl.FP32], b: pl.Tensor[[4, 64], pl.FP32],\n"
             "         y: pl.Out[pl.Tensor[[4, 64], pl.FP32]]):\n    chip(a, b, y, device=0)\n    "
             "return y\n");
    const char *code = code_of(p, "step");
    ck_assert_msg(strstr(code, "mmov m0, m0 ") && strstr(code, "mmov m0, m1 ") &&
                      strstr(code, "load t0, m0, "),
                  "%s", code);
}
END_TEST

/* Places go into the source map and nowhere else. */
START_TEST(stripped_bytes_do_not_depend_on_places)
{
    static const char body[] = KERNEL("    a = pl.load(x, [0, 0], [1, 64])\n"
                                      "    for i in pl.range(n):\n        a = pl.add(a, 2.0)\n"
                                      "    y = pl.store(a, [1, 0], y)\n    return y\n");
    Buf bytes[4] = {{0}, {0}, {0}, {0}};
    for (uint32_t i = 0; i < 2; i++) {
        BcProgram *p = compile_ok(arena_printf(&arena, "%s%s", i ? "# comment\n\n\n" : "", body));
        bc_encode(p, true, &bytes[i]);
        bc_encode(p, false, &bytes[2 + i]);
    }
    ck_assert(bytes[0].len == bytes[1].len && memcmp(bytes[0].at, bytes[1].at, bytes[0].len) == 0);
    ck_assert(bytes[2].len != bytes[3].len || memcmp(bytes[2].at, bytes[3].at, bytes[2].len) != 0);
    for (uint32_t i = 0; i < 4; i++)
        buf_free(&bytes[i]);
}
END_TEST

#define ELEMENTS(defs)                                                                             \
    HEAD defs "@pl.jit\n"                                                                          \
              "def chip(x: pl.Tensor[[4, 8], pl.FP32], y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]],\n" \
              "         k: pl.Scalar[pl.INT32]):\n    pl.write(y, [0, 0], pl.read(x, [0, 0]))\n  " \
              "  return y\n"                                                                       \
              "@pl.jit.host\n"                                                                     \
              "def host(x: pl.Tensor[[4, 8], pl.FP32], y: pl.InOut[pl.Tensor[[4, 8], pl.FP32]],\n" \
              "         k: pl.Scalar[pl.INT32]):\n    chip(x, y, k, device=0)\n    return y\n"

static const struct {
    const char *source, *expected; /* the first line, and the code of the init or golden function */
} elements[] = {
    {ELEMENTS("@pld.init\ndef x(i, j):\n    return i * 2.5 - j\n"),
     "init x: 3 registers\nldf r2, 2.5 \npbin r0, r0, r2, mul \npbin r0, r0, r1, sub \n"
     "ret r0 \n"},
    {ELEMENTS(
         "@pld.golden\ndef y(i, j):\n    return sum(x[q, j] for q in range(1, 4) if q != i) * k\n"),
     "golden y: 9 registers\nldi r3, 4 \nldi r4, 1 \nldi r5, 0 \nldi r6, 1 \n"
     "forprep r6, r3, r4, ->12 \npbin r7, r6, r1, ne \njz r7, ->11 \nmov r7, r6 \n"
     "mov r8, r2 \nread r7, m0, r7..r8 \npbin r5, r5, r7, add \nforloop r6, r3, r4, ->5 \n"
     "pbin r0, r5, r0, mul \nret r0 \n"},
    {ELEMENTS("@pld.golden\ndef y(i, j):\n    return max(x[a, b] for a in range(4) for b in "
              "range(8))\n"),
     "golden y: 9 registers\nldi r2, 4 \nldi r3, 1 \nldi r4, 8 \nldi r0, 0 \nldi r1, 0 \n"
     "ldi r5, 0 \nforprep r5, r2, r3, ->19 \nldi r6, 0 \nforprep r6, r4, r3, ->18 \n"
     "mov r7, r5 \nmov r8, r6 \nread r7, m0, r7..r8 \njz r1, ->15 \npbin r0, r0, r7, max \n"
     "jmp ->17 \nmov r0, r7 \nldi r1, 1 \nforloop r6, r4, r3, ->9 \nforloop r5, r2, r3, ->7 \n"
     "check r1, \"max of nothing\" \nret r0 \n"},
    {ELEMENTS("@pld.init\ndef x(i, j):\n    while i < j:\n        if i == 3:\n            break\n"
              "        i *= 2\n    return i\n"),
     "init x: 5 registers\nldi r2, 3 \nldi r3, 2 \njmp ->7 \npbin r4, r0, r2, eq \n"
     "jz r4, ->6 \njmp ->9 \npbin r0, r0, r3, mul \npbin r4, r0, r1, lt \nloop r4, ->3 \n"
     "ret r0 \n"},
};

START_TEST(init_and_golden)
{
    compile_ok(elements[_i].source);
    const char *start = strstr(text.at, "\ninit "), *golden = strstr(text.at, "\ngolden ");
    start = (start ? start : golden) + 1;
    size_t head = strcspn(start, ",");
    const char *got = arena_printf(&arena, "%.*s\n%s", (int)head, start, code_lines(start));
    ck_assert_str_eq(got, elements[_i].expected);
}
END_TEST

static const struct {
    const char *source, *message;
} mistakes[] = {
    {ELEMENTS("@pld.init\ndef x(i, j):\n    if i > 0:\n        return 1\n"), "path"},
    {ELEMENTS("@pld.init\ndef x(i, j):\n    if i > 0:\n        a = 1\n    return a\n"), "a"},
    {ELEMENTS("@pld.init\ndef x(i):\n    return i\n"), "ind"},
    {ELEMENTS("@pld.init\ndef x(i, j):\n    return q\n"), "q"},
    {ELEMENTS("@pld.init\ndef x(i, j):\n    return tan(i)\n"), "tan"},
    {ELEMENTS("@pld.init\ndef x(i, j):\n    return y[i]\n"), "dimension"},
    {HEAD "NR = pl.dynamic(\"NR\")\n@pl.jit\n"
          "def chip(x: pl.InOut[pl.Tensor[[NR * NR, 8], pl.INT32]]):\n    pl.write(x, [0, 0], 1)\n "
          "   return x\n"
          "@pl.jit.host\ndef host(x: pl.InOut[pl.Tensor[[NR * NR, 8], pl.INT32]]):\n    chip(x, "
          "device=0)\n"
          "    return x\n",
     "NR"},
};

START_TEST(mistakes_are_reported)
{
    ck_assert_ptr_null(compile(mistakes[_i].source));
    ck_assert(!diags_internal(&diags));
    ck_assert_uint_ge(diags.list.len, 1);
    ck_assert_msg(strstr(diags.list.at[0].message, mistakes[_i].message) != NULL, "case %d: %s", _i,
                  diags.list.at[0].message);
}
END_TEST

#define LOOP(tc, test, table) tcase_add_loop_test((tc), test, 0, sizeof table / sizeof *table)

int main(void)
{
    Suite *s = suite_create("emit");
    TCase *tc = tcase_create("emit");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, straight_code);
    tcase_add_test(tc, loops_set_no_constants);
    LOOP(tc, scalar_programs, scalars);
    tcase_add_test(tc, registers_are_reused);
    tcase_add_test(tc, windows_signals_and_extents);
    tcase_add_test(tc, memories_that_meet);
    tcase_add_test(tc, stripped_bytes_do_not_depend_on_places);
    LOOP(tc, init_and_golden, elements);
    LOOP(tc, mistakes_are_reported, mistakes);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
