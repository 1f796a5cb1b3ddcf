/* Functions of a program: statements, calls and types are checked, and become typed IR. What is
 * evaluated in them at compile time is elab/comptime. Private to elab/typed. */
#ifndef PLD_ELAB_TYPED_H
#define PLD_ELAB_TYPED_H

#include "elab/comptime/elab.h"
#include "ir/alias.h"
#include "ir/paths.h"

/* What a run-time integer is known to be: the linear bounds of range.c. */
typedef struct Bounds Bounds;

typedef enum {
    NM_UNBOUND,
    NM_VAR,
    NM_CONST,    /* a list, string, dtype or the like, which has no run-time form */
    NM_PARTIAL,  /* bound on one path only */
    NM_CONFLICT, /* bound to different types on two paths */
    NM_LOOP,     /* the variable of a loop that is over */
    NM_SCOPE,    /* bound to what lives on the core in a scope that is over */
    NM_BAD,      /* its binding was reported */
} NameState;

/* A name bound before a loop and rebound in it: was the old value read in the body? */
typedef struct Carried Carried;
struct Carried {
    Carried *outer;
    bool read;
    Span where;
};

/* What a local name means at this point of the function. */
typedef struct {
    NameState state;
    VarId var, other;     /* VAR; CONFLICT: both; PARTIAL with memory: on that path */
    Val val;              /* CONST */
    AliasNode memory;     /* that it is, in Fn.memory */
    Span where;           /* of the binding */
    Span path;            /* PARTIAL: the branch or loop; CONFLICT: the other binding; SCOPE: it */
    Stmt *scope;          /* SCOPE: it */
    Carried *carried;     /* value of before the loop at hand */
    const Bounds *bounds; /* VAR of an integer type, or NULL */
    const Dim *dim;       /* VAR of an integer type: the extent that it is, or NULL */
    const Expr *literal;  /* VAR of a floating type: the number that it is known to be, or NULL */
    bool declared;        /* VAR: its type was written */
} Name;

typedef VEC(VarId) VarList;

/* A name that the body of a loop rebinds, and what it was before. */
typedef struct {
    uint32_t id;
    Name before;
    Carried *carried;
    AliasNode memory; /* that it may be at the start of an iteration */
} LoopEntry;

/* A loop being elaborated. */
typedef struct Loop Loop;
struct Loop {
    Loop *outer;
    Stmt *stmt;
    uint32_t mark;  /* of the paths at entry */
    uint32_t noted; /* mark up to which other names than the carried ones are in `left` */
    bool unroll;
    VEC(Meanings) breaks, continues; /* what names mean where it is left early */
    VEC(LoopEntry) entries;          /* names bound before the loop and rebound in it */
    Map carried;                     /* their ids -> positions in `entries` */
    Map left;               /* ids of other names known to be bound where it is left early */
    Span place;             /* of the statement in the source */
    Stmt *yield;            /* first yield that carries its values, or NULL */
    AliasNode *iter_memory; /* per carried value */
};

/* A block being filled. */
typedef enum { BLOCK_FUNCTION, BLOCK_LOOP, BLOCK_ARM, BLOCK_SCOPE } BlockKind;
typedef struct BlockFrame BlockFrame;
struct BlockFrame {
    BlockFrame *outer;
    BlockKind kind;
    Block *block;
    bool dead;     /* ended by break, continue or return */
    bool tail;     /* the function ends where it ends: a return may stand in it */
    bool returned; /* an arm in which the function returned */
    bool quiet;    /* ended inside a compile-time branch: no warning */
    bool unrolled; /* a loop is written out in it: what follows is not only the rest of a block */
    Stmt *yield;   /* YIELD that ended it and is not yet claimed */
};

