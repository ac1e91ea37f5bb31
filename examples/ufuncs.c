/* SPDX-License-Identifier: Apache-2.0
 * ufuncs.c -- ufuncs as objects: options, methods, and some of one's own. docs/ufuncs.md explains it. */
#include <kiln/kiln.h>
#include <math.h>
#include <stdio.h>

/* A C function of scalars, and its derivatives in Kiln's calls */
KN_UFUNC_STRIP(hypot_strip, double, hypot, double, double)
KN_UFUNC_STRIP(hypotf_strip, float, hypotf, float, float)

static int hypot_jvp(const kn_primitive_call *c, const kn_array *x, const kn_array *y, int i, kn_array t, kn_array *ty)
{
    (void)c;
    ty[0] = kn_mul(t, kn_div(x[i], y[0]));
    return 0;
}

/* Element by element, in Kiln's calls: derivatives follow, and loops are joined */
static int soft_expression(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_mul(x[1], kn_tanh(kn_div(x[0], x[1])));
    return 0;
}

/* Of vectors: what is written for two is mapped over the other axes */
static int angle_compute(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_div(kn_vecdot(x[0], x[1]), kn_mul(kn_linalg_norm(x[0]), kn_linalg_norm(x[1])));
    return 0;
}

static kn_ufunc length, soft, angle;
static kn_array loss(const kn_array *x) { return kn_sum(kn_ufunc_call(length, KN_OPERANDS(*x, 4))); }
KN_FUNCTION(loss, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), y = kn_zeros(KN_SHAPE(3)), slope;
    kn_ufunc_call(kn_ufunc_add, KN_OPERANDS(x, 10), .out = y, .where = kn_greater(x, 1));
    kn_print(y);
    kn_print(kn_ufunc_call(kn_ufunc_named("divide"), KN_OPERANDS(x, 4), .dtype = KN_F32));
    kn_print(kn_ufunc_reduce(kn_ufunc_maximum, kn_ufunc_outer(kn_ufunc_multiply, x, x), KN_AXIS(0, 1)));
    kn_ufunc_at(kn_ufunc_negative, x, KN_NONE, "%", kn_of(int64_t, 0, 2, 2));
    kn_print(x);
    printf("%d loops, the last one %s\n", kn_ufunc_ntypes(kn_ufunc_add),
           kn_ufunc_types(kn_ufunc_add, kn_ufunc_ntypes(kn_ufunc_add) - 1));

    length = kn_ufunc_new("my_hypot", .n_in = 2, .jvp = hypot_jvp, .identity = kn_num(0),
                          .loops = KN_LOOPS(KN_LOOP("ff->f", hypotf_strip), KN_LOOP("dd->d", hypot_strip)));
    soft = kn_ufunc_new("my_soft", .n_in = 2, .expression = soft_expression);
    angle = kn_ufunc_new("my_angle", .n_in = 2, .compute = angle_compute, .signature = "(n),(n)->()");
    kn_print(kn_ufunc_reduce(length, kn_of(double, 2, 3, 6)));
    x = kn_of(double, 3, 0, -3);
    kn_call(kn_grad(KN_FN(loss)), &slope, &x);
    kn_print(slope);
    kn_print(kn_ufunc_call(soft, KN_OPERANDS(x, 2)), .precision = 4);
    kn_array rows = kn_reshape(kn_of(double, 1, 0, 0, 3, 4, 0), KN_SHAPE(2, 3));
    kn_print(kn_ufunc_call(angle, KN_OPERANDS(rows, kn_of(double, 2, 0, 0))));
    kn_ufunc_call(kn_ufunc_add, KN_OPERANDS(x, 0.5), .out = kn_zeros(KN_SHAPE(3), .dtype = KN_I64));
    puts(kn_error_message());
    kn_error_clear();
    return kn_finish();
}
