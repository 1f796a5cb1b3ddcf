/* The scanner: raw tokens and where lines begin. It knows no nesting and reports nothing; what it
 * cannot read becomes a TOK_ERROR that says why. */
#include "lexer/lexer.h"

/*!re2c
    re2c:flags:utf-8 = 1;
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = "s->cursor";
    re2c:define:YYMARKER = "s->marker";
    re2c:define:YYLIMIT = "s->limit";
    re2c:yyfill:enable = 0;
    re2c:eof = 0;

    // Beyond ASCII: everything but the blocks of punctuation, symbols and private use.
    blank = [\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u2000-\u20cf]
        | [\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\ue000-\uf8ff\ufe10-\ufe6f]
        | [\ufeff\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufff0-\uffff]
        | [\U0001f000-\U0001faff\U000e0000-\U0010ffff];
    wide = [^\x00-\x7f] \ blank;
    name = ([a-zA-Z_] | wide) ([a-zA-Z0-9_] | wide)*;

    dec = [0-9] ("_"? [0-9])*;
    int = "0" ("_"? "0")* | [1-9] ("_"? [0-9])* | '0x' ("_"? [0-9a-fA-F])+ | '0o' ("_"? [0-7])+
        | '0b' ("_"? [01])+;
    exponent = 'e' [+-]? dec;
    point = dec? "." dec | dec ".";
    float = point exponent? | dec exponent;
    run = [0-9] [0-9a-zA-Z_]* | float [0-9a-zA-Z_]+;

    prefix = 'r'? 'f' | 'f' 'r' | 'r' | 'u';
    bytes = 'b' 'r'? | 'r' 'b';
    single = "'" ([^'\\\n] | "\\" [^])*;
    double = "\"" ([^"\\\n] | "\\" [^])*;
    single3 = "'''" (("'" | "''")? ([^'\\] | "\\" [^]))*;
    double3 = "\"\"\"" (("\"" | "\"\"")? ([^"\\] | "\\" [^]))*;
    string = single "'" | double "\"" | single3 "'''" | double3 "\"\"\"";
    open = single | double;
    open3 = "'''" | "\"\"\"";
*/

typedef struct {
    const unsigned char *cursor, *marker, *limit, *begin;
    const unsigned char *token;   /* where the token at hand starts */
    uint32_t base;
    uint32_t indent;
    bool at_start, tab;
    TokenList *out;
} Scanner;

static void give(Scanner *s, TokenKind kind, LexError error)
{
    Token t = { .kind = (uint8_t)kind, .error = (uint8_t)error, .first = s->at_start };
    t.span.begin = s->base + (uint32_t)(s->token - s->begin);
    t.span.end = s->base + (uint32_t)(s->cursor - s->begin);
    if (s->at_start) {
        t.indent = s->indent;
        t.tab = s->tab;
    }
    s->at_start = false;
    vec_push(s->out, t);
}

static void give_error(Scanner *s, LexError error)
{
    give(s, TOK_ERROR, error);
}

/* Measures the indentation of the next line that has a token on it. false at the end. */
static bool scan_line_start(Scanner *s)
{
    s->at_start = true;
    s->indent = 0;
    s->tab = false;
    for (;;) {
        s->token = s->cursor;
        /*!re2c
            $           { return false; }
            " "+        { s->indent += (uint32_t)(s->cursor - s->token); continue; }
            "\t"        { s->indent = (s->indent / 8 + 1) * 8; s->tab = true; continue; }
            "\f"        { s->indent = 0; continue; }
            "#" [^\n]*  { continue; }
            "\n"        { s->indent = 0; s->tab = false; continue; }
            *           { s->cursor = s->token; return true; }
        */
    }
}

