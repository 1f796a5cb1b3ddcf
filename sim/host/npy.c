/* Reading .npy files. The header is a Python dictionary with the keys descr, fortran_order and
 * shape; of Python's literals, those that NumPy writes there are understood. */
#include "sim/host/npy.h"
#include "base/checked.h"
#include "base/file.h"
#include "sim/machine/tensor.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER = 65535, MAX_TYPE = 64, SPARE = 1 << 20 };

typedef struct {
    Arena *arena;
    const char *path;
    const char **why;
    const char *at, *end; /* of the header's text */
    bool has_descr, has_order, has_shape;
} NpyParse;

__attribute__((format(printf, 2, 3))) static bool fail(NpyParse *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(p->arena, fmt, ap);
    va_end(ap);
    *p->why = arena_printf(p->arena, "%s: %s", p->path, text);
    return false;
}

static void skip_blanks(NpyParse *p)
{
    while (p->at < p->end && strchr(" \t\r\n", *p->at) && *p->at)
        p->at++;
}

static bool accept(NpyParse *p, char c)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

static bool accept_word(NpyParse *p, const char *word)
{
    size_t len = strlen(word);
    skip_blanks(p);
    if ((size_t)(p->end - p->at) < len || memcmp(p->at, word, len) != 0)
        return false;
    p->at += len;
    return true;
}

/* A string without escapes; NULL when there is none here or it has control characters. */
static const char *string(NpyParse *p)
{
    skip_blanks(p);
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"'))
        return NULL;
    char quote = *p->at++;
    const char *start = p->at;
    while (p->at < p->end && *p->at != quote) {
        if ((unsigned char)*p->at < ' ' || *p->at == '\\' || p->at - start > MAX_TYPE)
            return NULL;
        p->at++;
    }
    if (p->at == p->end)
        return NULL;
    return arena_strndup(p->arena, start, (size_t)(p->at++ - start));
}

/* Digits as Python writes them, with the L that Python 2 wrote. */
static bool extent(NpyParse *p, int64_t *out)
{
    skip_blanks(p);
    const char *start = p->at;
    int64_t v = 0;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
        if (!checked_mul(v, 10, &v) || !checked_add(v, *p->at - '0', &v))
            return fail(p, "an extent of its shape is larger than 2^63");
        p->at++;
    }
    if (p->at == start || (*start == '0' && p->at > start + 1))
        return fail(p, "its header has no valid shape");
    if (p->at < p->end && *p->at == 'L')
        p->at++;
    *out = v;
    return true;
}

static bool parse_shape(NpyParse *p, NpyArray *out)
{
    if (!accept(p, '('))
        return fail(p, "its header has no valid shape");
    for (bool comma = false; !accept(p, ')'); comma = true) {
        if (out->rank == BC_MAX_RANK)
            return fail(p, "it has more than %d dimensions", BC_MAX_RANK);
        if (!extent(p, &out->shape[out->rank++]))
            return false;
        if (accept(p, ','))
            continue;
        if (comma && accept(p, ')')) /* (4) is a number, not a shape */
            break;
        return fail(p, "its header has no valid shape");
    }
    return true;
}

static bool parse_descr(NpyParse *p, NpyArray *out)
{
    skip_blanks(p);
    if (p->at < p->end && *p->at == '[')
        return fail(p, "it holds records, not numbers");
    out->descr = string(p);
    return out->descr || fail(p, "its header has no valid type");
}

static bool parse_order(NpyParse *p)
{
    if (accept_word(p, "False"))
        return true;
    if (accept_word(p, "True"))
        return fail(p, "it is in Fortran order, C order is needed: "
                       "save numpy.ascontiguousarray(...)");
    return fail(p, "its header has no valid fortran_order");
}

/* One `key: value`. */
static bool parse_entry(NpyParse *p, NpyArray *out)
{
    const char *key = string(p);
    if (!key || !accept(p, ':'))
        return fail(p, "its header is no dictionary");
    bool *seen = strcmp(key, "descr") == 0           ? &p->has_descr
                 : strcmp(key, "fortran_order") == 0 ? &p->has_order
                 : strcmp(key, "shape") == 0         ? &p->has_shape
                                                     : NULL;
    if (!seen)
        return fail(p, "its header has an unknown key '%s'", key);
    if (*seen)
        return fail(p, "its header has '%s' twice", key);
    *seen = true;
    if (seen == &p->has_descr)
        return parse_descr(p, out);
    return seen == &p->has_order ? parse_order(p) : parse_shape(p, out);
}

