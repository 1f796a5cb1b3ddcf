/* Times are modelled ones: the same run writes the same file. */
#include "sim/report/junit.h"

#include "base/json.h"
#include "sim/machine/fault.h"

#include <string.h>

typedef struct {
    const char *name; /* of the program */
    Buf cases;
    uint32_t tests, failures, errors, skipped;
    const char *time; /* the attribute: seconds of the run; "": nothing was modelled */
} Suite;

static void begin_case(Suite *s, const char *name)
{
    s->tests++;
    buf_str(&s->cases, "  <testcase classname=\"");
    xml_escape(&s->cases, s->name);
    buf_str(&s->cases, "\" name=\"");
    xml_escape(&s->cases, name);
    buf_printf(&s->cases, "\"%s>\n", s->time);
}

static void end_case(Suite *s)
{
    buf_str(&s->cases, "  </testcase>\n");
}

/* `element`: failure or error; the message is the first line of the text. */
static void bad(Suite *s, const char *element, const char *type, const char *text)
{
    size_t line = strcspn(text, "\n");
    Buf first = {0};
    buf_bytes(&first, text, line);
    buf_printf(&s->cases, "    <%s type=\"", element);
    xml_escape(&s->cases, type);
    buf_str(&s->cases, "\" message=\"");
    xml_escape(&s->cases, first.at ? first.at : "");
    buf_str(&s->cases, "\">");
    xml_escape(&s->cases, text);
    buf_printf(&s->cases, "</%s>\n", element);
    buf_free(&first);
}

static void end_suite(Suite *s, Buf *out)
{
    buf_printf(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite "
               "name=\"pldrun\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\""
               "%s>\n",
               s->tests, s->failures, s->errors, s->skipped, s->time);
    buf_bytes(out, s->cases.at, s->cases.len);
    buf_str(out, "</testsuite>\n</testsuites>\n");
    buf_free(&s->cases);
}

/* ---- a run ---- */

static bool is_run_error(const Report *r)
{
    return r->kind == REP_USAGE || r->kind == REP_FAULT || r->kind == REP_DEADLOCK ||
           r->kind == REP_STEPS || r->kind == REP_INTERNAL;
}

static void run_case(Suite *s, const RunResult *r)
{
    uint32_t before = s->errors;
    begin_case(s, "run");
    for (uint32_t i = 0; i < r->n_reports; i++)
        if (is_run_error(&r->reports[i])) {
            bad(s, "error", r->reports[i].check, r->reports[i].text);
            s->errors = before + 1;
        }
    end_case(s);
}

static void check_case(Suite *s, const RunResult *r, const char *check)
{
    uint32_t before = s->failures;
    begin_case(s, check);
    for (uint32_t i = 0; i < r->n_reports; i++)
        if (r->reports[i].kind == REP_CHECK && strcmp(r->reports[i].check, check) == 0) {
            bad(s, "failure", check, r->reports[i].text);
            s->failures = before + 1;
        }
    end_case(s);
}

static void check_cases(Suite *s, const RunResult *r, unsigned wanted)
{
    static const struct {
        unsigned bit;
        const char *name;
    } checks[] = {
#define PLD_CHECK(ENUM, word, reports) {CHECK_##ENUM, reports},
#include "sim/machine/checks.def"
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (checks[i].name && (wanted & checks[i].bit))
            check_case(s, r, checks[i].name);
}

static void output_cases(Suite *s, const RunResult *r)
{
    bool differ = false;
    for (uint32_t i = 0; i < r->n_reports; i++) {
        const GoldenMismatch *m = r->reports[i].mismatch;
        if (!m)
            continue;
        begin_case(s, m->output);
        bad(s, "failure", "golden", r->reports[i].text);
        end_case(s);
        s->failures++;
        differ = true;
    }
    if (!differ && r->n_checked) {
        begin_case(s, "goldens");
        end_case(s);
    }
    for (uint32_t i = 0; i < r->n_unchecked; i++) {
        begin_case(s, r->unchecked[i]);
        buf_str(&s->cases, "    <skipped message=\"it has no golden\"/>\n");
        end_case(s);
        s->skipped++;
    }
}

void junit_run(Buf *out, const char *name, unsigned checks, const RunResult *r, int status)
{
    Buf time = {0};
    if (r->time_ps >= 0)
        buf_printf(&time, " time=\"%lld.%012lld\"", (long long)(r->time_ps / 1000000000000),
                   (long long)(r->time_ps % 1000000000000));
    Suite s = {.name = name, .time = time.at ? time.at : ""};
    run_case(&s, r);
    check_cases(&s, r, checks);
    output_cases(&s, r);
    if (status != EXIT_OK && s.errors + s.failures == 0) { /* --print of what is not there, ... */
        begin_case(&s, "options");
        bad(&s, "error", "usage", "an option asked for what there is not");
        end_case(&s);
        s.errors++;
    }
    end_suite(&s, out);
    buf_free(&time);
}

/* ---- an exploration ---- */

void junit_explore(Buf *out, const char *name, const ExploreResult *r)
{
    Suite s = {.name = name, .time = " time=\"0\""};
    begin_case(&s, "explore");
    if (r->text) {
        bad(&s, "error", "usage", r->text);
        s.errors++;
    } else if (r->status == EXIT_INCOMPLETE) {
        bad(&s, "error", "incomplete", "not all executions were seen");
        s.errors++;
    }
    end_case(&s);
    for (uint32_t i = 0; i < r->n_failures; i++) {
        begin_case(&s, r->failures[i].check);
        bad(&s, "failure", r->failures[i].check, r->failures[i].text);
        end_case(&s);
        s.failures++;
    }
    end_suite(&s, out);
}
