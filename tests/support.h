/* What every Check program needs around its tests. */
#ifndef PLD_TESTS_SUPPORT_H
#define PLD_TESTS_SUPPORT_H

#include <check.h>

/* Runs one suite and returns the exit status of the program. */
int run_suite(Suite *suite);

#endif
