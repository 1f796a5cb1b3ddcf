/* The intermediate representation: typed, structured, printable as .pld text.
 *
 * A Program holds functions; a function holds a tree of statements; statements hold expressions.
 * Control flow stays structured down to code generation. Before convert_to_ssa one VarId may be
 * bound several times (rebinding a name with another type makes another Var); afterwards exactly
 * once, loops and branches carrying values explicitly. All nodes live in the program's arena and
 * are never shared between two places of the tree: a pass that uses an expression twice clones it.
 */
#ifndef PLD_IR_IR_H
#define PLD_IR_IR_H

#include "base/builtin.h"
#include "base/call_how.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/platform.h"
#include "base/scalar.h"
#include "base/vec.h"
#include "ir/op.h"
#include "ir/type.h"
#include "parser/ast.h"

typedef uint32_t VarId;
#define VAR_NONE UINT32_MAX

/* A place in a file that is not the one being compiled. */
typedef struct {
    Sym file;
    uint32_t line, col;
} FarPlace;

/* Where a statement came from. */
typedef struct {
    Span span;           /* in the Source being compiled */
    const FarPlace *far; /* with --dump-loc: in the original file; NULL: the Source itself */
    uint32_t site;       /* builtin call it was expanded from: index + 1 into Func.sites, 0: none */
    Phase phase;         /* the step of that */
} Loc;

/* element.def */
typedef enum {
#define PLD_ELEMENT(ENUM, text, form) EL_##ENUM,
#include "ir/element.def"
    EL_COUNT
} ElementOp;

typedef enum { ELEMENT_READ, ELEMENT_CALL, ELEMENT_REDUCE } ElementForm;

typedef struct {
    const char *text;
    ElementForm form;
} ElementInfo;

extern const ElementInfo element_info[EL_COUNT];

typedef enum {
    EX_INT,   /* integer constant of `type` (a scalar type; in a const slot too) */
    EX_FLOAT, /* floating literal: only in `num` and `lit` slots */
    EX_BOOL,
    EX_VAR,     /* a variable */
    EX_EXTENT,  /* a dynamic extent (NR) as an INDEX scalar; with args[0]: one that is that value
                   from here on, in the shape of memory that an orchestration function makes */
    EX_SCALAR,  /* scalar operator on args; SC_SELECT: condition, then, otherwise; of
                   numbers SC_MIN and SC_MAX have two or more */
    EX_ELEMENT, /* init and golden functions: element.def on args. READ: tensor, then indices;
                   reductions: the value, then lo, hi, step and condition (or NULL) of each `for`,
                   outermost first */
    EX_OP,      /* an operation of ops.def; args[i] is slot i, NULL when left out */
    EX_CALL,    /* call of a function of the program */
    EX_LIST,    /* an idx, shape or tiles operand; the numbers of a, b = x, y */
    EX_ENUM,    /* value is `ival` of enumeration `enum_type` */
    EX_DTYPE,
    EX_STR,
} ExprKind;

typedef struct Func Func;
typedef struct Expr Expr;
/* There are millions: members that no kind has both share a place. Made by ex_alloc. */
struct Expr {
    ExprKind kind : 8;
    ScalarOp scalar : 8;    /* EX_SCALAR */
    ElementOp element : 8;  /* EX_ELEMENT */
    Dtype dtype : 8;        /* DTYPE; the target of SC_CAST */
    OpId op : 16;           /* EX_OP */
    EnumType enum_type : 8; /* ENUM */
    bool sync_start : 1;    /* CALL with blocks: all start at once */
    uint32_t n_args;
    VarId var;        /* VAR */
    const Type *type; /* type of the value; type_none for NONE ops, NULL for LIST ENUM DTYPE STR */
    Span span;        /* for messages while the text is at hand */
    union {
        int64_t ival; /* INT, BOOL, ENUM */
        double fval;  /* FLOAT */
        VarId *vars;  /* ELEMENT, a reduction: the variable of each `for` */
        Sym sym;      /* EXTENT: its name; STR: its text */
        Func *callee; /* CALL */
    };
    Expr **args;
    /* Only a CALL has room for these. */
    Expr *device;    /* from the host: device=; otherwise NULL */
    Expr *cores;     /* from the host, .ir files only: cores=, lanes to run it on, or NULL; from an
                        orchestration function: the blocks of the pl.spmd around it, or NULL */
    Expr *task;      /* from an orchestration function: the task that it is part of, or NULL */
    uint32_t no_dep; /* the same: arguments that say nothing about order, a bit each */
    uint8_t how;     /* the same: CALL_... */
};

typedef enum {
    ST_LET,  /* results = value (several results: value is an EX_CALL of type TUPLE) */
    ST_EXPR, /* value for its effect */
    ST_FOR,
    ST_IF,
    ST_YIELD, /* results = pl.yield_(values): ends a loop body or a branch, or stands before BREAK,
                 CONTINUE */
    ST_RETURN,
    ST_BREAK,
    ST_CONTINUE,
    ST_SCOPE, /* with pl.at(...), with pl.spmd(...): InCore code in an orchestration function; what
                 it binds is bound after it. Gone after outline_scopes */
} StmtKind;

