/* SPDX-License-Identifier: Apache-2.0
 * hermitian.c -- np.linalg and scipy.linalg: eigenvalues of Hermitian matrices, also beside a second matrix, all of
 * them or some; those of tridiagonal matrices. */
#include "numpy/linalg/matrices.h"
#include "lib/compose.h"
#include <string.h>

/* What eigh and eigvalsh are asked for. */
typedef struct wanted {
    const char *name, *uplo;
    kn_array b;
    int type;
    kn_axes index;
    kn_array value;
    bool vectors;
} wanted;

static bool read_triangle(knn_matrices *m, const char *uplo, bool *lower)
{
    char c = uplo && uplo[0] && !uplo[1] ? uplo[0] : uplo ? 0 : 'L';
    *lower = c == 'L' || c == 'l';
    if (!*lower && c != 'U' && c != 'u')
        kna_fail(&m->op, KN_ERROR_VALUE, "UPLO argument must be 'L' or 'U'");
    return !kna_failed(&m->op);
}

/* The Hermitian matrix whose lower triangle is given. */
static kni_atom hermitian(kni_builder *b, kni_atom x)
{
    kni_atom below = knb_triangle(b, x, true, -1);
    kni_atom diagonal = knb_on_diagonal(b, x, x, knb_like(b, x, 0));
    diagonal = knb_mul(b, knb_add(b, diagonal, knb_conj(b, diagonal)), knb_like(b, x, 0.5));
    return knb_add(b, knb_add(b, below, knn_adjoint(b, below)), diagonal);
}

typedef kni_p_triangular_solve triangular;

/* The second matrix, in a stack with the first one, as its Cholesky factor l; x becomes the matrix of the usual
 * problem: l^-1 x l^-H of type 1, else l^H x l. */
static kni_atom reduce(knn_matrices *m, const wanted *w, bool lower, kni_atom *x)
{
    kni_builder *b = m->op.b;
    kni_type t = knb_type(b, m->x[1]);
    knn_right_side r;
    if (w->type < 1 || w->type > 3)
        kna_fail(&m->op, KN_ERROR_VALUE, "\"type\" keyword only accepts 1, 2, and 3.");
    else if (!kna_failed(&m->op) && (t.ndim < 2 || !knx_dim_eq(t.dim[t.ndim - 1], t.dim[t.ndim - 2]) ||
                                     !knx_dim_eq(t.dim[t.ndim - 1], m->rows))) {
        knx_text s = {0}, u = {0};
        kni_type a = knb_type(b, m->x[0]);
        kna_fail(&m->op, KN_ERROR_VALUE, "wrong b dimensions %s, should be %s", knx_show_shape(&s, t.ndim, t.dim),
                 knx_show_shape(&u, a.ndim, a.dim));
    }
    if (kna_failed(&m->op) || !knn_right_side_begin(m, m->x[1], m->rows, &r))
        return KN_ATOM_NONE;
    kni_atom a = hermitian(b, knn_stacked(m, &r, *x, 2));
    kni_atom l = knb_cholesky(b, lower ? r.y : knn_adjoint(b, r.y), KN_CHECK_CHOLESKY);
    if (w->type == 1) {
        bool complex = knx_is_complex(m->dtype);
        a = knb_triangular_solve(b, l, a, &(triangular){.left_side = true, .lower = true});
        *x = knb_triangular_solve(b, l, a, &(triangular){.lower = true, .transpose_a = true, .conjugate_a = complex});
    } else
        *x = knb_matrix_product(b, knb_matrix_product(b, knn_adjoint(b, l), a), l);
    return l;
}

