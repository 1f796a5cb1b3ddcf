/* Backwards: an operation waits for the one before it on its lane, a wait that really waited for
 * the notify that ended it, and a dispatch for the one whose result it reads. */
#include "sim/report/critical.h"

#include <string.h>

#define NONE UINT32_MAX

typedef struct {
    const World *w;
    const Recorder *r;
    uint32_t *before;  /* per record: the one before it on its lane */
    uint32_t *last_of; /* per dispatch: its last record */
    CriticalPath *path;
} Walk;

static const char *path_name(int kind)
{
    return kind == PATH_FLIGHT ? "signals under way"
           : kind == PATH_IDLE ? "nothing to run"
                               : show_name((ShowKind)kind);
}

static bool is_operation(const Record *r)
{
    return record_kind(r) != SHOW_COUNT;
}

/* Fills `before` and `last_of`; returns the record that ends last. */
static uint32_t order(Walk *k)
{
    const World *w = k->w;
    size_t lanes = (size_t)w->n_ranks * w->max_cores;
    uint32_t *last = xmalloc((lanes + 1) * sizeof *last), end = NONE;
    memset(last, 0xff, (lanes + 1) * sizeof *last);
    for (uint32_t i = 0; i < k->r->at.len; i++) {
        const Record *r = &k->r->at.at[i];
        if (!is_operation(r))
            continue;
        uint32_t *lane = &last[(size_t)r->rank * w->max_cores + r->core];
        k->before[i] = *lane;
        *lane = i;
        if (r->dispatch < w->dispatches.len)
            k->last_of[r->dispatch] = i;
        if (end == NONE || r->end > k->r->at.at[end].end)
            end = i;
    }
    xfree(last);
    return end;
}

static void step(Walk *k, int kind, const Record *on, const Record *from, int64_t begin,
                 int64_t end)
{
    if (end <= begin)
        return;
    PathStep s = {(uint8_t)kind, on->rank, on->core, from->rank, from->core, begin, end};
    vec_push(&k->path->at, s);
    k->path->share[kind] += end - begin;
    k->path->total += end - begin;
}

/* The last operation of the dispatch that this one had to wait for. */
static uint32_t needed(const Walk *k, const Record *r)
{
    const Dispatch *d =
        r->dispatch < k->w->dispatches.len ? &k->w->dispatches.at[r->dispatch] : NULL;
    uint32_t found = NONE;
    for (uint32_t i = 0; d && r->kind == EV_DISPATCH_BEGIN && i < d->n_deps; i++) {
        uint32_t last = k->last_of[d->deps[i].dispatch];
        if (last != NONE && !d->deps[i].at_start && k->r->at.at[last].end <= r->begin &&
            (found == NONE || k->r->at.at[last].end > k->r->at.at[found].end))
            found = last;
    }
    return found;
}

/* What came before record `i`, which began at `t`; NONE: nothing. */
static uint32_t back(Walk *k, uint32_t i, int64_t t)
{
    const Record *at = k->r->at.at, *r = &at[i];
    uint32_t before = k->before[i], other = needed(k, r);
    if (other != NONE && (before == NONE || at[other].end > at[before].end))
        before = other;
    if (before == NONE) {
        step(k, PATH_IDLE, r, r, 0, t);
        return NONE;
    }
    bool inside = at[before].dispatch == r->dispatch; /* then it is scalar work */
    step(k, inside ? SHOW_COMPUTE : PATH_IDLE, r, r, at[before].end, t);
    return before;
}

static bool waited(const Record *r)
{
    return r->kind == EV_WAIT && r->link != NONE && r->arrive > r->begin;
}

void critical_find(const World *w, const Recorder *r, CriticalPath *path)
{
    *path = (CriticalPath){0};
    Walk k = {.w = w, .r = r, .path = path};
    size_t n = (size_t)r->at.len + w->dispatches.len + 1;
    k.before = xmalloc(n * sizeof *k.before);
    memset(k.before, 0xff, n * sizeof *k.before);
    k.last_of = k.before + r->at.len;
    uint32_t i = order(&k);
    int64_t t = i == NONE ? 0 : r->at.at[i].end;
    for (uint32_t left = r->at.len; i != NONE && left > 0; left--) {
        const Record *x = &r->at.at[i];
        t = x->end < t ? x->end : t;
        if (waited(x)) {
            const Record *from = &r->at.at[x->link];
            int64_t arrive = x->arrive < t ? x->arrive : t;
            step(&k, SHOW_WAIT, x, x, arrive, t);
            t = from->end < arrive ? from->end : arrive;
            step(&k, PATH_FLIGHT, x, from, t, arrive);
            i = x->link;
        } else {
            step(&k, record_kind(x), x, x, x->begin, t);
            t = x->begin < t ? x->begin : t;
            i = back(&k, i, t);
        }
    }
    xfree(k.before);
}

void critical_free(CriticalPath *path)
{
    vec_free(&path->at);
}

void critical_text(const CriticalPath *path, Buf *out)
{
    bool said[PATH_KINDS] = {0};
    for (int n = 0; n < PATH_KINDS; n++) {
        int most = -1;
        for (int i = 0; i < PATH_KINDS; i++)
            if (!said[i] && (most < 0 || path->share[i] > path->share[most]))
                most = i;
        int64_t percent =
            path->total ? (path->share[most] * 100 + path->total / 2) / path->total : 0;
        if (percent < 1)
            return;
        said[most] = true;
        buf_printf(out, "%s%lld %% %s", n ? ", " : "", (long long)percent, path_name(most));
    }
}
