/* What pldrun says of a run, as text or, with --diagnostics=json, as an object a line. */
#ifndef PLD_CLI_REPORT_H
#define PLD_CLI_REPORT_H

#include "cli/run_options.h"
#include "sim/explore/explore.h"

/* A report of a run; notes and warnings not when quiet. `replay`: the command that replays it,
 * NULL: there is none. */
void say_report(const RunOptions *o, const Report *report, const char *replay);
/* A line of the tool's own, complete: "note: ...". `kind`: REP_NOTE, REP_WARNING, or REP_USAGE for
 * what an option asks in vain. */
void say_note(const RunOptions *o, ReportKind kind, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* One kind of failure of an exploration. */
void say_failure(const RunOptions *o, const ExploreFailure *f);
/* The last object, of a run, of an exploration, or of neither; nothing in text form. */
void say_run_verdict(const RunOptions *o, const RunResult *r, int status);
void say_explore_verdict(const RunOptions *o, const ExploreResult *r);

#endif
