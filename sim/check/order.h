/* Certain order: what comes before what in every schedule of a program, found out from one run.
 *
 * While the run goes on its events are written down (order_log.c): what lanes do to signal cells,
 * the beginnings and ends of dispatches, and the accesses of windows. At the end the order is
 * solved (order_solve.c) and the run is followed again in an order that depends on nothing but it
 * (order_replay.c): conflicting accesses that it leaves open are races (race.c), and cells are
 * judged by what decides their waits and reads (cell_judge.c). pld-memory(7) states the rules and
 * proves them.
 *
 * A thread is a lane. Its events are numbered from 1; a clock's entry for a thread is the number of
 * its last event known. An access between events p and p + 1 has the epoch p + 1: whoever knows
 * that event knows the access. */
#ifndef PLD_SIM_CHECK_ORDER_H
#define PLD_SIM_CHECK_ORDER_H

#include "base/map.h"
#include "sim/check/ranges.h"
#include "sim/check/vclock.h"
#include "sim/machine/cell_pages.h"
#include "sim/machine/world.h"

typedef enum {
    OE_BEGIN,  /* of a lane in dispatch `cell` */
    OE_END,    /* of it */
    OE_NOTIFY, /* an update of a cell: op is the NotifyOp */
    OE_PLAIN,  /* another one: a store or remote store over it; value is what it left */
    OE_WAIT,
    OE_STUCK, /* a wait that was not satisfied when the run ended; last of its thread */
    OE_READ,  /* of a cell's value */
    OE_FENCE, /* weak memory: op is the FenceKind */
    OE_START, /* a job's lane begins where whoever posted token `cell` stood: value is the block, as
                 in CodePlace, and next the dispatch */
    OE_POST,  /* of token `cell`, which value lanes will take, 0: one */
    OE_TAKE,  /* of token `cell`, after value posts */
    /* one for each peer, at once (order_rounds.c); `cell` is an index in OrderCheck.rounds */
    OE_NOTIFIES, /* round `value`: 1 is added */
    OE_WAITS,    /* for round `value` */
    OE_LOWERS    /* own cells: `value` is added */
} OrderKind;

typedef struct {
    uint32_t thread, pos;
    uint32_t cell;    /* index in OrderCheck.cells; BEGIN, END: the dispatch */
    uint32_t next;    /* event of the cell; 0: none */
    uint32_t follows; /* event of the thread; 0: none */
    uint32_t func, pc;
    int32_t value; /* operand, or expected */
    uint32_t snap; /* what its thread knew when it came to it, where that is kept; 0: not */
    uint32_t wait; /* WAIT, STUCK of a CELL_SHARED cell: from 1, in OrderCheck.waits */
    uint8_t kind, op;
    uint16_t insn;
} OrderEvent;

/* Why a cell needs more than the rule for one sender and one waiting lane. */
enum {
    CELL_SENDERS = 1,  /* several lanes add, apart from the waiting one */
    CELL_WAITERS = 2,  /* several lanes wait, or another lane of the rank adds */
    CELL_SET = 4,      /* Set */
    CELL_PLAIN = 8,    /* stored to */
    CELL_LOWERED = 16, /* by somebody else than its rank */
    CELL_EQ = 32,
    CELL_READ = 64,
    CELL_STALE = 128,              /* a wait for what an earlier wait had reached */
    CELL_SHARED = 255 - CELL_READ, /* its waits need order_solve.c */
    /* A wait of it may miss what it waits for. */
    CELL_MISSED = CELL_EQ | CELL_SET | CELL_PLAIN | CELL_LOWERED | CELL_WAITERS
};

typedef struct {
    FabAddr at;
    uint32_t first, last;    /* events */
    uint32_t sender, waiter; /* threads, from 1; 0: none */
    uint32_t flags;
    bool waited;      /* `reached` is set */
    int32_t start;    /* value before the first event */
    int64_t own;      /* what its rank added while the run was written down */
    int64_t sent;     /* what others added */
    int64_t reached;  /* largest threshold - own so far */
    int64_t up, down; /* sums of all positive and of all negative adds */
    /* of the run that is followed, where it is not CELL_SHARED */
    int64_t base, sum; /* own adds; the sender's up to `cursor` */
    uint32_t cursor;   /* event of the sender's last add that a wait needed */
    uint32_t dropped;  /* of the last one whose snap is not kept any more */
} OrderCell;

