#include "cli/tool.h"

#include "base/buf.h"
#include "base/heap.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The memory of the container, as long as it is one; SIZE_MAX: none is said. */
static size_t container_memory(void)
{
    char *end, line[32] = "";
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "r");
    if (!f)
        return SIZE_MAX;
    (void)!fgets(line, sizeof line, f);
    fclose(f);
    unsigned long long bytes = strtoull(line, &end, 10);
    return end > line && bytes > 0 ? (size_t)bytes : SIZE_MAX;
}

static size_t machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    size_t machine = pages > 0 && size > 0 ? (size_t)pages * (size_t)size : SIZE_MAX;
    size_t container = container_memory();
    return machine < container ? machine : container;
}

void tool_limit_memory(size_t bytes)
{
    trap_heap()->budget->limit = bytes ? bytes : machine_memory() / 4 * 3;
}

static void say_exhausted(const char *tool, const HeapBudget *budget)
{
    if (budget->over)
        fprintf(stderr,
                "%s: error: out of memory: it takes more than the %zu MiB of --max-memory\n", tool,
                budget->limit >> 20);
    else
        fprintf(stderr, "%s: error: out of memory\n", tool);
}

int tool_run(const char *tool, int argc, char **argv, int (*work)(int argc, char **argv))
{
    HeapBudget budget = {0};
    Heap heap = {.budget = &budget};
    Trap trap;
    volatile int status = STATUS_MEMORY;
    signal(SIGXFSZ, SIG_IGN);
    trap_enter(&trap, &heap);
    if (setjmp(trap.at) == 0)
        status = work(argc, argv);
    trap_leave(&trap);
    heap_free(&heap);
    if (status == STATUS_MEMORY)
        say_exhausted(tool, &budget);
    return status;
}

bool stdout_finish(char **why)
{
    errno = 0;
    bool failed = fflush(stdout) != 0;
    int error = errno;
    if (!failed && !ferror(stdout))
        return true;
    Buf text = {0};
    buf_printf(&text, "cannot write standard output: %s", error ? strerror(error) : "write error");
    *why = text.at;
    return false;
}
