/* A counter is a list of changes in order of time. Of more changes than a screen can show, what is
 * written for a piece of time is the most that there was in it. */
#include "sim/report/trace_counters.h"

#include <stdlib.h>

enum { MAX_POINTS = 4000 };

typedef struct {
    int64_t at, by; /* ps; bytes or ranks */
} Change;

typedef VEC(Change) Changes;

static int compare(const void *a, const void *b)
{
    const Change *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->by < y->by ? -1 : x->by > y->by;
}

static void add(Changes *c, int64_t from, int64_t to, int64_t by)
{
    if (to <= from || by == 0)
        return;
    vec_push(c, (Change){from, by});
    vec_push(c, (Change){to, -by});
}

static void point(JsonWriter *j, uint32_t process, const char *name, int64_t at, int64_t value)
{
    Buf us = {0};
    record_us(&us, at);
    json_newline(j);
    json_open(j, '{');
    json_member_str(j, "ph", "C");
    json_member_int(j, "pid", process);
    json_member_int(j, "tid", 0);
    json_member_str(j, "name", name);
    json_key(j, "ts");
    json_number(j, us.at);
    json_member_open(j, "args", '{');
    json_member_int(j, "value", value);
    json_close(j);
    json_close(j);
    buf_free(&us);
}

static void counter(JsonWriter *j, uint32_t process, const char *name, Changes *c, int64_t span)
{
    int64_t value = 0, piece = c->len > MAX_POINTS ? span / MAX_POINTS + 1 : 1;
    if (c->len)
        qsort(c->at, c->len, sizeof *c->at, compare);
    point(j, process, name, 0, 0);
    for (uint32_t i = 0; i < c->len;) {
        int64_t begin = c->at[i].at, most = INT64_MIN;
        while (i < c->len && c->at[i].at - begin < piece) {
            int64_t at = c->at[i].at;
            for (; i < c->len && c->at[i].at == at; i++)
                value += c->at[i].by;
            most = value > most ? value : most;
        }
        point(j, process, name, begin, most);
    }
    if (piece > 1 && c->len)
        point(j, process, name, c->at[c->len - 1].at, value);
    vec_free(c);
}

void trace_counters(const World *w, const Recorder *r, JsonWriter *j)
{
    Changes bytes = {0}, waiting = {0};
    for (uint32_t i = 0; i < r->at.len; i++) {
        const Record *x = &r->at.at[i];
        if (record_is_traffic(x))
            add(&bytes, x->begin, x->arrive, x->bytes);
        else if (x->kind == EV_WAIT)
            add(&waiting, x->begin, x->arrive < x->end ? x->arrive : x->end, 1);
    }
    for (uint32_t i = 0; i < r->last.len; i++)
        if (r->last.at[i].window != UINT32_MAX)
            add(&waiting, r->last.at[i].since, r->end_ps, 1);
    counter(j, w->n_ranks, "bytes under way", &bytes, r->end_ps);
    counter(j, w->n_ranks, "waiting ranks", &waiting, r->end_ps);
}
