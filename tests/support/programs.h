/* SPDX-License-Identifier: Apache-2.0
 * programs.h -- for the tests of compile/ and device/: jaxprs from a few calls, random jaxprs made by asking the
 * rows, programs run on random operands, results compared bit for bit. */
#ifndef KN_TEST_PROGRAMS_H
#define KN_TEST_PROGRAMS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compile/plan.h"
#include "ir/ops.h"
#include "device/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define F32(...)  test_type(KN_DT(F32), (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (int64_t[]){__VA_ARGS__})
#define SCALAR(D) kni_scalar_type(KN_DT(D))
#define FINISH(b, ...) \
    test_finish(b, (int)(sizeof((kni_atom[]){__VA_ARGS__}) / sizeof(kni_atom)), (kni_atom[]){__VA_ARGS__})
enum { MANY = 64 };

static inline kni_type test_type(kn_dtype d, int ndim, const int64_t *dim) { return kni_type_of(d, ndim, dim); }

static inline void test_ok(knx_error *e)
{
    if (e)
        fail_msg("%s", e->message);
}

static inline kni_jaxpr *test_finish(kni_builder *b, int n, const kni_atom *out)
{
    kni_jaxpr *j = NULL;
    test_ok(knb_finish(b, n, out, "f", false, &j));
    knb_free(b);
    return j;
}

static inline knd_loaded *test_compile(const kni_jaxpr *j, bool fuse)
{
    knd_loaded *p = NULL;
    test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = fuse}, &p));
    return p;
}

static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static inline int test_below(uint64_t *state, int n) { return (int)(test_random(state) % (uint64_t)n); }

/* Elements of any dtype: small numbers, and now and then an odd one. */
static inline void test_fill(kn_dtype d, size_t n, char *to, uint64_t *state)
{
    static const double odd[] = {0.0, -0.0, 1e30, -1e-30, INFINITY, -INFINITY, NAN, 65504, 1e-7};
    kn_dtype part = knx_component(d);
    size_t parts = d == part ? n : 2 * n;
    if (d->kind == KN_KIND_KEY) {
        for (size_t i = 0; i < n * d->size; i++)
            to[i] = (char)test_random(state);
        return;
    }
    for (size_t i = 0; i < parts; i++) {
        double v = (double)(test_below(state, 2001) - 1000) / 128;
        if (knx_is_float(part) && !test_below(state, 12))
            v = odd[test_below(state, 9)];
        knx_scalar_bits s = knx_scalar_from_double(part, d->kind == 'b' ? v > 0 : v);
        memcpy(to + i * part->size, s.bytes, part->size);
    }
}

typedef struct test_operands {
    knd_operand in[MANY];
    int n;
} test_operands;

static inline test_operands test_make_operands(const kni_jaxpr *j, uint64_t seed)
{
    test_operands x = {.n = (int)(j->n_const + j->n_in)};
    for (int i = 0; i < x.n; i++) {
        knx_buffer *b = knx_buffer_new(kni_type_bytes(j->type[i]));
        test_fill(j->type[i].dtype, (size_t)kni_type_size(j->type[i]), b->data, &seed);
        x.in[i] = (knd_operand){.buffer = b, .data = b->data};
    }
    return x;
}

static inline void test_release(int n, knx_buffer **b)
{
    for (int i = 0; i < n; i++)
        knx_buffer_release(b[i]);
}

static inline void test_free_operands(test_operands *x)
{
    for (int i = 0; i < x->n; i++)
        knx_buffer_release(x->in[i].buffer);
}

static inline bool test_same_number(kn_dtype part, const char *a, const char *b)
{
    if (!memcmp(a, b, part->size))
        return true;
    knx_scalar_bits x = {.u = {0, 0}}, y = x;
    memcpy(&x, a, part->size);
    memcpy(&y, b, part->size);
    return knx_is_float(part) && isnan(knx_scalar_to_double(part, x)) && isnan(knx_scalar_to_double(part, y));
}

/* Equal bits; all NaNs are equal. The number of the first element (or part of one) that differs, or -1. */
static inline int64_t test_difference(kni_type t, const void *a, const void *b)
{
    kn_dtype part = knx_component(t.dtype);
    size_t n = kni_type_bytes(t) / part->size;
    for (size_t i = 0; i < n; i++)
        if (!test_same_number(part, (const char *)a + i * part->size, (const char *)b + i * part->size))
            return (int64_t)i;
    return -1;
}

