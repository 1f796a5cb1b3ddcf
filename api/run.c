/* A run keeps its settings and arguments in one heap, and what the last start left in another,
 * which each start empties. Nothing of the caller's memory is looked at between two starts. */
#include "sim/host/run.h"
#include "api/arrays.h"
#include "api/border.h"
#include "api/settings.h"
#include "sim/report/cost.h"
#include "sim/report/timeline.h"
#include "sim/report/trace.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* What the caller gave for a tensor. */
typedef struct {
    const char *name;
    pld_tensor tensor;
    int64_t shape[BC_MAX_RANK], strides[BC_MAX_RANK];
} RunArray;

typedef enum { OUT_COST, OUT_TRACE, OUT_SVG, OUT_HTML, OUT_COUNT } Output;

struct pld_run {
    Heap heap; /* settings */
    pld_program *program;
    RunSettings settings;
    VEC(RunArray) tensors;
    VEC(HostArray) goldens;
    bool cost, trace, timeline;
    int (*progress)(void *user, uint64_t steps, int64_t time_ps);
    void *user;
    double last_progress, end; /* seconds */
    atomic_int cancelled;
    Heap work; /* of the last start: below */
    RunResult result;
    const char *text;
    Buf outputs[OUT_COUNT];
    const char *why;
    int broken;
};

typedef struct {
    pld_run *run;
    const char *name, *value;
    const pld_tensor *tensor;
} RunCall;

static int finish(pld_run *r, int status)
{
    if (status == PLD_NO_MEMORY || status == PLD_INTERNAL)
        r->broken = status;
    return status;
}

static int setting(RunCall call, int (*work)(void *env))
{
    pld_run *r = call.run;
    r->why = "";
    return r->broken ? r->broken : finish(r, border(&r->heap, work, &call));
}

static int begin(void *env)
{
    pld_run *r = env;
    run_settings_init(&r->settings);
    r->settings.run.command = "pldrun";
    return PLD_OK;
}

pld_run *pld_run_new(pld_program *program)
{
    pld_run *r = heap_try(sizeof *r);
    if (!r)
        return NULL;
    r->program = pld_program_ref(program);
    r->text = r->why = "";
    finish(r, border(&r->heap, begin, r));
    return r;
}

void pld_run_free(pld_run *run)
{
    if (!run)
        return;
    heap_free(&run->work);
    heap_free(&run->heap);
    pld_program_free(run->program);
    xfree(run);
}

/* ---- settings ---- */

static int refuse(pld_run *r, const char *why)
{
    r->why = why;
    return PLD_USAGE;
}

static const char *copy(pld_run *r, const char *text)
{
    return arena_strndup(&r->settings.arena, text, strlen(text));
}

static int set(void *env)
{
    RunCall *call = env;
    pld_run *r = call->run;
    if (strcmp(call->name, "cost") == 0)
        return r->settings.run.cost = r->cost = true, PLD_OK;
    if (strcmp(call->name, "trace") == 0)
        return r->trace = true, PLD_OK;
    if (strcmp(call->name, "timeline") == 0)
        return r->timeline = true, PLD_OK;
    const char *why = arena_printf(&r->settings.arena, "unknown option '%s'", call->name);
    if (!call->value)
        return refuse(r, why);
    switch (run_setting(&r->settings, call->name, copy(r, call->value))) {
    case SETTING_OK: return PLD_OK;
    case SETTING_BAD: return refuse(r, r->settings.why);
    case SETTING_UNKNOWN: break;
    }
    return refuse(r, why);
}

int pld_run_set(pld_run *run, const char *option, const char *value)
{
    return setting((RunCall){.run = run, .name = option, .value = value}, set);
}

static const BcParam *find_param(const pld_run *r, const char *name)
{
    const BcProgram *p = program_code(r->program);
    const BcFunc *f = &p->funcs[p->entry];
    for (uint32_t i = 0; i < f->n_params; i++)
        if (strcmp(p->strings[f->params[i].name], name) == 0)
            return &f->params[i];
    return NULL;
}

static int check_tensor(pld_run *r, const char *name, const pld_tensor *t)
{
    Arena *arena = &r->settings.arena;
    const BcParam *param = find_param(r, name);
    if (!param || param->kind != BCP_TENSOR)
        return refuse(r, arena_printf(arena, "there is no tensor parameter %s", name));
    const char *why = arrays_check(arena, name, t, param);
    return why ? refuse(r, why) : PLD_OK;
}

static int set_tensor(void *env)
{
    RunCall *call = env;
    pld_run *r = call->run;
    uint32_t i = 0;
    while (i < r->tensors.len && strcmp(r->tensors.at[i].name, call->name) != 0)
        i++;
    if (!call->tensor->data && i < r->tensors.len) {
        r->tensors.at[i] = vec_pop(&r->tensors);
        return PLD_OK;
    }
    int status = check_tensor(r, call->name, call->tensor);
    if (status != PLD_OK)
        return status;
    if (i == r->tensors.len)
        vec_push(&r->tensors, (RunArray){.name = copy(r, call->name)});
    RunArray *g = &r->tensors.at[i];
    g->tensor = *call->tensor;
    arrays_layout(call->tensor, g->shape, g->strides);
    return PLD_OK;
}

