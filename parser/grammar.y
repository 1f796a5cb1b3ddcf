/* The grammar of .pld: Python's, so that later stages can say what pasted programs must do without.
 * Names of ops and their keywords stay out of it. A mistake costs one logical line. */
%require "3.8"
%define api.pure full
%define api.location.type {Span}
%define parse.error custom
%define parse.lac full
%expect 0
%param { Parser *p }

%code requires {
#include "parser/state.h"

union YYSTYPE;
int parser_lex(union YYSTYPE *value, Span *span, Parser *p);
}

%code {
#include "parser/errors.h"

#define yylex parser_lex
static void yyerror(const Span *span, Parser *p, const char *message);

#define YYMAXDEPTH 200000 /* far above the limits of the layout and of the height of trees */
#define YYMALLOC xmalloc
#define YYFREE xfree

#define YYLLOC_DEFAULT(current, rhs, n)                                                            \
    ((current).begin = (n) > 0 ? YYRHSLOC(rhs, 1).begin : YYRHSLOC(rhs, 0).end,                    \
     (current).end = (n) > 0 ? YYRHSLOC(rhs, n).end : YYRHSLOC(rhs, 0).end)

#define PUSH(list, ...) avec_push(p->arena, &(list), __VA_ARGS__)
}

%union {
    Ast *node;
    AstList list;
    Sym sym;
    BinaryOp binary;
    CompareOp compare;
    Argument arg;
    CallArgs args;
    AstParam param;
    AstParams params;
    AstForClause clause;
    AstForClauses clauses;
    AstHandler handler;
    AstHandlers handlers;
    VEC(Span) spans;
}

/* In the order of lexer/tokens.def. */
%token T_END 0 "end of file" T_NEWLINE "end of line" T_INDENT "indentation"
%token T_DEDENT "end of block" T_ERROR "bad text" T_BAD_EXPR "expression" T_NAME "name"
%token T_INT "integer" T_FLOAT "number" T_STRING "string" T_ASSERT "assert" T_BREAK "break"
%token T_CLASS "class" T_CONTINUE "continue" T_DEF "def" T_DEL "del" T_ELIF "elif"
%token T_EXCEPT "except" T_FINALLY "finally" T_GLOBAL "global" T_IMPORT "import"
%token T_NONLOCAL "nonlocal" T_PASS "pass" T_RAISE "raise" T_RETURN "return" T_TRY "try"
%token T_WHILE "while" T_WITH "with" T_AND "and" T_AS "as" T_ASYNC "async" T_AWAIT "await"
%token T_ELSE "else" T_FALSE "False" T_FOR "for" T_FROM "from" T_IF "if" T_IN "in" T_IS "is"
%token T_LAMBDA "lambda" T_NONE "None" T_NOT "not" T_OR "or" T_TRUE "True" T_YIELD "yield"
%token T_LPAREN "(" T_LBRACKET "[" T_LBRACE "{" T_RPAREN ")" T_RBRACKET "]" T_RBRACE "}"
%token T_COMMA "," T_COLON ":" T_DOT "." T_ELLIPSIS "..." T_ARROW "->" T_AT "@" T_SEMICOLON ";"
%token T_WALRUS ":=" T_BANG "!" T_AND_AND "&&" T_OR_OR "||" T_LT_GT "<>" T_ASSIGN "=" T_EQ "=="
%token T_NE "!=" T_LT "<" T_LE "<=" T_GT ">" T_GE ">=" T_PLUS "+" T_MINUS "-" T_STAR "*"
%token T_SLASH "/" T_FLOORDIV "//" T_PERCENT "%" T_POWER "**" T_AMP "&" T_BAR "|" T_CARET "^"
%token T_TILDE "~" T_SHL "<<" T_SHR ">>" T_ADD_ASSIGN "+=" T_SUB_ASSIGN "-=" T_MUL_ASSIGN "*="
%token T_DIV_ASSIGN "/=" T_FLOORDIV_ASSIGN "//=" T_MOD_ASSIGN "%=" T_POW_ASSIGN "**="
%token T_MATMUL_ASSIGN "@=" T_AND_ASSIGN "&=" T_OR_ASSIGN "|=" T_XOR_ASSIGN "^="
%token T_SHL_ASSIGN "<<=" T_SHR_ASSIGN ">>=" T_START_MODULE T_START_EXPRESSION

