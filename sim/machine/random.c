#include "sim/machine/random.h"
#include "base/math.h"
#include <math.h>
#include <string.h>

static void round_once(uint32_t c[4], const uint32_t k[2])
{
    uint64_t a = (uint64_t)0xd2511f53 * c[0], b = (uint64_t)0xcd9e8d57 * c[2];
    uint32_t next[] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                       (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
    memcpy(c, next, sizeof next);
}

static void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t k[] = {key[0], key[1]};
    memcpy(out, counter, 4 * sizeof *out);
    for (int i = 0; i < 10; i++) {
        round_once(out, k);
        k[0] += 0x9e3779b9;
        k[1] += 0xbb67ae85;
    }
}

typedef enum { STREAM_UNIFORM, STREAM_NORMAL } Stream;

/* Two independent integers of 53 bits. */
static void draw(uint64_t seed, uint64_t index, Stream stream, uint64_t out[2])
{
    uint32_t counter[] = {(uint32_t)index, (uint32_t)(index >> 32), stream, 0}, words[4];
    uint32_t key[] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    philox(counter, key, words);
    for (int i = 0; i < 2; i++)
        out[i] = ((uint64_t)words[2 * i] << 32 | words[2 * i + 1]) >> 11;
}

double random_uniform(uint64_t seed, uint64_t index)
{
    uint64_t bits[2];
    draw(seed, index, STREAM_UNIFORM, bits);
    return (double)bits[0] * 0x1p-53;
}

/* Box and Muller (1958), of whose two numbers one is used: elements stay independent of each other.
 */
double random_normal(uint64_t seed, uint64_t index)
{
    uint64_t bits[2];
    draw(seed, index, STREAM_NORMAL, bits);
    double u = (double)(bits[0] + 1) * 0x1p-53; /* in (0, 1] */
    return sqrt(-2 * math_log(u)) * math_cos_turn((double)bits[1] * 0x1p-53);
}
