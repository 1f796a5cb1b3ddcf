/* Blocks of one pl.spmd are independent. They run one after another on a lane, so that no order
 * check sees them as concurrent: here each access of memory is kept with its block until the last
 * has ended, and what two blocks touch, one writing and not both by atomic adds, is reported once
 * for each pair of places. Accesses of one block that continue each other are one. */
#include "sim/check/checks.h"
#include "sim/machine/element_text.h"
#include "sim/machine/fault.h"
#include "sim/machine/rect_overlap.h"
#include <string.h>

enum { MOST = 1 << 16 }; /* accesses of one dispatch that are kept */

typedef struct {
    FabRect rect;
    CodePlace at;
    int64_t block;
    uint16_t insn;
    uint8_t dtype;
    bool tensor, write, atomic;
} BlockAccess;

/* What one lane's blocks have done so far. */
typedef struct {
    const Lane *lane;
    VEC(BlockAccess) list;
} BlockLog;

typedef struct {
    Observer base;
    VEC(BlockLog) logs;
    Map reported; /* pairs of places */
} BlockCheck;

static BlockLog *log_of(BlockCheck *c, const Lane *lane)
{
    for (uint32_t i = 0; i < c->logs.len; i++)
        if (c->logs.at[i].lane == lane)
            return &c->logs.at[i];
    vec_push(&c->logs, (BlockLog){.lane = lane});
    return &vec_last(&c->logs);
}

static bool is_atomic(const World *w, const Event *e)
{
    if (e->kind == EV_ATOMIC)
        return true;
    const BcInsn *in = &w->program->funcs[e->at.func].insns[e->at.pc];
    return in->op == BC_STORE && in->imm == ATOMIC_ADD;
}

static void put_down(World *w, BlockLog *log, const Event *e)
{
    bool write = e->kind != EV_TENSOR_READ && e->kind != EV_READ && e->kind != EV_REMOTE_READ;
    BlockAccess a = {.rect = e->rect,
                     .at = e->at,
                     .block = e->lane->block,
                     .insn = e->insn,
                     .dtype = e->dtype,
                     .tensor = e->tensor,
                     .write = write,
                     .atomic = write && is_atomic(w, e)};
    rect_compact(&a.rect);
    BlockAccess *last = log->list.len ? &vec_last(&log->list) : NULL;
    bool alike = last && last->block == a.block && last->at.func == a.at.func &&
                 last->at.pc == a.at.pc && last->tensor == a.tensor &&
                 last->rect.at.window == a.rect.at.window && last->rect.at.rank == a.rect.at.rank;
    if (alike && (rects_cover(&last->rect, &a.rect) || rects_join(&last->rect, &a.rect)))
        return;
    if (log->list.len < MOST)
        vec_push(&log->list, a);
}

static int by_place(const void *x, const void *y)
{
    const BlockAccess *a = x, *b = y;
    if (a->tensor != b->tensor)
        return a->tensor < b->tensor ? -1 : 1;
    if (a->rect.at.window != b->rect.at.window)
        return a->rect.at.window < b->rect.at.window ? -1 : 1;
    if (a->rect.at.rank != b->rect.at.rank)
        return a->rect.at.rank < b->rect.at.rank ? -1 : 1;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (a->rect.at.offset > b->rect.at.offset) - (a->rect.at.offset < b->rect.at.offset);
}

static const char *verb(const BlockAccess *a)
{
    return !a->write ? "reads" : a->atomic ? "adds to" : "writes";
}

static bool is_new(BlockCheck *c, const World *w, const BlockAccess *a, const BlockAccess *b)
{
    uint64_t key = place_key(w, a->at) * UINT64_C(0x9e3779b97f4a7c15) ^ place_key(w, b->at);
    if (map_get(&c->reported, key, NULL))
        return false;
    map_set(&c->reported, key, 1);
    return true;
}