/* Tells keywords from names by a second look, which keeps the scanner small. */
static TokenKind keyword_kind(Scanner *s)
{
    const unsigned char *end = s->cursor;
    TokenKind kind = TOK_NAME;
    s->cursor = s->token;
    /*!re2c
        "and"           { kind = TOK_AND; goto done; }
        "as"            { kind = TOK_AS; goto done; }
        "assert"        { kind = TOK_ASSERT; goto done; }
        "async"         { kind = TOK_ASYNC; goto done; }
        "await"         { kind = TOK_AWAIT; goto done; }
        "break"         { kind = TOK_BREAK; goto done; }
        "class"         { kind = TOK_CLASS; goto done; }
        "continue"      { kind = TOK_CONTINUE; goto done; }
        "def"           { kind = TOK_DEF; goto done; }
        "del"           { kind = TOK_DEL; goto done; }
        "elif"          { kind = TOK_ELIF; goto done; }
        "else"          { kind = TOK_ELSE; goto done; }
        "except"        { kind = TOK_EXCEPT; goto done; }
        "False"         { kind = TOK_FALSE; goto done; }
        "finally"       { kind = TOK_FINALLY; goto done; }
        "for"           { kind = TOK_FOR; goto done; }
        "from"          { kind = TOK_FROM; goto done; }
        "global"        { kind = TOK_GLOBAL; goto done; }
        "if"            { kind = TOK_IF; goto done; }
        "import"        { kind = TOK_IMPORT; goto done; }
        "in"            { kind = TOK_IN; goto done; }
        "is"            { kind = TOK_IS; goto done; }
        "lambda"        { kind = TOK_LAMBDA; goto done; }
        "None"          { kind = TOK_NONE; goto done; }
        "nonlocal"      { kind = TOK_NONLOCAL; goto done; }
        "not"           { kind = TOK_NOT; goto done; }
        "or"            { kind = TOK_OR; goto done; }
        "pass"          { kind = TOK_PASS; goto done; }
        "raise"         { kind = TOK_RAISE; goto done; }
        "return"        { kind = TOK_RETURN; goto done; }
        "True"          { kind = TOK_TRUE; goto done; }
        "try"           { kind = TOK_TRY; goto done; }
        "while"         { kind = TOK_WHILE; goto done; }
        "with"          { kind = TOK_WITH; goto done; }
        "yield"         { kind = TOK_YIELD; goto done; }
        *               { goto done; }
        $               { goto done; }
    */
done:
    kind = s->cursor == end ? kind : TOK_NAME;
    s->cursor = end;
    return kind;
}

