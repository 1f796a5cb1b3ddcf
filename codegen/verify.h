/* The parts of the bytecode verifier. */
#ifndef PLD_CODEGEN_VERIFY_H
#define PLD_CODEGEN_VERIFY_H

#include "codegen/bytecode.h"

/* One verification. */
typedef struct {
    const BcProgram *p;
    const char **why;    /* the first defect, in p->arena */
    const BcFunc *f;     /* function at hand, for messages; NULL between them */
    uint32_t *n_results; /* per function: scalars it returns */
    uint32_t *seen;      /* per extent: stamp of the function that binds it */
    uint32_t stamp;      /* of the function at hand */
} Verify;

/* Records a defect and returns false. */
bool bcv_fail(Verify *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* tile_place.c: how a tile lies in its memory; 0 bytes when malformed or too large for any core. */
CoreLayout bc_tile_layout(const BcTile *t, int64_t align);
/* verify_code.c */
/* One dtype and shape. */
bool bcv_same_tile(const BcTile *a, const BcTile *b);
/* The instructions of v->f. */
bool bcv_code(Verify *v);
/* verify_tiles.c: what the rules of codegen/verify.def ask of tiles; NULL, or the defect. `n`: the
 * length of the instruction's run. */
const char *bcv_tiles_BROADCAST(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_REDUCED(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_PART(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_PASTE(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_CONCAT(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_TILE_RESHAPE(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_SWAP(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_PAD(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_SAME_INDEXED(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_BYTES(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_TILE_ELEMENT(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_PRODUCT(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_TURN(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_COMPARED(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_SELECTED(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_PARTS(const BcFunc *f, const BcInsn *in, uint32_t n);
const char *bcv_tiles_COUNTED(const BcFunc *f, const BcInsn *in, uint32_t n);
/* verify_element.c: an init or golden function but for its code. */
bool bcv_element(Verify *v, const BcElementFunc *u);

#endif
