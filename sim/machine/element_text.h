/* Bytes of windows and tensors as elements, for reports. */
#ifndef PLD_SIM_MACHINE_ELEMENT_TEXT_H
#define PLD_SIM_MACHINE_ELEMENT_TEXT_H

#include "base/buf.h"
#include "sim/machine/world.h"

/* Appends "data[2, 0:16]": the elements of bytes [first, end) of a window, in the shape of its
 * first view; of `dtype` when it has none. */
void elements_window(const World *w, Buf *out, uint32_t window, uint8_t dtype, int64_t first,
                     int64_t end);
/* The same for a region of a dispatch. */
void elements_region(const World *w, Buf *out, uint32_t dispatch, uint32_t region, int64_t first,
                     int64_t end);
/* "rank 3", or "rank 3 core 1" where the dispatch has several lanes. */
void elements_who(const World *w, Buf *out, CodePlace at);
/* Source spelling of the operation: "remote_load", "pl.read", ...; NULL: it has none. */
const char *elements_op_name(uint16_t insn);
/* The same, and "access" for others. */
const char *elements_op(uint16_t insn);

#endif
