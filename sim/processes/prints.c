/* pl.debug_print over processes: kept where it was said, then told by rank. */
#include "sim/processes/conclude.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t rank, order, len;
    const char *text;
} Said;

typedef struct {
    Buf text; /* of all processes */
} Told;

static void keep(void *env, const char *text, size_t len)
{
    Team *t = env;
    buf_u32(&t->prints, t->world->print_rank);
    buf_u32(&t->prints, (uint32_t)len);
    buf_bytes(&t->prints, text, len);
}

void collect_prints(Team *t, RunConfig *config)
{
    t->print = config->print;
    t->print_env = config->print_env;
    if (!t->print)
        return;
    config->print = keep;
    config->print_env = t;
}

static void take(void *env, uint32_t process, const char *bytes, size_t len)
{
    (void)process;
    Told *told = env;
    if (len)
        buf_bytes(&told->text, bytes, len);
}

static int by_rank(const void *a_, const void *b_)
{
    const Said *a = a_, *b = b_;
    if (a->rank != b->rank)
        return (a->rank > b->rank) - (a->rank < b->rank);
    return (a->order > b->order) - (a->order < b->order);
}

void gather_prints(Team *t)
{
    Told told = {{0}};
    VEC(Said) list = {0};
    team_gather(t, &t->prints, take, &told);
    for (size_t at = 0; at < told.text.len;) {
        Said s = {.order = list.len};
        memcpy(&s.rank, told.text.at + at, 4);
        memcpy(&s.len, told.text.at + at + 4, 4);
        s.text = told.text.at + at + 8;
        at += 8 + s.len;
        vec_push(&list, s);
    }
    if (list.len)
        qsort(list.at, list.len, sizeof *list.at, by_rank);
    for (uint32_t i = 0; i < list.len; i++)
        t->print(t->print_env, list.at[i].text, list.at[i].len);
    vec_free(&list);
    buf_free(&told.text);
}
