/* Text in, tokens, trees or messages out. */
#ifndef PLD_TESTS_PARSETEST_H
#define PLD_TESTS_PARSETEST_H

#include "parser/parser.h"

/* A text and what the parser made of it. */
typedef struct {
    Arena arena;
    Interner names;
    Diags diags;
    Source *src;
    AstModule *module;
    Buf text; /* the module printed, or the list of messages */
} Parsed;

void parse_text(Parsed *p, const char *text, size_t len);
void parsed_free(Parsed *p);

/* "line:col: message\n" for each diagnostic in source order. */
const char *parsed_messages(Parsed *p);
/* The canonical spelling. */
const char *parsed_printed(Parsed *p);

/* Fails unless `text` has exactly these messages. */
void expect_messages(const char *text, const char *messages);
/* Fails unless `text` parses and prints as `printed`, and that gives the same tree and text. */
void expect_printed(const char *text, const char *printed);

#endif
