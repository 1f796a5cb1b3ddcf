/* The search for all interleavings, in one thread: depth first along a path of transitions. Other
 * threads search parts of it (parallel.h): a part begins at a transition that is known to be tried
 * next at some node of the path, and leaves what it wants tried before its own beginning to whoever
 * takes its result over, in order, as if it had searched there itself. */
#ifndef PLD_SIM_EXPLORE_SEARCH_H
#define PLD_SIM_EXPLORE_SEARCH_H

#include "base/map.h"
#include "sim/explore/explore.h"
#include "sim/explore/explore_order.h"
#include "sim/explore/outcome.h"

typedef struct {
    VEC(uint32_t) enabled;   /* names */
    VEC(uint32_t) todo;      /* names to be tried, in this order */
    uint32_t next;           /* todo[0 .. next-1] have been */
    VEC(Step *) done;        /* tried; owned */
    VEC(const Step *) sleep; /* of nodes above: equivalent to what has been seen */
    Step *step;              /* taken; owned */
    uint32_t name;           /* of it */
} Node;

/* The world as it was when a transition of the path was chosen. */
typedef struct {
    uint32_t at; /* node */
    uint32_t n_local;
    Buf state; /* of the world, behind Search.taken */
} Snapshot;

typedef struct {
    Policy policy;
    Observer watch, *observers[1];
    RunConfig config;
    const ExploreOptions *options;
    ExploreResult *result; /* counts, status; texts of failures in its arena */
    World *world;
    VEC(Node) path;
    uint32_t root;  /* nodes before it belong to another search */
    uint32_t at;    /* transitions taken in this execution */
    uint32_t given; /* of them: the path to follow */
    Step *now;      /* the transition under way */
    bool fresh;     /* `now` is new: what it does is recorded */
    Scope scope;
    VEC(uint32_t) taken; /* per lane id: transitions in this execution */
    VEC(LocalAccess) local;
    VEC(Snapshot) saved; /* of nodes of the path, in its order */
    uint32_t n_saved;    /* in use; the others keep their memory */
    VEC(uint32_t) wants; /* for nodes before `root`: node, number of names, names; and so on */
    enum { RUN_WHOLE, RUN_BLOCKED, RUN_CUT, RUN_LOST } end;
    Outcomes outcomes;
    VEC(ExploreFailure) failures;
    VEC(uint64_t) keys;   /* of the failures */
    Map orders;           /* hashes of happens-before orders seen */
    VEC(uint64_t) hashes; /* the same in a list */
} Search;

/* Builds the world of a search. False with result->text when the program could not be started. The
 * search must not move afterwards. */
bool search_init(Search *s, const BcProgram *program, const RunConfig *config,
                 const ExploreOptions *options, ExploreResult *result);
void search_free(Search *s);
/* Forgets what was seen, but for failures: to begin anew with the scope as it is. */
void search_begin(Search *s);
/* One execution along the path and on. False: the search is over, and not complete. */
bool search_execute(Search *s);
/* The choice at node `at` is about to be made: saves the world there when the last snapshot is far
 * enough away (snapshots.c). */
void snapshots_pass(Search *s, uint32_t at);
/* Takes the world to where the path that is given can be followed from: its latest snapshot, or the
 * start. Returns whether that is in the middle of a run. */
bool snapshots_go_back(Search *s, RunResult *result);
void snapshots_drop(Search *s);
void snapshots_free(Search *s);

/* Executions made, given up ones too. */
static inline uint64_t search_spent(const Search *s)
{
    return s->result->executions + s->result->blocked;
}

/* What is to be tried next at a node, or false: nothing. */
bool node_next(Node *n, uint32_t *name);
void node_free(Node *n);
/* One of `names` should be tried at node `at`. */
void search_want(Search *s, uint32_t at, const uint32_t *names, uint32_t n);
void search_note_order(Search *s, uint64_t hash);
/* An execution that failed like failures of this key; `f` is copied when it is the first one. */
void search_note_failure(Search *s, uint64_t key, const ExploreFailure *f);

/* Judges the execution that has ended (verdict.c). */
void search_judge(Search *s, RunResult *r);

#endif
