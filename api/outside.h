/* Types of an entry's tensors that come from outside the program: --tensor, and the headers of the
 * files that --input and --golden name. */
#ifndef PLD_API_OUTSIDE_H
#define PLD_API_OUTSIDE_H

#include "api/settings.h"

/* --tensor x=FP32[64,64]; false when it is no NAME=TYPE. */
bool outside_tensor(Arena *arena, Defines *defines, const char *text);
/* --input or --golden, NAME=FILE: the file's dtype and extents, where they can be read; what it is
 * else is the run's to say. Other words than files are left alone. */
void outside_file(Arena *arena, Defines *defines, const char *name, const char *path);

#endif
