/* A state is an array of bytes, so that equal states are found by hash. Writes that have landed
 * stand in a list until every rank has acquired them: what a rank sees of a place is the last
 * value that it has acquired, or the value left by its own last landing if that came later, with
 * its own pending writes on top. */
#include "tests/memmodel.h"

#include "base/buf.h"
#include "base/crc32.h"
#include "base/map.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_PENDING = 12, MAX_LOG = 24 };

typedef struct {
    uint8_t rank, at, n; /* places at .. at + n - 1 */
    uint8_t add;
    int8_t value, pad[3];
} Put;

/* A change of one place. */
typedef struct {
    uint8_t from, rank, at, joined; /* joined: the same landing as the change before it */
    int32_t value;                  /* after it */
} Change;

typedef struct {
    int32_t y[MM_RANKS][MM_SLOTS];
    int32_t cells[MM_RANKS][MM_CELLS];
    int32_t base[MM_RANKS][MM_PLACES]; /* before the list */
    Change log[MAX_LOG];
    Put pending[MM_RANKS][MAX_PENDING];
    uint8_t n_pending[MM_RANKS], n_log, seen[MM_RANKS]; /* changes of the list acquired */
    uint8_t pc[MM_RANKS * MM_CORES], round[MM_RANKS], ended[MM_RANKS * MM_CORES];
} State;

typedef struct {
    const MmProgram *p;
    bool weak, full;
    uint64_t limit;
    VEC(State) stack;
    Map seen, lines_seen;
    MmOutcomes *out;
    VEC(const char *) lines;
} Model;

/* ---- memory ---- */

static int32_t *newest(State *s, uint32_t rank, uint32_t at)
{
    for (uint32_t i = s->n_log; i-- > 0;)
        if (s->log[i].rank == rank && s->log[i].at == at)
            return &s->log[i].value;
    return &s->base[rank][at];
}

static int32_t view(State *s, uint32_t self, uint32_t rank, uint32_t at)
{
    int32_t v = s->base[rank][at];
    for (uint32_t i = 0; i < s->n_log; i++)
        if (s->log[i].rank == rank && s->log[i].at == at &&
            (i < s->seen[self] || s->log[i].from == self))
            v = s->log[i].value;
    for (uint32_t i = 0; i < s->n_pending[self]; i++) {
        const Put *p = &s->pending[self][i];
        if (p->rank == rank && at >= p->at && at < p->at + p->n)
            v = p->add ? v + p->value : p->value;
    }
    return v;
}

static void trim(const Model *m, State *s)
{
    uint32_t least = s->n_log;
    for (uint32_t r = 0; r < m->p->ranks; r++)
        least = s->seen[r] < least ? s->seen[r] : least;
    for (uint32_t i = 0; i < least; i++)
        s->base[s->log[i].rank][s->log[i].at] = s->log[i].value;
    memmove(s->log, s->log + least, (s->n_log - least) * sizeof *s->log);
    memset(s->log + s->n_log - least, 0, least * sizeof *s->log);
    s->n_log = (uint8_t)(s->n_log - least);
    for (uint32_t r = 0; r < m->p->ranks; r++)
        s->seen[r] = (uint8_t)(s->seen[r] - least);
}

static void acquire(const Model *m, State *s, uint32_t rank)
{
    s->seen[rank] = s->n_log;
    trim(m, s);
}

static void land(Model *m, State *s, uint32_t from, uint32_t i)
{
    Put p = s->pending[from][i];
    for (uint32_t k = 0; k < p.n; k++) {
        int32_t old = *newest(s, p.rank, p.at + k);
        if (s->n_log == MAX_LOG) {
            m->full = true;
            return;
        }
        s->log[s->n_log++] = (Change){(uint8_t)from, p.rank, (uint8_t)(p.at + k), k > 0,
                                      p.add ? old + p.value : p.value};
    }
    uint32_t n = --s->n_pending[from];
    memmove(s->pending[from] + i, s->pending[from] + i + 1, (n - i) * sizeof p);
    memset(s->pending[from] + n, 0, sizeof p);
    if (!m->weak)
        for (uint32_t r = 0; r < m->p->ranks; r++)
            acquire(m, s, r);
}