/* The function being elaborated. */
struct Fn {
    Arena scratch; /* what is known of names; gone when the function is done */
    FnDecl *decl;
    Func *f;
    FuncKind level;       /* of the code at hand: that of f, or InCore in a scope */
    Expr *blocks;         /* pl.spmd around the call at hand, or NULL */
    Expr *task;           /* that the call at hand is part of, or NULL */
    const Expr *array;    /* made by the last pl.array.create */
    uint32_t manual;      /* pl.manual_scope around it: how many */
    bool sync_start;      /* of it */
    Map ids;              /* name -> its number in `paths` */
    Paths paths;          /* of names, to positions in `meanings` */
    VEC(Name *) meanings; /* the first is unbound */
    VEC(Sym) name_syms;
    VEC(bool) read;    /* per name: its value was used */
    VEC(VarList) vars; /* per name: its variables, one a type */
    AliasGraph memory; /* sources: parameters, by number */
    Loop *loop;
    BlockFrame *frame;
    Block *block;                /* frame->block */
    Loc loc;                     /* of the statement at hand */
    Loc far;                     /* set by pld.loc(); file NULL: none */
    Map extents;                 /* dynamic extents that the parameters bind */
    Map sites;                   /* Ast of a statement -> expansion that it is of (expansion.c) */
    Map locals;                  /* every name bound anywhere in the function */
    Map fresh;                   /* name -> the number of the last one that elab_fresh made of it */
    SymList results;             /* names of what returns in branches give */
    VarList result_vars;         /* their variables */
    bool has_results;            /* they are known */
    uint32_t copies;             /* branches with returns so far */
    const Type *declared_result; /* of `-> type`, or NULL */
    bool uses_failed;            /* calls a function with mistakes: those were reported */
};

/* ---- subscripts (index.c) */
Val elab_index(Elab *e, Val base, const Ast *sub);
/* Offsets and shape of `base[...]`; true for an element, *shape NULL then. false *ok after a
 * mistake. */
typedef struct {
    bool ok;
    Expr *offsets, *shape; /* shape NULL: one element */
    Expr *drop;            /* dimensions with an index, that go; or NULL */
} BuiltinRegion;
BuiltinRegion elab_region(Elab *e, const Ast *sub, const Type *t);

/* ---- run-time scalars (scalar.c) */
/* A value as an expression; known numbers take dtype `hint` (DT_COUNT: INDEX, FP32, BOOL). NULL
 * after a reported mistake. */
Expr *elab_expr(Elab *e, Val v, Dtype hint, Span span);
/* An integer scalar, or NULL after a reported mistake that names `what`. */
Expr *elab_int(Elab *e, Val v, Span span, const char *what);
Expr *elab_condition(Elab *e, Val v, Span span, const char *what);
Val elab_scalar_unary(Elab *e, UnaryOp op, Val a, Span span);
Val elab_scalar_binary(Elab *e, BinaryOp op, Val a, Val b, Span span);
Val elab_scalar_compare(Elab *e, CompareOp op, Val a, Val b, Span span);
Val elab_scalar(Elab *e, ScalarOp op, Expr **args, uint32_t n, Span span);
Val elab_scalar_cast(Elab *e, Val a, Dtype to, Span span);
Val elab_select(Elab *e, Val cond, Val a, Val b, Span span);
/* Converts `x` to the scalar type wanted where that loses nothing; NULL when it does not fit. */
Expr *elab_widen(Elab *e, Expr *x, const Type *want);
/* Converts an argument to its parameter's type: integers into any integer dtype, checked when the
 * call is made under the name `what`, and to and from BOOL. NULL when it does not convert, or after
 * a reported mistake. */
Expr *elab_argument(Elab *e, Expr *x, const Type *want, Sym what);

/* ---- operations (op.c, slot.c) */
/* A call under a dotted name, in compile-time code too (dotted.c); of an operation. */
Val elab_dotted_call(Elab *e, Sym dotted, const Ast *call);
Val elab_op_call(Elab *e, Sym dotted, const Ast *call);
/* A tile that stands for a tensor value too where one is wanted: pl.full gave it. */
bool elab_is_neutral(Elab *e, const Expr *x);
/* A tile or tensor value; memory as the value of all of it. NULL when it is none of them. */
Expr *elab_value_of(Elab *e, Val v, Span span);
/* Operators on tiles and tensors. */
Val elab_shaped_binary(Elab *e, BinaryOp op, Val a, Val b, Span span);
Val elab_shaped_unary(Elab *e, UnaryOp op, Val a, Span span);
Val elab_make_op(Elab *e, OpId op, Expr **slots, Span span);
Expr *elab_slot(Elab *e, OpId op, uint32_t slot, Val v, Span span, Expr **slots);
Val elab_cast_call(Elab *e, const Args *args, Span span);
Expr *elab_list(Elab *e, Expr **items, uint32_t n, Span span);

