/* Instructions: scalars, control flow, memory, tiles, transfers, and the faults of each. */
#include "tests/simtest.h"
#include "tests/support.h"

#include <string.h>

/* load x -> t0, y = t0 */
START_TEST(load_and_store)
{
    const BcInsn code[] = {
        {BC_LDI, 2, 0, 0, 0, 0, 0},        {BC_LDI, 3, 0, 0, 0, 0, 0},
        {BC_LOAD, 0, 0, 2, 2, BC_NONE, 0}, {BC_TBINK, 1, 0, 0, 0, TOP_MUL, 0},
        {BC_STORE, 1, 1, 2, 2, 0, 0},      {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    SimTest t;
    simtest_new(&t, 3, (SimKernel){KERNEL(code)});
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    ck_assert_float_eq(simtest_y(&t, 2, 5), 410.0f);
    ck_assert_int_eq(t.result.n_unchecked, 1);
    simtest_free(&t);
}
END_TEST

/* A loop that sums 0..9 and one that runs zero times; the sum goes to y[0, 0] by write. */
START_TEST(loops_and_elements)
{
    const BcInsn code[] = {
        {BC_LDI, 2, 0, 0, 0, 0, 0},          {BC_LDI, 3, 0, 0, 0, 0, 10},
        {BC_LDI, 4, 0, 0, 0, 0, 1},          {BC_LDI, 5, 0, 0, 0, 0, 0},
        {BC_FORPREP, 2, 3, 4, 0, 0, 7},      {BC_BIN, 5, 5, 2, DT_INT32, 0, SC_ADD},
        {BC_FORLOOP, 2, 3, 4, 0, 0, 5},      {BC_LDI, 2, 0, 0, 0, 0, 3},
        {BC_LDI, 3, 0, 0, 0, 0, 3},          {BC_FORPREP, 2, 3, 4, 0, 0, 12},
        {BC_LDI, 5, 0, 0, 0, 0, -1},         {BC_FORLOOP, 2, 3, 4, 0, 0, 10},
        {BC_LDI, 6, 0, 0, 0, 0, 0},          {BC_LDI, 7, 0, 0, 0, 0, 0},
        {BC_WRITE, 1, 6, 2, 5, DT_INT32, 0}, {BC_LDI, 7, 0, 0, 0, 0, 3},
        {BC_READ, 8, 0, 6, 2, 0, 0},         {BC_WRITE, 1, 6, 2, 8, DT_FP32, 0},
        {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(code)});
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    ck_assert_float_eq(simtest_y(&t, 0, 0), 45.0f);
    ck_assert_float_eq(simtest_y(&t, 1, 3), 103.0f);
    simtest_free(&t);
}
END_TEST

/* 103 / 7 in FP32 goes to y[0, 0], its nearest integer to y[0, 1], minus it to y[0, 2]. */
START_TEST(floats_in_registers)
{
    const BcInsn code[] = {
        {BC_LDI, 2, 0, 0, 0, 0, 0},
        {BC_LDI, 3, 0, 0, 0, 0, 3},
        {BC_READ, 4, 0, 2, 2, 0, 0},
        {BC_LDI, 5, 0, 0, 0, 0, 7},
        {BC_CAST, 5, 5, 0, DT_FP32, DT_INT32, 0},
        {BC_BIN, 6, 4, 5, DT_FP32, 0, SC_DIV},
        {BC_LDI, 3, 0, 0, 0, 0, 0},
        {BC_WRITE, 1, 2, 2, 6, DT_FP32, 0},
        {BC_CAST, 7, 6, 0, DT_INT32, DT_FP32, 0},
        {BC_LDI, 3, 0, 0, 0, 0, 1},
        {BC_WRITE, 1, 2, 2, 7, DT_INT32, 0},
        {BC_UN, 6, 6, 0, DT_FP32, 0, SC_NEG},
        {BC_LDI, 3, 0, 0, 0, 0, 2},
        {BC_WRITE, 1, 2, 2, 6, DT_FP32, 0},
        {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(code)});
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    ck_assert_float_eq(simtest_y(&t, 1, 0), 103.0f / 7.0f);
    ck_assert_float_eq(simtest_y(&t, 1, 1), 15.0f);
    ck_assert_float_eq(simtest_y(&t, 1, 2), -(103.0f / 7.0f));
    simtest_free(&t);
}
END_TEST

/* Every rank pulls its right neighbour's row: stage, notify the left one, wait, remote_load. */
static const BcInsn pull[] = {
    {BC_LDI, 2, 0, 0, 0, 0, 0},
    {BC_LDI, 3, 0, 0, 0, 0, 0},
    {BC_LDI, 4, 0, 0, 0, 0, 1},
    {BC_LOAD, 0, 0, 2, 2, BC_NONE, 0},
    {BC_STORE, 0, 2, 2, 2, 0, 0},
    {BC_RANK, 5, 2, 0, 0, 0, 0},
    {BC_NRANKS, 6, 2, 0, 0, 0, 0},
    {BC_BIN, 7, 5, 4, DT_INT32, 0, SC_ADD},
    {BC_BIN, 7, 7, 6, DT_INT32, 0, SC_MOD},
    {BC_BIN, 8, 5, 6, DT_INT32, 0, SC_ADD},
    {BC_BIN, 8, 8, 4, DT_INT32, 0, SC_SUB},
    {BC_BIN, 8, 8, 6, DT_INT32, 0, SC_MOD},
    {BC_MOV, 10, 5, 0, 0, 0, 0},
    {BC_LDI, 11, 0, 0, 0, 0, 0},
    {BC_NOTIFY, 3, 8, 10, 2, 4, NOTIFY_ATOMIC_ADD},
    {BC_MOV, 12, 7, 0, 0, 0, 0},
    {BC_LDI, 13, 0, 0, 0, 0, 0},
    {BC_WAIT, 3, 12, 2, 4, 0, WAIT_GE},
    {BC_RLOAD, 1, 2, 7, 2, BC_NONE, 2},
    {BC_STORE, 1, 1, 2, 2, 0, 0},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

START_TEST(neighbour_pull)
{
    const uint32_t ranks[] = {1, 2, 5, 64};
    SimTest t;
    simtest_new(&t, ranks[_i], (SimKernel){KERNEL(pull)});
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    for (uint32_t r = 0; r < ranks[_i]; r++)
        ck_assert_float_eq(simtest_y(&t, r, 7), 100.0f * (float)((r + 1) % ranks[_i]) + 7.0f);
    const CostCount *c = probe_cost(&t.world->probe, 0, 2);
    bool alone = ranks[_i] == 1;
    ck_assert_uint_eq(c->bytes_received, alone ? 0 : 32);
    ck_assert_uint_eq(c->bytes_sent, alone ? 0 : 32);
    ck_assert_uint_eq(c->data_steps, alone ? 0 : 1);
    ck_assert_uint_eq(c->notifies, !alone);
    ck_assert_uint_eq(c->self_notifies, alone);
    ck_assert_uint_eq(c->waits, 1);
    simtest_free(&t);
}
END_TEST

/* put in forms 0 to 3 to the right neighbour, then a barrier by one notify; y = own row 0 + 2 * ...
 */
static int run_put(SimTest *t, uint16_t xfer, uint32_t n)
{
    const BcInsn code[] = {
        {BC_LDI, 4, 0, 0, 0, 0, 1},
        {BC_RANK, 5, 2, 0, 0, 0, 0},
        {BC_NRANKS, 6, 2, 0, 0, 0, 0},
        {BC_BIN, 7, 5, 4, DT_INT32, 0, SC_ADD},
        {BC_BIN, 7, 7, 6, DT_INT32, 0, SC_MOD},
        {BC_LDI, 20, 0, 0, 0, 0, 1},
        {BC_LDI, 21, 0, 0, 0, 0, 0},
        {BC_LDI, 22, 0, 0, 0, 0, 0},
        {BC_LDI, 23, 0, 0, 0, 0, 0},
        {BC_LDI, 24, 0, 0, 0, 0, 1},
        {BC_LDI, 25, 0, 0, 0, 0, 8},
        {BC_PUT, 2, 7, 0, xfer, 0, 0},
        {BC_LDI, 10, 0, 0, 0, 0, 0},
        {BC_LDI, 11, 0, 0, 0, 0, 0},
        {BC_NOTIFY, 3, 7, 10, 2, 4, NOTIFY_SET},
        {BC_WAIT, 3, 10, 2, 4, 0, WAIT_EQ},
        {BC_LOAD, 0, 2, 20, 2, BC_NONE, 0},
        {BC_STORE, 0, 1, 10, 2, 0, 0},
        {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    simtest_new(t, n, (SimKernel){KERNEL(code)});
    return simtest_run(t);
}

START_TEST(put_forms)
{
    int64_t times[4];
    for (uint16_t x = 0; x < 4; x++) {
        SimTest t;
        ck_assert_msg(run_put(&t, x, 3) == EXIT_OK, "%s", simtest_text(&t));
        for (uint32_t r = 0; r < 3; r++)
            ck_assert_float_eq(simtest_y(&t, r, 4), 100.0f * (float)((r + 2) % 3) + 4.0f);
        ck_assert_uint_eq(probe_cost(&t.world->probe, 1, 2)->data_steps, 1);
        ck_assert_uint_eq(probe_cost(&t.world->probe, 1, 2)->bytes_received, 32);
        times[x] = t.result.time_ps;
        simtest_free(&t);
    }
    ck_assert_int_gt(times[1], times[2]); /* pipelining pays */
    ck_assert_int_gt(times[2], times[0]);
}
END_TEST

START_TEST(get_own_and_peer)
{
    const BcInsn code[] = {
        {BC_LDI, 2, 0, 0, 0, 0, 0},        {BC_LDI, 3, 0, 0, 0, 0, 0},
        {BC_LOAD, 0, 0, 2, 2, BC_NONE, 0}, {BC_STORE, 0, 2, 2, 2, 0, 0},
        {BC_LDI, 24, 0, 0, 0, 0, 1},       {BC_LDI, 25, 0, 0, 0, 0, 8},
        {BC_RANK, 5, 2, 0, 0, 0, 0},       {BC_GET, 1, 5, 2, 1, 0, 0},
        {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(code)});
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    ck_assert_float_eq(simtest_y(&t, 1, 7), 107.0f);
    ck_assert_uint_eq(probe_cost(&t.world->probe, 1, 2)->data_steps, 0);
    simtest_free(&t);
}
END_TEST

/* Valid extents: only the valid part is stored. */
START_TEST(valid_extents)
{
    const BcInsn code[] = {
        {BC_LDI, 2, 0, 0, 0, 0, 0}, {BC_LDI, 3, 0, 0, 0, 0, 0},  {BC_LDI, 4, 0, 0, 0, 0, 1},
        {BC_LDI, 5, 0, 0, 0, 0, 3}, {BC_LOAD, 0, 0, 2, 2, 4, 0}, {BC_STORE, 0, 1, 2, 2, 0, 0},
        {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(code)});
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    ck_assert_float_eq(simtest_y(&t, 1, 2), 102.0f);
    ck_assert_float_eq(simtest_y(&t, 1, 3), 0.0f);
    simtest_free(&t);
}
END_TEST

/* ---- faults ---- */

#define HEAD                                                                                       \
    {BC_LDI, 2, 0, 0, 0, 0, 0}, {BC_LDI, 3, 0, 0, 0, 0, 0},                                        \
    {                                                                                              \
        BC_LDI, 4, 0, 0, 0, 0, 1                                                                   \
    }
#define END                                                                                        \
    {                                                                                              \
        BC_RET, 0, 0, 0, 0, 0, 0                                                                   \
    }

typedef struct {
    BcInsn code[6];
    const char *text;
} Fault;

static const Fault faults[] = {
    {{HEAD, {BC_LDI, 3, 0, 0, 0, 0, 5}, {BC_LOAD, 0, 0, 2, 2, BC_NONE, 0}, END},
     "k.pld:104:5: fault: rank 0: load: offset 5 + extent 8 is outside axis 1 of x (extent 8)"},
    {{HEAD, {BC_LDI, 3, 0, 0, 0, 0, -1}, {BC_LOAD, 0, 2, 2, 2, BC_NONE, 0}, END},
     "k.pld:104:5: fault: rank 0: load: offset -1 + extent 8 is outside axis 1 of data (extent 8)"},
    {{HEAD, {BC_LDI, 5, 0, 0, 0, 0, 2}, {BC_RLOAD, 0, 2, 5, 2, BC_NONE, 2}, END},
     "k.pld:104:5: fault: rank 1: remote_load: peer=2 is outside 0..1 of window data"},
    {{HEAD, {BC_LDI, 5, 0, 0, 0, 0, -1}, {BC_NOTIFY, 3, 5, 2, 2, 4, NOTIFY_SET}, END},
     "k.pld:104:5: fault: rank 0: notify: peer=-1 is outside 0..1 of window signal"},
    {{HEAD, {BC_LDI, 2, 0, 0, 0, 0, 64}, {BC_NOTIFY, 3, 4, 2, 2, 4, NOTIFY_SET}, END},
     "k.pld:104:5: fault: rank 0: notify: offset 64 is outside axis 0 of signal (extent 64)"},
    {{HEAD, {BC_LDK, 5, 0, 0, 0, 0, 2}, {BC_NOTIFY, 3, 4, 2, 2, 5, NOTIFY_SET}, END},
     "k.pld:104:5: fault: rank 0: notify value: 3000000000 does not fit INT32"},
    {{HEAD, {BC_BIN, 5, 4, 2, DT_INT32, 0, SC_MOD}, {BC_NOP, 0, 0, 0, 0, 0, 0}, END},
     "k.pld:103:5: fault: rank 0: division by zero (1 % 0)"},
    {{HEAD, {BC_LDI, 5, 0, 0, 0, 0, 32}, {BC_BIN, 5, 4, 5, DT_INT32, 0, SC_SHL}, END},
     "k.pld:104:5: fault: rank 0: shift count outside the width of the dtype (1 << 32)"},
    {{HEAD, {BC_LDI, 5, 0, 0, 0, 0, 9}, {BC_LOAD, 0, 0, 2, 2, 4, 0}, END},
     "k.pld:104:5: fault: rank 0: load: valid extent 9 of axis 1 is outside the tile (8)"},
    {{HEAD, {BC_CHECK, 2, 0, 0, 0, 0, S_CHECK}, {BC_NOP, 0, 0, 0, 0, 0, 0}, END},
     "k.pld:103:5: fault: rank 0: checked"},
    {{HEAD, {BC_FORPREP, 2, 4, 3, 0, 0, 5}, {BC_FORLOOP, 2, 4, 3, 0, 0, 4}, END},
     "k.pld:103:5: fault: rank 0: the step of this loop is 0"},
    {{HEAD, {BC_LOAD, 0, 4, 2, 2, BC_NONE, 0}, {BC_NOP, 0, 0, 0, 0, 0, 0}, END},
     "k.pld:103:5: fault: rank 0: memory is used on a path where it was never set"},
};

START_TEST(fault_messages)
{
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(faults[_i].code)});
    ck_assert_int_eq(simtest_run(&t), EXIT_FAULT);
    ck_assert_str_eq(simtest_text(&t), faults[_i].text);
    for (uint32_t i = 1; i < t.result.n_reports; i++)
        ck_assert_int_eq(t.result.reports[i].kind, REP_NOTE); /* the replay line */
    simtest_free(&t);
}
END_TEST

START_TEST(fault_without_source_map)
{
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(faults[0].code), .stripped = true});
    ck_assert_int_eq(simtest_run(&t), EXIT_FAULT);
    ck_assert_str_eq(
        simtest_text(&t),
        "step+4: fault: rank 0: load: offset 5 + extent 8 is outside axis 1 of x (extent 8)");
    simtest_free(&t);
}
END_TEST

START_TEST(negative_dividend)
{
    const BcInsn code[] = {HEAD,
                           {BC_LDI, 5, 0, 0, 0, 0, -3},
                           {BC_LDI, 6, 0, 0, 0, 0, 2},
                           {BC_BIN, 7, 5, 6, DT_INT32, 0, SC_MOD},
                           {BC_WRITE, 1, 2, 2, 7, DT_INT32, 0},
                           END};
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(code)});
    ck_assert_int_eq(simtest_run(&t), EXIT_OK);
    ck_assert_float_eq(simtest_y(&t, 0, 0), -1.0f);
    ck_assert_int_eq(t.result.n_reports, 1); /* once for the site, not per rank */
    ck_assert_int_eq(t.result.reports[0].kind, REP_WARNING);
    ck_assert_ptr_nonnull(
        strstr(simtest_text(&t), "k.pld:105:5: warning: rank 0: the dividend of % is -3"));
    simtest_free(&t);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("vm");
    TCase *c = tcase_create("vm");
    tcase_add_test(c, load_and_store);
    tcase_add_test(c, loops_and_elements);
    tcase_add_test(c, floats_in_registers);
    tcase_add_loop_test(c, neighbour_pull, 0, 4);
    tcase_add_test(c, put_forms);
    tcase_add_test(c, get_own_and_peer);
    tcase_add_test(c, valid_extents);
    tcase_add_loop_test(c, fault_messages, 0, sizeof faults / sizeof faults[0]);
    tcase_add_test(c, fault_without_source_map);
    tcase_add_test(c, negative_dividend);
    suite_add_tcase(s, c);
    return run_suite(s);
}
