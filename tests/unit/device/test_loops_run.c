/* SPDX-License-Identifier: Apache-2.0
 * test_loops_run.c -- scans, loops and branches on each path: what lies where, what is copied, what bodies may hold. */
#include "support/expect.h"
#include "host/native.h"
#include "ir/host.h"
#include "support/group.h"
#include "support/ways.h"

/* --- carries, inputs and outputs ---------------------------------------------------------------- */

/* c, x -> c + x | c + x, x, c + x, c, k * x */
static kni_jaxpr *running_sum(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom k = knb_invar(&b, SCALAR(F32)), c = knb_invar(&b, SCALAR(F32)), x = knb_invar(&b, SCALAR(F32));
    kni_atom sum = knb_add(&b, c, x);
    return FINISH(&b, sum, sum, x, sum, c, knb_mul(&b, k, x));
}

static void a_carry_an_input_and_a_constant_may_be_outputs(void **state)
{
    (void)state;
    expect_scan((scan_of){running_sum(), 1, 1, 4, false, 0, 0}, LIST(F(10), F(100), F(1, 2, 3, 4)),
                LIST(F(110), F(101, 103, 106, 110), F(1, 2, 3, 4), F(101, 103, 106, 110), F(100, 101, 103, 106),
                     F(10, 20, 30, 40)));
}

static void reverse_goes_from_the_last_element_to_the_first(void **state)
{
    (void)state;
    expect_scan((scan_of){running_sum(), 1, 1, 3, true, 0, 0}, LIST(F(10), F(100), F(1, 2, 3)),
                LIST(F(106), F(106, 105, 103), F(1, 2, 3), F(106, 105, 103), F(105, 103, 100), F(10, 20, 30)));
}

static void a_scan_over_nothing_gives_its_carries(void **state)
{
    (void)state;
    float none[1] = {0};
    expect_scan((scan_of){running_sum(), 1, 1, 0, false, 0, 0}, LIST(F(10), F(7), none),
                LIST(F(7), none, none, none, none, none));
}

static void one_step_is_enough(void **state)
{
    (void)state;
    expect_scan((scan_of){running_sum(), 1, 1, 1, false, 0, 0}, LIST(F(2), F(7), F(3)),
                LIST(F(10), F(10), F(3), F(10), F(7), F(6)));
}

static void a_scan_may_have_no_inputs(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom c = knb_invar(&b, F32(2)), next = knb_mul(&b, c, knb_number(&b, KN_DT(F32), 2));
    kni_jaxpr *body = FINISH(&b, next, c);
    expect_scan((scan_of){body, 0, 1, 3, false, 0, 0}, LIST(F(1, 3)), LIST(F(8, 24), F(1, 3, 2, 6, 4, 12)));
}

static void a_scan_may_have_no_outputs(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom c = knb_invar(&b, SCALAR(I32)), d = knb_invar(&b, SCALAR(I32)), x = knb_invar(&b, SCALAR(I32));
    kni_jaxpr *body = FINISH(&b, knb_add(&b, c, x), knb_max(&b, d, x));
    expect_scan((scan_of){body, 0, 2, 5, false, 0, 0}, LIST(I(1), I(2), I(5, -1, 9, 0, 3)), LIST(I(17), I(9)));
}

static void a_scan_may_have_no_carries(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(2)), y = knb_invar(&b, SCALAR(F32));
    kni_jaxpr *body = FINISH(&b, knb_mul(&b, x, y), y, knb_number(&b, KN_DT(F32), 5));
    expect_scan((scan_of){body, 0, 0, 3, true, 0, 0}, LIST(F(1, 2, 3, 4, 5, 6), F(1, 10, 100)),
                LIST(F(1, 2, 30, 40, 500, 600), F(1, 10, 100), F(5, 5, 5)));
}

static void carries_may_trade_places_or_stay(void **state)
{
    (void)state;
    for (int64_t length = 1; length < 4; length++) {
        kni_builder b;
        knb_init(&b);
        kni_atom p = knb_invar(&b, F32(3)), q = knb_invar(&b, F32(3)), r = knb_invar(&b, F32(3));
        kni_jaxpr *body = FINISH(&b, q, p, r, p, r);
        bool odd = length & 1;
        expect_scan((scan_of){body, 0, 3, length, false, 0, 0}, LIST(F(1, 2, 3), F(4, 5, 6), F(7, 8, 9)),
                    LIST(odd ? F(4, 5, 6) : F(1, 2, 3), odd ? F(1, 2, 3) : F(4, 5, 6), F(7, 8, 9),
                         F(1, 2, 3, 4, 5, 6, 1, 2, 3), F(7, 8, 9, 7, 8, 9, 7, 8, 9)));
    }
}

