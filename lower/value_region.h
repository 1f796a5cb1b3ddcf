/* Where tensor values are valid. */
#ifndef PLD_LOWER_VALUE_REGION_H
#define PLD_LOWER_VALUE_REGION_H

#include "ir/build.h"

typedef enum {
    REGION_WHOLE,   /* valid in all elements */
    REGION_PART,    /* in a rectangle from the origin, which `valid` gives */
    REGION_ON_CORE, /* perhaps in a part, which only a tile knows */
} RegionKind;

typedef struct {
    RegionKind kind;
    Expr *valid[MAX_RANK]; /* REGION_PART: INDEX expressions, not to be changed */
} ValueRegion;

typedef struct {
    Program *p;
    ValueRegion *region; /* by variable */
    uint32_t n;
} RegionEnv;

/* The region of what an expression gives, by those of its operands. */
ValueRegion value_region(const RegionEnv *r, const Expr *e);
/* How much of `size` elements from `offset` on is valid, where `valid` are from 0 on. */
Expr *region_behind(const RegionEnv *r, const Expr *valid, const Expr *offset, int64_t size);

#endif
