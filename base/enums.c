#include "base/enums.h"
#include <stddef.h>
#include <string.h>

typedef struct {
    const char *name, *module; /* of an alias: the enumeration itself */
} TypeRow;

typedef struct {
    EnumType type;
    const char *name;
    int64_t value;
} ValueRow;

static const TypeRow types[ENUM_COUNT] = {
#define PLD_ENUM(TYPE, module) [ENUM_##TYPE] = {#TYPE, module},
#define PLD_ENUM_VALUE(TYPE, ENUM, name, value)
#include "base/enums.def"
};

static const ValueRow values[] = {
#define PLD_ENUM(TYPE, module)
#define PLD_ENUM_VALUE(TYPE, ENUM, name, value) {ENUM_##TYPE, name, value},
#include "base/enums.def"
};

static const TypeRow aliases[] = {
#define PLD_ENUM(TYPE, module)
#define PLD_ENUM_VALUE(TYPE, ENUM, name, value)
#define PLD_ENUM_ALIAS(TYPE, name) {name, #TYPE},
#include "base/enums.def"
};

enum { N_VALUES = sizeof values / sizeof values[0] };

const char *enum_type_name(EnumType type)
{
    return types[type].name;
}

const char *enum_type_module(EnumType type)
{
    return types[type].module;
}

const char *enum_value_name(EnumType type, int64_t value)
{
    for (int i = 0; i < N_VALUES; i++)
        if (values[i].type == type && values[i].value == value)
            return values[i].name;
    return NULL;
}

bool enum_type_from_name(const char *name, EnumType *type)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (strcmp(aliases[i].name, name) == 0)
            name = aliases[i].module;
    for (int i = 0; i < ENUM_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) {
            *type = (EnumType)i;
            return true;
        }
    }
    return false;
}

bool enum_value_from_name(EnumType type, const char *name, int64_t *value)
{
    for (int i = 0; i < N_VALUES; i++) {
        if (values[i].type == type && strcmp(values[i].name, name) == 0) {
            *value = values[i].value;
            return true;
        }
    }
    return false;
}

uint32_t enum_value_names(EnumType type, const char **names, uint32_t max)
{
    uint32_t n = 0;
    for (int i = 0; i < N_VALUES; i++) {
        if (values[i].type != type)
            continue;
        if (n < max)
            names[n] = values[i].name;
        n++;
    }
    return n;
}
