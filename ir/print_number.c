/* Printing the expressions of init and golden functions, which are Python's. */
#include "ir/print_expr.h"
#include <math.h>
#include <string.h>

enum { PREC_POWER = 15, PREC_UNARY = 14, PREC_COMPARE = 7, PREC_TERNARY = 2 };

static void print_items(Buf *out, const Func *f, Expr *const *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        buf_str(out, i ? ", " : "");
        irp_number(out, f, items[i], 0);
    }
}

static void print_literal(Buf *out, const Expr *e, int prec)
{
    bool minus = e->kind == EX_INT ? e->ival < 0 : e->kind == EX_FLOAT && signbit(e->fval);
    bool parens = minus && prec > PREC_UNARY;
    buf_str(out, parens ? "(" : "");
    if (e->kind == EX_INT)
        buf_printf(out, "%lld", (long long)e->ival);
    else if (e->kind == EX_BOOL)
        buf_str(out, e->ival ? "True" : "False");
    else
        irp_real(out, e->fval);
    buf_str(out, parens ? ")" : "");
}

/* Python chains comparisons, so neither side may be one; ** takes its right side first, which may
 * have a sign. */
static void print_infix(Buf *out, const Func *f, const Expr *e)
{
    int prec = scalar_info[e->scalar].prec;
    bool power = prec == PREC_POWER;
    irp_number(out, f, e->args[0], prec + (prec == PREC_COMPARE || power));
    buf_printf(out, " %s ", scalar_text(e->scalar));
    irp_number(out, f, e->args[1], power ? PREC_UNARY : prec + 1);
}

static void print_prefix(Buf *out, const Func *f, const Expr *e)
{
    buf_printf(out, "%s%s", scalar_text(e->scalar), e->scalar == SC_NOT ? " " : "");
    irp_number(out, f, e->args[0], scalar_info[e->scalar].prec);
}

static void print_ternary(Buf *out, const Func *f, const Expr *e)
{
    irp_number(out, f, e->args[1], PREC_TERNARY + 1);
    buf_str(out, " if ");
    irp_number(out, f, e->args[0], PREC_TERNARY + 1);
    buf_str(out, " else ");
    irp_number(out, f, e->args[2], PREC_TERNARY);
}

/* `n`, `lo, n` or `lo, n, step`: as short as it reads back. */
static void print_range(Buf *out, const Func *f, Expr *const *bounds)
{
    int64_t lo, step;
    bool first = expr_is_int(bounds[0], &lo) && lo == 0;
    bool unit = expr_is_int(bounds[2], &step) && step == 1;
    uint32_t from = first && unit ? 1 : 0;
    print_items(out, f, bounds + from, (unit ? 2 : 3) - from);
}

static void print_reduction(Buf *out, const Func *f, const Expr *e)
{
    buf_printf(out, "%s(", element_info[e->element].text);
    irp_number(out, f, e->args[0], 0);
    for (uint32_t i = 1, k = 0; i < e->n_args; i += 4, k++) {
        buf_printf(out, " for %s in range(", irp_var(f, e->vars[k]));
        print_range(out, f, e->args + i);
        buf_char(out, ')');
        if (e->args[i + 3]) {
            buf_str(out, " if ");
            irp_number(out, f, e->args[i + 3], PREC_TERNARY + 1);
        }
    }
    buf_char(out, ')');
}

static void print_call(Buf *out, const Func *f, const char *name, const Expr *e)
{
    buf_printf(out, "%s(", name);
    print_items(out, f, e->args, e->n_args);
    buf_char(out, ')');
}

/* Python's own functions have no module in front. */
static const char *plain_name(ScalarOp op)
{
    const char *text = scalar_text(op);
    return strncmp(text, "pl.", 3) == 0 ? text + 3 : text;
}

static void print_operator(Buf *out, const Func *f, const Expr *e, int prec)
{
    bool parens = scalar_info[e->scalar].prec < prec;
    buf_str(out, parens ? "(" : "");
    switch (scalar_info[e->scalar].form) {
    case SCALAR_INFIX: print_infix(out, f, e); break;
    case SCALAR_PREFIX: print_prefix(out, f, e); break;
    case SCALAR_TERNARY: print_ternary(out, f, e); break;
    case SCALAR_CALL: print_call(out, f, plain_name(e->scalar), e); break;
    }
    buf_str(out, parens ? ")" : "");
}

static void print_element(Buf *out, const Func *f, const Expr *e)
{
    switch (element_info[e->element].form) {
    case ELEMENT_READ:
        buf_printf(out, "%s[", irp_var(f, e->args[0]->var));
        print_items(out, f, e->args + 1, e->n_args - 1);
        buf_char(out, ']');
        break;
    case ELEMENT_CALL: print_call(out, f, element_info[e->element].text, e); break;
    case ELEMENT_REDUCE: print_reduction(out, f, e); break;
    }
}

void irp_number(Buf *out, const Func *f, const Expr *e, int prec)
{
    switch (e->kind) {
    case EX_INT:
    case EX_FLOAT:
    case EX_BOOL: print_literal(out, e, prec); break;
    case EX_VAR: buf_str(out, irp_var(f, e->var)); break;
    case EX_EXTENT: buf_str(out, e->sym); break;
    case EX_SCALAR: print_operator(out, f, e, prec); break;
    case EX_ELEMENT: print_element(out, f, e); break;
    default: buf_str(out, "?"); break;
    }
}
