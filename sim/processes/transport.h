/* What a plug-in for a message-passing library offers: see mpi/transport.c. It knows nothing of
 * devices and programs, so that it stays small and can be built for each library by itself; the
 * structs hold plain types only.
 *
 * A process calls it from one thread. Calls marked (all) are made by all processes in one order.
 * An error of the library is told to PldTransportUser.failed, which does not return. */
#ifndef PLD_SIM_PROCESSES_TRANSPORT_H
#define PLD_SIM_PROCESSES_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLD_TRANSPORT_VERSION 1u
#define PLD_TRANSPORT_DIMS 4 /* as FAB_MAX_DIMS */

/* A strided region of a process's part of a window: runs of `run` bytes. */
typedef struct {
    int64_t offset, run;
    int32_t n;
    int64_t count[PLD_TRANSPORT_DIMS], stride[PLD_TRANSPORT_DIMS]; /* outermost first; bytes */
} PldRegion;

typedef enum { PLD_SUM, PLD_MIN, PLD_MAX } PldReduce;
typedef enum { PLD_CELL_READ, PLD_CELL_ADD, PLD_CELL_SET } PldCellOp;
/* Elements that the library adds by itself. */
typedef enum { PLD_ADD_INT32, PLD_ADD_INT64, PLD_ADD_FP32 } PldAdd;

typedef struct {
    uint32_t from;
    int tag;
    size_t len;
    char *bytes; /* of the plug-in until the next receive */
} PldMessage;

typedef struct {
    /* Reports and ends the process: `operation` is the library's name of it. */
    void (*failed)(const char *operation, const char *error);
} PldTransportUser;

typedef uint64_t PldRequest; /* 0: complete */

typedef struct {
    uint32_t version; /* PLD_TRANSPORT_VERSION */
    const char *name; /* "Open MPI" */
    /* (all) Starts the library. NULL, or why it cannot be used. */
    const char *(*start)(const PldTransportUser *user);
    void (*stop)(void); /* (all) */
    void (*abort)(int status);
    uint32_t (*rank)(void);
    uint32_t (*size)(void);
    double (*clock)(void);
    bool (*near)(uint32_t process); /* on the same host */
    /* (all) blocking */
    void (*barrier)(void);
    void (*broadcast)(void *bytes, size_t len, uint32_t root);
    void (*reduce)(int64_t *values, int n, PldReduce how);
    void (*gather)(const void *mine, size_t len, void *all); /* in order of processes, to all */
    /* (all) One sum at a time that goes on in the background: `out` is filled when done. */
    void (*sum_start)(const int64_t *in, int64_t *out, int n);
    bool (*sum_done)(void);
    /* Messages keep their order from one process to another; the bytes are copied. */
    void (*send)(uint32_t to, int tag, const void *bytes, size_t len);
    bool (*receive)(PldMessage *out);
    /* (all) Makes window `id` (0, 1, ...) of this process's memory. */
    void (*window)(uint32_t id, void *memory, int64_t bytes);
    void (*windows_free)(void); /* (all) */
    /* One-sided transfers between a region and dense memory, which must stay until it is done. */
    PldRequest (*get)(uint32_t window, uint32_t process, const PldRegion *from, void *to);
    PldRequest (*put)(uint32_t window, uint32_t process, const PldRegion *to, const void *from);
    PldRequest (*add)(uint32_t window, uint32_t process, const PldRegion *to, const void *from,
                      PldAdd type);
    bool (*done)(PldRequest request);
    /* What this process has put and added is there. */
    void (*flush)(uint32_t window, uint32_t process);
    void (*sync)(void); /* of memory and windows, all of them */
    /* An aligned INT32, atomically; the value before. With `sets`, some process may use SET. */
    int32_t (*cell)(uint32_t window, uint32_t process, int64_t offset, PldCellOp op, int32_t value,
                    bool sets);
    /* (all) A file that all write to, made by process 0; false: not possible everywhere. */
    bool (*file_open)(const char *path);
    bool (*file_write)(int64_t offset, const void *bytes, size_t len);
    bool (*file_close)(void);
} PldTransport;

/* The one name that a plug-in exports. */
const PldTransport *pld_transport(void);
typedef const PldTransport *PldTransportEntry(void);
#define PLD_TRANSPORT_ENTRY "pld_transport"

#endif
