/* The processes of a run over a transport: which ranks each has, what they say to each other, and
 * when all of them are at the end. */
#ifndef PLD_SIM_PROCESSES_TEAM_H
#define PLD_SIM_PROCESSES_TEAM_H

#include "sim/machine/processes.h"
#include "sim/machine/world.h"
#include "sim/processes/transport.h"

typedef struct Team Team;

/* How ranks are dealt. */
typedef enum { MAP_BLOCK, MAP_CYCLIC } TeamMap;

/* Messages between processes. */
typedef enum {
    TAG_STARTED, /* a dispatch has copied its tensors in */
    TAG_BYTES,   /* part of what a dispatch has written */
    TAG_ENDED,   /* it has ended; its bytes came before */
    TAG_ADD,     /* elements for the owner of a window to add */
    TAG_ADDED,   /* they are there */
    TAG_FAILED,  /* the run has failed at the sender */
    TAG_BLOCK,   /* a piece of what process 0 gathers */
} TeamTag;

typedef VEC(TensorSpan) Spans;

/* Whom a dispatch's start and end concern: processes, each once. */
typedef struct {
    uint32_t n_started, n_ended;
    uint32_t *started, *ended;
} Audience;

enum { WAVE_ACTIVITY, WAVE_SENT, WAVE_RECEIVED, WAVE_LEFT, WAVE_FAILED, WAVE_LEN };

struct Team {
    Processes base;
    const PldTransport *t;
    World *world; /* once it is there */
    TeamMap map;
    bool crowded;                  /* more processes here than processors */
    bool shared;                   /* memory of one host's processes, where there is */
    const World **running;         /* told which world runs; or NULL */
    double stall;                  /* seconds without progress until that is said; 0: never */
    void (*say)(const char *text); /* a line, at once; or NULL */
    /* counted, never back: whoever sees equal sums twice knows that nothing happened between */
    int64_t activity, sent, received;
    bool told;   /* that the run has failed here */
    bool woken;  /* something may go on that could not */
    bool waving; /* a sum is under way */
    bool waved;  /* `last` is set */
    int64_t wave[WAVE_LEN], sum[WAVE_LEN], last[WAVE_LEN];
    double moved, reported; /* transport's time of the last activity seen, and of the last line */
    int64_t stalled;        /* activity then */
    const char *const *printed; /* of --print: what process 0 shall have at the end */
    uint32_t n_printed;
    Buf shown_cells;        /* at process 0: of windows that others have */
    bool judge;             /* checks that need the others' accesses */
    unsigned asked;         /* CHECK_ bits of the run */
    RunConfig *config;      /* of the world */
    Observer *log;          /* of sim/processes/judge.c */
    Observer **observers;   /* of the configuration */
    Observer *const *shown; /* of the caller, who hear of all processes after the run */
    uint32_t n_shown;
    Buf prints; /* of pl.debug_print: rank, length, text */
    void (*print)(void *env, const char *text, size_t len); /* the caller's */
    void *print_env;
    double epoch;       /* seconds: the log's time 0 */
    Audience *audience; /* per dispatch */
    VEC(Buf) early;     /* messages of dispatches whose turn has not come; a tag before each */
    Buf gathered;       /* at process 0: blocks of the process being gathered */
    uint32_t gathering;
};

static inline Team *team_of(Processes *p)
{
    return (Team *)p;
}

static inline bool team_is_mine(const Team *t, uint32_t rank)
{
    return t->base.home[rank] == t->base.self;
}

/* ---- team.c ---- */
/* A team over a started transport for `n_ranks` devices, with its fabric; `t` must outlive it. */
Team *team_new(const PldTransport *t, uint32_t n_ranks, TeamMap map, bool shared);
void team_free(Team *t);
/* Copies and counts. */
void team_send(Team *t, uint32_t to, TeamTag tag, const void *bytes, size_t len);
/* Takes every message that is there; true when something may go on. */
bool team_receive(Team *t);
/* The greatest of all processes' values; (all). */
int64_t team_max(Team *t, int64_t value);
int64_t team_sum(Team *t, int64_t value);
/* Every process gives bytes; at process 0 `each` sees them in order of processes. (all) */
typedef void TeamEach(void *env, uint32_t process, const char *bytes, size_t len);
void team_gather(Team *t, const Buf *mine, TeamEach *each, void *env);
/* A short text and whether it differs from process 0's: the first process that does, or UINT32_MAX.
 * (all) */
uint32_t team_differs(Team *t, uint64_t hash);

/* ---- span_fabric.c ---- */
Fabric *span_fabric_new(Team *t, uint32_t n_ranks);
/* Some notify of the program sets a cell. */
void span_fabric_sets(Fabric *f, bool sets);
/* A TAG_ADD or TAG_ADDED has come. */
void span_fabric_message(Fabric *f, const PldMessage *m);

/* ---- dispatches.c ---- */
/* Who must hear of which dispatch; after the host function. */
void dispatches_audience(Team *t, World *w);
void dispatches_free(Team *t);
void dispatch_started(Processes *p, World *w, uint32_t dispatch);
void dispatch_ended(Processes *p, World *w, uint32_t dispatch);
void dispatch_message(Team *t, const PldMessage *m);

/* ---- quiet.c ---- */
bool quiet_progress(Processes *p, World *w);
bool quiet_idle(Processes *p, World *w);
/* Are more processes on this host than it has processors? */
bool team_is_crowded(const Team *t);

/* ---- spans.c ---- */
/* Of a host tensor, the bytes whose last writer was this process, and its share of those that
 * nobody writes. */
void spans_owned(const Team *t, const World *w, uint32_t tensor, Spans *out);
/* The bytes that its dispatches take, in no order. */
void spans_needed(const Team *t, const World *w, uint32_t tensor, Spans *out);
/* In order, without overlap or neighbours. */
void spans_settle(Spans *s);

#endif
