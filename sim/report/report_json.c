/* The schema of the objects is in man/pldrun.1, under DIAGNOSTICS. */
#include "sim/report/report_json.h"

#include "base/json.h"
#include "sim/report/cost.h"

#include <string.h>

static const char *const severities[] = {
    [REP_USAGE] = "error", [REP_FAULT] = "error",     [REP_DEADLOCK] = "error",
    [REP_CHECK] = "error", [REP_WARNING] = "warning", [REP_GOLDEN] = "error",
    [REP_STEPS] = "error", [REP_INTERNAL] = "error",  [REP_NOTE] = "note"};

static const char *const kinds[] = {
    [REP_USAGE] = "usage", [REP_FAULT] = "fault",       [REP_DEADLOCK] = "deadlock",
    [REP_CHECK] = "check", [REP_WARNING] = "warning",   [REP_GOLDEN] = "golden",
    [REP_STEPS] = "steps", [REP_INTERNAL] = "internal", [REP_NOTE] = "note"};

static void key_str(JsonWriter *j, const char *key, const char *value)
{
    if (!value)
        return;
    json_key(j, key);
    json_str(j, value);
}

static void key_int(JsonWriter *j, const char *key, int64_t value)
{
    json_key(j, key);
    json_int(j, value);
}

static void key_place(JsonWriter *j, const char *file, uint32_t line, uint32_t col)
{
    if (!file)
        return;
    key_str(j, "file", file);
    key_int(j, "line", line);
    key_int(j, "col", col);
}

/* ---- reports ---- */

static void item_object(JsonWriter *j, const ReportItem *i)
{
    json_open(j, '{');
    key_str(j, "role", i->role);
    key_int(j, "rank", i->rank);
    key_int(j, "core", i->core);
    key_str(j, "op", i->op);
    key_place(j, i->file, i->line, i->col);
    key_str(j, "window", i->window);
    key_str(j, "parameter", i->parameter);
    key_str(j, "tensor", i->tensor);
    if (i->window)
        key_int(j, "of_rank", i->owner);
    key_str(j, "elements", i->elements);
    if (i->cmp) {
        key_int(j, "value", i->value);
        key_str(j, "cmp", i->cmp);
        key_int(j, "wanted", i->wanted);
    }
    json_close(j);
}

static void mismatch_object(JsonWriter *j, const GoldenMismatch *m)
{
    json_key(j, "mismatch");
    json_open(j, '{');
    key_str(j, "output", m->output);
    key_int(j, "differ", m->bad);
    key_int(j, "elements", m->elements);
    json_key(j, "largest");
    json_double(j, m->largest);
    json_key(j, "rtol");
    json_double(j, m->rtol);
    json_key(j, "atol");
    json_double(j, m->atol);
    key_str(j, "index", m->index);
    key_str(j, "got", m->got);
    key_str(j, "golden", m->golden);
    json_close(j);
}

void report_json(Buf *out, const Report *r, const char *replay)
{
    JsonWriter j;
    json_init(&j, out);
    json_open(&j, '{');
    key_str(&j, "severity", severities[r->kind]);
    key_str(&j, "kind", kinds[r->kind]);
    key_str(&j, "code", r->check);
    key_str(&j, "message", r->text);
    key_place(&j, r->file, r->line, r->col);
    if (r->rank != UINT32_MAX)
        key_int(&j, "rank", r->rank);
    if (r->n_items) {
        json_key(&j, "places");
        json_open(&j, '[');
        for (uint32_t i = 0; i < r->n_items; i++)
            item_object(&j, &r->items[i]);
        json_close(&j);
    }
    if (r->mismatch)
        mismatch_object(&j, r->mismatch);
    if (r->kind != REP_NOTE && r->kind != REP_WARNING)
        key_str(&j, "replay", replay);
    json_close(&j);
}

void report_json_note(Buf *out, const char *severity, const char *code, const char *text)
{
    JsonWriter j;
    json_init(&j, out);
    json_open(&j, '{');
    key_str(&j, "severity", severity);
    key_str(&j, "kind", strcmp(severity, "error") == 0 ? "usage" : severity);
    key_str(&j, "code", code);
    key_str(&j, "message", text);
    json_close(&j);
}

/* ---- verdicts ---- */

const char *report_json_word(int status)
{
    return status == EXIT_OK ? "OK" : cost_verdict(&(RunResult){.status = status, .n_checked = 1});
}

void report_json_run(Buf *out, const RunResult *r, int status)
{
    JsonWriter j;
    json_init(&j, out);
    json_open(&j, '{');
    key_str(&j, "verdict", r && r->status == status ? cost_verdict(r) : report_json_word(status));
    key_int(&j, "status", status);
    if (r) {
        key_int(&j, "steps", (int64_t)r->steps);
        key_int(&j, "time_ps", r->time_ps);
        key_int(&j, "checked", r->n_checked);
        json_key(&j, "unchecked");
        json_open(&j, '[');
        for (uint32_t i = 0; i < r->n_unchecked; i++)
            json_str(&j, r->unchecked[i]);
        json_close(&j);
        json_key(&j, "certified");
        json_bool(&j, r->certified);
        key_str(&j, "token", r->token);
    }
    json_close(&j);
}
