/* The main of a fuzz target that is built without a fuzzer: runs every file named on the command
 * line through it, or with `-random SECONDS CURRENT FILE...` what comes of them by mutation, which
 * lies in the file CURRENT meanwhile. */
#ifndef PLD_TESTS_FUZZ_REPLAY_H
#define PLD_TESTS_FUZZ_REPLAY_H

#include "base/buf.h"
#include "base/file.h"
#include "base/heap.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

#ifndef PLD_FUZZING
static bool replay_read(const char *path, Buf *bytes)
{
    char *why;
    if (file_read(path, bytes, SIZE_MAX / 2, &why))
        return true;
    fprintf(stderr, "%s\n", why);
    return false;
}

static uint64_t replay_random(uint64_t *state, uint64_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return below ? *state % below : 0;
}

/* Some bytes are changed, taken out, doubled, or come from another file. */
static void replay_mutate(uint64_t *state, const Buf *from, const Buf *other, Buf *out)
{
    static const char odd[] = {0, 1, 127, (char)128, (char)255, '\n', '(', ')', '9', '-'};
    buf_clear(out);
    buf_bytes(out, from->at, from->len);
    for (uint64_t n = 1 + replay_random(state, 6); n > 0 && out->len > 0; n--) {
        size_t at = replay_random(state, out->len), left = out->len - at;
        size_t some = 1 + replay_random(state, left < 32 ? left : 32);
        size_t there = replay_random(state, other->len);
        switch (replay_random(state, 5)) {
        case 0: out->at[at] ^= (char)(1 << replay_random(state, 8)); break;
        case 1: out->at[at] = odd[replay_random(state, sizeof odd)]; break;
        case 2:
            memmove(out->at + at, out->at + at + some, left - some);
            out->len -= some;
            break;
        case 3: {
            Buf whole = {0};
            buf_bytes(&whole, out->at, at + some);
            buf_bytes(&whole, out->at + at, left);
            buf_free(out);
            *out = whole;
            break;
        }
        default:
            if (there + some <= other->len)
                memcpy(out->at + at, other->at + there, some);
        }
    }
}

static int replay_fuzz(double seconds, const char *current, int n, char **paths)
{
    Buf *files = xcalloc((size_t)n + 1, sizeof *files), bytes = {0};
    uint64_t state = 88172645463325252u, runs = 0;
    for (int i = 0; i < n; i++)
        if (!replay_read(paths[i], &files[i]))
            return 1;
    for (time_t end = time(NULL) + (time_t)seconds; n > 0 && time(NULL) < end; runs++) {
        const Buf *from = &files[replay_random(&state, (uint64_t)n)];
        replay_mutate(&state, from, &files[replay_random(&state, (uint64_t)n)], &bytes);
        FILE *f = fopen(current, "wb");
        if (!f || fwrite(bytes.at, 1, bytes.len, f) != bytes.len || fclose(f) != 0)
            return 1;
        LLVMFuzzerTestOneInput((const uint8_t *)bytes.at, bytes.len);
    }
    for (int i = 0; i < n; i++)
        buf_free(&files[i]);
    xfree(files);
    buf_free(&bytes);
    remove(current);
    fprintf(stderr, "Done %llu runs\n", (unsigned long long)runs);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 3 && strcmp(argv[1], "-random") == 0)
        return replay_fuzz(atof(argv[2]), argv[3], argc - 4, argv + 4);
    for (int i = 1; i < argc; i++) {
        Buf bytes = {0};
        if (!replay_read(argv[i], &bytes))
            return 1;
        LLVMFuzzerTestOneInput((const uint8_t *)bytes.at, bytes.len);
        buf_free(&bytes);
    }
    return 0;
}
#endif

#endif
