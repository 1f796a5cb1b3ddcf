/* Words for syntax errors. Internal to parser/. */
#ifndef PLD_PARSER_ERRORS_H
#define PLD_PARSER_ERRORS_H

#include "parser/state.h"

/* Which kinds of tokens the grammar could go on with. */
typedef struct {
    bool kind[TOK_COUNT];
} ExpectedTokens;

/* Reports that the token given last does not fit. */
void parser_report_unexpected(Parser *p, const ExpectedTokens *expected);

#endif
