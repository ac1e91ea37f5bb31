/* SPDX-License-Identifier: Apache-2.0
 * solving.c -- np.linalg: compositions of cholesky, lu and triangular_solve. As NumPy does, all of them work in float64
 * or complex128 and round the result to the dtype that the arguments ask for. */
#include "kiln/linalg.h"
#include "lib/internal.h"
#include <string.h>

typedef kni_p_triangular_solve triangular;

/* --- arguments -------------------------------------------------------------------------------- */

typedef struct matrices {
    kna_op op;
    kn_dtype result, work; /* of the result; of the calculation */
    kni_atom a;
    int64_t n; /* their rows */
} matrices;

static bool is_square(kna_op *op, kn_array a)
{
    kni_type t = kna_type(op, a);
    if (kna_failed(op))
        return false;
    if (t.ndim < 2)
        kna_fail(op, KN_ERROR_LINALG, "%d-dimensional array given. Array must be at least two-dimensional", t.ndim);
    else if (!knx_dim_eq(t.dim[t.ndim - 1], t.dim[t.ndim - 2]))
        kna_fail(op, KN_ERROR_LINALG, "Last 2 dimensions of the array must be square");
    return !kna_failed(op);
}

/* float16 is refused even beside wider arrays. */
static kn_dtype one_dtype(matrices *m, const char *name, kn_array x)
{
    kni_type t = kna_type(&m->op, x);
    kn_dtype d = t.weak ? kna_strong_dtype(t) : t.dtype;
    if (kna_failed(&m->op) || knl_not_a_number(&m->op, name, d))
        return NULL;
    if (knx_is_inexact(d) && d->size == 2)
        kna_fail(&m->op, KN_ERROR_TYPE, "array type %s is unsupported in linalg", d->name);
    return knl_inexact_for(d);
}

static bool begin(matrices *m, const char *name, kn_array a, kn_array b)
{
    kna_begin(&m->op, name);
    if (!is_square(&m->op, a))
        return false;
    kn_dtype first = one_dtype(m, name, a), second = b ? one_dtype(m, name, b) : first;
    if (kna_failed(&m->op))
        return false;
    m->result = knx_promote(first, second);
    m->work = knx_is_complex(m->result) ? KN_DT(C128) : KN_DT(F64);
    m->a = kna_in_as(&m->op, a, m->work);
    kni_type t = knb_type(m->op.b, m->a);
    m->n = t.ndim ? t.dim[t.ndim - 1] : 0;
    return !kna_failed(&m->op);
}

static kn_array end(matrices *m, kni_atom y)
{
    return kna_end(&m->op, kna_failed(&m->op) ? KN_ATOM_NONE : knb_astype(m->op.b, y, m->result));
}

/* --- factorisations --------------------------------------------------------------------------- */

kn_array kn_linalg_cholesky(kn_array a, const kn_linalg_cholesky_opts *opts)
{
    KNX_OPTS(kn_linalg_cholesky_opts, o, opts);
    matrices m;
    if (!begin(&m, "cholesky", a, NULL))
        return kna_end(&m.op, KN_ATOM_NONE);
    kni_builder *b = m.op.b;
    kni_atom x = o.upper ? knb_swap_last(b, knb_conj(b, m.a)) : m.a;
    kni_atom l = knb_cholesky(b, x, KN_CHECK_CHOLESKY);
    return end(&m, o.upper ? knb_swap_last(b, knb_conj(b, l)) : l);
}

/* --- equations -------------------------------------------------------------------------------- */

/* U^-1 L^-1 y */
static kni_atom solve_factors(kni_builder *b, kni_atom lu, kni_atom y)
{
    y = knb_triangular_solve(b, lu, y, &(triangular){.left_side = true, .lower = true, .unit_diagonal = true});
    return knb_triangular_solve(b, lu, y, &(triangular){.left_side = true});
}

/* x with these axes in front of its last `tail` ones. */
static kni_atom stacked(kna_op *op, kni_atom x, const kn_shape *batch, int tail)
{
    kni_type t = knb_type(op->b, x);
    kn_shape s = *batch;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    for (int i = t.ndim - tail; i < t.ndim; i++)
        s.dim[s.ndim++] = t.dim[i];
    return knb_broadcast_to(op->b, x, knl_shaped(t.dtype, &s));
}

