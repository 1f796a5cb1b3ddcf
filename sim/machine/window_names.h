/* Windows have two names: that of the buffer, in the host function, and that of the parameter, in
 * the code that uses them. */
#ifndef PLD_SIM_MACHINE_WINDOW_NAMES_H
#define PLD_SIM_MACHINE_WINDOW_NAMES_H

#include "sim/machine/world.h"

/* The parameter that is the window in the function at `at`, whose dispatch says what its arguments
 * are; NULL: none is, or it is called like the buffer. */
const char *window_param(const World *w, CodePlace at, uint32_t window);
/* Appends ` (parameter signal)` where that says more than the buffer's name. */
void window_param_text(const World *w, Buf *out, CodePlace at, uint32_t window);
/* The window with a buffer, or else a parameter, of this name; of code that runs on `rank`,
 * negative: on any. False: there is none, or a parameter of that name is several windows
 * (*several). */
bool window_find(const World *w, const char *name, int64_t rank, uint32_t *window, bool *several);

#endif
