/* Elaboration: from the AST to typed IR. Private to elab/.
 *
 * One evaluator serves compile-time code and kernel bodies. A value is known now (Python
 * semantics), or is an expression of the program (device semantics); an operation on values that
 * are all known gives a known value, anything else is handed to elab/typed, which builds IR. */
#ifndef PLD_ELAB_H
#define PLD_ELAB_H

#include "base/map.h"
#include "base/pyarith.h"
#include "elab/comptime/settings.h"
#include "elab/comptime/val.h"
#include "ir/build.h"
#include "ir/pass_table.h"

/* A compile-time name. */
typedef struct {
    Sym name;
    Val val;
    Span span; /* of its binding */
} CtName;

typedef struct CtScope CtScope;
struct CtScope {
    CtScope *parent;
    Map index;  /* name -> position in `names` */
    Map locals; /* of a function: what it binds anywhere hides names around it */
    VEC(CtName) names;
};

/* A function of compile-time code: a def or a lambda with the names around it. */
struct Helper {
    Sym name;
    const Ast *def;
    const AstParams *params;
    Val *defaults; /* per parameter, V_BAD for none */
    CtScope *scope;
};

/* Limits of compile-time code: statements, items made and compared; items of one value. */
enum { ELAB_MAX_STEPS = 1 << 20, ELAB_MAX_ITEMS = 1 << 16 };

typedef struct FnDecl FnDecl;
typedef struct Fn Fn;

/* In the loop at that place the name is an integer of that dtype (typed/widen.h). */
typedef struct {
    Span loop;
    Sym name;
    Dtype to;
} Widening;

typedef enum { FN_NEW, FN_BUSY, FN_DONE, FN_FAILED } FnState;

/* How a function comes to its callers. */
typedef enum {
    FORM_PLAIN,
    FORM_OPAQUE,    /* an orchestration function; from InCore code it is inlined */
    FORM_INLINE,    /* spliced at each call, at the level of the caller */
    FORM_SUBWORKER, /* Python that the host would call: not looked into */
} FnForm;

/* A function of the program as declared. */
struct FnDecl {
    const Ast *def;
    FuncKind kind;
    Sym name;
    FnForm form;
    bool method;    /* has `self` */
    bool generated; /* builtin=True */
    bool strict;    /* strict_ssa=True: no name is bound twice */
    Loc place;      /* that @pld.loc of a dump gives it, or no file */
    FnState state;
    Func *func;
    VEC(Widening) widenings;
    bool again;           /* a widening was found: the body is elaborated again */
    Span first_call;      /* that gave unannotated parameters their types */
    VEC(Val) annotations; /* per parameter: V_TYPE, or V_NONE when unannotated */
    bool reached;         /* by name, from some host function */
    bool outside_body;    /* a sub-worker: what it does is not known here */
    bool spliced;         /* of orchestration level, and inlined where it is called */
    const Type **outside; /* of the entry: types of its parameters, or NULL */
    VEC(CtName) consts;   /* parameters that are compile-time values here: not in `def` any more */
    CtScope *scope;       /* of the call of a factory that made it; NULL: the program's */
    FnDecl *next;         /* of the instances for other argument types (instance.c) */
};

/* A pair of the dump's first line. */
typedef struct {
    Sym name, value;
    bool used;
} HeaderPair;

typedef struct {
    PassId stage;
    uint32_t ranks;
    const Platform *platform;
    Sym program, entry;
    VEC(HeaderPair) bindings;
} Header;

typedef struct {
    Sym name;
    const char *value;
    bool used, from_header;
} Setting;

/* An argument of a call, evaluated. */
typedef struct {
    Sym name;  /* keyword, or NULL */
    Span span; /* of the value */
    Span name_span;
    Val val;
} Arg;
typedef VEC(Arg) Args;

/* What the evaluator asks where not all is known now; elab/typed answers (runtime.c). All but
 * `operation` are asked inside a function only, with an expression among the values. */
