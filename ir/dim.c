/* Shape expressions: polynomials in normal form. */
#include "base/checked.h"
#include "base/pyarith.h"
#include "ir/type_table.h"
#include <string.h>

enum {
    MAX_DEGREE = sizeof((Term *)0)->atoms / sizeof((Term *)0)->atoms[0],
    MAX_TERMS = 64,  /* both limits keep the work of a hostile program bounded */
    MAX_TEXT = 1000, /* bytes of printed text; bounds the nesting of opaque atoms too */
};

/* Atoms are interned, so that equal ones are one address, together with their text for sorting. */
typedef struct {
    Atom atom;
    const char *text;
} NamedAtom;

/* A sum under construction. */
typedef struct {
    Term terms[MAX_TERMS];
    uint32_t n;
    bool bad; /* overflow, or beyond a limit */
} Sum;

static const char *atom_text(const Atom *a)
{
    return ((const NamedAtom *)a)->text;
}

/* Printing. */

static bool is_opaque_infix(const Atom *a)
{
    return a->kind == DIM_FLOORDIV || a->kind == DIM_MOD;
}

/* May stand on the right of // without parentheses. */
static bool is_primary(const Dim *d)
{
    if (d->n_terms != 1)
        return d->n_terms == 0;
    const Term *t = d->terms;
    if (t->n_atoms == 0)
        return t->coef > 0;
    return t->n_atoms == 1 && t->coef == 1 && !is_opaque_infix(t->atoms[0]);
}

static void print_wrapped(Buf *out, const Dim *d, bool parens)
{
    if (parens)
        buf_char(out, '(');
    dim_print(out, d);
    if (parens)
        buf_char(out, ')');
}

static void print_atom(Buf *out, const Atom *a)
{
    switch (a->kind) {
    case DIM_NAME: buf_str(out, a->name); break;
    case DIM_FLOORDIV:
    case DIM_MOD:
        print_wrapped(out, a->left, a->left->n_terms > 1);
        buf_str(out, a->kind == DIM_MOD ? " % " : " // ");
        print_wrapped(out, a->right, !is_primary(a->right));
        break;
    case DIM_MIN:
    case DIM_MAX:
        buf_str(out, a->kind == DIM_MIN ? "pl.min(" : "pl.max(");
        dim_print(out, a->left);
        buf_str(out, ", ");
        dim_print(out, a->right);
        buf_char(out, ')');
        break;
    }
}

static void print_term(Buf *out, const Term *t, bool first)
{
    bool negative = t->coef < 0;
    int64_t magnitude = negative ? -t->coef : t->coef;
    bool show_coef = magnitude != 1 || t->n_atoms == 0;
    buf_str(out, first ? (negative ? "-" : "") : negative ? " - " : " + ");
    if (show_coef)
        buf_printf(out, "%lld", (long long)magnitude);
    bool alone = !show_coef && t->n_atoms == 1 && !(first && negative);
    for (uint32_t i = 0; i < t->n_atoms; i++) {
        bool parens = !alone && is_opaque_infix(t->atoms[i]);
        buf_str(out, i > 0 || show_coef ? " * " : "");
        buf_str(out, parens ? "(" : "");
        print_atom(out, t->atoms[i]);
        buf_str(out, parens ? ")" : "");
    }
}

void dim_print(Buf *out, const Dim *d)
{
    if (d->n_terms == 0)
        buf_char(out, '0');
    for (uint32_t i = 0; i < d->n_terms; i++)
        print_term(out, &d->terms[i], i == 0);
}

const char *dim_text(Arena *arena, const Dim *d)
{
    Buf text = {0};
    dim_print(&text, d);
    char *copy = arena_strndup(arena, text.at, text.len);
    buf_free(&text);
    return copy;
}

/* Interning. */

