#include "base/file.h"
#include "base/arena.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "cannot VERB NAME: REASON"; always false, for return statements. */
static bool fail(char **why, const char *verb, const char *name, const char *reason)
{
    Buf buf = {0};
    buf_printf(&buf, "cannot %s %s: %s", verb, name, reason);
    *why = buf.at;
    return false;
}

enum { CHUNK = 65536 };

/* Reads until `out` has `size` bytes or the file ends; returns 0 or an errno value. */
static int read_up_to(int fd, Buf *out, size_t size)
{
    while (out->len < size) {
        size_t left = size - out->len;
        size_t room = left < CHUNK ? left : CHUNK;
        ssize_t n = read(fd, buf_room(out, room), room);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        if (n == 0)
            return 0;
        out->len += (size_t)n;
        out->at[out->len] = '\0';
    }
    return 0;
}

static void close_file(void *env)
{
    const int *fd = env;
    if (*fd != STDIN_FILENO)
        close(*fd);
}

bool file_read_extent(const char *path, Buf *out, size_t head, FileExtent *extent, void *env,
                      char **why)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    TrapCleanup cleanup;
    if (fd < 0)
        return fail(why, "read", path, strerror(errno));
    trap_push_cleanup(&cleanup, close_file, &fd);
    buf_clear(out);
    buf_str(out, ""); /* out->at is text even when the file is empty */
    int error = read_up_to(fd, out, head);
    if (!error && out->len == head)
        error = read_up_to(fd, out, extent(env, out));
    trap_pop_cleanup(&cleanup);
    close_file(&fd);
    return !error || fail(why, "read", is_stdin ? "standard input" : path, strerror(error));
}

static size_t nothing_more(void *env, const Buf *head)
{
    (void)env;
    return head->len;
}

bool file_read(const char *path, Buf *out, size_t max_bytes, char **why)
{
    if (!file_read_extent(path, out, max_bytes + 1, nothing_more, NULL, why))
        return false;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    return out->len <= max_bytes || fail(why, "read", name, strerror(EFBIG));
}

/* Writes everything; returns 0 or an errno value. */
static int write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

static int write_direct(const char *path, const char *bytes, size_t len)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return errno;
    int error = write_all(fd, bytes, len);
    if (close(fd) != 0 && error == 0)
        error = errno;
    return error;
}

enum { ATTEMPT_DIGITS = 3 };

/* A name next to `path`, whose attempt is still to be written. */
static void temporary_name(const char *path, Buf *out)
{
    const char *slash = strrchr(path, '/');
    int dir_len = slash ? (int)(slash - path) + 1 : 0;
    buf_printf(out, "%.*s.pld-%ld-%0*d.tmp", dir_len, path, (long)getpid(), ATTEMPT_DIGITS, 0);
}

/* Opens a new file under the first of a thousand names that is free. Allocates nothing: nobody
 * would give the signals back. Returns -1 with errno set when there is none to be had. */
static int open_temporary(Buf *name)
{
    char *digits = name->at + name->len - strlen(".tmp") - ATTEMPT_DIGITS;
    for (int attempt = 0; attempt < 1000; attempt++) {
        for (int i = ATTEMPT_DIGITS, rest = attempt; i-- > 0; rest /= 10)
            digits[i] = (char)('0' + rest % 10);
        int fd = open(name->at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Signals that end the program wait while there is a temporary file. */
static void hold_signals(sigset_t *old)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaddset(&held, signals[i]);
    pthread_sigmask(SIG_BLOCK, &held, old);
}

/* Fills the new file at `fd`, closes it and renames it over `path`. */
static int put_file(int fd, const char *temporary, const char *path, const struct stat *old,
                    const char *bytes, size_t len)
{
    int error = write_all(fd, bytes, len);
    if (error == 0 && old && fchmod(fd, old->st_mode & 0777) != 0)
        error = errno;
    if (error == 0 && fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
        error = errno;
    if (close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0 && rename(temporary, path) != 0)
        error = errno;
    if (error)
        unlink(temporary);
    return error;
}

/* Writes a temporary file and renames it over `path`; `old` is what stands there now, or NULL. */
static int replace_file(const char *path, const struct stat *old, const char *bytes, size_t len)
{
    Buf temporary = {0};
    sigset_t signals;
    temporary_name(path, &temporary);
    hold_signals(&signals);
    int fd = open_temporary(&temporary);
    int error = fd < 0 ? errno : put_file(fd, temporary.at, path, old, bytes, len);
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    buf_free(&temporary);
    return error;
}

static int write_path(const char *path, const char *bytes, size_t len)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno == ENOENT ? replace_file(path, NULL, bytes, len) : errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (!S_ISREG(st.st_mode))
        return write_direct(path, bytes, len);
    if (access(path, W_OK) != 0)
        return errno;
    char real[PATH_MAX]; /* a symbolic link stays one */
    return replace_file(realpath(path, real) ? real : path, &st, bytes, len);
}

bool file_write_atomic(const char *path, const void *bytes, size_t len, char **why)
{
    int error = write_path(path, bytes, len);
    return error == 0 || fail(why, "write", path, strerror(error));
}
