#include "sim/explore/explain.h"

#include "sim/explore/sync_rows.h"
#include "sim/sched/replay.h"
#include <string.h>

typedef struct {
    const BcProgram *program;
    const RunConfig *config;
    uint64_t bound;
    ExplainResult *result;
    SyncRows *rows[2]; /* of the program as it is, and with its queue doubled; NULL: it fails so */
    bool sound[2][2];  /* [doubled][weak]: nothing fails with all rows in place */
    bool no_golden;    /* of the doubled queue: outputs that add up are others then */
} Explain;

/* The ledger is left alone: what it reports of a program with less in it says nothing about need.
 */
static RunConfig config_for(const Explain *x, bool twice, bool weak, uint32_t row)
{
    RunConfig c = *x->config;
    c.schedule = NULL;
    c.checks &= ~(unsigned)CHECK_SIGNALS;
    c.weak = weak;
    c.without = row;
    if (twice) {
        c.repeat = 2;
        c.no_golden = x->no_golden;
    }
    return c;
}

static const char *why(const ExploreFailure *f)
{
    switch (f->status) {
    case EXIT_DEADLOCK: return "deadlock";
    case EXIT_GOLDEN: return "wrong result";
    case EXIT_FAULT: return "fault";
    case EXIT_STEPS: return "no end";
    default: break;
    }
    if (strcmp(f->check, "race") == 0)
        return "race";
    return strcmp(f->check, "uninit") == 0 ? "read before any write" : "failed check";
}

static ExplainRun try(const Explain *x, bool twice, bool weak, uint32_t row)
{
    ExplainRun run = {.tried = true};
    ExploreResult r = {0};
    ExploreOptions options = {.bound = x->bound, .first_failure = true};
    RunConfig c = config_for(x, twice, weak, row);
    (void)explore(x->program, &c, &options, &r);
    if (r.n_failures) {
        run.why = why(&r.failures[0]);
        run.token = arena_printf(&x->result->arena, "%s", r.failures[0].token);
    }
    run.complete = r.complete && !r.n_failures && !r.text;
    explore_free(&r);
    return run;
}

static void explain_row(const Explain *x, uint32_t i, ExplainRow *out)
{
    const SyncRow *row = sync_rows_at(x->rows[0], i);
    bool weak = row->kind == ROW_FENCE;
    out->text = arena_printf(&x->result->arena, "%s", row->text);
    out->reads_only = row->reads_only;
    out->unreached = row->kind == ROW_UNREACHED;
    if (out->unreached)
        return;
    if (x->sound[0][weak])
        out->runs[0] = try(x, false, weak, i + 1);
    if (!row->builtin || !x->rows[1] || !x->sound[1][weak])
        return;
    uint32_t same = sync_rows_same(x->rows[0], x->rows[1], i);
    if (same != UINT32_MAX && !out->runs[0].why)
        out->runs[1] = try(x, true, weak, same + 1);
}

static bool decided(const ExplainRow *row)
{
    const ExplainRun *a = &row->runs[0], *b = &row->runs[1];
    return row->unreached || a->why || b->why || (a->complete && (!b->tried || b->complete));
}

static void refuse(Explain *x)
{
    ExploreResult r = {0};
    ExploreOptions options = {.bound = x->bound, .first_failure = true};
    RunConfig c = config_for(x, false, false, 0);
    (void)explore(x->program, &c, &options, &r);
    x->result->status = r.status ? r.status : EXIT_INCOMPLETE;
    x->result->text =
        r.n_failures
            ? arena_printf(&x->result->arena,
                           "%s%s\nthe program fails as it is: nothing to explain\n",
                           r.failures[0].text,
                           replay_line(&x->result->arena, x->config, r.failures[0].token))
            : "not all interleavings of the program as it is were seen: nothing to explain\n";
    explore_free(&r);
}

/* Not a program that cannot be started. */
static bool is_verdict(int status)
{
    return status == EXIT_DEADLOCK || status == EXIT_CHECK || status == EXIT_FAULT ||
           status == EXIT_GOLDEN || status == EXIT_STEPS;
}

/* With everything in place a program must be right, or its rows say nothing. */
static bool prepare(Explain *x)
{
    for (int twice = 0; twice < 2; twice++) {
        RunResult r = {0};
        RunConfig c = config_for(x, twice, false, 0);
        x->rows[twice] = sync_rows_new(x->program, &c, &r);
        bool failed = !x->rows[0] && is_verdict(r.status);
        if (!x->rows[0] && !failed) {
            x->result->status = r.status ? r.status : EXIT_INTERNAL;
            x->result->text = run_result_text(&x->result->arena, &r);
        }
        run_result_free(&r);
        if (failed)
            refuse(x);
        if (!x->rows[0])
            return false;
        if (twice && x->rows[1])
            x->no_golden = x->config->no_golden || !try(x, true, false, 0).complete;
        for (int weak = 0; x->rows[twice] && weak < 2; weak++)
            x->sound[twice][weak] = try(x, twice, weak, 0).complete;
    }
    return true;
}

static void explain_rows(Explain *x)
{
    ExplainResult *out = x->result;
    out->n_rows = sync_rows_count(x->rows[0]);
    out->rows = arena_array(&out->arena, out->n_rows + 1, sizeof *out->rows);
    for (uint32_t i = 0; i < out->n_rows; i++) {
        explain_row(x, i, &out->rows[i]);
        if (!decided(&out->rows[i]))
            out->status = EXIT_INCOMPLETE;
    }
}

int explain_sync(const BcProgram *program, const RunConfig *config, uint64_t bound,
                 ExplainResult *result)
{
    Explain x = {.program = program, .config = config, .result = result};
    x.bound = bound ? bound : EXPLAIN_BOUND;
    if (prepare(&x)) {
        if (x.sound[0][0])
            explain_rows(&x);
        else
            refuse(&x);
    }
    sync_rows_free(x.rows[0]);
    sync_rows_free(x.rows[1]);
    return result->status;
}

void explain_free(ExplainResult *result)
{
    arena_free(&result->arena);
    memset(result, 0, sizeof *result);
}

void explain_row_text(const ExplainRow *row, uint32_t n_devices, Buf *out)
{
    const ExplainRun *a = &row->runs[0], *b = &row->runs[1];
    buf_printf(out, "%s: ", row->text);
    if (row->unreached)
        buf_str(out, "not reached");
    else if (a->why)
        buf_printf(out, "needed (%s)", a->why);
    else if (b->why)
        buf_printf(out, "needed when it is called again (%s); a single call does without", b->why);
    else if (a->complete && b->tried && b->complete)
        buf_printf(out, "redundant in this program at P=%u, even when it is called again",
                   n_devices);
    else if (a->complete)
        buf_printf(out, "redundant in this program at P=%u", n_devices);
    else
        buf_str(out, "unknown: not all interleavings were seen");
    bool redundant = a->complete && !a->why && !b->why && (b->complete || !b->tried);
    if (redundant && row->reads_only)
        buf_str(out, "; kept: it only orders writes after reads");
}
