/* Pass 06: no op or call under another one, so that each line is one step. A temporary is named
 * after what consumes it: the name that the statement binds, the parameter it is passed for, or the
 * op's short name where nothing is bound. */
#include "lower/flatten.h"
#include "lower/pass.h"
#include "lower/store_bounds.h"
#include "lower/util.h"

static bool flatten(void *env, Rewrite *r, Stmt *s)
{
    Flatten *x = env;
    block_rewrite(&s->nest->body, flatten, x);
    block_rewrite(&s->nest->otherwise, flatten, x);
    x->out = r->out;
    flatten_stmt(x, s);
    return true;
}

bool pass_flatten_calls(Program *p)
{
    bool good = true;
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        Flatten x = {.p = p, .f = p->funcs.at[i]};
        if (func_is_element(x.f))
            continue;
        if (!x.f->untouched)
            block_rewrite(&x.f->body, flatten, &x);
        if (func_may_hold(x.f, HOLDS_STORES))
            good &= low_store_bounds(p, x.f);
    }
    return good;
}
