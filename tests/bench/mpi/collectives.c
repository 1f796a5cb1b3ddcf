/* The collectives of MPI, as tests/bench/collectives.pld has those of pld: prints the seconds of a
 * call on the wall and of processor time, all ranks together.
 * usage: mpirun -n P collectives WHICH ELEMENTS REPS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static float *in, *out;
static int count, ranks;

static void call(const char *which)
{
    MPI_Comm world = MPI_COMM_WORLD;
    int part = count / ranks;
    if (strcmp(which, "mesh") == 0 || strcmp(which, "ring") == 0)
        MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, world);
    else if (strcmp(which, "reduce_scatter") == 0)
        MPI_Reduce_scatter_block(in, out, part, MPI_FLOAT, MPI_SUM, world);
    else if (strcmp(which, "allgather") == 0)
        MPI_Allgather(in, part, MPI_FLOAT, out, part, MPI_FLOAT, world);
    else
        MPI_Alltoall(in, part, MPI_FLOAT, out, part, MPI_FLOAT, world);
}

static double processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    int rank, reps = argc > 3 ? atoi(argv[3]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    count = argc > 2 ? atoi(argv[2]) : 1024;
    in = malloc((size_t)count * sizeof *in);
    out = malloc((size_t)count * sizeof *out);
    if (argc < 2 || !in || !out)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < count; i++)
        in[i] = out[i] = 0.5f;
    call(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    double wall = MPI_Wtime(), used = processor();
    for (int i = 0; i < reps; i++)
        call(argv[1]);
    double mine[2] = {MPI_Wtime() - wall, processor() - used}, longest, sum;
    MPI_Reduce(&mine[0], &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine[1], &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.9g %.9g\n", longest / reps, sum / reps);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
