/* Names of variables: versions are numbered when a function is printed, and recovered when it is
 * read. Both walk the bindings in the order in which they appear in the text. */
#include "base/map.h"
#include "ir/ir.h"
#include <stdio.h>
#include <string.h>

/* The variables of a function in order of appearance, each once. */
typedef struct {
    VEC(VarId) vars;
    bool *seen; /* per variable of the function */
} NameOrder;

static void appear(NameOrder *order, VarId v)
{
    if (v == VAR_NONE || order->seen[v])
        return;
    order->seen[v] = true;
    vec_push(&order->vars, v);
}

static void appear_block(NameOrder *order, const Block *block)
{
    for (uint32_t i = 0; i < block->len; i++) {
        const Stmt *s = block->at[i];
        if (s->kind == ST_FOR) {
            appear(order, s->nest->index);
            for (uint32_t k = 0; k < s->n_values; k++)
                appear(order, s->nest->iters[k]);
        }
        appear_block(order, &s->nest->body);
        appear_block(order, &s->nest->otherwise);
        for (uint32_t k = 0; k < s->n_results; k++)
            appear(order, s->results[k]);
    }
}

static NameOrder order_of(const Func *f)
{
    NameOrder order = {.seen = xcalloc(f->vars.len ? f->vars.len : 1, sizeof(bool))};
    for (uint32_t i = 0; i < f->params.len; i++)
        appear(&order, f->params.at[i].var);
    appear_block(&order, &f->body);
    return order;
}

static void order_free(NameOrder *order)
{
    vec_free(&order->vars);
    xfree(order->seen);
}

/* Names that no version may take: bases (a key of the map), and dynamic extents. */
static bool is_taken(const Program *p, const Map *bases, Sym name)
{
    for (uint32_t i = 0; i < p->extents.len; i++)
        if (p->extents.at[i] == name)
            return true;
    return map_get_ptr(bases, name, NULL);
}

static Sym version_name(Program *p, Sym base, uint64_t n)
{
    return internf(p->in, "%s_%llu", base, (unsigned long long)n);
}

/* The number after `last` that a new version of `base` gets. */
static uint64_t next_version(Program *p, const Map *bases, Sym base, uint64_t last)
{
    do
        last++;
    while (is_taken(p, bases, version_name(p, base, last)));
    return last;
}

void func_number_names(Program *p, Func *f, bool ssa)
{
    for (uint32_t i = 0; i < f->vars.len; i++)
        f->vars.at[i].display = f->vars.at[i].base;
    if (!ssa || func_is_element(f))
        return;
    NameOrder order = order_of(f);
    Map bases = {0}, last = {0};
    for (uint32_t i = 0; i < order.vars.len; i++)
        map_set_ptr(&bases, func_var(f, order.vars.at[i])->base, 1);
    for (uint32_t i = 0; i < order.vars.len; i++) {
        Var *var = func_var(f, order.vars.at[i]);
        uint64_t n = 0;
        if (map_get_ptr(&last, var->base, &n)) {
            n = next_version(p, &bases, var->base, n);
            var->display = version_name(p, var->base, n);
        }
        map_set_ptr(&last, var->base, n);
    }
    map_free(&bases);
    map_free(&last);
    order_free(&order);
}

/* The `_N` of a name `B_N`, N a decimal of at most nine digits without leading zero; or NULL. */
static const char *version_suffix(Sym name)
{
    const char *low = strrchr(name, '_');
    if (low == NULL || low == name || low[1] < '1' || low[1] > '9')
        return NULL;
    size_t digits = strspn(low + 1, "0123456789");
    return digits <= 9 && low[1 + digits] == '\0' ? low : NULL;
}

static bool split_version(Program *p, Sym name, Sym *base, uint64_t *n)
{
    const char *low = version_suffix(name);
    if (low == NULL)
        return false;
    *base = intern_n(p->in, name, (size_t)(low - name));
    *n = strtoull(low + 1, NULL, 10);
    return true;
}

/* A name is a version when its number is the next one due given the bases met before it. A base met
 * later cannot make that number skipped, because then the name itself would have been skipped for
 * it; so numbering what this finds gives the names back. */
void func_recover_bases(Program *p, Func *f)
{
    NameOrder order = order_of(f);
    Map last = {0}; /* base met -> number of its last version */
    for (uint32_t i = 0; i < order.vars.len; i++) {
        Var *var = func_var(f, order.vars.at[i]);
        Sym base;
        uint64_t n, before;
        if (split_version(p, var->base, &base, &n) && map_get_ptr(&last, base, &before) &&
            next_version(p, &last, base, before) == n)
            var->base = base;
        else
            n = 0;
        map_set_ptr(&last, var->base, n);
    }
    map_free(&last);
    order_free(&order);
}

/* The common case: no base and no extent looks like a version, so the names say what they are. */
static bool is_settled(const Program *p, const Func *f)
{
    for (uint32_t i = 0; i < p->extents.len; i++)
        if (version_suffix(p->extents.at[i]))
            return false;
    for (uint32_t i = 0; i < f->vars.len; i++)
        if (version_suffix(f->vars.at[i].base))
            return false;
    return true;
}

void func_settle_names(Program *p, Func *f)
{
    if (func_is_element(f) || is_settled(p, f))
        return;
    func_number_names(p, f, true);
    for (uint32_t i = 0; i < f->vars.len; i++)
        f->vars.at[i].base = f->vars.at[i].display;
    func_recover_bases(p, f);
}
