/* SPDX-License-Identifier: Apache-2.0
 * peer_mpi.c -- plain MPI beside bench_sharding.c's collectives: MPI_Allreduce, whose order of adding is the library's, and MPI_Allgather.
 * Compiled and started by scripts/bench-sharding.sh. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 9, ELEMENTS = 1 << 22 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int rank, n;
    double took[2][ROUNDS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    float *x = malloc(sizeof *x * ELEMENTS), *y = malloc(sizeof *y * ELEMENTS * (size_t)n);
    for (int i = 0; i < ELEMENTS; i++)
        x[i] = 1;
    for (int what = 0; what < 2; what++)
        for (int round = -2; round < ROUNDS; round++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double start = MPI_Wtime();
            if (what)
                MPI_Allgather(x, ELEMENTS, MPI_FLOAT, y, ELEMENTS, MPI_FLOAT, MPI_COMM_WORLD);
            else
                MPI_Allreduce(x, y, ELEMENTS, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
            if (round >= 0)
                took[what][round] = 1e3 * (MPI_Wtime() - start);
        }
    for (int what = 0; what < 2 && !rank; what++) {
        qsort(took[what], ROUNDS, sizeof **took, compare);
        printf("%-22s %9.3f %9.3f   %6.2f GB/s\n", what ? "all-gather 16 MB each" : "all-reduce 16 MB", took[what][0],
               took[what][ROUNDS / 2], 4e-6 * ELEMENTS / took[what][0]);
    }
    free(x);
    free(y);
    MPI_Finalize();
    return 0;
}
