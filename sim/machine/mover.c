/* Tiles that wait for their values, and a queue from the thread that decides to the one that moves.
 */
#include "sim/machine/mover.h"

#include "base/arena.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#if defined __SSE2__
#include <emmintrin.h>
#endif

/* ---- what waits ---- */

enum {
    WAITING = 4, /* tiles of lanes that take turns */
    RUNS = 8,
    LONG_RUN = 2 << 20 /* bytes written one after another: more than caches keep for long */
};

/* A tile that has not got its value yet: the bytes at `a`, or a OP b. */
typedef struct {
    char *to;
    size_t n;          /* bytes; 0: nothing */
    const char *a, *b; /* b NULL: a load */
    uint8_t op, dtype;
} Later;

/* Copies each of which goes on where the one before it ended. */
typedef struct {
    const char *end;
    size_t n;
} Run;

typedef struct {
    Later later[WAITING];
    unsigned next; /* to be given up when there is no room */
    Run runs[RUNS];
    unsigned next_run;
} Waiting;

static bool meet(const char *a, size_t n, const char *b, size_t m)
{
    return (uintptr_t)a < (uintptr_t)b + m && (uintptr_t)b < (uintptr_t)a + n;
}

static bool within(const char *a, size_t n, const char *b, size_t m)
{
    return (uintptr_t)a >= (uintptr_t)b && (uintptr_t)a + n <= (uintptr_t)b + m;
}

static void compute(const Later *l, char *to)
{
    KernelArgs k = {.to = to, .a = l->a, .b = l->b, .rows = 1};
    k.cols = (int64_t)(l->n / dtype_bytes(l->dtype));
    (void)kernel_bin((TileOp)l->op, (Dtype)l->dtype, &k);
}

static void now(Later *l)
{
    if (l->n && l->b)
        compute(l, l->to);
    else if (l->n)
        memcpy(l->to, l->a, l->n);
    l->n = 0;
}

static void all_now(Waiting *z)
{
    for (int i = 0; i < WAITING; i++)
        now(&z->later[i]);
}

/* Where the bytes at `at` are: there, or in what was to be loaded to there. */
static const char *find(Waiting *z, const char *at, size_t n)
{
    for (int i = 0; i < WAITING; i++) {
        Later *l = &z->later[i];
        if (!l->n || !meet(at, n, l->to, l->n))
            continue;
        if (!l->b && within(at, n, l->to, l->n))
            return l->a + (at - l->to);
        now(l);
    }
    return at;
}

/* Before something is written: what waits for the bytes that are there takes them now. */
static void before_write(Waiting *z, const char *to, size_t n)
{
    for (int i = 0; i < WAITING; i++) {
        Later *l = &z->later[i];
        if (l->n && (meet(to, n, l->a, l->n) || (l->b && meet(to, n, l->b, l->n))))
            now(l);
    }
}

/* What waits for a place in memory that is written as a whole is not needed any more; after
 * operands have been found. */
static void overwrite(Waiting *z, const char *to, size_t n)
{
    for (int i = 0; i < WAITING; i++) {
        Later *l = &z->later[i];
        if (l->n && within(l->to, l->n, to, n))
            l->n = 0;
        else if (l->n && meet(to, n, l->to, l->n))
            now(l);
    }
}

/* Nobody needs these bytes any more. */
static void drop(Waiting *z, const char *at, size_t n)
{
    for (int i = 0; i < WAITING; i++)
        if (within(z->later[i].to, z->later[i].n, at, n))
            z->later[i].n = 0;
}

static void wait_with(Waiting *z, Later later)
{
    Later *l = NULL;
    for (int i = 0; i < WAITING && !l; i++)
        l = z->later[i].n ? NULL : &z->later[i];
    if (!l)
        now(l = &z->later[z->next++ % WAITING]);
    *l = later;
}

void move_past_caches(char *to, const char *from, size_t n)
{
#if defined __SSE2__
    if ((uintptr_t)to % 16 == 0) {
        size_t whole = n / 64 * 64;
        for (size_t i = 0; i < whole; i += 64)
            for (size_t k = i; k < i + 64; k += 16)
                _mm_stream_si128((void *)(to + k), _mm_loadu_si128((const void *)(from + k)));
        _mm_sfence();
        to += whole;
        from += whole;
        n -= whole;
    }
#endif
    memcpy(to, from, n);
}

/* Is this copy part of a long run? */
static bool runs_on(Waiting *z, const char *to, size_t n)
{
    for (int i = 0; i < RUNS; i++) {
        Run *r = &z->runs[i];
        if (r->end != to)
            continue;
        r->end += n;
        r->n += n;
        return r->n >= LONG_RUN;
    }
    z->runs[z->next_run++ % RUNS] = (Run){to + n, n};
    return false;
}

