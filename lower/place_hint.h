/* What would make the tiles of a function fit on the core. */
#ifndef PLD_LOWER_PLACE_HINT_H
#define PLD_LOWER_PLACE_HINT_H

#include "lower/place.h"

/* Do copies of these places fit? They are the caller's again afterwards. */
typedef bool PlaceTrial(void *env, Places *copies);

/* Notes at `span` how to cut the data into chunks, where the results stay what they are and a trial
 * fits; else, where an operation is in the way, which one, and the largest tile. */
void note_chunks(Program *p, Func *f, const Places *places, Span span, PlaceTrial *fits, void *env);

#endif
