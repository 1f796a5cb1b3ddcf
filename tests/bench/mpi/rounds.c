/* Rounds of notify and wait as one writes them by hand: MPI_Fetch_and_op into the peer's cell, and
 * polling of the own one. Prints the seconds of a round. usage: mpirun -n 2 rounds REPS */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, reps = argc > 1 ? atoi(argv[1]) : 1000;
    int32_t *cell, one = 1, nothing = 0, before;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *cell, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &window);
    *cell = 0;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 1; i <= reps; i++) {
        MPI_Fetch_and_op(&one, &before, MPI_INT32_T, 1 - rank, 0, MPI_SUM, window);
        MPI_Win_flush(1 - rank, window);
        do {
            sched_yield();
            MPI_Fetch_and_op(&nothing, &before, MPI_INT32_T, rank, 0, MPI_NO_OP, window);
            MPI_Win_flush(rank, window);
        } while (before < i);
    }
    double seconds = MPI_Wtime() - start;
    if (rank == 0)
        printf("%.9g\n", seconds / reps);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
