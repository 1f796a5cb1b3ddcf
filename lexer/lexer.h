/* From text to tokens: the scanner makes raw tokens, the layout turns line structure into NEWLINE,
 * INDENT and DEDENT and mends brackets, so that the grammar sees balanced input. */
#ifndef PLD_LEXER_LEXER_H
#define PLD_LEXER_LEXER_H

#include "base/diag.h"
#include "base/source.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum {
#define PLD_TOKEN(ENUM, text, note) TOK_##ENUM,
#include "lexer/tokens.def"
    TOK_COUNT
} TokenKind;

/* What is wrong with a TOK_ERROR; the layout words it. */
typedef enum {
    LEX_OK,
    LEX_CHARACTER,     /* no token starts with it */
    LEX_STRING,        /* not closed on its line */
    LEX_TRIPLE_STRING, /* not closed before the end of the file */
    LEX_NUMBER,        /* digits run into letters, leading zeros, misplaced '_' */
    LEX_COMPLEX,       /* 3j */
    LEX_BYTES,         /* b"..." */
    LEX_BACKSLASH,     /* '\' that is not at the end of its line */
    LEX_BACKSLASH_END, /* '\' that joins the last line to nothing */
    LEX_STRAY_CLOSER,  /* a closing bracket that nothing opened */
} LexError;

typedef struct {
    Span span;
    uint32_t indent;   /* columns before it, when it is the first on its line */
    uint8_t kind;      /* TokenKind */
    uint8_t error;     /* LexError */
    bool first : 1;    /* first on its physical line, not after a '\' */
    bool tab : 1;      /* ... with a tab in the indentation */
    bool unclosed : 1; /* an opener that is never closed */
} Token;

typedef VEC(Token) TokenList; /* on the heap: vec_free */

const char *token_text(TokenKind kind);
const char *token_note(TokenKind kind); /* or NULL */
bool token_is_opener(TokenKind kind);
bool token_is_closer(TokenKind kind);
TokenKind token_closer_of(TokenKind opener);
bool token_starts_statement(TokenKind kind); /* keywords that no expression contains */
bool token_heads_block(TokenKind kind);      /* if, else, for, def, ... */

/* Scans `len` bytes, which end with a NUL at text[len] and hold no other NUL and no invalid UTF-8,
 * and appends the raw tokens with a TOK_END last; spans are shifted by `base`. */
void lexer_scan(TokenList *out, const char *text, uint32_t len, uint32_t base);

/* An open block. */
typedef struct {
    uint32_t indent;
    bool silent; /* an indentation that no block header announced: no INDENT was given */
} LayoutLevel;

/* An open bracket. */
typedef struct {
    uint8_t closer; /* TokenKind that closes it */
    bool unclosed;
} LayoutBracket;

#define LAYOUT_QUEUE 4

typedef struct {
    const Source *src;
    Diags *diags;
    TokenList tokens;
    uint32_t pos;            /* next raw token */
    bool expression;         /* a lone expression: lines mean nothing */
    uint32_t max_depth;      /* of blocks and brackets together */
    VEC(LayoutLevel) levels; /* the first is column 0 */
    VEC(LayoutBracket) brackets;
    Token queue[LAYOUT_QUEUE]; /* made tokens still to give, the next one last */
    uint32_t n_queue;
    uint32_t dedents; /* DEDENT tokens still to give, after the queue */
    bool line_open;   /* inside a logical line: a NEWLINE is owed */
    bool line_failed; /* this logical line already has a message */
    bool announces;   /* the line before promises a block */
    bool tab_reported;
    bool colon_seen;   /* a ':' outside brackets in the line */
    uint32_t line_pos; /* raw index of the first token of the line */
    Token last;        /* given last */
} Layout;

/* Takes over `tokens`. */
void layout_init(Layout *layout, const Source *src, Diags *diags, TokenList tokens, bool expression,
                 uint32_t max_depth);
Token layout_next(Layout *layout);
void layout_free(Layout *layout);

/* Records a syntax error, unless the current logical line already has one: what follows the first
 * mistake in a line is noise. */
void layout_error(Layout *layout, Span span, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
