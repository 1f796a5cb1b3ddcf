/* Printing expressions as .pld text with as few parentheses as Python's precedence allows. */
#include "ir/print_expr.h"
#include <math.h>
#include <string.h>

enum { PREC_UNARY = 14, PREC_COMPARE = 7, PREC_TERNARY = 2 };

const char *irp_var(const Func *f, VarId v)
{
    return f->vars.at[v].display ? f->vars.at[v].display : f->vars.at[v].base;
}

int irp_bare_of(const Type *t)
{
    return t && t->kind == TY_SCALAR ? (int)t->dtype : BARE_NEVER;
}

void irp_string(Buf *out, const char *text)
{
    ast_print_expr(out, &(Ast){.kind = AST_STR, .str = {.text = text}});
}

/* Literals. */

static bool is_literal(const Expr *e)
{
    return e->kind == EX_INT || e->kind == EX_BOOL || e->kind == EX_FLOAT;
}

static bool stands_bare(Dtype dtype, int bare)
{
    return bare == (int)dtype || bare == BARE_ANY ||
           (bare == BARE_INT && (dtype == DT_INDEX || dtype == DT_INT32));
}

static void print_int(Buf *out, const Expr *e, int prec, int bare)
{
    Dtype dtype = e->type ? e->type->dtype : DT_INDEX;
    bool parens = e->ival < 0 && prec > PREC_UNARY;
    if (!stands_bare(dtype, bare))
        buf_printf(out, "pl.const(%lld, pl.%s)", (long long)e->ival, dtype_name(dtype));
    else
        buf_printf(out, parens ? "(%lld)" : "%lld", (long long)e->ival);
}

/* A bare True or False is a compile-time value: where it would decide something, it is typed. */
static void print_bool(Buf *out, const Expr *e, int bare)
{
    const char *text = e->ival ? "True" : "False";
    if (stands_bare(DT_BOOL, bare))
        buf_str(out, text);
    else
        buf_printf(out, "pl.const(%s, pl.BOOL)", text);
}

/* Infinity has no literal, but one that rounds to it. */
void irp_real(Buf *out, double v)
{
    if (isnan(v))
        buf_str(out, "(1e999 - 1e999)");
    else if (isinf(v))
        buf_str(out, v < 0 ? "-1e999" : "1e999");
    else
        buf_double(out, v);
}

/* A bare literal is FP32 where nothing else gives it a type, but as an operand of an operator it is
 * a compile-time value. */
static void print_float(Buf *out, const Expr *e, int prec, int bare)
{
    Dtype dtype = e->type ? e->type->dtype : DT_FP32;
    bool typed = !stands_bare(dtype, bare) && (dtype != DT_FP32 || bare == BARE_NEVER);
    bool parens = !typed && signbit(e->fval) && prec > PREC_UNARY;
    buf_str(out, typed ? "pl.const(" : parens ? "(" : "");
    irp_real(out, e->fval);
    if (typed)
        buf_printf(out, ", pl.%s)", dtype_name(dtype));
    buf_str(out, parens ? ")" : "");
}

/* Scalar operators. */

/* What a literal operand may print as next to `other`: it adapts to what is no literal. */
static int bare_beside(const Expr *other, const Expr *e)
{
    if (e->kind == EX_BOOL || is_literal(other))
        return BARE_NEVER;
    return irp_bare_of(other->type);
}

/* The two operands, of one type: of two literals the first is typed, the second adapts. */
static void print_pair(Buf *out, const Func *f, const Expr *e, const char *between, int prec_a,
                       int prec_b)
{
    const Expr *a = e->args[0], *b = e->args[1];
    irp_expr(out, f, a, prec_a, bare_beside(b, a));
    buf_str(out, between);
    bool typed = b->kind != EX_BOOL && is_literal(b) && is_literal(a);
    irp_expr(out, f, b, prec_b, typed ? irp_bare_of(a->type) : bare_beside(a, b));
}

static void print_infix(Buf *out, const Func *f, const Expr *e)
{
    char between[16] = " ";
    strncat(between, scalar_text(e->scalar), 8);
    strcat(between, " ");
    int prec = scalar_info[e->scalar].prec;
    /* Python chains comparisons, so neither side may be one, and ** groups from the right. */
    bool power = e->scalar == SC_POW;
    print_pair(out, f, e, between, prec + (prec == PREC_COMPARE || power),
               power ? PREC_UNARY : prec + 1);
}

static void print_prefix(Buf *out, const Func *f, const Expr *e)
{
    buf_str(out, scalar_text(e->scalar));
    buf_str(out, e->scalar == SC_NOT ? " " : "");
    irp_expr(out, f, e->args[0], scalar_info[e->scalar].prec, BARE_NEVER);
}

static void print_scalar_call(Buf *out, const Func *f, const Expr *e)
{
    buf_printf(out, "%s(", scalar_text(e->scalar));
    if (e->n_args == 1)
        irp_expr(out, f, e->args[0], 0, BARE_NEVER);
    else
        print_pair(out, f, e, ", ", 0, 0);
    if (e->scalar == SC_CAST)
        buf_printf(out, ", pl.%s", dtype_name(e->dtype));
    buf_char(out, ')');
}

/* then if condition else otherwise */
static void print_ternary(Buf *out, const Func *f, const Expr *e)
{
    const Expr *then = e->args[1], *otherwise = e->args[2];
    irp_expr(out, f, then, PREC_TERNARY + 1, bare_beside(otherwise, then));
    buf_str(out, " if ");
    irp_expr(out, f, e->args[0], PREC_TERNARY + 1, BARE_NEVER);
    buf_str(out, " else ");
    bool typed = otherwise->kind != EX_BOOL && is_literal(otherwise) && is_literal(then);
    irp_expr(out, f, otherwise, PREC_TERNARY,
             typed ? irp_bare_of(then->type) : bare_beside(then, otherwise));
}