static const Atom *intern_atom(TypeTable *tt, const Atom *a)
{
    const void *key[] = {(void *)(uintptr_t)'A', (void *)(uintptr_t)a->kind, a->name, a->left,
                         a->right};
    const NamedAtom *found = table_find(tt, key, sizeof key);
    if (found)
        return &found->atom;
    Buf text = {0};
    print_atom(&text, a);
    NamedAtom *made = NULL;
    if (text.len <= MAX_TEXT) {
        made = arena_new(tt->arena, NamedAtom);
        made->atom = *a;
        made->text = arena_strndup(tt->arena, text.at, text.len);
        table_add(tt, key, sizeof key, made);
    }
    buf_free(&text);
    return made ? &made->atom : NULL;
}

/* Higher degrees first, then by text; the constant comes last by its degree. */
static int compare_terms(const void *left, const void *right)
{
    const Term *a = left, *b = right;
    if (a->n_atoms != b->n_atoms)
        return a->n_atoms > b->n_atoms ? -1 : 1;
    for (uint32_t i = 0; i < a->n_atoms; i++) {
        int order = strcmp(atom_text(a->atoms[i]), atom_text(b->atoms[i]));
        if (order)
            return order;
    }
    return 0;
}

static int compare_atoms(const void *left, const void *right)
{
    const Atom *const *a = left, *const *b = right;
    return strcmp(atom_text(*a), atom_text(*b));
}

/* Adds coef * product of atoms (sorted) to the sum. */
static void sum_add(Sum *s, const Term *t)
{
    for (uint32_t i = 0; i < s->n; i++) {
        Term *have = &s->terms[i];
        if (have->n_atoms == t->n_atoms &&
            memcmp(have->atoms, t->atoms, t->n_atoms * sizeof t->atoms[0]) == 0) {
            s->bad |= !checked_add(have->coef, t->coef, &have->coef);
            return;
        }
    }
    if (s->n == MAX_TERMS)
        s->bad = true;
    else
        s->terms[s->n++] = *t;
}

static const Dim *copy_dim(TypeTable *tt, const Dim *d)
{
    Dim *made = arena_new(tt->arena, Dim);
    Term *terms = arena_new_n(tt->arena, Term, d->n_terms);
    if (d->n_terms)
        memcpy(terms, d->terms, d->n_terms * sizeof *terms);
    *made = (Dim){d->n_terms, terms};
    return made;
}

/* The one Dim equal to `d`; NULL when it is too long. Constants, nearly all there are, are found by
 * their value, others by their text. */
static const Dim *intern_dim(TypeTable *tt, const Dim *d)
{
    int64_t value;
    Buf text = {0};
    if (dim_is_const(d, &value)) {
        buf_char(&text, 'C');
        buf_u64(&text, (uint64_t)value);
    } else {
        buf_char(&text, 'D');
        dim_print(&text, d);
    }
    const Dim *found = table_find(tt, text.at, text.len);
    if (found == NULL && text.len <= MAX_TEXT) {
        found = copy_dim(tt, d);
        table_add(tt, text.at, text.len, found);
    }
    buf_free(&text);
    return found;
}

/* Drops zero terms, sorts and interns. The most negative coefficient has no literal, so it counts
 * as an overflow. */
static const Dim *sum_finish(TypeTable *tt, Sum *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        s->bad |= s->terms[i].coef == INT64_MIN;
        if (s->terms[i].coef != 0)
            s->terms[n++] = s->terms[i];
    }
    if (s->bad)
        return NULL;
    if (n > 1)
        qsort(s->terms, n, sizeof s->terms[0], compare_terms);
    return intern_dim(tt, &(Dim){n, s->terms});
}

static const Dim *from_term(TypeTable *tt, const Term *t)
{
    if (t->coef == INT64_MIN)
        return NULL;
    return intern_dim(tt, &(Dim){t->coef != 0, t});
}

static const Dim *from_atom(TypeTable *tt, const Atom *a)
{
    const Atom *atom = intern_atom(tt, a);
    return atom ? from_term(tt, &(Term){.coef = 1, .n_atoms = 1, .atoms = {atom}}) : NULL;
}

