/* Values of elaboration: known now, or expressions of the program. Private to elab/. */
#ifndef PLD_ELAB_VAL_H
#define PLD_ELAB_VAL_H

#include "base/pyarith.h"
#include "ir/ir.h"

typedef struct Elab Elab;

typedef enum {
    V_BAD, /* a mistake was reported: say nothing more */
    V_NONE,
    V_INT,
    V_FLOAT,
    V_BOOL,
    V_STR,
    V_DTYPE,
    V_ENUM,
    V_TUPLE,
    V_LIST,
    V_DICT,    /* keys and values in turn */
    V_HELPER,  /* a function of compile-time code */
    V_KERNEL,  /* that a factory of kernels made: i is its index in Elab.decls */
    V_MATH,    /* a function of the module math */
    V_POISON,  /* of lines of a script that were skipped: its span says where */
    V_DIM,     /* arithmetic on dynamic extents, in compile-time code only */
    V_TYPE,    /* pl.Tensor[...] and the like, with a direction */
    V_PROGRAM, /* a @pl.program class */
    V_EXPR,    /* a run-time value */
    V_BARE,    /* annotation pl.Tensor or the like: a direction, and what kind of memory */
} ValKind;

typedef struct Val Val;
typedef struct Helper Helper;
struct Val {
    ValKind kind;
    Dtype dtype;        /* DTYPE */
    EnumType enum_type; /* ENUM */
    uint32_t n;         /* TUPLE, LIST, DICT */
    uint32_t weight;    /* TUPLE, LIST, DICT: what a walk over them and all inside of them meets */
    uint32_t depth;     /* TUPLE, LIST, DICT: how deep they nest, 1 for no nesting */
    bool has_dir;       /* TYPE, BARE: written with pl.Out[] or pl.InOut[] */
    Direction dir;      /* TYPE, BARE */
    union {
        int64_t i;            /* INT, BOOL, ENUM, KERNEL; BARE: TypeKind */
        double f;             /* FLOAT */
        Sym s;                /* STR, MATH; POISON: what it is, or NULL */
        Val *items;           /* TUPLE, LIST, DICT */
        const Helper *helper; /* HELPER */
        const Dim *dim;       /* DIM */
        const Type *type;     /* TYPE */
        const Ast *class_;    /* PROGRAM */
        Expr *expr;           /* EXPR */
    };
};

/* ---- values (val.c) */
extern const Val val_bad, val_none;
Val val_int(int64_t v);
Val val_float(double v);
Val val_bool(bool v);
Val val_str(Sym s);
Val val_expr(Expr *x);
Val val_dtype(Dtype t);
Val val_enum(EnumType t, int64_t v);
Val val_items(Elab *e, ValKind kind, const Val *items, uint32_t n);
/* A sequence or string that compile-time code made, unless it is too large: a value may be built
 * out of itself, so that a few lines make one that nothing could print or compare. */
Val elab_limit(Elab *e, Val v, Span span);
Val val_dim(const Dim *d);
static inline bool val_known(Val v)
{
    return v.kind != V_EXPR;
}
bool val_all_known(Val v); /* also inside tuples and lists */
bool val_truth(Val v);
bool val_equal(Val a, Val b);
/* An int, a float or a bool, and it as a number. */
bool val_is_number(Val v);
bool val_number(Val v, Number *out);
/* Python's repr, or str when `quote` is false. */
void val_print(Buf *out, Val v, bool quote);
/* For messages: "int 3", "a pl.Tile[[1, 64], pl.FP32]". */
const char *val_describe(Elab *e, Val v);
const char *val_text(Elab *e, Val v);
const char *val_kind_name(Val v);

#endif