static void release(Model *m, State *s, uint32_t rank)
{
    while (s->n_pending[rank] && !m->full)
        land(m, s, rank, 0);
}

/* ---- lanes ---- */

static const MmOp *next_op(const Model *m, const State *s, uint32_t lane)
{
    static const MmOp end = {0};
    return s->pc[lane] < MM_OPS ? &m->p->ops[lane][s->pc[lane]] : &end;
}

static bool enabled(const Model *m, const State *s, uint32_t lane)
{
    const MmOp *o = next_op(m, s, lane);
    uint32_t rank = lane / m->p->cores;
    if (s->ended[lane])
        return false;
    if (o->kind == MM_WAIT_GE)
        return s->cells[rank][o->at] >= o->value;
    return o->kind != MM_WAIT_EQ || s->cells[rank][o->at] == o->value;
}

static void put(Model *m, State *s, uint32_t rank, const MmOp *o)
{
    if (s->n_pending[rank] == MAX_PENDING) {
        m->full = true;
        return;
    }
    s->pending[rank][s->n_pending[rank]++] = (Put){.rank = o->rank,
                                                   .at = o->at,
                                                   .n = o->kind == MM_STORE_PAIR ? 2 : 1,
                                                   .add = o->kind == MM_ADD,
                                                   .value = o->value};
    if (!m->weak)
        release(m, s, rank);
}

/* The last lane of a dispatch releases; the next dispatch begins with an acquire. */
static void end_lane(Model *m, State *s, uint32_t lane)
{
    uint32_t rank = lane / m->p->cores, first = rank * m->p->cores;
    s->ended[lane] = 1;
    for (uint32_t c = 0; c < m->p->cores; c++)
        if (!s->ended[first + c])
            return;
    release(m, s, rank);
    if (++s->round[rank] == m->p->times)
        return;
    acquire(m, s, rank);
    for (uint32_t c = 0; c < m->p->cores; c++)
        s->ended[first + c] = s->pc[first + c] = 0;
}

static void run_op(Model *m, State *s, uint32_t lane)
{
    const MmOp *o = next_op(m, s, lane);
    uint32_t rank = lane / m->p->cores;
    s->pc[lane]++;
    switch ((MmKind)o->kind) {
    case MM_END:
        s->pc[lane]--;
        end_lane(m, s, lane);
        break;
    case MM_STORE:
    case MM_STORE_PAIR:
    case MM_ADD: put(m, s, rank, o); break;
    case MM_READ: s->y[rank][o->slot] = view(s, rank, rank, o->at); break;
    case MM_LOAD:
        for (int i = 4; i < MM_SLOTS; i++)
            s->y[rank][i] = view(s, rank, o->rank, o->at);
        break;
    case MM_NOTIFY: s->cells[o->rank][o->at] += o->value; break;
    case MM_SET: s->cells[o->rank][o->at] = o->value; break;
    case MM_POLL: s->y[rank][o->slot] = s->cells[rank][o->at]; break;
    case MM_RELEASE: release(m, s, rank); break;
    case MM_ACQUIRE: acquire(m, s, rank); break;
    case MM_WAIT_GE:
    case MM_WAIT_EQ: break;
    }
}

/* ---- search ---- */

static void push(Model *m, const State *s)
{
    uint64_t a = hash64(HASH64_INIT, s, sizeof *s);
    if (map_get(&m->seen, a, NULL))
        return;
    map_set(&m->seen, a, 1);
    m->full |= m->seen.len > m->limit;
    vec_push(&m->stack, *s);
}

