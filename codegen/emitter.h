/* What the files of the code generator share. Code is generated with virtual registers, one per
 * value; emit_regs.c maps them to few real ones. */
#ifndef PLD_CODEGEN_EMITTER_H
#define PLD_CODEGEN_EMITTER_H

#include "base/map.h"
#include "codegen/bytecode.h"
#include "ir/alias.h"
#include "ir/build.h"
#include "ir/ir.h"

/* A virtual register. Those of a run have consecutive numbers. */
typedef uint32_t VReg;
#define NO_VREG UINT32_MAX

/* An instruction whose register fields are virtual. */
typedef struct {
    uint16_t op;
    uint32_t f[5];
    int32_t imm;
} VInsn;

typedef struct {
    uint32_t func;
    uint32_t n_mem, n_scalars, n_results;
    VReg *mem, *scalars;
    VReg results; /* first of a run, or NO_VREG */
} VCall;

typedef struct {
    VReg run;
    uint32_t rank, n_stages, stages[2];
    uint8_t atomic;
    bool pipeline;
} VXfer;

/* Where a virtual register lives: positions are 0 for the prologue, 1 + index for the body. */
typedef struct {
    VReg first; /* of its run */
    uint32_t n; /* length of the run, at its first; else 0 */
    uint32_t start,
        end;        /* positions of the first and last touch; start UINT32_MAX: never touched */
    uint32_t loop;  /* live to the end of this loop, or UINT32_MAX */
    uint32_t fixed; /* the real register it must have, or UINT32_MAX */
    uint32_t real;  /* result of the allocation */
    uint32_t type;  /* memory: index of its BcMreg type */
} LiveInterval;

typedef struct {
    VEC(LiveInterval) regs;
} RegFile;

/* An open or closed loop of the body, for lifetimes: positions. */
typedef struct {
    uint32_t begin, end;
} LoopRange;

/* Jumps to be patched. */
typedef VEC(uint32_t) JumpList;

/* A loop being emitted. */
typedef struct LoopCode {
    const Stmt *stmt;
    JumpList breaks, continues;
    struct LoopCode *outer;
} LoopCode;

/* A run of registers that instructions share: constant parts are set in the prologue, the others
 * before each use unless they hold their value already. */
typedef struct {
    VReg first;
    uint32_t label;           /* FuncEmit.label when the parts were set */
    VReg parts[3 * MAX_RANK]; /* register whose value each part has, or NO_VREG */
} SharedRun;

/* The program being emitted. */
typedef struct {
    Arena *arena;
    Program *p;
    BcProgram *out;
    BcFunc *funcs; /* out->funcs */
    Aliases memory;
    Map func_index;   /* Func * -> index */
    Map string_index; /* Sym -> index */
    VEC(const char *) strings;
    Map const_index; /* value -> index */
    VEC(int64_t) consts;
    Map dim_index; /* Dim * -> index in dims */
    VEC(BcDim) dims;
    VEC(BcDimStep) steps;
    VEC(BcWindow) windows;
    VEC(BcElementFunc) element_funcs;
    uint32_t *extents; /* of the program, with room for one more */
    bool world;        /* the number of devices is that one */
} Emit;

/* The function being emitted. */
typedef struct {
    Emit *em;
    Program *p;
    Func *f;
    VEC(VInsn) prologue, code;
    RegFile ints, mems;
    VEC(BcMreg) mem_types;
    uint32_t *param_at;      /* per parameter: emit_param_index */
    VReg *var_reg;           /* per integer variable: its register */
    const FuncAlias *memory; /* what the others are */
    VReg *mem_reg;           /* per node of `memory` that is a value: its register */
    VEC(LoopRange) loops;
    VEC(uint32_t) open; /* loops around the code at hand */
    LoopCode *loop;
    VEC(BcLoc) locs;
    VEC(BcRegion) regions;
    VEC(uint8_t) sites; /* of the function's expansions that have code, in order of that */
    uint32_t *site;     /* per expansion (Loc.site): its number in `sites` + 1, 0: none yet */
    Loc loc;            /* of the statement at hand */
    Loc mapped;         /* that the last entry of locs is made from */
    Map tile_slots;     /* Type * -> slot */
    VEC(BcTile) tiles;
    VEC(VCall) calls;
    VEC(VXfer) xfers;
    VEC(BcBind) binds;
    VEC(VReg) bind_regs;
    Map bind_index;  /* Sym -> index in binds */
    Map own_extents; /* Sym -> register, of extents that the function makes */
    Map const_regs;  /* value -> register of the prologue */
    Map float_regs;  /* the same for doubles, by their bits */
    Map run_index;   /* pattern (Sym) -> index in runs */
    VEC(SharedRun) runs;
    uint32_t label;     /* changes where control flow meets */
    bool apart;         /* code for a print: it shares no registers with other code */
    uint32_t patched;   /* the instruction that some jump leads to, the last such */
    uint32_t n_hoisted; /* registers that the prologue sets */
    Span span;          /* of the expression at hand, for messages */
} FuncEmit;

