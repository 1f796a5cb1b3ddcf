/* Host tensors: what the host function's tensor parameters hold. */
#ifndef PLD_SIM_MACHINE_TENSOR_H
#define PLD_SIM_MACHINE_TENSOR_H

#include "codegen/bytecode.h"
#include <stdbool.h>
#include <stdint.h>

#define TENSOR_MAX_BYTES (INT64_C(1) << 34)

/* A range of bytes. */
typedef struct {
    int64_t offset, bytes;
    int64_t at; /* where it lies in `data` and `initial` of a tensor that is held in parts */
} TensorSpan;

typedef struct {
    const char *name;
    uint8_t dtype, rank;
    uint8_t dir; /* 0 in, 1 out, 2 inout */
    int64_t shape[BC_MAX_RANK];
    int64_t elements, bytes; /* of the whole; no overflow */
    int64_t held;            /* bytes of `data` and of `initial` */
    char *data;              /* row-major, dense: see tensor_at */
    char *initial; /* its value before the run, what init functions and goldens see; for an
                      Out tensor without init zeros */
    bool borrowed; /* `initial` is the caller's */
    bool manual;   /* made so that tasks alone order who touches it */
    /* Over processes: bytes that are held here, in order, without neighbours; those whose end is to
     * be looked at here, which are held or have never been written. */
    bool partial;
    uint32_t n_spans, n_owned;
    const TensorSpan *spans, *owned;
} HostTensor;

/* Computes elements and bytes from dtype, rank and shape. false: an extent is negative or there are
 * more than TENSOR_MAX_BYTES; *why names the tensor. */
bool tensor_measure(Arena *arena, HostTensor *t, const char **why);

/* What is held here of a tensor over processes: in order, without overlap; kept. */
void tensor_hold(HostTensor *t, TensorSpan *spans, uint32_t n);
/* Where a byte lies in t->data or t->initial; NULL when it is not held here. */
char *tensor_at(const HostTensor *t, char *memory, int64_t offset);
/* The first byte behind `offset` of which tensor_at says other than of `offset`; or the tensor's
 * end.
 */
int64_t tensor_next_bound(const HostTensor *t, int64_t offset);
/* `data` as it was before the run. */
void tensor_reset(HostTensor *t);
/* Byte offset of an element; the index is in range. */
int64_t tensor_offset(const HostTensor *t, const int64_t *index);
/* Moves a row-major index on by one; false after the last. */
bool tensor_next(const HostTensor *t, int64_t *index);
/* The index of an element by its position in memory. */
void tensor_unravel(const HostTensor *t, int64_t position, int64_t *index);
/* "[1, 2]"; extents of -1 are printed as ?. */
void tensor_index_text(Buf *out, uint32_t rank, const int64_t *index);

#endif
