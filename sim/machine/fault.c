/* Reports are structs with their text complete, so that the text of a run does not depend on who
 * prints it, and a replay can be compared byte by byte. */
#include "sim/machine/fault.h"

#include "sim/machine/report_item.h"

#include <stdio.h>
#include <string.h>

const char *world_string(const World *w, uint32_t string)
{
    return string < w->program->n_strings ? w->program->strings[string] : "?";
}

const BcLoc *place_loc(const World *w, CodePlace at)
{
    if (at.func >= w->program->n_funcs)
        return NULL;
    const BcLoc *loc = bc_loc(&w->program->funcs[at.func], at.pc);
    return loc && loc->line ? loc : NULL;
}

const BcRegion *place_region(const World *w, CodePlace at)
{
    return at.func < w->program->n_funcs ? bc_region(&w->program->funcs[at.func], at.pc) : NULL;
}

const char *place_builtin(const World *w, CodePlace at)
{
    const BcRegion *r = place_region(w, at);
    return r ? builtin_info((Builtin)w->program->funcs[at.func].sites[r->site])->op : NULL;
}

uint64_t place_key(const World *w, CodePlace at)
{
    const BcRegion *r = place_region(w, at);
    return (uint64_t)(r != NULL) << 56 | ((uint64_t)at.func & 0xffffff) << 32 |
           (r ? r->site : at.pc);
}

void place_text(const World *w, Buf *out, CodePlace at)
{
    const BcLoc *loc = place_loc(w, at);
    if (loc)
        buf_printf(out, "%s:%u:%u", world_string(w, loc->file), loc->line, loc->col);
    else if (at.func < w->program->n_funcs)
        buf_printf(out, "%s+%u", world_string(w, w->program->funcs[at.func].name), at.pc);
    else
        buf_str(out, "?");
}

int status_worse(int a, int b)
{
    static const int order[] = {EXIT_INTERNAL, EXIT_USAGE, EXIT_FAULT,  EXIT_STEPS,
                                EXIT_DEADLOCK, EXIT_CHECK, EXIT_GOLDEN, EXIT_INCOMPLETE};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return EXIT_OK;
}

const ReportInfo *report_info(ReportKind kind)
{
    static const ReportInfo infos[] = {
#define PLD_REPORT(ENUM, word, severity, status) {word, severity, status},
#include "sim/machine/reports.def"
    };
    return &infos[kind];
}

Report *report_add(World *w, ReportKind kind, const char *check, const CodePlace *place,
                   const char *text)
{
    RunResult *r = w->result;
    if (r->n_reports == r->cap_reports) {
        uint32_t cap = r->cap_reports ? 2 * r->cap_reports : 8;
        Report *more = arena_array(&r->arena, cap, sizeof *more);
        if (r->n_reports)
            memcpy(more, r->reports, r->n_reports * sizeof *more);
        r->reports = more;
        r->cap_reports = cap;
    }
    Report *rep = &r->reports[r->n_reports++];
    *rep = (Report){.kind = kind, .check = check, .rank = UINT32_MAX};
    if (place) {
        rep->rank = place->rank;
        rep->key = place_key(w, *place);
        const BcLoc *loc = place_loc(w, *place);
        if (loc) {
            rep->file = arena_printf(&r->arena, "%s", world_string(w, loc->file));
            rep->line = loc->line;
            rep->col = loc->col;
        }
    }
    rep->text = arena_strndup(&r->arena, text, strlen(text));
    r->status = status_worse(r->status, report_info(kind)->status);
    return rep;
}

bool vm_fault(World *w, Lane *lane, const char *fmt, ...)
{
    CodePlace at = lane_place(lane);
    Buf text = {0};
    place_text(w, &text, at);
    buf_str(&text, ": fault: ");
    if (!lane->host)
        buf_printf(&text, "rank %u: ", lane->rank);
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&text, fmt, ap);
    va_end(ap);
    report_add(w, REP_FAULT, "fault", &at, text.at);
    if (!lane->host)
        (void)report_item(w, "faults", at);
    buf_free(&text);
    lane->state = LANE_FAULTED;
    if (w->stand_still && !lane->host)
        w->n_still++;
    else
        w->failed = true;
    if (!lane->host) {
        Event e = {.kind = EV_FAULT, .lane = lane, .begin = lane->now, .end = lane->now};
        probe_emit(&w->probe, &e);
    }
    return false;
}

bool world_error(World *w, int status, const char *fmt, ...)
{
    Buf text = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&text, fmt, ap);
    va_end(ap);
    report_add(w, REP_USAGE, "usage", NULL, text.at);
    w->result->status = status;
    w->setup_failed = true;
    buf_free(&text);
    return false;
}

void run_result_free(RunResult *result)
{
    arena_free(&result->arena);
    memset(result, 0, sizeof *result);
}

const char *run_result_text(Arena *arena, const RunResult *result)
{
    Buf text = {0};
    for (uint32_t i = 0; i < result->n_reports; i++)
        buf_printf(&text, "%s\n", result->reports[i].text);
    const char *copy = arena_strndup(arena, text.at ? text.at : "", text.len);
    buf_free(&text);
    return copy;
}
