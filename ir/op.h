/* The op table: what ir/ops.def says of every operation, as constant data. */
#ifndef PLD_IR_OP_H
#define PLD_IR_OP_H

#include "base/arena.h"
#include "base/core_memory.h"
#include "base/enums.h"
#include "ir/tileop.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
#define PLD_OP(ENUM, ...) OP_##ENUM,
#include "ir/ops.def"
    OPCODE_COUNT,
    /* what rows without a twin name */
    OP_NONE = OPCODE_COUNT,
    OP_TILE_NONE = OPCODE_COUNT,
    OP_TENSOR_NONE = OPCODE_COUNT
} OpId;

typedef enum {
#define PLD_OPERAND(name) OPERAND_##name,
#include "ir/operand.def"
    OPERAND_COUNT
} Operand;

/* One byte for each operand, so that the place of a member is the operand's index. */
#define PLD_ARG(name, ...) char name;
#define PLD_CHOICE(name, ...) char name;
#define PLD_CHOICE_OR(name, ...) char name;
#define PLD_VALUE_OR(name, ...) char name;
#define PLD_TEXT_OR(name, ...) char name;
#define PLD_OP(ENUM, full, short_, FAMILY, levels, RULE, RESULT, EMIT, traits, links, doc, ...)    \
    struct OperandsOf##ENUM {                                                                      \
        __VA_ARGS__                                                                                \
        char end_;                                                                                 \
    };
#include "ir/ops.def"

/* Index of an operand of an op, a constant: OPND(NOTIFY, peer). */
#define OPND(ENUM, name) offsetof(struct OperandsOf##ENUM, name)
/* That operand of an Expr of this op. */
#define OP_ARG(e, ENUM, name) ((e)->args[OPND(ENUM, name)])

/* An operand of an Expr of several ops that all have it. */
#define SHARED_ARG(e, name) ((e)->args[op_slot_of((e)->op, OPERAND_##name)])

typedef enum {
#define PLD_FAMILY(ENUM, name) FAMILY_##ENUM,
#include "ir/family.def"
    FAMILY_COUNT
} OpFamily;

typedef enum { LEVEL_H = 1, LEVEL_O = 2, LEVEL_I = 4, LEVEL_ANY = 7 } LevelMask;

typedef enum {
    SLOT_TILE, /* a tile, in Vec once infer_memory has run; the others as their name says */
    SLOT_ANY_TILE,
    SLOT_LEFT,
    SLOT_RIGHT,
    SLOT_ACC,
    SLOT_BIAS,
    SLOT_MEM,     /* a plain tensor or a window view */
    SLOT_TENSOR,  /* a plain tensor */
    SLOT_DIST,    /* a window view */
    SLOT_INT,     /* integer scalar */
    SLOT_PEER,    /* integer scalar, a rank */
    SLOT_I32,     /* integer scalar checked against INT32 */
    SLOT_COND,    /* BOOL scalar */
    SLOT_ELEMENT, /* scalar or literal of the dtype of operand 0 */
    SLOT_ANY,     /* a tile in any memory, a tensor, a window view, a scalar */
    SLOT_NUM,     /* a tile, or a scalar or literal of the dtype of operand 0 */
    SLOT_LIT,     /* literal number */
    SLOT_IDX,     /* list of integers, one per dimension */
    SLOT_SHAPE,   /* list of extents */
    SLOT_CONST,   /* compile-time integer */
    SLOT_BOOL,    /* compile-time bool */
    SLOT_DTYPE,   /* compile-time dtype */
    SLOT_STR,     /* compile-time string */
    SLOT_BUF,     /* window buffer */
    SLOT_CTX,     /* communication context */
    SLOT_SIGNAL,  /* INT32 window view */
    SLOT_TILES,   /* list of tiles */
    SLOT_TASKS,   /* list of task ids */
    SLOT_ENUM,    /* member of an enumeration */
    SLOT_KINDS
} SlotKind;

typedef enum {
    EFFECT_READ = 1,
    EFFECT_WRITE = 2,
    EFFECT_PEER_READ = 4,
    EFFECT_PEER_WRITE = 8,
    EFFECT_ATOMIC = 16
} Effect;

