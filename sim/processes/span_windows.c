/* Memory of windows over processes: each holds the slices of its own ranks, one behind another, in
 * memory without a name that the processes of its host map too, so that nothing is left behind
 * whatever happens to them. */
#include "sim/processes/span_fabric.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_WINDOW_BYTES (INT64_C(1) << 37)
enum { SLICE_ALIGN = 64 };

bool span_all_near(const Team *t)
{
    if (t->base.n == 1)
        return true;
    bool near = t->shared;
    for (uint32_t i = 0; i < t->base.n && near; i++)
        near = t->t->near(i);
    return near;
}

int64_t span_offset(const SpanFabric *s, FabAddr at, int64_t end)
{
    if (at.window >= s->windows.len || at.rank >= s->base.n_ranks)
        return -1;
    const SpanWindow *w = &s->windows.at[at.window];
    if (at.offset < 0 || end < at.offset || end > w->bytes)
        return -1;
    return s->slot[at.rank] * w->stride + at.offset;
}

char *span_mapped(const SpanFabric *s, FabAddr at)
{
    const SpanWindow *w = &s->windows.at[at.window];
    char *part = w->at[span_home(s, at.rank)];
    return part ? part + s->slot[at.rank] * w->stride + at.offset : NULL;
}

/* Memory that can be shared, and the descriptor for it; or private memory and -1. NULL: none. */
static char *make_part(bool shared, size_t bytes, int *fd)
{
    *fd = shared ? memfd_create("pld-window", MFD_CLOEXEC) : -1;
    if (*fd >= 0 && ftruncate(*fd, (off_t)bytes) == 0) {
        void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
        return at == MAP_FAILED ? NULL : at;
    }
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

typedef struct {
    int64_t pid, fd, bytes, here;
} Offer;

static char *map_part(const Offer *o)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)o->pid, (long long)o->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    void *at = mmap(NULL, (size_t)o->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return at == MAP_FAILED ? NULL : at;
}

/* Maps the parts of the host's processes. False: one that should be there is not. */
static bool map_parts(SpanFabric *s, SpanWindow *w, const Offer *offers)
{
    Team *t = s->team;
    bool ok = true;
    for (uint32_t p = 0; p < t->base.n; p++) {
        if (p == t->base.self || offers[p].fd < 0 || !t->t->near(p))
            continue;
        w->at[p] = map_part(&offers[p]);
        w->mapped[p] = (size_t)offers[p].bytes;
        ok &= w->at[p] != NULL;
    }
    return ok;
}

static uint32_t ranks_of(const SpanFabric *s, uint32_t process)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->base.n_ranks; i++)
        n += span_home(s, i) == process;
    return n;
}

FabStatus span_window_create(Fabric *f, uint32_t window, int64_t bytes)
{
    SpanFabric *s = (SpanFabric *)f;
    Team *t = s->team;
    if (window != s->windows.len)
        return FAB_RANGE;
    if (bytes < 0 || bytes > MAX_WINDOW_BYTES)
        return FAB_MEMORY;
    uint32_t n = t->base.n;
    SpanWindow w = {.bytes = bytes,
                    .stride = (bytes + SLICE_ALIGN) / SLICE_ALIGN * SLICE_ALIGN,
                    .at = xcalloc(n, sizeof *w.at),
                    .mapped = xcalloc(n, sizeof *w.mapped),
                    .dirty = xcalloc(n, sizeof *w.dirty)};
    int64_t part = w.stride * ranks_of(s, t->base.self);
    int fd = -1;
    size_t size = (size_t)part + SLICE_ALIGN;
    char *own = make_part(t->shared, size, &fd);
    w.at[t->base.self] = own;
    w.mapped[t->base.self] = size;
    Offer mine = {getpid(), fd, (int64_t)size, own != NULL}, *all = xcalloc(n, sizeof *all);
    t->t->gather(&mine, sizeof mine, all);
    bool ok = map_parts(s, &w, all);
    for (uint32_t i = 0; i < n; i++)
        ok &= all[i].here != 0;
    ok = team_max(t, !ok) == 0; /* everybody has it mapped, too */
    if (fd >= 0)
        close(fd);
    xfree(all);
    vec_push(&s->windows, w);
    if (ok && !span_all_near(t))
        t->t->window(window, own, part);
    return ok ? FAB_OK : FAB_MEMORY;
}

void span_windows_free(SpanFabric *s)
{
    if (s->windows.len && !span_all_near(s->team))
        s->team->t->windows_free();
    for (uint32_t i = 0; i < s->windows.len; i++) {
        SpanWindow *w = &s->windows.at[i];
        for (uint32_t p = 0; p < s->team->base.n; p++)
            if (w->at[p])
                munmap(w->at[p], w->mapped[p]);
        xfree(w->at);
        xfree(w->mapped);
        xfree(w->dirty);
    }
    vec_free(&s->windows);
}