/* What somebody knows: certain order, and under weak memory which writes have landed in the
 * memory that all share, and which of those the rank sees. Entries are epochs. */
enum { KNOW_ORDER, KNOW_LANDED, KNOW_SEEN, N_KNOW };

typedef struct {
    VClock at[N_KNOW];
} Know;

/* A Know that several events share. */
typedef struct {
    Know know;
    uint32_t refs; /* 0: in the free list, by `free` */
    uint32_t free;
} OrderSnap;

/* A wait on a CELL_SHARED cell. */
typedef struct {
    uint32_t event;
    Know gets;  /* by the rules, beyond what its thread knows */
    bool loose; /* credits could take each other's place */
    bool open;  /* no rule tells what it waited for */
} OrderWait;

/* What the posts of a token have made known. */
typedef struct {
    Know know;
    uint32_t posts, takes; /* of the run that is followed; takes: still to come */
    uint32_t before;       /* posts in logs that were cut */
} OrderToken;

/* A wait that an update, which the log no longer has, makes miss what it waits for. */
typedef struct {
    FabAddr cell;
    OrderEvent wait, update;
    CodePlace at_wait, at_update;
} LostWait;

/* An access of a window, or of a device tensor that several lanes share. */
typedef struct {
    int64_t offset, run;
    uint32_t slice, func, pc;
    uint32_t pos;  /* events of its thread before it */
    uint32_t puts; /* notifies and fences of its thread before it */
    uint32_t grid; /* in OrderCheck.grids, from 1; 0: one run */
    uint8_t kind, dtype;
    uint16_t insn;
} OrderAccess;

typedef struct {
    uint8_t n;
    int64_t count[FAB_MAX_DIMS], stride[FAB_MAX_DIMS];
} OrderGrid;

/* One round of a barrier. */
typedef struct {
    uint32_t waited; /* of the run that is followed: members */
    Know know;       /* what those who notified knew */
} OrderRound;

/* The cells of a window that nothing but barriers of builtins has used: cell m of each member but m
 * itself is where member m notifies it. */
typedef struct {
    uint32_t window, n; /* members */
    int64_t base;       /* offset of cell 0 */
    struct OrderMember {
        uint32_t notified, waited; /* rounds */
        int64_t lowered;
    } * members;
    VEC(OrderRound) rounds;
    VEC(uint32_t) events; /* per round and member: its NOTIFIES; 0: not yet */
} OrderRounds;

/* Notifies or waits of a thread to each peer that have begun. */
typedef struct {
    bool open;
    uint8_t kind;    /* OE_NOTIFIES, OE_WAITS, OE_LOWERS */
    uint32_t rounds; /* in OrderCheck.rounds */
    uint32_t self;   /* the thread's member */
    uint32_t next;   /* member, and the cell that is used for it */
    FabAddr cell;
    uint32_t func, pc;
    int32_t value;  /* of each of them */
    bool first;     /* notifies of round 1: the cells hold 0 */
    uint32_t event; /* of NOTIFIES and LOWERS, which come when they begin */
} OrderOpen;

#define RECENT 16u

/* Where a thread's last records of one kind in one slice stand, to be merged with the next. */
typedef struct {
    uint64_t key; /* 0: none */
    uint64_t serial[2];
    uint32_t id[2]; /* newest first; written down: access + 1 */
} Recent;