int pld_run_tensor(pld_run *run, const char *param, const pld_tensor *tensor)
{
    return setting((RunCall){.run = run, .name = param, .tensor = tensor}, set_tensor);
}

static int set_golden(void *env)
{
    RunCall *call = env;
    pld_run *r = call->run;
    int64_t shape[BC_MAX_RANK], strides[BC_MAX_RANK];
    int status = check_tensor(r, call->name, call->tensor);
    if (status != PLD_OK)
        return status;
    arrays_layout(call->tensor, shape, strides);
    pld_tensor t = *call->tensor;
    t.shape = shape;
    t.strides = strides;
    HostArray a = arrays_dense(&r->settings.arena, copy(r, call->name), &t, true);
    a.golden = true;
    vec_push(&r->goldens, a);
    return PLD_OK;
}

int pld_run_golden(pld_run *run, const char *param, const pld_tensor *tensor)
{
    return setting((RunCall){.run = run, .name = param, .tensor = tensor}, set_golden);
}

static int set_scalar(void *env)
{
    RunCall *call = env;
    pld_run *r = call->run;
    const BcParam *param = find_param(r, call->name);
    if (!param || param->kind != BCP_SCALAR)
        return refuse(
            r, arena_printf(&r->settings.arena, "there is no scalar parameter %s", call->name));
    NamedText scalar = {copy(r, call->name), copy(r, call->value)};
    for (uint32_t i = 0; i < r->settings.inputs.len; i++)
        if (strcmp(r->settings.inputs.at[i].name, scalar.name) == 0) {
            r->settings.inputs.at[i] = scalar;
            return PLD_OK;
        }
    avec_push(&r->settings.arena, &r->settings.inputs, scalar);
    return PLD_OK;
}

int pld_run_scalar(pld_run *run, const char *param, const pld_value *v)
{
    char text[64];
    if (!run->broken && v->tag != PLD_V_INT && v->tag != PLD_V_BOOL && v->tag != PLD_V_FLOAT)
        return refuse(run, "a scalar is an integer, a float or a bool");
    if (v->tag == PLD_V_FLOAT)
        snprintf(text, sizeof text, "%a", v->real);
    else
        snprintf(text, sizeof text, "%lld", (long long)v->integer);
    for (char *at = text; *at; at++) /* what a locale makes of the point */
        if (*at == ',')
            *at = '.';
    return setting((RunCall){.run = run, .name = param, .value = text}, set_scalar);
}

int pld_run_progress(pld_run *run, int (*f)(void *user, uint64_t steps, int64_t time_ps),
                     void *user)
{
    run->progress = f;
    run->user = user;
    return PLD_OK;
}

/* ---- running ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void pld_run_cancel(pld_run *run)
{
    atomic_store(&run->cancelled, 1);
}

static const char *stop(void *env)
{
    pld_run *r = env;
    if (atomic_load_explicit(&r->cancelled, memory_order_relaxed))
        return "cancelled";
    return r->end > 0 && now() >= r->end ? "time limit" : NULL;
}

static void progress(void *env, const World *w)
{
    pld_run *r = env;
    double at = now();
    int64_t time = 0;
    if (at - r->last_progress < 0.05)
        return;
    r->last_progress = at;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (uint32_t k = 0; k < w->ranks[i].n_lanes; k++)
            time = w->ranks[i].lanes[k].now > time ? w->ranks[i].lanes[k].now : time;
    Trap *trap = trap_suspend();
    if (r->progress(r->user, w->steps, time))
        pld_run_cancel(r);
    trap_restore(trap);
}

static void write_back(const pld_run *r, const World *w)
{
    for (uint32_t i = 0; i < w->n_tensors; i++)
        for (uint32_t k = 0; k < r->tensors.len && w->tensors[i].dir != 0; k++) {
            const RunArray *g = &r->tensors.at[k];
            pld_tensor to = g->tensor;
            to.shape = g->shape;
            to.strides = g->strides;
            if (strcmp(g->name, w->tensors[i].name) == 0)
                arrays_scatter(&to, w->tensors[i].data);
        }
}

static void make_outputs(pld_run *r, World *w, const Recorder *rec)
{
    if (r->cost)
        cost_print_json(w, &r->result, &r->outputs[OUT_COST]);
    if (!w)
        return;
    if (r->trace)
        trace_print(w, rec, &r->outputs[OUT_TRACE]);
    if (!r->timeline)
        return;
    timeline_print(w, rec, false, &r->outputs[OUT_SVG]);
    timeline_print(w, rec, true, &r->outputs[OUT_HTML]);
}

/* The arrays as the simulator takes them: dense ones are read where they are. */
static void give_arrays(pld_run *r, RunConfig *c, Arena *arena)
{
    HostArray *all = arena_array(arena, r->tensors.len + r->goldens.len + 1, sizeof *all);
    for (uint32_t i = 0; i < r->tensors.len; i++) {
        RunArray *g = &r->tensors.at[i];
        pld_tensor t = g->tensor;
        t.shape = g->shape;
        t.strides = g->strides;
        all[c->n_arrays++] = arrays_dense(arena, g->name, &t, false);
    }
    for (uint32_t i = 0; i < r->goldens.len; i++)
        all[c->n_arrays++] = r->goldens.at[i];
    c->arrays = all;
}