typedef enum {
    OPND_OPTIONAL = 1,  /* may be left out; NULL in an Expr */
    OPND_DEFAULT = 2,   /* may be left out; the default takes its place */
    OPND_NAMED = 4,     /* dumps print its name */
    OPND_KEYWORD = 8,   /* accepted by name only, and so printed */
    OPND_IR_ONLY = 16,  /* accepted in .ir files only */
    OPND_IN_PLACE = 32, /* the result is this operand's new value: the old one is gone */
    OPND_DROPPED = 64,  /* checked and then dropped: it changes nothing */
    OPND_TO_SAY = 128,  /* may be left out, with a warning: it is to be read in the text */
    OPND_HINT = OPND_DROPPED | OPND_OPTIONAL,
    OPND_INTERNAL = OPND_OPTIONAL | OPND_KEYWORD | OPND_IR_ONLY
} OpndFlag;

typedef enum {
    TRAIT_ACTS = 1,       /* has an effect besides those on its operands */
    TRAIT_FAULTS = 2,     /* may fault */
    TRAIT_INT_FAULTS = 4, /* may fault where its elements are integers */
    TRAIT_DIVIDES = 8,    /* operand 1 divides: faults where that is an integer 0 */
    TRAIT_COMMUTES = 16,  /* operands 0 and 1 may be swapped */
    TRAIT_SHARES = 32,    /* reads each element before it writes it: result and operand may share an
                             address */
    TRAIT_COLLECTIVE = 64,
    TRAIT_COMPOSITE = 128,   /* expanded by lower_composite_ops */
    TRAIT_TRANSFER = 256,    /* memory to memory, through staging tiles */
    TRAIT_IR_ONLY = 512,     /* made by passes; accepted in .ir files only */
    TRAIT_SAME_SHAPE = 1024, /* element-wise, but its operands are not broadcast */
    TRAIT_VIEW = 2048,       /* the result is the memory of operand 0, a part or in another shape */
    TRAIT_ONE_ROW = 4096,    /* lhs is one row */
    TRAIT_VALUES = 8192      /* its memory operands may be tensor values or tiles */
} OpTrait;

/* Type rules (ir/infer.c). */
typedef enum {
#define PLD_RULE(ENUM, needs) RULE_##ENUM,
#include "ir/rules.def"
    RULE_COUNT
} TypeRule;

typedef enum {
    RES_NONE,
    RES_ARG0,
    RES_ARG1,
    RES_ARG2,
    RES_TILE,
    RES_TILE_SHAPE,
    RES_TILE_DTYPE,
    RES_TENSOR_DTYPE,
    RES_TILE_CAST,
    RES_TILE_BROADCAST,
    RES_TILE_REDUCED,
    RES_TILE_PRODUCT,
    RES_SCALAR,
    RES_INDEX,
    RES_INT32,
    RES_CTX,
    RES_TASK,
    RES_BUFFER,
    RES_VIEW,
    RES_ROW,
    RES_FULL,
    RES_COUNT
} ResultRule;

/* How an op becomes code (codegen/emit_op.c, emit_expr.c). */
typedef enum {
    EMIT_LOWERED, /* a pass replaces it before */
    EMIT_TILE_OP, /* by its tile operation */
    EMIT_REDUCE,  /* by its reduction */
    EMIT_SLICE,   /* parts and shapes of tiles (codegen/emit_shape.c) ... */
    EMIT_EXTRACT,
    EMIT_ASSEMBLE,
    EMIT_RESHAPE,
    EMIT_TRANSPOSE,
    EMIT_CONCAT,
    EMIT_FILLPAD,
    EMIT_SET_VALIDSHAPE,
    EMIT_REINTERPRET_VIEW,
    EMIT_TILE_WRITE, /* ... up to here */
    EMIT_NOTHING,    /* the result names its operand */
    EMIT_READ,       /* from here on scalars, into a register */
    EMIT_TILE_READ,
    EMIT_DIM,
    EMIT_WORLD,
    EMIT_RANK,
    EMIT_NRANKS,
    EMIT_CORE,
    EMIT_FIT,
    EMIT_BLOCK_IDX,
    EMIT_BLOCK_NUM,
    EMIT_TASK,
    EMIT_TASK_INVALID, /* up to here */
    EMIT_LOAD,
    EMIT_STORE,
    EMIT_WRITE,
    EMIT_FULL,
    EMIT_CREATE,
    EMIT_MAKE,
    EMIT_PART,
    EMIT_SEEN,
    EMIT_CMP,
    EMIT_SEL,
    EMIT_PARTS,
    EMIT_CI,
    EMIT_COPY,
    EMIT_CAST,
    EMIT_MATMUL,
    EMIT_TURN,
    EMIT_ALLOC,
    EMIT_WINDOW,
    EMIT_ROW,
    EMIT_FLATTEN,
    EMIT_AS_SHAPE,
    EMIT_CHECK,
    EMIT_DEBUG_PRINT,
    EMIT_SUBWORKER,
    EMIT_NOTIFY,
    EMIT_WAIT,
    EMIT_FENCE,
    EMIT_REMOTE_LOAD,
    EMIT_REMOTE_STORE,
    EMIT_TRANSFER
} EmitRule;

