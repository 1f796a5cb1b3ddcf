#include "tests/parsetest.h"
#include "tests/support.h"
#include <string.h>

/* Printed as the second text; NULL: as it stands. */
static const struct {
    const char *text, *printed;
} cases[] = {
    /* parentheses only where needed */
    {"x = ((a + b) + c) - (d - e) * (f * g) / h\n", "x = a + b + c - (d - e) * (f * g) / h\n"},
    {"x = a - (b + c)\n", NULL},
    {"x = -(-a) + (+b) * ~c\n", "x = --a + +b * ~c\n"},
    {"x = (-a) ** -b ** c\n", NULL},
    {"x = -(a ** b)\n", "x = -a ** b\n"},
    {"x = (a ** b) ** c\n", NULL},
    {"x = a | b ^ c & d << e + f * g\n", NULL},
    {"x = (((((a | b) ^ c) & d) << e) + f) * g\n", NULL},
    {"x = a @ b @ (c @ d)\n", NULL},
    {"x = not a == b and not (c and d) or (e or f)\n",
     "x = not a == b and not (c and d) or (e or f)\n"},
    {"x = (a or b) or c\n", NULL},
    {"x = a < b <= c != d is e is not f in g not in h\n", NULL},
    {"x = (a < b) < (not c)\n", NULL},
    {"x = a if b else (c if d else e)\n", "x = a if b else c if d else e\n"},
    {"x = (a if b else c) if (d if e else f) else g\n", NULL},
    {"x = (lambda a, *b, c=1: a)(3)\n", NULL},
    {"x = (lambda: 0) if a else b\n", NULL},
    {"x = (a.b).c(d)[e](f)\n", "x = a.b.c(d)[e](f)\n"},
    {"x = (a + b).c\n", NULL},
    {"x = (1).real + (1.5).real + (-1).real\n", NULL},
    {"x = f(a, *b, c=d, **e)\n", NULL},
    {"x = f((a, b), (yes if a else no), *(p or q))\n",
     "x = f((a, b), yes if a else no, *(p or q))\n"},
    {"x = sum(a for a in b)\n", NULL},
    {"x = sum((a for a in b), c)\n", NULL},
    {"x = sum(a for a, b in (c or d) if e if f for g in h)\n",
     "x = sum(a for a, b in c or d if e and f for g in h)\n"},
    {"x = [a for a in b if (c if d else e)]\n", NULL},
    {"x = {a: b, **c, **(d or e)}\n", NULL},
    {"x = {}\n", NULL},
    {"x = {a}, {a, *b}, {a for a in b}, {a: c for a in b}\n", NULL},
    {"x = a[b, c:d, ::e, :, f:, :g]\n", NULL},
    {"x = a[b,]\n", "x = a[(b,)]\n"},
    {"x = a[(b, c)]\n", NULL},
    {"x = a[(b if c else d):(e or f)]\n", "x = a[b if c else d:e or f]\n"},
    {"x = (), (a,), [], [a], [a, b]\n", NULL},
    {"x = ...\n", NULL},
    /* numbers and strings */
    {"x = 0b101 + 0o17 + 0xABC + 1_000\n", "x = 5 + 15 + 0xabc + 1000\n"},
    {"x = 1e3 + .5 + 1. + 1e-7 + 1e300\n", "x = 1000.0 + 0.5 + 1.0 + 1e-07 + 1e+300\n"},
    {"x = 1e999 - 9223372036854775807\n", NULL},
    {"x = -9223372036854775808 + -0x8000000000000000\n", NULL},
    {"x = (-9223372036854775808) ** 2\n", NULL},
    {"x = 'it''s' + 'a\"b' + '\\t\\\\\\x01'\n", "x = \"its\" + \"a\\\"b\" + \"\\t\\\\\\x01\"\n"},
    {"x = '\xc3\xa9'\n", "x = \"\xc3\xa9\"\n"},
    {"'''a\n\"b\"'''\n", "\"\"\"a\n\"b\\\"\"\"\"\n"},
    {"'''a\\\\b\"\"\"\"c\\r'''\n", "\"\"\"a\\\\b\\\"\\\"\\\"\"c\\r\"\"\"\n"},
    {"raise A(f'a {b!r:>{w}} {{c}} {d=} {e:.2f}' 'f' f\"{'g'}\")\n",
     "raise A(f\"a {b!r:>{w}} {{c}} {d=} {e:.2f}f{'g'}\")\n"},
    {"x = f'{ {1: 2}[1] } {(lambda: 0)} {a if b else c} {a != b} {a[b:c]}'\n",
     "x = f\"{ {1: 2}[1]} {(lambda: 0)} {(a if b else c)} {a != b} {a[b:c]}\"\n"},
    {"x = f'''{f\"{f'{a}'}\"}'''\n", "x = f'''{f\"{f'{a}'}\"}'''\n"},
    {"x = f'\\'\\n{a[\"\\x22\"]}'\n", "x = f\"\\x27\\n{a['\\x22']}\"\n"},
    {"x = f''\n", "x = f\"\"\n"},
    /* statements */
    {"a = b = c, d = e\n", NULL},
    {"a, *b = c\n", NULL},
    {"(a,) = b\n", NULL},
    {"a += b, c\n", "a += (b, c)\n"},
    {"a //= b\nc >>= d\ne @= f\ng **= h\n", NULL},
    {"x: pl.Tile[[1, 64], pl.FP32] = y\nx.y: int\n", NULL},
    {"(a, b): tuple[pl.Tile[[1, 64], pl.FP32], int] = f(x)\n", NULL},
    {"x: T = a, b\n", "x: T = (a, b)\n"},
    {"for i, (acc,) in pl.range(n, init_values=(acc0,)):\n    acc = pl.yield_(acc)\n", NULL},
    {"for (i,) in x: pass\n", "for (i,) in x:\n    pass\n"},
    {"if a: b\nelif c: d\nelse: e\n", "if a:\n    b\nelif c:\n    d\nelse:\n    e\n"},
    {"if a:\n    b\nelse:\n    if c:\n        d\n", "if a:\n    b\nelif c:\n    d\n"},
    {"if a:\n    b\nelse:\n    if c:\n        d\n    e\n", NULL},
    {"while a:\n    break\nelse:\n    continue\n", NULL},
    {"for a in b:\n    pass\nelse:\n    c\n", NULL},
    {"try:\n    a\nexcept (B, C) as d:\n    raise\nexcept:\n    pass\nelse:\n    e\n"
     "finally:\n    f\n",
     NULL},
    {"with a as b, c(d) as (e, f), g:\n    pass\n", NULL},
    {"assert a, 'b'\nassert c\n", "assert a, \"b\"\nassert c\n"},
    {"del a, b.c, d[e]\ndel (f, g)\n", NULL},
    {"def f():\n    global a, b\n    nonlocal c\n    return\n", NULL},
    {"return a, b\n", NULL},
    {"raise A(b) from c\n", NULL},
    {"yield\nyield a, b\nx = yield from c\n", "(yield)\n(yield (a, b))\nx = (yield from c)\n"},
    {"if x := f(y := 3, [z := 4]): pass\n", "if (x := f((y := 3), [(z := 4)])):\n    pass\n"},
    {"import a, b.c as d\n", "import a\nimport b.c as d\n"},
    {"from a.b import (c, d as e,)\nfrom . import f\nfrom ...g import *\n",
     "from a.b import c, d as e\nfrom . import f\nfrom ...g import *\n"},
    {"def f(self, a: int, b=1, c: float = 2.0, *d, e, g=3, **h) -> pl.Tensor[[1], pl.FP32]: ...\n",
     "def f(self, a: int, b=1, c: float = 2.0, *d, e, g=3, **h) -> pl.Tensor[[1], pl.FP32]:\n"
     "    ...\n"},
    {"def f(a, *, b, c=1):\n    pass\n", NULL},
    {"class A(B, *c):\n    pass\n", NULL},
    {"@a.b(c=d)\n@e\ndef f():\n    pass\n", NULL},
    {"if a:\n    @b\n    class C:\n        pass\n", NULL},
    /* blank lines and the header */
    {"# pld-ir 05_simplify ranks=2\nx = 1\n", NULL},
    {"# a comment\nx = 1  # another\n", "x = 1\n"},
    {"a\ndef f():\n    a\n    def g():\n        b\n    c\n    d\nclass H:\n    def i(): pass\n"
     "    def j(): pass\nk\n",
     "a\n\n\ndef f():\n    a\n\n    def g():\n        b\n\n    c\n    d\n\n\nclass H:\n"
     "    def i():\n        pass\n\n    def j():\n        pass\n\n\nk\n"},
};