static void a_carry_may_be_an_element_of_an_input_or_a_constant(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom k = knb_invar(&b, SCALAR(F32)), c = knb_invar(&b, SCALAR(F32)), d = knb_invar(&b, SCALAR(F32)),
             e = knb_invar(&b, SCALAR(F32)), x = knb_invar(&b, SCALAR(F32));
    kni_jaxpr *body = FINISH(&b, x, k, knb_number(&b, KN_DT(F32), 3), c, d, e);
    expect_scan((scan_of){body, 1, 3, 3, false, 0, 0}, LIST(F(9), F(1), F(2), F(4), F(5, 6, 7)),
                LIST(F(7), F(9), F(3), F(1, 5, 6), F(2, 9, 9), F(4, 3, 3)));
}

static void outputs_may_have_no_elements(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    float none[1] = {0};
    kni_atom c = knb_invar(&b, F32(0)), d = knb_invar(&b, SCALAR(F32)), x = knb_invar(&b, F32(2, 0));
    kni_atom twice = knb_add(&b, d, d);
    kni_jaxpr *body = FINISH(&b, knb_neg(&b, c), twice, knb_add(&b, x, x), x, twice);
    expect_scan((scan_of){body, 0, 2, 3, false, 0, 0}, LIST(none, F(1), none),
                LIST(none, F(8), none, none, F(2, 4, 8)));
}

static void carries_are_of_any_dtype(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom i = knb_invar(&b, SCALAR(U8)), t = knb_invar(&b, SCALAR(BOOL)), z = knb_invar(&b, SCALAR(C64)),
             h = knb_invar(&b, SCALAR(F16)), x = knb_invar(&b, SCALAR(F16));
    kni_atom more = knb_add(&b, i, knb_integer(&b, KN_DT(U8), 100)), sum = knb_add(&b, h, x);
    kni_jaxpr *body = FINISH(&b, more, knb_not(&b, t), knb_mul(&b, z, z), sum, t, z, more);
    /* 2048 + 1 is 2048 in float16: 0x6800; 1 is 0x3c00 */
    const uint16_t big[] = {0x6800}, ones[] = {0x3c00, 0x3c00, 0x3c00};
    expect_scan((scan_of){body, 0, 4, 3, false, 0, 0}, LIST(((uint8_t[]){200}), ((bool[]){true}), F(0, 1), big, ones),
                LIST(((uint8_t[]){244}), ((bool[]){false}), F(1, -0.0f), big, ((bool[]){true, false, true}),
                     F(0, 1, -1, 0, 1, -0.0f), ((uint8_t[]){44, 144, 244})));
}

/* The sum so far of each element, and behind it the largest of what is left: forwards, then backwards over outputs. */
static void two_scans_follow_one_another(void **state)
{
    (void)state;
    kni_builder b;
    enum { N = 40 };
    knb_init(&b);
    kni_atom c = knb_invar(&b, F32(3)), x = knb_invar(&b, F32(3)), sum = knb_add(&b, c, x);
    kni_jaxpr *forward = FINISH(&b, sum, sum);
    knb_init(&b);
    c = knb_invar(&b, F32(3)), x = knb_invar(&b, F32(3));
    kni_atom most = knb_max(&b, c, x);
    kni_jaxpr *backward = FINISH(&b, most, knb_sub(&b, most, x));
    knb_init(&b);
    kni_atom in[2] = {knb_invar(&b, F32(3)), knb_invar(&b, F32(N, 3))}, mid[2], end[2];
    knb_scan(&b, &(kni_p_scan){forward, N, 1, 0, false, 1, 0, 0, 0, {0, NULL}}, in, mid);
    knb_scan(&b, &(kni_p_scan){backward, N, 1, 0, true, 1, 0, 0, 0, {0, NULL}}, mid, end);
    kni_jaxpr *j = FINISH(&b, end[0], end[1]);
    float start[3] = {1, -2, 3}, xs[N][3], sums[N][3], ys[N][3], at[3];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            xs[i][k] = (float)((i * 7 + k * 5) % 11 - 5) / 4;
    for (int k = 0; k < 3; k++) {
        at[k] = start[k];
        for (int i = 0; i < N; i++)
            sums[i][k] = at[k] += xs[i][k];
        for (int i = N; i-- > 0;) {
            at[k] = sums[i][k] > at[k] ? sums[i][k] : at[k];
            ys[i][k] = at[k] - sums[i][k];
        }
    }
    expect_jaxpr(j, LIST(start, xs), LIST(at, ys));
    kni_release(forward);
    kni_release(backward);
}