#define OP_MAX_SLOTS 12

typedef struct {
    const char *name;   /* also the keyword; NULL behind the last operand */
    const char *others; /* further names, blanks between */
    Operand operand;
    SlotKind kind;
    EnumType enum_type; /* SLOT_ENUM */
    uint8_t effects;    /* Effect bits */
    uint8_t flags;      /* OpndFlag bits */
    int64_t value;      /* OPND_DEFAULT: the member, integer or bool */
    const char *text;   /* OPND_DEFAULT of SLOT_STR */
} OpSlot;

typedef struct {
    const char *full, *shorter, *doc; /* shorter "": none */
    OpFamily family;
    uint8_t levels; /* LevelMask bits */
    uint8_t n_slots;
    uint8_t effects; /* of all operands together */
    uint16_t traits; /* OpTrait bits */
    TypeRule rule;
    ResultRule result;
    EmitRule emit;
    TileOp tile_op;              /* TOP_NONE: none */
    TileReduce reduce;           /* RULE_REDUCE */
    OpId tile, tensor, reversed; /* twins, OP_NONE: none */
    OpSlot slots[OP_MAX_SLOTS + 1];
} OpInfo;

extern const OpInfo op_table[OPCODE_COUNT];

static inline const OpInfo *op_info(OpId id)
{
    return &op_table[id];
}

/* Index of the operand that a text names, by this name or another one, or -1. */
int op_slot(OpId id, const char *name);
/* Index of the operand of this name, or -1. */
int op_slot_of(OpId id, Operand name);
/* Index of the first operand of a kind that matters, or -1. */
int op_slot_of_kind(OpId id, SlotKind kind);
/* Index of the operand whose new value the result is, or -1. */
int op_in_place(OpId id);
/* All ops with the spelling `name` ("pl.add"); fills up to `max`, returns the count. */
uint32_t op_find(const char *name, OpId *out, uint32_t max);
/* The last component of the full name: "add". */
const char *op_word(OpId id);
/* Any effect on memory or signals: must not be dropped or moved. */
static inline bool op_has_effect(OpId id)
{
    return op_table[id].effects || (op_table[id].traits & TRAIT_ACTS);
}
static inline bool op_is_collective(OpId id)
{
    return (op_table[id].traits & TRAIT_COLLECTIVE) != 0;
}
/* A product of tensors. */
static inline bool op_is_product(OpId id)
{
    const OpInfo *info = &op_table[id];
    return info->family == FAMILY_TENSOR &&
           (info->rule == RULE_MATMUL || info->rule == RULE_MATMUL_ACC);
}
static inline bool op_is_transfer(OpId id)
{
    return (op_table[id].traits & TRAIT_TRANSFER) != 0;
}
static inline bool opnd_may_be_left_out(const OpSlot *slot)
{
    return (slot->flags & (OPND_OPTIONAL | OPND_DEFAULT)) != 0;
}

/* May operand `slot`, which takes memory, be a tensor value or a tile too? */
static inline bool op_takes_values(const OpInfo *info, int slot)
{
    return (info->family == FAMILY_TENSOR || (info->traits & TRAIT_VALUES)) &&
           info->slots[slot].kind == SLOT_MEM;
}

/* Is a result that is no memory a tensor value? */
static inline bool op_is_on_values(const OpInfo *info)
{
    return info->family == FAMILY_TENSOR ||
           ((info->traits & TRAIT_VALUES) &&
            (info->emit == EMIT_LOWERED || info->emit == EMIT_PART || info->emit == EMIT_SEEN));
}

/* The memory that a slot wants its tile in, MEM_UNSET: any; false for slots that take no tile. */
bool op_slot_memory(SlotKind kind, MemSpace *memory);

/* What an operand takes, in a word: "tile", "idx", "NotifyOp". */
const char *op_slot_type(const OpSlot *slot);
/* "pl.tile.load(tensor, offsets, shape, [valid_shape])": one line; operands of .ir files
 * where `ir`. */
const char *op_signature(Arena *arena, OpId id, bool ir);
/* The table of --list-ops: name, short name, levels, operands, result, description. */
void op_print_table(FILE *out);

#endif