/* y: eigenvalues and, if wanted, vectors. False after an error. */
static bool solve(knn_matrices *m, kn_array a, const wanted *w, kni_atom y[2])
{
    kni_builder *b;
    bool lower;
    if (!knn_matrices_begin(m, w->name, KNN_SQUARE, w->b ? 2 : 1, (kn_array[]){a, w->b}) ||
        !read_triangle(m, w->uplo, &lower))
        return false;
    b = m->op.b;
    kni_atom x = m->x[0], l = KN_ATOM_NONE, out[2];
    kni_p_eigh p = {.lower = lower, .values_only = !w->vectors, .check = KN_CHECK_EIGH};
    if (w->b) {
        x = lower ? x : knn_adjoint(b, x);
        l = reduce(m, w, lower, &x);
        p.lower = true;
    }
    int n_index = knl_axis_count(&m->op, w->index);
    int64_t low = w->index.axis[0], high = w->index.axis[1];
    if (n_index && !kna_failed(&m->op) && (n_index != 2 || low < 0 || high < low || !knx_dim_lt(high, m->rows))) {
        knx_text t = {0};
        kna_fail(&m->op, KN_ERROR_VALUE,
                 "Requested eigenvalue indices are not valid. Valid range is [0, %s] and start <= end",
                 knx_dim_show(&t, knx_dim_sub(m->rows, 1)));
    }
    if (kna_failed(&m->op))
        return false;
    knb_eigh(b, x, &p, out);
    y[0] = out[w->vectors];
    y[1] = out[0];
    if (n_index) {
        y[0] = knn_last(b, y[0], low, high + 1);
        y[1] = w->vectors ? knn_last(b, y[1], low, high + 1) : y[1];
    }
    if (w->b && w->vectors) {
        bool complex = knx_is_complex(m->dtype);
        const triangular back = {.left_side = true, .lower = true, .transpose_a = true, .conjugate_a = complex};
        y[1] = w->type == 3 ? knb_matrix_product(b, l, y[1]) : knb_triangular_solve(b, l, y[1], &back);
    }
    return true;
}

