/* SPDX-License-Identifier: Apache-2.0
 * multivariate_normal.c -- normal vectors of a mean and a covariance: independent normal numbers times a factor of
 * it. */
#include "base/log.h"
#include "kiln/linalg.h"
#include "kiln/numpy.h"
#include "lib/compose.h"
#include "rng/bits.h"
#include "rng/draw.h"
#include <string.h>

typedef struct request {
    const char *check, *method;
    double tol;
    bool legacy;
} request;

static bool one_of(kna_op *op, const char *text, const char *const *all, const char *message)
{
    for (int i = 0; all[i]; i++)
        if (strcmp(text, all[i]) == 0)
            return true;
    kna_fail(op, KN_ERROR_VALUE, "%s", message);
    return false;
}

static bool fits(knl_body *c, kn_array mean, kn_array cov)
{
    kni_type m = kna_type(&c->op, mean), s = kna_type(&c->op, cov);
    if (kna_failed(&c->op))
        return false;
    if (knx_is_complex(m.dtype) || knx_is_complex(s.dtype))
        kna_fail(&c->op, KN_ERROR_TYPE, "mean and cov must not be complex");
    else if (m.ndim != 1)
        kna_fail(&c->op, KN_ERROR_VALUE, "mean must be 1 dimensional");
    else if (s.ndim != 2 || s.dim[0] != s.dim[1])
        kna_fail(&c->op, KN_ERROR_VALUE, "cov must be 2 dimensional and square");
    else if (m.dim[0] != s.dim[0])
        kna_fail(&c->op, KN_ERROR_VALUE, "mean and cov must have same length");
    return !kna_failed(&c->op);
}

/* The product of a matrix's columns and numbers. */
static kn_array scaled(kn_array u, kn_array s) { return kn_multiply(u, s); }

static kn_array transposed(kn_array x) { return (kn_matrix_transpose)(x); }

/* A covariance that is none: an error, or a line in the log. */
static void judge(knl_body *c, const request *q, bool sound)
{
    static const char text[] = "covariance is not symmetric positive-semidefinite.";
    if (sound || kna_failed(&c->op) || kn_error_pending())
        return;
    if (strcmp(q->check, "raise") == 0)
        kna_fail(&c->op, KN_ERROR_VALUE, "%s", text);
    else
        knx_log_(1, "RuntimeWarning: %s", text);
}

/* F with F transposed F = cov: samples are independent numbers times F. */
static kn_array factor(knl_body *c, const request *q, kn_array cov)
{
    bool check = strcmp(q->check, "ignore") != 0;
    if (strcmp(q->method, "cholesky") == 0)
        return transposed((kn_linalg_cholesky)(cov, NULL));
    if (strcmp(q->method, "eigh") == 0) {
        kn_linalg_eigh_result e = (kn_linalg_eigh)(cov, NULL);
        kn_array low = kna_from_number(KN_DT(F64), false, knx_scalar_from_double(KN_DT(F64), -q->tol));
        judge(c, q, !check || !knl_any(c, (kn_less)(e.eigenvalues, low)));
        return transposed(scaled(e.eigenvectors, (kn_sqrt)((kn_absolute)(e.eigenvalues))));
    }
    kn_linalg_svd_result d = (kn_linalg_svd)(cov, NULL);
    kn_array again = (kn_matmul)(scaled(transposed(d.vh), d.s), d.vh);
    kn_isclose_opts o = kn_isclose_opts_default();
    o.rtol = o.atol = q->tol;
    judge(c, q, !check || (kn_allclose)(again, cov, &o));
    kn_array root = (kn_sqrt)(d.s);
    return q->legacy ? scaled(d.vh, (kn_expand_dims)(root, &(kn_axes){.n = 2, .axis = {1}}))
                     : transposed(scaled(d.u, root));
}

static kn_array multivariate_normal(const request *q, const void *handle, kn_array mean, kn_array cov,
                                    const kn_shape *size)
{
    static const char *const checks[] = {"warn", "raise", "ignore", NULL}, *const methods[] = {"svd", "eigh",
                                                                                               "cholesky", NULL};
    knl_body c;
    kn_array y = NULL;
    kn_shape shape = {0}, flat = {2, {-1, 0}};
    knl_begin(&c, "multivariate_normal");
    if (knrng_may_draw(&c.op) &&
        one_of(&c.op, q->method, methods, "method must be one of {'eigh', 'svd', 'cholesky'}") && fits(&c, mean, cov)) {
        if (size && size->ndim != -1)
            shape = *kna_shape(&c.op, size);
        int64_t n = kna_type(&c.op, mean).dim[0];
        if (!kna_failed(&c.op) && !knl_too_many_axes(&c.op, shape.ndim + 1))
            shape.dim[shape.ndim++] = flat.dim[1] = n;
        flat.dim[0] = 1;
        for (int i = 0; i + 1 < shape.ndim; i++)
            flat.dim[0] *= shape.dim[i];
    }
    if (!kna_failed(&c.op)) {
        kn_array x = q->legacy ? (kn_random_state_standard_normal)((kn_random_state)(uintptr_t)handle, &shape)
                               : (kn_rng_standard_normal)((kn_rng)(uintptr_t)handle, &shape, NULL);
        bool ok =
            (kn_ok)(x) && (strcmp(q->method, "cholesky") == 0 ||
                           one_of(&c.op, q->check, checks, "check_valid must equal 'warn', 'raise', or 'ignore'"));
        kn_array f = ok ? factor(&c, q, (kn_astype)(cov, KN_DT(F64), NULL)) : NULL;
        y = !ok ? x : kn_add(mean, (kn_matmul)((kn_reshape)(x, &flat, NULL), f));
        y = ok ? (kn_reshape)(y, &shape, NULL) : y;
    }
    return knl_end(&c, y);
}

kn_array kn_rng_multivariate_normal(kn_rng rng, kn_array mean, kn_array cov, const kn_shape *size,
                                    const kn_rng_multivariate_normal_opts *opts)
{
    kn_rng_multivariate_normal_opts o = opts ? *opts : kn_rng_multivariate_normal_opts_default();
    request q = {o.check_valid ? o.check_valid : "warn", o.method ? o.method : "svd", o.tol, false};
    return multivariate_normal(&q, rng, mean, cov, size);
}

kn_array kn_random_state_multivariate_normal(kn_random_state state, kn_array mean, kn_array cov, const kn_shape *size,
                                             const kn_random_state_multivariate_normal_opts *opts)
{
    kn_random_state_multivariate_normal_opts o = opts ? *opts : kn_random_state_multivariate_normal_opts_default();
    request q = {o.check_valid ? o.check_valid : "warn", "svd", o.tol, true};
    return multivariate_normal(&q, state, mean, cov, size);
}