/* Carries that are written over by one another's old values. */
static void temporaries_do_not_meet(void **state)
{
    (void)state;
    kni_builder b;
    enum { N = 100, STEPS = 5 };
    knb_init(&b);
    kni_atom p = knb_invar(&b, F32(N)), q = knb_invar(&b, F32(N)), k = knb_invar(&b, F32(N));
    kni_atom turned = knb_rev(&b, q, 1, (const int64_t[]){0}), total = knb_reduce_sum(&b, p, 1, (const int64_t[]){0});
    kni_atom next = knb_add(&b, p, turned), other = knb_sub(&b, p, knb_mul(&b, k, knb_broadcast_to(&b, total, F32(N))));
    kni_jaxpr *body = FINISH(&b, next, other, total, turned);
    float p0[N], q0[N], ks[STEPS][N], totals[STEPS], turns[STEPS][N], pn[N], qn[N];
    for (int i = 0; i < N; i++) {
        p0[i] = pn[i] = (float)(i % 7 - 3);
        q0[i] = qn[i] = (float)(i % 5);
        for (int s = 0; s < STEPS; s++)
            ks[s][i] = (float)((i + s) % 3 - 1);
    }
    for (int s = 0; s < STEPS; s++) { /* all numbers are small integers: no sum is rounded */
        float a[N], c[N];
        totals[s] = 0;
        for (int i = 0; i < N; i++)
            totals[s] += pn[i];
        for (int i = 0; i < N; i++) {
            turns[s][i] = qn[N - 1 - i];
            a[i] = pn[i] + turns[s][i];
            c[i] = pn[i] - ks[s][i] * totals[s];
        }
        memcpy(pn, a, sizeof a);
        memcpy(qn, c, sizeof c);
    }
    expect_scan((scan_of){body, 0, 2, STEPS, false, 0, 0}, LIST(p0, q0, ks), LIST(pn, qn, totals, turns));
}

static void an_update_of_a_carry_is_made_in_place(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom c = knb_invar(&b, F32(4)), i = knb_invar(&b, SCALAR(I32)), x = knb_invar(&b, F32(1));
    scan_of s = {FINISH(&b, knb_dynamic_update_slice(&b, c, x, &i)), 0, 1, 3, false, KN_PATH_CALLS, 0};
    kni_jaxpr *j = scan_jaxpr(&s);
    knd_loaded *p = test_compile(j, true);
    assert_int_equal(p->program->n_step, 1);
    assert_int_equal(p->program->step[0].kind, KNC_LOOP);
    assert_true(p->program->step[0].u.r.loop->second[0] == KNC_IN_PLACE);
    assert_int_equal(p->program->step[0].u.r.loop->places, 1);
    assert_int_equal(knc_copied_bytes(p->program->step[0].u.r.loop->body), 0);
    knd_release(p);
    kni_release(j);
    expect_scan(s, LIST(F(0, 0, 0, 0), I(2, 0, 3), F(5, 6, 7)), LIST(F(6, 0, 5, 7)));
}

/* Carries that are read at the very elements that are written stay where they are, each where it was. */
static void carries_that_are_written_over_stay(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        kni_builder b;
        knb_init(&b);
        kni_atom p = knb_invar(&b, F32(2)), q = knb_invar(&b, F32(2)), r = knb_invar(&b, F32(2)), next[3];
        next[0] = knb_add(&b, q, p);
        next[1] = knb_sub(&b, turned ? r : p, q);
        next[2] = knb_add(&b, r, knb_mul(&b, p, q));
        scan_of s = {FINISH(&b, next[0], next[1], next[2]), 0, 3, 2, false, KN_PATH_CALLS, 0};
        kni_jaxpr *j = scan_jaxpr(&s);
        knd_loaded *program = test_compile(j, true);
        assert_int_equal(program->program->step[0].u.r.loop->places, 1);
        knd_release(program);
        kni_release(j);
        if (turned) /* 1 2 3, 3 1 5, 4 2 8; 4 5 6, 9 1 26, 10 25 35 */
            expect_scan(s, LIST(F(1, 4), F(2, 5), F(3, 6)), LIST(F(4, 10), F(4, 25), F(8, 35)));
        else /* 1 2 3, 3 -1 5, 2 4 2; 4 5 6, 9 -1 26, 8 10 17 */
            expect_scan(s, LIST(F(1, 4), F(2, 5), F(3, 6)), LIST(F(2, 8), F(4, 10), F(2, 17)));
    }
}

