/* Bracket matching over the whole file, ahead of the layout: only then is it known whether a line
 * break inside a bracket joins lines or shows that the closer was forgotten.
 *
 * A closer that fits an outer opener shows that the inner ones are unclosed; a keyword that only
 * starts statements, at the start of a line, shows that all are. */
#include "lexer/brackets.h"

typedef struct {
    TokenList *tokens;
    VEC(uint32_t) open;              /* indices of openers, outermost first */
    uint32_t wanted[TOK_RBRACE + 1]; /* how many of `open` want each closer */
} Matcher;

static TokenKind wanted_by(const Matcher *m, uint32_t opener)
{
    return token_closer_of(m->tokens->at[opener].kind);
}

/* Takes the innermost opener off and returns the closer it wants. */
static TokenKind take(Matcher *m, bool closed)
{
    uint32_t opener = vec_pop(&m->open);
    TokenKind want = wanted_by(m, opener);
    m->wanted[want]--;
    m->tokens->at[opener].unclosed = !closed;
    return want;
}

static void match_closer(Matcher *m, Token *closer)
{
    if (m->wanted[closer->kind] == 0) {
        closer->kind = TOK_ERROR;
        closer->error = LEX_STRAY_CLOSER;
        return;
    }
    while (wanted_by(m, vec_last(&m->open)) != closer->kind)
        take(m, false);
    take(m, true);
}

void brackets_match(TokenList *tokens)
{
    Matcher m = {.tokens = tokens};
    for (uint32_t i = 0; i < tokens->len; i++) {
        Token *t = &tokens->at[i];
        if (t->first && token_starts_statement(t->kind))
            while (m.open.len > 0)
                take(&m, false);
        if (token_is_opener(t->kind)) {
            vec_push(&m.open, i);
            m.wanted[token_closer_of(t->kind)]++;
        } else if (token_is_closer(t->kind)) {
            match_closer(&m, t);
        }
    }
    while (m.open.len > 0)
        take(&m, false);
    vec_free(&m.open);
}