/* ---- calls of functions (invoke.c, level.c, func.c, instance.c) */
/* "a host", "an orchestration", "an InCore". */
const char *elab_level_name(FuncKind level);
/* May code at hand call it? Reports when it may not. */
bool elab_check_level(Elab *e, const FnDecl *d, Span call);
/* Is it a call of a sub-worker of the host? */
bool elab_calls_subworker(Elab *e, const Ast *call);
/* A sub-worker becomes an orchestration function that asks for it outside. */
void elab_take_subworker(Elab *e, FnDecl *d);
Val elab_function_call(Elab *e, FnDecl *d, const Ast *call);
/* Elaborates the function for arguments of these types (NULL: by its annotations alone). */
bool elab_function(Elab *e, FnDecl *d, const Type *const *arg_types, Span call);
bool elab_signature(Elab *e, FnDecl *d);
/* In InCore code: names of parameters with valid_shape= that `body` mentions mean values with that
 * region from here on; what they meant goes to `before`, or NULL (param_view.c). */
typedef VEC(Name) NameList;
void elab_param_views(Elab *e, const AstList *body, NameList *before);
/* And mean what they did again. */
void elab_end_views(Elab *e, NameList *before);
/* The function for these arguments, `want` being `base` as this call wants it: the instance that
 * fits, or a new one. */
FnDecl *elab_instance(Elab *e, FnDecl *base, const FnDecl *want, Expr *const *args);
/* Is it a statement x.bind_dynamic(...)? It is about the types of the entry, and makes no code. */
bool elab_is_bind_dynamic(const Ast *stmt);
/* What a body binds a name to where that is pl.dynamic(...), or NULL. */
const Ast *elab_local_extent(Elab *e, const AstList *body, Sym name);
/* The type of the entry's parameter `param` with the extents that its body binds; NULL after a
 * mistake. */
const Type *elab_bind_dynamic(Elab *e, const Ast *def, Sym param, const Type *t);
/* The default of a parameter: its names mean what they mean where the function stands. */
Val elab_default(Elab *e, const AstParam *p);
/* Does a parameter take a compile-time value as one? Those of what is spliced do; others where
 * their annotation is a type of Python. */
bool elab_takes_constant(const FnDecl *d, const AstParam *p);
/* Takes parameters whose value is known (others V_NONE) off the declaration: they become names of
 * compile-time values in it. */
void elab_take_consts(Elab *e, FnDecl *d, const Val *known);
uint32_t elab_n_params(const FnDecl *d);
const AstParam *elab_param_ast(const FnDecl *d, uint32_t i);
/* Do the types of all its parameters stand in the text? */
bool elab_fully_annotated(const FnDecl *d);
/* Is it annotated with int, float, bool or str? A number for it makes an instance of its own. */
bool elab_is_python_type(const AstParam *p);

/* ---- names of a function (scope.c) */
uint32_t elab_name_id(Elab *e, Sym name);
/* What a name means here. */
static inline Name *elab_name(Elab *e, uint32_t id)
{
    return e->fn->meanings.at[paths_now(&e->fn->paths, id)];
}
void elab_set_name(Elab *e, uint32_t id, Name n);
/* Binds a name to a value type: the variable of that name and type. */
VarId elab_bind(Elab *e, Sym name, const Type *type, Span span, AliasNode memory);
void elab_bind_bad(Elab *e, Sym name, Span span);
Val elab_local(Elab *e, Sym name, Span span, bool *found);
/* A loop's index is gone after the loop, whatever its name meant before: no path hands it on. */
void elab_forget_index(Loop *loop, Meanings *end, uint32_t id);
/* Merges two paths that started from the meanings at hand. */
typedef struct {
    Meanings changes;
    bool dead;
    Block *block; /* where a widening may be appended, or NULL */
} Path;
void elab_join(Elab *e, const Path *a, const Path *b, Span at, bool loop);

/* ---- memory (effects.c) */
AliasNode elab_memory_of(Elab *e, const Expr *x);
/* The memory of each of the `n` results of a call. */
AliasNode *elab_result_memory(Elab *e, const Expr *call, uint32_t n);
void elab_op_effects(Elab *e, const Expr *op);
void elab_call_effects(Elab *e, const Expr *call);
/* Directions of parameters, and whose memory each result is. */
bool elab_finish_effects(Elab *e);
/* The parameter that result `index` of `n` is the memory of, -1: of none, -2 after a mistake. */
typedef struct {
    uint32_t index, n;
} ResultPlace;
int32_t elab_result_alias(Elab *e, const Expr *x, ResultPlace at);
/* Memory that an entry created and returns becomes a parameter; its index, or -1. (result.c) */
int32_t elab_result_param(Elab *e, const Expr *x, uint32_t i, uint32_t n);

