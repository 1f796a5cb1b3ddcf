/* Compile-time code: values known now, with the semantics of Python. Part of elab/comptime/elab.h.
 */
#ifndef PLD_ELAB_COMPTIME_H
#define PLD_ELAB_COMPTIME_H

#include "elab/comptime/elab.h"

/* ---- expressions (expr.c, subscript.c, call.c) */
Val elab_eval(Elab *e, const Ast *a);
/* The dynamic extent of that name, one of the program from now on. */
const Dim *elab_extent(Elab *e, Sym name);
/* Reports the use of a name that skipped lines of a script make. */
Val elab_poisoned(Elab *e, const CtName *n, Span span);
/* "pl.tile.add" for a dotted name that starts at an import alias, or NULL. */
Sym elab_dotted(Elab *e, const Ast *a);
/* math.NAME, by any name that the module has in the file. */
bool elab_is_math_name(Elab *e, const Ast *a);
/* Does the function at hand bind the name? */
bool elab_is_local(Elab *e, Sym name);
Val elab_subscript(Elab *e, const Ast *a);
/* Known dims become expressions inside functions. */
Val elab_localise(Elab *e, Val v);
Val elab_call(Elab *e, const Ast *call);
/* Reports `**kwargs` among the arguments: every keyword has a name after this. */
bool elab_plain_call(Elab *e, const Ast *call);
/* The arguments, evaluated; all of them, also after a mistake in one, which gives false. */
bool elab_args(Elab *e, const Ast *call, Args *out);
/* The same for positional arguments only, between `min` and `max` of them. */
bool elab_positional(Elab *e, const Ast *call, const char *name, uint32_t min, uint32_t max,
                     Args *args);
/* A dotted name that is called and is no row of the op table: pl.range, pl.const and the like. */
bool elab_is_special_call(const char *dotted);

/* ---- what is not there (hints.c) */
/* ": use NAME" where the table of operations has it. */
const char *elab_hint(Elab *e, const char *name);
const char *elab_nearest_op(const char *name);
/* What to write in place of a name that other systems have, or NULL. (comptime/hints.c) */
const char *elab_instead(const char *dotted);
/* Reports a call of what is no operation. */
Val elab_unknown_op(Elab *e, Sym dotted, Span span);
/* Reports an expression of Python that the language has not, with what to write. */
Val elab_unavailable(Elab *e, const Ast *a);

/* ---- operators on known values (fold.c) */
/* The row of scalar.def; SC_COUNT for @. */
ScalarOp elab_scalar_op(BinaryOp op);
Val elab_fold_unary(Elab *e, UnaryOp op, Val a, Span span);
Val elab_fold_binary(Elab *e, BinaryOp op, Val a, Val b, Span span);
Val elab_fold_compare(Elab *e, CompareOp op, Val a, Val b, Span span);
/* The greatest or least of the arguments, or of the items of the only one. */
Val elab_fold_extreme(Elab *e, bool want_max, const Val *args, uint32_t n, Span span);
/* abs, int and float of a number. */
Val elab_fold_conversion(Elab *e, ScalarOp op, Val v, Span span);
/* -1, 0 or 1; 2 for values without an order (a NaN), -2 for types without one. */
int elab_order(Val a, Val b);

/* ---- Python's functions (pyfunc.c, pymath.c) */
bool elab_is_builtin(const char *name);
/* What a program writes where the operands are known only when it runs. */
const char *elab_builtin_run_time(const char *name);
Val elab_builtin(Elab *e, const char *name, const Args *args, Span span);
Val elab_fold_call(Elab *e, Sym name, const Val *args, uint32_t n, Span span);
bool elab_is_math(const char *name);
bool elab_math_constant(const char *name, double *out);
Val elab_math_call(Elab *e, const char *name, const Ast *call);
/* A number or bool that is known here although a name holds it, as that; others as they are. */
Val elab_settled(Elab *e, Val v);
/* Reports a name that math does not have here. */
Val elab_math_unknown(Elab *e, const char *name, Span span);
/* The nearest integer, half to even. */
double elab_round_even(double v);
/* "inf", "-inf", "nan". */
bool elab_special_float(const char *s, double *out);

/* ---- expressions of compile-time code alone (pyexpr.c) */
/* Counts; false once the limit is passed, which is reported. */
bool elab_step(Elab *e, uint64_t n, Span span);
/* What `for` goes through; false after a mistake. */
bool elab_iterate(Elab *e, Val v, Span span, const Val **items, uint32_t *n);
const Val *elab_dict_get(Elab *e, Val d, Val key, Span span);
Val elab_dict_with(Elab *e, Val d, Val key, Val value, Span span);
Val elab_dict(Elab *e, const Ast *a);
Val elab_comprehension(Elab *e, const Ast *a);
Val elab_slice(Elab *e, Val v, const Ast *slice);
Val elab_method(Elab *e, Val base, Sym name, const Ast *call);
/* The text of an f-string; NULL after a mistake (pytext.c). */
const char *elab_fstring(Elab *e, const Ast *a);
/* The function that a def or lambda makes here. */
Val elab_helper(Elab *e, const Ast *def);
Val elab_helper_call(Elab *e, const Helper *h, const Ast *call);

/* ---- compile-time code (comptime.c) */
CtScope *elab_scope_new(Elab *e, CtScope *parent);
void elab_define(Elab *e, CtScope *scope, Sym name, Val val, Span span);
const CtName *elab_find_name(const CtScope *scope, Sym name);
/* Runs statements; returns true when a `return` was met, its value in *result. */
bool elab_run(Elab *e, const AstList *body, Val *result);
/* Binds the names of a target; false after a mistake. */
bool elab_assign_to(Elab *e, const Ast *target, Val v);
/* Reports `raise` and `assert` (kernels have them too, on compile-time conditions). */
void elab_raise(Elab *e, const Ast *stmt);
void elab_assert(Elab *e, const Ast *stmt);
bool elab_unpack(Elab *e, const Ast *target, Val v, const Val **items, uint32_t n);

#endif
