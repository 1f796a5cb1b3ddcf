/* Priorities are a hash of a serial number: balanced on average, the same in every run. */
#include "sim/check/ranges.h"

static RangeNode *node(const RangePool *p, uint32_t id)
{
    return &p->nodes.at[id];
}

void ranges_init(RangeTree *t)
{
    *t = (RangeTree){.root = RANGE_NONE};
}

static int64_t subtree_hi(const RangePool *p, uint32_t id)
{
    return id == RANGE_NONE ? INT64_MIN : node(p, id)->max_hi;
}

static void update(RangePool *p, uint32_t id)
{
    RangeNode *n = node(p, id);
    int64_t l = subtree_hi(p, n->left), r = subtree_hi(p, n->right);
    n->max_hi = n->hi > l ? n->hi : l;
    n->max_hi = n->max_hi > r ? n->max_hi : r;
}

static bool before(const RangeNode *a, const RangeNode *b)
{
    return a->lo != b->lo ? a->lo < b->lo : a->serial < b->serial;
}

/* Splits a subtree into the nodes before `key` and the others. */
static void split(RangePool *p, uint32_t t, const RangeNode *key, uint32_t *l, uint32_t *r)
{
    if (t == RANGE_NONE) {
        *l = *r = RANGE_NONE;
        return;
    }
    uint32_t part;
    if (before(node(p, t), key)) {
        split(p, node(p, t)->right, key, &part, r);
        node(p, t)->right = part;
        *l = t;
    } else {
        split(p, node(p, t)->left, key, l, &part);
        node(p, t)->left = part;
        *r = t;
    }
    update(p, t);
}

static uint32_t merge(RangePool *p, uint32_t l, uint32_t r)
{
    if (l == RANGE_NONE || r == RANGE_NONE)
        return l == RANGE_NONE ? r : l;
    if (node(p, l)->prio > node(p, r)->prio) {
        node(p, l)->right = merge(p, node(p, l)->right, r);
        update(p, l);
        return l;
    }
    node(p, r)->left = merge(p, l, node(p, r)->left);
    update(p, r);
    return r;
}

static uint32_t new_node(RangePool *p)
{
    if (p->serial == 0)
        p->free = RANGE_NONE;
    uint32_t id = p->free;
    if (id == RANGE_NONE) {
        vec_push(&p->nodes, (RangeNode){0});
        id = p->nodes.len - 1;
    } else {
        p->free = node(p, id)->left;
    }
    RangeNode *n = node(p, id);
    n->serial = ++p->serial;
    n->prio = (uint32_t)((n->serial * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
    return id;
}

/* Puts a node with lo, hi and serial set into the tree. */
static void link_node(RangePool *p, RangeTree *t, uint32_t id)
{
    RangeNode *n = node(p, id);
    n->left = n->right = RANGE_NONE;
    n->max_hi = n->hi;
    uint32_t *at = &t->root;
    while (*at != RANGE_NONE && node(p, *at)->prio >= n->prio) {
        RangeNode *up = node(p, *at);
        up->max_hi = up->max_hi > n->hi ? up->max_hi : n->hi;
        at = before(up, n) ? &up->right : &up->left;
    }
    uint32_t rest = *at;
    split(p, rest, n, &n->left, &n->right);
    update(p, id);
    *at = id;
    t->n++;
}

static uint32_t unlink_in(RangePool *p, uint32_t t, uint32_t id)
{
    RangeNode *n = node(p, t);
    if (t == id)
        return merge(p, n->left, n->right);
    if (before(n, node(p, id)))
        n->right = unlink_in(p, n->right, id);
    else
        n->left = unlink_in(p, n->left, id);
    update(p, t);
    return t;
}

uint32_t ranges_insert(RangePool *p, RangeTree *t, const Access *a)
{
    uint32_t id = new_node(p);
    RangeNode *n = node(p, id);
    n->a = *a;
    n->lo = a->rect.at.offset;
    n->hi = rect_end(&a->rect);
    link_node(p, t, id);
    return id;
}

void ranges_remove(RangePool *p, RangeTree *t, uint32_t id)
{
    t->root = unlink_in(p, t->root, id);
    t->n--;
    node(p, id)->serial = 0;
    node(p, id)->left = p->free;
    p->free = id;
}

void ranges_grow(RangePool *p, RangeTree *t, uint32_t id, const FabRect *rect)
{
    RangeNode *n = node(p, id);
    int64_t hi = rect_end(rect);
    n->a.rect = *rect;
    if (rect->at.offset != n->lo) {
        t->root = unlink_in(p, t->root, id);
        t->n--;
        n->lo = rect->at.offset;
        n->hi = hi;
        link_node(p, t, id);
        return;
    }
    n->hi = hi;
    for (uint32_t at = t->root;;) {
        RangeNode *up = node(p, at);
        up->max_hi = up->max_hi > hi ? up->max_hi : hi;
        if (at == id)
            return;
        at = before(up, n) ? up->right : up->left;
    }
}

static void find(const RangePool *p, uint32_t t, int64_t lo, int64_t hi, RangeIds *out)
{
    while (t != RANGE_NONE && node(p, t)->max_hi > lo) {
        const RangeNode *n = node(p, t);
        find(p, n->left, lo, hi, out);
        if (n->lo >= hi)
            return;
        if (n->hi > lo)
            vec_push(out, t);
        t = n->right;
    }
}

void ranges_find(const RangePool *p, const RangeTree *t, int64_t lo, int64_t hi, RangeIds *out)
{
    find(p, t->root, lo, hi, out);
}

void ranges_clear(RangePool *p)
{
    vec_clear(&p->nodes);
    p->serial = 0;
}

void ranges_free(RangePool *p)
{
    vec_free(&p->nodes);
}
