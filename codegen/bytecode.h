/* The bytecode: what pldc writes and pldrun runs. This header is all that sim/ sees of the
 * compiler. File format: man/pldb.5. */
#ifndef PLD_CODEGEN_BYTECODE_H
#define PLD_CODEGEN_BYTECODE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/builtin.h"
#include "base/core_memory.h"
#include "base/dtype.h"
#include "base/enums.h"
#include "base/platform.h"
#include "base/scalar.h"
#include "ir/tileop.h"
#include <stdbool.h>
#include <stdint.h>

#define BC_MAX_RANK 5
#define BC_MAX_REGS 65535   /* registers of a class, and tile slots, in a function */
#define BC_MAX_DIM_STACK 16 /* depth of a shape expression */
#define BC_MAX_CORE_BYTES (1 << 20)
#define BC_WORLD_EXTENT "pld.world_size()" /* the extent that is the number of devices */
#define BC_NONE 0xffffu                    /* an absent register or run */
#define BC_NO_INDEX UINT32_MAX             /* an absent table index */

typedef enum {
#define PLD_BC(ENUM, name, a, b, c, d, e, imm, doc) BC_##ENUM,
#include "codegen/bytecode.def"
    BC_OPCODE_COUNT
} BcOp;

/* Integer registers hold 64 bits: integers and BOOL (0 or 1) as int64_t, values of narrower dtypes
 * already in range; a scalar of a float dtype (element read, scalar parameter) as the bits of its
 * value as a double. BIN and UN work on floats as base/devarith.h says. Registers start as 0.
 * Memory registers start empty; using an empty one is a fault (the verifier knows their types, not
 * the paths). JMP, JZ, JNZ and FORPREP go forward only, FORLOOP and LOOP backward only.
 * In init and golden functions a register holds a number, which knows whether it is an integer or a
 * double; it starts unset, and using it then is an error. */
typedef struct {
    uint16_t op, a, b, c, d, e;
    int32_t imm;
} BcInsn;

/* The static type of a memory register, the same in the whole function. */
typedef enum { BCM_TENSOR, BCM_WINDOW, BCM_BUFFER } BcMemKind; /* the first two as in BcParamKind */
typedef struct {
    uint8_t kind;        /* BcMemKind */
    uint8_t dtype, rank; /* 0 for BUFFER, the result of ALLOC */
} BcMreg;

/* A shape expression in postfix form: `n` steps from `first` of the program's dim code. */
typedef enum {
    BCD_CONST,
    BCD_NAME,
    BCD_ADD,
    BCD_MUL,
    BCD_FLOORDIV,
    BCD_MOD,
    BCD_MIN,
    BCD_MAX
} BcDimOp;
typedef struct {
    uint32_t op;   /* BcDimOp */
    int64_t value; /* CONST: the number; NAME: index into BcProgram.extents */
} BcDimStep;
typedef struct {
    uint32_t first, n;
} BcDim;

typedef enum { BCP_TENSOR, BCP_WINDOW, BCP_SCALAR } BcParamKind;

typedef struct {
    uint32_t name; /* string */
    uint8_t kind;  /* BcParamKind; tensors and windows first, then scalars */
    uint8_t dir;   /* 0 in, 1 out, 2 inout */
    uint8_t dtype;
    uint8_t rank; /* 0 for scalars */
    bool signal;  /* WINDOW: used by notify, wait or a collective, here or in a callee */
    BcDim dims[BC_MAX_RANK];
} BcParam;

/* How a function finds a dynamic extent from its arguments: value = (extent - add) / mul, exactly.
 * A name that stands in the function but in no axis of the form mul * NAME + add has param
 * BC_NO_INDEX: only in the host function, whose extents the simulator knows by name. */
typedef struct {
    uint32_t
        extent; /* index into BcProgram.extents; its register is its position in BcFunc.binds */
    uint32_t param, axis;
    int64_t mul, add;
} BcBind;

typedef struct {
    uint8_t dtype, rank;
    MemSpace memory; /* never MEM_UNSET */
    int64_t shape[BC_MAX_RANK];
    int64_t addr;  /* byte address in its memory */
    int64_t bytes; /* there, padding included */
    uint32_t name; /* string: base name of the value, for messages; BC_NO_INDEX when stripped */
    /* not in the file; set by bc_place_tiles */
    int64_t pitch; /* bytes from a row to the next */
    int64_t at;    /* byte address when the memories of a core follow each other */
} BcTile;

typedef struct {
    uint32_t func;  /* callee */
    uint32_t n_mem; /* memory registers passed, one per memory parameter */
    const uint16_t *mem;
    uint32_t n_scalars; /* integer registers passed */
    const uint16_t *scalars;
    uint16_t results; /* first register of the run of scalar results */
    uint16_t n_results;
} BcCall;

/* A put or get: run of registers dst_offsets, src_offsets, shape (3 * rank of them). */
typedef struct {
    uint16_t run;
    uint8_t rank;
    uint8_t atomic; /* AtomicType; 0 for get */
    bool pipeline;
    uint8_t n_stages;   /* 1 or 2 */
    uint16_t stages[2]; /* tile slots */
} BcXfer;

/* Source map: instructions from `pc` on (up to the next entry) came from here. */
typedef struct {
    uint32_t pc;
    uint32_t file;      /* string */
    uint32_t line, col; /* from 1; 0: unknown */
} BcLoc;

/* Instructions from `pc` on (up to the next entry) are the code of a builtin call, or of none.
 * Those before the first entry are of none. Unlike the source map this decides: what the checks ask
 * of builtins, what the cost card counts, how a run is told. */