/* ---- statements (stmt.c, assign.c, loop.c) */
void elab_block(Elab *e, const AstList *body);
/* Statements that come after those at hand, where a function may return before it gets there. */
typedef struct Rest Rest;
struct Rest {
    const AstList *list;
    uint32_t from;
    const Rest *then;
};
/* The statements of `body` from one on, and then the rest. */
void elab_statements(Elab *e, const AstList *body, uint32_t from, const Rest *rest);
/* The condition of an if: *known and *taken, or an expression; NULL after a mistake that leaves
 * nothing to say of the arms. */
Expr *elab_if_condition(Elab *e, const Ast *s, bool *known, bool *taken);
/* Both arms that run to their end must yield alike, or neither. */
bool elab_claim_yields(Elab *e, Stmt *s, const BlockFrame *then, const BlockFrame *otherwise);
/* ---- returns (return.c) */
void elab_return(Elab *e, const Ast *s);
/* Is it an if with a return in an arm? */
bool elab_returns(const Ast *s);
/* Such an if, and all that follows it. */
void elab_return_if(Elab *e, const Ast *s, const Rest *rest);
Stmt *elab_emit(Elab *e, StmtKind kind);
void elab_assign(Elab *e, const Ast *s);
void elab_ann_assign(Elab *e, const Ast *s);
void elab_aug_assign(Elab *e, const Ast *s);
void elab_expr_stmt(Elab *e, const Ast *s);
void elab_for(Elab *e, const Ast *s);
void elab_while(Elab *e, const Ast *s); /* while.c */
/* A loop over pl.while_(...); false when it is none. */
bool elab_while_call(Elab *e, const Ast *s);
/* Writes a loop out; false, and nothing is done, when it stays a loop (unroll.c). */
bool elab_unrolled(Elab *e, const Ast *s);
/* `target = value`; and a target whose value was a mistake. */
void elab_assign_value(Elab *e, const Ast *target, Val v, Span span);
void elab_bind_bad_target(Elab *e, const Ast *target);
bool elab_is_yield(Elab *e, const Ast *a);
void elab_yield(Elab *e, const Ast *s, const Ast *target, const Ast *annotation, const Ast *call);
void elab_open(Elab *e, BlockFrame *frame, BlockKind kind, Block *block);
void elab_close(Elab *e, BlockFrame *frame);

/* ---- expansions of builtins in dumps (expansion.c) */
/* Reads those above the function at hand. */
void elab_expansions(Elab *e, const Ast *def);
/* Gives the location at hand the expansion that the statement is of. */
void elab_mark_site(Elab *e, const Ast *s);
/* The yield carries values of this loop. */
void elab_claim_yield(Elab *e, Loop *loop, Stmt *yield);
/* A name that the function does not use, after `base`. */
Sym elab_fresh(Elab *e, Sym base);

/* ---- init and golden functions (element.c) */
bool elab_elements(Elab *e);

/* ---- extents (extent.c) */
/* The extent that an integer expression is: it may name local names that are extents. NULL for a
 * run-time value. */
const Dim *elab_dim(Elab *e, const Expr *x);
/* An extent that the function makes: `x` from here on, by that name or (NULL) a fresh one. */
Expr *elab_own_extent(Elab *e, Expr *x, Sym name);
Val elab_extent_call(Elab *e, const Ast *call);

#include "elab/typed/range.h"

/* What the evaluator asks of this folder. */
extern const RunTime elab_run_time;

/* `name = x`, of that type. */
void elab_emit_let(Elab *e, Sym name, Span name_span, Expr *x, const Type *type);
/* t[...] = value (assign_part.c) */
void elab_assign_subscript(Elab *e, const Ast *target, Val v, Span span);
/* ---- arrays (array.c) and calls without effect (nothing.c): false when it is none of theirs */
/* Is the value a pl.array? */
bool elab_is_array(Elab *e, const Expr *x);
/* What a name, a loop or a branch takes of an array is its own: a copy, unless `name` (or NULL) is
 * the one that the array has already. Other values stay as they are; NULL after an error. */
Expr *elab_own_array(Elab *e, Expr *x, Sym name);
bool elab_array_call(Elab *e, Sym dotted, const Ast *call, Val *out);
/* An item of an array of task ids, which has any index. */
/* Warning `hint`, in source text: a word that changes no result. */
void elab_say_hint(Elab *e, Span span, const char *what);
bool elab_nothing_call(Elab *e, Sym dotted, const Ast *call, Val *out);

#endif