/* The axes in front of the matrices, broadcast. */
static bool common_batch(kna_op *op, kni_type x, kni_type y, int y_tail, kn_shape *batch)
{
    int nx = x.ndim - 2, ny = y.ndim - y_tail, n = nx > ny ? nx : ny;
    *batch = (kn_shape){.ndim = n};
    for (int i = 0; i < n; i++) {
        int64_t a = i < n - nx ? 1 : x.dim[i - (n - nx)], b = i < n - ny ? 1 : y.dim[i - (n - ny)];
        if (a != 1 && b != 1 && !knx_dim_eq(a, b)) {
            knx_text s = {0}, t = {0};
            kna_fail(op, KN_ERROR_VALUE, "operands could not be broadcast together with shapes %s %s",
                     knx_show_shape(&s, x.ndim, x.dim), knx_show_shape(&t, y.ndim, y.dim));
            return false;
        }
        batch->dim[i] = a == 1 ? b : a;
    }
    return true;
}

static bool check_right_side(matrices *m, kni_type t)
{
    const char *signature = t.ndim == 1 ? "(m,m),(m)->(m)" : "(m,m),(m,n)->(m,n)";
    int64_t rows = t.ndim ? t.dim[t.ndim == 1 ? 0 : t.ndim - 2] : 0;
    if (t.ndim == 0)
        kna_fail(&m->op, KN_ERROR_VALUE,
                 "Input operand 1 does not have enough dimensions (has 0, gufunc core with signature %s requires 2)",
                 signature);
    else if (!knx_dim_eq(rows, m->n)) {
        knx_text s = {0}, u = {0};
        kna_fail(&m->op, KN_ERROR_VALUE,
                 "Input operand 1 has a mismatch in its core dimension 0, with gufunc signature %s (size %s is "
                 "different from %s)",
                 signature, knx_dim_show(&s, rows), knx_dim_show(&u, m->n));
    }
    return !kna_failed(&m->op);
}

static kni_atom solve(matrices *m, kn_array right)
{
    kni_builder *b = m->op.b;
    kni_atom y = kna_in_as(&m->op, right, m->work), out[3];
    if (kna_failed(&m->op))
        return KN_ATOM_NONE;
    kni_type t = knb_type(b, y);
    bool vector = t.ndim == 1;
    kn_shape batch;
    if (!check_right_side(m, t) || !common_batch(&m->op, knb_type(b, m->a), t, vector ? 1 : 2, &batch))
        return KN_ATOM_NONE;
    if (vector)
        y = knb_expand_dims(b, y, 1);
    knb_lu(b, m->a, KN_CHECK_SOLVE, out);
    y = knb_permute_rows(b, stacked(&m->op, y, &batch, 2), stacked(&m->op, out[2], &batch, 1));
    y = solve_factors(b, stacked(&m->op, out[0], &batch, 2), y);
    return vector ? knb_squeeze(b, y, 1, (int64_t[]){batch.ndim + 1}) : y;
}

kn_array kn_linalg_solve(kn_array a, kn_array b)
{
    matrices m;
    if (!begin(&m, "solve", a, b))
        return kna_end(&m.op, KN_ATOM_NONE);
    return end(&m, solve(&m, b));
}

kn_array kn_linalg_inv(kn_array a)
{
    matrices m;
    kni_atom out[3];
    if (!begin(&m, "inv", a, NULL))
        return kna_end(&m.op, KN_ATOM_NONE);
    knb_lu(m.op.b, m.a, KN_CHECK_INV, out);
    return end(&m, solve_factors(m.op.b, out[0], knl_permuted_identity(m.op.b, knb_type(m.op.b, m.a), out[2])));
}

/* --- determinants ----------------------------------------------------------------------------- */

kn_array kn_linalg_det(kn_array a)
{
    matrices m;
    if (!begin(&m, "det", a, NULL))
        return kna_end(&m.op, KN_ATOM_NONE);
    return end(&m, knl_determinant(m.op.b, m.a));
}

kn_linalg_slogdet_result kn_linalg_slogdet(kn_array a)
{
    matrices m;
    kni_atom y[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array out[2];
    if (begin(&m, "slogdet", a, NULL)) {
        knl_log_determinant(m.op.b, m.a, &y[0], &y[1]);
        y[0] = knb_astype(m.op.b, y[0], m.result);
        y[1] = knb_astype(m.op.b, y[1], knx_component(m.result));
    }
    kna_end_n(&m.op, 2, y, out);
    return (kn_linalg_slogdet_result){out[0], out[1]};
}
