/* The operations of a program are few in kind: what the type rules found for one holds for the next
 * whose operands are alike. The words of a signature are all that the rules look at; an operation
 * with an operand that has more to it, such as arithmetic, has none. A hash only says where to
 * look. */
#include "ir/infer.h"
#include <string.h>

enum { MEMO_WORDS = 28, MEMO_SLOTS = 64 };

typedef struct {
    uint64_t words[MEMO_WORDS];
    uint32_t n;
} Signature;

typedef struct {
    Signature of;
    const Type *type;
} MemoSlot;

struct InferMemo {
    MemoSlot slots[MEMO_SLOTS];
};

static bool add_word(Signature *s, uint64_t word)
{
    if (s->n == MEMO_WORDS)
        return false;
    s->words[s->n++] = word;
    return true;
}

/* The kind, and what tells two of a kind apart. */
static bool add_operand(Signature *s, const Expr *e)
{
    if (!e)
        return add_word(s, UINT64_MAX);
    if (!add_word(s, (uint64_t)e->kind << 32 | (e->kind == EX_LIST ? e->n_args : 0)))
        return false;
    uint64_t bits = 0;
    switch (e->kind) {
    case EX_VAR: break;
    case EX_INT:
    case EX_BOOL: bits = (uint64_t)e->ival; break;
    case EX_FLOAT: memcpy(&bits, &e->fval, sizeof bits); break;
    case EX_ENUM: return add_word(s, (uint64_t)e->ival << 8 | (uint64_t)e->enum_type);
    case EX_DTYPE: return add_word(s, e->dtype);
    case EX_STR: return add_word(s, (uintptr_t)e->sym);
    case EX_LIST:
        for (uint32_t i = 0; i < e->n_args; i++)
            if (!e->args[i] || e->args[i]->kind > EX_VAR || !add_operand(s, e->args[i]))
                return false;
        return true;
    default: return false;
    }
    return add_word(s, bits) && add_word(s, (uintptr_t)e->type);
}

static bool signature(Signature *s, const Program *p, const Expr *op, FuncKind level)
{
    s->n = 0;
    add_word(s, (uint64_t)op->op << 16 | (uint64_t)level << 8 | p->ranks_bound);
    for (uint32_t i = 0; i < op->n_args; i++)
        if (!add_operand(s, op->args[i]))
            return false;
    return true;
}

static bool same(const Signature *a, const Signature *b)
{
    return a->n == b->n && memcmp(a->words, b->words, a->n * sizeof *a->words) == 0;
}

static MemoSlot *slot_of(InferMemo *memo, const Signature *s)
{
    uint64_t hash = s->n;
    for (uint32_t i = 0; i < s->n; i++)
        hash = (hash ^ s->words[i]) * 0x9e3779b97f4a7c15;
    return &memo->slots[(hash ^ hash >> 29) >> 32 & (MEMO_SLOTS - 1)];
}

/* Filling in defaults and settling literals change the operation the first time: only what stays as
 * it is may be skipped the next. */
const Type *infer_op(Program *p, Expr *op, FuncKind level)
{
    Signature before, after;
    bool plain = signature(&before, p, op, level);
    if (!p->memo)
        p->memo = arena_new(p->arena, InferMemo);
    MemoSlot *slot = plain ? slot_of(p->memo, &before) : NULL;
    if (slot && same(&slot->of, &before))
        return slot->type;
    const Type *type = infer_op_anew(p, op, level);
    if (type && slot && signature(&after, p, op, level) && same(&before, &after))
        *slot = (MemoSlot){after, type};
    return type;
}