static void report(BlockCheck *c, World *w, const BlockAccess *a, const BlockAccess *b)
{
    int64_t first, end;
    if (!rects_touch(&a->rect, &b->rect) || !rects_common(&a->rect, &b->rect, &first, &end) ||
        !is_new(c, w, a, b))
        return;
    Buf text = {0};
    place_text(w, &text, b->at);
    buf_str(&text, ": race: ");
    elements_who(w, &text, b->at);
    buf_printf(&text, ", blocks %lld and %lld: block %lld %s ", (long long)a->block,
               (long long)b->block, (long long)b->block, verb(b));
    if (a->tensor)
        elements_region(w, &text, b->at.dispatch, b->rect.at.window, first, end);
    else
        elements_window(w, &text, b->rect.at.window, b->dtype, first, end);
    buf_printf(&text, " (%s), unordered with block %lld, which %s it (%s) at ",
               elements_op(b->insn), (long long)a->block, verb(a), elements_op(a->insn));
    place_text(w, &text, a->at);
    report_add(w, REP_CHECK, "race", &b->at, text.at);
    buf_free(&text);
}

/* The accesses of one memory, in order of blocks. */
static void judge(BlockCheck *c, World *w, const BlockAccess *list, uint32_t n)
{
    bool written = false;
    for (uint32_t i = 0; i < n; i++)
        written |= list[i].write;
    for (uint32_t i = 0; i < n && written; i++)
        for (uint32_t k = i + 1; k < n; k++) {
            const BlockAccess *a = &list[i], *b = &list[k];
            bool conflict =
                a->block != b->block && (a->write || b->write) && !(a->atomic && b->atomic);
            if (conflict)
                report(c, w, a, b);
        }
}

static void judge_all(BlockCheck *c, World *w, BlockLog *log)
{
    if (log->list.len)
        qsort(log->list.at, log->list.len, sizeof *log->list.at, by_place);
    for (uint32_t i = 0, n; i < log->list.len; i += n) {
        const BlockAccess *a = &log->list.at[i];
        for (n = 1; i + n < log->list.len; n++) {
            const BlockAccess *b = a + n;
            if (b->tensor != a->tensor || b->rect.at.window != a->rect.at.window ||
                b->rect.at.rank != a->rect.at.rank)
                break;
        }
        judge(c, w, a, n);
    }
    vec_clear(&log->list);
}

static void on_event(Observer *o, World *w, const Event *e)
{
    BlockCheck *c = (BlockCheck *)o;
    if (!e->lane || e->lane->n_blocks < 2)
        return;
    BlockLog *log = log_of(c, e->lane);
    if (e->kind != EV_KERNEL_END)
        put_down(w, log, e);
    else if (e->lane->block + 1 == e->lane->n_blocks)
        judge_all(c, w, log);
}

static void reset(Observer *o, World *w)
{
    BlockCheck *c = (BlockCheck *)o;
    (void)w;
    for (uint32_t i = 0; i < c->logs.len; i++)
        vec_free(&c->logs.at[i].list);
    vec_clear(&c->logs);
    map_clear(&c->reported);
}

static void destroy(Observer *o)
{
    BlockCheck *c = (BlockCheck *)o;
    reset(o, NULL);
    vec_free(&c->logs);
    map_free(&c->reported);
    xfree(c);
}

Observer *check_blocks_new(void)
{
    BlockCheck *c = xcalloc(1, sizeof *c);
    c->base = (Observer){.name = "blocks", .event = on_event, .reset = reset, .destroy = destroy};
    c->base.mask = EV_BIT(EV_KERNEL_END) | EV_BIT(EV_TENSOR_READ) | EV_BIT(EV_TENSOR_WRITE) |
                   EV_BIT(EV_READ) | EV_BIT(EV_WRITE) | EV_BIT(EV_REMOTE_READ) |
                   EV_BIT(EV_REMOTE_WRITE) | EV_BIT(EV_ATOMIC);
    return &c->base;
}
