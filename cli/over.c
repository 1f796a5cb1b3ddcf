#include "cli/over.h"

#include "base/crc32.h"
#include "base/file.h"
#include "base/terminal.h"
#include "sim/processes/files.h"
#include "sim/processes/spread.h"
#include "sim/processes/transport_open.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TOOL "pldrun"
#define MAX_STDIN ((size_t)1 << 30)

/* One process has one transport. */
static const PldTransport *started;
static int real_stderr = -1; /* of a process that was silenced */
static const World *running;

/* ---- words of a silent process ---- */

static FILE *loud(void)
{
    FILE *f = real_stderr >= 0 ? fdopen(dup(real_stderr), "w") : stderr;
    return f ? f : stderr;
}

static void speak(const char *kind, const char *text)
{
    FILE *f = loud();
    terminal_line(f, TOOL ": %s: process %u: %s", kind, started ? started->rank() : 0, text);
    if (f != stderr)
        fclose(f);
}

static void say_stalled(const char *text)
{
    speak("note", text);
}

/* Who was at work when the transport failed. */
static void say_place(Buf *out)
{
    if (!running)
        return;
    for (uint32_t i = 0; i < running->n_ranks; i++)
        for (uint32_t k = 0; world_is_mine(running, i) && k < running->ranks[i].n_lanes; k++) {
            const Lane *lane = &running->ranks[i].lanes[k];
            if (lane->frames.len == 0)
                continue;
            buf_printf(out, ", rank %u at ", i);
            place_text(running, out, lane_place(lane));
            return;
        }
}

static void transport_failed(const char *operation, const char *error)
{
    Buf text = {0};
    buf_printf(&text, "%s: %s", operation, error);
    say_place(&text);
    speak("error", text.at);
    buf_free(&text);
    files_abandon();
    over_abort(EXIT_INTERNAL);
}

void over_abort(int status)
{
    if (started)
        started->abort(status);
}

static void send_to(int target, int fd)
{
    fflush(target == STDOUT_FILENO ? stdout : stderr);
    if (fd >= 0)
        (void)dup2(fd, target);
}

static void silence(Over *over)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    real_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    over->captured = memfd_create("pld-stderr", MFD_CLOEXEC);
    send_to(STDOUT_FILENO, null);
    send_to(STDERR_FILENO, over->captured >= 0 ? over->captured : null);
    if (null >= 0)
        close(null);
}

/* The launcher ends this process, because another one has ended or somebody wants it. */
static void ended(int sig)
{
    files_abandon();
    (void)signal(sig, SIG_DFL);
    (void)raise(sig);
}

static void watch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction a = {.sa_handler = ended};
    sigemptyset(&a.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &a, NULL);
}

/* ---- start ---- */

/* Every process gets the first one's standard input. */
static int share_stdin(Over *over)
{
    const PldTransport *t = over->transport;
    Buf text = {0};
    char *why = NULL;
    int64_t len = -1;
    if (t->rank() == 0 && file_read("-", &text, MAX_STDIN, &why))
        len = (int64_t)text.len;
    t->broadcast(&len, sizeof len, 0);
    if (why)
        (void)usage_error(TOOL, "%s", why);
    xfree(why);
    if (len < 0)
        return STATUS_USAGE;
    char *bytes = xmalloc((size_t)len + 1);
    if (text.len)
        memcpy(bytes, text.at, text.len);
    buf_free(&text);
    t->broadcast(bytes, (size_t)len, 0);
    int fd = memfd_create("pld-stdin", MFD_CLOEXEC);
    bool ok = fd >= 0;
    for (int64_t at = 0, n; ok && at < len; at += n)
        ok = (n = write(fd, bytes + at, (size_t)(len - at))) > 0;
    ok = ok && lseek(fd, 0, SEEK_SET) == 0 && dup2(fd, STDIN_FILENO) >= 0;
    xfree(bytes);
    if (fd >= 0)
        close(fd);
    if (!ok)
        speak("error", "cannot keep standard input");
    return ok ? STATUS_OK : STATUS_USAGE;
}