/* A result goes straight to where it is stored, and the tile is what is there. */
static bool store_result(Waiting *z, const Move *move, char *to, size_t n)
{
    const char *from = move->k.a;
    for (int i = 0; i < WAITING; i++) {
        Later l = z->later[i];
        if (!l.b || l.n != n || l.to != from)
            continue;
        if ((to != l.a && meet(to, n, l.a, n)) || (to != l.b && meet(to, n, l.b, n)) ||
            meet(to, n, from, n))
            return false;
        z->later[i].n = 0;
        before_write(z, to, n);
        overwrite(z, to, n);
        compute(&l, to);
        if (!(move->ends & TILE_ENDS_FIRST))
            z->later[i] = (Later){.to = l.to, .n = n, .a = to};
        return true;
    }
    return false;
}

static void copy(Waiting *z, const Move *move)
{
    char *to = move->k.to;
    const char *from = move->k.a;
    size_t n = (size_t)move->k.cols;
    if (store_result(z, move, to, n))
        return;
    before_write(z, to, n);
    from = find(z, from, n);
    if (move->ends & TILE_ENDS_FIRST)
        drop(z, move->k.a, n);
    overwrite(z, to, n);
    if (to == from)
        return;
    if (meet(to, n, from, n))
        memmove(to, from, n);
    else if (move->kind == MOVE_LOAD)
        wait_with(z, (Later){.to = to, .n = n, .a = from});
    else if (move->kind == MOVE_STREAM || (from != move->k.a && runs_on(z, to, n)))
        move_past_caches(to, from, n);
    else
        memcpy(to, from, n);
}

static void binary(Waiting *z, const Move *move)
{
    char *to = move->k.to;
    size_t n = (size_t)move->k.cols * dtype_bytes(move->dtype);
    before_write(z, to, n);
    const char *a = find(z, move->k.a, n), *b = find(z, move->k.b, n);
    if (move->ends & TILE_ENDS_FIRST)
        drop(z, move->k.a, n);
    if (move->ends & TILE_ENDS_SECOND)
        drop(z, move->k.b, n);
    overwrite(z, to, n);
    wait_with(z, (Later){to, n, a, b, move->op, move->dtype});
}

static void perform(Waiting *z, const Move *move)
{
    if (move->kind == MOVE_BIN)
        binary(z, move);
    else
        copy(z, move);
}

/* ---- the other thread ---- */

enum {
    QUEUE = 256,    /* moves, a power of two */
    PAYS = 1 << 20, /* bytes to move before a thread is started */
    SPINS = 2000,   /* looks at the queue before going to sleep */
    FEW = 8,
    MANY = 64,
    LONG = 4096, /* moves done alone where the other thread does not get on */
    CACHE_LINE = 64
};

struct Mover {
    Waiting waiting;
    unsigned threads;
    int64_t moved; /* until there is a thread */
    bool started;
    unsigned since, few; /* moves since it was settled; times that they were few, up to FEW */
    bool tiles;          /* loads or sums have been pushed since it was settled */
    unsigned alone; /* moves that this thread does itself, the other one having nothing to do */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    Move queue[QUEUE];
    char apart[3][CACHE_LINE]; /* what two threads write lies on lines of its own */
    atomic_uint pushed;
    char apart_from_pushed[CACHE_LINE];
    atomic_uint taken;   /* moves whose places in the queue are free */
    atomic_uint settled; /* moves after which nothing was waiting */
    atomic_bool sleeps;
    char apart_from_taken[CACHE_LINE];
    atomic_bool ends;
};

static void pause_a_little(unsigned *looks)
{
    if (++*looks > SPINS / 10)
        sched_yield();
#if defined __SSE2__
    else
        _mm_pause();
#endif
}

static void sleep_until_pushed(Mover *m, unsigned at)
{
    pthread_mutex_lock(&m->lock);
    atomic_store(&m->sleeps, true);
    while (atomic_load(&m->pushed) == at && !atomic_load(&m->ends))
        pthread_cond_wait(&m->wake, &m->lock);
    atomic_store(&m->sleeps, false);
    pthread_mutex_unlock(&m->lock);
}

/* False when the mover ends. */
static bool wait_for_move(Mover *m, unsigned at)
{
    for (unsigned looks = 0; atomic_load_explicit(&m->pushed, memory_order_acquire) == at;
         looks++) {
        if (atomic_load(&m->ends))
            return false;
        if (looks == 0) { /* nobody is ahead: then somebody may be waiting */
            all_now(&m->waiting);
            atomic_store_explicit(&m->settled, at, memory_order_release);
        }
        if (looks > SPINS) {
            sleep_until_pushed(m, at);
            looks = 0;
        }
#if defined __SSE2__
        _mm_pause();
#endif
    }
    return true;
}

