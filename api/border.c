#include "api/border.h"
#include "api/stack.h"

#include <locale.h>
#include <string.h>

typedef struct {
    Heap *heap;
    int (*work)(void *env);
    void *env;
    int status;
} Crossing;

static void cross(void *env)
{
    Crossing *c = env;
    Trap trap;
    volatile int status = PLD_NO_MEMORY;
    /* The C locale is a constant: nothing is made here that must be freed. */
    locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    trap_enter(&trap, c->heap);
    if (setjmp(trap.at) == 0)
        status = c->work(c->env);
    trap_leave(&trap);
    uselocale(before);
    c->status = status;
}

int border(Heap *heap, int (*work)(void *env), void *env)
{
    Crossing c = {heap, work, env, PLD_NO_MEMORY};
    return stack_call(cross, &c) ? c.status : PLD_NO_MEMORY;
}

int border_copy_out(void *to, const void *from, size_t size)
{
    size_t theirs;
    memcpy(&theirs, to, sizeof theirs);
    if (theirs < sizeof theirs)
        return PLD_USAGE;
    size_t n = theirs < size ? theirs : size;
    memcpy((char *)to + sizeof theirs, (const char *)from + sizeof theirs, n - sizeof theirs);
    return PLD_OK;
}

uint32_t pld_version(void)
{
    return PLD_VERSION_MAJOR << 16 | PLD_VERSION_MINOR << 8 | PLD_VERSION_PATCH;
}

const char *pld_status_text(int status)
{
    switch (status) {
    case PLD_OK: return "ok";
    case PLD_GOLDEN: return "golden mismatch";
    case PLD_USAGE: return "usage";
    case PLD_DEADLOCK: return "deadlock";
    case PLD_CHECK: return "check";
    case PLD_FAULT: return "fault";
    case PLD_STEPS: return "step limit";
    case PLD_INCOMPLETE: return "incomplete";
    case PLD_ERRORS: return "errors in the program";
    case PLD_CANCELLED: return "cancelled";
    case PLD_INTERNAL: return "internal error";
    case PLD_NO_MEMORY: return "out of memory";
    }
    return "unknown status";
}

#define SAME(ENUM) _Static_assert((int)PLD_##ENUM == (int)DT_##ENUM, "dtypes of pld.h are for ever")
SAME(FP32);
SAME(FP16);
SAME(BF16);
SAME(INT8);
SAME(UINT8);
SAME(INT16);
SAME(UINT16);
SAME(INT32);
SAME(UINT32);
SAME(INT64);
SAME(BOOL);
SAME(INDEX);

const char *pld_dtype_name(int dtype)
{
    return dtype >= 0 && dtype < DT_COUNT ? dtype_name((Dtype)dtype) : NULL;
}
