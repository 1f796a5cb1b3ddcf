/* Random kernels: every pass leaves what the verifier accepts, every dump reads back to the same
 * later dumps, and simplifying twice is simplifying once. */
#include "tests/passtest.h"
#include "tests/support.h"
#include <stdlib.h>
#include <string.h>

#define N_NAMES 4 /* k0..k3 are INDEX scalars, t0..t3 tiles */

typedef struct {
    Buf out;
    uint64_t state;
    int budget;                  /* statements left */
    int loops;                   /* for names of indices */
    bool k[N_NAMES], t[N_NAMES]; /* bound on every path to here */
} Gen;

static uint32_t pick(Gen *g, uint32_t n)
{
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(g->state >> 33) % n;
}

/* A bound name of a kind, or -1. */
static int bound(Gen *g, const bool *names)
{
    uint32_t from = pick(g, N_NAMES);
    for (uint32_t i = 0; i < N_NAMES; i++)
        if (names[(from + i) % N_NAMES])
            return (int)((from + i) % N_NAMES);
    return -1;
}

static void cond(Gen *g, int depth);

static void integer(Gen *g, int depth)
{
    static const char *const ops[] = {" + ", " * ", " - ", " // 3 + ", " % 2 + "};
    int k = bound(g, g->k);
    switch (depth > 2 ? pick(g, 3) : pick(g, 8)) {
    case 0: buf_printf(&g->out, "%u", pick(g, 5)); break;
    case 1: buf_str(&g->out, "n"); break;
    case 2: buf_printf(&g->out, k < 0 ? "n" : "k%d", k); break;
    case 3: buf_printf(&g->out, "pl.cast(pl.read(z, [%u, 1]), pl.INDEX)", pick(g, 4)); break;
    case 4:
        buf_str(&g->out, "pl.max(");
        integer(g, depth + 1);
        buf_str(&g->out, ", 1)");
        break;
    case 5:
        buf_str(&g->out, "(");
        integer(g, depth + 1);
        buf_str(&g->out, " if ");
        cond(g, depth + 1);
        buf_str(&g->out, " else 2)");
        break;
    default:
        buf_str(&g->out, "(");
        integer(g, depth + 1);
        buf_str(&g->out, ops[pick(g, 5)]);
        integer(g, depth + 1);
        buf_str(&g->out, ")");
    }
}

static void cond(Gen *g, int depth)
{
    static const char *const compare[] = {" < ", " == ", " != ", " >= "};
    if (depth < 3 && pick(g, 4) == 0) {
        buf_str(&g->out, "(");
        cond(g, depth + 1);
        buf_str(&g->out, pick(g, 2) ? " and " : " or ");
        cond(g, depth + 1);
        buf_str(&g->out, ")");
        return;
    }
    integer(g, depth + 1);
    buf_str(&g->out, compare[pick(g, 4)]);
    integer(g, depth + 1);
}

static void tile(Gen *g, int depth)
{
    int t = bound(g, g->t);
    uint32_t form = depth > 2 || t < 0 ? pick(g, 2) : pick(g, 6);
    if (form == 1 && t >= 0) {
        buf_printf(&g->out, "t%d", t);
    } else if (form < 2) {
        buf_printf(&g->out, "pl.load(%s, [%u, 0], [1, 64])", pick(g, 2) ? "x" : "data", pick(g, 4));
    } else if (form < 4) {
        buf_str(&g->out, pick(g, 2) ? "pl.add(" : "pl.maximum(");
        tile(g, depth + 1);
        buf_str(&g->out, ", ");
        tile(g, depth + 1);
        buf_str(&g->out, ")");
    } else {
        buf_str(&g->out, form == 4 ? "pl.neg(" : "self.scale(");
        tile(g, depth + 1);
        buf_str(&g->out, form == 4 ? ")" : ", 2)");
    }
}

static void line(Gen *g, int indent, const char *text)
{
    buf_fill(&g->out, ' ', 4 * (size_t)indent);
    buf_str(&g->out, text);
}

static bool block(Gen *g, int indent, bool in_loop, int depth);

static void branch(Gen *g, int indent, bool in_loop, int depth)
{
    Gen before = *g;
    line(g, indent, "if ");
    cond(g, 0);
    buf_str(&g->out, ":\n");
    bool then_falls = block(g, indent + 1, in_loop, depth + 1), else_falls = true;
    Gen then = *g;
    memcpy(g->k, before.k, sizeof g->k);
    memcpy(g->t, before.t, sizeof g->t);
    if (pick(g, 2)) {
        line(g, indent, "else:\n");
        else_falls = block(g, indent + 1, in_loop && then_falls, depth + 1);
    }
    for (int i = 0; i < N_NAMES; i++) {
        g->k[i] = (then.k[i] || !then_falls) && (g->k[i] || !else_falls);
        g->t[i] = (then.t[i] || !then_falls) && (g->t[i] || !else_falls);
    }
}