static void *work(void *mover)
{
    Mover *m = mover;
    for (unsigned at = 0; wait_for_move(m, at);) {
        perform(&m->waiting, &m->queue[at % QUEUE]);
        atomic_store_explicit(&m->taken, ++at, memory_order_release);
    }
    return NULL;
}

static void wake(Mover *m)
{
    if (!atomic_load(&m->sleeps))
        return;
    pthread_mutex_lock(&m->lock);
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->lock);
}

/* False: there is no room, and the other thread is not running. */
static bool push(Mover *m, const Move *move)
{
    unsigned at = atomic_load_explicit(&m->pushed, memory_order_relaxed), looks = 0;
    while (at - atomic_load_explicit(&m->taken, memory_order_acquire) == QUEUE) {
        pause_a_little(&looks);
        if (looks > SPINS)
            return false;
    }
    m->queue[at % QUEUE] = *move;
    m->tiles |= move->kind == MOVE_LOAD || move->kind == MOVE_BIN;
    atomic_store(&m->pushed, at + 1);
    wake(m);
    return true;
}

static void wait_until_settled(Mover *m)
{
    unsigned at = atomic_load_explicit(&m->pushed, memory_order_relaxed), looks = 0;
    while (atomic_load_explicit(&m->settled, memory_order_acquire) != at)
        pause_a_little(&looks);
    m->tiles = false;
}

/* A copy past the caches is bound by memory, of which a thread alone gets a part: this one does it
 * where the other one has enough to do, and nothing that it has bytes in common with. */
static bool copies_itself(const Mover *m, const Move *move)
{
    enum { ENOUGH = 2, MOST = 64 };
    const char *to = move->k.to, *from = move->k.a;
    size_t n = (size_t)move->k.cols;
    unsigned end = atomic_load_explicit(&m->pushed, memory_order_relaxed);
    unsigned at = atomic_load_explicit(&m->taken, memory_order_acquire);
    if (move->kind != MOVE_STREAM || m->tiles || meet(to, n, from, n) || end - at < ENOUGH ||
        end - at > MOST)
        return false;
    for (; at != end; at++) {
        const KernelArgs *k = &m->queue[at % QUEUE].k;
        size_t len = (size_t)k->cols;
        if (meet(to, n, k->to, len) || meet(to, n, k->a, len) || meet(from, n, k->to, len))
            return false;
    }
    return true;
}

/* ---- from outside ---- */

Mover *mover_new(unsigned threads)
{
    Mover *m = xcalloc(1, sizeof *m);
    m->threads = threads;
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->wake, NULL);
    return m;
}

static void start(Mover *m)
{
    all_now(&m->waiting); /* as `settled` says */
    m->started = pthread_create(&m->thread, NULL, work, m) == 0;
    m->threads = m->started ? m->threads : 1;
}

void mover_do(Mover *m, const Move *move)
{
    m->since++;
    if (m->started && !m->alone) {
        if (copies_itself(m, move)) {
            move_past_caches(move->k.to, move->k.a, (size_t)move->k.cols);
            return;
        }
        if (push(m, move))
            return;
        wait_until_settled(m);
        m->alone = LONG;
    }
    perform(&m->waiting, move);
    if (m->alone && --m->alone == 0)
        all_now(&m->waiting);
    m->moved += move->k.cols;
    if (!m->started && m->threads > 1 && m->moved >= PAYS)
        start(m);
}

/* What is settled after a few moves would have been done sooner by this thread: it does so until
 * there are many again. */
void mover_settle(Mover *m)
{
    if (m->since == 0)
        return;
    m->few = m->since >= MANY ? 0 : m->since < FEW && m->few < FEW ? m->few + 1 : m->few;
    m->since = 0;
    if (m->started && !m->alone)
        wait_until_settled(m);
    else
        all_now(&m->waiting);
    if (m->started && m->few == FEW && m->alone < MANY)
        m->alone = MANY;
}

void mover_stop(Mover *m)
{
    mover_settle(m);
    if (!m->started)
        return;
    atomic_store(&m->ends, true);
    wake(m);
    pthread_join(m->thread, NULL);
    m->started = false;
    m->threads = 1;
}

void mover_free(Mover *m)
{
    if (!m)
        return;
    mover_stop(m);
    pthread_mutex_destroy(&m->lock);
    pthread_cond_destroy(&m->wake);
    xfree(m);
}
