/* The op table: the rows of ops.def as constant data, and its text form. */
#include "ir/op.h"
#include <string.h>

/* The effects of all operands of a row. */
enum {
#define PLD_ARG(name, others, KIND, effects, flags) | (effects)
#define PLD_CHOICE(name, others, TYPE, flags)
#define PLD_CHOICE_OR(name, others, TYPE, flags, value)
#define PLD_VALUE_OR(name, others, KIND, flags, value)
#define PLD_TEXT_OR(name, others, flags, value)
#define PLD_OP(ENUM, full, short_, FAMILY, levels, RULE, RESULT, EMIT, traits, links, doc, ...)    \
    EFFECTS_OF_##ENUM = 0 __VA_ARGS__,
#include "ir/ops.def"
};

#define LINKS(TOP, TILE, TENSOR, REVERSED)                                                         \
    .tile_op = TOP_##TOP, .tile = OP_##TILE, .tensor = OP_##TENSOR, .reversed = OP_##REVERSED
#define REDUCES(ENUM)                                                                              \
    .tile_op = TOP_NONE, .tile = OP_TILE_##ENUM, .tensor = OP_TENSOR_##ENUM, .reversed = OP_NONE,  \
    .reduce = RED_##ENUM
#define NO_LINKS LINKS(NONE, NONE, NONE, NONE)

