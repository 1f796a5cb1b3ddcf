/* The IR verifier: structure and types, and the properties that passes promise. */
#ifndef PLD_IR_VERIFY_H
#define PLD_IR_VERIFY_H

#include "ir/ir.h"

/* Properties of a program; what passes require, produce and break. */
typedef enum {
    PROP_TYPED = 1 << 0,         /* every value typed, names resolved */
    PROP_INLINED = 1 << 1,       /* no InCore function calls one, no pl.unroll */
    PROP_SSA = 1 << 2,           /* each name bound once */
    PROP_FLAT = 1 << 3,          /* no op or call below another op; scalar arithmetic may nest */
    PROP_TILES = 1 << 4,         /* no pl.tensor arithmetic, slice or assign in InCore code */
    PROP_SIGNALS = 1 << 5,       /* every collective has its signal */
    PROP_NO_COMPOSITES = 1 << 6, /* no collective in InCore code */
    PROP_NO_HOST_COLLECTIVES = 1 << 7,
    PROP_STAGED = 1 << 8,    /* put and get have staging tiles */
    PROP_WINDOWS = 1 << 9,   /* alloc_window_buffer has name, offset, bytes, align, zero */
    PROP_FENCED = 1 << 10,   /* fences explicit */
    PROP_PLACED = 1 << 11,   /* every tile has an address; init, iter, yield and result of a carried
                                tile share it */
    PROP_OUTLINED = 1 << 12, /* no scopes: orchestration code calls InCore functions */
    PROP_KINDS = 1 << 13,    /* every tile is in a memory of the core, one that its op wants */
} Property;

const char *property_name(Property property);

/* Checks structure, types (by infer_op again) and the given properties; reports each violation with
 * diag_internal naming function and op, prefixed by `blame` (a pass name). Returns true when clean.
 */
bool ir_verify(Program *p, uint32_t properties, const char *blame);
/* The same for one function; one that is clean gets its `lacks` and `verified`. */
bool ir_verify_func(Program *p, Func *f, uint32_t properties, const char *blame);

#endif