%precedence LONE
%precedence "def" "class"
%left "|"
%left "^"
%left "&"
%left "<<" ">>"
%left "+" "-"
%left "*" "/" "//" "%" "@"
%precedence UNARY
%right "**"

%type <sym> T_NAME dotted
%type <node> T_INT T_FLOAT
%type <node> stmt_one simple decorated def class if for while try with import from_names import_one
%type <node> exprs item named yield expr or_test and_test not_test bitor primary
%type <node> sub opt_expr star_arg returns targets target_list target_item dict_pairs
%type <node> with_items or_list and_list compare_list
%type <arg> arg
%type <list> stmts stmt line imports assigns items suite opt_else opt_finally decorators bad names
%type <list> bad_line target_items subs if_rest
%type <binary> augop
%type <compare> cmp_op
%type <args> call_args arg_list opt_bases
%type <param> param star_param lambda_param
%type <params> params param_list lambda_params lambda_param_list
%type <clauses> comp
%type <clause> comp_for
%type <handler> handler
%type <handlers> handlers
%type <spans> strings

%%

program:
    T_START_MODULE module
  | T_START_EXPRESSION exprs        { p->expr = $2; }

module:
    %empty
  | module stmt                     { p->module->body = ast_list_join(p, p->module->body, $2); }

/* --- statements --- */

stmts:
    stmt
  | stmts stmt                      { $$ = ast_list_join(p, $1, $2); }

stmt:
    line
  | stmt_one                        { $$ = ast_list_one(p, $1); }
  | bad
  | decorators %prec LONE {
        syntax_error(p, @1, "a decorator must be followed by a def or a class");
        $$ = (AstList){ 0 };
    }
stmt_one: decorated | def | class | if | for | while | try | with

/* Of a line with a mistake the names are kept; what hangs below it is parsed for more. */
bad:
    bad_line
  | bad_line "indentation" stmts "end of block"
  | bad bad_rest
bad_line: error "end of line"       { yyerrok; $$ = parser_bad_line(p); }
bad_rest:
    "else" suite
  | "elif" named suite
  | "finally" suite
  | handler

line:
    simple "end of line"            { $$ = ast_list_one(p, $1); }
  | import "end of line"            { $$ = ast_list_one(p, $1); }
  | imports "end of line"

simple:
    exprs                           { $$ = ast_make_value(p, AST_EXPR_STMT, $1, @$); }
  | yield                           { $$ = ast_make_value(p, AST_EXPR_STMT, $1, @$); }
  | assigns exprs                   { $$ = ast_make_assign(p, $1, $2, @$); }
  | assigns yield                   { $$ = ast_make_assign(p, $1, $2, @$); }
  | expr ":" expr                   { $$ = ast_make_annotated(p, $1, $3, NULL, @$); }
  | expr ":" expr "=" exprs         { $$ = ast_make_annotated(p, $1, $3, $5, @$); }
  | exprs augop exprs               { $$ = ast_make_augmented(p, $1, $2, $3, @$); }
  | "return"                        { $$ = ast_make_value(p, AST_RETURN, NULL, @$); }
  | "return" exprs                  { $$ = ast_make_value(p, AST_RETURN, $2, @$); }
  | "pass"                          { $$ = ast_make_value(p, AST_PASS, NULL, @$); }
  | "break"                         { $$ = ast_make_value(p, AST_BREAK, NULL, @$); }
  | "continue"                      { $$ = ast_make_value(p, AST_CONTINUE, NULL, @$); }
  | "raise"                         { $$ = ast_make_raise(p, NULL, NULL, @$); }
  | "raise" expr                    { $$ = ast_make_raise(p, $2, NULL, @$); }
  | "raise" expr "from" expr        { $$ = ast_make_raise(p, $2, $4, @$); }
  | "assert" expr                   { $$ = ast_make_assert(p, $2, NULL, @$); }
  | "assert" expr "," expr          { $$ = ast_make_assert(p, $2, $4, @$); }
  | "del" exprs                     { $$ = ast_make_delete(p, $2, @$); }
  | "global" names                  { $$ = ast_make_global(p, $2, false, @$); }
  | "nonlocal" names                { $$ = ast_make_global(p, $2, true, @$); }