int over_begin(Over *over, RunOptions *o)
{
    static const PldTransportUser user = {.failed = transport_failed};
    const char *why = NULL;
    *over = (Over){.captured = -1};
    const PldTransport *t = transport_open(&o->arena, o->plugin, &why);
    if (!t)
        return usage_error(TOOL, "--fabric=mpi: %s", why);
    started = t;
    why = t->start(&user);
    if (why) {
        started = NULL;
        return usage_error(TOOL, "--fabric=mpi: %s: %s", t->name, why);
    }
    if (transport_is_lost(&o->arena, t, &why)) {
        (void)usage_error(TOOL, "--fabric=mpi: %s", why);
        t->stop();
        started = NULL;
        return STATUS_USAGE;
    }
    over->transport = t;
    if (t->rank() != 0)
        silence(over);
    else
        watch_signals();
    if (t->rank() == 0 && !o->checks_said && !o->quiet)
        terminal_line(stderr, "note: over processes --check=races,uninit,signals is off unless it "
                              "is asked for: only own memory is checked");
    return strcmp(o->path, "-") == 0 ? share_stdin(over) : STATUS_OK;
}

/* What a silent process has printed, when the first one has met no error. */
static void show_captured(const Over *over)
{
    char line[4096];
    if (over->captured < 0)
        return;
    fflush(stderr);
    ssize_t n = pread(over->captured, line, sizeof line - 1, 0);
    if (n <= 0)
        return;
    line[n] = 0;
    FILE *f = loud();
    terminal_line(f, TOOL ": error: process %u:", started->rank());
    terminal_text(f, line, (size_t)n);
    if (f != stderr)
        fclose(f);
}

static uint64_t options_hash(const RunOptions *o)
{
    const RunConfig *c = &o->set.run;
    uint64_t hash = hash64(0, c->command, strlen(c->command));
    return hash64(hash, c->devices, c->n_devices * sizeof *c->devices);
}

static uint32_t differs(const Over *over, uint64_t hash)
{
    uint64_t *all = xcalloc(over->transport->size(), sizeof *all);
    over->transport->gather(&hash, sizeof hash, all);
    uint32_t i = 0;
    while (i < over->transport->size() && all[i] == all[0])
        i++;
    xfree(all);
    return i == over->transport->size() ? UINT32_MAX : i;
}

int over_loaded(Over *over, RunOptions *o, const BcProgram *program, int status)
{
    const PldTransport *t = over->transport;
    int64_t first = status, worst = status;
    t->broadcast(&first, sizeof first, 0);
    t->reduce(&worst, 1, PLD_MAX);
    if (worst != STATUS_OK) {
        if (first == STATUS_OK && status != STATUS_OK)
            show_captured(over);
        return (int)worst;
    }
    uint32_t other = differs(over, program->hash);
    if (other != UINT32_MAX)
        return usage_error(TOOL, "process %u has another program than process 0: %s", other,
                           o->path);
    other = differs(over, options_hash(o));
    if (other != UINT32_MAX)
        return usage_error(TOOL, "process %u has other options than process 0", other);
    if (t->rank() != 0)
        send_to(STDERR_FILENO, open("/dev/null", O_WRONLY | O_CLOEXEC));
    return STATUS_OK;
}

/* ---- run ---- */

int over_run(Over *over, const RunOptions *o, const BcProgram *program, RunResult *result,
             World **keep)
{
    Team *t = team_new(over->transport, o->set.run.n_devices, o->cyclic ? MAP_CYCLIC : MAP_BLOCK,
                       !o->no_shared);
    over->team = t;
    t->stall = o->stall;
    t->say = say_stalled;
    t->running = &running;
    t->printed = o->prints.at;
    t->n_printed = o->prints.len;
    return spread_run(program, &o->set.run, result, t, keep);
}

bool over_speaks(const Over *over)
{
    return !over->transport || over->transport->rank() == 0;
}

void over_end(Over *over)
{
    running = NULL;
    if (over->team)
        team_free(over->team);
    if (over->transport)
        over->transport->stop();
    started = NULL;
}
