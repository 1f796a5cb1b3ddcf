/* What ends a run or an exploration from outside: a time limit, a signal. */
#ifndef PLD_CLI_STOP_H
#define PLD_CLI_STOP_H

/* From now on for so many seconds; 0: no limit. */
void stop_after(double seconds);
/* SIGINT and SIGTERM are noted instead of ending the program; the second one ends it. */
void stop_on_signals(void);
/* "time limit", "interrupted", or NULL: go on. For RunConfig.stop. */
const char *stop_reason(void *env);

#endif
