/* The op table, parsed from ops.def once at start. */
#ifndef PLD_IR_OP_H
#define PLD_IR_OP_H

#include "base/enums.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
#define PLD_OP(ENUM, full, short_, family, levels, sig, result, doc) OP_##ENUM,
#include "ir/ops.def"
    OPCODE_COUNT
} OpId;

typedef enum { LEVEL_H = 1, LEVEL_O = 2, LEVEL_I = 4 } LevelMask;

typedef enum {
    SLOT_TILE,
    SLOT_MEM,
    SLOT_TENSOR,
    SLOT_DIST,
    SLOT_INT,
    SLOT_I32,
    SLOT_NUM,
    SLOT_LIT,
    SLOT_IDX,
    SLOT_SHAPE,
    SLOT_CONST,
    SLOT_BOOL,
    SLOT_DTYPE,
    SLOT_STR,
    SLOT_BUF,
    SLOT_CTX,
    SLOT_SIGNAL,
    SLOT_TILES,
    SLOT_ENUM
} SlotKind;

typedef enum {
    EFFECT_READ = 1,
    EFFECT_WRITE = 2,
    EFFECT_PEER_READ = 4,
    EFFECT_PEER_WRITE = 8,
    EFFECT_ATOMIC = 16
} Effect;

typedef enum {
    RES_NONE,
    RES_ARG0,
    RES_ARG1,
    RES_ARG2,
    RES_TILE_SHAPE,
    RES_TILE_DTYPE,
    RES_TILE_CAST,
    RES_TILE_BROADCAST,
    RES_SCALAR,
    RES_INDEX,
    RES_INT32,
    RES_CTX,
    RES_BUFFER,
    RES_VIEW,
    RES_ROW,
    RES_FULL
} ResultRule;

#define OP_MAX_SLOTS 12

typedef struct {
    const char *name; /* also the keyword */
    SlotKind kind;
    EnumType enum_type; /* SLOT_ENUM */
    uint8_t effects;    /* Effect bits */
    bool keyword_only;
    bool optional; /* may be NULL in an Expr */
    bool ir_only;
    const char
        *default_text; /* "" when there is none; the elaborator fills it in, dumps print it */
} OpSlot;

typedef struct {
    OpId id;
    const char *full, *shorter, *family, *doc;
    uint8_t levels; /* LevelMask bits */
    ResultRule result;
    uint8_t n_slots;
    bool ir_only; /* description ends with ".ir files only" */
    OpSlot slots[OP_MAX_SLOTS];
} OpInfo;

const OpInfo *op_info(OpId id);
/* Index of a slot by name, or -1. */
int op_slot(OpId id, const char *name);
/* All ops whose full or short name is `name` ("pl.add"); fills up to `max`, returns the count. */
uint32_t op_find(const char *name, OpId *out, uint32_t max);
/* Any effect on memory or signals: must not be dropped or moved. */
bool op_has_effect(OpId id);
static inline bool op_is_collective(OpId id)
{
    return id >= OP_BARRIER && id <= OP_ALL_TO_ALL_V;
}
/* The table of --list-ops: name, short name, levels, operands, result, description. */
void op_print_table(FILE *out);

#endif
