/* Values: constructors, Python's text of them, truth and equality. */
#include "elab/comptime/elab.h"
#include <math.h>
#include <string.h>

const Val val_bad = {.kind = V_BAD};
const Val val_none = {.kind = V_NONE};

Val val_int(int64_t v)
{
    return (Val){.kind = V_INT, .i = v};
}

Val val_float(double v)
{
    /* One NaN: which sign an operation gives it depends on the machine. */
    return (Val){.kind = V_FLOAT, .f = isnan(v) ? (double)NAN : v};
}

Val val_bool(bool v)
{
    return (Val){.kind = V_BOOL, .i = v};
}

Val val_str(Sym s)
{
    return (Val){.kind = V_STR, .s = s};
}

Val val_expr(Expr *x)
{
    return x ? (Val){.kind = V_EXPR, .expr = x} : val_bad;
}

Val val_dtype(Dtype t)
{
    return (Val){.kind = V_DTYPE, .dtype = t};
}

Val val_enum(EnumType t, int64_t v)
{
    return (Val){.kind = V_ENUM, .enum_type = t, .i = v};
}

enum { MAX_WEIGHT = 1 << 16, MAX_DEPTH = 100, MAX_STRING = 1 << 16, STRING_PER_ITEM = 64 };

static bool is_sequence(Val v)
{
    return v.kind == V_TUPLE || v.kind == V_LIST || v.kind == V_DICT;
}

static uint64_t weight(Val v)
{
    if (v.kind == V_STR)
        return 1 + strlen(v.s) / STRING_PER_ITEM;
    return is_sequence(v) ? 1 + (uint64_t)v.weight : 1;
}

Val val_items(Elab *e, ValKind kind, const Val *items, uint32_t n)
{
    Val v = {.kind = kind, .n = n, .depth = 1};
    e->steps += n;
    uint64_t sum = 0;
    v.items = arena_new_n(e->arena, Val, n ? n : 1);
    if (n)
        memcpy(v.items, items, n * sizeof *items);
    for (uint32_t i = 0; i < n; i++) {
        sum += weight(items[i]);
        if (is_sequence(items[i]) && items[i].depth >= v.depth)
            v.depth = items[i].depth + 1;
    }
    v.weight = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
    return v;
}

Val elab_limit(Elab *e, Val v, Span span)
{
    const char *kind = val_kind_name(v);
    if (is_sequence(v) && v.weight > MAX_WEIGHT)
        elab_error(e, span, "value", "a %s of more than %d items, with those inside its items",
                   kind, MAX_WEIGHT);
    else if (is_sequence(v) && v.depth > MAX_DEPTH)
        elab_error(e, span, "value", "a %s that nests more than %d deep", kind, MAX_DEPTH);
    else if (v.kind == V_STR && strlen(v.s) > MAX_STRING)
        elab_error(e, span, "value", "a string of more than %d bytes", MAX_STRING);
    else
        return v;
    return val_bad;
}

Val val_dim(const Dim *d)
{
    int64_t v;
    if (!d)
        return val_bad;
    return dim_is_const(d, &v) ? val_int(v) : (Val){.kind = V_DIM, .dim = d};
}

bool val_all_known(Val v)
{
    if (!is_sequence(v))
        return v.kind != V_EXPR;
    for (uint32_t i = 0; i < v.n; i++)
        if (!val_all_known(v.items[i]))
            return false;
    return true;
}

bool val_truth(Val v)
{
    switch (v.kind) {
    case V_INT:
    case V_BOOL: return v.i != 0;
    case V_FLOAT: return v.f != 0;
    case V_STR: return v.s[0] != '\0';
    case V_TUPLE:
    case V_LIST:
    case V_DICT: return v.n != 0;
    case V_NONE:
    case V_BAD: return false;
    default: return true;
    }
}

bool val_is_number(Val v)
{
    return v.kind == V_INT || v.kind == V_FLOAT || v.kind == V_BOOL;
}

bool val_number(Val v, Number *out)
{
    *out = v.kind == V_FLOAT ? num_float(v.f) : num_int(v.i);
    return val_is_number(v);
}

bool val_equal(Val a, Val b)
{
    Number x, y;
    if (val_number(a, &x) && val_number(b, &y))
        return py_compare(x, y) == 0;
    if (a.kind != b.kind)
        return false;
    switch (a.kind) {
    case V_STR: return a.s == b.s;
    case V_DTYPE: return a.dtype == b.dtype;
    case V_ENUM: return a.enum_type == b.enum_type && a.i == b.i;
    case V_DIM: return a.dim == b.dim;
    case V_TYPE: return a.type == b.type && a.dir == b.dir;
    case V_PROGRAM: return a.class_ == b.class_;
    case V_HELPER: return a.helper == b.helper;
    case V_KERNEL: return a.i == b.i;
    case V_MATH: return a.s == b.s;
    case V_TUPLE:
    case V_LIST:
    case V_DICT:
        if (a.n != b.n)
            return false;
        for (uint32_t i = 0; i < a.n; i++)
            if (!val_equal(a.items[i], b.items[i]))
                return false;
        return true;
    case V_NONE: return true;
    default: return false;
    }
}