/* A temporary that a carry begins with lies where the carry will: nothing is copied, and there is no second array. */
static void a_carry_begins_where_it_will_be(void **state)
{
    (void)state;
    enum { N = 4096 };
    for (int loops = 1; loops < 3; loops++) {
        kni_builder b;
        knb_init(&b);
        kni_atom c = knb_invar(&b, F32(N)), x = knb_invar(&b, SCALAR(F32));
        kni_jaxpr *body = FINISH(&b, knb_add(&b, c, knb_broadcast_to(&b, x, F32(N))));
        knb_init(&b);
        kni_atom in[2] = {knb_neg(&b, knb_invar(&b, F32(N))), knb_invar(&b, F32(3))};
        for (int i = 0; i < loops; i++)
            knb_scan(&b, &(kni_p_scan){body, 3, 1, 0, false, 1, 0, KN_PATH_CALLS | KN_PATH_STEPWISE, 0, {0, NULL}}, in,
                     in);
        kni_jaxpr *j = FINISH(&b, in[0]);
        knd_loaded *p = test_compile(j, true);
        if (knh_generator_best() != &knh_interpreter) /* which has a scratch */
            assert_true(knd_workspace_bytes(p, 1) < N * sizeof(float));
        knd_release(p);
        float start[N], end[N];
        for (int i = 0; i < N; i++) {
            start[i] = (float)i;
            end[i] = (float)(6 * loops - i);
        }
        expect_jaxpr(j, LIST(start, F(1, 2, 3)), LIST(end));
        kni_release(body);
    }
}

/* The same array as two carries, or as a carry and a constant, is not written over. */
static void a_carry_that_is_read_twice_is_copied(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom k = knb_invar(&b, F32(2)), p = knb_invar(&b, F32(2)), q = knb_invar(&b, F32(2)), out[2];
    kni_jaxpr *body = FINISH(&b, knb_add(&b, p, k), knb_mul(&b, q, k));
    knb_init(&b);
    kni_atom x = knb_neg(&b, knb_invar(&b, F32(2)));
    knb_scan(&b, &(kni_p_scan){body, 3, 2, 1, false, 1, 0, KN_PATH_CALLS | KN_PATH_STEPWISE, 0, {0, NULL}},
             (kni_atom[]){x, x, x}, out);
    expect_jaxpr(FINISH(&b, out[0], out[1]), LIST(F(-2, 1)), LIST(F(8, -4), F(16, 1)));
    kni_release(body);
}

/* --- what bodies hold --------------------------------------------------------------------------- */

static void bodies_hold_products(void **state)
{
    (void)state;
    enum { N = 24, STEPS = 3 };
    kni_builder b;
    knb_init(&b);
    kni_atom w = knb_invar(&b, F32(N, N)), c = knb_invar(&b, F32(N, N)), x = knb_invar(&b, F32(N, N));
    kni_atom next = knb_sub(&b, knb_matrix_product(&b, c, w), x);
    kni_jaxpr *body = FINISH(&b, next, knb_matrix_product(&b, x, x));
    static float w0[N][N], c0[N][N], cn[N][N], xs[STEPS][N][N], ys[STEPS][N][N];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            w0[i][k] = (float)((i * k) % 3 - 1);
            c0[i][k] = cn[i][k] = (float)((i + 2 * k) % 3 - 1);
            for (int s = 0; s < STEPS; s++)
                xs[s][i][k] = (float)((i + k * s) % 3 - 1);
        }
    for (int s = 0; s < STEPS; s++) {
        float next_c[N][N];
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++) {
                next_c[i][k] = ys[s][i][k] = 0;
                for (int l = 0; l < N; l++) {
                    next_c[i][k] += cn[i][l] * w0[l][k];
                    ys[s][i][k] += xs[s][i][l] * xs[s][l][k];
                }
                next_c[i][k] -= xs[s][i][k];
            }
        memcpy(cn, next_c, sizeof cn);
    }
    expect_scan((scan_of){body, 1, 1, STEPS, false, 0, 0}, LIST(w0, c0, xs), LIST(cn, ys));
}

static void bodies_hold_sorts_and_gathers(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom c = knb_invar(&b, F32(4)), i = knb_invar(&b, SCALAR(I32)), sorted;
    kni_atom picked = knb_dynamic_slice(&b, c, &i, (const int64_t[]){1});
    kni_atom changed = knb_dynamic_update_slice(&b, c, knb_neg(&b, picked), &i);
    knb_sort(&b, 1, &changed, 0, 1, &sorted);
    kni_jaxpr *body = FINISH(&b, sorted, picked, c);
    expect_scan((scan_of){body, 0, 1, 3, false, 0, 0}, LIST(F(4, 1, 3, 2), I(2, 0, 9)),
                LIST(F(-4, 1, 2, 3), F(3, -3, 4), F(4, 1, 3, 2, -3, 1, 2, 4, 1, 2, 3, 4)));
}

