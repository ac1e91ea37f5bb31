/* SPDX-License-Identifier: Apache-2.0
 * primitives.h -- primitives that a user might write, for the tests of them: an expression with a parameter, C code that
 * is linear, products, several results, effects. */
#ifndef KN_TESTS_PRIMITIVES_H
#define KN_TESTS_PRIMITIVES_H
#include <kiln/kiln.h>
#include <string.h>

/* limit * tanh(x / limit): an expression */
typedef struct {
    double limit;
} soft_clip_params;

static int soft_clip_expression(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    double limit = ((const soft_clip_params *)c->params)->limit;
    y[0] = kn_mul(limit, kn_tanh(kn_div(x[0], limit)));
    return 0;
}

static int soft_clip_jvp(const kn_primitive_call *c, const kn_array *x, const kn_array *y, int i, kn_array t,
                         kn_array *ty)
{
    (void)x, (void)i;
    double limit = ((const soft_clip_params *)c->params)->limit;
    ty[0] = kn_mul(t, kn_sub(1, kn_square(kn_div(y[0], limit))));
    return 0;
}

static inline kn_primitive soft_clip(void)
{
    return kn_primitive_new("soft_clip", .n_in = 1, .expression = soft_clip_expression, .jvp = soft_clip_jvp,
                            .params = KN_PARAMS(soft_clip_params, KN_PARAM(soft_clip_params, limit)),
                            .defaults = &(soft_clip_params){1});
}

/* The mean of three neighbours along the last axis, zeros outside: C code, linear, its own transpose. */
static int blur_shape(const kn_primitive_call *c, kn_aval *out)
{
    const kn_aval *x = &c->in[0];
    if (!x->shape.ndim)
        return kn_primitive_error(KN_ERROR_VALUE, "a number has no neighbours");
    if (x->dtype != KN_F64)
        return kn_primitive_error(KN_ERROR_TYPE, "takes float64, not %s", kn_dtype_name(x->dtype));
    out[0] = *x;
    return 0;
}

static int blur_calls;
static int blur_run(const kn_primitive_call *c, const void *const *x, void *const *y)
{
    const kn_shape *s = &c->in[0].shape;
    int64_t n = s->dim[s->ndim - 1], rows = 1;
    blur_calls++;
    for (int d = 0; d < s->ndim - 1; d++)
        rows *= s->dim[d];
    for (int64_t r = 0; r < rows; r++) {
        const double *from = (const double *)x[0] + r * n;
        double *to = (double *)y[0] + r * n;
        for (int64_t i = 0; i < n; i++)
            to[i] = ((i ? from[i - 1] : 0) + from[i] + (i + 1 < n ? from[i + 1] : 0)) / 3;
    }
    return 0;
}

static int blur_transpose(const kn_primitive_call *c, const kn_array *x, int i, const kn_array *ct, kn_array *ct_x)
{
    (void)x, (void)i;
    *ct_x = kn_bind(c->primitive, KN_LIST(ct[0]));
    return 0;
}

static inline kn_primitive blur(void)
{
    return kn_primitive_new("blur", .n_in = 1, .run = blur_run, .shape = blur_shape, .linear_in = 1,
                            .transpose = blur_transpose, .vmap_method = "broadcast_all");
}
static inline kn_primitive blur_rows(void) /* the same, lane by lane */
{
    return kn_primitive_new("blur_rows", .n_in = 1, .run = blur_run, .shape = blur_shape, .linear_in = 1,
                            .transpose = blur_transpose);
}

/* x A y: a computation, linear in x and in y; its transpose is that of what it does. */
static int form_compute(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_dot(x[0], kn_dot(x[1], x[2]));
    return 0;
}
static inline kn_primitive form(void)
{
    return kn_primitive_new("form", .n_in = 3, .compute = form_compute, .multilinear_in = 7);
}

/* Quotient and remainder of integers: C code with two results and no derivative. */
static int parts_shape(const kn_primitive_call *c, kn_aval *out)
{
    if (c->in[0].dtype != KN_I64 || c->in[1].dtype != KN_I64)
        return kn_primitive_error(KN_ERROR_TYPE, "takes int64");
    if (memcmp(&c->in[0].shape, &c->in[1].shape, sizeof c->in[0].shape))
        return kn_primitive_error(KN_ERROR_VALUE, "takes two arrays of one shape");
    out[0] = out[1] = c->in[0];
    return 0;
}
static int parts_run(const kn_primitive_call *c, const void *const *x, void *const *y)
{
    const int64_t *a = x[0], *b = x[1];
    int64_t n = 1, *q = y[0], *r = y[1];
    for (int d = 0; d < c->in[0].shape.ndim; d++)
        n *= c->in[0].shape.dim[d];
    for (int64_t i = 0; i < n; i++) {
        if (!b[i])
            return kn_primitive_error(KN_ERROR_ZERO_DIVISION, "element %lld of the divisor is 0", (long long)i);
        if (q)
            q[i] = a[i] / b[i];
        if (r)
            r[i] = a[i] % b[i];
    }
    return 0;
}
static inline kn_primitive parts(void)
{
    return kn_primitive_new("parts", .n_in = 2, .n_out = 2, .run = parts_run, .shape = parts_shape);
}
#endif