static void print_quoted(Buf *out, const char *s)
{
    char q = strchr(s, '\'') && !strchr(s, '"') ? '"' : '\'';
    buf_char(out, q);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == (unsigned char)q || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c == '\n')
            buf_str(out, "\\n");
        else if (c == '\t')
            buf_str(out, "\\t");
        else if (c < 0x20 || c == 0x7f)
            buf_printf(out, "\\x%02x", c);
        else
            buf_char(out, *s);
    }
    buf_char(out, q);
}

static void print_items(Buf *out, Val v)
{
    buf_char(out, v.kind == V_TUPLE ? '(' : v.kind == V_DICT ? '{' : '[');
    for (uint32_t i = 0; i < v.n; i++) {
        if (i)
            buf_str(out, v.kind == V_DICT && i % 2 ? ": " : ", ");
        val_print(out, v.items[i], true);
    }
    if (v.kind == V_TUPLE && v.n == 1)
        buf_char(out, ',');
    buf_char(out, v.kind == V_TUPLE ? ')' : v.kind == V_DICT ? '}' : ']');
}

void val_print(Buf *out, Val v, bool quote)
{
    switch (v.kind) {
    case V_BAD:
    case V_POISON:
    case V_BARE: buf_str(out, "?"); break;
    case V_NONE: buf_str(out, "None"); break;
    case V_INT: buf_printf(out, "%lld", (long long)v.i); break;
    case V_FLOAT: buf_double(out, v.f); break;
    case V_BOOL: buf_str(out, v.i ? "True" : "False"); break;
    case V_STR:
        if (quote)
            print_quoted(out, v.s);
        else
            buf_str(out, v.s);
        break;
    case V_DTYPE: buf_printf(out, "pl.%s", dtype_name(v.dtype)); break;
    case V_ENUM:
        buf_printf(out, "%s.%s.%s", enum_type_module(v.enum_type), enum_type_name(v.enum_type),
                   enum_value_name(v.enum_type, v.i));
        break;
    case V_TUPLE:
    case V_LIST:
    case V_DICT: print_items(out, v); break;
    case V_HELPER: buf_printf(out, "<function %s>", v.helper->name); break;
    case V_KERNEL: buf_str(out, "<kernel>"); break;
    case V_MATH: buf_printf(out, "math.%s", v.s); break;
    case V_DIM: dim_print(out, v.dim); break;
    case V_TYPE: type_print(out, v.type); break;
    case V_PROGRAM: buf_str(out, v.class_->class_.name); break;
    case V_EXPR: buf_str(out, "a run-time value"); break;
    }
}

const char *val_text(Elab *e, Val v)
{
    Buf b = {0};
    val_print(&b, v, true);
    const char *text = arena_strndup(e->arena, b.at ? b.at : "", b.len);
    buf_free(&b);
    return text;
}

const char *val_kind_name(Val v)
{
    static const char *const names[] = {
        [V_BAD] = "?",           [V_NONE] = "None",           [V_INT] = "int",
        [V_FLOAT] = "float",     [V_BOOL] = "bool",           [V_STR] = "str",
        [V_DTYPE] = "dtype",     [V_ENUM] = "enumeration",    [V_TUPLE] = "tuple",
        [V_LIST] = "list",       [V_DIM] = "dynamic extent",  [V_TYPE] = "type",
        [V_PROGRAM] = "program", [V_EXPR] = "run-time value", [V_DICT] = "dict",
        [V_HELPER] = "function", [V_KERNEL] = "kernel",       [V_MATH] = "function",
        [V_POISON] = "?"};
    return names[v.kind];
}

/* As much of its text as a message bears; characters stay whole. */
static const char *shortened(Elab *e, Val v)
{
    enum { LONGEST = 200 };
    const char *text = val_text(e, v);
    size_t len = strlen(text), cut = LONGEST;
    if (len <= LONGEST)
        return text;
    while (cut > 0 && ((unsigned char)text[cut] & 0xc0) == 0x80)
        cut--;
    return arena_printf(e->arena, "%.*s...", (int)cut, text);
}

const char *val_describe(Elab *e, Val v)
{
    switch (v.kind) {
    case V_EXPR:
        if (v.expr->kind == EX_INT)
            return arena_printf(e->arena, "%lld", (long long)v.expr->ival);
        if (!v.expr->type || v.expr->type->kind == TY_NONE)
            return "an operation without a result";
        return type_text(e->arena, v.expr->type);
    case V_NONE: return "None";
    case V_DTYPE:
    case V_ENUM:
    case V_TYPE: return val_text(e, v);
    case V_PROGRAM: return arena_printf(e->arena, "the program %s", v.class_->class_.name);
    default: return arena_printf(e->arena, "%s %s", val_kind_name(v), shortened(e, v));
    }
}
