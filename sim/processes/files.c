/* Outputs of a run over processes: process 0 makes the file under a temporary name, each process
 * writes what it has into it (or, where it does not see the file, sends it), process 0 renames. */
#include "sim/processes/files.h"

#include "sim/host/input.h"
#include "sim/machine/fault.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    Team *t;
    World *w;
    const HostTensor *h;
    const char *path, *part; /* part: the temporary name */
    int64_t start;           /* of the data */
    int fd;                  /* at process 0 */
    const char *why;         /* first failure; NULL: none */
} Output;

static void failed(Output *o, const char *what)
{
    if (!o->why)
        o->why = what;
}

static bool write_all(int fd, const char *bytes, int64_t len, int64_t at)
{
    while (len > 0) {
        ssize_t n = pwrite(fd, bytes, (size_t)(len < 1 << 30 ? len : 1 << 30), (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        at += n;
        len -= n;
    }
    return true;
}

static void make_file(Output *o)
{
    struct stat st;
    Buf header = {0};
    npy_header(&header, o->h);
    o->start = (int64_t)header.len;
    if (o->t->base.self == 0) {
        errno = 0;
        if (stat(o->path, &st) == 0 && !S_ISREG(st.st_mode))
            failed(o, "over processes an output is a regular file");
        else if ((o->fd = open(o->part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666)) < 0 ||
                 !write_all(o->fd, header.at, o->start, 0) ||
                 ftruncate(o->fd, (off_t)(o->start + o->h->bytes)) != 0)
            failed(o, strerror(errno));
    }
    buf_free(&header);
}

/* Do all processes see the file that process 0 has made? */
static bool is_shared(const Output *o)
{
    struct stat st;
    bool here = stat(o->part, &st) == 0 && st.st_size == o->start + o->h->bytes;
    return team_agree(&o->t->base, here) && o->t->t->file_open(o->part);
}

/* Where a process is in what it writes. */
typedef struct {
    uint32_t i; /* of HostTensor.owned */
    int64_t at; /* in that */
} Place;

static bool next_piece(const Output *o, Place *p, TensorSpan *s)
{
    enum { PIECE = 1 << 22 };
    const HostTensor *h = o->h;
    while (p->i < h->n_owned && p->at == h->owned[p->i].bytes)
        *p = (Place){p->i + 1, 0};
    if (p->i == h->n_owned)
        return false;
    int64_t left = h->owned[p->i].bytes - p->at;
    *s = (TensorSpan){h->owned[p->i].offset + p->at, left < PIECE ? left : PIECE, 0};
    p->at += s->bytes;
    return true;
}

/* Zeros that nobody has written? */
static bool is_empty(const Output *o, TensorSpan s)
{
    uint32_t tensor = (uint32_t)(o->h - o->w->tensors);
    return parts_are_zero(input_parts(o->w), tensor) && !tensor_at(o->h, o->h->data, s.offset) &&
           tensor_next_bound(o->h, s.offset) - s.offset >= s.bytes;
}

/* Appends its bytes. */
static bool add_piece(Output *o, TensorSpan s, Buf *out)
{
    char *to = buf_room(out, (size_t)s.bytes);
    if (input_bytes(o->w, (uint32_t)(o->h - o->w->tensors), s, to)) {
        out->len += (size_t)s.bytes;
        return true;
    }
    failed(o, "its initial value could not be made again");
    return false;
}

static void write_own(Output *o)
{
    const PldTransport *t = o->t->t;
    Buf piece = {0};
    TensorSpan s;
    for (Place at = {0}; next_piece(o, &at, &s);) {
        if (is_empty(o, s)) /* as the new file is */
            continue;
        buf_clear(&piece);
        if (!add_piece(o, s, &piece))
            break;
        if (!t->file_write(o->start + s.offset, piece.at, (size_t)s.bytes))
            failed(o, "a write failed");
    }
    buf_free(&piece);
    if (!t->file_close())
        failed(o, "a write failed");
}

/* A piece of some process: where it belongs, and the bytes. */
static void take_piece(void *env, uint32_t process, const char *bytes, size_t len)
{
    (void)process;
    Output *o = env;
    int64_t at;
    if (len <= sizeof at)
        return;
    memcpy(&at, bytes, sizeof at);
    if (!write_all(o->fd, bytes + sizeof at, (int64_t)(len - sizeof at), o->start + at))
        failed(o, strerror(errno));
}

/* Everybody's next piece in each round. */
static void send_own(Output *o)
{
    Place at = {0};
    Buf mine = {0};
    TensorSpan s;
    bool more = next_piece(o, &at, &s);
    while (team_max(o->t, more)) {
        buf_clear(&mine);
        if (more) {
            buf_bytes(&mine, &s.offset, sizeof s.offset);
            more = add_piece(o, s, &mine) && next_piece(o, &at, &s);
        }
        team_gather(o->t, &mine, take_piece, o);
    }
    buf_free(&mine);
}

static void rename_file(Output *o)
{
    if (o->t->base.self != 0)
        return;
    if (o->fd >= 0 && fsync(o->fd) != 0)
        failed(o, strerror(errno));
    if (o->fd >= 0 && close(o->fd) != 0)
        failed(o, strerror(errno));
    if (!o->why && rename(o->part, o->path) != 0)
        failed(o, strerror(errno));
    if (o->why && o->fd >= 0)
        (void)unlink(o->part);
}

/* The unfinished file of this process, for files_abandon; "": none. */
static char unfinished[4096];

void files_abandon(void)
{
    if (unfinished[0])
        (void)unlink(unfinished);
}

static bool one(Output *o)
{
    if (o->t->base.self == 0)
        snprintf(unfinished, sizeof unfinished, "%s", o->part);
    make_file(o);
    if (team_agree(&o->t->base, !o->why)) {
        if (is_shared(o))
            write_own(o);
        else
            send_own(o);
    }
    if (!team_agree(&o->t->base, !o->why))
        failed(o, "another process could not write it");
    rename_file(o);
    unfinished[0] = 0;
    bool ok = team_agree(&o->t->base, !o->why);
    if (o->why && o->t->base.self == 0)
        world_error(o->w, EXIT_USAGE, "cannot write %s: %s", o->path, o->why);
    return ok;
}

bool files_write(Team *t, World *w)
{
    const RunConfig *c = w->config;
    int64_t pid = getpid();
    t->t->broadcast(&pid, sizeof pid, 0);
    for (uint32_t i = 0; i < c->n_outputs; i++)
        for (uint32_t k = 0; k < w->n_tensors; k++) {
            const HostTensor *h = &w->tensors[k];
            Output o = {.t = t, .w = w, .h = h, .path = c->outputs[i].value, .fd = -1};
            if (strcmp(h->name, c->outputs[i].name) != 0)
                continue;
            if (!dtype_info[h->dtype].npy[0])
                return world_error(w, EXIT_USAGE, "%s: NumPy has no type for %s", o.path,
                                   dtype_name(h->dtype));
            o.part = arena_printf(&w->arena, "%s.pld-%lld-%u.tmp", o.path, (long long)pid, i);
            if (!one(&o))
                return false;
        }
    return true;
}
