/* Tasks in the order of the program only. Dispatches of a device run one after another here;
 * elsewhere those in a pl.manual_scope, and arguments in pl.no_dep, are ordered by deps= alone. Two
 * of them that touch the same bytes, one writing, with no path of deps= from one to the other, are
 * a warning. */
#include "base/call_how.h"
#include "sim/check/access_list.h"
#include "sim/check/checks.h"
#include "sim/machine/fault.h"
#include <string.h>

enum { MOST_TASKS = 8192 }; /* of one orchestration function that are looked at */

/* The dispatches of one orchestrating lane, in order; an owner is an index. */
typedef struct {
    uint32_t rank, core;
    VEC(DispatchRun) runs;
    AccessList accesses;
} TaskLog;

typedef struct {
    Observer base;
    VEC(TaskLog) logs;
    Map reported; /* pairs of places */
} TaskCheck;

/* What is judged at the end of an orchestration function. */
typedef struct {
    TaskCheck *c;
    World *w;
    const Lane *lane;
    const TaskLog *log;
    uint64_t *reach; /* see find_paths; NULL: not found yet */
    uint32_t n_tasks, words;
} TaskJudge;

static TaskLog *log_of(TaskCheck *c, uint32_t rank, uint32_t core)
{
    for (uint32_t i = 0; i < c->logs.len; i++)
        if (c->logs.at[i].rank == rank && c->logs.at[i].core == core)
            return &c->logs.at[i];
    vec_push(&c->logs, (TaskLog){.rank = rank, .core = core});
    return &vec_last(&c->logs);
}

/* Row `id` of `reach`: bits of the tasks from which a path leads there, itself among them. Ids
 * count up, so that what a task lists has a smaller one. */
static void find_paths(TaskJudge *j)
{
    const Lane *lane = j->lane;
    uint32_t n = lane->tasks.len < MOST_TASKS ? lane->tasks.len : MOST_TASKS;
    j->n_tasks = n + 1;
    j->words = j->n_tasks / 64 + 1;
    j->reach = xcalloc((size_t)j->n_tasks * j->words, sizeof *j->reach);
    for (uint32_t id = 1; id <= n; id++) {
        uint64_t *row = j->reach + (size_t)id * j->words;
        const Task *t = &lane->tasks.at[id - 1];
        row[id / 64] |= UINT64_C(1) << id % 64;
        for (uint32_t i = 0; i < t->n; i++) {
            const uint64_t *on = j->reach + (size_t)lane->task_deps.at[t->first + i] * j->words;
            for (uint32_t k = 0; k < j->words; k++)
                row[k] |= on[k];
        }
    }
}

/* Is there a path of deps= from `to` back to `from`? Of tasks that are not looked at, yes. */
static bool has_path(TaskJudge *j, uint32_t from, uint32_t to)
{
    if (!j->reach)
        find_paths(j);
    if (from >= j->n_tasks || to >= j->n_tasks)
        return true;
    return from && to && j->reach[(size_t)to * j->words + from / 64] >> from % 64 & 1;
}

/* Memory of pl.create_tensor(manual_dep=True). */
static bool made_free(const World *w, const OwnedAccess *x)
{
    const HostTensor *own = w->dispatches.at[x->at.dispatch].regions[x->rect.at.window].own;
    return own && own->manual;
}

/* Does nothing but deps= order the two elsewhere? */
static bool is_free(const World *w, const DispatchRun *a, const DispatchRun *b,
                    const OwnedAccess *x, const OwnedAccess *y)
{
    bool manual = (a->how & CALL_MANUAL && b->how & CALL_MANUAL) || (x->tensor && made_free(w, x));
    return manual || (x->tensor && dispatch_run_frees(a, x->rect.at.window)) ||
           (y->tensor && dispatch_run_frees(b, y->rect.at.window));
}

static void found(void *env, const OwnedAccess *x, const OwnedAccess *y, int64_t first, int64_t end)
{
    TaskJudge *j = env;
    World *w = j->w;
    const DispatchRun *a = &j->log->runs.at[x->owner], *b = &j->log->runs.at[y->owner];
    if (!is_free(w, a, b, x, y) || has_path(j, a->task, b->task) ||
        !access_pair_is_new(&j->c->reported, w, a->at, b->at))
        return;
    Buf text = {0};
    place_text(w, &text, b->at);
    buf_printf(&text, ": warning: tasks: rank %u: this dispatch ", j->lane->rank);
    access_text(w, &text, y, first, end);
    buf_printf(&text, ", which the one at ");
    place_text(w, &text, a->at);
    buf_printf(&text,
               " %s, with no path of deps= between them: only here does their order in the "
               "program count",
               x->write ? "writes" : "reads");
    report_add(w, REP_WARNING, "tasks", &b->at, text.at);
    buf_free(&text);
}

static void judge(TaskCheck *c, World *w, const Lane *lane)
{
    TaskLog *log = log_of(c, lane->rank, lane->core);
    TaskJudge j = {.c = c, .w = w, .lane = lane, .log = log};
    access_list_judge(&log->accesses, found, &j);
    xfree(j.reach);
    vec_clear(&log->runs);
}

static void on_event(Observer *o, World *w, const Event *e)
{
    TaskCheck *c = (TaskCheck *)o;
    if (e->kind == EV_LANE_END) {
        judge(c, w, e->lane);
        return;
    }
    if (!e->lane || e->lane->frames.len == 0 || vec_last(&e->lane->frames).f->kind != BCF_INCORE)
        return;
    const DispatchRun *run = &e->lane->run;
    TaskLog *log = log_of(c, e->lane->rank, run->lane);
    while (log->runs.len <= run->number)
        vec_push(&log->runs, (DispatchRun){0});
    log->runs.at[run->number] = *run;
    access_list_add(&log->accesses, w, e, run->number);
}

static void reset(Observer *o, World *w)
{
    TaskCheck *c = (TaskCheck *)o;
    (void)w;
    for (uint32_t i = 0; i < c->logs.len; i++) {
        access_list_free(&c->logs.at[i].accesses);
        vec_free(&c->logs.at[i].runs);
    }
    vec_clear(&c->logs);
    map_clear(&c->reported);
}

static void destroy(Observer *o)
{
    TaskCheck *c = (TaskCheck *)o;
    reset(o, NULL);
    vec_free(&c->logs);
    map_free(&c->reported);
    xfree(c);
}

bool check_tasks_wanted(const BcProgram *p)
{
    for (uint32_t i = 0; i < p->n_funcs; i++)
        for (uint32_t k = 0; k < p->funcs[i].n_insns; k++)
            if ((p->funcs[i].insns[k].op == BC_AS && p->funcs[i].insns[k].imm & ~CALL_DEFERRED) ||
                (p->funcs[i].insns[k].op == BC_MAKE && p->funcs[i].insns[k].imm))
                return true;
    return false;
}

Observer *check_tasks_new(void)
{
    TaskCheck *c = xcalloc(1, sizeof *c);
    c->base = (Observer){.name = "tasks", .event = on_event, .reset = reset, .destroy = destroy};
    c->base.mask = access_list_events() | EV_BIT(EV_LANE_END);
    return &c->base;
}