static bool parse_header(NpyParse *p, NpyArray *out)
{
    if (!accept(p, '{'))
        return fail(p, "its header is no dictionary");
    while (!accept(p, '}')) {
        if (!parse_entry(p, out))
            return false;
        if (!accept(p, ',')) {
            if (accept(p, '}'))
                break;
            return fail(p, "its header is no dictionary");
        }
    }
    skip_blanks(p);
    if (p->at != p->end)
        return fail(p, "its header has more than a dictionary");
    if (!p->has_descr || !p->has_order || !p->has_shape)
        return fail(p, "its header has no '%s'",
                    !p->has_descr   ? "descr"
                    : !p->has_order ? "fortran_order"
                                    : "shape");
    return true;
}

/* "<f4": a byte order, which counts for more than one byte only, and NumPy's name. */
static bool find_dtype(NpyParse *p, NpyArray *out)
{
    const char *name = out->descr + (out->descr[0] && strchr("<>|=", out->descr[0]));
    for (int t = 0; t < DT_COUNT && !out->known; t++) {
        if (dtype_info[t].npy[0] && strcmp(name, dtype_info[t].npy) == 0) {
            out->known = true;
            out->dtype = (uint8_t)t;
        }
    }
    if (out->descr[0] == '>' && !(out->known && dtype_bytes(out->dtype) == 1))
        return fail(p,
                    "it is big-endian ('%s'), little-endian is needed: "
                    "save a.astype('<%s')",
                    out->descr, name);
    return true;
}

static const char *shape_text(Arena *arena, const NpyArray *a)
{
    Buf text = {0};
    npy_shape_text(&text, a->rank, a->shape);
    const char *copy = arena_strndup(arena, text.at, text.len);
    buf_free(&text);
    return copy;
}

/* Copies the elements, with BOOL as 0 and 1. */
static void take_data(Arena *arena, NpyArray *out, const char *bytes)
{
    char *data = arena_alloc(arena, (size_t)out->bytes);
    if (out->bytes)
        memcpy(data, bytes, (size_t)out->bytes);
    for (int64_t i = 0; out->dtype == DT_BOOL && i < out->bytes; i++)
        data[i] = data[i] != 0;
    out->data = data;
}

static bool check_size(NpyParse *p, NpyArray *out, size_t left)
{
    HostTensor t = {.name = p->path, .dtype = out->dtype, .rank = (uint8_t)out->rank};
    memcpy(t.shape, out->shape, sizeof t.shape);
    if (!tensor_measure(p->arena, &t, p->why))
        return false;
    out->bytes = t.bytes;
    if ((uint64_t)t.bytes == left)
        return true;
    return fail(p, "it %s: shape %s of '%s' takes %lld bytes, but %s%zu follow the header",
                (uint64_t)t.bytes > left ? "is truncated" : "has bytes left over",
                shape_text(p->arena, out), out->descr, (long long)t.bytes,
                left < (uint64_t)t.bytes + SPARE ? "" : "at least ", left);
}

/* Finds the header's text; returns the offset of the data, 0 on failure. */
static size_t find_header(NpyParse *p, const unsigned char *b, size_t len)
{
    if (len < 10 || memcmp(b, "\x93NUMPY", 6) != 0)
        return (size_t)fail(p, "it is no .npy file");
    if (b[6] < 1 || b[6] > 3 || b[7] != 0)
        return (size_t)fail(p, "its format is version %d.%d, known are 1.0, 2.0 and 3.0", b[6],
                            b[7]);
    size_t start = b[6] == 1 ? 10 : 12;
    if (len < start)
        return (size_t)fail(p, "it is truncated inside the header");
    size_t size = b[8] | (size_t)b[9] << 8;
    if (b[6] > 1)
        size |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (size > MAX_HEADER)
        return (size_t)fail(p, "its header is said to be %zu bytes long", size);
    if (size > len - start)
        return (size_t)fail(p, "it is truncated inside the header");
    p->at = (const char *)b + start;
    p->end = p->at + size;
    return start + size;
}

