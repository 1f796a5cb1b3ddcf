/* Programs in, typed IR or messages out. */
#ifndef PLD_TESTS_SPECTEST_H
#define PLD_TESTS_SPECTEST_H

#include "elab/specialize.h"
#include "lower/pass.h"

typedef struct {
    Arena arena;
    Interner names;
    Diags diags;
    Source *src;
    Program *p; /* NULL after errors */
    Buf text;
} Spec;

/* Parses and elaborates. `options` NULL: none. */
void spec_run(Spec *s, const char *text, const SpecializeOptions *options);
/* With two more warnings switched on. */
void spec_run_warned(Spec *s, const char *text, const SpecializeOptions *options, const char *first,
                     const char *second);
void spec_free(Spec *s);
/* "line:col: message\n" for each error and warning, "  line:col: message\n" for notes. */
const char *spec_messages(Spec *s);
const char *spec_printed(Spec *s);

/* Fails unless the whole program is refused (or warned about) with exactly these messages. */
void expect_program_messages(const char *text, const SpecializeOptions *options,
                             const char *messages);
/* Fails unless the program elaborates without a message, its dump has `part`, verifies, and reads
 * back as itself. */
void expect_program_has(const char *text, const SpecializeOptions *options, const char *part);

/* The same for the body of an InCore function
 *     step(x: [1, 64] FP32, y: Out [1, 64] FP32, data: InOut window [2, 64] FP32,
 *          sig: InOut window [2, 1] INT32, n: INT32 scalar)
 * in module form, given with its lines not indented; its first line is line 3 of the text and its
 * first column column 5. `ir` is its body in the dump, not indented. */
void expect_body(const char *body, const char *ir);
void expect_body_messages(const char *body, const char *messages);

#endif