/* emit.c */
uint32_t emit_string(Emit *em, const char *text);
uint32_t emit_const(Emit *em, int64_t value);
/* The postfix form of a shape expression. */
BcDim emit_dim(FuncEmit *fe, const Dim *d);
/* The register of a dynamic extent. */
VReg emit_extent(FuncEmit *fe, Sym name);
/* An extent that the function makes itself gets its value. */
VReg emit_local_extent(FuncEmit *fe, const Expr *e);

/* emit_func.c: one function into em->funcs[index]. */
void emit_func(Emit *em, Func *f, uint32_t index);
/* An init or golden function, into em->element_funcs. */
void emit_element(Emit *em, Func *f);
/* Appends an instruction; its register fields become live. Returns its index. */
uint32_t emit_insn(FuncEmit *fe, BcOp op, const uint32_t f[5], int64_t imm);
/* Its fields a to e; those left out are 0. */
#define FIELDS(...) ((const uint32_t[5]){__VA_ARGS__})
/* Lets the jump at `at` go to the next instruction. */
void emit_patch(FuncEmit *fe, uint32_t at);
/* Where parameter `at` of a function stands in the bytecode: memory first, then scalars. */
uint32_t emit_param_index(const Func *f, uint32_t at);
/* The slot of a placed tile type. */
uint32_t emit_slot(FuncEmit *fe, const Type *t, Sym name);

/* emit_expr.c */
VReg emit_expr(FuncEmit *fe, const Expr *e);
void emit_expr_into(FuncEmit *fe, VReg dst, const Expr *e);
VReg emit_const_reg(FuncEmit *fe, int64_t value);
/* The same for the constant of a register that knows it is a double. */
VReg emit_float_reg(FuncEmit *fe, double value);
/* The values of `n` expressions in a run of registers; parts that are constant are set once in the
 * prologue. Runs that one instruction uses together need different roles. */
VReg emit_run(FuncEmit *fe, char role, Expr *const *items, uint32_t n);

/* The slot of a tile operand. */
uint32_t emit_tile(FuncEmit *fe, const Expr *e);
/* Index of the constant that every element of memory or of a tile is set to. */
uint32_t emit_element_const(FuncEmit *fe, const Expr *e, Dtype dtype);
/* emit_view.c: an op that makes memory, or a view of it. */
void emit_view(FuncEmit *fe, const Expr *e, VarId result);
/* emit_shape.c: an op on parts and shapes of tiles into slot `to`. */
void emit_shape(FuncEmit *fe, const Expr *e, uint32_t to);
/* emit_show.c: pl.debug_print. */
void emit_debug_print(FuncEmit *fe, const Expr *e);
/* emit_op.c: an op or call for its effect and, where results has variables, its values. */
void emit_op(FuncEmit *fe, const Expr *e, const VarId *results, uint32_t n_results);
/* The memory register of a memory, buffer or context operand. */
VReg emit_memory(FuncEmit *fe, const Expr *e);

/* emit_flow.c */
void emit_block(FuncEmit *fe, const Block *b, const Stmt *owner);
/* Enters the range of a loop whose body begins with the next instruction; returns its number. */
uint32_t emit_open_loop(FuncEmit *fe);
void emit_close_loop(FuncEmit *fe, uint32_t id);
/* Lets the jumps of a list go to the next instruction, and empties it. */
void emit_patch_all(FuncEmit *fe, JumpList *jumps);

/* emit_memory.c: the register of a memory. */
/* Whether `v` is one memory on every path, so that nothing is ever moved into its register. */
bool emit_one_memory(const FuncEmit *fe, VarId v);
VReg emit_memory_reg(const FuncEmit *fe, VarId v);
/* A register for the memory that `v` brings in or, for a value that is one of several, holds. */
VReg emit_memory_result(FuncEmit *fe, VarId v, BcMreg type);
BcMreg emit_mem_type(const Type *t);

/* emit_regs.c */
VReg regs_new(RegFile *rf, uint32_t n);
void regs_touch(FuncEmit *fe, RegFile *rf, VReg r, uint32_t n, uint32_t pos);
/* Gives every virtual register a real one; false when there are not enough. */
bool regs_assign_ints(FuncEmit *fe, uint32_t *n_regs);
bool regs_assign_mems(FuncEmit *fe, BcMreg **types, uint32_t *n_mregs);

/* emit_number.c: what init and golden functions compute. */
VReg emit_number(FuncEmit *fe, const Expr *e);
void emit_number_into(FuncEmit *fe, VReg dst, const Expr *e);
/* Assignments and loops; the others are as everywhere. */
void emit_number_let(FuncEmit *fe, const Stmt *s);
void emit_number_for(FuncEmit *fe, const Stmt *s);
void emit_number_while(FuncEmit *fe, const Stmt *s);

#endif
