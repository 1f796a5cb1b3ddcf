/* One walk backward. `until` holds, for each tile alive at the place of the walk, where it is last
 * needed; a binding closes a segment. What an arm of an if needs from outside is closed at the
 * arm's begin and needed again at the if; what a loop body needs from outside is needed to the end
 * of the loop. */
#include "lower/live.h"
#include "lower/util.h"
#include <string.h>

typedef struct {
    Program *p;
    Func *f;
    Live *live;
    uint32_t *until;    /* by variable: 0 when not alive */
    VEC(VarId) woken;   /* variables in the order in which they became alive */
    uint32_t position;  /* of the statement at hand */
    uint32_t loop_mark; /* woken before: needed behind the loop at hand */
} LiveWalk;

static bool is_tile(const LiveWalk *w, VarId v)
{
    return func_var(w->f, v)->type->kind == TY_TILE;
}

static void emit(LiveWalk *w, VarId v, uint32_t from, uint32_t to)
{
    avec_push(&w->live->arena, &w->live->at[v], (Segment){from, to});
}

static void use(LiveWalk *w, VarId v, uint32_t at)
{
    if (is_tile(w, v) && !w->until[v]) {
        w->until[v] = at;
        vec_push(&w->woken, v);
    }
}

static void define(LiveWalk *w, VarId v, uint32_t at)
{
    if (!is_tile(w, v))
        return;
    emit(w, v, at, w->until[v] > at ? w->until[v] : at);
    w->until[v] = 0;
}

static void use_expr(void *env, Expr **e)
{
    LiveWalk *w = env;
    if ((*e)->kind == EX_VAR)
        use(w, (*e)->var, 2 * w->position);
}

/* An element-wise result may take the place of an operand; whatever else writes its result while it
 * still reads may not. */
static bool writes_in_place(const Stmt *s)
{
    OpId op = low_stmt_op(s);
    return op == OPCODE_COUNT || (op_info(op)->traits & TRAIT_SHARES);
}

static void walk_block(LiveWalk *w, const Block *b);

/* What a nested block needs from outside, and until where. */
typedef VEC(struct Need {
    VarId var;
    uint32_t to;
}) Needs;

/* Leaves a nested block at its begin: takes out what is still alive of all that woke in it. */
static Needs leave(LiveWalk *w, uint32_t mark)
{
    Needs needs = {0};
    for (uint32_t i = mark; i < w->woken.len; i++) {
        VarId v = w->woken.at[i];
        if (w->until[v])
            vec_push(&needs, (struct Need){v, w->until[v]});
        w->until[v] = 0;
    }
    w->woken.len = mark;
    return needs;
}

/* An arm that leaves the iteration reaches nothing of what follows in it: what only that needs is
 * not alive in the arm. Closes those segments behind the arm. */
static Needs suspend(LiveWalk *w)
{
    Needs asleep = {0};
    for (uint32_t i = w->loop_mark; i < w->woken.len; i++) {
        VarId v = w->woken.at[i];
        if (!w->until[v])
            continue;
        emit(w, v, 2 * w->position, w->until[v]);
        vec_push(&asleep, (struct Need){v, w->until[v]});
        w->until[v] = 0;
    }
    return asleep;
}

/* The next number of a statement, from the last one down. */
static uint32_t step(LiveWalk *w, const Stmt *s)
{
    w->position--;
    w->live->where[w->position] = s;
    return w->position;
}

static Needs walk_arm(LiveWalk *w, const Stmt *s, const Block *arm)
{
    uint32_t mark = w->woken.len;
    Needs asleep = {0};
    if (low_block_diverges(arm))
        asleep = suspend(w);
    walk_block(w, arm);
    uint32_t begin = step(w, s);
    Needs needs = leave(w, mark);
    for (uint32_t i = 0; i < needs.len; i++)
        emit(w, needs.at[i].var, 2 * begin, needs.at[i].to);
    for (uint32_t i = 0; i < asleep.len; i++)
        w->until[asleep.at[i].var] = 2 * begin;
    vec_free(&asleep);
    return needs;
}

static void use_all(LiveWalk *w, Needs *needs, uint32_t at)
{
    for (uint32_t i = 0; i < needs->len; i++)
        use(w, needs->at[i].var, at);
    vec_free(needs);
}

static void walk_if(LiveWalk *w, Stmt *s)
{
    step(w, s);
    for (uint32_t i = 0; i < s->n_results; i++)
        define(w, s->results[i], 2 * w->position + 1);
    Needs otherwise = walk_arm(w, s, &s->nest->otherwise);
    Needs then = walk_arm(w, s, &s->nest->body);
    step(w, s);
    use_all(w, &then, 2 * w->position);
    use_all(w, &otherwise, 2 * w->position);
}

static void walk_for(LiveWalk *w, Stmt *s)
{
    uint32_t end = step(w, s), mark = w->woken.len, outer = w->loop_mark;
    for (uint32_t i = 0; i < s->n_results; i++)
        define(w, s->results[i], 2 * end + 1);
    w->loop_mark = mark;
    walk_block(w, &s->nest->body);
    w->loop_mark = outer;
    avec_push(&w->live->arena, &w->live->loops, (Segment){2 * step(w, s), 2 * end});
    for (uint32_t i = 0; i < s->n_values; i++)
        define(w, s->nest->iters[i], 2 * w->position + 1);
    Needs needs = leave(w, mark);
    use_all(w, &needs, 2 * end);
    stmt_exprs(s, use_expr, w);
}

