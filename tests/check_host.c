/* The host side: dispatch order, copies in and out, cores, domains, inputs, errors before the run.
 */
#include "tests/simtest.h"
#include "tests/support.h"

#include <string.h>

/* y = y + x: an Out parameter is copied in too. */
static const BcInsn accumulate[] = {
    {BC_LDI, 2, 0, 0, 0, 0, 0},        {BC_LDI, 3, 0, 0, 0, 0, 0},
    {BC_LOAD, 0, 0, 2, 2, BC_NONE, 0}, {BC_LOAD, 1, 1, 2, 2, BC_NONE, 0},
    {BC_TBIN, 1, 1, 0, 0, 0, TOP_ADD}, {BC_STORE, 1, 1, 2, 2, 0, 0},
    {BC_RET, 0, 0, 0, 0, 0, 0},
};

START_TEST(dispatches_in_order)
{
    SimTest t;
    simtest_new(&t, 3, (SimKernel){KERNEL(accumulate), .times = 4});
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    ck_assert_float_eq(simtest_y(&t, 2, 1), 4 * 201.0f);
    ck_assert_uint_eq(t.world->dispatches.len, 12);
    simtest_free(&t);
}
END_TEST

/* All devices add to y[0]: each waits for the one before it. */
START_TEST(shared_bytes_serialise)
{
    static const char *const schedules[] = {"clock", "random:1", "random:2"};
    SimTest t;
    simtest_new(&t, 3, (SimKernel){KERNEL(accumulate), .times = 2, .share_y = true});
    t.config.schedule = schedules[_i];
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    ck_assert_float_eq(simtest_y(&t, 0, 1), 2 * (1.0f + 101.0f + 201.0f));
    ck_assert_float_eq(simtest_y(&t, 1, 1), 0.0f);
    simtest_free(&t);
}
END_TEST

START_TEST(cores_are_lanes)
{
    /* Lane k writes k + 1 at y[0, k]. */
    static const BcInsn code[] = {
        {BC_LDI, 2, 0, 0, 0, 0, 0},          {BC_CORE, 3, 0, 0, 0, 0, 0},
        {BC_LDI, 4, 0, 0, 0, 0, 1},          {BC_BIN, 5, 3, 4, DT_INDEX, 0, SC_ADD},
        {BC_WRITE, 1, 2, 2, 5, DT_INDEX, 0}, {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(code), .cores = 5});
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    ck_assert_float_eq(simtest_y(&t, 1, 4), 5.0f);
    ck_assert_float_eq(simtest_y(&t, 1, 5), 0.0f);
    ck_assert_uint_eq(t.world->ranks[0].n_lanes, 5);
    simtest_free(&t);
    simtest_new(&t, 2, (SimKernel){KERNEL(code), .cores = 49});
    ck_assert_int_eq(simtest_run(&t), EXIT_FAULT);
    ck_assert_str_eq(simtest_text(&t),
                     "k.pld:31:5: fault: orch: 49 cores: a device of a2a3sim has 48");
    simtest_free(&t);
}
END_TEST

