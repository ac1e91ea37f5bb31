/* SPDX-License-Identifier: Apache-2.0
 * sharded_heat.c -- heat in a plate that is spread over four devices, two by two: each keeps its quarter, and neighbours exchange a row or
 * a column at each step. The program is the one of a single device; only the plate is put down otherwise. */
#include <kiln/kiln.h>
#include <stdio.h>

enum { N = 64, STEPS = 200 };

static kn_array step(const kn_array *u)
{
    kn_array middle = kn_at(*u, "1:-1, 1:-1");
    kn_array around = kn_add(kn_add(kn_at(*u, ":-2, 1:-1"), kn_at(*u, "2:, 1:-1")),
                             kn_add(kn_at(*u, "1:-1, :-2"), kn_at(*u, "1:-1, 2:")));
    kn_array next = kn_add(middle, kn_mul(kn_sub(around, kn_mul(middle, 4)), 0.2));
    return kn_pad(next, 1); /* the rim stays cold */
}
KN_FUNCTION(step, kn_array, kn_array)

static kn_array turn(const kn_array *i, const kn_array *u) { return (void)i, step(u); }
KN_FUNCTION(turn, kn_array, kn_array, kn_array)

static kn_array simulate(const kn_array *u)
{
    kn_array out = NULL;
    kn_fori_loop(0, STEPS, KN_FN(turn), &out, u);
    return out;
}
KN_FUNCTION(simulate, kn_array, kn_array)

int main(void)
{
    kn_set_local_device_count(4); /* as KILN_DEVICES=4 */
    KN_SCOPE;
    kn_mesh mesh = kn_make_mesh(KN_SHAPE(2, 2), "rows, columns");
    kn_array plate = kn_zeros(KN_SHAPE(N, N)), whole = NULL, spread = NULL;
    kn_set_at(plate, 100.0, "20:40, 10:30");

    kn_array there = kn_shard(plate, kn_named_sharding(mesh, "rows, columns"));
    fputs(kn_visualize_array_sharding(there), stdout);
    kn_call(kn_jit(KN_FN(simulate)), &spread, &there);
    kn_call(kn_jit(KN_FN(simulate)), &whole, &plate);
    printf("spread as %s; the same bits as on one device: %s\n", kn_sharding_spec(kn_sharding_of(spread)),
           kn_array_equal(kn_device_get(spread), whole) ? "yes" : "no");
    printf("warmest point after %d steps: %.3f\n", STEPS, kn_item(kn_max(spread)));

    kn_partitioned p = kn_partition_jaxpr(kn_make_jaxpr(KN_FN(step), KN_ARGS(&plate)), mesh, "(rows, columns)");
    kn_communication c = kn_communication_of(p.jaxpr);
    printf("One step: %.0f exchanges with neighbours, at most %.0f bytes for each device\n", c.collectives, c.bytes);
    return kn_finish();
}
