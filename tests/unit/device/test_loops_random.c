/* SPDX-License-Identifier: Apache-2.0
 * test_loops_random.c -- scans of random bodies against their steps in a row, in every way they run. */
#include "support/expect.h"
#include "support/group.h"
#include "support/ways.h"

enum { MOST_TYPES = 12 };
typedef struct random_scan {
    int n_const, n_carry, n_x, n_y;
    int64_t length;
} random_scan;

static bool same_type(kni_type a, kni_type b) { return a.dtype == b.dtype && kni_type_same_shape(a, b); }

/* Results are any values of their types: operands, each other, twice the same one, values of long chains. */
static kni_jaxpr *random_body(uint64_t seed, random_scan *s)
{
    kni_builder b;
    knb_init(&b);
    test_maker m = {.b = &b, .state = seed};
    const kni_type some[] = {F32(6), F32(6), SCALAR(F32), F32(2, 3), test_type(KN_DT(I32), 1, (int64_t[]){6})};
    s->n_const = test_below(&m.state, 3), s->n_carry = test_below(&m.state, 5), s->n_x = test_below(&m.state, 4);
    s->n_y = test_below(&m.state, 5), s->length = test_below(&m.state, 6);
    int inputs = s->n_const + s->n_carry + s->n_x;
    if (!inputs)
        inputs = s->n_const = 1;
    kni_atom out[MOST_TYPES];
    for (int i = 0; i < inputs; i++)
        m.pool[m.n++] = knb_invar(&b, some[test_below(&m.state, 5)]);
    for (int e = 0, many = test_below(&m.state, 14); e < many; e++) {
        if (!test_below(&m.state, 4))
            test_views(&m);
        else if (!test_below(&m.state, 4))
            test_joins(&m);
        else
            test_elementwise(&m);
        knx_error_release(knb_take_error(&b));
    }
    for (int k = 0; k < s->n_carry + s->n_y; k++)
        do
            out[k] = test_below(&m.state, 3) ? test_pick(&m) : m.pool[test_below(&m.state, inputs)];
        while (k < s->n_carry && !same_type(knb_type(&b, out[k]), knb_type(&b, m.pool[s->n_const + k])));
    return test_finish(&b, s->n_carry + s->n_y, out);
}

/* The same without a loop: steps in a row, on slices. */
/* Keys are pairs of numbers along one more axis. */
static kni_atom no_keys(kni_builder *b, kni_type t)
{
    int64_t dim[9] = {0};
    for (int d = 0; d < t.ndim; d++)
        dim[d] = t.dim[d];
    dim[t.ndim] = 2;
    return knb_random_wrap(b, knb_zeros(b, kni_type_of(KN_DT(U32), t.ndim + 1, dim)));
}

static kni_jaxpr *in_a_row(kni_jaxpr *body, const random_scan *s, bool reverse)
{
    kni_builder b;
    knb_init(&b);
    kni_atom in[MOST_TYPES], at[MOST_TYPES], y[MOST_TYPES], ys[MOST_TYPES][8], out[MOST_TYPES];
    int first_x = s->n_const + s->n_carry;
    for (int i = 0; i < first_x + s->n_x; i++) {
        kni_type t = kni_in_type(body, (uint32_t)i);
        int64_t dim[4] = {s->length};
        for (int d = 0; d < t.ndim; d++)
            dim[d + 1] = t.dim[d];
        at[i] = in[i] = knb_invar(&b, i < first_x ? t : kni_type_of(t.dtype, t.ndim + 1, dim));
    }
    for (int64_t t = 0; t < s->length; t++) {
        int64_t n = reverse ? s->length - 1 - t : t;
        for (int i = 0; i < s->n_x; i++) {
            kni_type e = kni_in_type(body, (uint32_t)(first_x + i));
            int64_t start[4] = {n}, limit[4] = {n + 1};
            for (int d = 0; d < e.ndim; d++)
                limit[d + 1] = e.dim[d];
            at[first_x + i] = knb_squeeze(&b, knb_slice(&b, in[first_x + i], start, limit, NULL), 1, (int64_t[]){0});
        }
        knb_inline(&b, body, at, y);
        for (int k = 0; k < s->n_carry; k++)
            at[s->n_const + k] = y[k];
        for (int k = 0; k < s->n_y; k++)
            ys[k][n] = y[s->n_carry + k];
    }
    for (int k = 0; k < s->n_carry; k++)
        out[k] = at[s->n_const + k];
    for (int k = 0; k < s->n_y; k++) {
        kni_type t = kni_out_type(body, (uint32_t)(s->n_carry + k));
        int64_t dim[8] = {0};
        for (int d = 0; d < t.ndim; d++)
            dim[d + 1] = t.dim[d];
        kni_type none = kni_type_of(t.dtype, t.ndim + 1, dim);
        out[s->n_carry + k] = s->length                      ? knb_stack(&b, (int)s->length, ys[k], 0)
                              : t.dtype->kind == KN_KIND_KEY ? no_keys(&b, none)
                                                             : knb_zeros(&b, none);
    }
    return test_finish(&b, s->n_carry + s->n_y, out);
}

static void random_scans_are_their_steps_in_a_row(void **state)
{
    (void)state;
    int many = 0;
    for (uint64_t seed = 1; seed <= 250; seed++) {
        random_scan s;
        kni_jaxpr *body = random_body(seed, &s);
        bool reverse = seed & 1, fits = true;
        for (uint32_t k = 0; k < body->n_out; k++) /* `in_a_row` has a kind of stack for few axes */
            fits = fits && kni_out_type(body, k).ndim < 4;
        if (fits && body->n_out) {
            kni_jaxpr *row = in_a_row(body, &s, reverse);
            test_operands x = test_make_operands(row, seed);
            const void *in[MOST_TYPES];
            for (int i = 0; i < x.n; i++)
                in[i] = x.in[i].data;
            ways w = {.in = in};
            knd_loaded *p = test_compile(row, false);
            test_ok(knd_run(p, x.in, w.first, NULL));
            knd_release(p);
            ways_scan(&w, (scan_of){body, s.n_const, s.n_carry, s.length, reverse, 0, 0});
            ways_free(&w);
            test_free_operands(&x);
            kni_release(row);
            many++;
        }
        kni_release(body);
    }
    assert_true(many > 150);
}

KN_TEST_GROUP(test_loops_random)
{
    const struct CMUnitTest tests[] = {
        TEST(random_scans_are_their_steps_in_a_row),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
