#include "sim/machine/omission.h"

#include "base/vec.h"

Omission *omission_new(const BcProgram *program)
{
    Omission *p = xcalloc(1, sizeof *p);
    p->n_funcs = program->n_funcs;
    p->skip = xcalloc(program->n_funcs + 1, sizeof *p->skip);
    return p;
}

void omission_skip(Omission *p, const BcProgram *program, uint32_t func, uint32_t pc)
{
    if (!p->skip[func])
        p->skip[func] = xcalloc(program->funcs[func].n_insns + 1, 1);
    p->skip[func][pc] = 1;
}

void omission_free(Omission *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->n_funcs; i++)
        xfree(p->skip[i]);
    xfree(p->skip);
    map_free(&p->less);
    xfree(p);
}
