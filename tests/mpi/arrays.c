/* SPDX-License-Identifier: Apache-2.0
 * arrays.c -- a program of a user's as several processes: arrays over the devices of all of them, and training steps.
 * The first process prints results to the bit: the same for as many devices in one process and in several. */
#include <kiln/kiln.h>
#include <stdio.h>

typedef struct {
    kn_array w, b;
} Net;
typedef struct {
    kn_array x, y;
} Data;

static kn_array loss(const Net *net, const Data *d)
{
    kn_array miss = kn_sub(kn_tanh(kn_add(kn_matmul(d->x, net->w), net->b)), d->y);
    return kn_mean(kn_mul(miss, miss));
}
KN_FUNCTION(loss, kn_array, Net, Data)

static void print_bits(const char *name, kn_array x)
{
    kn_array whole = kn_device_get(x);
    const unsigned char *p = (const unsigned char *)kn_data(whole, float);
    unsigned long long hash = 14695981039346656037u;
    for (int64_t i = 0; p && i < kn_size(whole) * 4; i++)
        hash = (hash ^ p[i]) * 1099511628211u;
    if (!kn_process_index())
        printf("%s %016llx\n", name, hash);
}

static void work(void)
{
    KN_SCOPE;
    kn_mesh mesh = kn_make_mesh(KN_SHAPE(kn_global_device_count()), "data");
    kn_sharding rows = kn_named_sharding(mesh, "data"), whole = kn_named_sharding(mesh, "");
    kn_array x = kn_sin(kn_reshape(kn_arange(0, 192 * 16, 1, .dtype = KN_F32), KN_SHAPE(192, 16)));
    kn_array y = kn_cos(kn_reshape(kn_arange(0, 192 * 4, 1, .dtype = KN_F32), KN_SHAPE(192, 4)));
    Data data = {kn_shard(x, rows), kn_shard(y, rows)};
    Net net = {kn_shard(kn_mul(kn_sin(kn_reshape(kn_arange(0, 64, 1, .dtype = KN_F32), KN_SHAPE(16, 4))), 0.1), whole),
               kn_shard(kn_zeros(KN_SHAPE(4), .dtype = KN_F32), whole)};
    print_bits("sum", kn_shard(kn_sum(data.x), whole));
    print_bits("product", kn_shard(kn_matmul(kn_transpose(data.x), data.y), whole));
    print_bits("reversed", kn_shard(kn_cumsum(kn_flip(data.x, KN_AXIS(0)), KN_AXIS(0)), whole));
    kn_fn step = kn_jit(kn_value_and_grad(KN_FN(loss)));
    for (int i = 0; i < 3; i++) {
        kn_array value;
        Net grad;
        kn_call(step, KN_OUT(&value, &grad), &net, &data);
        net.w = kn_sub(net.w, grad.w);
        net.b = kn_sub(net.b, grad.b);
        print_bits("loss", kn_shard(value, whole));
    }
    print_bits("w", kn_shard(net.w, whole));
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1 && !kn_distributed_init(.timeout = 60))
        return kn_finish();
    work();
    return kn_finish();
}