static int execute(void *env)
{
    pld_run *r = env;
    RunConfig c = r->settings.run;
    Recorder rec;
    Observer *observers[] = {&rec.observer};
    World *w;
    record_init(&rec);
    if (r->trace || r->timeline) {
        c.observers = observers;
        c.n_observers = 1;
    }
    give_arrays(r, &c, &r->result.arena);
    c.progress = r->progress ? progress : NULL;
    c.progress_env = c.stop_env = r;
    c.stop = stop;
    int status = sim_run_keep(program_code(r->program), &c, &r->result, &w);
    if (status == EXIT_STEPS && atomic_load(&r->cancelled))
        status = PLD_CANCELLED;
    make_outputs(r, w, &rec);
    r->text = run_result_text(&r->result.arena, &r->result);
    if (w && (status == EXIT_OK || status == EXIT_GOLDEN || status == EXIT_CHECK))
        write_back(r, w);
    world_free(w);
    record_free(&rec);
    return status;
}

static int settle(void *env)
{
    pld_run *r = env;
    r->settings.extents.len = 0;
    run_settings_finish(&r->settings);
    if (run_settings_bind(&r->settings, program_code(r->program), "the program", false))
        return PLD_OK;
    return refuse(r, r->settings.why);
}

static void forget(pld_run *r)
{
    heap_free(&r->work);
    memset(&r->result, 0, sizeof r->result);
    memset(r->outputs, 0, sizeof r->outputs);
    r->text = r->why = "";
}

int pld_run_start(pld_run *run)
{
    if (run->broken)
        return run->broken;
    forget(run);
    int status = finish(run, border(&run->heap, settle, run));
    if (status != PLD_OK)
        return status;
    run->last_progress = now();
    run->end = run->settings.time_limit > 0 ? run->last_progress + run->settings.time_limit : 0;
    status = finish(run, border(&run->work, execute, run));
    atomic_store(&run->cancelled, 0);
    if (status == PLD_USAGE && !*run->why && run->result.n_reports)
        run->why = run->result.reports[0].text;
    return status;
}

/* ---- results ---- */

size_t pld_run_report_count(const pld_run *run)
{
    return run->broken ? 0 : run->result.n_reports;
}

int pld_run_report(const pld_run *run, size_t index, pld_report *out)
{
    static const char *const kinds[] = {"usage",  "fault", "deadlock", "check", "warning",
                                        "golden", "steps", "internal", "note"};
    static const int statuses[] = {PLD_USAGE,  PLD_FAULT, PLD_DEADLOCK, PLD_CHECK, PLD_OK,
                                   PLD_GOLDEN, PLD_STEPS, PLD_INTERNAL, PLD_OK};
    if (index >= pld_run_report_count(run))
        return PLD_USAGE;
    const Report *from = &run->result.reports[index];
    pld_report report = {.kind = kinds[from->kind],
                         .check = from->check,
                         .rank = from->rank == UINT32_MAX ? -1 : (int64_t)from->rank,
                         .file = from->file,
                         .line = from->line,
                         .col = from->col,
                         .text = from->text,
                         .status = statuses[from->kind]};
    return border_copy_out(out, &report, sizeof report);
}

const char *pld_run_text(const pld_run *run)
{
    return run->broken ? "" : run->text;
}

const char *pld_run_token(const pld_run *run)
{
    return run->broken || !run->result.token ? "" : run->result.token;
}

const char *pld_run_output(const pld_run *run, const char *what, size_t *len)
{
    static const char *const names[] = {"cost.json", "trace.json", "timeline.svg", "timeline.html"};
    if (run->broken)
        return NULL;
    if (strcmp(what, "outcome") == 0) {
        const char *word = cost_verdict(&run->result);
        if (len)
            *len = strlen(word);
        return word;
    }
    for (int i = 0; i < OUT_COUNT; i++)
        if (strcmp(what, names[i]) == 0 && run->outputs[i].at) {
            if (len)
                *len = run->outputs[i].len;
            return run->outputs[i].at;
        }
    return NULL;
}

uint64_t pld_run_steps(const pld_run *run)
{
    return run->broken ? 0 : run->result.steps;
}

int64_t pld_run_time_ps(const pld_run *run)
{
    return run->broken ? 0 : run->result.time_ps;
}

size_t pld_run_checked_count(const pld_run *run)
{
    return run->broken ? 0 : run->result.n_checked;
}

const char *pld_run_why(const pld_run *run)
{
    return run->why;
}
