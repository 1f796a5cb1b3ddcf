/* Pass 13: window buffers get their place in the symmetric memory that every rank has: a name, an
 * offset, a size, an alignment, zero fill. Buffers lie one behind the other in the order of their
 * allocations, each of the platform's least size at least, rounded up to its alignment; offsets and
 * sizes are expressions where extents are dynamic.
 *
 * Checked here as far as it is known: buffers are not allocated in loops, a view fits the size
 * asked for, and no buffer has both a view used as data and one used as signal (all views begin at
 * the buffer's begin, so two views overlap). */
#include "ir/alias.h"
#include "lower/fold.h"
#include "lower/pass.h"
#include "lower/util.h"

#define ALLOC_ARG(e, name) OP_ARG(e, ALLOC_WINDOW_BUFFER, name)

typedef struct {
    const Stmt *alloc;
    Expr *asked;               /* bytes asked for, INDEX */
    const Stmt *data, *signal; /* first view used so, or NULL */
} Buffer;

typedef struct {
    Program *p;
    Func *f;
    const FuncAlias *memory;
    Map buffers; /* variable -> index in list */
    VEC(Buffer) list;
    Map names;  /* names given -> the last number tried for this base */
    Expr *next; /* first free byte, INDEX */
    bool good;
} HeapLayout;

static void fail(HeapLayout *x, const Stmt *s, const char *message)
{
    diag_error(x->p->diags, s->loc.span, "memory", "%s", message);
    x->good = false;
}

static void fold_one(void *env, Expr **e)
{
    *e = fold_node(env, *e);
}

static Expr *folded(HeapLayout *x, Expr *e)
{
    expr_walk(&e, fold_one, x->p);
    return e;
}

/* Product of the extents of a shape operand times `bytes`. */
static Expr *shape_bytes(HeapLayout *x, const Expr *shape, uint32_t bytes)
{
    Expr *e = NULL;
    for (uint32_t i = 0; i < shape->n_args; i++) {
        Expr *extent = expr_clone(x->p, shape->args[i]);
        if (extent->type->dtype != DT_INDEX)
            extent = ex_cast(x->p, DT_INDEX, extent);
        e = e ? ex_scalar(x->p, SC_MUL, e, extent) : extent;
    }
    return folded(x, ex_scalar(x->p, SC_MUL, e, ex_index(x->p, bytes)));
}

/* The larger of `bytes` and the platform's minimum, rounded up to its alignment. */
static Expr *reserved(HeapLayout *x, const Expr *bytes)
{
    Program *p = x->p;
    int64_t align = p->platform->window_align;
    Expr *e = ex_scalar(p, SC_MAX, expr_clone(p, bytes), ex_index(p, p->platform->window_min));
    e = ex_scalar(p, SC_ADD, e, ex_index(p, align - 1));
    e = ex_scalar(p, SC_FLOORDIV, e, ex_index(p, align));
    return ex_scalar(p, SC_MUL, e, ex_index(p, align));
}

static Sym unique_name(HeapLayout *x, Sym base)
{
    uint64_t next = 0;
    Sym name = base;
    map_get_ptr(&x->names, base, &next);
    while (map_get_ptr(&x->names, name, NULL))
        name = internf(x->p->in, "%s_%llu", base, (unsigned long long)++next);
    map_set_ptr(&x->names, name, 0);
    map_set_ptr(&x->names, base, next);
    return name;
}

static bool static_size_ok(HeapLayout *x, const Stmt *s, const Expr *asked)
{
    int64_t v;
    if (!expr_is_int(asked, &v) || (v >= 0 && v <= (int64_t)1 << 40))
        return true;
    diag_error(x->p->diags, s->loc.span, "memory",
               "a window buffer of %lld bytes: the size must be from 0 to 2^40 bytes",
               (long long)v);
    x->good = false;
    return false;
}

static void lay_out(HeapLayout *x, Stmt *s)
{
    Program *p = x->p;
    Expr *op = s->value, *size = ALLOC_ARG(op, size), *dtype = ALLOC_ARG(op, dtype);
    Expr *asked = shape_bytes(x, size, dtype ? dtype_bytes(dtype->dtype) : 1);
    if (!static_size_ok(x, s, asked))
        return;
    Expr *bytes = reserved(x, asked);
    ALLOC_ARG(op, name) = ex_str(p, unique_name(x, func_var(x->f, s->results[0])->base));
    ALLOC_ARG(op, offset) = expr_clone(p, x->next);
    ALLOC_ARG(op, bytes) = bytes;
    ALLOC_ARG(op, align) = ex_index(p, p->platform->window_align);
    ALLOC_ARG(op, zero) = ex_bool(p, true);
    x->next = folded(x, ex_scalar(p, SC_ADD, expr_clone(p, x->next), expr_clone(p, bytes)));
    map_set(&x->buffers, s->results[0], x->list.len);
    vec_push(&x->list, (Buffer){.alloc = s, .asked = asked});
}

static Buffer *buffer_of(HeapLayout *x, const Stmt *window)
{
    uint64_t i;
    VarId v = operand_var(OP_ARG(window->value, WINDOW, buffer));
    return v != VAR_NONE && map_get(&x->buffers, v, &i) ? &x->list.at[i] : NULL;
}

