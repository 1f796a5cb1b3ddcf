#include "base/region.h"
#include <stdio.h>
#include <string.h>

static bool known(const TileRegion *r)
{
    for (uint32_t i = 0; i < r->rank; i++)
        if (r->valid[i] == REGION_UNKNOWN)
            return false;
    return true;
}

static bool all_unknown(TileRegion *out)
{
    for (uint32_t i = 0; i < out->rank; i++)
        out->valid[i] = REGION_UNKNOWN;
    return true;
}

static bool full(const TileRegion *r)
{
    for (uint32_t i = 0; i < r->rank; i++)
        if (r->valid[i] != r->shape[i])
            return false;
    return true;
}

static bool fail(char *why, const char *text, uint32_t axis, int64_t a, int64_t b)
{
    snprintf(why, REGION_TEXT, "%s in axis %u: %lld and %lld", text, axis, (long long)a,
             (long long)b);
    return false;
}

/* The region with leading extents 1 up to `rank`. */
static TileRegion widened(const TileRegion *r, uint32_t rank)
{
    TileRegion w = {.rank = rank};
    uint32_t missing = rank - r->rank;
    for (uint32_t i = 0; i < rank; i++) {
        w.shape[i] = i < missing ? 1 : r->shape[i - missing];
        w.valid[i] = i < missing ? 1 : r->valid[i - missing];
    }
    return w;
}

static bool repeated(const TileRegion *part, const TileRegion *whole)
{
    for (uint32_t i = 0; i < part->rank; i++)
        if (part->shape[i] != whole->shape[i])
            return true;
    return false;
}

/* Two operands of one rank; rep_x: x is repeated along some axis. */
typedef struct {
    TileRegion x, y;
    bool rep_x, rep_y;
} Broadcast;

static bool common_axis(const Broadcast *b, uint32_t i, int64_t *out, char *why)
{
    int64_t v = b->x.valid[i], u = b->y.valid[i];
    if (b->x.shape[i] != b->y.shape[i]) {
        int64_t one = b->x.shape[i] == 1 ? v : u;
        *out = b->x.shape[i] == 1 ? u : v;
        return one != 0 || *out <= 0 || fail(why, "valid extents do not cover", i, v, u);
    }
    bool whole_x = b->rep_y && !b->rep_x, whole_y = b->rep_x && !b->rep_y;
    *out = whole_y || (!whole_x && v == REGION_UNKNOWN) ? u : v;
    if (v == REGION_UNKNOWN || u == REGION_UNKNOWN || v == u)
        return true;
    if (b->rep_x == b->rep_y)
        return fail(why, "valid extents differ", i, v, u);
    return (b->rep_x ? v > u : u > v) || fail(why, "valid extents do not cover", i, v, u);
}

bool region_broadcast(const TileRegion *a, const TileRegion *b, TileRegion *out, char *why)
{
    uint32_t rank = a->rank > b->rank ? a->rank : b->rank;
    Broadcast both = {.x = widened(a, rank), .y = widened(b, rank)};
    out->rank = rank;
    for (uint32_t i = 0; i < rank; i++)
        out->shape[i] = both.x.shape[i] == 1 ? both.y.shape[i] : both.x.shape[i];
    both.rep_x = repeated(&both.x, out);
    both.rep_y = repeated(&both.y, out);
    for (uint32_t i = 0; i < rank; i++)
        if (!common_axis(&both, i, &out->valid[i], why))
            return false;
    return true;
}

bool region_reduce(const TileRegion *a, uint32_t axis, TileRegion *out, char *why)
{
    for (uint32_t i = 0; i < out->rank; i++)
        out->valid[i] = i == axis ? 1 : a->valid[i];
    if (a->valid[axis] != 0)
        return true;
    snprintf(why, REGION_TEXT, "no valid element to reduce in axis %u", axis);
    return false;
}

/* Are the extents other than 1 the same ones? Then *out gets theirs. */
static bool only_ones(const TileRegion *a, TileRegion *out)
{
    uint32_t i = 0, k = 0;
    for (;;) {
        while (i < a->rank && a->shape[i] == 1) {
            if (a->valid[i] != 1)
                return false;
            i++;
        }
        while (k < out->rank && out->shape[k] == 1)
            out->valid[k++] = 1;
        if (i == a->rank || k == out->rank)
            return i == a->rank && k == out->rank;
        if (a->shape[i] != out->shape[k])
            return false;
        out->valid[k++] = a->valid[i++];
    }
}

