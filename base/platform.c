#include "base/platform.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const Platform platforms[PLATFORM_COUNT] = {
    [PLATFORM_A2A3SIM] =
        {
            .id = PLATFORM_A2A3SIM,
            .name = "a2a3sim",
#define PLD_PLATFORM_FIELD(field, a2a3sim, a5sim, unit, doc) .field = a2a3sim,
#include "base/platform.def"
        },
    [PLATFORM_A5SIM] =
        {
            .id = PLATFORM_A5SIM,
            .name = "a5sim",
#define PLD_PLATFORM_FIELD(field, a2a3sim, a5sim, unit, doc) .field = a5sim,
#include "base/platform.def"
        },
};

static const PlatformField fields[] = {
#define PLD_PLATFORM_FIELD(field, a2a3sim, a5sim, unit, doc)                                       \
    {#field, unit, doc, offsetof(Platform, field)},
#include "base/platform.def"
};

enum { N_FIELDS = sizeof fields / sizeof fields[0] };

const PlatformField *platform_field(uint32_t index)
{
    return index < N_FIELDS ? &fields[index] : NULL;
}

int64_t platform_value(const Platform *platform, const PlatformField *field)
{
    return *(const int64_t *)(const void *)((const char *)platform + field->offset);
}

/* Values above this could overflow a sum of clock ticks (ps) or a size. */
#define MAX_VALUE INT64_C(1000000000000)

const Platform *platform_from_name(const char *name, const char **why)
{
    for (int i = 0; i < PLATFORM_COUNT; i++)
        if (strcmp(platforms[i].name, name) == 0)
            return &platforms[i];
    if (strcmp(name, "a2a3") == 0)
        *why = "this program has no hardware backend: platform a2a3 is simulated as a2a3sim";
    else if (strcmp(name, "a5") == 0)
        *why = "this program has no hardware backend: platform a5 is simulated as a5sim";
    else
        *why = "unknown platform: known are a2a3sim and a5sim";
    return NULL;
}

static int64_t *field_of(Platform *platform, const PlatformField *field)
{
    return (int64_t *)(void *)((char *)platform + field->offset);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* What is wrong with a value for a field, or NULL. */
static const char *value_error(const PlatformField *field, int64_t value)
{
    if (value < 0)
        return "a platform value cannot be negative";
    if (value > MAX_VALUE)
        return "a platform value is at most 10^12";
    if (ends_with(field->name, "_align") && (value == 0 || (value & (value - 1)) != 0))
        return "an alignment is a power of two";
    if (value == 0 && (ends_with(field->name, "_cores") || ends_with(field->name, "_chunk")))
        return "this platform value is at least 1";
    return NULL;
}

bool platform_set(Platform *platform, const char *field, int64_t value, const char **why)
{
    for (int i = 0; i < N_FIELDS; i++) {
        if (strcmp(fields[i].name, field) != 0)
            continue;
        *why = value_error(&fields[i], value);
        if (*why)
            return false;
        *field_of(platform, &fields[i]) = value;
        return true;
    }
    *why = "unknown platform field: see --list-platforms";
    return false;
}

void platform_print_table(void *out)
{
    FILE *file = out;
    fprintf(file, "%-18s", "field");
    for (int p = 0; p < PLATFORM_COUNT; p++)
        fprintf(file, " %10s", platforms[p].name);
    fprintf(file, "  %-7s %s\n", "unit", "what");
    for (int i = 0; i < N_FIELDS; i++) {
        fprintf(file, "%-18s", fields[i].name);
        for (int p = 0; p < PLATFORM_COUNT; p++)
            fprintf(file, " %10lld", (long long)platform_value(&platforms[p], &fields[i]));
        fprintf(file, "  %-7s %s\n", fields[i].unit, fields[i].doc);
    }
}