typedef struct {
    uint32_t rank;
    uint32_t first, last; /* events */
    uint32_t n_events;
    VEC(OrderAccess) accesses;
    uint32_t puts;       /* notifies and fences: each ends the reads of earlier puts */
    VEC(Access) sources; /* device tensors that puts still read */
    Recent merge[RECENT];
    SyncPoint last_sync; /* while the run goes on */
    OrderOpen open;
    /* of the run that is followed */
    Know know;
    uint32_t snap; /* of `know`; 0: it has changed since */
    uint32_t pos, event, access;
    bool running, finished;
    uint32_t dispatch, block;
    uint32_t base;    /* its events up to this one were those of other blocks */
    uint32_t started; /* while the run goes on: 1 + the token it began at last */
    SyncPoint sync;
    uint32_t done_puts;   /* `puts` of its last access */
    uint32_t last_wait;   /* event */
    uint32_t next_member; /* WAITS: whose notify is waited for */
    Recent recent[RECENT];
} OrderThread;

/* A slice of a window, or a region of a dispatch. */
typedef struct {
    FabAddr at; /* offset 0 */
    bool tensor;
    uint32_t dispatch;
    RangeTree reads, writes, adds;
    uint32_t limit[3]; /* sizes at which to look for records that everybody knows */
} Slice;

typedef struct FloatSums FloatSums;

/* A source of a put that is written before the put must have read it. */
typedef struct {
    Access then, now;
    int64_t first, end;
} SourceRace;

#define ORDER_BLOCK 65536u
#define ORDER_SINGLE UINT32_MAX

typedef struct {
    Observer base;
    World *world;
    bool weak;
    bool done; /* every dispatch ended */
    uint32_t n_threads, n_ranks, n_dispatches;
    uint32_t *first_thread; /* per rank, and behind the last */
    OrderThread *threads;
    /* written down */
    VEC(OrderEvent *) blocks;
    uint32_t n_events; /* the last one's number: they count from 1 */
    VEC(OrderCell) cells;
    CellPages cell_index; /* uint32_t: position in `cells` + 1 */
    VEC(Slice) slices;
    Map slice_index;
    VEC(OrderGrid) grids;
    VEC(OrderToken) tokens;
    FloatSums *sums;
    VEC(SourceRace) source_races; /* one for each pair of lines */
    uint64_t n_accesses;
    bool cut;          /* the run was too long to be written down as one */
    bool shared_cores; /* blocks that follow each other on a core use cells */
    bool part;         /* what not every schedule comes to was left out */
    VEC(LostWait) lost;
    bool in_rounds; /* barriers are written down at once */
    VEC(OrderRounds) rounds;
    /* per window: 0, index in `rounds` + 1, or ORDER_SINGLE: event by event */
    uint32_t *window_use;
    /* solved */
    VEC(OrderWait) waits;
    bool unsolved;
    /* followed */
    VEC(OrderSnap) snaps;
    uint32_t free_snap;
    Know *rank_end;        /* per rank: ends of its dispatches */
    Know *starts, *ends;   /* per dispatch */
    uint32_t *cores;       /* per dispatch: lanes */
    uint32_t *lanes_left;  /* per dispatch: lanes that have not ended */
    uint8_t *state;        /* per dispatch: 1 begun, 2 ended */
    uint32_t *left_at_cut; /* where the log was cut last: of them */
    uint8_t *state_at_cut;
    uint32_t slice; /* of the access under way */
    RangePool pool;
    RangeIds found;
    VClock known; /* by everybody, at least */
    uint64_t tick, known_at;
    Map reported;
    Map raced; /* places of code that are in a race: func << 32 | pc */
    /* the certificate */
    bool failed;
    Buf why; /* first reason */
} OrderCheck;

static inline OrderEvent *order_event(const OrderCheck *c, uint32_t i)
{
    return &c->blocks.at[i / ORDER_BLOCK][i % ORDER_BLOCK];
}

static inline uint32_t order_thread(const OrderCheck *c, CodePlace at)
{
    return c->first_thread[at.rank] + (at.job ? c->world->host_cores + at.job - 1 : at.core);
}

/* The place of an event; slow: for reports. */
CodePlace order_event_place(const OrderCheck *c, uint32_t event);

/* ---- order_log.c ---- */
void order_log_event(OrderCheck *c, const Event *e);
/* Adds the waits that are stuck. */
void order_log_end(OrderCheck *c);
/* Forgets the log and takes these events of it in its place, in this order; of each thread those up
 * to some point. Accesses stay, those behind the thread's last event are not visited. */
