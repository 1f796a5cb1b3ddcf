/* The simulated platforms: memory budgets, core counts and clock parameters, one table. */
#ifndef PLD_BASE_PLATFORM_H
#define PLD_BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { PLATFORM_A2A3SIM, PLATFORM_A5SIM, PLATFORM_COUNT } PlatformId;

typedef struct {
    PlatformId id;
    const char *name; /* "a2a3sim" */
#define PLD_PLATFORM_FIELD(field, a2a3sim, a5sim, unit, doc) int64_t field;
#include "base/platform.def"
} Platform;

extern const Platform platforms[PLATFORM_COUNT];

/* Finds a platform by name. On failure returns NULL and sets *why: for "a2a3" and "a5" that this
 * program has no hardware backend, naming the simulated one; otherwise the known names. */
const Platform *platform_from_name(const char *name, const char **why);

/* Sets one field of a copy of a platform; false and *why when the name or value is no good
 * (values are non-negative). */
bool platform_set(Platform *platform, const char *field, int64_t value, const char **why);

/* A number that platforms have. */
typedef struct {
    const char *name, *unit, *doc;
    size_t offset; /* of the field in Platform */
} PlatformField;

/* The fields in the order of the table; NULL behind the last. */
const PlatformField *platform_field(uint32_t index);
int64_t platform_value(const Platform *platform, const PlatformField *field);

/* Prints the table for --list-platforms into `out` (a FILE * from <stdio.h>). */
void platform_print_table(void *out);

#endif