/* Scans the rest of a line. false at the end of the text. */
static bool scan_line(Scanner *s)
{
    for (;;) {
        s->token = s->cursor;
        /*!re2c
            $               { return false; }
            [ \t\f]+        { continue; }
            "#" [^\n]*      { continue; }
            "\\" "\n"       {
                if (s->cursor == s->limit)
                    give_error(s, LEX_BACKSLASH_END);
                continue;
            }
            "\n"            { return true; }

            name            { give(s, keyword_kind(s), LEX_OK); continue; }

            int             { give(s, TOK_INT, LEX_OK); continue; }
            float           { give(s, TOK_FLOAT, LEX_OK); continue; }
            (dec | float) 'j' { give_error(s, LEX_COMPLEX); continue; }
            run             { give_error(s, LEX_NUMBER); continue; }

            prefix? string  { give(s, TOK_STRING, LEX_OK); continue; }
            bytes string    { give_error(s, LEX_BYTES); continue; }
            (prefix | bytes)? open { give_error(s, LEX_STRING); continue; }
            (prefix | bytes)? open3 {
                s->cursor = s->limit;
                give_error(s, LEX_TRIPLE_STRING);
                return false;
            }

            "("             { give(s, TOK_LPAREN, LEX_OK); continue; }
            "["             { give(s, TOK_LBRACKET, LEX_OK); continue; }
            "{"             { give(s, TOK_LBRACE, LEX_OK); continue; }
            ")"             { give(s, TOK_RPAREN, LEX_OK); continue; }
            "]"             { give(s, TOK_RBRACKET, LEX_OK); continue; }
            "}"             { give(s, TOK_RBRACE, LEX_OK); continue; }
            ","             { give(s, TOK_COMMA, LEX_OK); continue; }
            ":"             { give(s, TOK_COLON, LEX_OK); continue; }
            "."             { give(s, TOK_DOT, LEX_OK); continue; }
            "..."           { give(s, TOK_ELLIPSIS, LEX_OK); continue; }
            "->"            { give(s, TOK_ARROW, LEX_OK); continue; }
            "@"             { give(s, TOK_AT, LEX_OK); continue; }
            ";"             { give(s, TOK_SEMICOLON, LEX_OK); continue; }
            ":="            { give(s, TOK_WALRUS, LEX_OK); continue; }
            "!"             { give(s, TOK_BANG, LEX_OK); continue; }
            "&&"            { give(s, TOK_AND_AND, LEX_OK); continue; }
            "||"            { give(s, TOK_OR_OR, LEX_OK); continue; }
            "<>"            { give(s, TOK_LT_GT, LEX_OK); continue; }
            "="             { give(s, TOK_ASSIGN, LEX_OK); continue; }
            "=="            { give(s, TOK_EQ, LEX_OK); continue; }
            "!="            { give(s, TOK_NE, LEX_OK); continue; }
            "<"             { give(s, TOK_LT, LEX_OK); continue; }
            "<="            { give(s, TOK_LE, LEX_OK); continue; }
            ">"             { give(s, TOK_GT, LEX_OK); continue; }
            ">="            { give(s, TOK_GE, LEX_OK); continue; }
            "+"             { give(s, TOK_PLUS, LEX_OK); continue; }
            "-"             { give(s, TOK_MINUS, LEX_OK); continue; }
            "*"             { give(s, TOK_STAR, LEX_OK); continue; }
            "/"             { give(s, TOK_SLASH, LEX_OK); continue; }
            "//"            { give(s, TOK_FLOORDIV, LEX_OK); continue; }
            "%"             { give(s, TOK_PERCENT, LEX_OK); continue; }
            "**"            { give(s, TOK_POWER, LEX_OK); continue; }
            "&"             { give(s, TOK_AMP, LEX_OK); continue; }
            "|"             { give(s, TOK_BAR, LEX_OK); continue; }
            "^"             { give(s, TOK_CARET, LEX_OK); continue; }
            "~"             { give(s, TOK_TILDE, LEX_OK); continue; }
            "<<"            { give(s, TOK_SHL, LEX_OK); continue; }
            ">>"            { give(s, TOK_SHR, LEX_OK); continue; }
            "+="            { give(s, TOK_ADD_ASSIGN, LEX_OK); continue; }
            "-="            { give(s, TOK_SUB_ASSIGN, LEX_OK); continue; }
            "*="            { give(s, TOK_MUL_ASSIGN, LEX_OK); continue; }
            "/="            { give(s, TOK_DIV_ASSIGN, LEX_OK); continue; }
            "//="           { give(s, TOK_FLOORDIV_ASSIGN, LEX_OK); continue; }
            "%="            { give(s, TOK_MOD_ASSIGN, LEX_OK); continue; }
            "**="           { give(s, TOK_POW_ASSIGN, LEX_OK); continue; }
            "@="            { give(s, TOK_MATMUL_ASSIGN, LEX_OK); continue; }
            "&="            { give(s, TOK_AND_ASSIGN, LEX_OK); continue; }
            "|="            { give(s, TOK_OR_ASSIGN, LEX_OK); continue; }
            "^="            { give(s, TOK_XOR_ASSIGN, LEX_OK); continue; }
            "<<="           { give(s, TOK_SHL_ASSIGN, LEX_OK); continue; }
            ">>="           { give(s, TOK_SHR_ASSIGN, LEX_OK); continue; }

            "\\"            { give_error(s, LEX_BACKSLASH); continue; }
            [^]             { give_error(s, LEX_CHARACTER); continue; }
            *               { give_error(s, LEX_CHARACTER); continue; }
        */
    }
}

void lexer_scan(TokenList *out, const char *text, uint32_t len, uint32_t base)
{
    Scanner s = { .base = base, .out = out };
    s.begin = s.cursor = (const unsigned char *)text;
    s.limit = s.begin + len;
    while (scan_line_start(&s) && scan_line(&s))
        continue;
    /* The end has a place to point at: the last newline, or what follows a part of a text. */
    s.token = s.limit - (len > 0 && s.limit[-1] == '\n');
    s.cursor = s.token + 1;
    s.at_start = true;
    s.indent = 0;
    s.tab = false;
    give(&s, TOK_END, LEX_OK);
}
