/* SPDX-License-Identifier: Apache-2.0
 * attach.c -- a program that has MPI itself: every second process works with Kiln on a communicator of its own. With the argument
 * "forgets" it ends MPI without leaving Kiln's job, which is no error. */
#include <kiln/kiln.h>
#include <mpi.h>
#include <stdio.h>

/* The sum over a mesh of all devices of this half. */
static double sum_over_half(void)
{
    KN_SCOPE;
    int n = kn_global_device_count();
    kn_mesh mesh = kn_make_mesh(KN_SHAPE(n), "x");
    kn_array x = kn_shard(kn_arange(0, 4 * n, 1, .dtype = KN_F64), kn_named_sharding(mesh, "x"));
    return kn_item(kn_shard(kn_sum(x), kn_named_sharding(mesh, "")));
}

int main(int argc, char **argv)
{
    int level, rank, ranks, half_rank, half_ranks;
    MPI_Comm half;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_rank(half, &half_rank);
    MPI_Comm_size(half, &half_ranks);
    bool well = kn_distributed_init(.communicator = &half, .timeout = 60);
    well = well && kn_process_count() == half_ranks && kn_process_index() == half_rank;
    int n = 4 * kn_global_device_count();
    well = well && sum_over_half() == 0.5 * n * (n - 1);
    well = well && !kn_distributed_init() && kn_error_get_kind() == KN_ERROR_RUNTIME;
    kn_error_clear();
    if (argc < 2)
        well = kn_distributed_shutdown() && well;
    int all = 0, mine = well; /* MPI is still the program's */
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    MPI_Finalize();
    if (!well)
        printf("rank %d: %s\n", rank, kn_error_message());
    return kn_finish() || !all;
}