assigns:
    exprs "="                       { ast_check_target(p, $1); $$ = ast_list_one(p, $1); }
  | assigns exprs "="               { ast_check_target(p, $2); $$ = $1; PUSH($$, $2); }

augop:
    "+=" { $$ = OP_ADD; }           | "-=" { $$ = OP_SUB; }
  | "*=" { $$ = OP_MUL; }           | "/=" { $$ = OP_DIV; }
  | "//=" { $$ = OP_FLOORDIV; }     | "%=" { $$ = OP_MOD; }
  | "**=" { $$ = OP_POW; }          | "@=" { $$ = OP_MATMUL; }
  | "&=" { $$ = OP_BITAND; }        | "|=" { $$ = OP_BITOR; }
  | "^=" { $$ = OP_BITXOR; }        | "<<=" { $$ = OP_SHL; }
  | ">>=" { $$ = OP_SHR; }
names:
    T_NAME                          { $$ = ast_list_one(p, ast_make_name(p, $1, @1)); }
  | names "," T_NAME                { $$ = $1; PUSH($$, ast_make_name(p, $3, @3)); }
imports:
    "import" import_one             { $$ = ast_list_one(p, $2); $2->span = @$; }
  | imports "," import_one          { $$ = $1; PUSH($$, $3); }
import_one:
    dotted                          { $$ = ast_make_import(p, $1, NULL, @$); }
  | dotted "as" T_NAME              { $$ = ast_make_import(p, $1, $3, @$); }
import:
    "from" from_module "import" "*" {
        $$ = ast_import_from(p, ast_make_import(p, intern(p->in, "*"), NULL, @$), @2, @$);
    }
  | "from" from_module "import" from_names  { $$ = ast_import_from(p, $4, @2, @$); }
  | "from" from_module "import" "(" from_names opt_comma ")" {
        $$ = ast_import_from(p, $5, @2, @$);
    }
from_names:
    T_NAME                          { $$ = ast_make_import(p, $1, NULL, @$); }
  | T_NAME "as" T_NAME              { $$ = ast_make_import(p, $1, $3, @$); }
  | from_names "," T_NAME           { $$ = ast_import_more(p, $1, $3, NULL); }
  | from_names "," T_NAME "as" T_NAME   { $$ = ast_import_more(p, $1, $3, $5); }

dotted: dotted_text                 { $$ = parser_dotted_name(p, @1); }
dotted_text: T_NAME | dotted_text "." T_NAME
from_module: dotted_text | dots | dots dotted_text
dots: "." | "..." | dots "." | dots "..."
opt_comma: %empty | ","

/* --- blocks --- */

suite:
    ":" line                        { $$ = $2; }
  | ":" "end of line" "indentation" stmts "end of block"    { $$ = $4; }
  | ":" "end of line" {
        diag_error(p->diags, @1, "syntax",
                   "an indented block must follow this ':' (at least 'pass')");
        $$ = (AstList){ 0 };
    }

if:
    "if" named suite if_rest        { $$ = ast_make_if(p, AST_IF, $2, $3, $4, span_join(@1, @2)); }
if_rest:
    %empty                          { $$ = (AstList){ 0 }; }
  | "else" suite                    { $$ = $2; }
  | "elif" named suite if_rest {
        $$ = ast_list_one(p, ast_make_if(p, AST_IF, $2, $3, $4, span_join(@1, @2)));
    }
while:
    "while" named suite opt_else { $$ = ast_make_if(p, AST_WHILE, $2, $3, $4, span_join(@1, @2)); }
for:
    "for" targets "in" exprs suite opt_else {
        $$ = ast_make_for(p, $2, $4, $5, $6, span_join(@1, @4));
    }
opt_else:
    %empty                          { $$ = (AstList){ 0 }; }
  | "else" suite                    { $$ = $2; }
