#include "base/file_id.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Cuts the last name off `path`, which keeps the folder: "." when there is none. */
static const char *split(Arena *arena, char *path, const char **folder)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        path[--len] = '\0';
    char *slash = strrchr(path, '/');
    const char *last = slash ? slash + 1 : path;
    const char *name = arena_strndup(arena, last, strlen(last));
    if (!slash)
        *folder = ".";
    else
        slash[slash == path] = '\0';
    return name;
}

static FileId of_stat(const struct stat *st, const char *rest)
{
    bool known = S_ISREG(st->st_mode) || S_ISDIR(st->st_mode);
    return (FileId){.known = known, .dev = st->st_dev, .ino = st->st_ino, .rest = rest};
}

FileId file_id(Arena *arena, const char *path)
{
    struct stat st;
    const char *rest = "", *folder = arena_strndup(arena, path, strlen(path));
    if (strcmp(path, "-") == 0)
        return fstat(STDIN_FILENO, &st) == 0 ? of_stat(&st, rest) : (FileId){0};
    while (stat(folder, &st) != 0) {
        if (errno != ENOENT || strcmp(folder, ".") == 0 || strcmp(folder, "/") == 0 || !*folder)
            return (FileId){0};
        char *copy = arena_strndup(arena, folder, strlen(folder));
        folder = copy;
        const char *name = split(arena, copy, &folder);
        if (*rest && strcmp(name, ".") == 0)
            continue;
        rest = *rest ? arena_printf(arena, "%s/%s", name, rest) : name;
    }
    return of_stat(&st, rest);
}

bool file_id_same(const FileId *a, const FileId *b)
{
    return a->known && b->known && a->dev == b->dev && a->ino == b->ino &&
           strcmp(a->rest, b->rest) == 0;
}
