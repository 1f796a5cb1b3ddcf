#include "api/outside.h"

#include "sim/host/npy.h"
#include <string.h>

static void add(Arena *arena, Defines *defines, const char *name, const char *type, bool aside)
{
    avec_push(
        arena, defines,
        ((Define){.name = arena_printf(arena, "tensor:%s", name), .value = type, .aside = aside}));
}

bool outside_tensor(Arena *arena, Defines *defines, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || strchr(text, ' '))
        return false;
    const char *name = arena_strndup(arena, text, (size_t)(equals - text));
    add(arena, defines, name, equals + 1, false);
    return true;
}

void outside_file(Arena *arena, Defines *defines, const char *name, const char *path)
{
    NpyArray a;
    const char *why;
    size_t n = strlen(path);
    if (n < 5 || strcmp(path + n - 4, ".npy") != 0 || !npy_head(arena, path, &a, &why) ||
        !a.known || a.rank == 0)
        return;
    Buf text = {0};
    buf_str(&text, dtype_name((Dtype)a.dtype));
    for (uint32_t i = 0; i < a.rank; i++)
        buf_printf(&text, "%s%lld", i ? "," : "[", (long long)a.shape[i]);
    buf_char(&text, ']');
    add(arena, defines, name, arena_strndup(arena, text.at, text.len), true);
    buf_free(&text);
}