opt_finally:
    %empty                          { $$ = (AstList){ 0 }; }
  | "finally" suite                 { $$ = $2; }
try:
    "try" suite handlers opt_else opt_finally { $$ = ast_make_try(p, $2, $3, $4, $5, @1); }
handlers:
    %empty                          { $$ = (AstHandlers){ 0 }; }
  | handlers handler                { $$ = $1; PUSH($$, $2); }
handler:
    "except" suite                  { $$ = (AstHandler){ .body = $2 }; }
  | "except" expr suite             { $$ = (AstHandler){ .type = $2, .body = $3 }; }
  | "except" expr "as" T_NAME suite { $$ = (AstHandler){ .type = $2, .name = $4, .body = $5 }; }
with:
    "with" with_items suite         { $$ = ast_finish_with(p, $2, $3, span_join(@1, @2)); }
with_items:
    expr                            { $$ = ast_make_with(p, NULL, $1, NULL); }
  | expr "as" bitor                 { $$ = ast_make_with(p, NULL, $1, $3); }
  | with_items "," expr             { $$ = ast_make_with(p, $1, $3, NULL); }
  | with_items "," expr "as" bitor  { $$ = ast_make_with(p, $1, $3, $5); }

/* --- definitions --- */

decorators:
    "@" expr "end of line"          { $$ = ast_list_one(p, $2); }
  | decorators "@" expr "end of line"    { $$ = $1; PUSH($$, $3); }
decorated:
    decorators def                  { $$ = ast_decorate(p, $2, $1); }
  | decorators class                { $$ = ast_decorate(p, $2, $1); }
def:
    "def" T_NAME "(" params ")" returns suite {
        Span span = { @1.begin, $6 ? @6.end : @5.end };
        $$ = ast_make_def(p, (AstName){ $2, @2 }, $4, $6, $7, span);
    }
returns:
    %empty                          { $$ = NULL; }
  | "->" expr                       { $$ = $2; }
params:
    %empty                          { $$ = (AstParams){ 0 }; }
  | param_list opt_comma            { $$ = ast_finish_params(p, $1); }
param_list:
    param                           { $$ = (AstParams){ 0 }; PUSH($$, $1); }
  | param_list "," param            { $$ = $1; PUSH($$, $3); }
param:
    T_NAME                          { $$ = ast_make_param($1, @1, NULL, NULL, 0); }
  | T_NAME ":" expr                 { $$ = ast_make_param($1, @1, $3, NULL, 0); }
  | T_NAME "=" expr                 { $$ = ast_make_param($1, @1, NULL, $3, 0); }
  | T_NAME ":" expr "=" expr        { $$ = ast_make_param($1, @1, $3, $5, 0); }
  | star_param
  | star_param ":" expr             { $$ = $1; $$.annotation = $3; }
  | "/"                             { $$ = ast_make_param(NULL, @1, NULL, NULL, '/'); }
star_param:
    "*"                             { $$ = ast_make_param(NULL, @1, NULL, NULL, '*'); }
  | "*" T_NAME                      { $$ = ast_make_param($2, @2, NULL, NULL, '*'); }
  | "**" T_NAME                     { $$ = ast_make_param($2, @2, NULL, NULL, 'k'); }
class:
    "class" T_NAME opt_bases suite {
        $$ = ast_make_class(p, (AstName){$2, @2}, ast_class_bases(p, $3), $4, span_join(@1, @3));
    }
opt_bases:
    %empty                          { $$ = (CallArgs){ 0 }; }
  | "(" call_args ")"               { $$ = $2; }

/* --- expressions --- */

exprs:
    item
  | item ","                        { $$ = ast_make_list(p, AST_TUPLE, ast_list_one(p, $1), @$); }
  | items opt_comma                 { $$ = ast_make_list(p, AST_TUPLE, $1, @$); }
items:
    item "," item                   { $$ = ast_list_one(p, $1); PUSH($$, $3); }
  | items "," item                  { $$ = $1; PUSH($$, $3); }
item:
    named
  | "*" bitor                       { $$ = ast_make_value(p, AST_STARRED, $2, @$); }
