/* Uninitialised reads and the ledger of signal cells, on small kernels. Instruction pc stands at
 * line 100 + pc. */
#include "tests/simtest.h"
#include "tests/support.h"

#include <string.h>

/* Registers: 2, 3 zero; 4 one; 5 the other rank of two; 6 minus one. */
#define START                                                                                      \
    {BC_LDI, 4, 0, 0, 0, 0, 1}, {BC_LDI, 6, 0, 0, 0, 0, -1}, {BC_RANK, 7, 2, 0, 0, 0, 0},          \
    {                                                                                              \
        BC_BIN, 5, 4, 7, DT_INT32, 0, SC_SUB                                                       \
    }
#define TELL                                                                                       \
    {                                                                                              \
        BC_NOTIFY, 3, 5, 2, 2, 4, NOTIFY_ATOMIC_ADD                                                \
    }
#define HEAR                                                                                       \
    {                                                                                              \
        BC_WAIT, 3, 2, 2, 4, 0, WAIT_GE                                                            \
    }
#define CLEAR                                                                                      \
    {                                                                                              \
        BC_NOTIFY, 3, 7, 2, 2, 6, NOTIFY_ATOMIC_ADD                                                \
    }
#define RETURN                                                                                     \
    {                                                                                              \
        BC_RET, 0, 0, 0, 0, 0, 0                                                                   \
    }

static const BcInsn meets[] = {START, TELL, HEAR, RETURN};
static const BcInsn meets_and_clears[] = {START, TELL, HEAR, CLEAR, RETURN};
static const BcInsn tells[] = {START, TELL, RETURN};
static const BcInsn meets_twice[] = {START, TELL, HEAR, TELL, HEAR, RETURN};
static const BcInsn meets_clears_meets[] = {START, TELL, HEAR, CLEAR, TELL, HEAR, RETURN};
/* The same wait again, without a notify that was meant for it. */
static const BcInsn looks_again[] = {START, TELL, HEAR, HEAR, RETURN};
static const BcInsn polls[] = {START, TELL, {BC_READ, 8, 3, 2, 2, 0, 0}, RETURN};

static const BcInsn reads_own[] = {
    {BC_LOAD, 0, 2, 2, 2, BC_NONE, 0}, {BC_STORE, 0, 1, 2, 2, 0, 0}, RETURN};
/* Writes the first four columns of row 0 and reads eight. */
static const BcInsn reads_half[] = {{BC_TFULL, 4, 0, 0, 0, 0, 0},
                                    {BC_STORE, 4, 2, 2, 2, 0, 0},
                                    {BC_LOAD, 0, 2, 2, 2, BC_NONE, 0},
                                    {BC_STORE, 0, 1, 2, 2, 0, 0},
                                    RETURN};
/* Writes row 2, then row 0, then reads both, and row 1. */
static const BcInsn reads_between[] = {
    {BC_LDI, 2, 0, 0, 0, 0, 2},        {BC_LOAD, 0, 0, 4, 2, BC_NONE, 0},
    {BC_STORE, 0, 2, 2, 2, 0, 0},      {BC_STORE, 0, 2, 4, 2, 0, 0},
    {BC_LOAD, 1, 2, 2, 2, BC_NONE, 0}, {BC_LOAD, 1, 2, 4, 2, BC_NONE, 0},
    {BC_LDI, 2, 0, 0, 0, 0, 1},        {BC_LOAD, 1, 2, 2, 2, BC_NONE, 0},
    {BC_STORE, 1, 1, 4, 2, 0, 0},      RETURN};
/* An atomic add onto a fresh element writes it. */
static const BcInsn adds[] = {{BC_RANK, 7, 2, 0, 0, 0, 0},
                              {BC_LOAD, 0, 0, 2, 2, BC_NONE, 0},
                              {BC_RSTORE, 0, 2, 7, 2, 2, ATOMIC_ADD},
                              {BC_LOAD, 1, 2, 2, 2, BC_NONE, 0},
                              {BC_STORE, 1, 1, 2, 2, 0, 0},
                              RETURN};
static const BcInsn empty_tile[] = {
    {BC_TCREATE, 0, 0, 0, 0, 0, 0}, {BC_STORE, 0, 1, 2, 2, 0, 0}, RETURN};

#define BUILTIN .builtin = true

typedef struct {
    SimKernel kernel;
    int status;
    const char *check; /* of the first report; NULL: none */
    const char *says;
} Row;

