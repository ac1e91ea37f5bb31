/* SPDX-License-Identifier: Apache-2.0
 * rules.h -- for tests of single rows: values, programs of what a rule wrote, batching rules against a loop over
 * examples, transposes by inner products. */
#ifndef KN_TEST_RULES_H
#define KN_TEST_RULES_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/ops.h"
#include "ir/prim.h"
#include "prim/rules.h"
#include "device/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static inline int below(int n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)((state >> 16) % (uint64_t)n);
}

typedef struct {
    kni_type t;
    int64_t dim[KN_MAX_NDIM];
    char *p;
} value;

static inline void set_type(value *v, kn_dtype d, int ndim, const int64_t *dim)
{
    for (int i = 0; i < ndim; i++)
        v->dim[i] = dim[i];
    v->t = kni_type_of(d, ndim, v->dim);
    v->p = calloc(kni_type_bytes(v->t) + 1, 1);
}
static inline value *new_value(kn_dtype d, int ndim, const int64_t *dim)
{
    value *v = malloc(sizeof *v);
    set_type(v, d, ndim, dim);
    return v;
}
static inline void drop(value *v) { free(v->p), free(v); }

static inline void fill_small(value *v) /* small integers: sums are exact */
{
    for (int64_t i = 0, n = kni_type_size(v->t); i < n; i++) {
        knx_scalar_bits s = knx_scalar_from_int(v->t.dtype, below(9) - 4);
        memcpy(v->p + i * v->t.dtype->size, &s, v->t.dtype->size);
    }
}

static inline void fill_rough(value *v) /* sums depend on their order */
{
    for (int64_t i = 0, n = kni_type_size(v->t); i < n; i++) {
        knx_scalar_bits s = knx_scalar_from_double(v->t.dtype, ldexp(1 + below(1024) / 1024.0, below(5)));
        memcpy(v->p + i * v->t.dtype->size, &s, v->t.dtype->size);
    }
}

/* Numbers of all sizes, zeros of both signs, infinities, NaN without payload; integers of all bits. */
static inline void fill_odd(value *v)
{
    static const double odd[] = {0.0, -0.0, 1, -1.5, 1e30, -1e-30, INFINITY, -INFINITY, NAN, 65504, 0x1p-24};
    kn_dtype d = v->t.dtype, part = knx_component(d);
    size_t n = kni_type_bytes(v->t) / part->size;
    for (size_t i = 0; i < n; i++) {
        knx_scalar_bits s = {.u = {0}};
        if (knx_is_float(part))
            s = knx_scalar_from_double(part, below(3) ? below(2001) / 128.0 - 7 : odd[below(11)]);
        else if (part->kind == KN_KIND_BOOL)
            s.u8 = (uint8_t)below(2);
        else
            for (int k = 0; k < part->size; k++)
                s.bytes[k] = (uint8_t)below(256);
        memcpy(v->p + i * part->size, &s, part->size);
    }
}

static inline double get(const value *v, int64_t i)
{
    knx_scalar_bits s = {.u = {0}};
    memcpy(&s, v->p + i * v->t.dtype->size, v->t.dtype->size);
    return knx_scalar_to_double(v->t.dtype, s);
}

static inline int64_t number_of(kni_type t, const int64_t *at)
{
    int64_t n = 0;
    for (int i = 0; i < t.ndim; i++)
        n = n * t.dim[i] + at[i];
    return n;
}
static inline void position(kni_type t, int64_t n, int64_t *at)
{
    for (int i = t.ndim - 1; i >= 0; i--) {
        at[i] = n % t.dim[i];
        n /= t.dim[i];
    }
}

/* --- programs --------------------------------------------------------------------------------- */

/* Runs the finished j; the caller owns the results. */
static inline void run_jaxpr(kni_jaxpr *j, value *const *input, int n_out, value **y)
{
    knd_loaded *p = NULL;
    knd_operand in[16];
    knx_buffer *out[16];
    knx_error *e = knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true}, &p);
    for (uint32_t i = 0; i < j->n_in; i++)
        in[i] = (knd_operand){.data = input[i]->p};
    if (!e)
        e = knd_run(p, in, out, NULL);
    if (e)
        fail_msg("%s", e->message);
    for (int i = 0; i < n_out; i++) {
        kni_type t = kni_out_type(j, (uint32_t)i);
        y[i] = new_value(t.dtype, t.ndim, t.dim);
        memcpy(y[i]->p, out[i]->data, kni_type_bytes(t));
        knx_buffer_release(out[i]);
    }
    knd_release(p);
    kni_release(j);
}

/* What b holds, run; inputs in order of their making. */
static inline value *evaluate(kni_builder *b, kni_atom result, value *const *input)
{
    kni_jaxpr *j = NULL;
    value *y;
    knx_error *e = b->error ? knb_take_error(b) : knb_finish(b, 1, &result, "", false, &j);
    if (e)
        fail_msg("%s", e->message);
    knb_free(b);
    run_jaxpr(j, input, 1, &y);
    return y;
}

static inline kni_type result_type(const kni_prim *p, const void *params, int n, value *const *x, knx_arena *a)
{
    kni_type xt[8], y;
    kni_rule r = {.prim = p, .params = params, .n_in = n, .n_out = 1, .xt = xt, .arena = a};
    for (int i = 0; i < n; i++)
        xt[i] = x[i]->t;
    knx_error *e = p->type(&r, &y);
    if (e)
        fail_msg("%s: %s", p->name, e->message);
    return y;
}

