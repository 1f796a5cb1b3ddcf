/* What samples/14_reduce_scatter.pld does, checks included, for MPI. */
#include <mpi.h>
#include <stdio.h>

enum { SIZE = 64, MOST = 64 };

int main(int argc, char **argv)
{
    static float x[MOST * SIZE], y[SIZE];
    int rank, ranks, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int j = 0; j < ranks * SIZE; j++)
        x[j] = (float)(rank * 100 + j);
    MPI_Reduce_scatter_block(x, y, SIZE, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    for (int j = 0; j < SIZE; j++) {
        float want = 0;
        for (int k = 0; k < ranks; k++)
            want += (float)(k * 100 + rank * SIZE + j);
        wrong += y[j] != want;
    }
    int all = 0;
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        puts(all ? "wrong" : "OK");
    MPI_Finalize();
    return 0;
}
