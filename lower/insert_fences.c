/* Pass 14: fences become ops of their own; from here on notify and wait order nothing by
 * themselves.
 *
 * Release. A notify tells a peer that what this rank did before is done: its writes can be read,
 * what it read can be overwritten. So a release fence is needed before a notify when anything may
 * have happened since the last release that a peer could depend on: an access to a window, a put or
 * get, or a wait (what was learnt from others is passed on). On entry to a function everything is
 * taken to be unreleased: the end of a kernel is no fence. A notify of this rank to itself
 * publishes nothing and needs none.
 *
 * Acquire. After a wait, what peers published is seen only behind an acquire fence. One fence
 * serves all waits that follow each other, with nothing but scalar code between them, also through
 * loops and branches made of nothing else.
 *
 * Both are as few as the structure allows: a loop whose body releases nothing new gets the release
 * before it, not in it, and a loop of waits gets the acquire behind it. */
#include "lower/device_set.h"
#include "lower/pass.h"
#include "lower/util.h"

typedef struct FenceLoop FenceLoop;
struct FenceLoop {
    bool quiet;              /* waits and scalar code only */
    bool unreleased, unseen; /* at some break or continue */
};

typedef struct {
    Program *p;
    Func *f;
    VarId *rank_of; /* by variable: a view whose domain it is this device's rank in, or VAR_NONE */
    bool one_group; /* every domain of the program is the same */
    const FuncAlias *memory;
    bool unreleased; /* a peer may depend on something since the last release */
    bool unseen;     /* a wait since the last acquire */
    Loc wait;        /* place of that wait: the fence is its doing */
    FenceLoop *loop;
    bool acquire_at_end; /* of the block at hand */
} Fences;

/* Does the notify go to the cell of this rank itself? The peer must be this device's rank in the
 * domain of the signal: of a program with several domains only a rank asked of the same window is.
 */
static bool is_self(const Fences *x, const Expr *notify)
{
    VarId peer = operand_var(OP_ARG(notify, NOTIFY, peer));
    VarId signal = operand_var(OP_ARG(notify, NOTIFY, signal));
    if (peer == VAR_NONE || signal == VAR_NONE || x->rank_of[peer] == VAR_NONE)
        return false;
    return x->one_group || alias_root(x->memory, signal) == alias_root(x->memory, x->rank_of[peer]);
}

/* Window accesses: any op with an effect on memory of which an operand is a view. */
static bool touches_window(const Expr *op)
{
    const OpInfo *info = op_info(op->op);
    for (uint32_t i = 0; i < info->n_slots && i < op->n_args; i++)
        if (info->slots[i].effects && op->args[i] && op->args[i]->type &&
            op->args[i]->type->kind == TY_DIST)
            return true;
    return false;
}

static bool is_fence(const Expr *op, int64_t kind)
{
    return op->op == OP_FENCE && OP_ARG(op, FENCE, kind)->ival == kind;
}

/* Scalar code, and waits: what an acquire may be put behind. Tile ops count as work, so that the
 * fence stays close to its wait. */
static bool is_quiet(const Stmt *s);

static bool is_quiet_block(const Block *b)
{
    for (uint32_t i = 0; i < b->len; i++)
        if (!is_quiet(b->at[i]))
            return false;
    return true;
}

static bool is_quiet(const Stmt *s)
{
    switch (s->kind) {
    case ST_FOR:
    case ST_IF: return is_quiet_block(&s->nest->body) && is_quiet_block(&s->nest->otherwise);
    case ST_LET:
    case ST_EXPR: break;
    default: return s->kind != ST_RETURN;
    }
    if (s->value->kind == EX_CALL)
        return false;
    OpId op = low_stmt_op(s);
    if (op == OPCODE_COUNT || op == OP_WAIT)
        return true;
    return !op_has_effect(op) && s->value->type->kind != TY_TILE && op != OP_READ;
}

/* What one op does to the state. */
static void step(Fences *x, const Expr *op)
{
    if (is_fence(op, FENCE_RELEASE))
        x->unreleased = false;
    else if (is_fence(op, FENCE_ACQUIRE))
        x->unseen = false;
    else if (op->op == OP_WAIT)
        x->unseen = x->unreleased = true;
    else if (op->op != OP_NOTIFY && touches_window(op))
        x->unreleased = true;
}

/* What a block does to `unreleased`, as a function of its value on entry. */
typedef struct {
    bool exposed; /* a notify needs a release just because of the value on entry */
    bool out;     /* value at the end when nothing was unreleased on entry, and fences are put */
    bool keeps;   /* some path to the end releases nothing: the value on entry survives */
    bool jumps_dirty; /* at some break or continue something is unreleased, whatever the entry */
} FenceFlow;

