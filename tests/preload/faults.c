/* Preloaded into a program: the n-th call of one kind fails, or the program gets a signal there.
 * PLD_FAULT="KIND N ERROR" (ERROR an errno value, or minus a signal), PLD_FAULT_MARK=FILE: made
 * when it happened. KIND: malloc (and its like), open (of files to be written), write (to
 * them), fsync, close, rename. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

enum { MAX_FD = 1024 };

static char kind[16];
static long countdown, error;
static bool written[MAX_FD]; /* descriptors of files that are written */

__attribute__((constructor)) static void read_fault(void)
{
    const char *text = getenv("PLD_FAULT");
    if (!text || sscanf(text, "%15s %ld %ld", kind, &countdown, &error) != 3)
        countdown = 0;
}

static void mark(void)
{
    const char *path = getenv("PLD_FAULT_MARK");
    if (path)
        syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY, 0666);
}

/* Is this the call? A signal comes, and the call goes on. */
static bool fails(const char *call)
{
    if (countdown <= 0 || strcmp(kind, call) != 0 ||
        __atomic_sub_fetch(&countdown, 1, __ATOMIC_SEQ_CST))
        return false;
    mark();
    if (error < 0)
        kill(getpid(), (int)-error);
    else
        errno = (int)error;
    return error > 0;
}

void *malloc(size_t size)
{
    return fails("malloc") ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails("malloc") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails("malloc") ? NULL : __libc_realloc(old, size);
}

int open(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    int mode = flags & O_CREAT ? va_arg(ap, int) : 0;
    va_end(ap);
    bool writes = (flags & O_ACCMODE) != O_RDONLY;
    if (writes && fails("open"))
        return -1;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (fd >= 0 && fd < MAX_FD)
        written[fd] = writes;
    return fd;
}

static bool is_written(int fd)
{
    return fd >= 0 && fd < MAX_FD && written[fd];
}

/* A signal comes when half is written. */
ssize_t write(int fd, const void *bytes, size_t len)
{
    if (!is_written(fd))
        return syscall(SYS_write, fd, bytes, len);
    size_t half = len > 1 && countdown == 1 && !strcmp(kind, "write") ? len / 2 : len;
    ssize_t n = error > 0 ? 0 : syscall(SYS_write, fd, bytes, half);
    if (fails("write"))
        return -1;
    return error > 0 ? syscall(SYS_write, fd, bytes, half) : n;
}

int fsync(int fd)
{
    return fails("fsync") ? -1 : (int)syscall(SYS_fsync, fd);
}

int close(int fd)
{
    bool bad = is_written(fd) && fails("close");
    if (fd >= 0 && fd < MAX_FD)
        written[fd] = false;
    int closed = (int)syscall(SYS_close, fd);
    return bad ? (errno = (int)error, -1) : closed;
}

int rename(const char *from, const char *to)
{
    return fails("rename") ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}
