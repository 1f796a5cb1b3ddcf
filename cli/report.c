/* The schema of the objects is in man/pldrun.1, under DIAGNOSTICS. */
#include "cli/report.h"

#include "base/json.h"
#include "base/terminal.h"
#include "sim/report/report_json.h"
#include "sim/sched/replay.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Prints an object, and frees its text. */
static void line(Buf *out)
{
    terminal_line(stderr, "%s", out->at);
    buf_free(out);
}

static void begin(JsonWriter *j, Buf *out)
{
    json_init(j, out);
    json_open(j, '{');
}

static void end(JsonWriter *j, Buf *out)
{
    json_close(j);
    line(out);
}

void say_report(const RunOptions *o, const Report *r, const char *replay)
{
    Buf text = {0};
    if (o->quiet && report_is_minor(r))
        return;
    if (o->json) {
        report_json(&text, r, replay);
        line(&text);
        return;
    }
    buf_printf(&text, "%s%s\n", r->kind == REP_USAGE ? "pldrun: error: " : "", r->text);
    terminal_text(stderr, text.at, text.len);
    buf_free(&text);
}

void say_note(const RunOptions *o, ReportKind kind, const char *code, const char *fmt, ...)
{
    Buf text = {0}, out = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&text, fmt, ap);
    va_end(ap);
    if (o->json) {
        report_json_note(&out, kind, code, text.at);
        line(&out);
    } else {
        terminal_line(stderr, "%s", text.at);
    }
    buf_free(&text);
}

static void failure_text(const RunOptions *o, const ExploreFailure *f)
{
    Arena arena = {0};
    terminal_text(stderr, f->text, strlen(f->text));
    terminal_line(stderr, "%s", replay_line(&arena, &o->set.run, f->token));
    if (!o->quiet && f->count > 1)
        terminal_line(stderr, "note: %llu executions failed like this",
                      (unsigned long long)f->count);
    arena_free(&arena);
}

static void failure_object(const RunOptions *o, const ExploreFailure *f)
{
    Arena arena = {0};
    Buf out = {0};
    JsonWriter j;
    size_t len = strlen(f->text);
    begin(&j, &out);
    json_member_str(&j, "severity", "error");
    json_member_str(&j, "kind", "execution");
    json_member_str(&j, "code", f->check);
    json_member_int(&j, "status", f->status);
    json_member_str(
        &j, "message",
        arena_strndup(&arena, f->text, len && f->text[len - 1] == '\n' ? len - 1 : len));
    json_member_int(&j, "executions", (int64_t)f->count);
    json_member_str(&j, "replay", replay_command(&arena, &o->set.run, f->token));
    end(&j, &out);
    arena_free(&arena);
}

void say_failure(const RunOptions *o, const ExploreFailure *f)
{
    if (o->json)
        failure_object(o, f);
    else
        failure_text(o, f);
}

/* ---- verdicts ---- */

void say_run_verdict(const RunOptions *o, const RunResult *r, int status)
{
    Buf out = {0};
    if (!o->json)
        return;
    report_json_run(&out, r, status);
    line(&out);
}

void say_explore_verdict(const RunOptions *o, const ExploreResult *r)
{
    Buf out = {0};
    JsonWriter j;
    if (!o->json)
        return;
    begin(&j, &out);
    json_member_str(&j, "verdict",
                    r->status == EXIT_OK && r->complete ? "verified" : report_json_word(r->status));
    json_member_int(&j, "status", r->status);
    json_member_int(&j, "executions", (int64_t)r->executions);
    json_member_bool(&j, "complete", r->complete);
    end(&j, &out);
}