typedef enum {
    LOOP_RANGE,
    LOOP_PARALLEL,
    LOOP_UNROLL,
    LOOP_WHILE, /* init and golden functions: while cond; no index, bounds or values */
} LoopKind;

typedef struct Stmt Stmt;
typedef VEC(Stmt *) Block;

/* What only statements with a head or with blocks have. */
typedef struct {
    /* FOR */
    LoopKind loop;
    VarId index; /* INDEX variable; visible in the body only */
    Expr *lo, *hi, *step;
    VarId *iters; /* n_values of them: the carried names inside the body */
    /* SCOPE; `values`: the task that it is part of, if any */
    Sym hint;     /* name_hint=, or NULL */
    Expr *blocks; /* pl.spmd: how many, else NULL */
    bool sync_start;
    uint8_t how; /* CALL_... */
    /* IF, LOOP_WHILE */
    Expr *cond;
    Block body;      /* FOR, SCOPE: the body. IF: the then arm */
    Block otherwise; /* IF: the else arm */
} StmtNest;

struct Stmt {
    StmtKind kind;
    uint32_t n_results;
    Loc loc;
    VarId *results; /* LET: bound names. YIELD: names bound by it. FOR, IF: the names that their
                       yields bind, visible after the statement (in order of the yield) */
    Expr *value;    /* LET, EXPR */
    uint32_t n_values;
    Expr **values;  /* YIELD, RETURN; FOR: the init_values */
    StmtNest *nest; /* of FOR, IF, SCOPE their own; of others one that is empty, never written */
};

static inline bool stmt_nests(const Stmt *s)
{
    return s->kind == ST_FOR || s->kind == ST_IF || s->kind == ST_SCOPE;
}

typedef struct {
    Sym base;    /* name without version: "acc" */
    Sym display; /* name as printed; set by func_number_names */
    const Type *type;
    Span span;    /* of the first binding */
    bool neutral; /* while elaborating: a tile that may stand for a tensor value, from pl.full */
    bool array;   /* while elaborating: a pl.array, which names do not share */
    uint8_t pad;  /* while elaborating: 1 + PadValue that its slice said, or 0 */
} Var;

typedef enum { FN_HOST, FN_ORCH, FN_INCORE, FN_INIT, FN_GOLDEN } FuncKind;
typedef enum { DIR_IN, DIR_OUT, DIR_INOUT } Direction;

typedef struct {
    VarId var;
    Direction dir; /* tensors and windows only */
} Param;

struct Func {
    FuncKind kind;
    Sym name;
    Span span; /* of the name */
    Loc loc;
    VEC(Var) vars;
    VEC(Param) params;
    const Type *result; /* type_none, one type, or a tuple */
    VEC(int32_t)
    alias; /* per result: index of the parameter whose memory it is, or -1 (a scalar or tile) */
    Block body;
    VEC(Builtin) sites; /* expanded builtin calls: Loc.site */
    /* FN_INIT, FN_GOLDEN: parameters of the host function that are read, then the indices. Numbers
       have type TY_NUMBER; names may be bound several times in all stages. */
    uint32_t n_index;
    double rtol, atol; /* GOLDEN; negative: unsaid */
    bool generated;    /* made by a pass (lower_host_collectives), or a caller of the entry */
    bool spliced;      /* ORCH: inlined where it is called (pl.FunctionType.Inline) */
    /* The pass at hand has nothing to do here, or found nothing: the statements stay as they are.
       Set by the pass manager before a pass, and by passes that know better. */
    bool untouched;
    uint32_t lacks;    /* bits of ir/holds.def that no statement has: what ir_verify saw; 0 after a
                          change */
    uint32_t verified; /* the properties that ir_verify found to hold; 0 after a change */
};

/* What the statements of a function may hold. */
typedef enum {
#define PLD_HOLDS(ENUM, what) HELD_##ENUM,
#include "ir/holds.def"
    HELD_COUNT
} HeldIndex;

enum {
#define PLD_HOLDS(ENUM, what) HOLDS_##ENUM = 1 << HELD_##ENUM,
#include "ir/holds.def"
};

/* Might some statement have one of these? False only when it is known. */
static inline bool func_may_hold(const Func *f, uint32_t holds)
{
    return (holds & ~f->lacks) != 0;
}

/* Init and golden functions give the elements of a host parameter; passes leave them alone. */
static inline bool func_is_element(const Func *f)
{
    return f->kind == FN_INIT || f->kind == FN_GOLDEN;
}

typedef struct InferMemo InferMemo;

/* A compile-time parameter and its value as it is printed in the first line of a dump. */
typedef struct {
    Sym name, value;
    bool ranks; /* bound to pld.world_size() */
} Binding;

