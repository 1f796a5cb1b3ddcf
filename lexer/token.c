/* Facts about kinds of tokens. */
#include "lexer/lexer.h"
#include <assert.h>

static const char *const texts[] = {
#define PLD_TOKEN(ENUM, text, note) text,
#include "lexer/tokens.def"
};

static const char *const notes[] = {
#define PLD_TOKEN(ENUM, text, note) note,
#include "lexer/tokens.def"
};

static_assert(TOK_COUNT <= UINT8_MAX, "Token.kind is a byte");
static_assert(TOK_RPAREN - TOK_LPAREN == 3 && TOK_RBRACE - TOK_LBRACE == 3, "closers in order");

const char *token_text(TokenKind kind)
{
    return texts[kind];
}

const char *token_note(TokenKind kind)
{
    return notes[kind];
}

bool token_is_opener(TokenKind kind)
{
    return kind >= TOK_LPAREN && kind <= TOK_LBRACE;
}

bool token_is_closer(TokenKind kind)
{
    return kind >= TOK_RPAREN && kind <= TOK_RBRACE;
}

TokenKind token_closer_of(TokenKind opener)
{
    return opener + (TOK_RPAREN - TOK_LPAREN);
}

bool token_starts_statement(TokenKind kind)
{
    return kind >= TOK_ASSERT && kind <= TOK_WITH;
}

bool token_heads_block(TokenKind kind)
{
    switch (kind) {
    case TOK_ASYNC:
    case TOK_CLASS:
    case TOK_DEF:
    case TOK_ELIF:
    case TOK_ELSE:
    case TOK_EXCEPT:
    case TOK_FINALLY:
    case TOK_FOR:
    case TOK_IF:
    case TOK_TRY:
    case TOK_WHILE:
    case TOK_WITH: return true;
    default: return false;
    }
}