static inline value *run_new(const kni_prim *p, const void *params, int n, value *const *x)
{
    kni_builder b;
    kni_atom in[8];
    knb_init(&b);
    for (int i = 0; i < n; i++)
        in[i] = knb_invar(&b, x[i]->t);
    return evaluate(&b, knb_emit1(&b, p, params, n, in), x);
}

static inline bool same(const value *a, const value *b)
{
    return a->t.dtype == b->t.dtype && kni_type_same_shape(a->t, b->t) && !memcmp(a->p, b->p, kni_type_bytes(a->t));
}

/* Batching: operand i has its batch axis at axis[i] (-1: none). The rule's program against a loop over the examples. */
static inline void check_batch(const kni_prim *p, const void *params, int n, value *const *x, const int *axis,
                               int64_t size)
{
    kni_builder b;
    kni_atom in[8], y[1];
    kni_type xt[8], yt;
    int at[1];
    value *example[8] = {NULL};
    knb_init(&b);
    for (int i = 0; i < n; i++) {
        in[i] = knb_invar(&b, x[i]->t);
        knp_dims d = knp_dims_without(x[i]->t, axis[i]);
        example[i] = new_value(x[i]->t.dtype, d.n, d.v);
        xt[i] = example[i]->t;
    }
    yt = result_type(p, params, n, example, &b.arena);
    kni_rule rule = {.b = &b, .prim = p, .params = params, .n_in = n, .n_out = 1, .x = in, .xt = xt, .yt = &yt};
    assert_null(p->batch(&rule, size, axis, y, at));
    value *all = evaluate(&b, y[0], x);
    for (int64_t k = 0; k < size; k++) {
        for (int i = 0; i < n; i++)
            for (int64_t e = 0, count = kni_type_size(example[i]->t), d = xt[i].dtype->size; e < count; e++) {
                int64_t where[KN_MAX_NDIM];
                position(example[i]->t, e, where);
                if (axis[i] >= 0) {
                    memmove(where + axis[i] + 1, where + axis[i],
                            (size_t)(example[i]->t.ndim - axis[i]) * sizeof *where);
                    where[axis[i]] = k;
                }
                memcpy(example[i]->p + e * d, x[i]->p + number_of(x[i]->t, where) * d, (size_t)d);
            }
        value *one = run_new(p, params, n, example);
        for (int64_t e = 0, count = kni_type_size(one->t), d = one->t.dtype->size; e < count; e++) {
            int64_t where[KN_MAX_NDIM];
            position(one->t, e, where);
            memmove(where + at[0] + 1, where + at[0], (size_t)(one->t.ndim - at[0]) * sizeof *where);
            where[at[0]] = k;
            assert_memory_equal(one->p + e * d, all->p + number_of(all->t, where) * d, (size_t)d);
        }
        drop(one);
    }
    drop(all);
    for (int i = 0; i < n; i++)
        drop(example[i]);
}

static inline double inner(const value *a, const value *b)
{
    double sum = 0;
    assert_true(kni_type_same_shape(a->t, b->t));
    for (int64_t i = 0; i < kni_type_size(a->t); i++)
        sum += get(a, i) * get(b, i);
    return sum;
}

/* <f(x), c> = <x, f'(c)> in linear operand `which`, where the other linear ones of `zero` are 0. */
static inline void check_transpose(const kni_prim *p, const void *params, int n, value *const *x, int which,
                                   uint32_t zero)
{
    kni_builder b;
    kni_atom in[8], ct, ct_in[8];
    kni_type xt[8], yt;
    value *y = run_new(p, params, n, x), *c = new_value(y->t.dtype, y->t.ndim, y->t.dim), *input[9] = {NULL};
    int n_input = 0;
    fill_small(c);
    knb_init(&b);
    for (int i = 0; i < n; i++) {
        xt[i] = x[i]->t;
        ct_in[i] = KN_ATOM_ZERO;
        in[i] = i == which || zero >> i & 1 ? KN_ATOM_LINEAR : knb_invar(&b, x[i]->t);
        if (in[i] != KN_ATOM_LINEAR)
            input[n_input++] = x[i];
    }
    yt = y->t;
    ct = knb_invar(&b, yt);
    input[n_input++] = c;
    kni_rule rule = {.b = &b, .prim = p, .params = params, .n_in = n, .n_out = 1, .x = in, .xt = xt, .yt = &yt};
    assert_null(p->transpose(&rule, &ct, ct_in));
    value *back = evaluate(&b, ct_in[which], input);
    double a = inner(y, c), d = inner(x[which], back);
    if (a != d)
        fail_msg("%s, operand %d: %g against %g", p->name, which, a, d);
    drop(y), drop(c), drop(back);
}

/* x with a new axis, at axis, of extent size. */
static inline value *batched(const value *x, int axis, int64_t size)
{
    knp_dims old = knp_dims_of(x->t), d = axis < 0 ? old : knp_insert(knp_ints(&old), axis, size);
    if (axis >= 0 && !old.n)
        d = (knp_dims){.n = 1, .v = {size}};
    return new_value(x->t.dtype, d.n, d.v);
}

#endif
