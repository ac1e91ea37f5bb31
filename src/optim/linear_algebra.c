/* SPDX-License-Identifier: Apache-2.0
 * linear_algebra.c -- the eigenvalue of the largest size by power iteration, and roots of inverse matrices by coupled
 * Newton steps (Higham, Functions of Matrices, 7.18). Both are loops that end early, in traces, too. */
#include "kiln/control.h"
#include "kiln/linalg.h"
#include "kiln/optim.h"
#include "kiln/random.h"
#include "optim/compose.h"
#include <math.h>

static kn_array norm_of(kn_array x) { return kn_sqrt(kn_sum(kn_square(kn_absolute(x)), NULL)); }

static kn_array unit(kn_array v) { return kn_multiply(kn_divide(kno_num(1), norm_of(v)), v); }

static kn_array typed(double v, kn_dtype d) { return kn_astype(kno_num(v), d, NULL); }

static kn_array counter(int n) { return kn_astype(kn_like_int(n), KN_DT(I32), NULL); }

static kn_array next(kn_array count) { return kn_add(count, kn_like_int(1)); }

/* ---- Power iteration. */

typedef struct iteration {
    kn_array matrix, most, tolerance;
} iteration;
typedef struct vectors {
    kn_array unit, image, eigenvalue, count;
} vectors;

static void power_goes_on(const void *captured, void *out, const void *const *in)
{
    const iteration *g = captured;
    const vectors *s = in[0];
    kn_array rest = norm_of(kn_subtract(s->image, kn_multiply(s->eigenvalue, s->unit)));
    kn_array close = kn_less(kn_absolute(kn_divide(rest, s->eigenvalue)), g->tolerance);
    *(kn_array *)out = kn_logical_and(kn_logical_not(close), kn_less(s->count, g->most));
}

static void power_step(const void *captured, void *out, const void *const *in)
{
    const iteration *g = captured;
    const vectors *s = in[0];
    kn_array v = unit(s->image), z = kn_matmul(g->matrix, v);
    *(vectors *)out = (vectors){v, z, kn_vdot(v, z), next(s->count)};
}

KNO_STEP(power_goes_on, iteration, vectors, kn_array)
KNO_STEP(power_step, iteration, vectors, vectors)

/* The eigenvalue and the vector, as arrays of the body that is open. */
static vectors dominant(kn_array matrix, kn_array v0, int num_iters, double tolerance)
{
    kn_dtype d = kn_dtype_of(matrix);
    if (!v0) {
        kn_shape shape = {.ndim = 1, .dim = {kn_shape_of(matrix).dim[0]}};
        kn_random_uniform_opts uniform = kn_random_uniform_opts_default();
        uniform.dtype = d;
        uniform.minval = kno_num(-1);
        v0 = kn_random_uniform(kn_random_key(kn_like_int(0), NULL), &shape, &uniform);
    }
    kn_array v = unit(v0), z = kn_matmul(matrix, v);
    kn_dtype both = kn_dtype_of(z);
    const iteration given = {matrix, counter(num_iters), typed(tolerance, both ? both : d)};
    vectors s = {kn_astype(v, both ? both : d, NULL), z, typed(0, both ? both : d), counter(0)};
    kno_repeat(&power_goes_on_function, &power_step_function, &given, &s, 0);
    return s;
}

static void check_matrix(knl_body *c, kn_array matrix, int num_iters)
{
    kni_type t = kna_type(&c->op, matrix);
    if (!kna_failed(&c->op) && (t.ndim != 2 || t.dim[0] != t.dim[1] || !knx_is_float(t.dtype)))
        kna_fail(&c->op, KN_ERROR_VALUE, "the matrix is square, and of floats");
    if (!kna_failed(&c->op) && num_iters < 0)
        kna_fail(&c->op, KN_ERROR_VALUE, "num_iters must be at least 0, but is %d", num_iters);
}

kn_power_iteration_result kn_optim_power_iteration(kn_array matrix, const kn_optim_power_iteration_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_power_iteration");
    KNX_OPTS(kn_optim_power_iteration_opts, o, opts);
    kn_array out[2] = {NULL, NULL};
    check_matrix(&c, matrix, o.num_iters);
    if (!kna_failed(&c.op)) {
        vectors s = dominant(matrix, o.v0, o.num_iters, o.error_tolerance);
        out[0] = s.eigenvalue;
        out[1] = unit(s.image);
    }
    knl_end_n(&c, 2, out);
    return (kn_power_iteration_result){out[0], out[1]};
}

/* ---- Roots of inverse matrices: m goes to the identity, and h to the root. */

typedef struct newton {
    kn_array alpha, identity, most, tolerance, power; /* power: none, but its extent is p */
} newton;
typedef struct coupled {
    kn_array count, m, h, before, error, falls; /* before: h; falls: the error did not grow by more than a fifth */
} coupled;