static const Row rows[] = {
    {{KERNEL(meets)}, EXIT_OK, NULL, NULL},
    {{KERNEL(meets), BUILTIN},
     EXIT_CHECK,
     "signal",
     "signal[0, 0] of rank 0 is 1 at the end; builtin collectives leave a cell as they found it, "
     "these left it +1\n    last notify at k.pld:104:5 (rank 1)"},
    {{KERNEL(meets_and_clears), BUILTIN}, EXIT_OK, NULL, NULL},
    {{KERNEL(tells)}, EXIT_OK, "signal", "k.pld:104:5: warning: signal: rank 1 adds 1"},
    {{KERNEL(meets_twice)},
     EXIT_CHECK,
     "signal",
     "k.pld:107:5: signal: rank 0 waits for 1 in signal[0, 0] of rank 0, which the cell had "
     "already "
     "reached in the wait at k.pld:105:5 (rank 0)"},
    {{KERNEL(meets_clears_meets)}, EXIT_OK, NULL, NULL},
    {{KERNEL(looks_again)}, EXIT_OK, NULL, NULL},
    {{KERNEL(polls)}, EXIT_OK, "schedule", "it is read, unordered with its updates"},
    {{KERNEL(reads_own)},
     EXIT_CHECK,
     "uninit",
     "k.pld:100:5: uninitialised: rank 0 reads data[0, 0:8] of rank 0 (load), which nobody has "
     "written\n    used at k.pld:101:5\n    nothing is written to that slice"},
    {{KERNEL(reads_half)},
     EXIT_CHECK,
     "uninit",
     "data[0, 4:8] of rank 0 (load), which nobody has written\n    used at k.pld:103:5\n    that "
     "slice is written by rank 0 at k.pld:101:5"},
    {{KERNEL(reads_between)},
     EXIT_CHECK,
     "uninit",
     "k.pld:107:5: uninitialised: rank 0 reads "
     "data[1, 0:8]"},
    {{KERNEL(adds)}, EXIT_OK, NULL, NULL},
    {{KERNEL(empty_tile)}, EXIT_CHECK, "uninit", "rank 0 uses tile x, whose elements nobody"},
};

static bool is_text(const SimTest *t, const char *text)
{
    for (uint32_t i = 0; i < t->result.n_reports; i++)
        if (strstr(t->result.reports[i].text, text))
            return true;
    return false;
}

START_TEST(judges)
{
    const Row *row = &rows[_i];
    SimTest t;
    simtest_new(&t, 2, row->kernel);
    t.config.checks = CHECK_ALL;
    ck_assert_msg(simtest_run(&t) == row->status, "row %d: %s", _i, simtest_text(&t));
    if (!row->check)
        ck_assert_msg(t.result.n_reports == 0, "row %d: %s", _i, simtest_text(&t));
    else
        ck_assert_str_eq(t.result.reports[0].check, row->check);
    if (row->says)
        ck_assert_msg(is_text(&t, row->says), "row %d: %s", _i, simtest_text(&t));
    simtest_free(&t);
}
END_TEST

/* Every check can be left out by itself. */
START_TEST(checks_are_chosen)
{
    static const BcInsn *const code[] = {meets_twice, reads_own};
    static const uint32_t n[] = {sizeof meets_twice / sizeof *meets_twice,
                                 sizeof reads_own / sizeof *reads_own};
    static const unsigned bit[] = {CHECK_SIGNALS, CHECK_UNINIT};
    for (int i = 0; i < 2; i++) {
        SimTest t;
        simtest_new(&t, 2, (SimKernel){.code = code[i], .n = n[i]});
        t.config.checks = bit[i];
        ck_assert_int_eq(simtest_run(&t), EXIT_CHECK);
        t.config.checks = CHECK_ALL & ~bit[i];
        ck_assert_int_eq(simtest_run(&t), EXIT_OK);
        simtest_free(&t);
    }
}
END_TEST

/* Two dispatches a device: the ledger goes on, and so do written bytes. */
START_TEST(across_dispatches)
{
    static const BcInsn once[] = {{BC_JNZ, 0, 0, 0, 0, 0, 3},   {BC_LOAD, 0, 0, 2, 2, BC_NONE, 0},
                                  {BC_STORE, 0, 2, 2, 2, 0, 0}, {BC_LOAD, 1, 2, 2, 2, BC_NONE, 0},
                                  {BC_STORE, 1, 1, 2, 2, 0, 0}, RETURN};
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(once), .times = 2});
    t.config.checks = CHECK_ALL;
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    simtest_free(&t);
    simtest_new(&t, 2, (SimKernel){KERNEL(meets), .times = 2});
    t.config.checks = CHECK_ALL;
    ck_assert_int_eq(simtest_run(&t), EXIT_CHECK);
    simtest_free(&t);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("ledger");
    TCase *c = tcase_create("ledger");
    tcase_add_loop_test(c, judges, 0, (int)(sizeof rows / sizeof rows[0]));
    tcase_add_test(c, checks_are_chosen);
    tcase_add_test(c, across_dispatches);
    suite_add_tcase(s, c);
    return run_suite(s);
}
