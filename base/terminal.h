/* Text on its way to a terminal: what a program, a file name or an argument holds must not be able
 * to change it. Everything that the tools print passes through here, or through base/diag_print.c,
 * which asks here. */
#ifndef PLD_BASE_TERMINAL_H
#define PLD_BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Control characters: U+0000 to U+001F, U+007F to U+009F. */
bool code_is_control(uint32_t code);

enum { TERMINAL_ESCAPE = 16 };
/* What stands for a code point of `n` bytes (as utf8_decode gives them) that a terminal must not
 * get: a control, one that reorders text, or a byte that is no UTF-8. "" when it may be printed. */
void terminal_escape(char escape[TERMINAL_ESCAPE], const char *bytes, uint32_t n, uint32_t code);

/* Prints one line; the newline is added. Whatever comes in through the arguments stays on it. */
void terminal_line(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints text of several lines: newlines and tabs pass. `text` may be NULL when `len` is 0. */
void terminal_text(FILE *out, const char *text, size_t len);

#endif