START_TEST(canonical_spelling)
{
    const char *text = cases[_i].text, *printed = cases[_i].printed;
    expect_printed(text, printed ? printed : text);
}
END_TEST

START_TEST(a_whole_program_is_stable)
{
    const char *text =
        "SIZE = 64\n"
        "NR = pl.dynamic(\"NR\")\n"
        "\n\n"
        "def build(nr: int = pld.world_size(), mode: Literal[\"hand\", \"builtin\"] = \"hand\"):\n"
        "    \"\"\"Reduce-scatter in two ways.\"\"\"\n"
        "    use_builtin = mode == \"builtin\"\n"
        "    if SIZE % nr != 0:\n"
        "        raise ValueError(f\"SIZE={SIZE} must be divisible by the rank count, got {nr}\")\n"
        "\n"
        "    @pl.program\n"
        "    class ReduceScatter:\n"
        "        @pl.function(type=pl.FunctionType.InCore)\n"
        "        def step(self, x: pl.Tensor[[nr, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], "
        "pl.FP32]], data, signal):\n"
        "            my_rank = pld.rank(pld.get_comm_ctx(data))\n"
        "            for c in pl.range(nr):\n"
        "                data = pl.store(pl.load(x, [c, 0], [1, SIZE]), [c, 0], data)\n"
        "            if use_builtin:\n"
        "                data = pld.tensor.reduce_scatter(data, signal, op=pld.ReduceOp.Sum)\n"
        "            else:\n"
        "                for peer in pl.range(nr):\n"
        "                    if peer != my_rank:\n"
        "                        pld.system.notify(signal, peer=peer, offsets=[my_rank, 0], "
        "value=1, op=pld.NotifyOp.AtomicAdd)\n"
        "            acc = pl.load(data, [my_rank, 0], [1, SIZE])\n"
        "            for peer, (acc,) in pl.range(nr, init_values=(acc,)):\n"
        "                acc = pl.yield_(acc + x[peer, 0:SIZE])\n"
        "            return pl.store(acc, [0, 0], y)\n"
        "\n"
        "        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
        "        def host(self, x: pl.Tensor[[nr, 1, SIZE], pl.FP32]):\n"
        "            for r in pl.range(pld.world_size()):\n"
        "                self.step(x[r], -1, device=r)\n"
        "            return x\n"
        "\n"
        "    @pld.golden(rtol=1e-05, atol=1e-05)\n"
        "    def outputs(r, c, j):\n"
        "        return sum(inputs[k, c, r * SIZE + j] for k in range(nr))\n"
        "\n"
        "    return ReduceScatter\n";
    expect_printed(text, text);
}
END_TEST