named:
    expr
  | expr ":=" expr                  { $$ = ast_make_walrus(p, $1, $3, @$); }
yield:
    "yield"                         { $$ = ast_make_value(p, AST_YIELD, NULL, @$); }
  | "yield" exprs                   { $$ = ast_make_value(p, AST_YIELD, $2, @$); }
  | "yield" "from" expr             { $$ = ast_make_value(p, AST_YIELD_FROM, $3, @$); }

/* The targets of a loop: no 'in' outside brackets. */
targets: target_list                { ast_check_target(p, $1); }
target_list:
    target_item
  | target_item ","                 { $$ = ast_make_list(p, AST_TUPLE, ast_list_one(p, $1), @$); }
  | target_items opt_comma          { $$ = ast_make_list(p, AST_TUPLE, $1, @$); }
target_items:
    target_item "," target_item     { $$ = ast_list_one(p, $1); PUSH($$, $3); }
  | target_items "," target_item    { $$ = $1; PUSH($$, $3); }
target_item:
    bitor
  | "*" bitor                       { $$ = ast_make_value(p, AST_STARRED, $2, @$); }

expr:
    or_test
  | or_test "if" or_test "else" expr    { $$ = ast_make_cond(p, $1, $3, $5, @$); }
  | "lambda" lambda_params ":" expr { $$ = ast_make_lambda(p, $2, $4, @$); }
lambda_params:
    %empty                          { $$ = (AstParams){ 0 }; }
  | lambda_param_list opt_comma     { $$ = ast_finish_params(p, $1); }
lambda_param_list:
    lambda_param                    { $$ = (AstParams){ 0 }; PUSH($$, $1); }
  | lambda_param_list "," lambda_param    { $$ = $1; PUSH($$, $3); }
lambda_param:
    T_NAME                          { $$ = ast_make_param($1, @1, NULL, NULL, 0); }
  | T_NAME "=" expr                 { $$ = ast_make_param($1, @1, NULL, $3, 0); }
  | star_param

/* An operand that stands alone takes one step to an expression, not one for each operator that it
 * might have had: what follows tells which it is. */
or_test:
    bitor
  | compare_list                    { $$ = ast_finish(p, $1); }
  | "not" not_test                  { $$ = ast_make_unary(p, OP_NOT, $2, @$); }
  | and_list                        { $$ = ast_finish(p, $1); }
  | or_list                         { $$ = ast_finish(p, $1); }
or_list:
    and_test "or" and_test          { $$ = ast_make_bool(p, AST_OR, $1, $3, @$); }
  | or_list "or" and_test           { $$ = ast_extend_bool(p, $1, $3, @$); }
and_test:
    not_test
  | and_list                        { $$ = ast_finish(p, $1); }
and_list:
    not_test "and" not_test         { $$ = ast_make_bool(p, AST_AND, $1, $3, @$); }
  | and_list "and" not_test         { $$ = ast_extend_bool(p, $1, $3, @$); }
not_test:
    bitor
  | compare_list                    { $$ = ast_finish(p, $1); }
  | "not" not_test                  { $$ = ast_make_unary(p, OP_NOT, $2, @$); }
compare_list:
    bitor cmp_op bitor              { $$ = ast_make_compare(p, $1, $2, $3, @$); }
  | compare_list cmp_op bitor       { $$ = ast_extend_compare(p, $1, $2, $3, @$); }
cmp_op:
    "==" { $$ = CMP_EQ; }           | "!=" { $$ = CMP_NE; }
  | "<" { $$ = CMP_LT; }            | "<=" { $$ = CMP_LE; }
  | ">" { $$ = CMP_GT; }            | ">=" { $$ = CMP_GE; }
  | "is" { $$ = CMP_IS; }           | "is" "not" { $$ = CMP_IS_NOT; }
  | "in" { $$ = CMP_IN; }           | "not" "in" { $$ = CMP_NOT_IN; }

