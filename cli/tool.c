#include "cli/tool.h"

#include "base/buf.h"
#include "base/heap.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_MEMORY = 71 };

int tool_run(const char *tool, int argc, char **argv, int (*work)(int argc, char **argv))
{
    Heap heap = {0};
    Trap trap;
    volatile int status = EXIT_MEMORY;
    signal(SIGXFSZ, SIG_IGN);
    trap_enter(&trap, &heap);
    if (setjmp(trap.at) == 0)
        status = work(argc, argv);
    trap_leave(&trap);
    heap_free(&heap);
    if (status == EXIT_MEMORY)
        fprintf(stderr, "%s: error: out of memory\n", tool);
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
