#include "sim/check/written.h"

#include "base/heap.h"
#include "sim/machine/rect_overlap.h"
#include <string.h>

/* ---- bits ---- */

static uint8_t mask_from(int64_t bit)
{
    return (uint8_t)(0xffu << (bit % 8));
}

static void bits_set(uint8_t *bits, int64_t lo, int64_t hi)
{
    int64_t a = lo / 8, b = hi / 8;
    if (a == b) {
        bits[a] |= mask_from(lo) & (uint8_t)~mask_from(hi);
        return;
    }
    bits[a] |= mask_from(lo);
    memset(bits + a + 1, 0xff, (size_t)(b - a - 1));
    if (hi % 8)
        bits[b] |= (uint8_t)~mask_from(hi);
}

static bool bits_all(const uint8_t *bits, int64_t lo, int64_t hi)
{
    while (lo < hi && lo % 8) {
        if (!(bits[lo / 8] >> (lo % 8) & 1))
            return false;
        lo++;
    }
    uint64_t word;
    for (; hi - lo >= 64; lo += 64) {
        memcpy(&word, bits + lo / 8, 8);
        if (~word)
            return false;
    }
    for (; lo < hi; lo++)
        if (!(bits[lo / 8] >> (lo % 8) & 1))
            return false;
    return true;
}

/* ---- runs ---- */

bool written_mark(void *env, int64_t offset, int64_t bytes)
{
    Written *s = env;
    int64_t end = offset + bytes;
    if (s->lo == s->hi)
        s->lo = s->hi = offset;
    if (offset <= s->hi && end >= s->lo) {
        s->lo = offset < s->lo ? offset : s->lo;
        s->hi = end > s->hi ? end : s->hi;
        if (s->bits)
            bits_set(s->bits, offset, end);
        return true;
    }
    if (!s->bits) {
        s->bits = xcalloc((size_t)s->bytes / 8 + 1, 1);
        bits_set(s->bits, s->lo, s->hi);
    }
    bits_set(s->bits, offset, end);
    return true;
}

static bool is_written(const Written *s, int64_t at)
{
    return (at >= s->lo && at < s->hi) || (s->bits && (s->bits[at / 8] >> (at % 8) & 1));
}

static void bits_clear(uint8_t *bits, int64_t lo, int64_t hi)
{
    for (; lo < hi; lo++)
        bits[lo / 8] &= (uint8_t) ~(1u << (lo % 8));
}

void written_unmark(Written *s, int64_t offset, int64_t bytes)
{
    if (!s->bits)
        s->bits = xcalloc((size_t)s->bytes / 8 + 1, 1);
    bits_set(s->bits, s->lo, s->hi);
    s->lo = s->hi = 0;
    bits_clear(s->bits, offset, offset + bytes);
}

bool written_check(void *env, int64_t offset, int64_t bytes)
{
    Hole *h = env;
    const Written *s = h->s;
    int64_t end = offset + bytes;
    if ((offset >= s->lo && end <= s->hi) || (s->bits && bits_all(s->bits, offset, end)))
        return true;
    while (offset < end && is_written(s, offset))
        offset++;
    while (end > offset && is_written(s, end - 1))
        end--;
    if (offset == end)
        return true;
    if (h->first < 0)
        h->first = offset;
    h->end = end;
    return true;
}

typedef struct {
    const Written *s;
    HoleRuns *runs;
} HoleSearch;

static bool find_holes(void *env, int64_t offset, int64_t bytes)
{
    HoleSearch *x = env;
    for (int64_t end = offset + bytes; offset < end;) {
        Hole h = {.s = x->s, .first = -1};
        (void)written_check(&h, offset, end - offset);
        if (h.first < 0)
            break;
        int64_t n = 1;
        while (h.first + n < h.end && !is_written(x->s, h.first + n))
            n++;
        vec_push(&x->runs->list, (HoleRun){h.first, n});
        offset = h.first + n;
    }
    return true;
}

void written_holes(const Written *s, const FabRect *rect, HoleRuns *out)
{
    HoleSearch x = {s, out};
    (void)rects_each_run(rect, find_holes, &x);
}

void written_save(Buf *out, const Written *s)
{
    save_value(out, *s);
    if (s->bits)
        save_bytes(out, s->bits, (size_t)s->bytes / 8 + 1);
}

Written written_load(SaveReader *in)
{
    Written s;
    load_value(in, s);
    if (s.bits) {
        s.bits = xmalloc((size_t)s.bytes / 8 + 1);
        load_bytes(in, s.bits, (size_t)s.bytes / 8 + 1);
    }
    return s;
}
