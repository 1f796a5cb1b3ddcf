/* Where the tensor values of a kernel are: on the core where they fit beside what else is alive
 * there, else in scratch memory of the kernel. */
#ifndef PLD_LOWER_VALUE_PLAN_H
#define PLD_LOWER_VALUE_PLAN_H

#include "lower/value_region.h"

/* Rows and columns of one block of a product that is made in blocks. */
enum { VALUE_BLOCK = 128 };

typedef enum {
    VALUE_NONE,    /* no tensor value, nor carried as one */
    VALUE_TILE,    /* a tile in Vec, or where its operation puts it */
    VALUE_MAT,     /* a part of memory that only products read */
    VALUE_ACC,     /* an accumulator from its beginning */
    VALUE_SCRATCH, /* device memory */
} ValuePlace;

typedef struct {
    uint8_t *place;      /* ValuePlace, by variable */
    ValueRegion *region; /* by variable: where it is valid, as far as that is known here */
    uint32_t n;          /* variables that it speaks of */
    int64_t room;        /* bytes of Vec that nothing takes where the most is alive */
} ValuePlan;

/* For a function in flat SSA form. */
ValuePlan value_plan(Program *p, Func *f);
void value_plan_free(ValuePlan *plan);

static inline ValuePlace value_place(const ValuePlan *plan, VarId v)
{
    return v < plan->n ? (ValuePlace)plan->place[v] : VALUE_NONE;
}

#endif
