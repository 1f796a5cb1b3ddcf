/* What both tools have around their work. */
#ifndef PLD_CLI_TOOL_H
#define PLD_CLI_TOOL_H

#include <stdbool.h>
#include <stddef.h>

enum { STATUS_MEMORY = 71 };

/* Runs `work` and returns its exit status; 71 after a message where memory did not suffice. A limit
 * of file sizes is an error like a full disk meanwhile, not the end of the process. */
int tool_run(const char *tool, int argc, char **argv, int (*work)(int argc, char **argv));

/* Flushes and checks standard output (full disk, closed pipe): false and *why (xfree) on an error.
 */
bool stdout_finish(char **why);

/* Within tool_run: what all heaps may take from now on, in bytes; more is status 71. 0: three
 * quarters of what the machine has, or its container. */
void tool_limit_memory(size_t bytes);

#endif
