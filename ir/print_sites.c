/* Which statements of a function are a builtin's, as decorators above it. A table beside the text,
 * not marks in it: the expansion of a builtin then reads line for line as what is written by hand.
 * Statements are numbered as they stand in the text, from 1, a statement before its bodies. */
#include "ir/print.h"
#include "ir/print_expr.h"

/* Statements first to last, one after the other, of one step of one expansion. */
typedef struct {
    uint32_t site; /* as in Loc */
    Phase phase;
    uint32_t first, last;
    uint32_t next; /* run of the same expansion, 0: none */
} Run;

typedef struct {
    uint32_t number; /* of the last statement */
    VEC(Run) runs;   /* those of no expansion have site 0; the first is none */
    uint32_t *first; /* per expansion: its first run, 0: none */
    uint32_t *last;
} Numbering;

static void number_stmt(Numbering *n, uint32_t site, Phase phase)
{
    Run *before = &vec_last(&n->runs);
    uint32_t number = ++n->number;
    if (before->site == site && before->phase == phase) {
        before->last = number;
        return;
    }
    if (n->first[site])
        n->runs.at[n->last[site]].next = n->runs.len;
    else
        n->first[site] = n->runs.len;
    n->last[site] = n->runs.len;
    vec_push(&n->runs, ((Run){site, phase, number, number, 0}));
}

static void number_block(Numbering *n, const Block *b)
{
    if (irp_is_empty(b))
        number_stmt(n, 0, PHASE_NONE); /* its `pass` */
    for (uint32_t i = 0; i < b->len; i++) {
        const Stmt *s = b->at[i];
        if (irp_is_silent(s))
            continue;
        number_stmt(n, s->loc.site, s->loc.phase);
        if (s->kind == ST_FOR || s->kind == ST_IF || s->kind == ST_SCOPE)
            number_block(n, &s->nest->body);
        if (!irp_is_empty(&s->nest->otherwise))
            number_block(n, &s->nest->otherwise);
    }
}

static void print_site(Buf *out, const Numbering *n, const Func *f, uint32_t site)
{
    buf_str(out, "    @pld.expansion(");
    irp_string(out, builtin_info(f->sites.at[site - 1])->name);
    for (uint32_t i = n->first[site]; i != 0; i = n->runs.at[i].next) {
        const Run *r = &n->runs.at[i];
        buf_str(out, ", (");
        irp_string(out, phase_text(r->phase));
        buf_printf(out, ", %u, %u)", r->first, r->last);
    }
    buf_str(out, ")\n");
}

void irp_sites(Buf *out, const Func *f)
{
    Numbering n = {0};
    if (f->sites.len == 0)
        return;
    n.first = xcalloc(f->sites.len + 1, sizeof *n.first);
    n.last = xcalloc(f->sites.len + 1, sizeof *n.last);
    vec_push(&n.runs, (Run){0});
    number_block(&n, &f->body);
    for (uint32_t i = 1; i < n.runs.len; i++) {
        uint32_t site = n.runs.at[i].site;
        if (site && n.first[site] == i)
            print_site(out, &n, f, site);
    }
    xfree(n.first);
    xfree(n.last);
    vec_free(&n.runs);
}
