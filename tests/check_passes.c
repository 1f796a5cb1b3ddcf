/* Kernels and what the passes make of them, in files beside each other: tests/passes/PASS/NAME.pld,
 * and NAME.ir, what it is after PASS, or NAME.err, what is said about it. `make update-goldens`
 * writes the expected files anew.
 *
 * A .pld is the body of a function; frame.pld in its folder, or else in tests/passes, is the
 * program around it. There `# shows FUNCTION` in the first line names the function that .ir shows,
 * the line
 * `# BODY` is where the body goes, as far to the right as it stands, and `# HELPERS` where further
 * functions go: those above a line `# body` in the .pld. Lines in messages are lines of the .pld.
 *
 * What compiles, compiles in every dump of its own to the same later dumps. */
#include "tests/files.h"
#include "tests/passtest.h"
#include "tests/support.h"

#include <glob.h>
#include <string.h>
#include <unistd.h>

static const char folder[] = "tests/passes";

typedef struct {
    Arena arena;
    const char *path; /* of the .pld */
    const char *text; /* the program, in its frame */
    const char *shows;
    PassId pass;
    uint32_t first, last;            /* lines of the body in the program */
    uint32_t helpers, helpers_last;  /* lines of the helpers; last < first when there are none */
    uint32_t body_line;              /* line in the .pld where the body starts */
    uint32_t indent, helpers_indent; /* columns that the frame moves them */
} Case;

/* Appends lines with `by` blanks before each that is not empty; returns how many. */
static uint32_t add_lines(Buf *out, const char *lines, size_t len, uint32_t by)
{
    uint32_t n = 0;
    for (const char *end = lines + len; lines < end; n++) {
        size_t length = strcspn(lines, "\n");
        buf_fill(out, ' ', length ? by : 0);
        buf_bytes(out, lines, length);
        buf_char(out, '\n');
        lines += length + 1;
    }
    return n;
}

/* The case's text in its frame. */
static void compose(Case *c, const char *frame, const char *text)
{
    Buf out = {0};
    const char *body = strstr(text, "# body\n");
    size_t helpers = body ? (size_t)(body - text) : 0;
    body = body ? strchr(body, '\n') + 1 : text;
    uint32_t line = 1;
    while (*frame) {
        size_t len = strcspn(frame, "\n");
        uint32_t by = (uint32_t)strspn(frame, " ");
        if (len == by + 6 && memcmp(frame + by, "# BODY", 6) == 0) {
            c->indent = by;
            c->first = line;
            line += add_lines(&out, body, strlen(body), by);
            c->last = line - 1;
        } else if (len == by + 9 && memcmp(frame + by, "# HELPERS", 9) == 0) {
            c->helpers_indent = by;
            c->helpers = line;
            c->body_line = add_lines(&out, text, helpers, by);
            line += c->body_line;
            c->helpers_last = line - 1;
        } else {
            line += add_lines(&out, frame, len, 0);
        }
        frame += len + 1;
    }
    c->body_line += helpers ? 2 : 1;
    c->text = arena_strndup(&c->arena, out.at, out.len);
    buf_free(&out);
}

static void case_open(Case *c, const char *path)
{
    *c = (Case){.path = path};
    const char *name = strrchr(path, '/');
    size_t start = sizeof folder;
    const char *pass = arena_strndup(&c->arena, path + start, (size_t)(name - path) - start);
    ck_assert_msg(pass_from_name(pass, &c->pass), "%s: no pass %s", path, pass);
    const char *frame = arena_printf(&c->arena, "%s/%s/frame.pld", folder, pass);
    if (access(frame, R_OK) != 0)
        frame = arena_printf(&c->arena, "%s/frame.pld", folder);
    const char *text = files_read(&c->arena, frame);
    ck_assert_msg(strncmp(text, "# shows ", 8) == 0, "%s shows no function", frame);
    c->shows = arena_strndup(&c->arena, text + 8, strcspn(text + 8, "\n"));
    compose(c, text, files_read(&c->arena, path));
}

/* A place in the program as one in the .pld: "LINE:COL"; in the frame, "frame:LINE:COL". */
static void add_place(Buf *out, const Case *c, LineCol at)
{
    if (at.line >= c->first && at.line <= c->last)
        buf_printf(out, "%u:%u: ", at.line - c->first + c->body_line, at.col - c->indent);
    else if (at.line >= c->helpers && at.line <= c->helpers_last)
        buf_printf(out, "%u:%u: ", at.line - c->helpers + 1, at.col - c->helpers_indent);
    else
        buf_printf(out, "frame:%u:%u: ", at.line, at.col);
}

/* The frame has an output for the bodies that want one. */
static bool is_of_frame(const Case *c, const PassTest *t, const Diag *d)
{
    uint32_t line = source_line_col(t->diags.src, d->span.begin).line;
    return d->severity == DIAG_WARNING && strcmp(d->code, "unwritten-out") == 0 &&
           (line < c->first || line > c->last) && (line < c->helpers || line > c->helpers_last);
}

static const char *messages(Case *c, const PassTest *t)
{
    static const char *const severity[] = {[DIAG_WARNING] = "warning: ", [DIAG_NOTE] = "  "};
    Buf out = {0};
    for (uint32_t i = 0; i < t->diags.list.len; i++) {
        const Diag *d = &t->diags.list.at[i];
        ck_assert_msg(d->severity != DIAG_INTERNAL, "%s: internal: %s", c->path, d->message);
        if (is_of_frame(c, t, d))
            continue;
        buf_str(&out, d->severity == DIAG_NOTE ? severity[DIAG_NOTE] : "");
        if (d->span.end)
            add_place(&out, c, source_line_col(t->diags.src, d->span.begin));
        buf_str(&out, d->severity == DIAG_WARNING ? severity[DIAG_WARNING] : "");
        buf_printf(&out, "%s\n", d->message);
    }
    const char *text = arena_strndup(&c->arena, out.at ? out.at : "", out.len);
    buf_free(&out);
    return text;
}

static glob_t cases;

START_TEST(as_expected)
{
    Case c;
    PassTest t;
    case_open(&c, cases.gl_pathv[_i]);
    passtest_open(&t, c.text, c.pass);
    files_expect(&c.arena, c.path, ".err", messages(&c, &t));
    files_expect(&c.arena, c.path, ".ir", t.p ? passtest_body(&t, c.shows) : "");
    bool compiles = t.p != NULL;
    if (compiles && c.pass == PASS_SIMPLIFY) { /* what is simple stays as it is */
        ck_assert(pass_simplify(t.p));
        files_expect(&c.arena, c.path, ".ir", passtest_body(&t, c.shows));
    }
    passtest_close(&t);
    if (compiles)
        ck_rereadable(c.text);
    arena_free(&c.arena);
}
END_TEST

static bool is_case(const char *path)
{
    return strcmp(strrchr(path, '/'), "/frame.pld") != 0;
}

int main(void)
{
    if (glob("tests/passes/*/*.pld", 0, NULL, &cases) != 0)
        return 1;
    size_t n = 0;
    for (size_t i = 0; i < cases.gl_pathc; i++)
        if (is_case(cases.gl_pathv[i])) { /* each stays there once, to be freed */
            char *path = cases.gl_pathv[i];
            cases.gl_pathv[i] = cases.gl_pathv[n];
            cases.gl_pathv[n++] = path;
        }
    Suite *s = suite_create("passes");
    TCase *c = tcase_create("passes");
    tcase_add_loop_test(c, as_expected, 0, (int)n);
    suite_add_tcase(s, c);
    int status = run_suite(s);
    globfree(&cases);
    return status;
}
