/* Pass 15: every tile gets an address on the core.
 *
 * A value carried by a loop or an if has one address under all its names: what goes in, what the
 * body sees, what is yielded, what comes out. Names are joined greedily, inner and later carriers
 * first, as long as no two of them are alive together. Where that is impossible (two values
 * exchanged in a loop, a value that is needed after the loop that starts from it) a pl.tile.copy
 * stands before the yield or the loop. Then lifetimes are computed again, with the copies, and
 * places are assigned (place.c). */
#include "lower/live.h"
#include "lower/pass.h"
#include "lower/place.h"
#include "lower/ssa.h"
#include "lower/util.h"

typedef struct {
    Program *p;
    Func *f;
    Live *live;               /* before copies; segments of a root are those of its set */
    VEC(VarId) parent;        /* union-find over variables */
    const Stmt *owner, *loop; /* of the block at hand: whose block it is, the loop around it */
    bool changed;             /* `live` is no longer that of the variables: names joined, copies */
} Alloc;

static VarId root_of(Alloc *x, VarId v)
{
    for (VarId next = x->parent.len; next < x->f->vars.len; next++)
        vec_push(&x->parent, next);
    while (x->parent.at[v] != v) {
        x->parent.at[v] = x->parent.at[x->parent.at[v]];
        v = x->parent.at[v];
    }
    return v;
}

static bool is_tile(const Alloc *x, VarId v)
{
    return func_var(x->f, v)->type->kind == TY_TILE;
}

/* Puts two names at one address, unless they are alive together. */
static bool join(Alloc *x, VarId a, VarId b)
{
    VarId i = root_of(x, a), j = root_of(x, b);
    if (i == j)
        return true;
    Segments *s = &x->live->at[i], *t = &x->live->at[j];
    if (func_var(x->f, i)->type != func_var(x->f, j)->type || segments_overlap(s, t))
        return false;
    if (s->len < t->len) {
        VarId swap = i;
        i = j;
        j = swap;
    }
    segments_merge(&x->live->arena, &x->live->at[i], &x->live->at[j]);
    x->parent.at[j] = i;
    x->changed = true;
    return true;
}

static void join_carrier(Alloc *x, const Carrier *c)
{
    const Stmt *s = c->stmt;
    for (uint32_t k = 0; k < s->n_results; k++) {
        if (!is_tile(x, s->results[k]))
            continue;
        if (s->kind == ST_FOR)
            join(x, s->nest->iters[k], s->results[k]);
        for (uint32_t i = c->yields.len; i-- > 0;)
            if (c->yields.at[i]->values[k]->kind == EX_VAR)
                join(x, s->results[k], c->yields.at[i]->values[k]->var);
        if (s->kind == ST_FOR && s->values[k]->kind == EX_VAR)
            join(x, s->results[k], s->values[k]->var);
    }
}

/* `a = b` of tiles: the same address, or a copy. */
static void join_let(void *env, Stmt *s)
{
    Alloc *x = env;
    if (s->kind != ST_LET || s->n_results != 1 || s->value->kind != EX_VAR ||
        !is_tile(x, s->results[0]))
        return;
    x->changed = true;
    if (!join(x, s->results[0], s->value->var))
        s->value = ex_opv(x->p, OP_TILE_COPY, 1, s->value);
}

static Expr *add_copy(Alloc *x, Block *out, const Stmt *at, VarId like, Expr *value)
{
    Builder b = {x->p, x->f, out, at->loc};
    x->changed = true;
    Expr *copy = ex_opv(x->p, OP_TILE_COPY, 1, value);
    VarId v = build_let(&b, func_var(x->f, like)->base, copy);
    func_var(x->f, v)->type = func_var(x->f, like)->type;
    return ex_var(x->p, x->f, v);
}

/* One value on its way to the place it is carried in. */
typedef struct {
    Expr **value;
    VarId to; /* the result that names the place */
} Move;

typedef VEC(Move) Moves;

static void find_moves(Alloc *x, const Stmt *owner, Expr **values, Moves *out)
{
    for (uint32_t k = 0; k < owner->n_results; k++) {
        VarId to = owner->results[k];
        if (is_tile(x, to) && root_of(x, values[k]->var) != root_of(x, to))
            vec_push(out, (Move){&values[k], to});
    }
}

/* The first move whose target no other move still reads; `moves->len` when they form cycles. */
static uint32_t next_move(Alloc *x, const Moves *moves)
{
    for (uint32_t i = 0; i < moves->len; i++) {
        bool free_target = true;
        for (uint32_t j = 0; j < moves->len && free_target; j++)
            free_target =
                j == i || root_of(x, (*moves->at[j].value)->var) != root_of(x, moves->at[i].to);
        if (free_target)
            return i;
    }
    return moves->len;
}

/* Copies the values that do not live where they are carried, as if all at once: in an order that
 * overwrites nothing still to be read, a cycle being cut by one copy aside. */
