/* How executions end, and which ways to fail there are. */
#include "base/crc32.h"
#include "sim/explore/search.h"
#include "sim/machine/world.h"
#include "sim/sched/replay.h"
#include <string.h>

/* Failures of one status at one place are of one kind. */
static uint64_t failure_key(const RunResult *r, const char **check)
{
    uint64_t key = (uint64_t)r->status;
    *check = "";
    for (uint32_t i = 0; i < r->n_reports; i++) {
        const Report *p = &r->reports[i];
        if (report_is_minor(p))
            continue;
        if (!**check || strcmp(p->check, "race") == 0)
            *check = p->check;
        key = hash64(key, p->check, strlen(p->check));
        key = hash64(key, &p->key, sizeof p->key);
        if (p->rank == UINT32_MAX)
            key = hash64(key, p->text, strlen(p->text));
    }
    return key;
}

void search_note_failure(Search *s, uint64_t key, const ExploreFailure *f)
{
    Arena *arena = &s->result->arena;
    for (uint32_t i = 0; i < s->keys.len; i++)
        if (s->keys.at[i] == key) {
            s->failures.at[i].count += f->count;
            return;
        }
    ExploreFailure copy = *f;
    copy.check = arena_printf(arena, "%s", f->check);
    copy.text = arena_printf(arena, "%s", f->text);
    copy.token = arena_printf(arena, "%s", f->token);
    vec_push(&s->failures, copy);
    vec_push(&s->keys, key);
}

static bool is_known(const Search *s, uint64_t key)
{
    for (uint32_t i = 0; i < s->keys.len; i++)
        if (s->keys.at[i] == key)
            return true;
    return false;
}

static void note_failure(Search *s, RunResult *r)
{
    ExploreFailure f = {.status = r->status, .count = 1};
    uint64_t key = failure_key(r, &f.check);
    uint32_t *names = xcalloc(s->path.len + 1, sizeof *names);
    for (uint32_t i = 0; i < s->path.len; i++)
        names[i] = s->path.at[i].name;
    if (!is_known(s, key)) {
        f.text = run_result_text(&r->arena, r);
        f.token = replay_token(&r->arena, s->world, NULL, names, s->path.len);
    }
    xfree(names);
    search_note_failure(s, key, &f);
}

void search_judge(Search *s, RunResult *r)
{
    ExploreResult *out = s->result;
    out->executions++;
    if (s->path.len > out->most_steps)
        out->most_steps = s->path.len;
    bool ended = r->status != EXIT_FAULT && r->status != EXIT_STEPS && r->status != EXIT_DEADLOCK;
    if (s->options->outcomes)
        outcomes_add(&s->outcomes, s->world, r);
    if (s->options->outcomes ? !ended : r->status != EXIT_OK) {
        out->status = status_worse(out->status, r->status);
        note_failure(s, r);
    }
}
