/* Calls of MPI that fail: preloaded over the library, through its profiling interface. The
 * PLD_FAIL-th call of those below, counted in process PLD_FAIL_AT, returns MPI_ERR_OTHER and does
 * nothing. */
#include <mpi.h>
#include <stdlib.h>

static long left = -1;

static int fails(void)
{
    if (left < 0) {
        const char *n = getenv("PLD_FAIL"), *at = getenv("PLD_FAIL_AT");
        int rank = 0;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        left = n && at && rank == atoi(at) ? atol(n) : 0;
    }
    return left > 0 && --left == 0;
}

#define EXPORT __attribute__((visibility("default")))
#define FAILING(name, params, args)                                                                \
    EXPORT int MPI_##name params                                                                   \
    {                                                                                              \
        return fails() ? MPI_ERR_OTHER : PMPI_##name args;                                         \
    }

FAILING(Allreduce, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
        (s, r, n, t, o, c))
FAILING(Allgather,
        (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c),
        (s, n, t, r, m, u, c))
FAILING(Bcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
FAILING(Iallreduce,
        (const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *q),
        (s, r, n, t, o, c, q))
FAILING(Isend, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *q),
        (b, n, t, to, tag, c, q))
FAILING(Recv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status *s),
        (b, n, t, from, tag, c, s))
FAILING(Win_create, (void *b, MPI_Aint n, int unit, MPI_Info i, MPI_Comm c, MPI_Win *w),
        (b, n, unit, i, c, w))
FAILING(Win_lock_all, (int a, MPI_Win w), (a, w))
FAILING(Win_flush, (int r, MPI_Win w), (r, w))
FAILING(Win_sync, (MPI_Win w), (w))
FAILING(Rget,
        (void *b, int n, MPI_Datatype t, int r, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w,
         MPI_Request *q),
        (b, n, t, r, d, m, u, w, q))
FAILING(Rput,
        (const void *b, int n, MPI_Datatype t, int r, MPI_Aint d, int m, MPI_Datatype u, MPI_Win w,
         MPI_Request *q),
        (b, n, t, r, d, m, u, w, q))
FAILING(Fetch_and_op,
        (const void *b, void *r, MPI_Datatype t, int to, MPI_Aint d, MPI_Op o, MPI_Win w),
        (b, r, t, to, d, o, w))
FAILING(File_write_at,
        (MPI_File f, MPI_Offset o, const void *b, int n, MPI_Datatype t, MPI_Status *s),
        (f, o, b, n, t, s))
