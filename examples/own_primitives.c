/* SPDX-License-Identifier: Apache-2.0
 * own_primitives.c -- two primitives of one's own: an expression that is fused, and C code that is linear. */
#include <kiln/kiln.h>
#include <stdio.h>

typedef struct {
    double limit;
} SoftClip;

/* limit * tanh(x / limit): elementwise, in Kiln calls */
static int soft_clip_expression(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    double limit = ((const SoftClip *)c->params)->limit;
    y[0] = kn_mul(limit, kn_tanh(kn_div(x[0], limit)));
    return 0;
}

static int soft_clip_jvp(const kn_primitive_call *c, const kn_array *x, const kn_array *y, int i, kn_array t,
                         kn_array *ty)
{
    (void)x, (void)i;
    double limit = ((const SoftClip *)c->params)->limit;
    ty[0] = kn_mul(t, kn_sub(1, kn_square(kn_div(y[0], limit))));
    return 0;
}

/* The mean of each three neighbours, zeros outside: C code on memory */
static int blur_shape(const kn_primitive_call *c, kn_aval *out)
{
    if (c->in[0].shape.ndim != 1 || c->in[0].dtype != KN_F64)
        return kn_primitive_error(KN_ERROR_TYPE, "takes a 1-d float64 array");
    out[0] = c->in[0];
    return 0;
}

static int blur_run(const kn_primitive_call *c, const void *const *x, void *const *y)
{
    int64_t n = c->in[0].shape.dim[0];
    const double *from = x[0];
    double *to = y[0];
    for (int64_t i = 0; i < n; i++)
        to[i] = ((i ? from[i - 1] : 0) + from[i] + (i + 1 < n ? from[i + 1] : 0)) / 3;
    return 0;
}

static int blur_transpose(const kn_primitive_call *c, const kn_array *x, int i, const kn_array *ct, kn_array *ct_x)
{
    (void)x, (void)i;
    *ct_x = kn_bind(c->primitive, KN_LIST(ct[0])); /* the matrix is symmetric */
    return 0;
}

static kn_primitive soft_clip, blur;
static kn_array loss(const kn_array *x)
{
    kn_array y = kn_bind(soft_clip, KN_LIST(*x), &(SoftClip){.limit = 2});
    return kn_sum(kn_square(kn_bind(blur, KN_LIST(y))));
}
KN_FUNCTION(loss, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    soft_clip = kn_primitive_new("soft_clip", .n_in = 1, .expression = soft_clip_expression, .jvp = soft_clip_jvp,
                                 .params = KN_PARAMS(SoftClip, KN_PARAM(SoftClip, limit)));
    blur = kn_primitive_new("blur", .n_in = 1, .run = blur_run, .shape = blur_shape, .linear_in = 1,
                            .transpose = blur_transpose);

    kn_array x = kn_of(double, -3, -0.5, 0, 0.25, 2), slope, many;
    kn_jaxpr_print(kn_make_jaxpr(KN_FN(loss), KN_ARGS(&x)), stdout, KN_JAXPR_TYPED);
    kn_call(kn_jit(kn_grad(KN_FN(loss))), &slope, &x);
    kn_print(slope, .precision = 4);
    kn_array rows = kn_stack(KN_LIST(x, kn_negative(x)));
    kn_call(kn_vmap(kn_grad(KN_FN(loss))), &many, &rows);
    kn_print(many, .precision = 4);
    kn_bind(blur, KN_LIST(kn_ones(KN_SHAPE(2, 2))));
    puts(kn_error_message());
    kn_error_clear();
    return kn_finish();
}