static void bodies_hold_factorizations(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom c = knb_invar(&b, F32(2, 2)), x = knb_invar(&b, F32(2, 2));
    kni_atom l = knb_cholesky(&b, knb_add(&b, c, x), KN_CHECK_CHOLESKY);
    kni_jaxpr *body = FINISH(&b, l, l);
    /* 4 2, 2 10 has the factor 2 0, 1 3; with 2 0, -1 6 that is 4 0, 0 9 */
    expect_scan((scan_of){body, 0, 1, 2, false, 0, 0}, LIST(F(0, 0, 0, 0), F(4, 2, 2, 10, 2, 0, -1, 6)),
                LIST(F(2, 0, 0, 3), F(2, 0, 1, 3, 2, 0, 0, 3)));
}

static void bodies_hold_scatters(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom c = knb_invar(&b, F32(5)), at = knb_invar(&b, kni_type_of(KN_DT(I32), 2, (int64_t[]){3, 1})),
             x = knb_invar(&b, F32(3));
    kni_ints zero = {1, (const int64_t[]){0}}, none = {0, NULL};
    kni_p_scatter p = {none, zero, zero, none, none, KN_GATHER_CLIP, false, false, false};
    kni_jaxpr *body = FINISH(&b, knb_scatter_add(&b, c, at, x, &p));
    expect_scan((scan_of){body, 0, 1, 2, false, 0, 0},
                LIST(F(1, 2, 3, 4, 5), I(0, 1, 1, 4, 0, 4), F(10, 20, 30, 1, 2, 3)), LIST(F(13, 52, 3, 4, 9)));
}

/* --- branches ------------------------------------------------------------------------------------ */

static kni_jaxpr *times(double k)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(2)), y = knb_invar(&b, F32(2));
    kni_atom more = knb_mul(&b, x, knb_number(&b, KN_DT(F32), k));
    return FINISH(&b, more, more, y);
}

/* An index and two arrays -> those of the branch it chooses. */
static kni_jaxpr *choice(int n)
{
    kni_builder b;
    kni_jaxpr *branch[8];
    for (int i = 0; i < n; i++)
        branch[i] = times(i + 1);
    knb_init(&b);
    kni_atom in[] = {knb_invar(&b, SCALAR(I32)), knb_invar(&b, F32(2)), knb_invar(&b, F32(2))}, out[3];
    knb_cond(&b, &(kni_p_cond){{n, branch}, {0, NULL}, {0, NULL}}, in, out);
    kni_jaxpr *j = FINISH(&b, out[0], out[1], out[2]);
    for (int i = 0; i < n; i++)
        kni_release(branch[i]);
    return j;
}

static void an_index_chooses_a_branch(void **state)
{
    (void)state;
    for (int32_t i = 0; i < 3; i++)
        expect_jaxpr(choice(3), LIST(I(i), F(1, 2), F(7, 8)),
                     LIST(F((float)(i + 1), 2 * (float)(i + 1)), F((float)(i + 1), 2 * (float)(i + 1)), F(7, 8)));
}

static void an_index_beyond_the_branches_is_the_nearest(void **state)
{
    (void)state;
    expect_jaxpr(choice(3), LIST(I(-5), F(1, 2), F(7, 8)), LIST(F(1, 2), F(1, 2), F(7, 8)));
    expect_jaxpr(choice(3), LIST(I(INT32_MIN), F(1, 2), F(7, 8)), LIST(F(1, 2), F(1, 2), F(7, 8)));
    expect_jaxpr(choice(3), LIST(I(3), F(1, 2), F(7, 8)), LIST(F(3, 6), F(3, 6), F(7, 8)));
    expect_jaxpr(choice(3), LIST(I(INT32_MAX), F(1, 2), F(7, 8)), LIST(F(3, 6), F(3, 6), F(7, 8)));
    expect_jaxpr(choice(1), LIST(I(1), F(1, 2), F(7, 8)), LIST(F(1, 2), F(1, 2), F(7, 8)));
}

/* One branch fails on its operand, so it matters that only one runs. */
static kni_jaxpr *careful(void)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(2, 2));
    kni_jaxpr *branch[2] = {FINISH(&b, knb_neg(&b, x))};
    knb_init(&b);
    x = knb_invar(&b, F32(2, 2));
    branch[1] = FINISH(&b, knb_cholesky(&b, x, KN_CHECK_CHOLESKY));
    knb_init(&b);
    kni_atom in[] = {knb_invar(&b, SCALAR(I32)), knb_invar(&b, F32(2, 2))}, out;
    knb_cond(&b, &(kni_p_cond){{2, branch}, {0, NULL}, {0, NULL}}, in, &out);
    kni_jaxpr *j = FINISH(&b, out);
    kni_release(branch[0]);
    kni_release(branch[1]);
    return j;
}