static void copy_values(Alloc *x, Block *out, const Stmt *at, const Stmt *owner, Expr **values)
{
    Moves moves = {0};
    find_moves(x, owner, values, &moves);
    while (moves.len) {
        uint32_t i = next_move(x, &moves);
        Move m = moves.at[i < moves.len ? i : 0];
        *m.value = add_copy(x, out, at, m.to, *m.value);
        if (i == moves.len)
            continue;
        VarId copy = root_of(x, (*m.value)->var), place = root_of(x, m.to);
        x->parent.at[copy] = place;
        for (uint32_t j = i; j + 1 < moves.len; j++)
            moves.at[j] = moves.at[j + 1];
        moves.len--;
    }
    vec_free(&moves);
}

static void copy_block(Alloc *x, Block *b, const Stmt *owner, const Stmt *loop);

static bool copy_stmt(void *env, Rewrite *r, Stmt *s)
{
    Alloc *x = env;
    const Stmt *owner = x->owner, *loop = x->loop, *inner = s->kind == ST_FOR ? s : loop;
    if (s->kind == ST_YIELD)
        copy_values(x, r->out, s, r->n_rest ? loop : owner, s->values);
    if (s->kind == ST_FOR)
        copy_values(x, r->out, s, s, s->values);
    copy_block(x, &s->nest->body, s, inner);
    copy_block(x, &s->nest->otherwise, s, inner);
    x->owner = owner;
    x->loop = loop;
    low_push(x->p, r->out, s);
    return true;
}

static void copy_block(Alloc *x, Block *b, const Stmt *owner, const Stmt *loop)
{
    x->owner = owner;
    x->loop = loop;
    block_rewrite(b, copy_stmt, x);
}

static bool core_bytes(Alloc *x, VarId v, int64_t *bytes)
{
    if (tile_core_bytes(func_var(x->f, v)->type, x->p->platform->row_align, bytes))
        return true;
    diag_error(x->p->diags, func_var(x->f, v)->span, "memory",
               "a tile of %s is too large for any core",
               type_text(x->p->arena, func_var(x->f, v)->type));
    return false;
}

/* The place of a root, made when its first member is met. */
static bool place_of(Alloc *x, Live *live, uint32_t *index, Places *places, VarId v)
{
    VarId r = root_of(x, v);
    if (!index[r]) {
        Place fresh = {.type = func_var(x->f, v)->type, .first = v, .order = live->order[v]};
        if (!core_bytes(x, v, &fresh.bytes))
            return false;
        vec_push(places, fresh);
        index[r] = places->len;
    }
    Place *place = &places->at[index[r] - 1];
    if (segments_overlap(&place->segments, &live->at[v])) {
        diag_internal(x->p->diags, live->by[v]->loc.span,
                      "allocate_memory: in function %s: two values of %s are alive together",
                      x->f->name, func_var(x->f, v)->base);
        return false;
    }
    if (live->order[v] < place->order) {
        place->order = live->order[v];
        place->first = v;
    }
    segments_merge(&live->arena, &place->segments, &live->at[v]);
    return true;
}

static void retype_use(void *env, Expr **e)
{
    Alloc *x = env;
    if ((*e)->kind == EX_VAR)
        (*e)->type = func_var(x->f, (*e)->var)->type;
}

static void retype_stmt(void *env, Stmt *s)
{
    stmt_exprs(s, retype_use, env);
}

static void set_address(Alloc *x, VarId v, int64_t addr)
{
    Var *var = func_var(x->f, v);
    var->type = type_placed(x->p->types, var->type, var->type->mem, addr);
}

static bool place_func(Alloc *x, Live *live)
{
    uint32_t n = x->f->vars.len, *index = xcalloc(n + 1, sizeof *index);
    Places places = {0};
    bool good = true;
    for (VarId v = 0; v < n && good; v++)
        if (live->at[v].len)
            good = place_of(x, live, index, &places, v);
    good = good && place_tiles(x->p, x->f, live, &places);
    int64_t *addr = xcalloc(n + 1, sizeof *addr);
    for (uint32_t i = 0; good && i < places.len; i++)
        addr[root_of(x, places.at[i].first)] = places.at[i].addr;
    for (VarId v = 0; v < n && good; v++)
        if (live->at[v].len)
            set_address(x, v, addr[root_of(x, v)]);
    vec_free(&places);
    xfree(index);
    xfree(addr);
    return good;
}

static bool allocate_func(Program *p, Func *f)
{
    Alloc x = {.p = p, .f = f, .live = live_new(p, f)};
    Carriers carriers = {0};
    ssa_carriers(p, &f->body, &carriers);
    for (uint32_t i = carriers.list.len; i-- > 0;)
        join_carrier(&x, carriers.list.at[i]);
    block_walk(&f->body, join_let, &x);
    copy_block(&x, &f->body, NULL, NULL);
    if (x.changed) {
        live_free(x.live);
        x.live = live_new(p, f);
    }
    bool good = place_func(&x, x.live);
    if (good)
        block_walk(&f->body, retype_stmt, &x);
    live_free(x.live);
    vec_free(&x.parent);
    return good;
}

bool pass_allocate_memory(Program *p)
{
    bool good = true;
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (p->funcs.at[i]->kind == FN_INCORE && !p->funcs.at[i]->untouched)
            good = allocate_func(p, p->funcs.at[i]) && good;
    return good;
}