typedef struct {
    Arena *arena;
    Interner *in;
    TypeTable *types;
    const Source *src;
    Diags *diags;
    const Platform *platform;
    uint32_t ranks;        /* devices it is compiled for (-d, --ranks) */
    bool ranks_bound;      /* some parameter has the default pld.world_size(): the bytecode is for
                              `ranks` only */
    Sym name;              /* of the program class; "Program" in module form */
    Func *entry;           /* the host function */
    VEC(Binding) bindings; /* in order of declaration */
    SymList extents;       /* dynamic extent names, in order of declaration */
    VEC(Func *) funcs;     /* in source order */
    InferMemo *memo;       /* what infer_op found last; NULL: nothing yet */
    uint32_t stage;        /* index of the last pass done */
    uint32_t properties;   /* Property bits that hold (lower/pass.h) */
} Program;

/* Variables. */
VarId func_new_var(Program *p, Func *f, Sym base, const Type *type, Span span);
static inline Var *func_var(Func *f, VarId v)
{
    return &f->vars.at[v];
}
/* Sets every Var.display. Stage below SSA: the base name. From SSA on: per base name in order of
 * appearance (parameters first, then bindings as printed): acc, acc_1, acc_2, skipping names that
 * are the base of another variable. */
void func_number_names(Program *p, Func *f, bool ssa);
/* The inverse, for a function read from a dump in SSA form: a name `B_N` whose N is the next number
 * due for `B` becomes base B. Called by the elaborator with bindings in order of appearance. */
void func_recover_bases(Program *p, Func *f);
/* Gives each variable the base that reading the printed function would recover. Done after every
 * pass from SSA on, so that going on in memory and going on from the dump number later versions
 * alike, also where a user's name looks like a version. */
void func_settle_names(Program *p, Func *f);

/* Ranks that a ring of the host rail serves. */
enum { HOST_RING_RANKS = 16 };

/* The extent that means the number of devices of the run, named as the call that gives it; it is
 * not among the program's declared extents. */
#define WORLD_EXTENT "pld.world_size()"
bool extent_is_world(Sym name);

/* The kernel or host function of that name (an init or golden may share it), or NULL. */
Func *program_func(const Program *p, Sym name);

/* Visits the root expressions of a statement in the order of evaluation, not those of nested
 * statements and not what lies below a root. `fn` may replace an expression through the pointer. */
typedef void ExprFn(void *env, Expr **e);
void stmt_roots(Stmt *s, ExprFn *fn, void *env);
/* The same with everything below the roots: children before parents. */
void stmt_exprs(Stmt *s, ExprFn *fn, void *env);
/* Visits e and everything below it, children before parents. */
void expr_walk(Expr **e, ExprFn *fn, void *env);
/* Visits all statements in source order, a statement before its bodies. */
typedef void StmtFn(void *env, Stmt *s);
void block_walk(Block *b, StmtFn *fn, void *env);
/* A block being rewritten: what is appended to `out` takes the place of the statement at hand. */
typedef struct {
    Block *out;
    Stmt *const *rest; /* the statements behind the one at hand */
    uint32_t n_rest;
} Rewrite;
/* Gets each statement of a block in order and appends what takes its place: itself, nothing, or
 * more; blocks within it are its own to rewrite. false: what follows is dropped. */
typedef bool RewriteFn(void *env, Rewrite *r, Stmt *s);
/* Linear in the statements, and in place as long as they do not become more. */
void block_rewrite(Block *b, RewriteFn *fn, void *env);
/* Is it a part of memory, or memory seen with another shape? Then nothing is read of it. */
static inline bool expr_is_view(const Expr *e)
{
    return e->kind == EX_OP && e->type && type_is_memory(e->type) &&
           (e->op == OP_TENSOR_SLICE || e->op == OP_TENSOR_RESHAPE);
}
/* Bytes of an expression of a kind; one of them, otherwise zero. */
size_t ex_size(ExprKind kind);
Expr *ex_alloc(Arena *arena, ExprKind kind);
Expr *expr_clone(Program *p, const Expr *e);
bool expr_equal(const Expr *a, const Expr *b);
bool expr_is_int(const Expr *e, int64_t *value);
/* The operand of an op under this name; NULL: it was left out, or the op has none. */
Expr *op_operand(const Expr *op, Operand name);
/* mode= of a collective, "" where it has none. */
const char *op_mode(const Expr *op);
/* True when evaluating `e` has no effect on memory or signals and reads none (it may fault). */
bool expr_is_pure(const Expr *e);
/* True when it also cannot fault: nobody can notice whether it runs, so it may go, or move. */
bool expr_is_free(const Expr *e);

/* The dtype an operator (EX_SCALAR) computes in: that of its result, but for a comparison that of
 * its operands; INDEX for a comparison of two integer dtypes. */
Dtype scalar_dtype(const Expr *e);
/* The operator `e` (EX_SCALAR) on operands of these values, as base/devarith.h has them. false when
 * it would fault. */
bool scalar_apply(const Expr *e, const int64_t *args, int64_t *out);

#endif