bitor:
    primary
  | bitor "|" bitor                 { $$ = ast_make_binary(p, OP_BITOR, $1, $3, @$); }
  | bitor "^" bitor                 { $$ = ast_make_binary(p, OP_BITXOR, $1, $3, @$); }
  | bitor "&" bitor                 { $$ = ast_make_binary(p, OP_BITAND, $1, $3, @$); }
  | bitor "<<" bitor                { $$ = ast_make_binary(p, OP_SHL, $1, $3, @$); }
  | bitor ">>" bitor                { $$ = ast_make_binary(p, OP_SHR, $1, $3, @$); }
  | bitor "+" bitor                 { $$ = ast_make_binary(p, OP_ADD, $1, $3, @$); }
  | bitor "-" bitor                 { $$ = ast_make_binary(p, OP_SUB, $1, $3, @$); }
  | bitor "*" bitor                 { $$ = ast_make_binary(p, OP_MUL, $1, $3, @$); }
  | bitor "/" bitor                 { $$ = ast_make_binary(p, OP_DIV, $1, $3, @$); }
  | bitor "//" bitor                { $$ = ast_make_binary(p, OP_FLOORDIV, $1, $3, @$); }
  | bitor "%" bitor                 { $$ = ast_make_binary(p, OP_MOD, $1, $3, @$); }
  | bitor "@" bitor                 { $$ = ast_make_binary(p, OP_MATMUL, $1, $3, @$); }
  | bitor "**" bitor                { $$ = ast_make_binary(p, OP_POW, $1, $3, @$); }
  | "-" bitor %prec UNARY           { $$ = ast_make_unary(p, OP_NEG, $2, @$); }
  | "+" bitor %prec UNARY           { $$ = ast_make_unary(p, OP_POS, $2, @$); }
  | "~" bitor %prec UNARY           { $$ = ast_make_unary(p, OP_INVERT, $2, @$); }

primary:
    primary "." T_NAME              { $$ = ast_make_attr(p, $1, $3, @3, @$); }
  | primary "(" call_args ")"       { $$ = ast_make_call(p, $1, $3, @$); }
  | primary "[" subs opt_comma "]"  { $$ = ast_make_subscript(p, $1, $3, @4.end > @4.begin, @$); }
  | T_NAME                          { $$ = ast_make_name(p, $1, @1); }
  | T_INT
  | T_FLOAT
  | strings                         { $$ = literal_strings(p, $1.at, $1.len); }
  | "True"                          { $$ = ast_make_value(p, AST_TRUE, NULL, @1); }
  | "False"                         { $$ = ast_make_value(p, AST_FALSE, NULL, @1); }
  | "None"                          { $$ = ast_make_value(p, AST_NONE, NULL, @1); }
  | "..."                           { $$ = ast_make_value(p, AST_ELLIPSIS, NULL, @1); }
  | "expression"                    { $$ = ast_make_value(p, AST_ERROR, NULL, @1); }
  | "(" ")"                         { $$ = ast_make_list(p, AST_TUPLE, (AstList){ 0 }, @$); }
  | "(" exprs ")"                   { $$ = $2; ast_widen_tuple($$, @$); }
  | "(" yield ")"                   { $$ = $2; }
  | "(" expr comp ")"               { $$ = ast_make_comprehension(p, AST_GENEXP, $2, $3, @$); }
  | "[" "]"                         { $$ = ast_make_list(p, AST_LIST, (AstList){ 0 }, @$); }
  | "[" item opt_comma "]"          { $$ = ast_make_list(p, AST_LIST, ast_list_one(p, $2), @$); }
  | "[" items opt_comma "]"         { $$ = ast_make_list(p, AST_LIST, $2, @$); }
  | "[" expr comp "]"               { $$ = ast_make_comprehension(p, AST_LISTCOMP, $2, $3, @$); }
  | "{" "}"                         { $$ = ast_finish(p, ast_node(p, AST_DICT, @$)); }
  | "{" dict_pairs opt_comma "}"    { $$ = $2; $$->span = @$; $$ = ast_finish(p, $$); }
  | "{" expr ":" expr comp "}"      { $$ = ast_make_dict_comprehension(p, $2, $4, $5, @$); }
  | "{" item opt_comma "}"          { $$ = ast_make_list(p, AST_SET, ast_list_one(p, $2), @$); }
  | "{" items opt_comma "}"         { $$ = ast_make_list(p, AST_SET, $2, @$); }
  | "{" expr comp "}"               { $$ = ast_make_comprehension(p, AST_SETCOMP, $2, $3, @$); }
