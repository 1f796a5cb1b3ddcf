#include "base/checked.h"
#include "ir/type_table.h"
#include <string.h>

/* The table. */

/* Keys are short and found often: eight bytes at a time. */
static uint64_t key_hash(const void *key, size_t len)
{
    const char *at = key;
    uint64_t hash = len, word;
    for (; len >= sizeof word; len -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    word = 0;
    memcpy(&word, at, len);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

static uint32_t find_slot(const TypeTable *tt, uint64_t hash, const void *key, size_t len)
{
    uint32_t mask = tt->cap - 1;
    uint32_t i = (uint32_t)(hash ^ hash >> 32) & mask;
    while (tt->slots[i].key && (tt->slots[i].hash != hash || tt->slots[i].len != len ||
                                memcmp(tt->slots[i].key, key, len) != 0))
        i = (i + 1) & mask;
    return i;
}

static void grow(TypeTable *tt)
{
    TableSlot *old = tt->slots;
    uint32_t old_cap = tt->cap;
    tt->cap = old_cap ? old_cap * 2 : 256;
    tt->slots = arena_new_n(tt->arena, TableSlot, tt->cap);
    for (uint32_t i = 0; i < old_cap; i++)
        if (old[i].key)
            tt->slots[find_slot(tt, old[i].hash, old[i].key, old[i].len)] = old[i];
}

const void *table_find(const TypeTable *tt, const void *key, size_t len)
{
    if (tt->cap == 0)
        return NULL;
    uint64_t hash = key_hash(key, len);
    return tt->slots[find_slot(tt, hash, key, len)].object;
}

const char *table_add(TypeTable *tt, const void *key, size_t len, const void *object)
{
    if (tt->len >= tt->cap / 4 * 3)
        grow(tt);
    uint64_t hash = key_hash(key, len);
    char *copy = arena_strndup(tt->arena, key, len);
    tt->slots[find_slot(tt, hash, copy, len)] = (TableSlot){hash, copy, len, object};
    tt->len++;
    return copy;
}

TypeTable *type_table_new(Arena *arena)
{
    TypeTable *tt = arena_new(arena, TypeTable);
    tt->arena = arena;
    return tt;
}

/* Printing. */

static void print_shaped(Buf *out, const Type *t)
{
    buf_str(out, t->kind == TY_TILE && !t->value ? "pl.Tile[["
                 : t->kind == TY_DIST            ? "pld.DistributedTensor[["
                                                 : "pl.Tensor[[");
    for (uint32_t i = 0; i < t->rank; i++) {
        buf_str(out, i ? ", " : "");
        dim_print(out, t->dims[i]);
    }
    buf_printf(out, "], pl.%s", dtype_name(t->dtype));
    if (t->kind == TY_TILE && t->mem != MEM_UNSET)
        buf_printf(out, ", pl.Mem.%s", mem_kind_name(t->mem));
    if (t->kind == TY_TILE && t->addr >= 0)
        buf_printf(out, ", %lld", (long long)t->addr);
    buf_char(out, ']');
}

void type_print(Buf *out, const Type *t)
{
    switch (t->kind) {
    case TY_NONE: buf_str(out, "None"); break;
    case TY_SCALAR: buf_printf(out, "pl.Scalar[pl.%s]", dtype_name(t->dtype)); break;
    case TY_TENSOR:
    case TY_DIST:
    case TY_TILE: print_shaped(out, t); break;
    case TY_BUFFER: buf_str(out, "pld.WindowBuffer"); break;
    case TY_CTX: buf_str(out, "pld.CommCtx"); break;
    case TY_NUMBER: buf_str(out, "a number"); break;
    case TY_TUPLE:
        buf_str(out, "tuple[");
        for (uint32_t i = 0; i < t->n_elems; i++) {
            buf_str(out, i ? ", " : "");
            type_print(out, t->elems[i]);
        }
        buf_char(out, ']');
        break;
    }
}

const char *type_text(Arena *arena, const Type *t)
{
    Buf text = {0};
    type_print(&text, t);
    char *copy = arena_strndup(arena, text.at, text.len);
    buf_free(&text);
    return copy;
}

/* Construction. */

static char *put(char *at, const void *bytes, size_t len)
{
    if (len)
        memcpy(at, bytes, len);
    return at + len;
}

/* Everything that tells one type from another; dims and elements are interned themselves. Returns
 * the length of the key; writes it when `key` is not NULL. */
static size_t type_key(char *key, const Type *t)
{
    uint8_t head[] = {'T',     (uint8_t)t->kind, (uint8_t)t->dtype,
                      t->rank, (uint8_t)t->mem,  (uint8_t)t->value};
    size_t dims = t->rank * sizeof t->dims[0], elems = t->n_elems * sizeof t->elems[0];
    if (key) {
        key = put(key, head, sizeof head);
        key = put(key, &t->addr, sizeof t->addr);
        key = put(key, t->dims, dims);
        put(key, t->elems, elems);
    }
    return sizeof head + sizeof t->addr + dims + elems;
}

static const Type *copy_type(TypeTable *tt, const Type *t)
{
    Type *made = arena_new(tt->arena, Type);
    bool bare = t->kind != TY_TILE || (t->mem == MEM_UNSET && t->addr == -1 && !t->value);
    *made = *t;
    made->bare = bare ? made : type_placed(tt, t, MEM_UNSET, -1);
    if (t->n_elems) {
        const Type **elems = arena_new_n(tt->arena, const Type *, t->n_elems);
        memcpy(elems, t->elems, t->n_elems * sizeof *elems);
        made->elems = elems;
    }
    return made;
}

/* The one type equal to `t`; copies it, with its elements, when it is the first. */
static const Type *intern_type(TypeTable *tt, const Type *t)
{
    char small[64]; /* enough for all but large tuples */
    size_t len = type_key(NULL, t);
    char *key = len <= sizeof small ? small : xmalloc(len);
    type_key(key, t);
    const Type *found = table_find(tt, key, len);
    if (found == NULL) {
        found = copy_type(tt, t);
        table_add(tt, key, len, found);
    }
    if (key != small)
        xfree(key);
    return found;
}

const Type *type_none(TypeTable *tt)
{
    if (tt->none == NULL)
        tt->none = intern_type(tt, &(Type){.kind = TY_NONE, .addr = -1});
    return tt->none;
}

const Type *type_scalar(TypeTable *tt, Dtype dtype)
{
    if (tt->scalars[dtype] == NULL)
        tt->scalars[dtype] =
            intern_type(tt, &(Type){.kind = TY_SCALAR, .dtype = dtype, .addr = -1});
    return tt->scalars[dtype];
}

const Type *type_shaped(TypeTable *tt, TypeKind kind, Dtype dtype, uint32_t rank,
                        const Dim *const *dims)
{
    Type t = {.kind = kind, .dtype = dtype, .rank = (uint8_t)rank, .addr = -1};
    for (uint32_t i = 0; i < rank; i++)
        t.dims[i] = dims[i];
    return intern_type(tt, &t);
}

const Type *type_placed(TypeTable *tt, const Type *tile, MemSpace mem, int64_t addr)
{
    if (mem == MEM_UNSET && addr == -1 && tile->bare)
        return tile->bare;
    Type t = *tile;
    t.mem = mem;
    t.addr = addr;
    t.value = false;
    t.bare = NULL;
    return intern_type(tt, &t);
}

const Type *type_value(TypeTable *tt, const Type *tile)
{
    Type t = *tile;
    t.mem = MEM_UNSET;
    t.addr = -1;
    t.value = true;
    return intern_type(tt, &t);
}

const Type *type_simple(TypeTable *tt, TypeKind kind)
{
    return intern_type(tt, &(Type){.kind = kind, .addr = -1});
}

const Type *type_tuple(TypeTable *tt, const Type *const *elems, uint32_t n)
{
    return intern_type(tt, &(Type){.kind = TY_TUPLE, .addr = -1, .n_elems = n, .elems = elems});
}

static const Type *subst_tuple(TypeTable *tt, const Type *t, const Dim *(*get)(void *, Sym),
                               void *env)
{
    const Type **elems = arena_new_n(tt->arena, const Type *, t->n_elems);
    for (uint32_t i = 0; i < t->n_elems; i++) {
        elems[i] = type_subst(tt, t->elems[i], get, env);
        if (elems[i] == NULL)
            return NULL;
    }
    return type_tuple(tt, elems, t->n_elems);
}

const Type *type_subst(TypeTable *tt, const Type *t, const Dim *(*get)(void *, Sym), void *env)
{
    if (t->kind == TY_TUPLE)
        return subst_tuple(tt, t, get, env);
    if (!type_is_shaped(t))
        return t;
    Type made = *t;
    for (uint32_t i = 0; i < t->rank; i++) {
        made.dims[i] = dim_subst(tt, t->dims[i], get, env);
        if (made.dims[i] == NULL)
            return NULL;
    }
    return intern_type(tt, &made);
}

/* Questions. */

bool type_is_int_scalar(const Type *t)
{
    return t->kind == TY_SCALAR && dtype_is_int(t->dtype);
}

/* unit * product of the first `n` dims; false when one is dynamic or negative, or it does not fit.
 */
static bool product(const Type *t, int64_t unit, uint32_t n, int64_t *out)
{
    int64_t extents[MAX_RANK];
    for (uint32_t i = 0; i < n; i++)
        if (!dim_is_const(t->dims[i], &extents[i]))
            return false;
    return checked_size(unit, n, extents, out);
}

bool type_elements(const Type *t, int64_t *out)
{
    return product(t, 1, t->rank, out);
}

bool type_bytes(const Type *t, int64_t *out)
{
    return product(t, dtype_bytes(t->dtype), t->rank, out);
}

bool tile_core_bytes(const Type *t, int64_t row_align, int64_t *out)
{
    int64_t extents[MAX_RANK];
    CoreLayout layout;
    for (uint32_t i = 0; i < t->rank; i++)
        if (!dim_is_const(t->dims[i], &extents[i]) || extents[i] < 0)
            return false;
    if (t->rank == 0 ||
        !core_layout(t->mem, dtype_bytes(t->dtype), t->rank, extents, row_align, &layout))
        return false;
    *out = layout.bytes;
    return true;
}
