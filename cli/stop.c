#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static double end;
static volatile sig_atomic_t signalled;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void stop_after(double seconds)
{
    end = seconds > 0 ? now() + seconds : 0;
}

static void note(int sig)
{
    signalled = sig;
}

void stop_on_signals(void)
{
    struct sigaction a = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

const char *stop_reason(void *env)
{
    (void)env;
    if (signalled)
        return "interrupted";
    return end > 0 && now() >= end ? "time limit" : NULL;
}