static FenceFlow effect_of(const Fences *x, const Block *b);

static void compose(FenceFlow *e, const FenceFlow *next)
{
    e->exposed = e->exposed || (e->keeps && !e->out && next->exposed);
    e->out = next->out || (next->keeps && e->out);
    e->keeps = e->keeps && next->keeps;
    e->jumps_dirty = e->jumps_dirty || next->jumps_dirty;
}

static FenceFlow effect_of_op(const Fences *x, const Expr *op)
{
    FenceFlow e = {.keeps = true};
    if (op->op == OP_NOTIFY && !is_self(x, op))
        return (FenceFlow){.exposed = true};
    if (is_fence(op, FENCE_RELEASE))
        return (FenceFlow){0};
    e.out = op->op == OP_WAIT || (op->op != OP_NOTIFY && touches_window(op));
    return e;
}

static FenceFlow effect_of_stmt(const Fences *x, const Stmt *s, bool dirty)
{
    if (s->value && s->value->kind == EX_OP)
        return effect_of_op(x, s->value);
    if (s->kind == ST_IF) {
        FenceFlow a = effect_of(x, &s->nest->body), b = effect_of(x, &s->nest->otherwise);
        a.exposed = a.exposed || b.exposed;
        a.out = a.out || b.out;
        a.keeps = a.keeps || b.keeps;
        a.jumps_dirty = a.jumps_dirty || b.jumps_dirty;
        return a;
    }
    if (s->kind == ST_FOR) {
        FenceFlow a = effect_of(x, &s->nest->body);
        a.out = a.out || a.jumps_dirty;
        a.keeps = true;
        a.jumps_dirty = false;
        return a;
    }
    if (s->kind == ST_BREAK || s->kind == ST_CONTINUE)
        return (FenceFlow){.jumps_dirty = dirty};
    return (FenceFlow){.keeps = true};
}

static FenceFlow effect_of(const Fences *x, const Block *b)
{
    FenceFlow e = {.keeps = true};
    for (uint32_t i = 0; i < b->len; i++) {
        FenceFlow next = effect_of_stmt(x, b->at[i], e.out);
        compose(&e, &next);
    }
    return e;
}

static void add_fence(Fences *x, Block *out, Loc at, int64_t kind)
{
    Loc loc = kind == FENCE_ACQUIRE ? x->wait : at;
    Stmt *s = stmt_new(x->p, ST_EXPR, loc);
    s->value = ex_opv(x->p, OP_FENCE, 1, ex_enum(x->p, ENUM_FenceKind, kind));
    s->value->span = loc.span;
    low_push(x->p, out, s);
    step(x, s->value);
}

static void fence_block(Fences *x, Block *b, bool acquire_at_end);

/* A loop's body starts with what the code before it or its own end leaves. */
static void fence_for(Fences *x, Stmt *s, Block *out)
{
    FenceFlow body = effect_of(x, &s->nest->body);
    bool dirties = body.out || body.jumps_dirty;
    if (x->unreleased && body.exposed && !dirties)
        add_fence(x, out, s->loc, FENCE_RELEASE);
    bool before = x->unreleased, unseen = x->unseen;
    FenceLoop loop = {.quiet = is_quiet(s)}, *outer = x->loop;
    x->loop = &loop;
    x->unreleased = before || dirties;
    fence_block(x, &s->nest->body, !loop.quiet);
    x->loop = outer;
    x->unreleased = x->unreleased || before || loop.unreleased;
    x->unseen = x->unseen || unseen || loop.unseen;
    low_push(x->p, out, s);
}

static void fence_if(Fences *x, Stmt *s, Block *out)
{
    bool unreleased = x->unreleased, unseen = x->unseen;
    fence_block(x, &s->nest->body, false);
    bool then_unreleased = x->unreleased, then_unseen = x->unseen;
    bool then_ends = low_block_diverges(&s->nest->body),
         else_ends = low_block_diverges(&s->nest->otherwise);
    x->unreleased = unreleased;
    x->unseen = unseen;
    fence_block(x, &s->nest->otherwise, false);
    x->unreleased = (x->unreleased && !else_ends) || (then_unreleased && !then_ends);
    x->unseen = (x->unseen && !else_ends) || (then_unseen && !then_ends);
    low_push(x->p, out, s);
}