/* Arithmetic. */

const Dim *dim_const(TypeTable *tt, int64_t v)
{
    if (v < 0 || v >= SMALL_DIMS)
        return from_term(tt, &(Term){.coef = v});
    if (!tt->small[v])
        tt->small[v] = from_term(tt, &(Term){.coef = v});
    return tt->small[v];
}

const Dim *dim_name(TypeTable *tt, Sym name)
{
    return from_atom(tt, &(Atom){.kind = DIM_NAME, .name = name});
}

static void sum_add_dim(Sum *s, const Dim *d, int64_t factor)
{
    for (uint32_t i = 0; i < d->n_terms; i++) {
        Term t = d->terms[i];
        s->bad |= !checked_mul(t.coef, factor, &t.coef);
        sum_add(s, &t);
    }
}

const Dim *dim_add(TypeTable *tt, const Dim *a, const Dim *b)
{
    if (a == NULL || b == NULL)
        return NULL;
    Sum s = {0};
    sum_add_dim(&s, a, 1);
    sum_add_dim(&s, b, 1);
    return sum_finish(tt, &s);
}

const Dim *dim_sub(TypeTable *tt, const Dim *a, const Dim *b)
{
    if (a == NULL || b == NULL)
        return NULL;
    Sum s = {0};
    sum_add_dim(&s, a, 1);
    sum_add_dim(&s, b, -1);
    return sum_finish(tt, &s);
}

static void sum_add_product(Sum *s, const Term *a, const Term *b)
{
    Term t = *a;
    s->bad |= !checked_mul(a->coef, b->coef, &t.coef);
    if (a->n_atoms + b->n_atoms > MAX_DEGREE) {
        s->bad = true;
        return;
    }
    memcpy(t.atoms + a->n_atoms, b->atoms, b->n_atoms * sizeof t.atoms[0]);
    t.n_atoms = (uint8_t)(a->n_atoms + b->n_atoms);
    qsort(t.atoms, t.n_atoms, sizeof t.atoms[0], compare_atoms);
    sum_add(s, &t);
}

const Dim *dim_mul(TypeTable *tt, const Dim *a, const Dim *b)
{
    if (a == NULL || b == NULL)
        return NULL;
    Sum s = {0};
    for (uint32_t i = 0; i < a->n_terms && !s.bad; i++)
        for (uint32_t k = 0; k < b->n_terms && !s.bad; k++)
            sum_add_product(&s, &a->terms[i], &b->terms[k]);
    return sum_finish(tt, &s);
}

bool dim_is_const(const Dim *d, int64_t *value)
{
    if (d->n_terms > 1 || (d->n_terms == 1 && d->terms[0].n_atoms > 0))
        return false;
    *value = d->n_terms ? d->terms[0].coef : 0;
    return true;
}

/* Opaque atoms. */

/* a op b for values; false for a zero divisor or an overflow. */
static bool atom_fold(AtomKind kind, int64_t a, int64_t b, int64_t *out)
{
    static const ScalarOp ops[] = {
        [DIM_FLOORDIV] = SC_FLOORDIV, [DIM_MOD] = SC_MOD, [DIM_MIN] = SC_MIN, [DIM_MAX] = SC_MAX};
    return kind != DIM_NAME && py_int_binary(ops[kind], a, b, out) == ARITH_OK;
}

/* Takes the atoms of `by` out of `t`; both are sorted. */
static bool divide_term(Term *t, const Term *by)
{
    if (by->coef == 0 || t->coef % by->coef != 0)
        return false;
    Term rest = {.coef = t->coef / by->coef};
    uint32_t k = 0;
    for (uint32_t i = 0; i < t->n_atoms; i++) {
        if (k < by->n_atoms && t->atoms[i] == by->atoms[k])
            k++;
        else
            rest.atoms[rest.n_atoms++] = t->atoms[i];
    }
    *t = rest;
    return k == by->n_atoms;
}