static void a_branch_that_is_not_chosen_does_not_run(void **state)
{
    (void)state;
    expect_jaxpr(careful(), LIST(I(0), F(-1, 2, 3, -4)), LIST(F(1, -2, -3, 4)));
    expect_jaxpr(careful(), LIST(I(1), F(4, 0, 0, 9)), LIST(F(2, 0, 0, 3)));
}

/* --- while ---------------------------------------------------------------------------------------- */

/* i, x -> while (i < limit) {i + 1, 2 x}, at most `most` times */
static kni_jaxpr *doubling(int64_t most)
{
    kni_builder b;
    knb_init(&b);
    kni_atom in[3] = {knb_invar(&b, SCALAR(I32)), knb_invar(&b, SCALAR(I32)), knb_invar(&b, F32(2))}, out[2];
    kni_jaxpr *condition = FINISH(&b, knb_lt(&b, in[1], in[0]));
    knb_init(&b);
    in[0] = knb_invar(&b, SCALAR(I32)), in[1] = knb_invar(&b, F32(2));
    kni_jaxpr *body = FINISH(&b, knb_add(&b, in[0], knb_integer(&b, KN_DT(I32), 1)), knb_add(&b, in[1], in[1]));
    knb_init(&b);
    for (int i = 0; i < 3; i++)
        in[i] = knb_invar(&b, i < 2 ? SCALAR(I32) : F32(2));
    knb_while(&b, &(kni_p_while){body, 0, condition, 1, most, 0, 0}, in, out);
    kni_jaxpr *j = FINISH(&b, out[0], out[1]);
    kni_release(condition);
    kni_release(body);
    return j;
}

static void a_while_ends_at_its_condition_or_its_bound(void **state)
{
    (void)state;
    expect_jaxpr(doubling(0), LIST(I(5), I(0), F(1, 3)), LIST(I(5), F(32, 96)));
    expect_jaxpr(doubling(0), LIST(I(4), I(0), F(1, 3)), LIST(I(4), F(16, 48)));
    expect_jaxpr(doubling(0), LIST(I(5), I(9), F(1, 3)), LIST(I(9), F(1, 3)));
    expect_jaxpr(doubling(3), LIST(I(5), I(0), F(1, 3)), LIST(I(3), F(8, 24)));
    expect_jaxpr(doubling(5), LIST(I(5), I(0), F(1, 3)), LIST(I(5), F(32, 96)));
    expect_jaxpr(doubling(6), LIST(I(5), I(0), F(1, 3)), LIST(I(5), F(32, 96)));
}

/* --- loops in loops -------------------------------------------------------------------------------- */

/* The body: a branch by x's sign around a scan around a while; three deep. c, x[4] -> c, sums of 2^n x */
static kni_jaxpr *deep_body(void)
{
    kni_builder b;
    kni_jaxpr *grow = doubling(0), *branch[2];
    knb_init(&b); /* of the scan: limit, start | sum | x */
    kni_atom limit = knb_invar(&b, SCALAR(I32)), sum = knb_invar(&b, F32(2)), x = knb_invar(&b, F32(2)), out[2];
    knb_inline(&b, grow, (kni_atom[]){limit, knb_integer(&b, KN_DT(I32), 0), x}, out);
    kni_atom next = knb_add(&b, sum, out[1]);
    kni_jaxpr *inner = FINISH(&b, next, next);
    for (int i = 0; i < 2; i++) {
        knb_init(&b);
        kni_atom in[] = {knb_invar(&b, SCALAR(I32)), knb_invar(&b, F32(2)), knb_invar(&b, F32(3, 2))};
        if (i)
            knb_scan(&b, &(kni_p_scan){inner, 3, 1, 1, false, 1, 0, 0, 0, {0, NULL}}, in, out);
        else
            out[0] = knb_neg(&b, in[1]), out[1] = in[2];
        branch[i] = FINISH(&b, out[0], out[1]);
    }
    knb_init(&b);
    kni_atom in[] = {knb_invar(&b, F32(2)), knb_invar(&b, SCALAR(I32)), knb_invar(&b, F32(3, 2))};
    kni_atom index = knb_convert(&b, knb_gt(&b, in[1], knb_integer(&b, KN_DT(I32), 0)), KN_DT(I32));
    knb_cond(&b, &(kni_p_cond){{2, branch}, {0, NULL}, {0, NULL}}, (kni_atom[]){index, in[1], in[0], in[2]}, out);
    kni_jaxpr *body = FINISH(&b, out[0], out[1]);
    kni_release(grow);
    kni_release(inner);
    kni_release(branch[0]);
    kni_release(branch[1]);
    return body;
}

