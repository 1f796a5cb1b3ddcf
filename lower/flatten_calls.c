/* Pass 05: no op or call under another one, so that each line is one step. A temporary is named
 * after what consumes it: the name that the statement binds, the parameter it is passed for, or the
 * op's short name where nothing is bound. */
#include "lower/flatten.h"
#include "lower/pass.h"
#include "lower/util.h"

static void flatten_block(Program *p, Func *f, Block *b)
{
    Block old = *b;
    *b = (Block){0};
    Flatten x = {.p = p, .f = f, .out = b};
    for (uint32_t i = 0; i < old.len; i++) {
        flatten_block(p, f, &old.at[i]->body);
        flatten_block(p, f, &old.at[i]->otherwise);
        flatten_stmt(&x, old.at[i]);
    }
}

bool pass_flatten_calls(Program *p)
{
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (low_has_body(p->funcs.at[i]))
            flatten_block(p, p->funcs.at[i], &p->funcs.at[i]->body);
    return true;
}
