/* SPDX-License-Identifier: Apache-2.0
 * test_factors.c -- the factors of equations as they occur in programs, in words: "sum 4: 0.1 1.0 ->" is a sum over 4
 * elements of axis 1 of operand 0 and axis 0 of operand 1. That cutting along factors is right is what the check
 * `spread` of rules shows; here is that they are found. */
#include "ir/ops.h"
#include "shard/factors.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

typedef kni_atom build_fn(kni_builder *b);

static kni_atom array(kni_builder *b, kn_dtype d, int ndim, const int64_t *dim)
{
    return knb_invar(b, kni_type_of(d, ndim, dim));
}
#define DIMS(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (const int64_t[]) { __VA_ARGS__ }
#define LIST(...)         \
    {                     \
        DIMS(__VA_ARGS__) \
    }
#define FLOATS(b, ...)  array(b, KN_DT(F32), DIMS(__VA_ARGS__))
#define INDICES(b, ...) array(b, KN_DT(I32), DIMS(__VA_ARGS__))

static const char *factor_text(const kni_spread *s, const kni_factor *f, knx_text *t)
{
    static const char *const kind[] = {"parallel", "sum", "one", "prod",     "max", "min",
                                       "and",      "or",  "xor", "position", "halo"};
    knx_text_add(t, "%s %lld:", kind[f->kind], (long long)f->size);
    for (int i = 0; i < s->n_in; i++)
        if (f->in[i] >= 0)
            knx_text_add(t, " %d.%d", i, f->in[i]);
    knx_text_add(t, " ->");
    for (int j = 0; j < s->n_out; j++)
        if (f->out[j] >= 0)
            knx_text_add(t, " %d.%d", j, f->out[j]);
    if (f->kind == KNI_HALO)
        knx_text_add(t, " by %lld from %lld to %lld", (long long)f->step, (long long)-f->low, (long long)f->high);
    return t->s;
}

/* The factors of the last equation, in order; the list ends with NULL. */
static void check(build_fn *build, const char *const *want)
{
    kni_builder b;
    kni_jaxpr *j = NULL;
    knx_arena a = KN_ARENA_INIT;
    kni_type xt[8];
    kni_spread s;
    knb_init(&b);
    kni_atom y = build(&b);
    knx_error *e = b.error ? knb_take_error(&b) : knb_finish(&b, 1, &y, "f", false, &j);
    knb_free(&b);
    if (e)
        fail_msg("%s", e->message);
    const kni_eqn *q = &j->eqn[j->n_eqn - 1];
    for (uint32_t i = 0; i < q->n_in; i++)
        xt[i] = kni_atom_type(j, q->in[i]);
    kni_rule r = kni_rule_of(q, xt, &j->type[q->out]);
    assert_null(knshard_factors(&r, &a, &s));
    for (int k = 0; k < s.n || *want; k++) {
        knx_text t = {0};
        const char *got = k < s.n ? factor_text(&s, &s.v[k], &t) : "nothing";
        if (!*want || strcmp(got, *want))
            fail_msg("%s: factor %d is \"%s\", not \"%s\"", q->prim->name, k, got, *want ? *want : "nothing");
        want += *want != NULL;
    }
    knx_arena_free(&a);
    kni_release(j);
}
#define CHECK(build, ...) check(build, (const char *const[]){__VA_ARGS__, NULL})

/* ---- Products. */

static kni_atom scores(kni_builder *b) /* of attention: batch, positions, heads, features */
{
    kni_atom q = FLOATS(b, 2, 16, 4, 8), k = FLOATS(b, 2, 12, 4, 8);
    const kni_p_dot_general p = {
        .lhs_contract = LIST(3), .rhs_contract = LIST(3), .lhs_batch = LIST(0, 2), .rhs_batch = LIST(0, 2)};
    return knb_dot_general(b, q, k, &p);
}

static kni_atom truths(kni_builder *b)
{
    kni_atom x = array(b, KN_DT(BOOL), DIMS(3, 4)), y = array(b, KN_DT(BOOL), DIMS(4, 5));
    const kni_p_dot_general p = {.lhs_contract = LIST(1), .rhs_contract = LIST(0)};
    return knb_dot_general(b, x, y, &p);
}