static void root_goes_on(const void *captured, void *out, const void *const *in)
{
    const newton *g = captured;
    const coupled *s = in[0];
    kn_array far = kn_logical_and(kn_greater(s->error, g->tolerance), s->falls);
    *(kn_array *)out = kn_logical_and(kn_less(s->count, g->most), far);
}

static kn_array distance_of(kn_array m, kn_array identity)
{
    return kn_max(kn_absolute(kn_subtract(m, identity)), NULL);
}

/* x^p by squares; for 1, 2, 4 and 8 they are all there is. */
static kn_array matrix_power(kn_array x, int64_t p)
{
    kn_array y = NULL;
    for (; p; p >>= 1) {
        if (p & 1)
            y = y ? kn_matmul(y, x) : x;
        x = p > 1 ? kn_matmul(x, x) : x;
    }
    return y;
}

static void root_step(const void *captured, void *out, const void *const *in)
{
    const newton *g = captured;
    const coupled *s = in[0];
    kn_array rest = kn_multiply(kn_subtract(kno_num(1), g->alpha), g->identity);
    kn_array by = kn_add(rest, kn_multiply(g->alpha, s->m));
    kn_array m = kn_matmul(matrix_power(by, kn_shape_of(g->power).dim[0]), s->m), h = kn_matmul(s->h, by);
    kn_array error = distance_of(m, g->identity);
    *(coupled *)out = (coupled){next(s->count), m, h, s->h, error, kn_less(error, kn_multiply(s->error, kno_num(1.2)))};
}

KNO_STEP(root_goes_on, newton, coupled, kn_array)
KNO_STEP(root_step, newton, coupled, coupled)

static void root_of(kn_array matrix, kn_array ridge, int p, const kn_optim_matrix_inverse_pth_root_opts *o,
                    kn_array *out)
{
    kn_eye_opts eye = kn_eye_opts_default();
    eye.dtype = KN_DT(F32);
    kn_array identity = kn_eye(kn_shape_of(matrix).dim[0], &eye);
    kn_array damped = kn_add(matrix, kn_multiply(ridge, identity));
    kn_array z = kn_divide(kno_num(1.0 + p), kn_multiply(kno_num(2), norm_of(damped)));
    kn_array m = kn_multiply(damped, z), error = distance_of(m, identity);
    kn_array h = kn_multiply(identity, kn_power(z, kno_num(1.0 / p)));
    kn_dtype d = kn_dtype_of(error);
    if (!d)
        d = KN_DT(F32);
    const newton given = {typed(-1.0 / p, KN_DT(F32)), identity, counter(o->num_iters), typed(o->error_tolerance, d),
                          kn_zeros(&(kn_shape){1, {p}}, KNL_WITH(kn_zeros_opts, .dtype = KN_DT(BOOL)))};
    coupled s = {counter(0), m, h, h, error, kn_astype(kn_like_bool(true), KN_DT(BOOL), NULL)};
    kno_repeat(&root_goes_on_function, &root_step_function, &given, &s, 0);
    kn_array last = kn_astype(s.falls, d, NULL), other = kn_subtract(kno_num(1), last);
    kn_array root = kn_add(kn_multiply(last, s.h), kn_multiply(other, s.before));
    out[0] = kn_astype(root, kn_dtype_of(matrix), NULL);
    out[1] = distance_of(s.m, identity);
}

kn_matrix_inverse_pth_root_result kn_optim_matrix_inverse_pth_root(kn_array matrix, int p,
                                                                   const kn_optim_matrix_inverse_pth_root_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_matrix_inverse_pth_root");
    KNX_OPTS(kn_optim_matrix_inverse_pth_root_opts, o, opts);
    kn_array out[2] = {NULL, NULL};
    check_matrix(&c, matrix, o.num_iters);
    if (!kna_failed(&c.op) && p < 1)
        kna_fail(&c.op, KN_ERROR_VALUE, "p is a positive integer, but is %d", p);
    else if (!kna_failed(&c.op) && !kna_type(&c.op, matrix).dim[0])
        kna_fail(&c.op, KN_ERROR_VALUE, "the matrix has no elements");
    if (!kna_failed(&c.op)) {
        kn_array most = kn_maximum(dominant(matrix, NULL, 100, 1e-6).eigenvalue, kno_num(1e-16));
        kn_array ridge = kn_multiply(typed(o.ridge_epsilon, kn_dtype_of(matrix)), most);
        if (kna_type(&c.op, matrix).dim[0] == 1) {
            out[0] = kn_power(kn_add(matrix, ridge), typed(-1.0 / p, KN_DT(F32)));
            out[1] = kn_astype(kn_like_int(0), KN_DT(I32), NULL);
        } else {
            root_of(matrix, ridge, p, &o, out);
        }
    }
    knl_end_n(&c, 2, out);
    return (kn_matrix_inverse_pth_root_result){out[0], out[1]};
}