typedef struct {
    /* Names of the function: bound anywhere in it; what one means here; those bound here. */
    bool (*is_local)(Elab *e, Sym name);
    Val (*local)(Elab *e, Sym name, Span span, bool *found);
    void (*bound_names)(Elab *e, SymList *out);
    bool (*has_self)(Elab *e);
    /* Do its parameters bring the extents of a dim? Reported when not. */
    bool (*extents_bound)(Elab *e, Val v, Span span);
    /* The value that an integer or boolean scalar is known to have here, with device semantics. */
    bool (*constant)(Elab *e, const Expr *x, int64_t *out);
    const Dim *(*extent)(Elab *e, const Expr *x);
    Val (*attribute)(Elab *e, Val base, const Ast *a);
    Val (*subscript)(Elab *e, Val base, const Ast *a);
    Val (*unary)(Elab *e, UnaryOp op, Val a, Span span);
    Val (*binary)(Elab *e, BinaryOp op, Val a, Val b, Span span);
    Val (*compare)(Elab *e, CompareOp op, Val a, Val b, Span span);
    Val (*logic)(Elab *e, bool is_and, Val a, Val b, Span span);
    Val (*select)(Elab *e, Val cond, Val a, Val b, Span span);
    /* One of Python's functions; the first argument is not known now. */
    Val (*builtin)(Elab *e, const char *name, const Arg *first, uint32_t n, Span span);
    Val (*operation)(Elab *e, Sym dotted, const Ast *call);
    Val (*function_call)(Elab *e, FnDecl *d, const Ast *call);
} RunTime;

/* "pl" and "load" make "pl.load". */
typedef struct {
    Sym root, name, joined;
} DottedName;
enum { DOTTED_NAMES = 64 };

struct Elab {
    const RunTime *typed;
    Arena *arena;
    Interner *in;
    Diags *diags;
    Program *p;
    TypeTable *tt;
    const AstModule *module;
    const SpecializeOptions *opt;
    Header *header;        /* NULL: not a dump */
    bool ir;               /* a dump of stage 1 or later */
    VEC(Setting) settings; /* -D and the dump's bindings */
    Map setting_index;     /* name -> position in `settings` */
    Map binding_index;     /* name -> position in p->bindings */
    VEC(Sym) pl_alias, pld_alias;
    VEC(Sym) math_alias;
    Map foreign_names;               /* that imports bind which were refused */
    Map from_names;                  /* imported out of the language -> "pl.add" */
    Arena temporary;                 /* arguments of calls, gone in the end */
    DottedName dotted[DOTTED_NAMES]; /* found before, by what they are joined of */
    Map operations;         /* dotted name that means an operation and nothing else -> it */
    CtScope *scope;         /* compile-time names at hand */
    CtScope *home;          /* of the program, when it is found */
    const CtScope *program; /* those that functions of the program see; above: comprehensions */
    VEC(CtScope *) kept;    /* of calls that functions made in them may outlive */
    uint64_t steps;         /* of compile-time code so far */
    bool steps_reported;    /* that they are too many */
    uint32_t helpers;       /* made so far */
    uint32_t helper_depth;  /* calls of helpers at hand */
    uint32_t eval_depth;    /* expressions at hand */
    uint32_t ct_loops;      /* loops of compile-time code at hand */
    uint32_t in_type;       /* evaluating the extents of a type */
    bool whole_default;     /* evaluating a default that is pld.world_size() */
    const Ast *factory;     /* def, or NULL */
    const Ast *class_;      /* chosen program class, or NULL: module form */
    VEC(FnDecl) decls;
    VEC(Func *) added;         /* functions that no text declares (entry.c) */
    VEC(const Ast *) nested;   /* kernels of the factory beside its class */
    VEC(const Ast *) elements; /* @pld.init and @pld.golden defs */
    Map decl_index;            /* name -> position in `decls` */
    Fn *fn;                    /* NULL in compile-time code */
    uint32_t call_depth;
    uint32_t syntax_errors; /* of the text: what they leave out may be missed */
    Sym s_self, s_pl, s_pld;
};

/* ---- parameters (params.c) */
void elab_settings(Elab *e);
/* The value of a parameter: its setting or `fallback`; checked against the annotation; recorded. */
Val elab_param(Elab *e, Sym name, Span span, const Ast *annotation, const Ast *fallback);
/* Is a parameter set, by -D or by the first line of a dump? */
bool elab_is_set(Elab *e, Sym name);
/* The type of a tensor that was given from outside, "FP32[64,64]", or NULL; it is recorded. */
const char *elab_outside(Elab *e, Sym name);
void elab_bind_factory(Elab *e);
void elab_unused_settings(Elab *e);

