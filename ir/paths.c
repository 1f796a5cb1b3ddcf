#include "ir/paths.h"

uint32_t paths_add(Paths *p, uint32_t value)
{
    if (p->n_names == p->cap)
        p->names = vec_grow(NULL, p->names, p->n_names, &p->cap, sizeof *p->names);
    p->names[p->n_names] = (struct PathName){.now = value};
    return p->n_names++;
}

void paths_set(Paths *p, uint32_t name, uint32_t value)
{
    vec_push(&p->trail, (Meaning){name, p->names[name].now});
    p->names[name].now = value;
}

void paths_changes(Paths *p, uint32_t mark, Meanings *out)
{
    p->stamp++;
    for (uint32_t i = mark; i < p->trail.len; i++) {
        struct PathName *n = &p->names[p->trail.at[i].name];
        if (n->stamp == p->stamp)
            continue;
        n->stamp = p->stamp;
        vec_push(out, (Meaning){p->trail.at[i].name, n->now});
    }
}

void paths_back(Paths *p, uint32_t mark)
{
    while (p->trail.len > mark) {
        Meaning m = vec_pop(&p->trail);
        p->names[m.name].now = m.value;
    }
}

void paths_join(Paths *p, const Meanings *a, const Meanings *b, PathsFn *fn, void *env)
{
    uint32_t in_b = ++p->stamp;
    for (uint32_t i = 0; i < b->len; i++) {
        struct PathName *n = &p->names[b->at[i].name];
        n->stamp = in_b;
        n->other = b->at[i].value;
    }
    for (uint32_t i = 0; i < a->len; i++) {
        struct PathName *n = &p->names[a->at[i].name];
        uint32_t other = n->stamp == in_b ? n->other : n->now;
        n->stamp = 0;
        fn(env, a->at[i].name, a->at[i].value, other);
    }
    for (uint32_t i = 0; i < b->len; i++) {
        const struct PathName *n = &p->names[b->at[i].name];
        if (n->stamp == in_b)
            fn(env, b->at[i].name, n->now, b->at[i].value);
    }
}

void paths_free(Paths *p)
{
    xfree(p->names);
    vec_free(&p->trail);
    *p = (Paths){0};
}
