/* Hash map from a pointer or integer key to a uint64_t. Iteration order is not offered, so no
 * output can depend on it. */
#ifndef PLD_BASE_MAP_H
#define PLD_BASE_MAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t *keys; /* 0 means an empty slot: key 0 itself is kept apart */
    uint64_t *values;
    uint32_t cap, len;
    bool has_zero;
    uint64_t zero_value;
} Map;

/* A zeroed Map is empty and valid. */

/* Sets or replaces. */
void map_set(Map *map, uint64_t key, uint64_t value);
/* Returns true and stores the value when the key is there. `value` may be NULL. */
bool map_get(const Map *map, uint64_t key, uint64_t *value);
void map_clear(Map *map);
void map_free(Map *map);

#define map_set_ptr(m, key, value) map_set((m), (uint64_t)(uintptr_t)(key), (value))
#define map_get_ptr(m, key, value) map_get((m), (uint64_t)(uintptr_t)(key), (value))

#endif