static void test_products(void **state)
{
    (void)state;
    CHECK(scores, "parallel 2: 0.0 1.0 -> 0.0", "parallel 4: 0.2 1.2 -> 0.1", "parallel 16: 0.1 -> 0.2",
          "parallel 12: 1.1 -> 0.3", "sum 8: 0.3 1.3 ->");
    CHECK(truths, "parallel 3: 0.0 -> 0.0", "parallel 5: 1.1 -> 0.1", "or 4: 0.1 1.0 ->");
}

static kni_atom convolved(kni_builder *b, int64_t image, int64_t taps, int64_t stride, int64_t padding, int64_t groups)
{
    kni_atom x = FLOATS(b, 8, image, image, 6), w = FLOATS(b, taps, taps, 6 / groups, 12);
    const kni_p_conv p = {.window_strides = LIST(stride, stride),
                          .lo = LIST(padding, padding),
                          .hi = LIST(padding, padding),
                          .lhs_dilation = LIST(1, 1),
                          .rhs_dilation = LIST(1, 1),
                          .lhs_spec = LIST(0, 3, 1, 2),
                          .rhs_spec = LIST(3, 2, 0, 1),
                          .out_spec = LIST(0, 3, 1, 2),
                          .feature_group_count = groups,
                          .batch_group_count = 1};
    return knb_conv_general_dilated(b, x, w, &p);
}

static kni_atom same_convolution(kni_builder *b) { return convolved(b, 10, 3, 1, 1, 1); }
static kni_atom patches(kni_builder *b) { return convolved(b, 12, 4, 4, 0, 1); }
static kni_atom in_groups(kni_builder *b) { return convolved(b, 10, 1, 1, 0, 3); }

static void test_convolutions(void **state)
{
    (void)state;
    CHECK(same_convolution, "parallel 8: 0.0 -> 0.0", "sum 6: 0.3 1.2 ->", "parallel 12: 1.3 -> 0.3",
          "halo 10: 0.1 -> 0.1 by 1 from -1 to 1", "halo 10: 0.2 -> 0.2 by 1 from -1 to 1");
    CHECK(patches, "parallel 8: 0.0 -> 0.0", "sum 6: 0.3 1.2 ->", "parallel 12: 1.3 -> 0.3", "parallel 3: 0.1 -> 0.1",
          "parallel 3: 0.2 -> 0.2");
    CHECK(in_groups, "parallel 8: 0.0 -> 0.0", "parallel 3: 0.3 1.3 -> 0.3", "parallel 10: 0.1 -> 0.1",
          "parallel 10: 0.2 -> 0.2");
}

/* ---- Shapes. */

static kni_atom heads(kni_builder *b) { return knb_reshape(b, FLOATS(b, 2, 16, 32), DIMS(2, 16, 4, 8)); }
static kni_atom joined(kni_builder *b) { return knb_reshape(b, FLOATS(b, 6, 4, 5), DIMS(24, 5)); }
static kni_atom regrouped(kni_builder *b) { return knb_reshape(b, FLOATS(b, 12, 2), DIMS(4, 6)); }
static kni_atom nothing_fits(kni_builder *b) { return knb_reshape(b, FLOATS(b, 2, 3), DIMS(3, 2)); }
static kni_atom row(kni_builder *b)
{
    return knb_broadcast_in_dim(b, FLOATS(b, 1, 5), 3, (const int64_t[]){7, 4, 5}, (const int64_t[]){1, 2});
}
static kni_atom shifted(kni_builder *b)
{
    return knb_slice(b, FLOATS(b, 10, 4), (const int64_t[]){1, 0}, (const int64_t[]){9, 4}, NULL);
}
static kni_atom every_second(kni_builder *b)
{
    return knb_slice(b, FLOATS(b, 10), (const int64_t[]){1}, (const int64_t[]){10}, (const int64_t[]){2});
}
static kni_atom last(kni_builder *b)
{
    return knb_slice(b, FLOATS(b, 3, 64), (const int64_t[]){0, 63}, (const int64_t[]){3, 64}, NULL);
}
static kni_atom turned(kni_builder *b) { return knb_rev(b, FLOATS(b, 6, 4), 1, (const int64_t[]){0}); }
static kni_atom beside(kni_builder *b)
{
    kni_atom x[2] = {FLOATS(b, 3, 4), FLOATS(b, 3, 2)};
    return knb_concatenate(b, 2, x, 1);
}

