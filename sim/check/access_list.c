#include "sim/check/access_list.h"

#include "sim/machine/element_text.h"
#include "sim/machine/rect_overlap.h"
#include <string.h>

enum {
    MOST = 1 << 16,      /* accesses that are kept */
    MOST_PAIRS = 1 << 22 /* that are looked at */
};

uint32_t access_list_events(void)
{
    return EV_BIT(EV_TENSOR_READ) | EV_BIT(EV_TENSOR_WRITE) | EV_BIT(EV_READ) | EV_BIT(EV_WRITE) |
           EV_BIT(EV_REMOTE_READ) | EV_BIT(EV_REMOTE_WRITE) | EV_BIT(EV_ATOMIC);
}

bool access_is_add(const World *w, const Event *e)
{
    if (e->kind != EV_TENSOR_WRITE || e->insn != BC_STORE)
        return e->kind == EV_ATOMIC;
    return w->program->funcs[e->at.func].insns[e->at.pc].imm == ATOMIC_ADD;
}

/* Memory that a dispatch makes is used again: its number says which it was. */
static uint64_t memory_of(const World *w, const Event *e)
{
    if (!e->tensor)
        return (uint64_t)e->rect.at.window << 32 | e->rect.at.rank;
    const Region *r = &w->dispatches.at[e->at.dispatch].regions[e->rect.at.window];
    return UINT64_C(1) << 63 | r->serial << 32 | e->rect.at.window;
}

void access_list_add(AccessList *list, const World *w, const Event *e, uint64_t owner)
{
    if (e->rect.run == 0 || list->list.len >= MOST)
        return;
    OwnedAccess a = {.rect = e->rect,
                     .at = e->at,
                     .memory = memory_of(w, e),
                     .owner = owner,
                     .order = list->list.len,
                     .insn = e->insn,
                     .dtype = e->dtype,
                     .tensor = e->tensor,
                     .atomic = access_is_add(w, e)};
    a.write = e->kind != EV_TENSOR_READ && e->kind != EV_READ && e->kind != EV_REMOTE_READ;
    OwnedAccess *last = list->list.len ? &vec_last(&list->list) : NULL;
    if (last && last->owner == owner && last->memory == a.memory && last->at.func == a.at.func &&
        last->at.pc == a.at.pc && last->write == a.write && rects_join(&last->rect, &a.rect))
        return;
    vec_push(&list->list, a);
}

static int by_place(const void *x, const void *y)
{
    const OwnedAccess *a = x, *b = y;
    if (a->memory != b->memory)
        return a->memory < b->memory ? -1 : 1;
    if (a->rect.at.offset != b->rect.at.offset)
        return a->rect.at.offset < b->rect.at.offset ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void pair(const OwnedAccess *x, const OwnedAccess *y, AccessPair *found, void *env)
{
    const OwnedAccess *a = x->order < y->order ? x : y, *b = a == x ? y : x;
    int64_t first, end;
    if (a->owner == b->owner || !(a->write || b->write) || (a->atomic && b->atomic))
        return;
    if (rects_touch(&a->rect, &b->rect) && rects_common(&a->rect, &b->rect, &first, &end))
        found(env, a, b, first, end);
}

void access_list_judge(AccessList *list, AccessPair *found, void *env)
{
    const OwnedAccess *at = list->list.at;
    uint32_t n = list->list.len, pairs = 0;
    vec_sort(&list->list, by_place);
    for (uint32_t i = 0; i < n; i++) {
        int64_t end = rect_end(&at[i].rect);
        for (uint32_t k = i + 1; k < n && pairs < MOST_PAIRS; k++, pairs++) {
            if (at[k].memory != at[i].memory || at[k].rect.at.offset >= end)
                break;
            pair(&at[i], &at[k], found, env);
        }
    }
    vec_clear(&list->list);
}

void access_list_free(AccessList *list)
{
    vec_free(&list->list);
}

bool access_pair_is_new(Map *reported, const World *w, CodePlace a, CodePlace b)
{
    uint64_t key = place_key(w, a) * UINT64_C(0x9e3779b97f4a7c15) ^ place_key(w, b);
    if (map_get(reported, key, NULL))
        return false;
    map_set(reported, key, 1);
    return true;
}

const char *access_verb(const OwnedAccess *a)
{
    return !a->write ? "reads" : a->atomic ? "adds to" : "writes";
}

void access_text(const World *w, Buf *out, const OwnedAccess *a, int64_t first, int64_t end)
{
    buf_printf(out, "%s ", access_verb(a));
    if (a->tensor)
        elements_region(w, out, a->at.dispatch, a->rect.at.window, first, end);
    else
        elements_window(w, out, a->rect.at.window, a->dtype, first, end);
    buf_printf(out, " (%s)", elements_op(a->insn));
}
