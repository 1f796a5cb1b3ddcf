#include "cli/show.h"

#include "base/file.h"
#include "base/terminal.h"
#include "cli/report.h"
#include "sim/report/junit.h"
#include "sim/report/timeline.h"
#include "sim/report/trace.h"

#include <stdlib.h>
#include <string.h>

void show_begin(Show *v, RunOptions *o)
{
    uint32_t n = 0;
    record_init(&v->recorder);
    watch_init(&v->watch, o->watches.at, o->watches.len);
    if (o->trace || o->timeline)
        v->observers[n++] = &v->recorder.observer;
    if (o->watches.len)
        v->observers[n++] = &v->watch.observer;
    o->set.run.observers = v->observers;
    o->set.run.n_observers = n;
}

static bool write_file(const char *path, const Buf *text)
{
    char *why = NULL;
    if (file_write_atomic(path, text->at, text->len, &why))
        return true;
    terminal_line(stderr, "pldrun: error: %s", why);
    xfree(why);
    return false;
}

static bool is_html(const char *path)
{
    size_t n = strlen(path);
    return n >= 5 && strcmp(path + n - 5, ".html") == 0;
}

bool show_write(const Show *v, const RunOptions *o, const World *w)
{
    bool ok = true;
    Buf text = {0};
    if (!w || (!o->trace && !o->timeline))
        return true;
    if (v->recorder.truncated)
        say_note(o, REP_NOTE, "trace",
                 "note: only the first %d events are in the trace and the timeline", RECORD_MAX);
    if (o->trace) {
        int64_t merged = trace_print(w, &v->recorder, &text);
        if (merged)
            say_note(o, REP_NOTE, "trace",
                     "note: the trace is long: operations of less than %lld ns that follow "
                     "each other are one slice",
                     (long long)(merged / 1000));
        ok = write_file(o->trace, &text);
    }
    buf_clear(&text);
    if (o->timeline) {
        timeline_print(w, &v->recorder, is_html(o->timeline), &text);
        ok = write_file(o->timeline, &text) && ok;
    }
    buf_free(&text);
    return ok;
}

void show_free(Show *v)
{
    record_free(&v->recorder);
    watch_free(&v->watch);
}

bool show_run_report(const RunOptions *o, const RunResult *r, int status)
{
    Buf text = {0};
    if (!o->junit)
        return true;
    junit_run(&text, o->path, o->set.run.checks, r, status);
    bool ok = write_file(o->junit, &text);
    buf_free(&text);
    return ok;
}

bool show_explore_report(const RunOptions *o, const ExploreResult *r)
{
    Buf text = {0};
    if (!o->junit)
        return true;
    junit_explore(&text, o->path, r);
    bool ok = write_file(o->junit, &text);
    buf_free(&text);
    return ok;
}