static inline void test_expect(const knx_buffer *b, int n, const float *expected)
{
    for (int i = 0; i < n; i++)
        if (((const float *)b->data)[i] != expected[i])
            fail_msg("element %d is %g, not %g", i, (double)((const float *)b->data)[i], (double)expected[i]);
}
#define EXPECT(buffer, ...) \
    test_expect(buffer, (int)(sizeof((float[]){__VA_ARGS__}) / sizeof(float)), (float[]){__VA_ARGS__})

/* Random jaxprs. Values are kept in a pool; a proposal that a type rule refuses is dropped. */
typedef struct test_maker {
    kni_builder *b;
    uint64_t state;
    kni_atom pool[256];
    int n;
    bool can_fail; /* also equations that may fail while running */
} test_maker;

static inline kni_atom test_pick(test_maker *m)
{
    return m->pool[test_below(&m->state, 4) ? m->n - 1 - test_below(&m->state, m->n < 6 ? m->n : 6)
                                            : test_below(&m->state, m->n)];
}

static inline void test_keep(test_maker *m, kni_atom a)
{
    knx_error *e = knb_take_error(m->b);
    bool fine = !e && kni_is_var(a) && m->n < 256 && kni_type_size(knb_type(m->b, a)) <= 4000;
    knx_error_release(e);
    if (fine)
        m->pool[m->n++] = a;
}

/* An elementwise row, found by its bits, over operands that fit together. */
static inline void test_elementwise(test_maker *m)
{
    int count = 0;
    while (kni_prims[count])
        count++;
    const kni_prim *p = kni_prims[test_below(&m->state, count)];
    if (!(p->bits & KN_ELEMENTWISE) || p->params_size || p->expand) /* the passes here come after expansion */
        return;
    kni_atom in[4], out[4];
    int n = p->n_in < 0 ? 3 : p->n_in, tries = 0;
    if (n > 4 || p->n_out > 4)
        return;
    in[0] = test_pick(m);
    for (int i = 1; i < n; i++) {
        kni_type want = knb_type(m->b, in[i - 1]);
        in[i] = test_pick(m);
        if (want.dtype->kind != 'b' && !test_below(&m->state, 5) && want.dtype->kind != 'k')
            in[i] = knb_number(m->b, want.dtype, test_below(&m->state, 9) - 4);
        kni_type got = knb_type(m->b, in[i]);
        bool fits = (got.dtype == want.dtype || want.dtype->kind == 'b') &&
                    (kni_type_same_shape(got, want) || !got.ndim || !want.ndim);
        if (!fits && tries++ < 40)
            i--;
    }
    int k = knb_emit(m->b, p, NULL, n, in, out, 4);
    for (int i = 0; i < k; i++)
        test_keep(m, out[i]);
}

static inline void test_assemblies(test_maker *m, kni_atom x, kni_type t)
{
    int64_t lo[8], hi[8], interior[8];
    kni_atom y[3] = {x, test_pick(m), x};
    for (int d = 0; d < t.ndim; d++) {
        lo[d] = test_below(&m->state, 4) - 1;
        hi[d] = test_below(&m->state, 4) - 1;
        interior[d] = test_below(&m->state, 3) / 2;
    }
    if (test_below(&m->state, 2) && t.dtype->kind != 'k' && t.dtype->kind != 'c')
        test_keep(m, knb_pad(m->b, x, knb_number(m->b, t.dtype, 3), lo, hi, interior));
    else if (t.ndim)
        test_keep(m, knb_concatenate(m->b, 2 + test_below(&m->state, 2), y, test_below(&m->state, t.ndim)));
}