static void all_of(kn_array a, const wanted *w, kn_array result[2])
{
    knn_matrices m;
    kni_atom y[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    solve(&m, a, w, y);
    kna_end_n(&m.op, w->vectors ? 2 : 1, y, result);
}

/* Those above one number, up to another one: as many as there are, so the eigenvalues are looked at. */
static void by_value(kn_array a, const wanted *w, kn_array result[2])
{
    knl_body c;
    wanted all = *w;
    all.value = NULL;
    result[0] = result[1] = NULL;
    knl_begin(&c, w->name);
    kni_type bounds = kna_type(&c.op, w->value);
    if (!kna_failed(&c.op) && w->index.n)
        kna_fail(&c.op, KN_ERROR_VALUE, "Either index or value subset can be requested.");
    else if (!kna_failed(&c.op) && (bounds.ndim != 1 || !knx_dim_eq(bounds.dim[0], 2)))
        kna_fail(&c.op, KN_ERROR_VALUE, "subset_by_value takes two numbers");
    if (!kna_failed(&c.op)) {
        const double *bound = kna_look(&c.op, kn_astype(w->value, KN_F64, NULL), &bounds);
        double low = bound ? bound[0] : 0, high = bound ? bound[1] : 1;
        all_of(a, &all, result);
        kni_type t = kna_type(&c.op, result[0]);
        if (!kna_failed(&c.op) && t.ndim != 1)
            kna_fail(&c.op, KN_ERROR_VALUE, "subset_by_value takes one matrix");
        else if (!kna_failed(&c.op) && !(low < high))
            kna_fail(&c.op, KN_ERROR_VALUE,
                     "Requested eigenvalue bounds are not valid. Valid range is (-inf, inf) and low < high, but "
                     "low=%g, high=%g is given",
                     low, high);
        else if (!kna_failed(&c.op)) {
            int64_t from = knn_count(&c.op, kn_less_equal(result[0], kn_like_double(low)));
            int64_t to = knn_count(&c.op, kn_less_equal(result[0], kn_like_double(high)));
            for (int i = 0; i < (w->vectors ? 2 : 1); i++)
                result[i] = knl_part(w->name, result[i], i, from, to);
        }
    }
    knl_end_n(&c, w->vectors ? 2 : 1, result);
}

static void eigenvalues(kn_array a, const wanted *w, kn_array result[2])
{
    (w->value ? by_value : all_of)(a, w, result);
}

kn_linalg_eigh_result kn_linalg_eigh(kn_array a, const kn_linalg_eigh_opts *opts)
{
    KNX_OPTS(kn_linalg_eigh_opts, o, opts);
    kn_array y[2];
    const wanted w = {"eigh", o.uplo, o.b, o.type, o.subset_by_index, o.subset_by_value, true};
    eigenvalues(a, &w, y);
    return (kn_linalg_eigh_result){y[0], y[1]};
}

kn_array kn_linalg_eigvalsh(kn_array a, const kn_linalg_eigvalsh_opts *opts)
{
    KNX_OPTS(kn_linalg_eigvalsh_opts, o, opts);
    kn_array y[2];
    const wanted w = {"eigvalsh", o.uplo, o.b, o.type, o.subset_by_index, o.subset_by_value, false};
    eigenvalues(a, &w, y);
    return y[0];
}

/* ---- Tridiagonal matrices. */

static kn_array with_axis(kn_array x, int axis)
{
    const kn_axes at = knl_one_axis(axis);
    return kn_expand_dims(x, &at);
}

static void of_tridiagonal(kn_array d, kn_array e, const wanted *w, kn_array y[2])
{
    knl_body c;
    y[0] = y[1] = NULL;
    knl_begin(&c, w->name);
    kni_type t = kna_type(&c.op, d), u = kna_type(&c.op, e);
    if (!kna_failed(&c.op) && knx_is_complex(t.dtype))
        kna_fail(&c.op, KN_ERROR_TYPE, "Only real arrays are supported for the diagonal d");
    else if (!kna_failed(&c.op) &&
             (!t.ndim || !u.ndim || !knx_dim_eq(t.dim[t.ndim - 1], knx_dim_add(u.dim[u.ndim - 1], 1)))) {
        knx_text s = {0}, v = {0};
        kna_fail(&c.op, KN_ERROR_VALUE, "d of shape %s must have one more element than e of shape %s",
                 knx_show_shape(&s, t.ndim, t.dim), knx_show_shape(&v, u.ndim, u.dim));
    }
    if (!kna_failed(&c.op)) {
        kn_array i = kn_arange(kn_like_int(0), kn_like_int(t.dim[t.ndim - 1]), kn_like_int(1), NULL);
        kn_array column = with_axis(i, 1);
        kn_array on = kn_equal(column, i), below = kn_equal(column, kn_add(i, kn_like_int(1)));
        kn_shape last = {.ndim = u.ndim};
        memcpy(last.dim, u.dim, (size_t)u.ndim * sizeof *last.dim);
        last.dim[u.ndim - 1] = 1;
        kn_array none = kn_zeros(&last, KNL_WITH(kn_zeros_opts, .dtype = u.dtype));
        kn_array longer = kn_concatenate(kn_list_from((kn_array[]){e, none}, 2),
                                         KNL_WITH(kn_concatenate_opts, .axis = knl_one_axis(-1)));
        kn_array a = kn_where(on, with_axis(d, -1), kn_where(below, with_axis(longer, -2), kn_like_int(0)));
        eigenvalues(a, w, y);
    }
    knl_end_n(&c, w->vectors ? 2 : 1, y);
}

kn_linalg_eigh_result kn_linalg_eigh_tridiagonal(kn_array d, kn_array e, const kn_linalg_eigh_tridiagonal_opts *opts)
{
    KNX_OPTS(kn_linalg_eigh_tridiagonal_opts, o, opts);
    kn_array y[2];
    of_tridiagonal(d, e, &(wanted){"eigh_tridiagonal", NULL, NULL, 1, o.subset_by_index, o.subset_by_value, true}, y);
    return (kn_linalg_eigh_result){y[0], y[1]};
}

kn_array kn_linalg_eigvalsh_tridiagonal(kn_array d, kn_array e, const kn_linalg_eigh_tridiagonal_opts *opts)
{
    KNX_OPTS(kn_linalg_eigh_tridiagonal_opts, o, opts);
    kn_array y[2];
    of_tridiagonal(d, e, &(wanted){"eigvalsh_tridiagonal", NULL, NULL, 1, o.subset_by_index, o.subset_by_value, false},
                   y);
    return y[0];
}
