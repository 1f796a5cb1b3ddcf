/* Types and shape expressions. Both are interned per TypeTable: equal ones are the same pointer. */
#ifndef PLD_IR_TYPE_H
#define PLD_IR_TYPE_H

#include "base/buf.h"
#include "base/core_memory.h"
#include "base/dtype.h"
#include "base/intern.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

#define MAX_RANK 5

/* A shape expression: a polynomial with 64-bit integer coefficients over atoms. An atom is a
 * dynamic extent name, or an opaque `a // b`, `a % b`, `min`, `max` of two expressions. Normalised
 * (like terms collected, terms sorted by degree then by printed text, constant last), so `2*NR - 2`
 * and `2*(NR-1)` are one Dim. `//` and `%` floor here, as extents are non-negative. */
typedef struct Dim Dim;

typedef enum { DIM_NAME, DIM_FLOORDIV, DIM_MOD, DIM_MIN, DIM_MAX } AtomKind;

typedef struct {
    AtomKind kind;
    Sym name;                /* DIM_NAME */
    const Dim *left, *right; /* the others */
} Atom;

typedef struct {
    int64_t coef;         /* not 0 */
    uint8_t n_atoms;      /* degree; 0 for the constant term */
    const Atom *atoms[6]; /* sorted; repeated for powers */
} Term;

struct Dim {
    uint32_t n_terms; /* 0: the constant 0 */
    const Term *terms;
};

typedef enum {
    TY_NONE,   /* no value */
    TY_SCALAR, /* pl.Scalar[dtype] */
    TY_TENSOR, /* pl.Tensor[[dims], dtype]: plain device (or host) memory */
    TY_DIST,   /* pld.DistributedTensor[[dims], dtype]: a view of a window */
    TY_TILE,   /* pl.Tile[[dims], dtype], on-core; later pl.Tile[[dims], dtype, pl.Mem.Vec, addr] */
    TY_BUFFER, /* pld.WindowBuffer: result of alloc_window_buffer */
    TY_CTX,    /* pld.CommCtx: result of get_comm_ctx */
    TY_TUPLE,  /* several results */
    TY_NUMBER, /* of init and golden functions: an integer or a double, as it comes out */
} TypeKind;

typedef struct Type Type;
struct Type {
    TypeKind kind;
    Dtype dtype;  /* SCALAR TENSOR DIST TILE */
    uint8_t rank; /* 1..5 for TENSOR DIST TILE */
    MemSpace mem; /* TILE: MEM_UNSET before infer_memory, unless written in an annotation */
    bool value;   /* TILE: a tensor value, printed as pl.Tensor; gone after lower_tensor_ops */
    int64_t addr; /* TILE: byte address on the core, -1 before allocate_memory */
    const Dim *dims[MAX_RANK];
    uint32_t n_elems; /* TUPLE */
    const Type *const *elems;
    const Type *bare; /* TILE: the same without a place, no tensor value; else itself */
};

typedef struct TypeTable TypeTable;

TypeTable *type_table_new(Arena *arena);

/* Dims. Arithmetic that overflows 64 bits, a product of more than 6 atoms, or an expression that
 * grows out of all proportion gives NULL; so does a NULL operand. */
const Dim *dim_const(TypeTable *tt, int64_t v);
const Dim *dim_name(TypeTable *tt, Sym name);
const Dim *dim_add(TypeTable *tt, const Dim *a, const Dim *b);
const Dim *dim_sub(TypeTable *tt, const Dim *a, const Dim *b);
const Dim *dim_mul(TypeTable *tt, const Dim *a, const Dim *b);
/* FLOORDIV, MOD, MIN or MAX; folds constants; NULL for a constant zero divisor. */
const Dim *dim_atom(TypeTable *tt, AtomKind kind, const Dim *a, const Dim *b);
bool dim_is_const(const Dim *d, int64_t *value);
/* Replaces names; `get` returns NULL to keep one. NULL on overflow. */
const Dim *dim_subst(TypeTable *tt, const Dim *d, const Dim *(*get)(void *env, Sym name),
                     void *env);
/* Collects the distinct names of `d`, in order of appearance in the printed form (vec_push). */
typedef VEC(Sym) SymList;
void dim_names(const Dim *d, SymList *out);
/* Prints it as .pld source: `2 * NR - 2`. Parsing that gives the same Dim. */
void dim_print(Buf *out, const Dim *d);

/* Types. */
const Type *type_none(TypeTable *tt);
const Type *type_scalar(TypeTable *tt, Dtype dtype);
const Type *type_shaped(TypeTable *tt, TypeKind kind, Dtype dtype, uint32_t rank,
                        const Dim *const *dims);
/* The same tile type with a place on the core; mem MEM_UNSET and addr -1 take the place away. It is
 * a tile then, no tensor value. */
const Type *type_placed(TypeTable *tt, const Type *tile, MemSpace mem, int64_t addr);
/* What an operation on whole tensors gives: a tile without a place that is called a tensor. */
const Type *type_value(TypeTable *tt, const Type *tile);
const Type *type_simple(TypeTable *tt, TypeKind kind); /* BUFFER, CTX, NUMBER */
const Type *type_tuple(TypeTable *tt, const Type *const *elems, uint32_t n);

static inline bool type_is_memory(const Type *t)
{
    return t->kind == TY_TENSOR || t->kind == TY_DIST;
}
static inline bool type_is_shaped(const Type *t)
{
    return type_is_memory(t) || t->kind == TY_TILE;
}
bool type_is_int_scalar(const Type *t);
/* The id of a task. */
static inline bool type_is_task(const Type *t)
{
    return t->kind == TY_SCALAR && t->dtype == DT_TASK_ID;
}
/* Elements and bytes of a shaped type with constant dims; false when dynamic or over 2^63-1. */
bool type_elements(const Type *t, int64_t *out);
bool type_bytes(const Type *t, int64_t *out);
/* Bytes a tile takes in its memory on the core. */
bool tile_core_bytes(const Type *t, int64_t row_align, int64_t *out);
/* Replaces dynamic names in all dims. */
const Type *type_subst(TypeTable *tt, const Type *t, const Dim *(*get)(void *env, Sym name),
                       void *env);
/* As .pld source: `pl.Tensor[[NR, 64], pl.FP32]`. */
void type_print(Buf *out, const Type *t);
/* The same into arena text, for messages. */
const char *type_text(Arena *arena, const Type *t);
const char *dim_text(Arena *arena, const Dim *d);

#endif
