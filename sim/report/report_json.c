/* The schema of the objects is in man/pldrun.1, under DIAGNOSTICS. */
#include "sim/report/report_json.h"

#include "base/json.h"
#include "sim/report/cost.h"

static void key_place(JsonWriter *j, const char *file, uint32_t line, uint32_t col)
{
    if (!file)
        return;
    json_member_str(j, "file", file);
    json_member_int(j, "line", line);
    json_member_int(j, "col", col);
}

/* ---- reports ---- */

static void item_object(JsonWriter *j, const ReportItem *i)
{
    json_open(j, '{');
    json_member_str(j, "role", i->role);
    json_member_int(j, "rank", i->rank);
    json_member_int(j, "core", i->core);
    json_member_str(j, "op", i->op);
    key_place(j, i->file, i->line, i->col);
    json_member_str(j, "window", i->window);
    json_member_str(j, "parameter", i->parameter);
    json_member_str(j, "tensor", i->tensor);
    if (i->window)
        json_member_int(j, "of_rank", i->owner);
    json_member_str(j, "elements", i->elements);
    if (i->cmp) {
        json_member_int(j, "value", i->value);
        json_member_str(j, "cmp", i->cmp);
        json_member_int(j, "wanted", i->wanted);
    }
    json_close(j);
}

static void mismatch_object(JsonWriter *j, const GoldenMismatch *m)
{
    json_member_open(j, "mismatch", '{');
    json_member_str(j, "output", m->output);
    json_member_int(j, "differ", m->bad);
    json_member_int(j, "elements", m->elements);
    json_member_double(j, "largest", m->largest);
    json_member_double(j, "rtol", m->rtol);
    json_member_double(j, "atol", m->atol);
    json_member_str(j, "index", m->index);
    json_member_str(j, "got", m->got);
    json_member_str(j, "golden", m->golden);
    json_close(j);
}

void report_json(Buf *out, const Report *r, const char *replay)
{
    JsonWriter j;
    json_init(&j, out);
    json_open(&j, '{');
    json_member_str(&j, "severity", report_info(r->kind)->severity);
    json_member_str(&j, "kind", report_info(r->kind)->word);
    json_member_str(&j, "code", r->check);
    json_member_str(&j, "message", r->text);
    key_place(&j, r->file, r->line, r->col);
    if (r->rank != UINT32_MAX)
        json_member_int(&j, "rank", r->rank);
    if (r->n_items) {
        json_member_open(&j, "places", '[');
        for (uint32_t i = 0; i < r->n_items; i++)
            item_object(&j, &r->items[i]);
        json_close(&j);
    }
    if (r->mismatch)
        mismatch_object(&j, r->mismatch);
    if (!report_is_minor(r))
        json_member_str(&j, "replay", replay);
    json_close(&j);
}

void report_json_note(Buf *out, ReportKind kind, const char *code, const char *text)
{
    JsonWriter j;
    json_init(&j, out);
    json_open(&j, '{');
    json_member_str(&j, "severity", report_info(kind)->severity);
    json_member_str(&j, "kind", report_info(kind)->word);
    json_member_str(&j, "code", code);
    json_member_str(&j, "message", text);
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
    json_member_str(&j, "verdict",
                    r && r->status == status ? cost_verdict(r) : report_json_word(status));
    json_member_int(&j, "status", status);
    if (r) {
        json_member_int(&j, "steps", (int64_t)r->steps);
        json_key(&j, "time_ps");
        if (r->time_ps < 0)
            json_number(&j, "null"); /* nothing was modelled */
        else
            json_int(&j, r->time_ps);
        json_member_int(&j, "checked", r->n_checked);
        json_member_open(&j, "unchecked", '[');
        for (uint32_t i = 0; i < r->n_unchecked; i++)
            json_str(&j, r->unchecked[i]);
        json_close(&j);
        json_member_bool(&j, "certified", r->certified);
        json_member_str(&j, "token", r->token);
    }
    json_close(&j);
}
