/* |a - b| <= atol + rtol * |g|, NaN equals NaN, infinities by sign, integers exact. */
#include "sim/host/outputs.h"

#include "base/format.h"
#include "sim/host/input.h"
#include "sim/host/npy.h"
#include "sim/machine/fault.h"
#include <math.h>
#include <string.h>

typedef struct {
    World *w;
    uint32_t tensor;
    const HostTensor *t;
    double rtol, atol;
    bool by_ranks; /* neither is said: BF16's, by the number of ranks */
    Mismatch found;
} Compare;

static Number element(const HostTensor *t, const char *at)
{
    if (dtype_is_float(t->dtype))
        return num_float(dtype_load_double(t->dtype, at));
    return num_int(dtype_load_int(t->dtype, at));
}

/* The difference of two values that are not equal; integers without overflow. */
static double difference(Number a, Number b)
{
    double d = fabs(num_double(a) - num_double(b));
    return isnan(d) ? INFINITY : d;
}

static bool close_enough(const Compare *c, Number a, Number g)
{
    if (!dtype_is_float(c->t->dtype))
        return py_compare(a, g) == 0;
    double x = num_double(a), y = num_double(g);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    if (isinf(x) || isinf(y))
        return x == y;
    return fabs(x - y) <= c->atol + c->rtol * fabs(y);
}

/* `at`: the byte of the element, `bytes` its value. */
static void compare_one(Compare *c, int64_t at, const char *bytes, Number want)
{
    Number got = element(c->t, bytes);
    if (close_enough(c, got, want))
        return;
    if (c->found.bad++ == 0) {
        c->found.first = at / dtype_bytes(c->t->dtype);
        c->found.got = got;
        c->found.want = want;
    }
    double d = difference(got, want);
    c->found.worst = d > c->found.worst ? d : c->found.worst;
}

static void value_text(Buf *out, uint8_t dtype, Number v)
{
    if (v.tag == NUM_FLOAT && dtype == DT_COUNT)
        buf_double(out, v.f);
    else if (v.tag == NUM_FLOAT)
        format_float(out, (Dtype)dtype, v.f);
    else
        buf_printf(out, "%lld", (long long)v.i);
}

static const char *kept_value(Compare *c, uint8_t dtype, Number v)
{
    Buf text = {0};
    value_text(&text, dtype, v);
    const char *kept = arena_strndup(&c->w->result->arena, text.at, text.len);
    buf_free(&text);
    return kept;
}

static const GoldenMismatch *mismatch(Compare *c, const int64_t *at)
{
    GoldenMismatch *m = arena_new(&c->w->result->arena, GoldenMismatch);
    Buf index = {0};
    tensor_index_text(&index, c->t->rank, at);
    *m = (GoldenMismatch){.output = c->t->name,
                          .bad = c->found.bad,
                          .elements = c->t->elements,
                          .largest = c->found.worst,
                          .rtol = c->rtol,
                          .atol = c->atol,
                          .index = arena_strndup(&c->w->result->arena, index.at, index.len),
                          .got = kept_value(c, c->t->dtype, c->found.got),
                          .golden = kept_value(c, DT_COUNT, c->found.want)};
    buf_free(&index);
    return m;
}

/* What would have been close enough. */
static void allowed_text(const Compare *c, Buf *out)
{
    if (!dtype_is_float(c->t->dtype))
        return;
    buf_str(out, "; allowed is ");
    buf_double(out, c->atol);
    buf_str(out, " + ");
    buf_double(out, c->rtol);
    buf_str(out, " * |golden|");
    if (c->by_ranks)
        buf_printf(out, ", of BF16 for a sum over %u ranks", c->w->n_ranks);
}

static void report(Compare *c)
{
    Buf text = {0};
    int64_t index[BC_MAX_RANK];
    const Mismatch *m = &c->found;
    buf_printf(&text, "golden mismatch: %s: %lld of %lld elements differ, largest difference ",
               c->t->name, (long long)m->bad, (long long)c->t->elements);
    buf_double(&text, m->worst);
    tensor_unravel(c->t, m->first, index);
    buf_str(&text, ", first at ");
    tensor_index_text(&text, c->t->rank, index);
    buf_str(&text, ": got ");
    value_text(&text, c->t->dtype, m->got);
    buf_str(&text, ", golden ");
    value_text(&text, DT_COUNT, m->want);
    allowed_text(c, &text);
    report_add(c->w, REP_GOLDEN, "golden", NULL, text.at)->mismatch = mismatch(c, index);
    buf_free(&text);
}

/* Each term of a sum over ranks is rounded to the 8 bits of BF16: 2^-9 of it may be lost. */
static double sum_of_ranks(const World *w)
{
    return w->n_ranks > 2 ? 2e-3 * w->n_ranks : 4e-3;
}

static double tolerance(const World *w, double config, double own, uint8_t dtype)
{
    if (config >= 0)
        return config;
    if (own >= 0)
        return own;
    return dtype == DT_BF16 ? sum_of_ranks(w) : dtype == DT_FP16 ? 4e-3 : 1e-5;
}

