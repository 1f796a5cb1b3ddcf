/* Types as written. Part of elab/comptime/elab.h. */
#ifndef PLD_ELAB_TYPES_H
#define PLD_ELAB_TYPES_H

#include "elab/comptime/elab.h"

/* An annotation of a parameter, result or binding: V_TYPE, or V_BAD. */
Val elab_annotation(Elab *e, const Ast *a);
/* The same for a parameter or result, where extents and dtype may be left out: also V_BARE. */
Val elab_param_annotation(Elab *e, const Ast *a);
/* A subscript like pl.Tensor[[..], ..]; false when its base is no type constructor. */
bool elab_type_form(Elab *e, const Ast *a, Val *out);
/* Same type but for the place of a tile. */
bool elab_type_fits(Elab *e, const Type *a, const Type *b);

#endif
