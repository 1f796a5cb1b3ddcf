/* The main of a fuzz target that is built without a fuzzer: runs every file named on the command
 * line through it. */
#ifndef PLD_TESTS_FUZZ_REPLAY_H
#define PLD_TESTS_FUZZ_REPLAY_H

#include "base/buf.h"
#include "base/file.h"
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

#ifndef PLD_FUZZING
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        Buf bytes = {0};
        char *why;
        if (!file_read(argv[i], &bytes, SIZE_MAX / 2, &why)) {
            fprintf(stderr, "%s\n", why);
            return 1;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)bytes.at, bytes.len);
        buf_free(&bytes);
    }
    return 0;
}
#endif

#endif
