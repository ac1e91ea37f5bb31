/* SPDX-License-Identifier: Apache-2.0
 * bench_sharding.c -- programs over two devices beside the same ones on one device with two threads; started by scripts/bench-sharding.sh:
 * alone (one device, all threads), with KILN_DEVICES=2 (virtual devices), and by mpirun (processes, the argument "mpi").
 * Prints minimum and median of the milliseconds of each row, and the bytes per second of collectives. */
#include <kiln/kiln.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9, N = 1024, S = 256, D = 256, F = 1024, GRID = 1024, STEPS = 10, ELEMENTS = 1 << 22 };

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

typedef struct {
    kn_array q, k, v, o, up, down;
} Block;

static kn_array product(const kn_array *x, const kn_array *w) { return kn_matmul(*x, *w); }
KN_FUNCTION(product, kn_array, kn_array, kn_array)

/* Of a batch of sequences. */
static kn_array block_loss(const Block *w, const kn_array *x)
{
    kn_array q = kn_matmul(*x, w->q), k = kn_matmul(*x, w->k), v = kn_matmul(*x, w->v);
    kn_array scores = kn_div(kn_matmul(q, kn_swapaxes(k, -1, -2)), 16.0);
    kn_array y = kn_add(*x, kn_matmul(kn_matmul(kn_nn_softmax(scores, KN_AXIS(-1)), v), w->o));
    kn_array z = kn_add(y, kn_matmul(kn_nn_gelu(kn_matmul(y, w->up)), w->down));
    return kn_mean(kn_square(z));
}
KN_FUNCTION(block_loss, kn_array, Block, kn_array)

static kn_array heat(const kn_array *i, const kn_array *u)
{
    (void)i;
    kn_array middle = kn_at(*u, "1:-1, 1:-1");
    kn_array around = kn_add(kn_add(kn_at(*u, ":-2, 1:-1"), kn_at(*u, "2:, 1:-1")),
                             kn_add(kn_at(*u, "1:-1, :-2"), kn_at(*u, "1:-1, 2:")));
    return kn_pad(kn_add(middle, kn_mul(kn_sub(around, kn_mul(middle, 4)), 0.2)), 1);
}
KN_FUNCTION(heat, kn_array, kn_array, kn_array)

static kn_array simulate(const kn_array *u)
{
    kn_array out = NULL;
    kn_fori_loop(0, STEPS, KN_FN(heat), &out, u);
    return out;
}
KN_FUNCTION(simulate, kn_array, kn_array)

static kn_array sum_all(const kn_array *x) { return kn_lax_psum(*x, "d"); }
static kn_array gather_all(const kn_array *x) { return kn_lax_all_gather(*x, "d", .tiled = true); }
KN_FUNCTION(sum_all, kn_array, kn_array)
KN_FUNCTION(gather_all, kn_array, kn_array)

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* moved: bytes of the operand of a collective; 0: none. */
static void report(const char *name, double *took, double moved)
{
    if (kn_process_index())
        return;
    qsort(took, ROUNDS, sizeof *took, compare);
    printf("%-22s %9.3f %9.3f", name, took[0], took[ROUNDS / 2]);
    if (moved > 0)
        printf("   %6.2f GB/s", moved / took[0] * 1e-6);
    printf("\n");
    fflush(stdout);
}

#define MEASURE(name, moved, ...)                       \
    do {                                                \
        double took[ROUNDS];                            \
        for (int round = -2; round < ROUNDS; round++) { \
            KN_SCOPE;                                   \
            double start = milliseconds();              \
            __VA_ARGS__;                                \
            if (round >= 0)                             \
                took[round] = milliseconds() - start;   \
        }                                               \
        report(name, took, moved);                      \
    } while (0)

static kn_array normal(int number, kn_shape shape)
{
    return kn_mul(kn_random_normal(kn_random_fold_in(kn_random_key(1), number), shape, .dtype = KN_F32), 0.05);
}

int main(int argc, char **argv)
{
    bool mpi = argc > 1 && !strcmp(argv[1], "mpi");
    if (mpi && !kn_distributed_init())
        return kn_finish();
    KN_SCOPE;
    int n = kn_local_device_count() * kn_process_count();
    kn_mesh mesh = kn_make_mesh(KN_SHAPE(n), "d");
    kn_sharding rows = kn_named_sharding(mesh, "d"), all = kn_named_sharding(mesh, "");
    bool spread = n > 1;
#define PUT(x, how) (spread ? kn_shard(x, how) : (x))
    kn_array x = PUT(normal(1, KN_SHAPE(N, N)), rows), w = PUT(normal(2, KN_SHAPE(N, N)), all), y;
    kn_array batch = PUT(normal(3, KN_SHAPE(4, S, D)), rows), plate = PUT(normal(4, KN_SHAPE(GRID, GRID)), rows);
    Block b = {PUT(normal(5, KN_SHAPE(D, D)), all), PUT(normal(6, KN_SHAPE(D, D)), all),
               PUT(normal(7, KN_SHAPE(D, D)), all), PUT(normal(8, KN_SHAPE(D, D)), all),
               PUT(normal(9, KN_SHAPE(D, F)), all), PUT(normal(10, KN_SHAPE(F, D)), all)},
          g;
    kn_fn times = kn_jit(KN_FN(product)), step = kn_jit(kn_grad(KN_FN(block_loss))), run = kn_jit(KN_FN(simulate));
    if (!kn_process_index())
        printf("%d devices, %d processes\n%-22s %9s %9s\n", n, kn_process_count(), "row", "minimum", "median ms");
    MEASURE("product 1024", 0, kn_call(times, &y, &x, &w); kn_block_until_ready(y));
    MEASURE("transformer gradient", 0, kn_call(step, &g, &b, &batch); kn_block_until_ready(g.down);
            kn_block_until_ready(g.q));
    MEASURE("heat 1024, 10 steps", 0, kn_call(run, &y, &plate); kn_block_until_ready(y));
    if (spread) {
        kn_array long_one = PUT(kn_ones(KN_SHAPE(n * ELEMENTS), .dtype = KN_F32), rows);
        kn_fn sum = kn_jit(kn_shard_map(KN_FN(sum_all), mesh, .in_specs = {"d"}, .out_specs = {""}));
        kn_fn gather =
            kn_jit(kn_shard_map(KN_FN(gather_all), mesh, .in_specs = {"d"}, .out_specs = {""}, .check_vma = false));
        MEASURE("all-reduce 16 MB", 4.0 * ELEMENTS, kn_call(sum, &y, &long_one); kn_block_until_ready(y));
        MEASURE("all-gather 16 MB each", 4.0 * ELEMENTS, kn_call(gather, &y, &long_one); kn_block_until_ready(y));
    }
    return kn_finish();
}
