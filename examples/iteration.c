/* SPDX-License-Identifier: Apache-2.0
 * iteration.c -- elements one by one: positions, flat iterators, several operands together, nested C arrays. */
#include <kiln/kiln.h>
#include <stdio.h>

static void positions(kn_array m)
{
    kn_shape at = {.ndim = -1};
    while (kn_ndindex(kn_shape_of(m), &at))
        printf("(%d, %d) ", (int)at.dim[0], (int)at.dim[1]);
    puts("");
}

static void flat(kn_array m)
{
    kn_flatiter it = kn_flat(kn_transpose(m)); /* in C order, whatever it lies in */
    for (const double *x; (x = kn_flatiter_next(it, double));)
        printf("%g ", *x);
    puts("");
    kn_flatiter_set_at(kn_flat(m), kn_of(double, -1, -2), "1:5"); /* m.flat[1:5] = [-1, -2], again and again */
    kn_print(m);
}

/* z = x + 10 y, where y is repeated and z allocated: one loop over memory for each run of elements. */
static kn_array combined(kn_array x, kn_array y)
{
    kn_nditer it = kn_nditer_new(KN_OPERANDS(x, y, KN_NONE), .flags = "external_loop");
    for (; !kn_nditer_finished(it); kn_nditer_iternext(it)) {
        const char *a = (const char *)kn_nditer_data(it, 0, double), *b = (const char *)kn_nditer_data(it, 1, double);
        double *z = kn_nditer_data(it, 2, double); /* allocated: without gaps */
        int64_t a_step = kn_nditer_stride(it, 0), b_step = kn_nditer_stride(it, 1), n = kn_nditer_inner_size(it);
        for (int64_t i = 0; i < n; i++, a += a_step, b += b_step)
            z[i] = *(const double *)a + 10 * *(const double *)b;
    }
    return kn_nditer_operands(it, 2);
}

int main(void)
{
    KN_SCOPE;
    kn_array m = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F64), KN_SHAPE(2, 3));
    positions(m);
    flat(m);
    kn_print(combined(m, kn_of(double, 1, 2, 3)));
    double **rows = kn_tolist(m, double); /* pointers to rows; memory of the scope */
    printf("%g %g\n", rows[0][2], rows[1][0]);
    kn_print(kn_sliding_window_view(kn_at(m, "0"), KN_SHAPE(2)));
    return kn_finish();
}