void order_log_again(OrderCheck *c, const OrderEvent *events, uint32_t n);
/* Appends an event that touches no cell; returns its number. */
uint32_t order_log_push(OrderCheck *c, OrderEvent e);
/* No cells; and all of `cells` found again where they were loaded. */
void order_cells_clear(OrderCheck *c);
void order_cells_index(OrderCheck *c);
/* Index of a cell in `cells`: of a new one, which starts at 0, where there is none. */
uint32_t order_cell(OrderCheck *c, FabAddr at);
FabRect order_rect(const OrderCheck *c, const OrderAccess *a);

/* ---- order_rounds.c ---- */
/* May barriers of this run be written down at once? Asked when it begins. */
void rounds_begin(OrderCheck *c);
/* True: the event is part of a round and needs nothing else. */
bool rounds_take(OrderCheck *c, const Event *e);
/* Somebody uses a cell of the window in another way. */
void rounds_leave(OrderCheck *c, uint32_t window);
/* Writes all of them down event by event, as from now on. */
void rounds_expand(OrderCheck *c);
/* The run has ended; `whole`: as it should. What is not regular is expanded. */
void rounds_end(OrderCheck *c, bool whole);
void rounds_free(OrderCheck *c);
/* Following the run: back to its start; one event; and whether a WAITS has to come after an event
 * of another thread, *of at *pos, that has not been done yet. */
void rounds_rewind(OrderCheck *c);
void rounds_step(OrderCheck *c, uint32_t thread, const OrderEvent *e);
bool rounds_need(OrderCheck *c, uint32_t thread, const OrderEvent *e, uint32_t *of, uint32_t *pos);

/* ---- order_save.c ---- */
/* The log, where that is all there is; and back, into a check that has forgotten everything. */
bool order_save(const OrderCheck *c, Buf *out);
void order_load(OrderCheck *c, SaveReader *in);

/* ---- order_clock.c ---- */
/* Everybody back to the start, knowing nothing. */
void order_rewind(OrderCheck *c);
/* The thread does its next event, whose waits are satisfied by what has been done. */
void order_step(OrderCheck *c, uint32_t thread);
/* The sender's last add that the waits so far needed, this one, not on a CELL_SHARED cell, among
 * them; 0: none. Moves the cursor. */
uint32_t order_needs(OrderCheck *c, const OrderEvent *wait);
/* Have the lanes that a thread comes after in this TAKE or START posted? */
bool order_posted(const OrderCheck *c, const OrderEvent *e);
bool order_knows(const OrderCheck *c, uint32_t thread, uint32_t of, uint32_t epoch);
/* Event a comes before event b, where b's snap is kept. */
bool order_before(const OrderCheck *c, const OrderEvent *a, const OrderEvent *b);
bool order_known_by_all(OrderCheck *c, uint32_t thread, uint32_t epoch);
/* What a thread knows, with event `pos` of it, is added to `to`; or the other way round. */
void order_tell(OrderCheck *c, Know *to, uint32_t thread, uint32_t pos);
void order_learn(OrderCheck *c, uint32_t thread, const Know *from);
void order_know_free(Know *k);
void order_snaps_free(OrderCheck *c);

/* ---- order_solve.c ---- */
void order_solve(OrderCheck *c);
void order_waits_free(OrderCheck *c);

/* ---- order_view.c ---- */
/* What a wait of a cell with flags may find there. */
typedef struct {
    const OrderEvent *wait;
    bool adds;          /* there are adds, or values that are not known */
    int64_t base;       /* upper bound of the value by the updates known before it */
    int64_t positive;   /* what of it they added */
    VEC(uint32_t) open; /* events: updates that are neither known before it nor after it */
} OrderView;
void order_view(const OrderCheck *c, uint32_t wait, OrderView *out);
/* Can the wait hold with the first n of `list`, which is part of the open updates? */
bool order_enough(const OrderCheck *c, const OrderView *v, const uint32_t *list, uint32_t n);
/* The updates of a cell in order of the run when they are in certain order, and the values from
 * before the first to after the last: false when they are not. */