/* Elements of a region of whole rows, which comes first in row-major order; -1: none such. */
static int64_t leading_elements(const TileRegion *a)
{
    uint32_t i = 0;
    while (i + 1 < a->rank && a->shape[i] == 1 && a->valid[i] == 1)
        i++;
    int64_t n = a->valid[i];
    for (uint32_t k = i + 1; k < a->rank; k++) {
        if (a->valid[k] != a->shape[k])
            return -1;
        n *= a->shape[k];
    }
    return n;
}

bool region_reshape(const TileRegion *a, TileRegion *out, char *why)
{
    if (full(a)) {
        memcpy(out->valid, out->shape, sizeof out->valid);
        return true;
    }
    if (!known(a))
        return all_unknown(out);
    if (only_ones(a, out))
        return true;
    int64_t n = leading_elements(a), row = 1;
    uint32_t axis = 0;
    while (axis + 1 < out->rank && out->shape[axis] == 1)
        axis++;
    for (uint32_t k = axis + 1; k < out->rank; k++)
        row *= out->shape[k];
    if (n >= 0 && n % row == 0) {
        memcpy(out->valid, out->shape, sizeof out->valid);
        out->valid[axis] = n / row;
        return true;
    }
    snprintf(why, REGION_TEXT, "the valid region is no rectangle of the new shape");
    return false;
}

bool region_slice(const TileRegion *a, const int64_t *offset, TileRegion *out, char *why)
{
    for (uint32_t i = 0; i < out->rank; i++) {
        if (offset[i] == REGION_UNKNOWN) {
            out->valid[i] = a->valid[i] == a->shape[i] ? out->shape[i] : REGION_UNKNOWN;
            continue;
        }
        if (offset[i] < 0 || offset[i] > a->shape[i] - out->shape[i])
            return fail(why, "the window does not fit: offset and extent", i, offset[i],
                        out->shape[i]);
        int64_t left = a->valid[i] == REGION_UNKNOWN ? 0 : a->valid[i] - offset[i];
        out->valid[i] = left < 0 ? 0 : left < out->shape[i] ? left : out->shape[i];
        if (a->valid[i] == REGION_UNKNOWN)
            out->valid[i] = REGION_UNKNOWN;
    }
    return true;
}

static int64_t volume(const int64_t *extents, uint32_t rank)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < rank; i++)
        n *= extents[i];
    return n;
}

/* A rectangle from the origin and a box at an offset: their union, if it is such a rectangle. */
static bool joined(const TileRegion *t, const TileRegion *box, const int64_t *offset,
                   TileRegion *out)
{
    int64_t hull[REGION_RANK], common[REGION_RANK];
    bool empty = volume(t->valid, t->rank) == 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t have = empty ? 0 : t->valid[i], end = offset[i] + box->shape[i];
        int64_t both = (have < end ? have : end) - offset[i];
        hull[i] = have > end ? have : end;
        common[i] = both > 0 ? both : 0;
    }
    int64_t covered = (empty ? 0 : volume(t->valid, t->rank)) + volume(box->shape, t->rank) -
                      volume(common, t->rank);
    memcpy(out->valid, hull, t->rank * sizeof *hull);
    return covered == volume(hull, t->rank);
}

bool region_assemble(const TileRegion *target, const TileRegion *source, const int64_t *offset,
                     TileRegion *out, char *why)
{
    bool sure = known(target);
    for (uint32_t i = 0; i < target->rank; i++) {
        sure &= offset[i] != REGION_UNKNOWN;
        if (offset[i] != REGION_UNKNOWN &&
            (offset[i] < 0 || offset[i] > target->shape[i] - source->shape[i]))
            return fail(why, "the source does not fit: offset and extent", i, offset[i],
                        source->shape[i]);
        if (source->valid[i] != REGION_UNKNOWN && source->valid[i] != source->shape[i])
            return fail(why, "the source is not valid as a whole: valid extent and extent", i,
                        source->valid[i], source->shape[i]);
    }
    if (full(target)) {
        memcpy(out->valid, target->valid, sizeof out->valid);
        return true;
    }
    if (!sure)
        return all_unknown(out);
    if (joined(target, source, offset, out))
        return true;
    snprintf(why, REGION_TEXT, "the valid region would be no rectangle from the origin");
    return false;
}

bool region_concat(const TileRegion *a, const TileRegion *b, TileRegion *out, char *why)
{
    const TileRegion *both[] = {a, b};
    memcpy(out->valid, out->shape, sizeof out->valid);
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < both[k]->rank; i++)
            if (both[k]->valid[i] != REGION_UNKNOWN && both[k]->valid[i] != both[k]->shape[i])
                return fail(why, "an operand is not valid as a whole: valid extent and extent", i,
                            both[k]->valid[i], both[k]->shape[i]);
    return true;
}
