/* Trees are a thousand levels high at most, and what walks them recurses: that takes a megabyte. */
#include "api/stack.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#define NEEDED ((size_t)2 << 20)
#define OWN ((size_t)8 << 20) /* pages are there when they are touched */
#define GUARD ((size_t)64 << 10)

/* Bytes left below `here` on the stack of this thread; SIZE_MAX where it is on another one. */
static size_t left(const char *here)
{
    static _Thread_local uintptr_t low, high; /* of the thread's stack, once known */
    uintptr_t at = (uintptr_t)here;
    if (!high) {
        pthread_attr_t attr;
        void *base;
        size_t size, guard = 0;
        if (pthread_getattr_np(pthread_self(), &attr) != 0)
            return SIZE_MAX;
        pthread_attr_getstack(&attr, &base, &size);
        pthread_attr_getguardsize(&attr, &guard);
        pthread_attr_destroy(&attr);
        low = (uintptr_t)base + guard;
        high = (uintptr_t)base + size;
    }
    return at >= low && at < high ? at - low : SIZE_MAX;
}

typedef struct {
    ucontext_t back, own;
    void (*work)(void *env);
    void *env;
} Switch;

static _Thread_local Switch *under_way;

static void begin(void)
{
    const Switch *s = under_way;
    s->work(s->env);
}

bool stack_call(void (*work)(void *env), void *env)
{
    char here;
    if (left(&here) >= NEEDED) {
        work(env);
        return true;
    }
    char *stack = mmap(NULL, OWN, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return false;
    Switch s = {.work = work, .env = env}, *before = under_way;
    (void)mprotect(stack, GUARD, PROT_NONE);
    bool made = getcontext(&s.own) == 0;
    s.own.uc_stack.ss_sp = stack;
    s.own.uc_stack.ss_size = OWN;
    s.own.uc_link = &s.back;
    makecontext(&s.own, begin, 0);
    under_way = &s;
    made = made && swapcontext(&s.back, &s.own) == 0;
    under_way = before;
    munmap(stack, OWN);
    return made;
}