static void note(Model *m, const State *s)
{
    Buf text = {0};
    bool done = true;
    for (uint32_t l = 0; l < m->p->ranks * m->p->cores; l++)
        done &= s->ended[l] != 0;
    buf_str(&text, done ? "y=[" : "deadlock");
    for (uint32_t i = 0; i < m->p->ranks * MM_SLOTS && done; i++)
        buf_printf(&text, "%s%d", i ? " " : "", s->y[i / MM_SLOTS][i % MM_SLOTS]);
    buf_str(&text, done ? "]" : "");
    uint64_t hash = hash64(HASH64_INIT, text.at, text.len);
    if (!map_get(&m->lines_seen, hash, NULL)) {
        map_set(&m->lines_seen, hash, 1);
        vec_push(&m->lines, arena_strndup(&m->out->arena, text.at, text.len));
    }
    buf_free(&text);
}

/* Landings and refreshes that nobody waits for. */
static void expand_memory(Model *m, const State *s)
{
    for (uint32_t r = 0; r < m->p->ranks; r++) {
        for (uint32_t i = 0; i < s->n_pending[r]; i++) {
            bool first = true;
            for (uint32_t k = 0; k < i; k++)
                first &= s->pending[r][k].rank != s->pending[r][i].rank;
            if (!first)
                continue;
            State t = *s;
            land(m, &t, r, i);
            push(m, &t);
        }
        if (s->seen[r] < s->n_log) {
            State t = *s;
            acquire(m, &t, r);
            push(m, &t);
        }
    }
}

