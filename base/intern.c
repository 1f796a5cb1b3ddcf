#include "base/intern.h"
#include "base/crc32.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 256 };

/* The slot that holds `text`, or the empty one where it belongs. */
static uint32_t find_slot(const Interner *in, const char *text, size_t len)
{
    uint32_t mask = in->cap - 1;
    uint64_t hash = hash64(HASH64_INIT, text, len);
    uint32_t i = (uint32_t)(hash ^ hash >> 32) & mask;
    while (in->slots[i] && (strncmp(in->slots[i], text, len) != 0 || in->slots[i][len] != '\0'))
        i = (i + 1) & mask;
    return i;
}

static void grow(Interner *in)
{
    Sym *old = in->slots;
    uint32_t old_cap = in->cap;
    in->cap = old_cap ? old_cap * 2 : FIRST_CAP;
    in->slots = xcalloc(in->cap, sizeof *in->slots);
    for (uint32_t i = 0; i < old_cap; i++)
        if (old[i])
            in->slots[find_slot(in, old[i], strlen(old[i]))] = old[i];
    xfree(old);
}

Sym intern_n(Interner *in, const char *text, size_t len)
{
    if (in->len >= in->cap / 4 * 3)
        grow(in);
    uint32_t i = find_slot(in, text, len);
    if (in->slots[i] == NULL) {
        in->slots[i] = arena_strndup(&in->arena, text, len);
        in->len++;
    }
    return in->slots[i];
}

Sym intern(Interner *in, const char *text)
{
    return intern_n(in, text, strlen(text));
}

Sym internf(Interner *in, const char *fmt, ...)
{
    char small[256];
    va_list ap;
    va_start(ap, fmt);
    int len = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (len < (int)sizeof small)
        return intern_n(in, small, len < 0 ? 0 : (size_t)len);
    Arena scratch = {0};
    va_start(ap, fmt);
    Sym sym = intern_n(in, arena_vprintf(&scratch, fmt, ap), (size_t)len);
    va_end(ap);
    arena_free(&scratch);
    return sym;
}

void interner_free(Interner *in)
{
    arena_free(&in->arena);
    xfree(in->slots);
    *in = (Interner){0};
}
