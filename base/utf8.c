/* UTF-8 and the width of code points on a terminal. The C library's wcwidth depends on the locale,
 * and output must not. */
#include "base/source.h"
#include <string.h>

typedef struct {
    uint32_t first, last;
} CodeRange;

/* Code points that take no column: combining marks, joiners, variation selectors. */
static const CodeRange zero_width[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489},   {0x0591, 0x05bd}, {0x05bf, 0x05bf}, {0x05c1, 0x05c2},
    {0x05c4, 0x05c5}, {0x0610, 0x061a},   {0x064b, 0x065f}, {0x0670, 0x0670}, {0x06d6, 0x06dc},
    {0x06df, 0x06e4}, {0x06e7, 0x06e8},   {0x06ea, 0x06ed}, {0x0900, 0x0902}, {0x093c, 0x093c},
    {0x0941, 0x0948}, {0x094d, 0x094d},   {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},   {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x2064},
    {0x20d0, 0x20f0}, {0x302a, 0x302d},   {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
    {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};

/* Code points of two columns: East Asian Wide and Fullwidth, and pictographs. */
static const CodeRange double_width[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x2614, 0x2615},
    {0x26a1, 0x26a1},   {0x2705, 0x2705},   {0x274c, 0x274c},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},   {0x3041, 0x33ff},
    {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},
    {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
    {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

static bool in_ranges(const CodeRange *ranges, size_t n, uint32_t code)
{
    for (size_t i = 0; i < n && ranges[i].first <= code; i++)
        if (code <= ranges[i].last)
            return true;
    return false;
}

#define IN(ranges, code) in_ranges((ranges), sizeof(ranges) / sizeof(ranges)[0], (code))

uint32_t code_width(uint32_t code)
{
    if (code < 0x300)
        return 1;
    return IN(zero_width, code) ? 0 : IN(double_width, code) ? 2 : 1;
}

/* Length of the sequence at `p` by the table of RFC 3629, section 4; 0 when it is not valid. */
static uint32_t sequence_length(const uint8_t *p, size_t len)
{
    uint8_t lead = p[0];
    uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    uint32_t n = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead > 0xf4 || n > len)
        return 0;
    if (n > 1 && (p[1] < low || p[1] > high))
        return 0;
    for (uint32_t i = 2; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

uint32_t utf8_decode(const char *text, size_t len, uint32_t *code)
{
    const uint8_t *p = (const uint8_t *)text;
    uint32_t n = sequence_length(p, len);
    if (n == 0) {
        *code = 0xfffd;
        return 1;
    }
    uint32_t c = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));
    for (uint32_t i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3f);
    *code = c;
    return n;
}

/* Most texts are ASCII: eight bytes at a time. */
static size_t skip_ascii(const char *text, size_t i, size_t len)
{
    uint64_t word;
    for (; i + sizeof word <= len; i += sizeof word) {
        memcpy(&word, text + i, sizeof word);
        if (word & 0x8080808080808080)
            break;
    }
    return i;
}

size_t utf8_check(const char *text, size_t len)
{
    size_t i = 0;
    while ((i = skip_ascii(text, i, len)) < len) {
        uint32_t n = sequence_length((const uint8_t *)text + i, len - i);
        if (n == 0)
            return i;
        i += n;
    }
    return len;
}
