/* What an init or golden function is for, and where its parameters come from. */
#include "codegen/verify.h"

/* Is it a parameter of the host function? */
static bool from_host(const BcFunc *host, const BcParam *m)
{
    for (uint32_t i = 0; i < host->n_params; i++) {
        const BcParam *h = &host->params[i];
        if (h->name == m->name && h->kind == m->kind && h->dtype == m->dtype && h->rank == m->rank)
            return true;
    }
    return false;
}

static bool check_params(Verify *v, const BcElementFunc *u)
{
    const BcFunc *f = &u->func, *host = &v->p->funcs[v->p->entry];
    uint32_t own = f->n_params - u->n_index, mems = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const BcParam *m = &f->params[i];
        if (i < own ? !from_host(host, m) : m->kind != BCP_SCALAR)
            return bcv_fail(v, "parameter %u is none of the host function", i);
        mems += m->kind != BCP_SCALAR;
    }
    return f->n_mregs == mems || bcv_fail(v, "memory that is no parameter");
}

bool bcv_element(Verify *v, const BcElementFunc *u)
{
    const BcFunc *f = &u->func, *host = &v->p->funcs[v->p->entry];
    if (u->param >= host->n_params)
        return bcv_fail(v, "init or golden of parameter %u", u->param);
    const BcParam *m = &host->params[u->param];
    if (f->kind != BCF_ELEMENT || u->n_index != m->rank || u->n_index > f->n_params ||
        (u->golden && m->kind == BCP_SCALAR) || f->name != m->name)
        return bcv_fail(v, "init or golden of %s: malformed", v->p->strings[m->name]);
    if (f->n_tiles || f->n_calls || f->n_xfers)
        return bcv_fail(v, "tiles, calls or transfers in an init or golden function");
    return check_params(v, u);
}
