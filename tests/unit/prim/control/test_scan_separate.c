/* SPDX-License-Identifier: Apache-2.0
 * test_scan_separate.c -- a scan over an array and some scalars becomes two scans: what is the same for all elements is
 * worked out in one of its own. */
#include "ir/ops.h"
#include "support/group.h"
#include "support/programs.h"
#include "support/expect.h"
#include "transform/transform.h"

enum { LENGTH = 5 };

/* carry (i, x): i + 1, x * 0.5 + float(i) -> y: i * 3 */
static kni_jaxpr *counted_body(int64_t n)
{
    kni_builder b;
    kni_jaxpr *j = NULL;
    knb_init(&b);
    kni_type scalar = {.dtype = KN_DT(I64)}, array = {.dtype = KN_DT(F32), .ndim = 1, .dim = &n};
    kni_atom i = knb_invar(&b, scalar), x = knb_invar(&b, array), y[3];
    y[0] = knb_add(&b, i, knb_integer(&b, KN_DT(I64), 1));
    kni_atom t = knb_convert(&b, i, KN_DT(F32));
    y[1] = knb_add(&b, knb_mul(&b, x, knb_number(&b, KN_DT(F32), 0.5)), knb_broadcast_to(&b, t, array));
    y[2] = knb_mul(&b, i, knb_integer(&b, KN_DT(I64), 3));
    assert_null(knb_finish(&b, 3, y, "body", true, &j));
    knb_free(&b);
    return j;
}

static kni_jaxpr *counted_scan(int64_t n)
{
    kni_builder b;
    kni_jaxpr *j = NULL, *body = counted_body(n);
    kni_type scalar = {.dtype = KN_DT(I64)}, array = {.dtype = KN_DT(F32), .ndim = 1, .dim = &n};
    knb_init(&b);
    kni_atom in[2] = {knb_invar(&b, scalar), knb_invar(&b, array)}, y[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE};
    knb_scan(&b, &(kni_p_scan){.jaxpr = body, .length = LENGTH, .num_carry = 2, .unroll = 1}, in, y);
    assert_null(knb_finish(&b, 3, y, "f", true, &j));
    knb_free(&b);
    kni_release(body);
    return j;
}

static int scans_after_expansion(int64_t n)
{
    kni_jaxpr *j = counted_scan(n), *expanded = NULL;
    int scans = 0;
    assert_null(knt_expand(j, &expanded));
    for (uint32_t i = 0; i < expanded->n_eqn; i++)
        scans += expanded->eqn[i].prim == &knp_prim_scan;
    kni_release(j);
    kni_release(expanded);
    return scans;
}

static void a_counter_beside_an_array_is_a_scan_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(scans_after_expansion(300), 2);
}

static void small_carries_stay_together(void **state)
{
    (void)state;
    assert_int_equal(scans_after_expansion(4), 1);
}

typedef struct {
    kn_array i, x;
} Counted;
typedef struct {
    Counted carry;
    kn_array y;
} CountedStep;
static CountedStep counted(const Counted *c)
{
    return (CountedStep){{kn_add(c->i, 1), kn_add(kn_mul(c->x, 0.5), kn_astype(c->i, KN_F64))}, kn_mul(c->i, 3)};
}
KN_FUNCTION(counted, CountedStep, Counted)

static void values_are_those_of_the_whole(void **state)
{
    (void)state;
    KN_SCOPE;
    Counted start = {kn_scalar(2), kn_full(KN_SHAPE(300), 4.0)};
    CountedStep out;
    kn_scan(KN_FN(counted), &out, &start, KN_NOTHING, .length = LENGTH);
    double x = 4;
    for (int i = 2; i < 2 + LENGTH; i++)
        x = x * 0.5 + i;
    expect_values(out.carry.i, 7);
    expect_values(kn_take(out.carry.x, kn_of(int64_t, 0, 150, 299)), x, x, x);
    expect_values(out.y, 6, 9, 12, 15, 18);
}

KN_TEST_GROUP(test_scan_separate)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_beside_an_array_is_a_scan_of_its_own),
        cmocka_unit_test(small_carries_stay_together),
        cmocka_unit_test(values_are_those_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
