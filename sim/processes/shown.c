/* What --print shows at the end. Every process finds out which elements these are; process 0, which
 * prints, gets those that others have. */
#include "sim/processes/conclude.h"
#include "sim/report/print_tensor.h"

#include <stdlib.h>
#include <string.h>

/* An element that comes to process 0. */
typedef struct {
    bool tensor;
    uint32_t object, rank;
    int64_t at;
    char value[8];
} ShownElement;

typedef struct {
    uint32_t tensor;
    Spans *out;
} OfTensor;

static void add_span(void *env, const PrintedElement *e)
{
    const OfTensor *of = env;
    if (e->tensor && e->object == of->tensor)
        vec_push(of->out, (TensorSpan){e->at, e->bytes, 0});
}

void spans_printed(const Team *t, const World *w, uint32_t tensor, Spans *out)
{
    OfTensor of = {tensor, out};
    for (uint32_t i = 0; i < t->n_printed; i++)
        print_shown(w, t->printed[i], add_span, &of);
}

typedef struct {
    const Team *t;
    const World *w;
    Buf out;
} Packing;

/* Was this process the last to write there? What nobody has written process 0 knows. */
static bool is_owned(const HostTensor *h, int64_t at)
{
    for (uint32_t i = 0; i < h->n_owned; i++)
        if (at >= h->owned[i].offset && at - h->owned[i].offset < h->owned[i].bytes)
            return true;
    return false;
}

static const char *find(const Packing *p, const PrintedElement *e)
{
    const World *w = p->w;
    if (e->tensor) {
        const HostTensor *h = &w->tensors[e->object];
        return is_owned(h, e->at) ? tensor_at(h, h->data, e->at) : NULL;
    }
    if (!team_is_mine(p->t, e->rank))
        return NULL;
    const char *bytes = w->fabric->ops->memory(w->fabric, e->rank, e->object);
    return bytes ? bytes + e->at : NULL;
}

static void pack(void *env, const PrintedElement *e)
{
    Packing *p = env;
    const char *at = find(p, e);
    if (!at)
        return;
    ShownElement s;
    memset(&s, 0, sizeof s);
    s.tensor = e->tensor;
    s.object = e->object;
    s.rank = e->rank;
    s.at = e->at;
    memcpy(s.value, at, e->bytes);
    buf_bytes(&p->out, &s, sizeof s);
}

static void take(void *env, uint32_t process, const char *bytes, size_t len)
{
    Team *t = env;
    for (size_t i = 0; process != 0 && i < len; i += sizeof(ShownElement)) {
        ShownElement s;
        memcpy(&s, bytes + i, sizeof s);
        HostTensor *h = &t->world->tensors[s.object];
        if (s.tensor)
            memcpy(tensor_at(h, h->data, s.at), s.value, dtype_bytes(h->dtype));
        else
            buf_bytes(&t->shown_cells, &s, sizeof s);
    }
}

static int by_place(const void *a_, const void *b_)
{
    const ShownElement *a = a_, *b = b_;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

void gather_printed(Team *t, World *w)
{
    Packing p = {.t = t, .w = w};
    if (t->n_printed == 0)
        return;
    for (uint32_t i = 0; i < t->n_printed; i++)
        print_shown(w, t->printed[i], pack, &p);
    team_gather(t, &p.out, take, t);
    buf_free(&p.out);
    if (t->shown_cells.len)
        qsort(t->shown_cells.at, t->shown_cells.len / sizeof(ShownElement), sizeof(ShownElement),
              by_place);
}

const char *shown_cell(Processes *p, uint32_t window, uint32_t rank, int64_t at)
{
    const Buf *cells = &team_of(p)->shown_cells;
    ShownElement key = {.object = window, .rank = rank, .at = at};
    if (cells->len == 0)
        return NULL;
    const ShownElement *found =
        bsearch(&key, cells->at, cells->len / sizeof key, sizeof key, by_place);
    return found ? found->value : NULL;
}
