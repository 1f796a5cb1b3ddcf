/* What happened in a run, kept for the trace and the timeline: an observer that remembers. */
#ifndef PLD_SIM_REPORT_RECORD_H
#define PLD_SIM_REPORT_RECORD_H

#include "sim/machine/world.h"

typedef struct {
    uint8_t kind;  /* EventKind */
    uint8_t op;    /* NotifyOp, WaitCmp, TileOp, ... */
    uint16_t insn; /* BcOp */
    uint16_t core;
    bool tensor;
    uint32_t rank, dispatch, func, pc;
    uint32_t target;       /* rank whose memory it is */
    uint32_t window;       /* or region, of `tensor` */
    int64_t offset, bytes; /* of the memory */
    int32_t value, after;  /* NOTIFY: operand. WAIT: expected, value of the cell */
    int64_t begin, end;    /* ps */
    int64_t arrive; /* ps: NOTIFY, remote writes: at the other end. WAIT: of what satisfied it */
    uint32_t link;  /* WAIT: index of the notify that satisfied it. Reads: index of the remote
                       write whose first reader it is. UINT32_MAX: none */
} Record;

/* How a rank ended, for runs that did not. */
typedef struct {
    uint32_t rank, core;
    const char *state; /* "blocked", "faulted", "ready" */
    CodePlace at;
    int64_t since; /* ps */
    uint32_t window;
    int64_t cell; /* element of the signal */
    int32_t value, expected;
    uint8_t cmp;
} LastState;

typedef struct {
    Observer observer; /* first: it is one */
    VEC(Record) at;
    VEC(LastState) last;  /* lanes that were not done at the end */
    int64_t end_ps;       /* of the run */
    bool finished;        /* every lane was done */
    bool truncated;       /* more happened than is kept */
    Map notifies;         /* seq of a notify -> its index */
    VEC(uint32_t) writes; /* remote writes that nobody has read yet */
} Recorder;

/* Beyond RECORD_MANY the scalar work between operations is not kept: it is what is between them. */
enum { RECORD_MANY = 1000000, RECORD_MAX = 10000000 };

/* Put it into RunConfig.observers as &r->observer. */
void record_init(Recorder *r);
void record_free(Recorder *r);

/* Kinds as people see them; colours and categories go by these. */
typedef enum {
    SHOW_COMPUTE,
    SHOW_MEMORY,
    SHOW_REMOTE, /* data from or to another rank */
    SHOW_NOTIFY,
    SHOW_WAIT,
    SHOW_START, /* of a dispatch */
    SHOW_COUNT
} ShowKind;
const char *show_name(ShowKind k); /* "compute" */
/* The kind of an operation; SHOW_COUNT for records that are none (begin and end marks). */
ShowKind record_kind(const Record *r);
/* Where it stands in the program. */
static inline CodePlace record_place(const Record *r)
{
    return (CodePlace){r->rank, r->core, r->dispatch, r->func, r->pc, 0, 0};
}
/* "remote_load", "wait", "add", "scalar". */
const char *record_name(const Record *r);
/* Moves data between ranks; who gets it. */
bool record_is_traffic(const Record *r);
uint32_t record_receiver(const Record *r);
/* Appends what an operation is about: "4096 bytes of data on rank 2", "signal[3] of rank 1 += 1".
 */
void record_describe(const World *w, const Record *r, Buf *out);
/* The same of a state at the end: "blocked: signal[3] is 0, wants >= 1". */
void last_describe(const World *w, const LastState *s, Buf *out);
/* "1.234567": picoseconds as microseconds. */
void record_us(Buf *out, int64_t ps);

#endif