START_TEST(different_trees_are_not_equal)
{
    static const char *const distinct[] = {
        "a",
        "b",
        "1",
        "0x1",
        "1.0",
        "'a'",
        "'''a'''",
        "f'a'",
        "True",
        "None",
        "a.b",
        "a[b]",
        "a[b:]",
        "a(b)",
        "a(b=c)",
        "a(b=d)",
        "a(*b)",
        "a(**b)",
        "-a",
        "~a",
        "a + b",
        "a - b",
        "a < b",
        "a > b",
        "a < b < c",
        "a and b",
        "a or b",
        "a and b and c",
        "a if b else c",
        "(a,)",
        "[a]",
        "(a, b)",
        "[a for a in b]",
        "(a for a in b)",
        "[a for a in b if c]",
        "lambda: a",
        "lambda a: a",
        "{a: b}",
        "{**b}",
        "{a}",
        "{a for a in b}",
        "{a: c for a in b}",
        "(a := b)",
        "(a := c)",
        "(yield)",
        "(yield a)",
        "(yield from a)",
        "f'{a}'",
        "f'{a=}'",
        "f'{a!r}'",
        "f'{a:b}'",
    };
    enum { N = sizeof distinct / sizeof distinct[0] };
    Parsed p[N];
    for (int i = 0; i < N; i++) {
        parse_text(&p[i], distinct[i], strlen(distinct[i]));
        ck_assert_uint_eq(p[i].diags.n_errors, 0);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            ck_assert_msg(ast_equal(p[i].module->body.at[0], p[j].module->body.at[0]) == (i == j),
                          "%s, %s", distinct[i], distinct[j]);
    for (int i = 0; i < N; i++)
        parsed_free(&p[i]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("ast_print");
    TCase *tc = tcase_create("ast_print");
    tcase_add_loop_test(tc, canonical_spelling, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tc, a_whole_program_is_stable);
    tcase_add_test(tc, different_trees_are_not_equal);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
