#include "tests/passtest.h"
#include "ir/print.h"
#include "parser/parser.h"
#include "tests/irtest.h"
#include "tests/support.h"
#include <string.h>

static const char frame_before[] = "R = pl.dynamic(\"R\")\n"
                                   "@pl.program\n"
                                   "class P:\n";
static const char step_head[] =
    "    @pl.function(type=pl.FunctionType.InCore)\n"
    "    def step(self, x: pl.Tensor[[4, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 64], pl.FP32]],\n"
    "             z: pl.InOut[pl.Tensor[[128, 64], pl.INT32]],\n"
    "             data: pl.InOut[pld.DistributedTensor[[4, 64], pl.FP32]],\n"
    "             signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],\n"
    "             n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32]):\n";
static const char frame_after[] =
    "    @pl.function(type=pl.FunctionType.Orchestration)\n"
    "    def orch(self, x: pl.Tensor[[4, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 64], pl.FP32]],\n"
    "             z: pl.InOut[pl.Tensor[[128, 64], pl.INT32]],\n"
    "             data: pl.InOut[pld.DistributedTensor[[4, 64], pl.FP32]],\n"
    "             signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],\n"
    "             n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32]):\n"
    "        self.step(x, y, z, data, signal, n, m)\n"
    "    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
    "    def host(self, x: pl.Tensor[[4, 4, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 4, 64], "
    "pl.FP32]],\n"
    "             z: pl.InOut[pl.Tensor[[4, 128, 64], pl.INT32]], n: pl.Scalar[pl.INDEX], m: "
    "pl.Scalar[pl.INT32]):\n"
    "        data_buf = pld.alloc_window_buffer([4, 64], dtype=pl.FP32)\n"
    "        signal_buf = pld.alloc_window_buffer([4, 1], dtype=pl.INT32)\n"
    "        for r in pl.range(4):\n"
    "            data = pld.window(data_buf, [4, 64], dtype=pl.FP32)\n"
    "            signal = pld.window(signal_buf, [4, 1], dtype=pl.INT32)\n"
    "            self.orch(x[r], y[r], z[r], data, signal, n, m, device=r)\n";

static void add_indented(Buf *out, const char *lines, const char *indent)
{
    while (*lines) {
        size_t len = strcspn(lines, "\n");
        buf_str(out, len ? indent : "");
        buf_bytes(out, lines, len);
        buf_char(out, '\n');
        lines += len + (lines[len] == '\n');
    }
}

const char *passtest_program(Arena *arena, const char *helpers, const char *body)
{
    Buf out = {0};
    buf_str(&out, frame_before);
    add_indented(&out, helpers, "    ");
    buf_str(&out, step_head);
    add_indented(&out, body, "        ");
    buf_str(&out, frame_after);
    const char *text = arena_strndup(arena, out.at, out.len);
    buf_free(&out);
    return text;
}

typedef struct {
    Buf *dumps; /* by pass, or NULL */
} Dumps;

static bool dump(void *env, Program *p, PassId pass)
{
    Dumps *d = env;
    PrintOptions options = {.ssa = pass >= PASS_CONVERT_TO_SSA, .pass = pass_info(pass)->file};
    if (d->dumps)
        ir_print(&d->dumps[pass], p, &options);
    return true;
}

static void open_with(PassTest *t, const char *text, PassId until, Buf *dumps)
{
    *t = (PassTest){0};
    const Source *src = source_from_bytes(&t->arena, "test.pld", text, strlen(text));
    diags_init(&t->diags, &t->arena, src);
    /* The bodies that passes are tested with are as short as they can be. */
    t->diags.enabled[WARN_UNSAID_OP] = false;
    AstModule *module = parse_module(&t->arena, &t->names, src, &t->diags);
    if (diags_failed(&t->diags))
        return;
    SpecializeOptions options = {.ranks = 0};
    Program *p = specialize(&t->arena, &t->names, module, &options, &t->diags);
    Dumps d = {dumps};
    PassOptions pass_options = {.verify_each = true, .stop_after = until, .hook = dump, .env = &d};
    if (p && passes_run(p, &pass_options))
        t->p = p;
}

void passtest_open(PassTest *t, const char *text, PassId until)
{
    open_with(t, text, until, NULL);
}

void passtest_close(PassTest *t)
{
    diags_free(&t->diags);
    interner_free(&t->names);
    arena_free(&t->arena);
}

const char *passtest_message(const PassTest *t)
{
    return t->diags.list.len ? t->diags.list.at[0].message : "";
}

const char *passtest_body(PassTest *t, const char *func)
{
    Func *f = program_func(t->p, intern(&t->names, func));
    if (!f)
        return "no such function";
    return irtest_body(&t->arena, t->p, f, t->p->stage >= PASS_CONVERT_TO_SSA);
}

void ck_rereadable(const char *text)
{
    PassTest t;
    Buf first[PASS_COUNT] = {0};
    open_with(&t, text, PASS_FINAL, first);
    ck_assert_msg(t.p != NULL, "%s", passtest_message(&t));
    passtest_close(&t);
    for (int pass = PASS_SPECIALIZE; pass < PASS_COUNT; pass++) {
        Buf again[PASS_COUNT] = {0};
        open_with(&t, first[pass].at, PASS_FINAL, again);
        ck_assert_msg(t.p != NULL, "dump %s: %s\n%s", pass_info((PassId)pass)->file,
                      passtest_message(&t), first[pass].at);
        passtest_close(&t);
        for (int later = pass; later < PASS_COUNT; later++) {
            ck_assert_msg(!strcmp(first[later].at, again[later].at),
                          "from %s, %s differs:\n%s\ninstead of\n%s", pass_info((PassId)pass)->file,
                          pass_info((PassId)later)->file, again[later].at, first[later].at);
            buf_free(&again[later]);
        }
    }
    for (int pass = 0; pass < PASS_COUNT; pass++)
        buf_free(&first[pass]);
}
