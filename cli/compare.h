/* pldc --compare: two programs side by side. */
#ifndef PLD_CLI_COMPARE_H
#define PLD_CLI_COMPARE_H

#include "cli/compile.h"

/* Prints the difference of the dumps after a->dump_pass, function by function, and below it the
 * cost cards of one run of each. Returns 0 when the dumps are equal, 1 when they differ, 2 in
 * trouble. */
int compare(const CompileOptions *a, const CompileOptions *b, const char *name_a,
            const char *name_b, Buf *out);

/* cli/diff.c: appends the difference of two texts, `context` lines around every change, under a
 * heading of its own; nothing when they are equal. Returns whether they differ. */
bool diff_text(Buf *out, const char *heading, const char *a, size_t a_len, const char *b,
               size_t b_len);

#endif
