/* --print NAME[slice]: a host tensor or a window as NumPy shows it. */
#ifndef PLD_SIM_REPORT_PRINT_TENSOR_H
#define PLD_SIM_REPORT_PRINT_TENSOR_H

#include "base/buf.h"
#include "sim/machine/world.h"

/* Splits "y[0,0,:8]" into the tensor's name and its slice; false and *why (in the arena) for bad
 * syntax. */
bool print_spec_name(Arena *arena, const char *spec, const char **name, const char **why);
/* Appends `name[slice] =` and the elements. Indices and slices (start:stop:step, negative from the
 * end, `...` not) as in NumPy; large ones are summarised with ... over 1000 elements. */
bool print_tensor(Arena *arena, Buf *out, HostTensor *t, const char *spec, const char **why);
/* The same of what the name means: a host tensor, or a window by its buffer's or a parameter's
 * name, and then its first subscript is the rank: "w[2][0,:8]", "w[2,0,:8]". */
bool print_named(Arena *arena, Buf *out, const World *w, const char *spec, const char **why);

/* An element that print_named shows. */
typedef struct {
    bool tensor;     /* else a window */
    uint32_t object; /* its number */
    uint32_t rank;   /* of the window */
    uint32_t bytes;
    int64_t at; /* its first byte */
} PrintedElement;
typedef void PrintedEach(void *env, const PrintedElement *e);

/* Each of them; none where the slice is no good. */
void print_shown(const World *w, const char *spec, PrintedEach *each, void *env);

#endif
