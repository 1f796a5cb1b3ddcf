/* What tile instructions ask of their tiles together. */
#include "codegen/verify.h"

/* Tiles of fields a, b and c. */
#define TILES()                                                                                    \
    const BcTile *a = &f->tiles[in->a], *b = &f->tiles[in->b];                                     \
    (void)a, (void)b, (void)n;

static int64_t elements(const BcTile *t)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        n *= t->shape[i];
    return n;
}

/* Is `small` of the rank of `large` and no larger? */
static bool holds(const BcTile *large, const BcTile *small)
{
    bool good = large->rank == small->rank;
    for (uint32_t i = 0; good && i < large->rank; i++)
        good = small->shape[i] <= large->shape[i];
    return good;
}

/* Extent along an axis of the last BC_MAX_RANK; 1 for those that the tile has not. */
static int64_t aligned_extent(const BcTile *t, uint32_t axis)
{
    uint32_t missing = BC_MAX_RANK - t->rank;
    return axis < missing ? 1 : t->shape[axis - missing];
}

const char *bcv_tiles_BROADCAST(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    const BcTile *c = &f->tiles[in->c];
    if (a->dtype != b->dtype || a->dtype != c->dtype ||
        a->rank != (b->rank > c->rank ? b->rank : c->rank))
        return "tiles of different types";
    for (uint32_t i = 0; i < BC_MAX_RANK; i++) {
        int64_t x = aligned_extent(b, i), y = aligned_extent(c, i), both = x == 1 ? y : x;
        if ((y != 1 && y != both) || aligned_extent(a, i) != both)
            return "tiles that do not broadcast";
    }
    return NULL;
}

const char *bcv_tiles_REDUCED(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    TileReduce how = (TileReduce)in->imm;
    uint32_t axis = b->rank - (reduce_along_rows(how) ? 1u : 2u);
    if (b->rank < 2 || a->rank != b->rank || !reduce_takes(b->dtype) ||
        a->dtype != reduce_result(how, b->dtype))
        return "tiles of the wrong type";
    for (uint32_t i = 0; i < b->rank; i++)
        if (a->shape[i] != (i == axis ? 1 : b->shape[i]))
            return "tiles of the wrong shape";
    return NULL;
}

const char *bcv_tiles_PART(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    return a->dtype == b->dtype && holds(b, a) && n == b->rank ? NULL : "not a part of the tile";
}

const char *bcv_tiles_PASTE(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    const BcTile *c = &f->tiles[in->c];
    bool rounds = c->dtype == DT_FP32 && (a->dtype == DT_FP16 || a->dtype == DT_BF16);
    return bcv_same_tile(a, b) && (c->dtype == a->dtype || rounds) && holds(a, c) && n == a->rank
               ? NULL
               : "tiles that do not fit";
}

const char *bcv_tiles_CONCAT(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    const BcTile *c = &f->tiles[in->c];
    bool good = a->rank == 2 && b->rank == 2 && c->rank == 2 && a->dtype == b->dtype &&
                a->dtype == c->dtype && a->shape[0] == b->shape[0] && a->shape[0] == c->shape[0];
    return good && a->shape[1] - b->shape[1] == c->shape[1] ? NULL : "tiles that do not fit";
}

const char *bcv_tiles_TILE_RESHAPE(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    return a->dtype == b->dtype && elements(a) == elements(b) ? NULL : "tiles of other sizes";
}

const char *bcv_tiles_SWAP(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    uint32_t x = (uint32_t)in->imm / 8, y = (uint32_t)in->imm % 8;
    if (in->imm < 0 || x >= b->rank || y >= b->rank || a->rank != b->rank || a->dtype != b->dtype)
        return "tiles of different types";
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i == x ? y : i == y ? x : i])
            return "tiles of the wrong shape";
    return NULL;
}

const char *bcv_tiles_PAD(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    return a->dtype == b->dtype && holds(a, b) ? NULL : "tiles that do not fit";
}

const char *bcv_tiles_SAME_INDEXED(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    return bcv_same_tile(a, b) && n == a->rank ? NULL : "tiles of different types";
}