/* Windows dispatched to two of four devices: a domain of two. */
START_TEST(domain_is_who_gets_it)
{
    static const BcInsn code[] = {
        {BC_LDI, 2, 0, 0, 0, 0, 0},         {BC_LDI, 3, 0, 0, 0, 0, 0},
        {BC_NRANKS, 5, 2, 0, 0, 0, 0},      {BC_WRITE, 1, 2, 2, 5, DT_INT32, 0},
        {BC_RLOAD, 0, 2, 5, 2, BC_NONE, 2}, {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    SimTest t;
    simtest_new(&t, 4, (SimKernel){KERNEL(code), .devices = 2});
    ck_assert_int_eq(simtest_run(&t), EXIT_FAULT);
    ck_assert_ptr_nonnull(strstr(simtest_text(&t), "remote_load: peer=2 is outside: window data"));
    ck_assert_uint_eq(t.world->domains.len, 1);
    ck_assert_uint_eq(window_rank(t.world, 0, 3), UINT32_MAX);
    simtest_free(&t);
}
END_TEST

START_TEST(compiled_for_another_count)
{
    SimTest t;
    simtest_new(&t, 2, (SimKernel){KERNEL(accumulate)});
    t.p.ranks = 4;
    ck_assert_int_eq(simtest_run(&t), EXIT_USAGE);
    ck_assert_str_eq(simtest_text(&t),
                     "the program was compiled for 4 devices and is started on 2: compile it "
                     "with pldc --ranks 2");
    simtest_free(&t);
}
END_TEST

START_TEST(extent_from_the_command_line)
{
    SimTest t;
    NamedText nr = {"NR", "7"};
    simtest_new(&t, 2, (SimKernel){KERNEL(accumulate)});
    t.config.extents = &nr;
    t.config.n_extents = 1;
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    ck_assert_int_eq(t.world->tensors[0].shape[0], 7);
    nr.value = "1"; /* the host loop asks for row 1 of 1 */
    ck_assert_int_eq(simtest_run(&t), EXIT_FAULT);
    ck_assert_str_eq(simtest_text(&t),
                     "k.pld:28:5: fault: index 1 is outside the leading axis (extent 1)");
    nr.value = "x";
    ck_assert_int_eq(simtest_run(&t), EXIT_USAGE);
    nr = (NamedText){"NX", "3"};
    ck_assert_int_eq(simtest_run(&t), EXIT_USAGE);
    ck_assert_str_eq(simtest_text(&t), "-D NX: the program has no dynamic extent of this name");
    simtest_free(&t);
}
END_TEST

START_TEST(input_errors)
{
    SimTest t;
    NamedText in = {"z", "z.npy"};
    simtest_new(&t, 2, (SimKernel){KERNEL(accumulate)});
    t.config.inputs = &in;
    t.config.n_inputs = 1;
    ck_assert_int_eq(simtest_run(&t), EXIT_USAGE);
    ck_assert_str_eq(simtest_text(&t), "--input z: no such parameter: there are x, y");
    t.config.n_inputs = 0;
    t.p.n_element_funcs = 0;
    ck_assert_int_eq(simtest_run(&t), EXIT_USAGE);
    ck_assert_str_eq(simtest_text(&t),
                     "input x has no value: say --input x=FILE.npy, or write an init function");
    simtest_free(&t);
}
END_TEST

/* ---- observers ---- */

typedef struct {
    Observer base;
    uint32_t seen[EV_COUNT];
    uint64_t last_seq;
    uint32_t payloads, linked, finished;
} Spy;

static void spy_event(Observer *o, World *w, const Event *e)
{
    Spy *s = (Spy *)o;
    (void)w;
    s->seen[e->kind]++;
    ck_assert_uint_gt(e->seq, s->last_seq);
    s->last_seq = e->seq;
    ck_assert_int_le(e->begin, e->end);
    if (e->kind == EV_ARRIVE && e->payload.len == 4 && memcmp(e->payload.bytes, "ping", 4) == 0)
        s->payloads++;
    if (e->kind == EV_WAIT)
        s->linked += e->link != 0;
}

static void spy_payload(Observer *o, World *w, const Event *e, Buf *out)
{
    (void)o, (void)w;
    ck_assert_int_eq(e->kind, EV_NOTIFY);
    buf_str(out, "ping");
}

static void spy_finish(Observer *o, World *w, bool ok)
{
    (void)w;
    ((Spy *)o)->finished += ok;
}

START_TEST(observers_hear_everything)
{
    static const BcInsn code[] = {
        {BC_LDI, 2, 0, 0, 0, 0, 0},
        {BC_LDI, 3, 0, 0, 0, 0, 0},
        {BC_LDI, 4, 0, 0, 0, 0, 1},
        {BC_LOAD, 0, 0, 2, 2, BC_NONE, 0},
        {BC_STORE, 0, 2, 2, 2, 0, 0},
        {BC_RANK, 5, 2, 0, 0, 0, 0},
        {BC_BIN, 6, 4, 5, DT_INT32, 0, SC_SUB},
        {BC_FENCE, 0, 0, 0, 0, 0, FENCE_RELEASE},
        {BC_NOTIFY, 3, 6, 2, 2, 4, NOTIFY_ATOMIC_ADD},
        {BC_WAIT, 3, 2, 2, 4, 0, WAIT_GE},
        {BC_FENCE, 0, 0, 0, 0, 0, FENCE_ACQUIRE},
        {BC_RLOAD, 1, 2, 6, 2, BC_NONE, 2},
        {BC_TCREATE, 2, 0, 0, 0, 0, 0},
        {BC_TBIN, 1, 1, 2, 0, 0, TOP_ADD},
        {BC_STORE, 1, 1, 2, 2, 0, 0},
        {BC_RET, 0, 0, 0, 0, 0, 0},
    };
    SimTest t;
    Spy spy = {.base = {.name = "spy",
                        .mask = ~UINT32_C(0),
                        .event = spy_event,
                        .payload = spy_payload,
                        .finish = spy_finish}};
    Observer *list[] = {&spy.base};
    simtest_new(&t, 2, (SimKernel){KERNEL(code)});
    t.config.observers = list;
    t.config.n_observers = 1;
    ck_assert_msg(simtest_run(&t) == EXIT_OK, "%s", simtest_text(&t));
    const struct {
        EventKind kind;
        uint32_t n;
    } want[] = {
        {EV_DISPATCH_BEGIN, 2}, {EV_DISPATCH_END, 2}, {EV_LANE_BEGIN, 2},  {EV_LANE_END, 2},
        {EV_KERNEL_BEGIN, 2},   {EV_KERNEL_END, 2},   {EV_TENSOR_READ, 2}, {EV_TENSOR_WRITE, 2},
        {EV_WRITE, 2},          {EV_READ, 0},         {EV_REMOTE_READ, 2}, {EV_NOTIFY, 2},
        {EV_ARRIVE, 2},         {EV_WAIT, 2},         {EV_FENCE, 4},       {EV_TILE_UNINIT, 2},
        {EV_FAULT, 0},
    };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        ck_assert_msg(spy.seen[want[i].kind] == want[i].n, "kind %d: %u", want[i].kind,
                      spy.seen[want[i].kind]);
    ck_assert_uint_eq(spy.payloads, 2);
    ck_assert_uint_eq(spy.linked, 2);
    ck_assert_uint_eq(spy.finished, 1);
    simtest_free(&t);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("host");
    TCase *c = tcase_create("host");
    tcase_add_test(c, dispatches_in_order);
    tcase_add_loop_test(c, shared_bytes_serialise, 0, 3);
    tcase_add_test(c, cores_are_lanes);
    tcase_add_test(c, domain_is_who_gets_it);
    tcase_add_test(c, compiled_for_another_count);
    tcase_add_test(c, extent_from_the_command_line);
    tcase_add_test(c, input_errors);
    tcase_add_test(c, observers_hear_everything);
    suite_add_tcase(s, c);
    return run_suite(s);
}