static void loop(Gen *g, int indent, int depth)
{
    static const char *const ranges[] = {"pl.range(3)", "pl.range(n)", "pl.range(0)",
                                         "pl.unroll(2)", "pl.range(n, 0, -1)"};
    Gen before = *g;
    uint32_t r = pick(g, 5);
    line(g, indent, "for ");
    buf_printf(&g->out, "i%d in %s:\n", g->loops++, ranges[r]);
    block(g, indent + 1, r != 3, depth + 1);
    memcpy(g->k, before.k, sizeof g->k);
    memcpy(g->t, before.t, sizeof g->t);
}

static void bind_integer(Gen *g, int indent)
{
    uint32_t v = pick(g, N_NAMES);
    line(g, indent, "");
    buf_printf(&g->out, "k%u = ", v);
    integer(g, 0);
    buf_str(&g->out, "\n");
    g->k[v] = true;
}

static void bind_tile(Gen *g, int indent)
{
    uint32_t v = pick(g, N_NAMES);
    line(g, indent, "");
    buf_printf(&g->out, "t%u = ", v);
    tile(g, 0);
    buf_str(&g->out, "\n");
    g->t[v] = true;
}

static void effect(Gen *g, int indent)
{
    int a = bound(g, g->t), b = bound(g, g->t);
    switch (pick(g, 4)) {
    case 0:
        line(g, indent, "");
        buf_printf(&g->out, a < 0 ? "pass\n" : "t%d, t%d = t%d, t%d\n", a, b == a ? (a + 1) % 4 : b,
                   b == a || b < 0 ? a : b, a);
        if (a >= 0 && b == a)
            g->t[(a + 1) % 4] = true;
        break;
    case 1: line(g, indent, "pld.system.notify(signal, peer=1, offsets=[0, 0], value=1)\n"); break;
    case 2:
        line(g, indent, "data = pl.store(");
        tile(g, 0);
        buf_str(&g->out, ", [1, 0], data)\n");
        break;
    default:
        line(g, indent, "z = pl.write(z, [(");
        integer(g, 0);
        buf_str(&g->out, ") % 4, 2], m)\n");
    }
}

/* Writes some statements; false when the last one leaves the loop. */
static bool block(Gen *g, int indent, bool in_loop, int depth)
{
    line(g, indent, "y = pl.store(");
    tile(g, 1);
    buf_str(&g->out, ", [0, 0], y)\n");
    for (uint32_t n = 1 + pick(g, 4); n > 0 && g->budget-- > 0; n--) {
        uint32_t form = pick(g, 12);
        if (form < 3)
            bind_integer(g, indent);
        else if (form < 6)
            bind_tile(g, indent);
        else if (form < 8)
            effect(g, indent);
        else if (form < 10 && depth < 4)
            branch(g, indent, in_loop, depth);
        else if (depth < 3)
            loop(g, indent, depth);
    }
    if (!in_loop || depth < 2 || pick(g, 4))
        return true;
    line(g, indent, pick(g, 2) ? "break\n" : "continue\n");
    return false;
}

static const char scale[] =
    "@pl.function(type=pl.FunctionType.InCore)\n"
    "def scale(self, t: pl.Tile[[1, 64], pl.FP32], k: pl.Scalar[pl.INDEX]) -> pl.Tile[[1, 64], "
    "pl.FP32]:\n"
    "    t1 = pl.mul(t, 3.0)\n"
    "    for i0 in pl.range(k):\n"
    "        t1 = pl.add(t1, t)\n"
    "        if i0 == 2:\n"
    "            break\n"
    "    return t1\n";

static const char *kernel(Arena *arena, uint64_t seed)
{
    Gen g = {.state = seed, .budget = 25};
    for (int i = 0; i < 8; i++)
        pick(&g, 2);
    block(&g, 0, false, 0);
    buf_str(&g.out, "t9 = self.scale(pl.load(x, [0, 0], [1, 64]), n)\n");
    while (g.budget > 0)
        block(&g, 0, false, 0);
    const char *text = passtest_program(arena, scale, g.out.at);
    buf_free(&g.out);
    return text;
}

START_TEST(dumps_read_back)
{
    Arena arena = {0};
    for (uint64_t seed = (uint64_t)_i * 8; seed < (uint64_t)_i * 8 + 8; seed++)
        ck_rereadable(kernel(&arena, seed));
    arena_free(&arena);
}
END_TEST

START_TEST(simplify_is_idempotent)
{
    Arena arena = {0};
    for (uint64_t seed = 0; seed < 40; seed++) {
        PassTest t;
        passtest_open(&t, kernel(&arena, seed), PASS_SIMPLIFY);
        ck_assert_msg(t.p != NULL, "seed %llu: %s", (unsigned long long)seed, passtest_message(&t));
        const char *once = passtest_body(&t, "step");
        ck_assert(pass_simplify(t.p));
        ck_assert_str_eq(passtest_body(&t, "step"), once);
        passtest_close(&t);
    }
    arena_free(&arena);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pass_random");
    TCase *tc = tcase_create("random");
    tcase_add_loop_test(tc, dumps_read_back, 0, 8);
    tcase_add_test(tc, simplify_is_idempotent);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