static void print_scalar(Buf *out, const Func *f, const Expr *e, int prec)
{
    bool parens = scalar_info[e->scalar].prec < prec;
    buf_str(out, parens ? "(" : "");
    switch (scalar_info[e->scalar].form) {
    case SCALAR_INFIX: print_infix(out, f, e); break;
    case SCALAR_PREFIX: print_prefix(out, f, e); break;
    case SCALAR_CALL: print_scalar_call(out, f, e); break;
    case SCALAR_TERNARY: print_ternary(out, f, e); break;
    }
    buf_str(out, parens ? ")" : "");
}

/* Operations and calls. */

static int bare_in_slot(const Expr *e, uint32_t slot)
{
    switch (op_info(e->op)->slots[slot].kind) {
    case SLOT_ELEMENT: return e->args[0]->type ? (int)e->args[0]->type->dtype : BARE_INT;
    case SLOT_INT:
    case SLOT_PEER:
    case SLOT_COND:
    case SLOT_I32:
    case SLOT_CONST: return BARE_INT;
    case SLOT_BOOL: return DT_BOOL;
    case SLOT_NUM:
    case SLOT_LIT: return BARE_ANY;
    default: return BARE_NEVER;
    }
}

static void print_op(Buf *out, const Func *f, const Expr *e)
{
    const OpInfo *op = op_info(e->op);
    bool gap = false, first = true; /* after a gap even positional operands need their name */
    buf_printf(out, "%s(", op->full);
    for (uint32_t i = 0; i < e->n_args; i++) {
        if (e->args[i] == NULL) {
            gap = true;
            continue;
        }
        buf_str(out, first ? "" : ", ");
        if (gap || (op->slots[i].flags & (OPND_NAMED | OPND_KEYWORD)))
            buf_printf(out, "%s=", op->slots[i].name);
        irp_expr(out, f, e->args[i], 0, bare_in_slot(e, i));
        first = false;
    }
    buf_char(out, ')');
}

static void print_task(Buf *out, const Func *f, const Expr *e, const char *between)
{
    if (e->task) {
        buf_printf(out, "%stask=", between);
        irp_expr(out, f, e->task, 0, BARE_NEVER);
        between = ", ";
    }
    if (e->how & CALL_MANUAL)
        buf_printf(out, "%smanual=True", between);
    if (e->how & CALL_DEFERRED)
        buf_printf(out, "%sdeferred=True", e->how & CALL_MANUAL ? ", " : between);
}

static void print_call(Buf *out, const Func *f, const Expr *e)
{
    buf_printf(out, "self.%s(", e->callee->name);
    for (uint32_t i = 0; i < e->n_args; i++) {
        const Func *callee = e->callee;
        bool known = i < callee->params.len;
        const Type *type = known ? callee->vars.at[callee->params.at[i].var].type : NULL;
        buf_str(out, i ? ", " : "");
        bool no_dep = i < CALL_NO_DEP_BITS && e->no_dep >> i & 1;
        buf_str(out, no_dep ? "pl.no_dep(" : "");
        irp_expr(out, f, e->args[i], 0, irp_bare_of(type));
        buf_str(out, no_dep ? ")" : "");
    }
    const char *between = e->n_args ? ", " : "";
    if (e->device) {
        buf_printf(out, "%sdevice=", between);
        irp_expr(out, f, e->device, 0, BARE_INT);
        between = ", ";
    }
    print_task(out, f, e, between);
    if (e->cores && f->kind == FN_HOST) {
        buf_printf(out, "%scores=", between);
        irp_expr(out, f, e->cores, 0, BARE_INT);
    }
    buf_char(out, ')');
}

static void print_list(Buf *out, const Func *f, const Expr *e)
{
    buf_char(out, '[');
    for (uint32_t i = 0; i < e->n_args; i++) {
        buf_str(out, i ? ", " : "");
        irp_expr(out, f, e->args[i], 0, BARE_INT);
    }
    buf_char(out, ']');
}

/* Its name; where the function makes it, with what it is. */
static void print_extent(Buf *out, const Func *f, const Expr *e)
{
    if (e->n_args) {
        buf_str(out, "pld.system.extent(");
        irp_expr(out, f, e->args[0], 0, BARE_NEVER);
        buf_printf(out, ", \"%s\")", e->sym);
    } else {
        buf_str(out, e->sym);
    }
}

void irp_expr(Buf *out, const Func *f, const Expr *e, int prec, int bare)
{
    if (e->type && e->type->kind == TY_NUMBER) {
        irp_number(out, f, e, prec);
        return;
    }
    switch (e->kind) {
    case EX_INT: print_int(out, e, prec, bare); break;
    case EX_FLOAT: print_float(out, e, prec, bare); break;
    case EX_BOOL: print_bool(out, e, bare); break;
    case EX_VAR: buf_str(out, irp_var(f, e->var)); break;
    case EX_EXTENT: print_extent(out, f, e); break;
    case EX_SCALAR: print_scalar(out, f, e, prec); break;
    case EX_ELEMENT: irp_number(out, f, e, prec); break;
    case EX_OP: print_op(out, f, e); break;
    case EX_CALL: print_call(out, f, e); break;
    case EX_LIST: print_list(out, f, e); break;
    case EX_ENUM:
        buf_printf(out, "%s.%s.%s", enum_type_module(e->enum_type), enum_type_name(e->enum_type),
                   enum_value_name(e->enum_type, e->ival));
        break;
    case EX_DTYPE: buf_printf(out, "pl.%s", dtype_name(e->dtype)); break;
    case EX_STR: irp_string(out, e->sym); break;
    }
}
