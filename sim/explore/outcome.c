#include "sim/explore/outcome.h"

#include "base/crc32.h"
#include "base/format.h"
#include <inttypes.h>
#include <string.h>

enum { MANY = 64 }; /* elements; longer tensors are shown by their hash */

static void element(Buf *out, const HostTensor *t, int64_t i)
{
    const char *at = t->data + i * dtype_bytes(t->dtype);
    if (dtype_is_float(t->dtype))
        format_float(out, t->dtype, dtype_load_double(t->dtype, at));
    else
        buf_printf(out, "%lld", (long long)dtype_load_int(t->dtype, at));
}

static void tensor(Buf *out, const HostTensor *t)
{
    buf_printf(out, "%s%s=[", out->len ? " " : "", t->name);
    if (t->elements > MANY)
        buf_printf(out, "#%016" PRIx64, hash64(HASH64_INIT, t->data, (size_t)t->bytes));
    for (int64_t i = 0; i < t->elements && t->elements <= MANY; i++) {
        if (i)
            buf_char(out, ' ');
        element(out, t, i);
    }
    buf_char(out, ']');
}

static void describe(Buf *out, const World *w, const RunResult *r)
{
    if (r->status == EXIT_DEADLOCK || r->status == EXIT_FAULT || r->status == EXIT_STEPS) {
        buf_str(out, r->status == EXIT_DEADLOCK ? "deadlock"
                     : r->status == EXIT_FAULT  ? "fault"
                                                : "step limit");
        return;
    }
    for (uint32_t i = 0; i < w->n_tensors; i++)
        if (w->tensors[i].dir != 0)
            tensor(out, &w->tensors[i]);
}

static void add(Outcomes *o, const char *text, size_t len)
{
    uint64_t hash = hash64(HASH64_INIT, text, len);
    if (map_get(&o->seen, hash, NULL))
        return;
    map_set(&o->seen, hash, 1);
    vec_push(&o->lines, arena_strndup(&o->arena, text, len));
}

void outcomes_add(Outcomes *o, const World *w, const RunResult *r)
{
    Buf text = {0};
    describe(&text, w, r);
    add(o, text.at ? text.at : "", text.len);
    buf_free(&text);
}

void outcomes_join(Outcomes *o, const Outcomes *from)
{
    for (uint32_t i = 0; i < from->lines.len; i++)
        add(o, from->lines.at[i], strlen(from->lines.at[i]));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **outcomes_list(const Outcomes *o, Arena *arena, uint32_t *n)
{
    const char **list = arena_array(arena, o->lines.len + 1, sizeof *list);
    for (uint32_t i = 0; i < o->lines.len; i++)
        list[i] = arena_printf(arena, "%s", o->lines.at[i]);
    qsort(list, o->lines.len, sizeof *list, by_text);
    *n = o->lines.len;
    return list;
}

void outcomes_free(Outcomes *o)
{
    vec_free(&o->lines);
    map_free(&o->seen);
    arena_free(&o->arena);
}
