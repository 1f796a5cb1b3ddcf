/* Growable arrays: `VEC(T)` declares one; a zeroed vector is empty and valid.
 *
 * Two families that never mix on one vector: vec_* grow with realloc and end with vec_free;
 * avec_* grow inside an arena and are freed with it. */
#ifndef PLD_BASE_VEC_H
#define PLD_BASE_VEC_H

#include "base/arena.h"
#include <stdint.h>
#include <stdlib.h>

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *at;        /* elements */                                                               \
        uint32_t len; /* elements in use */                                                        \
        uint32_t cap; /* elements allocated */                                                     \
    }

/* Returns `old` (or a copy of it) with room for one more than `len` elements and updates `*cap`.
 * arena NULL: heap. */
void *vec_grow(Arena *arena, void *old, uint32_t len, uint32_t *cap, size_t elem_size);

/* The same in an arena, where nobody holds on to the old elements: those of a long vector leave no
 * memory behind. */
void *vec_regrow(Arena *arena, void *old, uint32_t len, uint32_t *cap, size_t elem_size);

#define vec_reserve_one_(arena, v)                                                                 \
    ((v)->len == (v)->cap                                                                          \
         ? (void)((v)->at = vec_grow((arena), (v)->at, (v)->len, &(v)->cap, sizeof *(v)->at))      \
         : (void)0)

#define vec_push(v, ...) (vec_reserve_one_(NULL, v), (void)((v)->at[(v)->len++] = (__VA_ARGS__)))
#define avec_push(arena, v, ...)                                                                   \
    (vec_reserve_one_(arena, v), (void)((v)->at[(v)->len++] = (__VA_ARGS__)))
/* As avec_push, for vectors that may grow long; pointers to elements do not outlive it. */
#define avec_push_long(arena, v, ...)                                                              \
    ((v)->len == (v)->cap                                                                          \
         ? (void)((v)->at = vec_regrow((arena), (v)->at, (v)->len, &(v)->cap, sizeof *(v)->at))    \
         : (void)0,                                                                                \
     (void)((v)->at[(v)->len++] = (__VA_ARGS__)))
#define vec_pop(v) ((v)->at[--(v)->len])
#define vec_last(v) ((v)->at[(v)->len - 1])
/* qsort of all elements; sorting nothing looks at no memory, which qsort may. */
#define vec_sort(v, by) ((v)->len ? qsort((v)->at, (v)->len, sizeof *(v)->at, (by)) : (void)0)
#define vec_sort_r(v, by, env)                                                                     \
    ((v)->len ? qsort_r((v)->at, (v)->len, sizeof *(v)->at, (by), (env)) : (void)0)
#define vec_clear(v) ((void)((v)->len = 0))
#define vec_free(v) (xfree((v)->at), (v)->at = NULL, (v)->len = (v)->cap = 0)

#endif
