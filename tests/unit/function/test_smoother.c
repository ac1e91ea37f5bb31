/* SPDX-License-Identifier: Apache-2.0
 * test_smoother.c -- a Kalman filter and the smoother of Rauch, Tung and Striebel, two scans in one jitted function: the
 * second one runs backwards over what the first one put out. The numbers are NumPy's, made by
 * scripts/golden/make_smoother.py. */
#include "support/expect.h"
#include "support/group.h"

typedef struct {
    kn_array mean, cov;
} State;
typedef struct {
    State now, predicted;
} Filtered;
typedef struct {
    State carry;
    Filtered out;
} FilterStep;
typedef struct {
    State carry, out;
} SmootherStep;
typedef struct {
    kn_array means, covs, filtered;
} Smoothed;

static kn_array transition(void) { return kn_reshape(kn_of(double, 1, 0.5, 0, 1), KN_SHAPE(2, 2)); }
static kn_array noise(void) { return kn_reshape(kn_of(double, 0.02, 0.01, 0.01, 0.05), KN_SHAPE(2, 2)); }
static kn_array times(kn_array a, kn_array b) { return kn_matmul(a, b); }
static kn_array turned(kn_array a) { return kn_swapaxes(a, 0, 1); }

/* The first entry of the state is measured, with variance 0.3. */
static FilterStep filter(const State *s, const kn_array *y)
{
    kn_array f = transition(), mean = times(f, s->mean), cov = kn_add(times(times(f, s->cov), turned(f)), noise());
    kn_array column = kn_at(cov, ":,0"), gain = kn_div(column, kn_add(kn_at(column, "0"), 0.3));
    State now = {kn_add(mean, kn_mul(gain, kn_sub(*y, kn_at(mean, "0")))),
                 kn_sub(cov, kn_outer(gain, kn_at(cov, "0,:")))};
    return (FilterStep){now, {now, {mean, cov}}};
}
KN_FUNCTION(filter, FilterStep, State, kn_array)

typedef struct {
    State now, after; /* the filtered state, and what it predicted for the step behind it */
} Pass;
static SmootherStep smooth(const State *later, const Pass *p)
{
    kn_array gain = times(times(p->now.cov, turned(transition())), kn_linalg_inv(p->after.cov));
    State s = {kn_add(p->now.mean, times(gain, kn_sub(later->mean, p->after.mean))),
               kn_add(p->now.cov, times(times(gain, kn_sub(later->cov, p->after.cov)), turned(gain)))};
    return (SmootherStep){s, s};
}
KN_FUNCTION(smooth, SmootherStep, State, Pass)

static Smoothed smoother(const State *first, const kn_array *y)
{
    FilterStep f = {0};
    SmootherStep s = {0};
    kn_scan(KN_FN(filter), &f, first, y);
    Pass p = {{kn_at(f.out.now.mean, ":-1"), kn_at(f.out.now.cov, ":-1")},
              {kn_at(f.out.predicted.mean, "1:"), kn_at(f.out.predicted.cov, "1:")}};
    kn_scan(KN_FN(smooth), &s, &f.carry, &p, .reverse = true);
    return (Smoothed){kn_concatenate(KN_LIST(s.out.mean, kn_expand_dims(f.carry.mean, KN_AXIS(0)))),
                      kn_concatenate(KN_LIST(s.out.cov, kn_expand_dims(f.carry.cov, KN_AXIS(0)))), f.out.now.mean};
}
KN_FUNCTION(smoother, Smoothed, State, kn_array)

static void expect_smoothed(const Smoothed *s)
{
    expect_near(s->means, 1e-13, 0.9063714397784198, 1.4199433082092916, 1.6226692767720212, 1.4318439876534164,
                2.339954793159583, 1.4421305824254254, 3.0745740678115587, 1.4413830436416055, 3.7937417511299727,
                1.4328741748060594, 4.503292661124689, 1.429431086101903);
    expect_near(s->covs, 1e-13, 0.12821884444291162, -0.06785643504823491, -0.06785643504823499, 0.11981166894880602,
                0.0810195386293732, -0.030537801398191206, -0.03053780139819129, 0.09537988109521967,
                0.06467771042984763, -0.008744724140733018, -0.008744724140733046, 0.08579762637136806,
                0.06672459453629875, 0.010457881429508958, 0.010457881429508958, 0.093424221041804, 0.09149195593493811,
                0.04179213659666593, 0.04179213659666596, 0.11969255037547075, 0.16219385460246544, 0.09987954922779406,
                0.09987954922779409, 0.16318703169961507);
    expect_near(s->filtered, 1e-13, 0.8235668789808916, 1.129936305732484, 1.593964582580412, 1.324199494036863,
                2.1548966447742273, 1.2340084267318001, 3.096105651883303, 1.4798497219890963, 3.8727172165481156,
                1.5042958492219503, 4.503292661124689, 1.429431086101903);
}

static void two_passes_in_one_jitted_function(void **state)
{
    (void)state;
    KN_SCOPE;
    State first = {kn_of(double, 0, 1), kn_eye(2)};
    kn_array y = kn_of(double, 0.9, 1.7, 2.1, 3.3, 3.9, 4.4);
    Smoothed s;
    kn_call(kn_jit(KN_FN(smoother)), &s, &first, &y);
    expect_smoothed(&s);
    kn_call(KN_FN(smoother), &s, &first, &y);
    expect_smoothed(&s);
}

/* Several series at a time: as many times the same. */
static void lanes_of_it(void **state)
{
    (void)state;
    KN_SCOPE;
    State first = {kn_of(double, 0, 1), kn_eye(2)};
    kn_array y = kn_of(double, 0.9, 1.7, 2.1, 3.3, 3.9, 4.4), both = kn_stack(KN_LIST(y, y));
    Smoothed s;
    kn_call(kn_jit(kn_vmap(KN_FN(smoother), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)})), &s, &first, &both);
    Smoothed one = {kn_at(s.means, "1"), kn_at(s.covs, "1"), kn_at(s.filtered, "1")};
    expect_smoothed(&one);
}

KN_TEST_GROUP(test_smoother)
{
    const struct CMUnitTest tests[] = {TEST(two_passes_in_one_jitted_function), TEST(lanes_of_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
