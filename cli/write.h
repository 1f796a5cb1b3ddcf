/* Where what pldc makes goes. Each returns an exit status, after a message when it could not be
 * written. */
#ifndef PLD_CLI_WRITE_H
#define PLD_CLI_WRITE_H

#include "base/buf.h"

/* The message, which is freed. */
int write_failed(char *why);
/* To standard output, for people. */
int show_text(const Buf *text);
/* To standard output, a program, byte for byte: it can be compiled again. */
int print_text(const Buf *text);
/* Into a file. */
int write_output(const char *path, const Buf *bytes);

#endif
