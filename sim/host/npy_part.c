/* Parts of .npy files, for processes that need no more. */
#include "base/checked.h"
#include "sim/host/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(Arena *arena, const char *path, const char *what, const char **why)
{
    *why = arena_printf(arena, "%s: %s", path, what);
    return false;
}

bool npy_open(Arena *arena, const char *path, NpyArray *out, const char **why)
{
    struct stat st;
    HostTensor t = {.name = path};
    if (stat(path, &st) != 0)
        return fail(arena, path, strerror(errno), why);
    if (!S_ISREG(st.st_mode))
        return fail(arena, path, "it is no regular file, and is read in parts", why);
    if (!npy_head(arena, path, out, why))
        return false;
    if (!out->known)
        return true;
    t.dtype = out->dtype;
    t.rank = (uint8_t)out->rank;
    memcpy(t.shape, out->shape, sizeof t.shape);
    if (!tensor_measure(arena, &t, why))
        return false;
    out->bytes = t.bytes;
    if (st.st_size - out->start == out->bytes)
        return true;
    *why = arena_printf(
        arena, "%s: it %s: its shape takes %lld bytes, but %lld follow the header", path,
        st.st_size - out->start < out->bytes ? "is truncated" : "has bytes left over",
        (long long)out->bytes, (long long)(st.st_size - out->start));
    return false;
}

bool npy_read_part(Arena *arena, const char *path, const NpyArray *a, TensorSpan part, char *to,
                   const char **why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(arena, path, strerror(errno), why);
    for (int64_t done = 0; done < part.bytes;) {
        size_t left = (size_t)(part.bytes - done), most = (size_t)1 << 30;
        ssize_t n =
            pread(fd, to + done, left < most ? left : most, (off_t)(a->start + part.offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            int error = errno;
            close(fd);
            return fail(arena, path, n ? strerror(error) : "it became shorter", why);
        }
        done += n;
    }
    close(fd);
    for (int64_t i = 0; a->dtype == DT_BOOL && i < part.bytes; i++)
        to[i] = to[i] != 0;
    return true;
}
