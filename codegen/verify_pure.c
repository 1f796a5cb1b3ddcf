/* Trees of init and golden functions: every node below its parent and used once (so no cycles and
 * no sharing that would make evaluation exponential), bounded depth, expressions and statements in
 * their places. */
#include "codegen/verify.h"
#include <stdlib.h>

static const int8_t kid_count[] = {
#define PLD_PURE(ENUM, name, kids, doc) kids,
#include "codegen/pure.def"
};

/* Where a node may stand. */
typedef enum { PLACE_EXPR, PLACE_STMT, PLACE_BLOCK, PLACE_LOOP } Place;

typedef struct {
    Verify *v;
    const BcPure *u;
    uint16_t *depth; /* per node: height of its tree, from 1 */
    uint8_t *used;   /* per node: has a parent */
} Tree;

static Place place_of(uint16_t kind)
{
    switch (kind) {
    case PURE_SET:
    case PURE_IF:
    case PURE_RETURN: return PLACE_STMT;
    case PURE_BLOCK: return PLACE_BLOCK;
    case PURE_LOOP: return PLACE_LOOP;
    default: return PLACE_EXPR;
    }
}

static bool is_aggregate(uint16_t kind)
{
    return kind >= PURE_SUM && kind <= PURE_ANY;
}

/* The place that child `i` of a node stands in. */
static Place kid_place(uint16_t kind, uint32_t i)
{
    if (kind == PURE_BLOCK)
        return PLACE_STMT;
    if (kind == PURE_IF && i > 0)
        return PLACE_BLOCK;
    return is_aggregate(kind) && i > 0 ? PLACE_LOOP : PLACE_EXPR;
}

static bool check_kid(Tree *t, uint32_t node, uint32_t i, uint32_t kid)
{
    uint16_t kind = t->u->nodes[node].kind;
    if (kid >= node || t->used[kid])
        return bcv_fail(t->v, "init or golden: node %u is no tree", node);
    if (place_of(t->u->nodes[kid].kind) != kid_place(kind, i))
        return bcv_fail(t->v, "init or golden: node %u has a child of the wrong kind", node);
    t->used[kid] = 1;
    if (t->depth[kid] >= t->depth[node])
        t->depth[node] = t->depth[kid] + 1;
    if (t->depth[node] > BC_MAX_PURE_DEPTH)
        return bcv_fail(t->v, "init or golden: nested too deeply");
    return true;
}

static bool check_kids(Tree *t, uint32_t node)
{
    const BcPureNode *n = &t->u->nodes[node];
    int kids = kid_count[n->kind];
    const uint32_t fixed[] = {n->a, n->b, n->c};
    for (int i = 0; i < kids; i++) {
        if (!check_kid(t, node, (uint32_t)i, fixed[i]))
            return false;
    }
    if (kids >= 0)
        return true;
    if (n->a > t->u->n_kids || n->n > t->u->n_kids - n->a || (is_aggregate(n->kind) && n->n < 2))
        return bcv_fail(t->v, "init or golden: children of node %u out of range", node);
    for (uint32_t i = 0; i < n->n; i++) {
        if (!check_kid(t, node, i, t->u->kids[n->a + i]))
            return false;
    }
    return true;
}

/* Slots, extents and parameters that a leaf names. */
static bool check_leaf(Tree *t, const BcPureNode *n)
{
    const BcFunc *host = &t->v->p->funcs[t->v->p->entry];
    const BcParam *m = n->slot < host->n_params ? &host->params[n->slot] : NULL;
    bool tensor = m && m->kind == BCP_TENSOR;
    switch (n->kind) {
    case PURE_SLOT:
    case PURE_SET:
    case PURE_LOOP: return n->slot < t->u->n_slots;
    case PURE_EXTENT: return n->slot < t->v->p->n_extents;
    case PURE_SHAPE: return tensor && n->ival >= 0 && n->ival < m->rank;
    case PURE_ELEMENT: return tensor && n->n == m->rank;
    case PURE_SCALAR: return m && m->kind == BCP_SCALAR;
    default: return true;
    }
}

static bool check_tree(Tree *t)
{
    for (uint32_t i = 0; i < t->u->n_nodes; i++) {
        const BcPureNode *n = &t->u->nodes[i];
        t->depth[i] = 1;
        if (n->kind >= PURE_COUNT || !check_leaf(t, n))
            return bcv_fail(t->v, "init or golden: malformed node %u", i);
        if (!check_kids(t, i))
            return false;
    }
    if (t->u->root >= t->u->n_nodes || t->u->nodes[t->u->root].kind != PURE_BLOCK ||
        t->used[t->u->root])
        return bcv_fail(t->v, "init or golden: malformed root");
    return true;
}

bool bcv_pure(Verify *v, const BcPure *u)
{
    const BcFunc *host = &v->p->funcs[v->p->entry];
    if (u->param >= host->n_params)
        return bcv_fail(v, "init or golden of parameter %u", u->param);
    const BcParam *m = &host->params[u->param];
    if (u->n_index != m->rank || u->n_slots < u->n_index || u->n_slots > BC_MAX_PURE_SLOTS ||
        (u->golden && m->kind == BCP_SCALAR))
        return bcv_fail(v, "init or golden of %s: malformed", v->p->strings[m->name]);
    Tree t = {.v = v, .u = u};
    t.depth = xcalloc(u->n_nodes + (size_t)1, sizeof *t.depth);
    t.used = xcalloc(u->n_nodes + (size_t)1, 1);
    bool ok = check_tree(&t);
    free(t.depth);
    free(t.used);
    return ok;
}