/* a / b where b is one term that divides every term of a; otherwise NULL. */
static const Dim *divide_exactly(TypeTable *tt, const Dim *a, const Dim *b)
{
    Sum s = {0};
    if (b->n_terms != 1)
        return NULL;
    for (uint32_t i = 0; i < a->n_terms; i++) {
        Term t = a->terms[i];
        if (!divide_term(&t, b->terms))
            return NULL;
        sum_add(&s, &t);
    }
    return sum_finish(tt, &s);
}

static const Dim *fold_divide(TypeTable *tt, AtomKind kind, const Dim *a, const Dim *b)
{
    const Dim *quotient = divide_exactly(tt, a, b);
    return quotient && kind == DIM_MOD ? dim_const(tt, 0) : quotient;
}

/* min or max of two that differ by a constant. */
static const Dim *fold_choice(TypeTable *tt, AtomKind kind, const Dim *a, const Dim *b)
{
    int64_t difference;
    const Dim *d = dim_sub(tt, a, b);
    if (d == NULL || !dim_is_const(d, &difference))
        return NULL;
    return (difference < 0) == (kind == DIM_MIN) ? a : b;
}

static bool prints_before(TypeTable *tt, const Dim *a, const Dim *b)
{
    return strcmp(dim_text(tt->arena, a), dim_text(tt->arena, b)) < 0;
}

const Dim *dim_atom(TypeTable *tt, AtomKind kind, const Dim *a, const Dim *b)
{
    if (a == NULL || b == NULL || kind == DIM_NAME)
        return NULL;
    int64_t x, y, folded;
    bool divides = kind == DIM_FLOORDIV || kind == DIM_MOD;
    bool constant = dim_is_const(b, &y);
    if (divides && constant && y == 0)
        return NULL;
    if (constant && dim_is_const(a, &x))
        return atom_fold(kind, x, y, &folded) ? dim_const(tt, folded) : NULL;
    const Dim *simple = divides ? fold_divide(tt, kind, a, b) : fold_choice(tt, kind, a, b);
    if (simple)
        return simple;
    bool swap = !divides && prints_before(tt, b, a);
    Atom atom = {.kind = kind, .left = swap ? b : a, .right = swap ? a : b};
    return from_atom(tt, &atom);
}

/* Substitution. */

typedef const Dim *GetDim(void *env, Sym name);

static const Dim *subst_atom(TypeTable *tt, const Atom *a, GetDim *get, void *env)
{
    if (a->kind == DIM_NAME) {
        const Dim *replacement = get(env, a->name);
        return replacement ? replacement : dim_name(tt, a->name);
    }
    const Dim *left = dim_subst(tt, a->left, get, env);
    return dim_atom(tt, a->kind, left, dim_subst(tt, a->right, get, env));
}

const Dim *dim_subst(TypeTable *tt, const Dim *d, GetDim *get, void *env)
{
    const Dim *total = dim_const(tt, 0);
    for (uint32_t i = 0; i < d->n_terms; i++) {
        const Dim *product = dim_const(tt, d->terms[i].coef);
        for (uint32_t k = 0; k < d->terms[i].n_atoms; k++)
            product = dim_mul(tt, product, subst_atom(tt, d->terms[i].atoms[k], get, env));
        total = dim_add(tt, total, product);
    }
    return total;
}

static void add_name(SymList *out, Sym name)
{
    for (uint32_t i = 0; i < out->len; i++)
        if (out->at[i] == name)
            return;
    vec_push(out, name);
}

void dim_names(const Dim *d, SymList *out)
{
    for (uint32_t i = 0; i < d->n_terms; i++)
        for (uint32_t k = 0; k < d->terms[i].n_atoms; k++) {
            const Atom *a = d->terms[i].atoms[k];
            if (a->kind == DIM_NAME) {
                add_name(out, a->name);
            } else {
                dim_names(a->left, out);
                dim_names(a->right, out);
            }
        }
}
