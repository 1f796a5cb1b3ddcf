/* Printing a program as .pld text. */
#include "ir/print.h"
#include "ir/print_expr.h"
#include <string.h>

typedef struct {
    Buf *out;
    Program *p;
    Func *f;
    bool locs;
    FarPlace place; /* printed last, as the reader has it in mind */
} IrPrinter;

static void indent(IrPrinter *pr, uint32_t depth)
{
    buf_fill(pr->out, ' ', 4 * (size_t)depth);
}

/* Places. */

/* The place in terms of a file, line and column; false when the statement has none. */
static bool resolve(const Program *p, const Loc *loc, FarPlace *place)
{
    if (loc->far) {
        *place = *loc->far;
        return true;
    }
    if (p->src == NULL || loc->span.end == 0)
        return false;
    LineCol at = source_line_col(p->src, loc->span.begin);
    place->file = source_part(p->src, loc->span.begin)->name;
    place->line = at.line;
    place->col = at.col;
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_place(const FarPlace *a, const FarPlace *b)
{
    return a->line == b->line && a->col == b->col && same_text(a->file, b->file);
}

static void print_loc(IrPrinter *pr, const FarPlace *place)
{
    buf_str(pr->out, "pld.loc(");
    irp_string(pr->out, place->file);
    buf_printf(pr->out, ", %u, %u)\n", place->line, place->col);
}

static void print_place(IrPrinter *pr, const Stmt *s, uint32_t depth)
{
    FarPlace place;
    if (!pr->locs || !resolve(pr->p, &s->loc, &place) || same_place(&place, &pr->place))
        return;
    pr->place = place;
    indent(pr, depth);
    print_loc(pr, &place);
}

/* Statements. */

static void print_block(IrPrinter *pr, const Block *block, uint32_t depth);

/* `a: T = ` or `(a, b): tuple[T, U] = `. */
static void print_results(IrPrinter *pr, const Stmt *s)
{
    Buf *out = pr->out;
    if (s->n_results == 0)
        return;
    if (func_is_element(pr->f)) { /* numbers have no types to show */
        for (uint32_t i = 0; i < s->n_results; i++)
            buf_printf(out, "%s%s", i ? ", " : "", irp_var(pr->f, s->results[i]));
    } else if (s->n_results == 1) {
        buf_printf(out, "%s: ", irp_var(pr->f, s->results[0]));
        type_print(out, func_var(pr->f, s->results[0])->type);
    } else {
        for (uint32_t i = 0; i < s->n_results; i++)
            buf_printf(out, "%s%s", i ? ", " : "(", irp_var(pr->f, s->results[i]));
        buf_str(out, "): tuple[");
        for (uint32_t i = 0; i < s->n_results; i++) {
            buf_str(out, i ? ", " : "");
            type_print(out, func_var(pr->f, s->results[i])->type);
        }
        buf_char(out, ']');
    }
    buf_str(out, " = ");
}

static void print_yield(IrPrinter *pr, const Stmt *s)
{
    print_results(pr, s);
    buf_str(pr->out, "pl.yield_(");
    for (uint32_t i = 0; i < s->n_values; i++) {
        const Type *type = i < s->n_results ? func_var(pr->f, s->results[i])->type : NULL;
        buf_str(pr->out, i ? ", " : "");
        irp_expr(pr->out, pr->f, s->values[i], 0, irp_bare_of(type));
    }
    buf_str(pr->out, ")\n");
}

static void print_return(IrPrinter *pr, const Stmt *s)
{
    const Type *result = pr->f->result;
    buf_str(pr->out, "return");
    for (uint32_t i = 0; i < s->n_values; i++) {
        const Type *type =
            result && result->kind == TY_TUPLE && i < result->n_elems ? result->elems[i] : result;
        buf_str(pr->out, i ? ", " : " ");
        irp_expr(pr->out, pr->f, s->values[i], 0, irp_bare_of(type));
    }
    buf_char(pr->out, '\n');
}

/* A tuple needs its comma when it has one element. */
static void print_iters(IrPrinter *pr, const Stmt *s)
{
    for (uint32_t i = 0; i < s->n_values; i++)
        buf_printf(pr->out, "%s%s", i ? ", " : ", (", irp_var(pr->f, s->nest->iters[i]));
    if (s->n_values)
        buf_str(pr->out, s->n_values == 1 ? ",)" : ")");
}

static void print_inits(IrPrinter *pr, const Stmt *s)
{
    for (uint32_t i = 0; i < s->n_values; i++) {
        buf_str(pr->out, i ? ", " : ", init_values=(");
        irp_expr(pr->out, pr->f, s->values[i], 0, DT_INDEX);
    }
    if (s->n_values)
        buf_str(pr->out, s->n_values == 1 ? ",)" : ")");
}

static bool is_constant(const Expr *e, int64_t want)
{
    int64_t v;
    return expr_is_int(e, &v) && v == want;
}

/* `n`, `lo, n` or `lo, n, step`: as short as it reads back. */
static void print_bounds(IrPrinter *pr, const Stmt *s)
{
    bool step = !is_constant(s->nest->step, 1);
    if (step || !is_constant(s->nest->lo, 0)) {
        irp_expr(pr->out, pr->f, s->nest->lo, 0, BARE_INT);
        buf_str(pr->out, ", ");
    }
    irp_expr(pr->out, pr->f, s->nest->hi, 0, BARE_INT);
    if (step) {
        buf_str(pr->out, ", ");
        irp_expr(pr->out, pr->f, s->nest->step, 0, BARE_INT);
    }
}

static void print_while(IrPrinter *pr, const Stmt *s, uint32_t depth)
{
    buf_str(pr->out, "while ");
    irp_expr(pr->out, pr->f, s->nest->cond, 0, BARE_NEVER);
    buf_str(pr->out, ":\n");
    print_block(pr, &s->nest->body, depth + 1);
}

static void print_for(IrPrinter *pr, const Stmt *s, uint32_t depth)
{
    static const char *const names[] = {
        [LOOP_RANGE] = "pl.range",
        [LOOP_PARALLEL] = "pl.parallel",
        [LOOP_UNROLL] = "pl.unroll",
    };
    if (s->nest->loop == LOOP_WHILE) {
        print_while(pr, s, depth);
        return;
    }
    buf_printf(pr->out, "for %s", irp_var(pr->f, s->nest->index));
    print_iters(pr, s);
    buf_printf(pr->out, " in %s(", func_is_element(pr->f) ? "range" : names[s->nest->loop]);
    print_bounds(pr, s);
    print_inits(pr, s);
    buf_str(pr->out, "):\n");
    print_block(pr, &s->nest->body, depth + 1);
}

bool irp_is_silent(const Stmt *s)
{
    return s->kind == ST_YIELD && s->n_values == 0;
}

bool irp_is_empty(const Block *block)
{
    for (uint32_t i = 0; i < block->len; i++)
        if (!irp_is_silent(block->at[i]))
            return false;
    return true;
}

static void print_if(IrPrinter *pr, const Stmt *s, uint32_t depth)
{
    buf_str(pr->out, "if ");
    irp_expr(pr->out, pr->f, s->nest->cond, 0, BARE_NEVER);
    buf_str(pr->out, ":\n");
    print_block(pr, &s->nest->body, depth + 1);
    if (irp_is_empty(&s->nest->otherwise))
        return;
    indent(pr, depth);
    buf_str(pr->out, "else:\n");
    print_block(pr, &s->nest->otherwise, depth + 1);
}

/* The right side of a, b = x, y. */
static void print_values(IrPrinter *pr, const Expr *list)
{
    for (uint32_t i = 0; i < list->n_args; i++) {
        buf_str(pr->out, i ? ", " : "");
        irp_expr(pr->out, pr->f, list->args[i], 0, BARE_NEVER);
    }
}

static void print_blocks(IrPrinter *pr, const Expr *blocks, bool sync_start)
{
    buf_str(pr->out, "with pl.spmd(");
    irp_expr(pr->out, pr->f, blocks, 0, BARE_INT);
    buf_str(pr->out, sync_start ? ", sync_start=True" : "");
}

static void print_scope(IrPrinter *pr, const Stmt *s, uint32_t depth)
{
    if (s->nest->blocks)
        print_blocks(pr, s->nest->blocks, s->nest->sync_start);
    else
        buf_str(pr->out, "with pl.at(level=pl.Level.CORE_GROUP");
    if (s->nest->hint)
        buf_printf(pr->out, ", name_hint=\"%s\"", s->nest->hint);
    if (s->n_values) {
        buf_str(pr->out, ", task=");
        irp_expr(pr->out, pr->f, s->values[0], 0, BARE_NEVER);
    }
    buf_str(pr->out, s->nest->how & CALL_MANUAL ? ", manual=True):\n" : "):\n");
    print_block(pr, &s->nest->body, depth + 1);
}

/* A call that runs as blocks. */
static const Expr *block_call(const IrPrinter *pr, const Stmt *s)
{
    bool call = (s->kind == ST_LET || s->kind == ST_EXPR) && s->value->kind == EX_CALL;
    return call && s->value->cores && pr->f->kind == FN_ORCH ? s->value : NULL;
}

static void print_stmt(IrPrinter *pr, const Stmt *s, uint32_t depth)
{
    if (irp_is_silent(s))
        return;
    print_place(pr, s, depth);
    indent(pr, depth);
    const Expr *blocks = block_call(pr, s);
    if (blocks) {
        print_blocks(pr, blocks->cores, blocks->sync_start);
        buf_str(pr->out, "):\n");
        indent(pr, ++depth);
    }
    switch (s->kind) {
    case ST_LET: {
        const Type *type = s->n_results == 1 ? func_var(pr->f, s->results[0])->type : NULL;
        print_results(pr, s);
        if (s->value->kind == EX_LIST)
            print_values(pr, s->value);
        else
            irp_expr(pr->out, pr->f, s->value, 0, irp_bare_of(type));
        buf_char(pr->out, '\n');
        break;
    }
    case ST_EXPR:
        irp_expr(pr->out, pr->f, s->value, 0, BARE_NEVER);
        buf_char(pr->out, '\n');
        break;
    case ST_FOR: print_for(pr, s, depth); break;
    case ST_IF: print_if(pr, s, depth); break;
    case ST_YIELD: print_yield(pr, s); break;
    case ST_RETURN: print_return(pr, s); break;
    case ST_BREAK: buf_str(pr->out, "break\n"); break;
    case ST_CONTINUE: buf_str(pr->out, "continue\n"); break;
    case ST_SCOPE: print_scope(pr, s, depth); break;
    }
}

static void print_block(IrPrinter *pr, const Block *block, uint32_t depth)
{
    if (irp_is_empty(block)) {
        indent(pr, depth);
        buf_str(pr->out, "pass\n");
    }
    for (uint32_t i = 0; i < block->len; i++)
        print_stmt(pr, block->at[i], depth);
}

/* Functions. */

static void print_param(IrPrinter *pr, const Param *param)
{
    static const char *const open[] = {
        [DIR_IN] = "",
        [DIR_OUT] = "pl.Out[",
        [DIR_INOUT] = "pl.InOut[",
    };
    buf_printf(pr->out, ", %s: %s", irp_var(pr->f, param->var), open[param->dir]);
    type_print(pr->out, func_var(pr->f, param->var)->type);
    buf_str(pr->out, param->dir == DIR_IN ? "" : "]");
}

static void print_kernel(IrPrinter *pr)
{
    static const char *const decorators[] = {
        [FN_HOST] = "level=pl.Level.HOST, role=pl.Role.Orchestrator",
        [FN_ORCH] = "type=pl.FunctionType.Orchestration",
        [FN_INCORE] = "type=pl.FunctionType.InCore",
    };
    Func *f = pr->f;
    irp_sites(pr->out, f);
    buf_printf(pr->out, "    @pl.function(%s%s)\n    def %s(self",
               f->spliced ? "type=pl.FunctionType.Inline" : decorators[f->kind],
               f->generated ? ", builtin=True" : "", f->name);
    for (uint32_t i = 0; i < f->params.len; i++)
        print_param(pr, &f->params.at[i]);
    buf_char(pr->out, ')');
    if (f->result && f->result->kind != TY_NONE) {
        buf_str(pr->out, " -> ");
        type_print(pr->out, f->result);
    }
    buf_str(pr->out, ":\n");
    print_block(pr, &f->body, 2);
}

static void print_tolerance(Buf *out, const char *name, double v, bool *first)
{
    if (v < 0)
        return;
    buf_printf(out, "%s%s=", *first ? "(" : ", ", name);
    irp_real(out, v);
    *first = false;
}

static void print_element(IrPrinter *pr)
{
    const Func *f = pr->f;
    bool first = true;
    buf_str(pr->out, f->kind == FN_INIT ? "    @pld.init" : "    @pld.golden");
    if (f->kind == FN_GOLDEN) {
        print_tolerance(pr->out, "rtol", f->rtol, &first);
        print_tolerance(pr->out, "atol", f->atol, &first);
        buf_str(pr->out, first ? "" : ")");
    }
    buf_printf(pr->out, "\n    def %s(", f->name);
    for (uint32_t i = f->params.len - f->n_index; i < f->params.len; i++)
        buf_printf(pr->out, "%s%s", i > f->params.len - f->n_index ? ", " : "",
                   irp_var(f, f->params.at[i].var));
    buf_str(pr->out, "):\n");
    print_block(pr, &f->body, 2);
}

/* What an .ir file says of a function stands above its own decorator. */
static void print_func(IrPrinter *pr)
{
    const Func *f = pr->f;
    Loc start = f->loc;
    FarPlace place;
    if (start.far == NULL && start.span.end == 0)
        start.span = f->span;
    if (pr->locs && resolve(pr->p, &start, &place)) {
        buf_str(pr->out, "    @");
        print_loc(pr, &place);
    }
    pr->place = (FarPlace){0};
    if (func_is_element(f))
        print_element(pr);
    else
        print_kernel(pr);
}

static void print_header(Buf *out, const Program *p, const char *pass)
{
    buf_printf(out, "# pld-ir %s ranks=%u", pass, p->ranks);
    for (uint32_t i = 0; i < p->bindings.len; i++) {
        const Binding *b = &p->bindings.at[i];
        buf_printf(out, " %s=%s", b->name, b->ranks ? "ranks" : b->value);
    }
    buf_printf(out, " platform=%s program=%s", p->platform->name, p->name);
    if (p->entry)
        buf_printf(out, " entry=%s", p->entry->name);
    buf_char(out, '\n');
}

static void print_extents(Buf *out, const Program *p)
{
    for (uint32_t i = 0; i < p->extents.len; i++)
        buf_printf(out, "%s = pl.dynamic(\"%s\")\n", p->extents.at[i], p->extents.at[i]);
    if (p->extents.len)
        buf_char(out, '\n');
}

void ir_print(Buf *out, Program *p, const PrintOptions *options)
{
    IrPrinter pr = {.out = out, .p = p, .locs = options->locs};
    if (options->pass)
        print_header(out, p, options->pass);
    print_extents(out, p);
    buf_printf(out, "@pl.program\nclass %s:\n", p->name);
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        pr.f = p->funcs.at[i];
        func_number_names(p, pr.f, options->ssa);
        buf_str(out, i ? "\n" : "");
        print_func(&pr);
    }
    if (p->funcs.len == 0)
        buf_str(out, "    pass\n");
}

void ir_print_expr(Buf *out, Program *p, Func *f, const Expr *e)
{
    (void)p;
    irp_expr(out, f, e, 0, BARE_NEVER);
}
