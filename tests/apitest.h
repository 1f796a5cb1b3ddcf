/* Programs for tests of the library; what does not compile fails the test. */
#ifndef PLD_TESTS_APITEST_H
#define PLD_TESTS_APITEST_H

#include "api/pld.h"

/* The sample at `path` for a list of devices. */
pld_program *sample_program(const char *path, const char *devices);
/* A text for two devices. */
pld_program *text_program(const char *text);

#endif
