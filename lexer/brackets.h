/* Which brackets are never closed, and which closers nothing opened. */
#ifndef PLD_LEXER_BRACKETS_H
#define PLD_LEXER_BRACKETS_H

#include "lexer/lexer.h"

/* Flags every opener that is never closed and turns every stray closer into a TOK_ERROR. What
 * remains closes in order. Linear. */
void brackets_match(TokenList *tokens);

#endif
