/* Pass 16: simplified once more, now that addresses, offsets and fences are known. Nothing is
 * undone: ops with effects stay, fences among them, and a name stands for another only where the
 * types agree, which by now includes the place on the core. */
#include "lower/pass.h"
#include "lower/simplify.h"
#include "lower/util.h"

bool pass_final(Program *p)
{
    for (uint32_t i = 0; i < p->funcs.len; i++)
        if (!func_is_element(p->funcs.at[i]))
            simplify_func(p, p->funcs.at[i]);
    return true;
}