subs:
    sub                             { $$ = ast_list_one(p, $1); }
  | subs "," sub                    { $$ = $1; PUSH($$, $3); }
sub:
    item
  | opt_expr ":" opt_expr           { $$ = ast_make_slice(p, $1, $3, NULL, @$); }
  | opt_expr ":" opt_expr ":" opt_expr    { $$ = ast_make_slice(p, $1, $3, $5, @$); }
opt_expr:
    %empty                          { $$ = NULL; }
  | expr
call_args:
    %empty                          { $$ = (CallArgs){ 0 }; }
  | arg_list opt_comma
  | expr comp {
        $$ = (CallArgs){ 0 };
        PUSH($$.args, ast_make_comprehension(p, AST_GENEXP, $1, $2, @$));
    }
arg_list:
    arg                             { $$ = (CallArgs){ 0 }; ast_add_argument(p, &$$, $1); }
  | arg_list "," arg                { $$ = $1; ast_add_argument(p, &$$, $3); }
arg:
    named                           { $$ = (Argument){ .value = $1 }; }
  | expr "=" expr                   { $$ = (Argument){ .name = $1, .value = $3 }; }
  | star_arg                        { $$ = (Argument){ .value = $1 }; }
  | "**" expr                       { $$ = (Argument){ .value = $2, .unpack = @1 }; }
star_arg: "*" expr                  { $$ = ast_make_value(p, AST_STARRED, $2, @$); }

strings:
    T_STRING                        { $$.at = NULL; $$.len = $$.cap = 0; PUSH($$, @1); }
  | strings T_STRING                { $$ = $1; PUSH($$, @2); }
dict_pairs:
    expr ":" expr                   { $$ = ast_make_pair(p, NULL, $1, $3); }
  | "**" bitor                      { $$ = ast_make_pair(p, NULL, NULL, $2); }
  | dict_pairs "," expr ":" expr    { $$ = ast_make_pair(p, $1, $3, $5); }
  | dict_pairs "," "**" bitor       { $$ = ast_make_pair(p, $1, NULL, $4); }

/* Several conditions of one clause are joined with 'and'. */
comp:
    comp_for                        { $$ = (AstForClauses){ 0 }; PUSH($$, $1); }
  | comp comp_for                   { $$ = $1; PUSH($$, $2); }
  | comp "if" or_test               { $$ = $1; ast_add_condition(p, &vec_last(&$$), $3); }
comp_for: "for" targets "in" or_test    { $$ = (AstForClause){ $2, $4, NULL }; }

%%

#define YYSYMBOL_T_END YYSYMBOL_YYEOF
#define PLD_TOKEN(ENUM, text, note)                                                                \
    _Static_assert(TOK_##ENUM == 0 || (int)T_##ENUM == 257 + (int)TOK_##ENUM, "order of tokens");  \
    _Static_assert(TOK_##ENUM == 0 || (int)YYSYMBOL_T_##ENUM == 2 + (int)TOK_##ENUM, "order");
#include "lexer/tokens.def"

static int yyreport_syntax_error(const yypcontext_t *context, Parser *p)
{
    yysymbol_kind_t symbols[TOK_COUNT + 8];
    int n = yypcontext_expected_tokens(context, symbols, (int)TOK_COUNT + 8);
    ExpectedTokens expected = { 0 };
    for (int i = 0; i < n; i++) {
        int kind = symbols[i] == YYSYMBOL_YYEOF ? TOK_END : (int)symbols[i] - 2;
        if (kind >= 0 && kind < TOK_COUNT)
            expected.kind[kind] = true;
    }
    parser_report_unexpected(p, &expected);
    return 0;
}

/* Only running out of stack comes here. */
static void yyerror(const Span *span, Parser *p, const char *message)
{
    (void)message;
    syntax_error(p, *span, "nested too deeply");
}

int parser_run(Parser *p, bool expression)
{
    p->start = expression ? T_START_EXPRESSION : T_START_MODULE;
    return yyparse(p);
}
