#include "tests/files.h"

#include "base/file.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *files_read(Arena *arena, const char *path)
{
    Buf bytes = {0};
    char *why = NULL;
    ck_assert_msg(file_read(path, &bytes, 1 << 20, &why), "%s", why);
    const char *text = arena_strndup(arena, bytes.at ? bytes.at : "", bytes.len);
    buf_free(&bytes);
    return text;
}

void files_expect(Arena *arena, const char *of, const char *ending, const char *got)
{
    size_t stem = (size_t)(strrchr(of, '.') - of);
    const char *path = arena_printf(arena, "%.*s%s", (int)stem, of, ending);
    bool there = access(path, F_OK) == 0;
    char *why = NULL;
    if (getenv("UPDATE") && *got)
        ck_assert_msg(file_write_atomic(path, got, strlen(got), &why), "%s", why);
    else if (getenv("UPDATE") && there)
        ck_assert_int_eq(unlink(path), 0);
    else if (!there)
        ck_assert_msg(!*got, "%s is missing; it would be:\n%s", path, got);
    else
        ck_assert_msg(strcmp(got, files_read(arena, path)) == 0, "%s differs from:\n%s", path, got);
}
