/* What names mean along the paths of a function, and where paths meet: the elaborator's names and
 * those that get a version each for SSA form.
 *
 * Names are numbers from 0; what a name means is a number of the caller's. Entering an arm or a
 * body is taking a mark, leaving it is asking for the changes since and going back to the mark:
 * the cost is that of the changes, not of all names at every branch. */
#ifndef PLD_IR_PATHS_H
#define PLD_IR_PATHS_H

#include "base/vec.h"

typedef struct {
    uint32_t name, value;
} Meaning;
typedef VEC(Meaning) Meanings;

typedef struct {
    struct PathName {
        uint32_t now;
        uint32_t stamp, other; /* scratch of paths_changes and paths_join */
    } * names;
    uint32_t n_names, cap;
    Meanings trail; /* meanings that changes replaced, newest last */
    uint32_t stamp;
} Paths;

/* A new name; returns its number. */
uint32_t paths_add(Paths *p, uint32_t value);
static inline uint32_t paths_now(const Paths *p, uint32_t name)
{
    return p->names[name].now;
}
void paths_set(Paths *p, uint32_t name, uint32_t value);
static inline uint32_t paths_mark(const Paths *p)
{
    return p->trail.len;
}
/* Appends each name that was set since `mark`, once, in the order in which they were first set,
 * with what it means now. vec_free them. */
void paths_changes(Paths *p, uint32_t mark, Meanings *out);
void paths_back(Paths *p, uint32_t mark);
/* Two paths that started from the meanings at hand meet: calls `fn` with what each name that
 * either changed means at the end of both; `fn` may set that name. */
typedef void PathsFn(void *env, uint32_t name, uint32_t a, uint32_t b);
void paths_join(Paths *p, const Meanings *a, const Meanings *b, PathsFn *fn, void *env);
void paths_free(Paths *p);

#endif
