/* What is looked at lies in lines, 4 in each of some sets, as in a processor's cache. A line begins
 * with 8 KiB. Where the lines are thrown out before much of them was looked at, because what is
 * looked at lies far apart, the same memory is cut into more and shorter ones. */
#include "sim/host/parts.h"

#include <string.h>

enum {
    WAYS = 4,
    MEMORY = 1 << 23, /* of a tensor's lines */
    LONGEST = 1 << 13,
    SHORTEST = 32, /* no element is longer, nor lies in two */
    SHORTER = 4,   /* times, at each change */
    FEW = 4,       /* a line has paid when a quarter of its elements was looked at */
};

typedef struct {
    int64_t first; /* byte of the tensor; -1: none */
    uint32_t used; /* when it was last looked at */
} Line;

typedef enum { FROM_NOTHING, FROM_FILE, FROM_INIT } Source;

/* A tensor. */
typedef struct {
    Source source;
    const NpyArray *file;
    const char *path;
    Evaluator *init;
    Line *lines; /* NULL: nothing was looked at yet */
    char *bytes;
    int64_t length; /* of a line */
    uint32_t n_sets, clock;
    Line *last;           /* that was looked at */
    uint64_t looks, made; /* elements and lines, since the last change of `length` */
} Part;

struct Parts {
    World *w;
    EvaluateEnv env; /* of the init functions */
    Part *of;
};

static const char *look(void *parts, uint32_t tensor, int64_t offset, const char **why);

EvaluateEnv parts_env(Parts *p)
{
    const World *w = p->w;
    return (EvaluateEnv){.program = w->program,
                         .extents = w->extents,
                         .n_tensors = w->n_tensors,
                         .tensors = w->tensors,
                         .look = look,
                         .look_env = p,
                         .scalars = w->scalars,
                         .seed = w->config->seed,
                         .stop = w->config->stop,
                         .stop_env = w->config->stop_env};
}

Parts *parts_new(World *w)
{
    Parts *p = arena_new(&w->arena, Parts);
    p->w = w;
    p->of = arena_array(&w->arena, w->n_tensors + 1, sizeof *p->of);
    p->env = parts_env(p);
    return p;
}

void parts_from_file(Parts *p, uint32_t tensor, const NpyArray *a, const char *path)
{
    p->of[tensor].source = FROM_FILE;
    p->of[tensor].file = a;
    p->of[tensor].path = path;
}

void parts_from_init(Parts *p, uint32_t tensor, const BcElementFunc *init)
{
    p->of[tensor].source = FROM_INIT;
    p->of[tensor].init = evaluator_new(&p->w->arena, &p->env, init);
}

bool parts_are_zero(const Parts *p, uint32_t tensor)
{
    return p->of[tensor].source == FROM_NOTHING;
}

bool parts_make(Parts *p, uint32_t tensor, TensorSpan part, char *to, const char **why)
{
    Part *o = &p->of[tensor];
    if (part.bytes == 0)
        return true;
    switch (o->source) {
    case FROM_INIT:
        evaluator_renew(o->init);
        return evaluate_fill(o->init, &p->w->tensors[tensor], part, to, why);
    case FROM_FILE:
        if (!o->file->data)
            return npy_read_part(&p->w->arena, o->path, o->file, part, to, why);
        memcpy(to, o->file->data + part.offset, (size_t)part.bytes);
        return true;
    case FROM_NOTHING: break;
    }
    memset(to, 0, (size_t)part.bytes);
    return true;
}

/* ---- lines ---- */

static void forget(Part *o)
{
    for (uint32_t i = 0; i < o->n_sets * WAYS; i++)
        o->lines[i].first = -1;
    o->last = NULL;
    o->looks = o->made = 0;
}

/* The same memory, in lines of this length. */
static void cut(Part *o, int64_t length)
{
    o->length = length;
    o->n_sets = (uint32_t)(MEMORY / WAYS / length);
    forget(o);
}

static void first_look(Parts *p, Part *o)
{
    if (o->lines)
        return;
    o->lines = arena_array(&p->w->arena, MEMORY / SHORTEST, sizeof *o->lines);
    o->bytes = arena_alloc(&p->w->arena, MEMORY);
    cut(o, LONGEST);
}

/* Have all lines been made anew, for little? */
static bool has_not_paid(const Part *o, uint32_t element)
{
    uint64_t elements = (uint64_t)o->length / element;
    return o->length > SHORTEST && o->made >= 2 * (uint64_t)o->n_sets * WAYS &&
           o->looks < o->made * elements / FEW;
}

/* The set of a line: those of one column of a matrix fall into different ones. */
static Line *set_of(const Part *o, int64_t first)
{
    uint64_t mixed = (uint64_t)(first / o->length) * UINT64_C(0x9e3779b97f4a7c15);
    return o->lines + (mixed >> 32) % o->n_sets * WAYS;
}

static Line *find(const Part *o, int64_t first)
{
    Line *set = set_of(o, first), *oldest = set;
    for (Line *l = set; l < set + WAYS; l++) {
        if (l->first == first)
            return l;
        if (oldest->first >= 0 && (l->first < 0 || l->used < oldest->used))
            oldest = l;
    }
    oldest->first = -1;
    return oldest;
}

static bool make(Parts *p, uint32_t tensor, Line *l, int64_t first, const char **why)
{
    Part *o = &p->of[tensor];
    int64_t left = p->w->tensors[tensor].bytes - first;
    TensorSpan part = {first, left < o->length ? left : o->length, 0};
    if (!parts_make(p, tensor, part, o->bytes + (l - o->lines) * o->length, why))
        return false;
    l->first = first;
    o->made++;
    return true;
}

static const char *look(void *parts, uint32_t tensor, int64_t offset, const char **why)
{
    Parts *p = parts;
    Part *o = &p->of[tensor];
    first_look(p, o);
    o->looks++;
    Line *l = o->last;
    if (!l || offset < l->first || offset - l->first >= o->length) {
        if (has_not_paid(o, dtype_bytes(p->w->tensors[tensor].dtype)))
            cut(o, o->length / SHORTER);
        int64_t first = offset - offset % o->length;
        l = find(o, first);
        if (l->first < 0 && !make(p, tensor, l, first, why))
            return NULL;
        l->used = ++o->clock;
        o->last = l;
    }
    return o->bytes + (l - o->lines) * o->length + (offset - l->first);
}
