/* SPDX-License-Identifier: Apache-2.0
 * sharded_pipeline.c -- four layers on four devices, one each: small batches go from device to device, so that all devices work at once but for
 * the first and the last few turns (GPipe, Huang et al. 2019). Gradients come back the same way, by themselves. */
#include <kiln/kiln.h>
#include <stdio.h>

enum { STAGES = 4, BATCHES = 8, ROWS = 4, WIDTH = 16 };

static kn_array layer(kn_array w, kn_array x) { return kn_tanh(kn_matmul(x, w)); }

/* On the device of one stage: its weights [1, WIDTH, WIDTH], all small batches [BATCHES, ROWS, WIDTH]. */
static kn_array stage(const kn_array *w, const kn_array *batches)
{
    kn_array mine = kn_squeeze(*w, .axis = KN_AXIS(0)), number = kn_lax_axis_index("stage");
    kn_array arrived = kn_zeros(KN_SHAPE(ROWS, WIDTH)), done[BATCHES];
    for (int turn = 0; turn < BATCHES + STAGES - 1; turn++) {
        kn_array fresh = kn_at(*batches, "%", turn < BATCHES ? turn : BATCHES - 1);
        kn_array y = layer(mine, kn_where(kn_equal(number, 0), fresh, arrived));
        if (turn >= STAGES - 1)
            done[turn - STAGES + 1] = y; /* of the last stage */
        arrived = kn_lax_ppermute(y, "stage", KN_PAIRS({0, 1}, {1, 2}, {2, 3}));
    }
    kn_array out = kn_stack(KN_LIST(done[0], done[1], done[2], done[3], done[4], done[5], done[6], done[7]));
    return kn_lax_psum(kn_where(kn_equal(number, STAGES - 1), out, 0), "stage"); /* what the last stage has, for all */
}
KN_FUNCTION(stage, kn_array, kn_array, kn_array)

static kn_fn pipeline;
static kn_array spread_loss(const kn_array *w, const kn_array *batches)
{
    kn_array out = NULL;
    kn_call(pipeline, &out, w, batches);
    return kn_mean(kn_square(out));
}
KN_FUNCTION(spread_loss, kn_array, kn_array, kn_array)

static kn_array whole_loss(const kn_array *w, const kn_array *batches)
{
    kn_array x = *batches;
    for (int i = 0; i < STAGES; i++)
        x = layer(kn_at(*w, "%", i), x);
    return kn_mean(kn_square(x));
}
KN_FUNCTION(whole_loss, kn_array, kn_array, kn_array)

int main(void)
{
    kn_set_local_device_count(4); /* as KILN_DEVICES=4 */
    KN_SCOPE;
    kn_mesh mesh = kn_make_mesh(KN_SHAPE(STAGES), "stage");
    kn_array key = kn_random_key(3);
    kn_array w = kn_mul(kn_random_normal(kn_random_fold_in(key, 1), KN_SHAPE(STAGES, WIDTH, WIDTH)), 0.4);
    kn_array x = kn_random_normal(kn_random_fold_in(key, 2), KN_SHAPE(BATCHES, ROWS, WIDTH));
    kn_array stages = kn_shard(w, kn_named_sharding(mesh, "stage")), value, grad, whole, whole_grad;

    pipeline = kn_shard_map(KN_FN(stage), mesh, .in_specs = {"stage", ""}, .out_specs = {""});
    kn_call(kn_jit(kn_value_and_grad(KN_FN(spread_loss))), KN_OUT(&value, &grad), &stages, &x);
    kn_call(kn_jit(kn_value_and_grad(KN_FN(whole_loss))), KN_OUT(&whole, &whole_grad), &w, &x);
    double difference = kn_item(kn_max(kn_abs(kn_sub(kn_device_get(grad), whole_grad))));
    printf("loss %.6f through the pipeline, %.6f on one device\n", kn_item(value), kn_item(whole));
    printf("gradients of the stages' weights lie as (%s), and are right: %s\n", kn_sharding_spec(kn_sharding_of(grad)),
           difference < 1e-12 ? "yes" : "no");
    return kn_finish();
}
