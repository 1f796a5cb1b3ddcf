/* What the files of the type rules share. */
#ifndef PLD_IR_INFER_H
#define PLD_IR_INFER_H

#include "ir/build.h"

/* One operation under examination. */
typedef struct {
    Program *p;
    Expr *op;
    OpId id;
    const OpInfo *info;
    FuncKind level;
} Infer;

/* infer_op by the rules themselves (ir/infer.c; infer_op, in ir/infer_memo.c, remembers). */
const Type *infer_op_anew(Program *p, Expr *op, FuncKind level);

/* Reports "<op's full name> <text>" at the operand's span (slot -1, or an operand without a place:
 * at the op's). Always false. */
bool infer_fail(const Infer *in, int slot, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A float in the fewest digits that read back exactly. */
const char *infer_number(Arena *arena, double v);
/* Short text of an operand for messages: its type, or the literal itself. */
const char *infer_text(const Infer *in, const Expr *e);
/* "[2 * NR - 2, NR]" */
const char *infer_shape_text(const Infer *in, const Type *t);

/* Compile-time value of item `i` of a list operand; false when it is a run-time value. */
bool infer_item(const Expr *list, uint32_t i, int64_t *value);
/* Dims of a shape operand; false after a reported mistake. `tile`: must be compile-time and
 * positive. */
bool infer_dims(const Infer *in, int slot, bool tile, const Dim **dims);
/* List operand `slot` must have one item per dimension of `mem`. */
bool infer_rank(const Infer *in, int slot, const Type *mem);
/* Constant offsets must lie in `mem`, together with constant extents (a list operand; NULL: one
 * cell). */
bool infer_bounds(const Infer *in, int slot, const Type *mem, const Expr *extents);

static inline bool infer_is_literal(const Expr *e)
{
    return e->kind == EX_INT || e->kind == EX_FLOAT || e->kind == EX_BOOL;
}
/* Whether a literal is a value of the dtype; `why` begins what is wanted instead. */
bool infer_literal_fits(const Expr *e, Dtype dtype, const char **why);

/* Checks the operands that change nothing and takes them out. */
bool infer_drop_hints(const Infer *in);
/* What whole-tensor arithmetic works on: the tensor as a tile; NULL after a reported mistake where
 * its shape is not of compile time. A tile is itself. */
const Type *infer_whole(const Infer *in, int slot);

/* Is operand 2 a scalar or literal that an element of `t` may be set to? */
bool infer_value(const Infer *in, const Type *t);

/* The type rules; each gives the result type or NULL after a reported mistake. */
const Type *infer_load(const Infer *in); /* ir/infer_memory.c: a rectangle of memory as a tile */
const Type *infer_slice(const Infer *in);
const Type *infer_store(const Infer *in); /* a tile into memory */
/* The type without the dimensions that a list operand (or NULL) names: each has the extent 1, one
 * at least stays. */
const Type *infer_without(const Infer *in, const Type *t, int slot);
/* An accumulator in FP32 may be stored into memory of FP16 or BF16. */
bool infer_store_rounds(const Type *tile, const Type *mem);
const Type *infer_element(const Infer *in);     /* read and write of one element */
const Type *infer_signal(const Infer *in);      /* notify and wait */
const Type *infer_transfer(const Infer *in);    /* put and get */
const Type *infer_elementwise(const Infer *in); /* ir/infer_tile.c: arithmetic */
const Type *infer_cast(const Infer *in);        /* cast of a tile or a whole tensor */
const Type *infer_window(const Infer *in);      /* ir/infer_view.c */
const Type *infer_row(const Infer *in);         /* ir/infer_view.c */
const Type *infer_flatten(const Infer *in);     /* ir/infer_view.c */
const Type *infer_dim_op(const Infer *in);      /* ir/infer_view.c */
const Type *infer_reduce(const Infer *in);      /* rows or columns to one */
const Type *infer_expand(const Infer *in);      /* a tile with a row or a column */
const Type *infer_part(const Infer *in);
const Type *infer_assemble(const Infer *in);
/* A tile put into another one, the operands by their slots. */
const Type *infer_paste(const Infer *in, int target, int source, int offset);
const Type *infer_reshape(const Infer *in);
const Type *infer_transpose(const Infer *in);
const Type *infer_concat(const Infer *in);
const Type *infer_fillpad(const Infer *in);
const Type *infer_set_validshape(const Infer *in);
const Type *infer_reinterpret_view(const Infer *in);
const Type *infer_tile_element(const Infer *in);
const Type *infer_collective(const Infer *in); /* ir/infer_collective.c */
const Type *infer_create(const Infer *in);     /* full, create_tile */
const Type *infer_as_shape(const Infer *in);   /* ir/infer_args.c */
const Type *infer_fit(const Infer *in);
const Type *infer_debug_print(const Infer *in);
const Type *infer_move(const Infer *in);   /* ir/infer_matrix.c */
bool infer_create_target(const Infer *in); /* memory and layout of create_tile */
const Type *infer_matmul(const Infer *in); /* a product, with or without a bias */
const Type *infer_matmul_acc(const Infer *in);
const Type *infer_transpose_view(const Infer *in);

/* A number, scalar or literal, that stands beside elements of `t`. */
bool infer_scalar_beside(const Infer *in, int slot, const Type *t);
const Type *infer_chain(const Infer *in); /* ir/infer_tile.c */
const Type *infer_parts(const Infer *in); /* ir/infer_select.c */
const Type *infer_cmp(const Infer *in);
const Type *infer_sel(const Infer *in);
const Type *infer_ci(const Infer *in);

#endif