static void loops_are_in_branches_and_branches_in_loops(void **state)
{
    (void)state;
    const float x[2][3][2] = {{{1, 2}, {3, 4}, {5, 6}}, {{1, 1}, {2, 2}, {-1, 0}}};
    float ys[4][3][2], xs[4][3][2], c[2] = {100, 200};
    const int32_t limits[4] = {2, -1, 1, 0};
    for (int s = 0; s < 4; s++) {
        memcpy(xs[s], x[s % 2], sizeof xs[s]);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 2; k++)
                ys[s][i][k] = limits[s] > 0 ? c[k] += xs[s][i][k] * (float)(1 << limits[s]) : xs[s][i][k];
        for (int k = 0; k < 2; k++)
            c[k] = limits[s] > 0 ? c[k] : -c[k];
    }
    expect_scan((scan_of){deep_body(), 0, 1, 4, false, 0, 0}, LIST(F(100, 200), limits, xs), LIST(c, ys));
}

/* --- on_step, accept -------------------------------------------------------------------------------- */

typedef struct heard {
    int64_t step[8], length;
    int n, stop_at;
} heard;
static knx_error *hear(const kni_host *h, int n_in, const kni_type *xt, const void *const *x, int n_out,
                       const kni_type *yt, void *const *y)
{
    heard *to = h->env;
    (void)yt, (void)y;
    assert_int_equal(n_in, 2);
    assert_int_equal(n_out, 0);
    assert_true(xt[0].dtype == KN_DT(I64) && xt[1].dtype == KN_DT(I64) && !xt[0].ndim);
    to->step[to->n++ % 8] = *(const int64_t *)x[0];
    to->length = *(const int64_t *)x[1];
    return to->n == to->stop_at ? knx_error_new(KN_ERROR_RUNTIME, "enough") : NULL;
}

static void on_step_hears_of_each_step(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        heard all = {.stop_at = -1};
        const kni_host *h = kni_host_of(&(kni_host){.env = &all, .call = hear});
        const int64_t accept[] = {0, KN_PATH_CALLS, KN_PATH_STEPWISE};
        scan_of s = {running_sum(), 1, 1, 3, true, accept[i], h->id};
        kni_jaxpr *j = scan_jaxpr(&s);
        knd_loaded *p = test_compile(j, true);
        test_operands x = test_make_operands(j, 1);
        knx_buffer *out[6];
        test_ok(knd_run(p, x.in, out, NULL));
        assert_int_equal(all.n, 3);
        assert_int_equal(all.length, 3);
        for (int k = 0; k < 3; k++)
            assert_int_equal(all.step[k], k + 1);
        test_release(6, out);
        all = (heard){.stop_at = 2};
        knx_error *error = knd_run(p, x.in, out, NULL);
        assert_non_null(error);
        assert_string_equal(error->message, "enough");
        assert_int_equal(all.n, 2);
        knx_error_release(error);
        test_free_operands(&x);
        knd_release(p);
        kni_release(j);
        kni_release(s.body);
    }
}

static void expect_refused(scan_of s, bool fuse, const char *message)
{
    kni_jaxpr *j = scan_jaxpr(&s);
    knd_loaded *p = NULL;
    knx_error *error = knd_compile(&knd_host, j, &(knc_compile_options){.fuse = fuse}, &p);
    assert_null(p);
    assert_non_null(error);
    assert_int_equal(error->kind, KN_ERROR_VALUE);
    assert_string_equal(error->message, message);
    knx_error_release(error);
    kni_release(j);
    kni_release(s.body);
}

static void paths_that_are_not_accepted_are_errors(void **state)
{
    (void)state;
    expect_refused((scan_of){running_sum(), 1, 1, 3, false, KN_PATH_COMPILED, 0}, false,
                   "scan would run stepwise, which .accept does not allow: fusion is off");
    expect_refused((scan_of){running_sum(), 1, 1, 3, false, KN_PATH_COMPILED | KN_PATH_CALLS, 0}, false,
                   "scan would run stepwise, which .accept does not allow: fusion is off");
    heard all = {0};
    const kni_host *h = kni_host_of(&(kni_host){.env = &all, .call = hear});
    expect_refused((scan_of){running_sum(), 1, 1, 3, false, KN_PATH_COMPILED, h->id}, true,
                   "scan would run as a loop with routine calls, which .accept does not allow: .on_step hears of each "
                   "step");
}

static void the_text_says_which_path_and_why(void **state)
{
    (void)state;
    scan_of s = {running_sum(), 1, 1, 3, false, KN_PATH_STEPWISE, 0};
    kni_jaxpr *j = scan_jaxpr(&s);
    knd_loaded *p = test_compile(j, true);
    char *text = NULL;
    test_ok(knc_text(p->program, &text));
    assert_non_null(strstr(text, "loops and branches\n  0: scan: stepwise: .accept excludes what is better\nsteps\n"));
    knx_free(text);
    knd_release(p);
    kni_release(j);
    j = careful();
    p = test_compile(j, false);
    test_ok(knc_text(p->program, &text));
    assert_non_null(strstr(text, "\n  0: cond: programs that are run: fusion is off\n"));
    knx_free(text);
    knd_release(p);
    kni_release(j);
    kni_release(s.body);
}

