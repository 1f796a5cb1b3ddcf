/* The enumerations that programs write as pld.NotifyOp.Set and the like. */
#ifndef PLD_BASE_ENUMS_H
#define PLD_BASE_ENUMS_H

#include <stdbool.h>
#include <stdint.h>

/* Member constants: NOTIFY_SET, REDUCE_SUM, ... */
enum {
#define PLD_ENUM(TYPE, module)
#define PLD_ENUM_VALUE(TYPE, ENUM, name, value) ENUM = value,
#include "base/enums.def"
};

/* The enumeration types themselves: ENUM_NotifyOp, ... */
typedef enum {
#define PLD_ENUM(TYPE, module) ENUM_##TYPE,
#define PLD_ENUM_VALUE(TYPE, ENUM, name, value)
#include "base/enums.def"
    ENUM_COUNT
} EnumType;

/* "NotifyOp" and its module alias "pld". */
const char *enum_type_name(EnumType type);
const char *enum_type_module(EnumType type);
/* The member's name, or NULL when the value is none of the type's. */
const char *enum_value_name(EnumType type, int64_t value);
bool enum_type_from_name(const char *name, EnumType *type);
bool enum_value_from_name(EnumType type, const char *name, int64_t *value);
/* Fills `names` with at most `max` member names in order; returns how many there are. */
uint32_t enum_value_names(EnumType type, const char **names, uint32_t max);

#endif
