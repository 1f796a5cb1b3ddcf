#include "base/map.h"
#include "base/arena.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 16 };

/* The finaliser of SplitMix64 (Steele, Lea, Flood, 2014): pointers and small integers spread. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The slot that holds `key`, or the empty one where it belongs. */
static uint32_t find_slot(const Map *map, uint64_t key)
{
    uint32_t mask = map->cap - 1;
    uint32_t i = (uint32_t)mix(key) & mask;
    while (map->keys[i] != 0 && map->keys[i] != key)
        i = (i + 1) & mask;
    return i;
}

static void grow(Map *map)
{
    Map old = *map;
    map->cap = old.cap ? old.cap * 2 : FIRST_CAP;
    map->keys = xcalloc(map->cap, sizeof *map->keys);
    map->values = xcalloc(map->cap, sizeof *map->values);
    for (uint32_t i = 0; i < old.cap; i++) {
        if (old.keys[i] == 0)
            continue;
        uint32_t to = find_slot(map, old.keys[i]);
        map->keys[to] = old.keys[i];
        map->values[to] = old.values[i];
    }
    xfree(old.keys);
    xfree(old.values);
}

void map_set(Map *map, uint64_t key, uint64_t value)
{
    if (key == 0) {
        map->has_zero = true;
        map->zero_value = value;
        return;
    }
    if (map->len >= map->cap / 4 * 3)
        grow(map);
    uint32_t i = find_slot(map, key);
    if (map->keys[i] == 0)
        map->len++;
    map->keys[i] = key;
    map->values[i] = value;
}

bool map_get(const Map *map, uint64_t key, uint64_t *value)
{
    bool found = map->has_zero;
    uint64_t v = map->zero_value;
    if (key != 0) {
        uint32_t i = map->cap ? find_slot(map, key) : 0;
        found = map->cap && map->keys[i] == key;
        v = found ? map->values[i] : 0;
    }
    if (found && value)
        *value = v;
    return found;
}

void map_clear(Map *map)
{
    if (map->cap)
        memset(map->keys, 0, map->cap * sizeof *map->keys);
    map->len = 0;
    map->has_zero = false;
}

void map_free(Map *map)
{
    xfree(map->keys);
    xfree(map->values);
    *map = (Map){0};
}
