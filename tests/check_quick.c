/* Specialised scalar instructions against the plain ones: random programs of moves, sums,
 * comparisons, branches and casts in a loop, whatever the budget of a turn is and wherever it ends,
 * leave the registers, and take the steps, that a model written down here says. */
#include "sim/sched/sched.h"
#include "tests/simtest.h"
#include "tests/support.h"

#include <string.h>

enum { BODY = 40, FIRST = 5, N_REGS = 8, ROUNDS = 6, MODULUS = 1000003 };

typedef struct {
    BcInsn code[6 + BODY + 3 * N_REGS + 8];
    uint32_t n;
    uint64_t state;
} Random;

static uint32_t pick(Random *x, uint32_t n)
{
    x->state = x->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(x->state >> 33) % n;
}

static uint16_t reg(Random *x)
{
    return (uint16_t)(FIRST + pick(x, N_REGS));
}

static void add(Random *x, BcInsn in)
{
    x->code[x->n++] = in;
}

static const Dtype dtypes[] = {DT_INDEX, DT_INT64, DT_INT32};
static const ScalarOp ops[] = {SC_ADD, SC_SUB, SC_MUL, SC_EQ,  SC_NE, SC_LT,
                               SC_LE,  SC_GT,  SC_GE,  SC_MIN, SC_MAX};

/* Often about the register that the one before it wrote, so that pairs are met. */
static void random_insn(Random *x, uint32_t end)
{
    const BcInsn *last = &x->code[x->n - 1];
    uint16_t near = pick(x, 2) ? last->a : reg(x);
    int32_t ahead = (int32_t)(x->n + 1 + pick(x, end - x->n));
    switch (pick(x, 8)) {
    case 0: add(x, (BcInsn){BC_LDI, reg(x), 0, 0, 0, 0, (int32_t)pick(x, 7) - 3}); break;
    case 1: add(x, (BcInsn){BC_MOV, reg(x), near, 0, 0, 0, 0}); break;
    case 2: add(x, (BcInsn){BC_CAST, reg(x), near, 0, DT_INT64, dtypes[pick(x, 3)], 0}); break;
    case 3: add(x, (BcInsn){BC_JZ, near, 0, 0, 0, 0, ahead}); break;
    case 4: add(x, (BcInsn){BC_JNZ, near, 0, 0, 0, 0, ahead}); break;
    default:
        add(x, (BcInsn){BC_BIN, reg(x), near, reg(x), dtypes[pick(x, 3)], 0,
                        ops[pick(x, sizeof ops / sizeof *ops)]});
    }
}

/* Registers 2 to 4 count the rounds. What is left in the others, modulo a number that FP32 and
 * INT32 hold, is written to y. */
static void make(Random *x, uint64_t seed)
{
    *x = (Random){.state = seed * 77 + 1};
    add(x, (BcInsn){BC_LDI, 2, 0, 0, 0, 0, 0});
    add(x, (BcInsn){BC_LDI, 3, 0, 0, 0, 0, ROUNDS});
    add(x, (BcInsn){BC_LDI, 4, 0, 0, 0, 0, 1});
    add(x, (BcInsn){BC_LDI, FIRST, 0, 0, 0, 0, 3});
    uint32_t prep = x->n, end = x->n + 1 + BODY;
    add(x, (BcInsn){BC_FORPREP, 2, 3, 4, 0, 0, (int32_t)end + 1});
    while (x->n < end)
        random_insn(x, end);
    add(x, (BcInsn){BC_FORLOOP, 2, 3, 4, 0, 0, (int32_t)prep + 1});
    add(x, (BcInsn){BC_LDI, 13, 0, 0, 0, 0, MODULUS});
    add(x, (BcInsn){BC_LDI, 14, 0, 0, 0, 0, 0});
    for (uint16_t i = 0; i < N_REGS; i++) {
        add(x, (BcInsn){BC_LDI, 15, 0, 0, 0, 0, i});
        add(x, (BcInsn){BC_BIN, 16, (uint16_t)(FIRST + i), 13, DT_INT64, 0, SC_MOD});
        add(x, (BcInsn){BC_WRITE, 1, 14, 2, 16, DT_INT64, 0});
    }
    add(x, (BcInsn){BC_RET, 0, 0, 0, 0, 0, 0});
}

