/* Dispatches that wait for those of other processes. All processes have the same queue and the same
 * dependencies, so each knows who waits for what it runs: a start is told to those whose writes
 * wait until the tensors are copied in, an end, with the bytes that were written, to those who
 * read or write over them.
 *
 * Bytes are put into the tensor as they come. What one dispatch has written and a later one of a
 * third process has written over may come here in the wrong order, so the later one's bytes are
 * taken when its own dependencies are known to have ended here. */
#include "sim/processes/team.h"

#include <string.h>

typedef struct {
    uint32_t dispatch;
    uint32_t tensor;
    int64_t offset; /* of it */
} BytesHead;

static void listen(World *w, uint32_t **list, uint32_t *n, uint32_t process)
{
    for (uint32_t i = 0; i < *n; i++)
        if ((*list)[i] == process)
            return;
    uint32_t *more = arena_array(&w->arena, *n + 1, sizeof *more);
    if (*n)
        memcpy(more, *list, *n * sizeof *more);
    more[(*n)++] = process;
    *list = more;
}

void dispatches_audience(Team *t, World *w)
{
    t->audience = xcalloc(w->dispatches.len + 1u, sizeof *t->audience);
    for (uint32_t i = 0; i < w->dispatches.len; i++) {
        const Dispatch *d = &w->dispatches.at[i];
        uint32_t here = t->base.home[d->rank];
        for (uint32_t k = 0; k < d->n_deps; k++) {
            uint32_t on = d->deps[k].dispatch;
            Audience *a = &t->audience[on];
            if (t->base.home[w->dispatches.at[on].rank] == here)
                continue;
            if (d->deps[k].at_start)
                listen(w, &a->started, &a->n_started, here);
            else
                listen(w, &a->ended, &a->n_ended, here);
        }
    }
}

void dispatches_free(Team *t)
{
    xfree(t->audience);
    for (uint32_t i = 0; i < t->early.len; i++)
        buf_free(&t->early.at[i]);
    vec_free(&t->early);
}

void dispatch_started(Processes *p, World *w, uint32_t dispatch)
{
    (void)w;
    Team *t = team_of(p);
    const Audience *a = &t->audience[dispatch];
    for (uint32_t i = 0; i < a->n_started; i++)
        team_send(t, a->started[i], TAG_STARTED, &dispatch, sizeof dispatch);
}

static void send_region(Team *t, const World *w, uint32_t dispatch, const Region *r, uint32_t to)
{
    enum { PIECE = 1 << 24 };
    for (int64_t at = 0; at < r->bytes; at += PIECE) {
        int64_t len = r->bytes - at < PIECE ? r->bytes - at : PIECE;
        BytesHead head = {dispatch, r->tensor, r->offset + at};
        Buf text = {0};
        buf_bytes(&text, &head, sizeof head);
        const HostTensor *h = &w->tensors[r->tensor];
        buf_bytes(&text, tensor_at(h, h->data, head.offset), (size_t)len);
        team_send(t, to, TAG_BYTES, text.at, text.len);
        buf_free(&text);
    }
}

void dispatch_ended(Processes *p, World *w, uint32_t dispatch)
{
    Team *t = team_of(p);
    const Audience *a = &t->audience[dispatch];
    const Dispatch *d = &w->dispatches.at[dispatch];
    for (uint32_t i = 0; i < a->n_ended; i++) {
        for (uint32_t k = 0; k < d->n_regions; k++)
            if (d->regions[k].writes)
                send_region(t, w, dispatch, &d->regions[k], a->ended[i]);
        team_send(t, a->ended[i], TAG_ENDED, &dispatch, sizeof dispatch);
    }
}

/* Does this process hear of the end of `dispatch`? */
static bool hears(const Team *t, uint32_t dispatch)
{
    const Audience *a = &t->audience[dispatch];
    for (uint32_t i = 0; i < a->n_ended; i++)
        if (a->ended[i] == t->base.self)
            return true;
    return false;
}

/* Has what comes before its bytes come, as far as it comes here? */
static bool in_turn(const Team *t, uint32_t dispatch)
{
    const World *w = t->world;
    const Dispatch *d = &w->dispatches.at[dispatch];
    for (uint32_t i = 0; i < d->n_deps; i++) {
        uint32_t on = d->deps[i].dispatch;
        if (!d->deps[i].at_start && w->dispatches.at[on].state != DSP_DONE && hears(t, on))
            return false;
    }
    return true;
}

/* Of what a dispatch has written, what is held here. */
static void put_bytes(HostTensor *h, int64_t offset, const char *bytes, size_t len)
{
    int64_t end = offset + (int64_t)len, next;
    for (int64_t at = offset; at < end; at = next) {
        char *to = tensor_at(h, h->data, at);
        next = tensor_next_bound(h, at);
        next = next < end ? next : end;
        if (to)
            memcpy(to, bytes + (at - offset), (size_t)(next - at));
    }
}

static void apply(Team *t, int tag, const char *bytes, size_t len)
{
    World *w = t->world;
    BytesHead head;
    uint32_t dispatch;
    memcpy(&dispatch, bytes, sizeof dispatch);
    if (tag == TAG_ENDED) {
        w->dispatches.at[dispatch].state = DSP_DONE;
        return;
    }
    memcpy(&head, bytes, sizeof head);
    put_bytes(&w->tensors[head.tensor], head.offset, bytes + sizeof head, len - sizeof head);
}

/* Messages that came early, once what they waited for has ended. */
static void apply_early(Team *t)
{
    for (bool again = true; again;) {
        again = false;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < t->early.len; i++) {
            Buf *b = &t->early.at[i];
            uint32_t dispatch;
            memcpy(&dispatch, b->at + 1, sizeof dispatch);
            if (!in_turn(t, dispatch)) {
                t->early.at[kept++] = *b;
                continue;
            }
            apply(t, b->at[0], b->at + 1, b->len - 1);
            buf_free(b);
            again = true;
        }
        t->early.len = kept;
    }
}

void dispatch_message(Team *t, const PldMessage *m)
{
    uint32_t dispatch;
    memcpy(&dispatch, m->bytes, sizeof dispatch);
    Dispatch *d = &t->world->dispatches.at[dispatch];
    if (m->tag == TAG_STARTED) {
        d->state = d->state == DSP_QUEUED ? DSP_RUNNING : d->state;
        return;
    }
    if (in_turn(t, dispatch)) {
        apply(t, m->tag, m->bytes, m->len);
        if (m->tag == TAG_ENDED)
            apply_early(t);
        return;
    }
    Buf early = {0};
    char tag = (char)m->tag;
    buf_bytes(&early, &tag, 1);
    buf_bytes(&early, m->bytes, m->len);
    vec_push(&t->early, early);
}
