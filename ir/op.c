/* The op table: the rows of ops.def with their signatures taken apart. */
#include "ir/op.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *full, *shorter, *family, *levels, *signature, *doc;
    ResultRule result;
} Row;

static const Row rows[OPCODE_COUNT] = {
#define PLD_OP(ENUM, full, short_, family, levels, sig, result, doc)                               \
    [OP_##ENUM] = {full, short_, family, levels, sig, doc, RES_##result},
#include "ir/ops.def"
};

static const char *const result_text[] = {
    [RES_NONE] = "none",
    [RES_ARG0] = "as operand 1",
    [RES_ARG1] = "as operand 2",
    [RES_ARG2] = "as operand 3",
    [RES_TILE_SHAPE] = "tile of `shape`",
    [RES_TILE_DTYPE] = "tile of `shape` and `dtype`",
    [RES_TILE_CAST] = "tile of `target_type`",
    [RES_TILE_BROADCAST] = "tile",
    [RES_SCALAR] = "scalar",
    [RES_INDEX] = "INDEX",
    [RES_INT32] = "INT32",
    [RES_CTX] = "context",
    [RES_BUFFER] = "window buffer",
    [RES_VIEW] = "view",
    [RES_ROW] = "tensor without its leading dimension",
    [RES_FULL] = "whole tensor",
};

static OpInfo table[OPCODE_COUNT];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;
/* Slot names and defaults; the signatures of ops.def are shorter than this together. */
static char pool[8192];
static size_t pool_used;

/* A NUL-terminated copy in the pool. */
static const char *pool_text(const char *text, size_t len)
{
    assert(pool_used + len + 1 <= sizeof pool);
    char *copy = pool + pool_used;
    memcpy(copy, text, len);
    pool_used += len + 1;
    return copy;
}

static const struct {
    const char *name;
    SlotKind kind;
} slot_kinds[] = {
    {"tile", SLOT_TILE},     {"mem", SLOT_MEM},     {"tensor", SLOT_TENSOR}, {"dist", SLOT_DIST},
    {"int", SLOT_INT},       {"i32", SLOT_I32},     {"num", SLOT_NUM},       {"lit", SLOT_LIT},
    {"idx", SLOT_IDX},       {"shape", SLOT_SHAPE}, {"const", SLOT_CONST},   {"bool", SLOT_BOOL},
    {"dtype", SLOT_DTYPE},   {"str", SLOT_STR},     {"buf", SLOT_BUF},       {"ctx", SLOT_CTX},
    {"signal", SLOT_SIGNAL}, {"tiles", SLOT_TILES},
};

static void parse_kind(OpSlot *slot, const char *name)
{
    for (size_t i = 0; i < sizeof slot_kinds / sizeof slot_kinds[0]; i++)
        if (strcmp(slot_kinds[i].name, name) == 0) {
            slot->kind = slot_kinds[i].kind;
            return;
        }
    bool known = enum_type_from_name(name, &slot->enum_type);
    assert(known && "ops.def: unknown operand kind");
    (void)known;
    slot->kind = SLOT_ENUM;
}

static uint8_t effect_of(char letter)
{
    switch (letter) {
    case 'r': return EFFECT_READ;
    case 'w': return EFFECT_WRITE;
    case 'R': return EFFECT_PEER_READ;
    case 'W': return EFFECT_PEER_WRITE;
    case 'A': return EFFECT_ATOMIC;
    default: assert(!"ops.def: unknown effect letter"); return 0;
    }
}

/* Reads one operand `name:kind[:effects][flags]`; returns where it ends. */
static const char *parse_slot(OpSlot *slot, const char *at)
{
    size_t len = strcspn(at, ": ");
    assert(at[len] == ':' && len > 0 && "ops.def: operand without a kind");
    slot->name = pool_text(at, len);
    at += len + 1;
    len = strcspn(at, ":*?@= ");
    parse_kind(slot, pool_text(at, len));
    at += len;
    if (*at == ':')
        for (at++; *at && strchr("*?@= ", *at) == NULL; at++)
            slot->effects |= effect_of(*at);
    for (; *at == '*' || *at == '?' || *at == '@'; at++) {
        slot->keyword_only |= *at == '*';
        slot->optional |= *at == '?';
        slot->ir_only |= *at == '@';
    }
    slot->default_text = "";
    if (*at == '=') {
        len = strcspn(++at, " ");
        slot->default_text = pool_text(at, len);
        at += len;
    }
    assert((*at == ' ' || *at == '\0') && "ops.def: malformed operand");
    return at;
}

static uint8_t parse_levels(const char *letters)
{
    uint8_t levels = 0;
    for (; *letters; letters++) {
        assert(strchr("HOI", *letters) && "ops.def: unknown level");
        levels |= *letters == 'H' ? LEVEL_H : *letters == 'O' ? LEVEL_O : LEVEL_I;
    }
    assert(levels && "ops.def: an op without a level");
    return levels;
}

/* Positional operands first, so that printing and reading agree on their places. */
static void check_order(const OpInfo *op)
{
    for (uint32_t i = 1; i < op->n_slots; i++) {
        bool late = !op->slots[i].keyword_only && op->slots[i - 1].keyword_only;
        assert(!late && "ops.def: a positional operand after a keyword");
        (void)late;
    }
}

static void parse_row(OpId id)
{
    const Row *row = &rows[id];
    OpInfo *op = &table[id];
    op->id = id;
    op->full = row->full;
    op->shorter = row->shorter;
    op->family = row->family;
    op->doc = row->doc;
    op->result = row->result;
    op->levels = parse_levels(row->levels);
    op->ir_only = strstr(row->doc, ".ir files only") != NULL;
    const char *at = row->signature;
    while (*at) {
        assert(op->n_slots < OP_MAX_SLOTS && "ops.def: too many operands");
        at = parse_slot(&op->slots[op->n_slots++], at);
        at += *at == ' ';
    }
    check_order(op);
}

static void build_table(void)
{
    for (int id = 0; id < OPCODE_COUNT; id++)
        parse_row((OpId)id);
}

const OpInfo *op_info(OpId id)
{
    pthread_once(&table_once, build_table);
    return &table[id];
}

int op_slot(OpId id, const char *name)
{
    const OpInfo *op = op_info(id);
    for (int i = 0; i < op->n_slots; i++)
        if (strcmp(op->slots[i].name, name) == 0)
            return i;
    return -1;
}

uint32_t op_find(const char *name, OpId *out, uint32_t max)
{
    uint32_t n = 0;
    for (int id = 0; id < OPCODE_COUNT; id++) {
        bool shorter = *name && strcmp(rows[id].shorter, name) == 0;
        if (!shorter && strcmp(rows[id].full, name) != 0)
            continue;
        if (n < max)
            out[n] = (OpId)id;
        n++;
    }
    return n;
}

bool op_has_effect(OpId id)
{
    const OpInfo *op = op_info(id);
    if (strcmp(op->family, "signal") == 0 || id == OP_ALLOC_WINDOW_BUFFER || id == OP_CHECK)
        return true;
    for (uint32_t i = 0; i < op->n_slots; i++)
        if (op->slots[i].effects)
            return true;
    return false;
}

/* --list-ops. */

static const char *slot_kind_name(const OpSlot *slot)
{
    for (size_t i = 0; i < sizeof slot_kinds / sizeof slot_kinds[0]; i++)
        if (slot_kinds[i].kind == slot->kind)
            return slot_kinds[i].name;
    return enum_type_name(slot->enum_type);
}

/* One operand as a user writes it: `peer=int`, `[shape]`, `op=NotifyOp (AtomicAdd)`. */
static void print_slot(FILE *out, const OpSlot *slot, bool first)
{
    bool left_out = slot->optional || *slot->default_text;
    fprintf(out, "%s%s%s%s%s", first ? "" : ", ", left_out ? "[" : "", slot->name,
            slot->keyword_only ? "=" : ": ", slot_kind_name(slot));
    if (*slot->default_text)
        fprintf(out, " %s", slot->default_text);
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

static void print_row(FILE *out, const OpInfo *op)
{
    fprintf(out, "%s(", op->full);
    for (uint32_t i = 0, n = 0; i < op->n_slots; i++)
        if (!op->slots[i].ir_only)
            print_slot(out, &op->slots[i], n++ == 0);
    fprintf(out, ")\n    result: %s; level: ", result_text[op->result]);
    print_levels(out, op->levels);
    fprintf(out, "%s%s\n    %s\n", *op->shorter ? "; also " : "", op->shorter, op->doc);
}

void op_print_table(FILE *out)
{
    const char *family = "";
    for (int id = 0; id < OPCODE_COUNT; id++) {
        const OpInfo *op = op_info((OpId)id);
        if (strcmp(family, op->family) != 0)
            fprintf(out, "%s# %s\n", *family ? "\n" : "", op->family);
        family = op->family;
        print_row(out, op);
    }
}
