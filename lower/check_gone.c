/* One walk in program order. `gone` holds, by variable, the operation that took its tile away; the
 * arms of an if begin with the same, and behind it what either took is gone. What a loop takes that
 * was there before it is gone when the next iteration begins. */
#include "lower/check_tiles.h"
#include "lower/util.h"

typedef struct {
    VarId var;
    const Stmt *by;
} Gone;
typedef VEC(Gone) GoneList;

typedef struct {
    Program *p;
    Func *f;
    const Stmt **gone; /* by variable, or NULL */
    VEC(VarId) taken;  /* those that are gone; some may be back */
    uint32_t *depth;   /* by variable: loops around its binding */
    uint32_t loops;
} GoneWalk;

typedef struct {
    GoneWalk *w;
    const Stmt *at;
} GoneUse;

static const char *op_name(const Stmt *s)
{
    return op_info(s->value->op)->full;
}

static void use(void *env, Expr **e)
{
    GoneUse *u = env;
    GoneWalk *w = u->w;
    if ((*e)->kind != EX_VAR || !w->gone[(*e)->var])
        return;
    const Stmt *by = w->gone[(*e)->var];
    diag_error(w->p->diags, (*e)->span.end ? (*e)->span : u->at->loc.span, "value",
               "%s is read, but %s gave its new value: use that", func_var(w->f, (*e)->var)->base,
               op_name(by));
    diag_note(w->p->diags, by->value->span.end ? by->value->span : by->loc.span,
              "the old value is gone from here on");
    w->gone[(*e)->var] = NULL; /* once */
}

static void walk(GoneWalk *w, const Block *b);

static void set_gone(GoneWalk *w, VarId v, const Stmt *by)
{
    if (!w->gone[v])
        vec_push(&w->taken, v);
    w->gone[v] = by;
}

/* What is gone now: few of many variables, so that an if costs no more than it takes away. */
static GoneList save(const GoneWalk *w)
{
    GoneList list = {0};
    for (uint32_t i = 0; i < w->taken.len; i++)
        if (w->gone[w->taken.at[i]])
            vec_push(&list, (Gone){w->taken.at[i], w->gone[w->taken.at[i]]});
    return list;
}

static void clear(GoneWalk *w)
{
    for (uint32_t i = 0; i < w->taken.len; i++)
        w->gone[w->taken.at[i]] = NULL;
    vec_clear(&w->taken);
}

static void add(GoneWalk *w, const GoneList *list)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (!w->gone[list->at[i].var])
            set_gone(w, list->at[i].var, list->at[i].by);
}

static void walk_if(GoneWalk *w, const Stmt *s)
{
    GoneList before = save(w);
    walk(w, &s->nest->body);
    GoneList then = save(w);
    clear(w);
    add(w, &before);
    walk(w, &s->nest->otherwise);
    GoneList other = save(w);
    clear(w);
    add(w, &before);
    if (!low_block_diverges(&s->nest->body))
        add(w, &then);
    if (!low_block_diverges(&s->nest->otherwise))
        add(w, &other);
    vec_free(&before);
    vec_free(&then);
    vec_free(&other);
}

static void walk_for(GoneWalk *w, const Stmt *s)
{
    w->loops++;
    for (uint32_t i = 0; i < s->n_values; i++)
        w->depth[s->nest->iters[i]] = w->loops;
    walk(w, &s->nest->body);
    w->loops--;
    for (uint32_t i = 0; i < s->n_values; i++)
        if (w->gone[s->nest->iters[i]] && s->values[i]->kind == EX_VAR)
            set_gone(w, s->values[i]->var, w->gone[s->nest->iters[i]]);
}

/* An operation in place within a loop, on a tile of before it, finds it gone the second time. */
static void take(GoneWalk *w, const Stmt *s, const Expr *target)
{
    VarId v = target->var;
    if (w->depth[v] < w->loops) {
        diag_error(w->p->diags, target->span.end ? target->span : s->loc.span, "value",
                   "%s gives the new value of %s in each iteration, and the old one is gone after "
                   "the first: rebind the name, or carry it with init_values=",
                   op_name(s), func_var(w->f, v)->base);
        return;
    }
    set_gone(w, v, s);
}

static void walk_stmt(GoneWalk *w, Stmt *s)
{
    GoneUse u = {w, s};
    stmt_exprs(s, use, &u);
    for (uint32_t i = 0; i < s->n_results; i++)
        w->depth[s->results[i]] = w->loops;
    OpId op = low_stmt_op(s);
    int in_place = op == OPCODE_COUNT ? -1 : op_in_place(op);
    const Expr *target = in_place < 0 ? NULL : s->value->args[in_place];
    if (target && target->kind == EX_VAR && func_var(w->f, target->var)->type->kind == TY_TILE)
        take(w, s, target);
    if (s->kind == ST_IF)
        walk_if(w, s);
    else if (s->kind == ST_FOR)
        walk_for(w, s);
}

static void walk(GoneWalk *w, const Block *b)
{
    for (uint32_t i = 0; i < b->len; i++)
        walk_stmt(w, b->at[i]);
}

void check_gone(Program *p, Func *f)
{
    uint32_t n = f->vars.len;
    GoneWalk w = {.p = p, .f = f};
    w.gone = xcalloc(n + (size_t)1, sizeof *w.gone);
    w.depth = xcalloc(n + (size_t)1, sizeof *w.depth);
    walk(&w, &f->body);
    vec_free(&w.taken);
    xfree(w.gone);
    xfree(w.depth);
}
