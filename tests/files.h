/* Inputs and expected texts in files beside each other. */
#ifndef PLD_TESTS_FILES_H
#define PLD_TESTS_FILES_H

#include "base/arena.h"

/* A whole file, in the arena; fails the test when there is none. */
const char *files_read(Arena *arena, const char *path);
/* Compares with the file that has the name of `path` with another ending, or writes it under
 * UPDATE=1. A text that is empty has no file. */
void files_expect(Arena *arena, const char *path, const char *ending, const char *got);

#endif