static bool jumps(const Stmt *s)
{
    return s->kind == ST_BREAK || s->kind == ST_CONTINUE;
}

static void note_jump(Fences *x, const Stmt *s)
{
    if (!x->loop || !jumps(s))
        return;
    x->loop->unreleased = x->loop->unreleased || x->unreleased;
    x->loop->unseen = x->loop->unseen || x->unseen;
}

static bool holds_wait(const Stmt *s);

static bool block_holds_wait(const Block *b)
{
    for (uint32_t i = 0; i < b->len; i++)
        if (holds_wait(b->at[i]))
            return true;
    return false;
}

static bool holds_wait(const Stmt *s)
{
    return low_stmt_op(s) == OP_WAIT || block_holds_wait(&s->nest->body) ||
           block_holds_wait(&s->nest->otherwise);
}

/* Another wait comes before anything but scalar code. */
static bool wait_follows(const Stmt *s, const Rewrite *r)
{
    for (uint32_t i = 0; is_quiet(s); s = r->rest[i++]) {
        if (holds_wait(s))
            return true;
        if (i == r->n_rest)
            break;
    }
    return false;
}

static void fence_one(Fences *x, Stmt *s, Block *out)
{
    const Expr *op = s->value && s->value->kind == EX_OP ? s->value : NULL;
    if (x->unseen && !is_quiet(s) && !(op && is_fence(op, FENCE_ACQUIRE)))
        add_fence(x, out, s->loc, FENCE_ACQUIRE);
    if (s->kind == ST_FOR) {
        fence_for(x, s, out);
        return;
    }
    if (s->kind == ST_IF) {
        fence_if(x, s, out);
        return;
    }
    if (op && op->op == OP_NOTIFY && x->unreleased && !is_self(x, op))
        add_fence(x, out, s->loc, FENCE_RELEASE);
    if (op)
        step(x, op);
    if (op && op->op == OP_WAIT)
        x->wait = s->loc;
    note_jump(x, s);
    low_push(x->p, out, s);
}

static bool fence_stmt(void *env, Rewrite *r, Stmt *s)
{
    Fences *x = env;
    bool jump = jumps(s) || (s->kind == ST_YIELD && r->n_rest);
    if (x->unseen &&
        ((x->acquire_at_end && !wait_follows(s, r)) || (jump && x->loop && !x->loop->quiet)))
        add_fence(x, r->out, s->loc, FENCE_ACQUIRE);
    bool acquire_at_end = x->acquire_at_end;
    fence_one(x, s, r->out);
    x->acquire_at_end = acquire_at_end;
    if (!r->n_rest && x->unseen && acquire_at_end && !low_block_diverges(r->out))
        add_fence(x, r->out, s->loc, FENCE_ACQUIRE);
    return true;
}

/* acquire_at_end: the block is a function's, or the body of a loop that does more than wait: no
 * wait may be left unseen at its end, so that the fence can stand right behind the last wait of a
 * run. Nor may a wait be unseen when a branch jumps to the next iteration of such a loop. */
static void fence_block(Fences *x, Block *b, bool acquire_at_end)
{
    x->acquire_at_end = acquire_at_end;
    block_rewrite(b, fence_stmt, x);
}

static void find_own_rank(void *env, Stmt *s)
{
    Fences *x = env;
    OpId op = low_stmt_op(s);
    if (s->kind != ST_LET || (op != OP_RANK && op != OP_GET_COMM_CTX))
        return;
    VarId of = operand_var(s->value->args[0]);
    if (of != VAR_NONE)
        x->rank_of[s->results[0]] = op == OP_RANK ? x->rank_of[of] : of;
}

static void fence_func(Program *p, Func *f, Aliases *aliases, bool one_group)
{
    Fences x = {.p = p, .f = f, .unreleased = true, .one_group = one_group};
    x.memory = alias_of(aliases, f);
    x.rank_of = xmalloc((f->vars.len + 1) * sizeof *x.rank_of);
    for (uint32_t i = 0; i < f->vars.len; i++)
        x.rank_of[i] = VAR_NONE;
    block_walk(&f->body, find_own_rank, &x);
    fence_block(&x, &f->body, true);
    xfree(x.rank_of);
}

bool pass_insert_fences(Program *p)
{
    Aliases aliases = {.p = p};
    bool one_group = device_sets_agree(p);
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (p->funcs.at[i]->kind == FN_INCORE && !p->funcs.at[i]->untouched)
            fence_func(p, p->funcs.at[i], &aliases, one_group);
    alias_free(&aliases);
    return true;
}