bool npy_parse(Arena *arena, const char *path, const void *bytes, size_t len, NpyArray *out,
               const char **why)
{
    NpyParse p = {.arena = arena, .path = path, .why = why};
    *out = (NpyArray){0};
    size_t data = find_header(&p, bytes, len);
    if (!data || !parse_header(&p, out) || !find_dtype(&p, out))
        return false;
    if (!out->known) /* npy_fits says what was wanted instead */
        return true;
    if (!check_size(&p, out, len - data))
        return false;
    take_data(arena, out, (const char *)bytes + data);
    return true;
}

/* What npy_parse looks at: the header, the data it announces, and enough more to say that something
 * is left over. Nothing more where the header is no good. */
static size_t npy_extent(void *env, const Buf *head)
{
    Arena *arena = env;
    const char *why;
    NpyArray a = {0};
    NpyParse p = {.arena = arena, .path = "", .why = &why};
    HostTensor t = {.name = ""};
    size_t data = find_header(&p, (const unsigned char *)head->at, head->len);
    if (!data || !parse_header(&p, &a) || !find_dtype(&p, &a) || !a.known)
        return head->len;
    t.dtype = a.dtype;
    t.rank = (uint8_t)a.rank;
    memcpy(t.shape, a.shape, sizeof t.shape);
    return tensor_measure(arena, &t, &why) ? data + (size_t)t.bytes + SPARE : head->len;
}

bool npy_read(Arena *arena, const char *path, NpyArray *out, const char **why)
{
    Buf file = {0};
    char *reason = NULL;
    bool ok = file_read_extent(path, &file, 2 * MAX_HEADER, npy_extent, arena, &reason);
    if (ok)
        ok = npy_parse(arena, path, file.at ? file.at : "", file.len, out, why);
    else
        *why = arena_strndup(arena, reason, strlen(reason));
    xfree(reason);
    buf_free(&file);
    return ok;
}

static size_t no_more(void *env, const Buf *head)
{
    (void)env;
    return head->len;
}

bool npy_head(Arena *arena, const char *path, NpyArray *out, const char **why)
{
    Buf file = {0};
    char *reason = NULL;
    NpyParse p = {.arena = arena, .path = path, .why = why};
    *out = (NpyArray){0};
    bool ok = file_read_extent(path, &file, 2 * MAX_HEADER, no_more, NULL, &reason);
    if (!ok)
        *why = arena_strndup(arena, reason, strlen(reason));
    size_t start =
        ok ? find_header(&p, (const unsigned char *)(file.at ? file.at : ""), file.len) : 0;
    ok = start && parse_header(&p, out) && find_dtype(&p, out);
    out->start = (int64_t)start;
    xfree(reason);
    buf_free(&file);
    return ok;
}

static const char *wanted_type(uint8_t dtype)
{
    return dtype_info[dtype].npy;
}

static bool same_shape(const NpyArray *a, const HostTensor *t)
{
    bool same = a->rank == t->rank;
    for (uint32_t i = 0; same && i < t->rank; i++)
        same = t->shape[i] == -1 || t->shape[i] == a->shape[i];
    return same;
}

static bool fits_shape(NpyParse *p, const NpyArray *array, const HostTensor *param)
{
    if (same_shape(array, param))
        return true;
    Buf wanted = {0};
    tensor_index_text(&wanted, param->rank, param->shape);
    fail(p, "its shape is %s, but that of %s is %s", shape_text(p->arena, array), param->name,
         wanted.at);
    buf_free(&wanted);
    return false;
}

bool npy_fits(Arena *arena, const char *path, const NpyArray *array, const HostTensor *param,
              const char **why)
{
    uint8_t dtype = param->dtype;
    NpyParse p = {.arena = arena, .path = path, .why = why};
    if (array->memory && array->dtype != dtype && !(array->dtype == DT_INT64 && dtype == DT_INDEX))
        return fail(&p, "it is %s, but %s is %s", dtype_name(array->dtype), param->name,
                    dtype_name(dtype));
    if (array->memory)
        return fits_shape(&p, array, param);
    if (!wanted_type(dtype)[0])
        return fail(&p, "%s is %s, for which NumPy has no type", param->name, dtype_name(dtype));
    if (!array->known || strcmp(dtype_info[array->dtype].npy, wanted_type(dtype)) != 0)
        return fail(&p, "it holds '%s', but %s is %s ('%c%s')", array->descr, param->name,
                    dtype_name(dtype), dtype_bytes(dtype) == 1 ? '|' : '<', wanted_type(dtype));
    return fits_shape(&p, array, param);
}