static void walk_stmt(LiveWalk *w, Stmt *s)
{
    if (s->kind == ST_IF) {
        walk_if(w, s);
        return;
    }
    if (s->kind == ST_FOR) {
        walk_for(w, s);
        return;
    }
    step(w, s);
    if (s->kind == ST_LET)
        for (uint32_t i = 0; i < s->n_results; i++)
            define(w, s->results[i], 2 * w->position + writes_in_place(s));
    stmt_exprs(s, use_expr, w);
}

static void walk_block(LiveWalk *w, const Block *b)
{
    for (uint32_t i = b->len; i-- > 0;)
        walk_stmt(w, b->at[i]);
}

static int by_begin(const void *a, const void *b)
{
    const Segment *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from ? 1 : x->to < y->to ? -1 : x->to > y->to;
}

static void normalise(Segments *s)
{
    uint32_t to = 0;
    if (s->len < 2)
        return;
    vec_sort(s, by_begin);
    for (uint32_t i = 1; i < s->len; i++) {
        if (s->at[i].from > s->at[to].to)
            s->at[++to] = s->at[i];
        else if (s->at[i].to > s->at[to].to)
            s->at[to].to = s->at[i].to;
    }
    s->len = to + 1;
}

typedef struct {
    Live *live;
    uint32_t next;
} StmtOrder;

static void note(StmtOrder *o, VarId v, const Stmt *s)
{
    o->live->order[v] = o->next++;
    o->live->by[v] = s;
}

static void note_bindings(void *env, Stmt *s)
{
    StmtOrder *o = env;
    for (uint32_t i = 0; s->kind == ST_FOR && i < s->n_values; i++)
        note(o, s->nest->iters[i], s);
    for (uint32_t i = 0; s->kind != ST_YIELD && i < s->n_results; i++)
        note(o, s->results[i], s);
}

/* Positions a block takes: one a statement, three more for an if, one more for a loop. */
static uint32_t count_positions(const Block *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->len; i++) {
        const Stmt *s = b->at[i];
        n += s->kind == ST_IF ? 4 : s->kind == ST_FOR ? 2 : 1;
        n += count_positions(&s->nest->body) + count_positions(&s->nest->otherwise);
    }
    return n;
}

Live *live_new(Program *p, Func *f)
{
    Live *live = xcalloc(1, sizeof *live);
    live->n_vars = f->vars.len;
    live->at = xcalloc(f->vars.len + 1, sizeof *live->at);
    live->order = xcalloc(f->vars.len + 1, sizeof *live->order);
    live->by = xcalloc(f->vars.len + 1, sizeof *live->by);
    StmtOrder o = {live, 0};
    block_walk(&f->body, note_bindings, &o);
    live->n_positions = count_positions(&f->body);
    live->where = xcalloc(live->n_positions + 1, sizeof *live->where);
    LiveWalk w = {.p = p, .f = f, .live = live, .position = live->n_positions + 1};
    w.until = xcalloc(f->vars.len + 1, sizeof *w.until);
    walk_block(&w, &f->body);
    for (uint32_t i = 0; i < f->vars.len; i++)
        normalise(&live->at[i]);
    xfree(w.until);
    vec_free(&w.woken);
    return live;
}

void live_free(Live *live)
{
    arena_free(&live->arena);
    xfree(live->at);
    xfree(live->order);
    xfree(live->by);
    xfree(live->where);
    xfree(live);
}

/* First segment that ends at `position` or behind it. */
static uint32_t first_ending_from(const Segments *s, uint32_t position)
{
    uint32_t lo = 0, hi = s->len;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->at[mid].to < position)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool segments_overlap(const Segments *a, const Segments *b)
{
    const Segments *few = a->len < b->len ? a : b, *many = few == a ? b : a;
    for (uint32_t i = 0; i < few->len; i++) {
        uint32_t j = first_ending_from(many, few->at[i].from);
        if (j < many->len && many->at[j].from <= few->at[i].to)
            return true;
    }
    return false;
}

/* `a` ends at an operand position (even), `b` begins right behind it. */
static bool ends_where_begins(const Segments *few, const Segments *many, bool few_first)
{
    for (uint32_t i = 0; i < few->len; i++) {
        uint32_t end = few_first ? few->at[i].to : few->at[i].from - 1;
        if (end % 2 || (!few_first && !few->at[i].from))
            continue;
        uint32_t j = first_ending_from(many, few_first ? end + 1 : end);
        if (j < many->len && (few_first ? many->at[j].from == end + 1 : many->at[j].to == end))
            return true;
    }
    return false;
}

bool segments_touch(const Segments *a, const Segments *b)
{
    const Segments *few = a->len < b->len ? a : b, *many = few == a ? b : a;
    return ends_where_begins(few, many, true) || ends_where_begins(few, many, false);
}

bool segments_cover(const Segments *a, uint32_t position)
{
    uint32_t i = first_ending_from(a, position);
    return i < a->len && a->at[i].from <= position;
}

void segments_merge(Arena *arena, Segments *to, const Segments *from)
{
    for (uint32_t i = 0; i < from->len; i++) {
        uint32_t at = first_ending_from(to, from->at[i].from);
        avec_push(arena, to, from->at[i]);
        memmove(&to->at[at + 1], &to->at[at], (to->len - 1 - at) * sizeof *to->at);
        to->at[at] = from->at[i];
    }
}
