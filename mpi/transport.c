/* The plug-in for MPI: the calls of sim/processes/transport.h in terms of MPI-3. It is built with
 * the compiler wrapper of one MPI and works with that one only, since their ABIs differ.
 *
 * Windows are passive targets, locked for the whole run (MPI-3.1, 11.5.3). Updates of cells are
 * MPI_Fetch_and_op with MPI_SUM and MPI_NO_OP, which may meet on one location (accumulate_ops,
 * 11.2.1); where some process may set a cell, all updates are compare-and-swap instead, since sums
 * and replacements may not meet. */
#include "sim/processes/transport.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WINDOWS 4096
#define EXPORT __attribute__((visibility("default")))

typedef struct Sending {
    MPI_Request request;
    struct Sending *next;
    char bytes[];
} Sending;

static const PldTransportUser *user;
static MPI_Comm messages, sums;
static int self, size;
static int *host_of; /* per process: lowest rank of its host */
static MPI_Win windows[MAX_WINDOWS];
static uint32_t n_windows;
static MPI_Request *requests;
static size_t n_requests;
static Sending *sending;
static char *received;
static MPI_Request sum_request = MPI_REQUEST_NULL;
static MPI_File file = MPI_FILE_NULL;

static void check(int code, const char *operation)
{
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING + 1] = "unknown error";
    int len = 0;
    MPI_Error_string(code, text, &len);
    text[len] = 0;
    user->failed(operation, text);
    MPI_Abort(MPI_COMM_WORLD, 70);
    abort();
}

#define CHECK(call, ...) check(call(__VA_ARGS__), #call)

static void *need(void *memory, const char *operation)
{
    if (memory)
        return memory;
    user->failed(operation, "out of memory");
    MPI_Abort(MPI_COMM_WORLD, 71);
    abort();
}

/* ---- start and end ---- */

