/* A run keeps its settings and arguments in one heap, and what the last start left in another,
 * which each start empties. Nothing of the caller's memory is looked at between two starts. */
#include "api/run.h"
#include "api/arrays.h"
#include "sim/host/run.h"
#include "sim/machine/fault.h"
#include "sim/report/cost.h"
#include "sim/sched/replay.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    pld_run *run;
    const char *name, *value;
    const pld_tensor *tensor;
} RunCall;

int run_finish(pld_run *r, int status)
{
    if (status == PLD_NO_MEMORY || status == PLD_INTERNAL)
        r->broken = status;
    return status;
}

static int setting(RunCall call, int (*work)(void *env))
{
    pld_run *r = call.run;
    r->why = "";
    return r->broken ? r->broken : run_finish(r, border(&r->heap, work, &call));
}

static int begin(void *env)
{
    pld_run *r = env;
    run_settings_init(&r->settings);
    return PLD_OK;
}

pld_run *pld_run_new(pld_program *program)
{
    pld_run *r = heap_try(sizeof *r);
    if (!r)
        return NULL;
    r->program = pld_program_ref(program);
    r->text = r->why = "";
    r->work.budget = &r->budget;
    run_finish(r, border(&r->heap, begin, r));
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

int run_refuse(pld_run *r, const char *why)
{
    r->why = why;
    return PLD_USAGE;
}

static const char *copy(pld_run *r, const char *text)
{
    return arena_strndup(&r->settings.arena, text, strlen(text));
}

/* What is wrong with a schedule whatever the program is; NULL: nothing. */
static const char *schedule_wrong(const char *text)
{
    const char *why = NULL;
    if (replay_is_token(text))
        return replay_devices(text) ? NULL : "a broken replay token";
    Policy *p = policy_parse(text, &why);
    if (p)
        policy_free(p);
    return p ? NULL : why;
}

static int set(void *env)
{
    RunCall *call = env;
    pld_run *r = call->run;
    r->settled = false;
    const char *value = call->value ? copy(r, call->value) : NULL;
    if (value && strcmp(call->name, "command") == 0) {
        r->settings.run.command = value;
        return PLD_OK;
    }
    const char *wrong = value && strcmp(call->name, "schedule") == 0 ? schedule_wrong(value) : NULL;
    if (wrong)
        return run_refuse(r, wrong);
    switch (run_shows(r, call->name, value)) {
    case SETTING_OK: return PLD_OK;
    case SETTING_BAD: return PLD_USAGE;
    case SETTING_UNKNOWN: break;
    }
    const char *why = arena_printf(&r->settings.arena, "unknown option '%s'", call->name);
    if (!value)
        return run_refuse(r, why);
    switch (run_setting(&r->settings, call->name, value)) {
    case SETTING_OK: return PLD_OK;
    case SETTING_BAD: return run_refuse(r, r->settings.why);
    case SETTING_UNKNOWN: break;
    }
    return run_refuse(r, why);
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
        return run_refuse(r, arena_printf(arena, "there is no tensor parameter %s", name));
    const char *why = arrays_check(arena, name, t, param);
    return why ? run_refuse(r, why) : PLD_OK;
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
    r->settled = false;
    int status = check_tensor(r, call->name, call->tensor);
    if (status != PLD_OK)
        return status;
    arrays_layout(call->tensor, shape, strides);
    pld_tensor t = *call->tensor;
    t.shape = shape;
    t.strides = strides;
    HostArray a = arrays_dense(&r->settings.arena, copy(r, call->name), &t, true);
    a.golden = true;
    for (uint32_t i = 0; i < r->goldens.len; i++)
        if (strcmp(r->goldens.at[i].name, call->name) == 0) {
            r->goldens.at[i] = a;
            return PLD_OK;
        }
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
    r->settled = false;
    if (!param || param->kind != BCP_SCALAR)
        return run_refuse(
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
        return run_refuse(run, "a scalar is an integer, a float or a bool");
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

/* ---- before a start ---- */

static int settle(void *env)
{
    pld_run *r = env;
    r->settings.extents.len = 0;
    run_settings_finish(&r->settings);
    if (run_settings_bind(&r->settings, program_code(r->program), "the program", false))
        return PLD_OK;
    return run_refuse(r, r->settings.why);
}

/* What was made by a start goes with its heap. */
static void forget(pld_run *r)
{
    heap_free(&r->work);
    memset(&r->result, 0, sizeof r->result);
    memset(r->outputs, 0, sizeof r->outputs);
    memset(&r->search, 0, sizeof r->search);
    r->world = NULL;
    r->searched = NULL;
    r->text = r->why = "";
}

int run_settle(pld_run *r)
{
    forget(r);
    int status = run_finish(r, border(&r->heap, settle, r));
    r->settled = status == PLD_OK;
    return status;
}

/* ---- results ---- */

size_t pld_run_report_count(const pld_run *run)
{
    return run->broken ? 0 : run->result.n_reports;
}

int pld_run_report(const pld_run *run, size_t index, pld_report *out)
{
    if (index >= pld_run_report_count(run))
        return PLD_USAGE;
    const Report *from = &run->result.reports[index];
    const ReportInfo *info = report_info(from->kind);
    pld_report report = {.kind = info->word,
                         .check = from->check,
                         .rank = from->rank == UINT32_MAX ? -1 : (int64_t)from->rank,
                         .file = from->file,
                         .line = from->line,
                         .col = from->col,
                         .text = from->text,
                         .status = info->status};
    return border_copy_out(out, &report, sizeof report);
}

const char *pld_run_text(const pld_run *run)
{
    return run->broken ? "" : run->text;
}

const char *pld_run_token(const pld_run *run)
{
    const char *token = run->searched ? run->searched : run->result.token;
    return run->broken || !token ? "" : token;
}

const char *pld_run_output(const pld_run *run, const char *what, size_t *len)
{
    static const char *const names[OUT_COUNT] = {
        [OUT_COST] = "cost.json",   [OUT_TRACE] = "trace.json",
        [OUT_SVG] = "timeline.svg", [OUT_HTML] = "timeline.html",
        [OUT_PRINTS] = "prints",    [OUT_REPORTS] = "reports.json",
        [OUT_JUNIT] = "junit.xml",  [OUT_DISPATCHES] = "dispatches.json",
    };
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

const char *const *pld_run_unchecked(const pld_run *run, size_t *n)
{
    *n = run->broken ? 0 : run->result.n_unchecked;
    return run->result.unchecked;
}

const char *pld_run_why(const pld_run *run)
{
    return run->why;
}
