/* SPDX-License-Identifier: Apache-2.0
 * windows.c -- np.hanning and its kin: weights of M samples, in float64 by NumPy's formulas, then the default float. */
#include "lib/formulas.h"
#include "numpy/creation/windows.h"
#include <math.h>

typedef struct window {
    kna_op op;
    kni_atom k;       /* 0, 1, ... */
    kni_atom n, last; /* 1 - M, 3 - M, ..., M - 1; M - 1, but 1 where that is less */
    int64_t count;
} window;

/* The numbers of the samples, none for M < 1; false after an error. */
static bool begin(window *w, const char *name, int64_t M)
{
    kna_begin(&w->op, name);
    kni_builder *b = w->op.b;
    int64_t count = w->count = knx_dim_max(M, 0), last = knx_dim_max(knx_dim_sub(count, 1), 1);
    kn_dtype d = KN_DT(F64);
    w->k = knb_astype(b, knb_iota(b, KN_DT(I64), 1, &count, 0), d);
    w->last = knl_number_of(&w->op, d, last);
    kni_atom end = knl_number_of(&w->op, d, knx_dim_sub(count, 1));
    w->n = knb_sub(b, knb_mul(b, w->k, knb_number(b, d, 2)), end);
    return !kna_failed(&w->op);
}

/* One sample has weight 1 whatever the sums round to. */
static kn_array end(window *w, kni_atom y)
{
    kni_builder *b = w->op.b;
    if (kna_failed(&w->op))
        return kna_end(&w->op, KN_ATOM_NONE);
    if (w->count == 1 || knx_is_symbolic(w->count))
        y = knb_select(b, knb_eq(b, knb_dimension(b, KN_DT(I64), w->count), knb_integer(b, KN_DT(I64), 1)),
                       knb_number(b, KN_DT(F64), 1), y);
    return kna_end(&w->op, knb_astype(b, y, kna_default_float()));
}

kn_array knn_cosine_window(const char *name, int64_t M, int count, const double *c)
{
    window w;
    begin(&w, name, M);
    kni_builder *b = w.op.b;
    kni_atom y = knb_number(b, KN_DT(F64), c[0]);
    for (int j = 1; j < count; j++) {
        kni_atom angle = knb_div(b, knb_mul(b, w.n, knb_number(b, KN_DT(F64), j * M_PI)), w.last);
        y = knb_add(b, y, knb_mul(b, knb_cos(b, angle), knb_number(b, KN_DT(F64), c[j])));
    }
    return end(&w, y);
}

kn_array kn_hanning(int64_t M) { return knn_cosine_window("hanning", M, 2, (const double[]){0.5, 0.5}); }
kn_array kn_hamming(int64_t M) { return knn_cosine_window("hamming", M, 2, (const double[]){0.54, 0.46}); }
kn_array kn_blackman(int64_t M) { return knn_cosine_window("blackman", M, 3, (const double[]){0.42, 0.5, 0.08}); }

kn_array kn_bartlett(int64_t M)
{
    window w;
    begin(&w, "bartlett", M);
    kni_builder *b = w.op.b;
    kni_atom one = knb_number(b, KN_DT(F64), 1);
    return end(&w, knb_sub(b, one, knb_div(b, knb_abs(b, w.n), w.last)));
}

kn_array kn_kaiser(int64_t M, kn_array beta)
{
    window w;
    bool begun = begin(&w, "kaiser", M);
    kni_builder *b = w.op.b;
    kn_dtype d = KN_DT(F64);
    kni_type t = kna_type(&w.op, beta);
    if (begun && !kna_failed(&w.op) && !knl_not_a_number(&w.op, "kaiser", t.dtype)) {
        if (knx_is_complex(t.dtype))
            kna_fail(&w.op, KN_ERROR_TYPE, "kaiser not supported for complex values");
        else if (t.ndim)
            kna_fail(&w.op, KN_ERROR_VALUE, "beta must be a scalar, not of %d axes", t.ndim);
    }
    if (kna_failed(&w.op))
        return end(&w, KN_ATOM_NONE);
    kni_atom shape = kna_in_as(&w.op, beta, d);
    kni_atom half = knb_mul(b, w.last, knb_number(b, d, 0.5)), one = knb_number(b, d, 1);
    kni_atom at = knb_div(b, knb_sub(b, w.k, half), half);
    kni_atom root = knb_sqrt(b, knb_sub(b, one, knb_mul(b, at, at)));
    return end(&w, knb_div(b, knl_i0(b, knb_mul(b, root, shape)), knl_i0(b, shape)));
}