/* What is looked at here: all, or what this process has written last. */
static uint32_t n_parts(const HostTensor *t)
{
    return t->partial ? t->n_owned : t->elements > 0;
}

static TensorSpan part(const HostTensor *t, uint32_t i)
{
    return t->partial ? t->owned[i] : (TensorSpan){.bytes = t->bytes};
}

/* Says what elements should be, of a piece that has no more than PIECE bytes. */
typedef bool CompareWith(Compare *c, void *env, TensorSpan piece, const char *got);

/* What is looked at here, a piece at a time. */
static bool each_piece(Compare *c, CompareWith *with, void *env)
{
    enum { PIECE = 1 << 20 };
    bool ok = true;
    char *got = xmalloc(PIECE);
    for (uint32_t p = 0; p < n_parts(c->t) && ok; p++) {
        TensorSpan s = part(c->t, p);
        for (int64_t at = 0; at < s.bytes && ok; at += PIECE) {
            int64_t left = s.bytes - at;
            TensorSpan piece = {s.offset + at, left < PIECE ? left : PIECE, 0};
            ok = input_bytes(c->w, c->tensor, piece, got) && with(c, env, piece, got);
        }
    }
    xfree(got);
    return ok;
}

static bool with_function(Compare *c, void *env, TensorSpan piece, const char *got)
{
    Evaluator *m = env;
    int64_t index[BC_MAX_RANK], size = dtype_bytes(c->t->dtype);
    tensor_unravel(c->t, piece.offset / size, index);
    for (int64_t i = 0; i < piece.bytes; i += size, tensor_next(c->t, index)) {
        Number want;
        const char *why;
        if (!evaluate_at(m, index, &want, &why))
            return world_error(c->w, EXIT_USAGE, "%s", why);
        compare_one(c, piece.offset + i, got + i, want);
    }
    return true;
}

/* Values of a golden function; false after an error. */
static bool against_function(Compare *c, const BcElementFunc *golden)
{
    Arena arena = {0};
    EvaluateEnv env = parts_env(input_parts(c->w));
    bool ok = each_piece(c, with_function, evaluator_new(&arena, &env, golden));
    arena_free(&arena);
    return ok;
}

typedef struct {
    const char *path;
    const NpyArray *array;
} GoldenFile;

static bool with_file(Compare *c, void *env, TensorSpan piece, const char *got)
{
    const GoldenFile *f = env;
    int64_t size = dtype_bytes(c->t->dtype);
    const char *why, *want = f->array->data ? f->array->data + piece.offset : NULL;
    char *read = want ? NULL : xmalloc((size_t)piece.bytes);
    bool ok = want || npy_read_part(&c->w->arena, f->path, f->array, piece, read, &why) ||
              world_error(c->w, EXIT_USAGE, "%s", why);
    for (int64_t i = 0; i < piece.bytes && ok; i += size)
        compare_one(c, piece.offset + i, got + i, element(c->t, (want ? want : read) + i));
    xfree(read);
    return ok;
}

static bool against_file(Compare *c, const NpyArray *file)
{
    const char *why, *path = "the golden array";
    for (uint32_t i = 0; i < c->w->config->n_goldens; i++)
        if (strcmp(c->w->config->goldens[i].name, c->t->name) == 0)
            path = c->w->config->goldens[i].value;
    if (!npy_fits(&c->w->arena, path, file, c->t, &why))
        return world_error(c->w, EXIT_USAGE, "%s", why);
    GoldenFile f = {path, file};
    return each_piece(c, with_file, &f);
}

static void note_unchecked(World *w, const char *name)
{
    RunResult *r = w->result;
    const char **more = arena_array(&r->arena, r->n_unchecked + 1, sizeof *more);
    for (uint32_t i = 0; i < r->n_unchecked; i++)
        more[i] = r->unchecked[i];
    more[r->n_unchecked++] = arena_printf(&r->arena, "%s", name);
    r->unchecked = more;
}

bool outputs_compare(World *w)
{
    for (uint32_t i = 0; i < w->n_tensors; i++) {
        const HostTensor *t = &w->tensors[i];
        const BcElementFunc *golden = input_func(w, true, i);
        const NpyArray *file = &w->golden_files[i];
        if (!golden && !file->descr) {
            if (t->dir != 0)
                note_unchecked(w, t->name);
            continue;
        }
        Compare c = {.w = w, .tensor = i, .t = t};
        c.rtol = tolerance(w, w->config->rtol, golden ? golden->rtol : -1, t->dtype);
        c.atol = tolerance(w, w->config->atol, golden ? golden->atol : -1, t->dtype);
        bool said = w->config->rtol >= 0 || w->config->atol >= 0 ||
                    (golden && (golden->rtol >= 0 || golden->atol >= 0));
        c.by_ranks = t->dtype == DT_BF16 && !said && w->n_ranks > 2;
        bool ok = file->descr ? against_file(&c, file) : against_function(&c, golden);
        if (w->processes)
            ok = w->processes->combine(w->processes, &c.found, ok);
        if (!ok)
            return false;
        w->result->n_checked++;
        if (c.found.bad)
            report(&c);
    }
    return true;
}
