#include "base/save.h"

#include "base/arena.h"
#include <string.h>

void save_bytes(Buf *out, const void *bytes, size_t n)
{
    if (n)
        buf_bytes(out, bytes, n);
}

void load_bytes(SaveReader *in, void *to, size_t n)
{
    if (n)
        memcpy(to, in->at, n);
    in->at += n;
}

void save_map(Buf *out, const Map *map)
{
    save_value(out, *map);
    save_bytes(out, map->keys, map->cap * sizeof *map->keys);
    save_bytes(out, map->values, map->cap * sizeof *map->values);
}

void load_map(SaveReader *in, Map *map)
{
    Map saved;
    load_value(in, saved);
    if (map->cap != saved.cap) {
        map->keys = xrealloc(map->keys, (saved.cap + (size_t)1) * sizeof *map->keys);
        map->values = xrealloc(map->values, (saved.cap + (size_t)1) * sizeof *map->values);
    }
    load_bytes(in, map->keys, saved.cap * sizeof *map->keys);
    load_bytes(in, map->values, saved.cap * sizeof *map->values);
    saved.keys = map->keys;
    saved.values = map->values;
    *map = saved;
}

void save_array(Buf *out, const void *at, uint32_t n, size_t size)
{
    save_value(out, n);
    save_bytes(out, at, n * size);
}

void *load_array(SaveReader *in, void *old, uint32_t *n, uint32_t *cap, size_t size)
{
    load_value(in, *n);
    if (*n > *cap) {
        old = xrealloc(old, *n * size);
        *cap = *n;
    }
    load_bytes(in, old, *n * size);
    return old;
}
