/* Scopes and task ids of orchestration code. Part of elab/typed/typed.h. */
#ifndef PLD_ELAB_WITH_H
#define PLD_ELAB_WITH_H

#include "elab/typed/typed.h"

/* `with` (with.c). */
void elab_with(Elab *e, const Ast *s);
/* `for i in pl.spmd(n)`; false when the statement is another loop. */
bool elab_spmd_for(Elab *e, const Ast *s);
/* Task ids (task.c). Is the value one? */
bool elab_is_task(Val v);
/* A new task that comes after what `deps`, an expression or NULL, lists; bound to a name of its
 * own. NULL after an error. */
Expr *elab_new_task(Elab *e, const Ast *deps, Span span);
/* Sets bit i where the argument is pl.no_dep(...). */
void elab_note_no_dep(Elab *e, const Ast *a, uint32_t i, uint32_t *bits);
/* task=, manual=, deferred= of a call in a dump: the first is set in Fn.task, the others in *how.
 */
bool elab_task_keyword(Elab *e, const AstKeyword *k, uint8_t *how);
/* A dispatch of an orchestration function: part of the task in Fn.task, or of one of its own where
 * deps= alone order it. */
void elab_set_task(Elab *e, Expr *call, uint8_t how, uint32_t no_dep);
/* pl.submit and pl.spmd_submit: the results of the call, and its task. */
Val elab_submit(Elab *e, Sym dotted, const Ast *call);
Val elab_task_dummy(Elab *e, const Ast *call);

/* A tensor value of a scope that is over gets memory, which the scope fills: from then on the name
 * is that. False where it is no tensor value, or where the scope ran as blocks or on one path. */
bool elab_keep_value(Elab *e, Sym name, const Name *n);

#endif
