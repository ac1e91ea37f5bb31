/* SPDX-License-Identifier: Apache-2.0
 * funm.c -- scipy.linalg.funm: any function of square matrices, by the recurrence of Schur and Parlett. */
#include "kiln/linalg.h"
#include "kiln/control.h"
#include "lib/compose.h"
#include <math.h>

/* With the triangular t and f = func(t), column j of what stands above the diagonal solves
 * (t - t_jj) f_j = F t_j - f_jj t_j over the rows and columns before j. Where two eigenvalues are equal their
 * difference counts as 1, as in SciPy. */

static kn_array with_axis(kn_array x, int axis)
{
    const kn_axes at = knl_one_axis(axis);
    return kn_expand_dims(x, &at);
}
static kn_array element(kn_array x, kn_array i) /* of the last axis */
{
    return kn_take(x, i, KNL_WITH(kn_take_opts, .axis = knl_one_axis(-1)));
}

/* in: j, f; captured: t */
static void next_column(const void *captured, void *out, const void *const *in)
{
    kn_array t = *(const kn_array *)captured, j = *(const kn_array *)in[0], f = *(const kn_array *)in[1];
    kn_array r = kn_arange(kn_like_int(0), kn_like_int(kn_dim(t, -1)), kn_like_int(1), NULL);
    kn_array before = kn_less(r, j), zero = kn_like_int(0), one = kn_like_int(1);
    kn_array both = kn_logical_and(before, with_axis(before, 1)), diagonal = kn_equal(r, with_axis(r, 1));
    kn_array tj = element(t, j), fj = element(f, j), tjj = element(tj, j), fjj = element(fj, j);
    kn_array left = kn_where(both, t, zero), gap = kn_subtract(t, with_axis(with_axis(tjj, -1), -1));
    gap = kn_where(kn_logical_and(both, kn_not_equal(gap, zero)), gap, one);
    left = kn_where(diagonal, gap, left);
    kn_array right = kn_where(before, tj, zero); /* f t_j: rows of f end at their diagonal */
    kn_array product =
        kn_squeeze(kn_matmul(f, with_axis(right, -1)), KNL_WITH(kn_squeeze_opts, .axis = knl_one_axis(-1)));
    right = kn_subtract(product, kn_multiply(right, with_axis(fjj, -1)));
    right = kn_where(before, right, zero);
    kn_array x = kn_linalg_solve_triangular(left, with_axis(right, -1),
                                            KNL_WITH(kn_linalg_solve_triangular_opts, .lower = false));
    kn_array here = kn_logical_and(with_axis(before, 1), kn_equal(r, j));
    *(kn_array *)out = kn_where(here, x, f);
}

static kn_array triangle_of(kn_array t, kn_array values)
{
    static const kn_function column = {.size_ = sizeof(kn_function),
                                       .name = "next_column",
                                       .call = next_column,
                                       .captured_bytes = sizeof(kn_array),
                                       .out_bytes = sizeof(kn_array),
                                       .n_args = 2,
                                       .arg_bytes = {sizeof(kn_array), sizeof(kn_array)}};
    int64_t n = kn_dim(t, -1);
    kn_array r = kn_arange(kn_like_int(0), kn_like_int(n), kn_like_int(1), NULL);
    kn_array f = kn_where(kn_equal(r, with_axis(r, 1)), with_axis(values, -1), kn_like_int(0)), y = f;
    f = kn_astype(f, kn_dtype_of(t), NULL);
    if (!knx_dim_lt(n, 2))
        kn_fori_loop(kn_like_int(1), kn_like_int(n), kn_fn_of(&column, &t), &(const kn_outs){1, {{&y, sizeof y}}},
                     &(const kn_args){1, {{&f, sizeof f}}}, NULL);
    else
        y = f;
    return y;
}

/* How far off the result may be: the dtype's epsilon over the least distance of two eigenvalues, times the norm of what
 * stands above the diagonal; between epsilon and 1. */
static kn_array estimate(kn_array t, kn_array w, kn_array f, double epsilon)
{
    const kn_max_opts over = {.size_ = sizeof over, .axis = {.n = 3, .axis = {-2, -1}}};
    kn_array r = kn_arange(kn_like_int(0), kn_like_int(kn_dim(t, -1)), kn_like_int(1), NULL);
    kn_array gap = kn_absolute(kn_subtract(with_axis(w, -1), with_axis(w, -2)));
    kn_array first = kn_absolute(with_axis(element(w, kn_like_int(0)), -1));
    gap = kn_where(kn_less(r, with_axis(r, 1)), gap, with_axis(first, -1));
    kn_array least = kn_min(gap, &over), tiny = kn_like_double(epsilon);
    least = kn_where(kn_equal(least, kn_like_int(0)), tiny, least);
    kn_array size = kn_linalg_norm(kn_triu(t, KNL_WITH(kn_diag_opts, .k = 1)),
                                   KNL_WITH(kn_linalg_norm_opts, .ord = 1, .axis = {.n = 3, .axis = {-2, -1}}));
    kn_array off = kn_multiply(kn_divide(tiny, least), size);
    off = kn_minimum(kn_maximum(off, tiny), kn_like_double(1));
    const kn_any_opts all = {.size_ = sizeof all, .axis = over.axis};
    return kn_where(kn_any(kn_logical_not(kn_isfinite(f)), &all), kn_like_double(INFINITY), off);
}

kn_linalg_funm_result kn_linalg_funm(kn_array a, kn_fn func)
{
    knl_body c;
    kn_array y[2] = {NULL, NULL}, values = NULL;
    knl_begin(&c, "funm");
    kn_linalg_schur_result s = kn_linalg_schur(a, KNL_WITH(kn_linalg_schur_opts, .output = "complex"));
    kni_type type = kna_type(&c.op, s.t);
    if (!kna_failed(&c.op)) {
        kn_array w = knl_diagonal("funm", s.t, 0, -2, -1);
        kn_call(func, &(const kn_outs){1, {{&values, sizeof values}}}, &(const kn_args){1, {{&w, sizeof w}}});
        kni_type got = kna_type(&c.op, values);
        bool fits = got.ndim == type.ndim - 1;
        for (int i = 0; fits && i < got.ndim; i++)
            fits = knx_dim_eq(got.dim[i], type.dim[i]);
        if (!kna_failed(&c.op) && !fits) {
            knx_text p = {0}, q = {0};
            kna_fail(&c.op, KN_ERROR_VALUE, "the function of eigenvalues of shape %s gave an array of shape %s",
                     knx_show_shape(&p, type.ndim - 1, type.dim), knx_show_shape(&q, got.ndim, got.dim));
        } else if (!kna_failed(&c.op)) {
            kn_array f = triangle_of(s.t, values), h = kn_conj(kn_matrix_transpose(s.z));
            y[0] = kn_matmul(kn_matmul(s.z, f), h);
            y[1] = knx_dim_eq(type.dim[type.ndim - 1], 0)
                       ? kn_zeros(&(kn_shape){0}, KNL_WITH(kn_zeros_opts, .dtype = knx_component(type.dtype)))
                       : estimate(s.t, w, y[0], type.dtype->size == 16 ? 0x1p-52 : 0x1p-23);
        }
    }
    knl_end_n(&c, 2, y);
    return (kn_linalg_funm_result){y[0], y[1]};
}
