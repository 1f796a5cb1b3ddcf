/* Whose memory a value is, and what is done with it.
 *
 * Memory values form a graph. A source brings a memory in: a parameter, an allocation, or a view of
 * another node's memory (a window of a buffer, a row of a tensor). A join is one of several values:
 * what an if or a loop hands on. Uses are noted at the node at hand; alias_solve lets them flow to
 * every source that the node may be.
 *
 * The elaborator builds such a graph while it reads a function, names changing their meaning as it
 * goes; alias_of builds one for a function in flat SSA form, with a node for each variable. */
#ifndef PLD_IR_ALIAS_H
#define PLD_IR_ALIAS_H

#include "base/map.h"
#include "ir/ir.h"

typedef uint32_t AliasNode;
#define ALIAS_NONE 0          /* no memory, or one that nobody knows */
#define ALIAS_JOIN UINT32_MAX /* tag of a node that brings in nothing itself */

typedef enum {
    USE_READ = 1,
    USE_WRITE = 2,
    USE_CALL_READ = 4, /* read by a function it is passed to */
    USE_DATA = 8,      /* an operand that is no signal */
    USE_SIGNAL = 16,   /* operand of a notify or a wait, or the signal of a collective */
} AliasUse;

/* Where something was done first, and the op or function that did it. */
typedef struct {
    Span span;
    Sym by;
} AliasPlace;

typedef struct {
    uint32_t tag;           /* source: the maker's number for it; else ALIAS_JOIN */
    AliasNode base;         /* source that is a view: of this, or ALIAS_NONE */
    VEC(AliasNode) from;    /* join: what it may be */
    uint8_t uses;           /* AliasUse bits */
    bool written;           /* so far: here, or in what has flowed in */
    AliasPlace write, read; /* first USE_WRITE, first USE_CALL_READ */
    AliasNode value, root;  /* solved: the one source it can be, without and with views looked
                               through; ALIAS_JOIN: one of several */
    uint32_t stamp;
} AliasInfo;

typedef struct {
    Arena *arena;
    VEC(AliasInfo) nodes; /* the first is ALIAS_NONE */
    uint32_t stamp;
} AliasGraph;

typedef VEC(AliasNode) AliasNodes;

AliasGraph alias_graph(Arena *arena);
AliasNode alias_source(AliasGraph *g, uint32_t tag, AliasNode base);
AliasNode alias_join(AliasGraph *g);
/* `join` may be `from`. Nothing happens for ALIAS_NONE, or when that is known. */
void alias_flow(AliasGraph *g, AliasNode join, AliasNode from);
/* A value that is `a` or `b`: one of them where they are the same, else a new join. */
AliasNode alias_either(AliasGraph *g, AliasNode a, AliasNode b);
void alias_use(AliasGraph *g, AliasNode n, uint8_t uses, AliasPlace place);
/* Finds value and root of all nodes and lets uses flow. */
void alias_solve(AliasGraph *g);
/* Appends every source that the value may be the memory of, views looked through, each once, and
 * ALIAS_NONE where it may be a memory that nobody knows. Needs no alias_solve. */
void alias_sources(AliasGraph *g, AliasNode n, AliasNodes *out);

/* The operand that result `i` of an op, call or name is the memory of, or NULL: it is new, or no
 * memory. *view: it is another view of that memory, not the operand as it is. */
const Expr *expr_memory(const Expr *e, uint32_t i, bool *view);
/* What an op does with the memory of an operand: AliasUse bits. */
uint8_t slot_uses(const OpSlot *slot);

/* One function in flat SSA form. Tags of sources are the variables that they are bound to. */
typedef struct {
    AliasGraph graph;
    AliasNode *node; /* by variable */
    uint32_t n_vars; /* those that were there when it was made */
} FuncAlias;

/* Analyses of a program's functions; alias_free when none is needed any more. */
typedef struct {
    Program *p;
    Map done; /* Func * -> FuncAlias * */
} Aliases;

FuncAlias *alias_of(Aliases *all, Func *f);
void alias_free(Aliases *all);

static inline AliasNode alias_node(const FuncAlias *a, VarId v)
{
    return v < a->n_vars ? a->node[v] : ALIAS_NONE;
}
/* Equal for two variables only if they are the same memory, seen in the same way (alias_value) or
 * in any way (alias_root), on every path on which both are bound. */
AliasNode alias_value(const FuncAlias *a, VarId v);
AliasNode alias_root(const FuncAlias *a, VarId v);
/* True when the variable is one memory on every path. */
bool alias_is_one(const FuncAlias *a, VarId v);
/* AliasUse bits of all that is done, here and in callees, with what the variable was bound to. */
static inline uint8_t alias_uses(const FuncAlias *a, VarId v)
{
    return a->graph.nodes.at[alias_node(a, v)].uses;
}

#endif
