/* pldc --cost: what the collectives of a program cost, before anything runs. */
#ifndef PLD_API_COST_FORMS_H
#define PLD_API_COST_FORMS_H

#include "ir/ir.h"

/* Appends the closed form of every collective call of a program that still has them (before
 * lower_composite_ops), with numbers where P and N are known. */
void cost_forms_print(Program *p, Buf *out);

#endif