static int64_t model_binary(const BcInsn *in, int64_t a, int64_t b)
{
    uint64_t v = 0, x = (uint64_t)a, y = (uint64_t)b;
    switch ((ScalarOp)in->imm) {
    case SC_ADD: v = x + y; break;
    case SC_SUB: v = x - y; break;
    case SC_MUL: v = x * y; break;
    case SC_EQ: return a == b;
    case SC_NE: return a != b;
    case SC_LT: return a < b;
    case SC_LE: return a <= b;
    case SC_GT: return a > b;
    case SC_GE: return a >= b;
    case SC_MIN: return a < b ? a : b;
    case SC_MAX: return a < b ? b : a;
    default: ck_abort();
    }
    return in->d == DT_INT32 ? (int32_t)(uint32_t)v : (int64_t)v;
}

/* Executes the program up to its last part; the instructions that it took. */
static uint64_t model(const Random *x, int64_t *r)
{
    uint64_t n = 0;
    for (uint32_t pc = 0; x->code[pc].op != BC_WRITE; n++) {
        const BcInsn *in = &x->code[pc++];
        switch (in->op) {
        case BC_LDI: r[in->a] = in->imm; break;
        case BC_MOV:
        case BC_CAST: r[in->a] = r[in->b]; break;
        case BC_BIN:
            if (in->imm != SC_MOD)
                r[in->a] = model_binary(in, r[in->b], r[in->c]);
            break;
        case BC_JZ: pc = r[in->a] ? pc : (uint32_t)in->imm; break;
        case BC_JNZ: pc = r[in->a] ? (uint32_t)in->imm : pc; break;
        case BC_FORLOOP: pc = (r[in->a] += r[in->c]) < r[in->b] ? (uint32_t)in->imm : pc; break;
        default: break;
        }
    }
    return n;
}

static void expect(SimTest *t, const int64_t *r, uint64_t steps, int seed)
{
    for (uint32_t i = 0; i < N_REGS; i++) {
        int32_t y;
        memcpy(&y, t->world->tensors[1].data + i * sizeof y, sizeof y);
        ck_assert_msg(y == r[FIRST + i] % MODULUS, "seed %d: register %u", seed, FIRST + i);
    }
    ck_assert_msg(t->world->steps == steps, "seed %d: %llu steps, not %llu", seed,
                  (unsigned long long)t->world->steps, (unsigned long long)steps);
}

START_TEST(as_the_plain_ones)
{
    static const uint64_t budgets[] = {1, 2, 3, 5, 17, 42, 100};
    for (int seed = 0; seed < 300; seed++) {
        Random x;
        SimTest t;
        int64_t r[32] = {0};
        make(&x, (uint64_t)seed);
        simtest_new(&t, 1, (SimKernel){.code = x.code, .n = x.n, .ints = true});
        ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
        /* of the last part: the model stops at its first write; the orchestration function calls
         * and returns */
        uint64_t steps = t.world->host_steps + model(&x, r) + 1 + 3 * (N_REGS - 1) + 1 + 2;
        expect(&t, r, steps, seed);
        for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
            Policy *p = policy_clock();
            p->budget = budgets[i];
            world_reset(t.world, &t.result);
            ck_assert_int_eq(sched_run(t.world, p), END_DONE);
            p->destroy(p);
            expect(&t, r, steps, seed);
        }
        simtest_free(&t);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("quick");
    TCase *c = tcase_create("quick");
    tcase_add_test(c, as_the_plain_ones);
    suite_add_tcase(s, c);
    return run_suite(s);
}
