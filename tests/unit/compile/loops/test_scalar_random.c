/* SPDX-License-Identifier: Apache-2.0
 * test_scalar_random.c -- random jaxprs as bodies of scans: their inputs are elements of inputs, constants, and a carry
 * of the first input's type that one of the results may be. Kernels give the bits of the stepwise program, natively and
 * interpreted. */
#include "host/drive.h"
#include "support/group.h"
#include "support/scalar.h"

enum { LENGTH = 3 };

static kni_type stacked(kni_type t, int64_t *dim)
{
    dim[0] = LENGTH;
    for (int d = 0; d < t.ndim; d++)
        dim[d + 1] = t.dim[d];
    return kni_type_of(t.dtype, t.ndim + 1, dim);
}

/* A result that can be the next carry: of the carry's shape and dtype. */
static int next_of(const kni_jaxpr *j, kni_type carry)
{
    for (uint32_t i = 0; i < j->n_out; i++) {
        kni_type t = kni_out_type(j, i);
        if (t.dtype == carry.dtype && t.weak == carry.weak && kni_type_same_shape(t, carry))
            return (int)i;
    }
    return -1;
}

/* carry, constants of j, the other inputs of j -> carry, all results of j */
static kni_jaxpr *body_of(const kni_jaxpr *j)
{
    kni_builder b;
    kni_atom in[MANY], out[MANY];
    knb_init(&b);
    kni_type carry = kni_in_type(j, 0);
    int next = next_of(j, carry);
    for (uint32_t i = 0; i < j->n_const; i++)
        in[i] = knb_invar(&b, j->type[i]);
    for (uint32_t i = 0; i < j->n_in; i++)
        in[j->n_const + i] = knb_invar(&b, kni_in_type(j, i));
    knb_inline(&b, j, in, out + 1);
    out[0] = next < 0 ? in[j->n_const] : out[1 + next];
    return test_finish(&b, (int)j->n_out + 1, out);
}

static kni_jaxpr *scan_of(const kni_jaxpr *j, bool reverse)
{
    kni_builder b;
    kni_atom in[MANY], out[MANY];
    int64_t dim[KN_MAX_NDIM + 1];
    knb_init(&b);
    kni_jaxpr *body = body_of(j);
    for (uint32_t i = 0; i < body->n_in; i++)
        in[i] = knb_invar(&b, i <= j->n_const ? kni_in_type(body, i) : stacked(kni_in_type(body, i), dim));
    knb_scan(
        &b,
        &(kni_p_scan){
            .jaxpr = body, .length = LENGTH, .num_consts = j->n_const, .num_carry = 1, .reverse = reverse, .unroll = 1},
        in, out);
    kni_release(body);
    return test_finish(&b, (int)j->n_out + 1, out);
}

static void random_bodies_keep_their_bits(void **state)
{
    (void)state;
    int compiled = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        knh_tune.turns = (int64_t)(seed % 4); /* they ask whether to go on, as long ones do; 0: not */
        kni_jaxpr *j = test_random_jaxpr(seed, 4 + (int)(seed % 17)), *scan = scan_of(j, seed % 3 == 0);
        knd_loaded *p = test_compile(scan, true);
        bool one = p->program->n_step == 1 && p->program->step[0].kind == KNC_KERNEL;
        if (one)
            same_results(scan, p, seed);
        else
            same_outputs(scan, p, seed);
        if (getenv("KILN_TEST_SHOW"))
            for (const knc_path_note *n = p->program->path; n; n = n->next)
                print_message("%d %s\n", (int)seed, n->path == KN_PATH_COMPILED ? "compiled" : n->why);
        for (const knc_path_note *n = p->program->path; n; n = n->next)
            compiled += n->path == KN_PATH_COMPILED;
        knd_release(p);
        kni_release(scan);
        kni_release(j);
    }
    knh_tune.turns = 0;
    assert_true(compiled > 800);
}

KN_TEST_GROUP(test_scalar_random)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_bodies_keep_their_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