static inline void test_views(test_maker *m)
{
    kni_builder *b = m->b;
    kni_atom x = test_pick(m);
    kni_type t = knb_type(b, x);
    int64_t v[8] = {0}, w[8] = {0}, u[8] = {0};
    if (t.ndim > 4)
        return;
    switch (test_below(&m->state, 9)) {
    case 0:
        for (int d = 0; d < t.ndim; d++)
            v[d] = (d + 1) % t.ndim;
        test_keep(m, knb_transpose(b, x, v));
        return;
    case 1: /* a new axis anywhere */
        for (int d = 0, at = test_below(&m->state, t.ndim + 1); d < t.ndim; d++) {
            v[d] = d + (d >= at);
            w[v[d]] = t.dim[d];
        }
        for (int d = 0; d <= t.ndim; d++) {
            bool old = false;
            for (int k = 0; k < t.ndim; k++)
                old |= v[k] == d;
            w[d] = old ? w[d] : 1 + test_below(&m->state, 3);
        }
        test_keep(m, knb_broadcast_in_dim(b, x, t.ndim + 1, w, v));
        return;
    case 2: /* flat, and split again */
        v[0] = kni_type_size(t);
        test_keep(m, knb_reshape(b, x, 1, v));
        return;
    case 3:
        v[0] = 2;
        v[1] = kni_type_size(t) / 2;
        test_keep(m, knb_reshape(b, x, 2, v));
        return;
    case 4:
        if (!t.ndim)
            return;
        v[0] = test_below(&m->state, t.ndim);
        test_keep(m, knb_rev(b, x, 1, v));
        return;
    case 5:
    case 6:
        for (int d = 0; d < t.ndim; d++) {
            v[d] = t.dim[d] ? test_below(&m->state, (int)t.dim[d]) : 0;
            w[d] = v[d] + test_below(&m->state, (int)(t.dim[d] - v[d]) + 1);
            u[d] = 1 + test_below(&m->state, 2);
        }
        test_keep(m, knb_slice(b, x, v, w, u));
        return;
    default: test_assemblies(m, x, t);
    }
}

static inline void test_joins(test_maker *m)
{
    kni_builder *b = m->b;
    kni_atom x = test_pick(m), start[4];
    kni_type t = knb_type(b, x);
    int64_t axes[8], size[8];
    int n = 0;
    if (t.ndim > 4)
        return;
    for (int d = 0; d < t.ndim; d++) {
        if (test_below(&m->state, 2))
            axes[n++] = d;
        size[d] = t.dim[d] ? 1 + test_below(&m->state, (int)t.dim[d]) : 0;
        start[d] = knb_integer(b, KN_DT(I32), test_below(&m->state, 5) - 1);
    }
    switch (test_below(&m->state, 7)) {
    case 0:
    case 1: test_keep(m, knb_reduce_sum(b, x, n, axes)); return;
    case 2: test_keep(m, knb_reduce_max(b, x, n, axes)); return;
    case 3: test_keep(m, knb_reduce_and(b, x, n, axes)); return;
    case 4: test_keep(m, knb_dynamic_slice(b, x, start, size)); return;
    case 5: {
        kn_dtype to[] = {KN_DT(F32),  KN_DT(F64), KN_DT(I32), KN_DT(F16), KN_DT(BF16),
                         KN_DT(BOOL), KN_DT(I8),  KN_DT(U64), KN_DT(C64)};
        test_keep(m, knb_convert(b, x, to[test_below(&m->state, 9)]));
        return;
    }
    default:
        if (t.ndim)
            test_keep(m, knb_argmax(b, x, test_below(&m->state, t.ndim), KN_DT(I32)));
    }
}

static inline kni_jaxpr *test_random_jaxpr(uint64_t seed, int equations)
{
    static const knx_dtype_id dtypes[] = {KN_ID_F32, KN_ID_F32,  KN_ID_F32, KN_ID_F64, KN_ID_I32, KN_ID_BOOL,
                                         KN_ID_F16, KN_ID_BF16, KN_ID_C64, KN_ID_I64, KN_ID_U8};
    kni_builder b;
    knb_init(&b);
    test_maker m = {.b = &b, .state = seed};
    int64_t dim[3] = {1 + test_below(&m.state, 6), test_below(&m.state, 20) ? 1 + test_below(&m.state, 5) : 0,
                      1 + test_below(&m.state, 4)};
    kn_dtype d = &knx_dtype_table[dtypes[test_below(&m.state, 11)]];
    for (int i = 0, n = 2 + test_below(&m.state, 3); i < n; i++) {
        if (!test_below(&m.state, 3))
            d = &knx_dtype_table[dtypes[test_below(&m.state, 11)]];
        int ndim = test_below(&m.state, 4);
        m.pool[m.n++] =
            i == 1 ? knb_constvar(&b, kni_type_of(d, ndim, dim)) : knb_invar(&b, kni_type_of(d, ndim, dim + 3 - ndim));
    }
    for (int i = 0; i < equations; i++) {
        switch (test_below(&m.state, 6)) {
        case 0: test_views(&m); break;
        case 1: test_joins(&m); break;
        default: test_elementwise(&m); break;
        }
        knx_error_release(knb_take_error(&b)); /* a type rule said no */
    }
    kni_atom out[6];
    int n = 1 + test_below(&m.state, 5);
    for (int i = 0; i < n; i++)
        out[i] = i ? test_pick(&m) : m.pool[m.n - 1];
    return test_finish(&b, n, out);
}
#endif
