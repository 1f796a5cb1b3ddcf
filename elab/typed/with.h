/* Scopes and task ids of orchestration code. Part of elab/typed/typed.h. */
#ifndef PLD_ELAB_WITH_H
#define PLD_ELAB_WITH_H

#include "elab/typed/typed.h"

/* `with` (with.c). */
void elab_with(Elab *e, const Ast *s);
/* `for i in pl.spmd(n)`; false when the statement is another loop. */
bool elab_spmd_for(Elab *e, const Ast *s);
/* Task ids (task.c): binds a name to a new one, and checks what deps= lists. */
void elab_task(Elab *e, const Ast *target, const Ast *deps);
void elab_check_deps(Elab *e, const Ast *deps);
/* pl.submit and pl.spmd_submit: the results of the call, and its task. */
Val elab_submit(Elab *e, Sym dotted, const Ast *call);
Val elab_task_dummy(Elab *e, const Ast *call);

/* A tensor value of a scope that is over gets memory, which the scope fills: from then on the name
 * is that. False where it is no tensor value, or where the scope ran as blocks or on one path. */
bool elab_keep_value(Elab *e, Sym name, const Name *n);

#endif