/* Of the inner steps too: that is why the body of the scan is run as any program then. */
static void hooks_hear_of_loops_and_branches(void **state)
{
    (void)state;
    int counts[16] = {0};
    scan_of s = {deep_body(), 0, 1, 2, false, KN_PATH_CALLS, 0};
    kni_jaxpr *j = scan_jaxpr(&s);
    knd_loaded *p = test_compile(j, true);
    const float xs[12] = {0};
    knd_operand in[] = {{.data = F(1, 2)}, {.data = I(1, -1)}, {.data = xs}};
    knx_buffer *out[2];
    test_ok(knd_run_with(p, in, out, &(knd_options){.threads = 1, .on_step = ways_hear, .on_step_env = counts}));
    assert_true(counts[KN_STEP_LOOP] >= 1);
    if (p->program->step[0].kind == KNC_LOOP && p->program->step[0].u.r.loop->body->n_step > 1)
        assert_int_equal(counts[KN_STEP_BRANCH] + counts[KN_STEP_KERNEL] > 2, 1);
    test_release(2, out);
    knd_release(p);
    kni_release(j);
    kni_release(s.body);
}

/* An error in the body: its place, and nothing is left. */
static void an_error_in_a_body_has_its_place(void **state)
{
    (void)state;
    static const kn_place here = {.file = "model.c", .line = 42};
    const int64_t accept[] = {0, KN_PATH_CALLS, KN_PATH_STEPWISE};
    for (int i = 0; i < 3; i++) {
        kni_builder b;
        knb_init(&b);
        kni_atom c = knb_invar(&b, F32(2, 2)), x = knb_invar(&b, F32(2, 2));
        b.place = &here;
        kni_atom l = knb_cholesky(&b, knb_add(&b, c, x), KN_CHECK_CHOLESKY);
        scan_of s = {FINISH(&b, l, x), 0, 1, 2, false, accept[i], 0};
        kni_jaxpr *j = scan_jaxpr(&s);
        knd_loaded *p = test_compile(j, true);
        knd_operand in[] = {{.data = F(0, 0, 0, 0)}, {.data = F(4, 0, 0, 9, -7, 0, 0, 1)}};
        knx_buffer *out[2];
        knx_error *error = knd_run(p, in, out, NULL);
        assert_non_null(error);
        assert_non_null(error->place);
        assert_int_equal(error->place->line, 42);
        assert_true(!out[0] && !out[1]);
        knx_error_release(error);
        knd_release(p);
        kni_release(j);
        kni_release(s.body);
    }
}

KN_TEST_GROUP(test_loops_run)
{
    const struct CMUnitTest tests[] = {
        TEST(a_carry_an_input_and_a_constant_may_be_outputs),
        TEST(reverse_goes_from_the_last_element_to_the_first),
        TEST(a_scan_over_nothing_gives_its_carries),
        TEST(one_step_is_enough),
        TEST(a_scan_may_have_no_inputs),
        TEST(a_scan_may_have_no_outputs),
        TEST(a_scan_may_have_no_carries),
        TEST(carries_may_trade_places_or_stay),
        TEST(a_carry_may_be_an_element_of_an_input_or_a_constant),
        TEST(outputs_may_have_no_elements),
        TEST(carries_are_of_any_dtype),
        TEST(two_scans_follow_one_another),
        TEST(temporaries_do_not_meet),
        TEST(an_update_of_a_carry_is_made_in_place),
        TEST(carries_that_are_written_over_stay),
        TEST(a_carry_begins_where_it_will_be),
        TEST(a_carry_that_is_read_twice_is_copied),
        TEST(bodies_hold_products),
        TEST(bodies_hold_sorts_and_gathers),
        TEST(bodies_hold_factorizations),
        TEST(bodies_hold_scatters),
        TEST(an_index_chooses_a_branch),
        TEST(an_index_beyond_the_branches_is_the_nearest),
        TEST(a_branch_that_is_not_chosen_does_not_run),
        TEST(a_while_ends_at_its_condition_or_its_bound),
        TEST(loops_are_in_branches_and_branches_in_loops),
        TEST(on_step_hears_of_each_step),
        TEST(paths_that_are_not_accepted_are_errors),
        TEST(the_text_says_which_path_and_why),
        TEST(hooks_hear_of_loops_and_branches),
        TEST(an_error_in_a_body_has_its_place),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