typedef struct {
    VEC(uint32_t) updates;
    VEC(int64_t) values;
} OrderSequence;
bool order_sequence(const OrderCheck *c, const OrderCell *cell, OrderSequence *out);
/* Index of the first value, not before those known, that satisfies a wait; UINT32_MAX: none. */
uint32_t order_first(const OrderCheck *c, const OrderSequence *s, const OrderEvent *wait);
bool order_holds(const OrderEvent *wait, int64_t value);
bool order_is_update(const OrderEvent *e);
/* Order of event numbers, the check for last argument: by thread and number, so that nothing
 * depends on what came first in this run. */
int order_by_thread(const void *a, const void *b, void *check);
void order_sort(const OrderCheck *c, uint32_t *events, uint32_t n);
bool order_replaces(const OrderEvent *update);

/* ---- cell_waits.c ---- */
typedef struct {
    const OrderCell *cell;
    OrderSequence s;
    bool in_order; /* `s` is set */
    bool counting; /* its rank alone lowers it, in one order with its waits */
    /* of the wait asked for last: */
    OrderView v;
    bool misses; /* in some schedule, what it waits for */
} CellOrder;
/* Do the two updates leave another value the other way round? */
bool cell_order_matters(const OrderEvent *a, const OrderEvent *b);
void cell_order_set(const OrderCheck *c, CellOrder *o, const OrderCell *cell);
/* Does the wait of the cell that was set go on in every schedule, or stand in every one? If not,
 * `spoiler` is the update after which it does not hold any more, or 0. */
bool cell_wait_certain(const OrderCheck *c, CellOrder *o, uint32_t wait, uint32_t *spoiler);
void cell_order_free(CellOrder *o);

/* ---- order_cut.c ---- */
/* Of a solved log keeps what every schedule comes to; false: that is all of it. */
bool order_cut(OrderCheck *c);

/* ---- order_replay.c: calls race_visit for the accesses ---- */
void order_replay(OrderCheck *c);
/* By the states of dispatches: have those ended that this one waits for, or has it begun? */
bool order_can_begin(const OrderCheck *c, uint32_t dispatch);

/* ---- race.c ---- */
void race_visit(OrderCheck *c, uint32_t thread, const OrderAccess *a);
/* `now` conflicts with `then` on bytes [first, end) of the slice of a window, or of a tensor. */
typedef struct {
    const Access *then, *now;
    int64_t first, end;
    bool tensor;
    const char *why; /* more to say, or NULL */
} Race;
/* A report, once a pair of lines. */
void race_report(OrderCheck *c, const Race *race);
/* Once per pair of lines; kind keeps kinds of reports apart. */
bool report_is_new(OrderCheck *c, CodePlace a, CodePlace b, unsigned kind);

/* ---- sources.c ---- */
void sources_note(OrderCheck *c, const Event *put);
void sources_written(OrderCheck *c, const Event *write);
/* Reports what was found, in an order that no schedule changes. */
void sources_judge(OrderCheck *c);

/* ---- cell_judge.c, poll.c ---- */
void cells_judge(OrderCheck *c);
/* Does the value read at this place reach nothing but loops that do nothing and end in a wait? */
bool poll_is_harmless(const BcFunc *f, uint32_t pc);

/* ---- float_sums.c ---- */
void float_sums_note(OrderCheck *c, const Event *e);
/* May the sum in these bytes of a slice depend on the order of its adds? */
bool float_sums_vary(const OrderCheck *c, const Slice *s, int64_t first, int64_t end);
void float_sums_free(OrderCheck *c);

/* Does every schedule come to what the thread did behind its event `pos`? */
bool order_comes_to(const OrderCheck *c, uint32_t thread, uint32_t pos);
/* The run is no certificate: for the first reason given. Text after the colon of the note. */
void order_fails(OrderCheck *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void order_cell_text(const OrderCheck *c, Buf *out, FabAddr at);

#endif