const char *bcv_tiles_BYTES(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    bool good = a->rank == b->rank;
    for (uint32_t i = 0; good && i + 1 < a->rank; i++)
        good = a->shape[i] == b->shape[i];
    return good && a->shape[a->rank - 1] * (int64_t)dtype_bytes(a->dtype) ==
                       b->shape[b->rank - 1] * (int64_t)dtype_bytes(b->dtype)
               ? NULL
               : "tiles of other sizes";
}

const char *bcv_tiles_TILE_ELEMENT(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    return n == f->tiles[in->b].rank ? NULL : "not an element";
}

static bool product_dtypes(const BcTile *a, const BcTile *b)
{
    switch (b->dtype) {
    case DT_FP32:
    case DT_FP16:
    case DT_BF16: return a->dtype == DT_FP32;
    default: return b->dtype == DT_INT8 && a->dtype == DT_INT32;
    }
}

static bool is_bias(const BcTile *d, const BcTile *a)
{
    return d->memory == MEM_BIAS && d->rank == 2 && d->shape[0] == 1 &&
           d->shape[1] == a->shape[1] && d->dtype == a->dtype;
}

const char *bcv_tiles_PRODUCT(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    const BcTile *c = &f->tiles[in->c], *d = in->op == BC_TMATMUL ? NULL : &f->tiles[in->d];
    if (a->rank != 2 || b->rank != 2 || c->rank != 2 || a->memory != MEM_ACC ||
        b->memory != MEM_LEFT || c->memory != MEM_RIGHT)
        return "operands in the wrong memory";
    if (a->shape[0] != b->shape[0] || a->shape[1] != c->shape[1] || b->shape[1] != c->shape[0] ||
        b->dtype != c->dtype || !product_dtypes(a, b))
        return "matrices that do not fit";
    if (in->op == BC_TMATACC)
        return bcv_same_tile(a, d) && d->memory == MEM_ACC ? NULL
                                                           : "an accumulator of another type";
    return !d || is_bias(d, a) ? NULL : "a bias of another type";
}

const char *bcv_tiles_TURN(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    bool good = a->dtype == b->dtype && a->rank == b->rank && a->memory == b->memory && a->rank > 1;
    for (uint32_t i = 0; good && i + 2u < a->rank; i++)
        good = a->shape[i] == b->shape[i];
    good = good && a->shape[a->rank - 1] == b->shape[a->rank - 2] &&
           a->shape[a->rank - 2] == b->shape[a->rank - 1];
    return good ? NULL : "a tile that is not the other one turned";
}

/* A bit for each column, rows padded to 32 bytes. */
static bool is_mask(const BcTile *m, const BcTile *t)
{
    bool good = m->dtype == DT_UINT8 && m->rank == t->rank;
    for (uint32_t i = 0; good && i + 1 < t->rank; i++)
        good = m->shape[i] == t->shape[i];
    return good && m->shape[m->rank - 1] == ((t->shape[t->rank - 1] + 7) / 8 + 31) / 32 * 32;
}

const char *bcv_tiles_COMPARED(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    if (!bcv_same_tile(b, &f->tiles[in->c]))
        return "tiles of different types";
    return is_mask(a, b) && in->imm >= 0 && in->imm < 6 ? NULL : "not a mask of its operands";
}

const char *bcv_tiles_SELECTED(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    if (!bcv_same_tile(a, &f->tiles[in->c]) || !bcv_same_tile(a, &f->tiles[in->d]))
        return "tiles of different types";
    return is_mask(b, a) ? NULL : "not a mask of its operands";
}

const char *bcv_tiles_PARTS(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    TILES()
    TileOp op = (TileOp)in->imm;
    if (op != TOP_ADD && op != TOP_MUL && op != TOP_MAX && op != TOP_MIN)
        return "another operation";
    return bcv_same_tile(a, b) && bcv_same_tile(a, &f->tiles[in->c]) ? NULL
                                                                     : "tiles of different types";
}

const char *bcv_tiles_COUNTED(const BcFunc *f, const BcInsn *in, uint32_t n)
{
    (void)n;
    const BcTile *a = &f->tiles[in->a];
    bool good = a->dtype == DT_INT16 || a->dtype == DT_INT32 || a->dtype == DT_UINT16 ||
                a->dtype == DT_UINT32;
    for (uint32_t i = 0; i + 1 < a->rank; i++)
        good = good && a->shape[i] == 1;
    return good && (in->imm == 0 || in->imm == 1) ? NULL : "not a row to count in";
}