static void test_shapes(void **state)
{
    (void)state;
    CHECK(heads, "parallel 2: 0.0 -> 0.0", "parallel 16: 0.1 -> 0.1", "parallel 4: 0.2 -> 0.2");
    CHECK(joined, "parallel 6: 0.0 -> 0.0", "parallel 5: 0.2 -> 0.1");
    CHECK(regrouped, "parallel 4: 0.0 -> 0.0");
    check(nothing_fits, (const char *const[]){NULL});
    CHECK(row, "parallel 5: 0.1 -> 0.2", "parallel 7: -> 0.0", "parallel 4: -> 0.1");
    CHECK(shifted, "halo 8: 0.0 -> 0.0 by 1 from 1 to 1", "parallel 4: 0.1 -> 0.1");
    CHECK(every_second, "parallel 5: 0.0 -> 0.0");
    CHECK(last, "parallel 3: 0.0 -> 0.0", "one 64: 0.1 ->");
    CHECK(turned, "halo 6: 0.0 -> 0.0 by 1 from 0 to 0", "parallel 4: 0.1 -> 0.1");
    CHECK(beside, "parallel 3: 0.0 1.0 -> 0.0", "halo 6: 0.1 1.1 -> 0.1 by 1 from 0 to 0");
}

/* ---- Indices. */

static kni_atom embedding(kni_builder *b)
{
    kni_atom table = FLOATS(b, 100, 8), tokens = INDICES(b, 4, 6, 1);
    const kni_p_gather p = {.offset_dims = LIST(2),
                            .collapsed_slice_dims = LIST(0),
                            .start_index_map = LIST(0),
                            .slice_sizes = LIST(1, 8),
                            .mode = KN_GATHER_CLIP};
    return knb_gather(b, table, tokens, &p);
}

static kni_atom embedding_gradient(kni_builder *b)
{
    kni_atom table = FLOATS(b, 100, 8), tokens = INDICES(b, 4, 6, 1), change = FLOATS(b, 4, 6, 8);
    const kni_p_scatter p = {.update_window_dims = LIST(2),
                             .inserted_window_dims = LIST(0),
                             .scatter_dims_to_operand_dims = LIST(0),
                             .mode = KN_GATHER_CLIP};
    return knb_scatter_add(b, table, tokens, change, &p);
}

static kni_atom kept_keys(kni_builder *b) /* what a decoder writes */
{
    kni_atom cache = FLOATS(b, 2, 64, 8), now = FLOATS(b, 2, 1, 8), zero = knb_integer(b, KN_DT(I32), 0);
    kni_atom start[] = {zero, array(b, KN_DT(I32), 0, NULL), zero};
    return knb_dynamic_update_slice(b, cache, now, start);
}

static void test_indices(void **state)
{
    (void)state;
    CHECK(embedding, "parallel 8: 0.1 -> 0.2", "one 100: 0.0 ->", "parallel 4: 1.0 -> 0.0", "parallel 6: 1.1 -> 0.1");
    CHECK(embedding_gradient, "parallel 8: 0.1 2.2 -> 0.1", "parallel 100: 0.0 -> 0.0", "sum 4: 1.0 2.0 ->",
          "sum 6: 1.1 2.1 ->");
    CHECK(kept_keys, "parallel 2: 0.0 1.0 -> 0.0", "parallel 64: 0.1 -> 0.1", "parallel 8: 0.2 1.2 -> 0.2");
}

/* ---- Others. */

static kni_atom noise(kni_builder *b) { return knb_random_bits(b, array(b, KN_DT(KEY), DIMS(3)), 32, DIMS(8, 4)); }
static kni_atom largest(kni_builder *b) { return knb_reduce_max(b, FLOATS(b, 3, 4, 5), DIMS(0, 2)); }
static kni_atom sorted(kni_builder *b)
{
    kni_atom x = FLOATS(b, 3, 4), y;
    knb_sort(b, 1, &x, 1, 1, &y);
    return y;
}

static void test_others(void **state)
{
    (void)state;
    CHECK(noise, "parallel 3: 0.0 -> 0.0", "position 8: -> 0.1", "position 4: -> 0.2");
    CHECK(largest, "max 3: 0.0 ->", "parallel 4: 0.1 -> 0.0", "max 5: 0.2 ->");
    CHECK(sorted, "parallel 3: 0.0 -> 0.0");
}

KN_TEST_GROUP(test_factors)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_convolutions),
                                       cmocka_unit_test(test_shapes), cmocka_unit_test(test_indices),
                                       cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