static void expand(Model *m, const State *s)
{
    bool moves = false;
    for (uint32_t l = 0; l < m->p->ranks * m->p->cores; l++) {
        if (!enabled(m, s, l))
            continue;
        State t = *s;
        run_op(m, &t, l);
        push(m, &t);
        moves = true;
    }
    if (!moves)
        note(m, s);
    else if (m->weak)
        expand_memory(m, s);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool mm_outcomes(const MmProgram *p, bool weak, uint64_t limit, MmOutcomes *out)
{
    Model m = {.p = p, .weak = weak, .limit = limit, .out = out};
    State start;
    memset(&start, 0, sizeof start);
    push(&m, &start);
    while (m.stack.len && !m.full) {
        State s = vec_pop(&m.stack);
        expand(&m, &s);
    }
    out->n = m.lines.len;
    out->states = m.seen.len;
    out->lines = arena_array(&out->arena, out->n + 1, sizeof *out->lines);
    for (uint32_t i = 0; i < out->n; i++)
        out->lines[i] = m.lines.at[i];
    qsort(out->lines, out->n, sizeof *out->lines, by_text);
    vec_free(&m.stack);
    vec_free(&m.lines);
    map_free(&m.seen);
    map_free(&m.lines_seen);
    return !m.full;
}

void mm_free(MmOutcomes *out)
{
    arena_free(&out->arena);
    memset(out, 0, sizeof *out);
}

/* ---- bytecode ---- */

typedef struct {
    BcInsn *code;
    uint32_t n;
} Code;

static void emit(Code *c, BcInsn in)
{
    c->code[c->n++] = in;
}

static void set(Code *c, uint16_t reg, int32_t value)
{
    emit(c, (BcInsn){BC_LDI, reg, 0, 0, 0, 0, value});
}

/* Registers 2, 3: offsets in data or signal; 4: peer; 5: value; 6, 7: offsets in y; 8: what was
 * read. Tiles 0 and 4 are a row and half a row. */
static void emit_op(Code *c, const MmOp *o)
{
    bool cell = o->kind >= MM_NOTIFY && o->kind <= MM_POLL;
    uint16_t tile = o->kind == MM_STORE_PAIR ? 0 : 4;
    set(c, 2, cell ? o->at : o->at / 2);
    set(c, 3, cell ? 0 : o->at % 2 * 4);
    set(c, 4, o->rank);
    set(c, 5, o->value);
    set(c, 7, o->slot);
    switch ((MmKind)o->kind) {
    case MM_END: break;
    case MM_STORE:
    case MM_STORE_PAIR:
    case MM_ADD:
        emit(c, (BcInsn){BC_TFULL, tile, 0, 0, 0, 0, 2 + o->value});
        emit(c,
             (BcInsn){BC_RSTORE, tile, 2, 4, 2, 2, o->kind == MM_ADD ? ATOMIC_ADD : ATOMIC_NONE});
        break;
    case MM_READ:
    case MM_POLL:
        emit(c, (BcInsn){BC_READ, 8, o->kind == MM_READ ? 2 : 3, 2, 2, 0, 0});
        emit(c, (BcInsn){BC_WRITE, 1, 6, 2, 8, DT_INT32, 0});
        break;
    case MM_LOAD:
        emit(c, (BcInsn){BC_RLOAD, 4, 2, 4, 2, BC_NONE, 2});
        set(c, 7, 4);
        emit(c, (BcInsn){BC_STORE, 4, 1, 6, 2, 0, 0});
        break;
    case MM_NOTIFY: emit(c, (BcInsn){BC_NOTIFY, 3, 4, 2, 2, 5, NOTIFY_ATOMIC_ADD}); break;
    case MM_SET: emit(c, (BcInsn){BC_NOTIFY, 3, 4, 2, 2, 5, NOTIFY_SET}); break;
    case MM_WAIT_GE: emit(c, (BcInsn){BC_WAIT, 3, 2, 2, 5, 0, WAIT_GE}); break;
    case MM_WAIT_EQ: emit(c, (BcInsn){BC_WAIT, 3, 2, 2, 5, 0, WAIT_EQ}); break;
    case MM_RELEASE: emit(c, (BcInsn){BC_FENCE, 0, 0, 0, 0, 0, FENCE_RELEASE}); break;
    case MM_ACQUIRE: emit(c, (BcInsn){BC_FENCE, 0, 0, 0, 0, 0, FENCE_ACQUIRE}); break;
    }
}

uint32_t mm_kernel(const MmProgram *p, BcInsn *code)
{
    Code c = {.code = code};
    set(&c, 6, 0);
    emit(&c, (BcInsn){BC_RANK, 9, 2, 0, 0, 0, 0});
    set(&c, 10, (int32_t)p->cores);
    emit(&c, (BcInsn){BC_BIN, 9, 9, 10, DT_INT32, 0, SC_MUL});
    emit(&c, (BcInsn){BC_CORE, 10, 0, 0, 0, 0, 0});
    emit(&c, (BcInsn){BC_BIN, 9, 9, 10, DT_INT32, 0, SC_ADD});
    for (uint32_t l = 0; l < p->ranks * p->cores; l++) {
        set(&c, 10, (int32_t)l);
        emit(&c, (BcInsn){BC_BIN, 10, 9, 10, DT_INT32, 0, SC_SUB});
        uint32_t jump = c.n;
        emit(&c, (BcInsn){BC_JNZ, 10, 0, 0, 0, 0, 0});
        for (uint32_t i = 0; i < MM_OPS && p->ops[l][i].kind != MM_END; i++)
            emit_op(&c, &p->ops[l][i]);
        emit(&c, (BcInsn){BC_RET, 0, 0, 0, 0, 0, 0});
        code[jump].imm = (int32_t)c.n;
    }
    emit(&c, (BcInsn){BC_RET, 0, 0, 0, 0, 0, 0});
    return c.n;
}

void mm_print(const MmProgram *p, Buf *out)
{
    static const char *const names[] = {
        "",    "store",  "pair",   "add",  "read",    "load",   "notify",
        "set", "wait>=", "wait==", "poll", "release", "acquire"};
    buf_printf(out, "%u ranks, %u cores, %u times\n", p->ranks, p->cores, p->times);
    for (uint32_t l = 0; l < p->ranks * p->cores; l++) {
        buf_printf(out, "  lane %u:", l);
        for (uint32_t i = 0; i < MM_OPS && p->ops[l][i].kind != MM_END; i++) {
            const MmOp *o = &p->ops[l][i];
            buf_printf(out, " %s(r%u @%u v%d s%u)", names[o->kind], o->rank, o->at, o->value,
                       o->slot);
        }
        buf_char(out, '\n');
    }
}