const OpInfo op_table[OPCODE_COUNT] = {
#define PLD_ARG(name, others, KIND, effects, flags)                                                \
    {#name, others, OPERAND_##name, SLOT_##KIND, ENUM_COUNT, effects, flags, 0, NULL},
#define PLD_CHOICE(name, others, TYPE, flags)                                                      \
    {#name, others, OPERAND_##name, SLOT_ENUM, ENUM_##TYPE, 0, flags, 0, NULL},
#define PLD_CHOICE_OR(name, others, TYPE, flags, value)                                            \
    {#name, others, OPERAND_##name, SLOT_ENUM, ENUM_##TYPE, 0, (flags) | OPND_DEFAULT, value, NULL},
#define PLD_VALUE_OR(name, others, KIND, flags, value)                                             \
    {#name, others, OPERAND_##name, SLOT_##KIND, ENUM_COUNT, 0, (flags) | OPND_DEFAULT,            \
     value, NULL},
#define PLD_TEXT_OR(name, others, flags, text)                                                     \
    {#name, others, OPERAND_##name, SLOT_STR, ENUM_COUNT, 0, (flags) | OPND_DEFAULT, 0, text},
#define PLD_OP(ENUM, name, short_, FAMILY, levels_, RULE, RESULT, EMIT, traits_, links, doc_, ...) \
    [OP_##ENUM] = {                                                                                \
        .full = name,                                                                              \
        .shorter = short_,                                                                         \
        .doc = doc_,                                                                               \
        .family = FAMILY_##FAMILY,                                                                 \
        .levels = levels_,                                                                         \
        .n_slots = OPND(ENUM, end_),                                                               \
        .effects = EFFECTS_OF_##ENUM,                                                              \
        .traits = traits_,                                                                         \
        .rule = RULE_##RULE,                                                                       \
        .result = RES_##RESULT,                                                                    \
        .emit = EMIT_##EMIT,                                                                       \
        links,                                                                                     \
        .slots = {__VA_ARGS__{NULL, "", OPERAND_COUNT, SLOT_KINDS, ENUM_COUNT, 0, 0, 0, NULL}}},
#include "ir/ops.def"
};

#define PLD_OP(ENUM, full, short_, FAMILY, levels, RULE, RESULT, EMIT, traits, links, doc, ...)    \
    _Static_assert(OPND(ENUM, end_) <= OP_MAX_SLOTS, "too many operands: " full);                  \
    _Static_assert((levels) != 0, "stands at no level: " full);                                    \
    _Static_assert(EMIT_##EMIT != EMIT_TILE_OP || ((traits)&TRAIT_SHARES),                         \
                   "a tile operation works element by element: " full);
#include "ir/ops.def"

/* Every spelling of every op, with its length. */
static const struct {
    const char *name;
    uint16_t len, op;
} spellings[] = {
#define SPELLING(text, ENUM) {text, sizeof(text) - 1, OP_##ENUM},
#define PLD_ALIAS(ENUM, name) SPELLING(name, ENUM)
#define PLD_OP(ENUM, full, short_, ...) SPELLING(full, ENUM) SPELLING(short_, ENUM)
#include "ir/ops.def"
};

static bool among(const char *list, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");
        if (word == len && memcmp(at, name, len) == 0)
            return true;
        at += word;
    }
    return false;
}

int op_slot(OpId id, const char *name)
{
    const OpInfo *op = op_info(id);
    for (int i = 0; i < op->n_slots; i++)
        if (strcmp(op->slots[i].name, name) == 0 || among(op->slots[i].others, name))
            return i;
    return -1;
}

int op_slot_of(OpId id, Operand name)
{
    const OpInfo *op = op_info(id);
    for (int i = 0; i < op->n_slots; i++)
        if (op->slots[i].operand == name)
            return i;
    return -1;
}

int op_slot_of_kind(OpId id, SlotKind kind)
{
    const OpInfo *op = op_info(id);
    for (int i = 0; i < op->n_slots; i++)
        if (op->slots[i].kind == kind && !(op->slots[i].flags & OPND_DROPPED))
            return i;
    return -1;
}

int op_in_place(OpId id)
{
    const OpInfo *op = op_info(id);
    for (int i = 0; i < op->n_slots; i++)
        if (op->slots[i].flags & OPND_IN_PLACE)
            return i;
    return -1;
}

uint32_t op_find(const char *name, OpId *out, uint32_t max)
{
    uint32_t n = 0;
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        if (spellings[i].len != len || len == 0 || memcmp(spellings[i].name, name, len) != 0)
            continue;
        if (n < max)
            out[n] = (OpId)spellings[i].op;
        n++;
    }
    return n;
}

bool op_slot_memory(SlotKind kind, MemSpace *memory)
{
    switch (kind) {
    case SLOT_NUM:
    case SLOT_TILES:
    case SLOT_TILE: *memory = MEM_VEC; return true;
    case SLOT_ANY:
    case SLOT_ANY_TILE: *memory = MEM_UNSET; return true;
    case SLOT_LEFT: *memory = MEM_LEFT; return true;
    case SLOT_RIGHT: *memory = MEM_RIGHT; return true;
    case SLOT_ACC: *memory = MEM_ACC; return true;
    case SLOT_BIAS: *memory = MEM_BIAS; return true;
    default: return false;
    }
}

const char *op_word(OpId id)
{
    return strrchr(op_info(id)->full, '.') + 1;
}

/* ---- text ---- */

static const char *const result_text[] = {
    [RES_NONE] = "none",
    [RES_ARG0] = "as operand 1",
    [RES_ARG1] = "as operand 2",
    [RES_ARG2] = "as operand 3",
    [RES_TILE] = "tile",
    [RES_TILE_SHAPE] = "tile of `shape`",
    [RES_TENSOR_DTYPE] = "tensor of `shape` and `dtype`",
    [RES_TILE_DTYPE] = "tile of `shape` and `dtype`",
    [RES_TILE_CAST] = "tile of `target_type`",
    [RES_TILE_BROADCAST] = "tile",
    [RES_TILE_REDUCED] = "tile with extent 1 in place of the reduced one",
    [RES_TILE_PRODUCT] = "tile",
    [RES_SCALAR] = "scalar",
    [RES_INDEX] = "INDEX",
    [RES_INT32] = "INT32",
    [RES_TASK] = "task id",
    [RES_CTX] = "context",
    [RES_BUFFER] = "window buffer",
    [RES_VIEW] = "view",
    [RES_ROW] = "tensor without its leading dimension",
    [RES_FULL] = "whole tensor",
};
_Static_assert(sizeof result_text / sizeof *result_text == RES_COUNT, "a result without a text");

static const char *const kind_text[] = {
    [SLOT_ANY_TILE] = "tile", [SLOT_LEFT] = "tile",     [SLOT_RIGHT] = "tile",
    [SLOT_ACC] = "tile",      [SLOT_BIAS] = "tile",     [SLOT_TILE] = "tile",
    [SLOT_MEM] = "mem",       [SLOT_TENSOR] = "tensor", [SLOT_DIST] = "dist",
    [SLOT_INT] = "int",       [SLOT_PEER] = "int",      [SLOT_I32] = "i32",
    [SLOT_COND] = "cond",     [SLOT_ELEMENT] = "num",   [SLOT_NUM] = "tile or num",
    [SLOT_ANY] = "any",       [SLOT_LIT] = "lit",       [SLOT_IDX] = "idx",
    [SLOT_SHAPE] = "shape",   [SLOT_CONST] = "const",   [SLOT_BOOL] = "bool",
    [SLOT_DTYPE] = "dtype",   [SLOT_STR] = "str",       [SLOT_BUF] = "buf",
    [SLOT_CTX] = "ctx",       [SLOT_SIGNAL] = "signal", [SLOT_TILES] = "tiles",
    [SLOT_TASKS] = "tasks",   [SLOT_ENUM] = "",
};
_Static_assert(sizeof kind_text / sizeof *kind_text == SLOT_KINDS, "a kind without a name");

static const char *const family_text[] = {
#define PLD_FAMILY(ENUM, name) name,
#include "ir/family.def"
};

const char *op_slot_type(const OpSlot *slot)
{
    return slot->kind == SLOT_ENUM ? enum_type_name(slot->enum_type) : kind_text[slot->kind];
}

const char *op_signature(Arena *arena, OpId id, bool ir)
{
    const OpInfo *op = op_info(id);
    const char *text = arena_printf(arena, "%s(", op->full), *comma = "";
    bool star = false;
    for (const OpSlot *s = op->slots; s->name; s++) {
        if ((s->flags & OPND_IR_ONLY) && !ir)
            continue;
        bool keyword = (s->flags & OPND_KEYWORD) != 0, left_out = opnd_may_be_left_out(s);
        text = arena_printf(arena, "%s%s%s%s%s%s%s", text, comma, keyword && !star ? "*, " : "",
                            left_out ? "[" : "", s->name, keyword ? "=" : "", left_out ? "]" : "");
        star |= keyword;
        comma = ", ";
    }
    return arena_printf(arena, "%s)", text);
}

/* --list-ops. */

static void print_default(FILE *out, const OpSlot *slot)
{
    if (slot->kind == SLOT_ENUM)
        fprintf(out, " %s", enum_value_name(slot->enum_type, slot->value));
    else if (slot->kind == SLOT_STR)
        fprintf(out, " %s", slot->text);
    else if (slot->kind == SLOT_BOOL)
        fputs(slot->value ? " True" : " False", out);
    else
        fprintf(out, " %lld", (long long)slot->value);
}

static void print_effects(FILE *out, uint8_t effects)
{
    static const struct {
        Effect effect;
        char letter;
    } letters[] = {{EFFECT_READ, 'r'},
                   {EFFECT_WRITE, 'w'},
                   {EFFECT_PEER_READ, 'R'},
                   {EFFECT_PEER_WRITE, 'W'},
                   {EFFECT_ATOMIC, 'A'}};
    fputs(effects ? ":" : "", out);
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (effects & letters[i].effect)
            fputc(letters[i].letter, out);
}

/* One operand as a user writes it: `src: mem:r`, `[shape: shape]`, `[mode=str mesh]`. */
static void print_slot(FILE *out, const OpSlot *slot, bool first)
{
    bool left_out = opnd_may_be_left_out(slot);
    fprintf(out, "%s%s%s%s%s", first ? "" : ", ", left_out ? "[" : "", slot->name,
            slot->flags & OPND_KEYWORD ? "=" : ": ", op_slot_type(slot));
    print_effects(out, slot->effects);
    if (slot->flags & OPND_DEFAULT)
        print_default(out, slot);
    fputs(left_out ? "]" : "", out);
}

static void print_levels(FILE *out, uint8_t levels)
{
    static const char *const names[] = {"host", "orchestration", "InCore"};
    bool first = true;
    for (int i = 0; i < 3; i++)
        if (levels & 1 << i) {
            fprintf(out, "%s%s", first ? "" : ", ", names[i]);
            first = false;
        }
}

/* "src, input (tensor); shapes (shape)" */
static void print_other_names(FILE *out, const OpInfo *op)
{
    uint32_t n = 0;
    for (const OpSlot *s = op->slots; s->name; s++) {
        if (!*s->others)
            continue;
        fputs(n++ ? "; " : "    other names: ", out);
        for (const char *c = s->others; *c; c++)
            fputs(*c == ' ' ? ", " : (char[]){*c, '\0'}, out);
        fprintf(out, " (%s)", s->name);
    }
    fputs(n ? "\n" : "", out);
}

static const char *const rule_text[] = {
#define PLD_RULE(ENUM, needs) needs,
#include "ir/rules.def"
};

static void print_row(FILE *out, const OpInfo *op)
{
    uint32_t n = 0;
    fprintf(out, "%s(", op->full);
    for (const OpSlot *s = op->slots; s->name; s++)
        if (!(s->flags & OPND_IR_ONLY))
            print_slot(out, s, n++ == 0);
    fprintf(out, ")\n    result: %s; level: ", result_text[op->result]);
    print_levels(out, op->levels);
    fprintf(out, "%s%s", *op->shorter ? "; also " : "", op->shorter);
    fprintf(out, "%s\n", op->traits & TRAIT_IR_ONLY ? "; .ir files only" : "");
    print_other_names(out, op);
    fprintf(out, "    %s\n", op->doc);
    if (*rule_text[op->rule])
        fprintf(out, "    needs %s\n", rule_text[op->rule]);
}

void op_print_table(FILE *out)
{
    for (int family = 0; family < FAMILY_COUNT; family++) {
        fprintf(out, "%s# %s\n", family ? "\n" : "", family_text[family]);
        for (int id = 0; id < OPCODE_COUNT; id++)
            if ((int)op_info((OpId)id)->family == family)
                print_row(out, op_info((OpId)id));
    }
}
