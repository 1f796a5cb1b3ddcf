/* Reports and verdicts as JSON objects, what --diagnostics=json prints: one is appended to `out`,
 * without a line's end. */
#ifndef PLD_SIM_REPORT_REPORT_JSON_H
#define PLD_SIM_REPORT_REPORT_JSON_H

#include "sim/machine/fault.h"

/* `replay`: the command that replays it, NULL: there is none. */
void report_json(Buf *out, const Report *report, const char *replay);
/* What no report says. */
void report_json_note(Buf *out, ReportKind kind, const char *code, const char *text);
/* The last object. `r` NULL: nothing ran. */
void report_json_run(Buf *out, const RunResult *r, int status);
/* The verdict of a status. */
const char *report_json_word(int status);

#endif