typedef struct {
    uint32_t pc;
    uint32_t site; /* index into BcFunc.sites, or BC_NO_INDEX */
    uint8_t phase; /* Phase */
} BcRegion;

typedef enum { BCF_HOST, BCF_ORCH, BCF_INCORE, BCF_ELEMENT } BcFuncKind;

typedef struct {
    uint32_t name;   /* string */
    uint8_t kind;    /* BcFuncKind */
    bool generated;  /* builtin made by the compiler */
    uint16_t n_regs; /* integer registers: dynamic extents (binds), then scalar parameters, then the
                        rest */
    uint16_t n_mregs; /* memory registers: memory parameters first */
    uint32_t n_params, n_binds, n_tiles, n_calls, n_xfers, n_insns, n_locs;
    uint32_t n_sites, n_regions;
    const BcParam *params;
    const BcBind *binds;
    const BcTile *tiles;
    const BcCall *calls;
    const BcXfer *xfers;
    const BcInsn *insns;
    const BcLoc *locs;
    const uint8_t *sites; /* builtin calls expanded in the function: Builtin of each */
    const BcRegion *regions;
    const BcMreg *mregs;           /* n_mregs types, those of the memory parameters first */
    int64_t core_bytes[MEM_KINDS]; /* peak of each memory of the core; 0 for MEM_UNSET */
} BcFunc;

typedef struct {
    uint32_t name;            /* string: the buffer's name in the source */
    uint32_t file, line, col; /* of the allocation; file BC_NO_INDEX when stripped */
    int64_t align;
    bool zero;
} BcWindow;

/* An init or golden function: the value of one element of a host parameter. */
typedef struct {
    bool golden;
    uint32_t param;    /* parameter of the host function */
    uint32_t n_index;  /* the last parameters of `func`; 0 for a scalar */
    double rtol, atol; /* negative: unsaid */
    BcFunc func; /* ELEMENT; parameters: those of the host function that it reads, known by their
                    names and in that order, then the index. Returns one number. */
} BcElementFunc;

typedef struct {
    Arena *arena;            /* owns all tables of a decoded program */
    uint8_t platform;        /* PlatformId */
    uint32_t ranks;          /* devices it is for; 0: any number */
    uint32_t compiled_ranks; /* -d / --ranks it was compiled with */
    uint32_t entry;          /* function index of the host function */
    uint32_t n_strings, n_consts, n_extents, n_dim_steps, n_funcs, n_windows, n_element_funcs,
        n_bindings;
    const char *const *strings;
    const int64_t *consts;
    const uint32_t *extents; /* strings: dynamic extent names */
    const BcDimStep *dim_steps;
    const BcFunc *funcs;
    const BcWindow *windows;
    const BcElementFunc *element_funcs;
    const uint32_t (*bindings)[2]; /* strings: parameter name and value */
    uint32_t program_name;         /* string */
    bool stripped;                 /* no source map */
    uint64_t hash;                 /* of the stripped encoding; set by bc_decode and bc_encode */
} BcProgram;

/* Bytes of all memories of a core that a function needs. */
int64_t bc_core_bytes(const BcFunc *f);
/* Sets what tiles hold besides what is in the file, for rows padded to `align`. False where a tile
 * is malformed, or too large for any core. */
bool bc_place_tiles(BcFunc *f, BcTile *tiles, int64_t align);

/* Appends the .pldb file form. Deterministic: the same program gives the same bytes. `strip` leaves
 * the source map (locs, files, lines) out. */
void bc_encode(BcProgram *p, bool strip, Buf *out);
/* Sets p->hash to the hash of the stripped encoding, for a program that is run without being
 * written. */
void bc_hash(BcProgram *p);

/* Parameters that are tensors and windows: the first ones. */
uint32_t bc_memory_params(const BcFunc *f);
/* Does some function hold a pl.debug_print? */
bool bc_prints(const BcProgram *p);
/* Is the function one of the caller's, a sub-worker? */
bool bc_is_outside(const BcFunc *f);

/* Decodes and verifies a file (bc_verify). Tables live in `arena`. On any defect returns NULL and
 * sets *why to one line ("section 4 (functions): checksum mismatch"); never reads outside the
 * bytes. */
BcProgram *bc_decode(Arena *arena, const void *bytes, size_t len, const char **why);

/* Everything the simulator relies on: opcodes, register, tile, constant, table and string bounds,
 * jump targets inside the function, last instruction does not fall off, kinds of callees and their
 * argument lists, dtypes, ranks, tile addresses inside the largest platform memory and rows
 * aligned, acyclic calls, sizes without overflow. */
bool bc_verify(const BcProgram *p, const char **why);

/* One instruction a line with its source line; same for pldc --emit=asm and pldrun --disasm. */
void bc_disassemble(const BcProgram *p, Buf *out);

/* Appends a shape expression: "(NR * 2)". */
void bc_dim_text(const BcProgram *p, const BcDim *dim, Buf *out);

/* The builtin call that an instruction belongs to: its entry of f->regions; NULL: none. */
const BcRegion *bc_region(const BcFunc *f, uint32_t pc);
/* The innermost source map entry for an instruction, or NULL. */
const BcLoc *bc_loc(const BcFunc *f, uint32_t pc);
const char *bc_op_name(BcOp op);
/* The six field codes of an opcode, as in bytecode.def. */
const char *bc_op_fields(BcOp op);

#define BC_MAGIC "PLDB\r\n\x1a\n"
#define BC_VERSION 7

#endif