static const char *var_name(HeapLayout *x, const Stmt *s)
{
    return s->n_results ? func_var(x->f, s->results[0])->base : "it";
}

static bool of_names_only(const Term *t)
{
    for (uint32_t i = 0; i < t->n_atoms; i++)
        if (t->atoms[i]->kind != DIM_NAME)
            return false;
    return true;
}

/* More than 0 for all extents from 1: no term is negative, and one is a product of extents. */
static bool is_positive(const Dim *d)
{
    bool positive = false;
    for (uint32_t i = 0; i < d->n_terms; i++) {
        if (d->terms[i].coef < 0)
            return false;
        positive = positive || of_names_only(&d->terms[i]);
    }
    return positive;
}

/* Where extents are dynamic and either could be larger, the run compares. */
static void check_size(HeapLayout *x, const Stmt *s, const Buffer *b)
{
    const Type *t = s->value->type;
    Expr *need = shape_bytes(x, OP_ARG(s->value, WINDOW, shape), dtype_bytes(t->dtype));
    const Dim *view = dim_of_expr(x->p, need), *asked = dim_of_expr(x->p, b->asked);
    const Dim *more = view && asked ? dim_sub(x->p->types, view, asked) : NULL;
    if (!more || !is_positive(more))
        return;
    diag_error(x->p->diags, s->value->span.end ? s->value->span : s->loc.span, "memory",
               "the view %s needs %s bytes, its buffer %s has %s", type_text(x->p->arena, t),
               dim_text(x->p->arena, view), var_name(x, b->alloc), dim_text(x->p->arena, asked));
    diag_note(x->p->diags, b->alloc->loc.span, "allocated here");
    x->good = false;
}

static void check_overlap(HeapLayout *x, const Stmt *s, Buffer *b)
{
    int64_t elements;
    uint8_t use = s->n_results ? alias_uses(x->memory, s->results[0]) : 0;
    if (!(use & (USE_DATA | USE_SIGNAL)) ||
        (type_elements(s->value->type, &elements) && elements == 0))
        return;
    const Stmt **mine = use & USE_SIGNAL ? &b->signal : &b->data;
    const Stmt *other = use & USE_SIGNAL ? b->data : b->signal;
    if (!*mine)
        *mine = s;
    if (!other)
        return;
    bool signal = use & USE_SIGNAL;
    diag_error(
        x->p->diags, s->loc.span, "memory",
        "%s is used as %s, and %s of the same buffer as %s: give the signal a buffer of its own",
        var_name(x, s), signal ? "signal" : "data", var_name(x, other), signal ? "data" : "signal");
    diag_note(x->p->diags, other->loc.span, "the other view");
    x->good = false;
}

/* Where an allocation stands: in a loop it has no one place; in a branch it has one if its size is
 * known. */
typedef enum { IN_BODY, IN_BRANCH, IN_LOOP } Nesting;

static void lay_out_stmt(HeapLayout *x, Stmt *s, Nesting nesting)
{
    if (nesting == IN_LOOP) {
        fail(x, s, "a window buffer is allocated in a loop: allocate it once, before the loop");
        return;
    }
    lay_out(x, s);
    if (nesting == IN_BRANCH && !expr_is_int(ALLOC_ARG(s->value, bytes), &(int64_t){0}))
        fail(
            x, s,
            "a window buffer of run-time size is allocated in a branch: allocate it before the if");
}

static void walk(HeapLayout *x, Block *b, Nesting nesting)
{
    for (uint32_t i = 0; i < b->len; i++) {
        Stmt *s = b->at[i];
        OpId op = low_stmt_op(s);
        if (op == OP_ALLOC_WINDOW_BUFFER && s->n_results) {
            lay_out_stmt(x, s, nesting);
        } else if (op == OP_WINDOW) {
            Buffer *buffer = buffer_of(x, s);
            if (buffer) {
                check_size(x, s, buffer);
                check_overlap(x, s, buffer);
            }
        }
        Nesting inner = s->kind == ST_FOR || nesting == IN_LOOP ? IN_LOOP : IN_BRANCH;
        walk(x, &s->nest->body, inner);
        walk(x, &s->nest->otherwise, inner);
    }
}

/* A buffer that is bound to no name cannot have a view: it takes no memory. */
static bool drop_unnamed(void *env, Rewrite *r, Stmt *s)
{
    block_rewrite(&s->nest->body, drop_unnamed, env);
    block_rewrite(&s->nest->otherwise, drop_unnamed, env);
    if (low_stmt_op(s) != OP_ALLOC_WINDOW_BUFFER || s->n_results)
        low_push(env, r->out, s);
    return true;
}

bool pass_materialize_windows(Program *p)
{
    Aliases aliases = {.p = p};
    bool good = true;
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        Func *f = p->funcs.at[i];
        if (f->kind != FN_HOST)
            continue;
        block_rewrite(&f->body, drop_unnamed, p);
        HeapLayout x = {.p = p, .f = f, .next = ex_index(p, 0), .good = true};
        x.memory = alias_of(&aliases, f);
        walk(&x, &f->body, IN_BODY);
        good = good && x.good;
        map_free(&x.buffers);
        map_free(&x.names);
        vec_free(&x.list);
    }
    alias_free(&aliases);
    return good;
}
