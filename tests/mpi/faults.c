/* Calls of MPI that fail: preloaded over the library, through its profiling interface. The
 * PLD_FAIL-th call of those below, counted in process PLD_FAIL_AT, returns MPI_ERR_OTHER and does
 * nothing. PLD_FAIL_OF=NAME: of the calls of this name alone, for those that are made again and
 * again until something comes, too. PLD_SEPARATE: windows say that their memory is separate. */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static long left = -1;

static int fails(const char *name, bool polls)
{
    const char *of = getenv("PLD_FAIL_OF");
    if (of ? strcmp(of, name) != 0 : polls)
        return 0;
    if (left < 0) {
        const char *n = getenv("PLD_FAIL"), *at = getenv("PLD_FAIL_AT");
        int rank = 0;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        left = n && at && rank == atoi(at) ? atol(n) : 0;
    }
    return left > 0 && --left == 0;
}

#define EXPORT __attribute__((visibility("default")))
#define FAILS(name, polls, params, args)                                                           \
    EXPORT int MPI_##name params                                                                   \
    {                                                                                              \
        return fails(#name, polls) ? MPI_ERR_OTHER : PMPI_##name args;                             \
    }
#define FAILING(name, params, args) FAILS(name, false, params, args)
#define POLLING(name, params, args) FAILS(name, true, params, args)

EXPORT int MPI_Win_get_attr(MPI_Win w, int key, void *value, int *given)
{
    static int separate = MPI_WIN_SEPARATE;
    int code =
        fails("Win_get_attr", false) ? MPI_ERR_OTHER : PMPI_Win_get_attr(w, key, value, given);
    if (code == MPI_SUCCESS && key == MPI_WIN_MODEL && getenv("PLD_SEPARATE"))
        *(int **)value = &separate;
    return code;
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
FAILING(Barrier, (MPI_Comm c), (c))
FAILING(Comm_dup, (MPI_Comm c, MPI_Comm *n), (c, n))
FAILING(Comm_free, (MPI_Comm * c), (c))
FAILING(Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info i, MPI_Comm *n),
        (c, type, key, i, n))
FAILING(Compare_and_swap,
        (const void *b, const void *x, void *r, MPI_Datatype t, int to, MPI_Aint d, MPI_Win w),
        (b, x, r, t, to, d, w))
FAILING(Raccumulate,
        (const void *b, int n, MPI_Datatype t, int r, MPI_Aint d, int m, MPI_Datatype u, MPI_Op o,
         MPI_Win w, MPI_Request *q),
        (b, n, t, r, d, m, u, o, w, q))
FAILING(File_open, (MPI_Comm c, const char *n, int a, MPI_Info i, MPI_File *f), (c, n, a, i, f))
FAILING(File_sync, (MPI_File f), (f))
FAILING(File_close, (MPI_File * f), (f))
FAILING(Finalize, (void), ())
FAILING(Type_commit, (MPI_Datatype * t), (t))
FAILING(Type_contiguous, (int n, MPI_Datatype t, MPI_Datatype *u), (n, t, u))
FAILING(Type_create_hvector, (int n, int b, MPI_Aint s, MPI_Datatype t, MPI_Datatype *u),
        (n, b, s, t, u))
FAILING(Type_free, (MPI_Datatype * t), (t))
FAILING(Win_free, (MPI_Win * w), (w))
FAILING(Win_unlock_all, (MPI_Win w), (w))
POLLING(Get_count, (const MPI_Status *s, MPI_Datatype t, int *n), (s, t, n))
POLLING(Iprobe, (int from, int tag, MPI_Comm c, int *there, MPI_Status *s),
        (from, tag, c, there, s))
POLLING(Test, (MPI_Request * q, int *done, MPI_Status *s), (q, done, s))
POLLING(Wait, (MPI_Request * q, MPI_Status *s), (q, s))