/* ---- first line (header.c) */
bool elab_read_header(Elab *e);
void elab_print_header(Elab *e, Buf *out);

/* ---- the program in the file (find.c, decorator.c, entry.c, foreign.c) */
bool elab_find_program(Elab *e);
/* Kernels, init and golden functions of the chosen program into e->decls and e->elements. */
bool elab_collect(Elab *e);
/* The function of that name, or the kernel that a factory made for it. */
FnDecl *elab_decl(Elab *e, Sym name);
/* Functions look names up where they stand: the scope at hand is that of `d` until elab_leave_scope
 * gets what this returned. */
typedef struct {
    CtScope *scope;
    const CtScope *program;
} ScopeMark;
ScopeMark elab_enter_scope(Elab *e, const FnDecl *d);
void elab_leave_scope(Elab *e, ScopeMark mark);
/* The kernel of a factory under way, as a function of its own. */
Val elab_make_kernel(Elab *e, const Ast *def);
/* Does a function of compile-time code hold kernels? */
bool elab_makes_kernels(Elab *e, const Ast *def);
/* The host function that is started, or the orchestration function that a host function is made
 * for, NULL after a mistake; with the types and values that its parameters get from outside. */
FnDecl *elab_take_entry(Elab *e);
/* Elaborates the entry and sets e->p->entry, with a host function of its own where the program has
 * none. */
bool elab_entry(Elab *e, FnDecl *entry);
bool elab_is_program_class(Elab *e, const Ast *a);
bool elab_is_factory(Elab *e, const Ast *a);
bool elab_is_kernel(Elab *e, const Ast *def);
bool elab_is_element(Elab *e, const Ast *def);
/* The decorator that says what a function is, below those that only a dump has: its place, and its
 * expanded builtins. NULL after a mistake. */
const Ast *elab_decorator(Elab *e, const Ast *def, Loc *place);
void elab_imports(Elab *e);
/* Nothing but statements of compile-time code? */
bool elab_is_compile_time(const AstList *body);
/* Is it a module-level function of compile-time code? */
bool elab_is_helper(Elab *e, const Ast *def);
bool elab_has_decorator(Elab *e, const AstList *list, const char *name);
/* Level and form of a kernel, from its decorator; false after a mistake. */
bool elab_kernel_kind(Elab *e, const Ast *def, FnDecl *out);
void elab_bad_decorator(Elab *e, const Ast *d);
/* Reports a module-level statement that is no part of a program; false when it is one. */
bool elab_foreign(Elab *e, const Ast *stmt);
/* Reports what does not belong in `def`, once: for dropped functions. */
void elab_check_names(Elab *e, const Ast *def);
/* Does a function call operations? Then it is a kernel that lacks its decorator. */
bool elab_has_operations(Elab *e, const Ast *def);
/* Marks what `entry` can reach by name. */
void elab_mark_reached(Elab *e, FnDecl *entry);
/* Does another function call it by name? */
bool elab_is_called(Elab *e, const FnDecl *d);

/* The place that a call of pld.loc gives; false after a mistake. */
bool elab_place(Elab *e, const Ast *call, Loc *out);
/* @pld.expansion of a dump? */
bool elab_is_expansion(Elab *e, const Ast *decorator);
/* Names that a body binds, anywhere in it (bound.c): into `seen`, new ones also into `out`. */
void elab_collect_bound(Elab *e, const AstList *body, Map *seen, SymList *out);

#include "elab/comptime/comptime.h"
#include "elab/comptime/types.h"

/* ---- messages */
/* The place of what is about the file as a whole, or about an option. */
static const Span elab_top = {0, 1};
/* Has elaboration found a mistake? */
static inline bool elab_failed(const Elab *e)
{
    return e->diags->n_errors > e->syntax_errors || diags_internal(e->diags);
}
#define elab_error(e, ...) diag_error((e)->diags, __VA_ARGS__)

#endif
