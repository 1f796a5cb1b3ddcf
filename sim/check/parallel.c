/* Iterations of pl.parallel run one after another here, which asserts that they are independent:
 * what two of them touch, one writing and not both by atomic adds, is reported as a race. */
#include "sim/check/access_list.h"
#include "sim/check/checks.h"
#include "sim/machine/element_text.h"
#include "sim/machine/fault.h"

/* A loop under way; an owner is a number of an iteration. */
typedef struct {
    uint32_t rank, core;
    CodePlace at;
    VEC(int64_t) indices; /* by iteration */
    AccessList accesses;
} ParallelLoop;

typedef struct {
    Observer base;
    VEC(ParallelLoop) loops; /* of each lane, inner ones behind those around them */
    Map reported;            /* pairs of places */
} ParallelCheck;

/* What is judged at the end of a loop. */
typedef struct {
    ParallelCheck *c;
    World *w;
    const ParallelLoop *loop;
} ParallelJudge;

static void found(void *env, const OwnedAccess *a, const OwnedAccess *b, int64_t first, int64_t end)
{
    ParallelJudge *j = env;
    World *w = j->w;
    if (!access_pair_is_new(&j->c->reported, w, a->at, b->at))
        return;
    long long x = j->loop->indices.at[a->owner], y = j->loop->indices.at[b->owner];
    Buf text = {0};
    place_text(w, &text, b->at);
    buf_printf(&text, ": race: rank %u, iterations %lld and %lld of the pl.parallel at ",
               j->loop->rank, x, y);
    place_text(w, &text, j->loop->at);
    buf_printf(&text, ": iteration %lld ", y);
    access_text(w, &text, b, first, end);
    buf_printf(&text, ", unordered with iteration %lld, which %s it (%s) at ", x, access_verb(a),
               elements_op(a->insn));
    place_text(w, &text, a->at);
    report_add(w, REP_CHECK, "race", &b->at, text.at);
    buf_free(&text);
}

/* The loop of a lane that began last; NULL: none. */
static ParallelLoop *inner(ParallelCheck *c, uint32_t rank, uint32_t core)
{
    for (uint32_t i = c->loops.len; i-- > 0;)
        if (c->loops.at[i].rank == rank && c->loops.at[i].core == core)
            return &c->loops.at[i];
    return NULL;
}

static void close_loop(ParallelCheck *c, World *w, ParallelLoop *loop)
{
    ParallelJudge j = {c, w, loop};
    access_list_judge(&loop->accesses, found, &j);
    access_list_free(&loop->accesses);
    vec_free(&loop->indices);
    uint32_t i = (uint32_t)(loop - c->loops.at);
    for (; i + 1 < c->loops.len; i++)
        c->loops.at[i] = c->loops.at[i + 1];
    c->loops.len--;
}

static void iteration(ParallelCheck *c, World *w, const Event *e)
{
    ParallelLoop *loop = inner(c, e->at.rank, e->at.core);
    if (e->op == ITERATION_FIRST)
        vec_push(&c->loops, (ParallelLoop){.rank = e->at.rank, .core = e->at.core, .at = e->at});
    else if (loop && e->op == ITERATION_NEXT)
        vec_push(&loop->indices, (int64_t)e->link);
    else if (loop)
        close_loop(c, w, loop);
}

static void on_event(Observer *o, World *w, const Event *e)
{
    ParallelCheck *c = (ParallelCheck *)o;
    if (e->kind == EV_ITERATION) {
        iteration(c, w, e);
        return;
    }
    if (!e->lane || (e->lane->job && e->lane->run.queued))
        return;
    uint32_t core = e->lane->job ? e->lane->run.lane : e->lane->core;
    for (uint32_t i = 0; i < c->loops.len; i++) {
        ParallelLoop *loop = &c->loops.at[i];
        bool own = loop->core == e->lane->core;
        if (loop->rank == e->lane->rank && (own || loop->core == core) && loop->indices.len)
            access_list_add(&loop->accesses, w, e, loop->indices.len - 1);
    }
}

static void reset(Observer *o, World *w)
{
    ParallelCheck *c = (ParallelCheck *)o;
    (void)w;
    for (uint32_t i = 0; i < c->loops.len; i++) {
        access_list_free(&c->loops.at[i].accesses);
        vec_free(&c->loops.at[i].indices);
    }
    vec_clear(&c->loops);
    map_clear(&c->reported);
}

static void destroy(Observer *o)
{
    ParallelCheck *c = (ParallelCheck *)o;
    reset(o, NULL);
    vec_free(&c->loops);
    map_free(&c->reported);
    xfree(c);
}

bool check_parallel_wanted(const BcProgram *p)
{
    for (uint32_t i = 0; i < p->n_funcs; i++)
        for (uint32_t k = 0; k < p->funcs[i].n_insns; k++)
            if (p->funcs[i].insns[k].op == BC_ITER)
                return true;
    return false;
}

Observer *check_parallel_new(void)
{
    ParallelCheck *c = xcalloc(1, sizeof *c);
    c->base = (Observer){.name = "parallel", .event = on_event, .reset = reset, .destroy = destroy};
    c->base.mask = access_list_events() | EV_BIT(EV_ITERATION);
    return &c->base;
}
