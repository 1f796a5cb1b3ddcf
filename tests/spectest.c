#include "tests/spectest.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "parser/parser.h"
#include "tests/support.h"
#include <string.h>

static const SpecializeOptions no_options;

static void start(Spec *s, const char *text)
{
    *s = (Spec){0};
    s->src = source_from_bytes(&s->arena, "test.pld", text, strlen(text));
    diags_init(&s->diags, &s->arena, s->src);
}

static void run(Spec *s, const SpecializeOptions *options)
{
    AstModule *m = parse_module(&s->arena, &s->names, s->src, &s->diags);
    if (!diags_failed(&s->diags))
        s->p = specialize(&s->arena, &s->names, m, options ? options : &no_options, &s->diags);
}

void spec_run(Spec *s, const char *text, const SpecializeOptions *options)
{
    start(s, text);
    run(s, options);
}

void spec_run_warned(Spec *s, const char *text, const SpecializeOptions *options, const char *first,
                     const char *second)
{
    start(s, text);
    ck_assert(diags_set_warning(&s->diags, first));
    ck_assert(diags_set_warning(&s->diags, second));
    run(s, options);
}

void spec_free(Spec *s)
{
    diags_free(&s->diags);
    buf_free(&s->text);
    interner_free(&s->names);
    arena_free(&s->arena);
}

const char *spec_messages(Spec *s)
{
    buf_clear(&s->text);
    buf_str(&s->text, "");
    for (uint32_t i = 0; i < s->diags.list.len; i++) {
        const Diag *d = &s->diags.list.at[i];
        LineCol at = source_line_col(s->src, d->span.begin);
        buf_str(&s->text, d->severity == DIAG_NOTE ? "  " : "");
        if (d->span.end)
            buf_printf(&s->text, "%u:%u: ", at.line, at.col);
        buf_printf(&s->text, "%s\n", d->message);
    }
    return s->text.at ? s->text.at : "";
}

const char *spec_printed(Spec *s)
{
    PrintOptions o = {.ssa = (s->p->properties & PROP_SSA) != 0,
                      .pass = pass_info((PassId)s->p->stage)->file};
    buf_clear(&s->text);
    ir_print(&s->text, s->p, &o);
    return s->text.at;
}

void expect_program_messages(const char *text, const SpecializeOptions *options,
                             const char *messages)
{
    Spec s;
    spec_run(&s, text, options);
    ck_assert_str_eq(spec_messages(&s), messages);
    spec_free(&s);
}

/* The dump is a program of its own, and dumps as itself. */
static void expect_reads_back(const char *dump)
{
    Spec again;
    spec_run(&again, dump, NULL);
    ck_assert_str_eq(spec_messages(&again), "");
    ck_assert(ir_verify(again.p, again.p->properties, "again"));
    ck_assert_str_eq(spec_printed(&again), dump);
    spec_free(&again);
}

void expect_program_has(const char *text, const SpecializeOptions *options, const char *part)
{
    Spec s;
    spec_run(&s, text, options);
    ck_assert_str_eq(spec_messages(&s), "");
    ck_assert(ir_verify(s.p, s.p->properties, "specialize"));
    const char *dump = spec_printed(&s);
    ck_assert_msg(strstr(dump, part), "no\n%s\nin\n%s", part, dump);
    expect_reads_back(dump);
    spec_free(&s);
}

/* Appends `body` with each line indented by `by` blanks. */
static void indent(Buf *out, const char *body, size_t by)
{
    while (*body) {
        const char *end = strchr(body, '\n');
        size_t n = end ? (size_t)(end - body) : strlen(body);
        if (n)
            buf_fill(out, ' ', by);
        buf_bytes(out, body, n);
        buf_char(out, '\n');
        body += n + (end != NULL);
    }
}

static void around(Buf *out, const char *body)
{
    buf_str(out,
            "@pl.jit.incore\n"
            "def step(x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]], "
            "data: pl.InOut[pld.DistributedTensor[[2, 64], pl.FP32]], "
            "sig: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], n: pl.Scalar[pl.INT32]):\n");
    indent(out, body, 4);
    buf_str(out, "@pl.jit\n"
                 "def orch(x, y, data, sig, n):\n"
                 "    return step(x, y, data, sig, n)\n"
                 "@pl.jit.host\n"
                 "def host(x: pl.Tensor[[2, 1, 64], pl.FP32], "
                 "y: pl.Out[pl.Tensor[[2, 1, 64], pl.FP32]], n: pl.Scalar[pl.INT32]):\n"
                 "    db = pld.alloc_window_buffer([2, 64], dtype=pl.FP32)\n"
                 "    sb = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)\n"
                 "    for r in pl.range(2):\n"
                 "        data = pld.window(db, [2, 64], dtype=pl.FP32)\n"
                 "        sig = pld.window(sb, [2, 1], dtype=pl.INT32)\n"
                 "        orch(x[r], y[r], data, sig, n, device=r)\n");
}

void expect_body(const char *body, const char *ir)
{
    Buf text = {0}, part = {0};
    around(&text, body);
    buf_str(&part, ":\n");
    indent(&part, ir, 8);
    buf_str(&part, "\n    @pl.function(type=pl.FunctionType.Orchestration)");
    expect_program_has(text.at, NULL, part.at);
    buf_free(&text);
    buf_free(&part);
}

void expect_body_messages(const char *body, const char *messages)
{
    Buf text = {0};
    around(&text, body);
    expect_program_messages(text.at, NULL, messages);
    buf_free(&text);
}