static void find_hosts(void)
{
    MPI_Comm host;
    CHECK(MPI_Comm_split_type, MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, self, MPI_INFO_NULL, &host);
    int first = self;
    CHECK(MPI_Bcast, &first, 1, MPI_INT, 0, host);
    host_of = need(malloc((size_t)size * sizeof *host_of), "MPI_Comm_split_type");
    CHECK(MPI_Allgather, &first, 1, MPI_INT, host_of, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(MPI_Comm_free, &host);
}

#ifdef OPEN_MPI
/* Open MPI has one component that makes windows between hosts without special networks, pt2pt, and
 * Debian's configuration rules it out, so that no window can be made there. It is the last choice
 * of all, and is let in again unless the user has said what to take. The variables' interface stays
 * in use: ending it would forget what was written. */
static void admit_plain_networks(void)
{
    int provided, index, count;
    MPI_T_cvar_handle osc;
    char value[4096] = "";
    if (getenv("OMPI_MCA_osc") || MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS ||
        MPI_T_cvar_get_index("osc", &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &osc, &count) != MPI_SUCCESS)
        return;
    if (count > 0 && (size_t)count < sizeof value && MPI_T_cvar_read(osc, value) == MPI_SUCCESS &&
        strcmp(value, "^ucx,pt2pt") == 0)
        (void)MPI_T_cvar_write(osc, "^ucx");
    MPI_T_cvar_handle_free(&osc);
}
#else
static void admit_plain_networks(void) {}
#endif

/* Are a process's own stores and what others put there one memory? Asked of a window that is made
 * for it. */
static bool unified(void)
{
    static int32_t memory;
    MPI_Win w;
    int *model, given = 0;
    CHECK(MPI_Win_create, &memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    CHECK(MPI_Win_get_attr, w, MPI_WIN_MODEL, &model, &given);
    bool is = given && *model == MPI_WIN_UNIFIED;
    CHECK(MPI_Win_free, &w);
    return is;
}

static const char *start(const PldTransportUser *u)
{
    user = u;
    admit_plain_networks();
    int provided;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return "MPI_Init_thread failed";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Comm_rank, MPI_COMM_WORLD, &self);
    CHECK(MPI_Comm_size, MPI_COMM_WORLD, &size);
    CHECK(MPI_Comm_dup, MPI_COMM_WORLD, &messages);
    CHECK(MPI_Comm_dup, MPI_COMM_WORLD, &sums);
    MPI_Comm_set_errhandler(messages, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(sums, MPI_ERRORS_RETURN);
    find_hosts();
    return unified() ? NULL : "its windows are MPI_WIN_SEPARATE, and MPI_WIN_UNIFIED is needed";
}

static void free_sent(bool all)
{
    for (Sending **at = &sending; *at;) {
        Sending *s = *at;
        int done = 0;
        if (all)
            CHECK(MPI_Wait, &s->request, MPI_STATUS_IGNORE);
        else
            CHECK(MPI_Test, &s->request, &done, MPI_STATUS_IGNORE);
        if (!all && !done) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        free(s);
    }
}

static void stop(void)
{
    free_sent(true);
    free(received);
    free(requests);
    free(host_of);
    CHECK(MPI_Comm_free, &messages);
    CHECK(MPI_Comm_free, &sums);
    check(MPI_Finalize(), "MPI_Finalize");
}

static void end_all(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

static uint32_t rank_of_self(void)
{
    return (uint32_t)self;
}

static uint32_t size_of_world(void)
{
    return (uint32_t)size;
}

static bool is_near(uint32_t process)
{
    return host_of[process] == host_of[self];
}

/* ---- collectives ---- */

static void barrier(void)
{
    CHECK(MPI_Barrier, MPI_COMM_WORLD);
}

static void broadcast(void *bytes, size_t len, uint32_t root)
{
    enum { PIECE = 1 << 30 };
    for (size_t at = 0; at < len; at += PIECE)
        CHECK(MPI_Bcast, (char *)bytes + at, (int)(len - at < PIECE ? len - at : PIECE), MPI_BYTE,
              (int)root, MPI_COMM_WORLD);
}

static void reduce(int64_t *values, int n, PldReduce how)
{
    MPI_Op op = how == PLD_SUM ? MPI_SUM : how == PLD_MIN ? MPI_MIN : MPI_MAX;
    CHECK(MPI_Allreduce, MPI_IN_PLACE, values, n, MPI_INT64_T, op, MPI_COMM_WORLD);
}

static void gather(const void *mine, size_t len, void *all)
{
    CHECK(MPI_Allgather, mine, (int)len, MPI_BYTE, all, (int)len, MPI_BYTE, MPI_COMM_WORLD);
}

static void sum_start(const int64_t *in, int64_t *out, int n)
{
    CHECK(MPI_Iallreduce, in, out, n, MPI_INT64_T, MPI_SUM, sums, &sum_request);
}

static bool sum_done(void)
{
    int done = 0;
    CHECK(MPI_Test, &sum_request, &done, MPI_STATUS_IGNORE);
    return done != 0;
}

/* ---- messages ---- */

static void send_bytes(uint32_t to, int tag, const void *bytes, size_t len)
{
    free_sent(false);
    Sending *s = need(malloc(sizeof *s + len), "MPI_Isend");
    memcpy(s->bytes, bytes, len);
    CHECK(MPI_Isend, s->bytes, (int)len, MPI_BYTE, (int)to, tag, messages, &s->request);
    s->next = sending;
    sending = s;
}

static bool receive(PldMessage *out)
{
    int there = 0, len = 0;
    MPI_Status status;
    CHECK(MPI_Iprobe, MPI_ANY_SOURCE, MPI_ANY_TAG, messages, &there, &status);
    if (!there)
        return false;
    CHECK(MPI_Get_count, &status, MPI_BYTE, &len);
    free(received);
    received = need(malloc((size_t)len + 1), "MPI_Recv");
    CHECK(MPI_Recv, received, len, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, messages,
          MPI_STATUS_IGNORE);
    *out = (PldMessage){(uint32_t)status.MPI_SOURCE, status.MPI_TAG, (size_t)len, received};
    return true;
}

/* ---- windows ---- */

static void window(uint32_t id, void *memory, int64_t bytes)
{
    MPI_Win w;
    if (id >= MAX_WINDOWS)
        user->failed("MPI_Win_create", "more than 4096 windows");
    CHECK(MPI_Win_create, memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    CHECK(MPI_Win_set_errhandler, w, MPI_ERRORS_RETURN);
    CHECK(MPI_Win_lock_all, MPI_MODE_NOCHECK, w);
    windows[id] = w;
    if (id >= n_windows)
        n_windows = id + 1;
}

static void windows_free(void)
{
    for (uint32_t i = 0; i < n_windows; i++) {
        CHECK(MPI_Win_unlock_all, windows[i]);
        CHECK(MPI_Win_free, &windows[i]);
    }
    n_windows = 0;
}

/* The region over elements of one type; to be freed. */
static MPI_Datatype layout(const PldRegion *r, MPI_Datatype element, int64_t element_bytes)
{
    MPI_Datatype t, outer;
    CHECK(MPI_Type_contiguous, (int)(r->run / element_bytes), element, &t);
    for (int i = r->n; i-- > 0;) {
        CHECK(MPI_Type_create_hvector, (int)r->count[i], 1, (MPI_Aint)r->stride[i], t, &outer);
        CHECK(MPI_Type_free, &t);
        t = outer;
    }
    CHECK(MPI_Type_commit, &t);
    return t;
}

static int64_t elements(const PldRegion *r, int64_t element_bytes)
{
    int64_t n = r->run / element_bytes;
    for (int i = 0; i < r->n; i++)
        n *= r->count[i];
    return n;
}

static PldRequest keep(MPI_Request request)
{
    size_t i = 0;
    while (i < n_requests && requests[i] != MPI_REQUEST_NULL)
        i++;
    if (i == n_requests) {
        size_t more = n_requests ? 2 * n_requests : 16;
        requests = need(realloc(requests, more * sizeof *requests), "a request");
        for (; n_requests < more; n_requests++)
            requests[n_requests] = MPI_REQUEST_NULL;
    }
    requests[i] = request;
    return i + 1;
}

static PldRequest get(uint32_t id, uint32_t process, const PldRegion *from, void *to)
{
    MPI_Request request;
    MPI_Datatype t = layout(from, MPI_BYTE, 1);
    CHECK(MPI_Rget, to, (int)elements(from, 1), MPI_BYTE, (int)process, (MPI_Aint)from->offset, 1,
          t, windows[id], &request);
    CHECK(MPI_Type_free, &t);
    return keep(request);
}

static PldRequest put(uint32_t id, uint32_t process, const PldRegion *to, const void *from)
{
    MPI_Request request;
    MPI_Datatype t = layout(to, MPI_BYTE, 1);
    CHECK(MPI_Rput, from, (int)elements(to, 1), MPI_BYTE, (int)process, (MPI_Aint)to->offset, 1, t,
          windows[id], &request);
    CHECK(MPI_Type_free, &t);
    return keep(request);
}

static PldRequest add(uint32_t id, uint32_t process, const PldRegion *to, const void *from,
                      PldAdd type)
{
    MPI_Request request;
    MPI_Datatype element = type == PLD_ADD_FP32    ? MPI_FLOAT
                           : type == PLD_ADD_INT64 ? MPI_INT64_T
                                                   : MPI_INT32_T;
    int64_t bytes = type == PLD_ADD_INT64 ? 8 : 4;
    MPI_Datatype t = layout(to, element, bytes);
    CHECK(MPI_Raccumulate, from, (int)elements(to, bytes), element, (int)process,
          (MPI_Aint)to->offset, 1, t, MPI_SUM, windows[id], &request);
    CHECK(MPI_Type_free, &t);
    return keep(request);
}

static bool done(PldRequest request)
{
    int yes = 0;
    if (request == 0)
        return true;
    CHECK(MPI_Test, &requests[request - 1], &yes, MPI_STATUS_IGNORE);
    return yes != 0;
}

static void flush(uint32_t id, uint32_t process)
{
    CHECK(MPI_Win_flush, (int)process, windows[id]);
}

static void sync_all(void)
{
    for (uint32_t i = 0; i < n_windows; i++)
        CHECK(MPI_Win_sync, windows[i]);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- cells ---- */

static int32_t fetch(uint32_t id, uint32_t process, int64_t offset, MPI_Op op, int32_t value)
{
    int32_t before = 0;
    CHECK(MPI_Fetch_and_op, &value, &before, MPI_INT32_T, (int)process, (MPI_Aint)offset, op,
          windows[id]);
    flush(id, process);
    return before;
}

static int32_t swap(uint32_t id, uint32_t process, int64_t offset, int32_t expected, int32_t value)
{
    int32_t before = 0;
    CHECK(MPI_Compare_and_swap, &value, &expected, &before, MPI_INT32_T, (int)process,
          (MPI_Aint)offset, windows[id]);
    flush(id, process);
    return before;
}

static int32_t cell(uint32_t id, uint32_t process, int64_t offset, PldCellOp op, int32_t value,
                    bool sets)
{
    if (!sets)
        return fetch(id, process, offset, op == PLD_CELL_READ ? MPI_NO_OP : MPI_SUM, value);
    int32_t before = swap(id, process, offset, 0, 0); /* 0 or not: it stays */
    if (op == PLD_CELL_READ)
        return before;
    for (;;) {
        int32_t after = op == PLD_CELL_SET ? value : (int32_t)((uint32_t)before + (uint32_t)value);
        int32_t found = swap(id, process, offset, before, after);
        if (found == before)
            return before;
        before = found;
    }
}

/* ---- files ---- */

/* Did a call that all make for a file succeed? What is about the file comes back; anything else may
 * have met this process alone, while the others wait for it in the call. */
static bool worked(int code, const char *operation)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    if (class == MPI_ERR_OTHER || class == MPI_ERR_INTERN || class == MPI_ERR_UNKNOWN)
        check(code, operation);
    return code == MPI_SUCCESS;
}

static bool file_open(const char *path)
{
    return worked(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY,
                                MPI_INFO_NULL, &file),
                  "MPI_File_open");
}

static bool file_write(int64_t offset, const void *bytes, size_t len)
{
    enum { PIECE = 1 << 26 };
    for (size_t at = 0; at < len; at += PIECE) {
        MPI_Status status;
        int n = (int)(len - at < PIECE ? len - at : PIECE), wrote = 0;
        if (MPI_File_write_at(file, (MPI_Offset)offset + (MPI_Offset)at, (const char *)bytes + at,
                              n, MPI_BYTE, &status) != MPI_SUCCESS ||
            MPI_Get_count(&status, MPI_BYTE, &wrote) != MPI_SUCCESS || wrote != n)
            return false;
    }
    return true;
}

static bool file_close(void)
{
    bool synced = worked(MPI_File_sync(file), "MPI_File_sync");
    return worked(MPI_File_close(&file), "MPI_File_close") && synced;
}

#ifdef OPEN_MPI
#define NAME "Open MPI"
#else
#define NAME "MPICH"
#endif

static const PldTransport transport = {
    .version = PLD_TRANSPORT_VERSION,
    .name = NAME,
    .start = start,
    .stop = stop,
    .abort = end_all,
    .rank = rank_of_self,
    .size = size_of_world,
    .clock = MPI_Wtime,
    .near = is_near,
    .barrier = barrier,
    .broadcast = broadcast,
    .reduce = reduce,
    .gather = gather,
    .sum_start = sum_start,
    .sum_done = sum_done,
    .send = send_bytes,
    .receive = receive,
    .window = window,
    .windows_free = windows_free,
    .get = get,
    .put = put,
    .add = add,
    .done = done,
    .flush = flush,
    .sync = sync_all,
    .cell = cell,
    .file_open = file_open,
    .file_write = file_write,
    .file_close = file_close,
};

EXPORT const PldTransport *pld_transport(void);
EXPORT const PldTransport *pld_transport(void)
{
    return &transport;
}
